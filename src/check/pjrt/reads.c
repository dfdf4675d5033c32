// Buffers to host memory and to other places.
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[6] = {1, 2, 3, 4, 5, 6};
static const int64_t dims[] = {2, 3};

static PJRT_Buffer* start(const tn_subject* subject) {
  pj_start(subject);
  return pj_put(numbers, PJRT_Buffer_Type_F32, dims, 2);
}

static void size_alone(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .dst_size = 0);
  PJ_OK(PJRT_Buffer_ToHostBuffer, args);
  TN_EXPECT(args->dst_size >= sizeof numbers && args->dst_size < 1 << 20, "24 bytes, or padded",
            "%zu", args->dst_size);
  if (args->event) pj_event_destroy(args->event);
}

static void no_layout(const tn_subject* subject) {
  pj_start(subject);
  const int64_t count[] = {6};
  PJRT_Buffer* buffer = pj_put(numbers, PJRT_Buffer_Type_F32, count, 1);
  float seen[6] = {0};
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .dst = seen, .dst_size = sizeof seen);
  PJ_OK(PJRT_Buffer_ToHostBuffer, args);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", args->event);
  pj_compare("what was put", seen, numbers, sizeof seen);
}

static void layout(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  const float columns[6] = {1, 4, 2, 5, 3, 6};
  float seen[6] = {0};
  const int64_t row_order[] = {1, 0}, column_order[] = {0, 1}, steps[] = {4, 8};
  PJRT_Buffer_MemoryLayout wanted = {.struct_size =
                                         TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout)};
  if (subject->arg == 2) {
    wanted.type = PJRT_Buffer_MemoryLayout_Type_Strides;
    wanted.strides = (PJRT_Buffer_MemoryLayout_Strides){
        .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout_Strides),
        .byte_strides = steps,
        .num_byte_strides = 2};
  } else {
    wanted.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    wanted.tiled = (PJRT_Buffer_MemoryLayout_Tiled){
        .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout_Tiled),
        .minor_to_major = subject->arg ? column_order : row_order,
        .minor_to_major_size = 2};
  }
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .host_layout = &wanted, .dst = seen,
          .dst_size = sizeof seen);
  PJRT_Error* error = PJ_CALL(PJRT_Buffer_ToHostBuffer, args);
  if (error && subject->arg) {
    const pj_error taken = pj_take(error);
    tn_case_skip("%s: %s", pj_code_name(taken.code), taken.text);
  }
  pj_must(TN_PJRT_AT_PJRT_Buffer_ToHostBuffer, error);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", args->event);
  pj_compare("what comes back", seen, subject->arg ? columns : numbers, sizeof seen);
}

static void too_small(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  char seen[64];
  memset(seen, 0x5a, sizeof seen);
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .dst = seen, .dst_size = 8);
  const pj_error error = pj_take(PJ_CALL(PJRT_Buffer_ToHostBuffer, args));
  if (!error.code && args->event) {
    const pj_error late = pj_await(args->event);
    TN_EXPECT(late.code, "an error", "success with room for 8 of 24 bytes");
  }
  for (size_t i = 8; i < sizeof seen; ++i)
    TN_NEED(seen[i] == 0x5a, "nothing written beyond dst_size", "byte %zu", i);
}

static void nothing(const tn_subject* subject) {
  pj_start(subject);
  const int64_t none[] = {0};
  char dummy = 0x5a;
  PJRT_Buffer* buffer = pj_put(numbers, PJRT_Buffer_Type_F32, none, 1);
  PJ_ARGS(PJRT_Buffer_ToHostBuffer, args, .src = buffer, .dst = &dummy, .dst_size = 0);
  PJ_OK(PJRT_Buffer_ToHostBuffer, args);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", args->event);
  TN_EXPECT(dummy == 0x5a, "nothing written", "a byte");
}

static void read_often(void* buffer, int i) {
  for (int k = 0; k < 20; ++k) {
    float seen[6] = {0};
    pj_get(buffer, seen, sizeof seen);
    pj_compare("what was put, in a thread", seen, numbers, sizeof seen);
  }
}

static void threads(const tn_subject* subject) { pj_threads(6, read_often, start(subject)); }

static void put_and_read(void* arg, int i) {
  for (int k = 0; k < 20; ++k) {
    float mine[4] = {(float)i, (float)k, (float)(i * k), 7};
    PJRT_Buffer* buffer = pj_put_floats(mine, 4);
    pj_expect_floats("what this thread put", buffer, mine, 4);
    pj_destroy(buffer);
  }
}

static void transfers_from_threads(const tn_subject* subject) {
  pj_start(subject);
  pj_threads(6, put_and_read, NULL);
}

// ---- Raw bytes ----

