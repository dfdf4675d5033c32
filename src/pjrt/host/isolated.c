#include "pjrt/host/isolated.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "pjrt/host/plugin.h"
#include "pjrt/host/session_wire.h"
#include "tensor/tensor.h"

enum {
  usual_start_ms = 30000,
  most_silence_ms = 5000,  // between the end of a child's words and its own
};

static const char* file_name(const tn_pjrt_isolated* isolated) {
  const char* slash = strrchr(isolated->path, '/');
  return slash ? slash + 1 : isolated->path;
}

// ---- How it ended ----

// Ends the child and keeps the reason: "x.so: the plugin died with SIGSEGV in PJRT_Client_Create".
// `nonsense`: it said something that makes no sense.
static bool bury(tn_pjrt_isolated* isolated, bool nonsense, uint32_t time_limit_ms,
                 tn_status* status) {
  tn_child* child = &isolated->child;
  struct {
    uint32_t call, begun;
  } words = {0, 0};
  if (pread(isolated->memory, &words, sizeof words, 0) != sizeof words) words.begun = 0;
  tn_child_end(child);
  const char* call = tn_pjrt_trace_name(words.call);
  const char* who = words.begun ? "the plugin" : "tenon-probe";
  tn_text text = {0};
  const char* signal_name = child->ended.si_pid && child->ended.si_code != CLD_EXITED
                                ? sigabbrev_np(child->ended.si_status)
                                : NULL;
  if (nonsense)
    tn_text_puts(&text, "the plugin's process was ended: what it said makes no sense");
  else if (!child->timed_out && signal_name)
    tn_text_printf(&text, "%s died with SIG%s", who, signal_name);
  else {
    tn_text_printf(&text, "%s %s", who, child->timed_out ? "is " : "");
    tn_child_print_ending(child, time_limit_ms, &text);
  }
  if (!words.begun)
    tn_text_puts(&text, " before the plugin was opened");
  else if (!call)
    tn_text_puts(&text, " between calls");
  else if (words.call == TN_PJRT_STAGE_DLOPEN)
    tn_text_puts(&text, " in its constructors (dlopen)");
  else
    tn_text_printf(&text, " in %s", call);
  tn_child_quote(child, &text);
  const tn_code code = nonsense           ? TN_DATA_LOSS
                       : child->timed_out ? TN_DEADLINE_EXCEEDED
                                          : TN_ABORTED;
  if (text.failed)
    tn_status_set_no_memory(&isolated->end, "watching a plugin");
  else
    tn_status_set(&isolated->end, code, "%s: %s", file_name(isolated), text.data);
  tn_status_set_fault(&isolated->end, words.begun ? TN_FAULT_PLUGIN : TN_FAULT_HOST);
  tn_text_deinit(&text);
  tn_status_copy(status, &isolated->end);
  return false;
}

// ---- Asking ----

// One request and its answer.
typedef struct exchange {
  tn_text request;   // begins with its head
  tn_text received;  // of which the answer is the first
  size_t sent;
} exchange;

static void exchange_begin(exchange* exchange) {
  *exchange = (struct exchange){0};
  tn_text_append(&exchange->request, (const char*)&(tn_session_head){0}, sizeof(tn_session_head));
}

static void exchange_deinit(exchange* exchange) {
  tn_text_deinit(&exchange->request);
  tn_text_deinit(&exchange->received);
}

static tn_view answer_of(const exchange* exchange) {
  return (tn_view){exchange->received.data + sizeof(tn_session_head),
                   exchange->received.size - sizeof(tn_session_head)};
}

