// TensorProto. Values come as raw bytes (tensor_content) or in the repeated field of their type; a
// field with fewer values than the shape has elements repeats its last one, an empty one means
// zeros.

#include <inttypes.h>

#include "base/memory.h"
#include "base/wire.h"
#include "tensor/element.h"
#include "tensor/tensor.h"
#include "tensor/tstring.h"

enum {
  field_dtype = 1,
  field_shape = 2,
  field_content = 4,
  field_string = 8,
  field_float8 = 18,
};

// Where a type's values stand. Each value is the low bytes of one element, or of half a complex
// one.
typedef struct value_rule {
  uint8_t field;
  tn_wire_type wire;
  bool no_content;  // TensorFlow reads and writes these as values only
} value_rule;

static const value_rule value_rules[] = {
    [TN_FLOAT] = {5, TN_WIRE_FIXED32, false},
    [TN_DOUBLE] = {6, TN_WIRE_FIXED64, false},
    [TN_INT32] = {7, TN_WIRE_VARINT, false},
    [TN_UINT8] = {7, TN_WIRE_VARINT, false},
    [TN_INT16] = {7, TN_WIRE_VARINT, false},
    [TN_INT8] = {7, TN_WIRE_VARINT, false},
    [TN_STRING] = {field_string, TN_WIRE_BYTES, false},
    [TN_COMPLEX64] = {9, TN_WIRE_FIXED32, false},
    [TN_INT64] = {10, TN_WIRE_VARINT, false},
    [TN_BOOL] = {11, TN_WIRE_VARINT, false},
    [TN_QINT8] = {7, TN_WIRE_VARINT, false},
    [TN_QUINT8] = {7, TN_WIRE_VARINT, false},
    [TN_QINT32] = {7, TN_WIRE_VARINT, false},
    [TN_BFLOAT16] = {13, TN_WIRE_VARINT, false},
    [TN_QINT16] = {7, TN_WIRE_VARINT, false},
    [TN_QUINT16] = {7, TN_WIRE_VARINT, false},
    [TN_UINT16] = {7, TN_WIRE_VARINT, false},
    [TN_COMPLEX128] = {12, TN_WIRE_FIXED64, false},
    [TN_HALF] = {13, TN_WIRE_VARINT, false},
    [TN_UINT32] = {16, TN_WIRE_VARINT, false},
    [TN_UINT64] = {17, TN_WIRE_VARINT, false},
    [TN_FLOAT8_E5M2] = {field_float8, TN_WIRE_BYTES, false},
    [TN_FLOAT8_E4M3FN] = {field_float8, TN_WIRE_BYTES, false},
    [TN_FLOAT8_E4M3FNUZ] = {field_float8, TN_WIRE_BYTES, false},
    [TN_FLOAT8_E4M3B11FNUZ] = {field_float8, TN_WIRE_BYTES, false},
    [TN_FLOAT8_E5M2FNUZ] = {field_float8, TN_WIRE_BYTES, false},
    [TN_INT4] = {7, TN_WIRE_VARINT, true},
    [TN_UINT4] = {7, TN_WIRE_VARINT, true},
    [TN_INT2] = {7, TN_WIRE_VARINT, true},
    [TN_UINT2] = {7, TN_WIRE_VARINT, true},
    [TN_FLOAT4_E2M1FN] = {field_float8, TN_WIRE_BYTES, false},
};

static const value_rule* rule_of(tn_dtype dtype, tn_status* status) {
  unsigned number = (unsigned)dtype;
  if (number < sizeof value_rules / sizeof *value_rules && value_rules[number].field)
    return &value_rules[number];
  if (dtype == TN_RESOURCE || dtype == TN_VARIANT)
    tn_status_set(status, TN_UNIMPLEMENTED,
                  "a %s tensor refers to objects of this process and has no TensorProto",
                  tn_dtype_name(dtype));
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "a TensorProto cannot have type %s (number %d)",
                  tn_dtype_name(dtype), (int)dtype);
  return NULL;
}

static size_t value_size(tn_dtype dtype) {
  bool is_complex = dtype == TN_COMPLEX64 || dtype == TN_COMPLEX128;
  return tn_dtype_size(dtype) / (is_complex ? 2 : 1);
}

// Elements up to the last one that differs from its successor: what has to be written.
static int64_t distinct_elements(const tn_tensor* tensor, int64_t count) {
  const tn_tstring* strings = tensor->buffer->data;
  const char* bytes = tensor->buffer->data;
  size_t size = tn_dtype_stored_size(tensor->dtype);
  for (; count > 1; --count) {
    int64_t i = count - 1;
    bool same = tensor->dtype == TN_STRING
                    ? tn_view_equal(tn_tstring_view(&strings[i]), tn_tstring_view(&strings[i - 1]))
                    : memcmp(bytes + size * (size_t)i, bytes + size * (size_t)(i - 1), size) == 0;
    if (!same) break;
  }
  return count;
}

