#include "kernel/run_variable.h"
#include "kernel/tensor_list.h"
#include "kernel_testing.h"

static void add(tn_run_context* context, tn_tensor* a, tn_tensor* b, tn_tensor* out) {
  for (int64_t i = 0; i < tn_tensor_elements(out); ++i)
    ((float*)tn_tensor_data(out))[i] =
        ((float*)tn_tensor_data(a))[i] + ((float*)tn_tensor_data(b))[i];
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
  tn_tensor_destroy(out);
}

static void zero(tn_run_context* context, tn_tensor* input, tn_tensor* out) {
  memset(tn_tensor_data(out), 0, tn_tensor_bytes(out));
  tn_tensor_destroy(input);
  tn_tensor_destroy(out);
}

static void compute_add(void* state, tn_run_context* context) {
  tn_run_add_n_variant(context, add, NULL);
}

static void compute_zeros(void* state, tn_run_context* context) {
  tn_run_zeros_like_variant(context, zero, NULL);
}

// A scalar variant with a list of these tensors, which are taken.
static tn_tensor* list_of(tn_dtype dtype, const tn_shape* shape, tn_tensor* const* tensors,
                          size_t count) {
  tn_tensor_list* list = tn_tensor_list_create(dtype, shape, count, NULL);
  for (size_t i = 0; i < count; ++i) list->tensors[i] = tensors[i];
  return tn_tensor_of_object(TN_VARIANT, &list->object, NULL);
}

static tn_tensor* run(const char* name, void (*compute)(void*, tn_run_context*),
                      tn_tensor* const* inputs, size_t count, tn_status* status) {
  const tn_op_def* op = given_op(name, "attr N: int", "in x: N * variant", "out y: variant", NULL);
  if (!tn_kernel_registry_first(name)) given_kernel(name, compute);
  tn_dtype types[4] = {TN_VARIANT, TN_VARIANT, TN_VARIANT, TN_VARIANT};
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, types, count));
  tn_tensor* output = NULL;
  tn_kernel_run(instance, inputs, count, &output, 1, NULL, status);
  tn_kernel_instance_destroy(instance);
  return output;
}

TEST(test_lists_are_added_element_by_element) {
  tn_shape partial = {.rank = 1, .small = {-1}}, full = {.rank = 1, .small = {2}};
  tn_tensor* inputs[] = {
      list_of(TN_FLOAT, NULL, (tn_tensor*[]){FLOATS(1, 2), NULL, NULL}, 3),
      list_of(TN_FLOAT, &partial, (tn_tensor*[]){FLOATS(10, 20), FLOATS(3, 4), NULL}, 3),
      list_of(TN_FLOAT, &full, (tn_tensor*[]){FLOATS(100, 200), NULL, NULL}, 3)};
  tn_status status = {0};
  tn_tensor* output = run("AddLists", compute_add, inputs, 3, &status);
  CHECK_OK(&status);
  tn_tensor_list* sum = tn_tensor_list_of(output);
  CHECK_INT(sum->count, 3);
  CHECK_FLOATS(sum->tensors[0], 111, 222);
  CHECK_FLOATS(sum->tensors[1], 3, 4);
  CHECK(!sum->tensors[2]);
  CHECK(tn_shape_equal(&sum->element_shape, &full));
  tn_tensor_destroy(output);
  // One input is passed on as it is.
  output = run("AddLists", compute_add, inputs, 1, &status);
  CHECK(tn_tensor_list_of(output) == tn_tensor_list_of(inputs[0]));
  tn_tensor_destroy(output);
  for (int i = 0; i < 3; ++i) tn_tensor_destroy(inputs[i]);
}

