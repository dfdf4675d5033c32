#include "plugin/wrapper.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#if defined(__x86_64__)
enum { native_machine = EM_X86_64, page_size = 4096 };
#elif defined(__aarch64__)
enum { native_machine = EM_AARCH64, page_size = 65536 };
#else
#error "name this machine here: its EM_ number and largest page size"
#endif

// The file is one writable segment (older loaders relocate the dynamic section in place) that holds
// the header, the program headers, the dynamic section, one empty symbol, and the strings.
typedef struct wrapper_head {
  Elf64_Ehdr header;
  Elf64_Phdr segments[3];
  Elf64_Sym symbol;
} wrapper_head;

static void put_tag(tn_text* out, int64_t tag, uint64_t value) {
  Elf64_Dyn entry = {.d_tag = tag, .d_un.d_val = value};
  tn_text_append(out, (const char*)&entry, sizeof entry);
}

static void write_wrapper(const char* const* paths, size_t count, tn_text* out) {
  enum { fixed_tags = 5 };
  uint64_t dynamic_size = (count + fixed_tags) * sizeof(Elf64_Dyn), string_size = 1;
  uint64_t strings_at = sizeof(wrapper_head) + dynamic_size;
  for (size_t i = 0; i < count; ++i) string_size += strlen(paths[i]) + 1;
  wrapper_head head = {
      .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                             EV_CURRENT},
                 .e_type = ET_DYN,
                 .e_machine = native_machine,
                 .e_version = EV_CURRENT,
                 .e_phoff = offsetof(wrapper_head, segments),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_phentsize = sizeof(Elf64_Phdr),
                 .e_phnum = 3},
      .segments = {{.p_type = PT_LOAD,
                    .p_flags = PF_R | PF_W,
                    .p_filesz = strings_at + string_size,
                    .p_memsz = strings_at + string_size,
                    .p_align = page_size},
                   {.p_type = PT_DYNAMIC,
                    .p_flags = PF_R | PF_W,
                    .p_offset = sizeof head,
                    .p_vaddr = sizeof head,
                    .p_filesz = dynamic_size,
                    .p_memsz = dynamic_size,
                    .p_align = 8},
                   {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16}},
  };
  tn_text_append(out, (const char*)&head, sizeof head);
  uint64_t name_at = 1;
  for (size_t i = 0; i < count; ++i) {
    put_tag(out, DT_NEEDED, name_at);
    name_at += strlen(paths[i]) + 1;
  }
  put_tag(out, DT_STRTAB, strings_at);
  put_tag(out, DT_STRSZ, string_size);
  put_tag(out, DT_SYMTAB, offsetof(wrapper_head, symbol));
  put_tag(out, DT_SYMENT, sizeof(Elf64_Sym));
  put_tag(out, DT_NULL, 0);
  tn_text_putc(out, 0);
  for (size_t i = 0; i < count; ++i) tn_text_append(out, paths[i], strlen(paths[i]) + 1);
}

bool tn_memory_file_create(const char* name, int* out_fd, char out_path[TN_MEMORY_FILE_PATH],
                           tn_status* status) {
  static _Atomic uint32_t created;
  *out_fd = memfd_create(name, MFD_CLOEXEC);
  if (*out_fd < 0) {
    tn_status_set_errno(status, errno, "cannot make a file in memory");
    return false;
  }
  // Descriptor numbers come back, paths must not: spell a counter with "./" and "/".
  int at = snprintf(out_path, TN_MEMORY_FILE_PATH, "/proc/self/fd/");
  for (uint32_t bits = atomic_fetch_add(&created, 1); bits; bits >>= 1)
    at += sprintf(out_path + at, bits & 1 ? "./" : "/");
  sprintf(out_path + at, "%d", *out_fd);
  return true;
}

void* tn_wrapper_open(const char* const* paths, size_t count, int flags, tn_status* status) {
  tn_text bytes = {0};
  int fd;
  char path[TN_MEMORY_FILE_PATH];
  void* handle = NULL;
  write_wrapper(paths, count, &bytes);
  if (bytes.failed) {
    tn_status_set_no_memory(status, "opening a plugin");
  } else if (tn_memory_file_create("tenon-wrapper", &fd, path, status)) {
    if (write(fd, bytes.data, bytes.size) != (ssize_t)bytes.size)
      tn_status_set_errno(status, errno, "cannot write a file in memory");
    else if (!(handle = dlopen(path, flags)))
      tn_status_set(status, TN_FAILED_PRECONDITION, "%s", dlerror());
    close(fd);
  }
  tn_text_deinit(&bytes);
  return handle;
}
