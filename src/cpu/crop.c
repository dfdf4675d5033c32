#include "cpu/crop.h"

#include <math.h>

#include "cpu/cast_loops.h"
#include "cpu/parallel.h"
#include "cpu/resize_loops.h"

typedef struct crop_job {
  const tn_cpu_crop* crop;
  const tn_resize_loops* loops;
  tn_unary_loop widen;
  tn_dtype dtype;
  int64_t size;
  const char* images;
  float* out;
} crop_job;

// Where pixel i of a crop from `begin` to `end` lies in an image of this size.
static float position(float begin, float end, int64_t i, int64_t crop, int64_t size) {
  if (crop <= 1) return 0.5f * (begin + end) * (float)(size - 1);
  const float scale = (end - begin) * (float)(size - 1) / (float)(crop - 1);
  return begin * (float)(size - 1) + (float)i * scale;
}

static bool is_inside(float at, int64_t size) { return at >= 0 && at <= (float)(size - 1); }

static void crop_pixel(const crop_job* job, const char* image, float row, float column,
                       float* out) {
  enum { STRIP = 256 };
  const tn_cpu_crop* crop = job->crop;
  const int64_t line = crop->columns * crop->channels * job->size;
  const char* upper = image + (int64_t)(crop->nearest ? roundf(row) : floorf(row)) * line;
  const int64_t left = (int64_t)(crop->nearest ? roundf(column) : floorf(column)) * crop->channels;
  if (crop->nearest) {
    job->widen(upper + left * job->size, out, crop->channels);
    return;
  }
  const char* lower = image + (int64_t)ceilf(row) * line;
  const int64_t right = (int64_t)ceilf(column) * crop->channels;
  float above[STRIP], below[STRIP];
  for (int64_t c = 0; c < crop->channels; c += STRIP) {
    const int64_t rest = crop->channels - c, count = rest < STRIP ? rest : STRIP;
    const tn_resize_place place = {left + c, right + c, column - floorf(column)};
    job->loops->mix_columns[job->dtype](upper, &place, 1, count, above);
    job->loops->mix_columns[job->dtype](lower, &place, 1, count, below);
    job->loops->mix_rows(above, below, row - floorf(row), count, out + c);
  }
}

static void crop_rows(void* arg, int64_t begin, int64_t end) {
  const crop_job* job = arg;
  const tn_cpu_crop* crop = job->crop;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t box = i / crop->crop_rows, y = i % crop->crop_rows;
    const float* at = crop->corners + 4 * box;
    const char* image =
        job->images + crop->owners[box] * crop->rows * crop->columns * crop->channels * job->size;
    const float row = position(at[0], at[2], y, crop->crop_rows, crop->rows);
    for (int64_t x = 0; x < crop->crop_columns; ++x) {
      const float column = position(at[1], at[3], x, crop->crop_columns, crop->columns);
      float* out = job->out + (i * crop->crop_columns + x) * crop->channels;
      if (is_inside(row, crop->rows) && is_inside(column, crop->columns)) {
        crop_pixel(job, image, row, column, out);
      } else {
        for (int64_t c = 0; c < crop->channels; ++c) out[c] = crop->outside;
      }
    }
  }
}

void tn_cpu_crop_and_resize(tn_dtype dtype, const tn_cpu_crop* crop, const void* images, float* out,
                            const tn_cpu_parallel* parallel) {
  crop_job job = {.crop = crop,
                  .loops = TN_CPU_CHOOSE(tn_resize_loops),
                  .widen = TN_CPU_CHOOSE(tn_cast_loops)->round[dtype][TN_FLOAT],
                  .dtype = dtype,
                  .size = (int64_t)tn_cpu_size(dtype),
                  .images = images,
                  .out = out};
  const double cost = (double)crop->crop_columns * (20 + 2 * (double)crop->channels);
  tn_cpu_run(parallel, crop->boxes * crop->crop_rows, (int64_t)(cost < 1e12 ? cost : 1e12),
             crop_rows, &job);
}
