// Buffers, for cases that are not about them.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"

static const struct {
  const char* name;
  int bytes, since;
} types[] = {
    [PJRT_Buffer_Type_PRED] = {"PRED", 1, 1},
    [PJRT_Buffer_Type_S8] = {"S8", 1, 1},
    [PJRT_Buffer_Type_S16] = {"S16", 2, 1},
    [PJRT_Buffer_Type_S32] = {"S32", 4, 1},
    [PJRT_Buffer_Type_S64] = {"S64", 8, 1},
    [PJRT_Buffer_Type_U8] = {"U8", 1, 1},
    [PJRT_Buffer_Type_U16] = {"U16", 2, 1},
    [PJRT_Buffer_Type_U32] = {"U32", 4, 1},
    [PJRT_Buffer_Type_U64] = {"U64", 8, 1},
    [PJRT_Buffer_Type_F16] = {"F16", 2, 1},
    [PJRT_Buffer_Type_F32] = {"F32", 4, 1},
    [PJRT_Buffer_Type_F64] = {"F64", 8, 1},
    [PJRT_Buffer_Type_BF16] = {"BF16", 2, 1},
    [PJRT_Buffer_Type_C64] = {"C64", 8, 1},
    [PJRT_Buffer_Type_C128] = {"C128", 16, 1},
    [PJRT_Buffer_Type_F8E5M2] = {"F8E5M2", 1, 1},
    [PJRT_Buffer_Type_F8E4M3FN] = {"F8E4M3FN", 1, 1},
    [PJRT_Buffer_Type_F8E4M3B11FNUZ] = {"F8E4M3B11FNUZ", 1, 1},
    [PJRT_Buffer_Type_F8E5M2FNUZ] = {"F8E5M2FNUZ", 1, 4},
    [PJRT_Buffer_Type_F8E4M3FNUZ] = {"F8E4M3FNUZ", 1, 4},
    [PJRT_Buffer_Type_S4] = {"S4", 1, 1},
    [PJRT_Buffer_Type_U4] = {"U4", 1, 1},
    [PJRT_Buffer_Type_TOKEN] = {"TOKEN", 0, 50},
    [PJRT_Buffer_Type_S2] = {"S2", 1, 53},
    [PJRT_Buffer_Type_U2] = {"U2", 1, 53},
    [PJRT_Buffer_Type_F8E4M3] = {"F8E4M3", 1, 55},
    [PJRT_Buffer_Type_F8E3M4] = {"F8E3M4", 1, 55},
    [PJRT_Buffer_Type_F8E8M0FNU] = {"F8E8M0FNU", 1, 63},
    [PJRT_Buffer_Type_F4E2M1FN] = {"F4E2M1FN", 1, 63},
    [PJRT_Buffer_Type_S1] = {"S1", 1, 94},
    [PJRT_Buffer_Type_U1] = {"U1", 1, 94},
    [PJRT_Buffer_Type_F6E2M3FN] = {"F6E2M3FN", 1, 114},
    [PJRT_Buffer_Type_F6E3M2FN] = {"F6E3M2FN", 1, 114},
};

static bool is_type(int type) {
  return type > 0 && (size_t)type < sizeof types / sizeof *types && types[type].name;
}
size_t pj_type_bytes(int type) { return is_type(type) ? (size_t)types[type].bytes : 0; }
const char* pj_type_name(int type) { return is_type(type) ? types[type].name : "?"; }
bool pj_type_known(int type) { return is_type(type) && types[type].since <= pj.plugin->minor; }

// How many bits of a byte an element uses on the host.
static int type_bits(int type) {
  switch (type) {
    case PJRT_Buffer_Type_PRED:
    case PJRT_Buffer_Type_S1:
    case PJRT_Buffer_Type_U1: return 1;
    case PJRT_Buffer_Type_S2:
    case PJRT_Buffer_Type_U2: return 2;
    case PJRT_Buffer_Type_S4:
    case PJRT_Buffer_Type_U4:
    case PJRT_Buffer_Type_F4E2M1FN: return 4;
    case PJRT_Buffer_Type_F6E2M3FN:
    case PJRT_Buffer_Type_F6E3M2FN: return 6;
    default: return 8;
  }
}

unsigned char pj_type_mask(int type) { return (unsigned char)((1 << type_bits(type)) - 1); }

void pj_fill_random(void* data, size_t bytes, int type, uint64_t* state) {
  unsigned char* at = data;
  for (size_t i = 0; i < bytes; ++i) at[i] = tn_case_random(state) & pj_type_mask(type);
}

PJRT_Buffer_MemoryLayout pj_usual_layout(size_t rank) {
  static const int64_t orders[8][8] = {{0},
                                       {1, 0},
                                       {2, 1, 0},
                                       {3, 2, 1, 0},
                                       {4, 3, 2, 1, 0},
                                       {5, 4, 3, 2, 1, 0},
                                       {6, 5, 4, 3, 2, 1, 0},
                                       {7, 6, 5, 4, 3, 2, 1, 0}};
  PJRT_Buffer_MemoryLayout layout = {
      .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout),
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  layout.tiled = (PJRT_Buffer_MemoryLayout_Tiled){
      .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout_Tiled),
      .minor_to_major = orders[rank ? rank - 1 : 0],
      .minor_to_major_size = rank};
  return layout;
}

