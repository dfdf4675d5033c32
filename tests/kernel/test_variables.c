#include <pthread.h>
#include <unistd.h>

#include "kernel/resource.h"
#include "kernel/run_variable.h"
#include "kernel_testing.h"

// Runs `body` as the kernel of an op on two inputs (a resource or reference, and a value) with the
// outputs that its specs name.
static void (*body)(tn_run_context* context);

static void run_body(void* state, tn_run_context* context) { body(context); }

static bool run_op(const tn_op_def* op, void (*compute)(tn_run_context*), tn_tensor* const* inputs,
                   tn_tensor** outputs, tn_status* status) {
  if (!tn_kernel_registry_first(op->name)) given_kernel(op->name, run_body);
  size_t count = op->input_count;
  tn_dtype types[4];
  for (size_t i = 0; i < count; ++i) types[i] = tn_value_dtype(inputs[i]);
  tn_kernel_instance* instance = instance_of(node_of(op, NULL, types, count));
  body = compute;
  bool done = tn_kernel_run(instance, inputs, count, outputs, op->output_count, NULL, status);
  tn_kernel_instance_destroy(instance);
  return done;
}

static const tn_op_def* resource_op(void) {
  return given_op("OnResource", "attr T: type", "in v: resource", "in x: T", NULL);
}

static tn_tensor* handle_named(const char* name) {
  return tn_resource_handle_tensor("cpu", "localhost", name, &tn_variable_type, NULL, TN_INVALID,
                                   NULL, NULL);
}

static int copies;

static void count_copy(tn_run_context* context, tn_tensor* source, tn_tensor* target) {
  ++copies;
  CHECK_INT(tn_tensor_bytes(source), tn_tensor_bytes(target));
  memcpy(tn_tensor_data(target), tn_tensor_data(source), tn_tensor_bytes(source));
  tn_tensor_destroy(source);
  tn_tensor_destroy(target);
}

static bool validate_shape;

static void assign(tn_run_context* context) {
  tn_run_assign_variable(context, 0, 1, validate_shape, count_copy, NULL);
}

static tn_tensor* value_of(tn_tensor* handle) {
  tn_object* found = tn_resource_find(tn_resource_handle_of(handle, NULL), &tn_variable_type, NULL);
  CHECK(found);
  tn_status status = {0};
  tn_tensor* value = tn_variable_read((tn_variable*)found, &status);
  CHECK_OK(&status);
  tn_object_unref(found);
  return value;
}

#define CHECK_VARIABLE(handle, ...)       \
  do {                                    \
    tn_tensor* value_ = value_of(handle); \
    CHECK_FLOATS(value_, __VA_ARGS__);    \
    tn_tensor_destroy(value_);            \
  } while (0)

static void assign_floats(tn_tensor* handle, tn_tensor* value) {
  tn_status status = {0};
  CHECK(run_op(resource_op(), assign, (tn_tensor*[]){handle, value}, NULL, &status));
  tn_tensor_destroy(value);
}

