#include "op/op_def.h"

#include <inttypes.h>

#include "base/memory.h"
#include "base/wire.h"

void tn_op_def_destroy(tn_op_def* op) {
  if (!op) return;
  for (size_t i = 0; i < op->attr_count; ++i) {
    tn_attr_value_deinit(&op->attrs[i].default_value);
    tn_attr_value_deinit(&op->attrs[i].allowed);
  }
  tn_arena arena = op->arena;
  tn_arena_deinit(&arena);
  tn_free(op);
}

const tn_attr_def* tn_op_def_find_attr(const tn_op_def* op, const char* name) {
  for (size_t i = 0; name && i < op->attr_count; ++i)
    if (strcmp(op->attrs[i].name, name) == 0) return &op->attrs[i];
  return NULL;
}

bool tn_attr_def_has_default(const tn_attr_def* attr) {
  return attr->default_value.kind != TN_ATTR_NONE || attr->default_value.is_list;
}

static void put_text(tn_text* out, uint32_t number, const char* text) {
  if (text && text[0]) tn_wire_put_bytes(out, number, tn_view_of(text));
}

static void put_flag(tn_text* out, uint32_t number, bool flag) {
  if (flag) tn_wire_put_varint(out, number, 1);
}

static void encode_arg(const tn_arg_def* arg, uint32_t number, tn_text* out) {
  size_t begun = tn_wire_begin(out, number);
  put_text(out, 1, arg->name);
  if (arg->type != TN_INVALID) tn_wire_put_varint(out, 3, (uint64_t)arg->type);
  put_text(out, 4, arg->type_attr);
  put_text(out, 5, arg->number_attr);
  put_text(out, 6, arg->type_list_attr);
  put_flag(out, 16, arg->is_ref);
  tn_wire_end(out, begun);
}

static bool encode_value(const tn_attr_value* value, uint32_t number, tn_text* out,
                         tn_status* status) {
  size_t begun = tn_wire_begin(out, number);
  bool done = tn_attr_value_encode(value, out, status);
  tn_wire_end(out, begun);
  return done;
}

static bool encode_attr(const tn_attr_def* attr, tn_text* out, tn_status* status) {
  size_t begun = tn_wire_begin(out, 4);
  put_text(out, 1, attr->name);
  put_text(out, 2, tn_attr_type_name(attr->kind, attr->is_list));
  if (tn_attr_def_has_default(attr) && !encode_value(&attr->default_value, 3, out, status))
    return false;
  put_flag(out, 5, attr->has_minimum);
  if (attr->minimum) tn_wire_put_varint(out, 6, (uint64_t)attr->minimum);
  if (attr->allowed.count && !encode_value(&attr->allowed, 7, out, status)) return false;
  tn_wire_end(out, begun);
  return true;
}

bool tn_op_def_encode(const tn_op_def* op, tn_text* out, tn_status* status) {
  put_text(out, 1, op->name);
  for (size_t i = 0; i < op->input_count; ++i) encode_arg(&op->inputs[i], 2, out);
  for (size_t i = 0; i < op->output_count; ++i) encode_arg(&op->outputs[i], 3, out);
  for (size_t i = 0; i < op->attr_count; ++i)
    if (!encode_attr(&op->attrs[i], out, status)) return false;
  if (op->deprecation_explanation) {
    size_t begun = tn_wire_begin(out, 8);
    if (op->deprecation_version)
      tn_wire_put_varint(out, 1, (uint64_t)(int64_t)op->deprecation_version);
    put_text(out, 2, op->deprecation_explanation);
    tn_wire_end(out, begun);
  }
  put_flag(out, 16, op->is_aggregate);
  put_flag(out, 17, op->is_stateful);
  put_flag(out, 18, op->is_commutative);
  put_flag(out, 19, op->allows_uninitialized_input);
  put_flag(out, 21, op->is_distributed_communication);
  if (out->failed) tn_status_set_no_memory(status, "writing an op definition");
  return !out->failed;
}

static void print_arg(const tn_arg_def* arg, tn_text* out) {
  const char* type = arg->type_attr        ? arg->type_attr
                     : arg->type_list_attr ? arg->type_list_attr
                                           : tn_dtype_name(arg->type);
  tn_text_printf(out, "%s:%s%s%s%s%s", arg->name, arg->is_ref ? "Ref(" : "",
                 arg->number_attr ? arg->number_attr : "", arg->number_attr ? "*" : "", type,
                 arg->is_ref ? ")" : "");
}

static void print_args(const tn_arg_def* args, size_t count, tn_text* out) {
  for (size_t i = 0; i < count; ++i) {
    if (i) tn_text_puts(out, ", ");
    print_arg(&args[i], out);
  }
}

static void print_attr(const tn_attr_def* attr, tn_text* out) {
  tn_text_printf(out, "%s:%s", attr->name, tn_attr_type_name(attr->kind, attr->is_list));
  if (tn_attr_def_has_default(attr)) {
    tn_text_puts(out, ",default=");
    tn_attr_value_print(&attr->default_value, out);
  }
  if (attr->has_minimum) tn_text_printf(out, ",min=%" PRId64, attr->minimum);
  if (attr->allowed.count) {
    tn_text_puts(out, ",allowed=");
    tn_attr_value_print(&attr->allowed, out);
  }
}

