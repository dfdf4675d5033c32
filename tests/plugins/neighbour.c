// A library that plugins need; for some, the one they find lacks the version they were linked with.
void fake_neighbour(void);
void fake_neighbour(void) {}