// Sends and receives what goes without waiting. False when the other end is closed.
static bool move(tn_pjrt_isolated* isolated, exchange* exchange) {
  while (exchange->sent < exchange->request.size) {
    const ssize_t size = send(isolated->channel, exchange->request.data + exchange->sent,
                              exchange->request.size - exchange->sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size < 0) return false;
    exchange->sent += (size_t)size;
  }
  char bytes[4096];
  while (exchange->received.size <= TN_SESSION_MOST_BYTES) {
    const ssize_t size = recv(isolated->channel, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return true;
    if (size <= 0) return false;
    tn_text_append(&exchange->received, bytes, (size_t)size);
    if (exchange->received.failed) return true;
  }
  return true;
}

typedef enum answered { NOT_YET, WHOLE, NONSENSE } answered;

static answered look_at(const exchange* exchange, uint32_t number) {
  tn_session_head head;
  if (exchange->received.size < sizeof head) return NOT_YET;
  memcpy(&head, exchange->received.data, sizeof head);
  const size_t size = exchange->received.size - sizeof head;
  if ((head.kind != TN_SESSION_DONE && head.kind != TN_SESSION_FAILED) || head.number != number ||
      head.size > TN_SESSION_MOST_BYTES || size > head.size)
    return NONSENSE;
  return size == head.size ? WHOLE : NOT_YET;
}

// Sends the request and waits for its answer. False when the child refused (its status), when it is
// no more or when the time was over.
static bool ask(tn_pjrt_isolated* isolated, exchange* exchange, tn_session_kind kind,
                uint32_t time_limit_ms, tn_status* status) {
  if (!tn_ok(&isolated->end)) {
    tn_status_copy(status, &isolated->end);
    tn_status_annotate(status, "start another session");
    return false;
  }
  if (exchange->request.failed) {
    tn_status_set_no_memory(status, "asking a plugin's process");
    return false;
  }
  const tn_session_head head = {kind, (uint32_t)(exchange->request.size - sizeof(tn_session_head)),
                                ++isolated->asked};
  memcpy(exchange->request.data, &head, sizeof head);
  tn_child* child = &isolated->child;
  const int64_t deadline = tn_clock_ms() + time_limit_ms;
  int64_t closed = 0;  // since when it cannot be spoken to
  answered answered = NOT_YET;
  while (answered == NOT_YET) {
    const short wanted = exchange->sent < exchange->request.size ? POLLIN | POLLOUT : POLLIN;
    struct pollfd fds[] = {{.fd = isolated->channel, .events = wanted},
                           {.fd = child->output, .events = POLLIN}};
    poll(fds, 2, TN_CHILD_LOOK_MS);
    const bool open = move(isolated, exchange);
    tn_child_listen(child);
    if (exchange->received.failed) {
      tn_status_set_no_memory(status, "listening to a plugin's process");
      tn_status_set(&isolated->end, TN_RESOURCE_EXHAUSTED,
                    "%s: no memory for what the plugin's process said", file_name(isolated));
      tn_child_end(child);
      return false;
    }
    answered = look_at(exchange, head.number);
    if (answered != NOT_YET) break;
    // A child that closed its end is ending; how, is known in a moment.
    const bool ended = tn_child_look(child);
    const bool late = time_limit_ms && tn_clock_ms() >= deadline;
    if (ended) {
      move(isolated, exchange);  // an answer may have come in between
      answered = look_at(exchange, head.number);
      if (answered == NOT_YET) return bury(isolated, false, time_limit_ms, status);
    } else if (late) {
      child->timed_out = true;
      return bury(isolated, false, time_limit_ms, status);
    } else if (!open) {
      if (!closed) closed = tn_clock_ms();
      if (tn_clock_ms() - closed >= most_silence_ms)
        return bury(isolated, true, time_limit_ms, status);
      poll(NULL, 0, 1);
    }
  }
  if (answered == NONSENSE) return bury(isolated, true, time_limit_ms, status);
  tn_session_head got;
  memcpy(&got, exchange->received.data, sizeof got);
  if (got.kind == TN_SESSION_DONE) return true;
  return tn_session_get_failure(answer_of(exchange), status)
             ? false
             : bury(isolated, true, time_limit_ms, status);
}

// ---- Shared memory ----

static bool get_bytes(tn_pjrt_isolated* isolated, void* bytes, size_t size, uint64_t at) {
  char* to = bytes;
  while (size > 0) {
    const ssize_t done = pread(isolated->memory, to, size, (off_t)at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    to += done;
    at += (uint64_t)done;
    size -= (size_t)done;
  }
  return true;
}

static uint64_t memory_size(const tn_pjrt_isolated* isolated) {
  struct stat about;
  return fstat(isolated->memory, &about) == 0 && about.st_size > 0 ? (uint64_t)about.st_size : 0;
}

// ---- Requests ----

static bool open_channels(tn_pjrt_isolated* isolated, int* child_end, tn_status* status) {
  int ends[2];
  if (tn_child_sockets(ends)) {
    isolated->channel = ends[0];
    *child_end = ends[1];
    isolated->memory = tn_child_clear_fd(memfd_create("tenon-session", MFD_CLOEXEC));
    static const char nothing[TN_SESSION_DATA];
    if (isolated->memory >= 0)
      return tn_session_put_bytes(isolated->memory, nothing, sizeof nothing, 0, status);
  }
  tn_status_set_errno(status, errno, "cannot open what a plugin's process needs");
  return false;
}

bool tn_pjrt_isolated_start(tn_pjrt_isolated* isolated, const char* path,
                            const tn_pjrt_session_options* options, tn_pjrt_found* found,
                            tn_status* status) {
  *isolated = (tn_pjrt_isolated){.channel = -1, .memory = -1, .path = path};
  isolated->child = tn_child_none();
  isolated->time_limit_ms = options->time_limit_ms;
  uint32_t limit = options->open ? options->open->time_limit_ms : 0;
  if (!limit) limit = usual_start_ms;
  int child_end = -1;
  bool fine = open_channels(isolated, &child_end, status);
  if (fine) {
    char* arguments[] = {NULL, (char*)"pjrt", NULL};
    const int fds[] = {child_end, isolated->memory};
    fine = tn_child_start(&isolated->child, arguments, fds, 2, status);
  }
  if (child_end >= 0) close(child_end);
  exchange exchange;
  exchange_begin(&exchange);
  if (fine) {
    tn_session_put_start(&exchange.request, path, options);
    fine = ask(isolated, &exchange, TN_SESSION_START, limit, status);
  }
  tn_status own = {0};
  if (fine && !tn_session_get_found(answer_of(&exchange), found, &own)) {
    fine = false;
    if (tn_ok(&own)) bury(isolated, true, limit, &own);
    tn_status_copy(status, &own);
  }
  tn_status_deinit(&own);
  exchange_deinit(&exchange);
  return fine;
}

void tn_pjrt_isolated_stop(tn_pjrt_isolated* isolated) {
  tn_child_end(&isolated->child);
  if (isolated->channel >= 0) close(isolated->channel);
  if (isolated->memory >= 0) close(isolated->memory);
  tn_status_deinit(&isolated->end);
  isolated->channel = isolated->memory = -1;
}

int tn_pjrt_isolated_compile(tn_pjrt_isolated* isolated, const void* code, size_t size,
                             const tn_pjrt_compile_options* options, size_t* out_outputs,
                             tn_status* status) {
  const bool with_proto = options && TN_HAS(options, proto_size) && options->proto;
  const size_t proto_size = with_proto ? options->proto_size : 0;
  exchange exchange;
  exchange_begin(&exchange);
  tn_session_put_compile(&exchange.request,
                         options && TN_HAS(options, format) ? options->format : NULL, size,
                         proto_size);
  uint64_t program = 0, outputs = 0;
  bool fine = tn_session_put_bytes(isolated->memory, code, size, TN_SESSION_DATA, status) &&
              (!with_proto || tn_session_put_bytes(isolated->memory, options->proto, proto_size,
                                                   TN_SESSION_DATA + (uint64_t)size, status)) &&
              ask(isolated, &exchange, TN_SESSION_COMPILE, isolated->time_limit_ms, status);
  enum { most_programs = 1 << 24, most_outputs = 1 << 20 };
  if (fine && (!tn_session_get_numbers(answer_of(&exchange), &program, &outputs) ||
               program >= most_programs || outputs > most_outputs))
    fine = bury(isolated, true, 0, status);
  exchange_deinit(&exchange);
  *out_outputs = (size_t)outputs;
  return fine ? (int)program : -1;
}

// Puts the inputs into shared memory, one behind the other, and tells of them.
static bool put_inputs(tn_pjrt_isolated* isolated, tn_tensor* const* inputs, size_t count,
                       tn_text* request, tn_status* status) {
  uint64_t at = TN_SESSION_DATA;
  for (size_t i = 0; i < count; ++i) {
    const size_t bytes = tn_tensor_bytes(inputs[i]);
    if (!tn_tensor_is_readable(inputs[i], "run a program on", status) ||
        !tn_session_put_bytes(isolated->memory, tn_tensor_data(inputs[i]), bytes, at, status)) {
      tn_status_annotate(status, "input %zu", i);
      return false;
    }
    if (tn_dtype_size(tn_tensor_dtype(inputs[i])) == 0) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "input %zu: programs take no %s", i,
                    tn_dtype_name(tn_tensor_dtype(inputs[i])));
      return false;
    }
    tn_session_put_array(request, inputs[i], at);
    at = tn_session_align(at + bytes);
  }
  return true;
}

