// The public printing calls: text for people, JSON for programs, to a stream.

#include <errno.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "tensor/element.h"
#include "tensor/print.h"
#include "tensor/tstring.h"

enum { flush_size = 64 * 1024, most_empty_lists = 1 << 20 };

// Moves what `text` holds to the stream; a failure stays in `stream` (ferror).
static void flush(tn_text* text, FILE* stream) {
  if (text->size) fwrite(text->data, 1, text->size, stream);
  text->size = 0;
}

static bool finish(tn_text* text, FILE* stream, tn_status* status) {
  bool memory = !text->failed;
  if (memory) flush(text, stream);
  tn_text_deinit(text);
  if (!memory) {
    tn_status_set_no_memory(status, "printing a tensor");
    return false;
  }
  if (!ferror(stream)) return true;
  tn_status_set_errno(status, errno ? errno : EIO, "cannot print a tensor");
  return false;
}

static bool check(const tn_tensor* tensor, FILE* stream, tn_status* status) {
  if (!stream) return tn_fail(status, TN_INVALID_ARGUMENT, "there is no stream to print to (NULL)");
  return tn_tensor_is_readable(tensor, "print", status);
}

bool tn_tensor_write_text(const tn_tensor* tensor, FILE* stream, tn_status* status) {
  tn_text text = {0};
  if (!check(tensor, stream, status)) return false;
  if (tn_tensor_print(tensor, &text, NULL, status)) return finish(&text, stream, status);
  tn_text_deinit(&text);
  return false;
}

static void put_float(tn_json* json, tn_dtype dtype, const char* at) {
  double value = tn_element_float(dtype, at);
  if (dtype == TN_FLOAT)
    tn_json_float(json, NULL, (float)value);
  else
    tn_json_double(json, NULL, value);
}

static void put_element(tn_json* json, tn_dtype dtype, const char* at) {
  tn_dtype real = tn_dtype_real(dtype);
  switch (tn_dtype_kind(dtype)) {
    case TN_NUMBER_BOOL: tn_json_bool(json, NULL, *at != 0); break;
    case TN_NUMBER_SIGNED: tn_json_int(json, NULL, tn_element_signed(dtype, at)); break;
    case TN_NUMBER_UNSIGNED: tn_json_uint(json, NULL, tn_element_unsigned(dtype, at)); break;
    case TN_NUMBER_FLOAT: put_float(json, dtype, at); break;
    case TN_NUMBER_COMPLEX:
      tn_json_begin_array(json, NULL);
      put_float(json, real, at);
      put_float(json, real, at + tn_dtype_size(real));
      tn_json_end_array(json);
      break;
    case TN_NUMBER_NONE:
      if (dtype == TN_STRING)
        tn_json_view(json, NULL, tn_tstring_view((const tn_tstring*)at));
      else
        tn_json_null(json, NULL);
  }
}

static const char* put_axis(tn_json* json, const tn_tensor* tensor, int axis, const char* at,
                            FILE* stream) {
  if (axis == tensor->shape.rank) {
    put_element(json, tensor->dtype, at);
    if (json->out->size > flush_size) flush(json->out, stream);
    return at + tn_dtype_stored_size(tensor->dtype);
  }
  tn_json_begin_array(json, NULL);
  for (int64_t i = 0; i < tn_tensor_dim(tensor, axis); ++i)
    at = put_axis(json, tensor, axis + 1, at, stream);
  tn_json_end_array(json);
  return at;
}

bool tn_tensor_write_json(const tn_tensor* tensor, FILE* stream, tn_status* status) {
  if (!check(tensor, stream, status)) return false;
  tn_text text = {0};
  tn_json json = {.out = &text};
  // Without elements the lists could still be 2^62: then only the fact that it is empty is told.
  int64_t lists = 1;
  bool too_many = false;
  for (int i = 0; i < tensor->shape.rank && tn_tensor_dim(tensor, i) > 0; ++i)
    too_many |= __builtin_mul_overflow(lists, tn_tensor_dim(tensor, i), &lists);
  if (tn_tensor_elements(tensor) == 0 && (too_many || lists > most_empty_lists))
    tn_text_puts(&text, "[]");
  else
    put_axis(&json, tensor, 0, tensor->buffer->data, stream);
  return finish(&text, stream, status);
}
