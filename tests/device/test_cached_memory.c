#include "device/cached_memory.h"

#include "fake_memory.h"

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

TEST(test_an_unaligned_region_still_holds_what_it_was_asked_for) {
  device.offset = 40;
  tn_cached_memory* memory = create(0, false);
  for (size_t size = 3 << 20; size <= 96 << 20; size *= 2) {
    tn_buffer* buffer = take(memory, size, 1, NULL);
    CHECK_INT((uintptr_t)buffer->data % 256, 0);
    tn_buffer_unref(buffer);
  }
  tn_cached_memory_destroy(memory);
  CHECK_INT(device.count, 0);
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

TEST(test_a_block_is_found_behind_many_that_are_just_too_small) {
  enum { small = 40 };
  tn_cached_memory* memory = create(((size_t)small + 1) * (2 << 20) + (1 << 20), true);
  tn_buffer *fits = take(memory, (2 << 20) + (32 << 10), 1, NULL), *between[small], *rest[small];
  for (int i = 0; i < small; ++i) {
    between[i] = take(memory, 256, 1, NULL);
    rest[i] = take(memory, 2 << 20, 1, NULL);
  }
  tn_buffer* last = take(memory, tn_cached_memory_stats(memory).largest_free_block, 1, NULL);
  // Freed first, so that it is looked at last.
  void* place = fits->data;
  tn_buffer_unref(fits);
  for (int i = 0; i < small; ++i) tn_buffer_unref(rest[i]);
  fits = take(memory, (2 << 20) + (16 << 10), 1, NULL);
  CHECK(fits->data == place);
  CHECK_INT(device.requests, 1);
  tn_buffer_unref(fits);
  tn_buffer_unref(last);
  for (int i = 0; i < small; ++i) tn_buffer_unref(between[i]);
  tn_cached_memory_destroy(memory);
  CHECK_INT(device.count, 0);
}

// Sizes are rounded up so that blocks fit again, but not when that is what fails.
TEST(test_the_last_bytes_of_a_region_are_given_too) {
  tn_cached_memory* memory = create(1005568, true);
  for (int i = 0; i < 3; ++i) {
    tn_buffer* all = take(memory, 1005568 - 100, 1, NULL);
    CHECK_INT(block_size(all), 1005568);
    tn_buffer_unref(all);
    all = take(memory, 999424, 1, NULL);
    tn_buffer* last = take(memory, 1005568 - 999424, 1, NULL);
    CHECK_INT(tn_cached_memory_stats(memory).in_use, 1005568);
    tn_buffer_unref(last);
    tn_buffer_unref(all);
  }
  CHECK_INT(device.requests, 1);
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
    mine = take(memory, sizes[i], 1, &previous);
    CHECK_INT(previous, 1);
    CHECK(mine->data == mine_at);
    other = take(memory, sizes[i], 2, &previous);
    CHECK_INT(previous, 2);
    CHECK(other->data == other_at);
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

TEST(test_of_other_streams_blocks_the_smallest_is_taken) {
  tn_cached_memory* memory = create(20 << 20, true);
  tn_buffer *small = take(memory, 3 << 20, 2, NULL), *wall = take(memory, 1 << 20, 2, NULL),
            *large = take(memory, 16 << 20, 2, NULL);
  void* place = small->data;
  tn_buffer_unref(small);
  tn_buffer_unref(large);
  uint32_t previous;
  small = take(memory, 3 << 20, 1, &previous);
  CHECK_INT(previous, 2);
  CHECK(small->data == place);
  tn_buffer_unref(small);
  tn_buffer_unref(wall);
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
