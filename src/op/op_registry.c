// Readers walk an open-addressed table of atomic pointers without a lock. Writers, one at a time,
// fill a free slot, or publish a table twice as large and keep the old one for readers still in it.
// Nothing that a reader may hold is ever freed.

#include "op/op_registry.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/suggest.h"
#include "op/builtin/builtin_ops.h"

typedef struct table {
  struct table* older;
  size_t capacity;              // ops it has room for; there are twice as many slots
  _Atomic size_t count;         // of `ops`, removed ones included
  _Atomic(tn_op_def*)* ops;     // in order of registration; NULL once removed
  _Atomic(tn_op_def*) slots[];  // by hash of the name; `removed` keeps a probe going
} table;

// Who asked for which op: an op stays while anybody has asked for it.
typedef struct request {
  const tn_origin* origin;
  tn_op_def* op;
} request;

static _Atomic(table*) current;
static tn_op_def removed = {.name = ""};

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static request* requests;
static size_t request_count, request_capacity;
static tn_op_def* graveyard;  // removed ops, which readers may still hold

static uint64_t hash_name(const char* name) { return tn_hash(name, strlen(name), 0); }

static table* table_create(size_t capacity, table* older) {
  size_t slots = 2 * capacity;
  table* made = tn_alloc_zeroed(1, sizeof *made + (slots + capacity) * sizeof *made->slots);
  if (!made) return NULL;
  made->older = older;
  made->capacity = capacity;
  made->ops = made->slots + slots;
  return made;
}

// The op called `name`, and its slot or the free one where it belongs. A reader must not look at
// the slot again: a free one may hold another op by then. Tables are at most half full.
static tn_op_def* probe(table* where, const char* name, _Atomic(tn_op_def*)** out_slot) {
  size_t mask = 2 * where->capacity - 1;
  for (size_t i = hash_name(name) & mask;; i = (i + 1) & mask) {
    tn_op_def* op = atomic_load_explicit(&where->slots[i], memory_order_acquire);
    if (op && (op == &removed || strcmp(op->name, name) != 0)) continue;
    if (out_slot) *out_slot = &where->slots[i];
    return op;
  }
}

static void fill_slot(table* where, const char* name, tn_op_def* op) {
  _Atomic(tn_op_def*)* slot;
  probe(where, name, &slot);
  atomic_store_explicit(slot, op, memory_order_release);
}

static void table_insert(table* where, tn_op_def* op) {
  size_t count = atomic_load_explicit(&where->count, memory_order_relaxed);
  atomic_store_explicit(&where->ops[count], op, memory_order_relaxed);
  atomic_store_explicit(&where->count, count + 1, memory_order_release);
  fill_slot(where, op->name, op);
}

// A table with room for one more op. Removed ops are left behind in the old one.
static table* make_room(void) {
  table* old = atomic_load_explicit(&current, memory_order_relaxed);
  size_t count = old ? atomic_load_explicit(&old->count, memory_order_relaxed) : 0;
  if (old && count < old->capacity) return old;
  table* larger = table_create(old ? 2 * old->capacity : 256, old);
  if (!larger) return NULL;
  for (size_t i = 0; i < count; ++i) {
    tn_op_def* op = atomic_load_explicit(&old->ops[i], memory_order_relaxed);
    if (op) table_insert(larger, op);
  }
  atomic_store_explicit(&current, larger, memory_order_release);
  return larger;
}

// The host's own ops come first, whoever calls first. A failure for want of memory is met again by
// the next call.
static void register_builtin_ops(void) {
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  static _Atomic bool done;
  static _Thread_local bool registering;
  if (atomic_load_explicit(&done, memory_order_acquire) || registering) return;
  pthread_mutex_lock(&once);
  if (!atomic_load_explicit(&done, memory_order_relaxed)) {
    const tn_origin* origin = tn_origin_enter(NULL);
    registering = true;
    bool registered = tn_builtin_ops_register(NULL);
    registering = false;
    tn_origin_enter(origin);
    atomic_store_explicit(&done, registered, memory_order_release);
  }
  pthread_mutex_unlock(&once);
}

static table* read_table(void) {
  register_builtin_ops();
  return atomic_load_explicit(&current, memory_order_acquire);
}

const tn_op_def* tn_op_registry_find(const char* name) {
  table* where = read_table();
  return where && name ? probe(where, name, NULL) : NULL;
}

void tn_op_registry_each(bool (*visit)(const tn_op_def* op, void* arg), void* arg) {
  table* where = read_table();
  size_t count = where ? atomic_load_explicit(&where->count, memory_order_acquire) : 0;
  for (size_t i = 0; i < count; ++i) {
    const tn_op_def* op = atomic_load_explicit(&where->ops[i], memory_order_acquire);
    if (op && !visit(op, arg)) return;
  }
}

static bool offer(const tn_op_def* op, void* suggestion) {
  tn_suggest_offer(suggestion, tn_view_of(op->name));
  return true;
}

