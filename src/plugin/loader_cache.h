// The list of libraries that ldconfig keeps for the dynamic loader (/etc/ld.so.cache).
#ifndef TENON_PLUGIN_LOADER_CACHE_H_
#define TENON_PLUGIN_LOADER_CACHE_H_

#include <stdbool.h>

// Sets `*out_path` to the cached path of `name`, owned by the caller until tn_free, or to NULL when
// the cache has none (or there is no cache). False only when out of memory.  [any thread]
bool tn_loader_cache_find(const char* name, char** out_path);

#endif  // TENON_PLUGIN_LOADER_CACHE_H_
