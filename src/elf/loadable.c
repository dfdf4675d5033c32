#include <elf.h>
#include <stdio.h>

#include "elf/look.h"

#if defined(__x86_64__)
enum { native_machine = EM_X86_64, native_bits = 64, native_big_endian = 0 };
#elif defined(__aarch64__)
enum { native_machine = EM_AARCH64, native_bits = 64, native_big_endian = 0 };
#else
#error "name this machine here: its EM_ number, word size and byte order"
#endif

const char* tn_elf_machine_name(uint16_t machine, char buffer[32]) {
  switch (machine) {
    case EM_X86_64: return "x86-64";
    case EM_386: return "x86";
    case EM_AARCH64: return "AArch64";
    case EM_ARM: return "ARM";
    case EM_RISCV: return "RISC-V";
    case EM_PPC64: return "PowerPC 64";
    case EM_S390: return "s390";
    case EM_LOONGARCH: return "LoongArch";
    default: snprintf(buffer, 32, "machine number %u", machine); return buffer;
  }
}

static const char* type_problem(const tn_elf* elf) {
  if (elf->is_program) return "a program, not a shared object";
  switch (elf->type) {
    case ET_DYN: return NULL;
    case ET_EXEC: return "a program, not a shared object";
    case ET_REL: return "an object file, not a shared object; link it with -shared";
    case ET_CORE: return "a core dump, not a shared object";
    default: return "an ELF file of unknown type, not a shared object";
  }
}

bool tn_elf_check_loadable(const tn_elf* elf, tn_status* status) {
  char theirs[32], ours[32];
  const char* problem = type_problem(elf);
  if (problem) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s: %s", elf->path, problem);
  } else if (elf->machine != native_machine || elf->bits != native_bits ||
             elf->big_endian != native_big_endian) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: made for %s (%d-bit%s), and this host runs on %s (%d-bit); get the plugin's "
                  "build for this machine",
                  elf->path, tn_elf_machine_name(elf->machine, theirs), elf->bits,
                  elf->big_endian ? ", big-endian" : "", tn_elf_machine_name(native_machine, ours),
                  native_bits);
  } else {
    return true;
  }
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}
