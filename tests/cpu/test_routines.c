// The numeric routines against plain loops in long double or 64-bit integers, for every type, in
// every variant that this machine has, on one thread and on a parallel-for that cuts work into odd
// ranges.

#include <math.h>
#include <stdlib.h>

#include "cpu/arithmetic.h"
#include "cpu/layout.h"
#include "cpu/matmul.h"
#include "cpu/number.h"
#include "cpu/reduce.h"
#include "harness.h"

#define EACH_TYPE(x, dtype, _) dtype,
static const tn_dtype numbers[] = {TN_CPU_EACH_NUMBER(EACH_TYPE, )};
static const tn_dtype reals[] = {TN_CPU_EACH_REAL(EACH_TYPE, )};
#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

// Ranges of 1, 2, 3, ... units.
static void cut(void* pool, int64_t total, int64_t cost, void (*body)(void*, int64_t, int64_t),
                void* arg) {
  for (int64_t begin = 0, size = 1; begin < total; begin += size, ++size)
    body(arg, begin, begin + size < total ? begin + size : total);
}
static const tn_cpu_parallel cutting = {cut, NULL};

static bool is_float(tn_dtype dtype) { return TN_CPU_TYPE(dtype) & TN_CPU_FLOATS; }
static bool is_complex(tn_dtype dtype) { return TN_CPU_TYPE(dtype) & TN_CPU_COMPLEXES; }

