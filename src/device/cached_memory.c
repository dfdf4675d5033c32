#include "device/cached_memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/status.h"
#include "device/blocks.h"

enum { shard_count = 8, most_per_class = 16, class_count = 321 };
enum { least_alignment = 64, usual_alignment = 256, least_region = 2 << 20 };
static const size_t most_kept_size = 1 << 20, most_kept = 8 << 20, most_region = 1 << 30;

// What some threads freed lately, by bins of blocks that are just as large as their bin says. To
// `blocks` they are in use.
typedef struct shard {
  atomic_bool locked;
  bool closed;
  // Written under the lock, read also without.
  atomic_size_t kept;
  atomic_llong kept_count;
  atomic_llong allocations;
  size_t most_used;  // of what is not in this shard, as far as the peak has seen it
  unsigned char counts[class_count];
  tn_block* classes[class_count];
  char apart[128];  // no line of the processor's cache is of two shards
} shard;

// Locks are taken in this order: growth, lock, a shard's. None is held while the source is asked
// to synchronize, because work on a stream may wait for a buffer to be freed or made.
struct tn_cached_memory {
  tn_memory_source source;
  struct tn_device* device;
  char* name;
  size_t limit;

  pthread_mutex_t growth;  // while the source is asked for a region
  size_t next_region;
  size_t margin;  // bytes more to ask for, once a region came unaligned
  atomic_size_t reserved;
  size_t peak_reserved;

  pthread_mutex_t lock;  // of the rest, but for the shards
  tn_blocks blocks;
  bool closed;
  size_t holders;      // the owner, and the blocks that `blocks` takes for used
  atomic_size_t used;  // the bytes of these, in use or in shards; written under the lock
  long long allocations;
  atomic_size_t peak;
  atomic_size_t largest;

  shard shards[shard_count];
};

static shard* own_shard(tn_cached_memory* memory) {
  static atomic_uint threads;
  static _Thread_local __attribute__((tls_model("initial-exec"))) unsigned own;
  if (!own) own = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) % shard_count + 1;
  return &memory->shards[own - 1];
}

// Nearly always free: a shard's own threads come one after the other, and others seldom.
static void lock_shard(shard* shard) {
  while (atomic_exchange_explicit(&shard->locked, true, memory_order_acquire)) sched_yield();
}
static void unlock_shard(shard* shard) {
  atomic_store_explicit(&shard->locked, false, memory_order_release);
}

#define READ(number) atomic_load_explicit(&(number), memory_order_relaxed)
// For numbers with one writer at a time: no need for a locked instruction.
#define ADD(number, more) \
  atomic_store_explicit(&(number), READ(number) + (more), memory_order_relaxed)

static void raise_to(atomic_size_t* most, size_t value) {
  for (size_t known = READ(*most); known < value;)
    if (atomic_compare_exchange_weak_explicit(most, &known, value, memory_order_relaxed,
                                              memory_order_relaxed))
      return;
}

// Bytes in use. The shards are read first: what moves from one of them to `blocks` meanwhile is
// missed, never counted twice.
static size_t count_in_use(tn_cached_memory* memory) {
  size_t kept = 0;
  for (int i = 0; i < shard_count; ++i) kept += READ(memory->shards[i].kept);
  size_t used = READ(memory->used);
  return used > kept ? used - kept : 0;
}

// ---- Freeing ----

static void finish(tn_cached_memory* memory) {
  tn_cached_memory_trim(memory);
  pthread_mutex_destroy(&memory->growth);
  pthread_mutex_destroy(&memory->lock);
  tn_blocks_deinit(&memory->blocks);
  tn_free(memory->name);
  tn_free(memory);
}

// With the lock held.
static void put_list(tn_cached_memory* memory, tn_block* list) {
  for (tn_block* next; list; list = next) {
    next = list->next;
    ADD(memory->used, -list->size);
    --memory->holders;
    tn_blocks_put(&memory->blocks, list);
  }
}

// With the shard's lock held.
static tn_block* empty_class(shard* shard, size_t class) {
  tn_block* list = shard->classes[class];
  if (!list) return NULL;
  ADD(shard->kept, -(list->size * shard->counts[class]));
  ADD(shard->kept_count, -shard->counts[class]);
  shard->counts[class] = 0;
  shard->classes[class] = NULL;
  return list;
}

