// AsString. Numbers are written as in the C locale, whatever the process has.

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/number.h"
#include "strings.h"

enum { FORMAT_SIZE = 80, SHORT = 48, MOST_PLACES = 9, MOST_PRINTED = 1 << 20 };

typedef struct format_state {
  int32_t width, precision;  // of strings; -1 for any
  bool left, plain;          // strings to the left; numbers without width and signs
  int places;                // of a number that is printed plainly with so many, else -1
  char format[FORMAT_SIZE];  // of numbers, for the largest type of their kind
} format_state;

#define UNSIGNED \
  (TN_CPU_TYPE(TN_UINT8) | TN_CPU_TYPE(TN_UINT16) | TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64))

// "%-8.3f", say; complex numbers have two in brackets.
static void make_format(tn_dtype dtype, const char* fill, int32_t width, int32_t precision,
                        const char* style, char out[FORMAT_SIZE]) {
  const tn_cpu_types type = TN_CPU_TYPE(dtype);
  char one[FORMAT_SIZE / 2], digits[16] = "", places[16] = "";
  if (width > -1) snprintf(digits, sizeof digits, "%d", width);
  if (precision > -1) snprintf(places, sizeof places, ".%d", precision);
  snprintf(one, sizeof one, "%%%.1s%s%s%s", fill, digits, places,
           type & (TN_CPU_FLOATS | TN_CPU_COMPLEXES) ? style
           : type & UNSIGNED                         ? "ju"
                                                     : "jd");
  snprintf(out, FORMAT_SIZE, type & TN_CPU_COMPLEXES ? "(%s,%s)" : "%s", one, one);
}

static void* as_string_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "AsString");
  const tn_dtype dtype = attr_type(&attrs, "T");
  const int32_t precision = attr_int32(&attrs, "precision"), width = attr_int32(&attrs, "width");
  const bool scientific = attr_bool(&attrs, "scientific"), shortest = attr_bool(&attrs, "shortest");
  char* fill = attr_text(&attrs, "fill", NULL);
  if (!((TN_CPU_FLOATS | TN_CPU_COMPLEXES | TN_CPU_TYPE(TN_STRING)) & TN_CPU_TYPE(dtype))) {
    if (scientific || shortest)
      attrs_fail(&attrs, TF_INVALID_ARGUMENT,
                 "scientific and shortest are for floats and complex numbers only");
    if (precision >= 0)
      attrs_fail(&attrs, TF_INVALID_ARGUMENT, "precision is for floats and complex numbers only");
  }
  if (fill && fill[0] && (fill[1] || !strchr(" +-0#", fill[0])))
    attrs_fail(&attrs, TF_INVALID_ARGUMENT,
               "fill is \"%s\", and must be ' ', '+', '-', '0', '#' or nothing", fill);
  // printf takes its time for each place, also for those that it only counts.
  const int32_t most = precision > width ? precision : width;
  if (most > MOST_PRINTED && dtype != TN_STRING)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "a number of %d places is too long; %d can be written",
               most, MOST_PRINTED);
  if (scientific && shortest)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "scientific and shortest exclude each other");
  format_state state = {.width = width, .precision = precision, .left = fill && fill[0] == '-'};
  state.plain = width < 0 && fill && !fill[0];
  state.places = state.plain && !scientific && !shortest && precision <= MOST_PLACES &&
                         (TN_CPU_FLOATS & TN_CPU_TYPE(dtype))
                     ? (precision < 0 ? 6 : precision)
                     : -1;
  if (attrs_ok(&attrs))
    make_format(dtype, fill, width, precision,
                shortest     ? "g"
                : scientific ? "e"
                             : "f",
                state.format);
  free(fill);
  return attrs_end(&attrs, &state, sizeof state);
}

