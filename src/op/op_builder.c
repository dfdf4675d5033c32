#include "op/op_builder.h"

#include "base/memory.h"
#include "op/op_validate.h"
#include "op/spec_parser.h"

typedef struct spec_list {
  char** items;
  size_t count, capacity;
} spec_list;

struct TF_OpDefinitionBuilder {
  char* name;
  spec_list attrs, inputs, outputs;
  bool is_commutative, is_aggregate, is_stateful, allows_uninitialized_input;
  bool is_distributed_communication;
  int deprecation_version;
  char* deprecation_explanation;
  tn_shape_function shape_function;
  tn_text errors;  // of calls, one per line; failed when memory was short
  tn_arena arena;  // owns the texts
};

tn_op_builder* tn_op_builder_create(const char* op_name) {
  tn_op_builder* builder = tn_alloc_zeroed(1, sizeof *builder);
  if (builder) builder->name = tn_arena_copy(&builder->arena, tn_view_of(op_name));
  if (builder && builder->name) return builder;
  tn_op_builder_destroy(builder);
  tn_origin_note_no_memory("describing an op");
  return NULL;
}

void tn_op_builder_destroy(tn_op_builder* builder) {
  if (!builder) return;
  tn_free(builder->attrs.items);
  tn_free(builder->inputs.items);
  tn_free(builder->outputs.items);
  tn_text_deinit(&builder->errors);
  tn_arena_deinit(&builder->arena);
  tn_free(builder);
}

static void add_error(tn_op_builder* builder, const char* problem) {
  tn_text_printf(&builder->errors, "%s%s for Op %s", builder->errors.size ? "\n" : "", problem,
                 builder->name);
}

static void add_spec(tn_op_builder* builder, spec_list* list, const char* spec) {
  if (!spec) {
    add_error(builder, "A spec is NULL");
    return;
  }
  char* copy = tn_arena_copy(&builder->arena, tn_view_of(spec));
  if (!copy || !tn_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    builder->errors.failed = true;
    return;
  }
  list->items[list->count++] = copy;
}

void tn_op_builder_attr(tn_op_builder* builder, const char* spec) {
  if (builder) add_spec(builder, &builder->attrs, spec);
}
void tn_op_builder_input(tn_op_builder* builder, const char* spec) {
  if (builder) add_spec(builder, &builder->inputs, spec);
}
void tn_op_builder_output(tn_op_builder* builder, const char* spec) {
  if (builder) add_spec(builder, &builder->outputs, spec);
}
void tn_op_builder_commutative(tn_op_builder* builder, bool value) {
  if (builder) builder->is_commutative = value;
}
void tn_op_builder_aggregate(tn_op_builder* builder, bool value) {
  if (builder) builder->is_aggregate = value;
}
void tn_op_builder_stateful(tn_op_builder* builder, bool value) {
  if (builder) builder->is_stateful = value;
}
void tn_op_builder_allows_uninitialized_input(tn_op_builder* builder, bool value) {
  if (builder) builder->allows_uninitialized_input = value;
}
void tn_op_builder_distributed_communication(tn_op_builder* builder, bool value) {
  if (builder) builder->is_distributed_communication = value;
}

void tn_op_builder_deprecated(tn_op_builder* builder, int version, const char* explanation) {
  if (!builder) return;
  if (builder->deprecation_explanation) {
    add_error(builder, "Deprecated called twice");
    return;
  }
  builder->deprecation_version = version;
  builder->deprecation_explanation = tn_arena_copy(&builder->arena, tn_view_of(explanation));
  if (!builder->deprecation_explanation) builder->errors.failed = true;
}

void tn_op_builder_shape_function(tn_op_builder* builder, tn_shape_function function) {
  if (!builder) return;
  if (builder->shape_function) {
    add_error(builder, "SetShapeFn called twice");
    return;
  }
  builder->shape_function = function;
}

// Everything but the specs. False when out of memory.
static bool begin_op(tn_op_def* op, const tn_op_builder* builder) {
  op->name = tn_arena_copy(&op->arena, tn_view_of(builder->name));
  op->attrs = tn_arena_alloc(&op->arena, builder->attrs.count * sizeof *op->attrs);
  op->inputs = tn_arena_alloc(&op->arena, builder->inputs.count * sizeof *op->inputs);
  op->outputs = tn_arena_alloc(&op->arena, builder->outputs.count * sizeof *op->outputs);
  op->is_commutative = builder->is_commutative;
  op->is_aggregate = builder->is_aggregate;
  op->is_stateful = builder->is_stateful;
  op->allows_uninitialized_input = builder->allows_uninitialized_input;
  op->is_distributed_communication = builder->is_distributed_communication;
  op->shape_function = builder->shape_function;
  bool copied = op->name && op->attrs && op->inputs && op->outputs;
  if (copied && builder->deprecation_explanation) {
    op->deprecation_version = builder->deprecation_version;
    op->deprecation_explanation =
        tn_arena_copy(&op->arena, tn_view_of(builder->deprecation_explanation));
    copied = op->deprecation_explanation != NULL;
  }
  return copied;
}

static void parse_specs(tn_op_def* op, const tn_op_builder* builder, tn_text* errors) {
  for (size_t i = 0; i < builder->attrs.count; ++i)
    tn_spec_parse_attr(op, &op->attrs[op->attr_count++], tn_view_of(builder->attrs.items[i]),
                       errors);
  for (size_t i = 0; i < builder->inputs.count; ++i)
    tn_spec_parse_arg(op, &op->inputs[op->input_count++], false,
                      tn_view_of(builder->inputs.items[i]), errors);
  for (size_t i = 0; i < builder->outputs.count; ++i)
    tn_spec_parse_arg(op, &op->outputs[op->output_count++], true,
                      tn_view_of(builder->outputs.items[i]), errors);
}

tn_op_def* tn_op_builder_finish(tn_op_builder* builder, tn_status* status) {
  if (!builder) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "there is no op builder (NULL)");
    return NULL;
  }
  tn_op_def* op = tn_alloc_zeroed(1, sizeof *op);
  tn_text errors = {.failed = builder->errors.failed};
  tn_text_append(&errors, builder->errors.data, builder->errors.size);
  if (!op || !begin_op(op, builder)) errors.failed = true;
  if (!errors.failed) parse_specs(op, builder, &errors);

  bool valid = false;
  if (errors.failed) {
    tn_status_set_no_memory(status, "defining an op");
  } else if (errors.size) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "%s", errors.data);
  } else {
    valid = tn_op_def_validate(op, status);
  }
  tn_text_deinit(&errors);
  if (valid) return op;
  tn_op_def_destroy(op);
  return NULL;
}