// A value small enough for sums and products to be exact or nearly so in every type.
static void fill(tn_dtype dtype, void* data, int64_t count, uint64_t* random) {
#define FILL(x, type, _)                \
  if (dtype == type)                    \
    for (int64_t i = 0; i < count; ++i) \
      ((s_##x*)data)[i] = store_##x((c_##x)(test_between(random, -9, 9)));
  TN_CPU_EACH_NUMBER(FILL, )
}

static long double complex at(tn_dtype dtype, const void* data, int64_t i) {
#define AT(x, type, _) \
  if (dtype == type) return (long double complex)value_##x(((const s_##x*)data)[i]);
  TN_CPU_EACH_NUMBER(AT, )
  return 0;
}

// What a type makes of an exact result: integers keep their low bits.
static long double complex as(tn_dtype dtype, long double complex exact) {
#define AS(x, type, _) \
  if (dtype == type) return (long double complex)(v_##x)(int64_t)creall(exact);
  TN_CPU_EACH_INTEGER(AS, )
  return exact;
}

static bool close_to(tn_dtype dtype, long double complex found, long double complex exact) {
  long double eps = dtype == TN_BFLOAT16 ? 0x1p-7 : dtype == TN_HALF ? 0x1p-10 : 0x1p-20;
  return cabsl(found - as(dtype, exact)) <=
         (is_float(dtype) || is_complex(dtype) ? eps * cabsl(exact) : 0);
}

static int64_t product(int rank, const int64_t* dims) {
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= dims[i];
  return count;
}

static void* numbers_of(tn_dtype dtype, int64_t count, uint64_t* random) {
  void* data = calloc((size_t)count + 1, tn_cpu_size(dtype));
  fill(dtype, data, count, random);
  return data;
}

static void check_binary(uint64_t* random) {
  tn_dtype dtype = numbers[test_between(random, 0, COUNT(numbers) - 1)];
  int op = (int)test_between(random, TN_CPU_ADD, TN_CPU_MUL);
  int rank = (int)test_between(random, 0, 5);
  int64_t dims[5], a_strides[5], b_strides[5], a_size = 1, b_size = 1;
  for (int i = rank - 1; i >= 0; --i) {
    dims[i] =
        test_between(random, 0, 30) == 0 ? 0 : test_between(random, 1, i == rank - 1 ? 40 : 5);
    // Many short rows.
    if (i == rank - 2 && dims[i] && test_between(random, 0, 2) == 0) dims[i] += 60;
    bool a_repeats = test_between(random, 0, 2) == 0, b_repeats = test_between(random, 0, 2) == 0;
    a_strides[i] = a_repeats ? 0 : a_size;
    b_strides[i] = b_repeats ? 0 : b_size;
    if (!a_repeats) a_size *= dims[i];
    if (!b_repeats) b_size *= dims[i];
  }
  int64_t count = product(rank, dims);
  void *a = numbers_of(dtype, a_size, random), *b = numbers_of(dtype, b_size, random);
  void* out = calloc((size_t)count + 1, tn_cpu_size(dtype));
  const void* in[] = {a, b};
  const int64_t* strides[] = {a_strides, b_strides};
  tn_cpu_zip(tn_cpu_arithmetic(op, dtype), rank, dims, in, strides, out,
             test_between(random, 0, 1) ? &cutting : NULL);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, at_a = 0, at_b = 0;
    for (int d = rank - 1; d >= 0; --d) {
      at_a += rest % dims[d] * a_strides[d];
      at_b += rest % dims[d] * b_strides[d];
      rest /= dims[d];
    }
    long double complex x = at(dtype, a, at_a), y = at(dtype, b, at_b);
    // Unsigned -9 is large: its low bits are as good as the number.
    if (!is_float(dtype) && !is_complex(dtype)) {
      x = (int8_t)(int64_t)fmodl(creall(x), 256);
      y = (int8_t)(int64_t)fmodl(creall(y), 256);
    }
    long double complex exact = op == TN_CPU_ADD ? x + y : op == TN_CPU_SUB ? x - y : x * y;
    CHECK(close_to(dtype, at(dtype, out, i), exact));
  }
  free(a), free(b), free(out);
}

static void sum(tn_dtype dtype, int rank, const int64_t* dims, const bool* reduced, const void* in,
                void* out, const tn_cpu_parallel* parallel) {
  void* workspace = malloc(tn_cpu_reduce_workspace(TN_CPU_SUM, dtype, rank, dims, reduced));
  tn_cpu_reduce(TN_CPU_SUM, dtype, rank, dims, reduced, in, out, workspace, parallel);
  free(workspace);
}

static void check_sum(uint64_t* random) {
  tn_dtype dtype = numbers[test_between(random, 0, COUNT(numbers) - 1)];
  int rank = (int)test_between(random, 0, 5);
  int64_t dims[5], out_strides[5], out_count = 1;
  bool reduced[5];
  for (int i = rank - 1; i >= 0; --i) {
    dims[i] = test_between(random, 0, 30) == 0 ? 0 : test_between(random, 1, 6);
    if (i == 1 && test_between(random, 0, 2) == 0) dims[i] *= 50;
    reduced[i] = test_between(random, 0, 1);
    out_strides[i] = reduced[i] ? 0 : out_count;
    if (!reduced[i]) out_count *= dims[i];
  }
  int64_t count = product(rank, dims);
  void* in = numbers_of(dtype, count, random);
  void* out = calloc((size_t)out_count + 1, tn_cpu_size(dtype));
  long double complex* sums = calloc((size_t)out_count + 1, sizeof *sums);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, to = 0;
    for (int d = rank - 1; d >= 0; --d) {
      to += rest % dims[d] * out_strides[d];
      rest /= dims[d];
    }
    sums[to] += at(dtype, in, i);
  }
  sum(dtype, rank, dims, reduced, in, out, test_between(random, 0, 1) ? &cutting : NULL);
  for (int64_t i = 0; i < out_count; ++i) {
    // Sums of unsigned 64-bit numbers exceed what `as` takes; their low bits are compared.
    bool large = dtype == TN_UINT64 || dtype == TN_UINT32;
    if (!large) CHECK(close_to(dtype, at(dtype, out, i), sums[i]));
  }
  free(in), free(out), free(sums);
}

static void check_matmul(uint64_t* random) {
  tn_dtype dtype = numbers[test_between(random, 0, COUNT(numbers) - 1)];
  int64_t m = test_between(random, 0, 30), n = test_between(random, 0, 70);
  int64_t k = test_between(random, 0, 5) ? test_between(random, 0, 40) : 600;
  void *a = numbers_of(dtype, m * k, random), *b = numbers_of(dtype, k * n, random);
  void* out = calloc((size_t)(m * n) + 1, tn_cpu_size(dtype));
  bool flip_a = test_between(random, 0, 1), flip_b = test_between(random, 0, 1);
  tn_cpu_matrix left = {a, flip_a ? 1 : k, flip_a ? m : 1, false};
  tn_cpu_matrix right = {b, flip_b ? 1 : n, flip_b ? k : 1, false};
  size_t bytes = (tn_cpu_matmul_workspace(dtype, m, n, k) + 127) / 64 * 64;
  void* workspace = aligned_alloc(64, bytes);
  tn_cpu_matmul(dtype, m, n, k, left, right, out, workspace,
                test_between(random, 0, 1) ? &cutting : NULL);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      long double complex exact = 0, sizes = 0;
      for (int64_t p = 0; p < k; ++p) {
        long double complex x = at(dtype, a, i * left.row_stride + p * left.column_stride);
        long double complex y = at(dtype, b, p * right.row_stride + j * right.column_stride);
        if (!is_float(dtype) && !is_complex(dtype)) {
          x = (int8_t)(int64_t)fmodl(creall(x), 256);
          y = (int8_t)(int64_t)fmodl(creall(y), 256);
        }
        exact += x * y;
        sizes += cabsl(x * y);
      }
      long double complex found = at(dtype, out, i * n + j);
      if (is_float(dtype) || is_complex(dtype)) {
        CHECK(close_to(dtype, found - exact + sizes, sizes));
      } else {
        CHECK(close_to(dtype, found, exact));
      }
    }
  free(a), free(b), free(out), free(workspace);
}

