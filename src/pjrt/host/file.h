// A plugin's file in this process: loaded once and initialized once, whoever opens it how often.
#ifndef TENON_PJRT_HOST_FILE_H_
#define TENON_PJRT_HOST_FILE_H_

#include "base/status.h"
#include "pjrt/host/extensions.h"
#include "pjrt/host/table.h"

// Told before each step in which code of the plugin runs ("dlopen", "GetPjrtApi", ...).
typedef struct tn_pjrt_stages {
  void (*tell)(const char* name, void* arg);
  void* arg;
} tn_pjrt_stages;

// Kept until the process ends, once it was loaded.
struct tn_pjrt_file {
  tn_pjrt_file* next;
  char* path;
  const char* name;  // within path
  uint64_t device, inode;
  void* library;
  bool recognised;  // the table is one that this host can work with
  const PJRT_Api* table;
  tn_pjrt_number number;
  tn_pjrt_nodes extensions;
  tn_text notes;
  bool initialized;
  tn_status failure;  // of PJRT_Plugin_Initialize, which is called once
};

// Called before a file is loaded; false is a failure.
typedef struct tn_pjrt_meeting {
  bool (*call)(const char* path, void* arg, tn_status* status);
  void* arg;
} tn_pjrt_meeting;

// The file at `path`, loaded and recognised. Only with the lock held.
tn_pjrt_file* tn_pjrt_file_get(const char* path, const tn_pjrt_meeting* meeting,
                               const tn_pjrt_stages* stages, tn_status* status);

// Held while files are loaded and initialized. Recursive: a plugin may open another.
void tn_pjrt_lock(void);
void tn_pjrt_unlock(void);

// Tells that a step begins (TN_PJRT_STAGE_*, or an entry plus 1), or with 0 that it is over.
void tn_pjrt_stage(const tn_pjrt_stages* stages, uint32_t what);

// Where plugins that are opened now tell their calls.
_Atomic uint32_t* tn_pjrt_trace_word(void);

#endif  // TENON_PJRT_HOST_FILE_H_
