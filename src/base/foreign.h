// Words of others on a terminal: what a plugin says may hold anything.
#ifndef TENON_BASE_FOREIGN_H_
#define TENON_BASE_FOREIGN_H_

#include <stddef.h>
#include <stdio.h>

// Prints control characters, ends of lines too, and what is no UTF-8 as \x1b and the like, so that
// they stay text.
void tn_print_foreign(const char* text, size_t size, FILE* out);
// The same where lines stay lines.
void tn_print_foreign_lines(const char* text, FILE* out);

#endif  // TENON_BASE_FOREIGN_H_
