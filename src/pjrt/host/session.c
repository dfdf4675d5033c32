#include "tenon/pjrt_session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "pjrt/host/isolated.h"

struct tn_pjrt_session {
  pthread_mutex_t lock;  // one request at a time
  bool isolate;
  char* path;
  tn_pjrt_found found;  // of a child; a worker has its own
  tn_pjrt_worker worker;
  tn_pjrt_isolated isolated;
  size_t* outputs;  // how many each program has
  size_t program_count, program_capacity;
};

// What the caller's struct has, in one of today's size. False when it asks for something unknown.
#define TAKE(TYPE, full, given, status) \
  take(&(full), (given), TYPE##_STRUCT_SIZE, TN_CHECK_RESERVED(given, ext), #TYPE, status)
static bool take(void* full, const void* given, size_t size, const char* wrong, const char* type,
                 tn_status* status) {
  if (wrong) {
    tn_fail(status, TN_INVALID_ARGUMENT, "%s: %s", type, wrong);
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return false;
  }
  size_t has;
  memcpy(&has, given, sizeof has);
  memcpy(full, given, has < size ? has : size);
  memcpy(full, &size, sizeof size);
  return true;
}

static bool missing(const char* function, const char* what, tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s: %s", function, what);
  tn_status_set_fault(status, TN_FAULT_CALLER);
  return false;
}

tn_pjrt_session* tn_pjrt_session_start(const char* path, const tn_pjrt_session_options* options,
                                       tn_status* status) {
  tn_pjrt_session_options full = TN_INIT(tn_pjrt_session_options);
  tn_pjrt_open_options open = TN_INIT(tn_pjrt_open_options);
  if (!path) {
    missing("tn_pjrt_session_start", "path is NULL", status);
    return NULL;
  }
  if (options && !TAKE(tn_pjrt_session_options, full, options, status)) return NULL;
  if (full.open && !TAKE(tn_pjrt_open_options, open, full.open, status)) return NULL;
  if (full.isolate) open.first_contact = false;  // all of it is one
  full.open = &open;
  tn_pjrt_session* session = tn_alloc_zeroed(1, sizeof *session);
  // The child looks for a relative path where we do; a name alone is the linker's to find.
  char* path_copy = session ? tn_strdup(path) : NULL;
  if (!path_copy) {
    tn_status_set_no_memory(status, "starting a session");
    tn_free(session);
    return NULL;
  }
  pthread_mutex_init(&session->lock, NULL);
  session->path = path_copy;
  session->isolate = full.isolate;
  const bool fine = full.isolate
                        ? tn_pjrt_isolated_start(&session->isolated, session->path, &full,
                                                 &session->found, status)
                        : tn_pjrt_worker_start(&session->worker, session->path, &full, status);
  if (fine) return session;
  tn_pjrt_session_stop(session);
  return NULL;
}

void tn_pjrt_session_stop(tn_pjrt_session* session) {
  if (!session) return;
  if (session->isolate)
    tn_pjrt_isolated_stop(&session->isolated);
  else
    tn_pjrt_worker_deinit(&session->worker);
  tn_pjrt_found_deinit(&session->found);
  pthread_mutex_destroy(&session->lock);
  tn_free(session->outputs);
  tn_free(session->path);
  tn_free(session);
}

bool tn_pjrt_session_tell(const tn_pjrt_session* session, tn_pjrt_session_facts* out,
                          tn_status* status) {
  if (!session || !out) return missing("tn_pjrt_session_tell", "session or out is NULL", status);
  const char* wrong = TN_CHECK_RESERVED(out, ext);
  if (wrong) return missing("tn_pjrt_session_facts", wrong, status);
  const tn_pjrt_found* found = session->isolate ? &session->found : &session->worker.found;
  const tn_pjrt_session_facts facts = {.struct_size = out->struct_size,
                                       .major = found->major,
                                       .minor = found->minor,
                                       .stablehlo = found->stablehlo,
                                       .platform = found->platform,
                                       .platform_version = found->platform_version,
                                       .device = found->device,
                                       .notes = found->notes,
                                       .device_count = found->device_count};
  const size_t size = out->struct_size < tn_pjrt_session_facts_STRUCT_SIZE
                          ? out->struct_size
                          : (size_t)tn_pjrt_session_facts_STRUCT_SIZE;
  memcpy(out, &facts, size);
  return true;
}

int tn_pjrt_session_compile(tn_pjrt_session* session, const void* code, size_t size,
                            const tn_pjrt_compile_options* options, tn_status* status) {
  tn_pjrt_compile_options full = TN_INIT(tn_pjrt_compile_options);
  if (!session || !code || !size) {
    missing("tn_pjrt_session_compile", "session or code is NULL, or the program empty", status);
    return -1;
  }
  if (options && !TAKE(tn_pjrt_compile_options, full, options, status)) return -1;
  if (full.replicas > 1 || full.partitions > 1 || full.device_ids) {
    missing("tn_pjrt_session_compile",
            "a session has one device: one replica, one partition and no device_ids", status);
    return -1;
  }
  pthread_mutex_lock(&session->lock);
  int program = -1;
  size_t outputs = 0;
  if (!tn_grow(&session->outputs, &session->program_capacity, session->program_count + 1,
               sizeof *session->outputs))
    tn_status_set_no_memory(status, "compiling a program");
  else
    program =
        session->isolate
            ? tn_pjrt_isolated_compile(&session->isolated, code, size, &full, &outputs, status)
            : tn_pjrt_worker_compile(&session->worker, code, size, &full, &outputs, status);
  // A child that counts otherwise is none of ours.
  if (program >= 0 && (size_t)program != session->program_count) {
    tn_status_set(status, TN_DATA_LOSS, "the plugin's process lost count of its programs");
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    program = -1;
  }
  if (program >= 0) session->outputs[session->program_count++] = outputs;
  pthread_mutex_unlock(&session->lock);
  return program;
}

int tn_pjrt_session_output_count(const tn_pjrt_session* session, int program) {
  if (!session) return -1;
  pthread_mutex_t* lock = (pthread_mutex_t*)&session->lock;
  pthread_mutex_lock(lock);
  const bool known = program >= 0 && (size_t)program < session->program_count;
  const int count = known ? (int)session->outputs[program] : -1;
  pthread_mutex_unlock(lock);
  return count;
}

bool tn_pjrt_session_run(tn_pjrt_session* session, int program, tn_tensor* const* inputs,
                         size_t input_count, tn_tensor** outputs, size_t output_count,
                         tn_pjrt_timing* timing, tn_status* status) {
  const int has = tn_pjrt_session_output_count(session, program);
  if (has < 0) return missing("tn_pjrt_session_run", "there is no such program", status);
  if ((size_t)has != output_count) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "the program has %d outputs, and there is room for %zu", has, output_count);
    tn_status_set_fault(status, TN_FAULT_CALLER);
    return false;
  }
  if ((input_count && !inputs) || (output_count && !outputs))
    return missing("tn_pjrt_session_run", "inputs or outputs is NULL", status);
  for (size_t i = 0; i < input_count; ++i)
    if (!inputs[i]) return missing("tn_pjrt_session_run", "an input is NULL", status);
  tn_pjrt_timing full = TN_INIT(tn_pjrt_timing);
  if (timing && !TAKE(tn_pjrt_timing, full, timing, status)) return false;
  for (size_t i = 0; i < output_count; ++i) outputs[i] = NULL;
  pthread_mutex_lock(&session->lock);
  const bool done = session->isolate
                        ? tn_pjrt_isolated_run(&session->isolated, program, inputs, input_count,
                                               outputs, output_count, timing ? &full : NULL, status)
                        : tn_pjrt_worker_run(&session->worker, program, inputs, input_count,
                                             outputs, output_count, timing ? &full : NULL, status);
  pthread_mutex_unlock(&session->lock);
  if (done && timing) {
    full.struct_size = timing->struct_size;
    memcpy(timing, &full,
           timing->struct_size < tn_pjrt_timing_STRUCT_SIZE ? timing->struct_size
                                                            : (size_t)tn_pjrt_timing_STRUCT_SIZE);
  }
  return done;
}
