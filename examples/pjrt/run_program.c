// Runs a program on a PJRT plugin: arrays in, arrays out.
#include <stdio.h>
#include <stdlib.h>
#include <tenon/tenon.h>

int main(int argc, char** argv) {
  if (argc < 3) return fprintf(stderr, "usage: run_program PLUGIN.so PROGRAM [X.npy...]\n"), 2;
  tn_status* status = tn_status_create();
  tn_pjrt* plugin = tn_pjrt_open(argv[1], NULL, status);
  tn_pjrt_client* client = plugin ? tn_pjrt_client_create(plugin, NULL, status) : NULL;
  tn_pjrt_executable* program = client ? tn_pjrt_compile_file(client, argv[2], NULL, status) : NULL;

  size_t input_count = (size_t)argc - 3, output_count = tn_pjrt_executable_output_count(program);
  if (output_count == SIZE_MAX) {  // some plugins do not tell
    tn_status_set(status, TN_UNIMPLEMENTED, "how many outputs has %s?", argv[2]);
    output_count = 0;
  }
  tn_pjrt_buffer** inputs = calloc(input_count + 1, sizeof *inputs);
  tn_pjrt_buffer** outputs = calloc(output_count + 1, sizeof *outputs);
  bool ok = tn_ok(status) && inputs && outputs;
  for (size_t i = 0; ok && i < input_count; ++i) {
    tn_tensor* x = tn_npy_read(argv[3 + i], status);
    ok = x && (inputs[i] = tn_pjrt_buffer_from_tensor(client, x, NULL, status));
    tn_tensor_destroy(x);  // the buffer has its own copy
  }

  // Returns at once where the plugin works in the background; reading an output waits for it.
  ok = ok && tn_pjrt_execute(program, inputs, input_count, outputs, output_count, NULL, status);
  for (size_t i = 0; ok && i < output_count; ++i) {
    tn_tensor* y = tn_pjrt_buffer_to_tensor(outputs[i], status);
    ok = y && tn_tensor_write_text(y, stdout, status);
    if (ok) printf("\n");
    tn_tensor_destroy(y);
  }

  int result = tn_report(status);  // prints what is wrong, where, and what to do
  for (size_t i = 0; inputs && i < input_count; ++i) tn_pjrt_buffer_destroy(inputs[i]);
  for (size_t i = 0; outputs && i < output_count; ++i) tn_pjrt_buffer_destroy(outputs[i]);
  free(inputs);
  free(outputs);
  tn_pjrt_executable_destroy(program);
  tn_pjrt_client_destroy(client);
  tn_pjrt_close(plugin);
  tn_status_destroy(status);
  return result;
}
