#include "kernel/placement.h"

#include "device/transfer.h"

// Copies to `*out`, or leaves it as it is where the input lies right.
static bool place_one(const tn_kernel_instance* instance, size_t i, tn_stream* stream,
                      tn_tensor** out, tn_status* status) {
  tn_tensor* input = *out;
  tn_device* there = input->buffer->device;
  tn_device* wanted =
      instance->device->plugin && !instance->input_on_host[i] && !tn_dtype_is_hosts(input->dtype)
          ? instance->device
          : NULL;
  tn_tensor* moved = input;
  if (!wanted && there) moved = tn_tensor_to_host(input, status);
  if (wanted && there != wanted) moved = tn_tensor_to_stream(input, stream, status);
  if (!moved) {
    tn_status_annotate(status, "moving input %zu to where the kernel wants it", i);
    return false;
  }
  *out = moved;
  return !wanted || tn_stream_use(stream, moved->buffer, status);
}

bool tn_place(const tn_kernel_instance* instance, tn_tensor* const* inputs,
              const tn_run_options* options, tn_tensor** placed, tn_status* status) {
  tn_stream* stream = tn_run_stream_of(instance, options);
  for (size_t i = 0; i < instance->node->input_count; ++i) placed[i] = inputs[i];
  for (size_t i = 0; i < instance->node->input_count; ++i)
    if (placed[i] && placed[i]->buffer && !place_one(instance, i, stream, &placed[i], status))
      return false;
  return true;
}

void tn_unplace(const tn_kernel_instance* instance, tn_tensor* const* inputs, tn_tensor** placed) {
  for (size_t i = 0; i < instance->node->input_count; ++i)
    if (placed[i] != inputs[i]) tn_tensor_destroy(placed[i]);
}
