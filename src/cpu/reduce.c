#include "cpu/reduce.h"

#include <math.h>
#include <stdalign.h>
#include <stddef.h>

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/reduce_loops.h"

// The input as [outer..., depth, width]: the outer dimensions alternate between reduced and kept,
// depth is reduced, width is kept. [depth, width] is a run. Its columns are cut into tiles of
// LANES; narrow rows are taken many at a time, as one long row whose lanes are merged in the end,
// and rows of one element, where the type has a loop for them, as a run of neighbours.
// Where that leaves too few units of work for several threads, the reduced elements are cut into
// chunks, whose accumulators meet in the workspace. All cuts follow from the shape alone.
enum {
  LANES = 1024,
  ACC_BYTES = LANES * 8,
  NARROW = 64,
  SHORT = 32,  // runs that are not worth a cascade each
  ROWS_PER_LEAF = 16,
  RUN_PER_LEAF = 2048,
  LONGER_LEAVES = 8,  // so many times that, where order does not matter
  LEVELS = 10,
  WIDENED = 4 * LANES,
  UNIT = 32768,  // elements worth a unit of work
  UNITS = 64,
};

typedef struct reduce_job {
  tn_cpu_reduce_op op;
  tn_dtype dtype;  // what is computed in: float for half and bfloat16
  tn_fold fold;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  void (*narrow)(const float* in, void* out, int64_t count);
  int64_t size;  // bytes of an element
  bool spread;   // real results go into complex numbers
  bool is_complex;
  int kept_rank, reduced_rank;
  int64_t kept_count, runs, depth, width;
  int64_t groups;   // rows side by side
  bool neighbours;  // taken as runs
  int64_t rows_per_leaf;
  int64_t tiles;
  int64_t chunks, runs_per_chunk, chunks_per_run, rows_per_chunk;
  const char* in;
  char* out;
  char* partials;
  // Filled as far as the ranks say. They are large, and stay last so that they need not be cleared.
  int64_t kept_dims[TN_CPU_MAX_RANK], kept_strides[TN_CPU_MAX_RANK];
  int64_t reduced_dims[TN_CPU_MAX_RANK], reduced_strides[TN_CPU_MAX_RANK];
} reduce_job;

// ---- Accumulating ----

// Accumulators of leaves, merged in pairs as they come: level i holds 2^i leaves, the last one all
// there are beyond.
typedef struct cascade {
  const reduce_job* job;
  int64_t lanes, rows_in_leaf;
  uint64_t leaves;
  alignas(64) char leaf[ACC_BYTES];
  alignas(64) char level[LEVELS][ACC_BYTES];
  alignas(64) float widened[WIDENED];
} cascade;

static void cascade_begin(cascade* sums, const reduce_job* job, int64_t lanes) {
  sums->job = job;
  sums->lanes = lanes;
  sums->rows_in_leaf = 0;
  sums->leaves = 0;
  job->fold.begin(sums->leaf, lanes);
}

static void take_rows(cascade* sums, const char* in, int64_t row_stride, int64_t rows,
                      int64_t lanes) {
  const reduce_job* job = sums->job;
  if (!job->widen && job->neighbours) {
    job->fold.run(in, rows, sums->leaf);
    return;
  }
  if (!job->widen) {
    job->fold.rows(in, row_stride, rows, lanes, sums->leaf);
    return;
  }
  const int64_t fit = WIDENED / lanes;
  for (int64_t r = 0; r < rows; r += fit) {
    const int64_t some = rows - r < fit ? rows - r : fit;
    if (row_stride == lanes) {
      job->widen(in + r * lanes * job->size, sums->widened, some * lanes);
    } else {
      for (int64_t i = 0; i < some; ++i)
        job->widen(in + (r + i) * row_stride * job->size, sums->widened + i * lanes, lanes);
    }
    if (job->neighbours)
      job->fold.run(sums->widened, some, sums->leaf);
    else
      job->fold.rows(sums->widened, lanes, some, lanes, sums->leaf);
  }
}

