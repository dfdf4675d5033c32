// Days, counted from 1970-01-01.
#ifndef TENON_ABI_DAY_H_
#define TENON_ABI_DAY_H_

#include <stdbool.h>
#include <stdint.h>

// Reads "2024-11-14"; what follows a 'T' is ignored. False when it is no day.
bool tn_day_parse(const char* text, int64_t* out);
// Writes "2024-11-14" and returns `buffer`.
enum { TN_DAY_TEXT = 40 };
const char* tn_day_text(int64_t day, char buffer[TN_DAY_TEXT]);
int64_t tn_day_today(void);

#endif  // TENON_ABI_DAY_H_
