// .npz archives: zip files whose members are .npy files. Formats: PKWARE's APPNOTE,
// sections 4.3-4.5.

#include <inttypes.h>
#include <zlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "tensor/npy.h"

enum {
  local_size = 30,  // of the fixed parts of the records
  central_size = 46,
  end_size = 22,
  end64_size = 56,
  locator64_size = 20,
  max_comment = UINT16_MAX,
  max_ratio = 1032,  // deflate cannot do better
  stored = 0,
  deflated = 8,
};
static const char suffix[] = ".npy";
enum { suffix_size = sizeof suffix - 1 };

typedef struct member {
  char* name;       // without ".npy"
  uint64_t offset;  // of its local header
  uint64_t packed;  // bytes in the file
  uint64_t size;    // bytes of the .npy
  uint32_t crc;
  uint16_t method;
  bool encrypted;
} member;

struct tn_npz {
  tn_file_reader file;
  member* members;
  size_t count, capacity;
};

static uint16_t get16(const uint8_t* at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t get32(const uint8_t* at) { return get16(at) | (uint32_t)get16(at + 2) << 16; }
static uint64_t get64(const uint8_t* at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }

// Reading the directory.

// The record at the end says where the directory is; its 64-bit form, when there is one, says
// better.
static bool find_directory(tn_npz* npz, uint64_t* out_at, uint64_t* out_size, tn_status* status) {
  uint64_t size = npz->file.size;
  size_t tail = size < end_size + max_comment ? (size_t)size : end_size + max_comment;
  uint8_t* bytes = tn_alloc(tail);
  if (!bytes) {
    tn_status_set_no_memory(status, "opening an .npz archive");
    return false;
  }
  bool read = tn_file_reader_get(&npz->file, size - tail, bytes, tail, status), found = false;
  uint64_t end_at = 0;
  for (size_t at = tail < end_size ? 0 : tail - end_size + 1; read && !found && at-- > 0;) {
    // The comment after it may look like anything, but must reach the end of the file.
    found = memcmp(bytes + at, "PK\5\6", 4) == 0 && get16(bytes + at + 20) == tail - at - end_size;
    end_at = size - tail + at;
    *out_size = get32(bytes + at + 12);
    *out_at = get32(bytes + at + 16);
  }
  tn_free(bytes);
  if (read && !found)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "no .npz archive: there is no zip directory at its end");
  if (!read || end_at < locator64_size) return read;

  uint8_t locator[locator64_size], end64[end64_size];
  if (!tn_file_reader_get(&npz->file, end_at - locator64_size, locator, sizeof locator, status))
    return false;
  if (memcmp(locator, "PK\6\7", 4) != 0) return true;
  if (!tn_file_reader_get(&npz->file, get64(locator + 8), end64, sizeof end64, status))
    return false;
  if (memcmp(end64, "PK\6\6", 4) != 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the zip64 record at the end is damaged");
  *out_size = get64(end64 + 40);
  *out_at = get64(end64 + 48);
  return true;
}

// Takes 64-bit numbers from the extra field for those that did not fit into 32.
static void widen(member* entry, const uint8_t* extra, size_t size) {
  while (size >= 4) {
    size_t length = get16(extra + 2);
    if (length > size - 4) return;
    if (get16(extra) == 1) {
      uint64_t* fields[] = {&entry->size, &entry->packed, &entry->offset};
      const uint8_t* at = extra + 4;
      for (int i = 0; i < 3; ++i) {
        if (*fields[i] != UINT32_MAX || length < 8) continue;
        *fields[i] = get64(at);
        at += 8;
        length -= 8;
      }
      return;
    }
    extra += 4 + length;
    size -= 4 + length;
  }
}

static bool add_member(tn_npz* npz, const uint8_t* record, tn_status* status) {
  size_t name_size = get16(record + 28);
  const char* name = (const char*)record + central_size;
  if (name_size < suffix_size || memcmp(name + name_size - suffix_size, suffix, suffix_size) != 0)
    return true;  // something else that was put into the archive
  member entry = {.name = tn_strndup(name, name_size - suffix_size),
                  .offset = get32(record + 42),
                  .packed = get32(record + 20),
                  .size = get32(record + 24),
                  .crc = get32(record + 16),
                  .method = get16(record + 10),
                  .encrypted = record[8] & 1};
  if (!entry.name || !tn_grow(&npz->members, &npz->capacity, npz->count + 1, sizeof entry)) {
    tn_free(entry.name);
    tn_status_set_no_memory(status, "opening an .npz archive");
    return false;
  }
  widen(&entry, record + central_size + name_size, get16(record + 30));
  npz->members[npz->count++] = entry;
  return true;
}

static bool read_directory(tn_npz* npz, tn_status* status) {
  uint64_t at = 0, size = 0;
  if (!find_directory(npz, &at, &size, status)) return false;
  if (at > npz->file.size || size > npz->file.size - at)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "the zip directory (%" PRIu64 " bytes at %" PRIu64
                   ") lies outside the file of %" PRIu64 " bytes",
                   size, at, npz->file.size);
  uint8_t* bytes = tn_alloc((size_t)size);
  if (!bytes) {
    tn_status_set_no_memory(status, "opening an .npz archive");
    return false;
  }
  bool read = tn_file_reader_get(&npz->file, at, bytes, (size_t)size, status);
  for (size_t done = 0; read && done < size;) {
    const uint8_t* record = bytes + done;
    size_t left = (size_t)size - done, record_size = central_size;
    if (left >= central_size)
      record_size += get16(record + 28) + (size_t)get16(record + 30) + get16(record + 32);
    if (left < record_size || memcmp(record, "PK\1\2", 4) != 0)
      read = tn_fail(status, TN_INVALID_ARGUMENT, "the zip directory is damaged at its byte %zu",
                     done);
    else
      read = add_member(npz, record, status);
    done += record_size;
  }
  tn_free(bytes);
  return read;
}

