#include "tensor/handles.h"

#include "base/thread_end.h"

_Thread_local tn_handle_list tn_free_handles;

#if defined(TENON_SANITIZED)

// There is never room: every handle is a block of its own, so that a sanitizer sees one used after
// its end.
void tn_handle_give_more(tn_tensor* handle) { tn_free(handle); }

#else

enum { kept_handles = 32 };

static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  bool open;  // from the first use until the thread ends
  tn_thread_end end;
} thread;

static void end_thread(void) {
  thread.open = false;
  for (tn_tensor* handle; (handle = tn_free_handles.first);) {
    tn_free_handles.first = handle->next_free;
    tn_free(handle);
  }
  tn_free_handles.room = 0;
}

void tn_handle_give_more(tn_tensor* handle) {
  if (!thread.open && !tn_memory_counting()) {
    thread.end.end = end_thread;
    thread.open = tn_thread_on_end(&thread.end);
    if (thread.open) {
      tn_free_handles.room = kept_handles;
      tn_handle_give(handle);
      return;
    }
  }
  tn_free(handle);
}

#endif