// Formats are made above, of checked parts.
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static int print_integer(const char* format, const array* in, int64_t i, char* out, size_t room) {
#define CASE(x, dtype, kind) \
  case dtype: return snprintf(out, room, format, (kind)((const s_##x*)in->data)[i]);
  switch (in->dtype) {
    CASE(i8, TN_INT8, intmax_t)
    CASE(i16, TN_INT16, intmax_t)
    CASE(i32, TN_INT32, intmax_t)
    CASE(i64, TN_INT64, intmax_t)
    CASE(u8, TN_UINT8, uintmax_t)
    CASE(u16, TN_UINT16, uintmax_t)
    CASE(u32, TN_UINT32, uintmax_t)
    CASE(u64, TN_UINT64, uintmax_t)
    default: return -1;
  }
#undef CASE
}

// Like snprintf, element i.
static int print(const char* format, const array* in, int64_t i, char* out, size_t room) {
  const uint16_t* small = in->data;
  const float* floats = in->data;
  const double* doubles = in->data;
  switch (in->dtype) {
    case TN_BOOL: return snprintf(out, room, "%s", ((const bool*)in->data)[i] ? "true" : "false");
    case TN_HALF: return snprintf(out, room, format, (double)float_from_half(small[i]));
    case TN_BFLOAT16: return snprintf(out, room, format, (double)float_from_bfloat16(small[i]));
    case TN_FLOAT: return snprintf(out, room, format, (double)floats[i]);
    case TN_DOUBLE: return snprintf(out, room, format, doubles[i]);
    case TN_COMPLEX64:
      return snprintf(out, room, format, (double)floats[2 * i], (double)floats[2 * i + 1]);
    case TN_COMPLEX128: return snprintf(out, room, format, doubles[2 * i], doubles[2 * i + 1]);
    default: return print_integer(format, in, i, out, room);
  }
}

// Digits of `value`, at least `least` of them, up to the end of a buffer; returns where they begin.
static char* digits_before(char* end, uint64_t value, int least) {
  for (; value || least > 0; value /= 10, --least) *--end = (char)('0' + value % 10);
  return end;
}

// A fixed number of places, when the number is small enough to be computed in 128 bits: exactly,
// and rounded to even, like printf's.
static size_t print_fixed(double value, int places, char out[SHORT]) {
  static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                    100000, 1000000, 10000000, 100000000, 1000000000};
  int exponent;
  const double mantissa = frexp(fabs(value), &exponent);
  if (!(fabs(value) < 0x1p53)) return 0;
  // The number is scaled / 2^shift.
  const int shift = 53 - exponent;
  const unsigned __int128 scaled =
      (unsigned __int128)(uint64_t)ldexp(mantissa, 53) * powers[places];
  uint64_t whole = 0;
  if (shift < 100) {
    const unsigned __int128 one = (unsigned __int128)1 << shift;
    const unsigned __int128 rest = scaled & (one - 1), half = one / 2;
    const unsigned __int128 quotient = scaled >> shift;
    if (quotient >> 63) return 0;
    whole = (uint64_t)quotient + (rest > half || (rest == half && shift && quotient % 2));
  }
  char buffer[SHORT], *end = buffer + SHORT, *begin = end;
  if (places) {
    begin = digits_before(end, whole % powers[places], places);
    *--begin = '.';
  }
  begin = digits_before(begin, whole / powers[places], 1);
  if (signbit(value)) *--begin = '-';
  memcpy(out, begin, (size_t)(end - begin));
  return (size_t)(end - begin);
}

// The usual formats without printf; 0 when it is not one of them.
static size_t print_short(const format_state* state, const array* in, int64_t i, char out[SHORT]) {
  const uint16_t* small = in->data;
  if (state->places >= 0) {
    switch (in->dtype) {
      case TN_HALF: return print_fixed((double)float_from_half(small[i]), state->places, out);
      case TN_BFLOAT16:
        return print_fixed((double)float_from_bfloat16(small[i]), state->places, out);
      case TN_FLOAT: return print_fixed((double)((const float*)in->data)[i], state->places, out);
      case TN_DOUBLE: return print_fixed(((const double*)in->data)[i], state->places, out);
      default: return 0;
    }
  }
  if (!state->plain || (in->dtype != TN_INT32 && in->dtype != TN_INT64)) return 0;
  const int64_t value = index_at(in, i);
  char buffer[SHORT], *end = buffer + SHORT;
  char* begin = digits_before(end, value < 0 ? -(uint64_t)value : (uint64_t)value, 1);
  if (value < 0) *--begin = '-';
  memcpy(out, begin, (size_t)(end - begin));
  return (size_t)(end - begin);
}

static locale_t c_locale;  // the current one if there was no memory for it

static bool put_number(run* run, const format_state* state, const array* in, int64_t i,
                       TF_TString* to) {
  char small[128];
  size_t size = print_short(state, in, i, small);
  if (size) return set_string(run, to, (chars){small, size});
  const locale_t before = uselocale(c_locale);
  const int length = print(state->format, in, i, small, sizeof small);
  size = (size_t)length;
  char* large = length < (int)sizeof small ? small : malloc(size + 1);
  bool done = false;
  if (length < 0 || !large) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a number as wide as asked for");
  } else {
    if (large != small) print(state->format, in, i, large, size + 1);
    done = set_string(run, to, (chars){large, size});
  }
  if (large != small) free(large);
  uselocale(before);
  return done;
}

static bool put_padded(run* run, const format_state* state, chars text, TF_TString* to) {
  // Strings are cut only where they are padded.
  if (state->width > 0 && state->precision > -1 && state->precision < (int64_t)text.size)
    text.size = (size_t)state->precision;
  if (state->width <= (int64_t)text.size) return set_string(run, to, text);
  const size_t gap = (size_t)state->width - text.size;
  char* out = resize_string(run, to, (size_t)state->width);
  if (!out) return false;
  memset(out + (state->left ? text.size : 0), ' ', gap);
  if (text.size) memcpy(out + (state->left ? 0 : gap), text.data, text.size);
  return true;
}

static bool as_string_one(void* arg, int64_t i) {
  const string_job* job = arg;
  TF_TString* to = (TF_TString*)job->out.data + i;
  return job->in.dtype == TN_STRING ? put_padded(job->run, job->state, element(&job->in, i), to)
                                    : put_number(job->run, job->state, &job->in, i, to);
}

static void as_string(void* state, TF_OpKernelContext* context) {
  map_strings(state, context, "AsString", 80, as_string_one);
}

void register_string_prints(void) {
  c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const kernel kernels[] = {
      {.op = "AsString",
       .create = as_string_create,
       .compute = as_string,
       .destroy = free,
       .constraints = {{"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING)}}},
  };
  register_kernels(kernels, 1);
}
