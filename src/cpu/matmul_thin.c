#include "cpu/matmul_thin.h"

#include "cpu/matmul_blocks.h"
#include "cpu/matmul_thin_loops.h"
#include "cpu/parallel.h"

// A few rows of a, as numbers that are computed in, go past the elements of b once: past a strip of
// b's rows where these lie together, else along its columns.

enum {
  STRIP = 512,   // elements of b at a time
  COLUMNS = 16,  // of b in one task along columns
  DEPTH = 256,   // products in one sum, before sums are summed
  WORD = 8,      // bytes of the largest number computed in
};

typedef struct thin_job {
  const tn_matmul_loops* loops;
  const tn_matmul_thin_loops* thin;
  tn_dtype dtype;
  bool converts;  // b's elements are not what is computed in
  int64_t compute_size, rows, n, k;
  tn_cpu_matrix b;
  const char* a;  // rows one after the other, each k long and some zeros
  int64_t a_stride;
  char* out;
  int64_t row_stride, column_stride;
} thin_job;

bool tn_is_thin(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  return (TN_CPU_TYPE(dtype) & TN_CPU_REALS) && (m <= TN_THIN_ROWS || n <= TN_THIN_ROWS) && k >= 64;
}

static int64_t row_length(int64_t k) { return tn_round_up(k, TN_THIN_STEP); }

size_t tn_thin_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  const int64_t rows = m <= TN_THIN_ROWS ? m : n;
  return (size_t)(rows * row_length(k)) * tn_cpu_compute_size(dtype);
}

static const char* b_at(const thin_job* job, int64_t row, int64_t column) {
  return (const char*)job->b.data + (row * job->b.row_stride + column * job->b.column_stride) *
                                        (int64_t)tn_cpu_size(job->dtype);
}

// `count` elements of b that are `stride` apart, as they are or in `space`.
static const void* b_run(const thin_job* job, const char* from, int64_t stride, int64_t count,
                         void* space) {
  if (stride == 1 && !job->converts) return from;
  job->loops->gather[job->dtype](from, stride, false, count, space);
  return space;
}

// The sums of columns [column, column + count).
static void add_strip(const thin_job* job, int64_t column, int64_t count) {
  char totals[TN_THIN_ROWS * STRIP * WORD] __attribute__((aligned(64)));
  char sums[TN_THIN_ROWS * STRIP * WORD] __attribute__((aligned(64)));
  char space[TN_THIN_STEP][STRIP * WORD] __attribute__((aligned(64)));
  static const char zeros[STRIP * WORD];
  const size_t bytes = (size_t)(job->rows * count * job->compute_size);
  memset(totals, 0, bytes);
  for (int64_t p0 = 0; p0 < job->k; p0 += DEPTH) {
    memset(sums, 0, bytes);
    for (int64_t p = p0; p < p0 + DEPTH && p < job->k; p += TN_THIN_STEP) {
      const void* b[TN_THIN_STEP];
      for (int i = 0; i < TN_THIN_STEP; ++i)
        b[i] = p + i < job->k ? b_run(job, b_at(job, p + i, column), 1, count, space[i]) : zeros;
      job->thin->add[job->dtype]((int)job->rows, job->a + p * job->compute_size, job->a_stride, b,
                                 count, sums, count);
    }
    for (int64_t r = 0; r < job->rows; ++r)
      job->thin->join[job->dtype](totals + r * count * job->compute_size,
                                  sums + r * count * job->compute_size, count);
  }
  const int64_t size = (int64_t)tn_cpu_size(job->dtype);
  for (int64_t r = 0; r < job->rows; ++r)
    job->thin->store[job->dtype](
        totals + r * count * job->compute_size, count,
        job->out + (r * job->row_stride + column * job->column_stride) * size, job->column_stride);
}

static void add_strips(void* arg, int64_t begin, int64_t end) {
  const thin_job* job = arg;
  for (int64_t i = begin; i < end; ++i)
    add_strip(job, i * STRIP, tn_smaller(STRIP, job->n - i * STRIP));
}

static void dot_columns(void* arg, int64_t begin, int64_t end) {
  const thin_job* job = arg;
  const int64_t size = (int64_t)tn_cpu_size(job->dtype);
  for (int64_t j = begin * COLUMNS; j < end * COLUMNS && j < job->n; ++j) {
    uint64_t totals[TN_THIN_ROWS] = {0};
    char space[STRIP * WORD] __attribute__((aligned(64)));
    for (int64_t p = 0; p < job->k; p += STRIP) {
      const int64_t count = tn_smaller(STRIP, job->k - p);
      const void* b = b_run(job, b_at(job, p, j), job->b.row_stride, count, space);
      job->thin->dot[job->dtype]((int)job->rows, job->a + p * job->compute_size, job->a_stride, b,
                                 count, totals, 1);
    }
    job->thin->store[job->dtype](totals, job->rows, job->out + j * job->column_stride * size,
                                 job->row_stride);
  }
}

static tn_cpu_matrix turned(tn_cpu_matrix matrix) {
  return (tn_cpu_matrix){matrix.data, matrix.column_stride, matrix.row_stride, matrix.conjugate};
}

void tn_thin_run(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a, tn_cpu_matrix b,
                 void* out, void* workspace, const tn_cpu_parallel* parallel) {
  thin_job job = {.loops = TN_CPU_CHOOSE(tn_matmul_loops),
                  .thin = TN_CPU_CHOOSE(tn_matmul_thin_loops),
                  .dtype = dtype,
                  .converts = tn_cpu_compute_size(dtype) != tn_cpu_size(dtype),
                  .compute_size = (int64_t)tn_cpu_compute_size(dtype),
                  .rows = m,
                  .n = n,
                  .k = k,
                  .b = b,
                  .a = workspace,
                  .a_stride = row_length(k),
                  .out = out,
                  .row_stride = n,
                  .column_stride = 1};
  tn_cpu_matrix few = a;
  if (m > TN_THIN_ROWS) {  // the transposed product
    few = turned(b);
    job.b = turned(a);
    job.rows = n;
    job.n = m;
    job.row_stride = 1;
    job.column_stride = n;
  }
  for (int64_t r = 0; r < job.rows; ++r) {
    char* row = (char*)workspace + r * job.a_stride * job.compute_size;
    memset(row, 0, (size_t)(job.a_stride * job.compute_size));
    job.loops->gather[dtype](
        (const char*)few.data + r * few.row_stride * (int64_t)tn_cpu_size(dtype), few.column_stride,
        false, k, row);
  }
  const int64_t cost = job.rows * k / 16 + k / 8 + 1;  // of a column of b
  if (job.b.column_stride == 1 && job.n >= 32) {
    tn_cpu_run(parallel, tn_pieces(job.n, STRIP), cost * STRIP / 4, add_strips, &job);
  } else {
    tn_cpu_run(parallel, tn_pieces(job.n, COLUMNS), cost * COLUMNS / 4, dot_columns, &job);
  }
}
