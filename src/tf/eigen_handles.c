// kernel_services.h: what Eigen's interfaces ask for, and launches. A thread pool and an allocator
// need nothing but the run, so that their handles are the context itself.

#include "kernel/run_stream.h"
#include "tenon/kernel_services.h"
#include "tf/entry.h"

// ---- Eigen::ThreadPoolInterface ----

static TF_OpKernelContext* run_of(const TF_EigenThreadPool* pool) {
  return (TF_OpKernelContext*)pool;
}

TF_EigenThreadPool* TF_GetEigenThreadPoolHandle(TF_OpKernelContext* context) {
  return (TF_EigenThreadPool*)context;
}

void TF_EigenThreadPool_Schedule(TF_EigenThreadPool* pool, FuncWrap task) {
  TF_ThreadPool_ScheduleClosure(run_of(pool), task);
}

void TF_EigenThreadPool_ScheduleWithHint(TF_EigenThreadPool* pool, FuncWrap task, int start,
                                         int limit) {
  TF_ThreadPool_ScheduleClosureWithHint(run_of(pool), task, start, limit);
}

void TF_EigenThreadPool_Cancel(TF_EigenThreadPool* pool) {}

int TF_EigenThreadPool_NumThreads(const TF_EigenThreadPool* pool) {
  return TF_ThreadPool_NumThreads(run_of(pool));
}

int TF_EigenThreadPool_CurrentThreadId(const TF_EigenThreadPool* pool) {
  return TF_ThreadPool_CurrentThreadId(run_of(pool));
}

TF_EigenThreadPool* TF_DeleteEigenThreadPoolHandle(TF_EigenThreadPool* pool) { return NULL; }

// ---- Eigen::Allocator ----

TF_EigenAllocator* TF_GetEigenAllocatorHandle(TF_OpKernelContext* context) {
  return (TF_EigenAllocator*)context;
}

void* TF_EigenAllocator_Allocate(TF_EigenAllocator* allocator, size_t num_bytes) {
  return tn_run_host_allocate((TF_OpKernelContext*)allocator, num_bytes);
}

void TF_EigenAllocator_Deallocate(TF_EigenAllocator* allocator, void* buffer) {
  tn_run_host_deallocate(buffer);
}

TF_EigenAllocator* TF_DeleteEigenAllocatorHandle(TF_EigenAllocator* allocator) { return NULL; }

// ---- Eigen::StreamInterface ----

TF_EigenStream* TF_GetEigenStreamHandle(TF_OpKernelContext* context) {
  return tn_run_stream_open(context);
}

TF_GpuStream* TF_EigenStream_GetCudaStream(TF_EigenStream* stream) {
  return tn_run_stream_native(stream);
}

TF_GpuDeviceProperties* TF_EigenStream_GetDeviceProperties(TF_EigenStream* stream) {
  return (TF_GpuDeviceProperties*)tn_run_stream_properties(stream);
}

void* TF_EigenStream_Allocate(TF_EigenStream* stream, size_t num_bytes) {
  return tn_run_stream_allocate(stream, num_bytes);
}

void TF_EigenStream_Deallocate(TF_EigenStream* stream, void* buffer) {
  tn_run_stream_deallocate(stream, buffer);
}

void* TF_EigenStream_Scratchpad(TF_EigenStream* stream) { return tn_run_stream_scratchpad(stream); }

int* TF_EigenStream_Semaphore(TF_EigenStream* stream) { return tn_run_stream_semaphore(stream); }

TF_EigenStream* TF_DeleteEigenStreamHandle(TF_EigenStream* stream) {
  tn_run_stream_close(stream);
  return NULL;
}

// ---- Launches ----

bool TF_LaunchKernel(TF_OpKernelContext* context, const void* function, TF_Dim3 grid, TF_Dim3 block,
                     void** args, size_t shared_memory, TF_Status* status) {
  tf_begin(status);
  tn_status outcome = {0};
  const bool launched =
      tn_run_launch(context, function, grid, block, args, shared_memory, &outcome);
  return tn_run_conclude(status ? NULL : context, launched, &outcome, status);
}

int TF_CudaLaunchKernel(const void* function, TF_Dim3 grid, TF_Dim3 block, void** args,
                        size_t shared_memory, TF_GpuStream stream) {
  enum { cuda_not_supported = 801 };
  TF_OpKernelContext* context = tn_run_of_this_thread();
  int code = cuda_not_supported;
  tn_status outcome = {0};
  const bool launched = tn_run_launch_native(context, function, grid, block, args, shared_memory,
                                             stream, &code, &outcome);
  tn_run_conclude(context, launched, &outcome, NULL);
  return code;
}
