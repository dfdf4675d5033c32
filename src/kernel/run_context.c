#include "kernel/run_context.h"

#include "base/futex.h"
#include "base/memory.h"
#include "kernel/placement.h"
#include "kernel/variable.h"

static const tn_node* node_of(const tn_run_context* context) { return context->instance->node; }

static void lock_status(tn_run_context* context) {
  while (atomic_flag_test_and_set_explicit(&context->failing, memory_order_acquire)) {
  }
}

static void unlock_status(tn_run_context* context) {
  atomic_flag_clear_explicit(&context->failing, memory_order_release);
}

void tn_run_fail(tn_run_context* context, const tn_status* status) {
  if (!context || tn_ok(status)) return;
  lock_status(context);
  tn_status_update(&context->status, status);
  unlock_status(context);
}

bool tn_run_failed(tn_run_context* context, tn_status* status) {
  lock_status(context);
  bool failed = !tn_ok(&context->status);
  if (failed) tn_status_copy(status, &context->status);
  unlock_status(context);
  return failed;
}

bool tn_run_conclude(tn_run_context* context, bool done, tn_status* why, tn_status* status) {
  if (!done) {
    tn_run_fail(context, why);
    tn_status_copy(status, why);
  }
  tn_status_deinit(why);
  return done;
}

void tn_run_failf(tn_run_context* context, tn_code code, const char* format, ...) {
  tn_status status = {0};
  va_list args;
  va_start(args, format);
  tn_status_setv(&status, code, format, args);
  va_end(args);
  tn_run_fail(context, &status);
  tn_status_deinit(&status);
}

tn_run_context* tn_run_of_this_thread(void) { return tn_pool_owner; }

void tn_run_pending_done(tn_run_context* context) {
  if (atomic_fetch_sub_explicit(&context->pending, 1, memory_order_release) == 1)
    tn_futex_wake(&context->pending, INT_MAX);
}

void tn_run_defer(tn_run_context* context) {
  if (!context) return;
  tn_run_begin_pending(context);
  atomic_fetch_add_explicit(&context->deferred, 1, memory_order_relaxed);
}

void tn_run_deferred_done(tn_run_context* context) {
  if (!context) return;
  int count = atomic_load_explicit(&context->deferred, memory_order_relaxed);
  do {
    if (count <= 0) {
      tn_run_failf(context, TN_INTERNAL,
                   "node '%s' ended deferred work that it had not begun (TF_DecNumDeferredOps)",
                   node_of(context)->name);
      return;
    }
  } while (!atomic_compare_exchange_weak_explicit(&context->deferred, &count, count - 1,
                                                  memory_order_release, memory_order_relaxed));
  tn_run_pending_done(context);
}

static bool no_context(tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "there is no kernel context (NULL)");
  return false;
}

static bool has_input(const tn_run_context* context, int i) {
  return context && i >= 0 && (size_t)i < context->input_count;
}

static bool has_output(const tn_run_context* context, int i) {
  return context && i >= 0 && (size_t)i < context->output_count;
}

bool tn_run_has_input(const tn_run_context* context, int i, tn_status* status) {
  if (has_input(context, i)) return true;
  if (!context) return no_context(status);
  tn_status_set(status, TN_OUT_OF_RANGE, "input index out of range: %d, node '%s' has %zu inputs",
                i, node_of(context)->name, context->input_count);
  return false;
}

bool tn_run_has_output(const tn_run_context* context, int i, tn_status* status) {
  if (has_output(context, i)) return true;
  if (!context) return no_context(status);
  tn_status_set(status, TN_OUT_OF_RANGE, "output index out of range: %d, node '%s' has %zu outputs",
                i, node_of(context)->name, context->output_count);
  return false;
}

// For functions that have no status to report by.
static void fail_index(tn_run_context* context, const char* function, long long i) {
  tn_run_failf(context, TN_OUT_OF_RANGE, "%s: index out of range: %lld, node '%s'", function, i,
               context ? node_of(context)->name : "");
}

