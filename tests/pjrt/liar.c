// liar.so: pjrt_0_117.so, with answers changed as PJRT_LIE says:
//   SLOT MEMBER AFTER VALUE;...
// After AFTER calls of the function at offset SLOT of the table, VALUE stands at offset MEMBER of
// its arguments: a number, or with a star the address of a list of numbers ("*2,3"). Or one of the
// words below.
#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "xla/pjrt/c/pjrt_c_api.h"

typedef PJRT_Error* call(void* args);
enum { LIES = 6, NUMBERS = 8 };

static struct {
  call* honest;
  size_t slot, member;
  int after, calls;
  int64_t value, numbers[NUMBERS];
  int is_list;
} lies[LIES];
static size_t lie_count;
static PJRT_Api table;

// All lies about one function, told by the first of them.
static PJRT_Error* tell(size_t first, void* args) {
  PJRT_Error* error = lies[first].honest(args);
  for (size_t i = first; i < lie_count; ++i) {
    if (lies[i].slot != lies[first].slot || lies[i].calls++ < lies[i].after) continue;
    const int64_t value = lies[i].is_list ? (int64_t)(intptr_t)lies[i].numbers : lies[i].value;
    memcpy((char*)args + lies[i].member, &value, sizeof value);
  }
  return error;
}
#define TELLER(n) \
  static PJRT_Error* tell_##n(void* args) { return tell(n, args); }
TELLER(0)
TELLER(1)
TELLER(2)
TELLER(3)
TELLER(4)
TELLER(5)
static call* const tellers[LIES] = {tell_0, tell_1, tell_2, tell_3, tell_4, tell_5};

static void learn(const char* text) {
  for (const char* at = text; at && lie_count < LIES; at = strchr(at, ';')) {
    if (*at == ';') ++at;
    char value[128] = "";
    size_t i = lie_count;
    if (sscanf(at, "%zu %zu %d %127[^;]", &lies[i].slot, &lies[i].member, &lies[i].after, value) !=
        4)
      continue;
    lies[i].is_list = value[0] == '*';
    lies[i].value = (int64_t)strtoull(value, NULL, 0);
    const char* number = value;
    for (int k = 0; lies[i].is_list && k < NUMBERS && number; ++k, number = strchr(number, ','))
      lies[i].numbers[k] = (int64_t)strtoull(++number, NULL, 0);
    ++lie_count;
  }
}

// ---- late_twice: a callback comes again a while later ----

static PJRT_Error* (*honest_on_ready)(PJRT_Event_OnReady_Args* args);
static struct {
  PJRT_Event_OnReadyCallback callback;
  void* arg;
} late;

static PJRT_Error* on_ready_twice(PJRT_Event_OnReady_Args* args) {
  if (late.callback) {  // the first one's turn, once the second waits
    PJRT_Error* error = honest_on_ready(args);
    late.callback(NULL, late.arg);
    return error;
  }
  late.callback = args->callback;
  late.arg = args->user_arg;
  return honest_on_ready(args);
}

// ---- kind_escapes, rounds_up, daemon ----

static const char escapes[] = "\033[2J\007\nall is well\302\233";
static PJRT_Error* kind_of(PJRT_DeviceDescription_Kind_Args* args) {
  args->device_kind = escapes;
  args->device_kind_size = sizeof escapes - 1;
  return NULL;
}

static PJRT_Error* (*honest_create)(PJRT_Client_Create_Args* args);
static PJRT_Error* create_and_round(PJRT_Client_Create_Args* args) {
  fesetround(FE_UPWARD);
  return honest_create(args);
}

// Writes its number to the file DAEMON_PID, and stays ten minutes at most.
static PJRT_Error* create_and_leave(PJRT_Client_Create_Args* args) {
  int ends[2];
  if (pipe(ends) != 0) return honest_create(args);
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const char* place = getenv("DAEMON_PID");
    FILE* file = place ? fopen(place, "w") : NULL;
    if (file) fprintf(file, "%d", (int)getpid());
    if (file) fclose(file);
    close(ends[0]);
    close(ends[1]);
    alarm(600);
    for (;;) pause();
  }
  close(ends[1]);
  char byte;
  while (read(ends[0], &byte, 1) > 0) {  // until it is there
  }
  close(ends[0]);
  return honest_create(args);
}

// ---- forks: the copy of a process goes on after an execution, a little later ----

static PJRT_Error* (*honest_execute)(PJRT_LoadedExecutable_Execute_Args* args);
static PJRT_Error* execute_twice(PJRT_LoadedExecutable_Execute_Args* args) {
  PJRT_Error* error = honest_execute(args);
  if (fork() == 0) usleep(20000);
  return error;
}

// ---- returns_argument: an output is the argument's own handle ----

static PJRT_Error* execute_nothing(PJRT_LoadedExecutable_Execute_Args* args) {
  PJRT_Buffer* argument = args->argument_lists[0][0];
  args->output_lists[0][0] = argument;
  return NULL;
}

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void);
const PJRT_Api* GetPjrtApi(void) {
  if (table.struct_size) return &table;
  Dl_info self;
  char path[4096] = "";
  if (!dladdr((const void*)&table, &self)) return NULL;
  const char* slash = strrchr(self.dli_fname, '/');
  snprintf(path, sizeof path, "%.*s/pjrt_0_117.so", slash ? (int)(slash - self.dli_fname) : 1,
           slash ? self.dli_fname : ".");
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* entry = library ? dlsym(library, "GetPjrtApi") : NULL;
  const PJRT_Api* (*get)(void);
  memcpy(&get, &entry, sizeof get);
  if (!entry) return NULL;
  table = *get();
  honest_create = table.PJRT_Client_Create;
  honest_on_ready = table.PJRT_Event_OnReady;
  honest_execute = table.PJRT_LoadedExecutable_Execute;
  const char* lie = getenv("PJRT_LIE");
  if (!lie) return &table;
  if (!strcmp(lie, "late_twice")) table.PJRT_Event_OnReady = on_ready_twice;
  if (!strcmp(lie, "kind_escapes")) table.PJRT_DeviceDescription_Kind = kind_of;
  if (!strcmp(lie, "rounds_up")) table.PJRT_Client_Create = create_and_round;
  if (!strcmp(lie, "daemon")) table.PJRT_Client_Create = create_and_leave;
  if (!strcmp(lie, "forks")) table.PJRT_LoadedExecutable_Execute = execute_twice;
  if (!strcmp(lie, "returns_argument")) table.PJRT_LoadedExecutable_Execute = execute_nothing;
  learn(lie);
  for (size_t i = lie_count; i-- > 0;) {
    char* slot = (char*)&table + lies[i].slot;
    size_t first = i;
    for (size_t k = 0; k < i; ++k)
      if (lies[k].slot == lies[i].slot) first = k < first ? k : first;
    if (first != i) continue;
    memcpy(&lies[i].honest, slot, sizeof lies[i].honest);
    memcpy(slot, &tellers[i], sizeof tellers[i]);
  }
  return &table;
}
