#include "plugin/loader_cache.h"

#include <stdint.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"

// glibc's format since 2.2; offsets count from this header.
typedef struct cache_header {
  char magic[20];  // "glibc-ld.so.cache1.1"
  uint32_t count, string_size;
  uint32_t unused[5];
} cache_header;

typedef struct cache_entry {
  int32_t flags;
  uint32_t name, path;
  uint32_t os_version;
  uint64_t hardware;
} cache_entry;

// This machine's libraries, among those of other word sizes in the same list.
#if defined(__x86_64__)
enum { native_flags = 0x0303 };
#elif defined(__aarch64__)
enum { native_flags = 0x0a03 };
#endif

bool tn_loader_cache_find(const char* name, char** out_path) {
  static const char magic[] = "glibc-ld.so.cache1.1";
  enum { most_bytes = 1 << 26 };
  tn_text bytes = {0};
  tn_status status = {0};
  cache_header header;
  *out_path = NULL;
  tn_file_read("/etc/ld.so.cache", most_bytes, &bytes, &status);
  bool failed = status.code == TN_RESOURCE_EXHAUSTED;
  tn_status_deinit(&status);
  // An older list may stand in front of this one.
  const char* start = bytes.size ? memmem(bytes.data, bytes.size, magic, sizeof magic - 1) : NULL;
  size_t left = start ? (size_t)(bytes.data + bytes.size - start) : 0;
  if (left >= sizeof header) {
    memcpy(&header, start, sizeof header);
    size_t most = (left - sizeof header) / sizeof(cache_entry);
    for (size_t i = 0; i < header.count && i < most && !*out_path && !failed; ++i) {
      cache_entry entry;
      memcpy(&entry, start + sizeof header + i * sizeof entry, sizeof entry);
      if (entry.flags != native_flags || entry.name >= left || entry.path >= left ||
          strcmp(start + entry.name, name) != 0)
        continue;
      *out_path = tn_strdup(start + entry.path);
      failed = !*out_path;
    }
  }
  tn_text_deinit(&bytes);
  return !failed;
}
