// Which cases there are, and choosing among them by name.
#ifndef TENON_CHECK_SELECT_H_
#define TENON_CHECK_SELECT_H_

#include "base/text.h"
#include "check/case.h"

enum { TN_CASE_NAME_MOST = 96 };  // bytes of a full name, with its zero

// "pjrt.buffers.rank_zero"
const char* tn_case_full_name(tn_face face, const tn_check_case* item, char out[TN_CASE_NAME_MOST]);
// The case of a full name; NULL when there is none.
const tn_check_case* tn_check_find(const char* full_name);
// True when a shell's pattern ("pjrt.buffers.*", "*stride*") fits a full name.
bool tn_case_fits(const char* pattern, const char* full_name);
// True when it fits any case.
bool tn_case_pattern_fits_any(const char* pattern);

// A list of cases with a reason each, read from a file: a pattern, blanks, why. '#' begins a line
// of comment.
typedef struct tn_exception {
  char* pattern;
  char* reason;
  int line;
} tn_exception;
typedef struct tn_exceptions {
  char* file;
  tn_exception* entries;
  size_t count, capacity;
} tn_exceptions;

// NULL with the file and line named when one has no reason or fits no case. Owned by the caller.
tn_exceptions* tn_exceptions_read(const char* file, tn_status* status);
void tn_exceptions_destroy(tn_exceptions* list);
// The first entry that fits, or NULL. `list` may be NULL.
const tn_exception* tn_exceptions_find(const tn_exceptions* list, const char* full_name);

#endif  // TENON_CHECK_SELECT_H_
