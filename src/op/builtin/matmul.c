// Products and solutions of matrices, alone and in batches, and Einsum.
#include "op/builtin/family.h"

// batch + [rows, columns].
static void set_matrix(tn_inference* c, tn_shape_ref batch, int64_t rows, int64_t columns,
                       tn_status* status) {
  tn_shape_ref matrix = tn_infer_make(c, (int64_t[]){rows, columns}, 2, status);
  tn_infer_set_output(c, 0, tn_infer_concatenate(c, batch, matrix, status));
}

static void matmul_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref a = tn_infer_with_rank(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref b = tn_infer_with_rank(c, tn_infer_input(c, 1), 2, status);
  bool flip_a, flip_b;
  int64_t inner;
  if (!a || !b || !tn_infer_attr_bool(c, "transpose_a", &flip_a, status) ||
      !tn_infer_attr_bool(c, "transpose_b", &flip_b, status) ||
      !tn_infer_merge_dim(tn_infer_dim(a, !flip_a), tn_infer_dim(b, flip_b), &inner, status))
    return;
  set_matrix(c, tn_infer_scalar(c), tn_infer_dim(a, flip_a), tn_infer_dim(b, !flip_b), status);
}

typedef tn_shape_ref (*join_function)(tn_inference*, tn_shape_ref, tn_shape_ref, tn_status*);

static void batch_matmul(tn_inference* c, join_function join, tn_status* status) {
  tn_shape_ref a = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref b = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 2, status);
  bool adjoint_a, adjoint_b;
  int64_t inner;
  if (!a || !b || !tn_infer_attr_bool(c, "adj_x", &adjoint_a, status) ||
      !tn_infer_attr_bool(c, "adj_y", &adjoint_b, status) ||
      !tn_infer_merge_dim(tn_infer_dim(a, adjoint_a ? -2 : -1),
                          tn_infer_dim(b, adjoint_b ? -1 : -2), &inner, status))
    return;
  tn_shape_ref batch = join(c, tn_infer_subshape(c, a, 0, -2, status),
                            tn_infer_subshape(c, b, 0, -2, status), status);
  set_matrix(c, batch, tn_infer_dim(a, adjoint_a ? -1 : -2), tn_infer_dim(b, adjoint_b ? -2 : -1),
             status);
}

static void batch_matmul_shape(tn_inference* c, tn_status* status) {
  batch_matmul(c, tn_infer_merge, status);
}

static void batch_matmul_broadcast_shape(tn_inference* c, tn_status* status) {
  batch_matmul(c, tn_infer_broadcast, status);
}

static void cross_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref a = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_shape_ref b = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  tn_shape_ref both = tn_infer_merge(c, a, b, status);
  int64_t three;
  if (both && tn_infer_with_value(tn_infer_dim(both, -1), 3, &three, status))
    tn_infer_set_output(c, 0, both);
}

// Input 0 as a batch of square matrices; `out_size` gets their side.
static tn_shape_ref square(tn_inference* c, int64_t* out_size, tn_status* status) {
  tn_shape_ref shape = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  if (!shape ||
      !tn_infer_merge_dim(tn_infer_dim(shape, -2), tn_infer_dim(shape, -1), out_size, status))
    return NULL;
  return shape;
}

static void square_shape(tn_inference* c, tn_status* status) {
  int64_t size;
  tn_shape_ref batch = tn_infer_subshape(c, square(c, &size, status), 0, -2, status);
  if (batch) set_matrix(c, batch, size, size, status);
}

static void determinant_shape(tn_inference* c, tn_status* status) {
  int64_t size;
  tn_infer_set_output(c, 0, tn_infer_subshape(c, square(c, &size, status), 0, -2, status));
}

