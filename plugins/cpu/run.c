#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "tenon/kernel_services.h"

static void use_lent(void* context, int64_t total, int64_t cost,
                     void (*body)(void*, int64_t, int64_t), void* arg) {
  TF_ThreadPool_ParallelForClosure(context, total, cost, body, arg);
}

// The status of the last run on this thread, for the next: most runs need one only to hand it to
// functions that do not fail.
// Initial-exec: found without a call, for a few of the bytes that the loader keeps for libraries
// opened late.
static _Thread_local __attribute__((tls_model("initial-exec"))) TF_Status* spare;
// The thread's end will delete the spare one.
static _Thread_local __attribute__((tls_model("initial-exec"))) bool ends_well;
static pthread_key_t at_end;
static bool have_key;

static void delete_spare(void* unused) {
  TF_DeleteStatus(spare);
  spare = NULL;
}

static TF_Status* take_status(void) {
  TF_Status* status = spare;
  spare = NULL;
  return status ? status : TF_NewStatus();
}

// Takes a status that is OK.
static void give_back_status(TF_Status* status) {
  if (!ends_well && have_key) ends_well = pthread_setspecific(at_end, &spare) == 0;
  if (!status || !ends_well || spare) {
    TF_DeleteStatus(status);
    return;
  }
  spare = status;
}

// For runs that have no memory for a status of their own: only ever read.
static TF_Status* no_memory;

// Whether kernels may return before their work is done.
static bool launches;

void run_prepare(bool launching) {
  launches = launching;
  have_key = pthread_key_create(&at_end, delete_spare) == 0;
  no_memory = TF_NewStatus();
  if (no_memory) TF_SetStatus(no_memory, TF_RESOURCE_EXHAUSTED, "no memory for a status");
}

// The stream of runs on this thread.
static _Thread_local __attribute__((tls_model("initial-exec"))) SP_Stream current;

bool run_enter_stream(TF_OpKernelContext* context, SP_Stream* out_before) {
  TF_Status* status = context ? take_status() : NULL;
  SP_Stream stream = status ? TF_GetStream(context, status) : NULL;
  const TF_Status* why = status ? status : no_memory;
  if (context && !stream) {
    if (why) TF_OpKernelContext_Failure(context, (TF_Status*)why);
    TF_DeleteStatus(status);
    return false;
  }
  give_back_status(status);
  *out_before = current;
  current = stream;
  return true;
}

void run_leave_stream(SP_Stream before) { current = before; }

static inline void begin(run* run, TF_OpKernelContext* context, const char* op) {
  run->context = context;
  run->op = op;
  run->status = take_status();
  run->failed = !run->status;
  run->handles = run->first_handles;
  run->handle_count = 0;
  run->handle_capacity = sizeof run->first_handles / sizeof run->first_handles[0];
  run->lent = (tn_cpu_parallel){use_lent, context};
  run->parallel = TF_ThreadPool_ParallelForClosure ? &run->lent : tn_cpu_own_threads();
}

void run_begin(run* run, TF_OpKernelContext* context, const char* op) {
  begin(run, context, op);
  run->stream = NULL;
  if (current) stream_wait(current);
}

void run_begin_launching(run* run, TF_OpKernelContext* context, const char* op) {
  // What is launched may outlive the context that lends threads.
  static const tn_cpu_parallel lent = {use_lent, NULL};
  if (!launches) {
    run_begin(run, context, op);
    return;
  }
  begin(run, context, op);
  run->stream = current;
  if (current) run->parallel = TF_ThreadPool_ParallelForClosure ? &lent : tn_cpu_own_threads();
}

void run_wait(run* run) {
  if (run->stream) stream_wait(run->stream);
  run->stream = NULL;
}

static void use_lent_unless_cancelled(void* context, int64_t total, int64_t cost,
                                      void (*body)(void*, int64_t, int64_t), void* arg) {
  TF_ThreadPool_ParallelForUnlessCancelled(context, total, cost, body, arg);
}

void run_may_stop(run* run) {
  if (TF_ThreadPool_ParallelForUnlessCancelled) run->lent.run = use_lent_unless_cancelled;
}

