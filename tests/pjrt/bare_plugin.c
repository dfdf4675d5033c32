// A plugin that does nothing, and whose table is whatever the environment asks for: words such as
// "minor=40 size=808 null=3 wild=7" in BARE_PLUGIN. Slots are counted from PJRT_Error_Destroy.
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xla/pjrt/c/pjrt_c_api.h"

enum { ROOM = 4096, FIRST = 40 };
static _Alignas(16) char table[ROOM];
static int initializations;

// The number behind "name=" in the environment, once or several times; `otherwise` when it is not
// there.
static long option_after(const char** at, const char* name, long otherwise) {
  const size_t size = strlen(name);
  for (const char* found = *at; found && (found = strstr(found, name)); ++found)
    if (found[size] == '=') {
      *at = found + size;
      return strtol(found + size + 1, NULL, 0);
    }
  *at = NULL;
  return otherwise;
}
static long option(const char* name, long otherwise) {
  const char* at = getenv("BARE_PLUGIN");
  return option_after(&at, name, otherwise);
}

static void put(size_t offset, const void* from, size_t size) {
  memcpy(table + offset, from, size);
}

// ---- Errors: a code and a text, with nothing in front that a host could take for a table ----

typedef struct error {
  long guard;
  int code;
  char text[120];
} error;
static long errors_alive;

static PJRT_Error* fail(int code, const char* text) {
  error* made = calloc(1, sizeof *made);
  made->guard = 1;
  made->code = code;
  snprintf(made->text, sizeof made->text, "%s", text);
  ++errors_alive;
  return (PJRT_Error*)made;
}

static void error_destroy(PJRT_Error_Destroy_Args* args) {
  if (args->error) --errors_alive;
  free(args->error);
}

static void error_message(PJRT_Error_Message_Args* args) {
  if (option("speechless", 0)) return;
  args->message = ((const error*)args->error)->text;
  args->message_size = option("message_size", (long)strlen(args->message));
}

static PJRT_Error* error_code(PJRT_Error_GetCode_Args* args) {
  if (option("codeless", 0)) return fail(13, "no code");
  const int code = (int)option("code", ((const error*)args->error)->code);
  memcpy(&args->code, &code, sizeof code);
  return NULL;
}

static PJRT_Error* error_payloads(PJRT_Error_ForEachPayload_Args* args) {
  args->visitor("where", 5, "here and there", 4, args->user_arg);
  return NULL;
}

// ---- The rest ----

// Compares as plugins of the number did.
static PJRT_Error* check_size(const char* name, size_t found, size_t expected) {
  const bool exact = option("minor", 90) <= 34;
  if (exact ? found == expected : found >= expected) return NULL;
  char text[120];
  snprintf(text, sizeof text, "Unexpected %s size: expected %zu, got %zu", name, expected, found);
  return fail(3, text);
}

static void* stay(void* arg) {
  for (;;) pause();
  return NULL;
}

static void handler(int number) { (void)number; }

static void disturb(const char* when) {
  const char* asked = getenv("BARE_PLUGIN");
  char name[40];
  snprintf(name, sizeof name, "%s_crashes", when);
  if (asked && strstr(asked, name)) abort();
  snprintf(name, sizeof name, "%s_signals", when);
  if (asked && strstr(asked, name)) {
    signal(SIGUSR1, handler);
    signal(SIGTERM, SIG_IGN);
  }
  snprintf(name, sizeof name, "%s_threads", when);
  for (long i = option(name, 0); i > 0; --i) {
    pthread_t thread;
    pthread_create(&thread, NULL, stay, NULL);
    pthread_detach(thread);
  }
}

__attribute__((constructor)) static void loaded(void) { disturb("dlopen"); }

static PJRT_Error* initialize(PJRT_Plugin_Initialize_Args* args) {
  PJRT_Error* wrong = check_size("PJRT_Plugin_Initialize_Args", args->struct_size, 16);
  if (wrong) return wrong;
  ++initializations;
  disturb("initialize");
  return option("initialize_fails", 0) ? fail((int)option("initialize_fails", 0), "no device here")
                                       : NULL;
}

