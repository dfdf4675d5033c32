// What running kernels get from Tenon beyond tensorflow/c/kernels.h: the host's threads, streams
// and memory, and the launch of kernels on a device. docs/kernel-services.md has the semantics at
// length.
//
// TensorFlow does not have these functions. They are declared weak, so a plugin that uses them
// loads there too, and asks before it calls one (`if (TF_ThreadPool_Schedule) ...`); all are there
// when one is. tn_parallel_for below asks itself.
//
// A function without a status that fails says so in the context: the run then fails, and
// TF_OpKernelContext_UpdateStatusOf tells the kernel. No call of a kernel's function may let an
// exception out.
#ifndef TENON_KERNEL_SERVICES_H_
#define TENON_KERNEL_SERVICES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TN_KERNEL_SERVICES_API
#define TN_KERNEL_SERVICES_API __attribute__((weak))
#endif

typedef struct TF_OpKernelContext TF_OpKernelContext;
typedef struct TF_Status TF_Status;

// -- Loops --

// Calls `fn(arg, begin, end)` for pieces that together cover [0, total) exactly once, and returns
// when all are done; what they wrote is visible then. Borrows `context` and `arg` until it returns.
//
// `cost_per_unit` is what one index costs, in nanoseconds of one core, roughly (below 1 counts as
// 1). It decides whether to share the work and how finely: a loop of less than about two
// microseconds in all is one piece on the calling thread and costs nanoseconds more than calling
// `fn` directly. Otherwise pieces run in any order and at once, on the calling thread and on those
// of the host's threads that are idle; no thread is waited for that has not begun a piece.
//
// May be called inside `fn` again, and from several threads for one context. `context` may be NULL,
// for work outside a run. `fn` may use the functions of kernels.h on `context` that are safe on
// several threads, must return (no exception, no longjmp), and reports failure through memory of
// `arg` or TF_OpKernelContext_Failure. A total of 0 or less calls nothing; a NULL `fn` fails the
// context with INVALID_ARGUMENT.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ParallelForClosure(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg);

// The same for work that may be left undone: when the run is cancelled, pieces that have not begun
// are left out and the result is false; the kernel should give back what it holds and return. The
// run then ends with CANCELLED whatever the kernel says. Not for work that others see, such as
// changes of a variable, nor where a later step takes what the pieces write for indices or sizes
// without looking at the result. Borrows `context` and `arg` until it returns.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API bool TF_ThreadPool_ParallelForUnlessCancelled(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg);

// TF_ThreadPool_ParallelForClosure for a function without an argument of its own. Borrows `context`
// until it returns.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ParallelFor(TF_OpKernelContext* context, int64_t total,
                                                      int64_t cost_per_unit,
                                                      void (*fn)(int64_t begin, int64_t end));

// TF_ThreadPool_ParallelForClosure that tells `fn` who calls it: `worker` is in [0,
// TF_ThreadPool_NumThreads), 0 for the calling thread, and no two pieces of this call run at once
// with the same number. Memory set aside per worker needs no lock. Borrows `context` and `arg`
// until it returns.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ParallelForWithWorkerIdClosure(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end, int worker), void* arg);

// The same for a function without an argument of its own. Borrows `context` until it returns.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ParallelForWithWorkerId(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(int64_t begin, int64_t end, int worker));

// Calls `fn` once for each block [0, block_size), [block_size, 2 * block_size) ... of [0, total),
// the last one cut off at `total`, and returns when all are done. The blocks are the caller's
// choice, and worth sharing: there is no cost to state. A block size below 1 makes all of it one
// block. Otherwise as TF_ThreadPool_ParallelForClosure. Borrows `context` and `arg` until it
// returns.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_TransformRangeConcurrentlyClosure(
    TF_OpKernelContext* context, int64_t block_size, int64_t total,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg);

// The same for a function without an argument of its own. Borrows `context` until it returns.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_TransformRangeConcurrently(
    TF_OpKernelContext* context, int64_t block_size, int64_t total,
    void (*fn)(int64_t begin, int64_t end));

// -- Tasks --

