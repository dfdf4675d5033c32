#include "tensor/print.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/status.h"
#include "tensor/element.h"
#include "tensor/number_format.h"
#include "tensor/tstring.h"

typedef struct printer {
  const tn_tensor* tensor;
  tn_print_options options;
  tn_text* out;
  tn_number_kind kind;
  bool lined_up;  // numpy's own numbers have one width, others the one they need
  bool summarise;
  size_t size;                   // of an element
  int64_t strides[TN_MAX_RANK];  // in elements
  int integer_width;
  tn_float_format real, imaginary;
  tn_text word;       // the element in the making
  int spaces;         // that follow `word`
  size_t line_begin;  // in `out`
} printer;

static const char* element_at(const printer* self, int64_t index) {
  return (const char*)self->tensor->buffer->data + (size_t)index * self->size;
}

static bool is_summarised(const printer* self, int axis) {
  return self->summarise &&
         tn_tensor_dim(self->tensor, axis) > 2 * (int64_t)self->options.edge_items;
}

// Visits every element that will be printed, in order.
static void each_shown(printer* self, int axis, int64_t index,
                       void (*visit)(printer*, const char*)) {
  if (axis == self->tensor->shape.rank) {
    visit(self, element_at(self, index));
    return;
  }
  int64_t count = tn_tensor_dim(self->tensor, axis);
  for (int64_t i = 0; i < count; ++i) {
    if (is_summarised(self, axis) && i == self->options.edge_items)
      i = count - self->options.edge_items;
    each_shown(self, axis + 1, index + i * self->strides[axis], visit);
  }
}

static double part_of(const printer* self, const char* element, bool imaginary) {
  tn_dtype real = tn_dtype_real(self->tensor->dtype);
  return tn_element_float(real, element + (imaginary ? tn_dtype_size(real) : 0));
}

static void see_float(printer* self, const char* element) {
  tn_float_format_see(&self->real, part_of(self, element, false));
  if (self->kind == TN_NUMBER_COMPLEX)
    tn_float_format_see(&self->imaginary, part_of(self, element, true));
}

static void measure_float(printer* self, const char* element) {
  tn_float_format_measure(&self->real, part_of(self, element, false));
  if (self->kind == TN_NUMBER_COMPLEX)
    tn_float_format_measure(&self->imaginary, part_of(self, element, true));
}

static int integer_text(const printer* self, const char* element, char text[24]) {
  tn_dtype dtype = self->tensor->dtype;
  if (self->kind == TN_NUMBER_SIGNED)
    return snprintf(text, 24, "%" PRId64, tn_element_signed(dtype, element));
  return snprintf(text, 24, "%" PRIu64, tn_element_unsigned(dtype, element));
}

static void measure_integer(printer* self, const char* element) {
  char text[24];
  int width = integer_text(self, element, text);
  if (width > self->integer_width) self->integer_width = width;
}

static void choose_format(printer* self) {
  bool is_integer = self->kind == TN_NUMBER_SIGNED || self->kind == TN_NUMBER_UNSIGNED;
  if (is_integer && self->lined_up) each_shown(self, 0, 0, measure_integer);
  if (is_integer || !self->lined_up || self->kind == TN_NUMBER_BOOL) return;
  tn_float_format start = {.dtype = tn_dtype_real(self->tensor->dtype),
                           .precision = self->options.precision};
  self->real = self->imaginary = start;
  self->imaginary.always_signed = true;
  each_shown(self, 0, 0, see_float);
  tn_float_format_choose(&self->real);
  tn_float_format_choose(&self->imaginary);
  each_shown(self, 0, 0, measure_float);
  tn_float_format_finish(&self->real);
  tn_float_format_finish(&self->imaginary);
}

