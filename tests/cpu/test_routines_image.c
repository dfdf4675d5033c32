// Pools, depthwise convolutions, resizing and optimisers against plain loops, in every variant that
// this machine has, on one thread and on a parallel-for that cuts work into odd ranges. Arrays end
// where their memory ends, so that a sanitizer sees a step too far.

#include <math.h>
#include <stdlib.h>

#include "cpu/depthwise.h"
#include "cpu/number.h"
#include "cpu/pool2d.h"
#include "cpu/resize.h"
#include "cpu/training.h"
#include "harness.h"

static void cut(void* pool, int64_t total, int64_t cost, void (*body)(void*, int64_t, int64_t),
                void* arg) {
  for (int64_t begin = 0, size = 1; begin < total; begin += size, ++size)
    body(arg, begin, begin + size < total ? begin + size : total);
}
static const tn_cpu_parallel cutting = {cut, NULL};

static const tn_dtype floats[] = {TN_FLOAT, TN_DOUBLE, TN_HALF, TN_BFLOAT16};
#define EACH_TYPE(x, dtype, _) dtype,
static const tn_dtype reals[] = {TN_CPU_EACH_REAL(EACH_TYPE, )};

// Small integers: their sums and products are exact in every type.
static void* numbers_of(tn_dtype dtype, int64_t count, uint64_t* random) {
  void* data = malloc((size_t)count * tn_cpu_size(dtype));
#define FILL(x, type, _)                \
  if (dtype == type)                    \
    for (int64_t i = 0; i < count; ++i) \
      ((s_##x*)data)[i] = store_##x((c_##x)test_between(random, 0, 3));
  TN_CPU_EACH_REAL(FILL, )
  return data;
}

static double at(tn_dtype dtype, const void* data, int64_t i) {
#define AT(x, type, _) \
  if (dtype == type) return (double)value_##x(((const s_##x*)data)[i]);
  TN_CPU_EACH_REAL(AT, )
  return NAN;
}

static tn_cpu_window window_of(uint64_t* random, bool dilated) {
  tn_cpu_window w = {.images = test_between(random, 1, 3),
                     .channels = test_between(random, 1, test_between(random, 1, 70)),
                     .window_rows = test_between(random, 1, 4),
                     .window_columns = test_between(random, 1, 5),
                     .row_stride = test_between(random, 1, 3),
                     .column_stride = test_between(random, 1, 3),
                     .row_dilation = dilated ? test_between(random, 1, 3) : 1,
                     .column_dilation = dilated ? test_between(random, 1, 3) : 1};
  const int64_t rows = (w.window_rows - 1) * w.row_dilation + 1;
  const int64_t columns = (w.window_columns - 1) * w.column_dilation + 1;
  w.rows = rows + test_between(random, 0, 6);
  w.columns = columns + test_between(random, 0, 9);
  w.top = test_between(random, 0, w.window_rows - 1);
  w.left = test_between(random, 0, w.window_columns - 1);
  w.out_rows = (w.rows + w.top - rows) / w.row_stride + 1;
  w.out_columns = (w.columns + w.left - columns) / w.column_stride + 1;
  return w;
}

static int64_t in_size(const tn_cpu_window* w) {
  return w->images * w->rows * w->columns * w->channels;
}
static int64_t out_size(const tn_cpu_window* w) {
  return w->images * w->out_rows * w->out_columns * w->channels;
}

// Input [image, row of tap r of output y, ...]; -1 where it is padding.
static int64_t source(const tn_cpu_window* w, int64_t n, int64_t y, int64_t x, int64_t r, int64_t t,
                      int64_t c) {
  const int64_t row = y * w->row_stride - w->top + r * w->row_dilation;
  const int64_t column = x * w->column_stride - w->left + t * w->column_dilation;
  if (row < 0 || row >= w->rows || column < 0 || column >= w->columns) return -1;
  return ((n * w->rows + row) * w->columns + column) * w->channels + c;
}

#define EACH_OUTPUT(w, i)                           \
  for (int64_t n = 0, i = 0; n < (w).images; ++n)   \
    for (int64_t y = 0; y < (w).out_rows; ++y)      \
      for (int64_t x = 0; x < (w).out_columns; ++x) \
        for (int64_t c = 0; c < (w).channels; ++c, ++i)
#define EACH_TAP(w)                             \
  for (int64_t r = 0; r < (w).window_rows; ++r) \
    for (int64_t t = 0; t < (w).window_columns; ++t)

static void check_pools(uint64_t* random) {
  const tn_dtype dtype = reals[test_between(random, 0, sizeof reals / sizeof reals[0] - 1)];
  const tn_cpu_parallel* parallel = test_between(random, 0, 1) ? &cutting : NULL;
  const tn_cpu_window w = window_of(random, false);
  const size_t size = tn_cpu_size(dtype);
  void *in = numbers_of(dtype, in_size(&w), random),
       *grad = numbers_of(dtype, out_size(&w), random);
  void *out = malloc((size_t)out_size(&w) * size), *back = malloc((size_t)in_size(&w) * size);
  int64_t* where = malloc((size_t)out_size(&w) * sizeof *where);
  double* sums = calloc((size_t)in_size(&w), sizeof *sums);
  tn_cpu_max_pool(dtype, &w, in, out, parallel);
  tn_cpu_max_pool_where(dtype, &w, in, NULL, TN_INT64, true, where, parallel);
  tn_cpu_max_pool_grad(dtype, &w, in, grad, back, parallel);
  EACH_OUTPUT(w, i) {
    int64_t best = -1;
    EACH_TAP(w) {
      const int64_t from = source(&w, n, y, x, r, t, c);
      if (from >= 0 && (best < 0 || at(dtype, in, from) > at(dtype, in, best))) best = from;
    }
    CHECK(at(dtype, out, i) == at(dtype, in, best));
    CHECK(where[i] == best);
    sums[best] += at(dtype, grad, i);
  }
  for (int64_t i = 0; i < in_size(&w); ++i) CHECK(at(dtype, back, i) == sums[i]);
  tn_cpu_max_pool_grad_at(dtype, &w, grad, TN_INT64, true, where, back, parallel);
  for (int64_t i = 0; i < in_size(&w); ++i) CHECK(at(dtype, back, i) == sums[i]);
  free(in), free(grad), free(out), free(back), free(where), free(sums);
}

static void check_averages(uint64_t* random) {
  const tn_dtype dtype = floats[test_between(random, 0, 3)];
  const tn_cpu_parallel* parallel = test_between(random, 0, 1) ? &cutting : NULL;
  const tn_cpu_window w = window_of(random, false);
  const size_t size = tn_cpu_size(dtype);
  void *in = numbers_of(dtype, in_size(&w), random),
       *grad = numbers_of(dtype, out_size(&w), random);
  void *out = malloc((size_t)out_size(&w) * size), *back = malloc((size_t)in_size(&w) * size);
  double* shares = calloc((size_t)in_size(&w), sizeof *shares);
  tn_cpu_average_pool(dtype, &w, in, out, parallel);
  tn_cpu_average_pool_grad(dtype, &w, grad, back, parallel);
  EACH_OUTPUT(w, i) {
    double sum = 0, taps = 0;
    EACH_TAP(w) {
      const int64_t from = source(&w, n, y, x, r, t, c);
      if (from >= 0) sum += at(dtype, in, from), ++taps;
    }
    CHECK(fabs(at(dtype, out, i) - sum / taps) <= 0x1p-7 * fabs(sum / taps));
    EACH_TAP(w) {
      const int64_t from = source(&w, n, y, x, r, t, c);
      if (from >= 0) shares[from] += at(dtype, grad, i) / taps;
    }
  }
  for (int64_t i = 0; i < in_size(&w); ++i)
    CHECK(fabs(at(dtype, back, i) - shares[i]) <= 0x1p-7 * shares[i]);
  free(in), free(grad), free(out), free(back), free(shares);
}

static void check_depthwise(uint64_t* random) {
  const tn_dtype dtype = floats[test_between(random, 0, 3)];
  const tn_cpu_parallel* parallel = test_between(random, 0, 1) ? &cutting : NULL;
  const tn_cpu_window w = window_of(random, true);
  const int64_t m = test_between(random, 0, 2) ? 1 : test_between(random, 2, 3);
  const int64_t taps = w.window_rows * w.window_columns * w.channels * m;
  const size_t size = tn_cpu_size(dtype);
  void *in = numbers_of(dtype, in_size(&w), random), *filter = numbers_of(dtype, taps, random);
  void* grad = numbers_of(dtype, out_size(&w) * m, random);
  void *out = malloc((size_t)(out_size(&w) * m) * size), *back = malloc((size_t)in_size(&w) * size);
  void* filter_back = malloc((size_t)taps * size);
  void* workspace = NULL;
  CHECK(posix_memalign(&workspace, 64, tn_cpu_depthwise_workspace(dtype, &w, m)) == 0);
  tn_cpu_depthwise(dtype, &w, m, in, filter, out, workspace, parallel);
  tn_cpu_depthwise_grad_input(dtype, &w, m, filter, grad, back, workspace, parallel);
  tn_cpu_depthwise_grad_filter(dtype, &w, m, in, grad, filter_back, workspace, parallel);
  double* backs = calloc((size_t)in_size(&w), sizeof *backs);
  double* filter_backs = calloc((size_t)taps, sizeof *filter_backs);
  EACH_OUTPUT(w, i)
  for (int64_t j = 0; j < m; ++j) {
    double sum = 0;
    EACH_TAP(w) {
      const int64_t from = source(&w, n, y, x, r, t, c);
      const int64_t tap = ((r * w.window_columns + t) * w.channels + c) * m + j;
      if (from < 0) continue;
      sum += at(dtype, in, from) * at(dtype, filter, tap);
      backs[from] += at(dtype, grad, i * m + j) * at(dtype, filter, tap);
      filter_backs[tap] += at(dtype, grad, i * m + j) * at(dtype, in, from);
    }
    CHECK(fabs(at(dtype, out, i * m + j) - sum) <= 0x1p-8 * sum);
  }
  for (int64_t i = 0; i < in_size(&w); ++i)
    CHECK(fabs(at(dtype, back, i) - backs[i]) <= 0x1p-8 * backs[i]);
  for (int64_t i = 0; i < taps; ++i)
    CHECK(fabs(at(dtype, filter_back, i) - filter_backs[i]) <= 0x1p-8 * filter_backs[i]);
  free(in), free(filter), free(grad), free(out), free(back), free(filter_back);
  free(workspace), free(backs), free(filter_backs);
}

// A gradient is what its forward function's sum is made of: sum(out * grad) = sum(in * back).
static void check_resizing(uint64_t* random) {
  const tn_dtype dtype = floats[test_between(random, 0, 1)];
  const tn_cpu_parallel* parallel = test_between(random, 0, 1) ? &cutting : NULL;
  const int64_t kind = test_between(random, 0, 2);
  const tn_cpu_resizing r = {test_between(random, 1, 3),
                             test_between(random, 1, 9),
                             test_between(random, 1, 600),
                             test_between(random, 1, 5),
                             test_between(random, 1, 9),
                             test_between(random, 1, 600),
                             kind == 1,
                             kind == 2};
  const int64_t ins = r.images * r.rows * r.columns * r.channels;
  const int64_t outs = r.images * r.out_rows * r.out_columns * r.channels;
  void* in = numbers_of(dtype, ins, random);
  float *out = malloc((size_t)outs * sizeof *out), *grad = numbers_of(TN_FLOAT, outs, random);
  void *picked = malloc((size_t)outs * tn_cpu_size(dtype)), *back = malloc((size_t)ins * 8);
  void *typed_grad = numbers_of(dtype, outs, random), *near_back = malloc((size_t)ins * 8);
  tn_cpu_resize_bilinear(dtype, &r, in, out, parallel);
  tn_cpu_resize_bilinear_grad(dtype, &r, grad, back, NULL, parallel);
  tn_cpu_resize_nearest(tn_cpu_size(dtype), &r, in, picked, parallel);
  tn_cpu_resize_nearest_grad(dtype, &r, typed_grad, near_back, parallel);
  double forward = 0, backward = 0, near = 0, near_backward = 0;
  for (int64_t i = 0; i < outs; ++i) {
    forward += (double)out[i] * (double)grad[i];
    near += at(dtype, picked, i) * at(dtype, typed_grad, i);
  }
  for (int64_t i = 0; i < ins; ++i) {
    backward += at(dtype, in, i) * at(dtype, back, i);
    near_backward += at(dtype, in, i) * at(dtype, near_back, i);
  }
  CHECK(fabs(forward - backward) <= 1e-4 * fabs(forward));
  CHECK(near == near_backward);
  free(in), free(out), free(grad), free(picked), free(back), free(typed_grad), free(near_back);
}

static void check_training(uint64_t* random) {
  const tn_dtype dtype = floats[test_between(random, 0, 3)];
  const int64_t count = test_between(random, 0, 1000);
  const size_t size = tn_cpu_size(dtype);
  void *one = numbers_of(dtype, count, random), *grad = numbers_of(dtype, count, random);
  void *other = malloc((size_t)count * size), *rate = numbers_of(dtype, 1, random);
  void *slot = numbers_of(dtype, count, random), *other_slot = malloc((size_t)count * size);
  memcpy(other, one, (size_t)count * size);
  memcpy(other_slot, slot, (size_t)count * size);
  tn_cpu_training t = {TN_CPU_MOMENTUM, dtype, 1, one, {slot}, grad, {rate, rate}};
  tn_cpu_train(&t, count, NULL);
  t.variable = other;
  t.slot[0] = other_slot;
  tn_cpu_train(&t, count, &cutting);
  CHECK(memcmp(one, other, (size_t)count * size) == 0);
  CHECK(memcmp(slot, other_slot, (size_t)count * size) == 0);
  free(one), free(grad), free(other), free(rate), free(slot), free(other_slot);
}

static void check_all(const char* without) {
  setenv("TENON_CPU_OFF", without, 1);
  uint64_t random = test_seed();
  for (int i = 0; i < 150; ++i) {
    check_pools(&random);
    check_averages(&random);
    check_depthwise(&random);
    if (i % 4 == 0) check_resizing(&random);
    check_training(&random);
  }
}

TEST(baseline_code_slides_windows_as_plain_loops_do) { check_all("avx2"); }
TEST(avx2_code_slides_windows_as_plain_loops_do) { check_all("avx512f"); }
TEST(the_best_code_slides_windows_as_plain_loops_do) { check_all(""); }
