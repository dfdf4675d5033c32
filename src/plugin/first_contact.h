// Meeting a plugin in a child process first, where it may crash, exit or hang.
//
// The child (tenon-probe) loads the plugin just as the parent would and reports over a pipe: each
// stage as it begins, then how it ended. What the child could not say, its wait status does.
#ifndef TENON_PLUGIN_FIRST_CONTACT_H_
#define TENON_PLUGIN_FIRST_CONTACT_H_

#include <stdbool.h>
#include <stdint.h>

#include "plugin/child.h"
#include "tenon/status.h"

typedef struct tn_contact {
  const char* path;  // absolute
  uint32_t entry_points;
  uint32_t time_limit_ms;
  bool allow_missing_weak;
  // When set, the child also tells what it read of the plugin (host/load_facts.h). A plugin that
  // crashed, ended the process or hung is told as "ended": "killed by SIGSEGV in TF_InitKernel".
  void (*fact)(const char* key, const char* value, void* arg);
  void* fact_arg;
  // When set with it: only this function of the plugin is called, which takes nothing and gives a
  // versioned struct, and the fact "made" tells of that.
  const char* create;
} tn_contact;

// True when the child loaded the plugin; else the status says how it ended, in which call, and
// quotes its last words.  [any thread]
bool tn_first_contact(const tn_contact* contact, tn_status* status);

// The stage in which a plugin's constructors run; the others are named after the entry point
// called.
#define TN_STAGE_OPEN "dlopen"

// What the child writes to descriptor TN_CONTACT_FD: these heads, `size` bytes behind each.
enum { TN_CONTACT_FD = TN_CHILD_FD };
typedef enum tn_contact_kind {
  TN_CONTACT_STAGE = 1,   // the stage's name
  TN_CONTACT_FAILED = 2,  // the message; code and fault in the head
  TN_CONTACT_DONE = 3,
  TN_CONTACT_FACT = 4,  // key, zero, value, zero
} tn_contact_kind;
typedef struct tn_contact_head {
  uint32_t kind, size, code, fault;
} tn_contact_head;

#endif  // TENON_PLUGIN_FIRST_CONTACT_H_
