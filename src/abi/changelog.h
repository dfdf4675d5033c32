// The changelog of an interface: entries that begin with a number and carry a date.
#ifndef TENON_ABI_CHANGELOG_H_
#define TENON_ABI_CHANGELOG_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/view.h"

typedef struct tn_changelog_entry {
  int64_t major, minor, patch;  // patch -1: the entry has none
  size_t line;                  // counted from 1
  bool has_date;  // the line also names a day: "2024-11-14", "Nov 14, 2024", "14 November 2024"
  int64_t day;    // since 1970-01-01, when it has one
} tn_changelog_entry;

// Finds the entry of a number, the patch -1 for any. An entry is a line whose first word, behind
// marks of headings, lists and brackets, is a number of two or three parts ("## 0.55 (Oct 2,
// 2024)",
// "- 0.55: 2024-10-02", "## [0.55.0] - 2024-10-02"); an entry of two stands for every patch.
bool tn_changelog_find(tn_view text, int64_t major, int64_t minor, int64_t patch,
                       tn_changelog_entry* out);
// The entry with the highest number; false when there is none at all.
bool tn_changelog_newest(tn_view text, tn_changelog_entry* out);

#endif  // TENON_ABI_CHANGELOG_H_
