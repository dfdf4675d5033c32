#include "base/memory.h"
#include "host.h"
#include "tenon/dlpack.h"

// A tensor of the test's own, which counts how often it was let go of.
typedef struct mine {
  tn_dlpack dlpack;
  float data[8];
  int64_t shape[3], strides[3];
  int deleted;
} mine;

static void delete_mine(tn_dlpack* self) { ++((mine*)self)->deleted; }

static mine make_mine(void) {
  return (mine){.dlpack = {.device_type = TN_DLPACK_OTHER,
                           .rank = 2,
                           .code = TN_DLPACK_FLOAT,
                           .bits = 32,
                           .lanes = 1,
                           .deleter = delete_mine},
                .data = {1, 2, 3, 4, 5, 6},
                .shape = {2, 3}};
}

static void* lend(mine* tensor) {
  tensor->dlpack.data = tensor->data;
  tensor->dlpack.shape = tensor->shape;
  return &tensor->dlpack;
}

TEST(test_a_buffer_goes_out_as_a_dlpack_tensor_and_outlives_its_handle) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 2, 0);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  tn_pjrt_buffer *x = four_floats(client, NULL, status), *y = NULL;
  CHECK(tn_pjrt_execute(program, &x, 1, &y, 1, NULL, status));
  tn_dlpack* out = tn_pjrt_buffer_to_dlpack(y, status);
  CHECK_OK(status);
  tn_pjrt_buffer_destroy(y);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  CHECK(out->rank == 1 && out->shape[0] == 4 && out->strides[0] == 1);
  CHECK(out->code == TN_DLPACK_FLOAT && out->bits == 32 && out->lanes == 1);
  CHECK(memcmp((char*)out->data + out->byte_offset, (float[]){2, 3, 4, 5}, 16) == 0);
  out->deleter(out);
  tn_status_destroy(status);
}

TEST(test_a_dlpack_tensor_comes_in_without_a_copy_and_is_let_go_of_once) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  mine tensor = make_mine();
  tn_pjrt_buffer* buffer = tn_pjrt_buffer_from_dlpack(client, lend(&tensor), NULL, status);
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_buffer_rank(buffer), 2);
  CHECK(holds_floats(buffer, tensor.data, 6, status));
  CHECK(tn_pjrt_buffer_acquire(buffer, status) == tensor.data);
  CHECK(tn_pjrt_buffer_release(buffer, status));
  CHECK_INT(tensor.deleted, 0);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  CHECK_INT(tensor.deleted, 1);
  CHECK_OK(status);
  tn_status_destroy(status);
}

