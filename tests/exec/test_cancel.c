// Runs that are cancelled: before, in the middle, too late.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../kernel/kernel_testing.h"
#include "base/pool.h"
#include "kernel/run_threads.h"
#include "tenon/call.h"

static tn_cancel* asked_by_kernel;  // a kernel asks this one in its first piece
static atomic_int pieces, units;
static bool kernel_fails;

static void fill_piece(void* arg, int64_t begin, int64_t end) {
  if (atomic_fetch_add(&pieces, 1) == 0) tn_cancel_request(asked_by_kernel);
  while (asked_by_kernel && !tn_cancel_requested(asked_by_kernel)) sched_yield();
  atomic_fetch_add(&units, (int)(end - begin));
  for (int64_t i = begin; i < end; ++i) ((float*)arg)[i] = 1;
}

// Claims a tenth of a millisecond for each of a thousand numbers.
static void fill(tn_run_context* context, bool may_stop) {
  tn_status status = {0};
  int64_t count = 1000;
  tn_tensor* out = tn_run_allocate_output(context, 0, &count, 1, &status);
  CHECK_OK(&status);
  float* data = tn_tensor_data(out);
  if (may_stop) {
    CHECK(tn_run_parallel_for_unless_cancelled(context, count, 100000, fill_piece, data) ||
          tn_run_cancelled(context));
  } else {
    tn_pool_parallel_for(tn_pool_default(), count, 100000, fill_piece, data);
  }
  if (kernel_fails) tn_run_failf(context, TN_DATA_LOSS, "numbers that make no sense");
  tn_tensor_destroy(out);
}

static void fill_until(void* state, tn_run_context* context) { fill(context, true); }
static void fill_all(void* state, tn_run_context* context) { fill(context, false); }

static tn_call* call_of(void (*compute)(void*, tn_run_context*)) {
  given_unary_op("Fills");
  given_kernel("Fills", compute);
  tn_call* call = tn_call_create("Fills", NULL, NULL);
  CHECK(call);
  return call;
}

static bool run(tn_call* call, tn_tensor** out, const tn_cancel* cancel, tn_status* status) {
  tn_tensor* in = FLOATS(1);
  *out = in;  // something that has to become NULL
  tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .cancel = cancel};
  bool done = tn_call_run_with(call, &in, 1, out, 1, &options, status);
  tn_tensor_destroy(in);
  return done;
}

static void check_cancelled(tn_call* call, const tn_cancel* cancel, const char* says) {
  tn_status status = {0};
  tn_tensor* out;
  CHECK(!run(call, &out, cancel, &status));
  CHECK(!out);
  CHECK_CONTAINS(tn_status_message(&status), says);
  CHECK_CODE(&status, TN_CANCELLED);
}

TEST(test_a_run_that_is_cancelled_before_does_not_call_its_kernel) {
  tn_call* call = call_of(fill_until);
  tn_cancel* cancel = tn_cancel_create(NULL);
  tn_cancel_request(cancel);
  check_cancelled(call, cancel, "op Fills) was not run");
  CHECK_INT(pieces, 0);
  tn_cancel_destroy(cancel);
  tn_call_destroy(call);
}

TEST(test_a_run_that_is_cancelled_in_the_middle_ends_without_outputs) {
  tn_call* call = call_of(fill_until);
  asked_by_kernel = tn_cancel_create(NULL);
  check_cancelled(call, asked_by_kernel, "cancelled before its kernel had done all");
  CHECK(units > 0 && units < 1000);
  tn_cancel_destroy(asked_by_kernel);

  // What a kernel says about work it could not finish does not count.
  kernel_fails = true;
  atomic_store(&pieces, 0);
  asked_by_kernel = tn_cancel_create(NULL);
  check_cancelled(call, asked_by_kernel, "cancelled before its kernel had done all");
  tn_cancel_destroy(asked_by_kernel);

  // The call itself goes on working.
  kernel_fails = false;
  asked_by_kernel = NULL;
  tn_tensor* out;
  tn_status status = {0};
  CHECK(run(call, &out, NULL, &status));
  CHECK_INT(((float*)tn_tensor_data(out))[999], 1);
  tn_tensor_destroy(out);
  tn_call_destroy(call);
}

