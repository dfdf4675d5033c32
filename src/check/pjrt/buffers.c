// Buffers from host memory: types, shapes, strides, layouts, and until when memory is read.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

// ---- Types ----

// Those that programs of every kind have; a plugin may lack the others.
static bool is_common(int type) {
  return (type >= PJRT_Buffer_Type_PRED && type <= PJRT_Buffer_Type_U32) ||
         type == PJRT_Buffer_Type_F32 || type == PJRT_Buffer_Type_BF16 ||
         type == PJRT_Buffer_Type_F16;
}

static void type(const tn_subject* subject) {
  pj_start(subject);
  if (!pj_type_known(subject->arg))
    tn_case_skip("the plugin's number has no %s", pj_type_name(subject->arg));
  uint64_t state = subject->seed;
  enum { count = 37 };
  char data[count * 16], seen[count * 16 + 1];
  const size_t bytes = count * pj_type_bytes(subject->arg);
  pj_fill_random(data, bytes, subject->arg, &state);
  memset(seen, 0xee, sizeof seen);
  const int64_t dims[] = {count};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = data,
          .type = (PJRT_Buffer_Type)subject->arg, .dims = dims, .num_dims = 1, .device = pj.device);
  PJRT_Error* error = PJ_CALL(PJRT_Client_BufferFromHostBuffer, args);
  if (error && !is_common(subject->arg)) {
    const pj_error taken = pj_take(error);
    tn_case_skip("%s: %s", pj_code_name(taken.code), taken.text);
  }
  pj_must(TN_PJRT_AT_PJRT_Client_BufferFromHostBuffer, error);
  pj_finish("done_with_host_buffer", args->done_with_host_buffer);
  TN_NEED(args->buffer, "a buffer", "NULL");
  PJ_ARGS(PJRT_Buffer_ElementType, is, .buffer = args->buffer);
  PJ_OK(PJRT_Buffer_ElementType, is);
  TN_EXPECT((int)is->type == subject->arg, pj_type_name(subject->arg), "%s",
            pj_type_name((int)is->type));
  PJ_ARGS(PJRT_Buffer_OnDeviceSizeInBytes, size, .buffer = args->buffer);
  PJ_OK(PJRT_Buffer_OnDeviceSizeInBytes, size);
  TN_EXPECT(size->on_device_size_in_bytes > 0, "bytes on the device", "0");
  pj_get(args->buffer, seen, bytes);
  // What stands in the other bits of a narrow element is nobody's affair: plugins differ.
  for (size_t i = 0; i < bytes; ++i) seen[i] &= (char)pj_type_mask(subject->arg);
  pj_compare("what comes back", seen, data, bytes);
  TN_EXPECT((unsigned char)seen[bytes] == 0xee, "nothing written beyond dst_size", "a byte more");
  pj_destroy(args->buffer);
}

// ---- Shapes ----

typedef struct shape {
  size_t rank;
  int64_t dims[8];
} shape;

static const shape shapes[] = {
    {0, {0}},    {1, {0}},       {3, {2, 0, 5}},          {1, {1}},
    {2, {3, 5}}, {3, {2, 3, 4}}, {6, {1, 2, 1, 3, 1, 2}}, {2, {1 << 10, 300}}};

