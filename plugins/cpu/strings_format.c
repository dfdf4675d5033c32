// StringFormat: tensors as text, in the places of a template.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/number.h"
#include "strings.h"

// Text that grows. Without memory for more, it only remembers that.
typedef struct builder {
  char* data;
  size_t size, capacity;
  bool failed;
} builder;

static void add(builder* to, const char* data, size_t size) {
  if (to->capacity - to->size < size && !to->failed) {
    const size_t capacity = 2 * to->capacity + size + 64;
    char* larger = realloc(to->data, capacity);
    to->failed = !larger;
    if (larger) {
      to->data = larger;
      to->capacity = capacity;
    }
  }
  if (to->failed || size == 0) return;
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

static void add_text(builder* to, const char* text) { add(to, text, strlen(text)); }

__attribute__((format(printf, 2, 3))) static void add_printed(builder* to, const char* format,
                                                              ...) {
  char text[64];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  add_text(to, text);
}

// In C's escapes, quoted; bytes beyond ASCII stay.
static void add_quoted(builder* to, chars text) {
  static const char plain[] = "\n\r\t\"'\\", letters[] = "nrt\"'\\";
  add_text(to, "\"");
  for (size_t i = 0; i < text.size; ++i) {
    const unsigned char c = (unsigned char)text.data[i];
    const char* special = c ? strchr(plain, c) : NULL;
    if (special)
      add_printed(to, "\\%c", letters[special - plain]);
    else if (c < 0x20 || c == 0x7f)
      add_printed(to, "\\%03o", c);
    else
      add(to, &text.data[i], 1);
  }
  add_text(to, "\"");
}

// As few digits as give the number back, of two lengths.
static void add_real(builder* to, double value, bool single) {
  char text[64];
  snprintf(text, sizeof text, "%.*g", single ? 6 : 15, value);
  const double again = single ? (double)strtof(text, NULL) : strtod(text, NULL);
  if (again != value && !isnan(value)) snprintf(text, sizeof text, "%.*g", single ? 9 : 17, value);
  add_text(to, isnan(value) ? "nan" : text);
}

// The type whose numbers stand for themselves in `dtype`; others are their own.
static tn_dtype plain_type(tn_dtype dtype) {
  switch (dtype) {
    case TN_QINT8: return TN_INT8;
    case TN_QUINT8: return TN_UINT8;
    case TN_QINT16: return TN_INT16;
    case TN_QUINT16: return TN_UINT16;
    default: return dtype;
  }
}

static bool is_written_out(tn_dtype dtype) {
  const tn_cpu_types types = TN_CPU_REALS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING);
  return plain_type(dtype) < 64 && (types & TN_CPU_TYPE(plain_type(dtype)));
}

