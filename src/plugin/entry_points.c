#include "plugin/entry_points.h"

typedef struct entry_point {
  uint32_t bit;
  const char *symbol, *what, *why_not;
} entry_point;

static const entry_point entry_points[] = {
    {TN_ENTRY_KERNEL, "TF_InitKernel", "kernel", "this load asked for others only"},
    {TN_ENTRY_DEVICE, "SE_InitPlugin", "device", "this load asked for others only"},
    {TN_ENTRY_GRAPH, "TF_InitGraph", "graph", "this host has no graph passes"},
    {TN_ENTRY_PROFILER, "TF_InitProfiler", "profiler", "this host does not drive profilers"},
    {TN_ENTRY_NEXT_DEVICE, "TFNPD_InitPlugin", "device",
     "this host does not drive devices over PJRT"},
    {TN_ENTRY_PJRT, "GetPjrtApi", "program", "this load is for ops and kernels"},
};
enum { entry_point_count = sizeof entry_points / sizeof *entry_points };

const char* tn_entry_point_symbol(tn_entry_point bit) {
  for (int i = 0; i < entry_point_count; ++i)
    if (entry_points[i].bit == (uint32_t)bit) return entry_points[i].symbol;
  return NULL;
}

uint32_t tn_entry_points_of(const tn_elf* elf) {
  uint32_t found = 0;
  for (int i = 0; i < entry_point_count; ++i)
    if (tn_elf_defines(elf, entry_points[i].symbol)) found |= entry_points[i].bit;
  return found;
}

void tn_entry_points_explain(uint32_t found, uint32_t called, tn_text* out) {
  for (int i = 0; i < entry_point_count; ++i) {
    const entry_point* entry = &entry_points[i];
    if ((found & ~called) & entry->bit)
      tn_text_printf(out, "%s%s entry point %s found, not called: %s", out->size ? "\n" : "",
                     entry->what, entry->symbol, entry->why_not);
  }
}
