// What the kernel tests share: ops and kernels in a line, nodes, instances, tensors of a few
// numbers.
#ifndef TENON_TESTS_KERNEL_KERNEL_TESTING_H_
#define TENON_TESTS_KERNEL_KERNEL_TESTING_H_

#include "../op/op_testing.h"
#include "base/memory.h"
#include "kernel/run_context.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))
#define TYPES(...) \
  (const tn_dtype[]){__VA_ARGS__}, sizeof((tn_dtype[]){__VA_ARGS__}) / sizeof(tn_dtype)

// Registers an op from its specs ("attr T: type", "in x: T", "out y: T", NULL).
__attribute__((sentinel)) static inline const tn_op_def* given_op(const char* name, ...) {
  va_list specs;
  va_start(specs, name);
  tn_op_def* op = finish_op(build_op_list(name, specs));
  va_end(specs);
  tn_status status = {0};
  tn_op_registry_add(op, &status);
  CHECK_OK(&status);
  return tn_op_registry_find(name);
}

// One input, one output, type T, for kernels that need no more.
static inline const tn_op_def* given_unary_op(const char* name) {
  return given_op(name, "attr T: type", "in x: T", "out y: T", NULL);
}

static inline void compute_nothing(void* state, tn_run_context* context) {}

static inline tn_kernel_builder* builder_for(const char* op,
                                             void (*compute)(void*, tn_run_context*)) {
  tn_kernel_functions functions = {.compute = compute};
  tn_kernel_builder* builder = tn_kernel_builder_create(op, "CPU", &functions);
  CHECK(builder);
  return builder;
}

static inline void register_builder(tn_kernel_builder* builder, const char* name) {
  tn_status status = {0};
  tn_kernel_registry_add(builder, name, &status);
  CHECK_OK(&status);
}

static inline void constrain(tn_kernel_builder* builder, const char* attr, tn_dtype type) {
  tn_status status = {0};
  tn_kernel_builder_constrain(builder, attr, type, &status);
  CHECK_OK(&status);
}

// A kernel without constraints for `op` on the CPU.
static inline void given_kernel(const char* op, void (*compute)(void*, tn_run_context*)) {
  register_builder(builder_for(op, compute), op);
}

static inline void set_attr(tn_attrs* attrs, const char* name, tn_attr_kind kind, bool is_list,
                            const char* text) {
  tn_status status = {0};
  tn_attr_value value;
  tn_attr_value_parse_typed(&value, kind, is_list, tn_view_of(text), &status);
  CHECK_OK(&status);
  CHECK(tn_attrs_take(attrs, name, &value, &status));
}

// A node named "node"; `attrs` (may be NULL) are used up.
static inline tn_node* node_of(const tn_op_def* op, tn_attrs* attrs, const tn_dtype* types,
                               size_t count) {
  tn_status status = {0};
  tn_node* node = tn_node_create(op, "node", attrs, types, count, &status);
  CHECK_OK(&status);
  if (attrs) tn_attrs_deinit(attrs);
  return node;
}

// The kernel selected for `node`, made for it; the node is taken.
static inline tn_kernel_instance* instance_of(tn_node* node) {
  tn_status status = {0};
  const tn_kernel* kernel = tn_kernel_select(node, "CPU", &status);
  CHECK_OK(&status);
  tn_kernel_instance* instance = tn_kernel_instance_create(kernel, node, tn_device_cpu(), &status);
  CHECK_OK(&status);
  return instance;
}

static inline tn_tensor* floats(const float* values, int64_t count) {
  tn_status status = {0};
  tn_tensor* tensor =
      tn_tensor_create_from(TN_FLOAT, &count, 1, values, (size_t)count * sizeof *values, &status);
  CHECK_OK(&status);
  return tensor;
}
#define FLOATS(...) \
  floats((float[]){__VA_ARGS__}, (int64_t)(sizeof((float[]){__VA_ARGS__}) / sizeof(float)))

#define CHECK_FLOATS(tensor, ...)                                                      \
  do {                                                                                 \
    float wanted_[] = {__VA_ARGS__};                                                   \
    const tn_tensor* tensor_ = (tensor);                                               \
    CHECK(tensor_);                                                                    \
    CHECK_INT(tn_tensor_dtype(tensor_), TN_FLOAT);                                     \
    CHECK_INT(tn_tensor_elements(tensor_), COUNT_OF(wanted_));                         \
    for (size_t i_ = 0; i_ < COUNT_OF(wanted_); ++i_)                                  \
      if (((float*)tn_tensor_data(tensor_))[i_] != wanted_[i_])                        \
        test_fail(__FILE__, __LINE__, "%s[%zu] is %g, expected %g", #tensor, i_,       \
                  (double)((float*)tn_tensor_data(tensor_))[i_], (double)wanted_[i_]); \
  } while (0)

#endif  // TENON_TESTS_KERNEL_KERNEL_TESTING_H_
