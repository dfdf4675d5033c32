#include <stdatomic.h>
#include <string.h>

#include "cpu/gather.h"
#include "cpu/number.h"
#include "cpu/parallel.h"

// out[j] op= update[j] for j < n.
typedef void (*scatter_loop)(const void* update, void* out, int64_t n);

#define LOOP(x, name, expression)                                    \
  static void name##_##x(const void* update, void* out, int64_t n) { \
    const s_##x* from = update;                                      \
    s_##x* to = out;                                                 \
    for (int64_t j = 0; j < n; ++j) {                                \
      const s_##x a = to[j], b = from[j];                            \
      to[j] = expression;                                            \
    }                                                                \
  }
#define ADD_AND_SUB(x, dtype, _)                     \
  LOOP(x, add, store_##x(load_##x(a) + load_##x(b))) \
  LOOP(x, sub, store_##x(load_##x(a) - load_##x(b)))
#define MIN_AND_MAX(x, dtype, _)                    \
  LOOP(x, min, value_##x(b) < value_##x(a) ? b : a) \
  LOOP(x, max, value_##x(a) < value_##x(b) ? b : a)
TN_CPU_EACH_NUMBER(ADD_AND_SUB, )
TN_CPU_EACH_REAL(MIN_AND_MAX, )

static void add_bool(const void* update, void* out, int64_t n) {
  for (int64_t j = 0; j < n; ++j) ((uint8_t*)out)[j] |= ((const uint8_t*)update)[j];
}
// A difference of truth values is true when they differ.
static void sub_bool(const void* update, void* out, int64_t n) {
  for (int64_t j = 0; j < n; ++j)
    ((uint8_t*)out)[j] = (((uint8_t*)out)[j] != 0) != (((const uint8_t*)update)[j] != 0);
}

#define ENTRY(x, dtype, name) [dtype] = name##_##x,
static const scatter_loop loops[][TN_UINT64 + 1] = {
    [TN_CPU_SCATTER_ADD] = {TN_CPU_EACH_NUMBER(ENTRY, add)[TN_BOOL] = add_bool},
    [TN_CPU_SCATTER_SUB] = {TN_CPU_EACH_NUMBER(ENTRY, sub)[TN_BOOL] = sub_bool},
    [TN_CPU_SCATTER_MIN] = {TN_CPU_EACH_REAL(ENTRY, min)},
    [TN_CPU_SCATTER_MAX] = {TN_CPU_EACH_REAL(ENTRY, max)},
};

typedef struct scatter_job {
  const tn_cpu_indices* indices;
  scatter_loop loop;  // NULL: update
  int64_t size, row, columns;
  const char* updates;
  char* out;
  _Atomic int64_t bad;
} scatter_job;

// Units are blocks of columns: a thread has some columns of all rows, so that updates of one row
// keep their order.
static void scatter_columns(void* arg, int64_t begin, int64_t end) {
  enum { TILE = 256 };
  scatter_job* job = arg;
  const int64_t first = begin * job->columns;
  const int64_t last = end * job->columns < job->row ? end * job->columns : job->row;
  const int64_t row_bytes = job->row * job->size, bytes = (last - first) * job->size;
  int64_t rows[TILE], bad = -1;
  for (int64_t tuple = 0; tuple < job->indices->count; tuple += TILE) {
    const int64_t left = job->indices->count - tuple, n = left < TILE ? left : TILE;
    const int64_t found = tn_cpu_index_rows(job->indices, tuple, n, rows);
    if (bad < 0) bad = found;
    for (int64_t i = 0; i < n; ++i) {
      if (rows[i] < 0) continue;
      const char* update = job->updates + (tuple + i) * row_bytes + first * job->size;
      char* out = job->out + rows[i] * row_bytes + first * job->size;
      if (job->loop) {
        job->loop(update, out, last - first);
      } else {
        memcpy(out, update, (size_t)bytes);
      }
    }
  }
  if (bad >= 0) atomic_store_explicit(&job->bad, bad, memory_order_relaxed);
}

int64_t tn_cpu_scatter(tn_cpu_scatter_op op, tn_dtype dtype, const tn_cpu_indices* indices,
                       int64_t row, const void* updates, void* out,
                       const tn_cpu_parallel* parallel) {
  if (row == 0 || indices->count == 0) return -1;
  scatter_job job = {.indices = indices,
                     .loop = op == TN_CPU_SCATTER_UPDATE ? NULL : loops[op][dtype],
                     .size = (int64_t)tn_cpu_size(dtype),
                     .row = row,
                     .updates = updates,
                     .out = out,
                     .bad = -1};
  job.columns = 1024 / job.size;
  const int64_t blocks = (row + job.columns - 1) / job.columns;
  tn_cpu_run(parallel, blocks, indices->count * (128 + 10), scatter_columns, &job);
  return atomic_load(&job.bad);
}