static void check_transpose(uint64_t* random) {
  size_t size = (size_t)1 << test_between(random, 0, 4);
  int rank = (int)test_between(random, 0, 6), perm[6];
  int64_t dims[6], strides[6], stride = 1;
  for (int i = rank - 1; i >= 0; --i) {
    dims[i] = test_between(random, 0, 40) == 0 ? 0 : test_between(random, 1, rank < 3 ? 90 : 6);
    strides[i] = stride;
    stride *= dims[i];
  }
  for (int i = 0; i < rank; ++i) {
    int j = (int)test_between(random, 0, i);
    perm[i] = perm[j];
    perm[j] = i;
  }
  int64_t count = product(rank, dims);
  unsigned char* in = malloc((size_t)count * size + 1);
  unsigned char* out = malloc((size_t)count * size + 1);
  for (int64_t i = 0; i < count * (int64_t)size; ++i) in[i] = (unsigned char)test_random(random);
  tn_cpu_transpose(size, rank, dims, perm, in, out, test_between(random, 0, 1) ? &cutting : NULL);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, from = 0;
    for (int d = rank - 1; d >= 0; --d) {
      from += rest % dims[perm[d]] * strides[perm[d]];
      rest /= dims[perm[d]];
    }
    CHECK(memcmp(out + i * (int64_t)size, in + from * (int64_t)size, size) == 0);
  }
  free(in), free(out);
}

static void check_all(const char* without) {
  setenv("TENON_CPU_OFF", without, 1);
  uint64_t random = test_seed();
  for (int i = 0; i < 400; ++i) {
    check_binary(&random);
    check_sum(&random);
    check_transpose(&random);
    if (i % 2) check_matmul(&random);
  }
}

TEST(baseline_code_computes_what_plain_loops_do) { check_all("avx2"); }
TEST(avx2_code_computes_what_plain_loops_do) { check_all("avx512f"); }
TEST(the_best_code_computes_what_plain_loops_do) { check_all(""); }

