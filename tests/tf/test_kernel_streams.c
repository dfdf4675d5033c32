// Streams, memory and launches for kernels: on a device that offers them (tests/plugins/misdeed.h),
// on one that does not, and on the CPU.
#include "../device/misdeed_testing.h"
#include "services_testing.h"

#define EXAMPLE TENON_BUILD_DIR "/examples/libexample_device.so"

static tn_device* device_without_services(void) {
  tn_status status = {0};
  CHECK(tn_plugin_load(EXAMPLE, NULL, &status));
  tn_device* device = tn_device_find("EXAMPLE_DEVICE", &status);
  CHECK_OK(&status);
  return device;
}

// y[i] = x[i] * factor, in blocks, as a kernel of the device.
static void scale(void* const args[4], const uint32_t grid[3], const uint32_t block[3]) {
  float *y = args[0], factor;
  const float* x = args[1];
  memcpy(&factor, &args[2], sizeof factor);
  for (uint32_t b = 0; b < grid[0]; ++b)
    for (uint32_t t = 0; t < block[0]; ++t) y[b * block[0] + t] = x[b * block[0] + t] * factor;
}

typedef struct scaling {
  void *y, *x;
  union {
    float factor;
    void* word;
  };
  void* args[4];
} scaling;

static void** arguments(scaling* it, void* y, void* x, float factor) {
  *it = (scaling){.y = y, .x = x, .factor = factor};
  memcpy(it->args, (void*[]){&it->y, &it->x, &it->word, NULL}, sizeof it->args);
  return it->args;
}

static const TF_Dim3 three = {3, 1, 1}, one = {1, 1, 1};

// Scales the input by 2, through memory of the stream's, by 10, by both kinds of launch.
static void compute_scaled(TF_OpKernelContext* context) {
  tn_status status = {0};
  TF_Status* launched = TF_NewStatus();
  tn_tensor* x = tn_run_input(context, 0, &status);
  tn_tensor* y = tn_run_allocate_output(context, 0, (int64_t[]){3}, 1, &status);
  CHECK_OK(&status);
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  CHECK(stream);
  TF_GpuStream* native = TF_EigenStream_GetCudaStream(stream);
  CHECK(native && *native == (TF_GpuStream)tn_run_stream(context, &status));
  CHECK_TEXT((const char*)TF_EigenStream_GetDeviceProperties(stream), "a device that misbehaves");
  char* scratch = TF_EigenStream_Scratchpad(stream);
  int* semaphore = TF_EigenStream_Semaphore(stream);
  CHECK(scratch && semaphore && *semaphore == 0);
  memset(scratch, 1, 1024);
  CHECK(TF_EigenStream_Scratchpad(stream) == scratch);
  void* between = TF_EigenStream_Allocate(stream, 3 * sizeof(float));
  void* forgotten = TF_EigenStream_Allocate(stream, 1000);
  CHECK(between && forgotten);
  scaling it;
  TF_SetStatus(launched, TF_ABORTED, "from before");
  CHECK(TF_LaunchKernel(context, (void*)scale, three, one,
                        arguments(&it, between, tn_tensor_data(x), 2), 0, launched));
  CHECK_INT(TF_GetCode(launched), TF_OK);
  CHECK_INT(TF_CudaLaunchKernel((void*)scale, one, three,
                                arguments(&it, tn_tensor_data(y), between, 10), 0, *native),
            0);
  memset(&it, 0, sizeof it);  // the arguments were read by then
  TF_EigenStream_Deallocate(stream, between);
  TF_EigenStream_Deallocate(stream, NULL);
  CHECK(!TF_DeleteEigenStreamHandle(stream));
  TF_DeleteStatus(launched);
  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
}

static void check_scaled(const char* misdeed) {
  tn_device* device = load_device(misdeed);
  tn_status status = {0};
  const tn_op_def* op = given_unary_op("Scaled");
  tn_kernel_functions functions = {.compute = compute_services};
  register_builder(tn_kernel_builder_create("Scaled", MISDEED_TYPE, &functions), "Scaled");
  services_compute = compute_scaled;
  tn_call* call = tn_call_create(op->name, MISDEED_TYPE, &status);
  CHECK_OK(&status);
  const int blocks = live(MISDEED_BLOCKS);
  for (int i = 0; i < 100; ++i) {
    tn_tensor *x = FLOATS(1, 2, 3), *y = NULL;
    CHECK(tn_call_run(call, &x, 1, &y, 1, &status));
    tn_tensor* home = tn_tensor_to_host(y, &status);
    CHECK_FLOATS(home, 20, 40, 60);
    tn_tensor_destroy(home);
    tn_tensor_destroy(y);
    tn_tensor_destroy(x);
  }
  CHECK(tn_device_wait(device, &status));
  // What was freed with work on it goes back when memory is next asked for, but for the last.
  tn_tensor_destroy(
      tn_tensor_create_on(device, TN_MEMORY_DEVICE, TN_FLOAT, (int64_t[]){1}, 1, &status));
  CHECK(*misdeed || live(MISDEED_BLOCKS) <= blocks + 1);
  tn_call_destroy(call);
}

