// Running a program. What the plugin needs are lists of its own handles: they stand on the stack,
// or for programs with many arguments in a block that the client keeps, so that nothing is
// allocated once a program has run.
#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/buffer.h"
#include "pjrt/host/event.h"
#include "pjrt/host/executable.h"
#include "tenon/abi.h"

// Handles on the stack.
enum { LISTS_IN_PLACE = 64 };

typedef struct scratch_block {
  size_t count;
  void* items[];
} scratch_block;

// Room for `count` handles; one thread gets the client's block, others that run at the same time
// get one of their own.
static scratch_block* scratch_take(tn_pjrt_client* client, size_t count) {
  scratch_block* block = atomic_exchange_explicit(&client->scratch, NULL, memory_order_acq_rel);
  if (block && block->count >= count) return block;
  tn_free(block);
  if (count > (SIZE_MAX - sizeof *block) / sizeof(void*)) return NULL;
  block = tn_alloc(sizeof *block + count * sizeof(void*));
  if (block) block->count = count;
  return block;
}

static void scratch_give(tn_pjrt_client* client, scratch_block* block) {
  tn_free(atomic_exchange_explicit(&client->scratch, block, memory_order_acq_rel));
}

// One call of a program; counts are per device.
typedef struct launch {
  tn_pjrt_executable* executable;
  size_t device_count, input_count, output_count;
  tn_pjrt_buffer* const* const* inputs;
  tn_pjrt_buffer** const* outputs;
  tn_pjrt_execute_options options;
  PJRT_Buffer** their_inputs;   // device_count * input_count
  PJRT_Buffer** their_outputs;  // device_count * output_count
  PJRT_Buffer*** input_lists;   // device_count each
  PJRT_Buffer*** output_lists;
  PJRT_Event** complete;
} launch;

static bool check_options(const tn_pjrt_execute_options* given, launch* run, tn_status* status) {
  const tn_pjrt_executable* executable = run->executable;
  const tn_pjrt* plugin = executable->client->plugin;
  if (!given) {
    run->options = TN_INIT(tn_pjrt_execute_options);
    return true;
  }
  const char* wrong = TN_CHECK_RESERVED(given, ext);
  if (wrong || !TN_HAS(given, complete))
    return tn_fail(status, TN_INVALID_ARGUMENT, "tn_pjrt_execute_options: %s",
                   wrong ? wrong : "struct_size is smaller than it ever was");
  run->options = *given;
  if (given->device && given->device->client != executable->client)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the device to run %s on belongs to another PJRT client", executable->name);
  for (size_t i = 0; i < given->keep_count; ++i)
    if (!given->keep || given->keep[i] < 0 || (size_t)given->keep[i] >= run->input_count)
      return tn_fail(
          status, TN_INVALID_ARGUMENT, "argument %lld of %s is to be kept, of %zu arguments",
          given->keep ? (long long)given->keep[i] : -1LL, executable->name, run->input_count);
  // An older plugin would donate them without a word.
  if (given->keep_count > 0 &&
      !TN_PJRT_HAS_FIELD(plugin, PJRT_ExecuteOptions, num_non_donatable_input_indices))
    return tn_fail(status, TN_UNIMPLEMENTED,
                   "%s: keeping arguments from being donated needs PJRT 0.39; the plugin has 0.%d "
                   "and this host acts as 0.%d",
                   plugin->name, plugin->minor, plugin->host_minor);
  return true;
}

static bool check_counts(const launch* run, tn_status* status) {
  const tn_pjrt_executable* executable = run->executable;
  if (executable->output_count != SIZE_MAX && run->output_count != executable->output_count)
    return tn_fail(status, TN_INVALID_ARGUMENT, "%s has %zu outputs and there is room for %zu",
                   executable->name, executable->output_count, run->output_count);
  if (!run->options.device && executable->device_count > 0 &&
      run->device_count != executable->device_count)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "%s was compiled for %zu devices and arguments for %zu are given; "
                   "tn_pjrt_execute_many runs on several",
                   executable->name, executable->device_count, run->device_count);
  if (run->options.device && run->device_count != 1)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "%s is to run on one chosen device with arguments for %zu", executable->name,
                   run->device_count);
  return true;
}

