// Which PJRT number began when, and which release of a framework carries which.
#ifndef TENON_ABI_RELEASES_H_
#define TENON_ABI_RELEASES_H_

#include <stddef.h>

#include "abi/day.h"
#include "tenon/status.h"

// The newest number with a date: beyond those whose layout is known, from what was seen since.
int tn_abi_pjrt_newest_dated(void);

// The day on which 0.`minor` began; `out_observed` tells that it is the day on which it was first
// seen in something published. False when the tables have no date for it.
bool tn_abi_pjrt_day(int minor, int64_t* out_day, bool* out_observed);

// The next number after 0.`minor` that has a date; -1 when there is none.
int tn_abi_pjrt_next(int minor);

// The number in force on a day: 0 before 0.1 began.
int tn_abi_pjrt_number_on(int64_t day);

// A release of jaxlib or TensorFlow. Texts are static.
typedef struct tn_abi_release {
  const char *framework, *version;
  int64_t day;
  int minor;     // of its PJRT number; 0 when it carries a header without a number, -1 for none
  int api_size;  // bytes of PJRT_Api in it; 0 when not known
  const char *stablehlo_current, *stablehlo_minimum;  // "1.13.0"; "" when not known
} tn_abi_release;

// All that the tables know, oldest first: jaxlib's, then TensorFlow's.
size_t tn_abi_release_count(void);
tn_abi_release tn_abi_release_at(size_t index);

// Finds "jaxlib==0.6.2" or "tensorflow==2.21"; a version with fewer parts means the newest release
// that begins with it. NOT_FOUND, with what is known, otherwise.
bool tn_abi_release_find(const char* name, tn_abi_release* out, tn_status* status);

// Compares "0.10.2" and "0.9": less than, equal to or greater than 0, part by part as numbers.
int tn_abi_version_compare(const char* a, const char* b);

#endif  // TENON_ABI_RELEASES_H_
