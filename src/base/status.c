#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/foreign.h"

static const char* const code_names[] = {
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
};

const char* tn_code_name(tn_code code) {
  size_t i = (size_t)code;
  return i < sizeof code_names / sizeof *code_names ? code_names[i] : "UNKNOWN";
}

tn_status* tn_status_create(void) {
  // Not calloc, which glibc does not serve from a thread's own cache: kernels make one per call.
  tn_status* status = tn_alloc(sizeof *status);
  if (status) *status = (tn_status){0};
  return status;
}

void tn_status_destroy(tn_status* status) {
  if (!status) return;
  tn_status_deinit(status);
  tn_free(status);
}

void tn_status_deinit(tn_status* status) {
  if (tn_ok(status)) return;
  tn_free(status->message);
  for (tn_payload* payload = status->payloads; payload;) {
    tn_payload* next = payload->next;
    tn_free(payload->value);
    tn_free(payload);
    payload = next;
  }
  *status = (tn_status){0};
}

void tn_status_clear(tn_status* status) { tn_status_deinit(status); }
bool tn_ok(const tn_status* status) { return !status || status->code == TN_OK; }
tn_code tn_status_code(const tn_status* status) { return status ? status->code : TN_OK; }
tn_fault tn_status_fault(const tn_status* status) {
  return status ? status->fault : TN_FAULT_UNSAID;
}

const char* tn_status_message(const tn_status* status) {
  if (tn_ok(status)) return "";
  if (status->message) return status->message;
  return status->fixed ? status->fixed : "";
}

void tn_status_setv(tn_status* status, tn_code code, const char* format, va_list args) {
  if (!status) return;
  if (code == TN_OK) {
    tn_status_deinit(status);
    return;
  }
  // The arguments may point into the old message, so that one goes last.
  char* message = tn_vprintf(format, args);
  tn_status_deinit(status);
  status->code = code;
  status->message = message;
  if (!message) status->fixed = "(out of memory: the message is lost)";
}

void tn_status_set(tn_status* status, tn_code code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, code, format, args);
  va_end(args);
}

bool tn_fail(tn_status* status, tn_code code, const char* format, ...) {
  va_list args;
  va_start(args, format);
  tn_status_setv(status, code, format, args);
  va_end(args);
  return false;
}

void tn_status_set_no_memory(tn_status* status, const char* doing) {
  if (!status) return;
  tn_status_set(status, TN_RESOURCE_EXHAUSTED, "out of memory while %s", doing);
  if (!status->message) status->fixed = "out of memory";
}

void tn_status_set_fault(tn_status* status, tn_fault fault) {
  if (!tn_ok(status)) status->fault = fault;
}

void tn_status_annotate(tn_status* status, const char* format, ...) {
  if (tn_ok(status)) return;
  va_list args;
  va_start(args, format);
  char* addition = tn_vprintf(format, args);
  va_end(args);
  char* joined = addition ? tn_printf("%s; %s", tn_status_message(status), addition) : NULL;
  tn_free(addition);
  if (!joined) return;
  tn_free(status->message);
  status->message = joined;
}

void tn_status_set_payload(tn_status* status, const char* key, const char* value) {
  if (tn_ok(status) || !key || !value) return;
  char* copy = tn_strdup(value);
  if (!copy) return;
  tn_payload** slot = &status->payloads;
  for (; *slot; slot = &(*slot)->next) {
    if (strcmp((*slot)->key, key) == 0) {
      tn_free((*slot)->value);
      (*slot)->value = copy;
      return;
    }
  }
  tn_payload* payload = tn_alloc(sizeof *payload + strlen(key) + 1);
  if (!payload) {
    tn_free(copy);
    return;
  }
  payload->next = NULL;
  payload->value = copy;
  strcpy(payload->key, key);
  *slot = payload;
}

