// Which parts of a device's regions are free: blocks, neighbours by address and in bins by size.
// Knows nothing of threads or of where regions come from, and touches no byte of them.
#ifndef TENON_DEVICE_BLOCKS_H_
#define TENON_DEVICE_BLOCKS_H_

#include <stdint.h>

#include "tensor/buffer.h"

enum { TN_BIN_STEPS = 32, TN_BIN_COUNT = 1760 };

typedef struct tn_block tn_block;
typedef struct tn_region tn_region;

struct tn_block {
  tn_buffer buffer;  // `data`, and `stream` as the tag, hold also while the block is free
  size_t size;
  bool free;
  tn_region* region;
  tn_block *before, *after;        // neighbours in the region; NULL at its ends
  tn_block *next, *next_of_which;  // in the bin, while free; `next` is the holder's otherwise
};

struct tn_region {
  void* data;
  size_t size;
  uint64_t payload;
  uint32_t tag;  // of its one block, once detached
  tn_block* first;
  tn_region* next;
};

typedef struct tn_blocks {
  int shift;      // sizes and addresses are multiples of 1 << shift
  bool unmerged;  // free neighbours may stand apart for their tags
  tn_region* regions;
  tn_block* unused;  // block structs for the next cuts
  struct tn_block_slab* slabs;
  uint64_t full_words;  // bit i: full[i] is not 0
  uint64_t full[(TN_BIN_COUNT + 63) / 64];
  tn_block* bins[TN_BIN_COUNT];
} tn_blocks;

// Zeroed is empty, but for `shift`, which is from 6 on. Frees the structs, not the regions.
void tn_blocks_deinit(tn_blocks* blocks);

// The bin whose blocks have at least that size and less than the next bin's least.
int tn_blocks_bin(const tn_blocks* blocks, size_t size);
// The least size of a bin that is `size` or more: all blocks of that bin fit. 0: too large.
size_t tn_blocks_round(const tn_blocks* blocks, size_t size);

// Room for the structs that one take or one region needs. False: no host memory.
bool tn_blocks_prepare(tn_blocks* blocks);

// Adds a free region without a tag: `data` and `size` as they came from the source, which is at
// least one block when aligned. Call prepare before. False: no host memory.
bool tn_blocks_add_region(tn_blocks* blocks, void* data, size_t size, uint64_t payload);

// Cuts `size` bytes (a multiple of 1 << shift) from about the smallest block that holds them and,
// among some of these, one that `stream` need not wait for. What is left over is left with it when
// it is no more than `spare`. Call prepare before. NULL: none is large enough.
tn_block* tn_blocks_take(tn_blocks* blocks, size_t size, size_t spare, uint32_t stream);
// Makes it one with its free neighbours of the same tag.
void tn_blocks_put(tn_blocks* blocks, tn_block* block);

// Makes all free neighbours one, whatever their tags: several when they differ. False: there were
// none.
bool tn_blocks_merge(tn_blocks* blocks);
// Free blocks whose tag is `tag`, or all of them, have none from now on.
void tn_blocks_forget(tn_blocks* blocks, uint32_t tag, bool all);

// Takes out the regions that are wholly free, as a list; the caller frees each with tn_free.
tn_region* tn_blocks_detach(tn_blocks* blocks);

size_t tn_blocks_largest(const tn_blocks* blocks);

#endif  // TENON_DEVICE_BLOCKS_H_