static void cascade_end_leaf(cascade* sums) {
  const size_t bytes = (size_t)(sums->lanes * sums->job->fold.acc_size);
  int i = 0;
  for (uint64_t n = sums->leaves; (n & 1) && i < LEVELS - 1; n >>= 1, ++i)
    sums->job->fold.merge(sums->leaf, sums->level[i], sums->lanes);
  if (i == LEVELS - 1 && sums->leaves >> i)
    sums->job->fold.merge(sums->level[i], sums->leaf, sums->lanes);
  else
    memcpy(sums->level[i], sums->leaf, bytes);
  sums->job->fold.begin(sums->leaf, sums->lanes);
  sums->leaves++;
  sums->rows_in_leaf = 0;
}

static void cascade_add(cascade* sums, const char* in, int64_t row_stride, int64_t rows) {
  while (rows > 0) {
    int64_t some = sums->job->rows_per_leaf - sums->rows_in_leaf;
    if (some > rows) some = rows;
    take_rows(sums, in, row_stride, some, sums->lanes);
    in += some * row_stride * sums->job->size;
    rows -= some;
    sums->rows_in_leaf += some;
    if (sums->rows_in_leaf == sums->job->rows_per_leaf) cascade_end_leaf(sums);
  }
}

// Merges `count` sets of accumulators, in pairs, into the first.
static void merge_all(const tn_fold* fold, char* acc, int64_t count, int64_t lanes) {
  while (count > 1) {
    int64_t half = count / 2;
    fold->merge(acc, acc + (count - half) * lanes * fold->acc_size, half * lanes);
    count -= half;
  }
}

static void cascade_total(cascade* sums) {
  int i = 0;
  for (uint64_t n = sums->leaves; n && i < LEVELS; n >>= 1, ++i)
    if ((n & 1) || i == LEVELS - 1) sums->job->fold.merge(sums->leaf, sums->level[i], sums->lanes);
}

// ---- Finishing ----

// What an integer type holds of a sum of squares, and its root as conversions make it.
static uint64_t integer_root(uint64_t sum, tn_dtype dtype, int64_t size) {
  const int unused = (int)(64 - 8 * size);
  const bool is_unsigned =
      dtype == TN_UINT8 || dtype == TN_UINT16 || dtype == TN_UINT32 || dtype == TN_UINT64;
  sum <<= unused;
  if (is_unsigned) return (uint64_t)sqrt((double)(sum >> unused));
  const int64_t value = (int64_t)sum >> unused;
  if (value >= 0) return (uint64_t)sqrt((double)value);
  return dtype == TN_INT64 ? (uint64_t)INT64_MIN : (uint64_t)INT32_MIN;
}

static void last_step(const reduce_job* job, void* acc, int64_t lanes) {
  double* reals = acc;
  uint64_t* integers = acc;
  const bool real = job->dtype == TN_FLOAT || job->dtype == TN_DOUBLE;
  const int64_t terms = job->runs * job->depth;
  if (job->op == TN_CPU_MEAN && real) {
    if (terms == 0 && job->is_complex) return;
    for (int64_t j = 0; j < lanes; ++j) reals[j] /= (double)terms;
  } else if (job->op == TN_CPU_MEAN && terms > 0) {
    for (int64_t j = 0; j < lanes; ++j)
      integers[j] = job->dtype == TN_UINT64 ? integers[j] / (uint64_t)terms
                                            : (uint64_t)((int64_t)integers[j] / terms);
  } else if (job->op == TN_CPU_EUCLIDEAN_NORM && real) {
    for (int64_t j = 0; j < lanes; ++j) reals[j] = sqrt(reals[j]);
  } else if (job->op == TN_CPU_EUCLIDEAN_NORM) {
    for (int64_t j = 0; j < lanes; ++j)
      integers[j] = integer_root(integers[j], job->dtype, job->size);
  } else if (job->op == TN_CPU_HALF_OF_SQUARES) {
    for (int64_t j = 0; j < lanes; ++j) reals[j] /= 2;
  }
}

