// How the numbers of one tensor are printed so that they line up: chosen after a look at all of
// them.
#ifndef TENON_TENSOR_NUMBER_FORMAT_H_
#define TENON_TENSOR_NUMBER_FORMAT_H_

#include "base/text.h"
#include "tensor/element.h"

// Offer every number that will be printed, decide, then put. Begin with the type and the precision.
typedef struct tn_float_format {
  tn_dtype dtype;  // TN_HALF, TN_FLOAT or TN_DOUBLE
  int precision;
  bool always_signed;  // "+1", for the imaginary part
  // Found while looking:
  double smallest, largest;  // magnitudes of the finite ones but zero
  bool any_finite, any_odd, any_minus_infinity;
  // Decided:
  bool scientific;
  int left, right;  // characters before and after the point
  int exponent_digits;
} tn_float_format;

// First round: the range decides between 0.5 and 5.e-01.
void tn_float_format_see(tn_float_format* format, double value);
void tn_float_format_choose(tn_float_format* format);
// Second round: the widths.
void tn_float_format_measure(tn_float_format* format, double value);
void tn_float_format_finish(tn_float_format* format);
// Returns the number of spaces after the number that fill it up to the right; they are not yet put.
int tn_float_format_put(const tn_float_format* format, double value, tn_text* out);

// A number on its own, with all its digits: "0.1", "1e+16", and with `whole_point` "3.0".
void tn_float_put_scalar(double value, tn_dtype dtype, bool whole_point, tn_text* out);

#endif  // TENON_TENSOR_NUMBER_FORMAT_H_
