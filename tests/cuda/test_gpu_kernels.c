// The kernels of gpu_kernels.so on the CUDA device: make test-gpu. TENON_BUILD names a build that
// was moved to a machine with a GPU.
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "tenon/tenon.h"

static tn_plugin* load_file(const char* file) {
  const char* build = getenv("TENON_BUILD");
  char path[4096];
  tn_status status = {0};
  snprintf(path, sizeof path, "%s/%s", build ? build : TENON_BUILD_DIR, file);
  if (access(path, F_OK) != 0) test_skip("%s is not built: it needs nvcc and Eigen", file);
  tn_plugin* plugin = tn_plugin_load(path, NULL, &status);
  CHECK_OK(&status);
  return plugin;
}

static void load_kernels(void) { load_file("tests/plugins/gpu_kernels.so"); }

static void load(void) {
  tn_plugin* plugin = load_file("lib/tenon/extra/libtenon_cuda.so");
  if (tn_device_count() == 1) test_skip("%s", tn_plugin_notes(plugin));
  load_kernels();
}

static tn_tensor* random_floats(uint64_t* seed, const int64_t* dims, int rank) {
  tn_status status = {0};
  tn_tensor* made = tn_tensor_create(TN_FLOAT, dims, rank, &status);
  CHECK_OK(&status);
  for (int64_t i = 0; i < tn_tensor_elements(made); ++i)
    ((float*)tn_tensor_data(made))[i] = (float)test_between(seed, -1000, 1000) / 256;
  return made;
}

// The op's one output, in host memory. `attrs` are names and values, up to a NULL. NULL with a
// status when it failed.
static tn_tensor* try_on(const char* device, const char* op, const char* const* attrs,
                         tn_tensor* const* inputs, size_t count, tn_status* status) {
  tn_call* call = tn_call_create(op, device, status);
  for (; call && attrs && *attrs; attrs += 2)
    CHECK(tn_call_set_attr(call, attrs[0], attrs[1], status));
  tn_tensor *there = NULL, *home = NULL;
  if (call && tn_call_run(call, inputs, count, &there, 1, status))
    home = tn_tensor_to_host(there, status);
  tn_tensor_destroy(there);
  tn_call_destroy(call);
  return home;
}

static tn_tensor* run(const char* op, tn_tensor* const* inputs, size_t count) {
  tn_status status = {0};
  tn_tensor* found = try_on("GPU", op, NULL, inputs, count, &status);
  CHECK_OK(&status);
  return found;
}

TEST(test_a_plain_kernel_on_the_hosts_stream) {
  load();
  uint64_t seed = test_seed();
  for (int64_t size = 0; size < 100000; size = size * 3 + 1) {
    tn_tensor* x = random_floats(&seed, &size, 1);
    tn_tensor* y = run("Relu", &x, 1);
    for (int64_t i = 0; i < size; ++i) {
      const float value = ((float*)tn_tensor_data(x))[i];
      CHECK(((float*)tn_tensor_data(y))[i] == (value < 0 ? 0 : value));
    }
    tn_tensor_destroy(x);
    tn_tensor_destroy(y);
  }
}

TEST(test_eigen_expressions_on_the_hosts_stream) {
  load();
  uint64_t seed = test_seed();
  const int64_t size = 300007;
  tn_tensor* inputs[] = {random_floats(&seed, &size, 1), random_floats(&seed, &size, 1)};
  const float *a = tn_tensor_data(inputs[0]), *b = tn_tensor_data(inputs[1]);
  tn_tensor* sum = run("AddV2", inputs, 2);
  double total = 0, magnitude = 0;
  for (int64_t i = 0; i < size; ++i) {
    CHECK(((float*)tn_tensor_data(sum))[i] == a[i] + b[i]);
    total += a[i];
    magnitude += fabs((double)a[i]);
  }
  tn_status status = {0};
  const int32_t axis = 0;
  tn_tensor* axes = tn_tensor_create_from(TN_INT32, (int64_t[]){1}, 1, &axis, sizeof axis, &status);
  tn_tensor* whole = run("Sum", (tn_tensor*[]){inputs[0], axes}, 2);
  CHECK(fabs(*(float*)tn_tensor_data(whole) - total) < 1e-5 * magnitude);
  tn_tensor_destroy(whole);
  tn_tensor_destroy(axes);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(inputs[0]);
  tn_tensor_destroy(inputs[1]);
}

