// StringToNumber. Numbers are read as in the C locale, whatever the process has.

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "strings.h"

// An optional sign and decimal digits. Negative numbers for signed types only.
static bool parse_integer(chars text, bool is_signed, int64_t low, uint64_t high, uint64_t* out) {
  const bool negative = text.size && text.data[0] == '-';
  if (text.size && (text.data[0] == '-' || text.data[0] == '+')) ++text.data, --text.size;
  if (text.size == 0 || (negative && !is_signed)) return false;
  const uint64_t most = negative ? -(uint64_t)low : high;
  uint64_t value = 0;
  for (size_t i = 0; i < text.size; ++i) {
    const unsigned digit = (unsigned char)text.data[i] - (unsigned)'0';
    if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, digit, &value) || value > most)
      return false;
  }
  *out = negative ? -value : value;
  return true;
}

// Takes decimal digits from the front of `text`; false when they are more than fit.
static bool take_digits(chars* text, uint64_t* value, int* count) {
  for (*count = 0; text->size; ++text->data, --text->size, ++*count) {
    const unsigned digit = (unsigned char)text->data[0] - (unsigned)'0';
    if (digit > 9) return true;
    if (*value > (UINT64_MAX - 9) / 10) return false;
    *value = *value * 10 + digit;
  }
  return true;
}

// Digits, perhaps a point and an exponent, such that one operation on numbers that a double holds
// exactly gives the right one (Clinger, "How to read floating point numbers accurately", 1990).
// False for all else, right or wrong.
static bool parse_simple(chars text, double* out) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const bool negative = text.size && text.data[0] == '-';
  uint64_t digits = 0, exponent = 0;
  int whole, places = 0, count;
  if (negative) ++text.data, --text.size;
  if (!take_digits(&text, &digits, &whole)) return false;
  if (text.size && text.data[0] == '.') {
    ++text.data, --text.size;
    if (!take_digits(&text, &digits, &places)) return false;
  }
  if (whole + places == 0 || digits > (uint64_t)1 << 53) return false;
  bool below = false;
  if (text.size && (text.data[0] | 0x20) == 'e') {
    ++text.data, --text.size;
    below = text.size && text.data[0] == '-';
    if (text.size && (text.data[0] == '-' || text.data[0] == '+')) ++text.data, --text.size;
    if (!take_digits(&text, &exponent, &count) || count == 0 || exponent > 100) return false;
  }
  const int scale = (below ? -(int)exponent : (int)exponent) - places;
  if (text.size || scale > 22 || scale < -22) return false;
  const double value = scale < 0 ? (double)digits / powers[-scale] : (double)digits * powers[scale];
  *out = negative ? -value : value;
  return true;
}

// A double, rounded to a float, is what the text says, rounded to a float, unless it lies exactly
// between two floats or where these have fewer bits.
static bool rounds_once(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  const double size = value < 0 ? -value : value;
  return value == 0 || ((bits & 0x1fffffff) != 0x10000000 && size > 1e-30 && size < 1e30);
}

static locale_t c_locale;  // C's rules if 0, too: the current locale's, then

// Whatever C reads as a number.
static bool parse_float(run* run, tn_dtype dtype, chars text, void* out) {
  double simple;
  char small[64], *end = NULL;
  if (parse_simple(text, &simple) && (dtype == TN_DOUBLE || rounds_once(simple))) {
    if (dtype == TN_FLOAT) {
      *(float*)out = (float)simple;
    } else {
      *(double*)out = simple;
    }
    return true;
  }
  char* copy = text.size < sizeof small ? small : malloc(text.size + 1);
  if (!copy) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a number of %zu digits", text.size);
    return false;
  }
  if (text.size) memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  if (dtype == TN_FLOAT) {
    *(float*)out = c_locale ? strtof_l(copy, &end, c_locale) : strtof(copy, &end);
  } else {
    *(double*)out = c_locale ? strtod_l(copy, &end, c_locale) : strtod(copy, &end);
  }
  const bool good = text.size > 0 && end == copy + text.size;
  if (copy != small) free(copy);
  return good;
}

static bool parse(run* run, tn_dtype dtype, chars text, void* out) {
  uint64_t value = 0;
  bool good;
  switch (dtype) {
    case TN_INT32:
      good = parse_integer(text, true, INT32_MIN, INT32_MAX, &value);
      *(int32_t*)out = (int32_t)value;
      return good;
    case TN_INT64:
      good = parse_integer(text, true, INT64_MIN, INT64_MAX, &value);
      *(int64_t*)out = (int64_t)value;
      return good;
    case TN_UINT32:
      good = parse_integer(text, false, 0, UINT32_MAX, &value);
      *(uint32_t*)out = (uint32_t)value;
      return good;
    case TN_UINT64:
      good = parse_integer(text, false, 0, UINT64_MAX, &value);
      *(uint64_t*)out = value;
      return good;
    default: return parse_float(run, dtype, text, out);
  }
}

static bool parse_one(void* arg, int64_t i) {
  const string_job* job = arg;
  const chars text = element(&job->in, i);
  const size_t size = tn_cpu_size(job->out.dtype);
  if (parse(job->run, job->out.dtype, strip_spaces(text), (char*)job->out.data + (size_t)i * size))
    return true;
  run_fail(job->run, TF_INVALID_ARGUMENT,
           "string_tensor[%lld] is \"%.*s\", which is no number of the type asked for",
           (long long)i, (int)(text.size < 64 ? text.size : 64), text.data);
  return false;
}

static void to_number(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "StringToNumber", 40, parse_one);
}

void register_string_numbers(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const tn_cpu_types parsed = TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE) |
                              TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64) |
                              TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64);
  const kernel kernels[] = {
      {.op = "StringToNumber", .compute = to_number, .constraints = {{"out_type", parsed}}}};
  register_kernels(kernels, 1);
}
