#include "kernel_testing.h"

// What the next kernel does; each test brings its own.
static void (*body)(tn_run_context* context);

static void run_body(void* state, tn_run_context* context) { body(context); }

static tn_kernel_instance* instance_with_body(const tn_op_def* op, const tn_dtype* types,
                                              size_t count) {
  given_kernel(op->name, run_body);
  return instance_of(node_of(op, NULL, types, count));
}

// Runs `compute` as the kernel of an op "a: float, b: float -> c: float, d: int32" on these inputs.
static bool run_two(void (*compute)(tn_run_context*), tn_tensor* a, tn_tensor* b,
                    tn_tensor* outputs[2], const tn_run_options* options, tn_status* status) {
  static tn_kernel_instance* instance;
  if (!instance)
    instance = instance_with_body(
        given_op("Two", "in a: float", "in b: float", "out c: float", "out d: int32", NULL),
        TYPES(TN_FLOAT, TN_FLOAT));
  body = compute;
  tn_tensor* inputs[] = {a, b};
  return tn_kernel_run_with(instance, inputs, 2, outputs, 2, options, status);
}

static void allocate_d(tn_run_context* context) {
  tn_tensor_destroy(tn_run_allocate_output(context, 1, NULL, 0, NULL));
}

static void destroy_both(tn_tensor* outputs[2]) {
  tn_tensor_destroy(outputs[0]);
  tn_tensor_destroy(outputs[1]);
}

