// AddN and ZerosLike of lists of tensors, element by element through the kernel's own function.
#include "base/memory.h"
#include "kernel/placement.h"
#include "kernel/run_variable.h"
#include "kernel/tensor_list.h"

typedef void (*add_function)(tn_run_context*, tn_tensor*, tn_tensor*, tn_tensor*);
typedef void (*zero_function)(tn_run_context*, tn_tensor*, tn_tensor*);

static tn_tensor_list* list_in(const tn_tensor* tensor, const char* verb, tn_status* status) {
  tn_tensor_list* list = tn_tensor_list_of(tensor);
  if (list) return list;
  tn_object* object = tn_tensor_object(tensor);
  tn_status_set(status, TN_UNIMPLEMENTED, "%s works on lists of tensors; this variant holds %s",
                verb, object ? object->type->name : "nothing");
  return NULL;
}

static tn_tensor* like(tn_run_context* context, const tn_tensor* tensor, tn_status* status) {
  return tn_tensor_create_in(tn_run_memory(context->instance, context->options), tensor->dtype,
                             tn_shape_dims(&tensor->shape), tensor->shape.rank, status);
}

// Has a function of the kernel fill `result` (taken) from handles on the inputs, which it destroys.
static tn_tensor* fill(tn_run_context* context, const tn_tensor* a, const tn_tensor* b,
                       tn_tensor* result, add_function add, zero_function zero, tn_status* status) {
  tn_tensor* first = result ? tn_tensor_share(a, status) : NULL;
  tn_tensor* second = first && add ? tn_tensor_share(b, status) : NULL;
  tn_tensor* out = first && (second || !add) ? tn_tensor_share(result, status) : NULL;
  if (!out) {
    tn_tensor_destroy(first);
    tn_tensor_destroy(second);
    tn_tensor_destroy(result);
    return NULL;
  }
  if (add)
    add(context, first, second, out);
  else
    zero(context, first, out);
  if (!tn_run_failed(context, status)) return result;
  tn_tensor_destroy(result);
  return NULL;
}

// `list` (taken, may be NULL) as a scalar variant.
static tn_tensor* wrap(tn_tensor_list* list, bool done, tn_status* status) {
  if (list && done) return tn_tensor_of_object(TN_VARIANT, &list->object, status);
  if (list) tn_object_unref(&list->object);
  return NULL;
}

// What both shapes allow; false when they contradict each other.
static bool merge(const tn_shape* a, const tn_shape* b, tn_shape* out, tn_status* status) {
  if (a->rank < 0 || b->rank < 0) return tn_shape_copy(out, a->rank < 0 ? b : a, status);
  int64_t dims[TN_MAX_RANK];
  bool fits = a->rank == b->rank;
  for (int i = 0; fits && i < a->rank; ++i) {
    int64_t x = tn_shape_dims(a)[i], y = tn_shape_dims(b)[i];
    fits = x == y || x < 0 || y < 0;
    dims[i] = x < 0 ? y : x;
  }
  if (fits) return tn_shape_init(out, dims, a->rank, status);
  tn_text message = {0};
  tn_text_puts(&message,
               "Trying to add two lists of tensors with incompatible element shapes. One is ");
  tn_shape_print(a, &message);
  tn_text_puts(&message, " and the other is ");
  tn_shape_print(b, &message);
  if (message.failed)
    tn_status_set_no_memory(status, "adding lists of tensors");
  else
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s", message.data);
  tn_text_deinit(&message);
  return false;
}

static tn_tensor* add_variants(tn_run_context* context, const tn_tensor* a, const tn_tensor* b,
                               add_function add, tn_status* status);

static tn_tensor* add_elements(tn_run_context* context, const tn_tensor* a, const tn_tensor* b,
                               add_function add, tn_status* status) {
  // What was never set counts as zero.
  if (!a || !b) return tn_tensor_share(a ? a : b, status);
  if (a->dtype != b->dtype || !tn_shape_equal(&a->shape, &b->shape)) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "two lists of tensors have elements of different types or shapes at one index");
    return NULL;
  }
  if (a->dtype == TN_VARIANT) return add_variants(context, a, b, add, status);
  return fill(context, a, b, like(context, a, status), add, NULL, status);
}