// A function with what it needs (a std::function on the heap, say), which crosses the boundary as
// three words. Whoever is given one calls it at most once, then deletes it.
typedef struct FuncWrap {
  void* func_ptr;                  // goes to the two below
  void (*call_func_ptr)(void*);    // makes the call
  void (*delete_func_ptr)(void*);  // frees what func_ptr points to; NULL where there is nothing
} FuncWrap;

// Runs `fn()` soon, on a thread of the host's, and returns at once. Borrows `context` until `fn`
// has returned: the run that it belongs to does not end before, also when the kernel has returned,
// so that `fn` may use the context and the kernel's inputs and outputs. `context` may be NULL, for
// work that belongs to no run.
//
// Tasks begin in the order they were given. One may block, schedule more and run loops; when all
// threads are held up, the host adds some. The calling thread runs it, at once, only when there is
// no memory to queue it or no thread can be started. It runs also when the run is cancelled by
// then, because somebody may be waiting for it. A NULL `fn` fails the context with
// INVALID_ARGUMENT.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_Schedule(TF_OpKernelContext* context, void (*fn)(void));

// The same with a wish for the threads [start, limit) to run it. This host's threads take tasks as
// they become idle: it takes no note of the wish. Borrows `context` until `fn` has returned.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ScheduleWithHint(TF_OpKernelContext* context,
                                                           void (*fn)(void), int start, int limit);

// TF_ThreadPool_Schedule of a closure. Takes over what `task` points to: it is called once, then
// deleted once, before the run ends. A task without a call is deleted, and fails the context with
// INVALID_ARGUMENT.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ScheduleClosure(TF_OpKernelContext* context,
                                                          FuncWrap task);

// The same with the wish of TF_ThreadPool_ScheduleWithHint. Takes over what `task` points to.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ScheduleClosureWithHint(TF_OpKernelContext* context,
                                                                  FuncWrap task, int start,
                                                                  int limit);

// TF_ThreadPool_ScheduleClosure of work that may be left undone: when the run is cancelled before
// it begins, `task` is deleted without a call, and the run ends with CANCELLED whatever the kernel
// says. Nobody may wait for the call, unless the deletion tells them. Takes over what `task` points
// to.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ScheduleUnlessCancelled(TF_OpKernelContext* context,
                                                                  FuncWrap task);

// What TF_ThreadPool_ScheduleInPlace takes at most.
#define TF_CLOSURE_BYTES 32

// TF_ThreadPool_Schedule of a closure that needs no memory of its own: the `size` bytes at `bytes`
// are copied, and `fn` gets the address of a copy, aligned to 8, which is gone when it returns.
// What they own, if they own something, is `fn`'s to free, and the bytes must bear being moved.
// Borrows `context` until `fn` has returned, and `bytes` until this does. More than
// TF_CLOSURE_BYTES, NULL bytes and a NULL `fn` fail the context with INVALID_ARGUMENT.  [any
// thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_ThreadPool_ScheduleInPlace(TF_OpKernelContext* context,
                                                          void (*fn)(TF_OpKernelContext* context,
                                                                     void* bytes),
                                                          const void* bytes, size_t size);

// How many threads can be in one loop, the calling one among them. Borrows `context`, which may be
// NULL.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API int TF_ThreadPool_NumThreads(TF_OpKernelContext* context);

// Which of the host's threads this is: a number in [0, TF_ThreadPool_NumThreads) that no other
// thread has, or -1 on every other thread, those that were added while all were held up among them.
// Borrows `context`, which may be NULL.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API int TF_ThreadPool_CurrentThreadId(TF_OpKernelContext* context);

// -- The run --

// Makes `status` the failure of the kernel run that the calling thread works for, in the kernel
// itself, in a piece of a loop or in a task. A status that is a failure already stays, and one of a
// run that has not failed as well. FAILED_PRECONDITION on a thread that works for none. Borrows
// `status`.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_OpKernelContext_UpdateStatus(TF_Status* status);

// The same of the run that `context` is for, on whatever thread. Borrows both.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_OpKernelContext_UpdateStatusOf(TF_OpKernelContext* context,
                                                              TF_Status* status);

// Whether the run's result is wanted no more; false for NULL. A kernel that ends early because of
// it fails its context with CANCELLED. Borrows `context`.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API bool TF_OpKernelContext_IsCancelled(TF_OpKernelContext* context);

