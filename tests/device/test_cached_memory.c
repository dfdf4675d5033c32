#include "device/cached_memory.h"

#include <pthread.h>

#include "base/memory.h"
#include "base/status.h"
#include "device/blocks.h"
#include "harness.h"

// A device's memory as addresses that nobody may touch.
typedef struct source {
  pthread_mutex_t lock;
  uintptr_t next;
  size_t budget;  // bytes it gives at most
  size_t given;
  size_t offset;  // regions start that far from a page
  struct {
    uintptr_t data;
    size_t size;
  } regions[4096];
  int count;
  size_t asked[64];  // sizes of the first requests
  int requests;
  int synchronized;
} source;

static bool give(void* arg, size_t size, void** out_data, uint64_t* out_payload) {
  source* source = arg;
  pthread_mutex_lock(&source->lock);
  if (source->requests < 64) source->asked[source->requests] = size;
  ++source->requests;
  bool enough = source->budget - source->given >= size && source->count < 4096;
  if (enough) {
    source->given += size;
    uintptr_t data = (source->next & ~(uintptr_t)4095) + 8192 + source->offset;
    source->next = data + size;
    source->regions[source->count].data = data;
    source->regions[source->count++].size = size;
    *out_data = (void*)data;
    *out_payload = data * 3;
  }
  pthread_mutex_unlock(&source->lock);
  return enough;
}

static void take_back(void* arg, void* data, size_t size, uint64_t payload) {
  source* source = arg;
  pthread_mutex_lock(&source->lock);
  int i = 0;
  while (i < source->count && source->regions[i].data != (uintptr_t)data) ++i;
  CHECK(i < source->count);
  CHECK_INT(source->regions[i].size, size);
  CHECK(payload == (uintptr_t)data * 3);
  source->regions[i] = source->regions[--source->count];
  source->given -= size;
  pthread_mutex_unlock(&source->lock);
}

static void synchronize(void* arg) { ++((source*)arg)->synchronized; }

static source device = {PTHREAD_MUTEX_INITIALIZER, .next = (uintptr_t)1 << 40, .budget = SIZE_MAX};

static tn_cached_memory* create(size_t limit, bool whole) {
  tn_status status = {0};
  tn_cached_memory_options options = {.source = {give, take_back, synchronize, &device},
                                      .device = (struct tn_device*)&device,
                                      .name = "/device:X:0",
                                      .limit = limit,
                                      .whole = whole};
  tn_cached_memory* memory = tn_cached_memory_create(&options, &status);
  CHECK_OK(&status);
  CHECK(memory);
  return memory;
}

static tn_buffer* take(tn_cached_memory* memory, size_t size, uint32_t stream, uint32_t* previous) {
  tn_status status = {0};
  uint32_t unasked;
  tn_buffer* buffer =
      tn_cached_memory_take(memory, size, stream, previous ? previous : &unasked, &status);
  CHECK_OK(&status);
  CHECK(buffer);
  return buffer;
}

static size_t block_size(tn_buffer* buffer) { return ((tn_block*)buffer)->size; }

TEST(test_a_buffer_says_what_it_is) {
  tn_cached_memory* memory = create(0, false);
  tn_buffer* buffer = take(memory, 1000, 7, NULL);
  CHECK(buffer->owned && !buffer->on_host);
  CHECK_INT(buffer->size, 1000);
  CHECK_INT((uintptr_t)buffer->data % 256, 0);
  CHECK(buffer->device == (struct tn_device*)&device);
  CHECK_INT(buffer->stream, 7);
  CHECK(!tn_buffer_is_shared(buffer));
  tn_buffer *none = take(memory, 0, 7, NULL), *other = take(memory, 0, 7, NULL);
  CHECK(none->data && none->size == 0 && none->data != other->data);
  tn_buffer_unref(buffer);
  tn_buffer_unref(none);
  tn_buffer_unref(other);
  tn_cached_memory_destroy(memory);
  CHECK_INT(device.count, 0);
}

TEST(test_wrong_alignments_are_refused) {
  static const size_t wrong[] = {1, 32, 65, 192, 257};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    tn_status status = {0};
    tn_cached_memory_options options = {
        .source = {give, take_back, NULL, &device}, .name = "/device:X:0", .alignment = wrong[i]};
    CHECK(!tn_cached_memory_create(&options, &status));
    CHECK_CONTAINS(tn_status_message(&status), "/device:X:0");
    CHECK_CODE(&status, TN_INVALID_ARGUMENT);
  }
}

