#include "base/memory.h"
#include "host.h"
#include "tenon/tensor.h"

static tn_pjrt_host_array array_of(const void* data, int32_t type, const int64_t* dims,
                                   size_t rank) {
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = data;
  array.type = type;
  array.dims = dims;
  array.rank = rank;
  return array;
}

TEST(test_a_buffer_is_what_it_was_made_of) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 2, -1);
  tn_pjrt_device* device = tn_pjrt_client_device(client, 1);
  int16_t data[6] = {1, -2, 3, -4, 5, -6}, back[6];
  tn_pjrt_host_array array = array_of(data, PJRT_Buffer_Type_S16, (int64_t[]){2, 3}, 2);
  array.device = device;
  tn_pjrt_buffer* buffer = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_buffer_type(buffer), PJRT_Buffer_Type_S16);
  CHECK_INT(tn_pjrt_buffer_rank(buffer), 2);
  CHECK_INT(tn_pjrt_buffer_dims(buffer)[1], 3);
  CHECK(tn_pjrt_buffer_device(buffer) == device);
  CHECK(tn_pjrt_buffer_memory(buffer) == tn_pjrt_device_default_memory(device));
  size_t bytes = 0;
  CHECK(tn_pjrt_buffer_device_size(buffer, &bytes, status) && bytes >= 12);
  CHECK(tn_pjrt_buffer_host_size(buffer, &bytes, status) && bytes == 12);
  int64_t order[2];
  CHECK(tn_pjrt_buffer_layout(buffer, order, status) && order[0] == 1 && order[1] == 0);
  CHECK(tn_pjrt_buffer_to_host(buffer, back, sizeof back, NULL, NULL, status));
  CHECK(memcmp(back, data, sizeof data) == 0);
  // Column by column.
  CHECK(tn_pjrt_buffer_to_host(buffer, back, sizeof back, (int64_t[]){0, 1}, NULL, status));
  CHECK(back[0] == 1 && back[1] == -4 && back[2] == -2 && back[5] == -6);
  CHECK(tn_pjrt_buffer_raw_to_host(buffer, back, 2, 4, NULL, status));
  CHECK(back[0] == -2 && back[1] == 3);
  CHECK(!tn_pjrt_buffer_deleted(buffer));
  CHECK(tn_pjrt_buffer_delete(buffer, status));
  CHECK(tn_pjrt_buffer_deleted(buffer));
  CHECK_OK(status);
  CHECK(!tn_pjrt_buffer_to_host(buffer, back, sizeof back, NULL, NULL, status));
  CHECK(!tn_ok(status));
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

