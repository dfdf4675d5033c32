#include "pjrt/host/extensions.h"

#include <string.h>

#include "abi/table.h"
#include "base/memory.h"
#include "pjrt/host/file.h"
#include "pjrt/host/plugin.h"

enum { FIRST_LIST = 31, FIRST_WITH_SIZE = 45, MOST_NODES = 256 };

// A node as it was in 0.31 to 0.44; since then it is PJRT_Extension_Base.
typedef struct old_node {
  int type;
  const struct old_node* next;
} old_node;

static void note(tn_text* notes, const char* format, ...) TN_PRINTF(2, 3);
static void note(tn_text* notes, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = tn_vprintf(format, args);
  va_end(args);
  tn_text_printf(notes, "%s%s", notes->size ? "\n" : "", text ? text : "");
  tn_free(text);
}

static bool is_listed(const tn_pjrt_nodes* nodes, const void* node) {
  for (size_t i = 0; i < nodes->count; ++i)
    if (nodes->items[i].node == node) return true;
  return false;
}

// Splits a node of either form into its parts.
static tn_pjrt_node read_node(const void* at, bool has_size, const void** next) {
  if (has_size) {
    PJRT_Extension_Base base;
    memcpy(&base, at, sizeof base);
    *next = base.next;
    return (tn_pjrt_node){(int)base.type, base.struct_size, at};
  }
  old_node base;
  memcpy(&base, at, sizeof base);
  *next = base.next;
  return (tn_pjrt_node){base.type, 0, at};
}

bool tn_pjrt_nodes_read(const void* first, int minor, const tn_mapped* mapped, tn_text* notes,
                        tn_pjrt_nodes* out) {
  const bool has_size = minor >= FIRST_WITH_SIZE;
  const size_t base = has_size ? sizeof(PJRT_Extension_Base) : sizeof(old_node);
  if (minor < FIRST_LIST) return true;  // a private word stood there
  for (const void* at = first; at;) {
    const void* next;
    if (out->count == MOST_NODES || is_listed(out, at)) {
      note(notes, "its list of extensions %s after %zu; what follows is left out",
           out->count == MOST_NODES ? "does not end" : "runs in a circle", out->count);
      break;
    }
    if (!tn_mapped_readable(mapped, at, base)) {
      note(notes, "its list of extensions leads to %p after %zu, where there is nothing to read",
           at, out->count);
      break;
    }
    if (!tn_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items)) return false;
    out->items[out->count++] = read_node(at, has_size, &next);
    at = next;
  }
  // Only now: nodes that are left out would not stop a circle.
  size_t kept = 0;
  for (size_t i = 0; i < out->count; ++i) {
    const tn_pjrt_node* node = &out->items[i];
    if (has_size && node->size < base)
      note(notes,
           "its extension of type %d says struct_size %zu, below the %zu of every one; it is "
           "left out",
           node->type, node->size, base);
    else
      out->items[kept++] = *node;
  }
  out->count = kept;
  return true;
}

void tn_pjrt_nodes_deinit(tn_pjrt_nodes* nodes) {
  tn_free(nodes->items);
  *nodes = (tn_pjrt_nodes){0};
}

// ---- Lookups ----

// The row of the tables for a type at a number; the number of rows when there is none. `minor` 0:
// the first row.
static size_t row_of(const tn_abi_table* table, int type, int minor) {
  const int ids = tn_abi_column(table, "id"), firsts = tn_abi_column(table, "first_minor");
  const int lasts = tn_abi_column(table, "last_minor");
  for (size_t row = 0; row < table->rows; ++row)
    if (tn_abi_int(table, row, ids, -1) == type &&
        (!minor ||
         (tn_abi_int(table, row, firsts, 0) <= minor && minor <= tn_abi_int(table, row, lasts, 0))))
      return row;
  return table->rows;
}

// The size that can be relied on: one header's constant said less than there was.
static size_t true_size(const tn_pjrt_node* node, int minor) {
  const tn_abi_table* table = tn_abi_table_get("pjrt/extensions");
  const size_t row = row_of(table, node->type, minor);
  const int64_t end =
      tn_abi_int(table, row < table->rows ? row : 0, tn_abi_column(table, "end"), 0);
  const bool lies =
      row < table->rows && (size_t)end > node->size &&
      tn_abi_int(table, row, tn_abi_column(table, "size_const"), -1) == (int64_t)node->size;
  return lies ? (size_t)end : node->size;
}

// A framework of an older number does not know what came later.
static bool is_known_to_host(int type, int host_minor) {
  const tn_abi_table* table = tn_abi_table_get("pjrt/extensions");
  const size_t row = row_of(table, type, 0);
  return host_minor >= TN_PJRT_NEWEST ||
         (row < table->rows &&
          tn_abi_int(table, row, tn_abi_column(table, "first_minor"), 0) <= host_minor);
}

size_t tn_pjrt_extension_count(const tn_pjrt* plugin) {
  return plugin ? plugin->file->extensions.count : 0;
}

int tn_pjrt_extension_type(const tn_pjrt* plugin, size_t i, size_t* size) {
  const tn_pjrt_node* node =
      i < tn_pjrt_extension_count(plugin) ? &plugin->file->extensions.items[i] : NULL;
  if (size) *size = node ? node->size : 0;
  return node ? node->type : -1;
}

const void* tn_pjrt_extension(const tn_pjrt* plugin, int type, size_t size) {
  for (size_t i = 0; i < tn_pjrt_extension_count(plugin); ++i) {
    const tn_pjrt_node* node = &plugin->file->extensions.items[i];
    if (node->type == type && is_known_to_host(type, plugin->host_minor) &&
        (!size || true_size(node, plugin->minor) >= size))
      return node->node;
  }
  return NULL;
}
