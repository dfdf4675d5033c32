// meet HOST PLUGIN MANNER [deprecated]: one host and one plugin of seed.c in one process. Prints
// the members that the host follows and what it finds there, one a line. Ends with 0, with 3 and
// the status where the host refused, or by what the host ran into.

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "seed.h"

static void print_use(const char* member, const char* found) {
  if (found) {
    printf("%s\n", found);
  } else {
    printf("%s = ", member);
  }
  fflush(stdout);
}

static void* symbol_of(const char* path, const char* name) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library ? dlsym(library, name) : NULL;
  if (!symbol) {
    fprintf(stderr, "meet: %s\n", dlerror());
    exit(2);
  }
  return symbol;
}

int main(int count, char** arguments) {
  static const char* const manners[] = {"trusting", "validating", "tenon", "blind"};
  int manner = 0;
  while (count >= 4 && manner < 4 && strcmp(arguments[3], manners[manner]) != 0) ++manner;
  if (count < 4 || manner == 4) return 2;
  // A crash is the signal it is, whatever a sanitizer installed.
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  struct SE_Device* (*create)(void) =
      (struct SE_Device * (*)(void)) symbol_of(arguments[2], "Plugin_CreateDevice");
  void (*foo)(const struct SE_Device*, seed_manner, bool, seed_use*, tn_status*) =
      (void (*)(const struct SE_Device*, seed_manner, bool, seed_use*, tn_status*))symbol_of(
          arguments[1], "TF_Foo");
  tn_status* status = tn_status_create();
  struct SE_Device* device = create();
  if (!device) return 2;
  foo(device, (seed_manner)manner, count > 4, print_use, status);
  const bool fine = tn_ok(status);
  if (!fine) printf("%s: %s\n", tn_code_name(tn_status_code(status)), tn_status_message(status));
  tn_status_destroy(status);
  return fine ? 0 : 3;
}