// With the shard's lock held: takes what has to go to make room for a block of that class.
static tn_block* make_room(shard* shard, size_t class, size_t size) {
  if (shard->counts[class] == most_per_class) return empty_class(shard, class);
  if (READ(shard->kept) + size <= most_kept) return NULL;
  tn_block* gone = NULL;
  for (size_t i = 0; i < class_count; ++i) {
    for (tn_block *block = empty_class(shard, i), *next; block; block = next) {
      next = block->next;
      block->next = gone;
      gone = block;
    }
  }
  return gone;
}

static void release(tn_buffer* buffer) {
  tn_block *block = (tn_block*)buffer, *gone = block;
  tn_cached_memory* memory = buffer->release_arg;
  block->next = NULL;
  if (block->size <= most_kept_size &&
      block->size == tn_blocks_round(&memory->blocks, block->size)) {
    shard* shard = own_shard(memory);
    size_t class = (size_t)tn_blocks_bin(&memory->blocks, block->size);
    lock_shard(shard);
    if (!shard->closed) {
      gone = make_room(shard, class, block->size);
      block->next = shard->classes[class];
      shard->classes[class] = block;
      ++shard->counts[class];
      ADD(shard->kept, block->size);
      ADD(shard->kept_count, 1);
    }
    unlock_shard(shard);
    if (!gone) return;
  }
  pthread_mutex_lock(&memory->lock);
  put_list(memory, gone);
  bool last = memory->holders == 0;
  pthread_mutex_unlock(&memory->lock);
  if (last) finish(memory);
}

// With the lock held.
static void empty_shards(tn_cached_memory* memory) {
  for (int i = 0; i < shard_count; ++i) {
    shard* shard = &memory->shards[i];
    lock_shard(shard);
    if (memory->closed) shard->closed = true;
    shard->most_used = 0;
    if (READ(shard->kept))
      for (size_t class = 0; class < class_count; ++class)
        put_list(memory, empty_class(shard, class));
    unlock_shard(shard);
  }
}

size_t tn_cached_memory_trim(tn_cached_memory* memory) {
  pthread_mutex_lock(&memory->lock);
  empty_shards(memory);
  tn_region* regions = tn_blocks_detach(&memory->blocks);
  pthread_mutex_unlock(&memory->lock);
  bool tagged = false;
  for (tn_region* region = regions; region; region = region->next)
    tagged |= region->tag != TN_NO_STREAM;
  if (tagged && memory->source.synchronize) memory->source.synchronize(memory->source.arg);
  size_t released = 0;
  for (tn_region *region = regions, *next; region; region = next) {
    next = region->next;
    memory->source.release(memory->source.arg, region->data, region->size, region->payload);
    released += region->size;
    tn_free(region);
  }
  atomic_fetch_sub_explicit(&memory->reserved, released, memory_order_relaxed);
  return released;
}

void tn_cached_memory_forget_stream(tn_cached_memory* memory, uint32_t stream) {
  pthread_mutex_lock(&memory->lock);
  empty_shards(memory);
  tn_blocks_forget(&memory->blocks, stream, false);
  pthread_mutex_unlock(&memory->lock);
}

void tn_cached_memory_settle(tn_cached_memory* memory) {
  pthread_mutex_lock(&memory->lock);
  empty_shards(memory);
  tn_blocks_forget(&memory->blocks, 0, true);
  pthread_mutex_unlock(&memory->lock);
}

// ---- Allocating ----

typedef struct request {
  size_t size, spare;
  uint32_t stream;
  bool no_host_memory;
} request;

// With the lock held.
static tn_block* take(tn_cached_memory* memory, request* request) {
  if (!tn_blocks_prepare(&memory->blocks)) {
    request->no_host_memory = true;
    return NULL;
  }
  tn_block* block = tn_blocks_take(&memory->blocks, request->size, request->spare, request->stream);
  if (!block) return NULL;
  ++memory->holders;
  ++memory->allocations;
  ADD(memory->used, block->size);
  if (READ(memory->used) > READ(memory->peak)) raise_to(&memory->peak, count_in_use(memory));
  raise_to(&memory->largest, block->size);
  return block;
}

// The same, and when there is none once all free memory is in as few blocks as there can be.
static tn_block* take_gathered(tn_cached_memory* memory, request* request) {
  tn_block* block = take(memory, request);
  if (block || request->no_host_memory) return block;
  empty_shards(memory);
  block = take(memory, request);
  if (block || !tn_blocks_merge(&memory->blocks)) return block;
  return take(memory, request);
}

