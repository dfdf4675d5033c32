// Where a run's tensors lie: inputs are brought to where the kernel wants them.
#ifndef TENON_KERNEL_PLACEMENT_H_
#define TENON_KERNEL_PLACEMENT_H_

#include "device/stream.h"
#include "kernel/run_context.h"

// The stream of a run: the one it was given, else the device's own; NULL on the CPU.
static inline tn_stream* tn_run_stream_of(const tn_kernel_instance* instance,
                                          const tn_run_options* options) {
  return options->stream ? options->stream : instance->device->stream;
}

// Device memory for a run, in the order of its stream.
static inline tn_allocator* tn_run_memory(const tn_kernel_instance* instance,
                                          const tn_run_options* options) {
  return options->stream ? &options->stream->allocator : instance->device->allocator;
}

// True when nothing has to be done: a kernel of the CPU, and inputs in host memory.
static inline bool tn_is_placed(const tn_kernel_instance* instance, tn_tensor* const* inputs) {
  if (instance->device->plugin) return false;
  for (size_t i = 0; i < instance->node->input_count; ++i)
    if (inputs[i] && inputs[i]->buffer && inputs[i]->buffer->device) return false;
  return true;
}

// Fills `placed` with the inputs themselves where they are in place, and with copies where not; the
// run's stream waits for others that work on them. Undone by tn_unplace, also after a failure.
bool tn_place(const tn_kernel_instance* instance, tn_tensor* const* inputs,
              const tn_run_options* options, tn_tensor** placed, tn_status* status);
void tn_unplace(const tn_kernel_instance* instance, tn_tensor* const* inputs, tn_tensor** placed);

#endif  // TENON_KERNEL_PLACEMENT_H_
