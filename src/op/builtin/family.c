#include "op/builtin/family.h"

#include "tensor/element.h"

bool tn_shapes_fail(tn_status* status, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, TN_INVALID_ARGUMENT, format, args);
  va_end(args);
  return false;
}

void tn_shapes_like(tn_inference* c, int output, int input) {
  tn_infer_set_output(c, output, tn_infer_input(c, input));
  const tn_handle_data* held = tn_infer_handle(c, input);
  if (held) tn_infer_set_handle(c, output, held->dtype, held->shape);
}

void tn_shapes_like_input(tn_inference* c, tn_status* status) { tn_shapes_like(c, 0, 0); }

void tn_shapes_like_each(tn_inference* c, tn_status* status) {
  for (int i = 0; i < (int)c->node->output_count; ++i) tn_shapes_like(c, i, i);
}

void tn_shapes_like_vector(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status));
}

void tn_shapes_like_volume(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 3, status));
}

void tn_shapes_merged(tn_inference* c, tn_status* status) {
  int last = (int)c->node->input_count - 1;
  tn_shape_ref shape = tn_infer_input(c, last);
  for (int i = last - 1; i >= 0; --i)
    shape = tn_infer_merge(c, tn_infer_input(c, i), shape, status);
  tn_infer_set_output(c, 0, shape);
}

void tn_shapes_broadcast(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0,
                      tn_infer_broadcast(c, tn_infer_input(c, 0), tn_infer_input(c, 1), status));
}

void tn_shapes_scalar(tn_inference* c, tn_status* status) {
  for (int i = 0; i < (int)c->node->output_count; ++i)
    tn_infer_set_output(c, i, tn_infer_scalar(c));
}

void tn_shapes_from_input(tn_inference* c, tn_status* status) {
  tn_infer_set_output(c, 0, tn_infer_value_as_shape(c, 0, status));
}

void tn_shapes_from_attr(tn_inference* c, tn_status* status) {
  const tn_attr_value* shape = tn_infer_attr(c, "shape", TN_ATTR_SHAPE, false, status);
  if (!shape) return;
  tn_infer_set_output(c, 0,
                      tn_infer_make(c, tn_shape_dims(shape->shapes), shape->shapes->rank, status));
}

bool tn_shapes_axis(int64_t axis, int64_t rank, int64_t* out_axis, tn_status* status) {
  if (axis < -rank || axis >= rank)
    return tn_shapes_fail(status, "axis %lld is outside [%lld, %lld)", (long long)axis,
                          (long long)-rank, (long long)rank);
  *out_axis = axis < 0 ? axis + rank : axis;
  return true;
}

int64_t tn_shapes_rank_for(int64_t axis) {
  return axis < 0           ? (axis < -INT32_MAX ? INT64_MAX : -axis)
         : axis < INT32_MAX ? axis + 1
                            : INT64_MAX;
}

int64_t* tn_shapes_numbers(tn_inference* c, int64_t count, tn_status* status) {
  int64_t* numbers =
      count > INT32_MAX ? NULL : tn_arena_alloc(&c->arena, (size_t)count * sizeof(int64_t));
  if (!numbers) tn_status_set_no_memory(status, "inferring shapes");
  return numbers;
}

int64_t* tn_shapes_ints(tn_inference* c, int i, int64_t* out_count, tn_status* status) {
  const tn_tensor* tensor = tn_infer_value(c, i);
  if (!tensor) return NULL;
  if (tn_dtype_kind(tensor->dtype) != TN_NUMBER_SIGNED) {
    tn_shapes_fail(status, "input %d must hold signed integers, not %s", i,
                   tn_dtype_name(tensor->dtype));
    return NULL;
  }
  *out_count = tn_tensor_elements(tensor);
  int64_t* ints = tn_shapes_numbers(c, *out_count, status);
  const char* at = tn_tensor_data(tensor);
  for (int64_t k = 0; ints && k < *out_count; ++k, at += tn_dtype_size(tensor->dtype))
    ints[k] = tn_element_signed(tensor->dtype, at);
  return ints;
}

bool tn_shapes_int(tn_inference* c, int i, int64_t* out_value, tn_status* status) {
  int64_t count;
  const int64_t* value = tn_shapes_ints(c, i, &count, status);
  if (!value) return false;
  int rank = tn_infer_value(c, i)->shape.rank;
  if (rank != 0)
    return tn_shapes_fail(status, "input %d must be a scalar, not of rank %d", i, rank);
  *out_value = *value;
  return true;
}

bool tn_shapes_size(tn_inference* c, int i, int64_t* out_size, tn_status* status) {
  *out_size = -1;
  int64_t value;
  if (!tn_shapes_int(c, i, &value, status)) return tn_ok(status);
  if (value < 0)
    return tn_shapes_fail(status, "input %d is a size and must not be negative, but is %lld", i,
                          (long long)value);
  *out_size = value;
  return true;
}

bool tn_shapes_axis_input(tn_inference* c, int i, int64_t rank, int64_t* out_axis,
                          tn_status* status) {
  *out_axis = -1;
  int64_t value;
  if (!tn_shapes_int(c, i, &value, status)) return tn_ok(status);
  return tn_shapes_axis(value, rank, out_axis, status);
}

bool tn_shapes_input_rank(tn_inference* c, int i, int64_t rank, tn_status* status) {
  return tn_infer_with_rank(c, tn_infer_input(c, i), rank, status) != NULL;
}

int64_t tn_shapes_elements(tn_shape_ref shape) {
  for (int i = 0; i < shape->rank; ++i)
    if (tn_infer_dim(shape, i) == 0) return 0;
  return tn_shape_elements(shape);
}

static const tn_attr_value* read_ints(tn_inference* c, const char* name, bool is_list,
                                      tn_status* status) {
  const tn_attr_value* value = tn_infer_attr(c, name, TN_ATTR_INT, is_list, status);
  for (size_t i = 0; value && i < value->count; ++i) {
    if (value->ints[i] == (int32_t)value->ints[i]) continue;
    tn_shapes_fail(status, "attr %s is out of range for 32 bits: %lld", name,
                   (long long)value->ints[i]);
    return NULL;
  }
  return value;
}

bool tn_shapes_attr_int(tn_inference* c, const char* name, int64_t* out_value, tn_status* status) {
  const tn_attr_value* value = read_ints(c, name, false, status);
  if (value) *out_value = value->ints[0];
  return value;
}

const int64_t* tn_shapes_attr_ints(tn_inference* c, const char* name, int64_t* out_count,
                                   tn_status* status) {
  static const int64_t none[1];
  const tn_attr_value* value = read_ints(c, name, true, status);
  if (!value) return NULL;
  *out_count = (int64_t)value->count;
  return value->count ? value->ints : none;
}

tn_shape_ref tn_shapes_resource(tn_inference* c, int i) {
  const tn_handle_data* held = tn_infer_handle(c, i);
  return held ? held->shape : tn_infer_unknown(c);
}

tn_shape_ref tn_shapes_variable(tn_inference* c, tn_status* status) {
  tn_dtype dtype;
  if (!tn_infer_attr_type(c, "dtype", &dtype, status)) return NULL;
  const tn_handle_data* held = tn_infer_handle(c, 0);
  if (held && held->dtype != dtype) {
    tn_shapes_fail(status, "the variable holds %s, not %s", tn_dtype_name(held->dtype),
                   tn_dtype_name(dtype));
    return NULL;
  }
  return tn_shapes_resource(c, 0);
}