TEST(test_eigen_sums_along_either_axis) {
  load();
  uint64_t seed = test_seed();
  enum { ROWS = 700, COLUMNS = 431 };
  tn_tensor* data = random_floats(&seed, (int64_t[]){ROWS, COLUMNS}, 2);
  const float* x = tn_tensor_data(data);
  for (int32_t axis = 0; axis < 2; ++axis) {
    tn_status status = {0};
    tn_tensor* axes =
        tn_tensor_create_from(TN_INT32, (int64_t[]){1}, 1, &axis, sizeof axis, &status);
    tn_tensor* sums = run("Sum", (tn_tensor*[]){data, axes}, 2);
    CHECK(tn_tensor_elements(sums) == (axis ? ROWS : COLUMNS));
    for (int i = 0; i < (axis ? ROWS : COLUMNS); ++i) {
      double sum = 0, magnitude = 0;
      for (int j = 0; j < (axis ? COLUMNS : ROWS); ++j) {
        const double value = axis ? x[i * COLUMNS + j] : x[j * COLUMNS + i];
        sum += value;
        magnitude += fabs(value);
      }
      CHECK(fabs(((float*)tn_tensor_data(sums))[i] - sum) <= 1e-5 * magnitude);
    }
    tn_tensor_destroy(sums);
    tn_tensor_destroy(axes);
  }
  tn_tensor_destroy(data);
}

TEST(test_a_kernel_launched_by_the_devices_plugin) {
  load();
  uint64_t seed = test_seed();
  enum { ROWS = 3000, COLUMNS = 17 };
  const int32_t segments = 41;
  tn_status status = {0};
  tn_tensor* inputs[] = {
      random_floats(&seed, (int64_t[]){ROWS, COLUMNS}, 2),
      tn_tensor_create(TN_INT32, (int64_t[]){ROWS}, 1, &status),
      tn_tensor_create_from(TN_INT32, NULL, 0, &segments, sizeof segments, &status)};
  CHECK_OK(&status);
  double sums[41][COLUMNS] = {{0}};
  for (int i = 0; i < ROWS; ++i) {
    const int32_t segment = (int32_t)test_between(&seed, -1, segments - 1);
    ((int32_t*)tn_tensor_data(inputs[1]))[i] = segment;
    for (int j = 0; segment >= 0 && j < COLUMNS; ++j)
      sums[segment][j] += ((float*)tn_tensor_data(inputs[0]))[i * COLUMNS + j];
  }
  tn_tensor* found = run("UnsortedSegmentSum", inputs, 3);
  CHECK(tn_tensor_elements(found) == segments * COLUMNS);
  for (int i = 0; i < segments * COLUMNS; ++i)
    CHECK(fabs(((float*)tn_tensor_data(found))[i] - sums[i / COLUMNS][i % COLUMNS]) < 1e-2);
  tn_tensor_destroy(found);
  for (int i = 0; i < 3; ++i) tn_tensor_destroy(inputs[i]);
}

// a[m, k] * b[k, n] on `device`, each of the four ways to store the two.
static void check_products(const char* device, int64_t m, int64_t k, int64_t n) {
  uint64_t seed = test_seed();
  for (int way = 0; way < 4; ++way) {
    const bool transpose_a = way & 1, transpose_b = way & 2;
    tn_tensor* inputs[] = {
        random_floats(&seed, transpose_a ? (int64_t[]){k, m} : (int64_t[]){m, k}, 2),
        random_floats(&seed, transpose_b ? (int64_t[]){n, k} : (int64_t[]){k, n}, 2)};
    const float *a = tn_tensor_data(inputs[0]), *b = tn_tensor_data(inputs[1]);
    const char* const attrs[] = {"transpose_a", transpose_a ? "true" : "false", "transpose_b",
                                 transpose_b ? "true" : "false", NULL};
    tn_status status = {0};
    tn_tensor* product = try_on(device, "Tenon>MatMul", attrs, inputs, 2, &status);
    CHECK_OK(&status);
    CHECK(tn_tensor_elements(product) == m * n);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0, magnitude = 0;
        for (int64_t l = 0; l < k; ++l) {
          const double term = (double)a[transpose_a ? l * m + i : i * k + l] *
                              b[transpose_b ? j * k + l : l * n + j];
          sum += term;
          magnitude += fabs(term);
        }
        CHECK(fabs(((float*)tn_tensor_data(product))[i * n + j] - sum) <= 2e-6 * magnitude);
      }
    tn_tensor_destroy(product);
    tn_tensor_destroy(inputs[0]);
    tn_tensor_destroy(inputs[1]);
  }
}

TEST(test_a_product_by_cublas_on_the_hosts_stream) {
  load();
  check_products("GPU", 37, 65, 51);
  check_products("GPU", 1, 300, 2);
  check_products("GPU", 3, 0, 5);
  check_products("GPU", 0, 3, 5);
}

typedef struct worker {
  tn_call* call;
  tn_tensor* const* inputs;
  const float* expected;
  int64_t elements;
  int wrong;
} worker;

