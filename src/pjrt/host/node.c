#include "pjrt/host/node.h"

#include <sched.h>

#include "base/memory.h"

union tn_pjrt_node {
  tn_pjrt_buffer buffer;
  tn_pjrt_event event;
  tn_pjrt_callback callback;
  tn_pjrt_import import;
  tn_pjrt_node* next;
};

// Nodes are made some at a time.
enum { TN_PJRT_NODES_A_BLOCK = 16 };
typedef struct node_block {
  struct node_block* next;
  tn_pjrt_node nodes[TN_PJRT_NODES_A_BLOCK];
} node_block;

struct tn_pjrt_nodes {
  atomic_flag busy;  // for a few instructions at a time, so nobody sleeps over it
  tn_pjrt_node* free;
  size_t free_count;
  node_block* blocks;
  tn_pjrt* plugin;
  _Atomic size_t references;
};

tn_pjrt_nodes* tn_pjrt_nodes_create(tn_pjrt* plugin, tn_status* status) {
  tn_pjrt_nodes* nodes = tn_alloc_zeroed(1, sizeof *nodes);
  if (!nodes) {
    tn_status_set_no_memory(status, "making a PJRT client");
    return NULL;
  }
  atomic_flag_clear(&nodes->busy);
  nodes->plugin = tn_pjrt_ref(plugin);
  nodes->references = 1;
  return nodes;
}

tn_pjrt* tn_pjrt_nodes_plugin(const tn_pjrt_nodes* nodes) { return nodes->plugin; }

void tn_pjrt_nodes_ref(tn_pjrt_nodes* nodes) {
  atomic_fetch_add_explicit(&nodes->references, 1, memory_order_relaxed);
}

void tn_pjrt_nodes_unref(tn_pjrt_nodes* nodes) {
  if (!nodes || atomic_fetch_sub_explicit(&nodes->references, 1, memory_order_acq_rel) != 1) return;
  for (node_block* block = nodes->blocks; block;) {
    node_block* next = block->next;
    tn_free(block);
    block = next;
  }
  tn_pjrt_unref(nodes->plugin);
  tn_free(nodes);
}

static void lock(tn_pjrt_nodes* nodes) {
  while (atomic_flag_test_and_set_explicit(&nodes->busy, memory_order_acquire)) sched_yield();
}

static void unlock(tn_pjrt_nodes* nodes) {
  atomic_flag_clear_explicit(&nodes->busy, memory_order_release);
}

// Memory is asked for outside of the lock.
static bool add_block(tn_pjrt_nodes* nodes) {
  node_block* block = tn_alloc(sizeof *block);
  if (!block) return false;
  for (size_t i = 0; i + 1 < TN_PJRT_NODES_A_BLOCK; ++i)
    block->nodes[i].next = &block->nodes[i + 1];
  lock(nodes);
  block->next = nodes->blocks;
  nodes->blocks = block;
  block->nodes[TN_PJRT_NODES_A_BLOCK - 1].next = nodes->free;
  nodes->free = block->nodes;
  nodes->free_count += TN_PJRT_NODES_A_BLOCK;
  unlock(nodes);
  return true;
}

bool tn_pjrt_nodes_take(tn_pjrt_nodes* nodes, void** out, size_t count, tn_status* status) {
  lock(nodes);
  while (nodes->free_count < count) {
    unlock(nodes);
    if (!add_block(nodes)) {
      tn_status_set_no_memory(status, "making PJRT buffers or events");
      return false;
    }
    lock(nodes);
  }
  for (size_t i = 0; i < count; ++i) {
    out[i] = nodes->free;
    nodes->free = nodes->free->next;
  }
  nodes->free_count -= count;
  unlock(nodes);
  return true;
}

void tn_pjrt_nodes_give(tn_pjrt_nodes* nodes, void* given) {
  tn_pjrt_node* node = given;
  lock(nodes);
  node->next = nodes->free;
  nodes->free = node;
  ++nodes->free_count;
  unlock(nodes);
}
