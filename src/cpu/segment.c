#include "cpu/segment.h"

#include <stdalign.h>

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/reduce_loops.h"

// Rows are listed by segment first, in their order; then each segment's rows are reduced, a tile
// of columns at a time.
enum { TILE = 256, WIDENED = 4 * TILE, ACC = 16 };

typedef struct segment_job {
  tn_cpu_reduce_op op;
  tn_fold fold;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  void (*narrow)(const float* in, void* out, int64_t count);
  bool reals, unsigned_64;  // what accumulators are; int64_t when neither
  int64_t size, width, tiles, segments;
  const char* data;
  const char* empty;
  int64_t empty_size;
  char* out;
  const int64_t *starts, *order;
} segment_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void take(const segment_job* job, const char* in, int64_t rows, int64_t columns, void* acc) {
  if (!job->widen) {
    job->fold.rows(in, job->width, rows, columns, acc);
    return;
  }
  float widened[WIDENED];
  const int64_t fit = WIDENED / columns;
  for (int64_t r = 0; r < rows; r += fit) {
    const int64_t some = min_of(fit, rows - r);
    for (int64_t i = 0; i < some; ++i)
      job->widen(in + (r + i) * job->width * job->size, widened + i * columns, columns);
    job->fold.rows(widened, columns, some, columns, acc);
  }
}

static void divide(const segment_job* job, void* acc, int64_t columns, int64_t count) {
  for (int64_t j = 0; j < columns; ++j) {
    if (job->reals)
      ((double*)acc)[j] /= (double)count;
    else if (job->unsigned_64)
      ((uint64_t*)acc)[j] /= (uint64_t)count;
    else
      ((int64_t*)acc)[j] /= count;
  }
}

static void put(const segment_job* job, const void* acc, char* out, int64_t columns) {
  float results[TILE];
  job->fold.store(acc, job->narrow ? (void*)results : out, columns);
  if (job->narrow) job->narrow(results, out, columns);
}

static void reduce_segments(void* arg, int64_t begin, int64_t end) {
  const segment_job* job = arg;
  alignas(64) char acc[TILE * ACC];
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t segment = unit / job->tiles, column = unit % job->tiles * TILE;
    const int64_t columns = min_of(TILE, job->width - column);
    const int64_t first = job->starts[segment], last = job->starts[segment + 1];
    char* out = job->out + (segment * job->width + column) * job->size;
    if (first == last) {
      for (int64_t j = 0; j < columns * job->size; j += job->empty_size)
        memcpy(out + j, job->empty, (size_t)job->empty_size);
      continue;
    }
    job->fold.begin(acc, columns);
    for (int64_t i = first, n; i < last; i += n) {
      for (n = 1; i + n < last && job->order[i + n] == job->order[i] + n;) ++n;
      take(job, job->data + (job->order[i] * job->width + column) * job->size, n, columns, acc);
    }
    if (job->op == TN_CPU_MEAN) divide(job, acc, columns, last - first);
    put(job, acc, out, columns);
  }
}

// Counts, then places: starts[s] is where segment s begins in `order`.
static void list_rows(const int64_t* ids, int64_t rows, int64_t segments, int64_t* starts,
                      int64_t* order) {
  memset(starts, 0, (size_t)(segments + 2) * sizeof *starts);
  for (int64_t i = 0; i < rows; ++i)
    if (ids[i] >= 0) ++starts[ids[i] + 2];
  for (int64_t s = 2; s < segments + 2; ++s) starts[s] += starts[s - 1];
  for (int64_t i = 0; i < rows; ++i)
    if (ids[i] >= 0) order[starts[ids[i] + 1]++] = i;
}

size_t tn_cpu_segment_workspace(int64_t rows, int64_t segments) {
  return (size_t)(rows + segments + 2) * sizeof(int64_t);
}

void tn_cpu_segment(tn_cpu_reduce_op op, tn_dtype dtype, int64_t rows, int64_t width,
                    const void* data, const int64_t* ids, int64_t segments, const void* empty,
                    void* out, void* workspace, const tn_cpu_parallel* parallel) {
  segment_job job = {.op = op,
                     .empty = empty,
                     .empty_size = (int64_t)tn_cpu_size(dtype),
                     .segments = segments,
                     .data = data,
                     .out = out,
                     .starts = workspace};
  if (TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES && op != TN_CPU_PROD) {
    dtype = dtype == TN_COMPLEX64 ? TN_FLOAT : TN_DOUBLE;
    width *= 2;
  }
  job.size = (int64_t)tn_cpu_size(dtype);
  if (dtype == TN_HALF || dtype == TN_BFLOAT16) {
    job.widen = TN_CPU_CHOOSE(tn_narrow_loops)->widen[dtype];
    job.narrow = TN_CPU_CHOOSE(tn_narrow_loops)->narrow[dtype];
    dtype = TN_FLOAT;
  }
  job.fold = tn_cpu_fold(op, dtype);
  job.reals = dtype == TN_FLOAT || dtype == TN_DOUBLE;
  job.unsigned_64 = dtype == TN_UINT64;
  job.width = width;
  job.tiles = (width + TILE - 1) / TILE;
  int64_t *starts = workspace, *order = starts + segments + 2;
  list_rows(ids, rows, segments, starts, order);
  job.order = order;
  const int64_t units = segments * job.tiles;
  if (units > 0) tn_cpu_run(parallel, units, rows * width / units / 2 + 20, reduce_segments, &job);
}
