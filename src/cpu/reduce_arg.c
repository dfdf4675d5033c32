#include <stdalign.h>

#include "cpu/elementwise_loops.h"
#include "cpu/parallel.h"
#include "cpu/reduce.h"
#include "cpu/reduce_arg_loops.h"

// [outer, depth, inner] in tiles of COLUMNS of inner. A long depth is cut into chunks where there
// are few tiles; then the best of each chunk and its place wait in the workspace to be compared.
enum { COLUMNS = 512, WIDENED = 8 * COLUMNS, UNIT = 32768, UNITS = 64, MOST_ROWS = 1 << 30 };

typedef struct arg_job {
  const tn_reduce_arg_loops* loops;
  void (*widen)(const void* in, float* out, int64_t count);  // or NULL
  bool least;
  tn_dtype dtype, index_type;
  int64_t size, computed_size;
  int64_t outer, depth, inner, tiles, chunks, rows_per_chunk;
  const char* in;
  char* out;
  char* bests;       // [outer * tiles][chunks][columns of the tile]
  int64_t* indices;  // the same
} arg_job;

static int64_t min_of(int64_t a, int64_t b) { return a < b ? a : b; }

static void cut_chunks(arg_job* job) {
  job->tiles = (job->inner + COLUMNS - 1) / COLUMNS;
  const int64_t units = job->outer * job->tiles;
  int64_t chunks = 1;
  if (units > 0) chunks = min_of(job->outer * job->inner * job->depth / UNIT, UNITS) / units;
  if (chunks < 1) chunks = 1;
  job->rows_per_chunk = min_of((job->depth + chunks - 1) / chunks, MOST_ROWS);
  job->chunks = (job->depth + job->rows_per_chunk - 1) / job->rows_per_chunk;
}

size_t tn_cpu_arg_workspace(int64_t outer, int64_t depth, int64_t inner) {
  arg_job job = {.outer = outer, .depth = depth, .inner = inner};
  cut_chunks(&job);
  return job.chunks > 1 ? (size_t)(outer * inner * job.chunks) * 2 * sizeof(int64_t) : 0;
}

static void look_at(const arg_job* job, const void* in, int64_t row_stride, int64_t rows,
                    int64_t width, int32_t base, void* best, int32_t* index) {
  if (width == 1 && row_stride == 1)
    job->loops->run[job->least][job->dtype](in, rows, base, best, index);
  else
    job->loops->columns[job->least][job->dtype](in, row_stride, rows, width, base, best, index);
}

static void look_at_rows(const arg_job* job, const char* in, int64_t rows, int64_t width,
                         void* best, int32_t* index) {
  if (!job->widen) {
    look_at(job, in, job->inner, rows, width, 0, best, index);
    return;
  }
  float widened[WIDENED];
  const int64_t fit = WIDENED / width;
  for (int64_t r = 0; r < rows; r += fit) {
    const int64_t some = min_of(fit, rows - r);
    const char* from = in + r * job->inner * job->size;
    if (width == job->inner)
      job->widen(from, widened, some * width);
    else
      for (int64_t i = 0; i < some; ++i)
        job->widen(from + i * job->inner * job->size, widened + i * width, width);
    look_at(job, widened, width, some, width, (int32_t)r, best, index);
  }
}

static void store(const arg_job* job, int64_t at, int64_t index) {
  switch (job->index_type) {
    case TN_INT64: ((int64_t*)job->out)[at] = index; break;
    case TN_INT32: ((int32_t*)job->out)[at] = (int32_t)index; break;
    default: ((uint16_t*)job->out)[at] = (uint16_t)index;
  }
}

static void arg_units(void* opaque, int64_t begin, int64_t end) {
  const arg_job* job = opaque;
  alignas(64) char best[COLUMNS * 8];
  int32_t index[COLUMNS];
  for (int64_t unit = begin; unit < end; ++unit) {
    const int64_t chunk = unit % job->chunks, tile = unit / job->chunks % job->tiles;
    const int64_t outer = unit / job->chunks / job->tiles, column = tile * COLUMNS;
    const int64_t width = min_of(COLUMNS, job->inner - column), row = chunk * job->rows_per_chunk;
    const int64_t rows = min_of(job->rows_per_chunk, job->depth - row);
    job->loops->begin[job->least][job->dtype](best, width);
    memset(index, 0, sizeof index[0] * (size_t)width);
    look_at_rows(job, job->in + ((outer * job->depth + row) * job->inner + column) * job->size,
                 rows, width, best, index);
    const int64_t first = outer * job->inner + column;
    if (job->chunks == 1) {
      for (int64_t j = 0; j < width; ++j) store(job, first + j, index[j]);
    } else {
      const int64_t slot = first * job->chunks + chunk * width;
      memcpy(job->bests + slot * job->computed_size, best, (size_t)(width * job->computed_size));
      for (int64_t j = 0; j < width; ++j) job->indices[slot + j] = row + index[j];
    }
  }
}

// The best of the chunks' bests: rows of the same kind again.
static void compare_chunks(const arg_job* job) {
  alignas(64) char best[COLUMNS * 8];
  int32_t chunk[COLUMNS];
  for (int64_t unit = 0; unit < job->outer * job->tiles; ++unit) {
    const int64_t column = unit % job->tiles * COLUMNS;
    const int64_t width = min_of(COLUMNS, job->inner - column);
    const int64_t first = unit / job->tiles * job->inner + column, slot = first * job->chunks;
    job->loops->begin[job->least][job->dtype](best, width);
    memset(chunk, 0, sizeof chunk[0] * (size_t)width);
    look_at(job, job->bests + slot * job->computed_size, width, job->chunks, width, 0, best, chunk);
    for (int64_t j = 0; j < width; ++j)
      store(job, first + j, job->indices[slot + chunk[j] * width + j]);
  }
}

void tn_cpu_arg(bool least, tn_dtype dtype, tn_dtype index_type, int64_t outer, int64_t depth,
                int64_t inner, const void* in, void* out, void* workspace,
                const tn_cpu_parallel* parallel) {
  const bool widened = dtype == TN_HALF || dtype == TN_BFLOAT16;
  arg_job job = {.loops = TN_CPU_CHOOSE(tn_reduce_arg_loops),
                 .widen = widened ? TN_CPU_CHOOSE(tn_narrow_loops)->widen[dtype] : NULL,
                 .least = least,
                 .dtype = widened ? TN_FLOAT : dtype,
                 .index_type = index_type,
                 .size = (int64_t)tn_cpu_size(dtype),
                 .computed_size = (int64_t)tn_cpu_size(widened ? TN_FLOAT : dtype),
                 .outer = outer,
                 .depth = depth,
                 .inner = inner,
                 .in = in,
                 .out = out};
  cut_chunks(&job);
  job.indices = workspace;
  if (job.chunks > 1) job.bests = (char*)(job.indices + outer * inner * job.chunks);
  tn_cpu_run(parallel, outer * job.tiles * job.chunks,
             job.rows_per_chunk * min_of(inner, COLUMNS) / 3 + 20, arg_units, &job);
  if (job.chunks > 1) compare_chunks(&job);
}
