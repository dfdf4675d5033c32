// Which struct_size to send. A host of its own time sends where the newest struct that it knows
// ends, over zeroed memory: plugins since 0.35 take what is at least what they know. Before, they
// compared for equality, and with the constant of their header, which did not always tell the
// truth.
#include "pjrt/host/sizes.h"

#include <stdio.h>

#include "abi/pjrt_history.h"
#include "abi/table.h"

static const char* const names[TN_PJRT_STRUCT_COUNT] = {
#define NAME(entry) #entry "_Args",
    TN_PJRT_ENTRIES(NAME)
#undef NAME
#define NAME(type) #type,
        TN_PJRT_INNER_STRUCTS(NAME)
#undef NAME
};

static const uint16_t newest[TN_PJRT_STRUCT_COUNT] = {
#define SIZE(entry) entry##_Args_STRUCT_SIZE,
    TN_PJRT_ENTRIES(SIZE)
#undef SIZE
#define SIZE(type) type##_STRUCT_SIZE,
        TN_PJRT_INNER_STRUCTS(SIZE)
#undef SIZE
};

enum { LAST_EXACT = 34 };

static int find(const char* name) {
  for (int i = 0; i < TN_PJRT_STRUCT_COUNT; ++i)
    if (strcmp(names[i], name) == 0) return i;
  return -1;
}

// Numbers after the last one in the tables, as far as something is known of them.
static void add_beyond(int minor, uint16_t sizes[TN_PJRT_STRUCT_COUNT]) {
  const tn_abi_table* table = tn_abi_table_get("pjrt/beyond");
  const int numbers = tn_abi_column(table, "number"), kinds = tn_abi_column(table, "kind");
  const int subjects = tn_abi_column(table, "subject"), facts = tn_abi_column(table, "fact");
  for (size_t row = 0; row < table->rows; ++row) {
    int number, end;
    const int at = strcmp(tn_abi_cell(table, row, kinds), "struct size") == 0
                       ? find(tn_abi_cell(table, row, subjects))
                       : -1;
    if (at >= 0 && sscanf(tn_abi_cell(table, row, numbers), "0.%d", &number) == 1 &&
        number <= minor && sscanf(tn_abi_cell(table, row, facts), "end %*d>%d", &end) == 1 &&
        end > sizes[at])
      sizes[at] = (uint16_t)end;
  }
}

// The sizes at 0.`minor`: where structs end, or what the constants of its header say. 0 for a
// struct that had not come yet.
static void sizes_at(int minor, bool constants, uint16_t sizes[TN_PJRT_STRUCT_COUNT]) {
  if (minor >= TN_PJRT_NEWEST) {
    memcpy(sizes, newest, sizeof newest);
    return;
  }
  const tn_abi_table* table = tn_abi_table_get("pjrt/struct_sizes");
  const int ends = tn_abi_column(table, "end"), consts = tn_abi_column(table, "size_const");
  const int firsts = tn_abi_column(table, "first_minor"),
            lasts = tn_abi_column(table, "last_minor");
  const int known = minor < tn_abi_pjrt_newest() ? minor : tn_abi_pjrt_newest();
  memset(sizes, 0, TN_PJRT_STRUCT_COUNT * sizeof *sizes);
  for (size_t row = 0; row < table->rows; ++row) {
    if (tn_abi_int(table, row, firsts, 0) > known || tn_abi_int(table, row, lasts, 0) < known)
      continue;
    const int at = find(tn_abi_cell(table, row, 0));
    const int64_t end = tn_abi_int(table, row, ends, 0);
    if (at >= 0) sizes[at] = (uint16_t)(constants ? tn_abi_int(table, row, consts, end) : end);
  }
  if (minor > known) add_beyond(minor, sizes);
}

void tn_pjrt_sizes_init(tn_pjrt* plugin, bool as_host) {
  sizes_at(plugin->minor, false, plugin->their_ends);
  if (as_host)
    sizes_at(plugin->host_minor, true, plugin->sizes);
  else if (plugin->minor <= LAST_EXACT)
    sizes_at(plugin->minor, true, plugin->sizes);
  else
    memcpy(plugin->sizes, newest, sizeof newest);
}
