// The ELF look on any bytes: a description or a status, never a crash.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/status.h"
#include "elf/look.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Touches every string, so that a sanitizer sees one that is not a string.
static size_t weigh(const tn_elf* elf) {
  size_t sum = 0;
  const char* singles[] = {elf->path, elf->soname, elf->rpath, elf->runpath};
  for (size_t i = 0; i < sizeof singles / sizeof *singles; ++i)
    if (singles[i]) sum += strlen(singles[i]);
  // A hostile file can make all its names one long string: linear work must stay linear here too.
  for (size_t i = 0; i < elf->needed_count; ++i) sum += strnlen(elf->needed[i], 64);
  for (size_t i = 0; i < elf->export_count; ++i) sum += strnlen(elf->exports[i], 64);
  for (size_t i = 0; i < elf->version_count; ++i) sum += strnlen(elf->versions[i], 64);
  for (size_t i = 0; i < elf->version_need_count; ++i)
    sum += strnlen(elf->version_needs[i].library, 64) + strnlen(elf->version_needs[i].version, 64);
  for (size_t i = 0; i < elf->import_count; ++i) {
    const tn_elf_import* import = &elf->imports[i];
    sum += strnlen(import->name, 64) + (import->version ? strnlen(import->version, 64) : 0);
  }
  return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static int fd = -1;
  static char path[64];
  if (fd < 0) {
    fd = memfd_create("elf", MFD_CLOEXEC);
    if (fd < 0) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size) abort();
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  if (elf ? !tn_ok(&status) || weigh(elf) == 0 : tn_ok(&status)) abort();
  if (elf && tn_elf_check_loadable(elf, &status) != tn_ok(&status)) abort();
  tn_elf_destroy(elf);
  tn_status_deinit(&status);
  return 0;
}
