// Deleting, destroying, holding from outside; buffers that others own, or that carry an error.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check/pjrt/fixture.h"
#include "check/pjrt/groups.h"

static const float numbers[4] = {1, 2, 3, 4};

static PJRT_Buffer* start(const tn_subject* subject) {
  pj_start(subject);
  return pj_put_floats(numbers, 4);
}

static void deleted(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  TN_EXPECT(!pj_is_deleted(buffer), "false before PJRT_Buffer_Delete", "true");
  pj_delete(buffer);
  TN_EXPECT(pj_is_deleted(buffer), "true after PJRT_Buffer_Delete", "false");
  pj_destroy(buffer);
}

static void deleted_twice(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  pj_delete(buffer);
  PJ_ARGS(PJRT_Buffer_Delete, args, .buffer = buffer);
  pj_take(PJ_CALL(PJRT_Buffer_Delete, args));
  TN_EXPECT(pj_is_deleted(buffer), "true", "false");
  pj_destroy(buffer);
}

static void deleted_refuses(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  pj_delete(buffer);
  const pj_error error = pj_read_failure(buffer, sizeof numbers);
  TN_EXPECT(error.code, "an error", "a deleted buffer is read");
}

static void deleted_ready_event(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  pj_delete(buffer);
  PJ_ARGS(PJRT_Buffer_ReadyEvent, args, .buffer = buffer);
  pj_error error = pj_take(PJ_CALL(PJRT_Buffer_ReadyEvent, args));
  if (!error.code) {
    TN_NEED(args->event, "an event or an error", "neither");
    error = pj_await(args->event);
    pj_event_destroy(args->event);
  }
  TN_EXPECT(error.code, "an event that ends with an error", "a deleted buffer is ready");
}

// A larger buffer, so that reading it takes a while where it can.
enum { many = 1 << 19 };

static PJRT_Buffer* put_many(float** data) {
  *data = tn_alloc(many * sizeof **data);
  for (int i = 0; i < many; ++i) (*data)[i] = (float)(i % 1000);
  const int64_t dims[] = {many};
  return pj_put(*data, PJRT_Buffer_Type_F32, dims, 1);
}

static void gone_while_read(const tn_subject* subject) {
  pj_start(subject);
  float* data;
  PJRT_Buffer* buffer = put_many(&data);
  float* seen = tn_alloc_zeroed(many, sizeof *seen);
  PJRT_Event* event;
  pj_must(TN_PJRT_AT_PJRT_Buffer_ToHostBuffer, pj_read(buffer, seen, many * sizeof *seen, &event));
  subject->arg ? pj_destroy(buffer) : pj_delete(buffer);
  pj_finish("the event of PJRT_Buffer_ToHostBuffer", event);
  pj_compare("what was read while the buffer went", seen, data, many * sizeof *seen);
}

// ---- External references ----

static void increase(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_IncreaseExternalReferenceCount, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_IncreaseExternalReferenceCount, args);
}

static PJRT_Error* decrease(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_DecreaseExternalReferenceCount, args, .buffer = buffer);
  return PJ_CALL(PJRT_Buffer_DecreaseExternalReferenceCount, args);
}

static const void* address_of(PJRT_Buffer* buffer) {
  PJ_ARGS(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_OpaqueDeviceMemoryDataPointer, args);
  TN_NEED(args->device_memory_ptr, "an address", "NULL");
  return args->device_memory_ptr;
}

static void references(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  increase(buffer);
  increase(buffer);
  pj_must(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount, decrease(buffer));
  pj_must(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount, decrease(buffer));
  pj_expect_floats("what was put", buffer, numbers, 4);
  pj_destroy(buffer);
}

static void underflow(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  pj_need(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount);
  PJ_REFUSED("one decrease too many", decrease(buffer), PJ_INVALID);
  increase(buffer);
  pj_must(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount, decrease(buffer));
  PJ_REFUSED("one decrease too many", decrease(buffer), PJ_INVALID);
}