static void raw(const tn_subject* subject) {
  pj_start(subject);
  const int64_t count[] = {6};
  PJRT_Buffer* buffer = pj_put(numbers, PJRT_Buffer_Type_F32, count, 1);
  const int64_t offset = subject->arg;
  float seen[6] = {0};
  PJ_ARGS(PJRT_Buffer_CopyRawToHost, args, .buffer = buffer, .dst = seen, .offset = offset,
          .transfer_size = (int64_t)sizeof numbers - offset);
  PJ_OK(PJRT_Buffer_CopyRawToHost, args);
  pj_finish("the event of PJRT_Buffer_CopyRawToHost", args->event);
  pj_compare("the bytes asked for", seen, (const char*)numbers + offset, sizeof seen - offset);
}

static void raw_out_of_range(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size, .buffer = buffer);
  PJ_OK(PJRT_Buffer_OnDeviceSizeInBytes, size);
  static char seen[1 << 16];
  if (size->on_device_size_in_bytes > sizeof seen / 2) tn_case_skip("the buffer is padded far");
  PJ_ARGS(PJRT_Buffer_CopyRawToHost, args, .buffer = buffer, .dst = seen, .offset = 8,
          .transfer_size = (int64_t)size->on_device_size_in_bytes);
  pj_error error = pj_take(PJ_CALL(PJRT_Buffer_CopyRawToHost, args));
  if (!error.code && args->event) error = pj_await(args->event);
  TN_EXPECT(error.code, "an error", "eight bytes past the end are read");
}

static void raw_later(const tn_subject* subject) {
  pj_start(subject);
  const int64_t count[] = {6};
  PJRT_Buffer* buffer = pj_put(numbers, PJRT_Buffer_Type_F32, count, 1);
  float seen[6] = {0};
  PJ_ARGS(PJRT_Buffer_CopyRawToHostFuture, args, .buffer = buffer, .offset = 0,
          .transfer_size = sizeof seen);
  PJ_OK(PJRT_Buffer_CopyRawToHostFuture, args);
  TN_NEED(args->future_ready_callback && args->event, "a callback and an event", "%p and %p",
          (void*)(uintptr_t)args->future_ready_callback, (void*)args->event);
  PJRT_Buffer_CopyRawToHostFuture_Callback_Args ready = {
      .struct_size = PJRT_Buffer_CopyRawToHostFuture_Callback_Args_STRUCT_SIZE,
      .callback_data = args->callback_data,
      .error_code = PJRT_Error_Code_OK,
      .error_message = "",
      .dst = seen};
  tn_case_enter("future_ready_callback");
  args->future_ready_callback(&ready);
  tn_case_leave();
  pj_finish("the event of PJRT_Buffer_CopyRawToHostFuture", args->event);
  pj_compare("the bytes asked for", seen, numbers, sizeof seen);
}

// ---- Copies ----

static void copy_to_device(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  if (pj.device_count < 2) tn_case_skip("there is one device");
  PJ_ARGS(PJRT_Buffer_CopyToDevice, args, .buffer = buffer, .dst_device = pj.devices[1]);
  PJ_OK(PJRT_Buffer_CopyToDevice, args);
  TN_NEED(args->dst_buffer, "a buffer", "NULL");
  pj_destroy(buffer);
  PJ_ARGS(PJRT_Buffer_Device, is, .buffer = args->dst_buffer);
  PJ_OK(PJRT_Buffer_Device, is);
  TN_EXPECT(is->device == pj.devices[1], "the device it was copied to", "another one");
  pj_expect_floats("the copy", args->dst_buffer, numbers, 6);
}

static void copy_to_memories(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  pj_need(TN_PJRT_AT_PJRT_Buffer_CopyToMemory);
  PJ_ARGS(PJRT_Device_AddressableMemories, list, .device = pj.device);
  PJ_OK(PJRT_Device_AddressableMemories, list);
  int copied = 0;
  for (size_t i = 0; i < list->num_memories; ++i) {
    PJ_ARGS(PJRT_Buffer_CopyToMemory, args, .buffer = buffer, .dst_memory = list->memories[i]);
    if (pj_take(PJ_CALL(PJRT_Buffer_CopyToMemory, args)).code) continue;  // not everywhere
    TN_NEED(args->dst_buffer, "a buffer", "NULL");
    PJ_ARGS(PJRT_Buffer_Memory, is, .buffer = args->dst_buffer);
    PJ_OK(PJRT_Buffer_Memory, is);
    TN_EXPECT(is->memory == list->memories[i], "the memory it was copied to", "another one");
    pj_expect_floats("the copy", args->dst_buffer, numbers, 6);
    pj_destroy(args->dst_buffer);
    ++copied;
  }
  if (!copied) tn_case_skip("no memory takes copies");
}

