#include "cpu/pool2d.h"

#include <stdatomic.h>
#include <string.h>

#include "cpu/cast_loops.h"
#include "cpu/parallel.h"
#include "cpu/pool2d_loops.h"

// A unit of work is a strip of channels of one row, or of one image where rows get in each other's
// way. Channels are only cut where there are few units otherwise, at whole cache lines.
typedef struct pool_job {
  const tn_cpu_window* w;
  const tn_pool2d_loops* loops;
  tn_dtype dtype;
  size_t size;
  int64_t strips, strip;
  const char *in, *grad, *pooled;
  char* out;
  tn_dtype where_dtype;
  bool across_images;
  char* where;
  _Atomic int64_t bad;  // the first of `where` that is nowhere, or -1
} pool_job;

typedef struct span {
  int64_t begin, end;
} span;

// The taps of output `at` that are on the image.
static span under(int64_t at, int64_t stride, int64_t before, int64_t window, int64_t size) {
  const int64_t begin = at * stride - before, end = begin + window;
  return (span){begin < 0 ? 0 : begin, end < size ? end : size};
}

// The outputs whose window has input `at`.
static span over(int64_t at, int64_t stride, int64_t before, int64_t window, int64_t size) {
  const int64_t last = (at + before) / stride + 1, rest = at + before - window;
  const int64_t begin = rest < 0 ? 0 : rest / stride + 1;
  return (span){begin, last < size ? last : size};
}

static void run_units(pool_job* job, int64_t units, int64_t elements, double taps,
                      void (*body)(void*, int64_t, int64_t), const tn_cpu_parallel* parallel) {
  const int64_t channels = job->w->channels, line = 64 / (int64_t)job->size;
  if (units == 0 || channels == 0) return;
  const int64_t lines = (channels + line - 1) / line;
  const int64_t wanted = units >= 32 ? 1 : (32 + units - 1) / units;
  job->strip = (lines + wanted - 1) / wanted * line;
  job->strips = (channels + job->strip - 1) / job->strip;
  // A tap takes about as long as loading it from the second level of cache.
  const double cost = (double)elements / (double)job->strips * taps * (double)job->size / 64 + 20;
  tn_cpu_run(parallel, units * job->strips, (int64_t)(cost < 1e12 ? cost : 1e12), body, job);
}

static pool_job make_job(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out) {
  return (pool_job){.w = w,
                    .loops = TN_CPU_CHOOSE(tn_pool2d_loops),
                    .dtype = dtype,
                    .size = tn_cpu_size(dtype),
                    .in = in,
                    .out = out};
}

// What one unit covers.
typedef struct unit {
  int64_t image, row, channel, count;
} unit;

static unit find_unit(const pool_job* job, int64_t index, int64_t rows) {
  const int64_t row = index / job->strips, channel = index % job->strips * job->strip;
  const int64_t left = job->w->channels - channel;
  return (unit){row / rows, row % rows, channel, left < job->strip ? left : job->strip};
}

// Element [image, row, column, channel] of an array with these rows and columns.
static int64_t offset(const pool_job* job, int64_t rows, int64_t columns, int64_t row,
                      int64_t column, const unit* u) {
  return ((u->image * rows + row) * columns + column) * job->w->channels + u->channel;
}

static int64_t in_offset(const pool_job* job, int64_t row, int64_t column, const unit* u) {
  return offset(job, job->w->rows, job->w->columns, row, column, u);
}

static int64_t out_offset(const pool_job* job, int64_t row, int64_t column, const unit* u) {
  return offset(job, job->w->out_rows, job->w->out_columns, row, column, u);
}

