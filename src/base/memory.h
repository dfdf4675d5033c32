// Every allocation of the host goes through here, so that tests can fail each one in turn.
// Memory is libc's: what tn_alloc gave, free() may take (TF_TString text crosses to plugins that
// way).
#ifndef TENON_BASE_MEMORY_H_
#define TENON_BASE_MEMORY_H_

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tenon/status.h"

// For a function that is also called from outside: a body to inline beside the one in its .c file.
#define TN_ALSO_INLINE extern inline __attribute__((gnu_inline))

// NULL when out of memory, never for size 0.
void* tn_alloc(size_t size);
void* tn_alloc_zeroed(size_t items, size_t size);
void* tn_resize(void* memory, size_t size);
void tn_free(void* memory);
char* tn_strdup(const char* text);
char* tn_strndup(const char* text, size_t size);
char* tn_printf(const char* format, ...) TN_PRINTF(1, 2);
char* tn_vprintf(const char* format, va_list args);

// Makes room for `needed` items of `item_size` bytes in the array that `items` points to (a T**),
// at least doubling it. False, with the array unchanged, when out of memory.
bool tn_grow(void* items, size_t* capacity, size_t needed, size_t item_size);

// Sets RESOURCE_EXHAUSTED: "out of memory while <doing>". Works without memory.
void tn_status_set_no_memory(tn_status* status, const char* doing);

// Tests: the n-th allocation from now (0 is the next) fails, once. Negative: none fails.
void tn_memory_fail_at(int64_t nth);
// Tests: the same, counting the calling thread's allocations only, for tests beside whose own
// thread others may be at work. Ends with the next tn_memory_fail_at.
void tn_memory_fail_here_at(int64_t nth);
// Tests: allocations asked for since the last tn_memory_fail_at, and blocks now alive of those made
// since the first one.
int64_t tn_memory_asked(void);
int64_t tn_memory_alive(void);
// Tests: this block is meant to live as long as the process (a registered kernel), so it no longer
// counts as alive. NULL is fine.
void tn_memory_keep(void* memory);
// Tests have asked for counting: caches of freed blocks stand aside, so that nothing hides in them.
// [any thread]
extern _Atomic int64_t tn_memory_until_failure;
static inline bool tn_memory_counting(void) {
  return atomic_load_explicit(&tn_memory_until_failure, memory_order_relaxed) != INT64_MAX;
}
// True when this allocation is to fail; for code that calls libc's allocator itself.
bool tn_memory_should_fail(void);

#endif  // TENON_BASE_MEMORY_H_
