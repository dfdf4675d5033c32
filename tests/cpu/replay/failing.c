#include "failing.h"

#include <stddef.h>

#ifdef TENON_SANITIZED

bool failing_prepare(void) { return false; }
void failing_at(long nth) {}
bool failing_happened(void) { return false; }
long failing_alive(void) { return 0; }

#else

#include <errno.h>
#include <link.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

enum { MAX_RANGES = 8 };
static struct { uintptr_t begin, end; } ranges[MAX_RANGES];
static atomic_int range_count;
static atomic_long countdown = -1;
static atomic_bool happened;

static int add_range(struct dl_phdr_info* info, size_t size, void* arg) {
  if (!strstr(info->dlpi_name, "/libtenon")) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    int at = atomic_load(&range_count);
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X) || at == MAX_RANGES) continue;
    ranges[at].begin = info->dlpi_addr + part->p_vaddr;
    ranges[at].end = ranges[at].begin + part->p_memsz;
    atomic_store(&range_count, at + 1);
  }
  return 0;
}

bool failing_prepare(void) {
  atomic_store(&range_count, 0);
  dl_iterate_phdr(add_range, NULL);
  return true;
}

void failing_at(long nth) {
  atomic_store(&happened, false);
  atomic_store(&countdown, nth);
}

bool failing_happened(void) { return atomic_load(&happened); }

static bool fails(const void* caller) {
  if (atomic_load_explicit(&countdown, memory_order_relaxed) < 0) return false;
  bool theirs = false;
  for (int i = 0; i < atomic_load(&range_count) && !theirs; ++i)
    theirs = (uintptr_t)caller >= ranges[i].begin && (uintptr_t)caller < ranges[i].end;
  if (!theirs || atomic_fetch_sub(&countdown, 1) != 0) return false;
  atomic_store(&happened, true);
  errno = ENOMEM;
  return true;
}

// Everybody's blocks are counted: what libtenon frees, it need not have allocated itself.
static atomic_long alive;
long failing_alive(void) { return atomic_load(&alive); }

static void* counted(void* memory) {
  if (memory) atomic_fetch_add_explicit(&alive, 1, memory_order_relaxed);
  return memory;
}

void* malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : counted(__libc_malloc(size));
}

void* calloc(size_t count, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : counted(__libc_calloc(count, size));
}

void* realloc(void* memory, size_t size) {
  if (fails(__builtin_return_address(0))) return NULL;
  void* moved = __libc_realloc(memory, size);
  return memory ? moved : counted(moved);
}

void* aligned_alloc(size_t alignment, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : counted(__libc_memalign(alignment, size));
}

int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails(__builtin_return_address(0))) return ENOMEM;
  *out = counted(__libc_memalign(alignment, size));
  return *out ? 0 : ENOMEM;
}

void free(void* memory) {
  if (memory) atomic_fetch_sub_explicit(&alive, 1, memory_order_relaxed);
  __libc_free(memory);
}

#endif
