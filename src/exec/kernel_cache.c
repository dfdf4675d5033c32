#include "exec/kernel_cache.h"

#include <pthread.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/shared_map.h"

static pthread_mutex_t writers = PTHREAD_MUTEX_INITIALIZER;
static tn_shared_map kernels;

typedef struct cache_key {
  const tn_op_def* op;
  tn_device* device;
  const tn_attrs* attrs;
  const tn_dtype* types;
  size_t type_count;
} cache_key;

// A sum, so that the order makes no difference.
static uint64_t hash_attrs(const tn_attrs* attrs) {
  uint64_t hash = attrs->count;
  for (size_t i = 0; i < attrs->count; ++i)
    hash += tn_attr_value_hash(&attrs->items[i].value,
                               tn_hash(attrs->items[i].name, strlen(attrs->items[i].name), 0));
  return hash;
}

static bool same_attrs(const tn_attrs* a, const tn_attrs* b) {
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; ++i) {
    const tn_attr_value* other = tn_attrs_find(b, a->items[i].name);
    if (!other || !tn_attr_value_equal(&a->items[i].value, other)) return false;
  }
  return true;
}

static bool matches(const void* entry, const void* wanted) {
  const tn_cached_kernel* cached = entry;
  const cache_key* key = wanted;
  return cached->op == key->op && cached->device == key->device &&
         cached->type_count == key->type_count &&
         memcmp(cached->types, key->types, key->type_count * sizeof *key->types) == 0 &&
         same_attrs(&cached->attrs, key->attrs);
}

static uint64_t hash_of(const cache_key* key) {
  uint64_t words[3] = {(uintptr_t)key->op, (uintptr_t)key->device, hash_attrs(key->attrs)};
  return tn_hash(key->types, key->type_count * sizeof *key->types, tn_hash(words, sizeof words, 0));
}

// The attrs count as what is left behind: they live as long as the entry does.
static void keep_attrs(const tn_attrs* attrs) {
  for (size_t i = 0; i < attrs->count; ++i) {
    tn_memory_keep(attrs->items[i].name);
    tn_memory_keep(attrs->items[i].value.items);
  }
  tn_memory_keep(attrs->items);
}

static void free_entry(tn_cached_kernel* entry) {
  tn_prepared_deinit(&entry->prepared);
  tn_attrs_deinit(&entry->attrs);
  tn_free(entry);
}

static tn_cached_kernel* make(const cache_key* key, tn_status* status) {
  tn_cached_kernel* made = tn_alloc_zeroed(1, sizeof *made + key->type_count * sizeof *made->types);
  if (!made) {
    tn_status_set_no_memory(status, "caching a kernel");
    return NULL;
  }
  made->op = key->op;
  made->device = key->device;
  made->type_count = key->type_count;
  memcpy(made->types, key->types, key->type_count * sizeof *made->types);
  if (tn_attrs_copy(&made->attrs, key->attrs, status) &&
      tn_prepare(&made->prepared, key->op, key->device, false, key->attrs, key->types,
                 key->type_count, status))
    return made;
  free_entry(made);
  return NULL;
}

// A kernel's create function may itself run ops, so it runs outside the lock; when two threads made
// the same entry, the first one stays.
static tn_cached_kernel* add(const cache_key* key, uint64_t hash, tn_status* status) {
  tn_cached_kernel* made = make(key, status);
  if (!made) return NULL;
  pthread_mutex_lock(&writers);
  tn_cached_kernel* found = tn_shared_map_find(&kernels, hash, matches, key);
  bool added = !found && tn_shared_map_add(&kernels, hash, made);
  pthread_mutex_unlock(&writers);
  if (added) {
    keep_attrs(&made->attrs);
    tn_memory_keep(made);
    return made;
  }
  if (!found) tn_status_set_no_memory(status, "caching a kernel");
  free_entry(made);
  return found;
}

tn_cached_kernel* tn_kernel_cache_get(const tn_op_def* op, tn_device* device, const tn_attrs* attrs,
                                      const tn_dtype* types, size_t type_count, tn_status* status) {
  cache_key key = {op, device, attrs, types, type_count};
  uint64_t hash = hash_of(&key);
  tn_cached_kernel* found = tn_shared_map_find(&kernels, hash, matches, &key);
  return found ? found : add(&key, hash, status);
}

const tn_kernel_instance* tn_cached_kernel_instance(tn_cached_kernel* cached, tn_status* status) {
  const tn_kernel_instance* instance = tn_prepared_instance(&cached->prepared);
  return instance ? instance : tn_prepared_renew(&cached->prepared, status);
}
