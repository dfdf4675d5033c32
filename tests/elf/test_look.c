#include <elf.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "elf/look.h"
#include "harness.h"

#define SAMPLE(name) TENON_SOURCE_DIR "/tests/fuzz/corpus/elf/" name

static tn_elf* look(const char* path) {
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  CHECK_OK(&status);
  tn_status_deinit(&status);
  if (!elf) exit(1);
  return elf;
}

static void check_refused(const char* path, tn_code code, const char* why) {
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  if (elf) tn_elf_check_loadable(elf, &status);
  CHECK_CONTAINS(tn_status_message(&status), path);
  CHECK_CONTAINS(tn_status_message(&status), why);
  CHECK_CODE(&status, code);
  tn_elf_destroy(elf);
}

static const tn_elf_import* import_named(const tn_elf* elf, const char* name) {
  for (size_t i = 0; i < elf->import_count; ++i)
    if (strcmp(elf->imports[i].name, name) == 0) return &elf->imports[i];
  return NULL;
}

TEST(test_a_plain_library_is_described) {
  tn_elf* elf = look(SAMPLE("plain.so"));
  CHECK_INT(elf->bits, 64);
  CHECK_INT(elf->machine, EM_X86_64);
  CHECK_INT(elf->type, ET_DYN);
  CHECK_INT(elf->file_size, 5288);
  CHECK(!elf->executable_stack);
  CHECK(!elf->soname && !elf->rpath && !elf->runpath);
  CHECK_INT(elf->needed_count, 0);
  CHECK(tn_elf_defines(elf, "TF_InitKernel"));
  CHECK(tn_elf_defines(elf, "other"));
  CHECK(!tn_elf_defines(elf, "TF_Version"));
  CHECK_INT(elf->export_count, 2);
  CHECK_INT(elf->import_count, 2);
  CHECK(import_named(elf, "TF_Version") && !import_named(elf, "TF_Version")->weak);
  CHECK(import_named(elf, "weak_one") && import_named(elf, "weak_one")->weak);
  tn_elf_destroy(elf);
}

TEST(test_symbols_are_found_without_section_headers) {
  tn_elf* elf = look(SAMPLE("no_sections_plain.so"));
  CHECK_INT(elf->export_count, 2);
  CHECK_INT(elf->import_count, 2);
  tn_elf_destroy(elf);
  elf = look(SAMPLE("no_sections_versions.so"));
  CHECK(tn_elf_defines(elf, "TF_InitKernel"));
  CHECK_INT(elf->version_count, 2);
  tn_elf_destroy(elf);
}

TEST(test_version_nodes_defined_and_wanted_are_named) {
  tn_elf* elf = look(SAMPLE("versions.so"));
  CHECK_TEXT(elf->soname, "versions.so");
  CHECK_INT(elf->version_count, 2);
  CHECK_TEXT(elf->versions[0], "tensorflow");
  CHECK_TEXT(elf->versions[1], "V2");
  tn_elf_destroy(elf);

  elf = look(SAMPLE("needs.so"));
  CHECK_INT(elf->needed_count, 1);
  CHECK_TEXT(elf->needed[0], "versions.so");
  CHECK_INT(elf->version_need_count, 2);
  const tn_elf_import* import = import_named(elf, "TF_InitKernel");
  CHECK(import);
  CHECK_TEXT(import->version, "tensorflow");
  CHECK_TEXT(import->library, "versions.so");
  CHECK_TEXT(import_named(elf, "other")->version, "V2");
  tn_elf_destroy(elf);
}

TEST(test_an_old_style_hash_table_and_a_search_path_are_read) {
  tn_elf* elf = look(SAMPLE("sysv.so"));
  CHECK(tn_elf_defines(elf, "TF_InitKernel"));
  CHECK_TEXT(elf->runpath, "$ORIGIN/x");
  CHECK_TEXT(elf->needed[0], "versions.so");
  tn_elf_destroy(elf);
}

TEST(test_what_the_c_library_is_needed_for_is_listed) {
  tn_elf* elf = look(SAMPLE("libc_user.so"));
  CHECK_TEXT(elf->needed[0], "libc.so.6");
  CHECK_TEXT(import_named(elf, "puts")->library, "libc.so.6");
  CHECK_CONTAINS(import_named(elf, "puts")->version, "GLIBC_2.");
  tn_elf_destroy(elf);
}

