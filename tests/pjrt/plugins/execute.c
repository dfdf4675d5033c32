// Running a program: its arguments are checked and given up at once, the work may follow later.

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "executable.h"

// One device's part of an execution.
typedef struct running {
  task task;
  struct running *previous, *next;  // in the client's list, for poison
  PJRT_Device* device;
  int launch_id;
  failure* poison;
  size_t num_inputs, num_outputs;
  storage *from[MOST_VALUES], *to[MOST_VALUES];
  PJRT_Event *inputs_ready[MOST_VALUES], *ready[MOST_VALUES];
  size_t counts[MOST_VALUES];
  int types[MOST_VALUES];
  PJRT_Event* complete;  // NULL: nobody asked
} running;

static void enlist(running* run) {
  PJRT_Client* client = run->task.client;
  pthread_mutex_lock(&client->lock);
  run->next = client->running;
  if (run->next) run->next->previous = run;
  client->running = run;
  pthread_mutex_unlock(&client->lock);
}

static void delist(running* run) {
  PJRT_Client* client = run->task.client;
  pthread_mutex_lock(&client->lock);
  if (run->next) run->next->previous = run->previous;
  *(run->previous ? &run->previous->next : &client->running) = run->next;
  pthread_mutex_unlock(&client->lock);
}

static void add_one(int type, const char* from, char* to, size_t count) {
  if (BAD(wrong_answer) && count) {
    memmove(to + (count - 1) * element_bytes(type), from + (count - 1) * element_bytes(type),
            element_bytes(type));
    --count;
  }
  if (BAD(shared_scratch)) {
    static char scratch[1 << 16];
    size_t size = count * element_bytes(type);
    if (size <= sizeof scratch) {
      memcpy(scratch, from, size);
      usleep(100);  // so that other threads come in between
      element_add_one(type, scratch, scratch, count);
      memcpy(to, scratch, size);
      return;
    }
  }
  element_add_one(type, from, to, count);
}

static void run_program(task* task) {
  running* run = (void*)task;
  delist(run);
  failure* failure = run->poison;
  for (size_t i = 0; i < run->num_inputs && !failure; ++i)
    failure = event_failure(run->inputs_ready[i]);
  if (BAD(failure_not_passed_on)) failure = NULL;
  if (run->complete && BAD(complete_too_early)) {
    event_set(run->complete, NULL);
    usleep(100000);
  }
  for (size_t i = 0; i < run->num_outputs; ++i) {
    if (!failure) add_one(run->types[i], run->from[i]->data, run->to[i]->data, run->counts[i]);
    if (!BAD(event_never_ready)) event_set(run->ready[i], failure);
    storage_unref(run->to[i]);
    event_unref(run->ready[i]);
  }
  for (size_t i = 0; i < run->num_inputs; ++i) {
    storage_unref(run->from[i]);
    event_unref(run->inputs_ready[i]);
  }
  if (run->complete && !BAD(event_never_ready) && !BAD(complete_too_early))
    event_set(run->complete, failure);
  event_unref(run->complete);
  failure_unref(run->poison);
  client_unref(task->client);
  free(run);
}

static bool is_listed(const PJRT_ExecuteOptions* options, size_t index) {
#if HAS(39)
  if (BAD(non_donatable_ignored)) return false;
  for (size_t i = 0; i < options->num_non_donatable_input_indices; ++i)
    if (options->non_donatable_input_indices[i] == (int64_t)index) return true;
#endif
  return false;
}

static PJRT_Error* check_options(const PJRT_ExecuteOptions* options) {
  PJRT_Error* error = check_size("PJRT_ExecuteOptions", options->struct_size,
                                 AT_MOST(PJRT_ExecuteOptions_STRUCT_SIZE, 112));
  if (error) return error;
  if (options->num_send_ops || options->num_recv_ops)
    return UNIMPLEMENTED("PJRT_LoadedExecutable_Execute: there are no host callbacks");
#if HAS(112)
  if (COVERS(options, num_hlo_output_callbacks) && options->num_hlo_output_callbacks)
    return UNIMPLEMENTED("PJRT_LoadedExecutable_Execute: programs call nothing back");
#endif
  return NULL;
}

static PJRT_Error* check_argument(const program* program, size_t index, PJRT_Buffer* buffer,
                                  PJRT_Device* device) {
  const tensor_type* wanted = &program->inputs[index];
  if (!buffer) return INVALID("argument %zu is NULL", index);
  storage* storage = buffer_use(buffer);
  storage_unref(storage);
  if (!storage && !BAD(deleted_argument_taken))
    return INVALID("argument %zu has been deleted or donated", index);
  if (buffer->memory->device != device)
    return INVALID("argument %zu is on device %d, the program runs on device %d", index,
                   buffer->memory->device->description.id, device->description.id);
  bool fits = buffer->type == wanted->type && buffer->rank == wanted->rank;
  for (size_t d = 0; fits && d < wanted->rank; ++d)
    fits = wanted->dims[d] < 0 || wanted->dims[d] == buffer->dims[d];
  return fits ? NULL : INVALID("argument %zu has another shape than the program's", index);
}

static PJRT_Error* check_arguments(PJRT_LoadedExecutable_Execute_Args* args, size_t place,
                                   PJRT_Device* device) {
  const program* program = &args->executable->code->program;
  PJRT_Buffer* const* arguments = args->argument_lists[place];
  for (size_t i = 0; i < program->num_inputs; ++i) {
    PJRT_Error* error = check_argument(program, i, arguments[i], device);
    if (error) return error;
    if (program->donated[i] == KEPT || is_listed(args->options, i)) continue;
    for (size_t k = 0; k < program->num_inputs && !BAD(donated_twice_taken); ++k)
      if (k != i && arguments[k] == arguments[i])
        return INVALID("argument %zu is donated and is argument %zu too", i, k);
  }
  return NULL;
}