// Where the patch under output [row, column] begins.
static int64_t find_patch(const pool_job* job, int64_t row, int64_t column, const unit* u,
                          tn_pool_patch* out) {
  const tn_cpu_window* w = job->w;
  const span rows = under(row, w->row_stride, w->top, w->window_rows, w->rows);
  const span columns = under(column, w->column_stride, w->left, w->window_columns, w->columns);
  *out = (tn_pool_patch){rows.end - rows.begin, columns.end - columns.begin,
                         w->columns * w->channels, w->channels};
  return in_offset(job, rows.begin, columns.begin, u);
}

static void pool_rows(const pool_job* job, int64_t begin, int64_t end,
                      void (*pool)(const void*, tn_pool_patch, int64_t, void*)) {
  for (int64_t i = begin; i < end; ++i) {
    const unit u = find_unit(job, i, job->w->out_rows);
    for (int64_t x = 0; x < job->w->out_columns; ++x) {
      tn_pool_patch patch;
      const int64_t from = find_patch(job, u.row, x, &u, &patch);
      pool(job->in + from * (int64_t)job->size, patch, u.count,
           job->out + out_offset(job, u.row, x, &u) * (int64_t)job->size);
    }
  }
}

static void max_rows(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  pool_rows(job, begin, end, job->loops->max[job->dtype]);
}

static void mean_rows(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  pool_rows(job, begin, end, job->loops->mean[job->dtype]);
}

static double taps(const tn_cpu_window* w) {
  return (double)(w->window_rows < w->rows ? w->window_rows : w->rows) *
         (double)(w->window_columns < w->columns ? w->window_columns : w->columns);
}

void tn_cpu_max_pool(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                     const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, in, out);
  run_units(&job, w->images * w->out_rows, w->out_columns * w->channels, taps(w), max_rows,
            parallel);
}

void tn_cpu_average_pool(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                         const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, in, out);
  run_units(&job, w->images * w->out_rows, w->out_columns * w->channels, taps(w), mean_rows,
            parallel);
}

static void store_where(const pool_job* job, int64_t at, int64_t count, int64_t from,
                        tn_pool_patch patch, const int32_t* positions) {
  if (!job->across_images) from %= job->w->rows * job->w->columns * job->w->channels;
  for (int64_t j = 0; j < count; ++j) {
    const int64_t row = positions[j] / patch.columns, column = positions[j] % patch.columns;
    const int64_t found = from + j + row * patch.row_step + column * patch.column_step;
    if (job->where_dtype == TN_INT32) {
      ((int32_t*)job->where)[at + j] = (int32_t)found;
    } else {
      ((int64_t*)job->where)[at + j] = found;
    }
  }
}

static void where_rows(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  const int64_t size = (int64_t)job->size;
  int32_t positions[TN_POOL_STRIP];
  for (int64_t i = begin; i < end; ++i) {
    const unit u = find_unit(job, i, job->w->out_rows);
    for (int64_t x = 0; x < job->w->out_columns; ++x) {
      tn_pool_patch patch;
      const int64_t from = find_patch(job, u.row, x, &u, &patch);
      const int64_t to = out_offset(job, u.row, x, &u);
      for (int64_t j = 0; j < u.count; j += TN_POOL_STRIP) {
        const int64_t some = u.count - j < TN_POOL_STRIP ? u.count - j : TN_POOL_STRIP;
        job->loops->argmax[job->dtype](job->in + (from + j) * size, patch, some,
                                       job->out ? job->out + (to + j) * size : NULL, positions);
        if (job->where) store_where(job, to + j, some, from + j, patch, positions);
      }
    }
  }
}

void tn_cpu_max_pool_where(tn_dtype dtype, const tn_cpu_window* w, const void* in, void* out,
                           tn_dtype where_dtype, bool across_images, void* where,
                           const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, in, out);
  job.where_dtype = where_dtype;
  job.across_images = across_images;
  job.where = where;
  run_units(&job, w->images * w->out_rows, w->out_columns * w->channels, 2 * taps(w), where_rows,
            parallel);
}

