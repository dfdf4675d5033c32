#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "pjrt/host/mapped.h"

TEST(test_what_can_be_read_and_what_is_code_is_told_apart) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  static char data[64];
  char* pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK_INT(mprotect(pages, page, PROT_READ), 0);
  CHECK_INT(mprotect(pages + 2 * page, page, PROT_NONE), 0);
  tn_mapped* mapped = tn_mapped_read();
  CHECK(mapped != NULL);
  CHECK(tn_mapped_readable(mapped, data, sizeof data) && !tn_mapped_is_code(mapped, data));
  CHECK(tn_mapped_is_code(mapped, (void*)tn_mapped_read));
  // Two mappings side by side are one stretch; what ends within the third is not.
  CHECK(tn_mapped_readable(mapped, pages, 2 * page));
  CHECK(!tn_mapped_readable(mapped, pages, 2 * page + 1));
  CHECK(!tn_mapped_readable(mapped, pages + 2 * page, 1));
  CHECK(!tn_mapped_readable(mapped, NULL, 0) && !tn_mapped_is_code(mapped, NULL));
  CHECK(!tn_mapped_readable(mapped, (void*)8, 8) && !tn_mapped_is_code(mapped, (void*)8));
  CHECK(!tn_mapped_readable(mapped, (void*)-8, 64) && !tn_mapped_is_code(mapped, (void*)-8));
  tn_mapped_destroy(mapped);
  tn_mapped_destroy(NULL);
  munmap(pages, 3 * page);
}

TEST(test_where_nothing_is_known_of_memory_only_null_is_wrong) {
  CHECK(tn_mapped_readable(NULL, (void*)8, 8) && tn_mapped_is_code(NULL, (void*)8));
  CHECK(!tn_mapped_readable(NULL, NULL, 8) && !tn_mapped_is_code(NULL, NULL));
}
