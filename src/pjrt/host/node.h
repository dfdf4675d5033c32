// The small objects of a client: buffers, events, callbacks under way. They are all of one size and
// are used again, so that running a program allocates nothing once it has run.
#ifndef TENON_PJRT_HOST_NODE_H_
#define TENON_PJRT_HOST_NODE_H_

#include <stdatomic.h>

#include "pjrt/host/plugin.h"

typedef struct tn_pjrt_nodes tn_pjrt_nodes;

struct tn_pjrt_buffer {
  tn_pjrt_client* client;
  PJRT_Buffer* theirs;
  _Atomic int holders;   // the caller, and each view of its memory that was given away
  _Atomic bool deleted;  // by tn_pjrt_buffer_delete
};

struct tn_pjrt_event {
  tn_pjrt_client* client;
  PJRT_Event* theirs;  // NULL: has happened
};

typedef struct tn_pjrt_callback {
  tn_pjrt_nodes* nodes;
  void (*call)(const tn_status* result, void* arg);
  void* arg;
} tn_pjrt_callback;

// A foreign tensor whose memory a buffer uses.
typedef struct tn_pjrt_import {
  tn_pjrt_nodes* nodes;
  struct tn_dlpack* dlpack;
} tn_pjrt_import;

typedef union tn_pjrt_node tn_pjrt_node;

// Lives as long as its client and each callback and import under way. Holds the plugin's view, by
// which the errors of callbacks are read.
tn_pjrt_nodes* tn_pjrt_nodes_create(tn_pjrt* plugin, tn_status* status);
tn_pjrt* tn_pjrt_nodes_plugin(const tn_pjrt_nodes* nodes);
void tn_pjrt_nodes_ref(tn_pjrt_nodes* nodes);
void tn_pjrt_nodes_unref(tn_pjrt_nodes* nodes);

// Takes `count` nodes: all or, with a status, none. Their contents are not initialised.
bool tn_pjrt_nodes_take(tn_pjrt_nodes* nodes, void** out, size_t count, tn_status* status);
void tn_pjrt_nodes_give(tn_pjrt_nodes* nodes, void* node);

#endif  // TENON_PJRT_HOST_NODE_H_
