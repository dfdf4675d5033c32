// Products in batches, convolutions and their gradients against plain loops: numbers are small
// integers, so that every sum is exact. In every variant that this machine has, with and without
// oneDNN, on one thread, on many, and cut into odd ranges; nobody writes beyond a workspace.

#include <stdlib.h>

#include "cpu/conv.h"
#include "cpu/matmul.h"
#include "cpu/number.h"
#include "cpu/onednn.h"
#include "harness.h"

static const tn_dtype types[] = {TN_FLOAT, TN_DOUBLE, TN_HALF, TN_BFLOAT16, TN_INT32};

// Ranges of 1, 2, 3, ... units.
static void cut(void* pool, int64_t total, int64_t cost, void (*body)(void*, int64_t, int64_t),
                void* arg) {
  for (int64_t begin = 0, size = 1; begin < total; begin += size, ++size)
    body(arg, begin, begin + size < total ? begin + size : total);
}
static const tn_cpu_parallel cutting = {cut, NULL};

static const tn_cpu_parallel* some_threads(uint64_t* random) {
  const int64_t which = test_between(random, 0, 2);
  return which == 0 ? NULL : which == 1 ? &cutting : tn_cpu_own_threads();
}

static void* numbers_of(tn_dtype dtype, int64_t count, uint64_t* random) {
  void* data = malloc((size_t)(count + 1) * tn_cpu_size(dtype));
#define FILL(x, type, _)                \
  if (dtype == type)                    \
    for (int64_t i = 0; i < count; ++i) \
      ((s_##x*)data)[i] = store_##x((c_##x)test_between(random, -2, 2));
  TN_CPU_EACH_REAL(FILL, )
  return data;
}

static double at(tn_dtype dtype, const void* data, int64_t i) {
#define AT(x, type, _) \
  if (dtype == type) return (double)value_##x(((const s_##x*)data)[i]);
  TN_CPU_EACH_REAL(AT, )
  return 0;
}

// Integers up to 2048 are exact in a half, up to 256 in a bfloat16; beyond, one rounding.
static void check_equal(tn_dtype dtype, const void* found, const double* exact, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const double difference = at(dtype, found, i) - exact[i];
    const double size = exact[i] < 0 ? -exact[i] : exact[i];
    const double allowed = dtype == TN_BFLOAT16 ? size / 256 : dtype == TN_HALF ? size / 2048 : 0;
    CHECK((difference < 0 ? -difference : difference) <= allowed);
  }
}

enum { GUARD = 64 };
static void* guarded(size_t bytes) {
  char* memory = aligned_alloc(64, (bytes + GUARD + 63) / 64 * 64);
  memset(memory + bytes, 0x5a, GUARD);
  return memory;
}
static void check_guard(char* memory, size_t bytes) {
  for (int i = 0; i < GUARD; ++i) CHECK_INT(memory[bytes + (size_t)i], 0x5a);
  free(memory);
}

static tn_cpu_conv2d random_conv(uint64_t* random) {
  tn_cpu_conv2d conv = {.batch = test_between(random, 0, 3),
                        .groups = test_between(random, 0, 3) ? 1 : test_between(random, 2, 3),
                        .in_height = test_between(random, 1, 12),
                        .in_width = test_between(random, 1, 12),
                        .out_height = test_between(random, 1, 9),
                        .out_width = test_between(random, 1, 9),
                        .filter_height = test_between(random, 1, 4),
                        .filter_width = test_between(random, 1, 4),
                        .stride_height = test_between(random, 1, 4),
                        .stride_width = test_between(random, 1, 3),
                        .dilation_height = test_between(random, 1, 3),
                        .dilation_width = test_between(random, 1, 4),
                        .pad_top = test_between(random, 0, 4),
                        .pad_left = test_between(random, 0, 4)};
  conv.in_depth = conv.groups * test_between(random, 1, test_between(random, 0, 3) ? 5 : 40);
  conv.out_depth = conv.groups * test_between(random, 1, test_between(random, 0, 3) ? 9 : 70);
  if (test_between(random, 0, 4) == 0) {  // a plain product
    conv.groups = conv.filter_height = conv.filter_width = 1;
    conv.stride_height = conv.stride_width = 1;
    conv.pad_top = conv.pad_left = 0;
    conv.out_height = conv.in_height;
    conv.out_width = conv.in_width;
  }
  return conv;
}

// Calls visit for every product that there is: indices of input, filter and output.
static void each_product(const tn_cpu_conv2d* c,
                         void (*visit)(int64_t in, int64_t filter, int64_t out, void* arg),
                         void* arg) {
  const int64_t ins = c->in_depth / c->groups, outs = c->out_depth / c->groups;
  const int64_t outputs = c->batch * c->out_height * c->out_width * c->out_depth;
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t channel = o % c->out_depth, x = o / c->out_depth % c->out_width;
    const int64_t y = o / c->out_depth / c->out_width % c->out_height;
    const int64_t image = o / c->out_depth / c->out_width / c->out_height;
    for (int64_t t = 0; t < c->filter_height * c->filter_width; ++t) {
      const int64_t from_y =
          y * c->stride_height - c->pad_top + t / c->filter_width * c->dilation_height;
      const int64_t from_x =
          x * c->stride_width - c->pad_left + t % c->filter_width * c->dilation_width;
      if (from_y < 0 || from_y >= c->in_height || from_x < 0 || from_x >= c->in_width) continue;
      for (int64_t i = 0; i < ins; ++i)
        visit(((image * c->in_height + from_y) * c->in_width + from_x) * c->in_depth +
                  channel / outs * ins + i,
              (t * ins + i) * c->out_depth + channel, o, arg);
    }
  }
}

