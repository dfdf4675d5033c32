#include "tensor/tensor.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/status.h"
#include "harness.h"
#include "tensor/tstring.h"

TEST(test_a_new_tensor_is_aligned_and_has_its_type_and_shape) {
  tn_status status = {0};
  const int64_t dims[] = {2, 3};
  for (int i = 0; i < 20; ++i) {
    tn_tensor* tensor = tn_tensor_create(TN_DOUBLE, dims, 2, &status);
    CHECK_OK(&status);
    CHECK_INT((uintptr_t)tn_tensor_data(tensor) % TN_ALIGNMENT, 0);
    CHECK_INT(tn_tensor_dtype(tensor), TN_DOUBLE);
    CHECK_INT(tn_tensor_rank(tensor), 2);
    CHECK_INT(tn_tensor_dim(tensor, 0), 2);
    CHECK_INT(tn_tensor_dim(tensor, 1), 3);
    CHECK_INT(tn_tensor_dim(tensor, 2), -1);
    CHECK_INT(tn_tensor_dim(tensor, -1), -1);
    CHECK_INT(tn_tensor_elements(tensor), 6);
    CHECK_INT(tn_tensor_bytes(tensor), 48);
    memset(tn_tensor_data(tensor), 0xff, 48);
    tn_tensor_destroy(tensor);
  }
}

TEST(test_a_tensor_without_elements_still_has_an_address) {
  tn_status status = {0};
  const int64_t huge_but_empty[] = {INT64_MAX, INT64_MAX, 0};
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, huge_but_empty, 3, &status);
  CHECK_OK(&status);
  CHECK(tn_tensor_data(tensor));
  CHECK_INT(tn_tensor_elements(tensor), 0);
  CHECK_INT(tn_tensor_bytes(tensor), 0);
  tn_tensor_destroy(tensor);
}

TEST(test_ranks_over_eight_work_like_small_ones) {
  tn_status status = {0};
  int64_t dims[TN_MAX_RANK];
  for (int i = 0; i < TN_MAX_RANK; ++i) dims[i] = i == 200 ? 5 : 1;
  tn_tensor* tensor = tn_tensor_create(TN_INT8, dims, TN_MAX_RANK, &status);
  tn_tensor* shared = tn_tensor_share(tensor, &status);
  CHECK_OK(&status);
  CHECK_INT(tn_tensor_dim(shared, 200), 5);
  tn_tensor_destroy(tensor);
  CHECK_INT(tn_tensor_elements(shared), 5);
  tn_tensor_destroy(shared);
}

