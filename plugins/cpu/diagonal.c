// Diagonals: Diag, DiagPart, MatrixDiag, MatrixDiagPart, MatrixSetDiag, the V3 of these three, and
// MatrixBandPart.

#include <stdlib.h>
#include <string.h>

#include "moving.h"

static const char zeros[16];

static void diag(void* state, TF_OpKernelContext* context) {
  run run;
  array diagonal, output;
  int64_t dims[2 * TN_CPU_MAX_RANK];
  run_begin(&run, context, "Diag");
  if (run_input(&run, 0, &diagonal) && diagonal.rank == 0)
    run_fail(&run, TF_INVALID_ARGUMENT, "input diagonal is a scalar, and must have a dimension");
  if (run_ok(&run) && check_output_rank(&run, 2 * diagonal.rank)) {
    for (int i = 0; i < 2 * diagonal.rank; ++i) dims[i] = diagonal.dims[i % diagonal.rank];
    if (check_output_dims(&run, 2 * diagonal.rank, dims) &&
        run_output(&run, 0, 2 * diagonal.rank, dims, &output)) {
      const int64_t from = 1, to = diagonal.count + 1;
      fill_elements(&run, output.dtype, output.count, zeros, output.data);
      move_elements(&run, output.dtype, 1, &diagonal.count, (place){diagonal.data, &from},
                    (place){output.data, &to});
    }
  }
  run_end(&run);
}

static void diag_part(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  run_begin(&run, context, "DiagPart");
  if (run_input(&run, 0, &input)) {
    char text[SHAPE_TEXT];
    const int half = input.rank / 2;
    if (input.rank % 2 ||
        memcmp(input.dims, input.dims + half, (size_t)half * sizeof input.dims[0]) != 0) {
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input input of shape %s must have an even rank, and the second half of its "
               "dimensions be like the first",
               shape_text(input.rank, input.dims, text));
    } else if (run_output(&run, 0, half, input.dims, &output)) {
      const int64_t from = output.count + 1, to = 1;
      move_elements(&run, input.dtype, 1, &output.count, (place){input.data, &from},
                    (place){output.data, &to});
    }
  }
  run_end(&run);
}

// Diagonals `lower` to `upper` of matrices, as rows, the upper first. A shorter one stands at the
// left or at the right of its row.
typedef struct band {
  int64_t lower, upper;
  int64_t batches, rows, columns;  // of the matrices
  int64_t longest;
  bool left_above, left_below;  // where diagonals above and below the main one stand
} band;

static int64_t band_count(const band* band) { return band->upper - band->lower + 1; }

// The state of the V3 ops.
typedef struct align_state {
  bool left_above, left_below;
} align_state;

static void* align_create(TF_OpKernelConstruction* construction) {
  static const char* const choices[] = {"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT",
                                        NULL};
  attrs attrs;
  attrs_begin(&attrs, construction, "a MatrixDiag op");
  const int choice = attr_choice(&attrs, "align", choices);
  const align_state state = {choice == 0 || choice == 2, choice == 1 || choice == 2};
  return attrs_end(&attrs, &state, sizeof state);
}

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t at_least(int64_t a, int64_t b) { return a > b ? a : b; }

// Reads k: one diagonal, or the lowest and the highest.
static bool read_band(run* run, int index, const align_state* align, band* out) {
  array k;
  *out =
      (band){.left_above = align && align->left_above, .left_below = !align || align->left_below};
  if (index < 0) return true;  // the main one
  if (!run_input(run, index, &k)) return false;
  if (k.rank > 1 || k.count < 1 || k.count > 2 || index_at(&k, 0) > index_at(&k, k.count - 1)) {
    char text[SHAPE_TEXT];
    run_fail(run, TF_INVALID_ARGUMENT,
             "input k must be one number or two that do not fall, not of shape %s",
             shape_text(k.rank, k.dims, text));
    return false;
  }
  out->lower = index_at(&k, 0);
  out->upper = index_at(&k, k.count - 1);
  return true;
}