// Other buffers and blocks come and go, so that memory freed too early gets other contents.
static void churn(void) {
  float other[4] = {-1, -1, -1, -1};
  PJRT_Buffer* buffers[32];
  void* blocks[64];
  for (int i = 0; i < 64; ++i) {
    blocks[i] = malloc(16);
    if (blocks[i]) memcpy(blocks[i], other, sizeof other);
  }
  for (int i = 0; i < 32; ++i) buffers[i] = pj_put_floats(other, 4);
  for (int i = 0; i < 32; ++i) pj_destroy(buffers[i]);
  for (int i = 0; i < 64; ++i) free(blocks[i]);
}

// A buffer in the first memory that the host can read.
static PJRT_Buffer* put_readable(void) {
  PJ_ARGS(PJRT_Device_AddressableMemories, list, .device = pj.device);
  PJ_OK(PJRT_Device_AddressableMemories, list);
  const int64_t dims[] = {4};
  for (size_t i = 0; i < list->num_memories; ++i) {
    PJ_ARGS(PJRT_Client_BufferFromHostBuffer, args, .client = pj.client, .data = numbers,
            .type = PJRT_Buffer_Type_F32, .dims = dims, .num_dims = 1, .memory = list->memories[i]);
    if (pj_take(PJ_CALL(PJRT_Client_BufferFromHostBuffer, args)).code) continue;
    pj_finish("done_with_host_buffer", args->done_with_host_buffer);
    if (pj_on_cpu(args->buffer)) return args->buffer;
    pj_destroy(args->buffer);
  }
  tn_case_skip("no memory of the device is the host's");
}

static void reference_keeps_memory(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Buffer* buffer = put_readable();
  increase(buffer);
  const void* at = address_of(buffer);
  pj_delete(buffer);
  churn();
  pj_compare("memory that is held from outside, after the buffer was deleted", at, numbers,
             sizeof numbers);
  pj_must(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount, decrease(buffer));
  pj_destroy(buffer);
}

static void reference_and_donation(const tn_subject* subject) {
  pj_start(subject);
  PJRT_Buffer* inputs[2] = {put_readable(), pj_put_floats(numbers, 4)};
  const float sums[4] = {2, 3, 4, 5};
  increase(inputs[0]);
  const void* at = address_of(inputs[0]);
  PJRT_LoadedExecutable* loaded = pj_compile(pj_add_one_aliased);
  PJRT_Buffer* outputs[2] = {NULL, NULL};
  const pj_error error = pj_take(pj_try_execute(loaded, inputs, 2, outputs, NULL, NULL));
  if (!error.code) pj_expect_floats("one more", outputs[0], sums, 4);
  pj_compare("memory that is held from outside, after a donation", at, numbers, sizeof numbers);
  pj_must(TN_PJRT_AT_PJRT_Buffer_DecreaseExternalReferenceCount, decrease(inputs[0]));
}

// ---- Memory of others ----

static _Atomic int released;
static void count_release(void* data, void* arg) { atomic_fetch_add(&released, 1); }

static void view(const tn_subject* subject) {
  PJRT_Buffer* owner = start(subject);
  PJRT_Memory* memory = pj_default_memory(pj.device);
  void* at = (void*)address_of(owner);
  // A view knows nothing of work that is under way on the memory.
  pj_finish("the owner's ready event", pj_ready_event(owner));
  const int64_t dims[] = {4};
  PJRT_Buffer_MemoryLayout layout = pj_usual_layout(1);
  PJ_ARGS(PJRT_Client_CreateViewOfDeviceBuffer, args, .client = pj.client, .device_buffer_ptr = at,
          .dims = dims, .num_dims = 1, .element_type = PJRT_Buffer_Type_F32, .layout = &layout,
          .device = pj.device, .on_delete_callback = count_release,
          .memory = pj.plugin->minor >= 66 ? memory : NULL);
  PJ_OK(PJRT_Client_CreateViewOfDeviceBuffer, args);
  TN_NEED(args->buffer, "a buffer", "NULL");
  pj_expect_floats("the view", args->buffer, numbers, 4);
  TN_EXPECT(atomic_load(&released) == 0, "memory that is kept while there is a view",
            "on_delete_callback was called");
  pj_destroy(args->buffer);
  TN_NEED(tn_case_wait_for(&released, 1), "on_delete_callback", "it was not called");
  churn();
  TN_EXPECT(atomic_load(&released) == 1, "on_delete_callback once", "%d times",
            atomic_load(&released));
  pj_expect_floats("the owner", owner, numbers, 4);
}

