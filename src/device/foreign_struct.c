#include "device/foreign_struct.h"

#include <string.h>

#include "abi/releases.h"
#include "abi/table.h"
#include "abi/tf_history.h"
#include "base/status.h"

// One layout of a struct: a row of tf/struct_sizes.
typedef struct layout {
  size_t end, size;
  const char* releases;
  const char* release;  // the newest of them
} layout;

static const char* newest_in(const char* releases) {
  for (size_t i = tn_abi_tf_count(); i-- > 0;)
    if (tn_abi_tf_covers(releases, tn_abi_tf_release(i))) return tn_abi_tf_release(i);
  return "";
}

// Oldest first.
static size_t list_layouts(const tn_foreign_struct* source, layout* out, size_t capacity) {
  const tn_abi_table* table = tn_abi_table_get("tf/struct_sizes");
  const int ends = tn_abi_column(table, "end"), sizes = tn_abi_column(table, "size");
  size_t count = 0;
  for (size_t i = tn_abi_find(table, 0, source->name, 0); i < table->rows && count < capacity;
       i = tn_abi_find(table, 0, source->name, i + 1)) {
    const char* releases = tn_abi_cell(table, i, tn_abi_column(table, "releases"));
    out[count++] = (layout){(size_t)tn_abi_int(table, i, ends, 0),
                            (size_t)tn_abi_int(table, i, sizes, 0), releases, newest_in(releases)};
  }
  return count;
}

typedef enum place { NOT_IN_LAYOUT, PAST_SIZE, HERE } place;

// Where `field` lies in the release's layout, and whether a struct of `size` bytes has it.
static place locate(const tn_foreign_struct* source, const tn_foreign_field* field,
                    const char* release, size_t size, size_t* out_offset) {
  const tn_abi_table* table = tn_abi_table_get("tf/layouts");
  const int offsets = tn_abi_column(table, "offset"), spans = tn_abi_column(table, "releases");
  size_t row = table->rows;
  if (field->announced_end) {
    if (strcmp(release, tn_abi_tf_release(tn_abi_tf_count() - 1)) != 0) return NOT_IN_LAYOUT;
    *out_offset = field->announced_end - field->size;
  } else {
    row = tn_abi_find(table, 0, source->name, 0);
    while (row < table->rows && (strcmp(tn_abi_cell(table, row, 1), field->name) != 0 ||
                                 !tn_abi_tf_covers(tn_abi_cell(table, row, spans), release)))
      row = tn_abi_find(table, 0, source->name, row + 1);
    if (row == table->rows) return NOT_IN_LAYOUT;
    *out_offset = (size_t)tn_abi_int(table, row, offsets, 0);
  }
  const size_t end = *out_offset + field->size;
  return end <= size && end <= TN_FOREIGN_ROOM ? HERE : PAST_SIZE;
}

static bool is_zero(const char* bytes, size_t size) {
  for (size_t i = 0; i < size; ++i)
    if (bytes[i]) return false;
  return true;
}

// The first needed field of the layout that is not set; NULL when all are.
static const tn_foreign_field* find_unset(const tn_foreign_struct* source,
                                          const tn_foreign_field* fields, size_t count,
                                          const char* release, size_t size) {
  for (size_t i = 0; i < count; ++i) {
    size_t at;
    if (!fields[i].needed) continue;
    const place found = locate(source, &fields[i], release, size, &at);
    if (found == PAST_SIZE || (found == HERE && is_zero(source->bytes + at, fields[i].size)))
      return &fields[i];
  }
  return NULL;
}

// The layout by the size that the plugin wrote; it may have written sizeof.
static const layout* find_by_size(const layout* layouts, size_t count, size_t size) {
  const layout* below = &layouts[0];
  for (size_t i = count; i-- > 0;)
    if (layouts[i].end == size) return &layouts[i];
  for (size_t i = count; i-- > 0;)
    if (layouts[i].size == size) return &layouts[i];
  for (size_t i = 0; i < count; ++i)
    if (layouts[i].end <= size && layouts[i].end >= below->end) below = &layouts[i];
  return size > layouts[count - 1].size ? &layouts[count - 1] : below;
}

static bool fits_contents(const tn_foreign_struct* source, const tn_foreign_field* fields,
                          size_t count, const layout* layout, size_t size) {
  return !find_unset(source, fields, count, layout->release, size) &&
         (layout->end >= size || is_zero(source->bytes + layout->end, size - layout->end));
}

// The layout by what is set, of a plugin that left the size as it found it: one that another struct
// speaks for, else the newest, in which nothing needed is missing and nothing is left over.
static const layout* find_by_contents(const tn_foreign_struct* source,
                                      const tn_foreign_field* fields, size_t field_count,
                                      const layout* layouts, size_t count, size_t size) {
  for (size_t i = count; source->like && i-- > 0;)
    if (tn_abi_tf_covers(layouts[i].releases, source->like) &&
        fits_contents(source, fields, field_count, &layouts[i], size))
      return &layouts[i];
  for (size_t i = count; i-- > 0;)
    if ((!source->since || tn_abi_version_compare(layouts[i].release, source->since) >= 0) &&
        fits_contents(source, fields, field_count, &layouts[i], size))
      return &layouts[i];
  return &layouts[count - 1];
}

static bool refuse(tn_status* status) {
  tn_status_set_fault(status, TN_FAULT_PLUGIN);
  return false;
}

static bool check_head(const tn_foreign_struct* source, size_t size, tn_status* status) {
  const void* ext;
  memcpy(&ext, source->bytes + sizeof(size_t), sizeof ext);
  if (size < 2 * sizeof(size_t)) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: Expected initialized `%s` structure with `struct_size` field set to %s. "
                  "Found `struct_size` = %zu.",
                  source->file, source->name, source->size_name, size);
    return refuse(status);
  }
  if (ext) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: 'ext' field in %s is set to %p; it is reserved and must be NULL. Leave the "
                  "struct's zero bytes as they are where nothing is to be said",
                  source->file, source->name, ext);
    return refuse(status);
  }
  return true;
}

bool tn_foreign_read(tn_foreign_struct* source, const tn_foreign_field* fields, size_t count,
                     void* target, tn_status* status) {
  size_t size;
  layout layouts[16];
  memcpy(&size, source->bytes, sizeof size);
  if (!check_head(source, size, status)) return false;
  const size_t layout_count = list_layouts(source, layouts, sizeof layouts / sizeof layouts[0]);
  if (layout_count == 0) {
    tn_status_set(status, TN_INTERNAL, "there is no layout of %s in the tables", source->name);
    return false;
  }
  source->by_size = size != source->given;
  const layout* found = source->by_size
                            ? find_by_size(layouts, layout_count, size)
                            : find_by_contents(source, fields, count, layouts, layout_count, size);
  source->release = found->release;
  const tn_foreign_field* unset = find_unset(source, fields, count, found->release, size);
  if (unset) {
    tn_status_set(
        status, TN_FAILED_PRECONDITION,
        "%s: '%s' field in %s must be set. It was read with struct_size %zu by the layout "
        "of TensorFlow %s; set the field, and struct_size to %s of the headers that the "
        "plugin is built with",
        source->file, unset->name, source->name, size, found->release, source->size_name);
    return refuse(status);
  }
  for (size_t i = 0; i < count; ++i) {
    char* to = (char*)target + fields[i].target;
    size_t from;
    if (locate(source, &fields[i], found->release, size, &from) == HERE)
      memcpy(to, source->bytes + from, fields[i].size);
    else
      memset(to, 0, fields[i].size);
  }
  return true;
}
