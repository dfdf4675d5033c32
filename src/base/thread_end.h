// Giving back what a thread keeps for its own use, when it ends.
#ifndef TENON_BASE_THREAD_END_H_
#define TENON_BASE_THREAD_END_H_

#include <stdbool.h>

// In thread-local memory of whoever wants to be told.
typedef struct tn_thread_end {
  void (*end)(void);
  struct tn_thread_end* next;
} tn_thread_end;

// Has end->end run when this thread ends, on it. False when the thread is ending already, or when
// that cannot be arranged: then keep nothing. (A program that exits runs no end of its first
// thread.)  [any thread, once for each `end`]
bool tn_thread_on_end(tn_thread_end* end);

#endif  // TENON_BASE_THREAD_END_H_
