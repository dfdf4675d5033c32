// What a linker and a compiler leave behind of themselves.
#ifndef TENON_ELF_ORIGIN_MARKS_H_
#define TENON_ELF_ORIGIN_MARKS_H_

#include <stdbool.h>

#include "tenon/status.h"

enum { TN_BUILD_ID_TEXT = 96, TN_COMPILER_TEXT = 160 };
typedef struct tn_elf_marks {
  char build_id[TN_BUILD_ID_TEXT];  // in hexadecimal; "" when it has none
  char compiler[TN_COMPILER_TEXT];  // "GCC: (Debian 12.2.0-14) 12.2.0"; "" when it does not tell
  bool has_debug_information;
} tn_elf_marks;

// Reads them from the file's sections; a stripped file has few. The bytes are not trusted.  [any
// thread]
bool tn_elf_read_marks(const char* path, tn_elf_marks* out, tn_status* status);

#endif  // TENON_ELF_ORIGIN_MARKS_H_