// Accumulators to the output elements from `first` on; at most LANES.
static void finish(const reduce_job* job, void* acc, int64_t first, int64_t lanes) {
  last_step(job, acc, lanes);
  if (job->narrow) {
    float results[LANES];
    job->fold.store(acc, results, lanes);
    job->narrow(results, job->out + first * job->size, lanes);
  } else if (job->spread) {
    char results[ACC_BYTES];
    job->fold.store(acc, results, lanes);
    memset(job->out + 2 * first * job->size, 0, (size_t)(2 * lanes * job->size));
    for (int64_t j = 0; j < lanes; ++j)
      memcpy(job->out + 2 * (first + j) * job->size, results + j * job->size, (size_t)job->size);
  } else {
    job->fold.store(acc, job->out + first * job->size, lanes);
  }
}

// ---- Units of work ----

// Dimensions are listed from the innermost out.
static int64_t offset_of(int64_t index, int rank, const int64_t* dims, const int64_t* strides) {
  int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    offset += index % dims[i] * strides[i];
    index /= dims[i];
  }
  return offset;
}

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

// Columns of one tile of one kept position.
typedef struct place {
  int64_t kept, column, columns;
} place;

static int64_t tile_columns(const reduce_job* job) {
  return ACC_BYTES / (job->fold.acc_size > 8 ? 16 : 8);
}

static place place_of(const reduce_job* job, int64_t index) {
  const int64_t tile = tile_columns(job), column = index % job->tiles * tile;
  return (place){index / job->tiles, column, min_of(tile, job->width - column)};
}

static void reduce_run(const reduce_job* job, cascade* sums, const char* in, int64_t columns,
                       int64_t rows) {
  if (job->groups == 1) {
    cascade_add(sums, in, job->width, rows);
    return;
  }
  const int64_t whole = rows / job->groups, rest = rows % job->groups;
  cascade_add(sums, in, columns * job->groups, whole);
  if (rest) take_rows(sums, in + whole * job->groups * columns * job->size, 0, 1, rest * columns);
}

static void reduce_units(void* arg, int64_t begin, int64_t end) {
  const reduce_job* job = arg;
  cascade sums;
  for (int64_t unit = begin; unit < end; ++unit) {
    const place at = place_of(job, unit / job->chunks);
    const int64_t chunk = unit % job->chunks;
    const int64_t run = chunk / job->chunks_per_run * job->runs_per_chunk;
    const int64_t row = chunk % job->chunks_per_run * job->rows_per_chunk;
    const int64_t rows = min_of(job->rows_per_chunk, job->depth - row);
    const char* base =
        job->in + (offset_of(at.kept, job->kept_rank, job->kept_dims, job->kept_strides) +
                   row * job->width + at.column) *
                      job->size;
    cascade_begin(&sums, job, at.columns * job->groups);
    for (int64_t r = run; r < min_of(run + job->runs_per_chunk, job->runs); ++r)
      reduce_run(job, &sums,
                 base + offset_of(r, job->reduced_rank, job->reduced_dims, job->reduced_strides) *
                            job->size,
                 at.columns, rows);
    cascade_total(&sums);
    merge_all(&job->fold, sums.leaf, job->groups, at.columns);
    const int64_t first = at.kept * job->width + at.column;
    if (job->chunks == 1)
      finish(job, sums.leaf, first, at.columns);
    else
      memcpy(job->partials + (first * job->chunks + chunk * at.columns) * job->fold.acc_size,
             sums.leaf, (size_t)(at.columns * job->fold.acc_size));
  }
}

static void merge_chunks(void* arg, int64_t begin, int64_t end) {
  const reduce_job* job = arg;
  for (int64_t i = begin; i < end; ++i) {
    const place at = place_of(job, i);
    const int64_t first = at.kept * job->width + at.column;
    char* acc = job->partials + first * job->chunks * job->fold.acc_size;
    merge_all(&job->fold, acc, job->chunks, at.columns);
    finish(job, acc, first, at.columns);
  }
}

// Runs that are short and lie side by side, as many at a time as there are accumulators for.
static int64_t short_blocks(const reduce_job* job) {
  const int64_t elements = job->depth * job->width;
  return elements ? min_of(tile_columns(job) / job->width, WIDENED / elements) : 1;
}

