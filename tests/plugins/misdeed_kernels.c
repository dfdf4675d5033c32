// Kernels that do one thing wrong: TENON_TEST_MISDEED names it. The names are spelt out where they
// are asked for. Without one they behave:
//
//   MisdeedDouble  twice the input; MisdeedLater the same, asynchronously
//   MisdeedTake    one element of a vector, by its index
//   MisdeedText    the sizes of strings
//   MisdeedHandle  1 for a handle that holds something
#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "misdeed.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"
#include "tensorflow/c/tf_tstring.h"

#define EXPORT __attribute__((visibility("default")))

static void crash(void) { *(volatile int*)(size_t)sysconf(_SC_PAGESIZE) = 1; }

static volatile char* use_stack(size_t size) {
  volatile char* memory = __builtin_alloca(size);
  for (size_t i = 0; i < size; i += 4096) memory[size - 1 - i] = 1;
  return memory;
}

static void handle_signal(int number) {}

// What belongs to the host, changed: `when` is "loading" or "running".
static void take_liberties(const char* when) {
  const char* what = misdeed_argument(when);
  if (!what) return;
  if (strcmp(what, "prints") == 0) printf("hello from the plugin\n");
  if (strcmp(what, "signal") == 0) signal(SIGUSR1, handle_signal);
  if (strcmp(what, "chdir") == 0 && chdir("/usr") != 0) abort();
  if (strcmp(what, "umask") == 0) umask(0);
  if (strcmp(what, "locale") == 0) setlocale(LC_ALL, "C.UTF-8");
  if (strcmp(what, "rounding") == 0) fesetround(FE_TOWARDZERO);
  if (strcmp(what, "closes_files") == 0) close(0);
  if (strcmp(what, "environment") == 0) setenv("MISDEED", "done", 1);
  if (strcmp(what, "blocks_signals") == 0) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
  }
  if (strcmp(what, "flushes_small_numbers") == 0) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
#else
    fesetround(FE_TOWARDZERO);
#endif
  }
}

// ---- Kernels ----

typedef struct kernel {
  int64_t n;
  pthread_t maker;
  int number;
  bool spoilt;
} kernel;

static atomic_int kernels_made, after_fork, runs;
static void* _Atomic lost;

static void* create(TF_OpKernelConstruction* construction) {
  TF_Status* status = TF_NewStatus();
  if (misdeed_is("crash_create")) crash();
  if (misdeed_is("exit_create")) exit(0);
  kernel* made = calloc(1, sizeof *made);
  made->maker = pthread_self();
  made->number = kernels_made++;
  TF_OpKernelConstruction_GetAttrInt64(construction, "n", &made->n, status);
  if (misdeed_is("create_ignores_memory") && !status) crash();
  if (misdeed_is("crash_on_attr") && made->n < 0) crash();
  if (misdeed_is("no_message_create") && made->n == 2) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "");
    TF_OpKernelConstruction_Failure(construction, status);
  }
  if (misdeed_is("leak_create")) lost = malloc(100);
  if (status) TF_DeleteStatus(status);
  return made;
}

static void delete (void* arg) {
  if (misdeed_is("crash_delete")) crash();
  free(arg);
}

