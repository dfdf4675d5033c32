#include "elf/look.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "elf/dynamic.h"

static pthread_once_t libelf_ready = PTHREAD_ONCE_INIT;
static void prepare_libelf(void) { elf_version(EV_CURRENT); }

// What the first bytes say when they are not an ELF file's.
static const char* guess_kind(int fd) {
  unsigned char head[8] = {0};
  ssize_t size = pread(fd, head, sizeof head, 0);
  if (size <= 0) return "an empty file";
  if (memcmp(head, "!<arch>", 7) == 0) return "a static archive";
  if (memcmp(head, "MZ", 2) == 0) return "a Windows library (PE)";
  if (memcmp(head, "\xcf\xfa\xed\xfe", 4) == 0 || memcmp(head, "\xca\xfe\xba\xbe", 4) == 0)
    return "a macOS library (Mach-O)";
  for (ssize_t i = 0; i < size; ++i)
    if (head[i] < 0x20 && head[i] != '\t' && head[i] != '\n' && head[i] != '\r')
      return "a file of unknown kind";
  return "a text file";
}

bool tn_elf_damaged(tn_look* look, const char* what) {
  tn_status_set(look->status, TN_DATA_LOSS, "%s: the ELF file is damaged: %s; get a fresh copy",
                look->elf->path, what);
  tn_status_set_fault(look->status, TN_FAULT_PLUGIN);
  return false;
}

bool tn_elf_no_memory(tn_look* look) {
  tn_status_set_no_memory(look->status, "looking at a shared object");
  return false;
}

// Every PT_LOAD must end inside the file: the loader maps them unseen, and touching a page past the
// end is a SIGBUS inside dlopen.
static bool read_segments(tn_look* look) {
  tn_elf* elf = look->elf;
  // libelf says 0 for a table that ends outside the file.
  if (elf_getphdrnum(look->handle, &look->segment_count) != 0 ||
      (look->segment_count == 0 && elf->type == ET_DYN))
    return tn_elf_damaged(look, "its program headers lie outside the file");
  look->segments = tn_arena_alloc(&elf->arena, look->segment_count * sizeof *look->segments);
  if (!look->segments) return tn_elf_no_memory(look);
  elf->executable_stack = true;  // what x86-64 grants a file that does not say
  for (size_t i = 0; i < look->segment_count; ++i) {
    GElf_Phdr* segment = &look->segments[i];
    if (!gelf_getphdr(look->handle, (int)i, segment))
      return tn_elf_damaged(look, "its program headers lie outside the file");
    if (segment->p_type == PT_GNU_STACK) elf->executable_stack = segment->p_flags & PF_X;
    if (segment->p_type == PT_TLS) elf->tls_size = segment->p_memsz;
    if (segment->p_type != PT_LOAD) continue;
    if (segment->p_filesz > elf->file_size ||
        segment->p_offset > elf->file_size - segment->p_filesz) {
      tn_status_set(
          look->status, TN_DATA_LOSS,
          "%s: the file is cut short: it has %llu bytes, and a part it loads ends at byte "
          "%llu; get a complete copy",
          elf->path, (unsigned long long)elf->file_size,
          (unsigned long long)(segment->p_offset + segment->p_filesz));
      tn_status_set_fault(look->status, TN_FAULT_PLUGIN);
      return false;
    }
  }
  return true;
}

static bool read_header(tn_look* look, int fd) {
  tn_elf* elf = look->elf;
  if (elf_kind(look->handle) != ELF_K_ELF) {
    tn_status_set(look->status, TN_INVALID_ARGUMENT, "%s: %s, not a shared object (ELF)", elf->path,
                  guess_kind(fd));
    tn_status_set_fault(look->status, TN_FAULT_PLUGIN);
    return false;
  }
  GElf_Ehdr header;
  if (!gelf_getehdr(look->handle, &header))
    return tn_elf_damaged(look, "its header cannot be read");
  elf->bits = header.e_ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
  elf->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
  elf->machine = header.e_machine;
  elf->type = header.e_type;
  return true;
}

static bool look_at(tn_look* look, int fd) {
  struct stat info;
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    tn_status_set(look->status, TN_INVALID_ARGUMENT, "%s: %s, not a shared object (ELF)",
                  look->elf->path, S_ISDIR(info.st_mode) ? "a folder" : "not a regular file");
    tn_status_set_fault(look->status, TN_FAULT_CALLER);
    return false;
  }
  look->elf->file_size = (uint64_t)info.st_size;
  look->elf->device = info.st_dev;
  look->elf->inode = info.st_ino;
  pthread_once(&libelf_ready, prepare_libelf);
  look->handle = elf_begin(fd, ELF_C_READ, NULL);
  if (!look->handle) return tn_elf_damaged(look, elf_errmsg(-1));
  bool fine = read_header(look, fd) && read_segments(look) && tn_elf_read_dynamic(look);
  elf_end(look->handle);
  return fine;
}

tn_elf* tn_elf_look(const char* path, tn_status* status) {
  tn_elf* elf = tn_alloc_zeroed(1, sizeof *elf);
  if (elf) elf->path = tn_arena_copy(&elf->arena, tn_view_of(path));
  if (!elf || !elf->path) {
    tn_free(elf);
    tn_status_set_no_memory(status, "looking at a shared object");
    return NULL;
  }
  // Not blocking: a pipe or a device named as a plugin must not hang us.
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    int error = errno;
    char* what = tn_printf("cannot open '%s'", path);
    tn_status_set_errno(status, error, what ? what : path);
    tn_free(what);
    tn_elf_destroy(elf);
    return NULL;
  }
  tn_look look = {.elf = elf, .status = status};
  bool fine = look_at(&look, fd);
  close(fd);
  if (fine) return elf;
  tn_elf_destroy(elf);
  return NULL;
}

void tn_elf_destroy(tn_elf* elf) {
  if (!elf) return;
  tn_arena_deinit(&elf->arena);
  tn_free(elf);
}

bool tn_elf_defines(const tn_elf* elf, const char* name) {
  for (size_t i = 0; i < elf->export_count; ++i)
    if (strcmp(elf->exports[i], name) == 0) return true;
  return false;
}
