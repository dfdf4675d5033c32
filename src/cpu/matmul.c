#include "cpu/matmul.h"

#include "cpu/matmul_blocks.h"
#include "cpu/matmul_thin.h"
#include "cpu/onednn.h"
#include "cpu/parallel.h"

typedef struct operands {
  tn_cpu_matrix a, b;
} operands;

static const void* element_at(const tn_cpu_matrix* matrix, tn_dtype dtype, int64_t row,
                              int64_t column) {
  return (const char*)matrix->data +
         (row * matrix->row_stride + column * matrix->column_stride) * (int64_t)tn_cpu_size(dtype);
}

static void fill_a(const tn_product* product, const tn_matmul_loops* loops, int64_t row, int rows,
                   int64_t p, int64_t depth, void* panel) {
  const tn_dtype dtype = product->dtype;
  const tn_cpu_matrix* a = &((const operands*)product->source)->a;
  const char* from = element_at(a, dtype, row, p);
  if (product->by_column) {
    loops->pack[dtype](from, a->column_stride, a->row_stride, a->conjugate, depth, rows, panel,
                       loops->rows[dtype]);
    return;
  }
  const int64_t step = a->row_stride * (int64_t)tn_cpu_size(dtype);
  const size_t panel_step = TN_MATMUL_A_STRIDE * tn_cpu_compute_size(dtype);
  for (int i = 0; i < rows; ++i)
    loops->gather[dtype](from + i * step, a->column_stride, a->conjugate, depth,
                         (char*)panel + (size_t)i * panel_step);
}

static void fill_b(const tn_product* product, const tn_matmul_loops* loops, int64_t p,
                   int64_t depth, int64_t column, int columns, void* panel) {
  const tn_cpu_matrix* b = &((const operands*)product->source)->b;
  loops->pack_b[product->dtype](element_at(b, product->dtype, p, column), b->row_stride,
                                b->column_stride, b->conjugate, depth, columns, panel);
}

// Pieces of one product of floats for oneDNN, in a grid over the result, one for each thread. It
// packs what a piece is made of, so pieces are large, and as square as can be.
enum { LEAST_PIECE = 1 << 20, PIECE_UNIT = 16 };
// So many products are a second or less on one core: then who lends threads may ask for an end.
#define MOST_PIECE 3e10

typedef struct pieces_job {
  int64_t m, n, k, high, wide, across;
  tn_cpu_matrix a, b;
  float* out;
  bool failed;
} pieces_job;

static bool has_rows(const tn_cpu_matrix* matrix, int64_t columns) {
  return matrix->column_stride == 1 && matrix->row_stride >= columns;
}
static bool has_columns(const tn_cpu_matrix* matrix, int64_t rows) {
  return matrix->row_stride == 1 && matrix->column_stride >= rows;
}

static bool suits_onednn(int64_t m, int64_t n, int64_t k, const tn_cpu_matrix* a,
                         const tn_cpu_matrix* b) {
  return (has_rows(a, k) || has_columns(a, m)) && (has_rows(b, n) || has_columns(b, k));
}

static void multiply_pieces(void* arg, int64_t begin, int64_t end) {
  pieces_job* job = arg;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = i / job->across * job->high, column = i % job->across * job->wide;
    const int64_t rows = tn_smaller(job->high, job->m - row);
    const int64_t columns = tn_smaller(job->wide, job->n - column);
    const bool a_turned = !has_rows(&job->a, job->k), b_turned = !has_rows(&job->b, job->n);
    if (!tn_onednn_sgemm(rows, columns, job->k, element_at(&job->a, TN_FLOAT, row, 0), a_turned,
                         a_turned ? job->a.column_stride : job->a.row_stride,
                         element_at(&job->b, TN_FLOAT, 0, column), b_turned,
                         b_turned ? job->b.column_stride : job->b.row_stride,
                         job->out + row * job->n + column, job->n))
      __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
  }
}

static bool multiply_by_onednn(int64_t m, int64_t n, int64_t k, tn_cpu_matrix a, tn_cpu_matrix b,
                               float* out, const tn_cpu_parallel* parallel) {
  const double products = (double)m * (double)n * (double)k;
  const int threads = tn_cpu_thread_count(parallel);
  int64_t most = products < (double)LEAST_PIECE * threads ? (int64_t)(products / LEAST_PIECE)
                                                          : (int64_t)threads;
  if ((double)most < products / MOST_PIECE) most = (int64_t)(products / MOST_PIECE);
  int64_t down = 1, across = 1;
  while (down * across < most) {
    if (m / down >= n / across) {
      down += 1;
    } else {
      across += 1;
    }
  }
  pieces_job job = {.m = m, .n = n, .k = k, .a = a, .b = b, .out = out};
  job.high = tn_round_up(tn_pieces(m, down), PIECE_UNIT);
  job.wide = tn_round_up(tn_pieces(n, across), PIECE_UNIT);
  job.across = tn_pieces(n, job.wide);
  const int64_t count = tn_pieces(m, job.high) * job.across;
  tn_cpu_run(count > 1 ? parallel : NULL, count, (int64_t)(products / (double)count / 64.0),
             multiply_pieces, &job);
  return !job.failed;
}

// Floats are left to oneDNN where it is there; then nobody waits for memory that is not used.
static bool is_for_onednn(tn_dtype dtype) { return dtype == TN_FLOAT && tn_onednn_is_there(); }

size_t tn_cpu_matmul_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  if (is_for_onednn(dtype)) return 0;
  return tn_is_thin(dtype, m, n, k) ? tn_thin_workspace(dtype, m, n, k)
                                    : tn_product_workspace(dtype, m, n, k);
}

