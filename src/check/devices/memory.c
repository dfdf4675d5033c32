// Memory of a device, of the host and of both; copies and fills.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "check/devices/fixture.h"
#include "check/devices/groups.h"

static uint64_t draw(int64_t low, int64_t high) {
  return (uint64_t)tn_case_between(&td.random, low, high);
}

// ---- Memory ----

static void sizes(const tn_subject* subject) {
  static const uint64_t wanted[] = {1, 2, 3, 63, 64, 65, 255, 4096, 65537, 1 << 20};
  enum { COUNT = sizeof wanted / sizeof *wanted };
  SP_DeviceMemoryBase blocks[COUNT];
  td_start(subject);
  for (int i = 0; i < COUNT; ++i) {
    blocks[i] = td_allocate(wanted[i]);
    TN_EXPECT(blocks[i].size == 0 || blocks[i].size >= wanted[i], "at least the size asked for",
              "%llu for %llu", (unsigned long long)blocks[i].size, (unsigned long long)wanted[i]);
    for (int k = 0; k < i; ++k)
      TN_EXPECT((char*)blocks[i].opaque >= (char*)blocks[k].opaque + wanted[k] ||
                    (char*)blocks[k].opaque >= (char*)blocks[i].opaque + wanted[i],
                "blocks that do not overlap", "%llu bytes at %p and %llu at %p",
                (unsigned long long)wanted[i], blocks[i].opaque, (unsigned long long)wanted[k],
                blocks[k].opaque);
  }
  for (int i = 0; i < COUNT; ++i) td_free(&blocks[i]);
}

static void alignment(const tn_subject* subject) {
  td_start(subject);
  for (int i = 0; i < 50; ++i) {
    SP_DeviceMemoryBase memory = td_allocate(draw(1, 5000));
    TN_NEED((uintptr_t)memory.opaque % 64 == 0, "an address that 64 divides", "%p", memory.opaque);
    td_free(&memory);
  }
}

static SP_DeviceMemoryBase ask(uint64_t size) {
  SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  tn_case_enter("allocate");
  td.fns->allocate(td.device, size, 0, &memory);
  tn_case_leave();
  return memory;
}

static void nothing(const tn_subject* subject) {
  td_start(subject);
  SP_DeviceMemoryBase memory = ask(0);
  if (memory.opaque) td_free(&memory);
}

static void freed_nothing(const tn_subject* subject) {
  td_start(subject);
  SP_DeviceMemoryBase memory = {.struct_size = SP_DEVICE_MEMORY_BASE_STRUCT_SIZE};
  td_free(&memory);
}

static void too_much(const tn_subject* subject) {
  static const uint64_t wanted[] = {(uint64_t)1 << 46, (uint64_t)1 << 62, INT64_MAX,
                                    UINT64_MAX - 63, UINT64_MAX};
  td_start(subject);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    SP_DeviceMemoryBase memory = ask(wanted[i]);
    TN_EXPECT(!memory.opaque, "NULL for more than there is", "%p for %llu bytes", memory.opaque,
              (unsigned long long)wanted[i]);
  }
  SP_DeviceMemoryBase memory = td_allocate(4096);  // there is some still
  td_free(&memory);
}

static void usage(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(device_memory_usage);
  int64_t unused = -2, total = -2;
  if (!TN_CASE_CALL("device_memory_usage", td.fns->device_memory_usage(td.device, &unused, &total)))
    tn_case_skip("the plugin does not know");
  TN_EXPECT(total > 0, "bytes of the device", "%lld", (long long)total);
  TN_EXPECT(unused >= 0 && unused <= total, "free bytes among them", "%lld of %lld",
            (long long)unused, (long long)total);
}

static void statistics(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(get_allocator_stats);
  SP_DeviceMemoryBase memory = td_allocate(1 << 16);
  struct {
    SP_AllocatorStats stats;
    char behind[64];
  } room = {.stats = {.struct_size = SP_ALLOCATORSTATS_STRUCT_SIZE}};
  memset(room.behind, 'x', sizeof room.behind);
  if (!TN_CASE_CALL("get_allocator_stats", td.fns->get_allocator_stats(td.device, &room.stats)))
    tn_case_skip("the plugin does not know");
  const SP_AllocatorStats* stats = &room.stats;
  TN_EXPECT(stats->bytes_in_use >= 0 && stats->num_allocs >= 0 && stats->largest_alloc_size >= 0,
            "numbers from 0 on", "%lld bytes in %lld blocks", (long long)stats->bytes_in_use,
            (long long)stats->num_allocs);
  TN_EXPECT(stats->peak_bytes_in_use == 0 || stats->peak_bytes_in_use >= stats->bytes_in_use,
            "a peak not below what is in use", "%lld and %lld", (long long)stats->peak_bytes_in_use,
            (long long)stats->bytes_in_use);
  TN_EXPECT(!stats->has_bytes_limit || stats->bytes_limit >= stats->bytes_in_use,
            "a limit not below what is in use", "%lld and %lld", (long long)stats->bytes_limit,
            (long long)stats->bytes_in_use);
  for (size_t i = 0; i < sizeof room.behind; ++i)
    if (room.behind[i] != 'x') {
      tn_case_broken(NULL, "nothing written beyond struct_size", "byte %zu behind it", i);
      break;
    }
  td_free(&memory);
}