static bool get_outputs(tn_pjrt_isolated* isolated, const tn_session_run* answer,
                        tn_tensor** outputs, size_t count, tn_status* status) {
  if (answer->array_count != count) return bury(isolated, true, 0, status);
  for (size_t i = 0; i < count; ++i) {
    const tn_session_array* array = &answer->arrays[i];
    outputs[i] = tn_tensor_create(array->dtype, array->dims, array->rank, status);
    if (!outputs[i]) return false;
    if (!get_bytes(isolated, tn_tensor_data(outputs[i]), array->bytes, array->at))
      return bury(isolated, true, 0, status);
  }
  return true;
}

bool tn_pjrt_isolated_run(tn_pjrt_isolated* isolated, int program, tn_tensor* const* inputs,
                          size_t input_count, tn_tensor** outputs, size_t output_count,
                          tn_pjrt_timing* timing, tn_status* status) {
  exchange exchange;
  exchange_begin(&exchange);
  tn_session_put_run(&exchange.request, (uint64_t)program, timing);
  tn_session_run answer = {0};
  bool fine = put_inputs(isolated, inputs, input_count, &exchange.request, status) &&
              ask(isolated, &exchange, TN_SESSION_RUN, isolated->time_limit_ms, status);
  tn_status own = {0};
  if (fine && !tn_session_get_run(answer_of(&exchange), memory_size(isolated), &answer, &own)) {
    fine = false;
    if (tn_ok(&own)) bury(isolated, true, 0, &own);
    tn_status_copy(status, &own);
  }
  tn_status_deinit(&own);
  fine = fine && get_outputs(isolated, &answer, outputs, output_count, status);
  if (fine && timing) {
    const size_t size = timing->struct_size;
    *timing = answer.timing;
    timing->struct_size = size;
  }
  for (size_t i = 0; !fine && i < output_count; ++i) {
    tn_tensor_destroy(outputs[i]);
    outputs[i] = NULL;
  }
  tn_session_run_deinit(&answer);
  exchange_deinit(&exchange);
  return fine;
}
