// A block of bytes with its own way of being freed; mostly serialized protocol buffers.

#ifndef TENSORFLOW_C_TF_BUFFER_H_
#define TENSORFLOW_C_TF_BUFFER_H_

#include <stddef.h>

#include "tensorflow/c/c_api_macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TF_Buffer {
  const void* data;
  size_t length;
  void (*data_deallocator)(void* data, size_t length);  // may be NULL
} TF_Buffer;

// An empty buffer for a callee to fill. The caller deletes it.
TF_CAPI_EXPORT TF_Buffer* TF_NewBuffer(void);

// A buffer that holds a copy of the bytes. The caller deletes it.
TF_CAPI_EXPORT TF_Buffer* TF_NewBufferFromString(const void* proto, size_t proto_len);

// Calls data_deallocator, where there is one, then frees the buffer itself.
TF_CAPI_EXPORT void TF_DeleteBuffer(TF_Buffer* buffer);

// The three fields by value. Ownership of the data stays with `buffer`.
TF_CAPI_EXPORT TF_Buffer TF_GetBuffer(TF_Buffer* buffer);

#ifdef __cplusplus
}
#endif

#endif  // TENSORFLOW_C_TF_BUFFER_H_