// The memory of an argument, for reading; where it is donated, taken out of its buffer.
static storage* argument_storage(PJRT_Buffer* buffer, bool donated) {
  storage* storage =
      donated && !BAD(donated_not_deleted) ? buffer_take(buffer) : buffer_use(buffer);
  if (!storage) {  // deleted meanwhile by another thread, or a misdeed
    storage = storage_create(buffer->memory->device, buffer->size);
    memset(storage->data, 0, buffer->size);
  }
  return storage;
}

static void start(PJRT_LoadedExecutable_Execute_Args* args, size_t place, PJRT_Device* device) {
  const program* program = &args->executable->code->program;
  PJRT_Buffer* const* arguments = args->argument_lists[BAD(second_device_wrong) ? 0 : place];
  running* run = calloc(1, sizeof *run);
  run->task.client = client_ref(args->executable->client);
  run->task.run = run_program;
  run->device = device;
  run->launch_id = args->options->launch_id;
  run->num_inputs = program->num_inputs;
  run->num_outputs = program->num_outputs;
  for (size_t i = 0; i < program->num_inputs; ++i) {
    bool donated = program->donated[i] != KEPT && !is_listed(args->options, i);
    if (BAD(donates_nothing)) donated = false;
    if (BAD(donates_everything)) donated = true;
    PJRT_Buffer* argument = arguments[i];
    run->types[i] = argument->type;
    run->counts[i] = element_count(argument->dims, argument->rank);
    run->from[i] = argument_storage(argument, donated);
    run->inputs_ready[i] = event_ref(argument->ready);
    if (i >= program->num_outputs) continue;
    // In place only where nobody else uses the memory.
    bool in_place = donated && run->from[i]->ours &&
                    (atomic_load(&run->from[i]->refs) == 1 || BAD(donated_not_deleted));
    run->ready[i] = event_create();
    PJRT_Buffer* output =
        buffer_create_like(argument, &device->memories[KIND_DEVICE],
                           in_place ? storage_ref(run->from[i]) : NULL, event_ref(run->ready[i]));
    run->to[i] = storage_ref(output->storage);
    if (BAD(outputs_null)) {
      buffer_unref(output);
      output = NULL;
    }
    args->output_lists[place][i] = output;
  }
  if (args->device_complete_events) {
    run->complete = event_create();
    args->device_complete_events[place] =
        BAD(complete_events_null) ? NULL : event_ref(run->complete);
  }
  enlist(run);
  PJRT_Event* after[MOST_VALUES];
  memcpy(after, run->inputs_ready, sizeof after);
  for (size_t i = 0; i < program->num_inputs; ++i) event_ref(after[i]);
  task_submit(&run->task, run->task.client, after, program->num_inputs);
  for (size_t i = 0; i < program->num_inputs; ++i) event_unref(after[i]);
}

FUNCTION(PJRT_LoadedExecutable_Execute) {
  PJRT_LoadedExecutable* loaded = args->executable;
  const program* program = &loaded->code->program;
  PJRT_Error* error = check_options(args->options);
  if (error) return error;
  pthread_mutex_lock(&loaded->lock);
  bool is_deleted = loaded->is_deleted && !BAD(deleted_executable_runs);
  pthread_mutex_unlock(&loaded->lock);
  if (is_deleted) return INVALID("PJRT_LoadedExecutable_Execute: the executable has been deleted");
  size_t num_devices = args->execute_device ? 1 : loaded->num_devices;
  if (args->num_devices != num_devices)
    return INVALID(
        "PJRT_LoadedExecutable_Execute: arguments for %zu devices, the program runs on %zu",
        args->num_devices, num_devices);
  if (args->num_args != program->num_inputs && !BAD(any_arguments_taken))
    error = INVALID("PJRT_LoadedExecutable_Execute: %zu arguments, the program takes %zu",
                    args->num_args, program->num_inputs);
  PJRT_Device* one[] = {args->execute_device};
  PJRT_Device* const* devices = args->execute_device ? one : loaded->devices;
  for (size_t i = 0; i < num_devices && !error; ++i) error = check_arguments(args, i, devices[i]);
  if (error) {
    for (size_t i = 0; BAD(donates_on_failure) && i < num_devices; ++i)
      for (size_t k = 0; k < args->num_args && k < program->num_inputs; ++k)
        if (args->argument_lists[i][k]) storage_unref(buffer_take(args->argument_lists[i][k]));
    return error;
  }
  for (size_t i = 0; i < num_devices; ++i) start(args, i, devices[i]);
  return NULL;
}

#if HAS(52)
struct PJRT_ExecuteContext {
  int unused;
};

FUNCTION(PJRT_ExecuteContext_Create) {
  args->context = calloc(1, sizeof *args->context);
  return NULL;
}

FUNCTION(PJRT_ExecuteContext_Destroy) {
  if (!args->context && BAD(null_destroy_crashes)) abort();
  free(args->context);
  return NULL;
}
#endif

#if HAS(85)
FUNCTION(PJRT_Device_PoisonExecution) {
  PJRT_Client* client = args->device->client;
  failure* failure =
      failure_create(args->error_code, args->error_message, args->error_message_size);
#if HAS(100)
  failure_add_payload(failure, args->payload, args->num_payload);
#endif
  args->poisoned = false;
  pthread_mutex_lock(&client->lock);
  for (running* run = client->running; run; run = run->next) {
    if (run->device != args->device || run->launch_id != args->launch_id || run->poison) continue;
    run->poison = failure_ref(failure);
    args->poisoned = true;
  }
  pthread_mutex_unlock(&client->lock);
  failure_unref(failure);
  return NULL;
}
#endif
