// Loads the device the way a program would, runs an op on it and looks at what comes out.

#include <stdio.h>
#include <tenon/tenon.h>

int main(void) {
  tn_status* status = tn_status_create();
  float values[] = {-1, 0, 0.5f, 4};
  int64_t dims[] = {2, 2};
  tn_tensor* x = tn_tensor_create_from(TN_FLOAT, dims, 2, values, sizeof values, status);
  tn_tensor* y = NULL;
  tn_tensor* result = NULL;

  tn_call* call = NULL;
  if (tn_plugin_load("./libexample_device.so", NULL, status))
    call = tn_call_create("Relu", "/device:EXAMPLE_DEVICE:0", status);
  // y lies in the device's memory; what the host gets is a copy, once the stream has made it.
  if (call && tn_call_run(call, &x, 1, &y, 1, status)) result = tn_tensor_to_host(y, status);

  int failed = tn_report(status);
  for (int i = 0; !failed && i < 4; ++i) {
    float found = ((const float*)tn_tensor_data(result))[i];
    float expected = values[i] < 0 ? 0 : values[i];
    if (found != expected) {
      printf("not ok: y[%d] is %g, expected %g\n", i, found, expected);
      failed = 1;
    }
  }
  if (!failed) printf("ok: EXAMPLE_DEVICE runs Relu\n");

  tn_tensor_destroy(x);
  tn_tensor_destroy(y);
  tn_tensor_destroy(result);
  tn_call_destroy(call);
  tn_status_destroy(status);
  return failed;
}
