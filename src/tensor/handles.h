// Tensor handles to reuse. A kernel call makes and drops several, so each thread keeps a few.
#ifndef TENON_TENSOR_HANDLES_H_
#define TENON_TENSOR_HANDLES_H_

#include "base/memory.h"
#include "tensor/tensor.h"

// A thread's free handles. Initial-exec: found without a call, for a few of the bytes that the
// loader keeps for libraries opened late.
typedef struct tn_handle_list {
  tn_tensor* first;
  int room;  // for so many more; none before the first use and after the thread's end
} tn_handle_list;
extern _Thread_local tn_handle_list tn_free_handles
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

// What tn_handle_give does when there is no room.
void tn_handle_give_more(tn_tensor* handle);

// A handle with undefined contents; NULL when out of memory.
static inline tn_tensor* tn_handle_take(void) {
  tn_tensor* handle = tn_free_handles.first;
  if (!handle || tn_memory_counting()) return tn_alloc(sizeof *handle);
  tn_free_handles.first = handle->next_free;
  ++tn_free_handles.room;
  return handle;
}

// Gives back a handle that holds nothing any more.
static inline void tn_handle_give(tn_tensor* handle) {
  if (tn_free_handles.room == 0 || tn_memory_counting()) {
    tn_handle_give_more(handle);
    return;
  }
  handle->next_free = tn_free_handles.first;
  tn_free_handles.first = handle;
  --tn_free_handles.room;
}

#endif  // TENON_TENSOR_HANDLES_H_
