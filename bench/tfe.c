#include "tfe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

tfe_host host;

void tfe_open(int count, char** libraries) {
  void* library = NULL;
  for (int i = 0; i < count; ++i)
    if (!(library = dlopen(libraries[i], RTLD_NOW | RTLD_GLOBAL))) {
      fprintf(stderr, "bench: %s\n", dlerror());
      exit(1);
    }
#define FIND(name)                                                           \
  if (!library || !(host.name = (__typeof__(&name))dlsym(library, #name))) { \
    fprintf(stderr, "bench: %s has no %s\n", libraries[count - 1], #name);   \
    exit(1);                                                                 \
  }
  TFE_FUNCTIONS(FIND)
}

void tfe_expect_ok(TF_Status* status, const char* what) {
  if (host.TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "bench: %s: %s\n", what, host.TF_Message(status));
  exit(1);
}
