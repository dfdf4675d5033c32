// The child's side of an isolated session: does what it is asked, as a session in one process
// would.
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "pjrt/host/isolated.h"
#include "pjrt/host/plugin.h"
#include "pjrt/host/session_wire.h"
#include "tensor/tensor.h"

typedef struct server {
  int channel, memory;
  pid_t self;
  uint32_t asked;
  tn_session_words* words;
  tn_pjrt_worker worker;
  const char* data;  // the shared memory, while a request is served
  size_t data_size;
} server;

// A plugin may fork in a call and let the copy go on: it writes nothing and answers nothing.
static void only_once(const server* server) {
  if (getpid() != server->self) _exit(0);
}

static void receive(const server* server, void* bytes, size_t size) {
  for (char* to = bytes; size > 0;) {
    const ssize_t done = read(server->channel, to, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(0);
    to += done;
    size -= (size_t)done;
  }
}

static void answer(const server* server, tn_session_kind kind, tn_text* text) {
  only_once(server);
  tn_session_head head = {kind, (uint32_t)text->size, server->asked};
  tn_text_insert(text, 0, (const char*)&head, sizeof head);
  if (text->failed) _exit(1);
  for (size_t sent = 0; sent < text->size;) {
    const ssize_t done = write(server->channel, text->data + sent, text->size - sent);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) _exit(0);
    sent += (size_t)done;
  }
}

static bool not_understood(tn_status* status) {
  return tn_fail(status, TN_INTERNAL,
                 "a request was not understood, or there was no memory for it");
}

static bool serve_start(server* server, tn_view request, tn_text* out, tn_status* status) {
  tn_session_start start = {0};
  bool fine = tn_session_get_start(request, &start) || not_understood(status);
  tn_pjrt_trace_to(&server->words->call);
  atomic_store(&server->words->begun, 1);
  fine = fine && tn_pjrt_worker_start(&server->worker, start.path, &start.options, status);
  if (fine) tn_session_put_found(out, &server->worker.found);
  tn_session_start_deinit(&start);
  return fine;
}

static bool serve_compile(server* server, tn_view request, tn_text* out, tn_status* status) {
  tn_session_compile compile = {0};
  const size_t room = server->data_size - TN_SESSION_DATA;
  bool fine = (tn_session_get_compile(request, &compile) && compile.code_size <= room &&
               compile.proto_size <= room - compile.code_size) ||
              not_understood(status);
  if (fine) {
    tn_pjrt_compile_options options = TN_INIT(tn_pjrt_compile_options);
    const char* code = server->data + TN_SESSION_DATA;
    options.format = compile.format;
    if (compile.proto_size) options.proto = code + compile.code_size;
    options.proto_size = compile.proto_size;
    size_t outputs = 0;
    const int program = tn_pjrt_worker_compile(&server->worker, code, compile.code_size, &options,
                                               &outputs, status);
    fine = program >= 0;
    if (fine) tn_session_put_numbers(out, (uint64_t)program, outputs);
  }
  tn_free(compile.format);
  return fine;
}

// A tensor on the shared memory itself.
static tn_tensor* tensor_at(const server* server, const tn_session_array* array,
                            tn_status* status) {
  tn_buffer* buffer =
      tn_buffer_adopt((char*)server->data + array->at, array->bytes, NULL, NULL, status);
  return buffer ? tn_tensor_wrap(buffer, array->dtype, array->dims, array->rank, status) : NULL;
}

static bool put_outputs(server* server, tn_tensor* const* outputs, size_t count, uint64_t at,
                        tn_text* out, tn_status* status) {
  only_once(server);
  for (size_t i = 0; i < count; ++i) {
    const size_t bytes = tn_tensor_bytes(outputs[i]);
    tn_session_put_array(out, outputs[i], at);
    if (!tn_session_put_bytes(server->memory, tn_tensor_data(outputs[i]), bytes, at, status))
      return false;
    at = tn_session_align(at + bytes);
  }
  return true;
}