static void shape_round_trip(const tn_subject* subject) {
  pj_start(subject);
  const shape* s = &shapes[subject->arg];
  size_t count = 1;
  for (size_t i = 0; i < s->rank; ++i) count *= (size_t)s->dims[i];
  uint64_t state = subject->seed;
  int32_t* data = tn_alloc(4 * count + 16);
  int32_t* seen = tn_alloc(4 * count + 16);
  pj_fill_random(data, 4 * count, PJRT_Buffer_Type_S32, &state);
  PJRT_Buffer* buffer = pj_put(data, PJRT_Buffer_Type_S32, s->dims, s->rank);
  PJ_ARGS(PJRT_Buffer_Dimensions, dims, .buffer = buffer);
  PJ_OK(PJRT_Buffer_Dimensions, dims);
  TN_NEED(dims->num_dims == s->rank && (!s->rank || dims->dims), "as many dimensions",
          "%zu, not %zu", dims->num_dims, s->rank);
  for (size_t i = 0; i < s->rank; ++i)
    TN_EXPECT(dims->dims[i] == s->dims[i], "the dimensions it was made with",
              "%lld, not %lld, at %zu", (long long)dims->dims[i], (long long)s->dims[i], i);
  if (PJ_HAS(PJRT_Buffer_UnpaddedDimensions)) {
    PJ_ARGS(PJRT_Buffer_UnpaddedDimensions, unpadded, .buffer = buffer);
    PJRT_Error* error = PJ_CALL(PJRT_Buffer_UnpaddedDimensions, unpadded);
    if (!pj_take(error).code)
      for (size_t i = 0; i < s->rank; ++i)
        TN_EXPECT(unpadded->num_dims == s->rank && unpadded->unpadded_dims[i] == s->dims[i],
                  "the dimensions it was made with, unpadded", "others");
  }
  pj_get(buffer, seen, 4 * count);
  pj_compare("what comes back", seen, data, 4 * count);
  pj_destroy(buffer);
  tn_free(data);
  tn_free(seen);
}

static void dynamic_dimensions(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  PJRT_Buffer* buffer = pj_put_floats(numbers, 4);
  PJ_ARGS(PJRT_Buffer_DynamicDimensionIndices, args, .buffer = buffer, .num_dynamic_dims = 77);
  PJ_OK(PJRT_Buffer_DynamicDimensionIndices, args);
  TN_EXPECT(args->num_dynamic_dims == 0, "none", "%zu", args->num_dynamic_dims);
}

// ---- Strides ----

// A 3 x 4 array of int32 within 64 numbers: where it begins, and bytes per step.
static const struct {
  int begin;
  int64_t strides[2];
} arrangements[] = {
    {0, {16, 4}},     // dense, told
    {0, {4, 12}},     // transposed
    {0, {32, 8}},     // every other one
    {47, {-16, -4}},  // backwards
    {12, {-16, 4}},   // rows backwards
    {0, {0, 4}},      // one row thrice
    {5, {0, 0}},      // one number everywhere
};

static void strides(const tn_subject* subject) {
  pj_start(subject);
  uint64_t state = subject->seed;
  int32_t data[64], expected[12], seen[12] = {0};
  pj_fill_random(data, sizeof data, PJRT_Buffer_Type_S32, &state);
  const int64_t dims[] = {3, 4};
  int64_t steps[2];
  int begin;
  const int rounds = subject->arg < 0 ? 20 : 1;
  for (int round = 0; round < rounds; ++round) {
    if (subject->arg >= 0) {
      begin = arrangements[subject->arg].begin;
      memcpy(steps, arrangements[subject->arg].strides, sizeof steps);
    } else {
      begin = 32;
      steps[0] = 4 * tn_case_between(&state, -10, 10);
      steps[1] = 4 * tn_case_between(&state, -3, 3);
    }
    for (int i = 0; i < 12; ++i)
      expected[i] = data[begin + (i / 4 * steps[0] + i % 4 * steps[1]) / 4];
    PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .data = data + begin,
            .type = PJRT_Buffer_Type_S32, .dims = dims, .num_dims = 2, .byte_strides = steps,
            .num_byte_strides = 2, .device = pj.device);
    PJRT_Buffer* buffer = pj_put_args(args);
    pj_get(buffer, seen, sizeof seen);
    char what[64];
    snprintf(what, sizeof what, "an array with strides %lld, %lld", (long long)steps[0],
             (long long)steps[1]);
    pj_compare(what, seen, expected, sizeof seen);
    pj_destroy(buffer);
  }
}