static void uninitialized(const tn_subject* subject) {
  pj_start(subject);
  const int64_t dims[] = {3, 4};
  PJ_ARGS(PJRT_Client_CreateUninitializedBuffer, args, .client = pj.client, .shape_dims = dims,
          .shape_num_dims = 2, .shape_element_type = PJRT_Buffer_Type_F32, .device = pj.device,
          .memory = pj_default_memory(pj.device));
  PJ_OK(PJRT_Client_CreateUninitializedBuffer, args);
  TN_NEED(args->buffer, "a buffer", "NULL");
  PJ_ARGS(PJRT_Buffer_Dimensions, shape, .buffer = args->buffer);
  PJ_OK(PJRT_Buffer_Dimensions, shape);
  TN_EXPECT(shape->num_dims == 2 && shape->dims[0] == 3 && shape->dims[1] == 4, "3 x 4",
            "%zu dimensions", shape->num_dims);
  float seen[12];
  pj_get(args->buffer, seen, sizeof seen);
  pj_destroy(args->buffer);
}

static void error_buffer(const tn_subject* subject) {
  pj_start(subject);
  const int64_t dims[] = {4};
  PJ_ARGS(PJRT_Client_CreateErrorBuffer, args, .client = pj.client,
          .error_code = PJRT_Error_Code_ABORTED, .error_message = "it was told to",
          .error_message_size = 14, .shape_dims = dims, .shape_num_dims = 1,
          .shape_element_type = PJRT_Buffer_Type_F32, .memory = pj_default_memory(pj.device));
  PJ_OK(PJRT_Client_CreateErrorBuffer, args);
  TN_NEED(args->buffer, "a buffer", "NULL");
  PJRT_Event* event = pj_ready_event(args->buffer);
  pj_error error = pj_await(event);
  TN_EXPECT(error.code == PJRT_Error_Code_ABORTED && strstr(error.text, "it was told to"),
            "ABORTED: it was told to", "%s: %s", pj_code_name(error.code), error.text);
  pj_event_destroy(event);
  error = pj_read_failure(args->buffer, 16);
  TN_EXPECT(error.code == PJRT_Error_Code_ABORTED, "ABORTED when it is read", "%s",
            pj_code_name(error.code));
  pj_destroy(args->buffer);
}

static void alias_buffer(const tn_subject* subject) {
  pj_start(subject);
  const int64_t dims[] = {4};
  PJRT_Buffer_MemoryLayout layout = pj_usual_layout(1);
  PJ_ARGS(PJRT_Client_CreateAliasBuffer, args, .client = pj.client,
          .memory = pj_default_memory(pj.device), .shape_dims = dims, .shape_num_dims = 1,
          .shape_element_type = PJRT_Buffer_Type_F32, .shape_layout = &layout);
  PJ_OK(PJRT_Client_CreateAliasBuffer, args);
  TN_NEED(args->alias_buffer && args->fulfill_alias_buffer_cb, "a buffer and a callback",
          "%p and %p", (void*)args->alias_buffer, (void*)args->fulfill_alias_buffer_cb);
  PJRT_Buffer* source = pj_put_floats(numbers, 4);
  const bool fails = subject->arg;
  PJ_ARGS(PJRT_Client_FulfillAliasBuffer, fulfill, .client = pj.client,
          .buffer = fails ? NULL : source,
          .status_code = fails ? PJRT_Error_Code_ABORTED : PJRT_Error_Code_OK,
          .error_message = fails ? "no" : "", .error_message_size = fails ? 2 : 0,
          .fulfill_alias_buffer_cb = args->fulfill_alias_buffer_cb);
  PJ_OK(PJRT_Client_FulfillAliasBuffer, fulfill);
  if (fails) {
    const pj_error error = pj_read_failure(args->alias_buffer, 16);
    TN_EXPECT(error.code == PJRT_Error_Code_ABORTED, "ABORTED", "%s", pj_code_name(error.code));
  } else {
    pj_expect_floats("the alias", args->alias_buffer, numbers, 4);
  }
}

