#include "kernel/tensor_list.h"

#include "base/memory.h"

static void destroy_list(tn_object* object) {
  tn_tensor_list* list = (tn_tensor_list*)object;
  for (size_t i = 0; i < list->count; ++i) tn_tensor_destroy(list->tensors[i]);
  tn_shape_deinit(&list->element_shape);
  tn_free(list);
}

const tn_object_type tn_tensor_list_type = {"tensorflow::TensorList", destroy_list};

tn_tensor_list* tn_tensor_list_create(tn_dtype element_dtype, const tn_shape* element_shape,
                                      size_t count, tn_status* status) {
  static const tn_shape unknown = {.rank = -1};
  tn_tensor_list* list = tn_alloc_zeroed(1, sizeof *list + count * sizeof *list->tensors);
  if (!list) {
    tn_status_set_no_memory(status, "making a list of tensors");
    return NULL;
  }
  list->object = (tn_object){.references = 1, .type = &tn_tensor_list_type};
  list->element_dtype = element_dtype;
  list->count = count;
  if (tn_shape_copy(&list->element_shape, element_shape ? element_shape : &unknown, status))
    return list;
  tn_free(list);
  return NULL;
}

tn_tensor_list* tn_tensor_list_of(const tn_tensor* tensor) {
  tn_object* object = tn_tensor_object(tensor);
  return object && object->type == &tn_tensor_list_type ? (tn_tensor_list*)object : NULL;
}
