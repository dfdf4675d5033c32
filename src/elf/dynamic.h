// Inside src/elf: the dynamic section, as the dynamic loader reads it (by segments, not by
// sections, which a stripped file may lack).
#ifndef TENON_ELF_DYNAMIC_H_
#define TENON_ELF_DYNAMIC_H_

#include <gelf.h>

#include "elf/look.h"

// One look in progress.
typedef struct tn_look {
  tn_elf* elf;
  tn_status* status;
  Elf* handle;
  GElf_Phdr* segments;
  size_t segment_count;
  const char* strings;  // the dynamic string table, NUL-terminated
  size_t string_size;
} tn_look;

// Fills in everything that the dynamic section leads to.
bool tn_elf_read_dynamic(tn_look* look);

// Both return false, so that a caller can return them.
bool tn_elf_damaged(tn_look* look, const char* what);
bool tn_elf_no_memory(tn_look* look);

#endif  // TENON_ELF_DYNAMIC_H_
