// Buffers that are filled piece by piece.
#include <string.h>

#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4};
static const int64_t dims[] = {4};

static PJRT_AsyncHostToDeviceTransferManager* start(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Memory* memory = pj_default_memory(pj.device);
  if (!memory) tn_case_skip("the device has no memory");
  PJRT_ShapeSpec shapes[2];
  for (int i = 0; i < 2; ++i)
    shapes[i] = (PJRT_ShapeSpec){.struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_ShapeSpec),
                                 .dims = dims,
                                 .num_dims = 1,
                                 .element_type = PJRT_Buffer_Type_F32};
  PJ_ARGS(PJRT_Client_CreateBuffersForAsyncHostToDevice, args, .client = pj.client,
          .shape_specs = shapes, .num_shape_specs = 2, .memory = memory);
  PJ_OK(PJRT_Client_CreateBuffersForAsyncHostToDevice, args);
  TN_NEED(args->transfer_manager, "a transfer manager", "NULL");
  return args->transfer_manager;
}

static PJRT_Error* try_send(PJRT_AsyncHostToDeviceTransferManager* manager, int index,
                            const void* data, int64_t offset, int64_t size, bool last,
                            PJRT_Event** event) {
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferData, args, .transfer_manager = manager,
          .buffer_index = index, .data = data, .offset = offset, .transfer_size = size,
          .is_last_transfer = last);
  PJRT_Error* error = PJ_CALL(PJRT_AsyncHostToDeviceTransferManager_TransferData, args);
  *event = args->done_with_h2d_transfer;
  return error;
}

static void send(PJRT_AsyncHostToDeviceTransferManager* manager, int index, int64_t offset,
                 int64_t size, bool last) {
  PJRT_Event* event;
  pj_must(TN_PJRT_AT_PJRT_AsyncHostToDeviceTransferManager_TransferData,
          try_send(manager, index, (const char*)numbers + offset, offset, size, last, &event));
  pj_finish("done_with_h2d_transfer", event);
}

static PJRT_Buffer* retrieve(PJRT_AsyncHostToDeviceTransferManager* manager, int index) {
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args, .transfer_manager = manager,
          .buffer_index = index);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args);
  TN_NEED(args->buffer_out, "a buffer", "NULL");
  return args->buffer_out;
}

static void destroy(PJRT_AsyncHostToDeviceTransferManager* manager) {
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_Destroy, args, .transfer_manager = manager);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_Destroy, args);
}

static void whole(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJRT_Buffer* buffers[2] = {retrieve(manager, 0), retrieve(manager, 1)};
  for (int i = 0; i < 2; ++i) send(manager, i, 0, sizeof numbers, true);
  destroy(manager);
  for (int i = 0; i < 2; ++i) pj_expect_floats("what was sent", buffers[i], numbers, 4);
}

static void pieces(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJRT_Buffer* buffers[2] = {retrieve(manager, 0), retrieve(manager, 1)};
  send(manager, 0, 8, 8, false);
  send(manager, 1, 0, 8, false);
  send(manager, 0, 0, 8, true);
  send(manager, 1, 8, 8, true);
  for (int i = 0; i < 2; ++i) {
    pj_finish("the ready event of a buffer that was filled", pj_ready_event(buffers[i]));
    pj_expect_floats("what was sent in pieces", buffers[i], numbers, 4);
  }
  destroy(manager);
}

static void facts(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferCount, count, .transfer_manager = manager);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_BufferCount, count);
  TN_EXPECT(count->buffer_count == 2, "2 buffers", "%zu", count->buffer_count);
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size, .transfer_manager = manager,
          .buffer_index = 1);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_BufferSize, size);
  TN_EXPECT(size->buffer_size >= sizeof numbers, "16 bytes, or padded", "%zu", size->buffer_size);
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_Device, device, .transfer_manager = manager);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_Device, device);
  TN_EXPECT(device->device_out == pj.device, "the device of the memory", "another one");
  const PJRT_NamedValue note = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                .name = "note",
                                .name_size = 4,
                                .type = PJRT_NamedValue_kString,
                                .string_value = "tenon",
                                .value_size = 5};
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_AddMetadata, metadata, .transfer_manager = manager,
          .transfer_metadata = &note, .num_metadata = 1);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_AddMetadata, metadata);
}

static void fails(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJRT_Buffer* buffers[2] = {retrieve(manager, 0), retrieve(manager, 1)};
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, args, .transfer_manager = manager,
          .buffer_index = 0, .error_code = PJRT_Error_Code_ABORTED, .error_message = "no data",
          .error_message_size = 7);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_SetBufferError, args);
  send(manager, 1, 0, sizeof numbers, true);
  const pj_error error = pj_read_failure(buffers[0], sizeof numbers);
  TN_EXPECT(error.code == PJRT_Error_Code_ABORTED, "ABORTED", "%s %s", pj_code_name(error.code),
            error.text);
  pj_expect_floats("the other buffer", buffers[1], numbers, 4);
}

static void literal(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJRT_Buffer* buffer = retrieve(manager, 0);
  PJRT_Buffer_MemoryLayout layout = pj_usual_layout(1);
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, args, .transfer_manager = manager,
          .buffer_index = 0, .data = numbers, .shape_dims = dims, .shape_num_dims = 1,
          .shape_element_type = PJRT_Buffer_Type_F32, .shape_layout = &layout);
  PJ_OK(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, args);
  pj_finish("done_with_h2d_transfer", args->done_with_h2d_transfer);
  pj_expect_floats("what was sent", buffer, numbers, 4);
}

static void no_such_buffer(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  PJRT_Event* event;
  PJ_REFUSED("a transfer into buffer 7 of 2",
             try_send(manager, 7, numbers, 0, sizeof numbers, true, &event), PJ_ANY_CODE);
  PJ_ARGS(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args, .transfer_manager = manager,
          .buffer_index = 7);
  PJ_REFUSED("buffer 7 of 2", PJ_CALL(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, args),
             PJ_ANY_CODE);
}

static void abandoned(const tn_subject* subject) {
  PJRT_AsyncHostToDeviceTransferManager* manager = start(subject);
  send(manager, 0, 0, 8, false);
  destroy(manager);
  pj_client_destroy(pj.client);
}

static const tn_check_case cases[] = {
    {"transfers.whole", "buffers may be handed out first and filled later", whole, 0},
    {"transfers.pieces", "pieces go where they belong; the last one makes the buffer ready", pieces,
     0},
    {"transfers.facts", "a transfer manager knows its buffers, their sizes and device", facts, 0},
    {"transfers.fails", "a buffer may be given an error for contents", fails, 0},
    {"transfers.literal", "a whole array may be sent with its shape", literal, 0},
    {"transfers.no_such_buffer", "an index that there is not is refused", no_such_buffer, 0},
    {"transfers.abandoned", "a manager may be destroyed before all was sent", abandoned, 0},
};
const tn_check_group tn_check_pjrt_transfers = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