TEST(test_lists_that_do_not_go_together_are_refused) {
  tn_shape one = {.rank = 1, .small = {1}}, two = {.rank = 1, .small = {2}}, matrix = {.rank = 2};
  tn_tensor* good = list_of(TN_FLOAT, &one, (tn_tensor*[]){FLOATS(1)}, 1);
  const struct {
    tn_tensor* other;
    const char* message;
    tn_code code;
  } cases[] = {
      {list_of(TN_INT32, &one, (tn_tensor*[]){NULL}, 1),
       "two lists of tensors of different dtypes. One is float and the other is int32",
       TN_INVALID_ARGUMENT},
      {list_of(TN_FLOAT, &one, NULL, 0),
       "two lists of tensors with different lengths. One is 1 and the other is 0",
       TN_INVALID_ARGUMENT},
      {list_of(TN_FLOAT, &two, (tn_tensor*[]){NULL}, 1),
       "incompatible element shapes. One is [1] and the other is [2]", TN_INVALID_ARGUMENT},
      {list_of(TN_FLOAT, &matrix, (tn_tensor*[]){NULL}, 1), "incompatible element shapes",
       TN_INVALID_ARGUMENT},
      {list_of(TN_FLOAT, NULL, (tn_tensor*[]){FLOATS(1, 2)}, 1), "different types or shapes",
       TN_INVALID_ARGUMENT},
      {tn_tensor_create(TN_VARIANT, NULL, 0, NULL), "this variant holds nothing", TN_UNIMPLEMENTED},
      {tn_tensor_create(TN_VARIANT, (int64_t[]){2}, 1, NULL),
       "AddN of non-scalar Tensor with dtype=DT_VARIANT is not supported; inputs[1] has shape: [2]",
       TN_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < COUNT_OF(cases); ++i) {
    tn_status status = {0};
    CHECK(!run("AddLists", compute_add, (tn_tensor*[]){good, cases[i].other}, 2, &status));
    CHECK_CONTAINS(tn_status_message(&status), cases[i].message);
    CHECK_CODE(&status, cases[i].code);
    tn_tensor_destroy(cases[i].other);
  }
  tn_tensor_destroy(good);
}

TEST(test_zeros_like_a_list_are_a_list_of_zeros_also_of_nested_lists) {
  tn_tensor* inner = list_of(TN_FLOAT, NULL, (tn_tensor*[]){FLOATS(7)}, 1);
  tn_tensor* outer = list_of(TN_VARIANT, NULL, (tn_tensor*[]){inner, NULL}, 2);
  tn_status status = {0};
  tn_tensor* output = run("ZeroLists", compute_zeros, &outer, 1, &status);
  CHECK_OK(&status);
  tn_tensor_list* zeros = tn_tensor_list_of(output);
  CHECK_INT(zeros->count, 2);
  CHECK(!zeros->tensors[1]);
  CHECK_FLOATS(tn_tensor_list_of(zeros->tensors[0])->tensors[0], 0);
  CHECK_FLOATS(tn_tensor_list_of(inner)->tensors[0], 7);
  tn_tensor_destroy(output);
  tn_tensor* sum = run("AddLists", compute_add, (tn_tensor*[]){outer, outer}, 2, &status);
  CHECK_OK(&status);
  CHECK_FLOATS(tn_tensor_list_of(tn_tensor_list_of(sum)->tensors[0])->tensors[0], 14);
  tn_tensor_destroy(sum);
  tn_tensor_destroy(outer);
}

static void fail_to_add(tn_run_context* context, tn_tensor* a, tn_tensor* b, tn_tensor* out) {
  add(context, a, b, out);
  tn_run_failf(context, TN_UNAVAILABLE, "cannot add");
}

static void compute_failing_add(void* state, tn_run_context* context) {
  tn_status status = {0};
  CHECK(!tn_run_add_n_variant(context, fail_to_add, &status));
  CHECK_CODE(&status, TN_UNAVAILABLE);
  CHECK(!tn_run_add_n_variant(context, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_zeros_like_variant(context, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
}

TEST(test_a_failure_inside_the_kernels_function_ends_it) {
  tn_tensor* list = list_of(TN_FLOAT, NULL, (tn_tensor*[]){FLOATS(1)}, 1);
  tn_status status = {0};
  CHECK(!run("FailLists", compute_failing_add, (tn_tensor*[]){list, list}, 2, &status));
  CHECK_CODE(&status, TN_UNAVAILABLE);
  tn_tensor_destroy(list);
}
