// Random buffers against a model, and threads at once.
#include <stdatomic.h>

#include "fake_memory.h"

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
    CHECK(longest_free(model) < (size ? size : 1));
    CHECK(limit - device.given < size + unit);
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

// ---- Threads ----

enum { threads = 10, rounds = 8000, places = 64, map_units = 1 << 16 };
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

static void* make_four_and_free_them(void* arg) {
  tn_buffer* buffers[4];
  for (int i = 0; i < 4; ++i) buffers[i] = take(arg, 1 << 20, 1, NULL);
  for (int i = 0; i < 4; ++i) tn_buffer_unref(buffers[i]);
  return NULL;
}

TEST(test_a_peak_is_seen_when_all_of_it_comes_from_what_was_freed_lately) {
  tn_cached_memory* memory = create(0, false);
  pthread_t other;
  CHECK(pthread_create(&other, NULL, make_four_and_free_them, memory) == 0);
  pthread_join(other, NULL);
  for (int i = 0; i < 2; ++i) tn_buffer_unref(take(memory, 512 << 10, 1, NULL));
  CHECK_INT(tn_cached_memory_stats(memory).peak_in_use, 4 << 20);
  tn_cached_memory_settle(memory);
  // One after the other, then all at once.
  size_t sum = 0;
  tn_buffer* buffers[5];
  for (size_t i = 0; i < 5; ++i) tn_buffer_unref(take(memory, (1024 - 64 * i) << 10, 1, NULL));
  CHECK_INT(tn_cached_memory_stats(memory).peak_in_use, 4 << 20);
  for (size_t i = 0; i < 5; ++i) {
    buffers[i] = take(memory, (1024 - 64 * i) << 10, 1, NULL);
    sum += block_size(buffers[i]);
  }
  CHECK_INT(tn_cached_memory_stats(memory).peak_in_use, sum);
  for (int i = 0; i < 5; ++i) tn_buffer_unref(buffers[i]);
  tn_cached_memory_destroy(memory);
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
