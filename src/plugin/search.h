// Finding a library by name, in the order in which the dynamic loader looks.
#ifndef TENON_PLUGIN_SEARCH_H_
#define TENON_PLUGIN_SEARCH_H_

#include "elf/look.h"

// An object whose needs are looked for, and the one that needs it (NULL for the first).
typedef struct tn_search_for {
  const tn_elf* elf;
  const struct tn_search_for* needed_by;
} tn_search_for;

typedef enum tn_search_result {
  TN_SEARCH_FOUND,
  TN_SEARCH_LOADED,  // already in this process under that name
  TN_SEARCH_MISSING,
  TN_SEARCH_UNSURE,  // a search path has a token that only the loader knows ($LIB, $PLATFORM)
  TN_SEARCH_FAILED,  // out of memory
} tn_search_result;

// Where the loader would find `name` for `object`. FOUND and LOADED set `*out_path`, owned by the
// caller until tn_free.  [any thread]
tn_search_result tn_search_library(const char* name, const tn_search_for* object, char** out_path);

#endif  // TENON_PLUGIN_SEARCH_H_
