// When a result is what TensorFlow has, or close enough. The rules are those of cases/compare.py.

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answers.h"
#include "cpu/number.h"

// A type whose errors are measured in ulp.
typedef struct precision {
  long double eps, normal, largest;  // infinity counts as `largest`, the next after the last number
  int parts;
} precision;

static precision precision_of(tn_dtype dtype) {
  switch (dtype) {
    case TN_FLOAT: return (precision){0x1p-23L, 0x1p-126L, 0x1p128L, 1};
    case TN_DOUBLE: return (precision){0x1p-52L, 0x1p-1022L, 0x1p1024L, 1};
    case TN_HALF: return (precision){0x1p-10L, 0x1p-14L, 0x1p16L, 1};
    case TN_BFLOAT16: return (precision){0x1p-7L, 0x1p-126L, 0x1p128L, 1};
    case TN_COMPLEX64: return (precision){0x1p-23L, 0x1p-126L, 0x1p128L, 2};
    case TN_COMPLEX128: return (precision){0x1p-52L, 0x1p-1022L, 0x1p1024L, 2};
    default: return (precision){0};
  }
}

static long double part_at(tn_dtype dtype, const uint8_t* data, size_t i) {
  if (dtype == TN_DOUBLE || dtype == TN_COMPLEX128) {
    double value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    return value;
  }
  if (dtype == TN_FLOAT || dtype == TN_COMPLEX64) {
    float value;
    memcpy(&value, data + i * sizeof value, sizeof value);
    return value;
  }
  uint16_t bits;
  memcpy(&bits, data + i * sizeof bits, sizeof bits);
  return dtype == TN_HALF ? float_from_half(bits) : float_from_bfloat16(bits);
}

static long double bounded(long double value, const precision* type) {
  return isinf(value) ? copysignl(type->largest, value) : value;
}

// How many ulp element `i` of `found` is off; infinity where only one of them is NaN.
static long double distance(tn_dtype dtype, const precision* type, const uint8_t* found,
                            const uint8_t* exact, double scale, size_t i) {
  long double far = 0, size = 0;
  for (size_t part = i * (size_t)type->parts; part < (i + 1) * (size_t)type->parts; ++part) {
    long double a = part_at(dtype, found, part), b = part_at(dtype, exact, part);
    if (a == b || (isnan(a) && isnan(b))) a = b = isnan(b) ? 0 : b;
    if (isnan(a) || isnan(b)) return INFINITY;
    a = bounded(a, type);
    b = bounded(b, type);
    far = hypotl(far, a - b);
    size = hypotl(size, b);
  }
  size = fmaxl(size, scale);
  if (!(size >= type->normal)) size = type->normal;
  if (size > type->largest / 2) size = type->largest / 2;
  return far / ldexpl(type->eps, ilogbl(size));
}

static bool is_nan8(tn_dtype dtype, uint8_t bits) {
  switch (dtype) {
    case TN_FLOAT8_E5M2: return (bits & 0x7f) > 0x7c;
    case TN_FLOAT8_E4M3FN: return (bits & 0x7f) == 0x7f;
    default: return false;  // there is one NaN, or none
  }
}

static bool is_small(tn_dtype dtype, const precision* type, const uint8_t* data, size_t i,
                     long double limit) {
  long double size = 0;
  for (size_t part = i * (size_t)type->parts; part < (i + 1) * (size_t)type->parts; ++part)
    size = hypotl(size, part_at(dtype, data, part));
  return size <= limit;
}

static bool check_strings(const answer_array* expected, const tn_tensor* found, size_t output,
                          char* text, size_t text_size) {
  reader strings = {expected->elements, expected->elements + expected->bytes, false};
  for (size_t i = 0; i < expected->count; ++i) {
    size_t size, found_size;
    const char* wanted = read_text(&strings, &size);
    const char* is = tn_tensor_string(found, (int64_t)i, &found_size);
    if (size == found_size && memcmp(wanted, is, size) == 0) continue;
    snprintf(text, text_size, "output %zu, string %zu is \"%.*s\", TensorFlow's \"%.*s\"", output,
             i, (int)found_size, is, (int)size, wanted);
    return false;
  }
  return true;
}

static bool check_shape(const answer_array* expected, const tn_tensor* found, size_t output,
                        char* text, size_t text_size) {
  bool same = tn_tensor_dtype(found) == expected->dtype && tn_tensor_rank(found) == expected->rank;
  for (int i = 0; same && i < expected->rank; ++i)
    same = tn_tensor_dim(found, i) == expected->dims[i];
  if (!same)
    snprintf(text, text_size, "output %zu is of another type or shape than TensorFlow's", output);
  return same;
}

bool check_answer(reader* in, const tn_tensor* found, size_t output, double bar, char* text,
                  size_t text_size) {
  answer_array expected;
  if (!read_array(in, &expected)) return false;
  uint8_t flags = read_byte(in);
  const uint8_t* exact = flags & 1 ? read_bytes(in, expected.bytes) : NULL;
  const uint8_t* scales = flags & 2 ? read_bytes(in, expected.count * sizeof(double)) : NULL;
  if (in->bad || !check_shape(&expected, found, output, text, text_size)) return false;
  if (expected.dtype == TN_STRING) return check_strings(&expected, found, output, text, text_size);

  const uint8_t *is = tn_tensor_data(found), *wanted = expected.elements;
  const precision type = precision_of(expected.dtype);
  const size_t size = tn_dtype_size(expected.dtype);
  for (size_t i = 0; i < expected.count; ++i) {
    if (memcmp(is + i * size, wanted + i * size, size) == 0) continue;
    if (!type.parts) {
      if (size == 1 && is_nan8(expected.dtype, is[i]) && is_nan8(expected.dtype, wanted[i]))
        continue;
      snprintf(text, text_size, "output %zu, element %zu is another one than TensorFlow's", output,
               i);
      return false;
    }
    double scale = 0;
    if (scales) memcpy(&scale, scales + i * sizeof scale, sizeof scale);
    if (distance(expected.dtype, &type, is, wanted, 0, i) == 0) continue;
    if (!exact && is_small(expected.dtype, &type, wanted, i, 0) &&
        is_small(expected.dtype, &type, is, i, type.normal))
      continue;
    // The exact number has been rounded: half a unit may be its.
    long double far = distance(expected.dtype, &type, is, exact ? exact : wanted, scale, i);
    if (far <= (exact ? bar + 0.5 : 4)) continue;
    size_t part = i * (size_t)type.parts;
    snprintf(text, text_size,
             "output %zu, element %zu is %Lg, TensorFlow's %Lg, exact %Lg: %Lg ulp, at most %g",
             output, i, part_at(expected.dtype, is, part), part_at(expected.dtype, wanted, part),
             part_at(expected.dtype, exact ? exact : wanted, part), far, exact ? bar : 4);
    return false;
  }
  return true;
}