static void give_back_handles(run* run) {
  for (int i = 0; i < run->handle_count; ++i) TF_DeleteTensor(run->handles[i]);
  run->handle_count = 0;
}

void run_end(run* run) {
  give_back_handles(run);
  if (run->handles != run->first_handles) free(run->handles);
  if (!run_ok(run)) {
    const TF_Status* why = run->status ? run->status : no_memory;
    if (why) TF_OpKernelContext_Failure(run->context, (TF_Status*)why);
    if (run->status) TF_SetStatus(run->status, TF_OK, "");
  }
  give_back_status(run->status);
}

bool run_ok(const run* run) {
  return !run->failed && (!run->status || TF_GetCode(run->status) == TF_OK);
}

void run_fail(run* run, TF_Code code, const char* format, ...) {
  // One at a time: the threads of a parallel-for may fail together.
  static pthread_mutex_t failing = PTHREAD_MUTEX_INITIALIZER;
  char message[1024];
  int length = snprintf(message, sizeof message, "%s: ", run->op);
  va_list args;
  va_start(args, format);
  vsnprintf(message + length, sizeof message - (size_t)length, format, args);
  va_end(args);
  pthread_mutex_lock(&failing);
  if (run_ok(run)) {
    run->failed = true;
    if (run->status) TF_SetStatus(run->status, code, message);
  }
  pthread_mutex_unlock(&failing);
}

static __attribute__((noinline)) bool make_room(run* run) {
  int capacity = run->handle_count + 32;
  TF_Tensor** handles = malloc((size_t)capacity * sizeof(TF_Tensor*));
  if (!handles) {
    run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for %d tensor handles", capacity);
    return false;
  }
  memcpy(handles, run->handles, (size_t)run->handle_count * sizeof(TF_Tensor*));
  if (run->handles != run->first_handles) free(run->handles);
  run->handles = handles;
  run->handle_capacity = capacity;
  return true;
}

// Takes `tensor`; NULL is a failure that the host has put into the status.
static bool keep_handle(run* run, TF_Tensor* tensor) {
  if (!tensor) {
    run->failed = true;
    return false;
  }
  if (run->handle_count == run->handle_capacity && !make_room(run)) {
    TF_DeleteTensor(tensor);
    return false;
  }
  run->handles[run->handle_count++] = tensor;
  return true;
}

// Of a tensor that is there: a product that does not fit has a zero in it.
static inline int64_t count_of(int rank, const int64_t* dims) {
  int64_t count = 1;
  bool beyond = false;
  for (int i = 0; i < rank; ++i) beyond |= __builtin_mul_overflow(count, dims[i], &count);
  return beyond ? 0 : count;
}

bool run_describe(run* run, TF_Tensor* tensor, array* out) {
  out->tensor = tensor;
  out->dtype = (tn_dtype)TF_TensorType(tensor);
  out->rank = TF_NumDims(tensor);
  if (out->rank > TN_CPU_MAX_RANK) {
    run_fail(run, TF_UNIMPLEMENTED, "rank %d is over %d", out->rank, TN_CPU_MAX_RANK);
    return false;
  }
  for (int i = 0; i < out->rank; ++i) out->dims[i] = TF_Dim(tensor, i);
  out->count = count_of(out->rank, out->dims);
  out->data = TF_TensorData(tensor);
  return true;
}

// The same of an output that was made in this shape.
static bool describe_output(const run* run, TF_Tensor* tensor, int rank, const int64_t* dims,
                            array* out) {
  // It may be memory that another thread's kernel has just been done with, and its stream not yet.
  if (current && !run->stream) stream_wait(current);
  out->tensor = tensor;
  out->dtype = (tn_dtype)TF_TensorType(tensor);
  out->rank = rank;
  // Few and often: a call of memmove would cost more.
  for (int i = 0; i < rank; ++i) out->dims[i] = dims[i];
  out->count = count_of(rank, out->dims);
  out->data = TF_TensorData(tensor);
  return true;
}

bool run_input(run* run, int index, array* out) {
  if (run->failed) return false;
  TF_Tensor* tensor = NULL;
  TF_GetInput(run->context, index, &tensor, run->status);
  return keep_handle(run, tensor) && run_describe(run, tensor, out);
}

