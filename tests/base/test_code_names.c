#include "harness.h"

TEST(test_every_code_has_its_canonical_name) {
  static const char* const names[] = {
      "OK",
      "CANCELLED",
      "UNKNOWN",
      "INVALID_ARGUMENT",
      "DEADLINE_EXCEEDED",
      "NOT_FOUND",
      "ALREADY_EXISTS",
      "PERMISSION_DENIED",
      "RESOURCE_EXHAUSTED",
      "FAILED_PRECONDITION",
      "ABORTED",
      "OUT_OF_RANGE",
      "UNIMPLEMENTED",
      "INTERNAL",
      "UNAVAILABLE",
      "DATA_LOSS",
      "UNAUTHENTICATED",
  };
  for (int code = TN_OK; code <= TN_UNAUTHENTICATED; ++code)
    CHECK_TEXT(tn_code_name((tn_code)code), names[code]);
}

TEST(test_a_number_that_is_no_code_is_named_unknown) {
  CHECK_TEXT(tn_code_name((tn_code)-1), "UNKNOWN");
  CHECK_TEXT(tn_code_name((tn_code)17), "UNKNOWN");
}
