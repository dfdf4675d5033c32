// Memory that is freed all at once: an owner makes many small things and forgets them together.
#ifndef TENON_BASE_ARENA_H_
#define TENON_BASE_ARENA_H_

#include <stddef.h>

#include "base/view.h"

typedef struct tn_arena_block tn_arena_block;

// Zero bytes are an empty arena. Lives in its owner; one thread at a time.
typedef struct tn_arena {
  tn_arena_block* blocks;
  char* at;
  size_t left;
} tn_arena;

// Zeroed memory aligned for any type; NULL when out of memory.
void* tn_arena_alloc(tn_arena* arena, size_t size);
// A NUL-terminated copy.
char* tn_arena_copy(tn_arena* arena, tn_view text);
void tn_arena_deinit(tn_arena* arena);

#endif  // TENON_BASE_ARENA_H_