// Element i,j of an array in memory that is laid out in any way.
TEST(test_strides_of_every_sign_and_any_layout_lead_to_the_same_array) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 1, 0);
  uint64_t seed = test_seed();
  for (int round = 0; round < 40; ++round) {
    size_t rank = (size_t)test_between(&seed, 0, 4);
    int64_t dims[4], strides[4], order[4] = {0};
    int32_t memory[4096];
    for (int i = 0; i < 4096; ++i) memory[i] = i;
    size_t count = 1;
    int64_t first = 2048;
    for (size_t d = 0; d < rank; ++d) {
      dims[d] = test_between(&seed, 0, 4);
      strides[d] = 4 * test_between(&seed, -100, 100);
      if (test_between(&seed, 0, 3) == 0) strides[d] = 0;
      count *= (size_t)dims[d];
      int64_t at = test_between(&seed, 0, (int64_t)d);
      order[d] = order[at];
      order[at] = (int64_t)d;
    }
    tn_pjrt_host_array array = array_of(memory + first, PJRT_Buffer_Type_S32, dims, rank);
    array.byte_strides = strides;
    array.semantics = (int32_t)test_between(&seed, 0, 2);
    if (test_between(&seed, 0, 1)) array.minor_to_major = order;
    tn_pjrt_event* done = NULL;
    tn_pjrt_buffer* buffer =
        tn_pjrt_buffer_create(client, &array, round % 2 ? &done : NULL, status);
    CHECK_OK(status);
    CHECK_INT(done != NULL, round % 2);
    int32_t found[256 + 1];
    CHECK(tn_pjrt_buffer_to_host(buffer, found, count * 4, NULL, NULL, status));
    CHECK_OK(status);
    int64_t at[4] = {0};
    for (size_t i = 0; i < count; ++i) {
      int64_t expected = first;
      for (size_t d = 0; d < rank; ++d) expected += at[d] * strides[d] / 4;
      CHECK_INT(found[i], expected);
      for (size_t d = rank; d-- > 0;) {
        if (++at[d] < dims[d]) break;
        at[d] = 0;
      }
    }
    // Lent for the buffer's life, the array is free only now.
    tn_pjrt_buffer_destroy(buffer);
    CHECK(!done || tn_pjrt_event_wait(done, status));
    tn_pjrt_event_destroy(done);
  }
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_arrays_run_backwards_on_plugins_that_take_no_such_strides) {
  setenv("PJRT_MISDEED", "negative_strides_refused", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  static const float data[4] = {1, 2, 3, 4};
  tn_pjrt_host_array array = array_of(data + 3, PJRT_Buffer_Type_F32, (int64_t[]){4}, 1);
  array.byte_strides = (int64_t[]){-4};
  tn_pjrt_buffer* buffer = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK_OK(status);
  CHECK(holds_floats(buffer, (float[]){4, 3, 2, 1}, 4, status));
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_every_type_goes_to_the_device_and_back) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(117);
  for (int32_t type = 1; type <= PJRT_Buffer_Type_F6E3M2FN; ++type) {
    if (type == PJRT_Buffer_Type_TOKEN) continue;
    size_t size = tn_pjrt_type_size(type);
    CHECK(size > 0 && strcmp(tn_pjrt_type_name(type), "?") != 0);
    // Small values, so that types of few bits hold them.
    uint8_t data[3 * 16] = {0}, back[3 * 16] = {0};
    for (size_t i = 0; i < 3 * size; ++i) data[i] = i % 2;
    tn_pjrt_host_array array = array_of(data, type, (int64_t[]){3}, 1);
    tn_pjrt_buffer* buffer = tn_pjrt_buffer_create(client, &array, NULL, status);
    CHECK_OK(status);
    CHECK_INT(tn_pjrt_buffer_type(buffer), type);
    CHECK(tn_pjrt_buffer_to_host(buffer, back, 3 * size, NULL, NULL, status));
    CHECK(memcmp(data, back, sizeof data) == 0);
    tn_dtype dtype = tn_pjrt_dtype_of(type);
    tn_tensor* tensor = tn_pjrt_buffer_to_tensor(buffer, status);
    if (dtype == TN_INVALID) {
      CHECK_CODE(status, TN_UNIMPLEMENTED);
    } else {
      CHECK_OK(status);
      CHECK_INT(tn_pjrt_type_of(dtype), type);
      CHECK_INT(tn_dtype_size(dtype), size);
      CHECK_INT(tn_tensor_dtype(tensor), dtype);
      CHECK(memcmp(tn_tensor_data(tensor), data, 3 * size) == 0);
      tn_pjrt_buffer* again = tn_pjrt_buffer_from_tensor(client, tensor, NULL, status);
      CHECK_OK(status);
      memset(back, 0, sizeof back);
      CHECK(tn_pjrt_buffer_to_host(again, back, 3 * size, NULL, NULL, status));
      CHECK(memcmp(data, back, sizeof data) == 0);
      tn_pjrt_buffer_destroy(again);
    }
    tn_tensor_destroy(tensor);
    tn_pjrt_buffer_destroy(buffer);
  }
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_types_that_are_newer_than_the_plugin_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(54);
  char data[1] = {0};
  tn_pjrt_host_array array = array_of(data, PJRT_Buffer_Type_F8E8M0FNU, NULL, 0);
  CHECK(!tn_pjrt_buffer_create(client, &array, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "need PJRT 0.63; the plugin has 0.54");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  array.type = PJRT_Buffer_Type_S2;
  tn_pjrt_buffer* buffer = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK_OK(status);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_scalars_and_arrays_without_elements_are_arrays) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  double one = 1.5, back = 0;
  tn_pjrt_host_array array = array_of(&one, PJRT_Buffer_Type_F64, NULL, 0);
  tn_pjrt_buffer* scalar = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK(tn_pjrt_buffer_to_host(scalar, &back, 8, NULL, NULL, status) && back == 1.5);
  CHECK_INT(tn_pjrt_buffer_rank(scalar), 0);
  CHECK(!tn_pjrt_buffer_dims(scalar));
  CHECK(tn_pjrt_buffer_layout(scalar, NULL, status));
  array = array_of(NULL, PJRT_Buffer_Type_F64, (int64_t[]){3, 0, 5}, 3);
  tn_pjrt_buffer* empty = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK_OK(status);
  CHECK(tn_pjrt_buffer_to_host(empty, NULL, 0, NULL, NULL, status));
  tn_tensor* tensor = tn_pjrt_buffer_to_tensor(empty, status);
  CHECK(tensor && tn_tensor_rank(tensor) == 3 && tn_tensor_elements(tensor) == 0);
  CHECK_OK(status);
  tn_tensor_destroy(tensor);
  tn_pjrt_buffer_destroy(scalar);
  tn_pjrt_buffer_destroy(empty);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_buffers_are_copied_between_devices_and_memories_by_plugins_of_every_age) {
  tn_status* status = tn_status_create();
  static const int numbers[] = {28, 33, 75, 114};
  for (int i = 0; i < 4; ++i) {
    tn_pjrt_client* client = client_with(numbers[i], 2, 0);
    tn_pjrt_device* there = tn_pjrt_client_device(client, 1);
    tn_pjrt_buffer* x = four_floats(client, NULL, status);
    tn_pjrt_buffer* y = tn_pjrt_buffer_copy_to_device(x, there, status);
    CHECK_OK(status);
    CHECK(tn_pjrt_buffer_device(y) == there);
    CHECK(holds_floats(y, (float[]){1, 2, 3, 4}, 4, status));
    tn_pjrt_buffer* z =
        tn_pjrt_buffer_copy_to_memory(x, tn_pjrt_device_default_memory(there), status);
    CHECK_OK(status);
    CHECK(holds_floats(z, (float[]){1, 2, 3, 4}, 4, status));
    tn_pjrt_buffer* host =
        tn_pjrt_buffer_copy_to_memory(x, tn_pjrt_device_memory(there, 1), status);
    CHECK_INT(host != NULL, numbers[i] >= 32);
    CHECK_CODE(status, host ? TN_OK : TN_UNIMPLEMENTED);
    CHECK(!host || tn_pjrt_buffer_on_cpu(host) || !tn_pjrt_buffer_on_cpu(x));
    tn_pjrt_buffer_destroy(host);
    tn_pjrt_buffer_destroy(x);
    tn_pjrt_buffer_destroy(y);
    tn_pjrt_buffer_destroy(z);
    tn_pjrt_client_destroy(client);
  }
  tn_status_destroy(status);
}

