// Writes .npz archives the way numpy's savez does: every member stored, dated 1980, so that the
// same arrays give the same file.

#include <zlib.h>

#include "base/file.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/status.h"
#include "tensor/npy.h"

enum {
  version_plain = 20,
  version_zip64 = 45,
  made_on_unix = 3 << 8,
  flag_utf8 = 1 << 11,
  first_of_1980 = 1 << 5 | 1,
};

typedef struct archive {
  tn_file_writer* writer;
  uint64_t at;
  tn_text directory;
  size_t count;
} archive;

static void put(tn_text* out, uint64_t value, size_t bytes) {
  tn_text_append(out, (const char*)&value, bytes);  // little-endian, as zip files are
}

static void add(archive* self, tn_view bytes) {
  tn_file_writer_add(self->writer, bytes.data, bytes.size);
  self->at += bytes.size;
}

static void write_piece(void* arg, const void* bytes, size_t size) {
  add(arg, (tn_view){bytes, size});
}

static void checksum_piece(void* arg, const void* bytes, size_t size) {
  uint32_t* crc = arg;
  *crc = (uint32_t)crc32_z(*crc, bytes, size);
}

// What local and central records have in common, up to the length of the name. Numbers that do not
// fit stand in an extra field of `extra` bytes.
static void put_common(tn_text* out, tn_view name, uint64_t size, uint32_t crc, size_t extra) {
  bool ascii = true;
  for (size_t i = 0; i < name.size; ++i) ascii = ascii && !(name.data[i] & 0x80);
  uint32_t short_size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
  put(out, extra ? version_zip64 : version_plain, 2);
  put(out, ascii ? 0 : flag_utf8, 2);
  put(out, 0, 2);  // stored
  put(out, 0, 2);  // midnight
  put(out, first_of_1980, 2);
  put(out, crc, 4);
  put(out, short_size, 4);  // packed
  put(out, short_size, 4);
  put(out, name.size, 2);
  put(out, extra, 2);
}

static void put_record(tn_text* out, bool central, tn_view name, uint64_t size, uint32_t crc,
                       uint64_t offset) {
  bool wide_size = size >= UINT32_MAX, wide_offset = central && offset >= UINT32_MAX;
  size_t extra = (wide_size ? 16u : 0u) + (wide_offset ? 8u : 0u);
  tn_text_append(out, central ? "PK\1\2" : "PK\3\4", 4);
  if (central) put(out, made_on_unix | version_zip64, 2);
  put_common(out, name, size, crc, extra ? extra + 4 : 0);
  if (central) {
    put(out, 0, 2);                     // comment
    put(out, 0, 2);                     // disk
    put(out, 0, 2);                     // internal attributes
    put(out, (uint64_t)0600 << 16, 4);  // as numpy's members have
    put(out, wide_offset ? UINT32_MAX : offset, 4);
  }
  tn_text_append(out, name.data, name.size);
  if (!extra) return;
  put(out, 1, 2);
  put(out, extra, 2);
  if (wide_size) put(out, size, 8), put(out, size, 8);
  if (wide_offset) put(out, offset, 8);
}

static bool add_array(archive* self, const char* name, const tn_tensor* tensor, tn_status* status) {
  tn_npy_layout layout;
  if (!tn_npy_layout_init(&layout, tensor, status)) return false;
  uint32_t crc = 0;
  tn_npy_write_to(&layout, tensor, checksum_piece, &crc);
  uint64_t offset = self->at;
  tn_text member_name = {0}, local = {0};
  tn_text_puts(&member_name, name);
  tn_text_puts(&member_name, ".npy");
  put_record(&local, false, tn_text_view(&member_name), layout.total, crc, offset);
  put_record(&self->directory, true, tn_text_view(&member_name), layout.total, crc, offset);
  bool memory = !member_name.failed && !local.failed && !self->directory.failed;
  if (memory) {
    add(self, tn_text_view(&local));
    tn_npy_write_to(&layout, tensor, write_piece, self);
    ++self->count;
  } else {
    tn_status_set_no_memory(status, "writing an .npz archive");
  }
  tn_text_deinit(&member_name);
  tn_text_deinit(&local);
  tn_npy_layout_deinit(&layout);
  return memory;
}

static bool add_end(archive* self, tn_status* status) {
  uint64_t at = self->at, size = self->directory.size, end64_at = at + size, count = self->count;
  bool wide = at >= UINT32_MAX || size >= UINT32_MAX || count >= UINT16_MAX;
  tn_text* out = &self->directory;
  if (wide) {
    tn_text_append(out, "PK\6\6", 4);
    put(out, 44, 8);  // bytes that follow
    put(out, made_on_unix | version_zip64, 2);
    put(out, version_zip64, 2);
    put(out, 0, 8);  // disks
    put(out, count, 8);
    put(out, count, 8);
    put(out, size, 8);
    put(out, at, 8);
    tn_text_append(out, "PK\6\7", 4);
    put(out, 0, 4);
    put(out, end64_at, 8);
    put(out, 1, 4);
  }
  tn_text_append(out, "PK\5\6", 4);
  put(out, 0, 4);  // disks
  put(out, wide ? UINT16_MAX : count, 2);
  put(out, wide ? UINT16_MAX : count, 2);
  put(out, wide ? UINT32_MAX : size, 4);
  put(out, wide ? UINT32_MAX : at, 4);
  put(out, 0, 2);  // comment
  if (out->failed) {
    tn_status_set_no_memory(status, "writing an .npz archive");
    return false;
  }
  add(self, tn_text_view(out));
  return true;
}

static bool check_names(const char* const* names, tn_tensor* const* tensors, size_t count,
                        tn_status* status) {
  tn_map seen = {0};
  bool good = true;
  for (size_t i = 0; good && i < count; ++i) {
    tn_view name = tn_view_of(names[i]);
    if (!names[i] || !tensors[i])
      good = tn_fail(status, TN_INVALID_ARGUMENT, "array %zu has no %s (NULL)", i,
                     names[i] ? "tensor" : "name");
    else if (name.size > UINT16_MAX - 4)
      good =
          tn_fail(status, TN_INVALID_ARGUMENT, "the name of array %zu has %zu bytes", i, name.size);
    else if (tn_map_get(&seen, name))
      good = tn_fail(status, TN_INVALID_ARGUMENT, "two arrays are named '%s'", names[i]);
    else if (!(good = tn_map_put(&seen, name, tensors[i])))
      tn_status_set_no_memory(status, "writing an .npz archive");
  }
  tn_map_deinit(&seen);
  return good;
}

bool tn_npz_write(const char* path, const char* const* names, tn_tensor* const* tensors,
                  size_t count, tn_status* status) {
  if (!path || (count > 0 && (!names || !tensors)))
    return tn_fail(status, TN_INVALID_ARGUMENT, "an .npz archive needs %s (NULL)",
                   path ? "names and tensors" : "a path");
  archive self = {0};
  bool written = check_names(names, tensors, count, status) &&
                 (self.writer = tn_file_writer_open(path, status));
  for (size_t i = 0; written && i < count; ++i) {
    written = add_array(&self, names[i], tensors[i], status);
    if (!written) tn_status_annotate(status, "in array '%s'", names[i]);
  }
  written = written && add_end(&self, status);
  if (!written) tn_status_annotate(status, "while writing '%s'", path);
  tn_text_deinit(&self.directory);
  return tn_file_writer_close(self.writer, written, status);
}