static void narrow_strides(const tn_subject* subject) {
  pj_start(subject);
  uint64_t state = subject->seed;
  char data[16], expected[8], seen[8] = {0};
  pj_fill_random(data, sizeof data, PJRT_Buffer_Type_U4, &state);
  for (int i = 0; i < 8; ++i) expected[i] = data[15 - 2 * i];
  const int64_t dims[] = {8}, steps[] = {-2};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = data + 15,
          .type = PJRT_Buffer_Type_U4, .dims = dims, .num_dims = 1, .byte_strides = steps,
          .num_byte_strides = 1, .device = pj.device);
  PJRT_Error* error = PJ_CALL(PJRT_Client_BufferFromHostBuffer, args);
  if (error) tn_case_skip("no U4: %s", pj_take(error).text);
  pj_finish("done_with_host_buffer", args->done_with_host_buffer);
  pj_get(args->buffer, seen, sizeof seen);
  pj_compare("what comes back", seen, expected, sizeof seen);
}

// ---- Until when host memory is read ----

static void semantics(const tn_subject* subject) {
  enum { count = 1 << 16 };
  pj_start(subject);
  if (subject->arg >= PJRT_HostBufferSemantics_kImmutableZeroCopy && pj.plugin->minor < 48)
    tn_case_skip("came with 0.48");
  float* data = tn_alloc_zeroed(count, sizeof *data);
  float* seen = tn_alloc_zeroed(count, sizeof *data);
  for (int i = 0; i < count; ++i) data[i] = (float)i;
  const int64_t dims[] = {count};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = data,
          .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1, .device = pj.device,
          .host_buffer_semantics = (PJRT_HostBufferSemantics)subject->arg);
  PJ_OK(PJRT_Client_BufferFromHostBuffer, args);
  TN_NEED(args->done_with_host_buffer, "done_with_host_buffer", "NULL");
  const bool zero_copy = subject->arg >= PJRT_HostBufferSemantics_kImmutableZeroCopy;
  if (subject->arg == PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes)
    pj_finish("done_with_host_buffer", args->done_with_host_buffer);
  if (!zero_copy) memset(data, 0xff, count * sizeof *data);  // it is the caller's again
  pj_get(args->buffer, seen, count * sizeof *seen);
  for (int i = 0; i < count; ++i)
    TN_NEED(seen[i] == (float)i, "what was put", "%g, not %d: memory was read too late", seen[i],
            i);
  pj_destroy(args->buffer);
  // Whatever was done with it, the memory is the caller's once the buffer is gone.
  if (subject->arg != PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes)
    pj_finish("done_with_host_buffer, after the buffer was destroyed", args->done_with_host_buffer);
  tn_free(data);
  tn_free(seen);
}

static void zero_copy_is_immutable(const tn_subject* subject) {
  pj_start(subject);
  if (pj.plugin->minor < 47) tn_case_skip("came with 0.47");
  static _Alignas(256) float data[4] = {1, 2, 3, 4};
  const float before[4] = {1, 2, 3, 4}, sums[4] = {2, 3, 4, 5};
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .data = data, .type = PJRT_Buffer_Type_F32,
          .dims = dims, .num_dims = 1, .device = pj.device,
          .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy);
  PJRT_Buffer* inputs[2] = {pj_put_args(args), pj_put_floats(before, 4)};
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one_aliased);
  PJRT_Buffer* outputs[2] = {NULL, NULL};
  pj_execute(loaded, inputs, 2, outputs);
  pj_expect_floats("one more", outputs[0], sums, 4);
  pj_compare("the host's memory after it was donated", data, before, sizeof data);
}

// ---- Layouts on the device ----

