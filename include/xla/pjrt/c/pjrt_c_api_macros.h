// How a plugin marks GetPjrtApi(), the one function that it exports:
//
//   PJRT_CAPI_EXPORT const PJRT_Api* GetPjrtApi(void);   // extern "C"; the table stays the plugin's

#ifndef XLA_PJRT_C_PJRT_C_API_MACROS_H_
#define XLA_PJRT_C_PJRT_C_API_MACROS_H_

#ifdef _WIN32
#define PJRT_CAPI_EXPORT __declspec(dllexport)
#else
#define PJRT_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#endif  // XLA_PJRT_C_PJRT_C_API_MACROS_H_
