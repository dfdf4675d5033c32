// Libraries that plugins are linked against and that nobody finds afterwards.
void fake_absent_one(void);
void fake_absent_two(void);
#ifdef FAKE_ONE
void fake_absent_one(void) {}
#else
void fake_absent_two(void) {}
#endif