// As Python shows bytes: b'text', with double quotes when only single ones are inside.
static void put_bytes(tn_view text, tn_text* out) {
  bool single = text.size && memchr(text.data, '\'', text.size);
  bool twofold = text.size && memchr(text.data, '"', text.size);
  char quote = single && !twofold ? '"' : '\'';
  tn_text_putc(out, 'b');
  tn_text_putc(out, quote);
  for (size_t i = 0; i < text.size; ++i) {
    unsigned char c = (unsigned char)text.data[i];
    const char* short_form = c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\t' ? "\\t" : NULL;
    if (short_form) {
      tn_text_puts(out, short_form);
    } else if (c == (unsigned char)quote || c == '\\') {
      tn_text_append(out, (char[]){'\\', (char)c}, 2);
    } else if (c < 0x20 || c >= 0x7f) {
      tn_text_printf(out, "\\x%02x", c);
    } else {
      tn_text_putc(out, (char)c);
    }
  }
  tn_text_putc(out, quote);
}

// Numbers that numpy gets from ml_dtypes have six digits at most.
static void put_small_float(double value, tn_text* out) {
  char text[32];
  snprintf(text, sizeof text, "%g", value);
  for (char* c = text; *c; ++c)
    if (!memchr("0123456789+-einfa", *c, 17)) *c = '.';
  tn_text_puts(out, text[0] == '-' && value != value ? text + 1 : text);
}

static void put_object(const tn_tensor* tensor, const char* element, tn_text* out) {
  tn_object* object;
  memcpy(&object, element, sizeof object);
  tn_text_printf(out, "<%s %s>", tn_dtype_name(tensor->dtype),
                 object ? object->type->name : "none");
}

// Puts an element into `word`.
static void make_word(printer* self, const char* element) {
  tn_text* out = &self->word;
  out->size = 0;
  self->spaces = 0;
  char integer[24];
  switch (self->kind) {
    case TN_NUMBER_BOOL: tn_text_puts(out, *element ? " True" : "False"); break;
    case TN_NUMBER_SIGNED:
    case TN_NUMBER_UNSIGNED:
      for (int width = integer_text(self, element, integer); width < self->integer_width; ++width)
        tn_text_putc(out, ' ');
      tn_text_puts(out, integer);
      break;
    case TN_NUMBER_FLOAT:
      if (self->lined_up)
        self->spaces = tn_float_format_put(&self->real, part_of(self, element, false), out);
      else
        put_small_float(part_of(self, element, false), out);
      break;
    case TN_NUMBER_COMPLEX:
      for (int i = tn_float_format_put(&self->real, part_of(self, element, false), out); i > 0; --i)
        tn_text_putc(out, ' ');
      self->spaces = tn_float_format_put(&self->imaginary, part_of(self, element, true), out);
      tn_text_putc(out, 'j');
      break;
    case TN_NUMBER_NONE:
      if (self->tensor->dtype == TN_STRING)
        put_bytes(tn_tstring_view((const tn_tstring*)element), out);
      else
        put_object(self->tensor, element, out);
  }
  for (int i = 0; i < self->spaces; ++i) tn_text_putc(out, ' ');
}

static void begin_line(printer* self, int indent) {
  tn_text* out = self->out;
  while (out->size > 0 && out->data[out->size - 1] == ' ') out->data[--out->size] = 0;
  tn_text_putc(out, '\n');
  self->line_begin = out->size;
  for (int i = 0; i < indent; ++i) tn_text_putc(out, ' ');
}

// A word of the innermost dimension, on the next line when it does not fit on this one.
static void put_word(printer* self, const char* word, size_t size, int indent, int width) {
  size_t column = self->out->size - self->line_begin;
  if (column + size > (size_t)width && column > (size_t)indent) begin_line(self, indent);
  tn_text_append(self->out, word, size);
}

static void put_separator(printer* self, int axis) {
  int inner_axes = self->tensor->shape.rank - axis - 1;
  if (inner_axes == 0) {
    tn_text_putc(self->out, ' ');
    return;
  }
  for (int i = 1; i < inner_axes; ++i) tn_text_putc(self->out, '\n');
  begin_line(self, axis + 1);
}