// Fills the lists of the plugin's handles. Outputs start as NULL, so that what the plugin leaves
// out is seen.
static bool fill_lists(launch* run, tn_status* status) {
  const tn_pjrt_executable* executable = run->executable;
  for (size_t d = 0; d < run->device_count; ++d) {
    PJRT_Buffer** list = run->their_inputs + d * run->input_count;
    for (size_t i = 0; i < run->input_count; ++i) {
      const tn_pjrt_buffer* input = run->inputs[d] ? run->inputs[d][i] : NULL;
      if (!input || input->client != executable->client ||
          atomic_load_explicit(&input->deleted, memory_order_relaxed))
        return tn_fail(status, TN_INVALID_ARGUMENT, "argument %zu of %s %s", i, executable->name,
                       !input                                ? "is missing"
                       : input->client != executable->client ? "belongs to another PJRT client"
                                                             : "was deleted");
      list[i] = input->theirs;
    }
    run->input_lists[d] = list;
    run->output_lists[d] = run->their_outputs + d * run->output_count;
    run->complete[d] = NULL;
  }
  for (size_t i = 0; i < run->device_count * run->output_count; ++i) run->their_outputs[i] = NULL;
  return true;
}

// Objects of ours for the outputs and events to come, taken before the program runs: after it,
// nothing may fail any more.
static bool take_nodes(launch* run, tn_status* status) {
  tn_pjrt_client* client = run->executable->client;
  size_t taken = 0;
  bool ok = true;
  for (; ok && taken < run->device_count; ++taken)
    ok = tn_pjrt_nodes_take(client->nodes, (void**)run->outputs[taken], run->output_count, status);
  if (ok && run->options.complete)
    ok =
        tn_pjrt_nodes_take(client->nodes, (void**)run->options.complete, run->device_count, status);
  else if (!ok)
    --taken;
  if (ok) return true;
  for (size_t d = 0; d < taken; ++d)
    for (size_t i = 0; i < run->output_count; ++i) {
      tn_pjrt_nodes_give(client->nodes, run->outputs[d][i]);
      run->outputs[d][i] = NULL;
    }
  return false;
}

// Gives back our nodes and, with `theirs`, what the plugin made: after an error of the plugin's its
// results are not to be looked at.
static void drop_results(launch* run, bool theirs) {
  tn_pjrt_client* client = run->executable->client;
  for (size_t d = 0; d < run->device_count; ++d) {
    for (size_t i = 0; i < run->output_count; ++i) {
      if (theirs) tn_pjrt_buffer_drop(client, run->output_lists[d][i]);
      tn_pjrt_nodes_give(client->nodes, run->outputs[d][i]);
      run->outputs[d][i] = NULL;
    }
    if (theirs) tn_pjrt_event_drop(client, run->complete[d]);
    if (!run->options.complete) continue;
    tn_pjrt_nodes_give(client->nodes, run->options.complete[d]);
    run->options.complete[d] = NULL;
  }
}

// Lists that are so long are not compared with each other.
enum { MOST_COMPARED = 4096 };

// An output is a new handle: one that is an argument's or another output's would be destroyed
// twice. Such ones are left out.
static bool check_handles(launch* run, tn_status* status) {
  const size_t inputs = run->device_count * run->input_count;
  const size_t outputs = run->device_count * run->output_count;
  if (outputs * (inputs + outputs) > MOST_COMPARED) return true;
  bool fine = true;
  for (size_t i = 0; i < outputs; ++i) {
    PJRT_Buffer* made = run->their_outputs[i];
    bool known = false;
    for (size_t k = 0; k < inputs; ++k) known |= made == run->their_inputs[k];
    for (size_t k = 0; k < i; ++k) known |= made == run->their_outputs[k];
    if (!known || !made) continue;
    run->their_outputs[i] = NULL;
    fine = tn_fail(status, TN_INTERNAL,
                   "%s: PJRT_LoadedExecutable_Execute: output %zu of %s is the handle of an "
                   "argument or of another output",
                   run->executable->client->plugin->name, i % run->output_count,
                   run->executable->name);
  }
  return fine;
}

// Puts the plugin's results into our objects.
static bool wrap_results(launch* run, tn_status* status) {
  tn_pjrt_client* client = run->executable->client;
  if (!check_handles(run, status)) return false;
  for (size_t i = 0; i < run->device_count * run->output_count; ++i)
    if (!run->their_outputs[i])
      return tn_fail(status, TN_INTERNAL,
                     "%s: PJRT_LoadedExecutable_Execute: no error, but output %zu of %s is null",
                     client->plugin->name, i % run->output_count, run->executable->name);
  for (size_t d = 0; run->options.complete && d < run->device_count; ++d)
    if (!run->complete[d])
      return tn_pjrt_event_missing(client, "PJRT_LoadedExecutable_Execute", status);
  size_t made = run->device_count * (run->output_count + (run->options.complete ? 1 : 0));
  tn_pjrt_client_ref(client, made);
  for (size_t d = 0; d < run->device_count; ++d) {
    for (size_t i = 0; i < run->output_count; ++i)
      *run->outputs[d][i] =
          (tn_pjrt_buffer){.client = client, .theirs = run->output_lists[d][i], .holders = 1};
    if (run->options.complete)
      *run->options.complete[d] = (tn_pjrt_event){client, run->complete[d]};
  }
  return true;
}

