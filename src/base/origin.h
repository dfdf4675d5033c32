// Who is registering: while a plugin's constructors and entry points run, the loading thread
// carries that plugin's origin, and every registry stores it beside what is registered. So a failed
// load can be rolled back, and an op or a kernel can name the file it came from.
#ifndef TENON_BASE_ORIGIN_H_
#define TENON_BASE_ORIGIN_H_

#include "tenon/status.h"

// Lives as long as the process once anything was registered under it.
typedef struct tn_origin {
  const char* path;    // the plugin file, absolute
  tn_status* failure;  // the first registration that failed under this origin; OK until then
} tn_origin;

// The origin of this thread; NULL is the host itself.  [any thread]
const tn_origin* tn_origin_current(void);

// Makes `origin` this thread's origin and returns the one before, to be entered again afterwards.
// [any thread]
const tn_origin* tn_origin_enter(const tn_origin* origin);

// Keeps the first failure of the current origin: registries call it with every registration that
// fails, because TF_InitKernel has no status to return it by. Copies.  [any thread]
void tn_origin_note_failure(const tn_status* failure);

// The same for a builder that found no memory: the plugin only sees a NULL.  [any thread]
void tn_origin_note_no_memory(const char* doing);

#endif  // TENON_BASE_ORIGIN_H_
