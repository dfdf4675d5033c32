// What each release of TensorFlow does with a plugin of ops, kernels, a graph pass or a device.

#include <stdio.h>
#include <string.h>

#include "abi/table.h"
#include "abi/tf_history.h"
#include "doctor/doctor.h"

static bool is_exported(const char* function, const char* release) {
  const tn_abi_table* exports = tn_abi_table_get("tf/exports");
  const size_t row = tn_abi_find(exports, 0, function, 0);
  return row < exports->rows &&
         tn_abi_tf_covers(tn_abi_cell(exports, row, tn_abi_column(exports, "exported")), release);
}

// A library of TensorFlow's that is in the process under this name when plugins are loaded.
static bool has_library(const char* name, const char* release) {
  const tn_abi_table* libraries = tn_abi_table_get("tf/libraries");
  const int names = tn_abi_column(libraries, "soname");
  for (size_t i = tn_abi_find(libraries, 0, release, 0); i < libraries->rows;
       i = tn_abi_find(libraries, 0, release, i + 1))
    if (strcmp(tn_abi_cell(libraries, i, names), name) == 0) return true;
  return false;
}

static bool is_tensorflows(const char* library) {
  return strcmp(library, "_pywrap_tensorflow_internal.so") == 0 ||
         strncmp(library, "libtensorflow_framework.so", 26) == 0 ||
         strncmp(library, "libtensorflow_cc.so", 19) == 0;
}

// A list in a sentence, cut when it gets long.
typedef struct listing {
  size_t count;
  char text[400];
} listing;

static void add_name(listing* list, const char* name) {
  const size_t length = strlen(list->text);
  if (strstr(list->text, name)) return;
  if (list->count++ < 5)
    snprintf(list->text + length, sizeof list->text - length, "%s%s", length ? ", " : "", name);
  if (list->count == 6) strncat(list->text, ", ...", sizeof list->text - strlen(list->text) - 1);
}

// Everything in the way, over the plugin and the libraries beside it that it needs.
typedef struct obstacles {
  listing libraries, functions, weak, cpp;
} obstacles;

static const char* const insides[] = {"tensorflow", "tsl", "absl", "protobuf"};

// C++ that only a framework has: what the plugin imports of it and no companion defines.
static void find_cpp(const tn_patient* patient, const tn_inspection* file, obstacles* out) {
  for (size_t i = 0; i < file->elf->import_count; ++i) {
    const tn_elf_import* import = &file->elf->imports[i];
    // TensorFlow's own C++ comes without a version, or with the node that its libraries have.
    if (import->weak || (import->version && strcmp(import->version, "tensorflow") != 0) ||
        strncmp(import->name, "_Z", 2) != 0)
      continue;
    bool ours = tn_elf_defines(patient->file->elf, import->name);
    for (size_t k = 0; k < patient->companion_count && !ours; ++k)
      ours = tn_elf_defines(patient->companions[k]->elf, import->name);
    for (int family = 0; family < TN_FAMILIES && !ours; ++family)
      for (size_t k = 0; k < sizeof insides / sizeof insides[0]; ++k)
        if (strcmp(tn_family_name((tn_family)family), insides[k]) == 0 &&
            tn_family_has((tn_family)family, import->name)) {
          add_name(&out->cpp, import->name);
          ours = true;
          break;
        }
  }
}

static bool is_gone(const char* symbol, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/cpp_gone");
  for (size_t i = 0; i < table->rows; ++i) {
    const char* head = tn_abi_cell(table, i, 0);
    if (strncmp(symbol, head, strlen(head)) == 0 &&
        tn_abi_tf_covers(tn_abi_cell(table, i, tn_abi_column(table, "absent")), release))
      return true;
  }
  return false;
}

static void find_obstacles(const tn_patient* patient, const tn_inspection* file,
                           const char* release, obstacles* out) {
  for (size_t i = 0; i < file->library_count; ++i)
    if (is_tensorflows(file->libraries[i]) && !has_library(file->libraries[i], release))
      add_name(&out->libraries, file->libraries[i]);
  for (size_t i = 0; i < file->host_function_count; ++i)
    if (!is_exported(file->host_functions[i], release))
      add_name(&out->functions, file->host_functions[i]);
  // A function that no release ever had is another host's, and the plugin does without it
  // everywhere.
  const tn_abi_table* exports = tn_abi_table_get("tf/exports");
  for (size_t i = 0; i < file->weak_host_function_count; ++i)
    if (!is_exported(file->weak_host_functions[i], release) &&
        tn_abi_find(exports, 0, file->weak_host_functions[i], 0) < exports->rows)
      add_name(&out->weak, file->weak_host_functions[i]);
  for (size_t i = 0; i < file->elf->import_count; ++i)
    if (is_gone(file->elf->imports[i].name, release))
      add_name(&out->functions, file->elf->imports[i].name);
  find_cpp(patient, file, out);
}

// The inline namespace of absl in the C++ names that the plugin imports, "lts_20250814"; "" for
// none.
static void absl_of(const tn_patient* patient, char out[24]) {
  static const char head[] = "4absl12lts_";
  *out = '\0';
  for (size_t i = 0; i < patient->file->elf->import_count && !*out; ++i) {
    const char* at = strstr(patient->file->elf->imports[i].name, head);
    if (at) snprintf(out, 24, "%.12s", at + strlen("4absl12"));
  }
}