static void reduce_short(void* arg, int64_t begin, int64_t end) {
  const reduce_job* job = arg;
  alignas(64) char acc[ACC_BYTES];
  float widened[WIDENED];
  const int64_t at_once = short_blocks(job), elements = job->depth * job->width;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t first = i * at_once, blocks = min_of(at_once, job->kept_count - first);
    const void* in = job->in + first * elements * job->size;
    if (job->widen) job->widen(in, widened, blocks * elements);
    job->fold.blocks(job->widen ? widened : in, blocks, job->depth, job->width, acc);
    finish(job, acc, first * job->width, blocks * job->width);
  }
}

// ---- The plan ----

tn_fold tn_cpu_fold(tn_cpu_reduce_op op, tn_dtype dtype) {
  switch (op) {
    case TN_CPU_PROD: return TN_CPU_CHOOSE(tn_reduce_prod_loops)->prod[dtype];
    case TN_CPU_MAX: return TN_CPU_CHOOSE(tn_reduce_max_loops)->max[dtype];
    case TN_CPU_MIN: return TN_CPU_CHOOSE(tn_reduce_max_loops)->min[dtype];
    case TN_CPU_EUCLIDEAN_NORM:
    case TN_CPU_HALF_OF_SQUARES: return TN_CPU_CHOOSE(tn_sum_loops)->squares[dtype];
    default: return TN_CPU_CHOOSE(tn_sum_loops)->sum[dtype];
  }
}

static void split_dims(reduce_job* job, int rank, const int64_t* dims, const bool* reduced) {
  int i = rank - 1;
  // A complex number in a sum is a kept dimension of two reals, and a reduced one in a norm.
  job->runs = job->kept_count = 1;
  job->width = job->is_complex && !job->spread ? 2 : 1;
  job->depth = job->spread ? 2 : 1;
  if (!job->spread)
    for (; i >= 0 && (!reduced[i] || dims[i] == 1); --i) job->width *= dims[i];
  for (; i >= 0 && (reduced[i] || dims[i] == 1); --i) job->depth *= dims[i];
  int64_t stride = job->width * job->depth;
  for (; i >= 0; stride *= dims[i--]) {
    if (dims[i] == 1) continue;
    if (reduced[i]) {
      job->runs *= dims[i];
      job->reduced_dims[job->reduced_rank] = dims[i];
      job->reduced_strides[job->reduced_rank++] = stride;
    } else {
      job->kept_count *= dims[i];
      job->kept_dims[job->kept_rank] = dims[i];
      job->kept_strides[job->kept_rank++] = stride;
    }
  }
  if (job->depth == 0) job->runs = 0;  // nothing to add, however many times over
}

static void cut_chunks(reduce_job* job) {
  const int64_t units = job->kept_count * job->tiles;
  job->chunks = job->chunks_per_run = 1;
  job->runs_per_chunk = job->runs;
  job->rows_per_chunk = job->depth;
  if (units == 0 || job->runs == 0) return;
  const int64_t elements = units * job->runs * job->depth * min_of(job->width, LANES);
  if (elements < 2 * UNIT) return;
  const int64_t wanted = min_of(elements / UNIT, UNITS) / units;
  if (wanted < 2) return;
  if (job->runs >= wanted) {
    job->runs_per_chunk = (job->runs + wanted - 1) / wanted;
    job->chunks = (job->runs + job->runs_per_chunk - 1) / job->runs_per_chunk;
  } else {
    const int64_t per_run = (wanted + job->runs - 1) / job->runs;
    const int64_t rows = (job->depth + per_run - 1) / per_run;
    job->rows_per_chunk = (rows + job->groups - 1) / job->groups * job->groups;
    job->runs_per_chunk = 1;
    job->chunks_per_run = (job->depth + job->rows_per_chunk - 1) / job->rows_per_chunk;
    job->chunks = job->runs * job->chunks_per_run;
  }
}