// Says which argument was gone, when that may be why a program did not run.
static void explain(const launch* run, tn_status* status) {
  if (!status) return;
  for (size_t d = 0; d < run->device_count; ++d)
    for (size_t i = 0; i < run->input_count; ++i)
      if (tn_pjrt_buffer_deleted(run->inputs[d][i])) {
        tn_status_annotate(status, "argument %zu of %s is deleted: it was donated or given back", i,
                           run->executable->name);
        return;
      }
}

static bool call_plugin(launch* run, tn_status* status) {
  tn_pjrt_executable* executable = run->executable;
  tn_pjrt* plugin = executable->client->plugin;
  TN_PJRT_ARGS(plugin, PJRT_ExecuteOptions, options, .launch_id = run->options.launch_id,
               .non_donatable_input_indices = run->options.keep,
               .num_non_donatable_input_indices = run->options.keep_count);
  TN_PJRT_ARGS(plugin, PJRT_LoadedExecutable_Execute_Args, args, .executable = executable->loaded,
               .options = options, .argument_lists = (PJRT_Buffer* const* const*)run->input_lists,
               .num_devices = run->device_count, .num_args = run->input_count,
               .output_lists = (PJRT_Buffer * * const*)run->output_lists,
               .device_complete_events = run->options.complete ? run->complete : NULL,
               .execute_device = run->options.device ? run->options.device->theirs : NULL);
  return TN_PJRT_CALL(plugin, PJRT_LoadedExecutable_Execute, args, status);
}

static bool run_with(launch* run, void** room, tn_status* status) {
  size_t inputs = run->device_count * run->input_count;
  size_t outputs = run->device_count * run->output_count;
  run->their_inputs = (PJRT_Buffer**)room;
  run->their_outputs = run->their_inputs + inputs;
  run->input_lists = (PJRT_Buffer***)(run->their_outputs + outputs);
  run->output_lists = run->input_lists + run->device_count;
  run->complete = (PJRT_Event**)(run->output_lists + run->device_count);
  if (!fill_lists(run, status) || !take_nodes(run, status)) return false;
  bool ok = call_plugin(run, status);
  if (!ok) explain(run, status);
  if (ok && wrap_results(run, status)) return true;
  drop_results(run, ok);
  return false;
}

bool tn_pjrt_execute_many(tn_pjrt_executable* executable, size_t device_count,
                          tn_pjrt_buffer* const* const* inputs, size_t input_count,
                          tn_pjrt_buffer** const* outputs, size_t output_count,
                          const tn_pjrt_execute_options* options, tn_status* status) {
  if (!executable || device_count == 0 || (input_count > 0 && !inputs) ||
      (output_count > 0 && !outputs))
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "running a program on %zu devices needs a program, a device or more, %zu "
                   "arguments and room for %zu outputs",
                   device_count, input_count, output_count);
  launch run = {.executable = executable,
                .device_count = device_count,
                .input_count = input_count,
                .output_count = output_count,
                .inputs = inputs,
                .outputs = outputs};
  if (!check_options(options, &run, status) || !check_counts(&run, status)) return false;
  for (size_t d = 0; d < device_count; ++d)
    if ((input_count > 0 && !inputs[d]) || (output_count > 0 && !outputs[d]))
      return tn_fail(status, TN_INVALID_ARGUMENT,
                     "device %zu of %zu has no list of arguments or of outputs", d, device_count);
  size_t per_device, count;
  if (__builtin_add_overflow(input_count, output_count, &per_device) ||
      __builtin_add_overflow(per_device, 3, &per_device) ||
      __builtin_mul_overflow(per_device, device_count, &count))
    return tn_fail(status, TN_INVALID_ARGUMENT, "%s has more arguments than memory can have",
                   executable->name);
  void* in_place[LISTS_IN_PLACE];
  if (count <= LISTS_IN_PLACE) return run_with(&run, in_place, status);
  scratch_block* block = scratch_take(executable->client, count);
  if (!block) {
    tn_status_set_no_memory(status, "running a program");
    return false;
  }
  bool ok = run_with(&run, block->items, status);
  scratch_give(executable->client, block);
  return ok;
}

bool tn_pjrt_execute(tn_pjrt_executable* executable, tn_pjrt_buffer* const* inputs,
                     size_t input_count, tn_pjrt_buffer** outputs, size_t output_count,
                     const tn_pjrt_execute_options* options, tn_status* status) {
  return tn_pjrt_execute_many(executable, 1, &inputs, input_count, &outputs, output_count, options,
                              status);
}
