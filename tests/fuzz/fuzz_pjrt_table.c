// Foreign bytes as a plugin's table: recognised or refused, filled in or refused, whatever they
// are. The first byte is the number that this host acts as; the rest is the table, in memory that
// ends where it ends, and pointers in it lead anywhere.
#include <stdlib.h>
#include <string.h>

#include "base/status.h"
#include "pjrt/host/extensions.h"
#include "pjrt/host/sizes.h"
#include "pjrt/host/table.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void see(bool is_true) {
  if (!is_true) abort();
}

// What the table refused, and what it says of an absent entry, is in words.
static void check_absent(const tn_pjrt* view) {
  for (int i = 0; i < TN_PJRT_ENTRY_COUNT; ++i) {
    tn_status status = {0};
    const bool there = tn_pjrt_require(view, i, &status);
    see(there == tn_ok(&status) && there == (view->absent[i] == TN_PJRT_PRESENT));
    see(there || strstr(tn_status_message(&status), tn_pjrt_entry_names[i]));
    tn_status_deinit(&status);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  enum { HEAD = TN_PJRT_FIRST_ENTRY, MOST = 8192 };
  if (size < 1 + HEAD || size > MOST) return 0;
  // Slots and nodes that the input asks for by small numbers are real: code, and a chain of nodes.
  char* table = malloc(size - 1);
  memcpy(table, data + 1, size - 1);
  PJRT_Extension_Base nodes[4];
  for (int i = 0; i < 4; ++i)
    nodes[i] = (PJRT_Extension_Base){(size_t)data[1] << i, (PJRT_Extension_Type)(data[9] + i),
                                     &nodes[(i + 1) % 4]};
  for (size_t at = 0; at + 8 <= size - 1; at += 8) {
    uintptr_t word;
    memcpy(&word, table + at, 8);
    if (at == 8 && word == 2) word = (uintptr_t)nodes;
    if (at >= 16 && word == 1) word = (uintptr_t)&LLVMFuzzerTestOneInput;
    memcpy(table + at, &word, 8);
  }
  tn_mapped* mapped = tn_mapped_read();
  tn_pjrt_number number;
  tn_status status = {0};
  if (tn_pjrt_recognise(table, "/x/y.so", mapped, &number, &status)) {
    see(number.major == 0 && number.minor >= 28 && number.minor != 56);
    tn_pjrt view = {.theirs = (const PJRT_Api*)table,
                    .minor = number.minor,
                    .host_minor = 28 + data[0] % 90,
                    .path = "/x/y.so",
                    .name = "y.so"};
    tn_pjrt_sizes_init(&view, data[0] & 1);
    // A plugin's table lies in its own memory as far as it says; only so much is there here.
    if (number.table_size <= size - 1 && size - 1 >= sizeof(PJRT_Api) &&
        tn_pjrt_table_fill(&view, mapped, &status))
      check_absent(&view);
    tn_text notes = {0};
    tn_pjrt_nodes found = {0};
    const void* first;
    memcpy(&first, table + 8, sizeof first);
    see(tn_pjrt_nodes_read(first, number.minor, mapped, &notes, &found));
    for (size_t i = 0; i < found.count; ++i) see(found.items[i].node != NULL);
    tn_pjrt_nodes_deinit(&found);
    tn_text_deinit(&notes);
  } else {
    see(!tn_ok(&status) && strstr(tn_status_message(&status), "/x/y.so"));
  }
  tn_mapped_destroy(mapped);
  tn_status_deinit(&status);
  free(table);
  return 0;
}