static void clear_strip(const pool_job* job, const unit* u) {
  const tn_cpu_window* w = job->w;
  const int64_t size = (int64_t)job->size, pixels = w->rows * w->columns;
  char* out = job->out + in_offset(job, 0, 0, u) * size;
  if (u->count == w->channels) {
    memset(out, 0, (size_t)(pixels * u->count * size));
  } else {
    for (int64_t i = 0; i < pixels; ++i)
      memset(out + i * w->channels * size, 0, (size_t)(u->count * size));
  }
}

// Windows of neighbouring rows add to the same pixels, so that a unit is an image.
static void grad_images(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  const int64_t size = (int64_t)job->size;
  int32_t positions[TN_POOL_STRIP];
  for (int64_t i = begin; i < end; ++i) {
    const unit u = find_unit(job, i, 1);
    clear_strip(job, &u);
    for (int64_t y = 0; y < job->w->out_rows; ++y)
      for (int64_t x = 0; x < job->w->out_columns; ++x) {
        tn_pool_patch patch;
        const int64_t from = find_patch(job, y, x, &u, &patch);
        const char* grad = job->grad + out_offset(job, y, x, &u) * size;
        for (int64_t j = 0; j < u.count; j += TN_POOL_STRIP) {
          const int64_t some = u.count - j < TN_POOL_STRIP ? u.count - j : TN_POOL_STRIP;
          job->loops->argmax[job->dtype](job->in + (from + j) * size, patch, some, NULL, positions);
          job->loops->spread[job->dtype](job->out + (from + j) * size, patch, some, grad + j * size,
                                         positions);
        }
      }
  }
}

void tn_cpu_max_pool_grad(tn_dtype dtype, const tn_cpu_window* w, const void* in, const void* grad,
                          void* out, const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, in, out);
  job.grad = grad;
  run_units(&job, w->images, w->out_rows * w->out_columns * w->channels, 4 * taps(w), grad_images,
            parallel);
}

static void grad_at_images(void* arg, int64_t begin, int64_t end) {
  pool_job* job = arg;
  const tn_cpu_window* w = job->w;
  const int64_t size = (int64_t)job->size, image_size = w->rows * w->columns * w->channels;
  const int64_t pooled_size = w->out_rows * w->out_columns * w->channels;
  for (int64_t i = begin; i < end; ++i) {
    char* out = job->out + i * image_size * size;
    memset(out, 0, (size_t)(image_size * size));
    for (int64_t j = i * pooled_size; j < (i + 1) * pooled_size; ++j) {
      const int64_t where = job->where_dtype == TN_INT32 ? ((const int32_t*)job->where)[j]
                                                         : ((const int64_t*)job->where)[j];
      const int64_t at = where - (job->across_images ? i * image_size : 0);
      const tn_pool_patch pixel = {1, 1, 0, 0};
      if (at >= 0 && at < image_size) {
        job->loops->spread[job->dtype](out + at * size, pixel, 1, job->grad + j * size,
                                       (const int32_t[]){0});
        continue;
      }
      int64_t bad = atomic_load(&job->bad);
      while ((bad < 0 || j < bad) && !atomic_compare_exchange_weak(&job->bad, &bad, j)) continue;
    }
  }
}

int64_t tn_cpu_max_pool_grad_at(tn_dtype dtype, const tn_cpu_window* w, const void* grad,
                                tn_dtype where_dtype, bool across_images, const void* where,
                                void* out, const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, NULL, out);
  job.grad = grad;
  job.where_dtype = where_dtype;
  job.across_images = across_images;
  job.where = (char*)where;
  atomic_init(&job.bad, -1);
  const double cost = 5.0 * (double)w->out_rows * (double)w->out_columns * (double)w->channels;
  tn_cpu_run(parallel, w->images, (int64_t)(cost < 1e12 ? cost : 1e12), grad_at_images, &job);
  return atomic_load(&job.bad);
}

