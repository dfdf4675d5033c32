#include "device/blocks.h"

#include "base/memory.h"
#include "device/cached_memory.h"

enum { slab_blocks = 32, step_bits = 5 };
_Static_assert(TN_BIN_STEPS == 1 << step_bits, "one step is the width of a bin");
_Static_assert((63 - 6 - step_bits + 1) * TN_BIN_STEPS + TN_BIN_STEPS <= TN_BIN_COUNT,
               "the largest size has a bin");

// Blocks that different threads have lie in different lines of the processor's cache.
typedef union padded_block {
  tn_block block;
  char lines[(sizeof(tn_block) + 63) / 64 * 64];
} padded_block;

typedef struct tn_block_slab {
  struct tn_block_slab* next;
  char room[63 + slab_blocks * sizeof(padded_block)];
} tn_block_slab;

static uint32_t tag_of(tn_block* block) {
  return atomic_load_explicit(&block->buffer.stream, memory_order_relaxed);
}
static void set_tag(tn_block* block, uint32_t tag) {
  atomic_store_explicit(&block->buffer.stream, tag, memory_order_relaxed);
}

void tn_blocks_deinit(tn_blocks* blocks) {
  for (tn_block_slab* slab; (slab = blocks->slabs); tn_free(slab)) blocks->slabs = slab->next;
  for (tn_region* region; (region = blocks->regions); tn_free(region))
    blocks->regions = region->next;
}

// ---- Bins: one for each of the first 64 sizes, then 32 for each power of two ----

int tn_blocks_bin(const tn_blocks* blocks, size_t size) {
  size_t units = size >> blocks->shift;
  if (units < TN_BIN_STEPS) return (int)units;
  int power = 63 - __builtin_clzll(units);
  return (power - step_bits + 1) * TN_BIN_STEPS +
         (int)(units >> (power - step_bits) & (TN_BIN_STEPS - 1));
}

size_t tn_blocks_round(const tn_blocks* blocks, size_t size) {
  if (size >= SIZE_MAX / 2) return 0;
  size_t step = (size_t)1 << blocks->shift;
  if (size >> blocks->shift >= TN_BIN_STEPS)
    step = ((size_t)1 << (63 - __builtin_clzll(size))) / TN_BIN_STEPS;
  return (size + step - 1) & ~(step - 1);
}

static void enter_bin(tn_blocks* blocks, tn_block* block) {
  int bin = tn_blocks_bin(blocks, block->size);
  block->free = true;
  block->next_of_which = NULL;
  block->next = blocks->bins[bin];
  if (block->next) block->next->next_of_which = block;
  blocks->bins[bin] = block;
  blocks->full[bin / 64] |= (uint64_t)1 << bin % 64;
  blocks->full_words |= (uint64_t)1 << bin / 64;
}

static void leave_bin(tn_blocks* blocks, tn_block* block) {
  block->free = false;
  if (block->next) block->next->next_of_which = block->next_of_which;
  if (block->next_of_which) {
    block->next_of_which->next = block->next;
    return;
  }
  int bin = tn_blocks_bin(blocks, block->size);
  if ((blocks->bins[bin] = block->next)) return;
  if (!(blocks->full[bin / 64] &= ~((uint64_t)1 << bin % 64)))
    blocks->full_words &= ~((uint64_t)1 << bin / 64);
}

// The first bin from `bin` on that holds a block; -1 when there is none.
static int full_bin_from(const tn_blocks* blocks, int bin) {
  if (bin >= TN_BIN_COUNT) return -1;
  uint64_t here = blocks->full[bin / 64] & ~(uint64_t)0 << bin % 64;
  if (here) return bin / 64 * 64 + __builtin_ctzll(here);
  uint64_t words = blocks->full_words & ~(uint64_t)0 << bin / 64 << 1;
  if (!words) return -1;
  int word = __builtin_ctzll(words);
  return word * 64 + __builtin_ctzll(blocks->full[word]);
}

// Only the first bin may hold blocks that are too small. It is searched through only when no larger
// block is there.
static tn_block* find(const tn_blocks* blocks, size_t size, uint32_t stream) {
  enum { most_looks = 16 };
  int looks = 0, first = tn_blocks_bin(blocks, size);
  tn_block* fits = NULL;
  for (int bin = first; (bin = full_bin_from(blocks, bin)) >= 0; ++bin) {
    for (tn_block* block = blocks->bins[bin]; block && looks < most_looks; block = block->next) {
      ++looks;
      if (block->size < size) continue;
      uint32_t tag = tag_of(block);
      if (tag == stream || tag == TN_NO_STREAM) return block;
      if (!fits) fits = block;
    }
    if (looks < most_looks) continue;
    if (fits) return fits;
    looks = most_looks - 1;
  }
  for (tn_block* block = fits ? NULL : blocks->bins[first]; block && !fits; block = block->next)
    if (block->size >= size) fits = block;
  return fits;
}

// ---- Blocks ----

