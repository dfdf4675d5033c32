// Files out of an archive, into a folder of their own below TMPDIR.
#ifndef TENON_BASE_UNPACK_H_
#define TENON_BASE_UNPACK_H_

#include <stdbool.h>

#include "tenon/status.h"

// Unpacks the files that `wanted` picks by their names and gives the folder, to be handed to
// tn_unpack_remove; NULL when the archive cannot be read or holds a name that leads out of the
// folder, with nothing left behind.  [any thread]
char* tn_unpack(const char* path, bool (*wanted)(const char* name), tn_status* status);

// Removes the folder and all below it. NULL is fine.
void tn_unpack_remove(char* folder);

#endif  // TENON_BASE_UNPACK_H_