// The brackets of `axis` and what is in them, each bracket taking a column on either side.
static void put_axis(printer* self, int axis, int64_t index) {
  int width = self->options.line_width - axis - 1;
  int64_t count = tn_tensor_dim(self->tensor, axis), edge = self->options.edge_items;
  tn_text_putc(self->out, '[');
  for (int64_t i = 0; i < count; ++i) {
    if (i > 0) put_separator(self, axis);
    if (i == edge && is_summarised(self, axis)) {
      put_word(self, "...", 3, axis + 1, width);
      put_separator(self, axis);
      i = count - edge;
    }
    int64_t at = index + i * self->strides[axis];
    if (axis + 1 < self->tensor->shape.rank) {
      put_axis(self, axis + 1, at);
    } else {
      make_word(self, element_at(self, at));
      put_word(self, self->word.data, self->word.size, axis + 1, width);
    }
  }
  tn_text_putc(self->out, ']');
}

// A single number stands as it is, with all its digits.
static void put_scalar(printer* self) {
  const char* element = self->tensor->buffer->data;
  tn_dtype real = tn_dtype_real(self->tensor->dtype);
  if (self->kind == TN_NUMBER_BOOL) {
    tn_text_puts(self->out, *element ? "True" : "False");
  } else if (self->kind == TN_NUMBER_FLOAT && self->lined_up) {
    tn_float_put_scalar(part_of(self, element, false), real, true, self->out);
  } else if (self->kind == TN_NUMBER_COMPLEX) {
    double parts[] = {part_of(self, element, false), part_of(self, element, true)};
    bool imaginary_only = parts[0] == 0 && !__builtin_signbit(parts[0]);
    if (!imaginary_only) {
      tn_text_putc(self->out, '(');
      tn_float_put_scalar(parts[0], real, false, self->out);
      if (parts[1] != parts[1] || !__builtin_signbit(parts[1])) tn_text_putc(self->out, '+');
    }
    tn_float_put_scalar(parts[1], real, false, self->out);
    tn_text_puts(self->out, imaginary_only ? "j" : "j)");
  } else {
    make_word(self, element);
    tn_text_append(self->out, self->word.data, self->word.size);
  }
}

bool tn_tensor_print(const tn_tensor* tensor, tn_text* out, const tn_print_options* options,
                     tn_status* status) {
  if (!tn_tensor_is_readable(tensor, "print", status)) return false;
  printer* self = tn_alloc_zeroed(1, sizeof *self);
  if (!self) {
    tn_status_set_no_memory(status, "printing a tensor");
    return false;
  }
  tn_dtype dtype = tensor->dtype;
  self->tensor = tensor;
  self->options = options ? *options : TN_PRINT_OPTIONS_DEFAULT;
  if (self->options.precision > 20) self->options.precision = 20;
  if (self->options.precision < 0) self->options.precision = 0;
  if (self->options.edge_items < 1) self->options.edge_items = 1;
  self->out = out;
  self->kind = tn_dtype_kind(dtype);
  self->lined_up = self->kind == TN_NUMBER_FLOAT
                       ? dtype == TN_HALF || dtype == TN_FLOAT || dtype == TN_DOUBLE
                       : dtype < TN_INT4 && self->kind != TN_NUMBER_NONE;
  self->size = tn_dtype_stored_size(dtype);
  self->line_begin = out->size;
  int64_t elements = tn_tensor_elements(tensor), stride = 1;
  self->summarise = elements > self->options.threshold;
  for (int i = tensor->shape.rank; elements > 0 && i-- > 0; stride *= tn_tensor_dim(tensor, i))
    self->strides[i] = stride;
  if (elements == 0) {
    tn_text_puts(out, "[]");
  } else if (tensor->shape.rank == 0) {
    put_scalar(self);
  } else {
    choose_format(self);
    put_axis(self, 0, 0);
  }
  bool failed = out->failed || self->word.failed;
  tn_text_deinit(&self->word);
  tn_free(self);
  if (failed) tn_status_set_no_memory(status, "printing a tensor");
  return !failed;
}
