#include "cpu/resize.h"

#include <math.h>
#include <string.h>

#include "cpu/elementwise.h"
#include "cpu/parallel.h"
#include "cpu/resize_loops.h"

// Rows are worked on in tiles of columns, so that what a tile needs fits on the stack.
enum { TILE_ELEMENTS = 2048, TILE_COLUMNS = 512 };

// One dimension, and where an output index lies in it.
typedef struct scaling {
  int64_t in, out;
  float scale;
  bool align_corners, half_pixel_centers;
} scaling;

static scaling make_scaling(const tn_cpu_resizing* r, int64_t in, int64_t out) {
  const float scale =
      r->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
  return (scaling){in, out, scale, r->align_corners, r->half_pixel_centers};
}

static int64_t clamp(float index, int64_t size) {
  return index <= 0              ? 0
         : index >= (float)size  ? size - 1
         : (int64_t)index < size ? (int64_t)index
                                 : size - 1;
}

static tn_resize_place find_between(const scaling* s, int64_t i) {
  const float at =
      s->half_pixel_centers ? ((float)i + 0.5f) * s->scale - 0.5f : (float)i * s->scale;
  const float below = floorf(at);
  return (tn_resize_place){clamp(below, s->in), clamp(ceilf(at), s->in), at - below};
}

static int64_t find_nearest(const scaling* s, int64_t i) {
  const float at = s->half_pixel_centers ? ((float)i + 0.5f) * s->scale : (float)i * s->scale;
  return clamp(s->align_corners ? roundf(at) : floorf(at), s->in);
}