static void device_layout(const tn_subject* subject) {
  pj_start(subject);
  const int32_t data[6] = {1, 2, 3, 4, 5, 6};
  int32_t seen[6] = {0};
  const int64_t dims[] = {2, 3};
  const int64_t order[] = {subject->arg, 1 - subject->arg};
  PJRT_Buffer_MemoryLayout layout = {
      .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout),
      .type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  layout.tiled = (PJRT_Buffer_MemoryLayout_Tiled){
      .struct_size = TN_PJRT_SIZE_OF(pj.plugin, PJRT_Buffer_MemoryLayout_Tiled),
      .minor_to_major = order,
      .minor_to_major_size = 2};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = data,
          .type = PJRT_Buffer_Type_S32, .dims = dims, .num_dims = 2, .device = pj.device,
          .device_layout = &layout);
  PJRT_Error* error = PJ_CALL(PJRT_Client_BufferFromHostBuffer, args);
  if (error && subject->arg == 0) tn_case_skip("no such layout: %s", pj_take(error).text);
  pj_must(TN_PJRT_AT_PJRT_Client_BufferFromHostBuffer, error);
  pj_finish("done_with_host_buffer", args->done_with_host_buffer);
  pj_get(args->buffer, seen, sizeof seen);
  pj_compare("what comes back", seen, data, sizeof seen);
}

// ---- Places ----

static void on_each_device(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJRT_Buffer* buffer = pj_put_on(pj.devices[i], numbers, PJRT_Buffer_Type_F32, dims, 1);
    PJ_ARGS(PJRT_Buffer_Device, args, .buffer = buffer);
    PJ_OK(PJRT_Buffer_Device, args);
    TN_EXPECT(args->device == pj.devices[i], "the device it was put on", "another one, not %zu", i);
    pj_expect_floats("what was put", buffer, numbers, 4);
    pj_destroy(buffer);
  }
}

static void in_each_memory(const tn_subject* subject) {
  pj_start(subject);
  const float numbers[4] = {1, 2, 3, 4};
  const int64_t dims[] = {4};
  for (size_t i = 0; i < pj.device_count; ++i) {
    PJ_ARGS(PJRT_Device_AddressableMemories, list, .device = pj.devices[i]);
    PJ_OK(PJRT_Device_AddressableMemories, list);
    for (size_t k = 0; k < list->num_memories; ++k) {
      PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = numbers,
              .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1,
              .memory = list->memories[k]);
      PJRT_Error* error = PJ_CALL(PJRT_Client_BufferFromHostBuffer, args);
      if (error && list->memories[k] != pj_default_memory(pj.devices[i])) {
        pj_take(error);  // some memories take no transfers
        continue;
      }
      pj_must(TN_PJRT_AT_PJRT_Client_BufferFromHostBuffer, error);
      pj_finish("done_with_host_buffer", args->done_with_host_buffer);
      PJ_ARGS(PJRT_Buffer_Memory, is, .buffer = args->buffer);
      PJ_OK(PJRT_Buffer_Memory, is);
      TN_EXPECT(is->memory == list->memories[k], "the memory it was put into",
                "another one, not %zu of device %zu", k, i);
      pj_expect_floats("what was put", args->buffer, numbers, 4);
      pj_destroy(args->buffer);
    }
  }
}

// ---- What is no array ----

static void refuse(const char* what, int type, const int64_t* dims, size_t rank) {
  static const float numbers[4] = {1, 2, 3, 4};
  PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = numbers,
          .type = (PJRT_Buffer_Type)type, .dims = dims, .num_dims = rank, .device = pj.device);
  PJ_REFUSED(what, PJ_CALL(PJRT_Client_BufferFromHostBuffer, args), PJ_ANY_CODE);
}

static void bad_type(const tn_subject* subject) {
  const int64_t dims[] = {1};
  pj_start(subject);
  refuse("a buffer of a type that is none", subject->arg, dims, 1);
}

static void bad_dims(const tn_subject* subject) {
  const int64_t dims[] = {-4};
  pj_start(subject);
  refuse("a negative dimension", PJRT_Buffer_Type_F32, dims, 1);
}

