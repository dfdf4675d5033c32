// Bytes as a file without a disk, for code that wants a path.
#ifndef TENON_TESTS_FUZZ_MEMORY_FILE_H_
#define TENON_TESTS_FUZZ_MEMORY_FILE_H_

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A path that holds `data` until the next call.
static inline const char* memory_file(const uint8_t* data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) {
    fd = memfd_create("input", MFD_CLOEXEC);
    if (fd < 0) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
  return path;
}

#endif  // TENON_TESTS_FUZZ_MEMORY_FILE_H_
