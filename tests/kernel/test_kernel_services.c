// This program does not link libtenon_tf, so it stands for a plugin in a host without our services
// until it opens the library itself.
#include "tenon/kernel_services.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "kernel_testing.h"

enum { total = 1000 };

typedef struct visits {
  _Atomic int each[total];
  _Atomic int pieces;
} visits;

static void visit(void* arg, int64_t begin, int64_t end) {
  visits* all = arg;
  for (int64_t i = begin; i < end; ++i) atomic_fetch_add(&all->each[i], 1);
  atomic_fetch_add(&all->pieces, 1);
}

static void check_visits(visits* all) {
  for (int i = 0; i < total; ++i) CHECK_INT(all->each[i], 1);
}

TEST(test_without_our_host_a_parallel_loop_is_one_piece_on_the_caller) {
  visits all = {0};
  tn_parallel_for(NULL, total, 1000000, visit, &all);
  check_visits(&all);
  CHECK_INT(all.pieces, 1);
  tn_parallel_for(NULL, 0, 1000000, visit, &all);
  tn_parallel_for(NULL, -1, 1000000, visit, &all);
  tn_parallel_for(NULL, total, 1000000, NULL, NULL);
  CHECK_INT(all.pieces, 1);

  visits same = {0};
  CHECK(tn_parallel_for_unless_cancelled(NULL, total, 1000000, visit, &same));
  check_visits(&same);
  CHECK_INT(same.pieces, 1);
}

static __typeof__(TF_ThreadPool_ParallelForClosure)* parallel_for;
static __typeof__(TF_ThreadPool_ParallelForUnlessCancelled)* parallel_for_unless_cancelled;

static void open_services(void) {
  void* library = dlopen(TENON_BUILD_DIR "/lib/libtenon_tf.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) test_fail(__FILE__, __LINE__, "%s", dlerror());
  *(void**)&parallel_for = dlsym(library, "TF_ThreadPool_ParallelForClosure");
  CHECK(parallel_for);
  *(void**)&parallel_for_unless_cancelled =
      dlsym(library, "TF_ThreadPool_ParallelForUnlessCancelled");
  CHECK(parallel_for_unless_cancelled);
}

TEST(test_the_closure_form_covers_every_index_once) {
  setenv("TENON_THREADS", "4", 1);
  open_services();
  for (int round = 0; round < 50; ++round) {
    visits all = {0};
    parallel_for(NULL, total, round % 2 ? 1000000 : 1, visit, &all);
    check_visits(&all);
    if (round % 2 == 0) CHECK_INT(all.pieces, 1);
    if (round % 2 == 1) CHECK(all.pieces > 1);
  }
  visits none = {0};
  parallel_for(NULL, 0, 1, visit, &none);
  CHECK_INT(none.pieces, 0);
}

// Without memory the pool starts with the caller alone, and goes on so.
TEST(test_a_loop_without_memory_runs_on_the_caller) {
  setenv("TENON_THREADS", "4", 1);
  open_services();
  for (int round = 0; round < 10; ++round) {
    visits all = {0};
    tn_memory_fail_at(round);
    parallel_for(NULL, total, 1000000, visit, &all);
    tn_memory_fail_at(-1);
    check_visits(&all);
    visits same = {0};
    tn_memory_fail_at(round);
    CHECK(parallel_for_unless_cancelled(NULL, total, 1000000, visit, &same));
    tn_memory_fail_at(-1);
    check_visits(&same);
  }
}

static void double_piece(void* arg, int64_t begin, int64_t end) {
  float** arrays = arg;
  for (int64_t i = begin; i < end; ++i) arrays[1][i] = 2 * arrays[0][i];
}

static void compute_in_parallel(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* in = tn_run_input(context, 0, &status);
  int64_t count = tn_tensor_elements(in);
  tn_tensor* out = tn_run_allocate_output(context, 0, &count, 1, &status);
  CHECK_OK(&status);
  float* arrays[] = {tn_tensor_data(in), tn_tensor_data(out)};
  parallel_for(context, count, 100000, double_piece, arrays);
  tn_tensor_destroy(in);
  tn_tensor_destroy(out);
}

static void compute_nothing_in_parallel(void* state, tn_run_context* context) {
  parallel_for(context, 10, 1, NULL, NULL);
}

TEST(test_a_kernel_shares_its_loop_and_a_missing_function_fails_its_run) {
  setenv("TENON_THREADS", "3", 1);
  open_services();
  given_unary_op("Twice");
  given_kernel("Twice", compute_in_parallel);
  given_unary_op("Broken");
  given_kernel("Broken", compute_nothing_in_parallel);
  tn_tensor *in = FLOATS(1, 2, 3, 4, 5, 6, 7), *out = NULL;
  tn_status status = {0};

  tn_kernel_instance* twice =
      instance_of(node_of(tn_op_registry_find("Twice"), NULL, TYPES(TN_FLOAT)));
  CHECK(tn_kernel_run(twice, &in, 1, &out, 1, NULL, &status));
  CHECK_FLOATS(out, 2, 4, 6, 8, 10, 12, 14);
  tn_tensor_destroy(out);

  tn_kernel_instance* broken =
      instance_of(node_of(tn_op_registry_find("Broken"), NULL, TYPES(TN_FLOAT)));
  CHECK(!tn_kernel_run(broken, &in, 1, &out, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "TF_ThreadPool_ParallelForClosure: there is no function to call");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_kernel_instance_destroy(twice);
  tn_kernel_instance_destroy(broken);
  tn_tensor_destroy(in);
}

typedef struct stopped {
  tn_cancel* cancel;
  _Atomic int pieces;
} stopped;

static stopped stops;

static void stop_at_once(void* arg, int64_t begin, int64_t end) {
  atomic_fetch_add(&stops.pieces, 1);
  tn_cancel_request(stops.cancel);
}

static void compute_until_cancelled(void* state, tn_run_context* context) {
  CHECK(!parallel_for_unless_cancelled(context, 1000, 1000000, NULL, NULL));
  CHECK(!parallel_for_unless_cancelled(context, 1000, 1000000, stop_at_once, NULL));
  int pieces = stops.pieces;
  CHECK(!parallel_for_unless_cancelled(context, 2, 1, stop_at_once, NULL));
  CHECK_INT(stops.pieces, pieces);
}

TEST(test_a_kernel_leaves_its_loop_undone_when_the_run_is_cancelled) {
  setenv("TENON_THREADS", "3", 1);
  open_services();
  given_unary_op("Stopped");
  given_kernel("Stopped", compute_until_cancelled);
  tn_tensor *in = FLOATS(1), *out = in;
  tn_status status = {0};
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("Stopped"), NULL, TYPES(TN_FLOAT)));
  stops.cancel = tn_cancel_create(&status);
  tn_run_options options = {.cancel = stops.cancel};
  CHECK(!tn_kernel_run_with(instance, &in, 1, &out, 1, &options, &status));
  CHECK(!out);
  CHECK_CODE(&status, TN_CANCELLED);
  CHECK(stops.pieces > 0 && stops.pieces < 1000);
  tn_kernel_instance_destroy(instance);
  tn_cancel_destroy(stops.cancel);
  tn_tensor_destroy(in);
}
