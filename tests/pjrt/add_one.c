// add_one PLUGIN: what a program of a user does with a plugin, from opening it to the result of a
// run, also of the executable written out and loaded again. Prints the numbers; 1 with the reason
// when something fails.

#include <stdio.h>
#include <string.h>

#include "tenon/pjrt.h"
#include "xla/pjrt/c/pjrt_c_api.h"

static const char program[] =
    "module @add_one {\n"
    "  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32>) {\n"
    "    %one = stablehlo.constant dense<1> : tensor<4xf32>\n"
    "    %0 = stablehlo.add %arg0, %one : tensor<4xf32>\n"
    "    return %0 : tensor<4xf32>\n"
    "  }\n"
    "}\n";

// Runs and prints. The result takes the place of the argument.
static bool run(tn_pjrt_executable* executable, tn_pjrt_buffer** x, tn_status* status) {
  tn_pjrt_buffer* y = NULL;
  float found[4];
  if (!executable || !tn_pjrt_execute(executable, x, 1, &y, 1, NULL, status)) return false;
  tn_pjrt_buffer_destroy(*x);
  *x = y;
  if (!tn_pjrt_buffer_to_host(y, found, sizeof found, NULL, NULL, status)) return false;
  printf("%g %g %g %g\n", found[0], found[1], found[2], found[3]);
  return true;
}

static bool work(const char* path, tn_status* status) {
  tn_pjrt* plugin = tn_pjrt_open(path, NULL, status);
  if (!plugin) return false;
  int major, minor;
  tn_pjrt_api_version(plugin, &major, &minor);
  printf("PJRT %d.%d\n", major, minor);
  tn_pjrt_client* client = tn_pjrt_client_create(plugin, NULL, status);
  tn_pjrt_close(plugin);
  if (!client) return false;
  tn_pjrt_host_array array = TN_INIT(tn_pjrt_host_array);
  array.data = (float[]){1, 2, 3, 4};
  array.type = PJRT_Buffer_Type_F32;
  array.dims = (int64_t[]){4};
  array.rank = 1;
  tn_pjrt_buffer* x = tn_pjrt_buffer_create(client, &array, NULL, status);
  tn_pjrt_executable* executable =
      x ? tn_pjrt_compile(client, program, strlen(program), NULL, status) : NULL;
  void* bytes = NULL;
  size_t size = 0;
  bool done = run(executable, &x, status) &&
              tn_pjrt_executable_serialize(executable, &bytes, &size, status);
  tn_pjrt_executable* again = done ? tn_pjrt_executable_load(client, bytes, size, status) : NULL;
  done = done && run(again, &x, status);
  tn_pjrt_executable_destroy(again);
  tn_pjrt_bytes_free(bytes);
  tn_pjrt_executable_destroy(executable);
  tn_pjrt_buffer_destroy(x);
  tn_pjrt_client_destroy(client);
  return done;
}

int main(int argc, char** argv) {
  tn_status* status = tn_status_create();
  if (argc != 2) return 2;
  const bool done = work(argv[1], status);
  if (!done) fprintf(stderr, "%s\n", tn_status_message(status));
  tn_status_destroy(status);
  return !done;
}
