// The list of extensions that a plugin's table begins.
#ifndef TENON_PJRT_HOST_EXTENSIONS_H_
#define TENON_PJRT_HOST_EXTENSIONS_H_

#include "base/text.h"
#include "pjrt/host/mapped.h"

typedef struct tn_pjrt_node {
  int type;
  size_t size;  // as the plugin says; 0: not told
  const void* node;
} tn_pjrt_node;

typedef struct tn_pjrt_nodes {
  tn_pjrt_node* items;
  size_t count, capacity;
} tn_pjrt_nodes;

// Reads the list as it was in 0.`minor`. What is wrong with it is added to `notes`, one fact a
// line, and left out. False only when out of memory.
bool tn_pjrt_nodes_read(const void* first, int minor, const tn_mapped* mapped, tn_text* notes,
                        tn_pjrt_nodes* out);
void tn_pjrt_nodes_deinit(tn_pjrt_nodes* nodes);

#endif  // TENON_PJRT_HOST_EXTENSIONS_H_
