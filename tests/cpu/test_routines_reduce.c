// Reductions, scans, orders and sums per channel give the same bits whatever the number of threads,
// and the same answers in every variant that this machine has.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/norm.h"
#include "cpu/number.h"
#include "cpu/reduce.h"
#include "cpu/scan.h"
#include "cpu/segment.h"
#include "cpu/softmax.h"
#include "cpu/sort.h"
#include "harness.h"

// Ranges of 1, 2, 3, ... units, the last first.
static void cut_backwards(void* pool, int64_t total, int64_t cost,
                          void (*body)(void*, int64_t, int64_t), void* arg) {
  for (int64_t end = total, size = 1; end > 0; end -= size, ++size)
    body(arg, end > size ? end - size : 0, end);
}
static const tn_cpu_parallel backwards = {cut_backwards, NULL};
static const tn_cpu_parallel* const ways[] = {NULL, &backwards};

#define EACH_TYPE(x, dtype, _) dtype,
static const tn_dtype reals[] = {TN_CPU_EACH_REAL(EACH_TYPE, )};
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

static double uniform(uint64_t* random) {
  return (double)test_between(random, -1000000, 1000000) / 1e6;
}

// Elements of magnitude 1 or so; integers: small.
static void* numbers_of(tn_dtype dtype, int64_t count, uint64_t* random) {
  void* data = aligned_alloc(64, ((size_t)count * tn_cpu_size(dtype) + 63) / 64 * 64 + 64);
  for (int64_t i = 0; i < count; ++i) {
    const double value = uniform(random);
#define FILL(x, type, scale) \
  if (dtype == type) ((s_##x*)data)[i] = store_##x((c_##x)(int64_t)(value * scale));
    TN_CPU_EACH_INTEGER(FILL, 50)
#define FILL_FLOAT(x, type, _) \
  if (dtype == type) ((s_##x*)data)[i] = store_##x((c_##x)value);
    TN_CPU_EACH_FLOAT(FILL_FLOAT, )
  }
  return data;
}

static void* zeros(size_t bytes) {
  void* data = aligned_alloc(64, (bytes + 127) / 64 * 64);
  memset(data, 0, (bytes + 127) / 64 * 64);
  return data;
}

static void reduce(tn_cpu_reduce_op op, tn_dtype dtype, int rank, const int64_t* dims,
                   const bool* reduced, const void* in, void* out,
                   const tn_cpu_parallel* parallel) {
  void* workspace = zeros(tn_cpu_reduce_workspace(op, dtype, rank, dims, reduced));
  tn_cpu_reduce(op, dtype, rank, dims, reduced, in, out, workspace, parallel);
  free(workspace);
}

TEST(reductions_do_not_depend_on_how_work_is_shared) {
  uint64_t random = test_seed();
  static const struct {
    int64_t dims[3];
    bool reduced[3];
  } shapes[] = {{{1, 1, 300007}, {true, true, true}},  {{1, 701, 503}, {true, true, false}},
                {{1, 701, 503}, {true, false, true}},  {{40, 3, 2999}, {true, false, true}},
                {{300, 2, 401}, {false, true, false}}, {{50021, 1, 5}, {true, true, false}},
                {{50021, 1, 5}, {false, true, true}}};
  for (int i = 0; i < COUNT(reals); ++i) {
    const tn_dtype dtype = reals[i];
    void* in = numbers_of(dtype, 360000, &random);
    for (int s = 0; s < COUNT(shapes); ++s) {
      for (tn_cpu_reduce_op op = TN_CPU_SUM; op <= TN_CPU_MIN; ++op) {
        void* out[2];
        for (int way = 0; way < 2; ++way) {
          out[way] = zeros(300000 * 8);
          reduce(op, dtype, 3, shapes[s].dims, shapes[s].reduced, in, out[way], ways[way]);
        }
        CHECK(memcmp(out[0], out[1], 300000 * 8) == 0);
        free(out[0]), free(out[1]);
      }
    }
    free(in);
  }
}

TEST(the_greatest_is_found_however_work_is_shared) {
  uint64_t random = test_seed();
  enum { N = 200003 };
  for (int i = 0; i < COUNT(reals); ++i) {
    void* in = numbers_of(reals[i], N, &random);
    void* workspace = zeros(tn_cpu_arg_workspace(1, N, 1));
    for (int least = 0; least < 2; ++least) {
      int64_t found[2];
      for (int way = 0; way < 2; ++way)
        tn_cpu_arg(least, reals[i], TN_INT64, 1, N, 1, in, &found[way], workspace, ways[way]);
      CHECK_INT(found[0], found[1]);
    }
    free(in), free(workspace);
  }
}

TEST(scans_do_not_depend_on_how_work_is_shared) {
  uint64_t random = test_seed();
  enum { N = 100003 };
  for (int i = 0; i < COUNT(reals); ++i) {
    const tn_dtype dtype = reals[i];
    const size_t bytes = N * tn_cpu_size(dtype);
    void *in = numbers_of(dtype, N, &random), *out[2] = {zeros(bytes), zeros(bytes)};
    void* workspace = zeros(tn_cpu_scan_workspace(1, N, 1));
    for (int kind = 0; kind < 8; ++kind) {
      for (int way = 0; way < 2; ++way)
        tn_cpu_scan(kind & 4 ? TN_CPU_CUMPROD : TN_CPU_CUMSUM, dtype, kind & 1, kind & 2, 1, N, 1,
                    in, out[way], workspace, ways[way]);
      CHECK(memcmp(out[0], out[1], bytes) == 0);
    }
    free(in), free(out[0]), free(out[1]), free(workspace);
  }
}

TEST(sums_per_channel_do_not_depend_on_how_work_is_shared) {
  uint64_t random = test_seed();
  static const tn_cpu_channels shapes[] = {{TN_FLOAT, 9001, 24, 1},   {TN_FLOAT, 300, 700, 1},
                                           {TN_FLOAT, 12, 7, 3001},   {TN_HALF, 9001, 3, 1},
                                           {TN_BFLOAT16, 50, 3, 999}, {TN_FLOAT, 1, 1, 5}};
  for (int s = 0; s < COUNT(shapes); ++s) {
    const tn_cpu_channels* shape = &shapes[s];
    const int64_t count = shape->outer * shape->channels * shape->inner;
    void* x = numbers_of(shape->dtype, count, &random);
    void* workspace = zeros(tn_cpu_channels_workspace(shape));
    double moments[2][2][700] = {{{0}}};
    for (int way = 0; way < 2; ++way)
      tn_cpu_channels_moments(shape, x, moments[way][0], moments[way][1], workspace, ways[way]);
    CHECK(memcmp(moments[0], moments[1], sizeof moments[0]) == 0);
    free(x), free(workspace);
  }
}

// Elements far from 0 and close to each other, whose squares have nothing left of the variance.
TEST(variances_survive_a_large_mean) {
  enum { N = 4096 };
  float x[N];
  for (int i = 0; i < N; ++i) x[i] = 1e6f + (float)(i % 2);
  const tn_cpu_channels shape = {TN_FLOAT, N, 1, 1};
  void* workspace = zeros(tn_cpu_channels_workspace(&shape));
  double mean, variance;
  tn_cpu_channels_moments(&shape, x, &mean, &variance, workspace, NULL);
  CHECK(mean == 1e6 + 0.5 && variance == 0.25);
  free(workspace);
}

static int by_value(const void* a, const void* b) {
  const float x = **(const float*const*)a, y = **(const float*const*)b;
  if (x != y) return x < y ? 1 : -1;
  return (*(const float* const*)a > *(const float* const*)b) -
         (*(const float* const*)a < *(const float* const*)b);
}

static void check_top_k(void) {
  uint64_t random = test_seed();
  enum { MOST = 6000 };
  for (int i = 0; i < 60; ++i) {
    const int64_t columns = test_between(&random, 1, i % 3 ? 300 : MOST);
    const int64_t k = test_between(&random, 1, columns);
    float* in = malloc(MOST * sizeof *in);
    const float** order = malloc(MOST * sizeof *order);
    for (int64_t j = 0; j < columns; ++j) {
      in[j] = i % 2 ? (float)uniform(&random) : (float)test_between(&random, -5, 5);
      order[j] = &in[j];
    }
    qsort(order, (size_t)columns, sizeof *order, by_value);
    float* values = malloc(MOST * sizeof *values);
    int32_t* indices = malloc(MOST * sizeof *indices);
    void* workspace = zeros(tn_cpu_top_k_workspace(TN_FLOAT, 1, columns, k));
    tn_cpu_top_k(TN_FLOAT, TN_INT32, 1, columns, k, in, values, indices, workspace, NULL);
    for (int64_t j = 0; j < k; ++j) CHECK(values[j] == *order[j] && in + indices[j] == order[j]);
    free(in), free(order), free(values), free(indices), free(workspace);
  }
}

// Sums of both signs in every variant: within an ulp of those in long double.
static void check_variant(void) {
  uint64_t random = test_seed();
  enum { N = 5000 };
  float* in = numbers_of(TN_FLOAT, N, &random);
  for (int64_t count = 0; count < N; count += 1 + count / 3) {
    long double sum = 0, squares = 0, most = -INFINITY;
    for (int64_t i = 0; i < count; ++i) {
      sum += in[i];
      squares += (long double)in[i] * in[i];
      most = fmaxl(most, in[i]);
    }
    float found[4];
    const bool all = true;
    reduce(TN_CPU_SUM, TN_FLOAT, 1, &count, &all, in, &found[0], NULL);
    reduce(TN_CPU_EUCLIDEAN_NORM, TN_FLOAT, 1, &count, &all, in, &found[1], NULL);
    reduce(TN_CPU_MAX, TN_FLOAT, 1, &count, &all, in, &found[2], NULL);
    CHECK(fabsl(found[0] - sum) <= 0x1p-23L * (1 + fabsl(sum)));
    CHECK(fabsl(found[1] - sqrtl(squares)) <= 0x1p-23L * (1 + sqrtl(squares)));
    CHECK(found[2] == (float)most);
    float *soft = malloc(N * sizeof *soft), *scanned = malloc(N * sizeof *scanned);
    tn_cpu_softmax(false, TN_FLOAT, 1, count, in, soft, NULL);
    tn_cpu_scan(TN_CPU_CUMSUM, TN_FLOAT, false, false, 1, count, 1, in, scanned, NULL, NULL);
    long double total = 0, running = 0;
    for (int64_t i = 0; i < count; ++i) total += expl(in[i]);
    for (int64_t i = 0; i < count; ++i) {
      running += in[i];
      CHECK(fabsl(soft[i] - expl(in[i]) / total) <= 0x1p-21L * expl(in[i]) / total);
      CHECK(fabsl(scanned[i] - running) <= 0x1p-23L * (1 + fabsl(running)));
    }
    free(soft), free(scanned);
  }
  free(in);
}

TEST(portable_code_is_right) {
  setenv("TENON_CPU_OFF", "avx2", 1);
  check_variant();
  check_top_k();
}
TEST(code_for_avx2_is_right) {
  setenv("TENON_CPU_OFF", "avx512f", 1);
  check_variant();
  check_top_k();
}
TEST(the_best_code_is_right) {
  check_variant();
  check_top_k();
}

TEST(segments_without_rows_are_what_the_caller_says) {
  const float data[] = {1, 2, 3, 4, 5, 6}, empty = -7;
  const int64_t ids[] = {2, -1, 2};
  float out[8];
  void* workspace = zeros(tn_cpu_segment_workspace(3, 4));
  tn_cpu_segment(TN_CPU_SUM, TN_FLOAT, 3, 2, data, ids, 4, &empty, out, workspace, &backwards);
  const float expected[] = {-7, -7, -7, -7, 6, 8, -7, -7};
  for (int i = 0; i < 8; ++i) CHECK(out[i] == expected[i]);
  free(workspace);
}
