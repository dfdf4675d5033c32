// Registration, lookup and execution at once. Meant for ThreadSanitizer; it also checks what it
// can.
#include <pthread.h>

#include "kernel_testing.h"

enum { op_count = 8, registrations = 300, runs = 300 };

static atomic_int registered[op_count];
static atomic_bool stop;

static void compute_copy(void* state, tn_run_context* context) {
  tn_tensor* x = tn_run_input(context, 0, NULL);
  tn_run_set_output(context, 0, x, NULL);
  tn_tensor_destroy(x);
}

static const char* op_name(int i) {
  static const char* const names[op_count] = {"Busy0", "Busy1", "Busy2", "Busy3",
                                              "Busy4", "Busy5", "Busy6", "Busy7"};
  return names[i];
}

static void* register_kernels(void* seed) {
  uint64_t random = (uintptr_t)seed;
  for (int i = 0; i < registrations; ++i) {
    int op = (int)test_between(&random, 0, op_count - 1);
    tn_kernel_builder* builder = builder_for(op_name(op), compute_copy);
    // Each its own priority, so that there is always a best one.
    tn_kernel_builder_priority(builder, 1 + atomic_fetch_add(&registered[op], 1));
    register_builder(builder, "busy");
    tn_kernel_builder_destroy(builder);
  }
  return NULL;
}

static void* run_kernels(void* seed) {
  uint64_t random = (uintptr_t)seed;
  tn_tensor *x = FLOATS(3), *y;
  for (int i = 0; i < runs; ++i) {
    int op = (int)test_between(&random, 0, op_count - 1);
    tn_kernel_instance* instance =
        instance_of(node_of(tn_op_registry_find(op_name(op)), NULL, TYPES(TN_FLOAT)));
    tn_status status = {0};
    CHECK(tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
    CHECK_FLOATS(y, 3);
    tn_tensor_destroy(y);
    tn_kernel_instance_destroy(instance);
  }
  tn_tensor_destroy(x);
  return NULL;
}

static bool look(const tn_kernel* kernel, void* count) {
  *(size_t*)count += strlen(kernel->def.op);
  return true;
}

static void* list_kernels(void* seed) {
  size_t before = 0;
  while (!atomic_load(&stop)) {
    size_t size = 0;
    tn_kernel_registry_each(look, &size);
    CHECK(size >= before);
    before = size;
    tn_text bytes = {0};
    CHECK(tn_kernel_registry_encode("Busy0", &bytes, NULL));
    tn_text_deinit(&bytes);
  }
  return NULL;
}

TEST(test_registration_lookup_and_execution_go_on_at_once) {
  uint64_t seed = test_seed();
  for (int i = 0; i < op_count; ++i) {
    given_unary_op(op_name(i));
    given_kernel(op_name(i), compute_copy);
  }
  pthread_t threads[7];
  void* (*const work[])(void*) = {register_kernels, register_kernels, run_kernels,
                                  run_kernels,      run_kernels,      run_kernels};
  pthread_create(&threads[6], NULL, list_kernels, NULL);
  for (int i = 0; i < 6; ++i)
    pthread_create(&threads[i], NULL, work[i], (void*)(uintptr_t)(seed + (uint64_t)i));
  for (int i = 0; i < 6; ++i) pthread_join(threads[i], NULL);
  atomic_store(&stop, true);
  pthread_join(threads[6], NULL);
  int total = 0;
  for (int i = 0; i < op_count; ++i) {
    total += atomic_load(&registered[i]);
    tn_node* node = node_of(tn_op_registry_find(op_name(i)), NULL, TYPES(TN_FLOAT));
    CHECK_INT(tn_kernel_select(node, "CPU", NULL)->def.priority, atomic_load(&registered[i]));
    tn_node_destroy(node);
  }
  CHECK_INT(total, 2 * registrations);
}

static void* fail_often(void* context) {
  for (int i = 0; i < 100; ++i) tn_run_failf(context, TN_ABORTED, "from a thread");
  return NULL;
}

static void compute_in_threads(void* state, tn_run_context* context) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, fail_often, context);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
}

TEST(test_a_kernel_may_fail_from_several_threads) {
  given_unary_op("TestSplit");
  given_kernel("TestSplit", compute_in_threads);
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("TestSplit"), NULL, TYPES(TN_FLOAT)));
  tn_tensor *x = FLOATS(1), *y;
  tn_status status = {0};
  CHECK(!tn_kernel_run(instance, &x, 1, &y, 1, NULL, &status));
  CHECK_CODE(&status, TN_ABORTED);
  tn_tensor_destroy(x);
  tn_kernel_instance_destroy(instance);
}