TEST(test_a_block_is_larger_than_asked_by_less_than_the_alignment_or_a_32nd) {
  uint64_t random = test_seed();
  for (size_t alignment = 64; alignment <= 4096; alignment *= 4) {
    tn_status status = {0};
    tn_cached_memory_options options = {
        .source = {give, take_back, NULL, &device}, .name = "/device:X:0", .alignment = alignment};
    tn_cached_memory* memory = tn_cached_memory_create(&options, &status);
    for (int i = 0; i < 20000; ++i) {
      size_t size = i < 10000 ? (size_t)i
                              : (size_t)test_between(&random, 1, 1 << test_between(&random, 8, 28));
      tn_buffer* buffer = take(memory, size, 1, NULL);
      size_t more = block_size(buffer) - (size ? size : 1);
      if (more >= alignment && more > size / 32)
        test_fail(__FILE__, __LINE__, "%zu bytes got a block of %zu", size, block_size(buffer));
      CHECK_INT((uintptr_t)buffer->data % alignment, 0);
      CHECK_INT(tn_cached_memory_stats(memory).in_use, block_size(buffer));
      tn_buffer_unref(buffer);
      // Other sizes than the last are cut from what is free: also from what was merged.
      if (test_random(&random) % 8 == 0) tn_cached_memory_settle(memory);
    }
    tn_cached_memory_destroy(memory);
    CHECK_INT(device.count, 0);
  }
}

// ---- Against a model that knows every unit of 256 bytes ----

enum { unit = 256, most_live = 400 };

typedef struct model {
  tn_cached_memory* memory;
  tn_buffer* live[most_live];
  int count;
  size_t in_use, peak;
  long long made;
  // By unit from the first address on: 1 in use, and the stream that a free one was freed by.
  uint8_t used[1 << 18];
  uint32_t tags[1 << 18];
  uintptr_t base;
} model;

static size_t unit_of(model* model, void* data) {
  size_t at = ((uintptr_t)data - model->base) / unit;
  CHECK(at < 1 << 18);
  return at;
}

static bool in_a_region(tn_buffer* buffer) {
  uintptr_t begin = (uintptr_t)buffer->data, end = begin + block_size(buffer);
  for (int i = 0; i < device.count; ++i)
    if (begin >= device.regions[i].data && end <= device.regions[i].data + device.regions[i].size)
      return true;
  return false;
}

// The longest free range.
static size_t longest_free(model* model) {
  size_t longest = 0;
  for (int i = 0; i < device.count; ++i) {
    uintptr_t begin = (device.regions[i].data + unit - 1) / unit * unit;
    uintptr_t end = (device.regions[i].data + device.regions[i].size) / unit * unit;
    size_t here = 0;
    for (; begin < end; begin += unit) {
      here = model->used[unit_of(model, (void*)begin)] ? 0 : here + unit;
      if (here > longest) longest = here;
    }
  }
  return longest;
}

static void model_take(model* model, size_t size, uint32_t stream, size_t limit) {
  tn_status status = {0};
  uint32_t previous = 12345;
  tn_buffer* buffer = tn_cached_memory_take(model->memory, size, stream, &previous, &status);
  if (!buffer) {
    // Right only when nothing that is free, or could be asked for, would do.
    CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
    size_t needed = size + (size / 32 > unit ? size / 32 : unit);
    CHECK(longest_free(model) < needed);
    CHECK(limit - device.given < needed + unit);
    return;
  }
  CHECK(in_a_region(buffer));
  CHECK_INT((uintptr_t)buffer->data % unit, 0);
  for (size_t i = unit_of(model, buffer->data), n = block_size(buffer) / unit; n; ++i, --n) {
    CHECK(!model->used[i]);
    if (model->tags[i] != 0 && previous != TN_SEVERAL_STREAMS) CHECK_INT(previous, model->tags[i]);
    model->used[i] = 1;
  }
  model->live[model->count++] = buffer;
  model->in_use += block_size(buffer);
  if (model->in_use > model->peak) model->peak = model->in_use;
  ++model->made;
}

static void model_free(model* model, int which, uint32_t stream) {
  tn_buffer* buffer = model->live[which];
  model->live[which] = model->live[--model->count];
  uint32_t tag = tn_stream_tag_with(buffer->stream, stream);
  atomic_store(&buffer->stream, tag);
  model->in_use -= block_size(buffer);
  for (size_t i = unit_of(model, buffer->data), n = block_size(buffer) / unit; n; ++i, --n) {
    model->used[i] = 0;
    model->tags[i] = tag;
  }
  tn_buffer_unref(buffer);
}

