// The process's kernels. Finding takes no lock: kernels hang in lists that only grow, one per op,
// and the ops in a map that readers search while one writer adds. A roll-back marks kernels as
// removed; nothing is ever freed, because an instance may be running.
#include <pthread.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/shared_map.h"
#include "base/status.h"
#include "base/wire.h"
#include "kernel/builtin_kernels.h"

typedef struct op_kernels {
  char* op;
  _Atomic(tn_kernel*) first;
  tn_kernel* last;  // the writer's
} op_kernels;

static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static tn_shared_map ops;  // op_kernels by name
static _Atomic(tn_kernel*) first;
static tn_kernel* last;
_Atomic uint64_t tn_kernel_generation;
// Builders that were registered or refused. A plugin may still delete them, so their addresses are
// never given to another builder.
static tn_kernel_builder* taken;

static bool is_op(const void* entry, const void* key) {
  return strcmp(((const op_kernels*)entry)->op, key) == 0;
}

static op_kernels* find_op(const char* op) {
  return tn_shared_map_find(&ops, tn_hash(op, strlen(op), 0), is_op, op);
}

static op_kernels* find_or_add_op(const char* op) {
  op_kernels* found = find_op(op);
  if (found) return found;
  found = tn_alloc_zeroed(1, sizeof *found);
  if (found) found->op = tn_strdup(op);
  if (!found || !found->op || !tn_shared_map_add(&ops, tn_hash(op, strlen(op), 0), found)) {
    if (found) tn_free(found->op);
    tn_free(found);
    return NULL;
  }
  tn_memory_keep(found->op);
  tn_memory_keep(found);
  return found;
}

static void keep_def(tn_kernel_def* def) {
  tn_memory_keep(def->op);
  tn_memory_keep(def->device_type);
  tn_memory_keep(def->label);
  for (size_t i = 0; i < def->constraint_count; ++i) {
    tn_memory_keep(def->constraints[i].attr);
    tn_memory_keep(def->constraints[i].allowed.items);
  }
  tn_memory_keep(def->constraints);
  for (size_t i = 0; i < def->host_memory_count; ++i) tn_memory_keep(def->host_memory_args[i]);
  tn_memory_keep(def->host_memory_args);
}

// Moves what the builder holds into a kernel and publishes it.
static bool publish(tn_kernel_builder* builder, const char* name, tn_status* status) {
  if (builder->labels > 1) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "the label of the kernel '%s' for op '%s' was set %d times; a kernel has one",
                  name, builder->def.op, builder->labels);
    return false;
  }
  if (!*builder->def.op || !*builder->def.device_type) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "the kernel '%s' names no %s", name,
                  *builder->def.op ? "device type" : "op");
    return false;
  }
  tn_kernel* kernel = builder->failed ? NULL : tn_alloc_zeroed(1, sizeof *kernel);
  op_kernels* of_op = NULL;
  if (kernel && (kernel->name = tn_strdup(name))) of_op = find_or_add_op(builder->def.op);
  if (!of_op) {
    if (kernel) tn_free(kernel->name);
    tn_free(kernel);
    tn_status_set_no_memory(status, "registering a kernel");
    return false;
  }
  kernel->def = builder->def;
  builder->def = (tn_kernel_def){0};
  kernel->functions = builder->functions;
  kernel->origin = tn_origin_current();
  keep_def(&kernel->def);
  tn_memory_keep(kernel->name);
  tn_memory_keep(kernel);
  atomic_store_explicit(of_op->last ? &of_op->last->next_of_op : &of_op->first, kernel,
                        memory_order_release);
  of_op->last = kernel;
  atomic_store_explicit(last ? &last->next : &first, kernel, memory_order_release);
  last = kernel;
  atomic_fetch_add(&tn_kernel_generation, 1);
  return true;
}

// Reads `bytes` in place of what the builder says.
static bool replace_def(tn_kernel_builder* builder, tn_view bytes, tn_status* status) {
  tn_kernel_def def;
  tn_status why = {0};
  if (tn_kernel_def_decode(&def, bytes, &why)) {
    tn_kernel_def_deinit(&builder->def);
    builder->def = def;
    builder->labels = 0;
    return true;
  }
  if (tn_status_code(&why) == TN_INVALID_ARGUMENT)
    tn_status_set(status, TN_INVALID_ARGUMENT, "Error parsing serialized KernelDef. (%s)",
                  tn_status_message(&why));
  else
    tn_status_copy(status, &why);
  tn_status_deinit(&why);
  return false;
}

static bool take(tn_kernel_builder* builder, const char* name, const tn_view* def,
                 tn_status* status) {
  bool added = (!def || replace_def(builder, *def, status)) && publish(builder, name, status);
  tn_kernel_def_deinit(&builder->def);
  builder->taken = true;
  builder->next_taken = taken;
  taken = builder;
  tn_memory_keep(builder);
  return added;
}

