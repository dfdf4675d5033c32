// .npz archives: zip files whose members are .npy files.

#include "base/memory.h"
#include "base/status.h"
#include "base/zip.h"
#include "tensor/npy.h"

static const char suffix[] = ".npy";
enum { suffix_size = sizeof suffix - 1 };

typedef struct member {
  char* name;  // without ".npy"
  const tn_zip_entry* entry;
} member;

struct tn_npz {
  tn_zip zip;
  member* members;
  size_t count, capacity;
};

static bool add_member(tn_npz* npz, const tn_zip_entry* entry, tn_status* status) {
  const size_t size = strlen(entry->name);
  if (size < suffix_size || strcmp(entry->name + size - suffix_size, suffix) != 0)
    return true;  // something else that was put into the archive
  member made = {tn_strndup(entry->name, size - suffix_size), entry};
  if (made.name && tn_grow(&npz->members, &npz->capacity, npz->count + 1, sizeof made)) {
    npz->members[npz->count++] = made;
    return true;
  }
  tn_free(made.name);
  tn_status_set_no_memory(status, "opening an .npz archive");
  return false;
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
  bool good = tn_zip_open(&npz->zip, path, status);
  for (size_t i = 0; good && i < npz->zip.count; ++i)
    good = add_member(npz, &npz->zip.entries[i], status);
  if (good) return npz;
  tn_npz_close(npz);
  return NULL;
}

void tn_npz_close(tn_npz* archive) {
  if (!archive) return;
  for (size_t i = 0; i < archive->count; ++i) tn_free(archive->members[i].name);
  tn_free(archive->members);
  tn_zip_close(&archive->zip);
  tn_free(archive);
}

size_t tn_npz_count(const tn_npz* archive) { return archive ? archive->count : 0; }

const char* tn_npz_name(const tn_npz* archive, size_t i) {
  return i < tn_npz_count(archive) ? archive->members[i].name : NULL;
}

typedef struct member_source {
  tn_npy_source source;
  tn_zip_reader* reader;
} member_source;

static bool read_member(tn_npy_source* source, void* to, size_t size, tn_status* status) {
  tn_zip_reader* reader = ((member_source*)source)->reader;
  const bool read = tn_zip_reader_get(reader, to, size, status);
  source->left = tn_zip_reader_left(reader);
  return read;
}

static tn_tensor* read_array(const tn_npz* npz, const tn_zip_entry* entry, tn_dtype dtype,
                             tn_status* status) {
  tn_zip_reader* reader = tn_zip_reader_open(&npz->zip, entry, status);
  if (!reader) return NULL;
  member_source source = {{.read = read_member, .left = tn_zip_reader_left(reader)}, reader};
  tn_tensor* tensor = tn_npy_read_from(&source.source, dtype, status);
  if (tensor && !tn_zip_reader_finish(reader, status)) {
    tn_tensor_destroy(tensor);
    tensor = NULL;
  }
  tn_zip_reader_close(reader);
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
                npz->zip.file.path, tn_text_view(&names).data);
  tn_text_deinit(&names);
}

tn_tensor* tn_npz_read_as(tn_npz* archive, const char* name, tn_dtype dtype, tn_status* status) {
  if (!archive || !name) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "reading from an .npz archive needs %s (NULL)",
                  archive ? "a name" : "an archive");
    return NULL;
  }
  for (size_t i = 0; i < archive->count; ++i) {
    if (strcmp(archive->members[i].name, name) != 0) continue;
    tn_tensor* tensor = read_array(archive, archive->members[i].entry, dtype, status);
    if (!tensor)
      tn_status_annotate(status, "while reading array '%s' of '%s'", name, archive->zip.file.path);
    return tensor;
  }
  set_not_found(archive, name, status);
  return NULL;
}

tn_tensor* tn_npz_read(tn_npz* archive, const char* name, tn_status* status) {
  return tn_npz_read_as(archive, name, TN_INVALID, status);
}