static tn_tensor* add_variants(tn_run_context* context, const tn_tensor* a, const tn_tensor* b,
                               add_function add, tn_status* status) {
  tn_tensor_list* x = list_in(a, "AddN", status);
  tn_tensor_list* y = x ? list_in(b, "AddN", status) : NULL;
  if (!y) return NULL;
  if (x->element_dtype != y->element_dtype) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "Trying to add two lists of tensors of different dtypes. One is %s and the other is %s",
        tn_dtype_name(x->element_dtype), tn_dtype_name(y->element_dtype));
    return NULL;
  }
  if (x->count != y->count) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "Trying to add two lists of tensors with different lengths. One is %zu and the "
                  "other is %zu",
                  x->count, y->count);
    return NULL;
  }
  tn_shape shape;
  if (!merge(&x->element_shape, &y->element_shape, &shape, status)) return NULL;
  tn_tensor_list* sum = tn_tensor_list_create(x->element_dtype, &shape, x->count, status);
  tn_shape_deinit(&shape);
  bool done = sum != NULL;
  for (size_t i = 0; done && i < x->count; ++i) {
    if (!x->tensors[i] && !y->tensors[i]) continue;
    sum->tensors[i] = add_elements(context, x->tensors[i], y->tensors[i], add, status);
    done = sum->tensors[i] != NULL;
  }
  return wrap(sum, done, status);
}

static bool check_scalar(const tn_tensor* tensor, int i, const char* verb, tn_status* status) {
  if (tensor->shape.rank == 0 && tensor->dtype == TN_VARIANT) return true;
  tn_text shape = {0};
  tn_shape_print(&tensor->shape, &shape);
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "%s of non-scalar Tensor with dtype=DT_VARIANT is not supported; inputs[%d] has "
                "shape: %s and type %s.",
                verb, i, tn_text_view(&shape).data, tn_dtype_name(tensor->dtype));
  tn_text_deinit(&shape);
  return false;
}

bool tn_run_add_n_variant(tn_run_context* context, add_function add, tn_status* status) {
  tn_status why = {0};
  tn_tensor* sum = NULL;
  bool done = tn_run_has_input(context, 0, &why);
  if (done && !add) {
    tn_status_set(&why, TN_INVALID_ARGUMENT, "AddN of variants needs a function that adds");
    done = false;
  }
  for (int i = 0; done && i < tn_run_input_count(context); ++i) {
    tn_tensor* next = tn_run_input(context, i, &why);
    done = next && check_scalar(next, i, "AddN", &why);
    if (done && sum) {
      tn_tensor* larger = add_variants(context, sum, next, add, &why);
      tn_tensor_destroy(next);
      next = larger;
      done = larger != NULL;
    }
    tn_tensor_destroy(sum);
    sum = next;
  }
  done = done && tn_run_set_output(context, 0, sum, &why);
  tn_tensor_destroy(sum);
  return tn_run_conclude(context, done, &why, status);
}

static tn_tensor* zeros_like(tn_run_context* context, const tn_tensor* tensor, zero_function zero,
                             tn_status* status) {
  tn_tensor_list* list = list_in(tensor, "ZerosLike", status);
  if (!list) return NULL;
  tn_tensor_list* zeros =
      tn_tensor_list_create(list->element_dtype, &list->element_shape, list->count, status);
  bool done = zeros != NULL;
  for (size_t i = 0; done && i < list->count; ++i) {
    const tn_tensor* element = list->tensors[i];
    if (!element) continue;
    zeros->tensors[i] =
        element->dtype == TN_VARIANT
            ? zeros_like(context, element, zero, status)
            : fill(context, element, NULL, like(context, element, status), NULL, zero, status);
    done = zeros->tensors[i] != NULL;
  }
  return wrap(zeros, done, status);
}

bool tn_run_zeros_like_variant(tn_run_context* context, zero_function zero, tn_status* status) {
  tn_status why = {0};
  tn_tensor* input = tn_run_input(context, 0, &why);
  tn_tensor* zeros = NULL;
  if (!zero)
    tn_status_set(&why, TN_INVALID_ARGUMENT, "ZerosLike of variants needs a function that fills");
  else if (input && check_scalar(input, 0, "ZerosLike", &why))
    zeros = zeros_like(context, input, zero, &why);
  bool done = zeros && tn_run_set_output(context, 0, zeros, &why);
  tn_tensor_destroy(zeros);
  tn_tensor_destroy(input);
  return tn_run_conclude(context, done, &why, status);
}
