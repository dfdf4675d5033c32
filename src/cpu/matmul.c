#include "cpu/matmul_loops.h"
#include "cpu/parallel.h"

// Blocks of b, TN_MATMUL_DEPTH rows deep and about a megabyte large, are packed one after the
// other; the rows of a go by in panels as high as a tile.

enum { BLOCK_BYTES = 1 << 20 };

typedef struct matmul_job {
  const tn_matmul_loops* loops;
  tn_dtype dtype;
  size_t compute_size;
  int64_t m, n;
  tn_cpu_matrix a, b;
  char *packed, *partial, *out;
  // The block at hand.
  int64_t row, depth, column, columns;
  bool first, last;
} matmul_job;

static size_t compute_size(tn_dtype dtype) {
#define COMPUTE_SIZE(x, dtype, _) [dtype] = sizeof(c_##x),
  static const uint8_t sizes[TN_CPU_DTYPES] = {TN_CPU_EACH_NUMBER(COMPUTE_SIZE, )};
  return sizes[dtype];
}

static int64_t round_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Columns of b in a block; a whole number of panels.
static int64_t block_columns(const tn_matmul_loops* loops, tn_dtype dtype, int64_t n) {
  int64_t most = BLOCK_BYTES / TN_MATMUL_DEPTH / (int64_t)compute_size(dtype);
  return round_up(smaller(n, most), loops->columns[dtype]);
}

static size_t packed_bytes(const tn_matmul_loops* loops, tn_dtype dtype, int64_t n, int64_t k) {
  int64_t elements = block_columns(loops, dtype, n) * smaller(k, TN_MATMUL_DEPTH);
  return (size_t)round_up(elements * (int64_t)compute_size(dtype), 64);
}

// Sums between blocks of k are kept apart when the result's own type is too small for them.
static bool needs_partial(tn_dtype dtype, int64_t k) {
  return k > TN_MATMUL_DEPTH && compute_size(dtype) != tn_cpu_size(dtype);
}

size_t tn_cpu_matmul_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  size_t partial = needs_partial(dtype, k) ? (size_t)m * (size_t)n * compute_size(dtype) : 0;
  return packed_bytes(TN_CPU_CHOOSE(tn_matmul_loops), dtype, n, k) + partial;
}

static tn_cpu_matrix part_of(tn_cpu_matrix matrix, tn_dtype dtype, int64_t row, int64_t column) {
  matrix.data =
      (const char*)matrix.data +
      (row * matrix.row_stride + column * matrix.column_stride) * (int64_t)tn_cpu_size(dtype);
  return matrix;
}

static void pack_panels(void* arg, int64_t begin, int64_t end) {
  const matmul_job* job = arg;
  const int64_t width = job->loops->columns[job->dtype];
  for (int64_t j = begin; j < end; ++j)
    job->loops->pack[job->dtype](part_of(job->b, job->dtype, job->row, job->column + j * width),
                                 job->depth, smaller(width, job->columns - j * width),
                                 job->packed + j * width * job->depth * (int64_t)job->compute_size);
}

static void multiply_panels(void* arg, int64_t begin, int64_t end) {
  const matmul_job* job = arg;
  const int64_t height = job->loops->rows[job->dtype];
  const int64_t size = (int64_t)tn_cpu_size(job->dtype);
  for (int64_t i = begin * height; i < end * height && i < job->m; i += height) {
    int64_t at = i * job->n + job->column;
    job->loops->multiply[job->dtype](part_of(job->a, job->dtype, i, job->row),
                                     (int)smaller(height, job->m - i), job->depth, job->packed,
                                     job->columns, job->partial + at * (int64_t)job->compute_size,
                                     job->out + at * size, job->n, job->first, job->last);
  }
}

void tn_cpu_matmul(tn_dtype dtype, int64_t m, int64_t n, int64_t k, tn_cpu_matrix a,
                   tn_cpu_matrix b, void* out, void* workspace, const tn_cpu_parallel* parallel) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    memset(out, 0, (size_t)m * (size_t)n * tn_cpu_size(dtype));
    return;
  }
  matmul_job job = {.loops = TN_CPU_CHOOSE(tn_matmul_loops),
                    .dtype = dtype,
                    .compute_size = compute_size(dtype),
                    .m = m,
                    .n = n,
                    .a = a,
                    .b = b,
                    .packed = workspace,
                    .out = out};
  job.partial = needs_partial(dtype, k) ? job.packed + packed_bytes(job.loops, dtype, n, k) : out;
  const int64_t wide = block_columns(job.loops, dtype, n), width = job.loops->columns[dtype];
  const int64_t height = job.loops->rows[dtype];
  for (job.column = 0; job.column < n; job.column += wide) {
    job.columns = smaller(wide, n - job.column);
    for (job.row = 0; job.row < k; job.row += TN_MATMUL_DEPTH) {
      job.depth = smaller(TN_MATMUL_DEPTH, k - job.row);
      job.first = job.row == 0;
      job.last = job.row + job.depth == k;
      tn_cpu_run(parallel, (job.columns + width - 1) / width, job.depth * width, pack_panels, &job);
      tn_cpu_run(parallel, (m + height - 1) / height, job.depth * job.columns * height / 20,
                 multiply_panels, &job);
    }
  }
}
