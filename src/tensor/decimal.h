// Floating-point numbers as decimal digits, by numpy's rules and in any locale.
#ifndef TENON_TENSOR_DECIMAL_H_
#define TENON_TENSOR_DECIMAL_H_

#include "tensor/dtype.h"

// d.ddd * 10^exponent, without zeros at the end (but for zero itself).
typedef struct tn_decimal {
  int count;
  int exponent;
  char digits[48];
} tn_decimal;

// The fewest digits that name `value` (finite, not negative) among the numbers of `dtype`: TN_HALF,
// TN_FLOAT or TN_DOUBLE.
tn_decimal tn_decimal_shortest(double value, tn_dtype dtype);
// `count` digits; the same as the shortest when that has as many. At most 40.
tn_decimal tn_decimal_rounded(double value, tn_dtype dtype, int count);
// The shortest, or rounded after `places` places behind the point when it has more. For values
// below 1e17; at most 20 places.
tn_decimal tn_decimal_fixed(double value, tn_dtype dtype, int places);

#endif  // TENON_TENSOR_DECIMAL_H_