static PJRT_Error* attributes(PJRT_Plugin_Attributes_Args* args) {
  static const int64_t version[] = {1, 13, 2};
  static PJRT_NamedValue list[8];
  const size_t said = option("minor", 90) < 71 ? 24 : 32;
  PJRT_Error* wrong = check_size("PJRT_Plugin_Attributes_Args", args->struct_size, said);
  if (wrong) return wrong;
  for (int i = 0; i < 8; ++i) list[i] = (PJRT_NamedValue){.struct_size = 56, .value_size = 1};
#define NAMED(i, text) list[i].name = text, list[i].name_size = strlen(text)
  NAMED(0, "stablehlo_current_version");
  list[0].type = PJRT_NamedValue_kInt64List;
  list[0].int64_array_value = version;
  list[0].value_size = 3;
  NAMED(1, "initializations");
  list[1].type = PJRT_NamedValue_kInt64;
  list[1].int64_value = initializations;
  NAMED(2, "title, which goes on");
  list[2].name_size = 5;
  list[2].type = PJRT_NamedValue_kString;
  list[2].string_value = "bare plugin";
  list[2].value_size = 4;
  NAMED(3, "half");
  list[3].type = PJRT_NamedValue_kFloat;
  list[3].float_value = 0.5f;
  NAMED(4, "fine");
  list[4].type = PJRT_NamedValue_kBool;
  list[4].bool_value = true;
  NAMED(5, "errors_alive");
  list[5].type = PJRT_NamedValue_kInt64;
  list[5].int64_value = errors_alive;
  // These two make no sense.
  const int odd = 77;
  NAMED(6, "odd");
  memcpy(&list[6].type, &odd, sizeof odd);
  list[7].type = PJRT_NamedValue_kString;
  args->attributes = list;
  args->num_attributes = 8;
  return NULL;
}

#ifdef BARE_LACKS_SYMBOL
void nobody_has_this(void);
#endif
#ifdef BARE_WANTS_TF
void* TF_NewStatus(void);
void TF_DeleteStatus(void* status);
#endif

// Slots of all other functions: they were called, and say so.
static PJRT_Error* other(void* args) {
  disturb("other");
#ifdef BARE_LACKS_SYMBOL
  if (option("calls_it", 0)) nobody_has_this();
#endif
#ifdef BARE_WANTS_TF
  void* status = TF_NewStatus();
  if (!status) abort();
  TF_DeleteStatus(status);
#endif
  return fail((int)option("other", 14), "other was called");
}

// ---- Extensions ----

static struct {
  size_t struct_size;
  int type;
  void* next;
  void* function;
} nodes[4];
static struct {
  int type;
  void* next;
  void* function;
} old_nodes[3];

// As each number had them: three, of which one may say less than it has, and a list that may not
// end.
static void* make_extensions(void) {
  const long minor = option("minor", 90);
  if (minor < 31 || option("plain", 0)) return minor < 31 ? (void*)0x10 : NULL;
  static const int types[] = {1, 24, 4};
  for (int i = 0; i < 3; ++i) {
    nodes[i].struct_size = sizeof nodes[i];
    nodes[i].type = old_nodes[i].type = types[i];
    nodes[i].next = i < 2 ? &nodes[i + 1] : NULL;
    old_nodes[i].next = i < 2 ? &old_nodes[i + 1] : NULL;
  }
  if (option("circle", 0))
    nodes[2].next = old_nodes[2].next = minor < 45 ? (void*)old_nodes : nodes;
  if (option("lost", 0)) nodes[2].next = old_nodes[2].next = (void*)0x1000;
  nodes[1].struct_size = (size_t)option("node_size", 32);
  return minor < 45 ? (void*)old_nodes : (void*)nodes;
}

const void* GetPjrtApi(void);
__attribute__((visibility("default"))) const void* GetPjrtApi(void) {
  disturb("get");
  if (option("table", -1) >= 0) return (const void*)option("table", 0);
  const int number[2] = {(int)option("major", 0), (int)option("minor", 90)};
  size_t size = (size_t)option("size", 1144);
  size_t version = (size_t)option("version", 24);
  void* extensions = make_extensions();
  void* functions[(ROOM - FIRST) / 8];
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) functions[i] = (void*)other;
  functions[0] = (void*)error_destroy;
  functions[1] = (void*)error_message;
  functions[2] = (void*)error_code;
  functions[3] = (void*)initialize;
  functions[4] = (void*)attributes;
  functions[(offsetof(PJRT_Api, PJRT_Error_ForEachPayload) - FIRST) / 8] = (void*)error_payloads;
  static long no_code;
  for (const char* at = getenv("BARE_PLUGIN"); at;) {
    const long slot = option_after(&at, "null", -1);
    if (slot >= 0) functions[slot] = NULL;
  }
  for (const char* at = getenv("BARE_PLUGIN"); at;) {
    const long slot = option_after(&at, "wild", -1);
    if (slot >= 0) functions[slot] = slot % 2 ? (void*)&no_code : (void*)0xdeadbeef0000;
  }
  put(0, &size, 8);
  put(8, &extensions, 8);
  put(16, &version, 8);
  put(32, number, 8);
  put(40, functions, sizeof functions);
  if (option("unversioned", 0)) put(16, functions, sizeof functions - 24);
  return table;
}
