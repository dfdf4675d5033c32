#include "pjrt/host/node.h"

#include <pthread.h>

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
  pthread_mutex_t lock;
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
  pthread_mutex_init(&nodes->lock, NULL);
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
  pthread_mutex_destroy(&nodes->lock);
  tn_pjrt_unref(nodes->plugin);
  tn_free(nodes);
}

static bool add_block(tn_pjrt_nodes* nodes) {
  node_block* block = tn_alloc(sizeof *block);
  if (!block) return false;
  block->next = nodes->blocks;
  nodes->blocks = block;
  for (size_t i = 0; i < TN_PJRT_NODES_A_BLOCK; ++i) {
    block->nodes[i].next = nodes->free;
    nodes->free = &block->nodes[i];
  }
  nodes->free_count += TN_PJRT_NODES_A_BLOCK;
  return true;
}

bool tn_pjrt_nodes_take(tn_pjrt_nodes* nodes, void** out, size_t count, tn_status* status) {
  pthread_mutex_lock(&nodes->lock);
  bool ok = true;
  while (ok && nodes->free_count < count) ok = add_block(nodes);
  if (ok) {
    for (size_t i = 0; i < count; ++i) {
      out[i] = nodes->free;
      nodes->free = nodes->free->next;
    }
    nodes->free_count -= count;
  }
  pthread_mutex_unlock(&nodes->lock);
  if (!ok) tn_status_set_no_memory(status, "making PJRT buffers or events");
  return ok;
}

void tn_pjrt_nodes_give(tn_pjrt_nodes* nodes, void* given) {
  tn_pjrt_node* node = given;
  pthread_mutex_lock(&nodes->lock);
  node->next = nodes->free;
  nodes->free = node;
  ++nodes->free_count;
  pthread_mutex_unlock(&nodes->lock);
}
