// What can be read of a plugin once it is loaded. For the child process of an inspection: the
// plugin may crash in any of these calls.
#ifndef TENON_HOST_LOAD_FACTS_H_
#define TENON_HOST_LOAD_FACTS_H_

#include "tenon/status.h"

// Where facts and stages go. A stage is told before it begins, so that whoever listens knows in
// which call the process ended.
typedef struct tn_fact_sink {
  void (*stage)(const char* name, void* arg);
  void (*fact)(const char* key, const char* value, void* arg);
  void* arg;
} tn_fact_sink;

// Loads the plugin at `path` (absolute), calls its entry points and tells what comes back; or calls
// only `create`, when it is not NULL, a function without parameters that gives a versioned struct,
// and tells "made": its struct_size, and a digit for each word, 0 where it is null. False when it
// does not load or has no such function.
bool tn_load_facts(const char* path, const char* create, const tn_fact_sink* sink,
                   tn_status* status);

#endif  // TENON_HOST_LOAD_FACTS_H_