typedef struct sums {
  tn_dtype dtype;
  const void *input, *filter, *gradient;
  double *output, *input_gradient, *filter_gradient;
} sums;

static void add(int64_t in, int64_t filter, int64_t out, void* arg) {
  const sums* s = arg;
  s->output[out] += at(s->dtype, s->input, in) * at(s->dtype, s->filter, filter);
  s->input_gradient[in] += at(s->dtype, s->gradient, out) * at(s->dtype, s->filter, filter);
  s->filter_gradient[filter] += at(s->dtype, s->gradient, out) * at(s->dtype, s->input, in);
}

static void check_conv(uint64_t* random) {
  const tn_dtype dtype = types[test_between(random, 0, 4)];
  const tn_cpu_conv2d c = random_conv(random);
  const int64_t inputs = c.batch * c.in_height * c.in_width * c.in_depth;
  const int64_t outputs = c.batch * c.out_height * c.out_width * c.out_depth;
  const int64_t filters = c.filter_height * c.filter_width * c.in_depth / c.groups * c.out_depth;
  void *input = numbers_of(dtype, inputs, random), *filter = numbers_of(dtype, filters, random);
  void *gradient = numbers_of(dtype, outputs, random), *result = numbers_of(dtype, outputs, random);
  void* of_input = numbers_of(dtype, inputs, random);
  void* of_filter = numbers_of(dtype, filters, random);
  sums exact = {.dtype = dtype, .input = input, .filter = filter, .gradient = gradient};
  exact.output = calloc((size_t)outputs + 1, sizeof(double));
  exact.input_gradient = calloc((size_t)inputs + 1, sizeof(double));
  exact.filter_gradient = calloc((size_t)filters + 1, sizeof(double));
  each_product(&c, add, &exact);
  const tn_cpu_parallel* threads = some_threads(random);
  const size_t bytes = tn_cpu_conv2d_workspace(dtype, &c);
  void* workspace = guarded(bytes);
  tn_cpu_conv2d_run(dtype, &c, input, filter, result, workspace, threads);
  tn_cpu_conv2d_input_gradient(dtype, &c, filter, gradient, of_input, workspace, threads);
  tn_cpu_conv2d_filter_gradient(dtype, &c, input, gradient, of_filter, workspace, threads);
  check_guard(workspace, bytes);
  check_equal(dtype, result, exact.output, outputs);
  check_equal(dtype, of_input, exact.input_gradient, inputs);
  check_equal(dtype, of_filter, exact.filter_gradient, filters);
  free(input), free(filter), free(gradient), free(result), free(of_input), free(of_filter);
  free(exact.output), free(exact.input_gradient), free(exact.filter_gradient);
}

