#include <math.h>

#include "cpu/parallel.h"
#include "cpu/resize.h"
#include "cpu/resize_loops.h"

// Rows are worked on in tiles of columns, so that what a tile needs fits on the stack: four input
// rows, mixed from four neighbours in each column.
enum { TILE_ELEMENTS = 1536, TILE_COLUMNS = 256 };

// Weights are looked up at one of 1024 places between two pixels, as TensorFlow does it: the same
// inputs then give the same numbers.
enum { STEPS = 1024 };

// The cubic kernel at distance x below 1, and at 1 + x.
static float near_weight(double a, float x) {
  return (float)(((a + 2) * (double)x - (a + 3)) * (double)x * (double)x + 1);
}
static float far_weight(double a, float x) {
  x += 1;
  return (float)(((a * (double)x - 5 * a) * (double)x + 8 * a) * (double)x - 4 * a);
}

static int64_t clamp(int64_t i, int64_t size) { return i < 0 ? 0 : i < size ? i : size - 1; }

typedef struct axis {
  int64_t in;
  float scale;
  bool half_pixel_centers;
} axis;

static axis make_axis(const tn_cpu_resizing* r, int64_t in, int64_t out) {
  return (axis){
      in, r->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out,
      r->half_pixel_centers};
}

// With half-pixel centers a pixel beyond the edge has no weight; else the edge stands in for it.
static tn_resize_quad find_quad(const axis* axis, int64_t i) {
  const float at =
      axis->half_pixel_centers ? ((float)i + 0.5f) * axis->scale - 0.5f : (float)i * axis->scale;
  const float below = floorf(at);
  const long step = lrintf((at - below) * STEPS);
  const double a = axis->half_pixel_centers ? -0.5 : -0.75;
  const float x = (float)step / STEPS, rest = (float)(STEPS - step) / STEPS;
  tn_resize_quad quad = {
      .weight = {far_weight(a, x), near_weight(a, x), near_weight(a, rest), far_weight(a, rest)}};
  for (int k = 0; k < 4; ++k) {
    const int64_t index = (int64_t)below - 1 + k;
    quad.index[k] = clamp(index, axis->in);
    if (axis->half_pixel_centers && quad.index[k] != index) quad.weight[k] = 0;
  }
  if (!axis->half_pixel_centers) return quad;
  const float sum = quad.weight[0] + quad.weight[1] + quad.weight[2] + quad.weight[3];
  if (fabsf(sum) >= 1000 * 0x1p-126f)
    for (int k = 0; k < 4; ++k) quad.weight[k] *= 1 / sum;
  return quad;
}

typedef struct bicubic_job {
  const tn_cpu_resizing* r;
  const tn_resize_loops* loops;
  tn_dtype dtype;
  int64_t size;
  axis rows, columns;
  const char* in;
  float* out;
} bicubic_job;

// Input rows that have been mixed already, by their numbers modulo 4: neighbours never meet.
typedef struct mixed {
  int64_t row[4];
  float data[4][TILE_ELEMENTS];
} mixed;

static const float* mix_row(const bicubic_job* job, const tn_resize_quad* quads, int64_t columns,
                            int64_t channels, int64_t row, mixed* m) {
  const tn_cpu_resizing* r = job->r;
  float* data = m->data[row % 4];
  if (m->row[row % 4] != row)
    job->loops->mix_quads[job->dtype](job->in + row * r->columns * r->channels * job->size, quads,
                                      columns, channels, data);
  m->row[row % 4] = row;
  return data;
}

// A tile of `columns` columns from `column` on, and `channels` channels from `channel` on.
static void bicubic_tile(const bicubic_job* job, int64_t begin, int64_t end, int64_t column,
                         int64_t columns, int64_t channel, int64_t channels) {
  const tn_cpu_resizing* r = job->r;
  tn_resize_quad quads[TILE_COLUMNS];
  mixed m = {.row = {-1, -1, -1, -1}};
  for (int64_t i = 0; i < columns; ++i) {
    quads[i] = find_quad(&job->columns, column + i);
    for (int k = 0; k < 4; ++k) quads[i].index[k] = quads[i].index[k] * r->channels + channel;
  }
  for (int64_t i = begin; i < end; ++i) {
    const tn_resize_quad at = find_quad(&job->rows, i % r->out_rows);
    const int64_t first = i / r->out_rows * r->rows;
    const float* rows[4];
    for (int k = 0; k < 4; ++k)
      rows[k] = mix_row(job, quads, columns, channels, first + at.index[k], &m);
    job->loops->mix_quad_rows(rows, at.weight, columns * channels,
                              job->out + (i * r->out_columns + column) * r->channels + channel);
  }
}

static void bicubic_rows(void* arg, int64_t begin, int64_t end) {
  const bicubic_job* job = arg;
  const tn_cpu_resizing* r = job->r;
  const int64_t strip = r->channels < TILE_ELEMENTS ? r->channels : TILE_ELEMENTS;
  const int64_t fitting = TILE_ELEMENTS / strip;
  const int64_t width = fitting < TILE_COLUMNS ? fitting : TILE_COLUMNS;
  for (int64_t column = 0; column < r->out_columns; column += width)
    for (int64_t channel = 0; channel < r->channels; channel += strip) {
      const int64_t columns = r->out_columns - column, channels = r->channels - channel;
      bicubic_tile(job, begin, end, column, columns < width ? columns : width, channel,
                   channels < strip ? channels : strip);
    }
}

void tn_cpu_resize_bicubic(tn_dtype dtype, const tn_cpu_resizing* r, const void* in, float* out,
                           const tn_cpu_parallel* parallel) {
  bicubic_job job = {.r = r,
                     .loops = TN_CPU_CHOOSE(tn_resize_loops),
                     .dtype = dtype,
                     .size = (int64_t)tn_cpu_size(dtype),
                     .rows = make_axis(r, r->rows, r->out_rows),
                     .columns = make_axis(r, r->columns, r->out_columns),
                     .in = in,
                     .out = out};
  const double cost = 3.0 * (double)r->out_columns * (double)r->channels;
  tn_cpu_run(parallel, r->images * r->out_rows, (int64_t)(cost < 1e12 ? cost : 1e12), bicubic_rows,
             &job);
}