static void many_blocks(const tn_subject* subject) {
  enum { BLOCKS = 1000 };
  static SP_DeviceMemoryBase blocks[BLOCKS];
  td_start(subject);
  for (int i = 0; i < BLOCKS; ++i) blocks[i] = td_allocate(256);
  for (int i = 0; i < BLOCKS; ++i) td_free(&blocks[(i * 7) % BLOCKS]);
}

static void given_back(const tn_subject* subject) {
  enum { ROUNDS = 200, SIZE = 1 << 16 };
  td_start(subject);
  int64_t least = INT64_MAX;
  for (int stretch = 0; stretch < 4; ++stretch) {
    const struct mallinfo2 before = mallinfo2();
    for (int i = 0; i < ROUNDS; ++i) {
      SP_DeviceMemoryBase memory = td_allocate(SIZE);
      td_free(&memory);
    }
    const struct mallinfo2 after = mallinfo2();
    const int64_t grown =
        (int64_t)(after.uordblks + after.hblkhd) - (int64_t)(before.uordblks + before.hblkhd);
    if (grown < least) least = grown;
  }
  TN_EXPECT(least < ROUNDS * 16, "as much memory of the host as before",
            "%lld bytes more after %d blocks", (long long)least, ROUNDS);
  int64_t unused = 0, total = 0, later = 0;
  if (!td.fns->device_memory_usage || !td.fns->device_memory_usage(td.device, &unused, &total))
    return;
  for (int i = 0; i < ROUNDS; ++i) {
    SP_DeviceMemoryBase memory = td_allocate(SIZE);
    td_free(&memory);
  }
  // Others use the machine too: what is lost would be all of it.
  if (td.fns->device_memory_usage(td.device, &later, &total) && later < unused - ROUNDS * SIZE)
    tn_case_note("%lld bytes less are free than before", (long long)(unused - later));
}

static void host_memory(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(host_memory_allocate);
  static const uint64_t wanted[] = {1, 64, 4097, 1 << 20};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    char* memory =
        TN_CASE_CALL("host_memory_allocate", td.fns->host_memory_allocate(td.device, wanted[i]));
    TN_NEED(memory, "memory of the host", "NULL for %llu bytes", (unsigned long long)wanted[i]);
    memset(memory, 7, wanted[i]);
    SP_DeviceMemoryBase there = td_allocate(wanted[i]);
    td_put(&there, memory, wanted[i]);
    memset(memory, 0, wanted[i]);
    td_get(memory, &there, wanted[i]);
    TN_EXPECT(memory[0] == 7 && memory[wanted[i] - 1] == 7, "the bytes that were put there",
              "others");
    td_free(&there);
    tn_case_enter("host_memory_deallocate");
    td.fns->host_memory_deallocate(td.device, memory);
    tn_case_leave();
  }
}

static void too_much_host_memory(const tn_subject* subject) {
  td_start(subject);
  TD_NEEDS(host_memory_allocate);
  static const uint64_t wanted[] = {(uint64_t)1 << 62, UINT64_MAX};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    void* memory =
        TN_CASE_CALL("host_memory_allocate", td.fns->host_memory_allocate(td.device, wanted[i]));
    TN_EXPECT(!memory, "NULL for more than there is", "%p", memory);
  }
}

static void unified_memory(const tn_subject* subject) {
  td_start(subject);
  if (!td.platform->unified_memory) tn_case_skip("the platform has no unified memory");
  char* memory =
      TN_CASE_CALL("unified_memory_allocate", td.fns->unified_memory_allocate(td.device, 4096));
  TN_NEED(memory, "memory that both can touch", "NULL");
  memset(memory, 9, 4096);
  TN_EXPECT(memory[4095] == 9, "memory that the host can write", "something else");
  tn_case_enter("unified_memory_deallocate");
  td.fns->unified_memory_deallocate(td.device, memory);
  tn_case_leave();
}

