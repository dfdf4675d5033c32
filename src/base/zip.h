// Files out of a ZIP archive (a Python wheel). The bytes are not trusted.
#ifndef TENON_BASE_ZIP_H_
#define TENON_BASE_ZIP_H_

#include "base/arena.h"
#include "base/file.h"

typedef struct tn_zip_entry {
  const char* name;
  uint64_t at, packed_size, size;  // of its local header, in the archive and unpacked
  uint16_t method;                 // 0 stored, 8 deflated
} tn_zip_entry;

typedef struct tn_zip {
  tn_file_reader file;
  tn_zip_entry* entries;
  size_t count;
  tn_arena arena;
} tn_zip;

// Reads the list of files. INVALID_ARGUMENT, naming the path, when it is no archive or a damaged
// one. To be closed in any case.
bool tn_zip_open(tn_zip* zip, const char* path, tn_status* status);
void tn_zip_close(tn_zip* zip);

// Writes an entry to the file at `path`, piece by piece. Fails when its bytes do not add up to its
// size.
bool tn_zip_extract(const tn_zip* zip, const tn_zip_entry* entry, const char* path,
                    tn_status* status);

#endif  // TENON_BASE_ZIP_H_