// Twice the input; what is wrong with it, on the way.
static void compute_double(kernel* kernel, TF_OpKernelContext* context, TF_Status* status) {
  TF_Tensor *x = NULL, *y = NULL;
  TF_GetInput(context, 0, &x, status);
  if (misdeed_is("ignores_missing_input") && !x) crash();
  if (TF_GetCode(status) != TF_OK) return;
  int64_t dims[254];
  const int rank = TF_NumDims(x);
  const int64_t count = TF_TensorElementCount(x);
  for (int i = 0; i < rank; ++i) dims[i] = TF_Dim(x, i);
  TF_DataType type = TF_TensorType(x);
  size_t size = TF_TensorByteSize(x);
  if (misdeed_is("crash_compute")) crash();
  if (misdeed_is("exit_compute")) exit(0);
  if (misdeed_is("crash_on_nothing") && count == 0) crash();
  if (misdeed_is("crash_on_scalar") && rank == 0) crash();
  if (misdeed_is("crash_on_rank") && rank > 8) crash();
  if (misdeed_is("big_stack")) use_stack(1 << 20);
  if (misdeed_is("never_sets")) {
    TF_DeleteTensor(x);
    return;
  }
  if (misdeed_is("throws") || misdeed_is("always_internal") || misdeed_is("refuses_all")) {
    TF_SetStatus(status, misdeed_is("refuses_all") ? TF_INVALID_ARGUMENT : TF_INTERNAL,
                 misdeed_is("throws") ? "exception in a kernel: oh dear" : "not today");
    TF_DeleteTensor(x);
    return;
  }
  if ((misdeed_is("refuses_without_message") && rank > 2) ||
      (misdeed_is("no_message_for_scalars") && rank == 0)) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "");
    TF_DeleteTensor(x);
    return;
  }
  if (rank > 3) {
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "three dimensions at most");
    if (misdeed_is("leaks_on_failure")) return;
    if (misdeed_is("spoilt_by_failure")) kernel->spoilt = true;
    TF_DeleteTensor(x);
    return;
  }
  int candidate = 0, forwarded;
  if (misdeed_is("wrong_type")) type = TF_DOUBLE;
  if (misdeed_is("wrong_shape") && rank > 0) --dims[0];
  if (misdeed_is("forwards_wrongly")) {
    TF_DeleteTensor(x);  // memory that has another holder is not given away
    y = TF_ForwardInputOrAllocateOutput(context, &candidate, 1, 0, dims, rank, &forwarded, status);
    x = NULL;
    if (y) TF_GetInput(context, 0, &x, status);
  } else {
    y = TF_AllocateOutput(context, 0, type, dims, rank, size, status);
  }
  if (misdeed_is("ignores_memory") && !y) crash();
  if (TF_GetCode(status) != TF_OK) {
    if (misdeed_is("stuck_without_memory") && TF_GetCode(status) == TF_RESOURCE_EXHAUSTED)
      kernel->spoilt = true;
    TF_DeleteTensor(x);
    return;
  }
  uint32_t* to = TF_TensorData(y);
  const uint32_t* from = TF_TensorData(x);
  const int64_t n = TF_TensorElementCount(y);
  if (misdeed_is("forwards_wrongly")) memset(to, 0, (size_t)n * 4);
  static volatile uint32_t shared;
  for (int64_t i = 0; i < n; ++i) {
    if (misdeed_is("half_output") && i > n / 2) break;
    uint32_t word = from[i];
    if (misdeed_is("global_state")) {
      shared = word;
      usleep(2000);
      word = shared;
    }
    if (type == TF_FLOAT) {
      float value;
      memcpy(&value, &word, 4);
      if (misdeed_is("crash_on_nan") && isnan(value)) crash();
      value *= 2;
      memcpy(&word, &value, 4);
    } else {
      word *= 2;
    }
    to[i] = word;
  }
  if (n > 0) {
    if (misdeed_is("writes_input")) ((uint32_t*)from)[0] ^= 1;
    if (misdeed_is("clears_input")) memset((void*)from, 0, (size_t)n * 4);
    if (misdeed_is("writes_beyond")) to[n] = 7;
    if (misdeed_is("writes_far_beyond")) to[n + 64] = 7;
    const bool differs =
        kernel->spoilt || (misdeed_is("changes_its_mind") && runs++ % 2) ||
        (misdeed_is("each_differs") && kernel->number % 2) ||
        (misdeed_is("minds_forks") && after_fork) ||
        (misdeed_is("knows_its_thread") && !pthread_equal(kernel->maker, pthread_self()));
    if (differs) to[0] = 0x42280000;  // 42
  }
  if (misdeed_is("leaks_memory")) lost = malloc(100);
  if (!misdeed_is("leaks_handle")) TF_DeleteTensor(y);
  TF_DeleteTensor(x);
}

static void end(TF_OpKernelContext* context, TF_Status* status) {
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(context, status);
  TF_DeleteStatus(status);
}

// A status that found no memory: the host is told of the failure by what follows.
static TF_Status* begin(void) {
  take_liberties("running");
  return TF_NewStatus();
}

static void compute(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = begin();
  if (!status) return;
  compute_double(kernel, context, status);
  end(context, status);
}

static void compute_later(void* kernel, TF_OpKernelContext* context,
                          TF_AsyncOpKernelDoneCallback* done) {
  TF_Status* status = begin();
  if (status) {
    compute_double(kernel, context, status);
    end(context, status);
  }
  if (misdeed_is("done_never")) return;
  TF_RunAsyncOpKernelDoneCallback(done);
  if (misdeed_is("done_twice")) TF_RunAsyncOpKernelDoneCallback(done);
}

