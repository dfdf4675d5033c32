#include "base/memory.h"
#include "host.h"

TEST(test_a_buffer_is_filled_piece_by_piece_in_any_order) {
  tn_status* status = tn_status_create();
  tn_pjrt_client* client = client_with(114, 1, 0);
  tn_pjrt_shape shapes[2] = {{PJRT_Buffer_Type_F32, (int64_t[]){4}, 1},
                             {PJRT_Buffer_Type_U8, (int64_t[]){2, 3}, 2}};
  tn_pjrt_transfer* transfer = tn_pjrt_transfer_create(client, shapes, 2, NULL, status);
  CHECK_OK(status);
  CHECK_INT(tn_pjrt_transfer_count(transfer), 2);
  size_t bytes = 0;
  CHECK(tn_pjrt_transfer_size(transfer, 0, &bytes, status) && bytes == 16);
  CHECK(tn_pjrt_transfer_size(transfer, 1, &bytes, status) && bytes == 6);
  // A buffer may be taken, and used, before it is full.
  tn_pjrt_buffer* early = tn_pjrt_transfer_take(transfer, 0, status);
  CHECK_OK(status);
  tn_pjrt_executable* program = compile_text(client, program_text("4xf32", 1, ""), status);
  tn_pjrt_buffer* y = NULL;
  CHECK(tn_pjrt_execute(program, &early, 1, &y, 1, NULL, status));
  static const float data[4] = {1, 2, 3, 4};
  tn_pjrt_event* done = NULL;
  CHECK(tn_pjrt_transfer_write(transfer, 0, data + 2, 8, 8, false, &done, status));
  CHECK(tn_pjrt_event_wait(done, status));
  tn_pjrt_event_destroy(done);
  CHECK(tn_pjrt_transfer_write(transfer, 0, data, 0, 8, true, NULL, status));
  CHECK(holds_floats(y, (float[]){2, 3, 4, 5}, 4, status));
  CHECK_OK(status);
  CHECK(!tn_pjrt_transfer_write(transfer, 0, data, 0, 8, true, NULL, status));
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  CHECK(!tn_pjrt_transfer_take(transfer, 0, status));
  CHECK_CODE(status, TN_FAILED_PRECONDITION);
  tn_pjrt_buffer_destroy(early);
  tn_pjrt_buffer_destroy(y);
  // The other one is given up: whoever reads it is told why.
  tn_pjrt_buffer* failed = tn_pjrt_transfer_take(transfer, 1, status);
  tn_status* why = tn_status_create();
  tn_status_set(why, TN_DATA_LOSS, "the file ends early");
  CHECK(tn_pjrt_transfer_fail(transfer, 1, why, status));
  CHECK_OK(status);
  char back[6];
  CHECK(!tn_pjrt_buffer_to_host(failed, back, 6, NULL, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "the file ends early");
  CHECK_CODE(status, TN_DATA_LOSS);
  tn_pjrt_buffer_destroy(failed);
  tn_pjrt_transfer_destroy(transfer);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(why);
  tn_status_destroy(status);
}

TEST(test_wrong_arguments_of_transfer_calls_are_refused) {
  tn_status* status = tn_status_create();
  tn_pjrt_client *client = client_of(114), *other = client_of(114);
  tn_pjrt_shape shape = {PJRT_Buffer_Type_F32, (int64_t[]){4}, 1};
  tn_pjrt_shape wrong = {PJRT_Buffer_Type_F32, (int64_t[]){-4}, 1};
  tn_pjrt_transfer* transfer = tn_pjrt_transfer_create(client, &shape, 1, NULL, status);
  char data[16] = {0};
  size_t bytes;
  CHECK_OK(status);
#define REFUSED(call)                        \
  do {                                       \
    CHECK(!(call));                          \
    CHECK_CODE(status, TN_INVALID_ARGUMENT); \
  } while (0)
  REFUSED(tn_pjrt_transfer_create(NULL, &shape, 1, NULL, status));
  REFUSED(tn_pjrt_transfer_create(client, NULL, 1, NULL, status));
  REFUSED(tn_pjrt_transfer_create(client, &shape, 0, NULL, status));
  REFUSED(tn_pjrt_transfer_create(client, &wrong, 1, NULL, status));
  REFUSED(tn_pjrt_transfer_create(client, &shape, 1, tn_pjrt_client_memory(other, 0), status));
  REFUSED(tn_pjrt_transfer_write(NULL, 0, data, 0, 1, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 1, data, 0, 1, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 0, NULL, 0, 1, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 0, data, -1, 1, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 0, data, 0, -1, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 0, data, 1, 16, false, NULL, status));
  REFUSED(tn_pjrt_transfer_write(transfer, 0, data, INT64_MAX, 16, false, NULL, status));
  REFUSED(tn_pjrt_transfer_fail(transfer, 0, NULL, status));
  REFUSED(tn_pjrt_transfer_fail(NULL, 0, NULL, status));
  REFUSED(tn_pjrt_transfer_size(transfer, 1, &bytes, status));
  REFUSED(tn_pjrt_transfer_size(transfer, 0, NULL, status));
  REFUSED(tn_pjrt_transfer_take(transfer, 7, status));
  REFUSED(tn_pjrt_transfer_take(NULL, 0, status));
  CHECK_INT(tn_pjrt_transfer_count(NULL), 0);
  tn_pjrt_transfer_destroy(NULL);
  tn_pjrt_transfer_destroy(transfer);
  tn_pjrt_client_destroy(client);
  tn_pjrt_client_destroy(other);
  // Plugins before 0.60 have none of it.
  client = client_of(54);
  CHECK(!tn_pjrt_transfer_create(client, &shape, 1, NULL, status));
  CHECK_CONTAINS(tn_status_message(status), "0.60");
  CHECK_CODE(status, TN_UNIMPLEMENTED);
  tn_pjrt_client_destroy(client);
  tn_status_destroy(status);
}

static bool transfer_once(void* plugin, tn_status* status) {
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  if (!client) return false;
  tn_pjrt_shape shapes[2] = {{PJRT_Buffer_Type_F32, (int64_t[]){4}, 1},
                             {PJRT_Buffer_Type_F32, (int64_t[]){4}, 1}};
  tn_pjrt_transfer* transfer = tn_pjrt_transfer_create(client, shapes, 2, NULL, status);
  tn_pjrt_buffer* buffer = transfer ? tn_pjrt_transfer_take(transfer, 0, status) : NULL;
  tn_pjrt_event* done = NULL;
  static const float data[4] = {1, 2, 3, 4};
  size_t bytes;
  tn_status* why = buffer ? tn_status_create() : NULL;
  if (buffer && !why) tn_status_set(status, TN_RESOURCE_EXHAUSTED, "out of memory");
  if (why) tn_status_set(why, TN_CANCELLED, "enough");
  bool ok = why && tn_pjrt_transfer_count(transfer) == 2 &&
            tn_pjrt_transfer_size(transfer, 0, &bytes, status) &&
            tn_pjrt_transfer_write(transfer, 0, data, 0, 16, true, &done, status) &&
            tn_pjrt_transfer_fail(transfer, 1, why, status);
  if (done) tn_pjrt_event_wait(done, NULL);
  tn_status_destroy(why);
  tn_pjrt_event_destroy(done);
  tn_pjrt_buffer_destroy(buffer);
  tn_pjrt_transfer_destroy(transfer);
  tn_pjrt_client_destroy(client);
  return ok;
}

TEST(test_transfers_survive_every_failing_allocation) {
  tn_pjrt* plugin = open_number(114, 0);
  CHECK(test_sweep_allocations(transfer_once, plugin) > 10);
  tn_pjrt_close(plugin);
}
