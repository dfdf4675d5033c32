// Looking at a shared object without loading it: what it is, what it needs, what it offers. The
// bytes are not trusted: every offset is checked, nothing is mapped (a file that shrinks under a
// mapping kills the process), and the work is linear in the size of the tables.
#ifndef TENON_ELF_LOOK_H_
#define TENON_ELF_LOOK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tenon/status.h"

// A symbol the file wants from others.
typedef struct tn_elf_import {
  const char* name;
  const char* version;  // the version node it asks for, NULL when any will do
  const char* library;  // the library that node is asked of, NULL without a version
  bool weak;            // resolves to address 0 when nobody has it
} tn_elf_import;

// A version node the file wants a library to define ("GLIBC_2.34" of "libc.so.6").
typedef struct tn_elf_version_need {
  const char* library;
  const char* version;
  bool weak;
} tn_elf_version_need;

// Strings and arrays belong to the description.
typedef struct tn_elf {
  const char* path;
  uint64_t file_size, device, inode;
  int bits;  // 32 or 64
  bool big_endian;
  uint16_t machine, type;  // EM_* and ET_* of <elf.h>
  bool is_program;         // a position-independent executable: ET_DYN, yet dlopen refuses it
  bool executable_stack;
  bool text_relocations;                        // code is written to when it is loaded
  uint64_t tls_size;                            // bytes of every thread
  uint64_t constructors, relative_relocations;  // work to do when it is loaded
  size_t unique_exports;  // that the loader keeps one of in a process (STB_GNU_UNIQUE)
  const char *soname, *rpath, *runpath;  // NULL when absent
  const char** needed;
  tn_elf_import* imports;
  const char** exports;  // default version or not; a name with two versions stands here twice
  tn_elf_version_need* version_needs;
  const char** versions;  // version nodes it defines
  size_t needed_count, import_count, export_count, version_need_count, version_count;
  tn_arena arena;
} tn_elf;

// Describes the file at `path`. Owned by the caller until tn_elf_destroy.  [any thread]
// NULL with a status that says what is wrong when the file is no ELF file, damaged or cut short
// (a segment that ends past the file's end), whatever bytes it holds.
tn_elf* tn_elf_look(const char* path, tn_status* status);
void tn_elf_destroy(tn_elf* elf);

// False, with the reason, when this machine's dlopen cannot take the file: another processor or
// word size, an executable, an object file, a core.  [any thread]
bool tn_elf_check_loadable(const tn_elf* elf, tn_status* status);

// True when the file defines `name` for others.  [any thread]
bool tn_elf_defines(const tn_elf* elf, const char* name);

// "x86-64" and so on; the number in words for a machine without a name here. `buffer` holds 32
// bytes.
const char* tn_elf_machine_name(uint16_t machine, char buffer[32]);

#endif  // TENON_ELF_LOOK_H_
