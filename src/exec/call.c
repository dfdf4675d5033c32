#include "tenon/call.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "exec/prepared.h"
#include "op/op_registry.h"

// The kernel for one list of input types.
typedef struct signature {
  struct signature* next;
  tn_prepared prepared;
  size_t count;
  tn_dtype types[];
} signature;

struct tn_call {
  const tn_op_def* op;
  tn_device* device;
  bool falls_back;
  tn_attrs attrs;
  pthread_mutex_t lock;            // for adding and renewing
  _Atomic(signature*) signatures;  // only ever grows at the front
};

tn_call* tn_call_create(const char* op, const char* device, tn_status* status) {
  const tn_op_def* def = tn_op_registry_get(op ? op : "", status);
  tn_device* found = def ? tn_device_find(device, status) : NULL;
  if (!found || !tn_device_open(found, status)) return NULL;
  tn_call* call = tn_alloc_zeroed(1, sizeof *call);
  if (!call) {
    tn_status_set_no_memory(status, "making a call");
    return NULL;
  }
  call->op = def;
  call->device = found;
  pthread_mutex_init(&call->lock, NULL);
  return call;
}

void tn_call_destroy(tn_call* call) {
  if (!call) return;
  signature* next = atomic_load_explicit(&call->signatures, memory_order_acquire);
  for (signature* at; (at = next);) {
    next = at->next;
    tn_prepared_deinit(&at->prepared);
    tn_free(at);
  }
  tn_attrs_deinit(&call->attrs);
  pthread_mutex_destroy(&call->lock);
  tn_free(call);
}

static bool given(const void* a, const void* b, const void* c, tn_status* status) {
  if (a && b && c) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "a call, or what it was called with, is NULL");
  return false;
}

bool tn_call_set_attr(tn_call* call, const char* name, const char* value, tn_status* status) {
  if (!given(call, name, value, status)) return false;
  if (atomic_load_explicit(&call->signatures, memory_order_relaxed)) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "attr '%s' of op %s was set after the first run; make another call for it", name,
                  call->op->name);
    return false;
  }
  const tn_attr_def* attr = tn_op_def_find_attr(call->op, name);
  tn_attr_value parsed;
  // Names with an underscore are anybody's; what they hold is then text.
  if (!attr && name[0] != '_') {
    tn_suggestion near = {.wanted = tn_view_of(name)};
    tn_text attrs = {0};
    for (size_t i = 0; i < call->op->attr_count; ++i) {
      tn_suggest_offer(&near, tn_view_of(call->op->attrs[i].name));
      tn_text_printf(&attrs, "%s%s", i ? ", " : "", call->op->attrs[i].name);
    }
    if (near.best.size)
      tn_status_set(status, TN_INVALID_ARGUMENT, "op %s has no attr '%s'; did you mean '%.*s'?",
                    call->op->name, name, TN_VIEW_ARGS(near.best));
    else
      tn_status_set(status, TN_INVALID_ARGUMENT, "op %s has no attr '%s'; it has: %s",
                    call->op->name, name, attrs.size ? tn_text_view(&attrs).data : "none");
    tn_text_deinit(&attrs);
    return false;
  }
  tn_attr_kind kind = attr ? attr->kind : TN_ATTR_STRING;
  bool is_list = attr && attr->is_list;
  if (!tn_attr_value_parse_typed(&parsed, kind, is_list, tn_view_of(value), status)) {
    tn_status_annotate(status, "attr '%s' of op %s takes a value of type %s", name, call->op->name,
                       tn_attr_type_name(kind, is_list));
    return false;
  }
  return tn_attrs_take(&call->attrs, name, &parsed, status);
}

bool tn_call_allow_cpu_fallback(tn_call* call, tn_status* status) {
  if (!given(call, call, call, status)) return false;
  if (atomic_load_explicit(&call->signatures, memory_order_relaxed)) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "a call of op %s was to fall back to the CPU after its first run; say so before",
                  call->op->name);
    return false;
  }
  call->falls_back = true;
  return true;
}

static signature* find(tn_call* call, const tn_dtype* types, size_t count) {
  signature* at = atomic_load_explicit(&call->signatures, memory_order_acquire);
  while (at && (at->count != count || memcmp(at->types, types, count * sizeof *types) != 0))
    at = at->next;
  return at;
}

// With the lock held: the signature's kernel, made or chosen again where that is needed.
static const tn_kernel_instance* prepare(tn_call* call, const tn_dtype* types, size_t count,
                                         tn_status* status) {
  signature* found = find(call, types, count);
  if (found) {
    const tn_kernel_instance* instance = tn_prepared_instance(&found->prepared);
    return instance ? instance : tn_prepared_renew(&found->prepared, status);
  }
  signature* made = tn_alloc_zeroed(1, sizeof *made + count * sizeof *types);
  if (!made) {
    tn_status_set_no_memory(status, "preparing a call");
    return NULL;
  }
  if (!tn_prepare(&made->prepared, call->op, call->device, call->falls_back, &call->attrs, types,
                  count, status)) {
    tn_free(made);
    return NULL;
  }
  made->count = count;
  memcpy(made->types, types, count * sizeof *types);
  made->next = atomic_load_explicit(&call->signatures, memory_order_relaxed);
  atomic_store_explicit(&call->signatures, made, memory_order_release);
  return atomic_load_explicit(&made->prepared.instance, memory_order_relaxed);
}

