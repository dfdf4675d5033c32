// The CPU plugin hosted by Tenon: what it registers, variables, the asynchronous kernel, and many
// threads. (Its results are compared with TensorFlow's in test_against_tensorflow.py.)

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <time.h>

#include "harness.h"
#include "tenon/plugin.h"
#include "tenon/registry.h"
#include "tenon/tenon.h"

#define PLUGIN TENON_BUILD_DIR "/lib/tenon/plugins/libtenon_cpu.so"

static tn_plugin* load(void) {
  tn_status* status = tn_status_create();
  tn_plugin* plugin = tn_plugin_load(PLUGIN, NULL, status);
  CHECK_OK(status);
  tn_status_destroy(status);
  if (!plugin) exit(1);
  return plugin;
}

// Runs `op` with attrs given as name, value, ..., NULL. Returns output 0, or NULL where there is
// none.
static tn_tensor* run(const char* op, tn_tensor* const* inputs, size_t count, tn_status* status,
                      ...) {
  tn_call* call = tn_call_create(op, NULL, status);
  va_list args;
  va_start(args, status);
  for (const char* name; call && (name = va_arg(args, const char*));)
    tn_call_set_attr(call, name, va_arg(args, const char*), status);
  va_end(args);
  tn_tensor* output = NULL;
  int outputs = call && tn_ok(status) ? tn_call_output_count(call, inputs, count, status) : -1;
  if (outputs >= 0) tn_call_run(call, inputs, count, &output, (size_t)outputs, status);
  tn_call_destroy(call);
  return output;
}

static tn_tensor* floats(int64_t count, float first, float step) {
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, &count, 1, NULL);
  for (int64_t i = 0; i < count; ++i) ((float*)tn_tensor_data(tensor))[i] = first + (float)i * step;
  return tensor;
}

static float at(const tn_tensor* tensor, int64_t i) {
  return ((const float*)tn_tensor_data(tensor))[i];
}

static bool count_async(const tn_kernel_info* info, void* arg) {
  if (info->is_async) ++*(int*)arg;
  CHECK_INT(info->priority, 0);
  CHECK_TEXT(info->label, "");
  return true;
}

TEST(at_home_it_registers_every_kernel_plainly) {
  tn_plugin* plugin = load();
  CHECK(tn_plugin_kernel_count(plugin) >= 14);
  CHECK_INT(tn_plugin_op_count(plugin), 1);
  int async = 0;
  const char* ops[] = {"AddV2",
                       "Sub",
                       "Mul",
                       "Relu",
                       "Cast",
                       "MatMul",
                       "Sum",
                       "Reshape",
                       "Transpose",
                       "ConcatV2",
                       "StringJoin",
                       "AssignAddVariableOp",
                       "AssignSubVariableOp",
                       "ReadFile"};
  for (size_t i = 0; i < sizeof ops / sizeof ops[0]; ++i)
    CHECK(tn_kernels_each(ops[i], count_async, &async, NULL));
  CHECK_INT(async, 1);
}

TEST(variables_are_added_to_and_subtracted_from) {
  load();
  tn_status* status = tn_status_create();
  tn_tensor* handle = run("VarHandleOp", NULL, 0, status, "dtype", "float", "shape", "[3]",
                          "shared_name", "v", NULL);
  tn_tensor* value = floats(3, 10, 1);
  tn_tensor* step = floats(3, 1, 1);
  tn_tensor* inputs[] = {handle, value};
  run("AssignVariableOp", inputs, 2, status, NULL);
  inputs[1] = step;
  run("AssignAddVariableOp", inputs, 2, status, NULL);
  tn_tensor* read = run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL);
  CHECK_OK(status);
  for (int i = 0; i < 3; ++i) CHECK(at(read, i) == 11 + 2 * i);
  // The value that was read, and the tensor assigned first, stay what they were.
  run("AssignSubVariableOp", inputs, 2, status, NULL);
  run("AssignSubVariableOp", inputs, 2, status, NULL);
  tn_tensor* again = run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL);
  CHECK_OK(status);
  for (int i = 0; i < 3; ++i) {
    CHECK(at(again, i) == 9);
    CHECK(at(read, i) == 11 + 2 * i);
    CHECK(at(value, i) == 10 + i);
  }
  inputs[1] = floats(2, 0, 0);
  run("AssignAddVariableOp", inputs, 2, status, NULL);
  CHECK_CONTAINS(tn_status_message(status), "shape");
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(inputs[1]);
  tn_tensor_destroy(handle), tn_tensor_destroy(value), tn_tensor_destroy(step);
  tn_tensor_destroy(read), tn_tensor_destroy(again);
  tn_status_destroy(status);
}