static bool serve_run(server* server, tn_view request, tn_text* out, tn_status* status) {
  tn_session_run run = {0};
  bool fine = (tn_session_get_run(request, server->data_size, &run, NULL) &&
               run.program < server->worker.program_count) ||
              not_understood(status);
  const size_t output_count =
      fine ? tn_pjrt_executable_output_count(server->worker.programs[run.program]) : 0;
  tn_tensor** inputs = tn_alloc_zeroed(run.array_count + 1, sizeof *inputs);
  tn_tensor** outputs = tn_alloc_zeroed(output_count + 1, sizeof *outputs);
  if (!inputs || !outputs) {
    tn_status_set_no_memory(status, "running a program");
    fine = false;
  }
  uint64_t end = TN_SESSION_DATA;
  for (size_t i = 0; fine && i < run.array_count; ++i) {
    inputs[i] = tensor_at(server, &run.arrays[i], status);
    fine = inputs[i] != NULL;
    if (run.arrays[i].at + run.arrays[i].bytes > end) end = run.arrays[i].at + run.arrays[i].bytes;
  }
  fine = fine && tn_pjrt_worker_run(&server->worker, (int)run.program, inputs, run.array_count,
                                    outputs, output_count, run.timed ? &run.timing : NULL, status);
  if (fine) {
    tn_session_put_run(out, 0, run.timed ? &run.timing : NULL);
    fine = put_outputs(server, outputs, output_count, tn_session_align(end), out, status);
  }
  for (size_t i = 0; inputs && i < run.array_count; ++i) tn_tensor_destroy(inputs[i]);
  for (size_t i = 0; outputs && i < output_count; ++i) tn_tensor_destroy(outputs[i]);
  tn_free(inputs);
  tn_free(outputs);
  tn_session_run_deinit(&run);
  return fine;
}

static void serve_one(server* server) {
  tn_session_head head;
  receive(server, &head, sizeof head);
  server->asked = head.number;
  char* request = tn_alloc((size_t)head.size + 1);
  if (!request) _exit(1);
  receive(server, request, head.size);
  struct stat about;
  if (fstat(server->memory, &about) != 0 || about.st_size < TN_SESSION_DATA) _exit(1);
  server->data_size = (size_t)about.st_size;
  void* data = mmap(NULL, server->data_size, PROT_READ, MAP_SHARED, server->memory, 0);
  tn_status status = {0};
  tn_text out = {0};
  bool fine = data != MAP_FAILED;
  server->data = data;
  const tn_view bytes = {request, head.size};
  if (!fine)
    tn_status_set_errno(&status, errno, "mapping shared memory");
  else if (head.kind == TN_SESSION_START)
    fine = serve_start(server, bytes, &out, &status);
  else if (head.kind == TN_SESSION_COMPILE)
    fine = serve_compile(server, bytes, &out, &status);
  else
    fine = serve_run(server, bytes, &out, &status);
  if (data != MAP_FAILED) munmap(data, server->data_size);
  if (!fine) {
    tn_text_deinit(&out);
    tn_session_put_failure(&out, &status);
  }
  answer(server, fine ? TN_SESSION_DONE : TN_SESSION_FAILED, &out);
  tn_text_deinit(&out);
  tn_status_deinit(&status);
  tn_free(request);
}

// These words are quoted by the parent.
static _Noreturn void fail_to_start(void) {
  perror("tenon-probe: no memory or descriptors for a session");
  _exit(2);
}

_Noreturn void tn_pjrt_serve(void) {
  static server server;
  server.self = getpid();
  server.channel = tn_child_keep_fd(TN_SESSION_CHANNEL);
  server.memory = tn_child_keep_fd(TN_SESSION_MEMORY);
  tn_child_settle();
  setvbuf(stdout, NULL, _IOLBF, 0);  // last words are to arrive
  server.words = server.memory < 0 ? MAP_FAILED
                                   : mmap(NULL, TN_SESSION_DATA, PROT_READ | PROT_WRITE, MAP_SHARED,
                                          server.memory, 0);
  if (server.channel < 0 || server.words == MAP_FAILED) fail_to_start();
  for (;;) serve_one(&server);
}