const tn_op_def* tn_op_registry_get(const char* name, tn_status* status) {
  const tn_op_def* op = tn_op_registry_find(name);
  if (op) return op;
  tn_suggestion nearest = {.wanted = tn_view_of(name)};
  tn_op_registry_each(offer, &nearest);
  tn_status_set(
      status, TN_NOT_FOUND,
      "Op type not registered '%s': neither the host nor a plugin loaded so far defines it",
      name ? name : "(null)");
  if (nearest.best.size)
    tn_status_annotate(status, "did you mean '%.*s'?", TN_VIEW_ARGS(nearest.best));
  return NULL;
}

typedef struct encoding {
  tn_text* out;
  tn_status* status;
  bool done;
} encoding;

static bool encode_op(const tn_op_def* op, void* arg) {
  encoding* list = arg;
  size_t begun = tn_wire_begin(list->out, 1);
  list->done = tn_op_def_encode(op, list->out, list->status);
  tn_wire_end(list->out, begun);
  return list->done;
}

bool tn_op_registry_encode(tn_text* out, tn_status* status) {
  encoding list = {out, status, true};
  tn_op_registry_each(encode_op, &list);
  if (list.done && out->failed) tn_status_set_no_memory(status, "listing all ops");
  return list.done && !out->failed;
}

static void set_exists(const tn_op_def* there, const tn_op_def* op, tn_status* status) {
  tn_text text = {0};
  tn_op_def_difference(there, op, &text);
  tn_status_set(status, TN_ALREADY_EXISTS, "Op with name %s is registered already, by %s", op->name,
                there->origin ? there->origin->path : "the host");
  if (text.data) tn_status_annotate(status, "they differ: %s", text.data);
  tn_text_deinit(&text);
}

// Under the lock. False, with `op` still the caller's, when it cannot be added.
static bool add_locked(tn_op_def* op, tn_status* status) {
  table* where = make_room();
  if (!where || !tn_grow(&requests, &request_capacity, request_count + 1, sizeof *requests)) {
    tn_status_set_no_memory(status, "registering an op");
    return false;
  }
  tn_op_def* there = probe(where, op->name, NULL);
  if (there && !tn_op_def_equal(there, op)) {
    set_exists(there, op, status);
    return false;
  }
  requests[request_count++] = (request){op->origin, there ? there : op};
  if (there) {
    tn_op_def_destroy(op);
  } else {
    table_insert(where, op);
  }
  return true;
}

bool tn_op_registry_add(tn_op_def* op, tn_status* status) {
  if (!op) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no op to register (NULL)");
    return false;
  }
  register_builtin_ops();
  op->origin = tn_origin_current();
  tn_status problem = {0};
  pthread_mutex_lock(&writing);
  bool added = add_locked(op, &problem);
  pthread_mutex_unlock(&writing);
  if (!added) {
    tn_op_def_destroy(op);
    tn_origin_note_failure(&problem);
    tn_status_copy(status, &problem);
    tn_status_deinit(&problem);
  }
  return added;
}

bool tn_op_register(tn_op_builder* builder, tn_status* status) {
  tn_status problem = {0};
  tn_op_def* op = tn_op_builder_finish(builder, &problem);
  tn_op_builder_destroy(builder);
  if (op) return tn_op_registry_add(op, status);
  tn_origin_note_failure(&problem);
  tn_status_copy(status, &problem);
  tn_status_deinit(&problem);
  return false;
}

size_t tn_op_registry_count_origin(const tn_origin* origin) {
  register_builtin_ops();
  pthread_mutex_lock(&writing);
  size_t count = 0;
  for (size_t i = 0; i < request_count; ++i) count += requests[i].origin == origin;
  pthread_mutex_unlock(&writing);
  return count;
}

// Takes `op` out of the table that new readers see; those in older tables had begun before.
static void remove_op(tn_op_def* op) {
  table* where = atomic_load_explicit(&current, memory_order_relaxed);
  fill_slot(where, op->name, &removed);
  size_t count = atomic_load_explicit(&where->count, memory_order_relaxed);
  for (size_t i = 0; i < count; ++i)
    if (atomic_load_explicit(&where->ops[i], memory_order_relaxed) == op)
      atomic_store_explicit(&where->ops[i], NULL, memory_order_release);
  op->next_removed = graveyard;
  graveyard = op;
}

static bool is_wanted(const tn_op_def* op) {
  for (size_t i = 0; i < request_count; ++i)
    if (requests[i].op == op) return true;
  return false;
}

void tn_op_registry_remove_origin(const tn_origin* origin) {
  if (!origin) return;
  pthread_mutex_lock(&writing);
  size_t kept = 0, all = request_count;
  for (size_t i = 0; i < all; ++i) {
    if (requests[i].origin == origin) continue;
    request swapped = requests[kept];
    requests[kept++] = requests[i];
    requests[i] = swapped;
  }
  request_count = kept;
  for (size_t i = kept; i < all; ++i) {
    tn_op_def* op = requests[i].op;
    bool again = false;  // asked for twice
    for (size_t k = kept; k < i; ++k) again |= requests[k].op == op;
    if (!again && !is_wanted(op)) remove_op(op);
  }
  pthread_mutex_unlock(&writing);
}
