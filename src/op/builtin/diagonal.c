// Diagonals and bands of matrices.
#include "op/builtin/family.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static void diag_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  tn_infer_set_output(c, 0, tn_infer_concatenate(c, input, input, status));
}

static void diag_part_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_input(c, 0);
  if (!tn_infer_rank_known(input)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  int half = input->rank / 2;
  if (input->rank % 2 || half == 0) {
    tn_shapes_fail(status, "the rank must be even and not 0, but is %d", input->rank);
    return;
  }
  tn_infer_set_output(c, 0,
                      tn_infer_merge(c, tn_infer_subshape(c, input, 0, half, status),
                                     tn_infer_subshape(c, input, half, INT64_MAX, status), status));
}

static void matrix_diag_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  if (input)
    tn_infer_set_output(c, 0,
                        tn_infer_concatenate(
                            c, input, tn_infer_vector(c, tn_infer_dim(input, -1), status), status));
}

static void matrix_diag_part_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  if (!input) return;
  int64_t length = tn_infer_min(tn_infer_dim(input, -2), tn_infer_dim(input, -1));
  tn_infer_set_output(c, 0,
                      tn_infer_concatenate(c, tn_infer_subshape(c, input, 0, -2, status),
                                           tn_infer_vector(c, length, status), status));
}

// input, and what diagonal[:-dims] + [?, ?] adds to it.
static void set_diag_output(tn_inference* c, tn_shape_ref input, tn_shape_ref diagonal,
                            int64_t dims, tn_status* status) {
  if (tn_infer_rank_known(diagonal) && !tn_shape_is_full(input)) {
    tn_shape_ref batch = tn_infer_subshape(c, diagonal, 0, -dims, status);
    tn_shape_ref matrix = tn_infer_unknown_of_rank(c, 2, status);
    input = tn_infer_merge(c, input, tn_infer_concatenate(c, batch, matrix, status), status);
  }
  tn_infer_set_output(c, 0, input);
}

static void matrix_set_diag_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref diagonal = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  if (input && tn_infer_rank_known(input))
    diagonal = tn_infer_with_rank(c, diagonal, input->rank - 1, status);
  int64_t length;
  if (input && diagonal &&
      tn_infer_merge_dim(tn_infer_min(tn_infer_dim(input, -2), tn_infer_dim(input, -1)),
                         tn_infer_dim(diagonal, -1), &length, status))
    set_diag_output(c, input, diagonal, 1, status);
}

// Input i, the diagonals wanted: one number, or the lowest and the highest. False when it is
// unknown (status stays OK) or wrong.
static bool read_diagonals(tn_inference* c, int i, int64_t* out_low, int64_t* out_high,
                           tn_status* status) {
  int64_t count;
  const int64_t* k = tn_shapes_ints(c, i, &count, status);
  if (!k) return false;
  if (count < 1 || count > 2 || k[0] > k[count - 1])
    return tn_shapes_fail(status, "k must be one diagonal, or the lowest and the highest");
  *out_low = k[0];
  *out_high = k[count - 1];
  return true;
}

static bool check_diagonal(int64_t k, int64_t rows, int64_t columns, tn_status* status) {
  if (rows < 0 || columns < 0 || k == 0 || (-rows < k && k < columns)) return true;
  return tn_shapes_fail(status, "diagonal %lld is outside a matrix of %lld by %lld", (long long)k,
                        (long long)rows, (long long)columns);
}

static void matrix_diag_part_v3_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  int64_t low, high, length = -1;
  if (!input || !tn_shapes_input_rank(c, 2, 0, status) ||
      !tn_infer_with_rank_at_most(c, tn_infer_input(c, 1), 1, status))
    return;
  if (!tn_infer_rank_known(input) || !read_diagonals(c, 1, &low, &high, status)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  int64_t rows = tn_infer_dim(input, -2), columns = tn_infer_dim(input, -1);
  if (!check_diagonal(low, rows, columns, status) || !check_diagonal(high, rows, columns, status))
    return;
  if (rows >= 0 && columns >= 0) length = least(rows + least(high, 0), columns - most(low, 0));
  tn_shape_ref out = tn_infer_subshape(c, input, 0, -2, status);
  if (low < high)
    out = tn_infer_concatenate(c, out, tn_infer_vector(c, high - low + 1, status), status);
  tn_infer_set_output(c, 0,
                      tn_infer_concatenate(c, out, tn_infer_vector(c, length, status), status));
}

