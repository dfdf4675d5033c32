// The bytes of one entry of an archive, stored or deflated.
#include <inttypes.h>
#include <string.h>
#include <zlib.h>

#include "base/little_endian.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/zip.h"

enum {
  local_size = 30,   // of the fixed part of the record before the bytes
  max_ratio = 1032,  // deflate cannot do better
  piece = 64 * 1024,
  stored = 0,
  deflated = 8,
};

struct tn_zip_reader {
  const tn_file_reader* file;
  const tn_zip_entry* entry;
  uint64_t at;           // in the file
  uint64_t packed_left;  // bytes of the entry not yet taken from the file
  uint64_t left;         // bytes not yet given
  uint32_t checksum;
  bool inflating;
  z_stream stream;
  uint8_t input[16 * 1024];
};

static void* zip_alloc(void* unused, unsigned items, unsigned size) {
  return tn_alloc_zeroed(items, size);
}
static void zip_free(void* unused, void* memory) { tn_free(memory); }

// Finds the bytes and says whether they can be what the list claims.
static bool begin(tn_zip_reader* reader, const tn_zip* zip, const tn_zip_entry* entry,
                  tn_status* status) {
  if (entry->encrypted) return tn_fail(status, TN_UNIMPLEMENTED, "it is encrypted");
  if (entry->method != stored && entry->method != deflated)
    return tn_fail(status, TN_UNIMPLEMENTED,
                   "it is packed by zip method %d; 0 (stored) and 8 (deflated) are known",
                   entry->method);
  uint8_t local[local_size];
  if (!tn_file_reader_get(&zip->file, entry->at, local, sizeof local, status)) return false;
  if (memcmp(local, "PK\3\4", 4) != 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the archive's list does not point to it");
  uint64_t at = entry->at + local_size + tn_get16(local + 26) + tn_get16(local + 28);
  if (at > zip->file.size || entry->packed_size > zip->file.size - at)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the archive ends before it does");
  // What the size says is allocated or written later, so it must be possible.
  if (entry->method == stored ? entry->size != entry->packed_size
                              : entry->size / max_ratio > entry->packed_size)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "it cannot have %" PRIu64 " bytes when unpacked from %" PRIu64, entry->size,
                   entry->packed_size);
  *reader = (tn_zip_reader){.file = &zip->file,
                            .entry = entry,
                            .at = at,
                            .packed_left = entry->packed_size,
                            .left = entry->size,
                            .stream = {.zalloc = zip_alloc, .zfree = zip_free}};
  if (entry->method == stored) return true;
  reader->inflating = inflateInit2(&reader->stream, -MAX_WBITS) == Z_OK;
  if (!reader->inflating) tn_status_set_no_memory(status, "unpacking a zip archive");
  return reader->inflating;
}

tn_zip_reader* tn_zip_reader_open(const tn_zip* zip, const tn_zip_entry* entry, tn_status* status) {
  tn_zip_reader* reader = tn_alloc(sizeof *reader);
  if (!reader) {
    tn_status_set_no_memory(status, "unpacking a zip archive");
    return NULL;
  }
  if (begin(reader, zip, entry, status)) return reader;
  tn_free(reader);
  return NULL;
}

void tn_zip_reader_close(tn_zip_reader* reader) {
  if (!reader) return;
  if (reader->inflating) inflateEnd(&reader->stream);
  tn_free(reader);
}

uint64_t tn_zip_reader_left(const tn_zip_reader* reader) { return reader->left; }

static bool refill(tn_zip_reader* reader, tn_status* status) {
  size_t now =
      sizeof reader->input < reader->packed_left ? sizeof reader->input : reader->packed_left;
  if (!tn_file_reader_get(reader->file, reader->at, reader->input, now, status)) return false;
  reader->at += now;
  reader->packed_left -= now;
  reader->stream.next_in = reader->input;
  reader->stream.avail_in = (unsigned)now;
  return true;
}

static bool inflate_into(tn_zip_reader* reader, uint8_t* to, size_t size, tn_status* status) {
  z_stream* stream = &reader->stream;
  while (size > 0) {
    if (stream->avail_in == 0 && reader->packed_left > 0 && !refill(reader, status)) return false;
    unsigned room = size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
    stream->next_out = to;
    stream->avail_out = room;
    int result = inflate(stream, Z_NO_FLUSH);
    size_t got = room - stream->avail_out;
    to += got;
    size -= got;
    if (result == Z_OK || (result == Z_STREAM_END && size == 0)) continue;
    if (result == Z_MEM_ERROR) {
      tn_status_set_no_memory(status, "unpacking a zip archive");
      return false;
    }
    return tn_fail(status, TN_INVALID_ARGUMENT, "its packed bytes are damaged (%s)",
                   stream->msg ? stream->msg : "they end too early");
  }
  return true;
}

bool tn_zip_reader_get(tn_zip_reader* reader, void* to, size_t size, tn_status* status) {
  if (size == 0) return true;
  if (size > reader->left) return tn_fail(status, TN_INVALID_ARGUMENT, "it ends too early");
  if (reader->inflating) {
    if (!inflate_into(reader, to, size, status)) return false;
  } else {
    if (!tn_file_reader_get(reader->file, reader->at, to, size, status)) return false;
    reader->at += size;
  }
  reader->left -= size;
  reader->checksum = (uint32_t)crc32_z(reader->checksum, to, size);
  return true;
}

bool tn_zip_reader_finish(tn_zip_reader* reader, tn_status* status) {
  uint8_t rest[4096];
  while (reader->left > 0) {
    size_t now = reader->left < sizeof rest ? (size_t)reader->left : sizeof rest;
    if (!tn_zip_reader_get(reader, rest, now, status)) return false;
  }
  return reader->checksum == reader->entry->checksum ||
         tn_fail(status, TN_INVALID_ARGUMENT, "its bytes are damaged (wrong checksum)");
}

static bool copy_out(tn_zip_reader* reader, tn_file_writer* writer, tn_status* status) {
  uint8_t* bytes = tn_alloc(piece);
  if (!bytes) tn_status_set_no_memory(status, "unpacking a zip archive");
  bool good = bytes != NULL;
  while (good && reader->left > 0) {
    size_t now = reader->left < piece ? (size_t)reader->left : piece;
    good = tn_zip_reader_get(reader, bytes, now, status);
    if (good) tn_file_writer_add(writer, bytes, now);
  }
  tn_free(bytes);
  return good && tn_zip_reader_finish(reader, status);
}

bool tn_zip_extract(const tn_zip* zip, const tn_zip_entry* entry, const char* path,
                    tn_status* status) {
  tn_zip_reader* reader = tn_zip_reader_open(zip, entry, status);
  tn_file_writer* writer = reader ? tn_file_writer_open(path, status) : NULL;
  bool good = writer && copy_out(reader, writer, status);
  good = tn_file_writer_close(writer, good, good ? status : NULL) && good;
  tn_zip_reader_close(reader);
  if (!good)
    tn_status_annotate(status, "while unpacking '%s' of '%s'", entry->name, zip->file.path);
  return good;
}
