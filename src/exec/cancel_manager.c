#include "exec/cancel_manager.h"

#include <pthread.h>

#include "base/memory.h"

typedef struct callback {
  struct callback* next;
  int64_t number;
  void (*run)(void* arg);
  void* arg;
} callback;

struct TFE_CancellationManager {
  tn_cancel token;
  _Atomic int64_t next_number;

  // Guarded by `lock`:
  pthread_mutex_t lock;
  pthread_cond_t ended;  // all callbacks have run
  enum { quiet, cancelling, cancelled } stage;
  pthread_t canceller;  // while cancelling
  callback* callbacks;
};

tn_cancel_manager* tn_cancel_manager_create(void) {
  tn_cancel_manager* manager = tn_alloc_zeroed(1, sizeof *manager);
  if (!manager) return NULL;
  pthread_mutex_init(&manager->lock, NULL);
  pthread_cond_init(&manager->ended, NULL);
  return manager;
}

void tn_cancel_manager_destroy(tn_cancel_manager* manager) {
  if (!manager) return;
  if (manager->callbacks) tn_cancel_manager_start(manager);
  pthread_cond_destroy(&manager->ended);
  pthread_mutex_destroy(&manager->lock);
  tn_free(manager);
}

const tn_cancel* tn_cancel_manager_token(const tn_cancel_manager* manager) {
  return &manager->token;
}

void tn_cancel_manager_start(tn_cancel_manager* manager) {
  pthread_mutex_lock(&manager->lock);
  bool first = manager->stage == quiet;
  callback* next = first ? manager->callbacks : NULL;
  if (first) {
    manager->stage = cancelling;
    manager->canceller = pthread_self();
    manager->callbacks = NULL;
    tn_cancel_request(&manager->token);
  }
  pthread_mutex_unlock(&manager->lock);
  if (!first) return;
  for (callback* at; (at = next);) {
    next = at->next;
    at->run(at->arg);
    tn_free(at);
  }
  pthread_mutex_lock(&manager->lock);
  manager->stage = cancelled;
  pthread_cond_broadcast(&manager->ended);
  pthread_mutex_unlock(&manager->lock);
}

static int stage_of(tn_cancel_manager* manager) {
  pthread_mutex_lock(&manager->lock);
  int stage = manager->stage;
  pthread_mutex_unlock(&manager->lock);
  return stage;
}

bool tn_cancel_manager_is_cancelling(tn_cancel_manager* manager) {
  return stage_of(manager) == cancelling;
}

bool tn_cancel_manager_is_cancelled(tn_cancel_manager* manager) {
  return stage_of(manager) == cancelled;
}

int64_t tn_cancel_manager_next(tn_cancel_manager* manager) {
  return atomic_fetch_add_explicit(&manager->next_number, 1, memory_order_relaxed);
}

// With the lock held: the link to the callback of that number, or to the end.
static callback** find(tn_cancel_manager* manager, int64_t number) {
  callback** at = &manager->callbacks;
  while (*at && (*at)->number != number) at = &(*at)->next;
  return at;
}

bool tn_cancel_manager_register(tn_cancel_manager* manager, int64_t number, void (*run)(void* arg),
                                void* arg) {
  callback* made = tn_alloc(sizeof *made);
  if (!made) return false;
  pthread_mutex_lock(&manager->lock);
  bool registered = manager->stage == quiet;
  callback* old = NULL;
  if (registered) {
    callback** at = find(manager, number);
    old = *at;
    *made = (callback){old ? old->next : NULL, number, run, arg};
    *at = made;
  }
  pthread_mutex_unlock(&manager->lock);
  tn_free(registered ? old : made);
  return registered;
}

bool tn_cancel_manager_deregister(tn_cancel_manager* manager, int64_t number, bool wait) {
  pthread_mutex_lock(&manager->lock);
  bool removed = manager->stage == quiet;
  callback* found = NULL;
  if (removed) {
    callback** at = find(manager, number);
    found = *at;
    if (found) *at = found->next;
  }
  while (wait && manager->stage == cancelling && !pthread_equal(manager->canceller, pthread_self()))
    pthread_cond_wait(&manager->ended, &manager->lock);
  pthread_mutex_unlock(&manager->lock);
  tn_free(found);
  return removed;
}
