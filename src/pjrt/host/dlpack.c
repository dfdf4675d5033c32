// Buffers as DLPack tensors and back, without a copy.
#include "tenon/dlpack.h"

#include "base/memory.h"
#include "base/one_call.h"
#include "base/status.h"
#include "pjrt/host/buffer.h"
#include "pjrt/host/element_type.h"

_Static_assert(sizeof(tn_dlpack) == 64 && offsetof(tn_dlpack, shape) == 24 &&
                   offsetof(tn_dlpack, byte_offset) == 40 && offsetof(tn_dlpack, deleter) == 56,
               "tn_dlpack is DLPack's DLManagedTensor");

typedef struct dlpack_type {
  int32_t type;
  uint8_t code, bits;
} dlpack_type;

// Types of less than a byte are left out: how they are packed on a device is the plugin's affair.
static const dlpack_type types[] = {
    {PJRT_Buffer_Type_PRED, TN_DLPACK_BOOL, 8},
    {PJRT_Buffer_Type_S8, TN_DLPACK_INT, 8},
    {PJRT_Buffer_Type_S16, TN_DLPACK_INT, 16},
    {PJRT_Buffer_Type_S32, TN_DLPACK_INT, 32},
    {PJRT_Buffer_Type_S64, TN_DLPACK_INT, 64},
    {PJRT_Buffer_Type_U8, TN_DLPACK_UINT, 8},
    {PJRT_Buffer_Type_U16, TN_DLPACK_UINT, 16},
    {PJRT_Buffer_Type_U32, TN_DLPACK_UINT, 32},
    {PJRT_Buffer_Type_U64, TN_DLPACK_UINT, 64},
    {PJRT_Buffer_Type_F16, TN_DLPACK_FLOAT, 16},
    {PJRT_Buffer_Type_F32, TN_DLPACK_FLOAT, 32},
    {PJRT_Buffer_Type_F64, TN_DLPACK_FLOAT, 64},
    {PJRT_Buffer_Type_BF16, TN_DLPACK_BFLOAT, 16},
    {PJRT_Buffer_Type_C64, TN_DLPACK_COMPLEX, 64},
    {PJRT_Buffer_Type_C128, TN_DLPACK_COMPLEX, 128},
    {PJRT_Buffer_Type_F8E3M4, TN_DLPACK_FLOAT8_E3M4, 8},
    {PJRT_Buffer_Type_F8E4M3, TN_DLPACK_FLOAT8_E4M3, 8},
    {PJRT_Buffer_Type_F8E4M3B11FNUZ, TN_DLPACK_FLOAT8_E4M3B11FNUZ, 8},
    {PJRT_Buffer_Type_F8E4M3FN, TN_DLPACK_FLOAT8_E4M3FN, 8},
    {PJRT_Buffer_Type_F8E4M3FNUZ, TN_DLPACK_FLOAT8_E4M3FNUZ, 8},
    {PJRT_Buffer_Type_F8E5M2, TN_DLPACK_FLOAT8_E5M2, 8},
    {PJRT_Buffer_Type_F8E5M2FNUZ, TN_DLPACK_FLOAT8_E5M2FNUZ, 8},
    {PJRT_Buffer_Type_F8E8M0FNU, TN_DLPACK_FLOAT8_E8M0FNU, 8},
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

// What DLPack calls the devices of a client.
static int32_t device_type_of(const tn_pjrt_client* client) {
  static const struct {
    const char* platform;
    int32_t type;
  } known[] = {{"cpu", TN_DLPACK_CPU}, {"cuda", TN_DLPACK_CUDA}, {"rocm", TN_DLPACK_ROCM}};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(client->platform_name, known[i].platform) == 0) return known[i].type;
  return TN_DLPACK_OTHER;
}

static int32_t device_id_of(const tn_pjrt_device* device) {
  return device->hardware_id >= 0 ? device->hardware_id : device->id;
}

// ---- Out ----

typedef struct exported {
  tn_dlpack dlpack;
  tn_pjrt_buffer* buffer;
  int64_t numbers[];  // shape, then strides
} exported;

static void exported_delete(tn_dlpack* dlpack) {
  exported* self = (exported*)dlpack;
  (void)tn_pjrt_buffer_release(self->buffer, NULL);
  tn_pjrt_buffer_destroy(self->buffer);
  tn_free(self);
}

// Shape and strides. A plugin that does not tell its layout has the usual one.
static bool export_shape(exported* to, const int64_t* dims, size_t rank, tn_status* status) {
  int64_t order[TN_PJRT_MAX_RANK];
  tn_status own = {0};
  bool told = tn_pjrt_buffer_order(to->buffer, rank, order, &own);
  bool ok = told || tn_status_code(&own) == TN_UNIMPLEMENTED;
  if (!ok) tn_status_copy(status, &own);
  tn_status_deinit(&own);
  int64_t step = 1;
  for (size_t i = 0; i < rank; ++i) {
    size_t d = told ? (size_t)order[i] : rank - 1 - i;
    to->numbers[d] = dims[d];
    to->numbers[rank + d] = step;
    step *= dims[d] > 0 ? dims[d] : 1;
  }
  to->dlpack.shape = to->numbers;
  to->dlpack.strides = to->numbers + rank;
  return ok;
}