TEST(test_tensors_that_cannot_be_are_refused_with_the_reason) {
  tn_status status = {0};
  int64_t dims[TN_MAX_RANK + 1] = {0};
  struct {
    int dtype;
    const int64_t* dims;
    int rank;
    const char* reason;
  } const cases[] = {
      {TN_INVALID, NULL, 0, "type unknown (number 0)"},
      {101, NULL, 0, "type float_ref (number 101)"},
      {77, NULL, 0, "number 77"},
      {-1, NULL, 0, "number -1"},
      {TN_FLOAT, dims, TN_MAX_RANK + 1, "rank 255; ranks go from 0 to 254"},
      {TN_FLOAT, dims, -1, "rank -1"},
      {TN_FLOAT, NULL, 1, "without dimensions"},
      {TN_FLOAT, (int64_t[]){2, -1}, 2, "dimension 1 of a tensor is -1"},
      {TN_FLOAT, (int64_t[]){INT64_MAX, 2}, 2, "shape [9223372036854775807,2] has too many bytes"},
      {TN_FLOAT, (int64_t[]){INT64_MAX}, 1, "too many bytes"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    tn_dtype dtype = (tn_dtype)cases[i].dtype;
    CHECK(!tn_tensor_create(dtype, cases[i].dims, cases[i].rank, &status));
    CHECK_CONTAINS(tn_status_message(&status), cases[i].reason);
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_tensor_create_from(dtype, cases[i].dims, cases[i].rank, "", 0, &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
    CHECK(!tn_tensor_create(dtype, cases[i].dims, cases[i].rank, NULL));
    tn_buffer* buffer = tn_buffer_allocate(&tn_host_allocator, 64, NULL);
    CHECK(!tn_tensor_wrap(buffer, dtype, cases[i].dims, cases[i].rank, &status));
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  }
  CHECK(!tn_tensor_create(TN_INT8, (int64_t[]){INT64_MAX}, 1, &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
}

TEST(test_null_where_a_tensor_belongs_is_no_crash) {
  tn_status status = {0};
  CHECK(!tn_tensor_share(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_clone(NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_bitcast(NULL, NULL, TN_FLOAT, NULL, 0, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_set_shape(NULL, NULL, 0, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_tensor_dtype(NULL), TN_INVALID);
  CHECK_INT(tn_tensor_rank(NULL), 0);
  CHECK_INT(tn_tensor_dim(NULL, 0), -1);
  CHECK_INT(tn_tensor_elements(NULL), 0);
  CHECK_INT(tn_tensor_bytes(NULL), 0);
  CHECK(!tn_tensor_data(NULL));
  size_t size = 5;
  CHECK_TEXT(tn_tensor_string(NULL, 0, &size), "");
  CHECK_INT(size, 0);
  tn_tensor_destroy(NULL);
}

TEST(test_create_from_copies_exactly_what_is_needed) {
  tn_status status = {0};
  float values[] = {1, 2, 3, 4};
  tn_tensor* tensor = tn_tensor_create_from(TN_FLOAT, (int64_t[]){2, 2}, 2, values, 16, &status);
  CHECK_OK(&status);
  values[0] = 99;
  CHECK(((float*)tn_tensor_data(tensor))[0] == 1 && ((float*)tn_tensor_data(tensor))[3] == 4);
  tn_tensor_destroy(tensor);
  CHECK(!tn_tensor_create_from(TN_FLOAT, (int64_t[]){2, 2}, 2, values, 15, &status));
  CHECK_CONTAINS(tn_status_message(&status), "15 bytes were given for a tensor that needs 16");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_create_from(TN_FLOAT, (int64_t[]){2, 2}, 2, NULL, 16, &status));
  CHECK_CONTAINS(tn_status_message(&status), "at NULL");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  char strings[24] = {0};
  CHECK(!tn_tensor_create_from(TN_STRING, NULL, 0, strings, 24, &status));
  CHECK_CONTAINS(tn_status_message(&status), "tn_tensor_create_strings");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tensor = tn_tensor_create_from(TN_FLOAT, (int64_t[]){0}, 1, NULL, 0, &status);
  CHECK_OK(&status);
  tn_tensor_destroy(tensor);
}

TEST(test_strings_are_copied_in_and_read_out) {
  tn_status status = {0};
  const char* const texts[] = {"", "short", "a text that is longer than 22 bytes", "nul\0inside"};
  const size_t sizes[] = {0, 5, 35, 10};
  tn_tensor* tensor = tn_tensor_create_strings((int64_t[]){2, 2}, 2, texts, sizes, &status);
  CHECK_OK(&status);
  for (int i = 0; i < 4; ++i) {
    size_t size;
    const char* text = tn_tensor_string(tensor, i, &size);
    CHECK(size == sizes[i] && memcmp(text, texts[i], size) == 0);
  }
  CHECK_TEXT(tn_tensor_string(tensor, 4, NULL), "");
  CHECK_TEXT(tn_tensor_string(tensor, -1, NULL), "");
  CHECK_INT(tn_tensor_bytes(tensor), 96);
  tn_tensor_destroy(tensor);
  tensor = tn_tensor_create_strings(NULL, 0, &texts[2], NULL, &status);
  CHECK_TEXT(tn_tensor_string(tensor, 0, NULL), texts[2]);
  tn_tensor_destroy(tensor);
  CHECK(!tn_tensor_create_strings(NULL, 0, NULL, NULL, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  const char* const holes[] = {"a", NULL};
  CHECK(!tn_tensor_create_strings((int64_t[]){2}, 1, holes, NULL, &status));
  CHECK_CONTAINS(tn_status_message(&status), "text 1 of 2 is NULL");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tensor = tn_tensor_create(TN_FLOAT, NULL, 0, &status);
  CHECK_TEXT(tn_tensor_string(tensor, 0, NULL), "");
  tn_tensor_destroy(tensor);
}

TEST(test_shared_handles_see_one_memory_and_the_last_frees_it) {
  tn_status status = {0};
  const char* const texts[] = {"a text that is longer than 22 bytes"};
  tn_tensor* first = tn_tensor_create_strings(NULL, 0, texts, NULL, &status);
  tn_tensor* second = tn_tensor_share(first, &status);
  CHECK(tn_tensor_data(first) == tn_tensor_data(second));
  CHECK(tn_buffer_is_shared(first->buffer));
  tn_tensor_destroy(first);
  CHECK(!tn_buffer_is_shared(second->buffer));
  CHECK_TEXT(tn_tensor_string(second, 0, NULL), texts[0]);
  tn_tensor_destroy(second);
}

TEST(test_strings_in_a_callers_memory_stay_the_callers) {
  tn_tstring string = {0};
  CHECK(tn_tstring_copy(&string, "a text that is longer than 22 bytes", 35));
  tn_buffer* buffer = tn_buffer_adopt(&string, sizeof string, NULL, NULL, NULL);
  tn_tensor* tensor = tn_tensor_wrap(buffer, TN_STRING, NULL, 0, NULL);
  CHECK_TEXT(tn_tensor_string(tensor, 0, NULL), "a text that is longer than 22 bytes");
  tn_tensor_destroy(tensor);
  CHECK_TEXT(tn_tstring_data(&string), "a text that is longer than 22 bytes");
  tn_tstring_deinit(&string);
}

TEST(test_a_buffer_too_small_cannot_be_wrapped) {
  tn_status status = {0};
  tn_buffer* buffer = tn_buffer_allocate(&tn_host_allocator, 7, NULL);
  CHECK(!tn_tensor_wrap(tn_buffer_ref(buffer), TN_DOUBLE, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "8 bytes in memory of 7 bytes");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_buffer_is_shared(buffer));  // the reference that was handed over is gone
  tn_buffer_unref(buffer);
}

TEST(test_clones_have_memory_of_their_own) {
  tn_status status = {0};
  tn_tensor* numbers =
      tn_tensor_create_from(TN_INT32, (int64_t[]){2}, 1, (int[]){7, 8}, 8, &status);
  tn_tensor* clone = tn_tensor_clone(numbers, &status);
  CHECK_OK(&status);
  ((int*)tn_tensor_data(numbers))[0] = 9;
  CHECK_INT(((int*)tn_tensor_data(clone))[0], 7);
  CHECK_INT(tn_tensor_dim(clone, 0), 2);
  tn_tensor_destroy(numbers);
  tn_tensor_destroy(clone);

  // Also of what views refer to.
  char text[] = "a text that is longer than 22 bytes";
  tn_tensor* strings = tn_tensor_create(TN_STRING, NULL, 0, &status);
  tn_tstring_assign_view(tn_tensor_data(strings), text, 35);
  clone = tn_tensor_clone(strings, &status);
  text[0] = 'A';
  CHECK_TEXT(tn_tensor_string(clone, 0, NULL), "a text that is longer than 22 bytes");
  tn_tensor_destroy(strings);
  tn_tensor_destroy(clone);
}

static void destroy_nothing(tn_object* object) {}

TEST(test_clones_of_resources_share_the_objects) {
  static const tn_object_type type = {"thing", destroy_nothing};
  tn_object object = {1, &type};
  tn_tensor* resources = tn_tensor_create(TN_RESOURCE, (int64_t[]){2}, 1, NULL);
  ((tn_object**)tn_tensor_data(resources))[1] = tn_object_ref(&object);
  tn_tensor* clone = tn_tensor_clone(resources, NULL);
  CHECK(((tn_object**)tn_tensor_data(clone))[1] == &object);
  CHECK(!((tn_object**)tn_tensor_data(clone))[0]);
  CHECK_INT(object.references, 3);
  tn_tensor_destroy(resources);
  tn_tensor_destroy(clone);
  CHECK_INT(object.references, 1);
}

TEST(test_resources_in_memory_from_outside_are_not_taken_for_objects) {
  _Alignas(TN_ALIGNMENT) char bytes[TN_ALIGNMENT] = "not a pointer";
  tn_buffer* buffer = tn_buffer_adopt(bytes, sizeof bytes, NULL, NULL, NULL);
  tn_tensor* resource = tn_tensor_wrap(buffer, TN_RESOURCE, NULL, 0, NULL);
  CHECK(!tn_tensor_object(resource));
  tn_status status = {0};
  CHECK(!tn_tensor_clone(resource, &status));
  CHECK_CONTAINS(tn_status_message(&status), "in memory from outside");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(resource);
}

TEST(test_device_memory_is_not_read_as_if_it_were_the_hosts) {
  tn_status status = {0};
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, NULL, 0, &status);
  tensor->buffer->on_host = false;
  CHECK(!tn_tensor_clone(tensor, &status));
  CHECK_CONTAINS(tn_status_message(&status), "copy it to the host first");
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_text text = {0};
  CHECK(!tn_tensor_encode(tensor, &text, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  CHECK(!tn_npy_write("/dev/null", tensor, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  CHECK(!tn_tensor_write_text(tensor, stdout, &status));
  CHECK_CODE(&status, TN_FAILED_PRECONDITION);
  tn_tensor_destroy(tensor);
}

TEST(test_bitcast_shares_memory_under_another_type_and_shape) {
  tn_status status = {0};
  uint32_t one = 0x3f800000;
  tn_tensor* source = tn_tensor_create_from(TN_UINT32, NULL, 0, &one, 4, &status);
  tn_tensor* target = tn_tensor_create(TN_INT8, NULL, 0, &status);
  CHECK(tn_tensor_bitcast(target, source, TN_FLOAT, (int64_t[]){1, 1}, 2, &status));
  CHECK(*(float*)tn_tensor_data(target) == 1);
  CHECK_INT(tn_tensor_rank(target), 2);
  CHECK(tn_tensor_data(target) == tn_tensor_data(source));
  CHECK(tn_tensor_bitcast(target, target, TN_INT16, (int64_t[]){2}, 1, &status));
  CHECK(!tn_tensor_bitcast(target, source, TN_DOUBLE, NULL, 0, &status));
  CHECK_CONTAINS(tn_status_message(&status), "uint32 tensor of 4 bytes");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_bitcast(target, source, TN_FLOAT, (int64_t[]){-1}, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_tensor_dtype(target), TN_INT16);  // as before
  tn_tensor_destroy(source);
  tn_tensor_destroy(target);
}

TEST(test_strings_can_be_reshaped_but_not_taken_for_bytes) {
  tn_status status = {0};
  tn_tensor* strings = tn_tensor_create(TN_STRING, (int64_t[]){2}, 1, &status);
  tn_tensor* target = tn_tensor_create(TN_INT8, NULL, 0, &status);
  CHECK(tn_tensor_bitcast(target, strings, TN_STRING, (int64_t[]){2, 1}, 2, &status));
  CHECK(!tn_tensor_bitcast(target, strings, TN_INT64, (int64_t[]){6}, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK(!tn_tensor_bitcast(target, strings, TN_RESOURCE, (int64_t[]){6}, 1, &status));
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor_destroy(strings);
  tn_tensor_destroy(target);
}

TEST(test_a_new_shape_must_fit_the_memory) {
  tn_status status = {0};
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, (int64_t[]){4}, 1, &status);
  CHECK(tn_tensor_set_shape(tensor, (int64_t[]){3}, 1, &status));
  CHECK_INT(tn_tensor_bytes(tensor), 12);
  int64_t ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2};
  CHECK(tn_tensor_set_shape(tensor, ones, 12, &status));
  CHECK(tn_tensor_set_shape(tensor, (int64_t[]){2, 2}, 2, &status));
  CHECK(!tn_tensor_set_shape(tensor, (int64_t[]){5}, 1, &status));
  CHECK_CONTAINS(tn_status_message(&status), "needs 20 bytes");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  CHECK_INT(tn_tensor_rank(tensor), 2);
  tn_tensor_destroy(tensor);
}

static void* share_in_thread(void* arg) {
  tn_tensor* handles[100];
  for (int round = 0; round < 300; ++round) {
    for (int i = 0; i < 100; ++i) handles[i] = tn_tensor_share(arg, NULL);
    for (int i = 0; i < 100; ++i) {
      if (!handles[i] || tn_tensor_data(handles[i]) != tn_tensor_data(arg)) return NULL;
      tn_tensor_destroy(handles[i]);
    }
  }
  return arg;
}

TEST(test_handles_are_made_and_dropped_in_many_threads) {
  enum { threads = 4 };
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, (int64_t[]){3}, 1, NULL);
  pthread_t thread[threads];
  for (int i = 0; i < threads; ++i)
    CHECK(pthread_create(&thread[i], NULL, share_in_thread, tensor) == 0);
  for (int i = 0; i < threads; ++i) {
    void* result;
    pthread_join(thread[i], &result);
    CHECK(result == tensor);
  }
  CHECK(!tn_buffer_is_shared(tensor->buffer));
  tn_tensor_destroy(tensor);
}

static void* drop(void* tensor) {
  tn_tensor_destroy(tensor);
  return NULL;
}

TEST(test_a_handle_may_be_dropped_in_another_thread) {
  for (int round = 0; round < 50; ++round) {
    tn_tensor* tensor = tn_tensor_create(TN_FLOAT, (int64_t[]){3}, 1, NULL);
    tn_tensor* shared = tn_tensor_share(tensor, NULL);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, drop, shared) == 0);
    pthread_join(thread, NULL);
    tn_tensor_destroy(tensor);
  }
}

// A destructor of thread-specific data may run after the thread's list of handles is gone.
static void destroy_late(void* tensor) { tn_tensor_destroy(tensor); }

static void* leave_tensors_behind(void* arg) {
  pthread_key_t* keys = arg;
  for (int i = 0; i < 2; ++i) {
    tn_tensor_destroy(tn_tensor_create(TN_FLOAT, NULL, 0, NULL));
    pthread_setspecific(keys[i], tn_tensor_create(TN_FLOAT, NULL, 0, NULL));
  }
  return NULL;
}

TEST(test_tensors_may_be_dropped_while_their_thread_ends) {
  pthread_key_t keys[2];
  CHECK(pthread_key_create(&keys[0], destroy_late) == 0);
  tn_tensor_destroy(tn_tensor_create(TN_FLOAT, NULL, 0, NULL));  // the library makes its own key
  CHECK(pthread_key_create(&keys[1], destroy_late) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, leave_tensors_behind, keys) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}

static bool use_everything(void* arg, tn_status* status) {
  static const char* const texts[] = {"a text that is longer than 22 bytes", "b"};
  int64_t dims[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
  tn_tensor* strings = tn_tensor_create_strings(dims, 10, texts, NULL, status);
  tn_tensor* shared = strings ? tn_tensor_share(strings, status) : NULL;
  tn_tensor* clone = shared ? tn_tensor_clone(shared, status) : NULL;
  tn_tensor* copy = clone ? tn_tensor_create_from(TN_INT8, NULL, 0, "x", 1, status) : NULL;
  bool done = copy && tn_tensor_bitcast(copy, clone, TN_STRING, dims, 10, status) &&
              tn_tensor_set_shape(copy, dims + 1, 9, status);
  tn_tensor_destroy(strings);
  tn_tensor_destroy(shared);
  tn_tensor_destroy(clone);
  tn_tensor_destroy(copy);
  return done;
}

TEST(test_tensors_without_memory) { CHECK(test_sweep_allocations(use_everything, NULL) >= 12); }

static bool encode_and_decode(void* arg, tn_status* status) {
  tn_tensor* tensor = arg;
  tn_text text = {0};
  tn_tensor* decoded = NULL;
  if (tn_tensor_encode(tensor, &text, status))
    decoded = tn_tensor_decode(tn_text_view(&text), status);
  if (decoded) CHECK_INT(tn_tensor_bytes(decoded), tn_tensor_bytes(tensor));
  tn_text_deinit(&text);
  tn_tensor_destroy(decoded);
  return decoded != NULL;
}

TEST(test_protos_without_memory) {
  int64_t dims[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2};
  const char* const texts[] = {"a text that is longer than 22 bytes", "b"};
  tn_tensor* strings = tn_tensor_create_strings(dims, 10, texts, NULL, NULL);
  CHECK(test_sweep_allocations(encode_and_decode, strings) > 5);
  tn_tensor_destroy(strings);
  tn_tensor* splat = tn_tensor_create(TN_INT32, (int64_t[]){1000}, 1, NULL);
  memset(tn_tensor_data(splat), 0, 4000);
  CHECK(test_sweep_allocations(encode_and_decode, splat) > 3);
  tn_tensor_destroy(splat);
}

TEST(test_a_proto_may_expand_only_as_far_as_allowed) {
  tn_status status = {0};
  tn_text text = {0};
  tn_tensor* splat = tn_tensor_create(TN_INT32, (int64_t[]){1000}, 1, NULL);
  memset(tn_tensor_data(splat), 7, 4000);
  CHECK(tn_tensor_encode(splat, &text, &status));
  CHECK(text.size < 30);
  CHECK(!tn_tensor_decode_within(tn_text_view(&text), 3999, &status));
  CHECK_CONTAINS(tn_status_message(&status), "4000 bytes, more than the 3999");
  CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  tn_tensor* decoded = tn_tensor_decode_within(tn_text_view(&text), 4000, &status);
  CHECK(memcmp(tn_tensor_data(decoded), tn_tensor_data(splat), 4000) == 0);
  tn_tensor_destroy(decoded);
  tn_tensor_destroy(splat);
  tn_text_deinit(&text);
}
