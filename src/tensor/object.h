// Counted objects that resource and variant tensors hold: each element is one tn_object*, or NULL.
#ifndef TENON_TENSOR_OBJECT_H_
#define TENON_TENSOR_OBJECT_H_

#include <stdatomic.h>
#include <stddef.h>

typedef struct tn_object tn_object;

typedef struct tn_object_type {
  const char* name;
  void (*destroy)(tn_object* object);
} tn_object_type;

// First member of whatever it is.
struct tn_object {
  atomic_int references;
  const tn_object_type* type;
};

static inline tn_object* tn_object_ref(tn_object* object) {
  if (object) atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
  return object;
}
static inline void tn_object_unref(tn_object* object) {
  if (object && atomic_fetch_sub_explicit(&object->references, 1, memory_order_acq_rel) == 1)
    object->type->destroy(object);
}

#endif  // TENON_TENSOR_OBJECT_H_
