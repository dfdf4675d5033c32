#include "cpu/parallel.h"
#include "cpu/reduce.h"
#include "cpu/sum_loops.h"

// The input as [outer..., depth, width]: the outer dimensions alternate between reduced and kept,
// depth is reduced, width is kept. Narrow rows are summed many at a time, as one long row whose
// lanes are folded in the end.
enum { TILE = 128, NARROW = 32, ROWS_PER_LEAF = 64, LEVELS = 48 };

typedef struct sum_job {
  void (*add_rows)(const void*, int64_t, int64_t, int64_t, void*);
  void (*add)(void*, const void*, int64_t);
  tn_unary_loop store;
  int64_t size;
  int kept_rank, reduced_rank;
  int64_t kept_dims[TN_CPU_MAX_RANK + 2], kept_strides[TN_CPU_MAX_RANK + 2];
  int64_t reduced_dims[TN_CPU_MAX_RANK + 2], reduced_strides[TN_CPU_MAX_RANK + 2];
  int64_t reduced_count;
  int64_t depth, width, tiles;
  const char* in;
  char* out;
} sum_job;

// Sums of leaves, combined in pairs as they come: level i holds the sum of 2^i leaves.
typedef struct cascade {
  const sum_job* job;
  int64_t lanes, rows_in_leaf;
  uint64_t leaves;
  uint64_t level[LEVELS][TILE];  // as double for floats
  uint64_t leaf[TILE];
} cascade;

static void cascade_begin(cascade* sums, const sum_job* job, int64_t lanes) {
  sums->job = job;
  sums->lanes = lanes;
  sums->rows_in_leaf = 0;
  sums->leaves = 0;
  memset(sums->leaf, 0, (size_t)lanes * sizeof sums->leaf[0]);
}

static void cascade_end_leaf(cascade* sums) {
  int i = 0;
  for (uint64_t n = sums->leaves; n & 1; n >>= 1, ++i)
    sums->job->add(sums->leaf, sums->level[i], sums->lanes);
  memcpy(sums->level[i], sums->leaf, (size_t)sums->lanes * sizeof sums->leaf[0]);
  memset(sums->leaf, 0, (size_t)sums->lanes * sizeof sums->leaf[0]);
  sums->leaves++;
  sums->rows_in_leaf = 0;
}

static void cascade_add(cascade* sums, const char* in, int64_t row_stride, int64_t rows) {
  while (rows > 0) {
    int64_t some = ROWS_PER_LEAF - sums->rows_in_leaf;
    if (some > rows) some = rows;
    sums->job->add_rows(in, row_stride, some, sums->lanes, sums->leaf);
    in += some * row_stride * sums->job->size;
    rows -= some;
    sums->rows_in_leaf += some;
    if (sums->rows_in_leaf == ROWS_PER_LEAF) cascade_end_leaf(sums);
  }
}

static void cascade_total(cascade* sums) {
  int i = 0;
  for (uint64_t n = sums->leaves; n; n >>= 1, ++i)
    if (n & 1) sums->job->add(sums->leaf, sums->level[i], sums->lanes);
}

// Dimensions are listed from the innermost out.
static int64_t offset_of(int64_t index, int rank, const int64_t* dims, const int64_t* strides) {
  int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    offset += index % dims[i] * strides[i];
    index /= dims[i];
  }
  return offset;
}

// Output elements of `width` columns from `column` on, for one kept position.
static void sum_tile(const sum_job* job, cascade* sums, int64_t kept, int64_t column,
                     int64_t width) {
  const char* base =
      job->in + offset_of(kept, job->kept_rank, job->kept_dims, job->kept_strides) * job->size;
  const bool narrow = job->width <= NARROW;
  // `groups` rows side by side make one row of the cascade.
  int64_t groups = narrow ? TILE / 2 / width : 1;
  if (groups > job->depth) groups = job->depth;
  if (groups < 1) groups = 1;
  cascade_begin(sums, job, width * groups);
  for (int64_t r = 0; r < job->reduced_count; ++r) {
    const char* in =
        base + (offset_of(r, job->reduced_rank, job->reduced_dims, job->reduced_strides) + column) *
                   job->size;
    int64_t rows = job->depth / groups, rest = job->depth % groups;
    cascade_add(sums, in, narrow ? width * groups : job->width, rows);
    if (rest) job->add_rows(in + rows * groups * width * job->size, 0, 1, rest * width, sums->leaf);
  }
  cascade_total(sums);
  while (groups > 1) {
    int64_t half = groups / 2;
    job->add(sums->leaf, sums->leaf + (groups - half) * width, half * width);
    groups -= half;
  }
  job->store(sums->leaf, job->out + (kept * job->width + column) * job->size, width);
}

static void sum_range(void* arg, int64_t begin, int64_t end) {
  const sum_job* job = arg;
  cascade sums;
  for (int64_t i = begin; i < end; ++i) {
    int64_t column = i % job->tiles * TILE;
    int64_t width = job->width - column < TILE ? job->width - column : TILE;
    sum_tile(job, &sums, i / job->tiles, column, width);
  }
}

void tn_cpu_sum(tn_dtype dtype, int rank, const int64_t* dims, const bool* reduced, const void* in,
                void* out, const tn_cpu_parallel* parallel) {
  // A complex number is a kept dimension of two reals.
  const bool is_complex = TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES;
  if (is_complex) dtype = dtype == TN_COMPLEX64 ? TN_FLOAT : TN_DOUBLE;
  const tn_sum_loops* loops = TN_CPU_CHOOSE(tn_sum_loops);
  sum_job job = {.add_rows = loops->add_rows[dtype],
                 .add = loops->add[dtype],
                 .store = loops->store[dtype],
                 .size = (int64_t)tn_cpu_size(dtype),
                 .reduced_count = 1,
                 .depth = 1,
                 .width = is_complex ? 2 : 1,
                 .in = in,
                 .out = out};
  int i = rank - 1;
  for (; i >= 0 && (!reduced[i] || dims[i] == 1); --i) job.width *= dims[i];
  for (; i >= 0 && (reduced[i] || dims[i] == 1); --i) job.depth *= dims[i];
  int64_t stride = job.width * job.depth, kept_count = 1;
  for (; i >= 0; stride *= dims[i--]) {
    if (dims[i] == 1) continue;
    if (reduced[i]) {
      job.reduced_count *= dims[i];
      job.reduced_dims[job.reduced_rank] = dims[i];
      job.reduced_strides[job.reduced_rank++] = stride;
    } else {
      kept_count *= dims[i];
      job.kept_dims[job.kept_rank] = dims[i];
      job.kept_strides[job.kept_rank++] = stride;
    }
  }
  if (job.depth == 0) job.reduced_count = 0;  // nothing to add, however many times over
  job.tiles = (job.width + TILE - 1) / TILE;
  int64_t columns = job.width < TILE ? job.width : TILE;
  tn_cpu_run(parallel, kept_count * job.tiles, job.depth * job.reduced_count * columns / 2 + 20,
             sum_range, &job);
}
