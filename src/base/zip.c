#include "base/zip.h"

#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum {
  END_SIZE = 22,         // of the record that ends an archive
  MOST_COMMENT = 65535,  // behind which it may hide
  CENTRAL_SIZE = 46,
  LOCAL_SIZE = 30,
  MOST_CENTRAL = 64 << 20,
  PIECE = 1 << 16,
};

static uint64_t number(const unsigned char* bytes, int size) {
  uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i) value = value << 8 | bytes[i];
  return value;
}

static bool damaged(const tn_zip* zip, const char* what, tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s: %s", zip->file.path ? zip->file.path : "archive",
                what);
  return false;
}

// Where the list of files begins, how long it is and how many they are.
static bool find_list(const tn_zip* zip, uint64_t* at, uint64_t* size, uint64_t* count,
                      tn_status* status) {
  const uint64_t most = END_SIZE + MOST_COMMENT;
  const uint64_t tail = zip->file.size < most ? zip->file.size : most;
  if (tail < END_SIZE) return damaged(zip, "too short for an archive", status);
  unsigned char* bytes = tn_alloc(tail);
  if (!bytes) {
    tn_status_set_no_memory(status, "reading an archive");
    return false;
  }
  bool found = false;
  if (tn_file_reader_get(&zip->file, zip->file.size - tail, bytes, tail, status)) {
    for (uint64_t i = tail - END_SIZE + 1; i-- > 0 && !found;)
      if (memcmp(bytes + i, "PK\5\6", 4) == 0) {
        *count = number(bytes + i + 10, 2);
        *size = number(bytes + i + 12, 4);
        *at = number(bytes + i + 16, 4);
        found = true;
      }
    if (!found) damaged(zip, "no archive: it has no list of files", status);
  }
  tn_free(bytes);
  return found;
}

static bool read_list(tn_zip* zip, const unsigned char* bytes, uint64_t size, uint64_t count,
                      tn_status* status) {
  zip->entries = tn_arena_alloc(&zip->arena, (count + 1) * sizeof *zip->entries);
  if (!zip->entries) {
    tn_status_set_no_memory(status, "reading an archive");
    return false;
  }
  for (uint64_t at = 0; zip->count < count;) {
    if (size - at < CENTRAL_SIZE || memcmp(bytes + at, "PK\1\2", 4) != 0)
      return damaged(zip, "its list of files is damaged", status);
    const unsigned char* entry = bytes + at;
    const uint64_t name = number(entry + 28, 2),
                   rest = number(entry + 30, 2) + number(entry + 32, 2);
    if (size - at - CENTRAL_SIZE < name + rest)
      return damaged(zip, "its list of files is damaged", status);
    tn_zip_entry* made = &zip->entries[zip->count++];
    *made = (tn_zip_entry){
        tn_arena_copy(&zip->arena, (tn_view){(const char*)entry + CENTRAL_SIZE, name}),
        number(entry + 42, 4), number(entry + 20, 4), number(entry + 24, 4),
        (uint16_t)number(entry + 10, 2)};
    if (!made->name) {
      tn_status_set_no_memory(status, "reading an archive");
      return false;
    }
    at += CENTRAL_SIZE + name + rest;
  }
  return true;
}

bool tn_zip_open(tn_zip* zip, const char* path, tn_status* status) {
  uint64_t at, size, count;
  *zip = (tn_zip){.count = 0};
  if (!tn_file_reader_open(&zip->file, path, (tn_view){"PK", 2}, status)) return false;
  if (!find_list(zip, &at, &size, &count, status)) return false;
  if (size > MOST_CENTRAL || at > zip->file.size || size > zip->file.size - at ||
      count > size / CENTRAL_SIZE)
    return damaged(zip, "its list of files lies outside of it", status);
  unsigned char* bytes = tn_alloc(size + 1);
  if (!bytes) {
    tn_status_set_no_memory(status, "reading an archive");
    return false;
  }
  const bool read = tn_file_reader_get(&zip->file, at, bytes, size, status) &&
                    read_list(zip, bytes, size, count, status);
  tn_free(bytes);
  return read;
}

void tn_zip_close(tn_zip* zip) {
  tn_file_reader_close(&zip->file);
  tn_arena_deinit(&zip->arena);
  *zip = (tn_zip){.count = 0};
}

// Reads `left` packed bytes from `at` on and writes what they unpack to.
static bool unpack(const tn_zip* zip, const tn_zip_entry* entry, uint64_t at,
                   tn_file_writer* writer, tn_status* status) {
  static const char bad[] = "a file in it is damaged";
  unsigned char *in = tn_alloc(PIECE), *out = tn_alloc(PIECE);
  z_stream stream = {0};
  const bool deflated = entry->method == 8;
  bool good = in && out && (!deflated || inflateInit2(&stream, -MAX_WBITS) == Z_OK);
  if (!good) tn_status_set_no_memory(status, "unpacking an archive");
  const bool begun = good;
  uint64_t left = entry->packed_size, made = 0;
  int state = Z_OK;
  while (good && left > 0 && state != Z_STREAM_END) {
    const size_t some = left < PIECE ? (size_t)left : PIECE;
    if (!(good = tn_file_reader_get(&zip->file, at, in, some, status))) break;
    at += some;
    left -= some;
    if (!deflated) {
      tn_file_writer_add(writer, in, some);
      made += some;
      continue;
    }
    stream.next_in = in;
    stream.avail_in = (unsigned)some;
    do {
      stream.next_out = out;
      stream.avail_out = PIECE;
      state = inflate(&stream, Z_NO_FLUSH);
      const size_t filled = PIECE - stream.avail_out;
      made += filled;
      good =
          (state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR) && made <= entry->size;
      if (good) tn_file_writer_add(writer, out, filled);
    } while (good && stream.avail_out == 0 && state != Z_STREAM_END);
    if (!good) damaged(zip, bad, status);
  }
  if (good && made != entry->size) good = damaged(zip, bad, status);
  if (begun && deflated) inflateEnd(&stream);
  tn_free(in);
  tn_free(out);
  return good;
}

bool tn_zip_extract(const tn_zip* zip, const tn_zip_entry* entry, const char* path,
                    tn_status* status) {
  unsigned char head[LOCAL_SIZE];
  if (entry->method != 0 && entry->method != 8)
    return damaged(zip, "a file in it is packed in a way that is not known", status);
  if (!tn_file_reader_get(&zip->file, entry->at, head, LOCAL_SIZE, status)) return false;
  const uint64_t at = entry->at + LOCAL_SIZE + number(head + 26, 2) + number(head + 28, 2);
  if (memcmp(head, "PK\3\4", 4) != 0 || at > zip->file.size ||
      entry->packed_size > zip->file.size - at)
    return damaged(zip, "a file in it lies outside of it", status);
  tn_file_writer* writer = tn_file_writer_open(path, status);
  if (!writer) return false;
  const bool good = unpack(zip, entry, at, writer, status);
  return tn_file_writer_close(writer, good, good ? status : NULL) && good;
}
