// Arithmetic on dimensions of which some are unknown (-1).

#include <inttypes.h>

#include "op/shape_inference.h"

static bool is_unknown(int64_t dim) { return dim < 0; }

bool tn_infer_merge_dim(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  if (is_unknown(a) || is_unknown(b) || a == b) {
    *out_dim = is_unknown(a) ? b : a;
    return true;
  }
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "Dimensions must be equal, but are %" PRId64 " and %" PRId64, a, b);
  return false;
}

bool tn_infer_with_value(int64_t dim, int64_t value, int64_t* out_dim, tn_status* status) {
  *out_dim = value;
  if (is_unknown(dim) || dim == value) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "Dimension must be %" PRId64 " but is %" PRId64, value,
                dim);
  return false;
}

bool tn_infer_add(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = -1;
  if (is_unknown(a) || is_unknown(b) || !__builtin_add_overflow(a, b, out_dim)) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "Dimension size overflow from adding %" PRId64 " and %" PRId64, a, b);
  return false;
}

bool tn_infer_subtract(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = -1;
  if (is_unknown(a) || is_unknown(b)) return true;
  *out_dim = a - b;
  if (a >= b) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "Negative dimension size caused by subtracting %" PRId64 " from %" PRId64, b, a);
  return false;
}

bool tn_infer_multiply(int64_t a, int64_t b, int64_t* out_dim, tn_status* status) {
  *out_dim = a == 0 || b == 0 ? 0 : -1;
  if (*out_dim == 0 || is_unknown(a) || is_unknown(b) || !__builtin_mul_overflow(a, b, out_dim))
    return true;
  tn_status_set(
      status, TN_INVALID_ARGUMENT,
      "Negative dimension size caused by overflow when multiplying %" PRId64 " and %" PRId64, a, b);
  return false;
}

bool tn_infer_divide(int64_t a, int64_t divisor, bool evenly, int64_t* out_dim, tn_status* status) {
  *out_dim = divisor == 1 ? a : -1;
  if (divisor == 1 || divisor == -1 || is_unknown(a)) return true;
  if (divisor <= 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Divisor must be positive but is %" PRId64, divisor);
    return false;
  }
  if (evenly && a % divisor != 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Dimension size must be evenly divisible by %" PRId64 " but is %" PRId64, divisor,
                  a);
    return false;
  }
  *out_dim = a / divisor;
  return true;
}

int64_t tn_infer_min(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  return is_unknown(a) || is_unknown(b) ? -1 : a < b ? a : b;
}

int64_t tn_infer_max(int64_t a, int64_t b) {
  return is_unknown(a) || is_unknown(b) ? -1 : a > b ? a : b;
}
