#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

#include "base/memory.h"

struct tn_arena_block {
  tn_arena_block* next;
  alignas(max_align_t) char bytes[];
};

enum { smallest_block = 1024 };

void* tn_arena_alloc(tn_arena* arena, size_t size) {
  size_t step = alignof(max_align_t);
  if (size > SIZE_MAX / 2) return NULL;
  size = size ? (size + step - 1) / step * step : step;
  if (size > arena->left) {
    size_t capacity = size > smallest_block ? size : smallest_block;
    tn_arena_block* block = tn_alloc(sizeof *block + capacity);
    if (!block) return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->at = block->bytes;
    arena->left = capacity;
  }
  void* memory = arena->at;
  arena->at += size;
  arena->left -= size;
  return memset(memory, 0, size);
}

char* tn_arena_copy(tn_arena* arena, tn_view text) {
  char* copy = tn_arena_alloc(arena, text.size + 1);
  if (copy && text.size) memcpy(copy, text.data, text.size);
  return copy;
}

void tn_arena_deinit(tn_arena* arena) {
  for (tn_arena_block* block = arena->blocks; block;) {
    tn_arena_block* next = block->next;
    tn_free(block);
    block = next;
  }
  *arena = (tn_arena){0};
}