TEST(test_a_kernel_launches_on_the_hosts_stream_in_its_order) { check_scaled(""); }
TEST(test_a_kernel_launches_where_the_host_shares_the_memory_out) { check_scaled("pooled"); }

// ---- Devices that do not answer ----

static void ask_for_stream(TF_OpKernelContext* context) {
  CHECK(!TF_GetEigenStreamHandle(context));
  TF_Status* status = TF_NewStatus();
  TF_OpKernelContext_UpdateStatus(status);
  CHECK_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);
  TF_DeleteStatus(status);
}
static void launch_plainly(TF_OpKernelContext* context) {
  TF_LaunchKernel(context, (void*)scale, one, one, NULL, 0, NULL);
}
static void launch_directly(TF_OpKernelContext* context) {
  CHECK_INT(TF_CudaLaunchKernel((void*)scale, one, one, NULL, 0, NULL), 801);
}

TEST(test_streams_and_launches_fail_the_context_where_no_plugin_offers_them) {
  void (*const all[])(TF_OpKernelContext*) = {ask_for_stream, launch_plainly, launch_directly};
  tn_device* device = device_without_services();
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    expect_failure(tn_device_cpu(), all[i], TN_FAILED_PRECONDITION, "has no stream");
    expect_failure(device, all[i], TN_FAILED_PRECONDITION, "tenon/device_services.h");
  }
  // Outside any run.
  CHECK(!TF_GetEigenStreamHandle(NULL));
  CHECK_INT(TF_CudaLaunchKernel((void*)scale, one, one, NULL, 0, NULL), 801);
  TF_Status* status = TF_NewStatus();
  CHECK(!TF_LaunchKernel(NULL, (void*)scale, one, one, NULL, 0, status));
  CHECK_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  CHECK(!TF_LaunchKernel(NULL, NULL, one, one, NULL, 0, NULL));
  TF_DeleteStatus(status);
  CHECK(!TF_EigenStream_GetCudaStream(NULL) && !TF_EigenStream_GetDeviceProperties(NULL));
  CHECK(!TF_EigenStream_Allocate(NULL, 1) && !TF_EigenStream_Scratchpad(NULL));
  CHECK(!TF_EigenStream_Semaphore(NULL) && !TF_DeleteEigenStreamHandle(NULL));
  TF_EigenStream_Deallocate(NULL, NULL);
}

// ---- Devices that fail ----

static void use_everything(TF_OpKernelContext* context) {
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  TF_GpuStream* native = TF_EigenStream_GetCudaStream(stream);
  TF_EigenStream_GetDeviceProperties(stream);
  TF_EigenStream_Scratchpad(stream);
  TF_EigenStream_Semaphore(stream);
  void* memory = TF_EigenStream_Allocate(stream, 100);
  scaling it;
  float* floats = memory;
  const bool launched = memory && TF_LaunchKernel(context, (void*)scale, one, one,
                                                  arguments(&it, floats, floats, 2), 0, NULL);
  if (launched && native) {
    const int code =
        TF_CudaLaunchKernel((void*)scale, one, one, arguments(&it, floats, floats, 2), 0, *native);
    if (code && code != 801) tn_run_failf(context, TN_INTERNAL, "launch_native gave %d", code);
  }
  TF_DeleteEigenStreamHandle(stream);
}

typedef struct failing {
  const char* misdeed;
  tn_code code;
  const char* words;
} failing;

static void expect_misdeed(const void* arg) {
  const failing* it = arg;
  expect_failure(load_device(it->misdeed), use_everything, it->code, it->words);
}
static void expect_misdeed_later(const void* arg) {
  const failing* it = arg;
  tn_device* device = load_device("");
  tn_status status = {0};
  CHECK(tn_device_open(device, &status));
  misdeed_from_now(it->misdeed);
  expect_failure(device, use_everything, it->code, it->words);
}