static void model_forget(model* model, uint32_t tag, bool all) {
  for (size_t i = 0; i < 1 << 18; ++i)
    if (!model->used[i] && (all || model->tags[i] == tag)) model->tags[i] = 0;
}

static void compare_with_model(size_t limit, bool whole, size_t offset, int streams,
                               int most_power) {
  static model fresh;
  model* model = &fresh;
  memset(model, 0, sizeof *model);
  uint64_t random = test_seed();
  device.offset = offset;
  model->base = device.next;
  model->memory = create(limit, whole);
  for (int i = 0; i < 30000; ++i) {
    // By turns mostly more buffers, and mostly fewer.
    bool more = test_random(&random) % 8 < (i / 1000 % 2 ? 3 : 5);
    uint32_t stream = (uint32_t)test_between(&random, 1, streams);
    if (model->count < most_live && (more || model->count == 0)) {
      size_t size = (size_t)test_between(&random, 0, 1 << test_between(&random, 4, most_power));
      model_take(model, size, stream, limit);
    } else {
      // Mostly its own stream has it last.
      int which = (int)test_between(&random, 0, model->count - 1);
      model_free(model, which, test_random(&random) % 4 ? model->live[which]->stream : stream);
    }
    switch (test_random(&random) % 512) {
      case 0:
        tn_cached_memory_settle(model->memory);
        model_forget(model, 0, true);
        break;
      case 1:
        tn_cached_memory_forget_stream(model->memory, stream);
        model_forget(model, stream, false);
        break;
      case 2: tn_cached_memory_trim(model->memory); break;
      default: break;
    }
    if (i % 16 == 0) {
      tn_memory_stats stats = tn_cached_memory_stats(model->memory);
      CHECK_INT(stats.in_use, model->in_use);
      CHECK_INT(stats.peak_in_use, model->peak);
      CHECK_INT(stats.live_buffers, model->count);
      CHECK_INT(stats.allocations, model->made);
      CHECK_INT(stats.reserved, device.given);
      CHECK(stats.reserved <= limit);
      CHECK(stats.peak_reserved >= stats.reserved && stats.peak_reserved <= limit);
    }
    // New regions start where the model still reaches.
    if (device.next - model->base > (size_t)40 << 20) {
      while (model->count) model_free(model, 0, stream);
      tn_cached_memory_trim(model->memory);
      CHECK_INT(device.given, 0);
      memset(model->tags, 0, sizeof model->tags);
      model->base = device.next;
    }
  }
  while (model->count) model_free(model, 0, 1);
  CHECK_INT(tn_cached_memory_stats(model->memory).in_use, 0);
  // All that is free is in as few blocks as there are regions.
  tn_cached_memory_settle(model->memory);
  CHECK_INT(tn_cached_memory_stats(model->memory).largest_free_block, longest_free(model));
  tn_cached_memory_trim(model->memory);
  CHECK_INT(device.given, 0);
  tn_cached_memory_destroy(model->memory);
}

TEST(test_random_buffers_agree_with_a_model_while_regions_grow) {
  compare_with_model((size_t)24 << 20, false, 0, 1, 17);
}
TEST(test_random_buffers_of_several_streams_agree_with_a_model) {
  compare_with_model((size_t)24 << 20, false, 0, 4, 17);
}
TEST(test_random_buffers_agree_with_a_model_when_memory_is_short) {
  compare_with_model((size_t)3 << 20, true, 0, 3, 17);
}
TEST(test_random_large_buffers_agree_with_a_model_when_memory_is_short) {
  compare_with_model((size_t)12 << 20, false, 0, 3, 22);
}
TEST(test_random_buffers_agree_with_a_model_when_regions_are_unaligned) {
  compare_with_model((size_t)24 << 20, false, 40, 2, 21);
}

// ---- Growth and the end of memory ----

