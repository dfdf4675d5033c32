// Whole files in, whole files out.
#ifndef TENON_BASE_FILE_H_
#define TENON_BASE_FILE_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "base/view.h"
#include "tenon/status.h"

// Appends everything in `path` (a file, a pipe, /dev/stdin) to `out`. OUT_OF_RANGE when it holds
// more than `limit` bytes, of which no more than `limit` are read. On failure `out` is as before,
// and the status names the path.  [any thread]
bool tn_file_read(const char* path, size_t limit, tn_text* out, tn_status* status);

// Makes `path` hold `bytes`. Other processes see the old file or the new one, never a half: a
// neighbour is written and renamed over it. Keeps the permissions of a file that is replaced and
// follows symbolic links; what is no regular file (/dev/stdout, a pipe) is written in place. On
// failure the old file stays and no neighbour is left behind.  [any thread]
bool tn_file_write(const char* path, tn_view bytes, tn_status* status);

#endif  // TENON_BASE_FILE_H_