TEST(test_what_a_device_fails_to_answer_fails_the_run) {
  static const failing missing[] = {
      {"null:tn_device_services:native_stream", TN_FAILED_PRECONDITION, "has no native_stream"},
      {"null:tn_device_services:properties", TN_FAILED_PRECONDITION, "has no properties"},
      {"null:tn_device_services:scratchpad", TN_FAILED_PRECONDITION, "has no scratchpad"},
      {"null:tn_device_services:semaphore", TN_FAILED_PRECONDITION, "has no semaphore"},
      {"null:tn_device_services:launch", TN_FAILED_PRECONDITION, "has no launch"},
      {"null:tn_device_services:launch_native", TN_FAILED_PRECONDITION, "has no launch_native"},
      // An older plugin's struct ends before the newer functions.
      {"size:tn_device_services:24", TN_FAILED_PRECONDITION, "has no properties"},
      {"size:tn_device_services:56", TN_FAILED_PRECONDITION, "has no launch_native"}};
  static const failing later[] = {
      {"fail:native_stream", TN_UNAVAILABLE, "native_stream: the device is on strike"},
      {"fail:properties", TN_UNAVAILABLE, "properties: the device is on strike"},
      {"fail:scratchpad", TN_UNAVAILABLE, "scratchpad: the device is on strike"},
      {"fail:semaphore", TN_UNAVAILABLE, "semaphore: the device is on strike"},
      {"fail:launch", TN_UNAVAILABLE, "launch: the device is on strike"},
      {"fail:launch_native", TN_INTERNAL, "launch_native gave 9"},
      {"nothing:native_stream", TN_INTERNAL, "native_stream: gave NULL and no reason"},
      {"nothing:properties", TN_INTERNAL, "properties: gave NULL and no reason"},
      {"nothing:scratchpad", TN_INTERNAL, "scratchpad: gave NULL and no reason"},
      {"nothing:semaphore", TN_INTERNAL, "semaphore: gave NULL and no reason"}};
  for (size_t i = 0; i < COUNT_OF(missing); ++i)
    in_child(expect_misdeed, &missing[i], missing[i].misdeed);
  for (size_t i = 0; i < COUNT_OF(later); ++i)
    in_child(expect_misdeed_later, &later[i], later[i].misdeed);
}

static void expect_refusal(const void* arg) {
  const failing* it = arg;
  tn_status status = {0};
  CHECK(!load_with(it->misdeed, &status));
  CHECK_CONTAINS(tn_status_message(&status), it->words);
  CHECK_CODE(&status, it->code);
  CHECK_INT(tn_device_count(), 1);
}

TEST(test_a_plugin_whose_services_are_filled_wrongly_is_refused) {
  static const failing all[] = {
      {"size:tn_device_services:0", TN_FAILED_PRECONDITION, "struct_size ends before"},
      {"size:tn_device_services:8", TN_FAILED_PRECONDITION, "struct_size ends before"},
      {"ext:tn_device_services", TN_FAILED_PRECONDITION, "the reserved word ext is set"},
      {"fail:TN_InitDeviceServices", TN_UNAVAILABLE, "TN_InitDeviceServices: the device is on"}};
  for (size_t i = 0; i < COUNT_OF(all); ++i) in_child(expect_refusal, &all[i], all[i].misdeed);
}

// The second of three launches fails: the first is done, the third is not made, nothing leaks.
static void launch_three(TF_OpKernelContext* context) {
  tn_status status = {0};
  TF_Status* launched = TF_NewStatus();
  tn_tensor* y = tn_run_allocate_output(context, 0, (int64_t[]){3}, 1, &status);
  CHECK_OK(&status);
  scaling it;
  int made = 0;
  for (; made < 3; ++made)
    if (!TF_LaunchKernel(context, (void*)scale, three, one,
                         arguments(&it, tn_tensor_data(y), tn_tensor_data(y), 1), 0, launched))
      break;
  CHECK_INT(made, 1);
  CHECK_INT(TF_GetCode(launched), TF_UNAVAILABLE);
  TF_Status* in_context = TF_NewStatus();
  TF_OpKernelContext_UpdateStatus(in_context);
  CHECK_INT(TF_GetCode(in_context), TF_OK);  // the kernel was told, and may do something else
  TF_OpKernelContext_Failure(context, launched);
  TF_DeleteStatus(in_context);
  TF_DeleteStatus(launched);
  tn_tensor_destroy(y);
}