static void matrix_diag_v3_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 1, status);
  int64_t low, high, rows = -1, columns = -1;
  for (int i = 2; i <= 4; ++i)
    if (!tn_shapes_input_rank(c, i, 0, status)) return;
  if (!input || !tn_infer_with_rank_at_most(c, tn_infer_input(c, 1), 1, status)) return;
  if (!tn_infer_rank_known(input) || !read_diagonals(c, 1, &low, &high, status)) {
    tn_infer_set_output(c, 0, tn_infer_unknown(c));
    return;
  }
  if (low < high && tn_infer_dim(input, -2) != high - low + 1) {
    tn_shapes_fail(status, "k names %lld diagonals, but there are %lld",
                   (long long)(high - low + 1), (long long)tn_infer_dim(input, -2));
    return;
  }
  tn_shapes_int(c, 2, &rows, status);
  tn_shapes_int(c, 3, &columns, status);
  if (!tn_ok(status)) return;
  int64_t length = tn_infer_dim(input, -1);
  if (length > INT32_MAX) {
    tn_shapes_fail(status, "diagonals of %lld elements are too long", (long long)length);
    return;
  }
  int64_t least_rows = length - least(high, 0), least_columns = length + most(low, 0);
  if (rows == -1 && columns == -1) rows = columns = most(least_rows, least_columns);
  if (rows == -1) rows = least_rows;
  if (columns == -1) columns = least_columns;
  if (rows < least_rows || columns < least_columns ||
      (rows != least_rows && columns != least_columns)) {
    tn_shapes_fail(status, "diagonals of %lld do not fit a matrix of %lld by %lld",
                   (long long)length, (long long)rows, (long long)columns);
    return;
  }
  tn_shape_ref matrix = tn_infer_make(c, (int64_t[]){rows, columns}, 2, status);
  tn_shape_ref batch = tn_infer_subshape(c, input, 0, low == high ? -1 : -2, status);
  tn_infer_set_output(c, 0, tn_infer_concatenate(c, batch, matrix, status));
}

static void matrix_set_diag_v3_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref input = tn_infer_with_rank_at_least(c, tn_infer_input(c, 0), 2, status);
  tn_shape_ref diagonal = tn_infer_with_rank_at_least(c, tn_infer_input(c, 1), 1, status);
  int64_t low = 0, high = 0;
  if (!input || !diagonal || !tn_infer_with_rank_at_most(c, tn_infer_input(c, 2), 1, status))
    return;
  bool known = read_diagonals(c, 2, &low, &high, status);
  if (!tn_ok(status)) return;
  int64_t rank = input->rank, rows = tn_infer_dim(input, -2), columns = tn_infer_dim(input, -1);
  if (rank >= 0 && known) {
    diagonal = tn_infer_with_rank(c, diagonal, low < high ? rank : rank - 1, status);
  } else if (rank >= 0) {
    diagonal = tn_infer_with_rank_at_least(c, diagonal, rank - 1, status);
    diagonal = tn_infer_with_rank_at_most(c, diagonal, rank, status);
  }
  if (!diagonal || !check_diagonal(low, rows, columns, status) ||
      !check_diagonal(high, rows, columns, status))
    return;
  // As in TensorFlow, a diagonal that nothing says to be one of several counts as the only one.
  set_diag_output(c, input, diagonal, low < high || diagonal->rank == rank ? 2 : 1, status);
}

#define ALIGN "; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
#define DIAG_TYPES "{bfloat16, half, float, double, int32, int64, complex64, complex128}"

const tn_builtin_op tn_diagonal_ops[] = {
    {"Diag", "diagonal: T", "output: T", "T: " DIAG_TYPES, diag_shape},
    {"DiagPart", "input: T", "diagonal: T", "T: " DIAG_TYPES, diag_part_shape},
    {"MatrixDiag", "diagonal: T", "output: T", "T: type", matrix_diag_shape},
    {"MatrixDiagPart", "input: T", "diagonal: T", "T: type", matrix_diag_part_shape},
    {"MatrixSetDiag", "input: T; diagonal: T", "output: T", "T: type", matrix_set_diag_shape},
    {"MatrixDiagV3", "diagonal: T; k: int32; num_rows: int32; num_cols: int32; padding_value: T",
     "output: T", "T: type" ALIGN, matrix_diag_v3_shape},
    {"MatrixDiagPartV3", "input: T; k: int32; padding_value: T", "diagonal: T", "T: type" ALIGN,
     matrix_diag_part_v3_shape},
    {"MatrixSetDiagV3", "input: T; diagonal: T; k: int32", "output: T", "T: type" ALIGN,
     matrix_set_diag_v3_shape},
    {"MatrixBandPart", "input: T; num_lower: Tindex; num_upper: Tindex", "band: T",
     "T: type; Tindex: " INDEX_64, tn_shapes_like_input},
    {0},
};