// Takes the matrices from the last two of `dims`.
static void set_matrices(band* band, int rank, const int64_t* dims) {
  band->batches = product(dims, 0, rank - 2);
  band->rows = dims[rank - 2];
  band->columns = dims[rank - 1];
  band->longest =
      at_most(band->rows + at_most(band->upper, 0), band->columns - at_least(band->lower, 0));
}

static bool check_band(run* run, const band* band) {
  const int64_t ends[] = {band->lower, band->upper};
  for (int i = 0; i < 2; ++i) {
    if ((ends[i] > -band->rows && ends[i] < band->columns) || ends[i] == 0) continue;
    run_fail(run, TF_INVALID_ARGUMENT,
             "k names diagonal %lld, and matrices of %lld rows and %lld columns do not have it",
             (long long)ends[i], (long long)band->rows, (long long)band->columns);
    return false;
  }
  return true;
}

// Moves every diagonal between matrices and rows.
static void move_diagonals(run* run, const band* band, tn_dtype dtype, void* matrices, void* rows,
                           bool to_rows) {
  const int64_t matrix = band->rows * band->columns, count = band_count(band);
  for (int64_t i = 0; i < count && run_ok(run); ++i) {
    const int64_t d = band->upper - i;
    const int64_t length = at_most(band->rows + at_most(d, 0), band->columns - at_least(d, 0));
    if (length <= 0) continue;  // not in matrices of this size
    const bool left = (d >= 0 && band->left_above) || (d <= 0 && band->left_below);
    const int64_t dims[] = {band->batches, length};
    const int64_t in_matrix[] = {matrix, band->columns + 1};
    const int64_t in_rows[] = {count * band->longest, 1};
    const int64_t first = at_least(-d, 0) * band->columns + at_least(d, 0);
    const place a = {element_at(dtype, matrices, first), in_matrix};
    const place b = {
        element_at(dtype, rows, i * band->longest + (left ? 0 : band->longest - length)), in_rows};
    move_elements(run, dtype, 2, dims, to_rows ? a : b, to_rows ? b : a);
  }
}

static bool check_rank(run* run, const char* name, const array* input, int least) {
  char text[SHAPE_TEXT];
  if (input->rank >= least) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input %s must have rank %d or more, not shape %s", name,
           least, shape_text(input->rank, input->dims, text));
  return false;
}

// Reads a scalar input; it is a `missing` when index is negative.
static bool read_scalar(run* run, const char* name, int index, int64_t missing, int64_t* out) {
  array input;
  *out = missing;
  if (index < 0) return true;
  if (!run_input(run, index, &input)) return false;
  if (input.rank != 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a scalar", name);
    return false;
  }
  *out = index_at(&input, 0);
  return true;
}

// What fills the rest of an output: input `index`, or zeros when that is negative.
static bool read_padding(run* run, int index, array* out, const void** value) {
  *value = zeros;
  if (index < 0) return true;
  if (!run_input(run, index, out)) return false;
  *value = out->data;
  if (out->rank == 0) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "input padding_value must be a scalar");
  return false;
}

static void part_of_matrices(TF_OpKernelContext* context, const char* op,
                             const align_state* align) {
  run run;
  array input, padding, output;
  band band;
  const void* value;
  int64_t dims[TN_CPU_MAX_RANK];
  run_begin(&run, context, op);
  if (run_input(&run, 0, &input) && check_rank(&run, "input", &input, 2) &&
      read_band(&run, align ? 1 : -1, align, &band) &&
      read_padding(&run, align ? 2 : -1, &padding, &value)) {
    set_matrices(&band, input.rank, input.dims);
    int rank = input.rank - 2;
    memcpy(dims, input.dims, (size_t)rank * sizeof dims[0]);
    if (band_count(&band) > 1) dims[rank++] = band_count(&band);
    dims[rank++] = band.longest;
    if (check_band(&run, &band) && check_output_dims(&run, rank, dims) &&
        run_output(&run, 0, rank, dims, &output)) {
      if (band_count(&band) > 1)
        fill_elements(&run, output.dtype, output.count, value, output.data);
      move_diagonals(&run, &band, input.dtype, input.data, output.data, true);
    }
  }
  run_end(&run);
}