TEST(a_variable_that_was_never_set_is_not_found) {
  load();
  tn_status* status = tn_status_create();
  tn_tensor* handle = run("VarHandleOp", NULL, 0, status, "dtype", "float", "shape", "[3]",
                          "shared_name", "empty", NULL);
  tn_tensor* inputs[] = {handle, floats(3, 1, 1)};
  run("AssignAddVariableOp", inputs, 2, status, NULL);
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_tensor_destroy(inputs[0]), tn_tensor_destroy(inputs[1]);
  tn_status_destroy(status);
}

static tn_tensor* read_file(const char* path, tn_status* status) {
  tn_tensor* name = tn_tensor_create_strings(NULL, 0, &path, NULL, status);
  tn_tensor* contents = run("ReadFile", &name, 1, status, NULL);
  tn_tensor_destroy(name);
  return contents;
}

TEST(a_file_is_read_asynchronously) {
  load();
  char path[512];
  snprintf(path, sizeof path, "%s/text", test_folder());
  FILE* file = fopen(path, "w");
  for (int i = 0; i < 10000; ++i) fprintf(file, "%d\n", i);
  fclose(file);
  tn_status* status = tn_status_create();
  tn_tensor* contents = read_file(path, status);
  CHECK_OK(status);
  size_t size = 0;
  const char* text = tn_tensor_string(contents, 0, &size);
  CHECK_INT(size, 48890);
  CHECK(memcmp(text, "0\n1\n2\n", 6) == 0 && memcmp(text + size - 5, "9999\n", 5) == 0);
  tn_tensor_destroy(contents);
  CHECK(!read_file("/nowhere", status));
  CHECK_CONTAINS(tn_status_message(status), "ReadFile: /nowhere");
  CHECK_CODE(status, TN_NOT_FOUND);
  tn_status_destroy(status);
}

static atomic_int mistakes;

// Everything at once, with calls of its own and one that all threads share.
static void* work(void* shared) {
  tn_status* status = tn_status_create();
  for (int i = 0; i < 30; ++i) {
    tn_tensor* inputs[] = {floats(20000, (float)i, 1), floats(20000, 1, 0)};
    tn_tensor *sum = NULL, *total = NULL;
    tn_call_run(shared, inputs, 2, &sum, 1, status);
    int32_t axis = 0;
    int64_t one = 1;
    tn_tensor* reduce[] = {sum,
                           tn_tensor_create_from(TN_INT32, &one, 1, &axis, sizeof axis, status)};
    total = run("Sum", reduce, 2, status, NULL);
    if (!tn_ok(status) || at(total, 0) != (float)(20000.0 * (i + 1) + 19999.0 * 20000.0 / 2))
      atomic_fetch_add(&mistakes, 1);
    tn_tensor* contents = read_file("/proc/self/status", status);
    if (!contents) atomic_fetch_add(&mistakes, 1);
    tn_tensor_destroy(contents), tn_tensor_destroy(total), tn_tensor_destroy(reduce[1]);
    tn_tensor_destroy(sum), tn_tensor_destroy(inputs[0]), tn_tensor_destroy(inputs[1]);
  }
  tn_status_destroy(status);
  return NULL;
}

TEST(many_threads_run_kernels_at_once) {
  load();
  tn_call* add = tn_call_create("AddV2", "CPU", NULL);
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, work, add);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], NULL);
  CHECK_INT(mistakes, 0);
  tn_call_destroy(add);
}

TEST(large_work_is_shared_and_gives_the_same_bits) {
  load();
  enum { N = 700 };
  const int64_t dims[] = {N, N};
  tn_status* status = tn_status_create();
  tn_tensor* a = tn_tensor_create(TN_FLOAT, dims, 2, status);
  uint64_t random = test_seed();
  for (int i = 0; i < N * N; ++i)
    ((float*)tn_tensor_data(a))[i] = (float)test_between(&random, -1000, 1000) / 7;
  tn_tensor* inputs[] = {a, a};
  tn_tensor* first = run("MatMul", inputs, 2, status, "transpose_b", "true", NULL);
  tn_tensor* second = run("MatMul", inputs, 2, status, "transpose_b", "true", NULL);
  CHECK_OK(status);
  CHECK(memcmp(tn_tensor_data(first), tn_tensor_data(second), tn_tensor_bytes(first)) == 0);
  // a times its own transpose is symmetric, and row i, column i is the square of row i's length.
  double length = 0;
  for (int j = 0; j < N; ++j) length += (double)at(a, 5 * N + j) * at(a, 5 * N + j);
  CHECK(fabs(at(first, 5 * N + 5) - length) <= 1e-4 * length);
  tn_tensor_destroy(a), tn_tensor_destroy(first), tn_tensor_destroy(second);
  tn_status_destroy(status);
}