static void grad_grad_rows(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  const int64_t size = (int64_t)job->size;
  for (int64_t i = begin; i < end; ++i) {
    const unit u = find_unit(job, i, job->w->out_rows);
    for (int64_t x = 0; x < job->w->out_columns; ++x) {
      tn_pool_patch patch;
      const int64_t from = find_patch(job, u.row, x, &u, &patch);
      const int64_t to = out_offset(job, u.row, x, &u);
      for (int64_t j = 0; j < u.count; ++j) {
        job->loops->pick[job->dtype](job->in + (from + j) * size, patch,
                                     job->pooled + (to + j) * size, job->grad + (from + j) * size,
                                     job->out + (to + j) * size);
      }
    }
  }
}

void tn_cpu_max_pool_grad_grad(tn_dtype dtype, const tn_cpu_window* w, const void* in,
                               const void* pooled, const void* grad, void* out,
                               const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, in, out);
  job.grad = grad;
  job.pooled = pooled;
  run_units(&job, w->images * w->out_rows, w->out_columns * w->channels, 8 * taps(w),
            grad_grad_rows, parallel);
}

// One row of windows over input column `x`, in portions that the stack has room for.
static void weigh_row(const pool_job* job, int64_t row, int64_t rows_under, span columns,
                      const unit* u, int64_t channel, int64_t count, double* sums) {
  enum { PORTION = 64 };
  const tn_cpu_window* w = job->w;
  double weights[PORTION];
  for (int64_t x = columns.begin; x < columns.end; x += PORTION) {
    const int64_t some = columns.end - x < PORTION ? columns.end - x : PORTION;
    for (int64_t i = 0; i < some; ++i) {
      const span taps = under(x + i, w->column_stride, w->left, w->window_columns, w->columns);
      weights[i] = 1.0 / (double)(rows_under * (taps.end - taps.begin));
    }
    job->loops->weigh[job->dtype](
        job->grad + (out_offset(job, row, x, u) + channel) * (int64_t)job->size, some, w->channels,
        weights, count, sums);
  }
}

static void average_grad_rows(void* arg, int64_t begin, int64_t end) {
  const pool_job* job = arg;
  const tn_cpu_window* w = job->w;
  const tn_dtype wide = job->dtype == TN_DOUBLE ? TN_DOUBLE : TN_FLOAT;
  const tn_unary_loop store = TN_CPU_CHOOSE(tn_cast_loops)->round[wide][job->dtype];
  double sums[TN_POOL_STRIP];  // or floats
  for (int64_t i = begin; i < end; ++i) {
    const unit u = find_unit(job, i, w->rows);
    const span rows = over(u.row, w->row_stride, w->top, w->window_rows, w->out_rows);
    for (int64_t x = 0; x < w->columns; ++x) {
      const span columns = over(x, w->column_stride, w->left, w->window_columns, w->out_columns);
      for (int64_t j = 0; j < u.count; j += TN_POOL_STRIP) {
        const int64_t some = u.count - j < TN_POOL_STRIP ? u.count - j : TN_POOL_STRIP;
        memset(sums, 0, sizeof sums);
        for (int64_t y = rows.begin; y < rows.end; ++y) {
          const span taps = under(y, w->row_stride, w->top, w->window_rows, w->rows);
          weigh_row(job, y, taps.end - taps.begin, columns, &u, j, some, sums);
        }
        store(sums, job->out + (in_offset(job, u.row, x, &u) + j) * (int64_t)job->size, some);
      }
    }
  }
}

void tn_cpu_average_pool_grad(tn_dtype dtype, const tn_cpu_window* w, const void* grad, void* out,
                              const tn_cpu_parallel* parallel) {
  pool_job job = make_job(dtype, w, NULL, out);
  job.grad = grad;
  const double overlap = 1 + taps(w) / ((double)w->row_stride * (double)w->column_stride);
  run_units(&job, w->images * w->rows, w->columns * w->channels, 2 * overlap, average_grad_rows,
            parallel);
}
