#include "kernel/resource.h"

#include <pthread.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/wire.h"

typedef struct resource {
  struct resource* next;  // in its bucket
  uint64_t hash;
  tn_object* object;
  const char* name;  // behind the container
  char container[];
} resource;

enum { bucket_count = 4096 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static resource* buckets[bucket_count];

// Where the pointer to that resource is, or would be. `lock` is held.
static resource** find(const char* container, const char* name, const tn_object_type* type,
                       uint64_t* out_hash) {
  uint64_t hash = tn_hash(name, strlen(name), tn_hash(container, strlen(container), 0));
  *out_hash = hash;
  resource** at = &buckets[hash % bucket_count];
  for (; *at; at = &(*at)->next)
    if ((*at)->hash == hash && (*at)->object->type == type && !strcmp((*at)->name, name) &&
        !strcmp((*at)->container, container))
      break;
  return at;
}

// Takes the reference of `object` when it succeeds. `lock` is held for writing.
static bool insert(resource** at, uint64_t hash, const char* container, const char* name,
                   tn_object* object) {
  size_t container_size = strlen(container) + 1, name_size = strlen(name) + 1;
  resource* entry = tn_alloc(sizeof *entry + container_size + name_size);
  if (!entry) return false;
  memcpy(entry->container, container, container_size);
  memcpy(entry->container + container_size, name, name_size);
  entry->name = entry->container + container_size;
  entry->hash = hash;
  entry->object = object;
  entry->next = NULL;
  *at = entry;
  return true;
}

// Unlinks the entry and gives its reference to the caller. `lock` is held for writing.
static tn_object* unlink_at(resource** at) {
  resource* entry = *at;
  tn_object* object = entry->object;
  *at = entry->next;
  tn_free(entry);
  return object;
}

static void set_not_found(const char* container, const char* name, const tn_object_type* type,
                          tn_status* status) {
  tn_status_set(status, TN_NOT_FOUND, "Resource %s/%s/%s does not exist.", container, name,
                type->name);
}

bool tn_resource_add(const char* container, const char* name, tn_object* object,
                     tn_status* status) {
  uint64_t hash;
  pthread_rwlock_wrlock(&lock);
  resource** at = find(container, name, object->type, &hash);
  bool exists = *at != NULL;
  bool added = !exists && insert(at, hash, container, name, object);
  pthread_rwlock_unlock(&lock);
  if (added) return true;
  if (exists)
    tn_status_set(status, TN_ALREADY_EXISTS, "Resource %s/%s/%s already exists.", container, name,
                  object->type->name);
  else
    tn_status_set_no_memory(status, "adding a resource");
  tn_object_unref(object);
  return false;
}

tn_object* tn_resource_take(const char* container, const char* name, const tn_object_type* type,
                            tn_status* status) {
  uint64_t hash;
  pthread_rwlock_wrlock(&lock);
  resource** at = find(container, name, type, &hash);
  tn_object* object = *at ? unlink_at(at) : NULL;
  pthread_rwlock_unlock(&lock);
  if (!object) set_not_found(container, name, type, status);
  return object;
}

void tn_resource_clear(const char* container) {
  resource* gone = NULL;
  pthread_rwlock_wrlock(&lock);
  for (int i = 0; i < bucket_count; ++i) {
    for (resource** at = &buckets[i]; *at;) {
      resource* entry = *at;
      if (strcmp(entry->container, container) != 0) {
        at = &entry->next;
        continue;
      }
      *at = entry->next;
      entry->next = gone;
      gone = entry;
    }
  }
  pthread_rwlock_unlock(&lock);
  // Outside the lock: what goes may hold resources of its own.
  for (resource* next; gone; gone = next) {
    next = gone->next;
    tn_object_unref(gone->object);
    tn_free(gone);
  }
}

static bool names_type(const tn_resource_handle* handle, const tn_object_type* type,
                       tn_status* status) {
  if (handle->type == type) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "resource %s/%s is a %s; it was used as a %s",
                handle->container, handle->name, handle->type->name, type->name);
  return false;
}

tn_object* tn_resource_find(const tn_resource_handle* handle, const tn_object_type* type,
                            tn_status* status) {
  if (!names_type(handle, type, status)) return NULL;
  if (handle->anonymous) return tn_object_ref(handle->anonymous);
  uint64_t hash;
  pthread_rwlock_rdlock(&lock);
  resource* entry = *find(handle->container, handle->name, type, &hash);
  tn_object* object = entry ? tn_object_ref(entry->object) : NULL;
  pthread_rwlock_unlock(&lock);
  if (!object) set_not_found(handle->container, handle->name, type, status);
  return object;
}