// One call of each kernel that is made, run and destroyed again.
static bool run_each(void* arg, tn_status* status) {
  tn_tensor** x = arg;
  static const char* const ops[] = {"AddV2", "Relu", "MatMul", "Cast", "ConcatV2"};
  tn_tensor* const inputs[][3] = {{x[0], x[0]}, {x[0]}, {x[0], x[0]}, {x[0]}, {x[0], x[0], x[1]}};
  static const size_t counts[] = {2, 1, 2, 1, 3};
  for (int i = 0; i < 5 && tn_ok(status); ++i)
    tn_tensor_destroy(
        run(ops[i], inputs[i], counts[i], status, i == 3 ? "DstT" : NULL, "int8", NULL));
  return tn_ok(status);
}

TEST(an_allocation_that_fails_anywhere_is_a_status) {
  load();
  const int64_t dims[] = {4, 4};
  tn_tensor* x[] = {tn_tensor_create(TN_FLOAT, dims, 2, NULL),
                    tn_tensor_create(TN_INT32, NULL, 0, NULL)};
  memset(tn_tensor_data(x[0]), 0, tn_tensor_bytes(x[0]));
  *(int32_t*)tn_tensor_data(x[1]) = 1;
  CHECK(run_each(x, NULL));
  CHECK(test_sweep_allocations(run_each, x) > 20);
  tn_tensor_destroy(x[0]), tn_tensor_destroy(x[1]);
}

static tn_tensor* variable(const char* name, tn_tensor* value, tn_status* status) {
  tn_tensor* handle = run("VarHandleOp", NULL, 0, status, "dtype", "float", "shape", "[4]",
                          "shared_name", name, NULL);
  tn_tensor* assigned[] = {handle, value};
  run("AssignVariableOp", assigned, 2, status, NULL);
  return handle;
}

static tn_tensor* scalar(float value) {
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, NULL, 0, NULL);
  *(float*)tn_tensor_data(tensor) = value;
  return tensor;
}

enum { STEPS = 300 };

static void* descend(void* handle) {
  tn_tensor *rate = scalar(-1), *ones = floats(4, 1, 0);
  tn_tensor* inputs[] = {handle, rate, ones};
  tn_status* status = tn_status_create();
  for (int i = 0; i < STEPS; ++i) run("ResourceApplyGradientDescent", inputs, 3, status, NULL);
  CHECK_OK(status);
  tn_status_destroy(status);
  tn_tensor_destroy(rate), tn_tensor_destroy(ones);
  return NULL;
}

// Somebody who reads keeps what was read; somebody who steps changes only the variable.
TEST(steps_of_many_threads_all_count_while_others_read) {
  load();
  tn_status* status = tn_status_create();
  tn_tensor* start = floats(4, 0, 1);
  tn_tensor* handle = variable("\"shared\"", start, status);
  tn_tensor* before = run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, descend, handle);
  for (int i = 0; i < 50; ++i)
    tn_tensor_destroy(run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL));
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  tn_tensor* after = run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL);
  CHECK_OK(status);
  for (int i = 0; i < 4; ++i) {
    CHECK(at(before, i) == (float)i && at(start, i) == (float)i);
    CHECK(at(after, i) == (float)(i + 4 * STEPS));
  }
  tn_tensor_destroy(start), tn_tensor_destroy(handle);
  tn_tensor_destroy(before), tn_tensor_destroy(after);
  tn_status_destroy(status);
}

// Steps and changed rows, while somebody else holds the value, so that it must be copied.
static bool train_each(void* arg, tn_status* status) {
  tn_tensor** x = arg;
  tn_tensor *const momentum[] = {x[0], x[1], x[2], x[3], x[2]}, *const scatter[] = {x[0], x[4],
                                                                                    x[2]};
  tn_tensor* held = run("ReadVariableOp", x, 1, status, "dtype", "float", NULL);
  if (tn_ok(status)) run("ResourceApplyMomentum", momentum, 5, status, NULL);
  if (tn_ok(status)) run("ResourceScatterAdd", scatter, 3, status, NULL);
  tn_tensor_destroy(held);
  return tn_ok(status);
}

