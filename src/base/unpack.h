// Files out of an archive, into a folder of their own below TMPDIR.
#ifndef TENON_BASE_UNPACK_H_
#define TENON_BASE_UNPACK_H_

#include <stdbool.h>

#include "base/temporary.h"

// Unpacks the files that `wanted` picks by their names and gives the folder, to be handed to
// tn_temporary_remove; NULL when the archive cannot be read or holds a name that leads out of the
// folder, with nothing left behind.  [any thread]
char* tn_unpack(const char* path, bool (*wanted)(const char* name), tn_status* status);

#endif  // TENON_BASE_UNPACK_H_