bool tn_blocks_prepare(tn_blocks* blocks) {
  if (blocks->unused) return true;
  tn_block_slab* slab = tn_alloc(sizeof *slab);
  if (!slab) return false;
  slab->next = blocks->slabs;
  blocks->slabs = slab;
  padded_block* padded = (void*)(((uintptr_t)slab->room + 63) & ~(uintptr_t)63);
  for (int i = 0; i < slab_blocks; ++i) {
    padded[i].block.next = blocks->unused;
    blocks->unused = &padded[i].block;
  }
  return true;
}

static tn_block* new_block(tn_blocks* blocks, tn_region* region, void* data, size_t size,
                           uint32_t tag) {
  tn_block* block = blocks->unused;
  blocks->unused = block->next;
  *block = (tn_block){.buffer = {.data = data, .stream = tag}, .size = size, .region = region};
  return block;
}

bool tn_blocks_add_region(tn_blocks* blocks, void* data, size_t size, uint64_t payload) {
  tn_region* region = tn_alloc(sizeof *region);
  if (!region) return false;
  size_t unit = (size_t)1 << blocks->shift;
  size_t skipped = -(uintptr_t)data & (unit - 1);
  tn_block* block = new_block(blocks, region, (char*)data + skipped, (size - skipped) & ~(unit - 1),
                              TN_NO_STREAM);
  *region = (tn_region){
      .data = data, .size = size, .payload = payload, .first = block, .next = blocks->regions};
  blocks->regions = region;
  enter_bin(blocks, block);
  return true;
}

tn_block* tn_blocks_take(tn_blocks* blocks, size_t size, size_t spare, uint32_t stream) {
  tn_block* block = find(blocks, size, stream);
  if (!block) return NULL;
  leave_bin(blocks, block);
  if (block->size - size <= spare) return block;
  tn_block* rest = new_block(blocks, block->region, (char*)block->buffer.data + size,
                             block->size - size, tag_of(block));
  rest->before = block;
  rest->after = block->after;
  if (rest->after) rest->after->before = rest;
  block->after = rest;
  block->size = size;
  enter_bin(blocks, rest);
  return block;
}

// Makes a block one with the free one after it, both in no bin.
static void absorb_after(tn_blocks* blocks, tn_block* block) {
  tn_block* gone = block->after;
  set_tag(block, tn_stream_tag_with(tag_of(block), tag_of(gone)));
  block->size += gone->size;
  block->after = gone->after;
  if (block->after) block->after->before = block;
  gone->next = blocks->unused;
  blocks->unused = gone;
}

// True when the two are free and may be one. Blocks of different streams stay apart until memory is
// short: one that several worked on makes whoever takes it wait for all of them.
static bool belong(tn_blocks* blocks, tn_block* a, tn_block* b) {
  if (!a || !b || !a->free || !b->free) return false;
  if (tag_of(a) == tag_of(b)) return true;
  blocks->unmerged = true;
  return false;
}

void tn_blocks_put(tn_blocks* blocks, tn_block* block) {
  block->free = true;
  if (belong(blocks, block, block->after)) {
    leave_bin(blocks, block->after);
    absorb_after(blocks, block);
  }
  if (belong(blocks, block->before, block)) {
    block = block->before;
    leave_bin(blocks, block);
    absorb_after(blocks, block);
  }
  enter_bin(blocks, block);
}

bool tn_blocks_merge(tn_blocks* blocks) {
  if (!blocks->unmerged) return false;
  blocks->unmerged = false;
  for (tn_region* region = blocks->regions; region; region = region->next)
    for (tn_block* block = region->first; block; block = block->after) {
      if (!block->free || !block->after || !block->after->free) continue;
      leave_bin(blocks, block);
      while (block->after && block->after->free) {
        leave_bin(blocks, block->after);
        absorb_after(blocks, block);
      }
      enter_bin(blocks, block);
    }
  return true;
}

void tn_blocks_forget(tn_blocks* blocks, uint32_t tag, bool all) {
  for (tn_region* region = blocks->regions; region; region = region->next)
    for (tn_block* block = region->first; block; block = block->after) {
      if (!block->free) continue;
      if (all || tag_of(block) == tag) set_tag(block, TN_NO_STREAM);
      if (!belong(blocks, block->before, block)) continue;
      leave_bin(blocks, block);
      block = block->before;
      leave_bin(blocks, block);
      absorb_after(blocks, block);
      enter_bin(blocks, block);
    }
}

tn_region* tn_blocks_detach(tn_blocks* blocks) {
  tn_blocks_merge(blocks);
  tn_region* detached = NULL;
  for (tn_region** at = &blocks->regions; *at;) {
    tn_region* region = *at;
    tn_block* block = region->first;
    if (!block->free || block->after) {
      at = &region->next;
      continue;
    }
    *at = region->next;
    leave_bin(blocks, block);
    region->tag = tag_of(block);
    block->next = blocks->unused;
    blocks->unused = block;
    region->next = detached;
    detached = region;
  }
  return detached;
}

size_t tn_blocks_largest(const tn_blocks* blocks) {
  if (!blocks->full_words) return 0;
  int word = 63 - __builtin_clzll(blocks->full_words);
  int bin = word * 64 + 63 - __builtin_clzll(blocks->full[word]);
  size_t largest = 0;
  for (tn_block* block = blocks->bins[bin]; block; block = block->next)
    if (block->size > largest) largest = block->size;
  return largest;
}