TEST(test_files_of_other_machines_are_described_but_not_loadable) {
  tn_elf* elf = look(SAMPLE("bits32.so"));
  CHECK_INT(elf->bits, 32);
  CHECK(tn_elf_defines(elf, "TF_InitKernel"));
  tn_elf_destroy(elf);
  elf = look(SAMPLE("big_endian.so"));
  CHECK(elf->big_endian);
  CHECK(tn_elf_defines(elf, "main_"));
  CHECK(import_named(elf, "TF_InitKernel"));
  tn_elf_destroy(elf);
  check_refused(SAMPLE("aarch64.so"), TN_FAILED_PRECONDITION, "made for AArch64 (64-bit)");
  check_refused(SAMPLE("bits32.so"), TN_FAILED_PRECONDITION, "made for x86 (32-bit)");
  check_refused(SAMPLE("big_endian.so"), TN_FAILED_PRECONDITION,
                "made for PowerPC 64 (64-bit, big-endian)");
}

TEST(test_what_is_no_shared_object_is_named_for_what_it_is) {
  check_refused(SAMPLE("text.so"), TN_INVALID_ARGUMENT, "a text file, not a shared object");
  check_refused(test_folder(), TN_INVALID_ARGUMENT, "a folder, not a shared object");
  check_refused("/dev/zero", TN_INVALID_ARGUMENT, "not a regular file");
  check_refused("/proc/self/exe", TN_INVALID_ARGUMENT, "a program, not a shared object");
  check_refused("/no/such/file.so", TN_NOT_FOUND, "No such file");
}

// Writes the first `size` bytes of `bytes` to a file of this test and looks at it.
static bool looks_fine(const char* path, const char* bytes, size_t size) {
  FILE* file = fopen(path, "wb");
  if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) abort();
  tn_status status = {0};
  tn_elf* elf = tn_elf_look(path, &status);
  CHECK(tn_ok(&status) == (elf != NULL));
  tn_status_deinit(&status);
  tn_elf_destroy(elf);
  return elf != NULL;
}

static size_t read_sample(char* bytes, size_t capacity) {
  FILE* file = fopen(SAMPLE("versions.so"), "rb");
  size_t size = file ? fread(bytes, 1, capacity, file) : 0;
  if (file) fclose(file);
  CHECK_INT(size, 5440);
  return size;
}

TEST(test_a_file_cut_anywhere_is_refused_until_all_it_loads_is_there) {
  char bytes[8192], path[4096];
  size_t size = read_sample(bytes, sizeof bytes), loaded = 0;
  snprintf(path, sizeof path, "%s/cut.so", test_folder());
  const Elf64_Ehdr* header = (const void*)bytes;
  const Elf64_Phdr* segments = (const void*)(bytes + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    size_t end = segments[i].p_offset + segments[i].p_filesz;
    if (segments[i].p_type == PT_LOAD && end > loaded) loaded = end;
  }
  for (size_t keep = 0; keep <= size; keep += keep + 1 < size ? 7 : 1) {
    bool fine = looks_fine(path, bytes, keep);
    if (fine != (keep >= loaded)) test_fail(__FILE__, __LINE__, "%zu of %zu bytes", keep, size);
  }
  looks_fine(path, bytes, loaded - 1);
  check_refused(path, TN_DATA_LOSS, "the file is cut short");
}

TEST(test_damaged_bytes_never_crash_the_look) {
  char bytes[8192], damaged[8192], path[4096];
  size_t size = read_sample(bytes, sizeof bytes), fine = 0;
  uint64_t random = test_seed();
  snprintf(path, sizeof path, "%s/damaged.so", test_folder());
  for (int round = 0; round < 3000; ++round) {
    memcpy(damaged, bytes, size);
    for (int64_t hits = test_between(&random, 1, 8); hits > 0; --hits)
      damaged[test_between(&random, 0, 2047)] = (char)test_random(&random);
    fine += looks_fine(path, damaged, size);
  }
  CHECK(fine > 0);
  CHECK(fine < 3000);
}

static bool look_once(void* arg, tn_status* status) {
  tn_elf* elf = tn_elf_look(arg, status);
  tn_elf_destroy(elf);
  return elf != NULL;
}

TEST(test_a_look_without_memory_is_a_status) {
  CHECK(test_sweep_allocations(look_once, SAMPLE("needs.so")) > 2);
}