static void check_half(void) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    uint16_t half = (uint16_t)bits, back;
    float value;
    tn_cpu_cast(TN_HALF, TN_FLOAT, false, 1, &half, &value, NULL);
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double exact = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    if (exponent == 31) exact = mantissa ? NAN : INFINITY;
    if (half & 0x8000) exact = -exact;
    CHECK(isnan(exact) ? isnan(value) : value == (float)exact);
    tn_cpu_cast(TN_FLOAT, TN_HALF, false, 1, &value, &back, NULL);
    if (!isnan(exact)) CHECK_INT(back, half);
    if (exponent == 31) continue;
    // Halfway to the next number goes to the even one of the two, a little more goes up.
    uint16_t next = (uint16_t)(half + 1);
    float above, middle;
    tn_cpu_cast(TN_HALF, TN_FLOAT, false, 1, &next, &above, NULL);
    if (isinf(above)) above = half & 0x8000 ? -65536 : 65536;
    middle = (value + above) / 2;
    tn_cpu_cast(TN_FLOAT, TN_HALF, false, 1, &middle, &back, NULL);
    CHECK_INT(back, half & 1 ? next : half);
    middle = nextafterf(middle, above);
    tn_cpu_cast(TN_FLOAT, TN_HALF, false, 1, &middle, &back, NULL);
    CHECK_INT(back, next);
  }
}

TEST(every_half_survives_and_rounds_to_even_in_baseline_code) {
  setenv("TENON_CPU_OFF", "avx2", 1);
  check_half();
}
TEST(every_half_survives_and_rounds_to_even_in_the_best_code) { check_half(); }

TEST(relu_keeps_nan_and_works_in_place) {
  float values[] = {-1, 2, NAN, -INFINITY, INFINITY, -0.0f, -3, 7, 0, -2};
  tn_cpu_map(tn_cpu_arithmetic(TN_CPU_RELU, TN_FLOAT), COUNT(values), values, values, NULL);
  float expected[] = {0, 2, NAN, 0, INFINITY, 0, 0, 7, 0, 0};
  for (int i = 0; i < COUNT(values); ++i)
    CHECK(isnan(expected[i]) ? isnan(values[i]) : values[i] == expected[i]);
  for (int i = 0; i < COUNT(reals); ++i) {
    uint64_t random = test_seed();
    void* data = numbers_of(reals[i], 100, &random);
    void* out = calloc(100, tn_cpu_size(reals[i]));
    tn_cpu_map(tn_cpu_arithmetic(TN_CPU_RELU, reals[i]), 100, data, out, &cutting);
    for (int j = 0; j < 100; ++j)
      CHECK(creall(at(reals[i], out, j)) == fmaxl(creall(at(reals[i], data, j)), 0));
    free(data), free(out);
  }
}

TEST(sums_of_many_floats_lose_nothing_that_counts) {
  enum { N = 1 << 22 };
  float* values = malloc(N * sizeof *values);
  for (int i = 0; i < N; ++i) values[i] = 0.1f;
  const int64_t dims[] = {N};
  float total;
  sum(TN_FLOAT, 1, dims, (const bool[]){true}, values, &total, NULL);
  CHECK(total == (float)((double)0.1f * N));
  free(values);
}

TEST(sums_of_nothing_end_at_once_whatever_the_shape) {
  const int64_t dims[] = {(int64_t)1 << 40, 3, 0};
  float sums[3] = {1, 1, 1};
  sum(TN_FLOAT, 3, dims, (const bool[]){true, false, true}, NULL, sums, NULL);
  for (int i = 0; i < 3; ++i) CHECK(sums[i] == 0);
}

TEST(concat_lays_rows_of_all_parts_side_by_side) {
  const char a[] = "aabb", b[] = "xy";
  const tn_cpu_part parts[] = {{a, 2}, {NULL, 0}, {b, 1}};
  char out[7] = "";
  tn_cpu_concat(2, parts, 3, out, &cutting);
  CHECK_TEXT(out, "aaxbby");
}
