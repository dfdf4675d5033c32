// Calling a kernel: checks before, waiting for what is left to finish, checks after.
#include "base/futex.h"
#include "base/memory.h"
#include "kernel/placement.h"
#include "kernel/variable.h"
#include "op/shape_inference.h"

static const tn_run_options no_options;

static bool check_counts(const tn_node* node, size_t input_count, size_t output_count,
                         tn_status* status) {
  if (input_count == node->input_count && output_count == node->output_count) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "node '%s' (op %s) has %zu inputs and %zu outputs; it was run with %zu and %zu",
                node->name, node->op->name, node->input_count, node->output_count, input_count,
                output_count);
  return false;
}

// A kernel in C++ may well abort on a type it did not ask for.
static bool check_inputs(const tn_node* node, tn_tensor* const* inputs, tn_status* status) {
  for (size_t i = 0; i < node->input_count; ++i) {
    const tn_tensor* input = inputs[i];
    tn_dtype expected = node->input_types[i];
    if (!input || input->dtype == expected) continue;
    tn_dtype found = tn_value_dtype(input);
    // What is wanted by value may come by reference.
    if (found == expected || tn_dtype_base(found) == expected) continue;
    tn_status_set(status, TN_INVALID_ARGUMENT, "input %zu of node '%s' (op %s) is %s; %s is needed",
                  i, node->name, node->op->name, tn_dtype_name(found), tn_dtype_name(expected));
    return false;
  }
  return true;
}

static void drop_outputs(tn_tensor** outputs, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    tn_tensor_destroy(outputs[i]);
    outputs[i] = NULL;
  }
}

