// Any bytes as a changelog: the newest entry is one that is found, and stands on a line of it.
#include <stdlib.h>

#include "abi/changelog.h"
#include "abi/day.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const tn_view text = {(const char*)data, size};
  tn_changelog_entry newest, found;
  if (!tn_changelog_newest(text, &newest)) {
    if (tn_changelog_find(text, 0, 55, -1, &found)) abort();
    return 0;
  }
  if (!tn_changelog_find(text, newest.major, newest.minor, newest.patch, &found)) abort();
  size_t lines = 1;
  for (size_t i = 0; i < size; ++i) lines += data[i] == '\n';
  if (newest.line < 1 || newest.line > lines || found.line > newest.line) abort();
  char day[TN_DAY_TEXT];
  int64_t again;
  if (newest.has_date) {
    tn_day_text(newest.day, day);
    if (!tn_day_parse(day, &again) || again != newest.day) abort();
  }
  return 0;
}