void tn_cpu_matmul(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a,
                   tn_cpu_matrix b, void* out, void* workspace, const tn_cpu_parallel* parallel) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    memset(out, 0, (size_t)m * (size_t)n * tn_cpu_size(dtype));
    return;
  }
  const bool for_onednn = is_for_onednn(dtype);
  if (for_onednn && suits_onednn(m, n, k, &a, &b) &&
      multiply_by_onednn(m, n, k, a, b, out, parallel))
    return;
  if (!for_onednn && tn_is_thin(dtype, m, n, k)) {
    tn_thin_run(dtype, m, n, k, a, b, out, workspace, parallel);
    return;
  }
  const operands source = {a, b};
  const tn_product product = {.dtype = dtype,
                              .m = m,
                              .n = n,
                              .k = k,
                              .source = &source,
                              .by_column = a.row_stride == 1 && a.column_stride != 1,
                              .fill_a = fill_a,
                              .fill_b = fill_b,
                              .out = out};
  if (for_onednn) {
    tn_product_run_without(&product, parallel);
  } else {
    tn_product_run(&product, workspace, parallel);
  }
}

// Products that are large are computed one after the other, by all threads; small ones at once, in
// a number of lanes that each have a workspace.
enum { MOST_LANES = 32, LARGE = 1 << 22 };

typedef struct batch_job {
  tn_dtype dtype;
  const tn_cpu_batch* batch;
  int64_t count, m, n, k;
  tn_cpu_matrix a, b;
  char *out, *workspace;
  size_t lane_bytes;
  int64_t lanes;
  const tn_cpu_parallel* parallel;  // for one product
} batch_job;

static int64_t batch_count(const tn_cpu_batch* batch) {
  int64_t count = 1;
  for (int i = 0; i < batch->rank; ++i) count *= batch->dims[i];
  return count;
}

static int64_t lane_count(int64_t count, int64_t m, int64_t n, int64_t k) {
  const bool large = (double)m * (double)n * (double)k >= LARGE;
  return large ? 1 : tn_smaller(count, MOST_LANES);
}

static size_t lane_bytes(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  return (tn_cpu_matmul_workspace(dtype, m, n, k) + 63) / 64 * 64;
}

// One matrix b for all, and a's rows at one distance: then it is a single product.
static bool is_single(const tn_cpu_batch* batch, int64_t m, tn_cpu_matrix a) {
  int64_t distance = m * a.row_stride;
  for (int i = batch->rank - 1; i >= 0; --i) {
    if (batch->dims[i] == 1) continue;
    if (batch->b_strides[i] != 0 || batch->a_strides[i] != distance) return false;
    distance *= batch->dims[i];
  }
  return true;
}

size_t tn_cpu_batch_matmul_workspace(tn_dtype dtype, const tn_cpu_batch* batch, int64_t m,
                                     int64_t n, int64_t k) {
  const int64_t count = batch_count(batch);
  const size_t together = tn_cpu_matmul_workspace(dtype, m * count, n, k);
  const size_t apart = lane_bytes(dtype, m, n, k) * (size_t)lane_count(count, m, n, k);
  return together > apart ? together : apart;
}

static void multiply_one(const batch_job* job, int64_t index, void* workspace) {
  tn_cpu_matrix a = job->a, b = job->b;
  int64_t rest = index, a_at = 0, b_at = 0;
  for (int i = job->batch->rank - 1; i >= 0; --i) {
    const int64_t at = rest % job->batch->dims[i];
    rest /= job->batch->dims[i];
    a_at += at * job->batch->a_strides[i];
    b_at += at * job->batch->b_strides[i];
  }
  const int64_t size = (int64_t)tn_cpu_size(job->dtype);
  a.data = (const char*)a.data + a_at * size;
  b.data = (const char*)b.data + b_at * size;
  tn_cpu_matmul(job->dtype, job->m, job->n, job->k, a, b, job->out + index * job->m * job->n * size,
                workspace, job->parallel);
}

static void multiply_lanes(void* arg, int64_t begin, int64_t end) {
  const batch_job* job = arg;
  for (int64_t lane = begin; lane < end; ++lane) {
    const int64_t share = tn_pieces(job->count, job->lanes);
    for (int64_t i = lane * share; i < (lane + 1) * share && i < job->count; ++i)
      multiply_one(job, i, job->workspace + (size_t)lane * job->lane_bytes);
  }
}

void tn_cpu_batch_matmul(tn_dtype dtype, const tn_cpu_batch* batch, int64_t m, int64_t n, int64_t k,
                         tn_cpu_matrix a, tn_cpu_matrix b, void* out, void* workspace,
                         const tn_cpu_parallel* parallel) {
  const int64_t count = batch_count(batch);
  if (count == 0 || m == 0 || n == 0) return;
  if (is_single(batch, m, a)) {
    tn_cpu_matmul(dtype, m * count, n, k, a, b, out, workspace, parallel);
    return;
  }
  batch_job job = {.dtype = dtype,
                   .batch = batch,
                   .count = count,
                   .m = m,
                   .n = n,
                   .k = k,
                   .a = a,
                   .b = b,
                   .out = out,
                   .workspace = workspace,
                   .lane_bytes = lane_bytes(dtype, m, n, k),
                   .lanes = lane_count(count, m, n, k)};
  if (job.lanes == 1) {
    job.parallel = parallel;
    multiply_lanes(&job, 0, 1);
  } else {
    const int64_t cost = tn_pieces(count, job.lanes) * (m * n * k / 32 + 100);
    tn_cpu_run(parallel, job.lanes, cost, multiply_lanes, &job);
  }
}