static void solve(tn_inference* c, join_function join, tn_status* status) {
  int64_t size;
  tn_shape_ref matrix = square(c, &size, status);
  tn_shape_ref right = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 2, status);
  if (!matrix || !right || !tn_infer_merge_dim(size, tn_infer_dim(right, -2), &size, status))
    return;
  tn_shape_ref batch = join(c, tn_infer_subshape(c, matrix, 0, -2, status),
                            tn_infer_subshape(c, right, 0, -2, status), status);
  set_matrix(c, batch, size, tn_infer_dim(right, -1), status);
}

static void solve_shape(tn_inference* c, tn_status* status) { solve(c, tn_infer_merge, status); }

static void solve_broadcast_shape(tn_inference* c, tn_status* status) {
  solve(c, tn_infer_broadcast, status);
}

// One side of an Einsum equation's arrow or comma: labels, at most one of them "...".
typedef struct subscript {
  tn_view labels;
  bool has_ellipsis;
} subscript;

static bool read_subscript(tn_view labels, subscript* out, tn_status* status) {
  size_t dots = 0;
  for (size_t i = 0; i < labels.size; ++i) dots += labels.data[i] == '.';
  *out = (subscript){labels, dots == 3};
  if (dots == 0 || (dots == 3 && memmem(labels.data, labels.size, "...", 3))) return true;
  return tn_shapes_fail(status, "subscript '%.*s' may hold one ellipsis (...) and no other dots",
                        TN_VIEW_ARGS(labels));
}

// Reads "ab,bc->ac" or "ab->ba". Input labels are split at commas only: one or two of them.
static int read_equation(tn_view equation, subscript inputs[2], subscript* output,
                         tn_status* status) {
  const char* end = equation.data + equation.size;
  const char* arrow = memmem(equation.data, equation.size, "->", 2);
  if (!arrow || memmem(arrow + 2, (size_t)(end - arrow - 2), "->", 2)) {
    tn_shapes_fail(status, "equation '%.*s' must have exactly one '->'", TN_VIEW_ARGS(equation));
    return 0;
  }
  if (!read_subscript((tn_view){arrow + 2, (size_t)(end - arrow - 2)}, output, status)) return 0;
  int count = 0;
  for (const char *from = equation.data, *comma; from; from = comma ? comma + 1 : NULL, ++count) {
    comma = memchr(from, ',', (size_t)(arrow - from));
    tn_view labels = {from, (size_t)((comma ? comma : arrow) - from)};
    if (count == 2) {
      tn_shapes_fail(status, "equation '%.*s' has more than two inputs", TN_VIEW_ARGS(equation));
      return 0;
    }
    if (!read_subscript(labels, &inputs[count], status)) return 0;
  }
  return count;
}

enum { unseen = -2 };  // a label's size before any input had it

// Merges the sizes that one input gives to its labels; returns what its ellipsis stands for.
static tn_shape_ref read_input(tn_inference* c, tn_shape_ref shape, const subscript* input,
                               int64_t sizes[256], tn_status* status) {
  int64_t length = (int64_t)input->labels.size, named = length - 3 * input->has_ellipsis;
  shape = input->has_ellipsis ? tn_infer_with_rank_at_least(c, shape, named, status)
                              : tn_infer_with_rank(c, shape, named, status);
  if (!shape) return NULL;
  bool known = tn_infer_rank_known(shape);
  tn_shape_ref ellipsis = tn_infer_scalar(c);
  bool after = false;
  for (int64_t i = 0; i < length; ++i) {
    unsigned char label = (unsigned char)input->labels.data[i];
    if (label == '.') {
      ellipsis = known ? tn_infer_subshape(c, shape, i, i + shape->rank - named, status)
                       : tn_infer_unknown(c);
      i += 2;
      after = true;
      continue;
    }
    int64_t size = known ? tn_infer_dim(shape, after ? i - length : i) : -1;
    if (sizes[label] == unseen) sizes[label] = size;
    if (!tn_infer_merge_dim(sizes[label], size, &sizes[label], status)) return NULL;
  }
  return ellipsis;
}