int tn_run_input_count(const tn_run_context* context) {
  return context ? (int)context->input_count : 0;
}

int tn_run_output_count(const tn_run_context* context) {
  return context ? (int)context->output_count : 0;
}

tn_tensor* tn_run_input(tn_run_context* context, int i, tn_status* status) {
  if (!tn_run_has_input(context, i, status)) return NULL;
  const tn_tensor* input = context->inputs[i];
  if (input && input->dtype != node_of(context)->input_types[i]) {
    tn_variable* variable = tn_variable_referred(input);
    if (variable) return tn_variable_read(variable, status);
  }
  if (!input || !input->initialized) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "attempt to use a tensor with an uninitialized value (input %d of node '%s')", i,
                  node_of(context)->name);
    return NULL;
  }
  return tn_tensor_share(input, status);
}

bool tn_run_input_range(tn_run_context* context, const char* name, int* out_start, int* out_stop,
                        tn_status* status) {
  *out_start = *out_stop = -1;
  if (!context) return no_context(status);
  if (name && tn_node_input_range(node_of(context), name, out_start, out_stop)) return true;
  *out_start = *out_stop = -1;
  tn_status_set(status, TN_INVALID_ARGUMENT, "Unknown input name: %s", name ? name : "(null)");
  return false;
}

tn_tensor* tn_run_input_by_name(tn_run_context* context, const char* name, tn_status* status) {
  int start, stop;
  if (!tn_run_input_range(context, name, &start, &stop, status)) return NULL;
  if (stop != start + 1) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "OpKernel used list-valued input name '%s' when single-valued input was expected",
                  name);
    return NULL;
  }
  if (tn_dtype_is_ref(node_of(context)->input_types[start])) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "OpKernel used ref input name '%s' when non-ref input was expected", name);
    return NULL;
  }
  return tn_run_input(context, start, status);
}

tn_dtype tn_run_input_dtype(tn_run_context* context, int i) {
  if (has_input(context, i)) return node_of(context)->input_types[i];
  fail_index(context, "TF_InputDatatype", i);
  return TN_INVALID;
}

bool tn_run_input_is_ref(tn_run_context* context, int i, tn_status* status) {
  return tn_run_has_input(context, i, status) && tn_dtype_is_ref(node_of(context)->input_types[i]);
}

bool tn_run_input_on_host(tn_run_context* context, int i, tn_status* status) {
  return tn_run_has_input(context, i, status) && context->instance->input_on_host[i];
}

bool tn_run_output_on_host(tn_run_context* context, int i, tn_status* status) {
  return tn_run_has_output(context, i, status) && context->instance->output_on_host[i];
}

tn_dtype tn_run_output_dtype(tn_run_context* context, int i) {
  if (has_output(context, i)) return node_of(context)->output_types[i];
  fail_index(context, "TF_ExpectedOutputDataType", i);
  return TN_INVALID;
}

bool tn_run_set_output(tn_run_context* context, int i, const tn_tensor* tensor, tn_status* status) {
  if (!tn_run_has_output(context, i, status)) return false;
  tn_dtype expected = node_of(context)->output_types[i];
  if (tensor && tensor->dtype != expected) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "output %d of node '%s' is of type %s; a tensor of type %s was set", i,
                  node_of(context)->name, tn_dtype_name(expected), tn_dtype_name(tensor->dtype));
    return false;
  }
  tn_tensor* handle = tn_tensor_share(tensor, status);
  if (!handle) return false;
  tn_tensor_destroy(context->outputs[i]);
  context->outputs[i] = handle;
  return true;
}

tn_tensor* tn_run_output(tn_run_context* context, int i, tn_status* status) {
  if (!tn_run_has_output(context, i, status)) return NULL;
  if (context->outputs[i]) return tn_tensor_share(context->outputs[i], status);
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "output %d of node '%s' has not been allocated or set yet", i,
                node_of(context)->name);
  return NULL;
}