static uint64_t load_value(tn_dtype dtype, const char* at) {
  switch (tn_dtype_kind(dtype)) {
    case TN_NUMBER_SIGNED: return (uint64_t)tn_element_signed(dtype, at);
    case TN_NUMBER_FLOAT: break;  // half and bfloat16, as their bits
    default: return tn_element_unsigned(dtype, at);
  }
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  return bits;
}

static void encode_values(const tn_tensor* tensor, const value_rule* rule, int64_t count,
                          tn_text* out) {
  const char* data = tensor->buffer->data;
  if (rule->field == field_string) {
    for (int64_t i = 0; i < count; ++i)
      tn_wire_put_bytes(out, field_string, tn_tstring_view((const tn_tstring*)data + i));
    return;
  }
  size_t size = tn_dtype_size(tensor->dtype), bytes = (size_t)count * size;
  if (rule->wire != TN_WIRE_VARINT) {
    tn_wire_put_bytes(out, rule->field, (tn_view){data, bytes});
    return;
  }
  size_t run = tn_wire_begin(out, rule->field);
  for (size_t at = 0; at < bytes; at += size)
    tn_wire_put_raw_varint(out, load_value(tensor->dtype, data + at));
  tn_wire_end(out, run);
}

bool tn_tensor_encode(const tn_tensor* tensor, tn_text* out, tn_status* status) {
  if (!tn_tensor_is_readable(tensor, "encode", status)) return false;
  const value_rule* rule = rule_of(tensor->dtype, status);
  if (!rule) return false;
  tn_wire_put_varint(out, field_dtype, (uint64_t)tensor->dtype);
  size_t shape = tn_wire_begin(out, field_shape);
  tn_shape_encode(&tensor->shape, out);
  tn_wire_end(out, shape);
  int64_t count = tn_tensor_elements(tensor);
  if (count > 0) {
    int64_t distinct = distinct_elements(tensor, count);
    size_t bytes = tn_tensor_bytes(tensor);
    // A varint takes up to ten bytes.
    bool as_values = rule->field == field_string || rule->no_content || distinct == 1 ||
                     (size_t)distinct <= bytes / 10;
    if (as_values)
      encode_values(tensor, rule, distinct, out);
    else
      tn_wire_put_bytes(out, field_content, (tn_view){tensor->buffer->data, bytes});
  }
  if (out->failed) tn_status_set_no_memory(status, "encoding a tensor");
  return !out->failed;
}

// Fills the elements of a tensor in order; what comes after the last one is dropped.
typedef struct filler {
  char* data;
  size_t value_size;
  size_t count;  // values wanted
  size_t filled;
  bool is_bool;
  uint64_t mask;  // of the bits that count
} filler;

static void fill_value(uint64_t value, void* arg) {
  filler* fill = arg;
  if (fill->filled == fill->count) return;
  value = fill->is_bool ? value != 0 : value & fill->mask;
  memcpy(fill->data + fill->filled++ * fill->value_size, &value, fill->value_size);
}

static void repeat_last(char* data, size_t size, size_t filled, size_t count) {
  if (filled == 0) {
    memset(data, 0, size * count);
    return;
  }
  // Doubles the repeated run, so that a large splat costs a few large copies.
  char* run = data + size * (filled - 1);
  for (size_t done = 1, wanted = count - filled + 1; done < wanted;) {
    size_t more = done < wanted - done ? done : wanted - done;
    memcpy(run + size * done, run, size * more);
    done += more;
  }
}

static bool decode_numbers(tn_tensor* tensor, const value_rule* rule, tn_view bytes) {
  size_t elements = (size_t)tn_tensor_elements(tensor), size = tn_dtype_size(tensor->dtype);
  size_t part = value_size(tensor->dtype);
  filler fill = {.data = tensor->buffer->data,
                 .value_size = part,
                 .count = elements * (size / part),
                 .is_bool = tensor->dtype == TN_BOOL,
                 .mask = UINT64_MAX};
  // Integers of less than a byte have nothing in the upper bits.
  if (part == 1) fill.mask >>= 64 - tn_dtype_bits(tensor->dtype);
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.number != rule->field) continue;
    if (rule->field != field_float8) {
      if (!tn_wire_each(&field, rule->wire, fill_value, &fill)) return false;
    } else if (field.type == TN_WIRE_BYTES) {
      fill.filled = field.bytes.size < fill.count ? field.bytes.size : fill.count;
      memcpy(fill.data, field.bytes.data, fill.filled);
    }
  }
  // Half of a complex element does not count.
  repeat_last(fill.data, size, fill.filled * part / size, elements);
  return true;
}

