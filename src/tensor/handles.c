#include "tensor/handles.h"

#include "base/memory.h"
#include "base/thread_end.h"

#if defined(TENON_SANITIZED)

// Every handle is a block of its own, so that a sanitizer sees one used after its end.
tn_tensor* tn_handle_take(void) { return tn_alloc(sizeof(tn_tensor)); }
void tn_handle_give(tn_tensor* handle) { tn_free(handle); }

#else

enum { kept_handles = 32 };

// A thread's free handles. Initial-exec: found without a call, for a few of the bytes that the
// loader keeps for libraries opened late.
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  tn_tensor* first;
  int count;
  bool open;  // from the first use until the thread ends
  tn_thread_end end;
} list;

static void end_thread(void) {
  list.open = false;
  while (list.first) {
    tn_tensor* handle = list.first;
    list.first = handle->next_free;
    tn_free(handle);
  }
}

static bool open_list(void) {
  list.end.end = end_thread;
  return list.open = tn_thread_on_end(&list.end);
}

tn_tensor* tn_handle_take(void) {
  tn_tensor* handle = list.first;
  if (!handle || tn_memory_counting()) return tn_alloc(sizeof *handle);
  list.first = handle->next_free;
  --list.count;
  return handle;
}

void tn_handle_give(tn_tensor* handle) {
  if (list.count >= kept_handles || tn_memory_counting() || (!list.open && !open_list())) {
    tn_free(handle);
    return;
  }
  handle->next_free = list.first;
  list.first = handle;
  ++list.count;
}

#endif
