// A full table in place of the plugin's. How many entries a number has is known; the size that the
// plugin reports is a floor, as the constants of some numbers' headers told less than the truth.
// What the plugin does not have answers with an error that carries the entry's name by its address.
#include "pjrt/host/table.h"

#include <pthread.h>

#include "abi/table.h"
#include "base/status.h"

const char* const tn_pjrt_entry_names[TN_PJRT_ENTRY_COUNT] = {
#define NAME(entry) #entry,
    TN_PJRT_ENTRIES(NAME)
#undef NAME
};

#define CHECK(entry)                                                                    \
  _Static_assert(offsetof(PJRT_Api, entry) ==                                           \
                     TN_PJRT_FIRST_ENTRY + TN_PJRT_AT_##entry * sizeof(void (*)(void)), \
                 #entry);
TN_PJRT_ENTRIES(CHECK)
#undef CHECK

static PJRT_Error absence[TN_PJRT_ENTRY_COUNT];

#define STUB(entry) \
  static PJRT_Error* absent_##entry(entry##_Args* args) { return &absence[TN_PJRT_AT_##entry]; }
TN_PJRT_OTHER_ENTRIES(STUB)
#undef STUB

static const PJRT_Api stubs = {
#define STUB(entry) .entry = absent_##entry,
    TN_PJRT_OTHER_ENTRIES(STUB)
#undef STUB
};

int tn_pjrt_absent_entry(const PJRT_Error* error) {
  const uintptr_t at = (uintptr_t)error, first = (uintptr_t)absence;
  return at >= first && at < first + sizeof absence ? (int)((at - first) / sizeof *absence) : -1;
}

int tn_pjrt_entry_find(const char* name) {
  for (int i = 0; name && i < TN_PJRT_ENTRY_COUNT; ++i)
    if (strcmp(tn_pjrt_entry_names[i], name) == 0) return i;
  return -1;
}

static size_t offset_of(int entry) { return TN_PJRT_FIRST_ENTRY + (size_t)entry * sizeof(void*); }

// ---- When each entry came ----

static uint16_t since[TN_PJRT_ENTRY_COUNT];

static void read_since(void) {
  const tn_abi_table* table = tn_abi_table_get("pjrt/fields");
  const int fields = tn_abi_column(table, "field"), offsets = tn_abi_column(table, "offset");
  const int firsts = tn_abi_column(table, "first_minor");
  for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i) since[i] = TN_PJRT_NEWEST;
  for (size_t row = tn_abi_find(table, 0, "PJRT_Api", 0); row < table->rows;
       row = tn_abi_find(table, 0, "PJRT_Api", row + 1)) {
    const int entry = tn_pjrt_entry_find(tn_abi_cell(table, row, fields));
    const int64_t first = tn_abi_int(table, row, firsts, TN_PJRT_NEWEST);
    // Elsewhere it stood in 0.56, and in the time before 0.28.
    if (entry >= 0 && tn_abi_int(table, row, offsets, 0) == (int64_t)offset_of(entry) &&
        first < since[entry])
      since[entry] = (uint16_t)(first < TN_PJRT_OLDEST ? TN_PJRT_OLDEST : first);
  }
}

int tn_pjrt_entry_since(int entry) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_since);
  return since[entry];
}

// ---- The copy ----

// How far the table can be read: to where the plugin says, and beyond when the header of that
// number is known to have said less than there is.
static size_t true_size(const tn_pjrt* plugin) {
  const size_t said = plugin->theirs->struct_size;
  const tn_abi_table* table = tn_abi_table_get("pjrt/struct_sizes");
  const int ends = tn_abi_column(table, "end"), consts = tn_abi_column(table, "size_const");
  const int firsts = tn_abi_column(table, "first_minor"),
            lasts = tn_abi_column(table, "last_minor");
  for (size_t row = tn_abi_find(table, 0, "PJRT_Api", 0); row < table->rows;
       row = tn_abi_find(table, 0, "PJRT_Api", row + 1))
    if (tn_abi_int(table, row, firsts, 0) <= plugin->minor &&
        plugin->minor <= tn_abi_int(table, row, lasts, 0) &&
        tn_abi_int(table, row, consts, 0) == (int64_t)said)
      return (size_t)tn_abi_int(table, row, ends, 0);
  return said;
}

static tn_pjrt_absence absence_of(const tn_pjrt* plugin, int entry, size_t size,
                                  const tn_mapped* mapped) {
  const int came = tn_pjrt_entry_since(entry);
  if (came > plugin->minor) return TN_PJRT_LATER;
  if (offset_of(entry) + sizeof(void*) > size) return TN_PJRT_PAST_END;
  const void* slot;
  memcpy(&slot, (const char*)plugin->theirs + offset_of(entry), sizeof slot);
  if (!slot) return TN_PJRT_NULL;
  if (!tn_mapped_is_code(mapped, slot)) return TN_PJRT_NO_CODE;
  return came > plugin->host_minor ? TN_PJRT_HOST_LATER : TN_PJRT_PRESENT;
}

bool tn_pjrt_table_fill(tn_pjrt* plugin, const tn_mapped* mapped, tn_status* status) {
  // A table that was there when the file was opened first may have gone.
  size_t size = TN_PJRT_FIRST_ENTRY;
  const bool begins = tn_mapped_readable(mapped, plugin->theirs, size);
  if (begins) size = true_size(plugin);
  if (size > sizeof(PJRT_Api)) size = sizeof(PJRT_Api);
  if (!begins || !tn_mapped_readable(mapped, plugin->theirs, size)) {
    tn_status_set(status, TN_FAILED_PRECONDITION,
                  "%s: its table is at %p and should have %zu bytes, and memory ends before; "
                  "update the plugin",
                  plugin->path, (const void*)plugin->theirs, size);
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
    return false;
  }
  plugin->api = stubs;
  plugin->api.struct_size = PJRT_Api_STRUCT_SIZE;
  plugin->api.extension_start = plugin->theirs->extension_start;
  plugin->api.pjrt_api_version = plugin->theirs->pjrt_api_version;
  for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i) {
    plugin->absent[i] = (uint8_t)absence_of(plugin, i, size, mapped);
    if (plugin->absent[i] == TN_PJRT_PRESENT)
      memcpy((char*)&plugin->api + offset_of(i), (const char*)plugin->theirs + offset_of(i),
             sizeof(void*));
  }
  for (int i = TN_PJRT_AT_PJRT_Error_Destroy; i <= TN_PJRT_AT_PJRT_Error_GetCode; ++i)
    if (!tn_pjrt_require(plugin, i, status)) {
      tn_status_annotate(status, "without it no error of the plugin could be read");
      tn_status_annotate(status, "found in %s", plugin->path);
      return false;
    }
  return true;
}