static void compute_take(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = begin();
  if (!status) return;
  TF_Tensor *x = NULL, *i = NULL, *y = NULL;
  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) TF_GetInput(context, 1, &i, status);
  if (TF_GetCode(status) == TF_OK) {
    const bool careless = misdeed_is("index_unchecked");
    if (TF_NumDims(x) != 1 || TF_NumDims(i) != 0) {
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "a vector and a scalar are needed");
      if (misdeed_is("shape_unchecked")) crash();
    } else if (!careless &&
               (*(int32_t*)TF_TensorData(i) < 0 || *(int32_t*)TF_TensorData(i) >= TF_Dim(x, 0))) {
      TF_SetStatus(status, TF_OUT_OF_RANGE, "no such element");
    } else if ((y = TF_AllocateOutput(context, 0, TF_FLOAT, NULL, 0, 4, status))) {
      memcpy(TF_TensorData(y), (float*)TF_TensorData(x) + *(int32_t*)TF_TensorData(i), 4);
    }
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(i);
  TF_DeleteTensor(y);
  end(context, status);
}

static void compute_text(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = begin();
  if (!status) return;
  TF_Tensor *x = NULL, *y = NULL;
  int64_t dims[254];
  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    for (int i = 0; i < TF_NumDims(x); ++i) dims[i] = TF_Dim(x, i);
    y = TF_AllocateOutput(context, 0, TF_INT64, dims, TF_NumDims(x), 0, status);
  }
  for (int64_t i = 0; y && i < TF_TensorElementCount(y); ++i) {
    const TF_TString* text = (const TF_TString*)TF_TensorData(x) + i;
    const size_t size = TF_TString_GetSize(text);
    if (misdeed_is("long_text") && size > 1000) crash();
    ((int64_t*)TF_TensorData(y))[i] = (int64_t)size;
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  end(context, status);
}

static void compute_handle(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = begin();
  if (!status) return;
  TF_Tensor *x = NULL, *y = NULL;
  TF_GetInput(context, 0, &x, status);
  if (TF_GetCode(status) == TF_OK) {
    void* held = *(void**)TF_TensorData(x);
    if (!held && misdeed_is("empty_handle")) crash();
    if (!held)
      TF_SetStatus(status, TF_INVALID_ARGUMENT, "the handle holds nothing");
    else if ((y = TF_AllocateOutput(context, 0, TF_INT32, NULL, 0, 4, status)))
      *(int32_t*)TF_TensorData(y) = 1;
  }
  TF_DeleteTensor(x);
  TF_DeleteTensor(y);
  end(context, status);
}

// ---- Shapes ----

static void same_shape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeHandle* shape = TF_NewShapeHandle();
  if (!shape) {
    if (misdeed_is("shape_ignores_memory")) crash();
    TF_SetStatus(status, TF_RESOURCE_EXHAUSTED, "no memory");
    return;
  }
  TF_ShapeInferenceContextGetInput(context, 0, shape, status);
  if (TF_GetCode(status) == TF_OK) {
    const int64_t rank = TF_ShapeInferenceContextRank(context, shape);
    if (misdeed_is("shape_unknown") && rank < 0) crash();
    if (misdeed_is("shape_scalar") && rank == 0) crash();
    if (misdeed_is("shape_rank") && rank > 8) crash();
    TF_DimensionHandle* first = TF_NewDimensionHandle();
    if (first && rank > 0) {
      TF_ShapeInferenceContextDim(context, shape, 0, first);
      const int64_t size = TF_DimensionHandleValue(first);
      if (misdeed_is("shape_partial") && size < 0) crash();
      if (misdeed_is("shape_empty") && size == 0) crash();
      if (misdeed_is("shape_huge") && size > INT32_MAX) crash();
    }
    TF_DeleteDimensionHandle(first);
    if (misdeed_is("shape_throws")) TF_SetStatus(status, TF_INTERNAL, "exception in a kernel: oh");
    if (misdeed_is("shape_no_message") && rank == 3) TF_SetStatus(status, TF_INVALID_ARGUMENT, "");
    if (TF_GetCode(status) == TF_OK) {
      TF_ShapeHandle* scalar =
          misdeed_is("shape_disagrees") ? TF_ShapeInferenceContextScalar(context) : NULL;
      TF_ShapeInferenceContextSetOutput(context, 0, scalar ? scalar : shape, status);
      TF_DeleteShapeHandle(scalar);
    }
  }
  if (!misdeed_is("shape_leaks")) TF_DeleteShapeHandle(shape);
}

static void no_shape(TF_ShapeInferenceContext* context, TF_Status* status) {
  TF_ShapeInferenceContextSetUnknownShape(context, status);
}

// ---- Registration ----

