#include "tenon/call.h"

#include <pthread.h>

#include "../kernel/kernel_testing.h"
#include "kernel/construction.h"

static atomic_int made, destroyed;

typedef struct scale_state {
  float factor;
} scale_state;

static void* make_scale(tn_construction* construction) {
  atomic_fetch_add(&made, 1);
  scale_state* state = malloc(sizeof *state);
  tn_status status = {0};
  tn_construction_float(construction, "factor", &state->factor, &status);
  tn_construction_fail(construction, &status);
  tn_status_deinit(&status);
  return state;
}

static void scale(void* state, tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* x = tn_run_input(context, 0, &status);
  tn_tensor* y =
      x ? tn_run_allocate_output(context, 0, tn_shape_dims(&x->shape), x->shape.rank, &status)
        : NULL;
  if (y) {
    float factor = ((scale_state*)state)->factor;
    for (int64_t i = 0; i < tn_tensor_elements(x); ++i) {
      if (x->dtype == TN_FLOAT)
        ((float*)tn_tensor_data(y))[i] = ((float*)tn_tensor_data(x))[i] * factor;
      else
        ((int32_t*)tn_tensor_data(y))[i] =
            (int32_t)((float)((int32_t*)tn_tensor_data(x))[i] * factor);
    }
  }
  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

static void destroy_scale(void* state) {
  atomic_fetch_add(&destroyed, 1);
  free(state);
}

static const tn_kernel_functions scale_functions = {
    .create = make_scale, .compute = scale, .destroy = destroy_scale};

static void given_scale(void) {
  given_op("Scale", "attr T: {float, int32}", "attr factor: float = 2", "in x: T", "out y: T",
           NULL);
  register_builder(tn_kernel_builder_create("Scale", "CPU", &scale_functions), "Scale");
}

TEST(test_a_call_runs_an_op_with_its_attrs) {
  given_scale();
  tn_status status = {0};
  tn_call* call = tn_call_create("Scale", NULL, &status);
  CHECK(tn_call_set_attr(call, "factor", "3", &status));
  tn_tensor *x = FLOATS(1, 2), *y;
  CHECK(tn_call_run(call, &x, 1, &y, 1, &status));
  CHECK_FLOATS(y, 3, 6);
  tn_tensor_destroy(y);
  CHECK_INT(tn_call_output_count(call, &x, 1, &status), 1);
  CHECK_TEXT(tn_call_kernel_origin(call, &x, 1, &status), "tenon");
  CHECK(tn_call_run(call, &x, 1, &y, 1, &status));
  tn_tensor_destroy(y);
  CHECK_INT(made, 1);

  // Another input type is another kernel.
  tn_tensor* ints = tn_tensor_create_from(TN_INT32, NULL, 0, &(int32_t){5}, 4, NULL);
  CHECK(tn_call_run(call, &ints, 1, &y, 1, &status));
  CHECK_INT(*(int32_t*)tn_tensor_data(y), 15);
  tn_tensor_destroy(y);
  CHECK_INT(made, 2);
  CHECK_INT(destroyed, 0);
  tn_call_destroy(call);
  CHECK_INT(destroyed, 2);
  tn_call_destroy(NULL);
  tn_tensor_destroy(x);
  tn_tensor_destroy(ints);
}

TEST(test_what_cannot_be_called_is_refused_with_a_reason) {
  given_scale();
  tn_status status = {0};
  CHECK(!tn_call_create("Scael", NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "Scale");
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_call_create(NULL, NULL, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  CHECK(!tn_call_create("Scale", "TPU", &status));
  CHECK_CODE(&status, TN_NOT_FOUND);

  tn_call* call = tn_call_create("Scale", "CPU:0", &status);
  CHECK(!tn_call_set_attr(call, "factr", "3", &status));
  CHECK_CONTAINS(tn_status_message(&status), "op Scale has no attr 'factr'");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_set_attr(call, "factor", "three", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_set_attr(call, NULL, "3", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_set_attr(NULL, "factor", "3", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  tn_tensor *x = FLOATS(1), *outputs[2] = {x, x}, *none = NULL;
  CHECK(!tn_call_run(call, &x, 1, outputs, 2, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!outputs[0] && !outputs[1]);
  CHECK(!tn_call_run(call, NULL, 1, outputs, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_run(call, &none, 1, outputs, 1, &status));
  CHECK_CONTAINS(tn_status_message(&status), "input 0 is no tensor");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_run(call, NULL, 0, outputs, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_run(NULL, &x, 1, outputs, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_run(call, &x, 1, NULL, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_call_output_count(NULL, &x, 1, &status), -1);
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_kernel_origin(call, NULL, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_call_kernel_name(call, &none, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_call_destroy(NULL);

  tn_tensor* text = tn_tensor_create_strings(NULL, 0, (const char*[]){"x"}, NULL, NULL);
  CHECK(!tn_call_run(call, &text, 1, outputs, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(text);

  CHECK(tn_call_run(call, &x, 1, outputs, 1, &status));
  tn_tensor_destroy(outputs[0]);
  CHECK(!tn_call_set_attr(call, "factor", "3", &status));
  CHECK_CONTAINS(tn_status_message(&status), "after the first run");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_call_destroy(call);
  tn_tensor_destroy(x);
}

TEST(test_attrs_with_an_underscore_choose_the_kernel_by_its_label) {
  given_scale();
  tn_kernel_builder* builder = tn_kernel_builder_create("Scale", "CPU", &scale_functions);
  tn_kernel_builder_label(builder, "other");
  static tn_origin other = {.path = "other.so"};
  tn_origin_enter(&other);
  register_builder(builder, "Scale");
  tn_origin_enter(NULL);
  tn_call* call = tn_call_create("Scale", NULL, NULL);
  CHECK(tn_call_set_attr(call, "_kernel", "other", NULL));
  tn_tensor* x = FLOATS(1);
  CHECK_TEXT(tn_call_kernel_origin(call, &x, 1, NULL), "other.so");
  tn_call_destroy(call);
  tn_tensor_destroy(x);
}

TEST(test_a_better_kernel_that_comes_later_is_taken_and_one_rolled_back_is_left) {
  given_scale();
  static tn_origin better = {.path = "better.so"};
  tn_status status = {0};
  tn_call* call = tn_call_create("Scale", NULL, &status);
  tn_tensor* x = FLOATS(1);
  CHECK_TEXT(tn_call_kernel_origin(call, &x, 1, &status), "tenon");
  tn_origin_enter(&better);
  tn_kernel_builder* builder = tn_kernel_builder_create("Scale", "CPU", &scale_functions);
  tn_kernel_builder_priority(builder, 1);
  register_builder(builder, "Scale");
  tn_origin_enter(NULL);
  CHECK_TEXT(tn_call_kernel_origin(call, &x, 1, &status), "better.so");
  tn_tensor* y;
  CHECK(tn_call_run(call, &x, 1, &y, 1, &status));
  tn_tensor_destroy(y);
  tn_kernel_registry_remove_origin(&better);
  CHECK_TEXT(tn_call_kernel_origin(call, &x, 1, &status), "tenon");
  CHECK_INT(destroyed, 0);
  tn_call_destroy(call);
  CHECK_INT(destroyed, made);
  tn_tensor_destroy(x);
}

static tn_call* shared_call;

static void* run_often(void* arg) {
  tn_tensor *x = FLOATS(2), *y;
  tn_tensor* ints = tn_tensor_create_from(TN_INT32, NULL, 0, &(int32_t){5}, 4, NULL);
  tn_status status = {0};
  for (int i = 0; i < 2000; ++i) {
    tn_tensor** input = i % 2 ? &x : &ints;
    CHECK(tn_call_run(shared_call, input, 1, &y, 1, &status));
    if (i % 2) CHECK_FLOATS(y, 4);
    tn_tensor_destroy(y);
  }
  tn_tensor_destroy(x);
  tn_tensor_destroy(ints);
  return NULL;
}

static void* register_more(void* arg) {
  char name[32];
  for (int i = 0; i < 200; ++i) {
    snprintf(name, sizeof name, "Other%d", i);
    given_kernel(name, compute_nothing);
  }
  return NULL;
}

TEST(test_threads_run_one_call_while_kernels_are_registered) {
  given_scale();
  shared_call = tn_call_create("Scale", NULL, NULL);
  pthread_t threads[5];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run_often, NULL);
  pthread_create(&threads[4], NULL, register_more, NULL);
  for (int i = 0; i < 5; ++i) pthread_join(threads[i], NULL);
  CHECK_INT(made, 2);
  tn_call_destroy(shared_call);
}

TEST(test_a_run_allocates_nothing_but_its_output) {
  given_scale();
  tn_call* call = tn_call_create("Scale", NULL, NULL);
  tn_tensor *x = FLOATS(1), *y;
  for (int i = 0; i < 3; ++i) {
    CHECK(tn_call_run(call, &x, 1, &y, 1, NULL));
    tn_tensor_destroy(y);
  }
  tn_memory_fail_at(-1);
  CHECK(tn_call_run(call, &x, 1, &y, 1, NULL));
  // The output's memory, and three handles: threads reuse those, except while failures are tried.
  CHECK_INT(tn_memory_asked(), 4);
  tn_tensor_destroy(y);
  tn_call_destroy(call);
  tn_tensor_destroy(x);
}

TEST(test_more_inputs_than_usual_work_too) {
  given_op("GatherMany", "attr N: int", "in x: N * float", "out y: N * float", NULL);
  given_kernel("GatherMany", compute_nothing);
  tn_call* call = tn_call_create("GatherMany", NULL, NULL);
  tn_tensor* inputs[40];
  for (int i = 0; i < 40; ++i) inputs[i] = FLOATS((float)i);
  CHECK_INT(tn_call_output_count(call, inputs, 40, NULL), 40);
  CHECK_INT(tn_call_output_count(call, inputs, 20, NULL), 20);
  tn_status status = {0};
  tn_tensor* outputs[40];
  CHECK(!tn_call_run(call, inputs, 40, outputs, 40, &status));
  CHECK_CODE(&status, TN_INTERNAL);
  for (int i = 0; i < 40; ++i) tn_tensor_destroy(inputs[i]);
  tn_call_destroy(call);
}

static bool call_once(void* x, tn_status* status) {
  tn_call* call = tn_call_create("Scale", "CPU", status);
  tn_tensor *input = x, *y = NULL;
  bool done = call && tn_call_set_attr(call, "factor", "3", status) &&
              tn_call_output_count(call, &input, 1, status) == 1 &&
              tn_call_kernel_origin(call, &input, 1, status) &&
              tn_call_kernel_name(call, &input, 1, status) &&
              tn_call_run(call, &input, 1, &y, 1, status);
  CHECK_INT(y != NULL, done);
  tn_tensor_destroy(y);
  tn_call_destroy(call);
  return done;
}

TEST(test_a_call_survives_every_failing_allocation) {
  given_scale();
  tn_tensor* x = FLOATS(1);
  CHECK(test_sweep_allocations(call_once, x) > 5);
  tn_tensor_destroy(x);
}