// A region of at least `needed` bytes within the limit, with `growth` held. Its size; 0: no more.
static size_t get_region(tn_cached_memory* memory, size_t needed, void** out_data,
                         uint64_t* out_payload) {
  size_t room = memory->limit ? memory->limit - READ(memory->reserved) : SIZE_MAX / 2;
  if (needed > room) return 0;
  size_t size = memory->next_region < needed ? needed : memory->next_region;
  if (size > room) size = room;
  for (;;) {
    *out_data = NULL;
    *out_payload = 0;
    if (memory->source.allocate(memory->source.arg, size, out_data, out_payload) && *out_data)
      return size;
    if (size == needed) return 0;
    size = needed + ((size - needed) / 4 * 3 & ~(size_t)(least_region - 1));
  }
}

// A block from a new region, with `growth` held.
static tn_block* grow(tn_cached_memory* memory, request* request) {
  void* data;
  uint64_t payload;
  size_t unit = (size_t)1 << memory->blocks.shift, size;
  for (;;) {
    size = get_region(memory, request->size + memory->margin, &data, &payload);
    if (!size) return NULL;
    if ((-(uintptr_t)data & (unit - 1)) + request->size <= size) break;
    memory->source.release(memory->source.arg, data, size, payload);
    memory->margin = unit;
  }
  pthread_mutex_lock(&memory->lock);
  if (tn_blocks_prepare(&memory->blocks) &&
      tn_blocks_add_region(&memory->blocks, data, size, payload)) {
    size_t reserved =
        atomic_fetch_add_explicit(&memory->reserved, size, memory_order_relaxed) + size;
    if (reserved > memory->peak_reserved) memory->peak_reserved = reserved;
    tn_block* block = take(memory, request);
    if (memory->next_region < most_region) memory->next_region *= 2;
    pthread_mutex_unlock(&memory->lock);
    return block;
  }
  request->no_host_memory = true;
  pthread_mutex_unlock(&memory->lock);
  memory->source.release(memory->source.arg, data, size, payload);
  return NULL;
}

static tn_block* take_or_grow(tn_cached_memory* memory, request* request) {
  pthread_mutex_lock(&memory->lock);
  tn_block* block = take_gathered(memory, request);
  pthread_mutex_unlock(&memory->lock);
  if (memory->limit && request->size > memory->limit) return block;
  for (int tries = 0; !block && !request->no_host_memory; ++tries) {
    if (tries == 2 || (tries == 1 && !tn_cached_memory_trim(memory))) break;
    pthread_mutex_lock(&memory->growth);
    // Another thread may have grown it, or freed something, meanwhile.
    pthread_mutex_lock(&memory->lock);
    block = take_gathered(memory, request);
    pthread_mutex_unlock(&memory->lock);
    if (!block && !request->no_host_memory) block = grow(memory, request);
    pthread_mutex_unlock(&memory->growth);
  }
  return block;
}

static tn_block* take_kept(tn_cached_memory* memory, size_t size, uint32_t stream) {
  shard* shard = own_shard(memory);
  size_t class = (size_t)tn_blocks_bin(&memory->blocks, size);
  lock_shard(shard);
  tn_block **at = &shard->classes[class], *block;
  for (; (block = *at); at = &block->next) {
    uint32_t tag = READ(block->buffer.stream);
    if (tag != stream && tag != TN_NO_STREAM) continue;
    *at = block->next;
    --shard->counts[class];
    ADD(shard->kept, -size);
    ADD(shard->kept_count, -1);
    ADD(shard->allocations, 1);
    break;
  }
  // Other threads' shards are looked at only when this one alone could have made a new peak.
  size_t used = block ? READ(memory->used) - READ(shard->kept) : 0;
  bool more = used > shard->most_used;
  if (more) shard->most_used = used;
  unlock_shard(shard);
  if (more) raise_to(&memory->peak, count_in_use(memory));
  return block;
}