TEST(test_the_address_of_a_buffer_is_held_until_released) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  tn_pjrt_buffer* buffer = four_floats(client, NULL, status);
  float* address = tn_pjrt_buffer_acquire(buffer, status);
  CHECK_OK(status);
  CHECK(address && address[3] == 4);
  CHECK(tn_pjrt_buffer_release(buffer, status));
  CHECK_OK(status);
  CHECK(!tn_pjrt_buffer_release(buffer, status));
  CHECK(!tn_ok(status));
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_a_plugin_that_leaves_out_its_event_is_a_status) {
  setenv("PJRT_MISDEED", "done_left_null,transfer_event_null", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  // What is copied during the call needs no event.
  tn_pjrt_buffer* buffer = four_floats(client, NULL, status);
  CHECK_OK(status);
  float back[4];
  CHECK(!tn_pjrt_buffer_to_host(buffer, back, sizeof back, NULL, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "PJRT_Buffer_ToHostBuffer: no error and no event");
  CHECK_CODE(status, TN_INTERNAL);
  tn_pjrt_host_array array = array_of(back, PJRT_Buffer_Type_F32, (int64_t[]){4}, 1);
  array.semantics = TN_PJRT_UNTIL_TRANSFERRED;
  CHECK(!tn_pjrt_buffer_create(client, &array, NULL, status));
  CHECK_CODE(status, TN_INTERNAL);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_wrong_arguments_of_buffer_calls_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_client *client = client_of(114), *other = client_of(114);
  tn_pjrt_buffer* buffer = four_floats(client, NULL, status);
  tn_pjrt_device *device = tn_pjrt_client_device(client, 0),
                 *foreign = tn_pjrt_client_device(other, 0);
  char room[64];
  size_t bytes;
  CHECK_OK(status);
#define REFUSED(call, code)   \
  do {                        \
    CHECK(!(call));           \
    CHECK_CODE(status, code); \
  } while (0)
#define WRONG(change)                                                                      \
  do {                                                                                     \
    tn_pjrt_host_array array = array_of(room, PJRT_Buffer_Type_F32, (int64_t[]){2, 2}, 2); \
    change;                                                                                \
    REFUSED(tn_pjrt_buffer_create(client, &array, NULL, status), TN_INVALID_ARGUMENT);     \
  } while (0)
  WRONG(array.struct_size = 8);
  WRONG(array.struct_size = 40);
  WRONG(array.ext = room);
  WRONG(array.data = NULL);
  WRONG(array.type = 0);
  WRONG(array.type = 99);
  WRONG(array.type = PJRT_Buffer_Type_TOKEN);
  WRONG(array.semantics = 7);
  WRONG(array.semantics = -1);
  WRONG(array.dims = NULL);
  WRONG(array.dims = ((int64_t[]){2, -1}));
  WRONG(array.dims = ((int64_t[]){INT64_MAX, INT64_MAX}));
  WRONG(array.rank = 65);
  WRONG(array.device = foreign);
  WRONG(array.memory = tn_pjrt_client_memory(other, 0));
  WRONG(array.minor_to_major = ((int64_t[]){0, 0}));
  WRONG(array.minor_to_major = ((int64_t[]){0, 2}));
  tn_pjrt_host_array fine = array_of(room, PJRT_Buffer_Type_F32, (int64_t[]){2, 2}, 2);
  REFUSED(tn_pjrt_buffer_create(NULL, &fine, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_create(client, NULL, NULL, status), TN_INVALID_ARGUMENT);
  tn_tensor* text = tn_tensor_create_strings(NULL, 0, (const char*[]){"x"}, NULL, status);
  REFUSED(tn_pjrt_buffer_from_tensor(client, text, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_from_tensor(client, NULL, NULL, status), TN_INVALID_ARGUMENT);
  tn_tensor_destroy(text);
  REFUSED(tn_pjrt_buffer_to_tensor(NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_device_size(NULL, &bytes, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_device_size(buffer, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_host_size(NULL, &bytes, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_host_size(buffer, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_to_host(NULL, room, 16, NULL, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_to_host(buffer, room, 15, NULL, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_to_host(buffer, NULL, 16, NULL, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_to_host(buffer, room, 16, (int64_t[]){1}, NULL, status),
          TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_raw_to_host(NULL, room, 0, 1, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_raw_to_host(buffer, room, -1, 1, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_raw_to_host(buffer, NULL, 0, 1, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_layout(NULL, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_layout(buffer, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_delete(NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_ready(NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_copy_to_device(buffer, foreign, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_copy_to_device(NULL, device, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_copy_to_memory(buffer, NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_acquire(NULL, status), TN_INVALID_ARGUMENT);
  REFUSED(tn_pjrt_buffer_release(NULL, status), TN_INVALID_ARGUMENT);
  tn_pjrt_buffer_destroy(NULL);
  CHECK_INT(tn_pjrt_buffer_type(NULL), 0);
  CHECK_INT(tn_pjrt_buffer_rank(NULL), 0);
  CHECK(!tn_pjrt_buffer_dims(NULL) && !tn_pjrt_buffer_device(NULL) && !tn_pjrt_buffer_memory(NULL));
  CHECK(!tn_pjrt_buffer_on_cpu(NULL) && tn_pjrt_buffer_deleted(NULL));
  CHECK_INT(tn_pjrt_type_of(TN_STRING), 0);
  CHECK_INT(tn_pjrt_dtype_of(99), TN_INVALID);
  CHECK_INT(tn_pjrt_dtype_of(-1), TN_INVALID);
  CHECK_TEXT(tn_pjrt_type_name(99), "?");
  CHECK_INT(tn_pjrt_type_size(99), 0);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  tn_pjrt_client_destroy(other);
  tn_status_destroy(status);
}

// Everything that makes a buffer or an event, or reads one into a tensor.
static bool use_buffers(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  if (!client) return false;
  static const int32_t data[4] = {1, 2, 3, 4};
  tn_pjrt_device* device = tn_pjrt_client_device(client, 0);
  tn_pjrt_host_array array = array_of(data + 3, PJRT_Buffer_Type_S32, (int64_t[]){4}, 1);
  array.byte_strides = (int64_t[]){-4};
  tn_pjrt_event *done = NULL, *read = NULL, *raw = NULL, *ready = NULL;
  tn_pjrt_buffer *x = tn_pjrt_buffer_create(client, &array, &done, status), *y = NULL, *z = NULL,
                 *w = NULL;
  int32_t back[4], other[4];
  tn_tensor* tensor = NULL;
  size_t bytes;
  int64_t order[1];
  bool ok = x && tn_pjrt_buffer_to_host(x, back, 16, NULL, &read, status) &&
            tn_pjrt_event_wait(read, status) && back[0] == 4 &&
            tn_pjrt_buffer_raw_to_host(x, other, 0, 16, &raw, status) &&
            (ready = tn_pjrt_buffer_ready(x, status)) &&
            (tensor = tn_pjrt_buffer_to_tensor(x, status)) &&
            (y = tn_pjrt_buffer_from_tensor(client, tensor, NULL, status)) &&
            (z = tn_pjrt_buffer_copy_to_device(x, device, status)) &&
            (w = tn_pjrt_buffer_copy_to_memory(x, tn_pjrt_device_memory(device, 1), status)) &&
            tn_pjrt_buffer_acquire(x, status) && tn_pjrt_buffer_release(x, status) &&
            tn_pjrt_buffer_device_size(x, &bytes, status) &&
            tn_pjrt_buffer_host_size(x, &bytes, status) &&
            tn_pjrt_buffer_layout(x, order, status) && tn_pjrt_buffer_device(x) &&
            tn_pjrt_buffer_memory(x) && tn_pjrt_buffer_rank(x) == 1 && tn_pjrt_buffer_dims(x) &&
            tn_pjrt_buffer_type(x) == PJRT_Buffer_Type_S32 && (tn_pjrt_buffer_on_cpu(x) || true) &&
            tn_pjrt_buffer_delete(x, status) && tn_pjrt_buffer_deleted(x);
  if (raw) tn_pjrt_event_wait(raw, NULL);
  if (read) tn_pjrt_event_wait(read, NULL);
  tn_pjrt_event_destroy(done);
  tn_pjrt_event_destroy(read);
  tn_pjrt_event_destroy(raw);
  tn_pjrt_event_destroy(ready);
  tn_tensor_destroy(tensor);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_buffer_destroy(y);
  tn_pjrt_buffer_destroy(z);
  tn_pjrt_buffer_destroy(w);
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_buffers_survive_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(use_buffers, plugin) > 10);
  tn_pjrt_close(plugin);
}

TEST(test_questions_about_types_allocate_nothing) {
  tn_memory_fail_at(0);
  CHECK_INT(tn_pjrt_type_of(TN_FLOAT), PJRT_Buffer_Type_F32);
  CHECK_INT(tn_pjrt_dtype_of(PJRT_Buffer_Type_BF16), TN_BFLOAT16);
  CHECK_TEXT(tn_pjrt_type_name(PJRT_Buffer_Type_F8E4M3FN), "F8E4M3FN");
  CHECK_INT(tn_pjrt_type_size(PJRT_Buffer_Type_C128), 16);
  CHECK_INT(tn_memory_asked(), 0);
  tn_memory_fail_at(-1);
}
