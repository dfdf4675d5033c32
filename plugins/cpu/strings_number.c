// StringToNumber and AsString. Numbers are written as in the C locale, whatever the process has.

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/number.h"
#include "strings.h"

static locale_t c_locale;
static void make_c_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

// This thread's locale becomes C; returns what it was. Without memory for one, it stays.
static locale_t enter_c_locale(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_c_locale);
  return uselocale(c_locale);
}

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

// Whatever C reads as a number. `text` has a zero behind it.
static bool parse_float(tn_dtype dtype, const char* text, size_t size, void* out) {
  char* end;
  if (dtype == TN_FLOAT) {
    *(float*)out = strtof(text, &end);
  } else {
    *(double*)out = strtod(text, &end);
  }
  return size > 0 && end == text + size;
}

static bool parse(run* run, tn_dtype dtype, chars text, char** buffer, void* out) {
  uint64_t value = 0;
  bool good;
  text = strip_spaces(text);
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
    case TN_UINT64: return parse_integer(text, false, 0, UINT64_MAX, out);
    default: break;
  }
  // Most numbers are short; the longest string decides about the rest.
  char small[64];
  char* copy = text.size < sizeof small ? small : realloc(*buffer, text.size + 1);
  if (!copy) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a number of %zu digits", text.size);
    return true;
  }
  if (copy != small) *buffer = copy;
  memcpy(copy, text.data ? text.data : "", text.size);
  copy[text.size] = '\0';
  return parse_float(dtype, copy, text.size, out);
}

static void to_number(void* state, TF_OpKernelContext* context) {
  run run;
  array in, out;
  run_begin(&run, context, "StringToNumber");
  if (run_input(&run, 0, &in) && run_output(&run, 0, in.rank, in.dims, &out)) {
    const size_t size = tn_cpu_size(out.dtype);
    const locale_t before = enter_c_locale();
    char* buffer = NULL;
    for (int64_t i = 0; run_ok(&run) && i < in.count; ++i) {
      const chars text = element(&in, i);
      if (!parse(&run, out.dtype, text, &buffer, (char*)out.data + (size_t)i * size))
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "string_tensor[%lld] is \"%.*s\", which is no number of the type asked for",
                 (long long)i, (int)(text.size < 64 ? text.size : 64), text.data);
    }
    free(buffer);
    uselocale(before);
  }
  run_end(&run);
}

enum { FORMAT_SIZE = 80 };

typedef struct format_state {
  int64_t width, precision;  // of strings; -1 for any
  bool left;
  char format[FORMAT_SIZE];  // of numbers, for the largest type of their kind
} format_state;

#define UNSIGNED \
  (TN_CPU_TYPE(TN_UINT8) | TN_CPU_TYPE(TN_UINT16) | TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64))

// "%-8.3f", say; complex numbers have two in brackets.
static void make_format(tn_dtype dtype, const char* fill, int64_t width, int64_t precision,
                        const char* style, char out[FORMAT_SIZE]) {
  const tn_cpu_types type = TN_CPU_TYPE(dtype);
  char one[FORMAT_SIZE / 2], digits[16] = "", places[16] = "";
  if (width > -1) snprintf(digits, sizeof digits, "%d", (int)width);
  if (precision > -1) snprintf(places, sizeof places, ".%d", (int)precision);
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
  const int64_t precision = attr_int(&attrs, "precision"), width = attr_int(&attrs, "width");
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
  if (scientific && shortest)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "scientific and shortest exclude each other");
  format_state state = {.width = width, .precision = precision, .left = fill && fill[0] == '-'};
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

static bool put_number(run* run, const char* format, const array* in, int64_t i, TF_TString* to) {
  char small[128];
  const int length = print(format, in, i, small, sizeof small);
  const size_t size = (size_t)length;
  if (length >= 0 && size < sizeof small) return set_string(run, to, (chars){small, size});
  char* large = length < 0 ? NULL : malloc(size + 1);
  if (!large) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a number as wide as asked for");
    return false;
  }
  print(format, in, i, large, size + 1);
  const bool done = set_string(run, to, (chars){large, size});
  free(large);
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

static void as_string(void* held, TF_OpKernelContext* context) {
  run run;
  array in, out;
  const format_state* state = held;
  run_begin(&run, context, "AsString");
  if (run_input(&run, 0, &in) && run_output(&run, 0, in.rank, in.dims, &out)) {
    TF_TString* to = out.data;
    const locale_t before = enter_c_locale();
    for (int64_t i = 0; run_ok(&run) && i < in.count; ++i)
      in.dtype == TN_STRING ? put_padded(&run, state, element(&in, i), &to[i])
                            : put_number(&run, state->format, &in, i, &to[i]);
    uselocale(before);
  }
  run_end(&run);
}

void register_string_numbers(void) {
  const tn_cpu_types parsed = TN_CPU_TYPE(TN_FLOAT) | TN_CPU_TYPE(TN_DOUBLE) |
                              TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64) |
                              TN_CPU_TYPE(TN_UINT32) | TN_CPU_TYPE(TN_UINT64);
  const kernel kernels[] = {
      {.op = "StringToNumber", .compute = to_number, .constraints = {{"out_type", parsed}}},
      {.op = "AsString",
       .create = as_string_create,
       .compute = as_string,
       .destroy = free,
       .constraints = {{"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING)}}},
  };
  register_kernels(kernels, 2);
}