tn_npz* tn_npz_open(const char* path, tn_status* status) {
  if (!path) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no path of an .npz archive (NULL)");
    return NULL;
  }
  tn_npz* npz = tn_alloc_zeroed(1, sizeof *npz);
  if (!npz) {
    tn_status_set_no_memory(status, "opening an .npz archive");
    return NULL;
  }
  if (!tn_file_reader_open(&npz->file, path, tn_view_of("PK"), status)) {
    tn_free(npz);
    return NULL;
  }
  if (read_directory(npz, status)) return npz;
  tn_status_annotate(status, "while opening '%s'", path);
  tn_npz_close(npz);
  return NULL;
}

void tn_npz_close(tn_npz* archive) {
  if (!archive) return;
  for (size_t i = 0; i < archive->count; ++i) tn_free(archive->members[i].name);
  tn_free(archive->members);
  tn_file_reader_close(&archive->file);
  tn_free(archive);
}

size_t tn_npz_count(const tn_npz* archive) { return archive ? archive->count : 0; }

const char* tn_npz_name(const tn_npz* archive, size_t i) {
  return i < tn_npz_count(archive) ? archive->members[i].name : NULL;
}

// Reading a member.

typedef struct member_source {
  tn_npy_source source;
  const tn_file_reader* file;
  uint64_t at;           // in the file
  uint64_t packed_left;  // bytes of the member not yet taken from the file
  uint32_t crc;
  bool inflating;
  z_stream stream;
  uint8_t input[16 * 1024];
} member_source;

static void* zip_alloc(void* unused, unsigned items, unsigned size) {
  return tn_alloc_zeroed(items, size);
}
static void zip_free(void* unused, void* memory) { tn_free(memory); }

static bool refill(member_source* self, tn_status* status) {
  size_t now = sizeof self->input < self->packed_left ? sizeof self->input : self->packed_left;
  if (!tn_file_reader_get(self->file, self->at, self->input, now, status)) return false;
  self->at += now;
  self->packed_left -= now;
  self->stream.next_in = self->input;
  self->stream.avail_in = (unsigned)now;
  return true;
}

static bool read_inflated(member_source* self, uint8_t* to, size_t size, tn_status* status) {
  while (size > 0) {
    if (self->stream.avail_in == 0 && self->packed_left > 0 && !refill(self, status)) return false;
    unsigned room = size < UINT32_MAX ? (unsigned)size : UINT32_MAX;
    self->stream.next_out = to;
    self->stream.avail_out = room;
    int result = inflate(&self->stream, Z_NO_FLUSH);
    size_t got = room - self->stream.avail_out;
    to += got;
    size -= got;
    if (result == Z_OK || (result == Z_STREAM_END && size == 0)) continue;
    if (result == Z_MEM_ERROR) {
      tn_status_set_no_memory(status, "unpacking an .npz archive");
      return false;
    }
    return tn_fail(status, TN_INVALID_ARGUMENT, "its packed bytes are damaged (%s)",
                   self->stream.msg ? self->stream.msg : "they end too early");
  }
  return true;
}

static bool read_member(tn_npy_source* source, void* to, size_t size, tn_status* status) {
  member_source* self = (member_source*)source;
  if (size == 0) return true;
  if (size > source->left) return tn_fail(status, TN_INVALID_ARGUMENT, "it ends too early");
  if (self->inflating) {
    if (!read_inflated(self, to, size, status)) return false;
  } else {
    if (!tn_file_reader_get(self->file, self->at, to, size, status)) return false;
    self->at += size;
  }
  source->left -= size;
  self->crc = (uint32_t)crc32_z(self->crc, to, size);
  return true;
}