TEST(test_a_launch_that_fails_in_the_middle_is_a_status) {
  tn_device* device = load_device("");
  tn_status status = {0};
  CHECK(tn_device_open(device, &status));
  misdeed_from_now("fail:launch:2");
  expect_failure(device, launch_three, TN_UNAVAILABLE, "launch: the device is on strike");
}

// ---- Wrong arguments ----

static TF_Dim3 wrong_grid;
static const void* wrong_function;
static void launch_wrongly(TF_OpKernelContext* context) {
  CHECK(!TF_LaunchKernel(context, wrong_function, wrong_grid, one, NULL, 0, NULL));
}
static void deallocate_wrongly(TF_OpKernelContext* context) {
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  TF_EigenStream_Deallocate(stream, stream);
  TF_DeleteEigenStreamHandle(stream);
}
static void allocate_too_much(TF_OpKernelContext* context) {
  TF_EigenStream* stream = TF_GetEigenStreamHandle(context);
  CHECK(!TF_EigenStream_Allocate(stream, SIZE_MAX - 100));
  TF_DeleteEigenStreamHandle(stream);
}

TEST(test_wrong_launches_and_deallocations_fail_the_context) {
  tn_device* device = load_device("");
  wrong_grid = (TF_Dim3){1, 0, 1};
  wrong_function = (void*)scale;
  expect_failure(device, launch_wrongly, TN_INVALID_ARGUMENT, "a grid of 1 x 0 x 1 blocks");
  wrong_grid = one;
  wrong_function = NULL;
  expect_failure(device, launch_wrongly, TN_INVALID_ARGUMENT, "a launch of NULL");
  expect_failure(device, deallocate_wrongly, TN_INVALID_ARGUMENT, "is not allocated");
  expect_failure(device, allocate_too_much, TN_RESOURCE_EXHAUSTED, "");
}

// Of this thread only: the device's threads may still be at work for the tests before.
static int fail_at;
static void use_without_memory(TF_OpKernelContext* context) {
  tn_memory_fail_here_at(fail_at);
  use_everything(context);
  tn_memory_fail_at(-1);
}

TEST(test_streams_and_launches_without_memory) {
  tn_device* device = load_device("");
  tn_status status = {0};
  // The fake device's own memory is not the host's, and never fails.
  for (fail_at = 0; fail_at < 3; ++fail_at) {
    CHECK(!run_on(device, use_without_memory, NULL, &status));
    if (fail_at < 2) CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
    tn_status_clear(&status);
  }
}

// ---- Memory of the host ----

static void allocate_on_host(TF_OpKernelContext* context) {
  TF_EigenAllocator* allocator = TF_GetEigenAllocatorHandle(context);
  CHECK(allocator);
  for (size_t size = 0; size < 100000; size = 2 * size + 1) {
    char* bytes = TF_EigenAllocator_Allocate(allocator, size);
    CHECK(bytes && (uintptr_t)bytes % 64 == 0);
    memset(bytes, 1, size);
    TF_EigenAllocator_Deallocate(allocator, bytes);
  }
  TF_EigenAllocator_Deallocate(allocator, NULL);
  CHECK(!TF_DeleteEigenAllocatorHandle(allocator));
  pass_on(context);
}

static void allocate_all_memory(TF_OpKernelContext* context) {
  TF_EigenAllocator* allocator = TF_GetEigenAllocatorHandle(context);
  CHECK(!TF_EigenAllocator_Allocate(allocator, SIZE_MAX));
  CHECK(!TF_EigenAllocator_Allocate(NULL, SIZE_MAX));
  TF_DeleteEigenAllocatorHandle(allocator);
}
static void allocate_without_memory(TF_OpKernelContext* context) {
  TF_EigenAllocator* allocator = TF_GetEigenAllocatorHandle(context);
  tn_memory_fail_here_at(0);
  CHECK(!TF_EigenAllocator_Allocate(allocator, 100));
  tn_memory_fail_at(-1);
  TF_EigenAllocator_Deallocate(allocator, NULL);
  TF_DeleteEigenAllocatorHandle(allocator);
}

TEST(test_host_memory_for_eigen_is_aligned_and_its_lack_fails_the_context) {
  tn_status status = {0};
  CHECK(run_services(allocate_on_host, &status));
  expect_failure(tn_device_cpu(), allocate_all_memory, TN_RESOURCE_EXHAUSTED, "");
  expect_failure(tn_device_cpu(), allocate_without_memory, TN_RESOURCE_EXHAUSTED, "");
  CHECK(!TF_GetEigenAllocatorHandle(NULL) && !TF_GetEigenThreadPoolHandle(NULL));
}