static const tn_check_case cases[] = {
#define TYPE(name)                                                                 \
  {                                                                                \
    "buffers.type_" #name, "an array of " #name " comes back as it was put", type, \
        PJRT_Buffer_Type_##name                                                    \
  }
    TYPE(PRED),
    TYPE(S8),
    TYPE(S16),
    TYPE(S32),
    TYPE(S64),
    TYPE(U8),
    TYPE(U16),
    TYPE(U32),
    TYPE(U64),
    TYPE(F16),
    TYPE(F32),
    TYPE(F64),
    TYPE(BF16),
    TYPE(C64),
    TYPE(C128),
    TYPE(F8E5M2),
    TYPE(F8E4M3FN),
    TYPE(F8E4M3B11FNUZ),
    TYPE(F8E5M2FNUZ),
    TYPE(F8E4M3FNUZ),
    TYPE(S4),
    TYPE(U4),
    TYPE(S2),
    TYPE(U2),
    TYPE(F8E4M3),
    TYPE(F8E3M4),
    TYPE(F8E8M0FNU),
    TYPE(F4E2M1FN),
    TYPE(S1),
    TYPE(U1),
    TYPE(F6E2M3FN),
    TYPE(F6E3M2FN),
#undef TYPE
    {"buffers.rank_zero", "an array without dimensions holds one element", shape_round_trip, 0},
    {"buffers.no_elements", "an array may be empty", shape_round_trip, 1},
    {"buffers.no_elements_of_rank_3", "an array with dimensions may be empty", shape_round_trip, 2},
    {"buffers.one_element", "an array may hold one element", shape_round_trip, 3},
    {"buffers.matrix", "a matrix comes back as it was put", shape_round_trip, 4},
    {"buffers.rank_3", "an array of rank 3 comes back as it was put", shape_round_trip, 5},
    {"buffers.rank_6", "an array of rank 6 comes back as it was put", shape_round_trip, 6},
    {"buffers.large", "an array of a megabyte comes back as it was put", shape_round_trip, 7},
    {"buffers.dynamic_dimensions", "an ordinary buffer has no dynamic dimensions",
     dynamic_dimensions, 0},
    {"buffers.strides_dense", "strides may be told also where data is dense", strides, 0},
    {"buffers.strides_transposed", "strides may be those of a transposed array", strides, 1},
    {"buffers.strides_apart", "strides may leave gaps", strides, 2},
    {"buffers.strides_backwards", "strides may be negative", strides, 3},
    {"buffers.strides_rows_backwards", "strides may have both signs", strides, 4},
    {"buffers.strides_repeated_row", "a stride may be zero", strides, 5},
    {"buffers.strides_broadcast", "all strides may be zero", strides, 6},
    {"buffers.strides_random", "byte_strides say where elements are", strides, -1},
    {"buffers.strides_narrow", "elements below a byte have a byte each, strides too",
     narrow_strides, 0},
    {"buffers.only_during_call", "kImmutableOnlyDuringCall: not read after the call", semantics,
     PJRT_HostBufferSemantics_kImmutableOnlyDuringCall},
    {"buffers.until_transferred", "kImmutableUntilTransferCompletes: not read after the event",
     semantics, PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes},
    {"buffers.zero_copy", "kImmutableZeroCopy: given back at the latest with the buffer", semantics,
     PJRT_HostBufferSemantics_kImmutableZeroCopy},
    {"buffers.mutable_zero_copy", "kMutableZeroCopy: given back at the latest with the buffer",
     semantics, PJRT_HostBufferSemantics_kMutableZeroCopy},
    {"buffers.zero_copy_is_immutable", "memory given as immutable is not written, donated or not",
     zero_copy_is_immutable, 0},
    {"buffers.layout_row_major", "the usual layout may be asked for", device_layout, 1},
    {"buffers.layout_column_major", "another layout changes where elements lie, not what is read",
     device_layout, 0},
    {"buffers.on_each_device", "a buffer is on the device it was put on", on_each_device, 0},
    {"buffers.in_each_memory", "a buffer is in the memory it was put into", in_each_memory, 0},
    {"buffers.type_invalid", "the type INVALID is refused", bad_type, 0},
    {"buffers.type_unknown", "a type that there is not is refused", bad_type, 9999},
    {"buffers.negative_dimension", "a negative dimension is refused", bad_dims, 0},
};
const tn_check_group tn_check_pjrt_buffers = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