static bool wait_for(tn_pjrt_buffer* buffer, tn_status* status) {
  tn_pjrt_event* ready = tn_pjrt_buffer_ready(buffer, status);
  bool ok = ready && tn_pjrt_event_wait(ready, status);
  tn_pjrt_event_destroy(ready);
  return ok;
}

static bool export_place(exported* to, tn_status* status) {
  const tn_pjrt_device* device = tn_pjrt_buffer_device(to->buffer);
  if (!device)
    return tn_fail(status, TN_UNIMPLEMENTED, "the plugin does not tell the device of a buffer");
  bool host = tn_pjrt_buffer_on_cpu(to->buffer);
  to->dlpack.device_type = host ? TN_DLPACK_CPU : device_type_of(to->buffer->client);
  to->dlpack.device_id = host ? 0 : device_id_of(device);
  // The contents must be there: whoever takes the tensor has no event to wait for. And the address
  // comes last, since it must be given back.
  if (!wait_for(to->buffer, status)) return false;
  tn_status own = {0};
  to->dlpack.data = tn_pjrt_buffer_acquire(to->buffer, &own);
  bool ok = tn_ok(&own);
  if (!ok) tn_status_copy(status, &own);
  tn_status_deinit(&own);
  return ok;
}

void* tn_pjrt_buffer_to_dlpack(tn_pjrt_buffer* buffer, tn_status* status) {
  int32_t type = tn_pjrt_buffer_type(buffer);
  size_t rank, at = 0;
  const int64_t* dims;
  if (!tn_pjrt_buffer_shape(buffer, &dims, &rank, status)) return NULL;
  while (at < TYPE_COUNT && types[at].type != type) ++at;
  if (at == TYPE_COUNT) {
    tn_fail(status, TN_UNIMPLEMENTED, "a PJRT buffer of type %s cannot become a DLPack tensor",
            tn_pjrt_type_name(type));
    return NULL;
  }
  exported* made = tn_alloc_zeroed(1, sizeof *made + 2 * rank * sizeof *made->numbers);
  if (!made) {
    tn_status_set_no_memory(status, "making a DLPack tensor");
    return NULL;
  }
  made->buffer = buffer;
  made->dlpack = (tn_dlpack){.rank = (int32_t)rank,
                             .code = types[at].code,
                             .bits = types[at].bits,
                             .lanes = 1,
                             .manager = made,
                             .deleter = exported_delete};
  size_t bytes;
  if (!tn_pjrt_array_bytes(type, dims, rank, &bytes, status) ||
      !export_shape(made, dims, rank, status) || !export_place(made, status)) {
    tn_free(made);
    return NULL;
  }
  atomic_fetch_add_explicit(&buffer->holders, 1, memory_order_relaxed);
  return &made->dlpack;
}

// ---- In ----

static void import_end(tn_pjrt_import* import) {
  tn_pjrt_nodes* nodes = import->nodes;
  tn_pjrt_nodes_give(nodes, import);
  tn_pjrt_nodes_unref(nodes);
}

// The plugin no longer uses the memory. One that says so twice is listened to once.
static void imported_delete(void* data, void* arg) {
  (void)data;
  void* taken;
  if (!tn_one_call_take(arg, &taken)) return;
  tn_dlpack* dlpack = ((tn_pjrt_import*)taken)->dlpack;
  import_end(taken);
  if (dlpack->deleter) dlpack->deleter(dlpack);
}

// Whether the elements follow each other without gaps in this order. Where they do not, the first
// dimension that is out of step.
static bool is_dense(const tn_dlpack* dlpack, const int64_t* order, int64_t* at, int64_t* step) {
  *step = 1;
  for (int32_t i = 0; i < dlpack->rank; ++i) {
    *at = order[i];
    int64_t size = dlpack->shape[*at];
    if (size == 0) return true;
    if (size > 1 && dlpack->strides[*at] != *step) return false;
    *step *= size;
  }
  return true;
}