static void allocate_beside(void* arg, int i) {
  for (int k = 0; k < 50; ++k) {
    SP_DeviceMemoryBase memory = td_allocate((uint64_t)(k + 1) * 100);
    char bytes[100], back[100];
    memset(bytes, i + 1, sizeof bytes);
    td_put(&memory, bytes, sizeof bytes);
    td_get(back, &memory, sizeof back);
    td_compare("on one of eight threads", back, bytes, sizeof back);
    td_free(&memory);
  }
}

static void threads(const tn_subject* subject) {
  td_start(subject);
  tn_case_threads(8, 0, allocate_beside, NULL);
}

// ---- Copies ----

enum { ON_STREAM = 1, BETWEEN = 2, IN_PARTS = 4 };

// There, perhaps over to another block, and back.
static void round_trip(size_t size, int kind) {
  const size_t before = kind & IN_PARTS ? (size_t)draw(1, 500) : 0;
  const size_t behind = kind & IN_PARTS ? (size_t)draw(1, 500) : 0, all = before + size + behind;
  char *bytes = td_bytes(size), *back = td_room(all), *expected = td_room(all);
  SP_DeviceMemoryBase memory = td_allocate(all ? all : 1), other = td_allocate(all ? all : 1);
  memset(expected, 0x33, all);
  if (all) {
    td_put(&memory, expected, all);
    td_put(&other, expected, all);
  }
  memcpy(expected + before, bytes, size);
  SP_DeviceMemoryBase part = td_part(&memory, before, size);
  SP_DeviceMemoryBase other_part = td_part(&other, before, size);
  if (kind & ON_STREAM) {
    SP_Stream stream = td_stream();
    TD_OK(memcpy_htod, stream, &part, bytes, size);
    if (kind & BETWEEN) TD_OK(memcpy_dtod, stream, &other_part, &part, size);
    TD_OK(memcpy_dtoh, stream, back, kind & BETWEEN ? &other : &memory, all);
    td_wait(stream);
    td_destroy_stream(stream);
  } else {
    TD_OK(sync_memcpy_htod, &part, bytes, size);
    if (kind & BETWEEN) TD_OK(sync_memcpy_dtod, &other_part, &part, size);
    TD_OK(sync_memcpy_dtoh, back, kind & BETWEEN ? &other : &memory, all);
  }
  td_compare("there and back", back, expected, all);
  if (all && (kind & BETWEEN)) {
    td_get(back, &memory, all);
    td_compare("in the block that was copied from", back, expected, all);
  }
  td_free(&memory);
  td_free(&other);
  free(bytes);
  free(back);
  free(expected);
}

static void copies(const tn_subject* subject) {
  td_start(subject);
  const bool sync = !(subject->arg & ON_STREAM);
  if (sync) {
    TD_NEEDS(sync_memcpy_htod);
    TD_NEEDS(sync_memcpy_dtoh);
    if (subject->arg & BETWEEN) TD_NEEDS(sync_memcpy_dtod);
  } else if (subject->arg & BETWEEN) {
    TD_NEEDS(memcpy_dtod);
  }
  for (int i = 0; i < 40; ++i) round_trip((size_t)draw(1, 20000), subject->arg);
}

static void empty_copies(const tn_subject* subject) {
  td_start(subject);
  for (int kind = 0; kind < 4; ++kind) {
    if (!(kind & ON_STREAM) && !td.fns->sync_memcpy_htod) continue;
    if ((kind & BETWEEN) && !(kind & ON_STREAM) && !td.fns->sync_memcpy_dtod) continue;
    if ((kind & BETWEEN) && (kind & ON_STREAM) && !td.fns->memcpy_dtod) continue;
    round_trip(0, kind);
  }
}

static void large_copies(const tn_subject* subject) {
  td_start(subject);
  round_trip(16 << 20, ON_STREAM);
}

static void in_order(const tn_subject* subject) {
  enum { SIZE = 4096, TIMES = 64 };
  td_start(subject);
  SP_Stream stream = td_stream();
  SP_DeviceMemoryBase memory = td_allocate(SIZE);
  char *bytes[TIMES], *back = td_room((size_t)SIZE * TIMES);
  for (int i = 0; i < TIMES; ++i) {
    bytes[i] = td_bytes(SIZE);
    TD_OK(memcpy_htod, stream, &memory, bytes[i], SIZE);
    TD_OK(memcpy_dtoh, stream, back + (size_t)i * SIZE, &memory, SIZE);
  }
  td_wait(stream);
  for (int i = 0; i < TIMES; ++i)
    td_compare("in the order of the stream", back + (size_t)i * SIZE, bytes[i], SIZE);
  td_destroy_stream(stream);
  td_free(&memory);
}

