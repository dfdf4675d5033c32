// The stream of a run, for kernels that put work of their own on it: behind TF_EigenStream, and
// launches.
#ifndef TENON_KERNEL_RUN_STREAM_H_
#define TENON_KERNEL_RUN_STREAM_H_

#include "kernel/run_context.h"
#include "tenon/kernel_services.h"

typedef struct TF_EigenStream tn_run_stream_handle;

// Failures of all of these go to the context; a NULL handle gives NULL.  [any thread]
tn_run_stream_handle* tn_run_stream_open(tn_run_context* context);
// Frees what is still allocated, too.
void tn_run_stream_close(tn_run_stream_handle* handle);
void* tn_run_stream_native(tn_run_stream_handle* handle);
const void* tn_run_stream_properties(tn_run_stream_handle* handle);
void* tn_run_stream_scratchpad(tn_run_stream_handle* handle);
void* tn_run_stream_semaphore(tn_run_stream_handle* handle);
void* tn_run_stream_allocate(tn_run_stream_handle* handle, size_t size);
void tn_run_stream_deallocate(tn_run_stream_handle* handle, void* data);

// Launches on the run's stream, or on one of the vendor's with the vendor's code.  [any thread]
bool tn_run_launch(tn_run_context* context, const void* function, TF_Dim3 grid, TF_Dim3 block,
                   void** args, size_t shared_memory, tn_status* status);
bool tn_run_launch_native(tn_run_context* context, const void* function, TF_Dim3 grid,
                          TF_Dim3 block, void** args, size_t shared_memory, void* native_stream,
                          int* out_code, tn_status* status);

// Host memory, which needs no handle to be given back. NULL, with the context failed, without
// memory.  [any thread]
void* tn_run_host_allocate(tn_run_context* context, size_t size);
void tn_run_host_deallocate(void* data);

#endif  // TENON_KERNEL_RUN_STREAM_H_
