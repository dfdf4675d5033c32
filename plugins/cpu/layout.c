// Reshape, Transpose, ConcatV2.

#include <string.h>

#include "cpu/layout.h"
#include "kernel.h"
#include "strings.h"

// The types whose elements are moved without being looked at. A resource is kept out: TensorFlow's
// C API passes only scalars of it.
static const tn_cpu_types movable =
    TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING) | TN_CPU_TYPE(TN_QINT8) |
    TN_CPU_TYPE(TN_QUINT8) | TN_CPU_TYPE(TN_QINT16) | TN_CPU_TYPE(TN_QUINT16) |
    TN_CPU_TYPE(TN_QINT32) | TN_CPU_TYPE(TN_FLOAT8_E5M2) | TN_CPU_TYPE(TN_FLOAT8_E4M3FN) |
    TN_CPU_TYPE(TN_FLOAT8_E4M3FNUZ) | TN_CPU_TYPE(TN_FLOAT8_E4M3B11FNUZ) |
    TN_CPU_TYPE(TN_FLOAT8_E5M2FNUZ) | TN_CPU_TYPE(TN_INT4) | TN_CPU_TYPE(TN_UINT4) |
    TN_CPU_TYPE(TN_INT2) | TN_CPU_TYPE(TN_UINT2) | TN_CPU_TYPE(TN_FLOAT4_E2M1FN);
static const tn_cpu_types indices = TN_CPU_TYPE(TN_INT32) | TN_CPU_TYPE(TN_INT64);

// The dims that `shape` asks for; one of them may be -1, which takes what is left.
static bool wanted_dims(run* run, const array* tensor, const array* shape, int64_t* dims) {
  char text[SHAPE_TEXT];
  if (shape->rank > 1 || shape->count > TN_CPU_MAX_RANK) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input shape must be a vector of at most %d sizes, not of shape %s", TN_CPU_MAX_RANK,
             shape_text(shape->rank, shape->dims, text));
    return false;
  }
  int64_t known = 1;
  int unknown = -1;
  const int rank = (int)shape->count;
  for (int i = 0; i < rank; ++i) {
    dims[i] = index_at(shape, i);
    if (dims[i] == -1 && unknown >= 0) {
      run_fail(run, TF_INVALID_ARGUMENT, "shape[%d] and shape[%d] are both -1; only one may be",
               unknown, i);
      return false;
    }
    if (dims[i] < -1) {
      run_fail(run, TF_INVALID_ARGUMENT,
               "shape[%d] is %lld; sizes are not negative, but for one -1", i, (long long)dims[i]);
      return false;
    }
    if (dims[i] == -1) {
      unknown = i;
    } else if (__builtin_mul_overflow(known, dims[i], &known)) {
      run_fail(run, TF_INVALID_ARGUMENT, "shape %s has too many elements",
               shape_text(i + 1, dims, text));
      return false;
    }
  }
  int64_t elements = tensor->count;
  if (unknown >= 0 && elements == 0) {
    // Any size would do for the -1; the sizes that are not zero decide, as far as they can.
    bool has_zero = known == 0;
    elements = known = 1;
    for (int i = 0; i < rank; ++i)
      if (dims[i] > 0) known *= dims[i];
    for (int i = 0; i < tensor->rank; ++i)
      if (tensor->dims[i] > 0 || !has_zero) elements *= tensor->dims[i];
    dims[unknown] = elements / known;
    return true;
  }
  if (unknown >= 0 && known > 0 && elements % known == 0) {
    dims[unknown] = elements / known;
    return true;
  }
  if (unknown < 0 && known == elements) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input tensor %s has %lld elements, and shape asks for %s%lld",
           shape_text(tensor->rank, tensor->dims, text), (long long)elements,
           unknown >= 0 ? "a multiple of " : "", (long long)known);
  return false;
}

static void reshape(void* state, TF_OpKernelContext* context) {
  run run;
  array tensor, shape;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Reshape");
  if (run_input(&run, 0, &tensor) && run_input(&run, 1, &shape) &&
      wanted_dims(&run, &tensor, &shape, dims)) {
    // The handle is ours alone, the memory behind it is not touched.
    TF_SetShape(tensor.tensor, dims, (int)shape.count);
    run_share_output(&run, 0, tensor.tensor);
  }
  run_end(&run);
}

static bool read_perm(run* run, const array* x, const array* perm, int* out) {
  char text[SHAPE_TEXT];
  if (perm->rank != 1 || perm->count != x->rank) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input perm must be a vector of %d dimensions, not of shape %s", x->rank,
             shape_text(perm->rank, perm->dims, text));
    return false;
  }
  bool seen[TN_CPU_MAX_RANK] = {false};
  for (int i = 0; i < x->rank; ++i) {
    int64_t d = index_at(perm, i);
    if (d < -x->rank || d >= x->rank) {
      run_fail(run, TF_INVALID_ARGUMENT, "perm[%d] is %lld, and must be in [%d, %d)", i,
               (long long)d, -x->rank, x->rank);
      return false;
    }
    if (d < 0) d += x->rank;
    if (seen[d]) {
      run_fail(run, TF_INVALID_ARGUMENT, "perm names dimension %lld twice", (long long)d);
      return false;
    }
    seen[d] = true;
    out[i] = (int)d;
  }
  return true;
}

