// Shows the bits of the numbers in a .npy file, by an op that a plugin brings.
#include <stdio.h>
#include <tenon/tenon.h>

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "usage: bits PLUGIN.so NUMBERS.npy\n"), 2;
  tn_status* status = tn_status_create();
  tn_tensor *x = NULL, *y = NULL;
  tn_call* bitcast = NULL;

  if (tn_plugin_load(argv[1], NULL, status) &&  // what it registers is known to the whole process
      (bitcast = tn_call_create("Bitcast", "CPU", status)) &&  // looked up once, run many times
      tn_call_set_attr(bitcast, "type", "int32", status) && (x = tn_npy_read(argv[2], status)) &&
      tn_call_run(bitcast, &x, 1, &y, 1, status) && tn_tensor_write_text(y, stdout, status))
    printf("\n");

  int result = tn_report(status);  // prints what is wrong, where, and what to do
  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
  tn_call_destroy(bitcast);
  tn_status_destroy(status);
  return result;
}
