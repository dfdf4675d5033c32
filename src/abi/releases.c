#include "abi/releases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/pjrt_history.h"
#include "abi/table.h"

// The row of beyond.tsv that introduces a number.
static bool find_beyond(int minor, size_t* out_row) {
  const tn_abi_table* beyond = tn_abi_table_get("pjrt/beyond");
  const int numbers = tn_abi_column(beyond, "number"), kinds = tn_abi_column(beyond, "kind");
  char number[24];
  snprintf(number, sizeof number, "0.%d", minor);
  for (size_t i = tn_abi_find(beyond, numbers, number, 0); i < beyond->rows;
       i = tn_abi_find(beyond, numbers, number, i + 1))
    if (strcmp(tn_abi_cell(beyond, i, kinds), "number") == 0) {
      *out_row = i;
      return true;
    }
  return false;
}

int tn_abi_pjrt_newest_dated(void) {
  int minor = tn_abi_pjrt_newest();
  for (size_t row; find_beyond(minor + 1, &row);) ++minor;
  return minor;
}

bool tn_abi_pjrt_day(int minor, int64_t* out_day, bool* out_observed) {
  const tn_abi_table* versions = tn_abi_table_get("pjrt/versions");
  const tn_abi_table* beyond = tn_abi_table_get("pjrt/beyond");
  char number[24];
  snprintf(number, sizeof number, "%d", minor);
  size_t row = tn_abi_find(versions, tn_abi_column(versions, "minor"), number, 0);
  *out_observed = row == versions->rows;
  if (!*out_observed)
    return tn_day_parse(tn_abi_cell(versions, row, tn_abi_column(versions, "first_date")), out_day);
  return find_beyond(minor, &row) &&
         tn_day_parse(tn_abi_cell(beyond, row, tn_abi_column(beyond, "seen_first")), out_day);
}

int tn_abi_pjrt_next(int minor) {
  int64_t began;
  bool observed;
  for (int next = minor + 1; next <= tn_abi_pjrt_newest_dated(); ++next)
    if (tn_abi_pjrt_day(next, &began, &observed)) return next;
  return -1;
}

int tn_abi_pjrt_number_on(int64_t day) {
  int minor = 0;
  int64_t began;
  bool observed;
  for (int next; (next = tn_abi_pjrt_next(minor)) > 0; minor = next)
    if (!tn_abi_pjrt_day(next, &began, &observed) || began > day) break;
  return minor;
}

static const tn_abi_table* jaxlibs(void) { return tn_abi_table_get("pjrt/jaxlib_releases"); }
static const tn_abi_table* tensorflows(void) { return tn_abi_table_get("pjrt/tf_pjrt"); }

size_t tn_abi_release_count(void) { return jaxlibs()->rows + tensorflows()->rows; }

static int read_minor(const tn_abi_table* table, size_t row) {
  const char* minor = tn_abi_cell(table, row, tn_abi_column(table, "pjrt_minor"));
  return strcmp(minor, "none") == 0 ? 0 : *minor ? atoi(minor) : -1;
}

tn_abi_release tn_abi_release_at(size_t index) {
  const bool is_jaxlib = index < jaxlibs()->rows;
  const tn_abi_table* table = is_jaxlib ? jaxlibs() : tensorflows();
  const size_t row = is_jaxlib ? index : index - jaxlibs()->rows;
  const char* days[] = {"release_date", "tag_date", "wheel_date"};
  tn_abi_release release = {.framework = is_jaxlib ? "jaxlib" : "tensorflow",
                            .version = tn_abi_cell(table, row, 0),
                            .minor = read_minor(table, row)};
  release.api_size = (int)tn_abi_int(table, row, tn_abi_column(table, "pjrt_api_sizeof"), 0);
  for (size_t i = 0; i < 3; ++i)
    if (tn_day_parse(tn_abi_cell(table, row, tn_abi_column(table, days[i])), &release.day)) break;
  release.stablehlo_current = tn_abi_cell(table, row, tn_abi_column(table, "stablehlo_current"));
  release.stablehlo_minimum = tn_abi_cell(table, row, tn_abi_column(table, "stablehlo_minimum"));
  return release;
}

int tn_abi_version_compare(const char* a, const char* b) {
  while (*a || *b) {
    char *a_end, *b_end;
    const long a_part = strtol(a, &a_end, 10), b_part = strtol(b, &b_end, 10);
    if (a_part != b_part) return a_part < b_part ? -1 : 1;
    // What is no number ("post1") is compared as text.
    if (a_end == a && b_end == b) return strcmp(a, b);
    a = a_end + (*a_end == '.');
    b = b_end + (*b_end == '.');
  }
  return 0;
}

// True when `version` is `wanted` or continues it: "0.6.2" for "0.6".
static bool begins_with(const char* version, const char* wanted) {
  const size_t length = strlen(wanted);
  return strncmp(version, wanted, length) == 0 &&
         (version[length] == '\0' || version[length] == '.');
}

bool tn_abi_release_find(const char* name, tn_abi_release* out, tn_status* status) {
  const char* equals = strstr(name, "==");
  const size_t length = equals ? (size_t)(equals - name) : 0;
  bool known = false, found = false;
  const char *oldest = "", *newest = "";
  for (size_t i = 0; i < tn_abi_release_count(); ++i) {
    const tn_abi_release release = tn_abi_release_at(i);
    if (strlen(release.framework) != length || strncmp(release.framework, name, length) != 0)
      continue;
    if (!known) oldest = release.version;
    known = true;
    newest = release.version;
    if (begins_with(release.version, equals + 2) &&
        (!found || tn_abi_version_compare(release.version, out->version) > 0)) {
      *out = release;
      found = true;
    }
  }
  if (found) return true;
  if (known) {
    tn_status_set(status, TN_NOT_FOUND, "no release %s is in the tables, which have %s to %s", name,
                  oldest, newest);
  } else {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "'%s' names no framework; write jaxlib==VERSION or tensorflow==VERSION", name);
  }
  return false;
}
