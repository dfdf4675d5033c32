#include "doctor/inspect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/releases.h"
#include "base/memory.h"
#include "plugin/first_contact.h"

static const tn_face_symbol known_entry_points[] = {
    {"GetPjrtApi", "programs (PJRT)"},
    {"SE_InitPlugin", "devices (StreamExecutor)"},
    {"TF_InitKernel", "ops and kernels"},
    {"TF_InitGraph", "a graph pass"},
    {"TF_InitProfiler", "a profiler"},
    {"TFNPD_InitPlugin", "a next-generation device (PJRT under TensorFlow)"},
    {"TfTpu_Initialize", "a TPU library"},
    {"GetLibtpuSdkApi", "libtpu's SDK"},
};

static void find_entry_points(tn_inspection* out) {
  for (size_t i = 0; i < sizeof known_entry_points / sizeof known_entry_points[0]; ++i)
    if (tn_elf_defines(out->elf, known_entry_points[i].symbol))
      out->entry_points[out->entry_point_count++] = &known_entry_points[i];
}

static bool is_host_function(const char* name) {
  static const char* const heads[] = {"TF_", "TFE_", "TSL_", "SE_", "TP_", "PJRT_"};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i)
    if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
  return false;
}

static void sort_cpp_import(tn_inspection* out, const char* name) {
  bool known = false;
  for (int family = 0; family < TN_FAMILIES && !known; ++family)
    if ((known = tn_family_has((tn_family)family, name))) out->cpp_imports_by_family[family]++;
  if (!known) out->cpp_imports_of_others++;
}

static bool sort_imports(tn_inspection* out) {
  const tn_elf* elf = out->elf;
  out->host_functions = tn_alloc((elf->import_count + 1) * sizeof *out->host_functions);
  out->weak_host_functions = tn_alloc((elf->import_count + 1) * sizeof *out->weak_host_functions);
  if (!out->host_functions || !out->weak_host_functions) return false;
  for (size_t i = 0; i < elf->import_count; ++i) {
    const tn_elf_import* import = &elf->imports[i];
    if (is_host_function(import->name)) {
      if (import->weak) {
        out->weak_host_functions[out->weak_host_function_count++] = import->name;
      } else {
        out->host_functions[out->host_function_count++] = import->name;
      }
    } else if (strncmp(import->name, "_Z", 2) == 0 && !import->version) {
      out->cpp_imports += !import->weak;
      sort_cpp_import(out, import->name);
    }
  }
  return true;
}

// The libraries that every system has; the rest is what a user must supply.
static bool is_system_library(const char* name) {
  static const char* const heads[] = {
      "libc.so.",      "libm.so.", "libdl.so.",  "libpthread.so.", "librt.so.",  "libgcc_s.so.",
      "libstdc++.so.", "ld-linux", "libutil.so", "libresolv.so.",  "linux-vdso", "libz.so."};
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i)
    if (strncmp(name, heads[i], strlen(heads[i])) == 0) return true;
  return false;
}

static bool sort_libraries(tn_inspection* out) {
  const tn_elf* elf = out->elf;
  out->libraries = tn_alloc((elf->needed_count + 1) * sizeof *out->libraries);
  if (!out->libraries) return false;
  for (size_t i = 0; i < elf->needed_count; ++i)
    if (!is_system_library(elf->needed[i])) out->libraries[out->library_count++] = elf->needed[i];
  return true;
}

// The highest version under a prefix that the file asks for: "GLIBC_2.27" gives "2.27".
static void find_floor(const tn_elf* elf, const char* prefix, char out[TN_FLOOR_TEXT]) {
  const size_t length = strlen(prefix);
  for (size_t i = 0; i < elf->version_need_count; ++i) {
    const char* version = elf->version_needs[i].version;
    if (strncmp(version, prefix, length) != 0 || !isdigit((unsigned char)version[length])) continue;
    if (!*out || tn_abi_version_compare(version + length, out) > 0)
      snprintf(out, TN_FLOOR_TEXT, "%s", version + length);
  }
}

static void count_leaks(tn_inspection* out) {
  for (size_t i = 0; i < out->elf->export_count; ++i)
    for (int family = 0; family < TN_FAMILIES; ++family)
      out->leaks[family] += tn_family_has((tn_family)family, out->elf->exports[i]);
}

// The table of all symbols, where a file still has it, says no more: GNU ld writes a name that a
// script made local and one that was compiled hidden in the same way.
static void judge_version_script(tn_inspection* out) {
  static const char* const marks[] = {"_init", "_fini", "_edata", "_end", "__bss_start"};
  if (out->elf->version_count > 0) {
    out->version_script = TN_VERSION_SCRIPT_NODE;
    out->version_script_sign = out->elf->versions[0];
    return;
  }
  for (size_t i = 0; i < sizeof marks / sizeof marks[0]; ++i)
    if (tn_elf_defines(out->elf, marks[i])) {
      out->version_script = TN_VERSION_SCRIPT_MARKS;
      out->version_script_sign = marks[i];
      return;
    }
  for (int family = 0; family < TN_FAMILIES; ++family)
    if (out->leaks[family] && tn_family_hits((tn_family)family)) {
      out->version_script = TN_VERSION_SCRIPT_LEAKS;
      out->version_script_sign = tn_family_name((tn_family)family);
      return;
    }
}

tn_inspection* tn_inspect(const char* path, tn_status* status) {
  tn_inspection* out = tn_alloc_zeroed(1, sizeof *out);
  if (!out) {
    tn_status_set_no_memory(status, "inspecting a shared object");
    return NULL;
  }
  out->elf = tn_elf_look(path, status);
  if (!out->elf || !tn_elf_read_marks(path, &out->marks, status)) {
    tn_inspection_destroy(out);
    return NULL;
  }
  find_entry_points(out);
  if (!sort_imports(out) || !sort_libraries(out)) {
    tn_status_set_no_memory(status, "inspecting a shared object");
    tn_inspection_destroy(out);
    return NULL;
  }
  find_floor(out->elf, "GLIBC_", out->glibc);
  find_floor(out->elf, "GLIBCXX_", out->glibcxx);
  find_floor(out->elf, "CXXABI_", out->cxxabi);
  count_leaks(out);
  judge_version_script(out);
  return out;
}

void tn_inspection_destroy(tn_inspection* inspection) {
  if (!inspection) return;
  tn_elf_destroy(inspection->elf);
  tn_free(inspection->host_functions);
  tn_free(inspection->weak_host_functions);
  tn_free(inspection->libraries);
  tn_free(inspection);
}

bool tn_inspect_loaded(const char* path, uint32_t time_limit_ms, tn_fact_fn fact, void* arg,
                       tn_status* status) {
  return tn_inspect_made(path, NULL, time_limit_ms, fact, arg, status);
}

bool tn_inspect_made(const char* path, const char* create, uint32_t time_limit_ms, tn_fact_fn fact,
                     void* arg, tn_status* status) {
  char* absolute = realpath(path, NULL);
  if (!absolute) {
    tn_status_set(status, TN_NOT_FOUND, "%s: no such file", path);
    return false;
  }
  const tn_contact contact = {.path = absolute,
                              .time_limit_ms = time_limit_ms,
                              .fact = fact,
                              .fact_arg = arg,
                              .create = create};
  const bool loaded = tn_first_contact(&contact, status);
  free(absolute);
  return loaded;
}
