// One plugin, many libraries: each is built with one FAKE_* macro and differs from the good one in
// that one thing (CMakeLists.txt has the list). The good one registers one op and its CPU kernel.
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tensorflow/c/c_api.h"
#include "tensorflow/c/experimental/grappler/grappler.h"
#include "tensorflow/c/experimental/stream_executor/stream_executor.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/ops.h"

#define EXPORT __attribute__((visibility("default")))

// The library that supplied the TF_* which this one is bound to.
EXPORT const char* fake_host_library(void);
EXPORT const char* fake_host_library(void) {
  Dl_info info;
  return dladdr((const void*)&TF_Version, &info) ? info.dli_fname : NULL;
}

#if defined(FAKE_MISSING_FUNCTION)
void TF_AddedInTheFuture(void);
void TF_AddedEvenLater(void);
#define BEFORE_REGISTERING() (TF_AddedInTheFuture(), TF_AddedEvenLater())
#elif defined(FAKE_MISSING_SYMBOL)
void fake_defined_nowhere(void);
#define BEFORE_REGISTERING() fake_defined_nowhere()
#elif defined(FAKE_MISSING_WEAK_FUNCTION)
__attribute__((weak)) void TF_AddedInTheFuture(void);
#define BEFORE_REGISTERING() TF_AddedInTheFuture()
#elif defined(FAKE_TESTED_WEAK_FUNCTION)
__attribute__((weak)) void TF_AddedInTheFuture(void);
#define BEFORE_REGISTERING() (TF_AddedInTheFuture ? TF_AddedInTheFuture() : (void)0)
#elif defined(FAKE_MISSING_LIBRARIES)
void fake_absent_one(void);
void fake_absent_two(void);
#define BEFORE_REGISTERING() (fake_absent_one(), fake_absent_two())
#elif defined(FAKE_OLD_NEIGHBOUR) || defined(FAKE_NEIGHBOUR)
void fake_neighbour(void);
#define BEFORE_REGISTERING() fake_neighbour()
#elif defined(FAKE_HANG_IN_INIT)
#define BEFORE_REGISTERING() \
  for (;;) pause()
#elif defined(FAKE_CRASH_IN_INIT)
// Not through a null pointer, which a sanitizer would name before the processor does.
#define BEFORE_REGISTERING()                        \
  (fputs("about to crash\nin two lines\n", stderr), \
   *(volatile int*)(size_t)sysconf(_SC_PAGESIZE) = 1)
#elif defined(FAKE_EXIT_IN_INIT)
#define BEFORE_REGISTERING() exit(0)
#elif defined(FAKE_CHILD_LEFT_BEHIND)
// The grandchild keeps every descriptor it inherited and outlives the process that met the plugin.
#define BEFORE_REGISTERING()                                                        \
  do {                                                                              \
    if (strcmp(program_invocation_short_name, "tenon-probe") == 0 && fork() == 0) { \
      sleep(600);                                                                   \
      _exit(0);                                                                     \
    }                                                                               \
  } while (0)
#else
#define BEFORE_REGISTERING() (void)0
#endif

#if defined(FAKE_CRASH_IN_CONSTRUCTOR)
#define CONSTRUCT() (*(volatile int*)(size_t)sysconf(_SC_PAGESIZE) = 1)
#elif defined(FAKE_ABORT_IN_CONSTRUCTOR)
#define CONSTRUCT() abort()
#elif defined(FAKE_EXIT_IN_CONSTRUCTOR)
#define CONSTRUCT() exit(3)
#elif defined(FAKE_REGISTER_IN_CONSTRUCTOR)
static void register_all(void);
#define CONSTRUCT() register_all()
#endif
#ifdef CONSTRUCT
__attribute__((constructor)) static void construct(void) { CONSTRUCT(); }
#endif

#ifndef FAKE_NO_ENTRY_POINT

static void compute(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = TF_NewStatus();
  TF_Tensor* input = NULL;
  TF_GetInput(context, 0, &input, status);
  if (TF_GetCode(status) == TF_OK) {
    TF_SetOutput(context, 0, input, status);
    TF_DeleteTensor(input);
  }
  if (TF_GetCode(status) != TF_OK) TF_OpKernelContext_Failure(context, status);
  TF_DeleteStatus(status);
}

#if defined(FAKE_TAKEN_OP)  // one that every host has
#undef FAKE_OP
#define FAKE_OP "AddV2"
#endif

static void register_op(const char* input) {
  TF_Status* status = TF_NewStatus();
  TF_OpDefinitionBuilder* builder = TF_NewOpDefinitionBuilder(FAKE_OP);
  TF_OpDefinitionBuilderAddInput(builder, input);
  TF_OpDefinitionBuilderAddOutput(builder, "y: float");
  TF_RegisterOpDefinition(builder, status);
  TF_DeleteStatus(status);
}

static void register_all(void) {
  BEFORE_REGISTERING();
#if defined(FAKE_BAD_SPEC)
  register_op("x: no such type");
#else
  register_op("x: float");
#endif
#if defined(FAKE_SAME_OP_TWICE)
  register_op("x: double");
#endif
  TF_Status* status = TF_NewStatus();
  TF_KernelBuilder* builder = TF_NewKernelBuilder(FAKE_OP, "CPU", NULL, compute, NULL);
  TF_RegisterKernelBuilder(FAKE_OP, builder, status);
  TF_DeleteStatus(status);
}

EXPORT void TF_InitKernel(void) {
#ifndef FAKE_REGISTER_IN_CONSTRUCTOR
  register_all();
#endif
}

#endif  // FAKE_NO_ENTRY_POINT

#if defined(FAKE_OTHER_ENTRY_POINTS)
EXPORT void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) { abort(); }
EXPORT void TF_InitGraph(TP_OptimizerRegistrationParams* params, TF_Status* status) { abort(); }
#endif