tn_object* tn_resource_find_or_create(const tn_resource_handle* handle, const tn_object_type* type,
                                      tn_object* (*create)(void* arg, tn_status* status), void* arg,
                                      tn_status* status) {
  tn_status missing = {0};
  tn_object* object = tn_resource_find(handle, type, &missing);
  if (object) return object;
  if (tn_status_code(&missing) != TN_NOT_FOUND) {
    tn_status_copy(status, &missing);
    tn_status_deinit(&missing);
    return NULL;
  }
  tn_status_deinit(&missing);
  // Made before the lock is taken; whoever was faster wins.
  tn_object* made = create(arg, status);
  if (!made) return NULL;
  uint64_t hash;
  pthread_rwlock_wrlock(&lock);
  resource** at = find(handle->container, handle->name, type, &hash);
  if (*at)
    object = tn_object_ref((*at)->object);
  else if (insert(at, hash, handle->container, handle->name, made))
    object = tn_object_ref(made);
  bool kept = object == made;
  pthread_rwlock_unlock(&lock);
  if (!object) tn_status_set_no_memory(status, "adding a resource");
  if (!kept) tn_object_unref(made);
  return object;
}

bool tn_resource_remove(const tn_resource_handle* handle, tn_status* status) {
  if (handle->anonymous) return true;  // goes with its last handle
  tn_object* object = tn_resource_take(handle->container, handle->name, handle->type, status);
  tn_object_unref(object);
  return object != NULL;
}

static void destroy_handle(tn_object* object) {
  tn_resource_handle* handle = (tn_resource_handle*)object;
  tn_free(handle->device);
  tn_free(handle->container);
  tn_free(handle->name);
  tn_object_unref(handle->anonymous);
  tn_shape_deinit(&handle->shape);
  tn_free(handle);
}

static const tn_object_type handle_type = {"ResourceHandle", destroy_handle};

tn_tensor* tn_resource_handle_tensor(const char* device, const char* container, const char* name,
                                     const tn_object_type* type, tn_object* anonymous,
                                     tn_dtype dtype, const tn_shape* shape, tn_status* status) {
  static const tn_shape unknown = {.rank = -1};
  tn_resource_handle* handle = tn_alloc_zeroed(1, sizeof *handle);
  if (!handle) {
    tn_status_set_no_memory(status, "making a resource handle");
    return NULL;
  }
  handle->object = (tn_object){.references = 1, .type = &handle_type};
  handle->device = tn_strdup(device);
  handle->container = tn_strdup(container);
  handle->name = tn_strdup(name);
  handle->type = type;
  handle->anonymous = tn_object_ref(anonymous);
  handle->dtype = dtype;
  if (!handle->device || !handle->container || !handle->name)
    tn_status_set_no_memory(status, "making a resource handle");
  else if (tn_shape_copy(&handle->shape, shape ? shape : &unknown, status))
    return tn_tensor_of_object(TN_RESOURCE, &handle->object, status);
  destroy_handle(&handle->object);
  return NULL;
}

const tn_resource_handle* tn_resource_handle_of(const tn_tensor* tensor, tn_status* status) {
  const tn_object* object = tn_tensor_object(tensor);
  if (object && object->type == &handle_type) return (const tn_resource_handle*)object;
  tn_status_set(status, TN_INVALID_ARGUMENT, "there is no resource handle in this %s tensor",
                tn_dtype_name(tn_tensor_dtype(tensor)));
  return NULL;
}

void tn_resource_handle_encode(const tn_resource_handle* handle, tn_text* out) {
  tn_wire_put_bytes(out, 1, tn_view_of(handle->device));
  tn_wire_put_bytes(out, 2, tn_view_of(handle->container));
  tn_wire_put_bytes(out, 3, tn_view_of(handle->name));
  tn_wire_put_varint(out, 4, tn_hash(handle->type->name, strlen(handle->type->name), 0));
  tn_wire_put_bytes(out, 5, tn_view_of(handle->type->name));
  if (handle->dtype == TN_INVALID) return;
  size_t entry = tn_wire_begin(out, 6);
  tn_wire_put_varint(out, 1, (uint64_t)handle->dtype);
  size_t shape = tn_wire_begin(out, 2);
  tn_shape_encode(&handle->shape, out);
  tn_wire_end(out, shape);
  tn_wire_end(out, entry);
}
