// Named resources (variables and the like) and the handles that RESOURCE tensors hold. One manager
// per process: a resource is known by its container, its name and its type.
#ifndef TENON_KERNEL_RESOURCE_H_
#define TENON_KERNEL_RESOURCE_H_

#include "base/status.h"
#include "tensor/tensor.h"

// The container of resources that name none.
#define TN_DEFAULT_CONTAINER "localhost"
// A shared_name that asks for a resource nobody else can find by name (TensorFlow's).
#define TN_ANONYMOUS_NAME "cd2c89b7-88b7-44c8-ad06-76c2a9158347"

// Names a resource; does not keep it alive, except an anonymous one, which lives by its handles.
// Never changed once made.
typedef struct tn_resource_handle {
  tn_object object;
  char* device;
  char* container;
  char* name;
  const tn_object_type* type;  // of the resource
  tn_object* anonymous;        // the resource itself, where no name leads to it; else NULL
  tn_dtype dtype;              // of a variable's value; TN_INVALID when unknown
  tn_shape shape;              // may be partial
} tn_resource_handle;

// A scalar RESOURCE tensor with a new handle; owned by the caller. `anonymous` (a reference is
// taken) may be NULL, `shape` too.
tn_tensor* tn_resource_handle_tensor(const char* device, const char* container, const char* name,
                                     const tn_object_type* type, tn_object* anonymous,
                                     tn_dtype dtype, const tn_shape* shape, tn_status* status);
// The handle in a scalar RESOURCE tensor, borrowed; NULL and INVALID_ARGUMENT when there is none.
const tn_resource_handle* tn_resource_handle_of(const tn_tensor* tensor, tn_status* status);
// ResourceHandleProto.
void tn_resource_handle_encode(const tn_resource_handle* handle, tn_text* out);

// What the handle names, as a new reference; NULL and NOT_FOUND when there is none (any more), or
// INVALID_ARGUMENT when it names something of another type.  [any thread]
tn_object* tn_resource_find(const tn_resource_handle* handle, const tn_object_type* type,
                            tn_status* status);
// Like find, but when there is none `create` makes it (with one reference, which the manager
// takes).
tn_object* tn_resource_find_or_create(const tn_resource_handle* handle, const tn_object_type* type,
                                      tn_object* (*create)(void* arg, tn_status* status), void* arg,
                                      tn_status* status);
// Forgets a resource; it lives on as long as someone holds it. NOT_FOUND when there is none.
bool tn_resource_remove(const tn_resource_handle* handle, tn_status* status);

// The same by plain names, for temporaries of a step. `add` takes the reference in every case and
// is ALREADY_EXISTS when there is one.
bool tn_resource_add(const char* container, const char* name, tn_object* object, tn_status* status);
tn_object* tn_resource_take(const char* container, const char* name, const tn_object_type* type,
                            tn_status* status);
// Forgets everything in a container.
void tn_resource_clear(const char* container);

#endif  // TENON_KERNEL_RESOURCE_H_
