#include "pjrt/host/mapped.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

typedef struct range {
  uintptr_t start, end;
  bool readable, executable;
} range;

struct tn_mapped {
  range* ranges;  // in order of address
  size_t count, capacity;
};

tn_mapped* tn_mapped_read(void) {
  tn_mapped* mapped = tn_alloc_zeroed(1, sizeof *mapped);
  FILE* file = mapped ? fopen("/proc/self/maps", "re") : NULL;
  bool fine = file != NULL;
  char line[512];
  for (bool begins = true; fine && fgets(line, sizeof line, file);) {
    uint64_t start, end;
    char modes[8];
    const bool first = begins;
    begins = strchr(line, '\n') != NULL;  // a long path takes several pieces
    if (!first || sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s", &start, &end, modes) != 3) continue;
    fine = tn_grow(&mapped->ranges, &mapped->capacity, mapped->count + 1, sizeof(range));
    if (fine)
      mapped->ranges[mapped->count++] = (range){start, end, modes[0] == 'r', modes[2] == 'x'};
  }
  if (file) fclose(file);
  if (fine && mapped->count) return mapped;
  tn_mapped_destroy(mapped);
  return NULL;
}

void tn_mapped_destroy(tn_mapped* mapped) {
  if (!mapped) return;
  tn_free(mapped->ranges);
  tn_free(mapped);
}

static const range* range_of(const tn_mapped* mapped, uintptr_t address) {
  size_t low = 0, high = mapped->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (mapped->ranges[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < mapped->count && mapped->ranges[low].start <= address ? &mapped->ranges[low] : NULL;
}

bool tn_mapped_readable(const tn_mapped* mapped, const void* address, size_t size) {
  const uintptr_t start = (uintptr_t)address;
  if (!address || start + size < start) return false;
  if (!mapped) return true;
  for (uintptr_t at = start; at < start + size;) {
    const range* range = range_of(mapped, at);
    if (!range || !range->readable) return false;
    at = range->end;
  }
  return true;
}

bool tn_mapped_is_code(const tn_mapped* mapped, const void* address) {
  if (!address || !mapped) return address != NULL;
  const range* range = range_of(mapped, (uintptr_t)address);
  return range && range->executable;
}
