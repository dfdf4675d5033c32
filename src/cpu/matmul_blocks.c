#include "cpu/matmul_blocks.h"

#include "cpu/parallel.h"

// A block of b of about a megabyte is packed by all threads: as many columns as there are, up to
// some, by as many layers of TN_MATMUL_DEPTH rows as fit. Then tiles of the result are made: each
// takes its rows of a, layer by layer, past the whole block.

enum {
  BLOCK_BYTES = 1 << 20,
  SMALL_BLOCK_BYTES = 1 << 16,  // on the stack
  PARTIAL_BYTES = 1 << 22,      // sums kept apart
  WISHED_TASKS = 16,
};

typedef struct block_job {
  const tn_product* product;
  const tn_matmul_loops* loops;
  int64_t compute_size;
  char *packed, *partial;   // partial: NULL when sums are kept in `out`
  int64_t first_row, rows;  // of the result
  int64_t column, columns, panels;
  int64_t p, layers;  // the block's first row of b, and its layers
  int64_t groups, group_panels;
} block_job;

size_t tn_cpu_compute_size(tn_dtype dtype) {
#define COMPUTE_SIZE(x, dtype, _) [dtype] = sizeof(c_##x),
  static const uint8_t sizes[TN_CPU_DTYPES] = {TN_CPU_EACH_NUMBER(COMPUTE_SIZE, )};
  return sizes[dtype];
}

// The shape of blocks: whole panels, whole layers.
static int64_t block_columns(const tn_matmul_loops* loops, tn_dtype dtype, int64_t bytes,
                             int64_t n) {
  int64_t most = bytes / TN_MATMUL_DEPTH / (int64_t)tn_cpu_compute_size(dtype);
  return tn_round_up(tn_smaller(n, most), loops->columns[dtype]);
}

static int64_t block_layers(const tn_matmul_loops* loops, tn_dtype dtype, int64_t bytes, int64_t n,
                            int64_t k) {
  int64_t layer = block_columns(loops, dtype, bytes, n) * TN_MATMUL_DEPTH;
  int64_t most = bytes / (layer * (int64_t)tn_cpu_compute_size(dtype));
  return tn_smaller(tn_pieces(k, TN_MATMUL_DEPTH), most > 1 ? most : 1);
}

static int64_t packed_bytes(const tn_matmul_loops* loops, tn_dtype dtype, int64_t n, int64_t k) {
  int64_t rows = tn_smaller(k, block_layers(loops, dtype, BLOCK_BYTES, n, k) * TN_MATMUL_DEPTH);
  int64_t bytes =
      block_columns(loops, dtype, BLOCK_BYTES, n) * rows * (int64_t)tn_cpu_compute_size(dtype);
  return tn_round_up(bytes, 64);
}

// Rows of the result in one go. Sums between blocks are kept apart when the result's own type is
// too small for them.
static bool needs_partial(tn_dtype dtype, int64_t k) {
  return k > TN_MATMUL_DEPTH && tn_cpu_compute_size(dtype) != tn_cpu_size(dtype);
}

static int64_t rows_at_once(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  if (!needs_partial(dtype, k)) return m;
  int64_t rows = PARTIAL_BYTES / (n * (int64_t)tn_cpu_compute_size(dtype));
  return tn_smaller(m, rows < 48 ? 48 : rows / 48 * 48);
}

size_t tn_product_workspace(tn_dtype dtype, int64_t m, int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0) return 0;
  const tn_matmul_loops* loops = TN_CPU_CHOOSE(tn_matmul_loops);
  size_t bytes = (size_t)packed_bytes(loops, dtype, n, k);
  if (needs_partial(dtype, k))
    bytes += (size_t)rows_at_once(dtype, m, n, k) * (size_t)n * tn_cpu_compute_size(dtype);
  return bytes;
}

static int64_t layer_depth(const block_job* job, int64_t layer) {
  return tn_smaller(TN_MATMUL_DEPTH, job->product->k - job->p - layer * TN_MATMUL_DEPTH);
}

static char* packed_panel(const block_job* job, int64_t layer, int64_t panel) {
  const int64_t width = job->loops->columns[job->product->dtype];
  return job->packed +
         (layer * TN_MATMUL_DEPTH * job->panels * width + panel * width * layer_depth(job, layer)) *
             job->compute_size;
}

static void pack_panels(void* arg, int64_t begin, int64_t end) {
  const block_job* job = arg;
  const int64_t width = job->loops->columns[job->product->dtype];
  for (int64_t i = begin; i < end; ++i) {
    const int64_t layer = i / job->panels, panel = i % job->panels;
    job->product->fill_b(job->product, job->loops, job->p + layer * TN_MATMUL_DEPTH,
                         layer_depth(job, layer), job->column + panel * width,
                         (int)tn_smaller(width, job->columns - panel * width),
                         packed_panel(job, layer, panel));
  }
}

