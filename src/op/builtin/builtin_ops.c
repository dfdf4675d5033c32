#include "op/builtin/builtin_ops.h"

#include "op/builtin/family.h"
#include "op/op_builder.h"
#include "op/op_registry.h"

// The next piece of `*texts`, copied into `piece`; NULL at the end or without memory.
static const char* next_piece(const char** texts, const char* separator, tn_text* piece) {
  if (!**texts) return NULL;
  const char* end = strstr(*texts, separator);
  size_t size = end ? (size_t)(end - *texts) : strlen(*texts);
  piece->size = 0;
  tn_text_append(piece, *texts, size);
  *texts = end ? end + strlen(separator) : *texts + size;
  return piece->failed ? NULL : piece->data;
}

static void add_specs(tn_op_builder* builder, const char* specs, tn_text* piece,
                      void (*add)(tn_op_builder*, const char*)) {
  for (const char* spec; (spec = next_piece(&specs, "; ", piece));) add(builder, spec);
}

static bool register_op(const char* name, const tn_builtin_op* op, tn_text* piece,
                        tn_status* status) {
  tn_op_builder* builder = tn_op_builder_create(name);
  if (!builder) {
    tn_status_set_no_memory(status, "registering built-in ops");
    return false;
  }
  add_specs(builder, op->attrs, piece, tn_op_builder_attr);
  add_specs(builder, op->inputs, piece, tn_op_builder_input);
  add_specs(builder, op->outputs, piece, tn_op_builder_output);
  if (op->flags & TN_OP_COMMUTATIVE) tn_op_builder_commutative(builder, true);
  if (op->flags & TN_OP_AGGREGATE) tn_op_builder_aggregate(builder, true);
  if (op->flags & TN_OP_STATEFUL) tn_op_builder_stateful(builder, true);
  if (op->flags & TN_OP_UNINITIALIZED_INPUT)
    tn_op_builder_allows_uninitialized_input(builder, true);
  if (op->deprecated) tn_op_builder_deprecated(builder, op->deprecated, op->explanation);
  if (op->shape) tn_op_builder_shape_function(builder, op->shape);
  tn_op_def* def = NULL;
  if (piece->failed)
    tn_status_set_no_memory(status, "registering built-in ops");
  else
    def = tn_op_builder_finish(builder, status);
  tn_op_builder_destroy(builder);
  return def && tn_op_registry_add(def, status);
}

static bool register_row(const tn_builtin_op* row, tn_text* piece, tn_status* status) {
  tn_text name = {0};
  const char *names = row->names, *next;
  bool ok = true;
  while (ok && (next = next_piece(&names, " ", &name))) ok = register_op(next, row, piece, status);
  if (name.failed) tn_status_set_no_memory(status, "registering built-in ops");
  ok = ok && !name.failed;
  tn_text_deinit(&name);
  return ok;
}

bool tn_builtin_ops_register(tn_status* status) {
  static const tn_builtin_op* const families[] = {
      tn_elementwise_ops, tn_matmul_ops,   tn_reduction_ops, tn_array_ops,
      tn_layout_ops,      tn_diagonal_ops, tn_join_ops,      tn_slice_ops,
      tn_gather_ops,      tn_nn_ops,       tn_window_ops,    tn_image_ops,
      tn_string_ops,      tn_random_ops,   tn_state_ops,     tn_training_ops,
  };
  tn_text piece = {0};
  bool ok = true;
  for (size_t i = 0; ok && i < sizeof(families) / sizeof(*families); ++i)
    for (const tn_builtin_op* row = families[i]; ok && row->names; ++row)
      ok = register_row(row, &piece, status);
  tn_text_deinit(&piece);
  return ok;
}