// -- Eigen's interfaces, without Eigen's types --
//
// Each handle belongs to one run, and is of no use after it. The C++ API makes Eigen's classes of
// them.

// What Eigen::ThreadPoolInterface asks for.
typedef struct TF_EigenThreadPool TF_EigenThreadPool;

// The host's threads, for a run. Owned by the caller until TF_DeleteEigenThreadPoolHandle; NULL for
// NULL.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenThreadPool* TF_GetEigenThreadPoolHandle(TF_OpKernelContext* context);

// TF_ThreadPool_ScheduleClosure. Takes over what `task` points to.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_EigenThreadPool_Schedule(TF_EigenThreadPool* pool, FuncWrap task);

// TF_ThreadPool_ScheduleClosureWithHint. Takes over what `task` points to.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_EigenThreadPool_ScheduleWithHint(TF_EigenThreadPool* pool,
                                                                FuncWrap task, int start,
                                                                int limit);

// Does nothing: the threads are the process's, and others use them. Borrows `pool`.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_EigenThreadPool_Cancel(TF_EigenThreadPool* pool);

// TF_ThreadPool_NumThreads. Borrows `pool`.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API int TF_EigenThreadPool_NumThreads(const TF_EigenThreadPool* pool);

// TF_ThreadPool_CurrentThreadId. Borrows `pool`.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API int TF_EigenThreadPool_CurrentThreadId(const TF_EigenThreadPool* pool);

// Frees the handle; NULL is fine. Gives NULL, for the caller's variable.
// [one thread per handle]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenThreadPool* TF_DeleteEigenThreadPoolHandle(TF_EigenThreadPool* pool);

// What Eigen::Allocator asks for: memory of the host, on whatever device the kernel runs.
typedef struct TF_EigenAllocator TF_EigenAllocator;

// The host's memory, for a run. Owned by the caller until TF_DeleteEigenAllocatorHandle; NULL for
// NULL.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenAllocator* TF_GetEigenAllocatorHandle(TF_OpKernelContext* context);

// Bytes aligned to 64. Owned by the caller until TF_EigenAllocator_Deallocate. NULL, with
// RESOURCE_EXHAUSTED in the context, without memory.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void* TF_EigenAllocator_Allocate(TF_EigenAllocator* allocator,
                                                        size_t num_bytes);

// Frees what TF_EigenAllocator_Allocate gave; NULL is fine.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_EigenAllocator_Deallocate(TF_EigenAllocator* allocator,
                                                         void* buffer);

// Frees the handle, and not what was allocated through it; NULL is fine. Gives NULL, for the
// caller's variable.  [one thread per handle]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenAllocator* TF_DeleteEigenAllocatorHandle(
    TF_EigenAllocator* allocator);

// -- Streams and launches, on devices that answer for them (tenon/device_services.h) --

// CUDA's or ROCm's own types where their header was included before this one; else the same bytes
// under names that say nothing.
#if defined(__CUDA_RUNTIME_API_H__)
typedef cudaStream_t TF_GpuStream;
typedef struct cudaDeviceProp TF_GpuDeviceProperties;
#elif defined(HIP_INCLUDE_HIP_HIP_RUNTIME_API_H)
typedef hipStream_t TF_GpuStream;
typedef hipDeviceProp_t TF_GpuDeviceProperties;
#else
typedef struct TF_GpuStream_st* TF_GpuStream;
typedef struct TF_GpuDeviceProperties_st TF_GpuDeviceProperties;
#endif

// What Eigen::StreamInterface asks for.
typedef struct TF_EigenStream TF_EigenStream;

// The stream of a kernel's run. Owned by the caller until TF_DeleteEigenStreamHandle. NULL, with
// FAILED_PRECONDITION in the context, on a device that does not answer for its streams.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenStream* TF_GetEigenStreamHandle(TF_OpKernelContext* context);

// Where the vendor's stream is kept. Owned by the device, valid as long as the handle. NULL, with a
// status in the context, when the device's plugin fails.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API TF_GpuStream* TF_EigenStream_GetCudaStream(TF_EigenStream* stream);

