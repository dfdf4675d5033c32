#include "tensor/shape.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"

static int64_t* mutable_dims(tn_shape* shape) {
  return shape->rank <= TN_SMALL_RANK ? shape->small : shape->large;
}

bool tn_shape_init(tn_shape* shape, const int64_t* dims, int rank, tn_status* status) {
  *shape = (tn_shape){0};
  if (rank < -1 || rank > TN_MAX_RANK || (rank > 0 && !dims)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a shape of rank %d%s; ranks go from 0 to %d", rank,
                  dims ? "" : " without dimensions", TN_MAX_RANK);
    return false;
  }
  for (int i = 0; i < rank; ++i) {
    if (dims[i] >= -1) continue;
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "dimension %d of a shape is %" PRId64 "; it must be 0 or more, or -1 for unknown",
                  i, dims[i]);
    return false;
  }
  if (rank > TN_SMALL_RANK) {
    shape->large = tn_alloc((size_t)rank * sizeof *dims);
    if (!shape->large) {
      tn_status_set_no_memory(status, "making a shape");
      return false;
    }
  }
  shape->rank = rank;
  if (rank > 0) memcpy(mutable_dims(shape), dims, (size_t)rank * sizeof *dims);
  return true;
}

bool tn_shape_copy(tn_shape* target, const tn_shape* source, tn_status* status) {
  return tn_shape_init(target, tn_shape_dims(source), source->rank, status);
}

void tn_shape_deinit(tn_shape* shape) {
  if (shape->rank > TN_SMALL_RANK) tn_free(shape->large);
  *shape = (tn_shape){0};
}

bool tn_shape_equal(const tn_shape* a, const tn_shape* b) {
  if (a->rank != b->rank) return false;
  return a->rank <= 0 ||
         memcmp(tn_shape_dims(a), tn_shape_dims(b), (size_t)a->rank * sizeof(int64_t)) == 0;
}

bool tn_shape_is_full(const tn_shape* shape) {
  const int64_t* dims = tn_shape_dims(shape);
  for (int i = 0; i < shape->rank; ++i)
    if (dims[i] < 0) return false;
  return shape->rank >= 0;
}

int64_t tn_dims_elements(const int64_t* dims, int rank) {
  int64_t elements = rank < 0 ? -1 : 1;
  bool empty = false;
  for (int i = 0; i < rank; ++i) {
    if (dims[i] < 0) return -1;
    if (dims[i] == 0) empty = true;
    // A product that does not fit is no matter when another dimension is 0.
    if (elements >= 0 && __builtin_mul_overflow(elements, dims[i], &elements)) elements = -1;
  }
  return empty ? 0 : elements;
}

int64_t tn_shape_elements(const tn_shape* shape) {
  return tn_dims_elements(tn_shape_dims(shape), shape->rank);
}

void tn_dims_print(const int64_t* dims, int rank, tn_text* out) {
  if (rank < 0) {
    tn_text_puts(out, "<unknown>");
    return;
  }
  tn_text_putc(out, '[');
  for (int i = 0; i < rank; ++i) {
    if (i) tn_text_putc(out, ',');
    if (dims[i] == -1)
      tn_text_putc(out, '?');
    else
      tn_text_printf(out, "%" PRId64, dims[i]);
  }
  tn_text_putc(out, ']');
}

void tn_shape_print(const tn_shape* shape, tn_text* out) {
  tn_dims_print(tn_shape_dims(shape), shape->rank, out);
}

// TensorShapeProto: 2 dim (1 size), 3 unknown_rank.

void tn_shape_encode(const tn_shape* shape, tn_text* out) {
  if (shape->rank < 0) tn_wire_put_varint(out, 3, 1);
  for (int i = 0; i < shape->rank; ++i) {
    size_t dim = tn_wire_begin(out, 2);
    int64_t size = tn_shape_dims(shape)[i];
    if (size) tn_wire_put_varint(out, 1, (uint64_t)size);
    tn_wire_end(out, dim);
  }
}

static bool decode_dim(tn_view bytes, int64_t* out_size) {
  *out_size = 0;
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);)
    if (field.number == 1 && field.type == TN_WIRE_VARINT) *out_size = (int64_t)field.value;
  return !reader.bad;
}

bool tn_shape_decode(tn_shape* shape, tn_view bytes, tn_status* status) {
  *shape = (tn_shape){0};
  int64_t dims[TN_MAX_RANK];
  int rank = 0;
  bool unknown = false;
  tn_wire_reader reader = tn_wire_read(bytes);
  for (tn_wire_field field; tn_wire_next(&reader, &field);) {
    if (field.number == 3 && field.type == TN_WIRE_VARINT) unknown = field.value != 0;
    if (field.number != 2 || field.type != TN_WIRE_BYTES) continue;
    if (rank == TN_MAX_RANK) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "a TensorShapeProto with more than %d dimensions",
                    TN_MAX_RANK);
      return false;
    }
    if (!decode_dim(field.bytes, &dims[rank++])) reader.bad = true;
    if (reader.bad) break;
  }
  if (reader.bad) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "these %zu bytes are no TensorShapeProto",
                  bytes.size);
    return false;
  }
  if (unknown && rank > 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "a TensorShapeProto of unknown rank that has %d dimensions", rank);
    return false;
  }
  return tn_shape_init(shape, dims, unknown ? -1 : rank, status);
}