static bool decode_strings(tn_tensor* tensor, tn_view bytes, tn_status* status) {
  tn_tstring* strings = tensor->buffer->data;
  size_t count = (size_t)tn_tensor_elements(tensor), filled = 0;
  bool memory = true;
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; memory && filled < count && tn_wire_next(&reader, &field);) {
    if (field.number == field_string && field.type == TN_WIRE_BYTES)
      memory = tn_tstring_copy(&strings[filled++], field.bytes.data, field.bytes.size);
  }
  for (; memory && filled > 0 && filled < count; ++filled)
    memory = tn_tstring_assign(&strings[filled], &strings[filled - 1]);
  if (!memory) tn_status_set_no_memory(status, "decoding a string tensor");
  return memory;
}

// Strings in tensor_content: every length as a varint, then every text.
static bool decode_string_content(tn_tensor* tensor, tn_view content, tn_status* status) {
  tn_tstring* strings = tensor->buffer->data;
  size_t count = (size_t)tn_tensor_elements(tensor);
  tn_wire_reader lengths = tn_wire_read(content), texts = lengths;
  uint64_t size;
  for (size_t i = 0; i < count && !texts.bad; ++i) tn_wire_read_varint(&texts, &size);
  for (size_t i = 0; i < count && !texts.bad; ++i) {
    tn_wire_read_varint(&lengths, &size);
    if (size > (size_t)(texts.end - texts.at)) {
      texts.bad = true;
    } else if (!tn_tstring_copy(&strings[i], (const char*)texts.at, size)) {
      tn_status_set_no_memory(status, "decoding a string tensor");
      return false;
    } else {
      texts.at += size;
    }
  }
  if (texts.bad)
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "tensor_content of %zu bytes ends before the last of %zu strings", content.size,
                  count);
  return !texts.bad;
}

static bool decode_content(tn_tensor* tensor, tn_view content, tn_status* status) {
  if (tensor->dtype == TN_STRING) return decode_string_content(tensor, content, status);
  unsigned char* data = memcpy(tensor->buffer->data, content.data, content.size);
  if (tensor->dtype == TN_BOOL)
    for (size_t i = 0; i < content.size; ++i) data[i] = data[i] != 0;
  return true;
}

// Nothing is allocated that the bytes do not stand for.
static bool size_is_plausible(tn_dtype dtype, size_t size, tn_view content, size_t limit,
                              tn_status* status) {
  if (content.size > 0) {
    // A string takes at least the byte of its length.
    size_t least = dtype == TN_STRING ? size / sizeof(tn_tstring) : size;
    if (dtype == TN_STRING ? content.size >= least : content.size == least) return true;
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "tensor_content has %zu bytes, the %s tensor needs %s%zu", content.size,
                  tn_dtype_name(dtype), dtype == TN_STRING ? "at least " : "", least);
    return false;
  }
  if (size <= limit) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "a TensorProto without tensor_content stands for a tensor of %zu bytes, more than "
                "the %zu that its values may expand to; store it as tensor_content",
                size, limit);
  return false;
}

tn_tensor* tn_tensor_decode_within(tn_view bytes, size_t limit, tn_status* status) {
  tn_dtype dtype = TN_INVALID;
  tn_view shape_bytes = {"", 0}, content = {"", 0};
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.number == field_dtype && field.type == TN_WIRE_VARINT)
      dtype = (tn_dtype)(int32_t)field.value;
    if (field.number == field_shape && field.type == TN_WIRE_BYTES) shape_bytes = field.bytes;
    if (field.number == field_content && field.type == TN_WIRE_BYTES) content = field.bytes;
  }
  if (reader.bad) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "these %zu bytes are no TensorProto", bytes.size);
    return NULL;
  }
  const value_rule* rule = rule_of(dtype, status);
  tn_shape shape;
  if (!rule || !tn_shape_decode(&shape, shape_bytes, status)) return NULL;

  tn_tensor* tensor = NULL;
  const int64_t* dims = tn_shape_dims(&shape);
  size_t size;
  if (!tn_tensor_size_of(dtype, dims, shape.rank, &size, status)) {
    tn_status_annotate(status, "in the shape of a TensorProto");
  } else if (size_is_plausible(dtype, size, content, limit, status)) {
    tensor = tn_tensor_create(dtype, dims, shape.rank, status);
  }
  tn_shape_deinit(&shape);
  if (!tensor || size == 0) return tensor;

  bool filled;
  if (content.size > 0) {
    filled = decode_content(tensor, content, status);
  } else if (dtype == TN_STRING) {
    filled = decode_strings(tensor, bytes, status);
  } else {
    filled = decode_numbers(tensor, rule, bytes);
    if (!filled)
      tn_status_set(status, TN_INVALID_ARGUMENT, "damaged %s values in a TensorProto",
                    tn_dtype_name(dtype));
  }
  if (filled) return tensor;
  tn_tensor_destroy(tensor);
  return NULL;
}

tn_tensor* tn_tensor_decode(tn_view bytes, tn_status* status) {
  return tn_tensor_decode_within(bytes, (size_t)1 << 31, status);
}