// The flags of an op, with the names that OpDef gives them.
static const struct flag {
  const char* name;
  size_t offset;
} flags[] = {
    {"is_commutative", offsetof(tn_op_def, is_commutative)},
    {"is_aggregate", offsetof(tn_op_def, is_aggregate)},
    {"is_stateful", offsetof(tn_op_def, is_stateful)},
    {"allows_uninitialized_input", offsetof(tn_op_def, allows_uninitialized_input)},
    {"is_distributed_communication", offsetof(tn_op_def, is_distributed_communication)},
};
enum { flag_count = sizeof flags / sizeof *flags };

static bool get_flag(const tn_op_def* op, size_t i) {
  return *(const bool*)((const char*)op + flags[i].offset);
}

void tn_op_def_print(const tn_op_def* op, tn_text* out) {
  tn_text_printf(out, "Op<name=%s; signature=", op->name);
  print_args(op->inputs, op->input_count, out);
  tn_text_puts(out, " -> ");
  print_args(op->outputs, op->output_count, out);
  for (size_t i = 0; i < op->attr_count; ++i) {
    tn_text_puts(out, "; attr=");
    print_attr(&op->attrs[i], out);
  }
  for (size_t i = 0; i < flag_count; ++i)
    if (get_flag(op, i)) tn_text_printf(out, "; %s=true", flags[i].name);
  tn_text_putc(out, '>');
}

static bool same_text(const char* a, const char* b) {
  return strcmp(a ? a : "", b ? b : "") == 0 && !a == !b;
}

static bool same_arg(const tn_arg_def* a, const tn_arg_def* b) {
  return same_text(a->name, b->name) && a->type == b->type &&
         same_text(a->type_attr, b->type_attr) && same_text(a->number_attr, b->number_attr) &&
         same_text(a->type_list_attr, b->type_list_attr) && a->is_ref == b->is_ref;
}

static bool same_attr(const tn_attr_def* a, const tn_attr_def* b) {
  return same_text(a->name, b->name) && a->kind == b->kind && a->is_list == b->is_list &&
         a->has_minimum == b->has_minimum && a->minimum == b->minimum &&
         tn_attr_def_has_default(a) == tn_attr_def_has_default(b) &&
         tn_attr_value_equal(&a->default_value, &b->default_value) &&
         a->allowed.count == b->allowed.count && tn_attr_value_equal(&a->allowed, &b->allowed);
}

// The arguments of one side, or their number; true when they differ and that was written.
static bool args_differ(const char* side, const tn_arg_def* a, size_t a_count, const tn_arg_def* b,
                        size_t b_count, tn_text* out) {
  for (size_t i = 0; i < a_count && i < b_count; ++i) {
    if (same_arg(&a[i], &b[i])) continue;
    tn_text_printf(out, "%s %zu is '", side, i);
    print_arg(&a[i], out);
    tn_text_puts(out, "' in one and '");
    print_arg(&b[i], out);
    tn_text_puts(out, "' in the other");
    return true;
  }
  if (a_count == b_count) return false;
  tn_text_printf(out, "one has %zu %ss, the other %zu", a_count, side, b_count);
  return true;
}

static bool attrs_differ(const tn_op_def* a, const tn_op_def* b, tn_text* out) {
  for (size_t i = 0; i < a->attr_count && i < b->attr_count; ++i) {
    if (same_attr(&a->attrs[i], &b->attrs[i])) continue;
    tn_text_printf(out, "attr %zu is '", i);
    print_attr(&a->attrs[i], out);
    tn_text_puts(out, "' in one and '");
    print_attr(&b->attrs[i], out);
    tn_text_puts(out, "' in the other");
    return true;
  }
  if (a->attr_count == b->attr_count) return false;
  tn_text_printf(out, "one has %zu attrs, the other %zu", a->attr_count, b->attr_count);
  return true;
}

// True when they differ; what differs is written to `out`.
static bool differ(const tn_op_def* a, const tn_op_def* b, tn_text* out) {
  if (!same_text(a->name, b->name)) {
    tn_text_printf(out, "one is %s, the other %s", a->name, b->name);
    return true;
  }
  if (args_differ("input", a->inputs, a->input_count, b->inputs, b->input_count, out) ||
      args_differ("output", a->outputs, a->output_count, b->outputs, b->output_count, out) ||
      attrs_differ(a, b, out))
    return true;
  for (size_t i = 0; i < flag_count; ++i) {
    if (get_flag(a, i) == get_flag(b, i)) continue;
    tn_text_printf(out, "%s is set in only one", flags[i].name);
    return true;
  }
  if (a->deprecation_version == b->deprecation_version &&
      same_text(a->deprecation_explanation, b->deprecation_explanation))
    return false;
  tn_text_puts(out, "they are deprecated differently");
  return true;
}

void tn_op_def_difference(const tn_op_def* a, const tn_op_def* b, tn_text* out) {
  differ(a, b, out);
}

bool tn_op_def_equal(const tn_op_def* a, const tn_op_def* b) {
  tn_text ignored = {0};
  bool equal = !differ(a, b, &ignored);
  tn_text_deinit(&ignored);
  return equal;
}