static bool check_outputs(const tn_node* node, tn_tensor* const* outputs, tn_status* status) {
  for (size_t i = 0; i < node->output_count; ++i) {
    if (outputs[i]) continue;
    tn_status_set(status, TN_INTERNAL, "Missing %zu-th output from {{node %s}}", i, node->name);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
  return true;
}

static void run_async(const tn_kernel_instance* instance, tn_run_context* context) {
  tn_done_callback* done = tn_done_callback_create();
  if (!done) {
    tn_status_set_no_memory(&context->status, "starting an asynchronous kernel");
    return;
  }
  instance->kernel->functions.compute_async(instance->state, context, done);
  tn_done_callback_wait(done);
}

static bool run_in_context(const tn_kernel_instance* instance, tn_tensor* const* inputs,
                           tn_tensor** outputs, const tn_run_options* options, tn_status* status) {
  const tn_node* node = instance->node;
  tn_run_context context = {.instance = instance,
                            .inputs = inputs,
                            .input_count = node->input_count,
                            .outputs = outputs,
                            .output_count = node->output_count,
                            .options = options,
                            .failing = ATOMIC_FLAG_INIT};
  void* outer = tn_run_enter(&context);
  if (instance->kernel->functions.compute)
    instance->kernel->functions.compute(instance->state, &context);
  else
    run_async(instance, &context);
  tn_run_leave(outer);
  for (int left; (left = atomic_load_explicit(&context.pending, memory_order_acquire)) > 0;)
    tn_futex_wait(&context.pending, left);
  if (atomic_load_explicit(&context.left_out, memory_order_relaxed)) {
    tn_status_deinit(&context.status);
    tn_status_set(status, TN_CANCELLED, "the run was cancelled before its kernel had done all");
    return false;
  }
  if (tn_ok(&context.status)) return check_outputs(node, outputs, status);
  tn_status_copy(status, &context.status);
  tn_status_deinit(&context.status);
  return false;
}

// Allocates what a lean kernel fills, with the shapes that the op's shape function gives.
static bool allocate_outputs(const tn_kernel_instance* instance, tn_shape* input_shapes,
                             tn_shape* output_shapes, tn_tensor* const* inputs, tn_tensor** outputs,
                             const tn_run_options* options, tn_status* status) {
  const tn_node* node = instance->node;
  for (size_t i = 0; i < node->input_count; ++i) {
    if (!inputs[i] || !inputs[i]->initialized) {
      tn_status_set(status, TN_FAILED_PRECONDITION,
                    "attempt to use a tensor with an uninitialized value (input %zu)", i);
      return false;
    }
    input_shapes[i] = inputs[i]->shape;  // borrowed
  }
  if (!tn_infer_shapes(node, input_shapes, (const tn_tensor* const*)inputs, output_shapes, status))
    return false;
  tn_buffer** assigned = options->assigned ? options->assigned->outputs : NULL;
  bool allocated = true;
  for (size_t i = 0; i < node->output_count; ++i) {
    const tn_shape* shape = &output_shapes[i];
    if (allocated && !tn_shape_is_full(shape)) {
      tn_status_set(status, TN_INTERNAL,
                    "the shape function of op %s leaves the shape of output %zu open; its built-in "
                    "kernel needs it",
                    node->op->name, i);
      allocated = false;
    }
    if (allocated) {
      outputs[i] =
          tn_run_place(instance, options, node->output_types[i], tn_shape_dims(shape), shape->rank,
                       instance->output_on_host[i], assigned ? assigned[i] : NULL, status);
      allocated = outputs[i] != NULL;
    }
    tn_shape_deinit(&output_shapes[i]);
  }
  return allocated;
}

static bool run_lean(const tn_kernel_instance* instance, tn_tensor* const* inputs,
                     tn_tensor** outputs, const tn_run_options* options, tn_status* status) {
  const tn_node* node = instance->node;
  tn_shape few[16], *shapes = few;
  if (node->input_count + node->output_count > 16)
    shapes = tn_alloc((node->input_count + node->output_count) * sizeof *shapes);
  if (!shapes) {
    tn_status_set_no_memory(status, "running a kernel");
    return false;
  }
  bool ready = allocate_outputs(instance, shapes, shapes + node->input_count, inputs, outputs,
                                options, status);
  if (shapes != few) tn_free(shapes);
  if (!ready) return false;
  tn_status outcome = {0};
  instance->kernel->functions.lean(&(tn_lean_call){.inputs = (const tn_tensor* const*)inputs,
                                                   .outputs = outputs,
                                                   .state = instance->state,
                                                   .pool = instance->device->pool,
                                                   .status = &outcome});
  if (tn_ok(&outcome)) return true;
  tn_status_copy(status, &outcome);
  tn_status_deinit(&outcome);
  return false;
}

static bool run(const tn_kernel_instance* instance, tn_tensor* const* inputs, tn_tensor** outputs,
                const tn_run_options* options, tn_status* status) {
  return instance->kernel->functions.lean
             ? run_lean(instance, inputs, outputs, options, status)
             : run_in_context(instance, inputs, outputs, options, status);
}

// With inputs that may have to be moved first.
static bool run_placed(const tn_kernel_instance* instance, tn_tensor* const* inputs,
                       tn_tensor** outputs, const tn_run_options* options, tn_status* status) {
  tn_tensor *few[16], **placed = few;
  const size_t count = instance->node->input_count;
  if (count > 16) placed = tn_alloc(count * sizeof *placed);
  if (!placed) {
    tn_status_set_no_memory(status, "running a kernel");
    return false;
  }
  const bool done = tn_place(instance, inputs, options, placed, status) &&
                    run(instance, placed, outputs, options, status);
  tn_unplace(instance, inputs, placed);
  if (placed != few) tn_free(placed);
  return done;
}

bool tn_kernel_run_with(const tn_kernel_instance* instance, tn_tensor* const* inputs,
                        size_t input_count, tn_tensor** outputs, size_t output_count,
                        const tn_run_options* options, tn_status* status) {
  const tn_node* node = instance->node;
  for (size_t i = 0; i < output_count; ++i) outputs[i] = NULL;
  if (!check_counts(node, input_count, output_count, status) || !check_inputs(node, inputs, status))
    return false;
  if (!options) options = &no_options;
  if (tn_cancel_asked(options->cancel)) {
    tn_status_set(status, TN_CANCELLED, "node '%s' (op %s) was not run: it was cancelled before",
                  node->name, node->op->name);
    return false;
  }
  bool done = tn_is_placed(instance, inputs)
                  ? run(instance, inputs, outputs, options, status)
                  : run_placed(instance, inputs, outputs, options, status);
  if (done) return true;
  drop_outputs(outputs, output_count);
  tn_status_annotate(status, "in node '%s' (op %s, kernel from %s)", node->name, node->op->name,
                     tn_kernel_file(instance->kernel));
  return false;
}

bool tn_kernel_run(const tn_kernel_instance* instance, tn_tensor* const* inputs, size_t input_count,
                   tn_tensor** outputs, size_t output_count, const tn_assigned_memory* assigned,
                   tn_status* status) {
  return tn_kernel_run_with(instance, inputs, input_count, outputs, output_count,
                            &(tn_run_options){.assigned = assigned}, status);
}