static void add_element(builder* to, const array* in, int64_t i) {
  const void* data = in->data;
  switch (plain_type(in->dtype)) {
#define INTEGER(x, dtype, _)                                                                   \
  case dtype:                                                                                  \
    add_printed(to, dtype == TN_UINT64 ? "%llu" : "%lld", (long long)((const s_##x*)data)[i]); \
    return;
    TN_CPU_EACH_INTEGER(INTEGER, )
#undef INTEGER
    case TN_BOOL: add_text(to, ((const bool*)data)[i] ? "1" : "0"); return;
    case TN_HALF: add_real(to, (double)float_from_half(((const uint16_t*)data)[i]), true); return;
    case TN_BFLOAT16:
      add_real(to, (double)float_from_bfloat16(((const uint16_t*)data)[i]), true);
      return;
    case TN_FLOAT: add_real(to, (double)((const float*)data)[i], true); return;
    case TN_DOUBLE: add_real(to, ((const double*)data)[i], false); return;
    case TN_STRING: add_quoted(to, element(in, i)); return;
    default: add_text(to, "?");
  }
}

static void add_gap(builder* to, int dim, int rank) {
  for (int i = dim + 1; i < rank; ++i) add_text(to, "\n");
  for (int i = 0; i < (dim == rank - 1 ? 1 : dim + 1); ++i) add_text(to, " ");
}

// Dimension `dim` and those inside, from element `first` on: `ends` entries at either end.
static void add_dim(builder* to, const array* in, int dim, int64_t first, int64_t ends) {
  if (dim == in->rank) {
    add_element(to, in, first);
    return;
  }
  const int64_t size = in->dims[dim];
  int64_t stride = 1;
  for (int i = dim + 1; i < in->rank; ++i) stride *= in->dims[i];
  add_text(to, "[");
  for (int64_t i = 0; i < size && !to->failed; ++i) {
    if (i == ends && size - ends > ends) {
      add_gap(to, dim, in->rank);
      add_text(to, "...");
      i = size - ends;
      if (i == size) break;
    }
    if (i > 0) add_gap(to, dim, in->rank);
    add_dim(to, in, dim + 1, first + i * stride, ends);
  }
  add_text(to, "]");
}

static void add_tensor(builder* to, const array* in, int64_t most) {
  const int64_t ends = most < 0 || most > in->count ? in->count : most;
  const bool bracketed = in->rank > 0;
  if (in->dtype == TN_BOOL && ends == 0) return;  // as in TensorFlow
  if (is_written_out(in->dtype)) {
    if (bracketed)
      add_dim(to, in, 0, 0, ends);
    else
      ends ? add_element(to, in, 0) : add_text(to, "...");
    return;
  }
  if (bracketed) add_text(to, "[");
  for (int64_t i = 0; i < ends; ++i) add_text(to, i ? " ?" : "?");
  if (ends < in->count) add_text(to, "...");
  if (bracketed) add_text(to, "]");
}

typedef struct format_state {
  chars template, placeholder;
  int64_t summarize;
} format_state;

// The text before the next placeholder, taken from the front of `rest`; false when it was the last.
// An empty placeholder is between all characters.
static bool next_piece(chars placeholder, chars* rest, chars* out) {
  const char* at = placeholder.size
                       ? memmem(rest->data, rest->size, placeholder.data, placeholder.size)
                   : rest->size > 1 ? rest->data + 1
                                    : NULL;
  *out = (chars){rest->data, at ? (size_t)(at - rest->data) : rest->size};
  if (at) *rest = (chars){at + placeholder.size, rest->size - out->size - placeholder.size};
  return at != NULL;
}

static void* format_create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  format_state state = {.summarize = 0};
  attrs_begin(&attrs, construction, "StringFormat");
  state.template.data = attr_text(&attrs, "template", &state.template.size);
  state.placeholder.data = attr_text(&attrs, "placeholder", &state.placeholder.size);
  state.summarize = attr_int(&attrs, "summarize");
  int32_t inputs = 0, bytes, places = 0;
  if (attrs_ok(&attrs))
    TF_OpKernelConstruction_GetAttrSize(construction, "T", &inputs, &bytes, attrs.status);
  chars rest = state.template, piece;
  while (attrs_ok(&attrs) && next_piece(state.placeholder, &rest, &piece)) ++places;
  if (places != inputs)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT, "the template has %d placeholders for %d inputs",
               places, inputs);
  void* kept = attrs_end(&attrs, &state, sizeof state);
  if (!kept) {
    free((char*)state.template.data);
    free((char*)state.placeholder.data);
  }
  return kept;
}

static void format_destroy(void* held) {
  format_state* state = held;
  if (!state) return;
  free((char*)state->template.data);
  free((char*)state->placeholder.data);
  free(state);
}

static void format(void* held, TF_OpKernelContext* context) {
  run run;
  array in, out;
  const format_state* state = held;
  builder text = {.data = NULL};
  run_begin(&run, context, "StringFormat");
  chars rest = state->template, piece;
  for (int i = 0; next_piece(state->placeholder, &rest, &piece) && run_input(&run, i, &in); ++i) {
    add(&text, piece.data, piece.size);
    add_tensor(&text, &in, state->summarize);
  }
  add(&text, piece.data, piece.size);
  if (text.failed) run_fail(&run, TF_RESOURCE_EXHAUSTED, "no memory");
  if (run_output(&run, 0, 0, NULL, &out)) set_string(&run, out.data, (chars){text.data, text.size});
  free(text.data);
  run_end(&run);
}

void register_string_format(void) {
  const kernel kernels[] = {{.op = "StringFormat",
                             .create = format_create,
                             .compute = format,
                             .destroy = format_destroy}};
  register_kernels(kernels, 1);
}
