// The shared objects of a package: a file, all of a folder, or all of a wheel.
#ifndef TENON_DOCTOR_PACKAGE_H_
#define TENON_DOCTOR_PACKAGE_H_

#include <stdbool.h>
#include <stddef.h>

#include "tenon/status.h"

typedef struct tn_package_file {
  char* path;  // where it lies now
  char* name;  // what to call it: inside of the package
} tn_package_file;

// Zero bytes are an empty package.
typedef struct tn_package {
  tn_package_file* files;
  size_t count, capacity;
  char* unpacked;  // the folder a wheel was unpacked into; removed with the package
} tn_package;

// Finds them. A wheel's are unpacked into a folder of its own below TMPDIR. NOT_FOUND when a folder
// or a wheel has none. To be closed in any case.  [any thread]
bool tn_package_open(tn_package* package, const char* path, tn_status* status);
void tn_package_close(tn_package* package);

#endif  // TENON_DOCTOR_PACKAGE_H_