TEST(a_training_step_whose_allocations_fail_is_a_status) {
  load();
  const int64_t one = 1;
  tn_tensor* zeros = floats(4, 0, 0);
  tn_tensor* index = tn_tensor_create(TN_INT32, &one, 1, NULL);
  *(int32_t*)tn_tensor_data(index) = 2;
  tn_tensor* x[] = {variable("\"w\"", zeros, NULL), variable("\"a\"", zeros, NULL), scalar(0.5f),
                    floats(4, 1, 1), index};
  CHECK(train_each(x, NULL));
  CHECK(test_sweep_allocations(train_each, x) > 10);
  for (int i = 0; i < 5; ++i) tn_tensor_destroy(x[i]);
  tn_tensor_destroy(zeros);
}

// ---- Cancelling ----

typedef struct asker {
  tn_cancel* cancel;
  const atomic_bool* begun;
} asker;

static void* ask_soon(void* arg) {
  asker* asker = arg;
  while (!atomic_load(asker->begun)) sched_yield();
  nanosleep(&(struct timespec){0, 20000000}, NULL);
  tn_cancel_request(asker->cancel);
  return NULL;
}

// Runs `op` on two inputs and asks for its end from another thread, some time after the begin. True
// when the run was cancelled; whatever it was, all of it or nothing came of it.
static bool cancelled_soon(const char* op, tn_tensor* const* inputs) {
  tn_status* status = tn_status_create();
  tn_call* call = tn_call_create(op, NULL, status);
  CHECK_INT(tn_call_output_count(call, inputs, 2, status), 1);
  CHECK_OK(status);
  tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE,
                             .cancel = tn_cancel_create(status)};
  atomic_bool begun = false;
  asker asker = {(tn_cancel*)options.cancel, &begun};
  pthread_t thread;
  pthread_create(&thread, NULL, ask_soon, &asker);
  tn_tensor* output;
  atomic_store(&begun, true);
  bool done = tn_call_run_with(call, inputs, 2, &output, 1, &options, status);
  CHECK(done == (output != NULL));
  if (!done) CHECK_CODE(status, TN_CANCELLED);
  tn_tensor_destroy(output);
  pthread_join(thread, NULL);
  tn_cancel_destroy((tn_cancel*)options.cancel);
  tn_call_destroy(call);
  tn_status_destroy(status);
  return !done;
}

TEST(kernels_with_much_to_do_are_cancelled_in_the_middle) {
  setenv("TENON_THREADS", "2", 1);
  load();
  int64_t square[] = {3000, 3000};
  tn_tensor* a = tn_tensor_create(TN_DOUBLE, square, 2, NULL);
  memset(tn_tensor_data(a), 0, tn_tensor_bytes(a));
  // Half a second of work, and more where it is not in vectors.
  CHECK(cancelled_soon("MatMul", (tn_tensor*[]){a, a}));

  // A sum is often done before anybody asks.
  tn_tensor* axes = tn_tensor_create_from(TN_INT32, (int64_t[]){2}, 1, (int32_t[]){0, 1}, 8, NULL);
  for (int i = 0; i < 5; ++i) cancelled_soon("Sum", (tn_tensor*[]){a, axes});

  // After all this everything works as before.
  tn_status* status = tn_status_create();
  tn_tensor* sum = run("Sum", (tn_tensor*[]){a, axes}, 2, status, NULL);
  CHECK_OK(status);
  CHECK(*(const double*)tn_tensor_data(sum) == 0);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(axes);
  tn_tensor_destroy(a);
  tn_status_destroy(status);
}

TEST(variables_are_changed_whole_or_not_at_all) {
  load();
  tn_status* status = tn_status_create();
  const int64_t count = 1 << 22;
  tn_tensor* handle = run("VarHandleOp", NULL, 0, status, "dtype", "float", "shape", "[4194304]",
                          "shared_name", "\"whole\"", NULL);
  tn_tensor* start = floats(count, 0, 0);
  run("AssignVariableOp", (tn_tensor*[]){handle, start}, 2, status, "dtype", "float", NULL);
  CHECK_OK(status);
  tn_tensor* one = floats(count, 1, 0);
  tn_call* call = tn_call_create("AssignAddVariableOp", NULL, status);
  float expected = 0;
  for (int i = 0; i < 20; ++i) {
    tn_cancel* cancel = tn_cancel_create(status);
    tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .cancel = cancel};
    if (i % 4 == 0) tn_cancel_request(cancel);
    atomic_bool begun = true;
    asker asker = {cancel, &begun};
    pthread_t thread;
    pthread_create(&thread, NULL, ask_soon, &asker);
    for (int k = 0; k < 20; ++k)
      expected += tn_call_run_with(call, (tn_tensor*[]){handle, one}, 2, NULL, 0, &options, status);
    pthread_join(thread, NULL);
    tn_cancel_destroy(cancel);
  }
  tn_status_clear(status);
  tn_tensor* value = run("ReadVariableOp", &handle, 1, status, "dtype", "float", NULL);
  CHECK_OK(status);
  for (int64_t i = 0; i < count; i += 1021) CHECK(at(value, i) == expected);
  tn_tensor_destroy(value);
  tn_tensor_destroy(one);
  tn_tensor_destroy(start);
  tn_tensor_destroy(handle);
  tn_call_destroy(call);
  tn_status_destroy(status);
}