TEST(test_dense_tensors_come_in_whatever_the_order_of_their_dimensions) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  mine tensor = make_mine();
  lend(&tensor);
  tensor.dlpack.strides = tensor.strides;
  static const struct {
    int64_t shape[3], strides[3];
    float expected[6];
  } cases[] = {
      {{2, 1, 3}, {3, 77, 1}, {1, 2, 3, 4, 5, 6}},
      {{2, 1, 3}, {1, -5, 2}, {1, 3, 5, 2, 4, 6}},
      {{1, 3, 2}, {0, 1, 3}, {1, 4, 2, 5, 3, 6}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    memcpy(tensor.shape, cases[i].shape, sizeof tensor.shape);
    memcpy(tensor.strides, cases[i].strides, sizeof tensor.strides);
    tensor.dlpack.rank = 3;
    tn_pjrt_buffer* buffer = tn_pjrt_buffer_from_dlpack(client, &tensor, NULL, status);
    CHECK_OK(status);
    CHECK(holds_floats(buffer, cases[i].expected, 6, status));
    // And out again, with the same strides where they mean something.
    tn_dlpack* out = tn_pjrt_buffer_to_dlpack(buffer, status);
    CHECK_OK(status);
    for (int d = 0; d < 3; ++d) CHECK(out->shape[d] == 1 || out->strides[d] == tensor.strides[d]);
    CHECK(out->data == tensor.data);
    tn_pjrt_buffer_destroy(buffer);
    CHECK_INT(tensor.deleted, i);
    out->deleter(out);
    CHECK_INT(tensor.deleted, i + 1);
  }
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_a_plugin_that_lets_go_twice_is_heard_once) {
  setenv("PJRT_MISDEED", "view_released_twice", 1);
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_of(114);
  mine tensor = make_mine();
  tn_pjrt_buffer* buffer = tn_pjrt_buffer_from_dlpack(client, lend(&tensor), NULL, status);
  CHECK_OK(status);
  tn_pjrt_buffer_destroy(buffer);
  CHECK_INT(tensor.deleted, 1);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

TEST(test_what_is_no_dlpack_tensor_of_the_client_is_refused_and_stays_the_callers) {
  tn_status* status = tn_status_create();
  tn_pjrt_client *client = client_of(114), *other = client_of(114);
#define WRONG(change, code)                                            \
  do {                                                                 \
    mine tensor = make_mine();                                         \
    lend(&tensor);                                                     \
    change;                                                            \
    CHECK(!tn_pjrt_buffer_from_dlpack(client, &tensor, NULL, status)); \
    CHECK_CODE(status, code);                                          \
    CHECK_INT(tensor.deleted, 0);                                      \
  } while (0)
  WRONG(tensor.dlpack.rank = -1, TN_INVALID_ARGUMENT);
  WRONG(tensor.dlpack.rank = 65, TN_INVALID_ARGUMENT);
  WRONG(tensor.dlpack.shape = NULL, TN_INVALID_ARGUMENT);
  WRONG(tensor.shape[0] = -1, TN_INVALID_ARGUMENT);
  WRONG(tensor.dlpack.lanes = 4, TN_UNIMPLEMENTED);
  WRONG(tensor.dlpack.bits = 31, TN_UNIMPLEMENTED);
  WRONG(tensor.dlpack.device_type = TN_DLPACK_CUDA, TN_INVALID_ARGUMENT);
  WRONG(tensor.dlpack.device_id = 5, TN_INVALID_ARGUMENT);
  WRONG((tensor.dlpack.strides = tensor.strides, tensor.strides[0] = 4, tensor.strides[1] = 1),
        TN_UNIMPLEMENTED);
  mine fine = make_mine();
  CHECK(!tn_pjrt_buffer_from_dlpack(NULL, lend(&fine), NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_buffer_from_dlpack(client, NULL, NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_buffer_from_dlpack(client, lend(&fine), tn_pjrt_client_device(other, 0), status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  CHECK(!tn_pjrt_buffer_to_dlpack(NULL, status));
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  char bits[4] = {0};
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = bits;
  array.type = PJRT_Buffer_Type_S4;
  array.dims = (int64_t[]){4};
  array.rank = 1;
  tn_pjrt_buffer* narrow = tn_pjrt_buffer_create(client, &array, NULL, status);
  CHECK_OK(status);
  CHECK(!tn_pjrt_buffer_to_dlpack(narrow, status));
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  tn_pjrt_buffer_destroy(narrow);
  tn_pjrt_client_destroy(client);
  tn_pjrt_client_destroy(other);
  client = client_of(28);
  CHECK(!tn_pjrt_buffer_from_dlpack(client, lend(&fine), NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "0.33");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  CHECK_INT(fine.deleted, 0);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

static bool dlpack_once(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  mine tensor = make_mine();
  tn_pjrt_buffer* buffer =
      client ? tn_pjrt_buffer_from_dlpack(client, lend(&tensor), NULL, status) : NULL;
  tn_dlpack* out = buffer ? tn_pjrt_buffer_to_dlpack(buffer, status) : NULL;
  bool made = buffer != NULL;
  if (out) out->deleter(out);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_client_destroy(client);
  CHECK_INT(tensor.deleted, made);
  return out != NULL;
}

TEST(test_dlpack_survives_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(dlpack_once, plugin) > 10);
  tn_pjrt_close(plugin);
}
