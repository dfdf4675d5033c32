#include "tensor/handles.h"

#include <pthread.h>

#include "base/memory.h"

#if defined(TENON_SANITIZED)

// Every handle is a block of its own, so that a sanitizer sees one used after its end.
tn_tensor* tn_handle_take(void) { return tn_alloc(sizeof(tn_tensor)); }
void tn_handle_give(tn_tensor* handle) { tn_free(handle); }

#else

enum { kept_handles = 32 };

// A thread's free handles. `open` from its first use until the thread ends. Initial-exec: found
// without a call, for a few of the bytes that the loader keeps for libraries opened late.
static _Thread_local __attribute__((tls_model("initial-exec"))) struct {
  tn_tensor* first;
  int count;
  bool open, ended;
} list;

static pthread_key_t key;
static bool key_made;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void end_thread(void* unused) {
  // Destructors that run after this one may still drop tensors: those are freed at once.
  list.open = false;
  list.ended = true;
  while (list.first) {
    tn_tensor* handle = list.first;
    list.first = handle->next_free;
    tn_free(handle);
  }
}

static void make_key(void) { key_made = pthread_key_create(&key, end_thread) == 0; }

static bool open_list(void) {
  if (list.ended) return false;
  pthread_once(&key_once, make_key);
  return list.open = key_made && pthread_setspecific(key, &list) == 0;
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
