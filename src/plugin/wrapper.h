// A shared object written at run time that holds nothing but the names of others. Opening it opens
// them all in one local scope, so that a plugin that names no library finds our TF_* there, and
// nobody else does.
#ifndef TENON_PLUGIN_WRAPPER_H_
#define TENON_PLUGIN_WRAPPER_H_

#include <stddef.h>

#include "tenon/status.h"

// Opens `paths` (absolute), in this order of lookup, with dlopen's `flags`. The handle is owned by
// the process for ever. NULL when out of memory, or with dlopen's own words.  [any thread]
void* tn_wrapper_open(const char* const* paths, size_t count, int flags, tn_status* status);

// A file in memory, and a path that opens it as long as `*out_fd` is open. Each path is used once
// in a process: the loader takes a known name for a known file. False with a status on failure.
enum { TN_MEMORY_FILE_PATH = 128 };
bool tn_memory_file_create(const char* name, int* out_fd, char out_path[TN_MEMORY_FILE_PATH],
                           tn_status* status);

#endif  // TENON_PLUGIN_WRAPPER_H_