TEST(test_assigning_makes_the_variable_and_shares_the_value) {
  tn_tensor *handle = handle_named("v"), *x = FLOATS(1, 2);
  tn_status status = {0};
  CHECK(run_op(resource_op(), assign, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_INT(copies, 0);
  tn_tensor* value = value_of(handle);
  CHECK(tn_tensor_data(value) == tn_tensor_data(x));
  tn_tensor_destroy(value);
  tn_tensor_destroy(x);
  assign_floats(handle, FLOATS(3, 4, 5));
  CHECK_VARIABLE(handle, 3, 4, 5);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(handle);
}

TEST(test_a_value_of_another_shape_or_type_is_refused_and_the_old_stays) {
  tn_tensor* handle = handle_named("v");
  assign_floats(handle, FLOATS(1, 2));
  validate_shape = true;
  tn_status status = {0};
  tn_tensor *wrong = FLOATS(1), *ints = tn_tensor_create(TN_INT32, (int64_t[]){2}, 1, NULL);
  CHECK(!run_op(resource_op(), assign, (tn_tensor*[]){handle, wrong}, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "Trying to assign to variable with tensor with wrong shape. Expected [2] got [1]");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!run_op(resource_op(), assign, (tn_tensor*[]){handle, ints}, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "wrong dtype. Expected float got int32");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_VARIABLE(handle, 1, 2);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(wrong);
  tn_tensor_destroy(ints);
  tn_tensor_destroy(handle);
}

static void add_to(tn_run_context* context, tn_tensor* variable, tn_tensor* value, int op) {
  for (int64_t i = 0; i < tn_tensor_elements(value); ++i)
    ((float*)tn_tensor_data(variable))[i] += (float)op * ((float*)tn_tensor_data(value))[i];
  tn_tensor_destroy(variable);
  tn_tensor_destroy(value);
}

static bool as_variant;

static void update(tn_run_context* context) {
  tn_run_assign_update(context, 0, 1, 10, as_variant, count_copy, add_to, NULL);
}

TEST(test_an_update_copies_first_only_when_others_hold_the_value) {
  tn_tensor *handle = handle_named("v"), *x = FLOATS(1, 1);
  tn_status status = {0};
  assign_floats(handle, FLOATS(1, 2));
  CHECK(run_op(resource_op(), update, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_INT(copies, 0);
  CHECK_VARIABLE(handle, 11, 12);
  tn_tensor* held = value_of(handle);
  CHECK(run_op(resource_op(), update, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_INT(copies, 1);
  CHECK_FLOATS(held, 11, 12);
  CHECK_VARIABLE(handle, 21, 22);
  tn_tensor_destroy(held);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(x);
  tn_tensor_destroy(handle);
}

TEST(test_what_cannot_be_updated_is_a_status_where_tensorflow_aborts) {
  tn_tensor *handle = handle_named("missing"), *x = FLOATS(1, 1), *longer = FLOATS(1, 2, 3);
  tn_status status = {0};
  CHECK(!run_op(resource_op(), update, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "missing");
  CHECK_CODE(&status, TN_NOT_FOUND);
  assign_floats(handle, FLOATS(1, 2));
  CHECK(!run_op(resource_op(), update, (tn_tensor*[]){handle, longer}, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must "
                 "be equal.");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  as_variant = true;
  CHECK(!run_op(resource_op(), update, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "as one of variants");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor* empty = tn_tensor_create(TN_RESOURCE, NULL, 0, NULL);
  CHECK(!run_op(resource_op(), update, (tn_tensor*[]){empty, x}, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(empty);
  tn_tensor_destroy(handle);
  tn_tensor_destroy(x);
  tn_tensor_destroy(longer);
}

static bool sparse;
static void* seen_data;

static void write_in_place(tn_run_context* context) {
  tn_status status = {0};
  tn_tensor* value =
      tn_run_variable_value(context, 0, false, as_variant, sparse, count_copy, &status);
  CHECK_INT(value == NULL, !tn_ok(&status));
  if (value) {
    seen_data = tn_tensor_data(value);
    ((float*)seen_data)[0] = 99;
  }
  tn_tensor_destroy(value);
  tn_status_deinit(&status);
}

TEST(test_dense_access_gives_the_variables_own_memory) {
  tn_tensor *handle = handle_named("v"), *x = FLOATS(0);
  assign_floats(handle, FLOATS(1, 2));
  tn_tensor* held = value_of(handle);
  tn_status status = {0};
  CHECK(run_op(resource_op(), write_in_place, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_INT(copies, 1);
  CHECK_FLOATS(held, 1, 2);
  CHECK_VARIABLE(handle, 99, 2);
  tn_tensor_destroy(held);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(handle);
  tn_tensor_destroy(x);
}

TEST(test_after_sparse_access_readers_get_copies) {
  tn_tensor *handle = handle_named("v"), *x = FLOATS(0);
  assign_floats(handle, FLOATS(1, 2));
  sparse = true;
  tn_status status = {0};
  CHECK(run_op(resource_op(), write_in_place, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_INT(copies, 0);
  tn_tensor* read = value_of(handle);
  CHECK_FLOATS(read, 99, 2);
  CHECK(tn_tensor_data(read) != seen_data);
  tn_tensor_destroy(read);
  // A value assigned from now on is copied into memory of the variable's own.
  tn_tensor* assigned = FLOATS(7, 8);
  CHECK(run_op(resource_op(), assign, (tn_tensor*[]){handle, assigned}, NULL, &status));
  CHECK_INT(copies, 1);
  CHECK(!tn_buffer_is_shared(assigned->buffer));
  tn_tensor_destroy(assigned);
  CHECK_VARIABLE(handle, 7, 8);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  // Numbers are not variants.
  assign_floats(handle, FLOATS(1, 2));
  as_variant = true;
  CHECK(!run_op(resource_op(), write_in_place, (tn_tensor*[]){handle, x}, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_resource_remove(tn_resource_handle_of(handle, NULL), NULL);
  tn_tensor_destroy(handle);
  tn_tensor_destroy(x);
}

// References.

static const tn_op_def* ref_op(void) {
  return given_op("OnRef", "attr T: type", "in v: Ref(T)", "in x: T", "out r: Ref(T)", NULL);
}

static bool use_locking;

static void assign_ref(tn_run_context* context) {
  tn_status status = {0};
  CHECK(tn_run_input_is_ref(context, 0, &status));
  CHECK(!tn_run_input_is_ref(context, 1, &status));
  CHECK(!tn_run_allocate_output(context, 0, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "allocate_output with ref type.");
  CHECK_CODE(&status, TN_INTERNAL);
  CHECK(!tn_run_input_by_name(context, "v", &status));
  CHECK_CONTAINS(tn_status_message(&status), "ref input name 'v'");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_run_assign_ref(context, 0, 0, 1, use_locking, validate_shape, count_copy, NULL);
}

TEST(test_a_reference_is_assigned_and_handed_on) {
  tn_variable* variable = tn_variable_create(TN_FLOAT, NULL);
  tn_tensor *reference = tn_variable_reference(variable, NULL), *out;
  CHECK_INT(tn_value_dtype(reference), TN_FLOAT + TN_REF_OFFSET);
  tn_status status = {0};
  for (int i = 0; i < 4; ++i) {
    use_locking = i % 2;
    tn_tensor* x = i < 2 ? FLOATS(1, (float)i) : FLOATS(1, 2, (float)i);
    CHECK(run_op(ref_op(), assign_ref, (tn_tensor*[]){reference, x}, &out, &status));
    CHECK(tn_variable_referred(out) == variable);
    CHECK_INT(copies, i + 1);
    CHECK(!tn_buffer_is_shared(x->buffer));
    CHECK_INT(tn_tensor_elements(variable->value), tn_tensor_elements(x));
    CHECK(memcmp(tn_tensor_data(variable->value), tn_tensor_data(x), tn_tensor_bytes(x)) == 0);
    tn_tensor_destroy(out);
    tn_tensor_destroy(x);
  }
  validate_shape = true;
  tn_tensor* x = FLOATS(1);
  CHECK(!run_op(ref_op(), assign_ref, (tn_tensor*[]){reference, x}, &out, &status));
  CHECK_CONTAINS(tn_status_message(&status),
                 "Assign requires shapes of both tensors to match. lhs shape= [3] rhs shape= [1]");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(x);
  tn_tensor_destroy(reference);
  tn_variable_unref(variable);
}

static void forward_ref(tn_run_context* context) {
  tn_run_forward_ref(context, 0, 0);
  tn_tensor* value = tn_run_input(context, 0, NULL);  // what it refers to
  CHECK_FLOATS(value, 5);
  tn_tensor_destroy(value);
}

static void forward_ref_from_9(tn_run_context* context) { tn_run_forward_ref(context, 9, 0); }
static void forward_ref_to_9(tn_run_context* context) { tn_run_forward_ref(context, 0, 9); }
static void forward_a_value(tn_run_context* context) { tn_run_forward_ref(context, 1, 0); }

TEST(test_a_reference_is_forwarded_and_a_bad_index_fails_the_run) {
  tn_variable* variable = tn_variable_create(TN_FLOAT, NULL);
  tn_variable_set(variable, FLOATS(5));
  tn_tensor *reference = tn_variable_reference(variable, NULL), *x = FLOATS(1), *out;
  tn_tensor* inputs[] = {reference, x};
  tn_status status = {0};
  CHECK(run_op(ref_op(), forward_ref, inputs, &out, &status));
  CHECK(tn_variable_referred(out) == variable);
  tn_tensor_destroy(out);
  CHECK(!run_op(ref_op(), forward_ref_from_9, inputs, &out, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK(!run_op(ref_op(), forward_ref_to_9, inputs, &out, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  CHECK(!run_op(ref_op(), forward_a_value, inputs, &out, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(x);
  tn_tensor_destroy(reference);
  tn_variable_unref(variable);
}

static void leave_resource_alone(tn_run_context* context) { tn_run_forward_ref(context, 0, 0); }

TEST(test_forwarding_leaves_resources_alone) {
  tn_tensor *handle = handle_named("v"), *x = FLOATS(1);
  tn_status status = {0};
  CHECK(run_op(resource_op(), leave_resource_alone, (tn_tensor*[]){handle, x}, NULL, &status));
  tn_tensor_destroy(handle);
  tn_tensor_destroy(x);
}

// Temporary variables.

static void allocate_own(tn_run_context* context, tn_tensor* target, tn_dtype dtype,
                         const int64_t* dims, int rank, tn_status* status) {
  tn_tensor* own = tn_run_allocate_temp(context, dtype, dims, rank, false, status);
  ((float*)tn_tensor_data(own))[0] = 3;
  tn_tensor_bitcast(target, own, dtype, dims, rank, status);
  tn_tensor_destroy(own);
}

static void fail_to_allocate(tn_run_context* context, tn_tensor* target, tn_dtype dtype,
                             const int64_t* dims, int rank, tn_status* status) {
  tn_status_set(status, TN_RESOURCE_EXHAUSTED, "no room for temporaries");
}

static void allocate_another_type(tn_run_context* context, tn_tensor* target, tn_dtype dtype,
                                  const int64_t* dims, int rank, tn_status* status) {
  tn_tensor* own = tn_tensor_create(TN_INT8, dims, rank, status);
  CHECK(tn_tensor_bitcast(target, own, TN_INT8, dims, rank, status));
  tn_tensor_destroy(own);
}

static void (*allocator)(tn_run_context*, tn_tensor*, tn_dtype, const int64_t*, int, tn_status*);

static void make_temporary(tn_run_context* context) {
  tn_run_temporary_variable(context, TN_FLOAT, (int64_t[]){1}, 1, tn_view_of("tmp"), allocator,
                            NULL);
}

static void destroy_temporary(tn_run_context* context) {
  tn_run_destroy_temporary_variable(context, 0, tn_view_of("tmp"), NULL);
}

TEST(test_a_temporary_variable_lives_under_its_name_until_it_is_destroyed) {
  const tn_op_def* make = given_op("MakeTemp", "out r: Ref(float)", NULL);
  const tn_op_def* end = given_op("EndTemp", "in r: Ref(float)", "out x: float", NULL);
  tn_tensor *reference, *value, *none;
  tn_status status = {0};
  allocator = fail_to_allocate;
  CHECK(!run_op(make, make_temporary, NULL, &none, &status));
  CHECK_CONTAINS(tn_status_message(&status), "no room for temporaries");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  allocator = allocate_another_type;
  CHECK(!run_op(make, make_temporary, NULL, &none, &status));
  CHECK_CONTAINS(tn_status_message(&status), "made it a int8 tensor");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  allocator = allocate_own;
  CHECK(run_op(make, make_temporary, NULL, &reference, &status));
  CHECK(!run_op(make, make_temporary, NULL, &none, &status));
  CHECK_CODE(&status, TN_ALREADY_EXISTS);
  CHECK(run_op(end, destroy_temporary, &reference, &value, &status));
  CHECK_FLOATS(value, 3);
  tn_tensor_destroy(value);
  CHECK(!run_op(end, destroy_temporary, &reference, &value, &status));
  CHECK_CODE(&status, TN_NOT_FOUND);
  tn_tensor_destroy(reference);
  allocator = NULL;
  CHECK(run_op(make, make_temporary, NULL, &reference, &status));
  tn_tensor_destroy(reference);
  tn_run_end_step(0);
  CHECK(run_op(make, make_temporary, NULL, &reference, &status));
  tn_tensor_destroy(reference);
  tn_run_end_step(0);
}

// Locks.

static const tn_op_def* lock_op(void) {
  return given_op("OnThree", "in a: resource", "in b: resource", "in c: resource", NULL);
}

static int increments;

static void increment_locked(tn_run_context* context) {
  tn_status status = {0};
  tn_variable_locks* locks =
      tn_run_lock_variables(context, true, false, (int[]){0, 1, 2}, 3, count_copy, &status);
  CHECK_OK(&status);
  int seen = *(volatile int*)&increments;
  usleep(10);
  increments = seen + 1;
  // The lock is held: the value is asked for so.
  tn_tensor* value = tn_run_variable_value(context, 0, true, false, false, count_copy, &status);
  CHECK_OK(&status);
  tn_tensor_destroy(value);
  tn_variable_locks_release(locks);
}

static tn_tensor* shared_handles[2];
static tn_kernel_instance* shared_instance;

static void* lock_often(void* order) {
  size_t swap = order ? 1 : 0;
  tn_tensor* inputs[] = {shared_handles[swap], shared_handles[!swap], shared_handles[swap]};
  tn_status status = {0};
  for (int i = 0; i < 200; ++i) {
    tn_kernel_run(shared_instance, inputs, 3, NULL, 0, NULL, &status);
    CHECK_OK(&status);
  }
  return NULL;
}

TEST(test_kernels_that_lock_several_variables_neither_race_nor_deadlock) {
  shared_handles[0] = handle_named("first");
  shared_handles[1] = handle_named("second");
  assign_floats(shared_handles[0], FLOATS(1));
  assign_floats(shared_handles[1], FLOATS(2));
  given_kernel(lock_op()->name, run_body);
  shared_instance =
      instance_of(node_of(lock_op(), NULL, TYPES(TN_RESOURCE, TN_RESOURCE, TN_RESOURCE)));
  body = increment_locked;
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    pthread_create(&threads[i], NULL, lock_often, i % 2 ? &threads : NULL);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK_INT(increments, 800);
  tn_kernel_instance_destroy(shared_instance);
  for (int i = 0; i < 2; ++i) {
    tn_resource_remove(tn_resource_handle_of(shared_handles[i], NULL), NULL);
    tn_tensor_destroy(shared_handles[i]);
  }
}

static void* release_elsewhere(void* locks) {
  tn_variable_locks_release(locks);
  return NULL;
}

static void lock_oddly(tn_run_context* context) {
  tn_status status = {0};
  CHECK(!tn_run_lock_variables(context, true, false, (int[]){0, 7}, 2, NULL, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);
  tn_variable_locks_release(NULL);
  // Given back by another thread.
  tn_variable_locks* locks =
      tn_run_lock_variables(context, true, false, (int[]){0, 1}, 2, NULL, &status);
  CHECK_OK(&status);
  // Waiting for oneself is seen.
  CHECK(!tn_run_lock_variables(context, true, false, (int[]){1}, 1, NULL, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  pthread_t thread;
  pthread_create(&thread, NULL, release_elsewhere, locks);
  pthread_join(thread, NULL);
  // Shared locks: twice is fine.
  locks = tn_run_lock_variables(context, false, true, (int[]){0, 1}, 2, count_copy, &status);
  tn_variable_locks* more =
      tn_run_lock_variables(context, false, true, (int[]){1}, 1, count_copy, &status);
  CHECK_OK(&status);
  // Who reads waits for oneself to write, also while others read.
  for (int i = 0; i < 2; ++i) {
    CHECK(!tn_run_lock_variables(context, true, false, (int[]){1}, 1, NULL, &status));
    CHECK_CODE(&status, TN_FAILED_PRECONDITION);
    tn_variable_locks_release(locks);
    locks = NULL;
  }
  pthread_create(&thread, NULL, release_elsewhere, more);
  pthread_join(thread, NULL);
  locks = tn_run_lock_variables(context, true, false, (int[]){0, 1}, 2, NULL, &status);
  CHECK_OK(&status);
  tn_variable_locks_release(locks);
  // A name that leads nowhere.
  CHECK(!tn_run_lock_variables(context, true, false, (int[]){2}, 1, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "Invalid variable reference.");
  CHECK_CODE(&status, TN_INTERNAL);
}

TEST(test_locks_are_released_from_anywhere_and_mistakes_are_statuses) {
  tn_tensor* inputs[] = {handle_named("first"), handle_named("second"), handle_named("nowhere")};
  assign_floats(inputs[0], FLOATS(1));
  assign_floats(inputs[1], FLOATS(2));
  tn_status status = {0};
  CHECK(!run_op(lock_op(), lock_oddly, inputs, NULL, &status));
  CHECK_CODE(&status, TN_OUT_OF_RANGE);  // the first of the failures
  CHECK(!tn_run_lock_variables(NULL, true, false, (int[]){0}, 1, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  for (int i = 0; i < 3; ++i) {
    tn_resource_remove(tn_resource_handle_of(inputs[i], NULL), NULL);
    tn_tensor_destroy(inputs[i]);
  }
}

static void lock_nothing(tn_run_context* context) {
  tn_status status = {0};
  tn_variable_locks* locks =
      tn_run_lock_variables(context, false, false, (int[]){0}, 1, NULL, &status);
  CHECK_OK(&status);
  CHECK(locks);
  tn_run_forward_ref(context, 0, 0);
  tn_variable_locks_release(locks);
}

TEST(test_without_locking_and_without_resources_nothing_is_locked) {
  tn_variable* variable = tn_variable_create(TN_FLOAT, NULL);
  tn_tensor *reference = tn_variable_reference(variable, NULL), *x = FLOATS(1), *out;
  tn_status status = {0};
  CHECK(tn_variable_lock(variable, false, &status));
  CHECK(run_op(ref_op(), lock_nothing, (tn_tensor*[]){reference, x}, &out, &status));
  tn_variable_unlock(variable);
  tn_tensor_destroy(out);
  tn_tensor_destroy(x);
  tn_tensor_destroy(reference);
  tn_variable_unref(variable);
}

TEST(test_variable_functions_without_a_context_are_statuses) {
  tn_status status = {0};
  CHECK(!tn_run_assign_variable(NULL, 0, 1, false, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_assign_ref(NULL, 0, 0, 1, false, false, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_assign_update(NULL, 0, 1, 0, false, NULL, add_to, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_assign_update(NULL, 0, 1, 0, false, NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_variable_value(NULL, 0, false, false, false, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_temporary_variable(NULL, TN_FLOAT, NULL, 0, tn_view_of("x"), NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_destroy_temporary_variable(NULL, 0, tn_view_of("x"), &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_add_n_variant(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_run_zeros_like_variant(NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_text bytes = {0};
  CHECK(!tn_run_encode_resource_handle(NULL, 0, &bytes, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_run_forward_ref(NULL, 0, 0);
}