// The first output that `before` does not hold for; it holds for all up to there.
static int64_t first_not(const scaling* s, int64_t in,
                         bool (*before)(const scaling* s, int64_t out, int64_t in)) {
  int64_t low = 0, high = s->out;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (before(s, middle, in)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

static bool upper_is_below(const scaling* s, int64_t out, int64_t in) {
  return find_between(s, out).upper < in;
}
static bool lower_is_not_above(const scaling* s, int64_t out, int64_t in) {
  return find_between(s, out).lower <= in;
}
static bool nearest_is_below(const scaling* s, int64_t out, int64_t in) {
  return find_nearest(s, out) < in;
}

typedef struct resize_job {
  const tn_cpu_resizing* r;
  const tn_resize_loops* loops;
  tn_dtype dtype;
  int64_t size;
  scaling rows, columns;
  const char* in;
  char* out;
} resize_job;

static resize_job make_job(const tn_cpu_resizing* r, const void* in, void* out) {
  return (resize_job){.r = r,
                      .loops = TN_CPU_CHOOSE(tn_resize_loops),
                      .rows = make_scaling(r, r->rows, r->out_rows),
                      .columns = make_scaling(r, r->columns, r->out_columns),
                      .in = in,
                      .out = out};
}

// Part of the columns, and of the channels where a pixel has more than a tile.
typedef struct tile {
  int64_t column, columns, channel, channels;
} tile;

static bool next_tile(const tn_cpu_resizing* r, int64_t all_columns, tile* t) {
  t->channel += t->channels;
  if (t->columns == 0 || t->channel >= r->channels) {
    t->channel = 0;
    t->column += t->columns;
  }
  const int64_t left = r->channels - t->channel;
  t->channels = left < TILE_ELEMENTS ? left : TILE_ELEMENTS;
  t->columns = TILE_ELEMENTS / (r->channels < TILE_ELEMENTS ? r->channels : TILE_ELEMENTS);
  if (t->columns > TILE_COLUMNS) t->columns = TILE_COLUMNS;
  if (t->columns > all_columns - t->column) t->columns = all_columns - t->column;
  return t->column < all_columns;
}

static void place_columns(const resize_job* job, const tile* t, tn_resize_place* places) {
  for (int64_t i = 0; i < t->columns; ++i) {
    places[i] = find_between(&job->columns, t->column + i);
    places[i].lower = places[i].lower * job->r->channels + t->channel;
    places[i].upper = places[i].upper * job->r->channels + t->channel;
  }
}

// Two input rows that have been mixed already.
typedef struct mixed {
  int64_t row[2];
  float data[2][TILE_ELEMENTS];
} mixed;

static const float* mix_row(const resize_job* job, const tile* t, const tn_resize_place* places,
                            int64_t row, int64_t keep, mixed* m) {
  const tn_cpu_resizing* r = job->r;
  for (int i = 0; i < 2; ++i)
    if (m->row[i] == row) return m->data[i];
  const int slot = m->row[0] == keep ? 1 : 0;
  m->row[slot] = row;
  job->loops->mix_columns[job->dtype](job->in + row * r->columns * r->channels * job->size, places,
                                      t->columns, t->channels, m->data[slot]);
  return m->data[slot];
}

static void bilinear_rows(void* arg, int64_t begin, int64_t end) {
  const resize_job* job = arg;
  const tn_cpu_resizing* r = job->r;
  tn_resize_place places[TILE_COLUMNS];
  mixed m;
  tile t = {0};
  while (next_tile(r, r->out_columns, &t)) {
    place_columns(job, &t, places);
    m.row[0] = m.row[1] = -1;
    for (int64_t i = begin; i < end; ++i) {
      const tn_resize_place at = find_between(&job->rows, i % r->out_rows);
      const int64_t first = i / r->out_rows * r->rows;
      const float* upper = mix_row(job, &t, places, first + at.lower, first + at.upper, &m);
      const float* lower = mix_row(job, &t, places, first + at.upper, first + at.lower, &m);
      float* out =
          (float*)(void*)job->out + (i * r->out_columns + t.column) * r->channels + t.channel;
      job->loops->mix_rows(upper, lower, at.share, t.columns * t.channels, out);
    }
  }
}

static int64_t clamp_cost(double cost) { return (int64_t)(cost < 1e12 ? cost : 1e12); }

void tn_cpu_resize_bilinear(tn_dtype dtype, const tn_cpu_resizing* r, const void* in, float* out,
                            const tn_cpu_parallel* parallel) {
  resize_job job = make_job(r, in, out);
  job.dtype = dtype;
  job.size = (int64_t)tn_cpu_size(dtype);
  tn_cpu_run(parallel, r->images * r->out_rows,
             clamp_cost((double)r->out_columns * (double)r->channels), bilinear_rows, &job);
}

// Row by row of the input: the outputs made of it are neighbours.
static void bilinear_grad_rows(void* arg, int64_t begin, int64_t end) {
  const resize_job* job = arg;
  const tn_cpu_resizing* r = job->r;
  const int64_t row_bytes = r->columns * r->channels * job->size;
  tn_resize_place places[TILE_COLUMNS];
  double sums[TILE_ELEMENTS];  // or floats
  memset(job->out + begin * row_bytes, 0, (size_t)((end - begin) * row_bytes));
  tile t = {0};
  while (next_tile(r, r->out_columns, &t)) {
    place_columns(job, &t, places);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % r->rows, image = i / r->rows;
      const int64_t first = first_not(&job->rows, row, upper_is_below);
      const int64_t last = first_not(&job->rows, row, lower_is_not_above);
      memset(sums, 0, (size_t)(t.columns * t.channels * job->size));
      for (int64_t y = first; y < last; ++y) {
        const tn_resize_place at = find_between(&job->rows, y);
        const float weight =
            (at.lower == row ? 1 - at.share : 0) + (at.upper == row ? at.share : 0);
        const float* grad = (const float*)(const void*)job->in +
                            (image * r->out_rows + y) * r->out_columns * r->channels;
        if (t.channels == r->channels) {
          job->loops->weigh[job->dtype](grad + t.column * r->channels, weight,
                                        t.columns * t.channels, sums);
        } else {  // then the tile is one column
          job->loops->weigh[job->dtype](grad + t.column * r->channels + t.channel, weight,
                                        t.channels, sums);
        }
      }
      job->loops->spread[job->dtype](sums, places, t.columns, t.channels, job->out + i * row_bytes);
    }
  }
}

size_t tn_cpu_resize_bilinear_grad_workspace(tn_dtype dtype, const tn_cpu_resizing* r) {
  if (dtype == TN_FLOAT || dtype == TN_DOUBLE) return 0;
  return (size_t)(r->images * r->rows * r->columns * r->channels) * sizeof(float);
}

void tn_cpu_resize_bilinear_grad(tn_dtype dtype, const tn_cpu_resizing* r, const float* grad,
                                 void* out, void* workspace, const tn_cpu_parallel* parallel) {
  const bool direct = dtype == TN_FLOAT || dtype == TN_DOUBLE;
  resize_job job = make_job(r, grad, direct ? out : workspace);
  job.dtype = direct ? dtype : TN_FLOAT;
  job.size = dtype == TN_DOUBLE ? 8 : 4;
  const double rows = 2.0 * (double)r->out_rows / (double)r->rows + 1;
  tn_cpu_run(parallel, r->images * r->rows,
             clamp_cost(rows * (double)r->out_columns * (double)r->channels / 2),
             bilinear_grad_rows, &job);
  if (!direct)
    tn_cpu_cast(TN_FLOAT, dtype, false, r->images * r->rows * r->columns * r->channels, workspace,
                out, parallel);
}

static void nearest_rows(void* arg, int64_t begin, int64_t end) {
  const resize_job* job = arg;
  const tn_cpu_resizing* r = job->r;
  const int64_t pixel = r->channels * job->size, row_bytes = r->out_columns * pixel;
  tn_resize_place places[TILE_COLUMNS];
  for (int64_t column = 0; column < r->out_columns; column += TILE_COLUMNS) {
    const int64_t left = r->out_columns - column;
    const int64_t count = left < TILE_COLUMNS ? left : TILE_COLUMNS;
    for (int64_t i = 0; i < count; ++i)
      places[i].lower = find_nearest(&job->columns, column + i) * pixel;
    int64_t before = -1;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i / r->out_rows * r->rows + find_nearest(&job->rows, i % r->out_rows);
      char* out = job->out + i * row_bytes + column * pixel;
      if (row == before) {
        memcpy(out, out - row_bytes, (size_t)(count * pixel));
      } else {
        job->loops->pick(job->in + row * r->columns * pixel, places, count, pixel, out);
      }
      before = row;
    }
  }
}

