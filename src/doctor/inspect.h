// What a plugin file is, offers, needs and leaks, without loading it.
#ifndef TENON_DOCTOR_INSPECT_H_
#define TENON_DOCTOR_INSPECT_H_

#include "doctor/families.h"
#include "elf/look.h"
#include "elf/origin_marks.h"
#include "tenon/status.h"

// An entry symbol that a framework looks for.
typedef struct tn_face_symbol {
  const char *symbol, *offers;
} tn_face_symbol;

// Whether a version script chose the exports, as far as the file shows it.
typedef enum tn_version_script {
  TN_VERSION_SCRIPT_UNKNOWN,  // few and clean, which hidden visibility alone can do as well
  TN_VERSION_SCRIPT_NODE,     // yes: it defines a version node
  TN_VERSION_SCRIPT_MARKS,    // no: it exports names that linkers make
  TN_VERSION_SCRIPT_LEAKS,    // no: it exports other projects' code
} tn_version_script;

enum { TN_FLOOR_TEXT = 24, TN_MOST_ENTRY_POINTS = 16 };

// Texts and arrays belong to the inspection.
typedef struct tn_inspection {
  tn_elf* elf;
  tn_elf_marks marks;
  const tn_face_symbol* entry_points[TN_MOST_ENTRY_POINTS];
  size_t entry_point_count;
  // Functions of a host's C API that it imports, by whether it can do without.
  const char **host_functions, **weak_host_functions;
  size_t host_function_count, weak_host_function_count;
  // C++ symbols that no library of the system versions: a framework's insides. The families count
  // weak ones too.
  size_t cpp_imports, cpp_imports_by_family[TN_FAMILIES], cpp_imports_of_others;
  const char** libraries;  // needed ones that are not the system's
  size_t library_count;
  char glibc[TN_FLOOR_TEXT], glibcxx[TN_FLOOR_TEXT], cxxabi[TN_FLOOR_TEXT];  // "" when none
  size_t leaks[TN_FAMILIES];                                                 // exports by family
  tn_version_script version_script;
  const char*
      version_script_sign;  // the node, the name or the family that tells; NULL when unknown
} tn_inspection;

// Looks at the file. Owned by the caller until tn_inspection_destroy. NULL, with what is wrong,
// when it is no ELF file or a damaged one.  [any thread]
tn_inspection* tn_inspect(const char* path, tn_status* status);
void tn_inspection_destroy(tn_inspection* inspection);

// Told of each thing that was read.
typedef void (*tn_fact_fn)(const char* key, const char* value, void* arg);

// Loads the file in a child process, for at most `time_limit_ms`, and tells `fact` what it read
// there: "pjrt_version", "api_struct_size", "extensions", "attribute.NAME", "ops", "kernels",
// "platform_name", "devices", "null_member" (once for each), "threads_started" and so on. False
// when it did not load, crashed or hung ("ended" tells how): what was told before stays true, and
// the status names the call.  [any thread]
bool tn_inspect_loaded(const char* path, uint32_t time_limit_ms, tn_fact_fn fact, void* arg,
                       tn_status* status);
// The same for one function of the plugin that makes a versioned struct (host/load_facts.h).
bool tn_inspect_made(const char* path, const char* create, uint32_t time_limit_ms, tn_fact_fn fact,
                     void* arg, tn_status* status);

#endif  // TENON_DOCTOR_INSPECT_H_