static void copies_are_independent(const tn_subject* subject) {
  pj_start(subject);
  const float mine[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  PJRT_Buffer* inputs[2] = {pj_put_floats(mine, 4), pj_put_floats(mine, 4)};
  PJRT_Memory* memory = pj_default_memory(pj.device);
  if (!memory) tn_case_skip("the device has no memory");
  PJ_ARGS(PJRT_Buffer_CopyToMemory, args, .buffer = inputs[0], .dst_memory = memory);
  PJ_OK(PJRT_Buffer_CopyToMemory, args);
  void* addresses[2] = {NULL, NULL};
  for (int i = 0; i < 2 && PJ_HAS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer); ++i) {
    PJ_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, at,
            .buffer = i ? args->dst_buffer : inputs[0]);
    if (!pj_take(PJ_CALL(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, at)).code)
      addresses[i] = at->device_memory_ptr;
  }
  TN_EXPECT(!addresses[0] || addresses[0] != addresses[1], "memory of its own", "%p for both",
            addresses[0]);
  // A donation may be carried out in place, in memory that the copy must not share.
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one_aliased);
  PJRT_Buffer* outputs[2] = {NULL, NULL};
  pj_execute(loaded, inputs, 2, outputs);
  pj_expect_floats("one more", outputs[0], sums, 4);
  pj_expect_floats("the copy", args->dst_buffer, mine, 4);
}

static void bitcast(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  const int64_t flat[] = {6};
  PJ_ARGS(PJRT_Buffer_Bitcast, args, .buffer = buffer, .element_type = PJRT_Buffer_Type_U32,
          .dims = flat, .num_dims = 1);
  PJ_OK(PJRT_Buffer_Bitcast, args);
  TN_NEED(args->out_buffer, "a buffer", "NULL");
  uint32_t seen[6] = {0};
  pj_get(args->out_buffer, seen, sizeof seen);
  pj_compare("the same bytes", seen, numbers, sizeof seen);
}

static void memory_layout(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_GetMemoryLayout, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_GetMemoryLayout, args);
  if (args->layout.type != PJRT_Buffer_MemoryLayout_Type_Tiled) {
    TN_EXPECT(args->layout.strides.num_byte_strides == 2 && args->layout.strides.byte_strides,
              "two strides", "%zu", args->layout.strides.num_byte_strides);
    return;
  }
  const PJRT_Buffer_MemoryLayout_Tiled* tiled = &args->layout.tiled;
  TN_NEED(tiled->minor_to_major_size == 2 && tiled->minor_to_major, "two dimensions", "%zu at %p",
          tiled->minor_to_major_size, (const void*)tiled->minor_to_major);
  TN_EXPECT(tiled->minor_to_major[0] + tiled->minor_to_major[1] == 1 &&
                tiled->minor_to_major[0] >= 0 && tiled->minor_to_major[0] <= 1,
            "0 and 1, in an order", "%lld, %lld", (long long)tiled->minor_to_major[0],
            (long long)tiled->minor_to_major[1]);
}

static void addresses(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args);
  TN_NEED(args->device_memory_ptr, "an address", "NULL");
  if (pj_on_cpu(buffer))
    pj_compare("what stands at the address of a buffer on the CPU", args->device_memory_ptr,
               numbers, sizeof numbers);
}

static void unsafe_address(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_UnsafePointer, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_UnsafePointer, args);
  TN_EXPECT(args->buffer_pointer, "an address", "0");
}

static const tn_check_case cases[] = {
    {"reads.size_alone", "PJRT_Buffer_ToHostBuffer without dst tells the size", size_alone, 0},
    {"reads.no_layout", "without host_layout an array of one dimension is read as it was put",
     no_layout, 0},
    {"reads.rows", "host_layout may ask for the last dimension fastest", layout, 0},
    {"reads.columns", "host_layout may ask for the first dimension fastest", layout, 1},
    {"reads.strides", "host_layout may be strides", layout, 2},
    {"reads.too_small", "room that is too small is refused and not overrun", too_small, 0},
    {"reads.nothing", "an empty array is read with an event, and nothing written", nothing, 0},
    {"reads.threads", "a buffer may be read from many threads", threads, 0},
    {"reads.transfers_from_threads", "arrays may be put and read from many threads",
     transfers_from_threads, 0},
    {"reads.raw", "bytes may be read as they lie on the device", raw, 0},
    {"reads.raw_from_offset", "a raw copy begins at its offset", raw, 8},
    {"reads.raw_out_of_range", "a raw copy past the end is refused", raw_out_of_range, 0},
    {"reads.raw_later", "a raw copy may learn later where to", raw_later, 0},
    {"reads.copy_to_device", "a copy is on the device it was copied to", copy_to_device, 0},
    {"reads.copy_to_memories", "a copy is in the memory it was copied to", copy_to_memories, 0},
    {"reads.copies_are_independent",
     "a copy has memory of its own, and keeps its contents when the original is donated",
     copies_are_independent, 0},
    {"reads.bitcast", "the same bytes may be seen as another type", bitcast, 0},
    {"reads.memory_layout", "a buffer's layout names each dimension once", memory_layout, 0},
    {"reads.address", "a buffer has an address; on the CPU its contents stand there", addresses, 0},
    {"reads.unsafe_address", "a buffer has an address of the platform's", unsafe_address, 0},
};
const tn_check_group tn_check_pjrt_reads = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