static bool begin_member(member_source* self, const tn_npz* npz, const member* entry,
                         tn_status* status) {
  if (entry->encrypted) return tn_fail(status, TN_UNIMPLEMENTED, "it is encrypted");
  if (entry->method != stored && entry->method != deflated)
    return tn_fail(status, TN_UNIMPLEMENTED,
                   "it is packed by zip method %d; 0 (stored) and 8 (deflated) are known",
                   entry->method);
  uint8_t local[local_size];
  if (!tn_file_reader_get(&npz->file, entry->offset, local, sizeof local, status)) return false;
  if (memcmp(local, "PK\3\4", 4) != 0)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the zip directory does not point to it");
  uint64_t at = entry->offset + local_size + get16(local + 26) + get16(local + 28);
  if (at > npz->file.size || entry->packed > npz->file.size - at)
    return tn_fail(status, TN_INVALID_ARGUMENT, "the file ends before it does");
  // What the size says is allocated later, so it must be possible.
  if (entry->method == stored ? entry->size != entry->packed
                              : entry->size / max_ratio > entry->packed)
    return tn_fail(status, TN_INVALID_ARGUMENT,
                   "it cannot have %" PRIu64 " bytes when unpacked from %" PRIu64, entry->size,
                   entry->packed);
  *self = (member_source){.source = {.read = read_member, .left = entry->size},
                          .file = &npz->file,
                          .at = at,
                          .packed_left = entry->packed,
                          .inflating = entry->method == deflated,
                          .stream = {.zalloc = zip_alloc, .zfree = zip_free}};
  if (!self->inflating || inflateInit2(&self->stream, -MAX_WBITS) == Z_OK) return true;
  tn_status_set_no_memory(status, "unpacking an .npz archive");
  return false;
}

// Reads what follows the array, if anything, and compares the checksum of all.
static bool finish_member(member_source* self, const member* entry, tn_status* status) {
  uint8_t rest[4096];
  while (self->source.left > 0) {
    size_t now = self->source.left < sizeof rest ? (size_t)self->source.left : sizeof rest;
    if (!read_member(&self->source, rest, now, status)) return false;
  }
  return self->crc == entry->crc ||
         tn_fail(status, TN_INVALID_ARGUMENT, "its bytes are damaged (wrong checksum)");
}

static tn_tensor* read_array(const tn_npz* npz, const member* entry, tn_dtype dtype,
                             tn_status* status) {
  member_source* self = tn_alloc(sizeof *self);
  if (!self) {
    tn_status_set_no_memory(status, "unpacking an .npz archive");
    return NULL;
  }
  tn_tensor* tensor = NULL;
  if (begin_member(self, npz, entry, status)) {
    tensor = tn_npy_read_from(&self->source, dtype, status);
    if (tensor && !finish_member(self, entry, status)) {
      tn_tensor_destroy(tensor);
      tensor = NULL;
    }
    if (self->inflating) inflateEnd(&self->stream);
  }
  tn_free(self);
  return tensor;
}

static void set_not_found(const tn_npz* npz, const char* name, tn_status* status) {
  enum { shown = 20 };
  tn_text names = {0};
  for (size_t i = 0; i < npz->count && i < shown; ++i)
    tn_text_printf(&names, "%s%s", i ? ", " : "", npz->members[i].name);
  if (npz->count > shown) tn_text_printf(&names, " and %zu more", npz->count - shown);
  if (npz->count == 0) tn_text_puts(&names, "nothing");
  tn_status_set(status, TN_NOT_FOUND, "there is no array '%s' in '%s'; it holds %s", name,
                npz->file.path, tn_text_view(&names).data);
  tn_text_deinit(&names);
}

tn_tensor* tn_npz_read_as(tn_npz* archive, const char* name, tn_dtype dtype, tn_status* status) {
  if (!archive || !name) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "reading from an .npz archive needs %s (NULL)",
                  archive ? "a name" : "an archive");
    return NULL;
  }
  // Of members with one name the last counts: archives are added to at their end.
  for (size_t i = archive->count; i-- > 0;) {
    if (strcmp(archive->members[i].name, name) != 0) continue;
    tn_tensor* tensor = read_array(archive, &archive->members[i], dtype, status);
    if (!tensor)
      tn_status_annotate(status, "while reading array '%s' of '%s'", name, archive->file.path);
    return tensor;
  }
  set_not_found(archive, name, status);
  return NULL;
}

tn_tensor* tn_npz_read(tn_npz* archive, const char* name, tn_status* status) {
  return tn_npz_read_as(archive, name, TN_INVALID, status);
}
