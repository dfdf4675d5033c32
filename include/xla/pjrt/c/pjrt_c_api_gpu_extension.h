// Extension 0, Gpu_Custom_Call, version 3, since 0.31: custom calls by name on GPUs.
// Versions 0 and 1 (0.31 to 0.53) took one `custom_call_function` instead of four handlers.

#ifndef XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_
#define XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_

#include <stddef.h>
#include <stdint.h>

#include "xla/pjrt/c/pjrt_c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PJRT_API_GPU_EXTENSION_VERSION 3

// Registers a function under the name that programs call it by.
struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;
  const char* function_name;
  size_t function_name_size;
  int api_version;            // 0: handler_execute is untyped; 1: the four are XLA_FFI_Handler*
  void* handler_instantiate;  // may be NULL, as the next two; since 0.54
  void* handler_prepare;      // since 0.54
  void* handler_initialize;   // since 0.54
  void* handler_execute;      // since 0.54
  uint32_t traits;            // PJRT_FFI_Handler_TraitsBits; since 0.114
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Register_Custom_Call_Args, traits);
typedef PJRT_Error* PJRT_Gpu_Register_Custom_Call(PJRT_Gpu_Register_Custom_Call_Args* args);

typedef struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;
  PJRT_Gpu_Register_Custom_Call* custom_call;
  bool custom_call_handles_traits;  // whether custom_call reads `traits`; since 0.114
} PJRT_Gpu_Custom_Call;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Gpu_Custom_Call, custom_call_handles_traits);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_GPU_EXTENSION_H_
