// What a plugin needs before it can be opened, all of it at once: the loader itself would name only
// the first thing it misses.
#ifndef TENON_PLUGIN_NEEDS_H_
#define TENON_PLUGIN_NEEDS_H_

#include "plugin/search.h"

// A file that opening the plugin opens, or finds open.
typedef struct tn_library {
  struct tn_library* next;
  tn_elf* elf;
  tn_search_for search;
  const char* name;  // as it was asked for; the path for the plugin itself
  bool loaded;       // in this process before
  bool shim;         // ours, in place of TensorFlow's library of that name
  bool tensorflow;   // TensorFlow's own library of that name, in this process before
} tn_library;

typedef enum tn_gap_kind {
  TN_GAP_LIBRARY,        // a library is nowhere
  TN_GAP_VERSION,        // a library is there, and lacks a version node
  TN_GAP_FUNCTION,       // a TF_* function that this host does not have
  TN_GAP_WEAK_FUNCTION,  // the same, wanted weakly: it will be NULL
  TN_GAP_SYMBOL,         // a symbol that none of the libraries defines
} tn_gap_kind;

typedef struct tn_gap {
  tn_gap_kind kind;
  const char* name;
  const char* library;  // TN_GAP_VERSION: the library that lacks it
  const tn_elf* wanted_by;
} tn_gap;

typedef struct tn_needs {
  tn_library* libraries;  // the plugin first
  tn_library* host;       // the library with our TF_*
  tn_gap* gaps;
  size_t gap_count, gap_capacity;
  bool unsure;  // a library could not be looked for: symbols were not checked
} tn_needs;

// Finds all that `elf` needs. Takes `elf` in every case. Owned by the caller until
// tn_needs_destroy; NULL when our own files are missing or out of memory.  [any thread]
tn_needs* tn_needs_find(tn_elf* elf, tn_status* status);
void tn_needs_destroy(tn_needs* needs);

// Names all that is missing, one a line, in the status of a refused plugin.
#define TN_MISSING_PAYLOAD "tenon/missing"

// False, with everything that is missing in one message, when the plugin cannot be opened.
// Functions wanted weakly count unless `weak_is_fine`.
bool tn_needs_check(const tn_needs* needs, bool weak_is_fine, tn_status* status);

// True for names that only a host of TensorFlow's C API defines.
bool tn_is_host_function(const char* name);

#endif  // TENON_PLUGIN_NEEDS_H_
