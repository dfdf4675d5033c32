// c_api.h and c_api_experimental.h: what is registered, and loading of plugins.

#include "tensorflow/c/c_api.h"

#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "device/device.h"
#include "kernel/kernel.h"
#include "op/op_registry.h"
#include "tenon/plugin.h"
#include "tensor/tensor.h"
#include "tensorflow/c/c_api_experimental.h"
#include "tf/entry.h"

// Plugins branch on it: this is the release whose C API these headers describe.
const char* TF_Version(void) { return "2.21.0"; }

TF_Buffer* TF_GetAllOpList(void) {
  tn_text bytes = {0};
  bool written = tn_op_registry_encode(&bytes, NULL);
  return tf_buffer_of(&bytes, written, NULL);
}

TF_Buffer* TF_GetAllRegisteredKernels(TF_Status* status) {
  tf_begin(status);
  tn_text bytes = {0};
  bool written = tn_kernel_registry_encode(NULL, &bytes, status);
  return tf_buffer_of(&bytes, written, status);
}

TF_Buffer* TF_GetRegisteredKernelsForOp(const char* name, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(name, status)) return NULL;
  tn_text bytes = {0};
  bool written = tn_kernel_registry_encode(name, &bytes, status);
  return tf_buffer_of(&bytes, written, status);
}

void TF_TensorFromProto(const TF_Buffer* from, TF_Tensor* to, TF_Status* status) {
  tf_begin(status);
  if (!TF_GIVEN(from, status) || !TF_GIVEN(to, status)) return;
  tn_view bytes = {from->data ? from->data : "", from->data ? from->length : 0};
  tn_tensor* parsed = tn_tensor_decode(bytes, status);
  if (!parsed) return;
  tn_tensor_bitcast(to, parsed, parsed->dtype, tn_shape_dims(&parsed->shape), parsed->shape.rank,
                    status);
  tn_tensor_destroy(parsed);
}

int TF_OpIsStateful(const char* op_type, TF_Status* status) {
  tf_begin(status);
  const tn_op_def* op = TF_GIVEN(op_type, status) ? tn_op_registry_get(op_type, status) : NULL;
  return op && op->is_stateful;
}

unsigned char TF_GetXlaAutoJitEnabled(void) { return 0; }

void TF_RegisterLogListener(void (*listener)(const char*)) { tn_log_set_listener(listener); }

struct TF_Library {
  tn_plugin* plugin;
  TF_Buffer* ops;  // OpList of what it registered
};

typedef struct ops_of_plugin {
  const char* path;
  tn_text bytes;
  bool failed;
} ops_of_plugin;

static bool encode_if_from(const tn_op_def* op, void* arg) {
  ops_of_plugin* ops = arg;
  if (!op->origin || strcmp(op->origin->path, ops->path) != 0) return true;
  size_t begun = tn_wire_begin(&ops->bytes, 1);
  ops->failed = !tn_op_def_encode(op, &ops->bytes, NULL);
  tn_wire_end(&ops->bytes, begun);
  return !ops->failed;
}

static TF_Library* load(const char* path, const tn_load_options* options, TF_Status* status) {
  tf_begin(status);
  tn_plugin* plugin = tn_plugin_load(path, options, status);
  if (!plugin) return NULL;
  ops_of_plugin ops = {.path = tn_plugin_path(plugin)};
  tn_op_registry_each(encode_if_from, &ops);
  TF_Library* library = tn_alloc_zeroed(1, sizeof *library);
  if (library) {
    library->plugin = plugin;
    library->ops = tf_buffer_of(&ops.bytes, !ops.failed, NULL);
  }
  tn_text_deinit(&ops.bytes);
  if (!library || !library->ops) {
    TF_DeleteLibraryHandle(library);
    tn_status_set_no_memory(status, "loading a library");
    return NULL;
  }
  return library;
}

TF_Library* TF_LoadLibrary(const char* library_filename, TF_Status* status) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .entry_points = TN_ENTRY_CONSTRUCTORS};
  return load(library_filename, &options, status);
}

TF_Library* TF_LoadPluggableDeviceLibrary(const char* library_filename, TF_Status* status) {
  // As in TensorFlow, a library without any entry point is opened and that is all.
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE,
                             .entry_points = TN_ENTRY_KERNEL | TN_ENTRY_CONSTRUCTORS};
  return load(library_filename, &options, status);
}

TF_Buffer TF_GetOpList(TF_Library* lib_handle) {
  if (!lib_handle) return (TF_Buffer){0};
  return (TF_Buffer){lib_handle->ops->data, lib_handle->ops->length, NULL};
}

void TF_DeleteLibraryHandle(TF_Library* lib_handle) {
  if (lib_handle) TF_DeleteBuffer(lib_handle->ops);
  tn_free(lib_handle);
}

void TF_DeletePluggableDeviceLibraryHandle(TF_Library* lib_handle) {
  TF_DeleteLibraryHandle(lib_handle);
}

// The devices of this host, which live for ever: a list of them holds nothing of its own.
struct TF_DeviceList {
  size_t count;
  tn_device* devices[];
};

TF_DeviceList* TFE_ContextListDevices(TFE_Context* ctx, TF_Status* status) {
  tf_begin(status);
  size_t count = tn_device_count();
  TF_DeviceList* list = tn_alloc_zeroed(1, sizeof *list + count * sizeof *list->devices);
  if (!list) {
    tn_status_set_no_memory(status, "listing devices");
    return NULL;
  }
  list->count = count;
  for (size_t i = 0; i < count; ++i) list->devices[i] = tn_device_at(i);
  return list;
}

void TF_DeleteDeviceList(TF_DeviceList* list) { tn_free(list); }
int TF_DeviceListCount(const TF_DeviceList* list) { return list ? (int)list->count : 0; }

static const tn_device* device_at(const TF_DeviceList* list, int index, TF_Status* status) {
  tf_begin(status);
  if (list && index >= 0 && (size_t)index < list->count) return list->devices[index];
  tn_status_set(status, TN_INVALID_ARGUMENT, "index out of bounds");
  return NULL;
}

const char* TF_DeviceListName(const TF_DeviceList* list, int index, TF_Status* status) {
  const tn_device* device = device_at(list, index, status);
  return device ? device->name : NULL;
}

const char* TF_DeviceListType(const TF_DeviceList* list, int index, TF_Status* status) {
  const tn_device* device = device_at(list, index, status);
  return device ? device->type : NULL;
}

int64_t TF_DeviceListMemoryBytes(const TF_DeviceList* list, int index, TF_Status* status) {
  tn_device* device = (tn_device*)device_at(list, index, status);
  tn_device_info info = {.struct_size = TN_DEVICE_INFO_STRUCT_SIZE};
  return device && tn_device_describe(device, &info, status) ? info.memory_total : -1;
}

// A device of this process never comes back under another incarnation.
uint64_t TF_DeviceListIncarnation(const TF_DeviceList* list, int index, TF_Status* status) {
  return device_at(list, index, status) ? 1 : 0;
}
