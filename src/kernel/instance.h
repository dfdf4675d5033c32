// A kernel made for one node: create was called, compute may be, from several threads at once.
#ifndef TENON_KERNEL_INSTANCE_H_
#define TENON_KERNEL_INSTANCE_H_

#include "base/status.h"
#include "device/device.h"
#include "kernel/kernel.h"

typedef struct tn_kernel_instance {
  const tn_kernel* kernel;
  tn_node* node;
  tn_device* device;
  void* state;
  // Memory kinds, per flattened argument: device memory unless the kernel names the argument as in
  // host memory (TF_KernelBuilder_HostMemory), the node does (_input_hostmem, _output_hostmem) or
  // the type lives there always (strings, resources).
  bool* input_on_host;
  bool* output_on_host;
  struct tn_kernel_instance* previous;  // src/exec: an older choice, kept because it may be running
} tn_kernel_instance;

// What TF_OpKernelConstruction is: alive during create only.
struct TF_OpKernelConstruction {
  const tn_node* node;
  tn_device* device;
  tn_status status;  // first failure wins
};

// The kernel is not made; what was asked for fails with `status` (NULL or OK: without effect).
void tn_construction_fail(tn_construction* construction, const tn_status* status);

// Takes `node` in every case. Runs create; when it reports failure, destroy runs at once with
// whatever create returned (also NULL) and the failure is returned.
tn_kernel_instance* tn_kernel_instance_create(const tn_kernel* kernel, tn_node* node,
                                              tn_device* device, tn_status* status);
void tn_kernel_instance_destroy(tn_kernel_instance* instance);

#endif  // TENON_KERNEL_INSTANCE_H_
