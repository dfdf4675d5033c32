// Running one op: looked up once, run many times.
#ifndef TENON_CALL_H_
#define TENON_CALL_H_

#include "tenon/abi.h"
#include "tenon/cancel.h"
#include "tenon/device.h"
#include "tenon/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// An op on a device with its attributes. Attributes are set before the first run; from then on any
// number of threads may run it at once. Belongs to whoever made it.
typedef struct tn_call tn_call;

// Makes a call of `op` on `device` ("CPU", "/device:CPU:0"; NULL: the CPU). Owned by the caller
// until tn_call_destroy. NULL and NOT_FOUND, with the nearest names, when there is no such op or
// device. [any thread]  since 0.1
tn_call* tn_call_create(const char* op, const char* device, tn_status* status);

// Frees a call that no thread runs any more; NULL is fine. The caller's pointer is dead afterwards.
// [one thread per call]  since 0.1
void tn_call_destroy(tn_call* call);

// Sets an attribute from text, read by the type that the op's definition gives it: "true", "3",
// "float32", "[1, 2]", "SAME". Copies both.  [one thread per call, before its first run]  since 0.1
bool tn_call_set_attr(tn_call* call, const char* name, const char* value, tn_status* status);

// Where the call's device has no kernel for the types it is run with, one of the CPU serves, and
// tensors are copied to and fro. Borrows `call`.
// [one thread per call, before its first run]  since 0.1
bool tn_call_allow_cpu_fallback(tn_call* call, tn_status* status);

// Runs the op. Inputs are brought to the device; outputs lie where the kernel put them, and may
// still be in the making there (tn_tensor_to_host waits). `inputs` are borrowed; `outputs` become
// handles owned by the caller, all of them or, on failure, none (NULLs). `output_count` must be
// what the op gives, which tn_call_output_count says. The first run with these input types finds
// and makes the kernel; later ones take no lock and allocate nothing but the outputs.  [any thread]
// since 0.1
bool tn_call_run(tn_call* call, tn_tensor* const* inputs, size_t input_count, tn_tensor** outputs,
                 size_t output_count, tn_status* status);

// How to run. Zero fields take the defaults.
typedef struct tn_call_options {
  size_t struct_size;       // TN_CALL_OPTIONS_STRUCT_SIZE                since 0.1
  void* ext;                // must be NULL                               since 0.1
  const tn_cancel* cancel;  // borrowed for the run; NULL: runs to its end  since 0.1
  tn_stream* stream;        // of the call's device, borrowed; NULL: the device's own  since 0.1
} tn_call_options;
TN_DEFINE_STRUCT_SIZE(tn_call_options, stream);
#define TN_CALL_OPTIONS_STRUCT_SIZE ((size_t)tn_call_options_STRUCT_SIZE)

// tn_call_run with options, which may be NULL; inputs and options are borrowed, outputs become the
// caller's. When `cancel` is asked before the kernel begins, or while it still has pieces of work
// to begin that it may leave undone, the run ends with CANCELLED and without outputs, and no
// variable was changed by it. What is in one piece, and what changes a variable, is done to its
// end: then the run ends as if nobody had asked.  [any thread]  since 0.1
bool tn_call_run_with(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                      tn_tensor** outputs, size_t output_count, const tn_call_options* options,
                      tn_status* status);

// The number of outputs for such inputs, or -1 with a status. Borrows `inputs`.
// [any thread]  since 0.1
int tn_call_output_count(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                         tn_status* status);

// The device whose kernel serves such inputs: the call's own, or the CPU after a fallback. NULL
// with a status. Owned by the library, valid for ever.  [any thread]  since 0.1
tn_device* tn_call_device(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                          tn_status* status);

// The file whose kernel serves such inputs ("tenon" for a built-in one), or NULL with a status.
// Owned by the library, valid for ever.  [any thread]  since 0.1
const char* tn_call_kernel_origin(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                                  tn_status* status);

// What that kernel's author called it, or NULL with a status. Owned by the library, valid for ever.
// [any thread]  since 0.1
const char* tn_call_kernel_name(tn_call* call, tn_tensor* const* inputs, size_t input_count,
                                tn_status* status);

#ifdef __cplusplus
}
#endif
#endif  // TENON_CALL_H_
