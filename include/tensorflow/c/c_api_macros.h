// Macros every header of this ABI uses: symbol visibility, the one-byte boolean, and the size rule
// for versioned structs (a struct ends where its last known field ends, padding not counted).

#ifndef TENSORFLOW_C_C_API_MACROS_H_
#define TENSORFLOW_C_C_API_MACROS_H_

#include <stddef.h>

#if defined(_WIN32)
#ifdef TF_COMPILE_LIBRARY
#define TF_CAPI_EXPORT __declspec(dllexport)
#else
#define TF_CAPI_EXPORT __declspec(dllimport)
#endif
#elif defined(TF_CAPI_WEAK)
// A plugin built this way loads into hosts that lack some functions; it must test each for NULL.
#define TF_CAPI_EXPORT __attribute__((visibility("default"), weak))
#else
#define TF_CAPI_EXPORT __attribute__((visibility("default")))
#endif

#ifndef TF_Bool
#define TF_Bool unsigned char
#endif

#ifndef TF_OFFSET_OF_END
#define TF_OFFSET_OF_END(TYPE, MEMBER) (offsetof(TYPE, MEMBER) + sizeof(((TYPE*)0)->MEMBER))
#endif

#endif  // TENSORFLOW_C_C_API_MACROS_H_
