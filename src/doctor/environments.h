// The Python environments that a user means, and the frameworks in them. No Python is run: where an
// interpreter keeps its packages follows from where it lies.
#ifndef TENON_DOCTOR_ENVIRONMENTS_H_
#define TENON_DOCTOR_ENVIRONMENTS_H_

#include "base/arena.h"
#include "tenon/status.h"

// A framework's release as its package metadata names it.
typedef struct tn_installed {
  const char *framework, *version;  // "tensorflow", "2.21.0"
} tn_installed;

typedef struct tn_environment {
  const char* folder;   // what holds its bin and lib
  const char* because;  // why it was looked at: "VIRTUAL_ENV", "python3 on PATH"
  const char* problem;  // why it could not be looked through; NULL when it was
  tn_installed* packages;
  size_t package_count, capacity;
} tn_environment;

typedef struct tn_environments {
  tn_environment* all;
  size_t count, capacity;
  tn_arena arena;
} tn_environments;

// Finds those of `pythons`, each an interpreter or the folder of an environment. Without any, those
// that a shell would use: $VIRTUAL_ENV, $CONDA_PREFIX and the python3 on $PATH. NOT_FOUND when one
// of `pythons` is not there. To be freed by tn_environments_deinit in any case.  [any thread]
bool tn_environments_find(tn_environments* out, const char* const* pythons, size_t python_count,
                          tn_status* status);
void tn_environments_deinit(tn_environments* environments);

#endif  // TENON_DOCTOR_ENVIRONMENTS_H_