TEST(test_regions_start_at_2_mib_and_double) {
  tn_cached_memory* memory = create(0, false);
  CHECK_INT(device.requests, 0);
  tn_buffer* buffers[16];
  for (int i = 0; i < 14; ++i) buffers[i] = take(memory, 1 << 20, 1, NULL);
  CHECK_INT(device.requests, 3);
  CHECK_INT(device.asked[0], 2 << 20);
  CHECK_INT(device.asked[1], 4 << 20);
  CHECK_INT(device.asked[2], 8 << 20);
  // One that is larger gets a region of its size.
  buffers[14] = take(memory, 100 << 20, 1, NULL);
  CHECK_INT(device.asked[3], 100 << 20);
  for (int i = 0; i < 15; ++i) tn_buffer_unref(buffers[i]);
  CHECK_INT(tn_cached_memory_stats(memory).reserved, 114 << 20);
  CHECK_INT(tn_cached_memory_trim(memory), 114 << 20);
  CHECK_INT(tn_cached_memory_stats(memory).peak_reserved, 114 << 20);
  tn_cached_memory_destroy(memory);
}

TEST(test_without_growth_the_first_region_is_all_there_is) {
  tn_cached_memory* memory = create(64 << 20, true);
  tn_buffer_unref(take(memory, 10, 1, NULL));
  tn_buffer_unref(take(memory, 63 << 20, 1, NULL));
  CHECK_INT(device.requests, 1);
  CHECK_INT(device.asked[0], 64 << 20);
  tn_cached_memory_destroy(memory);
}

TEST(test_a_device_that_refuses_a_large_region_is_asked_for_smaller_ones) {
  device.budget = 20 << 20;
  tn_cached_memory* memory = create(64 << 20, true);
  tn_buffer* buffer = take(memory, 1000, 1, NULL);
  CHECK(device.given >= 10 << 20);
  // The rest, down to what is needed.
  size_t left = (20 << 20) - device.given;
  CHECK(left > 0);
  tn_buffer* most = take(memory, tn_cached_memory_stats(memory).largest_free_block, 1, NULL);
  tn_buffer* rest = take(memory, left, 1, NULL);
  CHECK_INT(device.given, 20 << 20);
  tn_buffer_unref(most);
  tn_buffer_unref(buffer);
  tn_buffer_unref(rest);
  tn_cached_memory_destroy(memory);
}

TEST(test_the_end_of_memory_is_told_with_what_is_in_use) {
  tn_cached_memory* memory = create(8 << 20, false);
  tn_buffer *first = take(memory, 5 << 20, 1, NULL), *second = take(memory, 1 << 20, 1, NULL);
  tn_status status = {0};
  uint32_t previous;
  CHECK(!tn_cached_memory_take(memory, 4 << 20, 1, &previous, &status));
  CHECK_TEXT(tn_status_message(&status),
             "out of memory on /device:X:0: asked for 4194304 bytes, 6291456 in use by 2 buffers, "
             "8388608 reserved with a limit of 8388608, largest free block 2097152");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  CHECK(!tn_cached_memory_take(memory, 4 << 20, 1, &previous, NULL));
  static const size_t absurd[] = {(size_t)9 << 20, SIZE_MAX / 4, SIZE_MAX / 2, SIZE_MAX - 5,
                                  SIZE_MAX};
  for (size_t i = 0; i < sizeof absurd / sizeof *absurd; ++i) {
    CHECK(!tn_cached_memory_take(memory, absurd[i], 1, &previous, &status));
    CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  }
  tn_buffer_unref(first);
  tn_buffer_unref(second);
  tn_cached_memory_destroy(memory);
  device.budget = 1 << 20;
  memory = create(0, false);
  CHECK(!tn_cached_memory_take(memory, SIZE_MAX / 2 - 1, 1, &previous, &status));
  CHECK_CONTAINS(tn_status_message(&status), "0 in use by 0 buffers, 0 reserved with no limit");
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  tn_cached_memory_destroy(memory);
}

TEST(test_regions_without_buffers_are_given_back_for_one_that_does_not_fit) {
  tn_cached_memory* memory = create(16 << 20, false);
  tn_buffer* small[6];  // regions of 2, 4 MiB
  for (int i = 0; i < 6; ++i) small[i] = take(memory, 1 << 20, 1, NULL);
  CHECK_INT(device.count, 2);
  tn_buffer* kept = small[0];
  for (int i = 1; i < 6; ++i) tn_buffer_unref(small[i]);
  // 2 MiB stay with the first buffer, so 14 are left, of which 10 were never asked for.
  tn_buffer* large = take(memory, 14 << 20, 1, NULL);
  CHECK_INT(device.count, 2);
  CHECK_INT(device.given, 16 << 20);
  // Its stream might still have been working on the region.
  CHECK_INT(device.synchronized, 1);
  tn_buffer_unref(large);
  tn_cached_memory_settle(memory);
  CHECK_INT(tn_cached_memory_trim(memory), 14 << 20);
  CHECK_INT(device.synchronized, 1);
  tn_buffer_unref(kept);
  tn_cached_memory_destroy(memory);
}

