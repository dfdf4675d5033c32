// The services of the device in misdeed_device.c: kernels are functions of the host, run by the
// stream's thread.
#include <stdlib.h>
#include <string.h>

#include "misdeed.h"
#include "tenon/device_services.h"

static const char properties_text[] = "a device that misbehaves";

// Whether this call is to give NULL: with a reason, or without.
static bool gives_nothing(const char* function, TF_Status* status) {
  const char* silent = misdeed_argument("nothing");
  return misdeed_fails(function, status) || (silent && strcmp(silent, function) == 0);
}

static void* native_stream(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  return gives_nothing("native_stream", status) ? NULL : &misdeed_vendor_of(stream)->stream;
}
static const void* properties(const SP_Device* device, TF_Status* status) {
  return gives_nothing("properties", status) ? NULL : properties_text;
}
static void* scratchpad(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  return gives_nothing("scratchpad", status) ? NULL : misdeed_vendor_of(stream)->scratchpad;
}
static void* semaphore(const SP_Device* device, SP_Stream stream, TF_Status* status) {
  return gives_nothing("semaphore", status) ? NULL : &misdeed_vendor_of(stream)->semaphore;
}

typedef struct launched {
  misdeed_kernel kernel;
  void* args[4];
  uint32_t grid[3], block[3];
} launched;

static void run(void* arg) {
  launched* it = arg;
  it->kernel(it->args, it->grid, it->block);
  free(it);
}

static bool put(SP_Stream stream, const tn_kernel_launch* launch, TF_Status* status) {
  launched* it = calloc(1, sizeof *it);
  if (!it) {
    if (status) TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory");
    return false;
  }
  it->kernel = (misdeed_kernel)launch->function;
  for (int i = 0; i < 4 && launch->args && launch->args[i]; ++i)
    memcpy(&it->args[i], launch->args[i], sizeof it->args[i]);
  memcpy(it->grid, launch->grid, sizeof it->grid);
  memcpy(it->block, launch->block, sizeof it->block);
  if (misdeed_enqueue(stream, run, it, status)) return true;
  free(it);
  return false;
}

static void launch(const SP_Device* device, SP_Stream stream, const tn_kernel_launch* what,
                   TF_Status* status) {
  if (!misdeed_fails("launch", status)) put(stream, what, status);
}
static int launch_native(const SP_Device* device, void* stream, const tn_kernel_launch* what) {
  return misdeed_fails("launch_native", NULL) || !put(stream, what, NULL) ? MISDEED_CODE : 0;
}

void TN_InitDeviceServices(tn_device_services* services, TF_Status* status) {
  if (misdeed_fails("TN_InitDeviceServices", status)) return;
  *services = (tn_device_services){.struct_size = tn_device_services_STRUCT_SIZE,
                                   .native_stream = native_stream,
                                   .properties = properties,
                                   .scratchpad = scratchpad,
                                   .semaphore = semaphore,
                                   .launch = launch,
                                   .launch_native = launch_native};
  misdeed_spoil("tn_device_services", services);
}
