#include "exec/eager.h"

#include <pthread.h>

#include "../kernel/kernel_testing.h"
#include "exec/kernel_cache.h"

static atomic_int computed;

static void pass_on(void* state, tn_run_context* context) {
  atomic_fetch_add(&computed, 1);
  tn_status status = {0};
  for (int i = 0; i < tn_run_output_count(context); ++i) {
    tn_tensor* x = tn_run_input(context, i, &status);
    if (x) tn_run_set_output(context, i, x, &status);
    tn_tensor_destroy(x);
  }
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

static void given_pass(void) {
  given_op("Pass", "attr T: type", "attr n: int = 1", "attr s: string = ''", "in x: T", "out y: T",
           NULL);
  given_kernel("Pass", pass_on);
}

TEST(test_an_op_is_prepared_step_by_step_and_run_again) {
  given_pass();
  tn_status status = {0};
  tn_eager_context* context = tn_eager_context_create(2, &status);
  CHECK_INT(tn_eager_context_placement_policy(context), 2);
  tn_eager_op* op = tn_eager_op_create(context, "Pass", &status);
  CHECK(tn_eager_op_context(op) == context);
  CHECK_TEXT(tn_eager_op_def(op)->name, "Pass");
  CHECK(tn_eager_op_device(op) == tn_device_cpu());
  CHECK(tn_eager_op_set_device(op, "/device:CPU:0", &status));
  CHECK(!tn_eager_op_set_device(op, "/device:GPU:0", &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &(int64_t){4}, 1, &status));

  tn_tensor *x = FLOATS(1, 2), *outputs[3];
  for (int i = 0; i < 3; ++i) {
    // Running uses inputs up; attrs and device stay.
    CHECK_INT(tn_eager_op_input_count(op), 0);
    CHECK(tn_eager_op_add_input(op, x, &status));
    if (i == 2) tn_tensor_destroy(x);  // the op holds its own
    CHECK_INT(tn_eager_op_input_count(op), 1);
    CHECK_FLOATS(tn_eager_op_input(op, 0, &status), 1, 2);
    CHECK(!tn_eager_op_input(op, 1, &status));
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    int count = 3;
    CHECK(tn_eager_op_run(op, outputs, &count, &status));
    CHECK_INT(count, 1);
    CHECK_FLOATS(outputs[0], 1, 2);
    tn_tensor_destroy(outputs[0]);
  }
  CHECK_INT(computed, 3);

  // Other inputs, of another type.
  tn_tensor* ints = tn_tensor_create(TN_INT32, NULL, 0, NULL);
  CHECK(tn_eager_op_add_input(op, ints, &status));
  int count = 1;
  CHECK(tn_eager_op_run(op, outputs, &count, &status));
  CHECK_INT(tn_tensor_dtype(outputs[0]), TN_INT32);
  tn_tensor_destroy(outputs[0]);
  tn_tensor_destroy(ints);
  tn_eager_op_destroy(op);
  tn_eager_op_destroy(NULL);
  tn_eager_context_destroy(context);
}

TEST(test_kernels_are_cached_by_op_device_attrs_and_types) {
  given_pass();
  tn_eager_context* context = tn_eager_context_create(0, NULL);
  tn_tensor *x = FLOATS(1), *y;
  static int64_t numbers[] = {4, 5, 4};
  int64_t asked[3];
  for (int i = 0; i < 3; ++i) {
    tn_memory_fail_at(-1);
    tn_eager_op* op = tn_eager_op_create(context, "Pass", NULL);
    // The order of attrs makes no difference.
    tn_view text = tn_view_of("t");
    if (i == 2) tn_eager_op_set_attr(op, "s", TN_ATTR_STRING, false, &text, 1, NULL);
    tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &numbers[i], 1, NULL);
    if (i != 2) tn_eager_op_set_attr(op, "s", TN_ATTR_STRING, false, &text, 1, NULL);
    CHECK(tn_eager_op_add_input(op, x, NULL));
    int count = 1;
    CHECK(tn_eager_op_run(op, &y, &count, NULL));
    tn_tensor_destroy(y);
    tn_eager_op_destroy(op);
    asked[i] = tn_memory_asked();
  }
  CHECK(asked[2] < asked[1] / 2);  // found, not made
  tn_tensor_destroy(x);
  tn_eager_context_destroy(context);
}