static void control_dependency(const tn_subject* subject) {
  PJRT_Buffer* buffer = start(subject);
  PJ_ARGS(PJRT_Buffer_DonateWithControlDependency, args, .buffer = buffer);
  PJ_OK(PJRT_Buffer_DonateWithControlDependency, args);
  TN_NEED(args->out_buffer && args->dependency_ready_callback, "a buffer and a callback",
          "%p and %p", (void*)args->out_buffer, (void*)(uintptr_t)args->dependency_ready_callback);
  TN_EXPECT(pj_is_deleted(buffer), "the donated buffer says that it is deleted", "it does not");
  PJRT_Buffer_DonateWithControlDependency_Callback_Args ready = {
      .struct_size = PJRT_Buffer_DonateWithControlDependency_Callback_Args_STRUCT_SIZE,
      .callback_data = args->callback_data,
      .error_message = ""};
  tn_case_enter("dependency_ready_callback");
  args->dependency_ready_callback(&ready);
  tn_case_leave();
  pj_expect_floats("the new buffer", args->out_buffer, numbers, 4);
}

// ---- Destroying nothing ----

#define NULLS(X)                                \
  X(PJRT_Event_Destroy, event)                  \
  X(PJRT_Client_Destroy, client)                \
  X(PJRT_Buffer_Destroy, buffer)                \
  X(PJRT_Executable_Destroy, executable)        \
  X(PJRT_LoadedExecutable_Destroy, executable)  \
  X(PJRT_TopologyDescription_Destroy, topology) \
  X(PJRT_ExecuteContext_Destroy, context)       \
  X(PJRT_AsyncHostToDeviceTransferManager_Destroy, transfer_manager)

enum {
#define NUMBER(ENTRY, field) null_##ENTRY,
  NULLS(NUMBER)
#undef NUMBER
};

static void destroy_null(const tn_subject* subject) {
  pj_open(subject);
  switch (subject->arg) {
#define DESTROY(ENTRY, field)                          \
  case null_##ENTRY: {                                 \
    PJ_ARGS(ENTRY, args, .field = NULL);               \
    pj_must(TN_PJRT_AT_##ENTRY, PJ_CALL(ENTRY, args)); \
    break;                                             \
  }
    NULLS(DESTROY)
#undef DESTROY
  }
}

static const tn_check_case cases[] = {
    {"lifetimes.deleted", "a buffer that was deleted says so", deleted, 0},
    {"lifetimes.deleted_twice", "deleting a buffer again does no harm", deleted_twice, 0},
    {"lifetimes.deleted_refuses", "a deleted buffer cannot be read", deleted_refuses, 0},
    {"lifetimes.deleted_ready_event", "the ready event of a deleted buffer ends with an error",
     deleted_ready_event, 0},
    {"lifetimes.deleted_while_read", "a buffer may be deleted while it is read", gone_while_read,
     0},
    {"lifetimes.destroyed_while_read", "a buffer may be destroyed while it is read",
     gone_while_read, 1},
    {"lifetimes.references", "external references may be taken and given back", references, 0},
    {"lifetimes.underflow", "giving back a reference that was not taken is INVALID_ARGUMENT",
     underflow, 0},
    {"lifetimes.reference_keeps_memory", "memory lives as long as it is held from outside",
     reference_keeps_memory, 0},
    {"lifetimes.reference_and_donation", "memory that is held from outside is not donated away",
     reference_and_donation, 0},
    {"lifetimes.view", "a view reads the owner's memory; on_delete_callback comes once", view, 0},
    {"lifetimes.uninitialized", "a buffer may be made without contents", uninitialized, 0},
    {"lifetimes.error_buffer", "an error buffer carries its error", error_buffer, 0},
    {"lifetimes.alias", "an alias buffer gets the contents of another", alias_buffer, 0},
    {"lifetimes.alias_fails", "an alias buffer that is fulfilled with an error carries it",
     alias_buffer, 1},
    {"lifetimes.control_dependency", "a donation may wait for a dependency", control_dependency, 0},
#define CASE(ENTRY, field) \
  {"lifetimes.null." #ENTRY, #ENTRY " takes NULL and does nothing", destroy_null, null_##ENTRY},
    NULLS(CASE)
#undef CASE
};
const tn_check_group tn_check_pjrt_lifetimes = TN_CHECK_GROUP(TN_FACE_PJRT, cases);