static void look_around(tn_run_context* context) {
  tn_status status = {0};
  CHECK_INT(tn_run_input_count(context), 2);
  CHECK_INT(tn_run_output_count(context), 2);
  CHECK_INT(tn_run_input_dtype(context, 1), TN_FLOAT);
  CHECK_INT(tn_run_output_dtype(context, 1), TN_INT32);
  for (int i = -1; i <= 2; i += 3) {
    CHECK(!tn_run_input(context, i, &status));
    CHECK_CONTAINS(tn_status_message(&status), "input index out of range");
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    CHECK(!tn_run_input_on_host(context, i, &status));
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    CHECK(!tn_run_output_on_host(context, i, &status));
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    CHECK(!tn_run_input_is_ref(context, i, &status));
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    CHECK(!tn_run_output(context, i, &status));
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
  }
  tn_tensor* a = tn_run_input(context, 0, &status);
  CHECK_FLOATS(a, 1, 2);
  CHECK(!tn_run_set_output(context, 24, a, &status));
  CHECK_CONTAINS(tn_status_message(&status), "output index out of range");
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK(!tn_run_set_output(context, 1, a, &status));
  CHECK_CONTAINS(tn_status_message(&status), "is of type int32; a tensor of type float was set");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_set_output(context, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(tn_run_set_output(context, 0, a, &status));
  tn_tensor_destroy(a);
  CHECK(!tn_run_output(context, 1, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  allocate_d(context);
  tn_tensor* d = tn_run_output(context, 1, &status);
  CHECK_INT(tn_tensor_dtype(d), TN_INT32);
  tn_tensor_destroy(d);
}

TEST(test_inputs_and_outputs_are_counted_and_checked) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1, 2), *b = FLOATS(3), *outputs[2];
  CHECK(run_two(look_around, a, b, outputs, NULL, &status));
  CHECK_FLOATS(outputs[0], 1, 2);
  destroy_both(outputs);
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
}

static void ask_dtype_of_input_9(tn_run_context* context) {
  CHECK_INT(tn_run_input_dtype(context, 9), TN_INVALID);
}
static void ask_dtype_of_output_9(tn_run_context* context) {
  CHECK_INT(tn_run_output_dtype(context, -1), TN_INVALID);
}
static void ask_requested_input_9(tn_run_context* context) {
  CHECK_INT(tn_run_requested_input(context, 9).size, 0);
}

TEST(test_a_bad_index_where_there_is_no_status_fails_the_context) {
  void (*const bodies[])(tn_run_context*) = {ask_dtype_of_input_9, ask_dtype_of_output_9,
                                             ask_requested_input_9};
  tn_tensor *a = FLOATS(1), *outputs[2];
  tn_status status = {0};
  for (size_t i = 0; i < COUNT_OF(bodies); ++i) {
    CHECK(!run_two(bodies[i], a, a, outputs, NULL, &status));
    CHECK_CONTAINS(tn_status_message(&status), "index out of range");
    CHECK_CODE(&status, TN_OUT_OF_RANGE);
    CHECK(!outputs[0] && !outputs[1]);
  }
  tn_tensor_destroy(a);
}

static void call_with_nothing(tn_run_context* unused) {
  tn_status status = {0};
  CHECK_INT(tn_run_input_count(NULL), 0);
  CHECK_INT(tn_run_output_count(NULL), 0);
  CHECK(!tn_run_input(NULL, 0, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_output(NULL, 0, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_set_output(NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_allocate_output(NULL, 0, NULL, 0, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_forward_or_allocate(NULL, NULL, 0, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_allocate_temp(NULL, TN_FLOAT, NULL, 0, false, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_stream(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  int start = 0, stop = 0;
  CHECK(!tn_run_input_range(NULL, "a", &start, &stop, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_run_input_dtype(NULL, 0), TN_INVALID);
  CHECK_INT(tn_run_output_dtype(NULL, 0), TN_INVALID);
  CHECK_INT(tn_run_node_name(NULL).size, 0);
  CHECK_INT(tn_run_requested_input(NULL, 0).size, 0);
  CHECK_INT(tn_run_device_name(NULL).size, 0);
  CHECK_INT(tn_run_device_id(NULL), -1);
  CHECK_INT(tn_run_step_id(NULL), -1);
  CHECK_INT(tn_run_frame_id(NULL), 0);
  CHECK_INT(tn_run_iter_id(NULL), -1);
  tn_run_fail(NULL, &status);
  tn_run_defer(NULL);
  tn_run_deferred_done(NULL);
}

TEST(test_a_missing_context_is_a_status_or_a_sentinel) { call_with_nothing(NULL); }

static void allocate_three(tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* c = tn_run_allocate_output(context, 0, (int64_t[]){2, 3}, 2, &status);
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_rank(c), 2);
  CHECK_INT(tn_tensor_bytes(c), 24);
  for (int i = 0; i < 6; ++i) ((float*)tn_tensor_data(c))[i] = (float)i;
  tn_tensor_destroy(c);
  CHECK(!tn_run_allocate_output(context, 0, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "allocate_output on same index multiple times. index = 0");
  CHECK_CODE(&status, TN_INTERNAL);
  CHECK(!tn_run_allocate_output(context, 2, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "allocate_output with bad index=2");
  CHECK_CONTAINS(tn_status_message(&status), "kernel=node");
  CHECK_CODE(&status, TN_INTERNAL);
  CHECK(!tn_run_allocate_output(context, 1, (int64_t[]){-1}, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_allocate_output(context, 1, NULL, 3, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor* d = tn_run_allocate_output(context, 1, (int64_t[]){0}, 1, &status);
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_bytes(d), 0);
  CHECK(tn_tensor_data(d));
  tn_tensor_destroy(d);
}

TEST(test_outputs_are_allocated_once_with_the_ops_type) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(run_two(allocate_three, a, a, outputs, NULL, &status));
  CHECK_FLOATS(outputs[0], 0, 1, 2, 3, 4, 5);
  CHECK_INT(tn_tensor_dtype(outputs[1]), TN_INT32);
  CHECK_INT(tn_tensor_dim(outputs[1], 0), 0);
  destroy_both(outputs);
  tn_tensor_destroy(a);
}

static void set_one_output(tn_run_context* context) {
  tn_tensor_destroy(tn_run_allocate_output(context, 0, NULL, 0, NULL));
}

TEST(test_a_kernel_that_leaves_an_output_unset_is_internal_and_gives_nothing) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(!run_two(set_one_output, a, a, outputs, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "Missing 1-th output from {{node node}}");
  CHECK_INT(tn_status_fault(&status), TN_FAULT_PLUGIN);
  CHECK_CODE(&status, TN_INTERNAL);
  CHECK(!outputs[0] && !outputs[1]);
  tn_tensor_destroy(a);
}

static void fail_twice(tn_run_context* context) {
  tn_tensor_destroy(tn_run_allocate_output(context, 0, NULL, 0, NULL));
  tn_status ok = {0};
  tn_run_fail(context, &ok);
  tn_run_fail(context, NULL);
  tn_run_failf(context, TN_DATA_LOSS, "first %d", 1);
  tn_run_failf(context, TN_INTERNAL, "second");
}

TEST(test_the_first_failure_of_a_kernel_is_kept_and_its_outputs_are_dropped) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(!run_two(fail_twice, a, a, outputs, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "first 1; in node 'node' (op Two, kernel from tenon)");
  CHECK_CODE(&status, TN_DATA_LOSS);
  CHECK(!outputs[0] && !outputs[1]);
  CHECK(!run_two(fail_twice, a, a, outputs, NULL, NULL));
  tn_tensor_destroy(a);
}

TEST(test_inputs_that_do_not_fit_the_node_never_reach_the_kernel) {
  tn_status status = {0};
  body = NULL;
  tn_kernel_instance* instance =
      instance_with_body(given_op("Strict", "in a: float", "out b: float", NULL), TYPES(TN_FLOAT));
  tn_tensor* wrong = tn_tensor_create(TN_INT32, NULL, 0, NULL);
  tn_tensor* output = wrong;
  CHECK(!tn_kernel_run(instance, &wrong, 1, &output, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "input 0 of node 'node' (op Strict) is int32; float is needed");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!output);
  CHECK(!tn_kernel_run(instance, NULL, 0, &output, 1, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_kernel_run(instance, &wrong, 1, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(wrong);
  tn_kernel_instance_destroy(instance);
}

static void read_missing_input(tn_run_context* context) {
  tn_status status = {0};
  CHECK(!tn_run_input(context, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "attempt to use a tensor with an uninitialized value");
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

TEST(test_an_input_without_a_value_is_a_failed_precondition) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(!run_two(read_missing_input, NULL, a, outputs, NULL, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_tensor_destroy(a);
}

static int forwarded;
static const int64_t* forward_dims;
static int forward_rank;
static bool hold_input;

static void forward(tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* held = hold_input ? tn_run_input(context, 0, &status) : NULL;
  forwarded = 77;
  tn_tensor* c = tn_run_forward_or_allocate(context, (int[]){1, 0}, 2, 0, forward_dims,
                                            forward_rank, &forwarded, &status);
  tn_tensor_destroy(held);
  tn_tensor_destroy(c);
  allocate_d(context);
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

// Which input was forwarded, and whether the output has its memory.
#define CHECK_FORWARDS(a, b, donated_inputs, expected)                                        \
  do {                                                                                        \
    tn_status status_ = {0};                                                                  \
    tn_tensor* outputs_[2];                                                                   \
    run_two(forward, a, b, outputs_, &(tn_run_options){.donated = donated_inputs}, &status_); \
    CHECK_OK(&status_);                                                                       \
    CHECK_INT(forwarded, expected);                                                           \
    const tn_tensor* source_ = (expected) == 0 ? (a) : (b);                                   \
    CHECK_INT(tn_tensor_data(outputs_[0]) == tn_tensor_data(source_), (expected) >= 0);       \
    CHECK_INT(tn_tensor_rank(outputs_[0]), forward_rank);                                     \
    destroy_both(outputs_);                                                                   \
  } while (0)

TEST(test_an_input_is_forwarded_when_it_was_given_up_and_nobody_else_holds_it) {
  tn_tensor *a = FLOATS(1, 2, 3, 4), *b = FLOATS(1, 2);
  bool none[] = {false, false}, both[] = {true, true};
  forward_dims = (int64_t[]){2, 2};  // the shape may differ, the number of elements may not
  forward_rank = 2;
  CHECK_FORWARDS(a, b, both, 0);
  CHECK_FORWARDS(a, a, both, 1);
  CHECK_FORWARDS(a, b, none, -1);
  CHECK_FORWARDS(a, b, NULL, -1);
  tn_tensor* second = tn_tensor_share(a, NULL);
  CHECK_FORWARDS(a, b, both, -1);
  tn_tensor_destroy(second);
  hold_input = true;
  CHECK_FORWARDS(a, b, both, -1);
  hold_input = false;
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
}

TEST(test_memory_that_is_not_the_hosts_is_not_forwarded) {
  static _Alignas(64) float memory[4];
  tn_buffer* buffer = tn_buffer_adopt(memory, sizeof memory, NULL, NULL, NULL);
  tn_tensor* a = tn_tensor_wrap(buffer, TN_FLOAT, (int64_t[]){4}, 1, NULL);
  tn_tensor* b = FLOATS(1);
  forward_dims = (int64_t[]){4};
  forward_rank = 1;
  CHECK_FORWARDS(a, b, ((bool[]){true, true}), -1);
  tn_tensor_destroy(a);
  tn_tensor_destroy(b);
}

static void forward_from_nowhere(tn_run_context* context) {
  tn_status status = {0};
  CHECK(!tn_run_forward_or_allocate(context, (int[]){0, 5}, 2, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK(!tn_run_forward_or_allocate(context, NULL, 2, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_forward_or_allocate(context, NULL, 0, 7, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INTERNAL);
  CHECK(!tn_run_forward_or_allocate(context, NULL, 0, 0, (int64_t[]){-2}, 1, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(tn_run_forward_or_allocate(context, NULL, -3, 0, NULL, 0, NULL, &status));
  CHECK_OK(&status);
  CHECK(!tn_run_forward_or_allocate(context, NULL, 0, 0, NULL, 0, NULL, &status));
  CHECK_CODE(&status, TN_INTERNAL);
  allocate_d(context);
}

TEST(test_bad_candidates_for_forwarding_are_refused) {
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(run_two(forward_from_nowhere, a, a, outputs, NULL, &status));
  destroy_both(outputs);
  tn_tensor_destroy(a);
}

TEST(test_a_host_memory_input_is_not_forwarded_to_a_device_memory_output) {
  given_op("Kinds", "in a: float", "in b: float", "out c: float", "out d: int32", NULL);
  tn_kernel_builder* builder = builder_for("Kinds", run_body);
  tn_kernel_builder_host_memory(builder, "a");
  register_builder(builder, "Kinds");
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("Kinds"), NULL, TYPES(TN_FLOAT, TN_FLOAT)));
  tn_tensor *inputs[] = {FLOATS(1), FLOATS(2, 3)}, *outputs[2];
  forward_dims = (int64_t[]){1};
  forward_rank = 1;
  body = forward;
  CHECK(tn_kernel_run_with(instance, inputs, 2, outputs, 2,
                           &(tn_run_options){.donated = (bool[]){true, true}}, NULL));
  CHECK_INT(forwarded, -1);
  destroy_both(outputs);
  destroy_both(inputs);
  tn_kernel_instance_destroy(instance);
}

static void* temporary_data[3];

static void use_temporaries(tn_run_context* context) {
  tn_status status = {0};
  static const int64_t sizes[] = {100, 4, 100};
  for (int i = 0; i < 3; ++i) {
    tn_tensor* temporary = tn_run_allocate_temp(context, TN_FLOAT, &sizes[i], 1, i == 1, &status);
    CHECK_OK(&status);
    CHECK_INT(tn_tensor_elements(temporary), sizes[i]);
    temporary_data[i] = tn_tensor_data(temporary);
    memset(temporary_data[i], 0, tn_tensor_bytes(temporary));
    tn_tensor_destroy(temporary);
  }
  CHECK(!tn_run_allocate_temp(context, TN_INVALID, NULL, 0, false, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor* strings = tn_run_allocate_temp(context, TN_STRING, (int64_t[]){2}, 1, false, &status);
  CHECK_OK(&status);
  tn_tensor_destroy(strings);
  tn_tensor_destroy(tn_run_allocate_output(context, 0, (int64_t[]){8}, 1, &status));
  allocate_d(context);
}

TEST(test_assigned_memory_is_used_where_it_is_large_enough) {
  tn_buffer* large = tn_buffer_allocate(&tn_host_allocator, 400, NULL);
  tn_buffer* small = tn_buffer_allocate(&tn_host_allocator, 8, NULL);
  tn_assigned_memory assigned = {.outputs = (tn_buffer*[]){large, NULL},
                                 .temporaries = (tn_buffer*[]){large, small},
                                 .temporary_count = 2};
  tn_status status = {0};
  tn_tensor *a = FLOATS(1), *outputs[2];
  CHECK(run_two(use_temporaries, a, a, outputs, &(tn_run_options){.assigned = &assigned}, &status));
  CHECK(temporary_data[0] == large->data);
  CHECK(temporary_data[1] != small->data);
  CHECK(temporary_data[2] != large->data && temporary_data[2] != small->data);
  CHECK(tn_tensor_data(outputs[0]) == large->data);
  CHECK(tn_buffer_is_shared(large));
  destroy_both(outputs);
  CHECK(!tn_buffer_is_shared(large));

  // Too small for the output: it gets memory of its own.
  assigned.outputs[0] = small;
  CHECK(run_two(use_temporaries, a, a, outputs, &(tn_run_options){.assigned = &assigned}, &status));
  CHECK(tn_tensor_data(outputs[0]) != small->data);
  destroy_both(outputs);
  assigned = (tn_assigned_memory){0};
  CHECK(run_two(use_temporaries, a, a, outputs, &(tn_run_options){.assigned = &assigned}, &status));
  destroy_both(outputs);
  tn_buffer_unref(large);
  tn_buffer_unref(small);
  tn_tensor_destroy(a);
}

static void ask_where(tn_run_context* context) {
  tn_status status = {0};
  int start, stop;
  CHECK_TEXT(tn_run_node_name(context).data, "node");
  CHECK_TEXT(tn_run_requested_input(context, 0).data, "first");
  CHECK_TEXT(tn_run_requested_input(context, 1).data, "second");
  CHECK(tn_run_input_range(context, "b", &start, &stop, &status));
  CHECK_INT(start, 1);
  CHECK_INT(stop, 4);
  CHECK(!tn_run_input_range(context, "nobody", &start, &stop, &status));
  CHECK_TEXT(tn_status_message(&status), "Unknown input name: nobody");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(start, -1);
  CHECK_INT(stop, -1);
  CHECK(!tn_run_input_range(context, NULL, &start, &stop, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  tn_tensor* a = tn_run_input_by_name(context, "a", &status);
  CHECK_FLOATS(a, 1);
  tn_tensor_destroy(a);
  CHECK(!tn_run_input_by_name(context, "b", &status));
  CHECK_CONTAINS(tn_status_message(&status), "list-valued input name 'b'");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_input_by_name(context, "z", &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);

  CHECK_INT(tn_run_step_id(context), 12);
  CHECK_INT(tn_run_frame_id(context), 13);
  CHECK_INT(tn_run_iter_id(context), 14);
  CHECK_TEXT(tn_run_device_name(context).data, "/job:localhost/replica:0/task:0/device:CPU:0");
  CHECK_INT(tn_run_device_id(context), 0);
  CHECK_TEXT(tn_run_default_container(context).data, "localhost");
  CHECK(!tn_run_stream(context, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
}

TEST(test_a_kernel_learns_where_and_as_part_of_what_it_runs) {
  tn_kernel_instance* instance = instance_with_body(
      given_op("WhereAmI", "attr N: int", "in a: float", "in b: N * float", NULL),
      TYPES(TN_FLOAT, TN_FLOAT, TN_FLOAT, TN_FLOAT));
  char* names[] = {"first", "second", "third", "fourth"};
  instance->node->input_names = names;
  tn_tensor* a = FLOATS(1);
  body = ask_where;
  tn_status status = {0};
  CHECK(tn_kernel_run_with(instance, (tn_tensor*[]){a, a, a, a}, 4, NULL, 0,
                           &(tn_run_options){.step_id = 12, .frame_id = 13, .iter_id = 14},
                           &status));
  instance->node->input_names = NULL;
  tn_kernel_instance_destroy(instance);
  tn_tensor_destroy(a);
}