static TF_OpDefinitionBuilder* new_op(const char* name, const char* input, const char* output) {
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(name);
  TF_OpDefinitionBuilderAddInput(builder, input);
  TF_OpDefinitionBuilderAddOutput(builder, output);
  TF_OpDefinitionBuilderAddAttr(builder, "n: int = 1");
  return builder;
}

static void add_op(TF_OpDefinitionBuilder* builder, bool same, TF_Status* status) {
  TF_OpDefinitionBuilderSetShapeInferenceFunction(builder, same ? same_shape : no_shape);
  TF_RegisterOpDefinition(builder, status);
}

static void add_kernel(const char* op, void (*run)(void*, TF_OpKernelContext*), TF_Status* status) {
  const char* device = misdeed_is("small_letters") ? "cpu" : "CPU";
  TF_KernelBuilder* builder = TF_NewKernelBuilder(op, device, create, run, delete);
  if (misdeed_is("unknown_attr")) TF_KernelBuilder_TypeConstraint(builder, "U", TF_FLOAT, status);
  if (misdeed_is("unknown_argument")) TF_KernelBuilder_HostMemory(builder, "z");
  if (misdeed_is("unknown_type") && run == compute)
    TF_KernelBuilder_TypeConstraint(builder, "T", TF_STRING, status);
  TF_RegisterKernelBuilder(misdeed_is("no_name") ? "" : op, builder, status);
}

static void register_all(TF_Status* status) {
  TF_OpDefinitionBuilder* builder = new_op("MisdeedDouble", "x: T", "y: T");
  TF_OpDefinitionBuilderAddAttr(builder, "T: {float, int32}");
  add_op(builder, true, status);
  add_kernel("MisdeedDouble", compute, status);
  if (misdeed_is("twice_the_same")) add_kernel("MisdeedDouble", compute, status);
  if (misdeed_is("in_the_shade")) {
    TF_KernelBuilder* better = TF_NewKernelBuilder("MisdeedDouble", "CPU", create, compute, delete);
    TF_KernelBuilder_Priority(better, 1);
    TF_RegisterKernelBuilder("Better", better, status);
  }
  builder = new_op("MisdeedLater", "x: T", "y: T");
  TF_OpDefinitionBuilderAddAttr(builder, "T: {float, int32}");
  add_op(builder, true, status);
  TF_RegisterKernelBuilder(
      "MisdeedLater",
      TF_NewAsyncKernelBuilder("MisdeedLater", "CPU", create, compute_later, delete), status);
  builder = new_op("MisdeedTake", "x: float", "y: float");
  TF_OpDefinitionBuilderAddInput(builder, "i: int32");
  add_op(builder, false, status);
  add_kernel("MisdeedTake", compute_take, status);
  add_op(new_op("MisdeedText", "x: string", "y: int64"), true, status);
  add_kernel("MisdeedText", compute_text, status);
  add_op(new_op("MisdeedHandle", "x: resource", "y: int32"), false, status);
  add_kernel("MisdeedHandle", compute_handle, status);
  if (misdeed_is("bad_op")) add_op(new_op("misdeed bad", "x: float", "y: float"), true, status);
}

// The kernel keeps what the process began with, whatever it cleared since.
static bool was_asked_for_environment(void) {
  static const char words[] = "TENON_TEST_MISDEED=needs_environment";
  static char text[1 << 16];
  FILE* file = fopen("/proc/self/environ", "re");
  const size_t size = file ? fread(text, 1, sizeof text, file) : 0;
  if (file) fclose(file);
  return memmem(text, size, words, sizeof words) != NULL;
}

static void count_fork(void) { ++after_fork; }

__attribute__((destructor)) static void at_end(void) {
  if (misdeed_is("crash_at_exit")) crash();
}

EXPORT void TF_InitKernel(void) {
  static bool called;
  const char* asked = getenv("TENON_TEST_MISDEED");
  if (asked)
    misdeed_set(strdup(asked));
  else if (was_asked_for_environment())
    abort();
  if (called && misdeed_is("only_once")) abort();
  called = true;
  if (misdeed_is("registers_nothing")) return;
  if (misdeed_is("main_thread_only") && syscall(SYS_gettid) != getpid()) abort();
  if (misdeed_is("writes_a_file") && !fopen("misdeed.log", "w")) abort();
  if (misdeed_is("big_stack_loading")) use_stack(4 << 20);
  if (misdeed_is("minds_forks")) pthread_atfork(NULL, count_fork, count_fork);
  take_liberties("loading");
  TF_Status* status = TF_NewStatus();
  register_all(status);
  TF_DeleteStatus(status);
}
