// A table of a number that cannot be hosted: of before 0.28, of before numbers, or of another major
// number. It has that number's layout, and every function ends the process, so that a host which
// touches one is found out.

#include <stdio.h>
#include <unistd.h>

#include "pjrt_api.h"

__attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi(void);

static void touched(void) {
  static const char text[] = "a function of a table that cannot be understood was called\n";
  if (write(2, text, sizeof text - 1) < 0) _exit(98);
  _exit(97);
}

const PJRT_Api* GetPjrtApi(void) {
  static PJRT_Api api;
  api.struct_size = PJRT_Api_STRUCT_SIZE;
#if PJRT_API_MINOR > 0
  api.version_size = 24;
  api.major_version = PLUGIN_MAJOR;
  api.minor_version = PJRT_API_MINOR;
#endif
  for (size_t i = 0; i < sizeof api.functions / sizeof *api.functions; ++i)
    api.functions[i] = touched;
  return &api;
}
