// A wheel of TensorFlow as rows of data/abi/tf and of data/abi/pjrt/tf_pjrt.tsv.
#ifndef TENON_TOOLS_TENON_ABI_IMPORT_TF_H_
#define TENON_TOOLS_TENON_ABI_IMPORT_TF_H_

#include "elf/look.h"
#include "import.h"
#include "release_rows.h"

enum { TF_LIBRARIES = 3 };
extern const char* const tf_library_names[TF_LIBRARIES];  // "framework", "cc", "pywrap"
extern const char* const tf_library_files[TF_LIBRARIES];  // in the order of the tables

// A release that was read.
typedef struct tf_release {
  const wheel* wheel;
  char include[4200];
  tn_abi_model headers;  // of all C headers together
  tn_elf* libraries[TF_LIBRARIES];
  // Of the hundred thousands that they export, the C functions.
  const char** functions[TF_LIBRARIES];
  size_t function_counts[TF_LIBRARIES];
} tf_release;

bool tf_is_c_name(const char* name);

// The path below include/ of a "file:line"; "" for one that lies elsewhere.
const char* tf_header_path(const tf_release* release, const char* where, char out[1024]);
// True when the tables follow what this file declares.
bool tf_is_followed(const data_tables* tables, const char* header);

// What the functions of one release are, counted for releases.tsv.
typedef struct tf_counts {
  int tf, tfe, tsl, in_library[TF_LIBRARIES], in_two, declared_only;
} tf_counts;
// exports.tsv, signatures.tsv and signature_changes.tsv.
void import_tf_functions(release_edit* edit, const tf_release* release, tf_counts* out);

#endif  // TENON_TOOLS_TENON_ABI_IMPORT_TF_H_
