// The plugin's table of functions: what it is, and a full one in its place.
#ifndef TENON_PJRT_HOST_TABLE_H_
#define TENON_PJRT_HOST_TABLE_H_

#include "pjrt/host/mapped.h"
#include "pjrt/host/plugin.h"

// What the head of a table says.
typedef struct tn_pjrt_number {
  int major, minor;
  size_t table_size;  // as the plugin says, which need not be true
  bool unmarked;      // the version's own size was left 0
} tn_pjrt_number;

// Recognises what `table` is from its first 40 bytes, before anything else of it is read. False
// when it is a table that this host cannot work with; the status names `file` and says why.
// `mapped` may be NULL: nothing is known of the process's memory.
bool tn_pjrt_recognise(const void* table, const char* file, const tn_mapped* mapped,
                       tn_pjrt_number* out, tn_status* status);

// Fills `api` and `absent` from `theirs`; `minor`, `major` and `host_minor` are set. False when
// errors could not be read.
bool tn_pjrt_table_fill(tn_pjrt* plugin, const tn_mapped* mapped, tn_status* status);

// The number that brought an entry; never below TN_PJRT_OLDEST.
int tn_pjrt_entry_since(int entry);

// The entry whose absence an error tells of; -1 for a plugin's own error.
int tn_pjrt_absent_entry(const PJRT_Error* error);

#endif  // TENON_PJRT_HOST_TABLE_H_