// The number of rows and columns, where they are not given (-1): the fewest that hold the
// diagonals, or a square.
static bool complete_matrix(run* run, const band* band, int64_t longest, int64_t* rows,
                            int64_t* columns) {
  const int64_t fewest_rows = longest - at_most(band->upper, 0);
  const int64_t fewest_columns = longest + at_least(band->lower, 0);
  if (*rows == -1 && *columns == -1) {
    *rows = *columns = at_least(fewest_rows, fewest_columns);
  } else {
    if (*rows == -1) *rows = fewest_rows;
    if (*columns == -1) *columns = fewest_columns;
  }
  if (*rows >= fewest_rows && *columns >= fewest_columns &&
      (*rows == fewest_rows || *columns == fewest_columns))
    return true;
  run_fail(run, TF_INVALID_ARGUMENT,
           "num_rows %lld and num_cols %lld do not fit diagonals %lld to %lld of %lld elements",
           (long long)*rows, (long long)*columns, (long long)band->lower, (long long)band->upper,
           (long long)longest);
  return false;
}

static void matrices_of(TF_OpKernelContext* context, const char* op, const align_state* align) {
  run run;
  array diagonal, padding, output;
  band band;
  const void* value;
  int64_t dims[TN_CPU_MAX_RANK + 1], rows, columns;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &diagonal) && check_rank(&run, "diagonal", &diagonal, 1) &&
      read_band(&run, align ? 1 : -1, align, &band) &&
      read_scalar(&run, "num_rows", align ? 2 : -1, -1, &rows) &&
      read_scalar(&run, "num_cols", align ? 3 : -1, -1, &columns) &&
      read_padding(&run, align ? 4 : -1, &padding, &value)) {
    const int own = band_count(&band) > 1 ? 2 : 1;  // dimensions of one matrix's diagonals
    const int rank = diagonal.rank - own + 2;
    if (diagonal.rank < own || (own == 2 && diagonal.dims[diagonal.rank - 2] != band_count(&band)))
      run_fail(&run, TF_INVALID_ARGUMENT,
               "input diagonal must have %lld rows of diagonals before its last dimension",
               (long long)band_count(&band));
    if (run_ok(&run) && check_output_rank(&run, rank) &&
        complete_matrix(&run, &band, diagonal.dims[diagonal.rank - 1], &rows, &columns)) {
      memcpy(dims, diagonal.dims, (size_t)(rank - 2) * sizeof dims[0]);
      dims[rank - 2] = rows;
      dims[rank - 1] = columns;
      set_matrices(&band, rank, dims);
      if (check_output_dims(&run, rank, dims) && run_output(&run, 0, rank, dims, &output) &&
          output.count > 0) {
        fill_elements(&run, output.dtype, output.count, value, output.data);
        move_diagonals(&run, &band, output.dtype, output.data, diagonal.data, false);
      }
    }
  }
  run_end(&run);
}

static void set_diagonals(TF_OpKernelContext* context, const char* op, const align_state* align) {
  run run;
  array input, diagonal, output;
  band band;
  run_begin(&run, context, op);
  if (run_input(&run, 0, &input) && run_input(&run, 1, &diagonal) &&
      check_rank(&run, "input", &input, 2) && read_band(&run, align ? 2 : -1, align, &band)) {
    char text[SHAPE_TEXT], expected_text[SHAPE_TEXT];
    int64_t dims[TN_CPU_MAX_RANK];
    int rank = input.rank - 2;
    set_matrices(&band, input.rank, input.dims);
    memcpy(dims, input.dims, (size_t)rank * sizeof dims[0]);
    if (band_count(&band) > 1) dims[rank++] = band_count(&band);
    dims[rank++] = band.longest;
    check_band(&run, &band);
    if (diagonal.rank != rank || memcmp(diagonal.dims, dims, (size_t)rank * sizeof dims[0]) != 0)
      run_fail(&run, TF_INVALID_ARGUMENT, "input diagonal must have shape %s, not %s",
               shape_text(rank, dims, expected_text),
               shape_text(diagonal.rank, diagonal.dims, text));
    if (run_ok(&run) && run_output_or_forward(&run, 1, 0, input.rank, input.dims, &output)) {
      if (output.data != input.data)
        move_dense(&run, input.dtype, input.count, input.data, output.data);
      move_diagonals(&run, &band, input.dtype, output.data, diagonal.data, false);
    }
  }
  run_end(&run);
}