TEST(test_a_setter_that_failed_is_reported_by_run) {
  given_pass();
  tn_eager_context* context = tn_eager_context_create(0, NULL);
  tn_eager_op* op = tn_eager_op_create(context, "Pass", NULL);
  tn_tensor *x = FLOATS(1), *y;
  CHECK(tn_eager_op_add_input(op, x, NULL));
  CHECK(!tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, NULL, 1, NULL));
  tn_status status = {0};
  int count = 1;
  CHECK(!tn_eager_op_run(op, &y, &count, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_eager_op_destroy(op);

  // An attr of the wrong type is found when the node is made.
  op = tn_eager_op_create(context, "Pass", NULL);
  CHECK(tn_eager_op_add_input(op, x, NULL));
  CHECK(tn_eager_op_set_attr(op, "n", TN_ATTR_FLOAT, false, &(float){1}, 1, NULL));
  CHECK(!tn_eager_op_run(op, &y, &count, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_eager_op_destroy(op);

  // Too little room.
  op = tn_eager_op_create(context, "Pass", NULL);
  CHECK(tn_eager_op_add_input(op, x, NULL));
  count = 0;
  CHECK(!tn_eager_op_run(op, &y, &count, &status));
  CHECK_TEXT(tn_status_message(&status), "Expecting 1 outputs, but *num_retvals is 0");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  count = 1;
  CHECK(!tn_eager_op_run(op, NULL, &count, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_eager_op_add_input(op, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_eager_op_destroy(op);
  CHECK(!tn_eager_op_create(context, "Passs", &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_tensor_destroy(x);
  tn_eager_context_destroy(context);
}

TEST(test_lists_of_inputs_tell_their_attrs) {
  given_op("Lists", "attr N: int", "attr Ts: list(type)", "in a: float", "in b: N * float",
           "in c: Ts", "out d: N * float", "out e: Ts", NULL);
  given_kernel("Lists", pass_on);
  tn_status status = {0};
  tn_eager_op* op = tn_eager_op_create(NULL, "Lists", &status);
  tn_tensor *x = FLOATS(1), *text = tn_tensor_create(TN_STRING, NULL, 0, NULL);
  CHECK_INT(tn_eager_op_input_length(op, "a", &status), 1);
  CHECK_INT(tn_eager_op_input_length(op, "b", &status), -1);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(tn_eager_op_add_input(op, x, &status));
  CHECK(tn_eager_op_add_input_list(op, (tn_tensor*[]){x, x}, 2, &status));
  CHECK(!tn_eager_op_add_input_list(op, (tn_tensor*[]){x, NULL}, 2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_eager_op_add_input_list(op, NULL, 2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_eager_op_add_input_list(op, NULL, -2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(tn_eager_op_add_input_list(op, (tn_tensor*[]){text, x, x, x, x, x, x}, 7, &status));
  CHECK_INT(tn_eager_op_input_length(op, "b", &status), 2);
  CHECK_INT(tn_eager_op_input_length(op, "c", &status), 7);
  CHECK_INT(tn_eager_op_output_length(op, "d", &status), 2);
  CHECK_INT(tn_eager_op_output_length(op, "e", &status), 7);
  CHECK_INT(tn_eager_op_output_length(op, "z", &status), -1);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_eager_op_input_count(op), 10);
  tn_tensor* outputs[9];
  int count = 9;
  CHECK(!tn_eager_op_run(op, outputs, &count, &status));  // pass_on gives a float for the string
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  const tn_attr_def* attr = tn_eager_op_attr_def(tn_eager_op_def(op), "Ts", &status);
  CHECK(attr->is_list && attr->kind == TN_ATTR_TYPE);
  CHECK(!tn_eager_op_attr_def(tn_eager_op_def(op), "Tz", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_func function = tn_eager_op_as_function(op);
  CHECK_TEXT(function.name, "Lists");
  CHECK_INT(function.attrs.count, 2);
  tn_eager_op_destroy(op);
  tn_tensor_destroy(x);
  tn_tensor_destroy(text);
}

static int64_t seen_n;
static char seen_s[16];

static void note_attrs(void* state, tn_run_context* context) {
  const tn_attrs* attrs = &context->instance->node->attrs;
  seen_n = tn_attrs_find(attrs, "n")->ints[0];
  snprintf(seen_s, sizeof seen_s, "%s", tn_attrs_find(attrs, "s")->strings[0].data);
}

// Runs a new op "Noting" with the attrs that are given (0 and NULL: left out).
static void run_noting(int64_t n, const char* s, bool s_first) {
  tn_status status = {0};
  tn_eager_op* op = tn_eager_op_create(NULL, "Noting", &status);
  tn_view text = tn_view_of(s);
  if (s && s_first) tn_eager_op_set_attr(op, "s", TN_ATTR_STRING, false, &text, 1, NULL);
  if (n) tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &n, 1, NULL);
  if (s && !s_first) tn_eager_op_set_attr(op, "s", TN_ATTR_STRING, false, &text, 1, NULL);
  CHECK_INT(tn_eager_op_as_function(op).attrs.count, (n != 0) + (s != NULL));
  int count = 0;
  CHECK(tn_eager_op_run(op, NULL, &count, &status));
  tn_eager_op_destroy(op);
}

TEST(test_a_new_op_has_the_attrs_it_was_given_whatever_the_one_before_had) {
  given_op("Noting", "attr n: int = 1", "attr s: string = 'default'", NULL);
  given_kernel("Noting", note_attrs);
  uint64_t random = test_seed();
  for (int i = 0; i < 500; ++i) {
    static const char* const texts[] = {NULL, "a", "b"};
    int64_t n = test_between(&random, 0, 3);
    const char* s = texts[test_between(&random, 0, 2)];
    run_noting(n, s, test_between(&random, 0, 1));
    CHECK_INT(seen_n, n ? n : 1);
    CHECK_TEXT(seen_s, s ? s : "default");
  }
  // Set twice: the last one counts.
  tn_eager_op* op = tn_eager_op_create(NULL, "Noting", NULL);
  for (int64_t n = 5; n < 8; ++n)
    CHECK(tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &n, 1, NULL));
  int count = 0;
  CHECK(tn_eager_op_run(op, NULL, &count, NULL));
  CHECK_INT(seen_n, 7);
  tn_eager_op_destroy(op);
}

TEST(test_a_list_where_a_number_is_wanted_gives_no_length) {
  given_op("Lists", "attr N: int", "in b: N * float", NULL);
  tn_eager_context* context = tn_eager_context_create(0, NULL);
  tn_eager_op* op = tn_eager_op_create(context, "Lists", NULL);
  CHECK(tn_eager_op_set_attr(op, "N", TN_ATTR_INT, true, NULL, 0, NULL));
  tn_status status = {0};
  CHECK_INT(tn_eager_op_input_length(op, "b", &status), -1);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_eager_op_destroy(op);
  tn_eager_context_destroy(context);
}

// Ops that are set as attrs of each other, over and over: a chain with one attr, a tree with two.
TEST(test_functions_that_nest_without_end_are_refused) {
  given_pass();
  tn_eager_context* context = tn_eager_context_create(0, NULL);
  for (int names = 1; names <= 2; ++names) {
    tn_eager_op* op = tn_eager_op_create(context, "Pass", NULL);
    tn_status status = {0};
    int rounds = 0;
    for (; tn_ok(&status); ++rounds) {
      tn_func self = tn_eager_op_as_function(op);
      tn_eager_op_set_attr(op, names == 2 && rounds % 2 ? "_g" : "_f", TN_ATTR_FUNC, false, &self,
                           1, &status);
    }
    CHECK(rounds > 10 && rounds < 120);
    CHECK_CONTAINS(tn_status_message(&status), "nested");
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    tn_eager_op_destroy(op);
  }
  tn_eager_context_destroy(context);
}

static void* create_by_running(tn_construction* construction) {
  run_noting(9, "inside", false);
  return NULL;
}

TEST(test_a_kernel_may_run_ops_while_it_is_made) {
  given_op("Noting", "attr n: int = 1", "attr s: string = 'default'", NULL);
  given_kernel("Noting", note_attrs);
  given_op("Nesting", NULL);
  tn_kernel_functions functions = {.create = create_by_running, .compute = compute_nothing};
  register_builder(tn_kernel_builder_create("Nesting", "CPU", &functions), "Nesting");
  tn_eager_op* op = tn_eager_op_create(NULL, "Nesting", NULL);
  int count = 0;
  CHECK(tn_eager_op_run(op, NULL, &count, NULL));
  CHECK_INT(seen_n, 9);
  tn_eager_op_destroy(op);
}

static void* run_ops(void* context) {
  tn_status status = {0};
  for (int i = 0; i < 500; ++i) {
    tn_eager_op* op = tn_eager_op_create(context, "Pass", &status);
    int64_t n = i % 20;
    tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &n, 1, NULL);
    tn_tensor *x = FLOATS((float)i), *y;
    CHECK(tn_eager_op_add_input(op, x, &status));
    int count = 1;
    CHECK(tn_eager_op_run(op, &y, &count, &status));
    CHECK_FLOATS(y, (float)i);
    tn_tensor_destroy(x);
    tn_tensor_destroy(y);
    tn_eager_op_destroy(op);
  }
  return NULL;
}

TEST(test_threads_share_the_cached_kernels) {
  given_pass();
  tn_eager_context* context = tn_eager_context_create(0, NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run_ops, context);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK_INT(computed, 2000);
  tn_eager_context_destroy(context);
}

static void* change_policy(void* context) {
  tn_eager_context_set_thread_placement_policy(context, 3);
  CHECK_INT(tn_eager_context_placement_policy(context), 3);
  return NULL;
}

TEST(test_a_thread_may_have_its_own_placement_policy) {
  tn_eager_context* context = tn_eager_context_create(1, NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, change_policy, context);
  pthread_join(thread, NULL);
  CHECK_INT(tn_eager_context_placement_policy(context), 1);
  tn_eager_context_destroy(context);
}

static bool run_once(void* x, tn_status* status) {
  tn_eager_context* context = tn_eager_context_create(0, status);
  tn_eager_op* op = context ? tn_eager_op_create(context, "Pass", status) : NULL;
  tn_tensor* y = NULL;
  int count = 1;
  bool done = op && tn_eager_op_set_attr(op, "n", TN_ATTR_INT, false, &(int64_t){3}, 1, status) &&
              tn_eager_op_add_input(op, x, status) && tn_eager_op_run(op, &y, &count, status);
  tn_tensor_destroy(y);
  tn_eager_op_destroy(op);
  tn_eager_context_destroy(context);
  return done;
}

TEST(test_eager_execution_survives_every_failing_allocation) {
  given_pass();
  tn_tensor* x = FLOATS(1);
  CHECK(test_sweep_allocations(run_once, x) > 5);
  tn_tensor_destroy(x);
}

TEST(test_making_a_cached_kernel_survives_every_failing_allocation) {
  given_pass();
  tn_attrs attrs = {0};
  set_attr(&attrs, "n", TN_ATTR_INT, false, "5");
  tn_status status = {0};
  tn_memory_fail_at(-1);
  for (int round = 0;; ++round) {
    int64_t before = tn_memory_alive();
    tn_memory_fail_at(round);
    tn_cached_kernel* cached = tn_kernel_cache_get(tn_op_registry_find("Pass"), tn_device_cpu(),
                                                   &attrs, TYPES(TN_FLOAT), &status);
    tn_memory_fail_at(-1);
    if (cached) break;
    CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
    CHECK_INT(tn_memory_alive(), before);
  }
  tn_attrs_deinit(&attrs);
}