// The built-in kernels come first, and are the host's whoever asks first. Called again after it ran
// out of memory, it goes on where it stopped.
static bool start(tn_status* status) {
  static atomic_bool started;
  static size_t done;
  if (atomic_load_explicit(&started, memory_order_acquire)) return true;
  const tn_origin* before = tn_origin_enter(NULL);
  pthread_mutex_lock(&writers);
  bool added = true;
  for (; added && done < tn_builtin_kernel_count; done += added) {
    const tn_builtin_kernel* builtin = &tn_builtin_kernels[done];
    tn_kernel_builder* builder =
        tn_kernel_builder_create(builtin->op, builtin->device_type, &builtin->functions);
    if (builder) tn_kernel_builder_priority(builder, TN_BUILTIN_PRIORITY);
    if (builder && builtin->host_memory)
      tn_kernel_builder_host_memory(builder, builtin->host_memory);
    added = builder && take(builder, builtin->op, NULL, NULL);
  }
  if (added) atomic_store_explicit(&started, true, memory_order_release);
  pthread_mutex_unlock(&writers);
  tn_origin_enter(before);
  if (!added) tn_status_set_no_memory(status, "registering the built-in kernels");
  return added;
}

static bool add(tn_kernel_builder* builder, const char* name, const tn_view* def,
                tn_status* status) {
  tn_status failure = {0};
  bool added = false;
  if (!name) name = "";
  if (!builder || builder->taken) {
    tn_status_set(&failure, TN_INVALID_ARGUMENT, "the kernel '%s' has %s", name,
                  builder ? "a builder that was registered before" : "no builder");
  } else {
    bool started = start(&failure);
    pthread_mutex_lock(&writers);
    builder->failed |= !started;
    added = take(builder, name, def, &failure);
    pthread_mutex_unlock(&writers);
  }
  if (!added) {
    // TF_InitKernel has no status: the origin keeps what nobody may be asking about.
    tn_origin_note_failure(&failure);
    tn_status_copy(status, &failure);
  }
  tn_status_deinit(&failure);
  return added;
}

bool tn_kernel_registry_add(tn_kernel_builder* builder, const char* name, tn_status* status) {
  return add(builder, name, NULL, status);
}

bool tn_kernel_registry_add_with_def(tn_kernel_builder* builder, const char* name, tn_view def,
                                     tn_status* status) {
  return add(builder, name, &def, status);
}

static tn_kernel* skip_removed(tn_kernel* kernel) {
  while (kernel && atomic_load_explicit(&kernel->removed, memory_order_acquire))
    kernel = atomic_load_explicit(&kernel->next_of_op, memory_order_acquire);
  return kernel;
}

const tn_kernel* tn_kernel_registry_first(const char* op) {
  start(NULL);
  op_kernels* of_op = find_op(op);
  return of_op ? skip_removed(atomic_load_explicit(&of_op->first, memory_order_acquire)) : NULL;
}

const tn_kernel* tn_kernel_registry_next(const tn_kernel* kernel) {
  return skip_removed(
      atomic_load_explicit(&((tn_kernel*)kernel)->next_of_op, memory_order_acquire));
}

void tn_kernel_registry_each(bool (*visit)(const tn_kernel* kernel, void* arg), void* arg) {
  start(NULL);
  for (tn_kernel* kernel = atomic_load_explicit(&first, memory_order_acquire); kernel;
       kernel = atomic_load_explicit(&kernel->next, memory_order_acquire)) {
    if (atomic_load_explicit(&kernel->removed, memory_order_acquire)) continue;
    if (!visit(kernel, arg)) return;
  }
}

static bool encode_one(const tn_kernel* kernel, void* out) {
  size_t message = tn_wire_begin(out, 1);
  tn_kernel_def_encode(&kernel->def, out);
  tn_wire_end(out, message);
  return true;
}

bool tn_kernel_registry_encode(const char* op, tn_text* out, tn_status* status) {
  if (!start(status)) return false;
  if (op)
    for (const tn_kernel* kernel = tn_kernel_registry_first(op); kernel;
         kernel = tn_kernel_registry_next(kernel))
      encode_one(kernel, out);
  else
    tn_kernel_registry_each(encode_one, out);
  if (out->failed) tn_status_set_no_memory(status, "listing kernels");
  return !out->failed;
}

typedef struct origin_count {
  const tn_origin* origin;
  size_t count;
} origin_count;

static bool count_one(const tn_kernel* kernel, void* arg) {
  origin_count* counted = arg;
  counted->count += kernel->origin == counted->origin;
  return true;
}

size_t tn_kernel_registry_count_origin(const tn_origin* origin) {
  origin_count counted = {origin, 0};
  tn_kernel_registry_each(count_one, &counted);
  return counted.count;
}

static bool remove_one(const tn_kernel* kernel, void* origin) {
  if (kernel->origin == origin)
    atomic_store_explicit(&((tn_kernel*)kernel)->removed, true, memory_order_release);
  return true;
}

void tn_kernel_registry_remove_origin(const tn_origin* origin) {
  if (!origin) return;  // the host's own stay
  tn_kernel_registry_each(remove_one, (void*)origin);
  atomic_fetch_add(&tn_kernel_generation, 1);
}
