// Whole files in, whole files out; in pieces, when they are too large to hold twice.
#ifndef TENON_BASE_FILE_H_
#define TENON_BASE_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

// The same in pieces. A failed write is remembered until the end.  [one thread per writer]
typedef struct tn_file_writer tn_file_writer;
tn_file_writer* tn_file_writer_open(const char* path, tn_status* status);
void tn_file_writer_add(tn_file_writer* writer, const void* bytes, size_t size);
// Ends and frees the writer; NULL is fine. With `keep` the file takes its place, without it
// everything is as before (but for what a pipe has swallowed). False when the file could not be
// kept.
bool tn_file_writer_close(tn_file_writer* writer, bool keep, tn_status* status);

// `path` from the root on. Links stay as they are: $ORIGIN means the folder of the name that was
// given. Owned by the caller until tn_free.  [any thread]
char* tn_absolute_path(const char* path, tn_status* status);

// A file to read at any place. What is no regular file (a pipe) is taken into memory first.
typedef struct tn_file_reader {
  char* path;
  int descriptor;  // -1 when the bytes are held
  tn_text held;
  uint64_t size;
} tn_file_reader;
// What is no regular file (a pipe, a device) is read whole, but only when it begins with `magic`
// (at most 16 bytes): else those first bytes are all that is held.
bool tn_file_reader_open(tn_file_reader* reader, const char* path, tn_view magic,
                         tn_status* status);
// Reads exactly `size` bytes, or fails with OUT_OF_RANGE (past the end) or as reading does.
// [any thread]
bool tn_file_reader_get(const tn_file_reader* reader, uint64_t at, void* bytes, size_t size,
                        tn_status* status);
void tn_file_reader_close(tn_file_reader* reader);

#endif  // TENON_BASE_FILE_H_