// A matrix of the given size inside a larger one, by rows or by columns, or repeating one element.
static tn_cpu_matrix random_matrix(int64_t rows, int64_t columns, uint64_t* random) {
  tn_cpu_matrix matrix = {.data = NULL};
  const int64_t more = test_between(random, 0, 3);
  switch (test_between(random, 0, 6)) {
    case 0:  // nothing next to each other
      matrix.column_stride = 2;
      matrix.row_stride = 2 * columns + more;
      break;
    case 1: break;
    case 2:
    case 3:
      matrix.row_stride = 1;
      matrix.column_stride = rows + more;
      break;
    default: matrix.column_stride = 1; matrix.row_stride = columns + more;
  }
  return matrix;
}

static void check_batch(uint64_t* random) {
  const tn_dtype dtype = types[test_between(random, 0, 4)];
  const bool large = test_between(random, 0, 15) == 0;
  const int64_t most = large ? 180 : 20;
  const int64_t m = test_between(random, 0, most), n = test_between(random, 0, most);
  const int64_t k = test_between(random, 0, test_between(random, 0, 5) ? most : 600);
  const int64_t dims[] = {test_between(random, 0, large ? 1 : 3), test_between(random, 1, 4)};
  tn_cpu_matrix a = random_matrix(m, k, random), b = random_matrix(k, n, random);
  const int64_t room_a = (m + 1) * (2 * k + 4) + 8 * (m + k),
                room_b = (k + 1) * (2 * n + 4) + 8 * (k + n);
  int64_t a_strides[] = {room_a * dims[1], room_a}, b_strides[] = {room_b * dims[1], room_b};
  if (test_between(random, 0, 2) == 0) a_strides[test_between(random, 0, 1)] = 0;
  if (test_between(random, 0, 2) == 0) b_strides[0] = b_strides[1] = 0;
  if (test_between(random, 0, 2) == 0)  // rows of all batches at one distance
    a_strides[1] = m * a.row_stride, a_strides[0] = a_strides[1] * dims[1];
  void* of_a = numbers_of(dtype, room_a * (dims[0] * dims[1] + 1), random);
  void* of_b = numbers_of(dtype, room_b * (dims[0] * dims[1] + 1), random);
  a.data = of_a, b.data = of_b;
  const int64_t count = dims[0] * dims[1];
  void* out = numbers_of(dtype, count * m * n, random);
  double* exact = calloc((size_t)(count * m * n) + 1, sizeof *exact);
  for (int64_t i = 0; i < count * m * n; ++i) {
    const int64_t batch = i / (m * n), row = i / n % m, column = i % n;
    const int64_t from_a = batch / dims[1] * a_strides[0] + batch % dims[1] * a_strides[1];
    const int64_t from_b = batch / dims[1] * b_strides[0] + batch % dims[1] * b_strides[1];
    for (int64_t p = 0; p < k; ++p)
      exact[i] += at(dtype, of_a, from_a + row * a.row_stride + p * a.column_stride) *
                  at(dtype, of_b, from_b + p * b.row_stride + column * b.column_stride);
  }
  const tn_cpu_batch batch = {2, dims, a_strides, b_strides};
  const size_t bytes = tn_cpu_batch_matmul_workspace(dtype, &batch, m, n, k);
  void* workspace = guarded(bytes);
  tn_cpu_batch_matmul(dtype, &batch, m, n, k, a, b, out, workspace, some_threads(random));
  check_guard(workspace, bytes);
  check_equal(dtype, out, exact, count * m * n);
  free(of_a), free(of_b), free(out), free(exact);
}

static void check_all(const char* without, const char* onednn) {
  setenv("TENON_CPU_OFF", without, 1);
  setenv("TENON_ONEDNN", onednn, 1);
  setenv("TENON_THREADS", "3", 1);
  uint64_t random = test_seed();
  for (int i = 0; i < 300; ++i) {
    check_conv(&random);
    check_batch(&random);
  }
}

TEST(baseline_products_are_what_plain_loops_make) { check_all("avx2", "0"); }
TEST(avx2_products_are_what_plain_loops_make) { check_all("avx512f", "0"); }
TEST(the_best_products_are_what_plain_loops_make) { check_all("", "0"); }
TEST(products_by_onednn_are_what_plain_loops_make) {
  setenv("TENON_ONEDNN", "1", 1);
  if (!tn_onednn_is_there())
    test_skip("oneDNN is not on this machine, or a sanitizer keeps it out");
  check_all("", "1");
}