// The vendor's description of the device. Owned by the device, valid for ever. NULL, with a status
// in the context, when the device's plugin fails.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API TF_GpuDeviceProperties* TF_EigenStream_GetDeviceProperties(
    TF_EigenStream* stream);

// Memory of the device for work on the stream. Owned by the caller until TF_EigenStream_Deallocate,
// or until the handle is deleted. NULL, with RESOURCE_EXHAUSTED in the context, without memory.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void* TF_EigenStream_Allocate(TF_EigenStream* stream, size_t num_bytes);

// Frees such memory, in the order of the stream: work on it may still be queued. NULL is fine;
// anything else that is not allocated fails the context with INVALID_ARGUMENT.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API void TF_EigenStream_Deallocate(TF_EigenStream* stream, void* buffer);

// 1024 bytes of the device's memory that all work on the stream shares. Owned by the device, valid
// as long as the stream. NULL with a status in the context.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API void* TF_EigenStream_Scratchpad(TF_EigenStream* stream);

// A counter in the device's memory, zero at first, that all work on the stream shares. Owned by the
// device, valid as long as the stream. NULL with a status in the context.
// [any thread]  since 0.1
TN_KERNEL_SERVICES_API int* TF_EigenStream_Semaphore(TF_EigenStream* stream);

// Frees the handle and what is still allocated through it; NULL is fine. Gives NULL, for the
// caller's variable.  [one thread per handle]  since 0.1
TN_KERNEL_SERVICES_API TF_EigenStream* TF_DeleteEigenStreamHandle(TF_EigenStream* stream);

// CUDA's dim3, in C.
typedef struct TF_Dim3 {
  uint32_t x, y, z;
} TF_Dim3;

// Puts a kernel of the device's kind (a __global__ function of CUDA's) on the stream of the run,
// with `grid` blocks of `block` threads, `shared_memory` bytes for each block, and the arguments
// whose addresses `args` has, which are read before this returns. False when it was not launched:
// `status` says why or, where that is NULL, the context. Borrows all.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API bool TF_LaunchKernel(TF_OpKernelContext* context, const void* function,
                                            TF_Dim3 grid, TF_Dim3 block, void** args,
                                            size_t shared_memory, TF_Status* status);

// cudaLaunchKernel on the device of the kernel that the calling thread works for, with the vendor's
// stream and the vendor's error code: 0 is success. Without such a device 801, CUDA's "not
// supported", with FAILED_PRECONDITION in the context. Borrows all.  [any thread]  since 0.1
TN_KERNEL_SERVICES_API int TF_CudaLaunchKernel(const void* function, TF_Dim3 grid, TF_Dim3 block,
                                               void** args, size_t shared_memory,
                                               TF_GpuStream stream);

// -- In every host --

// TF_ThreadPool_ParallelForClosure in every host: where there are no such threads to be had, all of
// it is one piece on the calling thread. Borrows `context` and `arg` until it returns.  [any
// thread]  since 0.1
static inline void tn_parallel_for(TF_OpKernelContext* context, int64_t total,
                                   int64_t cost_per_unit,
                                   void (*fn)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (TF_ThreadPool_ParallelForClosure) {
    TF_ThreadPool_ParallelForClosure(context, total, cost_per_unit, fn, arg);
  } else if (total > 0 && fn) {
    fn(arg, 0, total);
  }
}

// TF_ThreadPool_ParallelForUnlessCancelled in every host: one that does not have it finishes the
// loop. Borrows `context` and `arg` until it returns.  [any thread]  since 0.1
static inline bool tn_parallel_for_unless_cancelled(
    TF_OpKernelContext* context, int64_t total, int64_t cost_per_unit,
    void (*fn)(void* arg, int64_t begin, int64_t end), void* arg) {
  if (TF_ThreadPool_ParallelForUnlessCancelled)
    return TF_ThreadPool_ParallelForUnlessCancelled(context, total, cost_per_unit, fn, arg);
  tn_parallel_for(context, total, cost_per_unit, fn, arg);
  return true;
}

#ifdef __cplusplus
}
#endif
#endif  // TENON_KERNEL_SERVICES_H_