static void say_out_of_memory(tn_cached_memory* memory, size_t asked, tn_status* status) {
  tn_memory_stats stats = tn_cached_memory_stats(memory);
  char limit[48] = "no limit";
  if (stats.limit) snprintf(limit, sizeof limit, "a limit of %zu", stats.limit);
  tn_status_set(
      status, TN_RESOURCE_EXHAUSTED,
      "out of memory on %s: asked for %zu bytes, %zu in use by %lld buffers, %zu reserved "
      "with %s, largest free block %zu",
      memory->name, asked, stats.in_use, (long long)stats.live_buffers, stats.reserved, limit,
      stats.largest_free_block);
}

tn_buffer* tn_cached_memory_take(tn_cached_memory* memory, size_t size, uint32_t stream,
                                 uint32_t* out_previous, tn_status* status) {
  size_t asked = size ? size : 1, unit = (size_t)1 << memory->blocks.shift;
  size_t rounded = tn_blocks_round(&memory->blocks, asked),
         least = (asked + unit - 1) & ~(unit - 1);
  request request = {.size = rounded, .stream = stream};
  tn_block* block = NULL;
  if (rounded && rounded <= most_kept_size) {
    block = take_kept(memory, rounded, stream);
  } else if (rounded) {
    request.size = least;
    if (least - asked < asked / TN_BIN_STEPS)
      request.spare = asked / TN_BIN_STEPS - (least - asked);
  }
  if (!block && rounded) block = take_or_grow(memory, &request);
  if (!block && least < request.size && !request.no_host_memory) {
    request.size = least;
    block = take_or_grow(memory, &request);
  }
  if (!block) {
    if (request.no_host_memory)
      tn_status_set_no_memory(status, "keeping account of a device's memory");
    else
      say_out_of_memory(memory, size, status);
    return NULL;
  }
  if (out_previous) *out_previous = READ(block->buffer.stream);
  block->buffer = (tn_buffer){.references = 1,
                              .owned = true,
                              .data = block->buffer.data,
                              .size = size,
                              .release = release,
                              .release_arg = memory,
                              .device = memory->device,
                              .stream = stream};
  return &block->buffer;
}

tn_memory_stats tn_cached_memory_stats(tn_cached_memory* memory) {
  pthread_mutex_lock(&memory->lock);
  tn_memory_stats stats = {.allocations = memory->allocations,
                           .live_buffers = (int64_t)memory->holders - 1,
                           .in_use = count_in_use(memory),
                           .peak_in_use = READ(memory->peak),
                           .largest_allocation = READ(memory->largest),
                           .limit = memory->limit,
                           .reserved = READ(memory->reserved),
                           .peak_reserved = memory->peak_reserved,
                           .largest_free_block = tn_blocks_largest(&memory->blocks)};
  for (int i = 0; i < shard_count; ++i) {
    stats.allocations += READ(memory->shards[i].allocations);
    stats.live_buffers -= READ(memory->shards[i].kept_count);
  }
  pthread_mutex_unlock(&memory->lock);
  return stats;
}

// ---- Making and ending ----

tn_cached_memory* tn_cached_memory_create(const tn_cached_memory_options* options,
                                          tn_status* status) {
  size_t alignment = options->alignment ? options->alignment : usual_alignment;
  if (alignment < least_alignment || (alignment & (alignment - 1))) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "memory of %s cannot be aligned to %zu bytes: a power of two from %d on is needed",
        options->name, alignment, least_alignment);
    return NULL;
  }
  tn_cached_memory* memory = tn_alloc_zeroed(1, sizeof *memory);
  if (memory && !(memory->name = tn_strdup(options->name))) {
    tn_free(memory);
    memory = NULL;
  }
  if (!memory) {
    tn_status_set_no_memory(status, "making a device's memory");
    return NULL;
  }
  memory->source = options->source;
  memory->device = options->device;
  memory->limit = options->limit;
  memory->next_region = options->whole && options->limit ? options->limit : least_region;
  memory->blocks.shift = __builtin_ctzll(alignment);
  memory->holders = 1;
  pthread_mutex_init(&memory->growth, NULL);
  pthread_mutex_init(&memory->lock, NULL);
  return memory;
}

void tn_cached_memory_destroy(tn_cached_memory* memory) {
  if (!memory) return;
  pthread_mutex_lock(&memory->lock);
  memory->closed = true;
  pthread_mutex_unlock(&memory->lock);
  tn_cached_memory_trim(memory);
  pthread_mutex_lock(&memory->lock);
  bool last = --memory->holders == 0;
  pthread_mutex_unlock(&memory->lock);
  if (last) finish(memory);
}
