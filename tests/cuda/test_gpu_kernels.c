// Kernels of gpu_kernels.cu on the CUDA device: make test-gpu. TENON_BUILD names a build that was
// moved to a machine with a GPU.
#include <math.h>
#include <unistd.h>

#include "base/status.h"
#include "harness.h"
#include "tenon/tenon.h"

static void load(void) {
  static const char* const files[] = {"lib/tenon/extra/libtenon_cuda.so",
                                      "tests/plugins/gpu_kernels.so"};
  const char* build = getenv("TENON_BUILD");
  for (int i = 0; i < 2; ++i) {
    char path[4096];
    tn_status status = {0};
    snprintf(path, sizeof path, "%s/%s", build ? build : TENON_BUILD_DIR, files[i]);
    if (access(path, F_OK) != 0) test_skip("%s is not built: make test-gpu", files[i]);
    tn_plugin* plugin = tn_plugin_load(path, NULL, &status);
    CHECK_OK(&status);
    if (tn_device_count() == 1) test_skip("%s", tn_plugin_notes(plugin));
  }
}

static tn_tensor* random_floats(uint64_t* seed, const int64_t* dims, int rank) {
  tn_status status = {0};
  tn_tensor* made = tn_tensor_create(TN_FLOAT, dims, rank, &status);
  CHECK_OK(&status);
  for (int64_t i = 0; i < tn_tensor_elements(made); ++i)
    ((float*)tn_tensor_data(made))[i] = (float)test_between(seed, -1000, 1000) / 256;
  return made;
}

// The op's one output, in host memory.
static tn_tensor* run(const char* op, tn_tensor* const* inputs, size_t count) {
  tn_status status = {0};
  tn_call* call = tn_call_create(op, "CUDA", &status);
  tn_tensor* there = NULL;
  CHECK(call && tn_call_run(call, inputs, count, &there, 1, &status));
  tn_tensor* home = tn_tensor_to_host(there, &status);
  CHECK_OK(&status);
  tn_tensor_destroy(there);
  tn_call_destroy(call);
  return home;
}

TEST(test_a_cuda_kernel_launched_through_the_host) {
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

TEST(test_a_product_by_the_vendors_library_on_the_hosts_stream) {
  load();
  uint64_t seed = test_seed();
  enum { M = 37, K = 65, N = 51 };
  tn_tensor* inputs[] = {random_floats(&seed, (int64_t[]){M, K}, 2),
                         random_floats(&seed, (int64_t[]){K, N}, 2)};
  const float *a = tn_tensor_data(inputs[0]), *b = tn_tensor_data(inputs[1]);
  tn_tensor* product = run("MatMul", inputs, 2);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      double sum = 0, magnitude = 0;
      for (int k = 0; k < K; ++k) {
        sum += (double)a[i * K + k] * b[k * N + j];
        magnitude += fabs((double)a[i * K + k] * b[k * N + j]);
      }
      CHECK(fabs(((float*)tn_tensor_data(product))[i * N + j] - sum) <= 2e-6 * magnitude);
    }
  tn_tensor_destroy(product);
  tn_tensor_destroy(inputs[0]);
  tn_tensor_destroy(inputs[1]);
}

TEST(test_what_a_launch_costs_is_told) {
  load();
  tn_tensor* cost = run("LaunchCost", NULL, 0);
  const float* ns = tn_tensor_data(cost);
  fprintf(stderr, "launch: %.0f ns through the host, %.0f ns raw, ratio %.3f\n", (double)ns[0],
          (double)ns[1], (double)(ns[0] / ns[1]));
  CHECK(ns[0] > 0 && ns[1] > 0);
  tn_tensor_destroy(cost);
}