bool run_scalar(run* run, int index, const char* name, array* out) {
  char text[SHAPE_TEXT];
  if (run_input(run, index, out) && out->rank != 0)
    run_fail(run, TF_INVALID_ARGUMENT, "input %s must be a scalar, not of shape %s", name,
             shape_text(out->rank, out->dims, text));
  return run_ok(run);
}

bool run_output(run* run, int index, int rank, const int64_t* dims, array* out) {
  if (run->failed) return false;
  TF_DataType dtype = TF_ExpectedOutputDataType(run->context, index);
  size_t bytes = TF_DataTypeSize(dtype);
  for (int i = 0; i < rank; ++i) bytes *= (size_t)dims[i];
  TF_Tensor* tensor = TF_AllocateOutput(run->context, index, dtype, dims, rank, bytes, run->status);
  return keep_handle(run, tensor) && describe_output(run, tensor, rank, dims, out);
}

bool run_output_or_forward(run* run, int inputs, int index, int rank, const int64_t* dims,
                           array* out) {
  if (run->failed) return false;
  give_back_handles(run);
  static const int candidates[] = {0, 1, 2};
  TF_Tensor* tensor = TF_ForwardInputOrAllocateOutput(run->context, candidates, inputs, index, dims,
                                                      rank, NULL, run->status);
  return keep_handle(run, tensor) && describe_output(run, tensor, rank, dims, out);
}

void* run_scratch(run* run, size_t bytes) {
  if (!run_ok(run)) return NULL;
  const int64_t dims[] = {bytes ? (int64_t)bytes : 1};  // an empty tensor may have no memory
  // Device memory waits for the stream before it goes to others; memory of the host does not.
  TF_AllocatorAttributes attributes = {TF_ALLOCATOR_ATTRIBUTES_STRUCT_SIZE, !run->stream};
  TF_Tensor* tensor = TF_AllocateTemp(run->context, TF_UINT8, dims, 1, &attributes, run->status);
  return keep_handle(run, tensor) ? TF_TensorData(tensor) : NULL;
}

bool run_share_output(run* run, int index, TF_Tensor* tensor) {
  if (!run_ok(run)) return false;
  TF_SetOutput(run->context, index, tensor, run->status);
  run->failed = !run_ok(run);
  return !run->failed;
}

bool run_share_output_as(run* run, int index, TF_Tensor* tensor, int rank, const int64_t* dims) {
  if (!run_ok(run)) return false;
  TF_SetShape(tensor, dims, rank);
  // It has no status: a shape that found no memory is seen in that it is not there.
  bool same = TF_NumDims(tensor) == rank;
  for (int i = 0; i < rank && same; ++i) same = TF_Dim(tensor, i) == dims[i];
  if (!same) run_fail(run, TF_RESOURCE_EXHAUSTED, "no memory for a shape of rank %d", rank);
  return run_share_output(run, index, tensor);
}

int64_t index_at(const array* indices, int64_t i) {
  switch (indices->dtype) {
    case TN_INT32: return ((const int32_t*)indices->data)[i];
    case TN_INT16: return ((const int16_t*)indices->data)[i];
    case TN_INT8: return ((const int8_t*)indices->data)[i];
    case TN_UINT8: return ((const uint8_t*)indices->data)[i];
    default: return ((const int64_t*)indices->data)[i];
  }
}

const char* shape_text(int rank, const int64_t* dims, char text[SHAPE_TEXT]) {
  int length = snprintf(text, SHAPE_TEXT, "[");
  for (int i = 0; i < rank && length < SHAPE_TEXT - 24; ++i)
    length += snprintf(text + length, (size_t)(SHAPE_TEXT - length), i ? ",%lld" : "%lld",
                       (long long)dims[i]);
  snprintf(text + length, (size_t)(SHAPE_TEXT - length), "]");
  return text;
}

bool count_elements(int rank, const int64_t* dims, int64_t* out_count) {
  int64_t count = 1, bytes;
  for (int i = 0; i < rank; ++i)
    if (__builtin_mul_overflow(count, dims[i], &count)) return false;
  *out_count = count;
  return !__builtin_mul_overflow(count, (int64_t)16, &bytes);
}