static const tn_kernel_instance* prepare_locked(tn_call* call, tn_tensor* const* inputs,
                                                size_t count, tn_status* status) {
  tn_dtype few[16];
  tn_dtype* types = count <= 16 ? few : tn_alloc(count * sizeof *types);
  if (!types) {
    tn_status_set_no_memory(status, "preparing a call");
    return NULL;
  }
  const tn_kernel_instance* instance = NULL;
  if (tn_types_of(inputs, count, types, status)) {
    pthread_mutex_lock(&call->lock);
    instance = prepare(call, types, count, status);
    pthread_mutex_unlock(&call->lock);
  }
  if (types != few) tn_free(types);
  return instance;
}

static const tn_kernel_instance* instance_for(tn_call* call, tn_tensor* const* inputs, size_t count,
                                              tn_status* status) {
  for (signature* at = atomic_load_explicit(&call->signatures, memory_order_acquire); at;
       at = at->next) {
    if (at->count != count || !tn_types_match(at->types, inputs, count)) continue;
    const tn_kernel_instance* instance = tn_prepared_instance(&at->prepared);
    if (instance) return instance;
    break;
  }
  return prepare_locked(call, inputs, count, status);
}

static bool run(tn_call* call, tn_tensor* const* inputs, size_t input_count, tn_tensor** outputs,
                size_t output_count, tn_run_options* options, tn_status* status) {
  if (!given(call, input_count ? inputs : (void*)call, output_count ? outputs : (void*)call,
             status))
    return false;
  const tn_kernel_instance* instance = instance_for(call, inputs, input_count, status);
  if (instance) {
    // The CPU's kernels, after a fallback too, are done when they return.
    if (!instance->device->plugin) options->stream = NULL;
    return tn_kernel_run_with(instance, inputs, input_count, outputs, output_count, options,
                              status);
  }
  for (size_t i = 0; i < output_count; ++i) outputs[i] = NULL;
  return false;
}

bool tn_call_run(tn_call* call, tn_tensor* const* inputs, size_t input_count, tn_tensor** outputs,
                 size_t output_count, tn_status* status) {
  return run(call, inputs, input_count, outputs, output_count, &(tn_run_options){0}, status);
}

bool tn_call_run_with(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                      tn_tensor** outputs, size_t output_count, const tn_call_options* options,
                      tn_status* status) {
  const char* wrong = options ? TN_CHECK_RESERVED(options, ext) : NULL;
  if (wrong) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "tn_call_options: struct_size %zu: %s; begin with TN_INIT(tn_call_options)",
                  options->struct_size, wrong);
    for (size_t i = 0; outputs && i < output_count; ++i) outputs[i] = NULL;
    return false;
  }
  tn_run_options how = {.cancel = options && TN_HAS(options, cancel) ? options->cancel : NULL,
                        .stream = options && TN_HAS(options, stream) ? options->stream : NULL};
  if (how.stream && call && tn_stream_device(how.stream) != call->device) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a call on %s cannot run on a stream of %s",
                  call->device->name, tn_device_name(tn_stream_device(how.stream)));
    for (size_t i = 0; outputs && i < output_count; ++i) outputs[i] = NULL;
    return false;
  }
  return run(call, inputs, input_count, outputs, output_count, &how, status);
}

int tn_call_output_count(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                         tn_status* status) {
  if (!given(call, input_count ? inputs : (void*)call, call, status)) return -1;
  const tn_kernel_instance* instance = instance_for(call, inputs, input_count, status);
  return instance ? (int)instance->node->output_count : -1;
}

tn_device* tn_call_device(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                          tn_status* status) {
  if (!given(call, input_count ? inputs : (void*)call, call, status)) return NULL;
  const tn_kernel_instance* instance = instance_for(call, inputs, input_count, status);
  return instance ? instance->device : NULL;
}

const char* tn_call_kernel_origin(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                                  tn_status* status) {
  if (!given(call, input_count ? inputs : (void*)call, call, status)) return NULL;
  const tn_kernel_instance* instance = instance_for(call, inputs, input_count, status);
  return instance ? tn_kernel_file(instance->kernel) : NULL;
}

const char* tn_call_kernel_name(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                                tn_status* status) {
  if (!given(call, input_count ? inputs : (void*)call, call, status)) return NULL;
  const tn_kernel_instance* instance = instance_for(call, inputs, input_count, status);
  return instance ? instance->kernel->name : NULL;
}