static void check_refused(const char* op, tn_tensor* const* inputs, size_t count, const char* attr,
                          const char* value, const char* words) {
  tn_status* status = tn_status_create();
  tn_tensor* output = run(op, inputs, count, status, attr, value, NULL);
  CHECK_CONTAINS(tn_status_message(status), words);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(output);
  tn_status_destroy(status);
}

TEST(shapes_with_more_dimensions_than_any_array_are_refused) {
  load();
  for (int64_t count = 255; count < 3000; count += 1372) {
    tn_tensor* shapes[] = {tn_tensor_create(TN_INT32, (int64_t[]){0}, 1, NULL),
                           tn_tensor_create(TN_INT32, &count, 1, NULL)};
    for (int64_t i = 0; i < count; ++i) ((int32_t*)tn_tensor_data(shapes[1]))[i] = 1;
    check_refused("BroadcastArgs", shapes, 2, NULL, NULL, "s1 must be a vector of at most 254");
    tn_tensor_destroy(shapes[0]), tn_tensor_destroy(shapes[1]);
  }
}

TEST(attributes_that_32_bits_do_not_hold_are_refused) {
  load();
  int64_t image[] = {1, 2, 2, 4};
  tn_tensor* x = tn_tensor_create(TN_FLOAT, image, 4, NULL);
  memset(tn_tensor_data(x), 0, tn_tensor_bytes(x));
  check_refused("DepthToSpace", &x, 1, "block_size", "4294967296", "block_size is 4294967296");
  check_refused("SpaceToDepth", &x, 1, "block_size", "2147483648", "block_size is 2147483648");
  check_refused("DepthToSpace", &x, 1, "block_size", "2147483647", "channels");
  check_refused("AsString", &x, 1, "width", "4294967300", "width is 4294967300");
  check_refused("AsString", &x, 1, "precision", "4294967298", "precision is 4294967298");
  tn_tensor* at = tn_tensor_create_from(TN_INT32, (int64_t[]){1}, 1, (int32_t[]){1}, 4, NULL);
  check_refused("StridedSlice", (tn_tensor*[]){x, at, at, at}, 4, "ellipsis_mask",
                "-9223372036854775808", "ellipsis_mask is -9223372036854775808");
  tn_tensor_destroy(x), tn_tensor_destroy(at);
  // Nothing to move, into a shape that cannot be counted.
  int64_t none[] = {1, 0, 0, INT64_MAX / 32};
  x = tn_tensor_create(TN_FLOAT, none, 4, NULL);
  check_refused("SpaceToDepth", &x, 1, "block_size", "1000000", "64 bits");
  tn_tensor_destroy(x);
}

// Sums of which a trillion terms are on the other side of the poles.
TEST(zeta_far_below_zero_is_computed_at_once) {
  load();
  static const struct {
    double x, q, sum;
  } cases[] = {{2, -999999999999.75, 19.739208802177717},
               {2, -70.5, 9.855520126863499},
               {3, -70.375, -15.046669025547819},
               {200, -40.5, 3.2138760885179806e+60},
               {4, -12345.75, 259.75757609067299}};
  tn_status* status = tn_status_create();
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    tn_tensor* inputs[] = {tn_tensor_create_from(TN_DOUBLE, NULL, 0, &cases[i].x, 8, status),
                           tn_tensor_create_from(TN_DOUBLE, NULL, 0, &cases[i].q, 8, status)};
    tn_tensor* sum = run("Zeta", inputs, 2, status, NULL);
    CHECK_OK(status);
    const double got = *(const double*)tn_tensor_data(sum);
    CHECK(fabs(got - cases[i].sum) <= 1e-14 * fabs(cases[i].sum));
    tn_tensor_destroy(inputs[0]), tn_tensor_destroy(inputs[1]), tn_tensor_destroy(sum);
  }
  tn_status_destroy(status);
}
