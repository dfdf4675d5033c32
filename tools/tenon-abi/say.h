// What an import tells, collected until it is known to have worked: lines for people, or one JSON
// document.
#ifndef TENON_TOOLS_TENON_ABI_SAY_H_
#define TENON_TOOLS_TENON_ABI_SAY_H_

#include <stdbool.h>

#include "tenon/status.h"

// One line or several, each with its end. "+ " and "- " begin what differs, "note: " what to know,
// "changed " a table.
void say(const char* format, ...) TN_PRINTF(1, 2);
// Prints all of it. `result` is a word for programs: added, equal or differs.
bool say_flush(bool json, const char* source, const char* result);
void say_nothing(void);

#endif  // TENON_TOOLS_TENON_ABI_SAY_H_