// Can output i be allocated? TensorFlow's words.
static bool check_allocation(tn_run_context* context, int i, tn_status* status) {
  if (!context) return no_context(status);
  const char* node = node_of(context)->name;
  if (!has_output(context, i))
    tn_status_set(status, TN_INTERNAL,
                  "allocate_output with bad index=%d num_outputs=%zu kernel=%s", i,
                  context->output_count, node);
  else if (tn_dtype_is_ref(node_of(context)->output_types[i]))
    tn_status_set(status, TN_INTERNAL, "allocate_output with ref type. index=%d, type=%d kernel=%s",
                  i, (int)node_of(context)->output_types[i], node);
  else if (context->outputs[i])
    tn_status_set(status, TN_INTERNAL,
                  "allocate_output on same index multiple times. index = %d kernel=%s", i, node);
  else
    return true;
  return false;
}

tn_tensor* tn_run_place(const tn_kernel_instance* instance, const tn_run_options* options,
                        tn_dtype dtype, const int64_t* dims, int rank, bool on_host,
                        tn_buffer* assigned, tn_status* status) {
  size_t bytes;
  if (assigned && (assigned->on_host || !on_host) && !tn_dtype_owns(dtype)) {
    if (!tn_tensor_size_of(dtype, dims, rank, &bytes, status)) return NULL;
    if (bytes <= assigned->size)
      return tn_tensor_wrap(tn_buffer_ref(assigned), dtype, dims, rank, status);
  }
  tn_allocator* memory =
      on_host ? instance->device->host_allocator : tn_run_memory(instance, options);
  return tn_tensor_create_in(memory, dtype, dims, rank, status);
}

// Makes `tensor` (taken, may be NULL) output i and returns a handle for the kernel.
static tn_tensor* hand_out(tn_run_context* context, int i, tn_tensor* tensor, tn_status* status) {
  if (!tensor) return NULL;
  tn_tensor* handle = tn_tensor_share_unseen(tensor, status);
  if (!handle) {
    tn_tensor_destroy(tensor);
    return NULL;
  }
  context->outputs[i] = tensor;
  return handle;
}

bool tn_run_output_type_is(const tn_run_context* context, int i, tn_dtype dtype,
                           tn_status* status) {
  if (!context || !has_output(context, i) || dtype == TN_INVALID) return true;
  tn_dtype expected = node_of(context)->output_types[i];
  if (tn_dtype_base(expected) == tn_dtype_base(dtype)) return true;
  tn_status_set(
      status, TN_INVALID_ARGUMENT,
      "output %d of '%s' is %s by the op's definition, and the kernel asks for %s; it should "
      "ask for TF_ExpectedOutputDataType, or be registered with a type constraint",
      i, node_of(context)->name, tn_dtype_name(expected), tn_dtype_name(dtype));
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

// For an output that check_allocation has let pass.
static tn_tensor* allocate_checked(tn_run_context* context, int i, const int64_t* dims, int rank,
                                   tn_status* status) {
  const tn_assigned_memory* assigned = context->options->assigned;
  tn_tensor* tensor =
      tn_run_place(context->instance, context->options, node_of(context)->output_types[i], dims,
                   rank, context->instance->output_on_host[i],
                   assigned && assigned->outputs ? assigned->outputs[i] : NULL, status);
  return hand_out(context, i, tensor, status);
}

tn_tensor* tn_run_allocate_output(tn_run_context* context, int i, const int64_t* dims, int rank,
                                  tn_status* status) {
  if (!check_allocation(context, i, status)) return NULL;
  return allocate_checked(context, i, dims, rank, status);
}

static bool can_forward(const tn_run_context* context, int input, int output, int64_t elements) {
  const tn_tensor* tensor = context->inputs[input];
  return context->options->donated && context->options->donated[input] && tensor &&
         tensor->initialized && tensor->dtype == node_of(context)->output_types[output] &&
         tn_tensor_elements(tensor) == elements && tensor->buffer->owned &&
         !tn_buffer_is_shared(tensor->buffer) &&
         context->instance->input_on_host[input] == context->instance->output_on_host[output];
}

tn_tensor* tn_run_forward_or_allocate(tn_run_context* context, const int* candidates,
                                      int candidate_count, int output, const int64_t* dims,
                                      int rank, int* out_forwarded, tn_status* status) {
  if (out_forwarded) *out_forwarded = -1;
  if (!check_allocation(context, output, status)) return NULL;
  if (candidate_count > 0 && !candidates) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%d candidate inputs at NULL", candidate_count);
    return NULL;
  }
  for (int i = 0; i < candidate_count; ++i)
    if (!tn_run_has_input(context, candidates[i], status)) return NULL;
  if (!context->options->donated) return allocate_checked(context, output, dims, rank, status);
  size_t bytes;
  tn_dtype dtype = node_of(context)->output_types[output];
  if (!tn_tensor_size_of(dtype, dims, rank, &bytes, status)) return NULL;
  int64_t elements = (int64_t)(bytes / tn_dtype_stored_size(dtype));
  for (int i = 0; i < candidate_count; ++i) {
    if (!can_forward(context, candidates[i], output, elements)) continue;
    tn_buffer* buffer = tn_buffer_ref(context->inputs[candidates[i]]->buffer);
    tn_tensor* handle =
        hand_out(context, output, tn_tensor_wrap(buffer, dtype, dims, rank, status), status);
    if (handle && out_forwarded) *out_forwarded = candidates[i];
    return handle;
  }
  return allocate_checked(context, output, dims, rank, status);
}