#define DIAGONAL(name, function, op, align) \
  static void name(void* state, TF_OpKernelContext* context) { function(context, op, align); }
DIAGONAL(matrix_diag, matrices_of, "MatrixDiag", NULL)
DIAGONAL(matrix_diag_v3, matrices_of, "MatrixDiagV3", state)
DIAGONAL(matrix_diag_part, part_of_matrices, "MatrixDiagPart", NULL)
DIAGONAL(matrix_diag_part_v3, part_of_matrices, "MatrixDiagPartV3", state)
DIAGONAL(matrix_set_diag, set_diagonals, "MatrixSetDiag", NULL)
DIAGONAL(matrix_set_diag_v3, set_diagonals, "MatrixSetDiagV3", state)

typedef struct band_part_job {
  int64_t rows, lower, upper;
  size_t row_bytes, size;
  const char* in;
  char* out;
} band_part_job;

static void keep_band(void* arg, int64_t begin, int64_t end) {
  const band_part_job* job = arg;
  const int64_t columns = (int64_t)(job->row_bytes / job->size);
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = i % job->rows;
    const int64_t first = job->lower < 0 ? 0 : at_least(row - job->lower, 0);
    const int64_t last = job->upper < 0 ? columns : at_most(row + job->upper + 1, columns);
    const char* from = job->in + i * (int64_t)job->row_bytes;
    char* to = job->out + i * (int64_t)job->row_bytes;
    memset(to, 0, job->row_bytes);
    if (first < last)
      memcpy(to + (size_t)first * job->size, from + (size_t)first * job->size,
             (size_t)(last - first) * job->size);
  }
}

static void matrix_band_part(void* state, TF_OpKernelContext* context) {
  run run;
  array input, output;
  int64_t lower, upper;
  run_begin(&run, context, "MatrixBandPart");
  if (run_input(&run, 0, &input) && check_rank(&run, "input", &input, 2) &&
      read_scalar(&run, "num_lower", 1, 0, &lower) &&
      read_scalar(&run, "num_upper", 2, 0, &upper)) {
    const int64_t rows = input.dims[input.rank - 2], columns = input.dims[input.rank - 1];
    if (lower > rows || upper > columns)
      run_fail(&run, TF_INVALID_ARGUMENT,
               "num_lower is %lld and num_upper %lld, and must not be above %lld rows and %lld "
               "columns",
               (long long)lower, (long long)upper, (long long)rows, (long long)columns);
    if (run_ok(&run) && run_output(&run, 0, input.rank, input.dims, &output) && output.count > 0) {
      const size_t size = element_size(input.dtype);
      band_part_job job = {rows, lower,      upper,      (size_t)columns * size,
                           size, input.data, output.data};
      run.parallel->run(run.parallel->pool, input.count / columns, (int64_t)job.row_bytes / 8 + 10,
                        keep_band, &job);
    }
  }
  run_end(&run);
}

void register_diagonal(void) {
  const tn_cpu_types types = MOVABLE & ~TN_CPU_TYPE(TN_STRING);
  const struct {
    const char* op;
    void (*compute)(void*, TF_OpKernelContext*);
    bool aligned;
  } rows[] = {
      {"Diag", diag, false},
      {"DiagPart", diag_part, false},
      {"MatrixDiag", matrix_diag, false},
      {"MatrixDiagV3", matrix_diag_v3, true},
      {"MatrixDiagPart", matrix_diag_part, false},
      {"MatrixDiagPartV3", matrix_diag_part_v3, true},
      {"MatrixSetDiag", matrix_set_diag, false},
      {"MatrixSetDiagV3", matrix_set_diag_v3, true},
      {"MatrixBandPart", matrix_band_part, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const kernel kernel = {.op = rows[i].op,
                           .create = rows[i].aligned ? align_create : NULL,
                           .compute = rows[i].compute,
                           .destroy = rows[i].aligned ? free : NULL,
                           .constraints = {{"T", types}}};
    register_kernels(&kernel, 1);
  }
}
