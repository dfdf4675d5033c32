#include "abi/day.h"

#include <stdio.h>
#include <time.h>

static bool is_leap(int year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

static int days_in(int year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return days[month - 1] + (month == 2 && is_leap(year));
}

// Days from 1970-01-01 to the first of January of `year`, from 1970 on.
static int64_t days_before(int year) {
  int64_t y = year - 1;
  return 365 * (int64_t)(year - 1970) + (y / 4 - 492) - (y / 100 - 19) + (y / 400 - 4);
}

bool tn_day_parse(const char* text, int64_t* out) {
  int year, month, day, length = 0;
  if (sscanf(text, "%4d-%2d-%2d%n", &year, &month, &day, &length) != 3 || length != 10 ||
      (text[length] && text[length] != 'T'))
    return false;
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in(year, month)) return false;
  int64_t days = days_before(year) + day - 1;
  for (int m = 1; m < month; ++m) days += days_in(year, m);
  *out = days;
  return true;
}

const char* tn_day_text(int64_t day, char buffer[TN_DAY_TEXT]) {
  int year = 1970, month = 1;
  while (days_before(year + 1) <= day) ++year;
  day -= days_before(year);
  while (day >= days_in(year, month)) day -= days_in(year, month++);
  snprintf(buffer, TN_DAY_TEXT, "%04d-%02d-%02d", year, month, (int)day + 1);
  return buffer;
}

int64_t tn_day_today(void) { return (int64_t)(time(NULL) / 86400); }