// The order of the dimensions in memory, which must be dense in some order: views have no strides.
static bool import_order(const tn_dlpack* dlpack, int64_t* order, tn_status* status) {
  int32_t rank = dlpack->rank;
  int64_t at = 0, step = 1;
  for (int32_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  if (!dlpack->strides || is_dense(dlpack, order, &at, &step)) return true;
  // By stride; dimensions of one element, whose strides mean nothing, go last.
  for (int32_t i = 0; i < rank; ++i) {
    int64_t dimension = rank - 1 - i;
    int64_t stride = dlpack->shape[dimension] == 1 ? INT64_MAX : dlpack->strides[dimension];
    int32_t k = i;
    for (; k > 0; --k) {
      int64_t before = order[k - 1];
      if (dlpack->shape[before] != 1 && dlpack->strides[before] <= stride) break;
      order[k] = before;
    }
    order[k] = dimension;
  }
  if (is_dense(dlpack, order, &at, &step)) return true;
  return tn_fail(status, TN_UNIMPLEMENTED,
                 "a DLPack tensor has gaps between its elements (the stride of dimension %lld is "
                 "%lld, dense would be %lld); make it dense first",
                 (long long)at, (long long)dlpack->strides[at], (long long)step);
}

static tn_pjrt_device* import_device(tn_pjrt_client* client, const tn_dlpack* dlpack,
                                     tn_pjrt_device* device, tn_status* status) {
  int32_t expected = device_type_of(client);
  if (dlpack->device_type != expected) {
    tn_fail(status, TN_INVALID_ARGUMENT,
            "a DLPack tensor of device type %d was given to a client on %s, which has type %d; "
            "tn_pjrt_buffer_create copies from host memory",
            (int)dlpack->device_type, client->platform_name, (int)expected);
    return NULL;
  }
  if (device && device->client == client) return device;
  for (size_t i = 0; !device && i < client->addressable_count; ++i)
    if (device_id_of(client->addressable[i]) == dlpack->device_id ||
        (expected == TN_DLPACK_CPU && client->addressable_count == 1))
      return client->addressable[i];
  tn_fail(status, TN_INVALID_ARGUMENT,
          "the client on %s has no device %d of a DLPack tensor, or the given one is another "
          "client's",
          client->platform_name, (int)dlpack->device_id);
  return NULL;
}

tn_pjrt_buffer* tn_pjrt_buffer_from_dlpack(tn_pjrt_client* client, void* managed,
                                           tn_pjrt_device* device, tn_status* status) {
  tn_dlpack* dlpack = managed;
  if (!client || !dlpack || dlpack->rank < 0 || dlpack->rank > TN_PJRT_MAX_RANK ||
      (dlpack->rank > 0 && !dlpack->shape)) {
    tn_fail(status, TN_INVALID_ARGUMENT,
            "no PJRT client was given, or no DLPack tensor with a shape of rank 0 to %d",
            (int)TN_PJRT_MAX_RANK);
    return NULL;
  }
  size_t at = 0;
  while (at < TYPE_COUNT &&
         !(types[at].code == dlpack->code && types[at].bits == dlpack->bits && dlpack->lanes == 1))
    ++at;
  if (at == TYPE_COUNT) {
    tn_fail(status, TN_UNIMPLEMENTED,
            "PJRT has no type for a DLPack tensor of type code %d, %d bits, %d lanes", dlpack->code,
            dlpack->bits, dlpack->lanes);
    return NULL;
  }
  tn_pjrt* plugin = client->plugin;
  size_t bytes;
  int64_t order[TN_PJRT_MAX_RANK], room[TN_PJRT_MAX_RANK];
  PJRT_Buffer_MemoryLayout layout;
  if (!tn_pjrt_type_check(plugin, types[at].type, status) ||
      !tn_pjrt_array_bytes(types[at].type, dlpack->shape, (size_t)dlpack->rank, &bytes, status) ||
      !import_order(dlpack, order, status) ||
      !tn_pjrt_layout_init(plugin, &layout, room, order, (size_t)dlpack->rank, status))
    return NULL;
  device = import_device(client, dlpack, device, status);
  if (!device) return NULL;
  // Our objects first: once the plugin has the memory, only the plugin gives it back.
  void* taken[2];
  if (!tn_pjrt_nodes_take(client->nodes, taken, 2, status)) return NULL;
  tn_pjrt_buffer* buffer = taken[0];
  tn_pjrt_import* import = taken[1];
  *import = (tn_pjrt_import){client->nodes, dlpack};
  tn_pjrt_nodes_ref(client->nodes);
  void* number = tn_one_call_create(NULL, import);
  if (!number) {
    import_end(import);
    tn_pjrt_nodes_give(client->nodes, buffer);
    tn_status_set_no_memory(status, "taking a DLPack tensor");
    return NULL;
  }
  TN_PJRT_ARGS(plugin, PJRT_Client_CreateViewOfDeviceBuffer_Args, args, .client = client->theirs,
               .device_buffer_ptr = (char*)dlpack->data + dlpack->byte_offset,
               .dims = dlpack->shape, .num_dims = (size_t)dlpack->rank,
               .element_type = (PJRT_Buffer_Type)types[at].type, .layout = &layout,
               .device = device->theirs, .on_delete_callback = imported_delete,
               .on_delete_callback_arg = number);
  bool ok = TN_PJRT_CALL(plugin, PJRT_Client_CreateViewOfDeviceBuffer, args, status);
  if (ok && !args->buffer)
    ok = tn_fail(status, TN_INTERNAL,
                 "%s: PJRT_Client_CreateViewOfDeviceBuffer: no error and no buffer", plugin->name);
  if (!ok) {
    // A plugin that fails may have let go of the memory all the same: then it is gone.
    if (tn_one_call_cancel(number)) import_end(import);
    tn_pjrt_nodes_give(client->nodes, buffer);
    return NULL;
  }
  tn_pjrt_client_ref(client, 1);
  *buffer = (tn_pjrt_buffer){.client = client, .theirs = args->buffer, .holders = 1};
  return buffer;
}