PJRT_Buffer* pj_put_args(PJRT_Client_BufferFromHostBuffer_Args* args) {
  args->client = pj.client;
  PJ_OK(PJRT_Client_BufferFromHostBuffer, args);
  TN_NEED(args->buffer, "a buffer", "PJRT_Client_BufferFromHostBuffer: NULL");
  // Taken away before it is used: the case may pass the struct on.
  PJRT_Event* done = args->done_with_host_buffer;
  args->done_with_host_buffer = NULL;
  if (args->host_buffer_semantics <= PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes)
    pj_finish("done_with_host_buffer", done);
  else if (done)
    pj_event_destroy(done);
  return args->buffer;
}

PJRT_Buffer* pj_put_on(PJRT_Device* device, const void* data, int type, const int64_t* dims,
                       size_t rank) {
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .data = data, .type = (PJRT_Buffer_Type)type,
          .dims = dims, .num_dims = rank, .device = device,
          .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableOnlyDuringCall);
  return pj_put_args(args);
}

PJRT_Buffer* pj_put(const void* data, int type, const int64_t* dims, size_t rank) {
  return pj_put_on(pj.device, data, type, dims, rank);
}

PJRT_Buffer* pj_put_floats(const float* data, int64_t count) {
  return pj_put(data, PJRT_Buffer_Type_F32, &count, 1);
}

PJRT_Error* pj_read(PJRT_Buffer* buffer, void* to, size_t bytes, PJRT_Event** event) {
  PJ_ARGS(PJRT_Buffer_Dimensions, shape, .buffer = buffer);
  PJ_OK(PJRT_Buffer_Dimensions, shape);
  PJRT_Buffer_MemoryLayout layout = pj_usual_layout(shape->num_dims <= 8 ? shape->num_dims : 0);
  // What has one order only needs none to be told.
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer,
          .host_layout = shape->num_dims > 1 && shape->num_dims <= 8 ? &layout : NULL, .dst = to,
          .dst_size = bytes);
  PJRT_Error* error = PJ_CALL(PJRT_Buffer_ToHostBuffer, args);
  *event = args->event;
  return error;
}

void pj_get(PJRT_Buffer* buffer, void* to, size_t bytes) {
  PJRT_Event* event;
  pj_must(TN_PJRT_AT_PJRT_Buffer_ToHostBuffer, pj_read(buffer, to, bytes, &event));
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", event);
}

pj_error pj_read_failure(PJRT_Buffer* buffer, size_t bytes) {
  PJRT_Event* event = NULL;
  char* room = tn_alloc_zeroed(1, bytes + 16);
  pj_error error = pj_take(pj_read(buffer, room, bytes, &event));
  if (!error.code && event) {
    error = pj_await(event);
    pj_event_destroy(event);
  }
  tn_free(room);
  return error;
}

void pj_expect_floats(const char* what, PJRT_Buffer* buffer, const float* expected, size_t count) {
  float seen[64];
  if (count > sizeof seen / sizeof *seen) tn_case_error("too many numbers to compare");
  memset(seen, 0xee, sizeof seen);
  pj_get(buffer, seen, count * sizeof *seen);
  for (size_t i = 0; i < count; ++i)
    if (!(seen[i] == expected[i])) {
      char text[64];
      snprintf(text, sizeof text, "%g at index %zu", expected[i], i);
      tn_case_broken(NULL, text, "%s: %g", what, seen[i]);
      return;
    }
}

PJRT_Event* pj_ready_event(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_ReadyEvent, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_ReadyEvent, args);
  TN_NEED(args->event, "an event", "PJRT_Buffer_ReadyEvent: NULL");
  return args->event;
}

bool pj_is_deleted(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_IsDeleted, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_IsDeleted, args);
  return args->is_deleted;
}

void pj_delete(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_Delete, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_Delete, args);
}

void pj_destroy(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_Destroy, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_Destroy, args);
}

bool pj_on_cpu(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_IsOnCpu, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_IsOnCpu, args);
  return args->is_on_cpu;
}

PJRT_Memory* pj_default_memory(PJRT_Device* device) {
  if (!PJ_HAS(PJRT_Device_DefaultMemory)) return NULL;
  PJ_ARGS(PJRT_Device_DefaultMemory, args, .device = device);
  return pj_take(PJ_CALL(PJRT_Device_DefaultMemory, args)).code ? NULL : args->memory;
}

int pj_device_id(PJRT_Device* device) {
  PJ_ARGS(PJRT_Device_GetDescription, get, .device = device);
  PJ_OK(PJRT_Device_GetDescription, get);
  TN_NEED(get->device_description, "a description", "PJRT_Device_GetDescription: NULL");
  PJ_ARGS(PJRT_DeviceDescription_Id, id, .device_description = get->device_description);
  PJ_OK(PJRT_DeviceDescription_Id, id);
  return id->id;
}

int64_t pj_bytes_in_use(PJRT_Device* device) {
  if (!PJ_HAS(PJRT_Device_MemoryStats)) return -1;
  PJ_ARGS(PJRT_Device_MemoryStats, args, .device = device);
  return pj_take(PJ_CALL(PJRT_Device_MemoryStats, args)).code ? -1 : args->bytes_in_use;
}