static void einsum_shape(tn_inference* c, tn_status* status) {
  tn_view equation;
  subscript inputs[2], output;
  if (!tn_infer_attr_string(c, "equation", &equation, status)) return;
  int count = read_equation(equation, inputs, &output, status);
  if (!count) return;
  if (count != (int)c->node->input_count) {
    tn_shapes_fail(status, "equation '%.*s' is for %d inputs, but there are %zu",
                   TN_VIEW_ARGS(equation), count, c->node->input_count);
    return;
  }
  int64_t sizes[256];
  for (int i = 0; i < 256; ++i) sizes[i] = unseen;
  tn_shape_ref ellipsis = read_input(c, tn_infer_input(c, 0), &inputs[0], sizes, status);
  if (ellipsis && count == 2)
    ellipsis = tn_infer_broadcast(
        c, ellipsis, read_input(c, tn_infer_input(c, 1), &inputs[1], sizes, status), status);
  if (!output.has_ellipsis) ellipsis = tn_infer_with_rank_at_most(c, ellipsis, 0, status);
  if (!ellipsis) return;
  if (output.has_ellipsis && !tn_infer_rank_known(ellipsis)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  int64_t* dims = tn_shapes_numbers(c, (int64_t)output.labels.size + TN_MAX_RANK, status);
  int64_t rank = 0;
  for (size_t i = 0; dims && i < output.labels.size; ++i) {
    unsigned char label = (unsigned char)output.labels.data[i];
    if (label == '.') {
      for (int k = 0; k < ellipsis->rank; ++k) dims[rank++] = tn_infer_dim(ellipsis, k);
      i += 2;
    } else if (sizes[label] == unseen) {
      tn_shapes_fail(status, "equation '%.*s' has output label '%c', which no input has",
                     TN_VIEW_ARGS(equation), label);
      return;
    } else {
      dims[rank++] = sizes[label];
    }
  }
  if (dims) tn_infer_set_output(c, 0, tn_infer_make(c, dims, rank, status));
}

#define BATCH_ATTRS \
  "; adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false"
#define FACTOR \
  "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}"
#define SOLVABLE "{double, float, half, complex64, complex128}"

const tn_builtin_op tn_matmul_ops[] = {
    {"MatMul", "a: T; b: T", "product: T",
     "transpose_a: bool = false; transpose_b: bool = false; "
     "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, "
     "complex128}; grad_a: bool = false; grad_b: bool = false",
     matmul_shape},
    {"BatchMatMul", "x: T; y: T", "output: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}" BATCH_ATTRS,
     batch_matmul_shape},
    {"BatchMatMulV2", "x: T; y: T", "output: T",
     "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, "
     "complex64, complex128}" BATCH_ATTRS,
     batch_matmul_broadcast_shape},
    {"BatchMatMulV3", "x: Ta; y: Tb", "output: Tout",
     "Ta: " FACTOR "; Tb: " FACTOR "; Tout: {bfloat16, half, float, double, int16, int32, int64, "
     "complex64, complex128}" BATCH_ATTRS,
     batch_matmul_broadcast_shape},
    {"Einsum", "inputs: N * T", "output: T", "equation: string; N: int; T: type", einsum_shape},
    {"Cross", "a: T; b: T", "product: T", "T: realnumbertype", cross_shape},
    {"Cholesky", "input: T", "output: T", "T: " SOLVABLE, square_shape},
    {"MatrixInverse", "input: T", "output: T", "adjoint: bool = false; T: " SOLVABLE, square_shape},
    {"MatrixDeterminant", "input: T", "output: T",
     "T: {half, float, double, complex64, complex128}", determinant_shape},
    {"MatrixSolve", "matrix: T; rhs: T", "output: T", "adjoint: bool = false; T: " SOLVABLE,
     solve_shape},
    {"MatrixTriangularSolve", "matrix: T; rhs: T", "output: T",
     "lower: bool = true; adjoint: bool = false; "
     "T: {bfloat16, double, float, half, complex64, complex128}",
     solve_broadcast_shape},
    {0},
};