// Whether a release cannot have that absl: it has another, came before it, or lies on the wrong
// side of a release whose absl is known, since these only ever get newer.
static bool lacks_absl(const char* absl, const char* release, char* out, size_t size) {
  const tn_abi_table *known = tn_abi_table_get("tf/cpp"), *all = tn_abi_table_get("tf/releases");
  const int column = tn_abi_column(known, "absl");
  const char* released =
      tn_abi_cell(all, tn_abi_find(all, 0, release, 0), tn_abi_column(all, "release_date"));
  char day[16];
  snprintf(day, sizeof day, "%.4s-%.2s-%.2s", absl + 4, absl + 8, absl + 10);
  for (size_t i = 0; i < known->rows; ++i) {
    const char *other = tn_abi_cell(known, i, 0), *has = tn_abi_cell(known, i, column);
    const int later = tn_abi_version_compare(other, release), newer = strcmp(has, absl);
    if (later == 0) {
      snprintf(out, size, "this release has %s", has);
      return newer != 0;
    }
    if (newer == 0 || (later > 0) != (newer < 0)) continue;
    snprintf(out, size, "%s %s has %s", other, later > 0 ? "still" : "already", has);
    return true;
  }
  snprintf(out, size, "this release came before it, on %.10s", released);
  return *released && strncmp(released, day, 10) < 0;
}

static bool offers(const tn_patient* patient, const char* symbol) {
  return tn_elf_defines(patient->file->elf, symbol);
}

bool tn_device_layout_moved(size_t platform_struct_size, const char* release, char* out,
                            size_t size) {
  const bool before_2_5 = platform_struct_size > 36;
  const bool since_2_9 = platform_struct_size == 35;
  if (before_2_5 && tn_abi_version_compare(release, "2.5") >= 0) {
    snprintf(out, size,
             "its SP_Platform is 2.4's (%zu bytes); 2.5 took a member out of it and put one into "
             "SP_PlatformFns",
             platform_struct_size);
    return true;
  }
  if (since_2_9 && tn_abi_version_compare(release, "2.7") < 0) {
    snprintf(out, size,
             "its SP_Platform is of 2.9 or later; before 2.7 SP_StreamExecutor has host_callback "
             "where the plugin has mem_zero");
    return true;
  }
  return false;
}

static void diagnose(const tn_patient* patient, const char* release, tn_diagnosis* out) {
  const bool has_face = offers(patient, "TF_InitKernel") || offers(patient, "SE_InitPlugin") ||
                        offers(patient, "TF_InitGraph") || offers(patient, "TF_InitProfiler");
  obstacles found = {0};
  char absl[24], why[64];
  absl_of(patient, absl);
  if (!has_face) {
    out->verdict = TN_VERDICT_UNKNOWN;
    out->no_face = true;
    snprintf(out->reason, sizeof out->reason,
             "it has none of the entry points that TensorFlow looks for");
    return;
  }
  if (!is_exported("TF_LoadPluggableDeviceLibrary", release)) {
    out->verdict = TN_VERDICT_REFUSED;
    snprintf(out->reason, sizeof out->reason,
             "this release has no loader for such plugins (it came with 2.5)");
    return;
  }
  find_obstacles(patient, patient->file, release, &found);
  for (size_t i = 0; i < patient->companion_count; ++i)
    find_obstacles(patient, patient->companions[i], release, &found);
  if (found.libraries.count) {
    out->verdict = TN_VERDICT_REFUSED;
    snprintf(out->reason, sizeof out->reason,
             "\"%s: cannot open shared object file: No such file or directory\"%s%s%s",
             found.libraries.text,
             found.functions.count ? "; behind that, functions that this release lacks: " : "",
             found.functions.text,
             found.cpp.count ? "; and C++ symbols of one TensorFlow build" : "");
  } else if (found.functions.count) {
    out->verdict = TN_VERDICT_REFUSED;
    snprintf(out->reason, sizeof out->reason,
             "\"undefined symbol\": this release lacks %zu function%s: %s", found.functions.count,
             found.functions.count == 1 ? "" : "s", found.functions.text);
  } else if (offers(patient, "SE_InitPlugin") &&
             tn_device_layout_moved(patient->platform_struct_size, release, out->reason,
                                    sizeof out->reason)) {
    out->verdict = TN_VERDICT_CRASHES;
  } else if (found.cpp.count && *absl && lacks_absl(absl, release, why, sizeof why)) {
    out->verdict = TN_VERDICT_REFUSED;
    snprintf(out->reason, sizeof out->reason,
             "\"undefined symbol\": it needs C++ of absl %s, and %s", absl, why);
  } else if (found.cpp.count) {
    out->verdict = TN_VERDICT_LIMITED;
    snprintf(out->reason, sizeof out->reason,
             "needs C++ symbols of TensorFlow's insides, which only the build it was made for is "
             "sure to have: %s",
             found.cpp.text);
  } else if (found.weak.count) {
    out->verdict = TN_VERDICT_LIMITED;
    snprintf(out->reason, sizeof out->reason,
             "loads, but %zu function%s it would use %s missing: %s", found.weak.count,
             found.weak.count == 1 ? "" : "s", found.weak.count == 1 ? "is" : "are",
             found.weak.text);
  } else {
    out->verdict = TN_VERDICT_WORKS;
    snprintf(out->reason, sizeof out->reason,
             "all libraries and functions that it needs are there");
  }
}

void tn_diagnose_tensorflow(const tn_patient* patient, const char* release, tn_diagnosis* out) {
  diagnose(patient, release, out);
  out->loads = out->verdict == TN_VERDICT_WORKS || out->verdict == TN_VERDICT_LIMITED;
}