void tn_cpu_resize_nearest(size_t size, const tn_cpu_resizing* r, const void* in, void* out,
                           const tn_cpu_parallel* parallel) {
  resize_job job = make_job(r, in, out);
  job.size = (int64_t)size;
  const double bytes = (double)r->out_columns * (double)r->channels * (double)size;
  tn_cpu_run(parallel, r->images * r->out_rows, clamp_cost(bytes / 8 + 20), nearest_rows, &job);
}

static void nearest_grad_rows(void* arg, int64_t begin, int64_t end) {
  const resize_job* job = arg;
  const tn_cpu_resizing* r = job->r;
  const int64_t pixel = r->channels * job->size;
  int64_t starts[TILE_COLUMNS + 1];
  for (int64_t column = 0; column < r->columns; column += TILE_COLUMNS) {
    const int64_t left = r->columns - column;
    const int64_t count = left < TILE_COLUMNS ? left : TILE_COLUMNS;
    for (int64_t i = 0; i <= count; ++i)
      starts[i] = first_not(&job->columns, column + i, nearest_is_below);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = i % r->rows, image = i / r->rows;
      const int64_t first = first_not(&job->rows, row, nearest_is_below);
      const int64_t last = first_not(&job->rows, row + 1, nearest_is_below);
      const char* in = job->in + (image * r->out_rows + first) * r->out_columns * pixel;
      for (int64_t x = 0; x < count; ++x)
        job->loops->sum[job->dtype](in + starts[x] * pixel, last - first,
                                    r->out_columns * r->channels, starts[x + 1] - starts[x],
                                    r->channels, r->channels,
                                    job->out + (i * r->columns + column + x) * pixel);
    }
  }
}

void tn_cpu_resize_nearest_grad(tn_dtype dtype, const tn_cpu_resizing* r, const void* grad,
                                void* out, const tn_cpu_parallel* parallel) {
  resize_job job = make_job(r, grad, out);
  job.dtype = dtype;
  job.size = (int64_t)tn_cpu_size(dtype);
  const double rows = (double)r->out_rows / (double)r->rows + 1;
  tn_cpu_run(parallel, r->images * r->rows,
             clamp_cost(rows * (double)r->out_columns * (double)r->channels / 2), nearest_grad_rows,
             &job);
}