void tn_status_each_payload(const tn_status* status, void (*visit)(const char*, const char*, void*),
                            void* arg) {
  if (!status || !visit) return;
  for (const tn_payload* payload = status->payloads; payload; payload = payload->next)
    visit(payload->key, payload->value, arg);
}

static void copy_payload(const char* key, const char* value, void* target) {
  tn_status_set_payload(target, key, value);
}

void tn_status_copy(tn_status* target, const tn_status* source) {
  if (!target || target == source) return;
  tn_status_set(target, tn_status_code(source), "%s", tn_status_message(source));
  tn_status_set_fault(target, tn_status_fault(source));
  tn_status_each_payload(source, copy_payload, target);
}

void tn_status_update(tn_status* target, const tn_status* source) {
  if (tn_ok(target) && !tn_ok(source)) tn_status_copy(target, source);
}

void tn_status_join(tn_status* target, const tn_status* source) {
  if (tn_ok(source)) return;
  if (tn_ok(target)) {
    tn_status_copy(target, source);
  } else {
    tn_status_annotate(target, "and then: %s: %s", tn_code_name(source->code),
                       tn_status_message(source));
  }
}

// clang-format off
static tn_code code_of_errno(int error) {
  switch (error) {
    case 0: return TN_OK;
    case EINVAL: case ENAMETOOLONG: case E2BIG: case EDESTADDRREQ: case EDOM: case EFAULT:
    case EILSEQ: case ENOPROTOOPT: case ENOTSOCK: case ENOTTY: case EPROTOTYPE: case ESPIPE:
      return TN_INVALID_ARGUMENT;
    case ETIMEDOUT: return TN_DEADLINE_EXCEEDED;
    case ENODEV: case ENOENT: case ENXIO: case ESRCH: return TN_NOT_FOUND;
    case EEXIST: case EADDRNOTAVAIL: case EALREADY: return TN_ALREADY_EXISTS;
    case EPERM: case EACCES: case EROFS: return TN_PERMISSION_DENIED;
    case ENOTEMPTY: case EISDIR: case ENOTDIR: case EADDRINUSE: case EBADF: case EBUSY:
    case ECHILD: case EISCONN: case ENOTBLK: case ENOTCONN: case EPIPE: case ETXTBSY:
      return TN_FAILED_PRECONDITION;
    case ENOSPC: case EDQUOT: case EMFILE: case EMLINK: case ENFILE: case ENOBUFS: case ENOMEM:
      return TN_RESOURCE_EXHAUSTED;
    case EFBIG: case EOVERFLOW: case ERANGE: return TN_OUT_OF_RANGE;
    case ENOSYS: case ENOTSUP: case EAFNOSUPPORT: case EPFNOSUPPORT: case EPROTONOSUPPORT:
    case ESOCKTNOSUPPORT: case EXDEV:
      return TN_UNIMPLEMENTED;
    case EAGAIN: case ECONNREFUSED: case ECONNABORTED: case ECONNRESET: case EINTR:
    case EHOSTDOWN: case EHOSTUNREACH: case ENETDOWN: case ENETRESET: case ENETUNREACH:
    case ENOLCK: case ENOLINK:
      return TN_UNAVAILABLE;
    case EDEADLK: case ESTALE: return TN_ABORTED;
    case ECANCELED: return TN_CANCELLED;
    default: return TN_UNKNOWN;
  }
}
// clang-format on

void tn_status_set_errno(tn_status* status, int error, const char* context) {
  char text[128];
  tn_status_set(status, code_of_errno(error), "%s; %s", context,
                strerror_r(error, text, sizeof text));
}

int tn_report(const tn_status* status) {
  if (tn_ok(status)) return 0;
  // One line of ours in one piece, whatever other threads print.
  flockfile(stderr);
  fputs("tenon: ", stderr);
  tn_print_foreign_lines(tn_status_message(status), stderr);
  fputc('\n', stderr);
  funlockfile(stderr);
  return status->fault == TN_FAULT_PLUGIN ? 3 : 1;
}