static void plan(reduce_job* job, tn_cpu_reduce_op op, tn_dtype dtype, int rank,
                 const int64_t* dims, const bool* reduced) {
  memset(job, 0, offsetof(reduce_job, kept_dims));
  job->op = op;
  job->dtype = dtype;
  if (TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES && op != TN_CPU_PROD) {
    job->is_complex = true;
    job->spread = op == TN_CPU_EUCLIDEAN_NORM;
    job->dtype = dtype = dtype == TN_COMPLEX64 ? TN_FLOAT : TN_DOUBLE;
  }
  job->size = (int64_t)tn_cpu_size(dtype);
  if (dtype == TN_HALF || dtype == TN_BFLOAT16) {
    job->widen = TN_CPU_CHOOSE(tn_narrow_loops)->widen[dtype];
    job->narrow = TN_CPU_CHOOSE(tn_narrow_loops)->narrow[dtype];
    job->dtype = TN_FLOAT;
  }
  job->fold = tn_cpu_fold(op, job->dtype);
  split_dims(job, rank, dims, reduced);
  job->neighbours = job->width == 1 && job->fold.run;
  const bool exact = job->dtype == TN_FLOAT || op == TN_CPU_MAX || op == TN_CPU_MIN;
  job->rows_per_leaf =
      (job->neighbours ? RUN_PER_LEAF : ROWS_PER_LEAF) * (exact ? LONGER_LEAVES : 1);
  // Runs shorter than a leaf would be added up one after the other.
  if (job->neighbours && !exact && job->depth < RUN_PER_LEAF)
    job->rows_per_leaf = job->depth < SHORT ? SHORT : job->depth;
  const int64_t run = job->depth * job->width, tile = tile_columns(job);
  const int64_t lanes = run >= 32768 ? 512 : run >= 4096 ? 128 : 64;
  const bool one_by_one = job->width > NARROW || job->width == 0 || job->neighbours;
  job->groups = one_by_one ? 1 : min_of(lanes / job->width, job->depth);
  if (job->groups < 1) job->groups = 1;
  job->tiles = (job->width + tile - 1) / tile;
  cut_chunks(job);
}

static bool is_short(const reduce_job* job) {
  return job->runs == 1 && job->depth <= SHORT && job->width <= NARROW && job->width > 0 &&
         (job->kept_rank == 0 ||
          (job->kept_rank == 1 && job->kept_strides[0] == job->depth * job->width));
}

static int64_t workspace_of(const reduce_job* job) {
  return job->chunks > 1 ? job->kept_count * job->width * job->chunks * job->fold.acc_size : 0;
}

size_t tn_cpu_reduce_workspace(tn_cpu_reduce_op op, tn_dtype dtype, int rank, const int64_t* dims,
                               const bool* reduced) {
  // What is far from being cut into chunks needs no plan to say so.
  int64_t elements = 1;
  bool few = true;
  for (int i = 0; i < rank && few; ++i)
    few = !__builtin_mul_overflow(elements, dims[i], &elements) && elements <= UNIT / 8;
  if (few) return 0;
  reduce_job job;
  plan(&job, op, dtype, rank, dims, reduced);
  return (size_t)workspace_of(&job);
}

void tn_cpu_reduce(tn_cpu_reduce_op op, tn_dtype dtype, int rank, const int64_t* dims,
                   const bool* reduced, const void* in, void* out, void* workspace,
                   const tn_cpu_parallel* parallel) {
  reduce_job job;
  plan(&job, op, dtype, rank, dims, reduced);
  job.in = in;
  job.out = out;
  job.partials = workspace;
  if (is_short(&job)) {
    const int64_t at_once = short_blocks(&job);
    tn_cpu_run(parallel, (job.kept_count + at_once - 1) / at_once,
               at_once * job.depth * job.width / 2 + 20, reduce_short, &job);
    return;
  }
  const int64_t units = job.kept_count * job.tiles;
  const int64_t elements =
      min_of(job.runs_per_chunk, job.runs) * job.rows_per_chunk * min_of(job.width, LANES);
  tn_cpu_run(parallel, units * job.chunks, elements / 4 + 50, reduce_units, &job);
  if (job.chunks > 1) tn_cpu_run(parallel, units, job.chunks * 4, merge_chunks, &job);
}