// Every second of many small buffers is freed: no free range is larger than one. The moment the
// others go, the whole region is one block.
TEST(test_a_comb_of_small_buffers_leaves_nothing_behind) {
  enum { teeth = 4096 };
  tn_cached_memory* memory = create((size_t)teeth << 12, true);
  static tn_buffer* buffers[teeth];
  for (int i = 0; i < teeth; ++i) buffers[i] = take(memory, 4096, 1, NULL);
  for (int i = 0; i < teeth; i += 2) tn_buffer_unref(buffers[i]);
  tn_status status = {0};
  uint32_t previous;
  CHECK(!tn_cached_memory_take(memory, 8192, 1, &previous, &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  CHECK_INT(tn_cached_memory_stats(memory).largest_free_block, 4096);
  // Holes are filled before anything else.
  for (int i = 0; i < teeth; i += 2) buffers[i] = take(memory, 4000, 1, NULL);
  for (int i = 0; i < teeth; ++i) tn_buffer_unref(buffers[(i * 5 + 3) % teeth]);
  tn_buffer* all = take(memory, (size_t)teeth << 12, 1, NULL);
  CHECK_INT(device.requests, 1);
  tn_buffer_unref(all);
  tn_cached_memory_destroy(memory);
}

// Sizes that creep up never fit what was freed before: the worst for holes.
TEST(test_creeping_sizes_reserve_at_most_a_few_times_what_is_in_use) {
  tn_cached_memory* memory = create(0, false);
  enum { alive = 8 };
  tn_buffer* buffers[alive] = {0};
  for (size_t i = 0; i < 3000; ++i) {
    tn_buffer_unref(buffers[i % alive]);
    buffers[i % alive] = take(memory, (512 << 10) + i * 1024, 1, NULL);
  }
  tn_memory_stats stats = tn_cached_memory_stats(memory);
  printf("# %zu reserved for a peak of %zu\n", stats.peak_reserved, stats.peak_in_use);
  CHECK(stats.peak_reserved <= 4 * stats.peak_in_use);
  for (int i = 0; i < alive; ++i) tn_buffer_unref(buffers[i]);
  tn_cached_memory_destroy(memory);
}

TEST(test_random_buffers_of_all_sizes_waste_at_most_half_of_what_is_reserved) {
  uint64_t random = test_seed();
  tn_cached_memory* memory = create(0, false);
  enum { alive = 500 };
  static tn_buffer* buffers[alive];
  for (int i = 0; i < 100000; ++i) {
    int which = (int)test_between(&random, 0, alive - 1);
    tn_buffer_unref(buffers[which]);
    size_t most = (size_t)1 << test_between(&random, 8, 23);
    buffers[which] = take(memory, (size_t)test_between(&random, 1, (int64_t)most), 1, NULL);
  }
  tn_memory_stats stats = tn_cached_memory_stats(memory);
  printf("# %zu reserved for a peak of %zu\n", stats.peak_reserved, stats.peak_in_use);
  CHECK(stats.peak_reserved <= 2 * stats.peak_in_use);
  for (int i = 0; i < alive; ++i) tn_buffer_unref(buffers[i]);
  tn_cached_memory_destroy(memory);
}

// ---- Streams ----

TEST(test_a_stream_gets_its_own_blocks_back_rather_than_anothers) {
  tn_cached_memory* memory = create(0, false);
  static const size_t sizes[] = {1000, 100 << 10, 3 << 20};
  for (int i = 0; i < 3; ++i) {
    uint32_t previous;
    tn_buffer *mine = take(memory, sizes[i], 1, NULL), *wall = take(memory, sizes[i], 0, NULL),
              *other = take(memory, sizes[i], 2, NULL), *last = take(memory, sizes[i], 0, NULL);
    void *mine_at = mine->data, *other_at = other->data;
    tn_buffer_unref(mine);
    tn_buffer_unref(other);
    other = take(memory, sizes[i], 2, &previous);
    CHECK_INT(previous, 2);
    CHECK(other->data == other_at);
    mine = take(memory, sizes[i], 1, &previous);
    CHECK_INT(previous, 1);
    CHECK(mine->data == mine_at);
    tn_buffer_unref(mine);
    tn_buffer_unref(other);
    tn_buffer_unref(wall);
    tn_buffer_unref(last);
  }
  tn_cached_memory_destroy(memory);
}

TEST(test_blocks_of_other_streams_are_taken_and_told_before_more_is_asked_for) {
  tn_cached_memory* memory = create(2 << 20, true);
  uint32_t previous;
  tn_buffer *low = take(memory, 1 << 20, 1, &previous), *high = take(memory, 1 << 20, 2, &previous);
  CHECK_INT(previous, 0);
  tn_buffer_unref(high);
  high = take(memory, 1 << 20, 3, &previous);
  CHECK_INT(previous, 2);
  tn_buffer_unref(low);
  tn_buffer_unref(high);
  // They stay two blocks until one is needed.
  low = take(memory, 1000, 1, &previous);
  CHECK_INT(previous, 1);
  tn_buffer_unref(low);
  tn_buffer* both = take(memory, 2 << 20, 1, &previous);
  CHECK_INT(previous, TN_SEVERAL_STREAMS);
  tn_buffer_unref(both);
  // A part of it has the tag of the whole: the stream that had all of it.
  low = take(memory, 1000, 4, &previous);
  CHECK_INT(previous, 1);
  tn_buffer_unref(low);
  tn_cached_memory_destroy(memory);
}

TEST(test_tags_are_forgotten_by_stream_or_all_at_once) {
  tn_cached_memory* memory = create(4 << 20, true);
  uint32_t previous;
  tn_buffer* all = take(memory, 4 << 20, 5, NULL);
  tn_buffer_unref(all);
  tn_cached_memory_forget_stream(memory, 6);
  all = take(memory, 4 << 20, 1, &previous);
  CHECK_INT(previous, 5);
  atomic_store(&all->stream, 5);
  tn_buffer_unref(all);
  tn_cached_memory_forget_stream(memory, 5);
  all = take(memory, 4 << 20, 1, &previous);
  CHECK_INT(previous, TN_NO_STREAM);
  atomic_store(&all->stream, TN_SEVERAL_STREAMS);
  tn_buffer_unref(all);
  tn_cached_memory_forget_stream(memory, 1);
  all = take(memory, 4 << 20, 1, &previous);
  CHECK_INT(previous, TN_SEVERAL_STREAMS);
  tn_buffer_unref(all);
  // Also of what lies in a thread's own place.
  tn_buffer_unref(take(memory, 1000, 9, NULL));
  tn_cached_memory_settle(memory);
  all = take(memory, 1000, 1, &previous);
  CHECK_INT(previous, TN_NO_STREAM);
  tn_buffer_unref(all);
  tn_cached_memory_destroy(memory);
}

// ---- Its end ----

TEST(test_buffers_that_outlive_the_memory_keep_their_regions) {
  tn_cached_memory* memory = create(0, false);
  tn_buffer *small = take(memory, 100, 1, NULL), *large = take(memory, 10 << 20, 1, NULL);
  tn_buffer* gone = take(memory, 20 << 20, 1, NULL);
  CHECK_INT(device.count, 3);
  tn_buffer_unref(gone);
  tn_cached_memory_destroy(memory);
  CHECK_INT(device.count, 2);
  tn_buffer_unref(small);
  tn_buffer_unref(large);
  CHECK_INT(device.count, 0);
  tn_cached_memory_destroy(NULL);
}

static bool work_with_little_memory(void* arg, tn_status* status) {
  tn_cached_memory_options options = {.source = {give, take_back, synchronize, &device},
                                      .name = "/device:X:0"};
  tn_cached_memory* memory = tn_cached_memory_create(&options, status);
  if (!memory) return false;
  tn_buffer* buffers[100] = {0};
  uint32_t previous;
  bool whole = true;
  for (int i = 0; i < 100 && whole; ++i) {
    buffers[i] = tn_cached_memory_take(memory, (size_t)(i % 50) << 13, 1 + (uint32_t)i % 3,
                                       &previous, status);
    whole = buffers[i];
    if (i > 20) {
      tn_buffer_unref(buffers[i - 20]);
      buffers[i - 20] = NULL;
    }
  }
  // A failure leaves it as good as it was.
  if (!whole) {
    tn_buffer* after = tn_cached_memory_take(memory, 1000, 1, &previous, NULL);
    CHECK(after);
    tn_buffer_unref(after);
  }
  for (int i = 0; i < 100; ++i) tn_buffer_unref(buffers[i]);
  tn_cached_memory_destroy(memory);
  CHECK_INT(device.count, 0);
  return whole;
}

TEST(test_failing_host_allocations_are_a_status_and_leave_nothing) {
  CHECK(test_sweep_allocations(work_with_little_memory, NULL) > 5);
}

// ---- Threads ----

enum { threads = 4, rounds = 20000, places = 64, map_units = 1 << 16 };
static _Atomic(tn_buffer*) passed_on[places];  // freed by whoever comes next
static atomic_uchar owners[map_units];
static uintptr_t map_base;
static tn_cached_memory* shared;
static uint64_t shared_seed;

static void own(tn_buffer* buffer, unsigned char before, unsigned char after) {
  size_t at = ((uintptr_t)buffer->data - map_base) / unit;
  for (size_t n = block_size(buffer) / unit; n; ++at, --n) {
    CHECK(at < map_units);
    CHECK_INT(atomic_exchange_explicit(&owners[at], after, memory_order_relaxed), before);
  }
}

static void* make_and_pass_on(void* arg) {
  uint64_t random = shared_seed + (uint64_t)(uintptr_t)arg;
  uint32_t stream = (uint32_t)(uintptr_t)arg;
  for (int i = 0; i < rounds; ++i) {
    uint32_t previous;
    size_t size = (size_t)test_between(&random, 1, 1 << test_between(&random, 6, 16));
    tn_buffer* buffer = tn_cached_memory_take(shared, size, stream, &previous, NULL);
    if (buffer) own(buffer, 0, (unsigned char)stream);
    if (buffer && test_random(&random) % 2) {
      own(buffer, (unsigned char)stream, 0);
    } else {
      int place = (int)test_between(&random, 0, places - 1);
      buffer = atomic_exchange(&passed_on[place], buffer);
      if (buffer) own(buffer, (unsigned char)atomic_load(&buffer->stream), 0);
    }
    tn_buffer_unref(buffer);
    switch (test_random(&random) % 2048) {
      case 0: tn_cached_memory_trim(shared); break;
      case 1: tn_cached_memory_settle(shared); break;
      case 2: CHECK(tn_cached_memory_stats(shared).reserved <= 3 << 20); break;
      default: break;
    }
  }
  return NULL;
}

TEST(test_threads_never_share_a_byte) {
  // So little that they run out, and all ways of finding memory are tried.
  shared_seed = test_seed();
  shared = create(3 << 20, true);
  uint32_t previous;
  tn_buffer* held = tn_cached_memory_take(shared, 100, 1, &previous, NULL);  // keeps the region
  map_base = device.regions[0].data;
  pthread_t running[threads];
  for (uintptr_t i = 0; i < threads; ++i)
    CHECK(pthread_create(&running[i], NULL, make_and_pass_on, (void*)(i + 1)) == 0);
  for (int i = 0; i < threads; ++i) pthread_join(running[i], NULL);
  for (int i = 0; i < places; ++i) tn_buffer_unref(passed_on[i]);
  CHECK_INT(tn_cached_memory_stats(shared).live_buffers, 1);
  tn_buffer_unref(held);
  CHECK_INT(tn_cached_memory_stats(shared).in_use, 0);
  CHECK_INT(tn_cached_memory_trim(shared), 3 << 20);
  tn_cached_memory_destroy(shared);
}

static void* free_some(void* arg) {
  tn_buffer** buffers = arg;
  for (int i = 0; i < 100; ++i) tn_buffer_unref(buffers[i]);
  return NULL;
}

TEST(test_the_memory_ends_while_threads_free_its_last_buffers) {
  for (int round = 0; round < 200; ++round) {
    tn_cached_memory* memory = create(0, false);
    tn_buffer* buffers[2][100];
    for (int i = 0; i < 200; ++i) buffers[i % 2][i / 2] = take(memory, (size_t)i << 8, 1, NULL);
    pthread_t running[2];
    for (int i = 0; i < 2; ++i)
      CHECK(pthread_create(&running[i], NULL, free_some, buffers[i]) == 0);
    tn_cached_memory_destroy(memory);
    for (int i = 0; i < 2; ++i) pthread_join(running[i], NULL);
    CHECK_INT(device.count, 0);
  }
}
