// What the op tests share: a definition from a few specs.
#ifndef TENON_TESTS_OP_OP_TESTING_H_
#define TENON_TESTS_OP_OP_TESTING_H_

#include <stdarg.h>

#include "base/status.h"
#include "harness.h"
#include "op/op_builder.h"
#include "op/op_registry.h"

// Specs as "attr T: type", "in x: T", "out y: T", ended by NULL.
static inline tn_op_builder* build_op_list(const char* name, va_list specs) {
  tn_op_builder* builder = tn_op_builder_create(name);
  for (const char* spec; builder && (spec = va_arg(specs, const char*));) {
    if (strncmp(spec, "attr ", 5) == 0)
      tn_op_builder_attr(builder, spec + 5);
    else if (strncmp(spec, "in ", 3) == 0)
      tn_op_builder_input(builder, spec + 3);
    else if (strncmp(spec, "out ", 4) == 0)
      tn_op_builder_output(builder, spec + 4);
    else
      test_fail(__FILE__, __LINE__, "no spec: %s", spec);
  }
  return builder;
}

__attribute__((sentinel)) static inline tn_op_builder* build_op(const char* name, ...) {
  va_list specs;
  va_start(specs, name);
  tn_op_builder* builder = build_op_list(name, specs);
  va_end(specs);
  CHECK(builder != NULL);
  return builder;
}

// Finishes and destroys the builder; fails the test when the op is refused.
static inline tn_op_def* finish_op(tn_op_builder* builder) {
  tn_status status = {0};
  tn_op_def* op = tn_op_builder_finish(builder, &status);
  CHECK_OK(&status);
  tn_op_builder_destroy(builder);
  return op;
}

#endif  // TENON_TESTS_OP_OP_TESTING_H_