TEST(test_a_kernel_that_cannot_be_interrupted_ends_as_if_nobody_had_asked) {
  tn_call* call = call_of(fill_all);
  asked_by_kernel = tn_cancel_create(NULL);
  tn_status status = {0};
  tn_tensor* out;
  CHECK(run(call, &out, asked_by_kernel, &status));
  CHECK(tn_cancel_requested(asked_by_kernel));
  CHECK_INT(((float*)tn_tensor_data(out))[999], 1);
  tn_tensor_destroy(out);
  // The next one does not begin.
  check_cancelled(call, asked_by_kernel, "was not run");
  tn_cancel_destroy(asked_by_kernel);
  tn_call_destroy(call);
}

TEST(test_options_that_are_not_understood_are_refused) {
  tn_call* call = call_of(fill_until);
  tn_tensor *in = FLOATS(1), *out = in;
  tn_status status = {0};
  tn_call_options options = {.struct_size = sizeof(size_t)};
  CHECK(!tn_call_run_with(call, &in, 1, &out, 1, &options, &status));
  CHECK(!out);
  CHECK_CONTAINS(tn_status_message(&status), "tn_call_options: struct_size 8");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  options = (tn_call_options){.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .ext = &options};
  CHECK(!tn_call_run_with(call, &in, 1, &out, 1, &options, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_run_with(call, &in, 1, NULL, 1, &options, &status));
  CHECK(!tn_call_run_with(NULL, NULL, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  // An older caller's struct ends before the token, and none is read.
  tn_cancel* cancel = tn_cancel_create(NULL);
  tn_cancel_request(cancel);
  tn_status_clear(&status);
  options =
      (tn_call_options){.struct_size = TF_OFFSET_OF_END(tn_call_options, ext), .cancel = cancel};
  CHECK(tn_call_run_with(call, &in, 1, &out, 1, &options, &status));
  CHECK_OK(&status);
  tn_tensor_destroy(out);
  tn_cancel_destroy(cancel);
  tn_tensor_destroy(in);
  tn_call_destroy(call);
}

TEST(test_a_cancelled_run_survives_every_failing_allocation) {
  tn_call* call = call_of(fill_all);
  tn_cancel* cancel = tn_cancel_create(NULL);
  tn_tensor *in = FLOATS(1), *out;
  tn_status status = {0};
  tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .cancel = cancel};
  CHECK(tn_call_run_with(call, &in, 1, &out, 1, &options, &status));  // the kernel is made
  tn_tensor_destroy(out);
  tn_cancel_request(cancel);
  for (int n = 0; n < 8; ++n) {
    tn_memory_fail_at(n);
    CHECK(!tn_call_run_with(call, &in, 1, &out, 1, &options, &status));
    tn_memory_fail_at(-1);
    CHECK(!out);
    CHECK_CODE(&status, TN_CANCELLED);
    tn_status_clear(&status);
  }
  tn_tensor_destroy(in);
  tn_cancel_destroy(cancel);
  tn_call_destroy(call);
}

typedef struct racer {
  tn_call* call;
  tn_cancel* cancel;
  atomic_int cancelled, done;
} racer;

static void* race(void* arg) {
  racer* all = arg;
  for (int i = 0; i < 40; ++i) {
    tn_status status = {0};
    tn_tensor* out;
    if (run(all->call, &out, all->cancel, &status)) {
      CHECK(((float*)tn_tensor_data(out))[999] == 1);
      tn_tensor_destroy(out);
      atomic_fetch_add(&all->done, 1);
    } else {
      CHECK(!out);
      CHECK_CODE(&status, TN_CANCELLED);
      atomic_fetch_add(&all->cancelled, 1);
    }
    tn_status_deinit(&status);
  }
  return NULL;
}

TEST(test_many_runs_are_cancelled_at_any_moment_from_another_thread) {
  setenv("TENON_THREADS", "4", 1);
  tn_call* call = call_of(fill_until);
  for (int round = 0; round < 20; ++round) {
    racer all = {.call = call, .cancel = tn_cancel_create(NULL)};
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, race, &all);
    while (atomic_load(&all.done) + atomic_load(&all.cancelled) < round * 4) continue;
    tn_cancel_request(all.cancel);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
    CHECK_INT(all.done + all.cancelled, 120);
    tn_cancel_destroy(all.cancel);
  }
  tn_call_destroy(call);
}
