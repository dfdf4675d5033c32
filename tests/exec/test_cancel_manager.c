#include "exec/cancel_manager.h"

#include <pthread.h>
#include <sched.h>

#include "../kernel/kernel_testing.h"
#include "exec/eager.h"

static tn_cancel_manager* manager;
static int told[4];
static bool seen_cancelling, deregistered_inside, registered_inside;

static void tell(void* arg) { ++told[(intptr_t)arg]; }

static void look_around(void* arg) {
  tell(arg);
  seen_cancelling = tn_cancel_manager_is_cancelling(manager) &&
                    !tn_cancel_manager_is_cancelled(manager) &&
                    tn_cancel_requested(tn_cancel_manager_token(manager));
  deregistered_inside = tn_cancel_manager_deregister(manager, 1, true);  // waits for nobody
  registered_inside = tn_cancel_manager_register(manager, 9, tell, NULL);
}

TEST(test_callbacks_run_once_when_a_cancel_starts) {
  manager = tn_cancel_manager_create();
  for (int64_t i = 0; i < 4; ++i) {
    int64_t number = tn_cancel_manager_next(manager);
    CHECK_INT(number, i);
    CHECK(tn_cancel_manager_register(manager, number, i ? tell : look_around, (void*)i));
  }
  CHECK(tn_cancel_manager_deregister(manager, 2, true));
  CHECK(tn_cancel_manager_deregister(manager, 2, false));         // not there: will not run either
  CHECK(tn_cancel_manager_register(manager, 3, tell, (void*)2));  // in the place of the last
  CHECK(!tn_cancel_manager_is_cancelling(manager));

  tn_cancel_manager_start(manager);
  tn_cancel_manager_start(manager);
  CHECK_INT(told[0], 1);
  CHECK_INT(told[1], 1);
  CHECK_INT(told[2], 1);
  CHECK_INT(told[3], 0);
  CHECK(seen_cancelling && !deregistered_inside && !registered_inside);
  CHECK(tn_cancel_manager_is_cancelled(manager) && !tn_cancel_manager_is_cancelling(manager));
  CHECK(!tn_cancel_manager_register(manager, 5, tell, NULL));
  CHECK(!tn_cancel_manager_deregister(manager, 0, true));
  CHECK(!tn_cancel_manager_deregister(manager, 0, false));
  tn_cancel_manager_destroy(manager);
  tn_cancel_manager_destroy(NULL);
}

TEST(test_callbacks_that_are_left_run_when_the_manager_ends) {
  manager = tn_cancel_manager_create();
  CHECK(tn_cancel_manager_register(manager, 0, tell, NULL));
  tn_cancel_manager_destroy(manager);
  CHECK_INT(told[0], 1);
}

TEST(test_a_manager_without_memory_registers_nothing) {
  tn_memory_fail_at(0);
  CHECK(!tn_cancel_manager_create());
  tn_memory_fail_at(-1);
  manager = tn_cancel_manager_create();
  tn_memory_fail_at(0);
  CHECK(!tn_cancel_manager_register(manager, 0, tell, NULL));
  tn_memory_fail_at(-1);
  tn_cancel_manager_destroy(manager);
  CHECK_INT(told[0], 0);
}

static atomic_bool inside, go_on;

static void linger(void* arg) {
  atomic_store(&inside, true);
  while (!atomic_load(&go_on)) sched_yield();
  tell(arg);
}

static void* cancel_all(void* arg) {
  tn_cancel_manager_start(manager);
  return NULL;
}

static void* let_go(void* arg) {
  atomic_store(&go_on, true);
  return NULL;
}

TEST(test_who_takes_a_callback_back_waits_until_it_has_run) {
  manager = tn_cancel_manager_create();
  CHECK(tn_cancel_manager_register(manager, 0, linger, NULL));
  pthread_t canceller, helper;
  pthread_create(&canceller, NULL, cancel_all, NULL);
  while (!atomic_load(&inside)) sched_yield();
  CHECK(!tn_cancel_manager_deregister(manager, 0, false));
  CHECK_INT(told[0], 0);
  pthread_create(&helper, NULL, let_go, NULL);
  CHECK(!tn_cancel_manager_deregister(manager, 0, true));
  CHECK_INT(told[0], 1);
  pthread_join(canceller, NULL);
  pthread_join(helper, NULL);
  tn_cancel_manager_destroy(manager);
}

static void pass(void* state, tn_run_context* context) {
  tn_tensor* x = tn_run_input(context, 0, NULL);
  tn_run_set_output(context, 0, x, NULL);
  tn_tensor_destroy(x);
}

TEST(test_an_op_with_a_cancelled_manager_does_not_run) {
  given_unary_op("Passes");
  given_kernel("Passes", pass);
  tn_status status = {0};
  tn_eager_context* context = tn_eager_context_create(2, &status);
  tn_tensor *x = FLOATS(1, 2), *y;
  manager = tn_cancel_manager_create();
  for (int round = 0; round < 3; ++round) {
    tn_eager_op* op = tn_eager_op_create(context, "Passes", &status);
    CHECK(tn_eager_op_add_input(op, x, &status));
    // An op that was used before and comes again knows nothing of a manager.
    if (round != 2) tn_eager_op_set_cancel(op, tn_cancel_manager_token(manager));
    int count = 1;
    bool ran = tn_eager_op_run(op, &y, &count, &status);
    CHECK(ran == (round != 1));
    if (ran) tn_tensor_destroy(y);
    if (!ran) CHECK_CODE(&status, TN_CANCELLED);
    if (round == 0) tn_cancel_manager_start(manager);
    tn_eager_op_destroy(op);
  }
  tn_cancel_manager_destroy(manager);
  tn_tensor_destroy(x);
  tn_eager_context_destroy(context);
}