tn_tensor* tn_run_allocate_temp(tn_run_context* context, tn_dtype dtype, const int64_t* dims,
                                int rank, bool on_host, tn_status* status) {
  if (!context) return no_context(status), NULL;
  const tn_assigned_memory* assigned = context->options->assigned;
  tn_buffer* buffer = NULL;
  if (assigned && assigned->temporaries) {
    size_t i = atomic_fetch_add_explicit(&context->temporaries_used, 1, memory_order_relaxed);
    if (i < assigned->temporary_count) buffer = assigned->temporaries[i];
  }
  return tn_run_place(context->instance, context->options, dtype, dims, rank, on_host, buffer,
                      status);
}

tn_view tn_run_node_name(tn_run_context* context) {
  return tn_view_of(context ? node_of(context)->name : "");
}

tn_view tn_run_requested_input(tn_run_context* context, size_t i) {
  if (context && i < context->input_count) {
    char** names = node_of(context)->input_names;
    return tn_view_of(names ? names[i] : "");
  }
  fail_index(context, "TF_GetOpKernelRequestedInput", (long long)i);
  return tn_view_of("");
}

tn_view tn_run_device_name(tn_run_context* context) {
  return tn_view_of(context ? context->instance->device->name : "");
}

int tn_run_device_id(tn_run_context* context) {
  return context ? context->instance->device->ordinal : -1;
}

tn_view tn_run_default_container(tn_run_context* context) { return tn_view_of("localhost"); }

int64_t tn_run_step_id(const tn_run_context* context) {
  return context ? context->options->step_id : -1;
}

uint64_t tn_run_frame_id(const tn_run_context* context) {
  return context ? context->options->frame_id : 0;
}

int64_t tn_run_iter_id(const tn_run_context* context) {
  return context ? context->options->iter_id : -1;
}

void* tn_run_stream(tn_run_context* context, tn_status* status) {
  if (!context) return no_context(status), NULL;
  tn_stream* stream = tn_run_stream_of(context->instance, context->options);
  if (stream) return stream->handle;
  tn_status_set(status, TN_FAILED_PRECONDITION,
                "device '%s' has no stream: it is not a plugin's device",
                context->instance->device->name);
  return NULL;
}
