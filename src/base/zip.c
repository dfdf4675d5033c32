// The list of files at the end of an archive.
#include "base/zip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "base/status.h"

enum {
  central_size = 46,  // of the fixed parts of the records
  end_size = 22,
  end64_size = 56,
  locator64_size = 20,
  max_comment = UINT16_MAX,
  max_list = 256 << 20,  // some three million files
};

// The record at the end says where the list is; its 64-bit form, when there is one, says better.
static bool find_list(const tn_zip* zip, uint64_t* out_at, uint64_t* out_size, tn_status* status) {
  uint64_t size = zip->file.size;
  size_t tail = size < end_size + max_comment ? (size_t)size : end_size + max_comment;
  uint8_t* bytes = tn_alloc(tail);
  if (!bytes) {
    tn_status_set_no_memory(status, "opening a zip archive");
    return false;
  }
  bool read = tn_file_reader_get(&zip->file, size - tail, bytes, tail, status), found = false;
  uint64_t end_at = 0;
  for (size_t at = tail < end_size ? 0 : tail - end_size + 1; read && !found && at-- > 0;) {
    // The comment after it may look like anything, but must reach the end of the file.
    found =
        memcmp(bytes + at, "PK\5\6", 4) == 0 && tn_get16(bytes + at + 20) == tail - at - end_size;
    end_at = size - tail + at;
    *out_size = tn_get32(bytes + at + 12);
    *out_at = tn_get32(bytes + at + 16);
  }
  tn_free(bytes);
  if (read && !found)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no zip archive, or one cut short: there is no list of files at its end");
  if (!read || end_at < locator64_size) return read;

  uint8_t locator[locator64_size], end64[end64_size];
  if (!tn_file_reader_get(&zip->file, end_at - locator64_size, locator, sizeof locator, status))
    return false;
  if (memcmp(locator, "PK\6\7", 4) != 0) return true;
  if (!tn_file_reader_get(&zip->file, tn_get64(locator + 8), end64, sizeof end64, status))
    return false;
  if (memcmp(end64, "PK\6\6", 4) != 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the zip64 record at the end is damaged");
  *out_size = tn_get64(end64 + 40);
  *out_at = tn_get64(end64 + 48);
  return true;
}

// Takes 64-bit numbers from the extra field for those that did not fit into 32.
static void widen(tn_zip_entry* entry, const uint8_t* extra, size_t size) {
  while (size >= 4) {
    size_t length = tn_get16(extra + 2);
    if (length > size - 4) return;
    if (tn_get16(extra) == 1) {
      uint64_t* fields[] = {&entry->size, &entry->packed_size, &entry->at};
      const uint8_t* at = extra + 4;
      for (int i = 0; i < 3; ++i) {
        if (*fields[i] != UINT32_MAX || length < 8) continue;
        *fields[i] = tn_get64(at);
        at += 8;
        length -= 8;
      }
      return;
    }
    extra += 4 + length;
    size -= 4 + length;
  }
}

static bool add_entry(tn_zip* zip, const uint8_t* record, tn_status* status) {
  const tn_view name = {(const char*)record + central_size, tn_get16(record + 28)};
  if (name.size == 0 || memchr(name.data, '\0', name.size))
    return tn_fail(status, TN_INVALID_ARGUMENT, "the name of its file %zu %s", zip->count + 1,
                   name.size == 0 ? "is empty" : "has a zero byte in it");
  tn_zip_entry entry = {.name = tn_arena_copy(&zip->arena, name),
                        .at = tn_get32(record + 42),
                        .packed_size = tn_get32(record + 20),
                        .size = tn_get32(record + 24),
                        .checksum = tn_get32(record + 16),
                        .method = tn_get16(record + 10),
                        .date = tn_get16(record + 14),
                        .encrypted = record[8] & 1};
  if (!entry.name || !tn_grow(&zip->entries, &zip->capacity, zip->count + 1, sizeof entry)) {
    tn_status_set_no_memory(status, "opening a zip archive");
    return false;
  }
  widen(&entry, record + central_size + name.size, tn_get16(record + 30));
  zip->entries[zip->count++] = entry;
  return true;
}

static bool read_list(tn_zip* zip, const uint8_t* bytes, size_t size, tn_status* status) {
  for (size_t at = 0; at < size;) {
    const uint8_t* record = bytes + at;
    size_t left = size - at, record_size = central_size;
    if (left >= central_size)
      record_size += tn_get16(record + 28) + (size_t)tn_get16(record + 30) + tn_get16(record + 32);
    if (left < record_size || memcmp(record, "PK\1\2", 4) != 0)
      return tn_fail(status, TN_INVALID_ARGUMENT, "its list of files is damaged at its byte %zu",
                     at);
    if (!add_entry(zip, record, status)) return false;
    at += record_size;
  }
  return true;
}

static int by_name(const void* a, const void* b) {
  return strcmp(*(const char* const*)a, *(const char* const*)b);
}

// Readers differ in which of two entries with one name they take.
static bool check_names(const tn_zip* zip, tn_status* status) {
  const char** names = tn_alloc((zip->count + 1) * sizeof *names);
  if (!names) {
    tn_status_set_no_memory(status, "opening a zip archive");
    return false;
  }
  for (size_t i = 0; i < zip->count; ++i) names[i] = zip->entries[i].name;
  qsort(names, zip->count, sizeof *names, by_name);
  bool distinct = true;
  for (size_t i = 1; distinct && i < zip->count; ++i)
    if (strcmp(names[i - 1], names[i]) == 0)
      distinct = tn_fail(status, TN_INVALID_ARGUMENT,
                         "two of its files are named '%s': which one is meant cannot be known; "
                         "write the archive anew",
                         names[i]);
  tn_free(names);
  return distinct;
}

// Entries that share bytes make an archive unpack to far more than deflate alone can.
static bool check_sizes(const tn_zip* zip, tn_status* status) {
  uint64_t left = zip->file.size;
  for (size_t i = 0; i < zip->count; ++i) {
    if (zip->entries[i].packed_size > left)
      return tn_fail(status, TN_INVALID_ARGUMENT,
                     "its %zu files take more bytes than the %" PRIu64 " that it has, with '%s'",
                     zip->count, zip->file.size, zip->entries[i].name);
    left -= zip->entries[i].packed_size;
  }
  return true;
}

static bool read_archive(tn_zip* zip, tn_status* status) {
  uint64_t at = 0, size = 0;
  if (!find_list(zip, &at, &size, status)) return false;
  if (at > zip->file.size || size > zip->file.size - at)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "its list of files (%" PRIu64 " bytes at %" PRIu64
                   ") lies outside the file of %" PRIu64 " bytes",
                   size, at, zip->file.size);
  if (size > max_list)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "its list of files takes %" PRIu64 " bytes; no more than %d are read", size,
                   max_list);
  uint8_t* bytes = tn_alloc((size_t)size);
  if (!bytes) {
    tn_status_set_no_memory(status, "opening a zip archive");
    return false;
  }
  const bool read = tn_file_reader_get(&zip->file, at, bytes, (size_t)size, status) &&
                    read_list(zip, bytes, (size_t)size, status);
  tn_free(bytes);
  return read && check_names(zip, status) && check_sizes(zip, status);
}

bool tn_zip_open(tn_zip* zip, const char* path, tn_status* status) {
  *zip = (tn_zip){.file = {.descriptor = -1}};
  if (!tn_file_reader_open(&zip->file, path, tn_view_of("PK"), status)) return false;
  if (read_archive(zip, status)) return true;
  tn_status_annotate(status, "while opening '%s'", path);
  return false;
}

void tn_zip_close(tn_zip* zip) {
  tn_file_reader_close(&zip->file);
  tn_free(zip->entries);
  tn_arena_deinit(&zip->arena);
  *zip = (tn_zip){.file = {.descriptor = -1}};
}
