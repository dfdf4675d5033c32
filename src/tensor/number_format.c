#include "tensor/number_format.h"

#include <math.h>
#include <stdlib.h>

#include "tensor/decimal.h"

// `value` as the nearest number of the type: numpy computes in the array's own precision.
static double in_type(double value, tn_dtype dtype) {
  if (dtype == TN_FLOAT) return (double)(float)value;
  if (dtype != TN_HALF || value == 0 || !isfinite(value)) return value;
  int exponent;
  frexp(value, &exponent);
  double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
  double rounded = rint(value / step) * step;
  return fabs(rounded) > 65504 ? copysign(INFINITY, value) : rounded;
}

void tn_float_format_see(tn_float_format* format, double value) {
  if (!isfinite(value)) {
    format->any_odd = true;
    if (isinf(value) && value < 0) format->any_minus_infinity = true;
    return;
  }
  format->any_finite = true;
  double size = fabs(value);
  if (size == 0) return;
  if (format->smallest == 0 || size < format->smallest) format->smallest = size;
  if (size > format->largest) format->largest = size;
}

void tn_float_format_choose(tn_float_format* format) {
  tn_dtype dtype = format->dtype;
  double cutoff = dtype == TN_HALF ? 1e3 : dtype == TN_FLOAT ? 1e6 : 1e8;
  format->scientific = format->largest > 0 &&
                       (format->largest >= cutoff || format->smallest < in_type(1e-4, dtype) ||
                        in_type(format->largest / format->smallest, dtype) > 1000);
}

static int larger(int a, int b) { return a > b ? a : b; }

static bool has_sign(const tn_float_format* format, double value) {
  return signbit(value) || format->always_signed;
}

static int exponent_width(int exponent) { return abs(exponent) > 99 ? 3 : 2; }

// Digits for the first measuring: no more than needed, no more than the precision.
static tn_decimal digits_for(const tn_float_format* format, double size) {
  if (!format->scientific) return tn_decimal_fixed(size, format->dtype, format->precision);
  tn_decimal decimal = tn_decimal_shortest(size, format->dtype);
  if (decimal.count - 1 <= format->precision) return decimal;
  decimal = tn_decimal_rounded(size, format->dtype, format->precision + 1);
  while (decimal.count > 1 && decimal.digits[decimal.count - 1] == '0') --decimal.count;
  return decimal;
}

void tn_float_format_measure(tn_float_format* format, double value) {
  if (!isfinite(value)) return;
  tn_decimal decimal = digits_for(format, fabs(value));
  int behind = decimal.count - 1, before = 1;
  if (format->scientific) {
    format->exponent_digits = larger(format->exponent_digits, exponent_width(decimal.exponent));
  } else {
    behind -= decimal.exponent;
    before = decimal.exponent < 0 ? 1 : decimal.exponent + 1;
  }
  format->left = larger(format->left, before + has_sign(format, value));
  format->right = larger(format->right, behind);
}

void tn_float_format_finish(tn_float_format* format) {
  // From here on `right` is what stands after the point, the exponent included; in scientific form
  // every number has the digits of the longest.
  if (format->any_finite && format->scientific) {
    format->precision = format->right;
    format->right += 2 + format->exponent_digits;
  }
  if (format->any_odd) {
    int sign = format->always_signed || format->any_minus_infinity;
    format->left = larger(format->left, 3 + sign - (format->right + 1));
  }
}

static void put_spaces(tn_text* out, int count) {
  for (; count > 0; --count) tn_text_putc(out, ' ');
}

// Digits with the point in its place; none behind it when there are no more.
static int put_positional(const tn_decimal* decimal, tn_text* out) {
  int whole = decimal->exponent + 1, at = 0;
  if (whole <= 0) tn_text_putc(out, '0');
  for (; at < whole; ++at) tn_text_putc(out, at < decimal->count ? decimal->digits[at] : '0');
  tn_text_putc(out, '.');
  bool is_zero = decimal->count == 1 && decimal->digits[0] == '0';
  if (is_zero) return 0;
  for (int i = whole; i < 0; ++i) tn_text_putc(out, '0');
  if (at < decimal->count) tn_text_append(out, decimal->digits + at, (size_t)(decimal->count - at));
  return larger(decimal->count - whole, 0);
}

int tn_float_format_put(const tn_float_format* format, double value, tn_text* out) {
  if (!isfinite(value)) {
    const char* text = isnan(value) ? "nan" : "inf";
    const char* sign = !isnan(value) && value < 0 ? "-" : format->always_signed ? "+" : "";
    put_spaces(out, format->left + format->right + 1 - 3 - (int)strlen(sign));
    tn_text_puts(out, sign);
    tn_text_puts(out, text);
    return 0;
  }
  double size = fabs(value);
  tn_decimal decimal = format->scientific
                           ? tn_decimal_rounded(size, format->dtype, format->precision + 1)
                           : tn_decimal_fixed(size, format->dtype, format->precision);
  int before = format->scientific || decimal.exponent < 0 ? 1 : decimal.exponent + 1;
  put_spaces(out, format->left - before - has_sign(format, value));
  if (has_sign(format, value)) tn_text_putc(out, signbit(value) ? '-' : '+');
  if (!format->scientific) return format->right - put_positional(&decimal, out);
  tn_text_putc(out, decimal.digits[0]);
  tn_text_putc(out, '.');
  tn_text_append(out, decimal.digits + 1, (size_t)decimal.count - 1);
  tn_text_printf(out, "e%c%0*d", decimal.exponent < 0 ? '-' : '+', format->exponent_digits,
                 abs(decimal.exponent));
  return 0;
}

void tn_float_put_scalar(double value, tn_dtype dtype, bool whole_point, tn_text* out) {
  if (isnan(value)) {
    tn_text_puts(out, "nan");
    return;
  }
  if (signbit(value)) tn_text_putc(out, '-');
  double size = fabs(value);
  if (isinf(value)) {
    tn_text_puts(out, "inf");
    return;
  }
  tn_decimal decimal = tn_decimal_shortest(size, dtype);
  double cutoff = dtype == TN_HALF ? 1e3 : dtype == TN_FLOAT ? 1e6 : 1e16;
  if (size == 0 || (size >= 1e-4 && size < cutoff)) {
    int behind = put_positional(&decimal, out);
    if (behind > 0) return;
    if (whole_point)
      tn_text_putc(out, '0');
    else if (!out->failed)
      out->data[--out->size] = 0;  // the point
    return;
  }
  tn_text_putc(out, decimal.digits[0]);
  if (decimal.count > 1) tn_text_putc(out, '.');
  tn_text_append(out, decimal.digits + 1, (size_t)decimal.count - 1);
  tn_text_printf(out, "e%c%02d", decimal.exponent < 0 ? '-' : '+', abs(decimal.exponent));
}
