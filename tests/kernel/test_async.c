#include <pthread.h>
#include <unistd.h>

#include "base/log.h"
#include "kernel_testing.h"

// Starts `work` with what an asynchronous kernel was given.
typedef struct job {
  tn_run_context* context;
  tn_done_callback* done;
} job;

static void* finish_later(void* arg) {
  job given = *(job*)arg;
  free(arg);
  usleep(2000);
  tn_tensor* input = tn_run_input(given.context, 0, NULL);
  tn_tensor* output = tn_run_allocate_output(given.context, 0, (int64_t[]){1}, 1, NULL);
  *(float*)tn_tensor_data(output) = *(float*)tn_tensor_data(input) * 2;
  tn_tensor_destroy(input);
  tn_tensor_destroy(output);
  tn_done_callback_run(given.done);
  return NULL;
}

static void start(void* (*work)(void*), tn_run_context* context, tn_done_callback* done) {
  job* given = malloc(sizeof *given);
  *given = (job){context, done};
  pthread_t thread;
  CHECK_INT(pthread_create(&thread, NULL, work, given), 0);
  pthread_detach(thread);
}

static void compute_later(void* state, tn_run_context* context, tn_done_callback* done) {
  start(finish_later, context, done);
}

static tn_kernel_instance* async_instance(void (*compute)(void*, tn_run_context*,
                                                          tn_done_callback*)) {
  given_op("Async", "in a: float", "out b: float", NULL);
  tn_kernel_functions functions = {.compute_async = compute};
  register_builder(tn_kernel_builder_create("Async", "CPU", &functions), "Async");
  return instance_of(node_of(tn_op_registry_find("Async"), NULL, TYPES(TN_FLOAT)));
}

TEST(test_an_asynchronous_kernel_may_finish_on_another_thread) {
  tn_kernel_instance* instance = async_instance(compute_later);
  tn_tensor *input = FLOATS(21), *output;
  tn_status status = {0};
  for (int i = 0; i < 20; ++i) {
    CHECK(tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
    CHECK_FLOATS(output, 42);
    tn_tensor_destroy(output);
  }
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(instance);
}

static void compute_and_fail_at_once(void* state, tn_run_context* context, tn_done_callback* done) {
  tn_run_failf(context, TN_ABORTED, "not today");
  tn_done_callback_run(done);
}

TEST(test_an_asynchronous_kernel_may_fail_and_finish_at_once) {
  tn_kernel_instance* instance = async_instance(compute_and_fail_at_once);
  tn_tensor *input = FLOATS(1), *output;
  tn_status status = {0};
  CHECK(!tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
  CHECK_CODE(&status, TN_ABORTED);
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(instance);
}

static tn_done_callback* last_done;

static void compute_done_twice(void* state, tn_run_context* context, tn_done_callback* done) {
  tn_tensor_destroy(tn_run_allocate_output(context, 0, NULL, 0, NULL));
  if (last_done) tn_done_callback_run(last_done);  // of the run before: no longer waiting
  last_done = done;
  tn_done_callback_run(done);
  tn_done_callback_run(done);
}

TEST(test_running_a_callback_again_or_one_that_never_was_is_ignored) {
  tn_log_set_level(TN_LOG_OFF);
  tn_kernel_instance* instance = async_instance(compute_done_twice);
  tn_tensor *input = FLOATS(1), *output;
  tn_status status = {0};
  for (int i = 0; i < 5; ++i) {
    CHECK(tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
    tn_tensor_destroy(output);
    tn_done_callback_run(last_done);
  }
  tn_done_callback_run(NULL);
  tn_done_callback_run((tn_done_callback*)(uintptr_t)1);
  tn_done_callback_run((tn_done_callback*)(uintptr_t)0xffff);
  tn_done_callback_run((tn_done_callback*)&input);
  tn_done_callback_run((tn_done_callback*)UINTPTR_MAX);
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(instance);
}

static tn_kernel_instance* shared_instance;

static void* run_many(void* arg) {
  tn_tensor *input = FLOATS(4), *output;
  tn_status status = {0};
  for (int i = 0; i < 20; ++i) {
    CHECK(tn_kernel_run(shared_instance, &input, 1, &output, 1, NULL, &status));
    CHECK_FLOATS(output, 8);
    tn_tensor_destroy(output);
  }
  tn_tensor_destroy(input);
  return NULL;
}

TEST(test_many_asynchronous_runs_at_once_each_get_their_own_completion) {
  shared_instance = async_instance(compute_later);
  pthread_t threads[6];
  for (int i = 0; i < 6; ++i) pthread_create(&threads[i], NULL, run_many, NULL);
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], NULL);
  tn_kernel_instance_destroy(shared_instance);
}

static atomic_int late_work;

static void* end_deferred(void* arg) {
  job given = *(job*)arg;
  free(arg);
  usleep(3000);
  atomic_fetch_add(&late_work, 1);
  tn_run_deferred_done(given.context);
  return NULL;
}

static void compute_deferred(void* state, tn_run_context* context) {
  tn_tensor_destroy(tn_run_allocate_output(context, 0, NULL, 0, NULL));
  for (int i = 0; i < 3; ++i) {
    tn_run_defer(context);
    start(end_deferred, context, NULL);
  }
}

TEST(test_a_run_ends_when_deferred_work_has_ended) {
  given_op("Deferred", "in a: float", "out b: float", NULL);
  given_kernel("Deferred", compute_deferred);
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("Deferred"), NULL, TYPES(TN_FLOAT)));
  tn_tensor *input = FLOATS(1), *output;
  tn_status status = {0};
  for (int i = 1; i <= 5; ++i) {
    CHECK(tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
    CHECK_INT(atomic_load(&late_work), 3 * i);
    tn_tensor_destroy(output);
  }
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(instance);
}

static void end_what_never_began(void* state, tn_run_context* context) {
  tn_tensor_destroy(tn_run_allocate_output(context, 0, NULL, 0, NULL));
  tn_run_deferred_done(context);
}

TEST(test_ending_deferred_work_that_never_began_fails_the_run) {
  given_op("Unbegun", "in a: float", "out b: float", NULL);
  given_kernel("Unbegun", end_what_never_began);
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("Unbegun"), NULL, TYPES(TN_FLOAT)));
  tn_tensor *input = FLOATS(1), *output;
  tn_status status = {0};
  CHECK(!tn_kernel_run(instance, &input, 1, &output, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "TF_DecNumDeferredOps");
  CHECK_CODE(&status, TN_INTERNAL);
  tn_tensor_destroy(input);
  tn_kernel_instance_destroy(instance);
}
