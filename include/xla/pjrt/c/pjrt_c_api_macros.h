// How a plugin marks GetPjrtApi(), the one function that it exports, which is extern "C". The table
// that it returns stays the plugin's.
//
//   PJRT_CAPI_EXPORT const PJRT_Api* GetPjrtApi(void);

#ifndef XLA_PJRT_C_PJRT_C_API_MACROS_H_
#define XLA_PJRT_C_PJRT_C_API_MACROS_H_

#ifdef _WIN32
#define PJRT_CAPI_EXPORT __declspec(dllexport)
#else
#define PJRT_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MACROS_H_