static void copy_beside(void* arg, int i) {
  enum { SIZE = 3000 };
  SP_Stream stream = td_stream();
  SP_DeviceMemoryBase memory = td_allocate(SIZE);
  char bytes[SIZE], back[SIZE];
  for (int k = 0; k < 30; ++k) {
    memset(bytes, i * 30 + k, SIZE);
    TD_OK(memcpy_htod, stream, &memory, bytes, SIZE);
    TD_OK(memcpy_dtoh, stream, back, &memory, SIZE);
    td_wait(stream);
    td_compare("on one of eight threads", back, bytes, SIZE);
  }
  td_destroy_stream(stream);
  td_free(&memory);
}

static void copy_threads(const tn_subject* subject) {
  td_start(subject);
  tn_case_threads(8, 0, copy_beside, NULL);
}

// ---- Fills ----

static void fills(const tn_subject* subject) {
  td_start(subject);
  if (subject->arg == 0) TD_NEEDS(mem_zero);
  if (subject->arg == 1) TD_NEEDS(memset);
  if (subject->arg == 2) TD_NEEDS(memset32);
  for (int round = 0; round < 20; ++round) {
    const size_t size = 4 * (size_t)draw(round == 0 ? 0 : 1, 2000), all = size + 512;
    char *expected = td_bytes(all), *back = td_room(all);
    SP_DeviceMemoryBase memory = td_allocate(all);
    SP_DeviceMemoryBase part = td_part(&memory, 256, size);
    td_put(&memory, expected, all);
    SP_Stream stream = td_stream();
    const uint32_t word = (uint32_t)tn_case_random(&td.random);
    if (subject->arg == 0) {
      TD_OK(mem_zero, stream, &part, size);
      memset(expected + 256, 0, size);
    } else if (subject->arg == 1) {
      TD_OK(memset, stream, &part, (uint8_t)word, size);
      memset(expected + 256, (uint8_t)word, size);
    } else {
      TD_OK(memset32, stream, &part, word, size);
      for (size_t i = 0; i < size; i += 4) memcpy(expected + 256 + i, &word, 4);
    }
    td_wait(stream);
    td_get(back, &memory, all);
    td_compare("after a fill", back, expected, all);
    td_destroy_stream(stream);
    td_free(&memory);
    free(expected);
    free(back);
  }
}

static const tn_check_case cases[] = {
    {"memory.sizes", "memory of any size, in blocks that do not overlap", sizes, 0},
    {"memory.alignment", "memory begins at a multiple of 64", alignment, 0},
    {"memory.nothing", "0 bytes may be asked for", nothing, 0},
    {"memory.freed_nothing", "a block that is none may be given back", freed_nothing, 0},
    {"memory.too_much", "more memory than there is gives NULL, and no more", too_much, 0},
    {"memory.usage", "free and total memory make sense", usage, 0},
    {"memory.statistics", "statistics of the allocator make sense, within their struct", statistics,
     0},
    {"memory.many_blocks", "a thousand blocks at once", many_blocks, 0},
    {"memory.given_back", "memory that was given back is there again", given_back, 0},
    {"memory.host", "memory of the host can be had, written and copied from", host_memory, 0},
    {"memory.too_much_host", "more memory of the host than there is gives NULL",
     too_much_host_memory, 0},
    {"memory.unified", "unified memory can be touched by the host", unified_memory, 0},
    {"memory.threads", "memory may be asked for on many threads at once", threads, 0},
    {"copies.blocking", "bytes come back as they were put (sync_memcpy_*)", copies, 0},
    {"copies.blocking_between", "bytes are copied on the device (sync_memcpy_dtod)", copies,
     BETWEEN},
    {"copies.blocking_in_parts", "parts of blocks are copied, and nothing beside them", copies,
     BETWEEN | IN_PARTS},
    {"copies.on_stream", "bytes come back as they were put (memcpy_*)", copies, ON_STREAM},
    {"copies.on_stream_between", "bytes are copied on the device (memcpy_dtod)", copies,
     ON_STREAM | BETWEEN},
    {"copies.on_stream_in_parts", "parts of blocks are copied by a stream, and nothing beside them",
     copies, ON_STREAM | BETWEEN | IN_PARTS},
    {"copies.empty", "0 bytes may be copied", empty_copies, 0},
    {"copies.large", "16 MiB come back as they were put", large_copies, 0},
    {"copies.in_order", "copies of a stream are made one after the other", in_order, 0},
    {"copies.threads", "many threads copy on streams of their own", copy_threads, 0},
    {"fills.zero", "mem_zero fills its bytes, and nothing beside them", fills, 0},
    {"fills.bytes", "memset fills its bytes, and nothing beside them", fills, 1},
    {"fills.words", "memset32 fills its bytes with words, and nothing beside them", fills, 2},
};
const tn_check_group tn_check_devices_memory = TN_CHECK_GROUP(TN_FACE_DEVICES, cases);