// Where the sums and results of a tile's rows are, from column `column` on.
static void place_rows(const block_job* job, int64_t row, int rows, int64_t column, void** sums,
                       void** outs) {
  const tn_product* product = job->product;
  const int64_t size = (int64_t)tn_cpu_size(product->dtype);
  for (int i = 0; i < rows; ++i) {
    const int64_t at = product->place ? product->place(product, row + i) : (row + i) * product->n;
    outs[i] = (char*)product->out + (at + column) * size;
    sums[i] = job->partial ? job->partial + ((row - job->first_row + i) * product->n + column) *
                                                job->compute_size
                           : outs[i];
  }
}

static void multiply_tiles(void* arg, int64_t begin, int64_t end) {
  const block_job* job = arg;
  const tn_product* product = job->product;
  const int height = job->loops->rows[product->dtype], width = job->loops->columns[product->dtype];
  double _Complex panel[TN_MATMUL_MAX_ROWS * TN_MATMUL_A_STRIDE] __attribute__((aligned(64)));
  void *sums[TN_MATMUL_MAX_ROWS], *outs[TN_MATMUL_MAX_ROWS];
  for (int64_t task = begin; task < end; ++task) {
    const int64_t row = task / job->groups * height, first = task % job->groups * job->group_panels;
    const int rows = (int)tn_smaller(height, job->rows - row);
    const int64_t columns = tn_smaller(job->group_panels * width, job->columns - first * width);
    if (columns <= 0) continue;
    place_rows(job, job->first_row + row, rows, job->column + first * width, sums, outs);
    for (int64_t layer = 0; layer < job->layers; ++layer) {
      const int64_t p = job->p + layer * TN_MATMUL_DEPTH, depth = layer_depth(job, layer);
      product->fill_a(product, job->loops, job->first_row + row, rows, p, depth, panel);
      job->loops->multiply[product->dtype](panel, product->by_column, rows, depth,
                                           packed_panel(job, layer, first), columns, sums, outs,
                                           p == 0, p + depth == product->k);
    }
  }
}

static void run_block(block_job* job, const tn_cpu_parallel* parallel) {
  const tn_dtype dtype = job->product->dtype;
  const int64_t width = job->loops->columns[dtype];
  const int64_t tiles = tn_pieces(job->rows, job->loops->rows[dtype]);
  job->panels = tn_pieces(job->columns, width);
  job->groups = tn_smaller(tn_pieces(WISHED_TASKS, tiles), job->panels);
  job->group_panels = tn_pieces(job->panels, job->groups);
  const int64_t depth = tn_smaller(job->layers * TN_MATMUL_DEPTH, job->product->k - job->p);
  tn_cpu_run(parallel, job->panels * job->layers, tn_smaller(depth, TN_MATMUL_DEPTH) * width / 8,
             pack_panels, job);
  const int64_t products = depth * job->group_panels * width * job->loops->rows[dtype];
  tn_cpu_run(parallel, tiles * job->groups, products * job->compute_size / 256, multiply_tiles,
             job);
}

static void run_blocks(const tn_product* product, int64_t block_bytes, void* workspace,
                       const tn_cpu_parallel* parallel) {
  const tn_dtype dtype = product->dtype;
  const int64_t m = product->m, n = product->n, k = product->k;
  if (m == 0 || n == 0) return;
  block_job job = {.product = product,
                   .loops = TN_CPU_CHOOSE(tn_matmul_loops),
                   .compute_size = (int64_t)tn_cpu_compute_size(dtype),
                   .packed = workspace};
  if (needs_partial(dtype, k)) job.partial = job.packed + packed_bytes(job.loops, dtype, n, k);
  const int64_t high = rows_at_once(dtype, m, n, k),
                wide = block_columns(job.loops, dtype, block_bytes, n);
  const int64_t most_layers = block_layers(job.loops, dtype, block_bytes, n, k);
  for (job.first_row = 0; job.first_row < m; job.first_row += high) {
    job.rows = tn_smaller(high, m - job.first_row);
    for (job.column = 0; job.column < n; job.column += wide) {
      job.columns = tn_smaller(wide, n - job.column);
      for (job.p = 0; job.p < k; job.p += job.layers * TN_MATMUL_DEPTH) {
        job.layers = tn_smaller(most_layers, tn_pieces(k - job.p, TN_MATMUL_DEPTH));
        run_block(&job, parallel);
      }
    }
  }
}

void tn_product_run(const tn_product* product, void* workspace, const tn_cpu_parallel* parallel) {
  run_blocks(product, BLOCK_BYTES, workspace, parallel);
}

void tn_product_run_without(const tn_product* product, const tn_cpu_parallel* parallel) {
  char workspace[SMALL_BLOCK_BYTES] __attribute__((aligned(64)));
  run_blocks(product, SMALL_BLOCK_BYTES, workspace, parallel);
}
