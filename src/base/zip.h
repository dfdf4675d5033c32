// ZIP archives (a Python wheel, numpy's .npz), their 64-bit form included. The bytes are not
// trusted. Format: PKWARE's APPNOTE, sections 4.3-4.5.
#ifndef TENON_BASE_ZIP_H_
#define TENON_BASE_ZIP_H_

#include "base/arena.h"
#include "base/file.h"

typedef struct tn_zip_entry {
  const char* name;                // a path inside the archive, as its writer spelled it
  uint64_t at, packed_size, size;  // of its local header; bytes in the archive and unpacked
  uint32_t checksum;
  uint16_t method;  // 0 stored, 8 deflated
  uint16_t date;    // as MS-DOS counted: years since 1980, months and days in 7, 4 and 5 bits
  bool encrypted;
} tn_zip_entry;

typedef struct tn_zip {
  tn_file_reader file;
  tn_zip_entry* entries;  // in the order of the archive's own list
  size_t count, capacity;
  tn_arena arena;
} tn_zip;

// Reads the list of files. INVALID_ARGUMENT, naming the path, when it is no archive, a damaged one,
// or one that can be read in two ways: two entries of one name, entries that share their bytes.
// To be closed in any case.  [any thread]
bool tn_zip_open(tn_zip* zip, const char* path, tn_status* status);
void tn_zip_close(tn_zip* zip);

// One entry being read, in order. Borrows the archive.  [one thread per reader]
typedef struct tn_zip_reader tn_zip_reader;
// Owned by the caller until tn_zip_reader_close. UNIMPLEMENTED when the entry is encrypted or
// packed by a method that is not known; INVALID_ARGUMENT when it cannot have the size it claims.
tn_zip_reader* tn_zip_reader_open(const tn_zip* zip, const tn_zip_entry* entry, tn_status* status);
// Exactly `size` of the unpacked bytes.
bool tn_zip_reader_get(tn_zip_reader* reader, void* to, size_t size, tn_status* status);
uint64_t tn_zip_reader_left(const tn_zip_reader* reader);
// Reads what is left, and fails when the bytes of all do not have the checksum of the list.
bool tn_zip_reader_finish(tn_zip_reader* reader, tn_status* status);
void tn_zip_reader_close(tn_zip_reader* reader);

// Writes an entry to the file at `path`, piece by piece; a failure leaves what was there, and the
// status names entry and archive.  [any thread]
bool tn_zip_extract(const tn_zip* zip, const tn_zip_entry* entry, const char* path,
                    tn_status* status);

#endif  // TENON_BASE_ZIP_H_
