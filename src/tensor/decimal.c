#include "tensor/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void drop_end_zeros(tn_decimal* decimal) {
  while (decimal->count > 1 && decimal->digits[decimal->count - 1] == '0') --decimal->count;
}

// `count` correctly rounded digits, zeros at the end kept.
static tn_decimal digits_of(double value, int count) {
  char printed[64];
  tn_decimal result = {0};
  snprintf(printed, sizeof printed, "%.*e", count - 1, value);
  const char* c = printed;
  // The decimal point of the program's locale is passed over.
  for (; *c && *c != 'e'; ++c)
    if (*c >= '0' && *c <= '9') result.digits[result.count++] = *c;
  result.exponent = *c ? atoi(c + 1) : 0;
  return result;
}

// Whether a decimal is read back as `value`. Written without a point, so that any locale reads it.
static bool reads_as(const tn_decimal* decimal, double value, tn_dtype dtype) {
  char text[80];
  snprintf(text, sizeof text, "%.*se%d", decimal->count, decimal->digits,
           decimal->exponent - decimal->count + 1);
  if (dtype == TN_FLOAT) return strtof(text, NULL) == (float)value;
  double read = strtod(text, NULL);
  if (dtype == TN_DOUBLE || value == 0) return read == value;
  // Half: read lies nearer to value than to its neighbours; at the middle the even one wins.
  int exponent;
  double fraction = frexp(value, &exponent);
  double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11);
  double below = value - step / (fraction == 0.5 && exponent > -13 ? 4 : 2);
  double above = value + step / 2;
  bool even = fmod(value / step, 2) == 0;
  return even ? read >= below && read <= above : read > below && read < above;
}

static void count_up(tn_decimal* decimal) {
  int i = decimal->count - 1;
  while (i >= 0 && decimal->digits[i] == '9') decimal->digits[i--] = '0';
  if (i >= 0) {
    ++decimal->digits[i];
  } else {
    decimal->digits[0] = '1';
    ++decimal->exponent;
  }
}

// `count` digits that are read back as `value`, if there are such. At a power of two the next
// number below is nearer than the one above, so the digits next above may do where the nearest do
// not.
static bool unique_digits(double value, tn_dtype dtype, int count, tn_decimal* out) {
  *out = digits_of(value, count);
  if (reads_as(out, value, dtype)) return true;
  int exponent;
  if (frexp(value, &exponent) != 0.5) return false;
  tn_decimal above = *out;
  count_up(&above);
  if (!reads_as(&above, value, dtype)) return false;
  *out = above;
  return true;
}

tn_decimal tn_decimal_shortest(double value, tn_dtype dtype) {
  int most = dtype == TN_HALF ? 5 : dtype == TN_FLOAT ? 9 : 17;
  tn_decimal result;
  for (int count = 1; count <= most; ++count)
    if (unique_digits(value, dtype, count, &result)) break;
  drop_end_zeros(&result);
  return result;
}

tn_decimal tn_decimal_rounded(double value, tn_dtype dtype, int count) {
  tn_decimal result;
  unique_digits(value, dtype, count, &result);
  return result;
}

tn_decimal tn_decimal_fixed(double value, tn_dtype dtype, int places) {
  tn_decimal result = tn_decimal_shortest(value, dtype);
  if (result.count - 1 - result.exponent <= places) return result;
  char printed[64];
  snprintf(printed, sizeof printed, "%.*f", places, value);
  result = (tn_decimal){0};
  bool leading = true;
  for (const char* c = printed; *c; ++c) {
    if (*c < '0' || *c > '9') continue;
    leading = leading && *c == '0';
    if (!leading) result.digits[result.count++] = *c;
  }
  if (result.count == 0)
    result.digits[result.count++] = '0';
  else
    result.exponent = result.count - 1 - places;
  drop_end_zeros(&result);
  return result;
}