// Strings are moved by a transposed list of their positions.
static void transpose_strings(run* run, const array* x, const int* perm, const array* y) {
  int64_t* positions = run_scratch(run, 2 * (size_t)x->count * sizeof(int64_t));
  if (!positions) return;
  for (int64_t i = 0; i < x->count; ++i) positions[i] = i;
  int64_t* moved = positions + x->count;
  tn_cpu_transpose(sizeof(int64_t), x->rank, x->dims, perm, positions, moved, run->parallel);
  const TF_TString* from = x->data;
  TF_TString* to = y->data;
  for (int64_t i = 0; i < x->count; ++i)
    if (!copy_string(run, &to[i], &from[moved[i]])) return;
}

static void transpose(void* state, TF_OpKernelContext* context) {
  run run;
  array x, perm_input, y;
  int perm[TN_CPU_MAX_RANK];
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "Transpose");
  if (run_input(&run, 0, &x) && run_input(&run, 1, &perm_input) &&
      read_perm(&run, &x, &perm_input, perm)) {
    bool same_order = true;
    for (int i = 0; i < x.rank; ++i) {
      dims[i] = x.dims[perm[i]];
      same_order = same_order && perm[i] == i;
    }
    if (same_order) {
      run_share_output(&run, 0, x.tensor);
    } else if (run_output(&run, 0, x.rank, dims, &y)) {
      if (x.dtype == TN_STRING) {
        transpose_strings(&run, &x, perm, &y);
      } else {
        tn_cpu_transpose(TF_DataTypeSize((TF_DataType)x.dtype), x.rank, x.dims, perm, x.data,
                         y.data, run.parallel);
      }
    }
  }
  run_end(&run);
}

// The dims of the result; `axis` has been made non-negative.
static bool joined_dims(run* run, const array* first, int axis, int i, const array* value,
                        int64_t* dims) {
  char first_text[SHAPE_TEXT], text[SHAPE_TEXT];
  bool fits = value->rank == first->rank;
  for (int d = 0; fits && d < value->rank; ++d)
    fits = d == axis || value->dims[d] == first->dims[d];
  if (fits && !__builtin_add_overflow(dims[axis], value->dims[axis], &dims[axis])) return true;
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "values[%d] of shape %s does not join values[0] of shape %s: all dimensions but %d must be "
      "equal",
      i, shape_text(value->rank, value->dims, text),
      shape_text(first->rank, first->dims, first_text), axis);
  return false;
}

static bool read_axis(run* run, const array* axis, int rank, int* out) {
  char text[SHAPE_TEXT];
  if (axis->count != 1) {
    run_fail(run, TF_INVALID_ARGUMENT, "input axis must be a single number, not of shape %s",
             shape_text(axis->rank, axis->dims, text));
    return false;
  }
  if (rank == 0) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "values[0] is a scalar, and scalars have no dimension to join");
    return false;
  }
  int64_t value = index_at(axis, 0);
  if (value < -rank || value >= rank) {
    run_fail(run, TF_INVALID_ARGUMENT, "axis is %lld, and must be in [%d, %d)", (long long)value,
             -rank, rank);
    return false;
  }
  *out = (int)(value < 0 ? value + rank : value);
  return true;
}

static void join_strings(run* run, int64_t rows, const tn_cpu_part* parts, int count,
                         TF_TString* to) {
  for (int64_t row = 0; row < rows; ++row)
    for (int i = 0; i < count; ++i) {
      const int64_t n = parts[i].row_bytes / (int64_t)sizeof(TF_TString);
      const TF_TString* from = (const TF_TString*)parts[i].data + row * n;
      for (int64_t j = 0; j < n; ++j)
        if (!copy_string(run, to++, &from[j])) return;
    }
}

static void concat(void* state, TF_OpKernelContext* context) {
  run run;
  array first, value, axis_input, output;
  int axis = 0;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, "ConcatV2");
  const int count = TF_NumInputs(context) - 1;
  tn_cpu_part* parts = run_scratch(&run, (size_t)count * sizeof *parts);
  if (parts && run_input(&run, count, &axis_input) && run_input(&run, 0, &first) &&
      read_axis(&run, &axis_input, first.rank, &axis)) {
    memcpy(dims, first.dims, (size_t)first.rank * sizeof dims[0]);
    const size_t size =
        first.dtype == TN_STRING ? sizeof(TF_TString) : TF_DataTypeSize((TF_DataType)first.dtype);
    int64_t rows = 1, row_bytes = (int64_t)size;
    for (int i = 0; i < axis; ++i) rows *= first.dims[i];
    for (int i = axis + 1; i < first.rank; ++i) row_bytes *= first.dims[i];
    parts[0] = (tn_cpu_part){first.data, row_bytes * first.dims[axis]};
    for (int i = 1; i < count && run_input(&run, i, &value) &&
                    joined_dims(&run, &first, axis, i, &value, dims);
         ++i)
      parts[i] = (tn_cpu_part){value.data, row_bytes * value.dims[axis]};
    if (run_output(&run, 0, first.rank, dims, &output)) {
      if (output.count == 0) rows = 0;  // rows without elements may be 2^40 of them
      if (first.dtype == TN_STRING) {
        join_strings(&run, rows, parts, count, output.data);
      } else {
        tn_cpu_concat(rows, parts, (size_t)count, output.data, run.parallel);
      }
    }
  }
  run_end(&run);
}

void register_layout(void) {
  const kernel kernels[] = {
      {.op = "Reshape",
       .compute = reshape,
       .constraints = {{"T", movable | TN_CPU_TYPE(TN_VARIANT)}, {"Tshape", indices}},
       .host_args = {"shape"}},
      {.op = "Transpose",
       .compute = transpose,
       .constraints = {{"T", movable}, {"Tperm", indices}},
       .host_args = {"perm"}},
      {.op = "ConcatV2",
       .compute = concat,
       .constraints = {{"T", movable}, {"Tidx", indices}},
       .host_args = {"axis"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
