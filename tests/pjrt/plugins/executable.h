// What a program becomes, shared by executable.c and execute.c.

#pragma once

#include "plugin.h"

// A compiled program; counted, since handles of both kinds share it.
typedef struct code {
  atomic_int refs;
  program program;
  compile_options options;
  char *text, *options_bytes;
  size_t text_size, options_size;
  char fingerprint[20];
  PJRT_Buffer_Type output_types[MOST_VALUES];
  size_t output_ranks[MOST_VALUES];
  int64_t output_dims[MOST_VALUES * MOST_DIMS];
  const char* kinds[MOST_VALUES];
  size_t kind_sizes[MOST_VALUES];
  PJRT_NamedValue costs[2];
  void *input_layouts[MOST_VALUES], *output_layouts[MOST_VALUES];  // made when asked for
} code;

void code_unref(code* code);

struct PJRT_Executable {
  code* code;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client;
  code* code;
  size_t num_devices;
  PJRT_Device* devices[MOST_DEVICES];
#if HAS(96)
  PJRT_LogicalDeviceIds logical_ids[MOST_DEVICES];
#endif
  pthread_mutex_t lock;
  bool is_deleted;
};