// Products on a stream of its own; whatever is not as expected is counted.
static void* multiply(void* arg) {
  worker* w = arg;
  tn_status status = {0};
  tn_stream* stream = tn_stream_create(tn_device_find("GPU", &status), &status);
  const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .stream = stream};
  for (int round = 0; round < 50; ++round) {
    tn_tensor *there = NULL, *home = NULL;
    if (stream && tn_call_run_with(w->call, w->inputs, 2, &there, 1, &options, &status))
      home = tn_tensor_to_host(there, &status);
    w->wrong += !home || memcmp(tn_tensor_data(home), w->expected,
                                (size_t)w->elements * sizeof *w->expected) != 0;
    tn_tensor_destroy(there);
    tn_tensor_destroy(home);
  }
  tn_stream_destroy(stream);
  w->wrong += tn_status_code(&status) != TN_OK;
  tn_status_clear(&status);
  return NULL;
}

TEST(test_products_of_one_kernel_on_several_streams_and_threads_at_once) {
  load();
  uint64_t seed = test_seed();
  enum { SIDE = 513, WORKERS = 4 };
  tn_status status = {0};
  tn_tensor* inputs[] = {random_floats(&seed, (int64_t[]){SIDE, SIDE}, 2),
                         random_floats(&seed, (int64_t[]){SIDE, SIDE}, 2)};
  tn_tensor* expected = run("Tenon>MatMul", inputs, 2);
  tn_call* call = tn_call_create("Tenon>MatMul", "GPU", &status);
  CHECK_OK(&status);
  pthread_t threads[WORKERS];
  worker workers[WORKERS];
  for (int i = 0; i < WORKERS; ++i) {
    workers[i] = (worker){call, inputs, tn_tensor_data(expected), SIDE * SIDE, 0};
    CHECK(pthread_create(&threads[i], NULL, multiply, &workers[i]) == 0);
  }
  for (int i = 0; i < WORKERS; ++i) {
    pthread_join(threads[i], NULL);
    CHECK(workers[i].wrong == 0);
  }
  tn_call_destroy(call);
  tn_tensor_destroy(expected);
  tn_tensor_destroy(inputs[0]);
  tn_tensor_destroy(inputs[1]);
}

TEST(test_the_same_kernel_on_the_cpu_by_onednn) {
  load_kernels();
  check_products("CPU", 37, 65, 51);
  check_products("CPU", 3, 0, 5);
}

TEST(test_without_a_stream_of_a_gpu_the_run_fails) {
  load_kernels();
  tn_status status = {0};
  CHECK(!try_on("CPU", "GpuBadDay", (const char*[]){"how", "no memory", NULL}, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "stream");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
}

TEST(test_what_fails_on_the_way_to_the_device_is_a_status_and_the_next_run_is_fine) {
  load();
  static const struct {
    const char *how, *says;
    tn_code code;
  } days[] = {
      {"a block too large", "cudaError", TN_INTERNAL},
      {"a block too large for the host", "cudaError", TN_OK},  // its code is the plugin's choice
      {"nothing to do", "0 elements", TN_INTERNAL},
      {"a failure before an expression", "cudaErrorInvalidDevice", TN_INTERNAL},
      {"a slice for an output", "a slice of memory of", TN_UNIMPLEMENTED},
      {"no memory", "", TN_RESOURCE_EXHAUSTED},
  };
  for (size_t i = 0; i < sizeof days / sizeof *days; ++i) {
    tn_status status = {0};
    CHECK(!try_on("GPU", "GpuBadDay", (const char*[]){"how", days[i].how, NULL}, NULL, 0, &status));
    CHECK(tn_status_code(&status) == days[i].code || days[i].code == TN_OK);
    CHECK_CONTAINS(tn_status_message(&status), days[i].says);
    tn_status_clear(&status);
    tn_tensor* fours = try_on("GPU", "GpuBadDay", (const char*[]){"how", "memory forgotten", NULL},
                              NULL, 0, &status);
    CHECK_OK(&status);
    for (int j = 0; j < 4; ++j) CHECK(((float*)tn_tensor_data(fours))[j] == 4);
    tn_tensor_destroy(fours);
  }
}

TEST(test_what_a_launch_costs_is_told) {
  load();
  tn_tensor* cost = run("LaunchCost", NULL, 0);
  const float* ns = tn_tensor_data(cost);
  fprintf(stderr,
          "launch: %.0f ns raw; through the host %.0f ns, ratio %.3f; GpuLaunchKernel through the "
          "host %.0f ns, ratio %.3f; GpuLaunchKernel on the stream %.0f ns, ratio %.3f\n",
          (double)ns[0], (double)ns[1], (double)(ns[1] / ns[0]), (double)ns[2],
          (double)(ns[2] / ns[0]), (double)ns[3], (double)(ns[3] / ns[0]));
  for (int i = 0; i < 4; ++i) CHECK(ns[i] > 0);
  tn_tensor_destroy(cost);
}
