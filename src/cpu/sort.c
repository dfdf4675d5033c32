#include "cpu/sort.h"

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/sort_loops.h"

enum {
  TILE = 128,
  BLOCK = 32,
  FEW = 48,      // so many are kept by insertion
  RADIX = 1024,  // rows from this size on are sorted by digits
  DIGIT = 11,
  DIGIT_MASK = (1 << DIGIT) - 1,
  CUTS = 96,         // a quick sort that needs more of them is a slow one
  LEAST_HELD = 256,  // candidates for the k best that are kept before thinning out
  UNITS = 16,        // rows are cut into at most so many units of work
};
enum { WORKSPACE = 64 << 20 };  // bytes that all units together should not exceed

typedef struct sort_job {
  const tn_sort_loops* loops;
  tn_unary_loop keys;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  tn_dtype index_type;
  int64_t size, rows, columns, k;
  bool nth;    // only the k-th is wanted, and its value
  bool whole;  // the whole row is sorted
  bool wide;   // keys of 64 bits
  int64_t capacity, unit_bytes, units;
  const char* in;
  char *values, *indices, *workspace;
} sort_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void keys_of(const sort_job* job, const char* row, int64_t at, int64_t count, void* keys) {
  float widened[TILE];
  const void* in = row + at * job->size;
  if (job->widen) job->widen(in, widened, count);
  job->keys(job->widen ? widened : in, keys, count);
}

static void put(const sort_job* job, const char* row, int64_t at, int64_t index) {
  switch (job->size) {
    case 1: job->values[at] = row[index]; break;
    case 2: ((uint16_t*)job->values)[at] = ((const uint16_t*)row)[index]; break;
    case 4: ((uint32_t*)job->values)[at] = ((const uint32_t*)row)[index]; break;
    default: ((uint64_t*)job->values)[at] = ((const uint64_t*)row)[index];
  }
  if (job->nth) return;
  switch (job->index_type) {
    case TN_INT16: ((int16_t*)job->indices)[at] = (int16_t)index; break;
    case TN_INT32: ((int32_t*)job->indices)[at] = (int32_t)index; break;
    default: ((int64_t*)job->indices)[at] = index;
  }
}

#define NAME(x) x##_32
#define ITEM uint64_t
#define KEY uint32_t
#define KEY_BITS 32
#define PLACE_BITS 32
#define ANY_BELOW any_below_32
#include "cpu/sort_items.h"
#undef NAME
#undef ITEM
#undef KEY
#undef KEY_BITS
#undef PLACE_BITS
#undef ANY_BELOW
#define NAME(x) x##_64
#define ITEM unsigned __int128
#define KEY uint64_t
#define KEY_BITS 64
#define PLACE_BITS 64
#define ANY_BELOW any_below_64
#include "cpu/sort_items.h"

static void sort_units(void* arg, int64_t begin, int64_t end) {
  const sort_job* job = arg;
  for (int64_t unit = begin; unit < end; ++unit)
    (job->wide ? sort_rows_64 : sort_rows_32)(job, job->rows * unit / job->units,
                                              job->rows * (unit + 1) / job->units,
                                              job->workspace + unit * job->unit_bytes);
}

static sort_job plan(tn_dtype dtype, int64_t rows, int64_t columns, int64_t k) {
  sort_job job = {.loops = TN_CPU_CHOOSE(tn_sort_loops),
                  .size = (int64_t)tn_cpu_size(dtype),
                  .rows = rows,
                  .columns = columns,
                  .k = k};
  if (dtype == TN_HALF || dtype == TN_BFLOAT16) {
    job.widen = TN_CPU_CHOOSE(tn_narrow_loops)->widen[dtype];
    dtype = TN_FLOAT;
  }
  job.keys = job.loops->keys[dtype];
  job.wide = job.size == 8;
  job.capacity = k + (k > LEAST_HELD ? k : LEAST_HELD);
  job.whole = k > FEW ? job.capacity >= columns : 2 * k > columns;
  const int64_t items = job.whole ? (columns >= RADIX ? 2 : 1) * columns : job.capacity;
  job.unit_bytes = (items * (job.wide ? 16 : 8) + 63) / 64 * 64;
  job.units = min_of(rows, UNITS);
  if (job.units * job.unit_bytes > WORKSPACE) job.units = WORKSPACE / job.unit_bytes;
  if (job.units < 4) job.units = min_of(rows, 4);
  return job;
}

size_t tn_cpu_top_k_workspace(tn_dtype dtype, int64_t rows, int64_t columns, int64_t k) {
  const sort_job job = plan(dtype, rows, columns, k);
  return (size_t)(job.units * job.unit_bytes);
}

void tn_cpu_top_k(tn_dtype dtype, tn_dtype index_type, int64_t rows, int64_t columns, int64_t k,
                  const void* in, void* values, void* indices, void* workspace,
                  const tn_cpu_parallel* parallel) {
  sort_job job = plan(dtype, rows, columns, k);
  job.index_type = index_type;
  job.in = in;
  job.values = values;
  job.indices = indices;
  job.workspace = workspace;
  if (rows > 0)
    tn_cpu_run(parallel, job.units, rows * columns * (job.whole ? 20 : 1) / job.units, sort_units,
               &job);
}

void tn_cpu_nth_greatest(tn_dtype dtype, int64_t rows, int64_t columns, int64_t n, const void* in,
                         void* out, void* workspace, const tn_cpu_parallel* parallel) {
  sort_job job = plan(dtype, rows, columns, columns);
  job.k = n + 1;
  job.nth = true;
  job.in = in;
  job.values = out;
  job.workspace = workspace;
  if (rows > 0) tn_cpu_run(parallel, job.units, rows * columns * 4 / job.units, sort_units, &job);
}

// ---- Sorted rows ----

typedef struct search_job {
  tn_dtype index_type;
  bool upper;
  int64_t columns, values;
  const void *sorted, *in;
  void* out;
} search_job;

#define SEARCH(x, dtype, _)                                                          \
  static void search_##x(void* arg, int64_t begin, int64_t end) {                    \
    const search_job* job = arg;                                                     \
    for (int64_t i = begin; i < end; ++i) {                                          \
      const s_##x* row = (const s_##x*)job->sorted + i / job->values * job->columns; \
      const v_##x value = value_##x(((const s_##x*)job->in)[i]);                     \
      int64_t first = 0, count = job->columns;                                       \
      while (count > 0) {                                                            \
        const int64_t half = count / 2;                                              \
        const v_##x other = value_##x(row[first + half]);                            \
        const bool after = job->upper ? !(value < other) : other < value;            \
        first += after ? half + 1 : 0;                                               \
        count = after ? count - half - 1 : half;                                     \
      }                                                                              \
      if (job->index_type == TN_INT32)                                               \
        ((int32_t*)job->out)[i] = (int32_t)first;                                    \
      else                                                                           \
        ((int64_t*)job->out)[i] = first;                                             \
    }                                                                                \
  }
TN_CPU_EACH_REAL(SEARCH, )

void tn_cpu_search_sorted(tn_dtype dtype, tn_dtype index_type, bool upper, int64_t rows,
                          int64_t columns, const void* sorted, int64_t values, const void* in,
                          void* out, const tn_cpu_parallel* parallel) {
#define ENTRY(x, dtype, _) [dtype] = search_##x,
  static void (*const searches[TN_CPU_DTYPES])(void*, int64_t,
                                               int64_t) = {TN_CPU_EACH_REAL(ENTRY, )};
  search_job job = {index_type, upper, columns, values, sorted, in, out};
  tn_cpu_run(parallel, rows * values, 50, searches[dtype], &job);
}
