#include "op/node.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/suggest.h"
#include "base/wire.h"
#include "op/op_validate.h"

enum { most_arguments = 1 << 24 };  // flattened; a larger list is a mistake, not a program

static bool no_memory(tn_status* status) {
  tn_status_set_no_memory(status, "making a node");
  return false;
}

// Appends which node and op a failure is about.
static bool failed_in(const tn_node* node, tn_status* status) {
  tn_text op = {0};
  tn_op_def_print(node->op, &op);
  if (op.data) tn_status_annotate(status, "NodeDef: {{node %s}}; %s", node->name, op.data);
  tn_text_deinit(&op);
  return false;
}

static bool check_attr_names(const tn_node* node, tn_status* status) {
  for (size_t i = 0; i < node->attrs.count; ++i) {
    const char* name = node->attrs.items[i].name;
    if (name[0] == '_' || tn_op_def_find_attr(node->op, name)) continue;
    tn_suggestion nearest = {.wanted = tn_view_of(name)};
    for (size_t k = 0; k < node->op->attr_count; ++k)
      tn_suggest_offer(&nearest, tn_view_of(node->op->attrs[k].name));
    tn_status_set(status, TN_INVALID_ARGUMENT, "Op %s has no attr named '%s'", node->op->name,
                  name);
    if (nearest.best.size)
      tn_status_annotate(status, "did you mean '%.*s'?", TN_VIEW_ARGS(nearest.best));
    return failed_in(node, status);
  }
  return true;
}

static bool check_attr_values(tn_node* node, tn_status* status) {
  for (size_t i = 0; i < node->op->attr_count; ++i) {
    const tn_attr_def* attr = &node->op->attrs[i];
    tn_attr_value* value = (tn_attr_value*)tn_attrs_find(&node->attrs, attr->name);
    if (!value) continue;
    if (!tn_attr_validate(attr, value, status)) return failed_in(node, status);
    value->kind = attr->kind;  // an empty list takes the type it stands for
  }
  return true;
}

// The number of flattened inputs or outputs that `arg` is, -1 when its attr is not set yet.
static int64_t arg_length(const tn_node* node, const tn_arg_def* arg) {
  const char* attr = arg->number_attr ? arg->number_attr : arg->type_list_attr;
  if (!attr) return 1;
  const tn_attr_value* value = tn_attrs_find(&node->attrs, attr);
  if (!value) return -1;
  return arg->number_attr ? value->ints[0] : (int64_t)value->count;
}

static bool set_attr(tn_node* node, const char* name, tn_attr_kind kind, bool is_list,
                     const void* items, size_t count, tn_status* status) {
  tn_attr_value value;
  return tn_attr_value_init(&value, kind, is_list, items, count, status) &&
         tn_attrs_take(&node->attrs, name, &value, status);
}

static bool set_default(tn_node* node, const tn_attr_def* attr, tn_status* status) {
  if (!tn_attr_def_has_default(attr) || tn_attrs_find(&node->attrs, attr->name)) return true;
  return tn_attrs_set(&node->attrs, attr->name, &attr->default_value, status);
}

// List arguments whose attr is not set: which attr, how often, and a second one where there is one.
typedef struct open_lists {
  const char* attr;
  const char* other;
  size_t times;
  int64_t taken;  // inputs that the other arguments take
} open_lists;

static open_lists find_open_lists(const tn_node* node) {
  open_lists open = {0};
  for (size_t i = 0; i < node->op->input_count; ++i) {
    const tn_arg_def* arg = &node->op->inputs[i];
    int64_t length = arg_length(node, arg);
    const char* attr = arg->number_attr ? arg->number_attr : arg->type_list_attr;
    if (length >= 0) {
      open.taken = length > most_arguments ? most_arguments : open.taken + length;
    } else if (!open.attr || strcmp(open.attr, attr) == 0) {
      open.attr = attr;
      ++open.times;
    } else {
      open.other = attr;
    }
  }
  return open;
}

// The types of the inputs as far as they are known, else the attrs that would say.
static void print_expected(const tn_node* node, tn_text* out) {
  enum { most = 16 };
  int written = 0;
  for (size_t i = 0; i < node->op->input_count; ++i) {
    const tn_arg_def* arg = &node->op->inputs[i];
    const char* attr = arg->type_attr ? arg->type_attr : arg->type_list_attr;
    const tn_attr_value* types = attr ? tn_attrs_find(&node->attrs, attr) : NULL;
    int64_t length = arg_length(node, arg);
    for (int64_t k = 0; k < length; ++k) {
      if (written) tn_text_puts(out, ", ");
      if (written++ == most) {
        tn_text_puts(out, "...");
        return;
      }
      tn_text_puts(out, !attr    ? tn_dtype_name(arg->type)
                        : !types ? attr
                                 : tn_dtype_name(types->types[arg->type_attr ? 0 : k]));
    }
  }
}

static bool fail_count(const tn_node* node, size_t count, tn_status* status) {
  tn_text expected = {0};
  print_expected(node, &expected);
  tn_status_set(status, TN_INVALID_ARGUMENT,
                "NodeDef expected inputs '%s' do not match %zu inputs specified",
                expected.data ? expected.data : "", count);
  tn_text_deinit(&expected);
  failed_in(node, status);
  tn_text names = {0};
  for (size_t i = 0; i < node->op->input_count; ++i)
    tn_text_printf(&names, "%s%s", i ? ", " : "", node->op->inputs[i].name);
  tn_status_annotate(status, "%s takes %s%s", node->op->name, names.size ? "the inputs " : "none",
                     names.data ? names.data : "");
  tn_text_deinit(&names);
  return false;
}

// With several list arguments whose attr nobody set, those that have a default take it.
static bool close_lists(tn_node* node, size_t count, open_lists* out_open, tn_status* status) {
  open_lists open = find_open_lists(node);
  for (size_t i = 0; open.other && i < node->op->attr_count; ++i) {
    const tn_attr_def* attr = &node->op->attrs[i];
    if (strcmp(attr->name, open.attr) != 0 && strcmp(attr->name, open.other) != 0) continue;
    if (!set_default(node, attr, status)) return false;
    open = find_open_lists(node);
  }
  *out_open = open;
  if (!open.other) return true;
  tn_status_set(
      status, TN_INVALID_ARGUMENT,
      "%zu inputs can be shared out over the list arguments in several ways: set attr '%s' "
      "or '%s'",
      count, open.attr, open.other);
  return failed_in(node, status);
}

// Sets the attrs that the inputs decide: a list whose length nobody gave takes what the others
// leave, and types come from the first input that has them.
static bool infer_attrs(tn_node* node, const tn_dtype* types, size_t count, tn_status* status) {
  open_lists open;
  if (!close_lists(node, count, &open, status)) return false;
  int64_t left = (int64_t)count - open.taken;
  size_t open_length = open.attr && left > 0 ? (size_t)left / open.times : 0, start = 0;
  for (size_t i = 0; i < node->op->input_count; ++i) {
    const tn_arg_def* arg = &node->op->inputs[i];
    int64_t known = arg_length(node, arg), inferred = (int64_t)open_length;
    if (known < 0 && arg->number_attr &&
        !set_attr(node, arg->number_attr, TN_ATTR_INT, false, &inferred, 1, status))
      return false;
    // Where there are too few inputs, the types of those that are there make a better message.
    size_t length = known < 0 ? open_length : (size_t)known;
    if (length > count - start) length = count - start;
    if (arg->type_attr && length && !tn_attrs_find(&node->attrs, arg->type_attr)) {
      tn_dtype type = tn_dtype_base(types[start]);
      if (!set_attr(node, arg->type_attr, TN_ATTR_TYPE, false, &type, 1, status)) return false;
    }
    if (arg->type_list_attr && known < 0) {
      if (!set_attr(node, arg->type_list_attr, TN_ATTR_TYPE, true, types + start, length, status))
        return false;
      tn_attr_value* list = (tn_attr_value*)tn_attrs_find(&node->attrs, arg->type_list_attr);
      for (size_t k = 0; k < length; ++k) list->types[k] = tn_dtype_base(list->types[k]);
    }
    start += length;
  }
  if (open.taken + (int64_t)(open_length * open.times) != (int64_t)count)
    return fail_count(node, count, status);
  return true;
}

static bool is_named_by(const tn_arg_def* args, size_t count, const char* attr) {
  for (size_t i = 0; i < count; ++i) {
    const char* names[] = {args[i].type_attr, args[i].number_attr, args[i].type_list_attr};
    for (int k = 0; k < 3; ++k)
      if (names[k] && strcmp(names[k], attr) == 0) return true;
  }
  return false;
}

// Ops with a leading underscore are private to the plugin that has them: its graph pass fills in
// their attrs, and its kernels look whether it did. Only what decides arguments must be there.
static bool may_be_absent(const tn_op_def* op, const char* attr) {
  return op->name[0] == '_' && !is_named_by(op->inputs, op->input_count, attr) &&
         !is_named_by(op->outputs, op->output_count, attr);
}

static bool set_defaults(tn_node* node, tn_status* status) {
  tn_text missing = {0};
  size_t missing_count = 0;
  for (size_t i = 0; i < node->op->attr_count; ++i) {
    const tn_attr_def* attr = &node->op->attrs[i];
    if (!set_default(node, attr, status)) return tn_text_deinit(&missing), false;
    if (tn_attrs_find(&node->attrs, attr->name) || may_be_absent(node->op, attr->name)) continue;
    tn_text_printf(&missing, "%s%s", missing_count++ ? "', '" : "", attr->name);
  }
  if (missing_count) {
    tn_text op = {0};
    tn_op_def_print(node->op, &op);
    if (op.failed || missing.failed) {
      no_memory(status);
    } else {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "NodeDef missing attr%s '%s' from %s; NodeDef: {{node %s}}",
                    missing_count > 1 ? "s" : "", missing.data, op.data, node->name);
    }
    tn_text_deinit(&op);
  }
  tn_text_deinit(&missing);
  return missing_count == 0;
}

// Writes where each of `args` begins and returns the number of flattened ones; -1 when they are
// more than a node can have.
static int64_t flatten(const tn_node* node, const tn_arg_def* args, size_t count,
                       uint32_t* starts) {
  int64_t total = 0;
  for (size_t i = 0; i < count; ++i) {
    starts[i] = (uint32_t)total;
    int64_t length = arg_length(node, &args[i]);
    if (length > most_arguments - total) return -1;
    total += length;
  }
  starts[count] = (uint32_t)total;
  return total;
}

static void fill_types(const tn_node* node, const tn_arg_def* args, size_t count,
                       const uint32_t* starts, tn_dtype* types) {
  for (size_t i = 0; i < count; ++i) {
    const tn_arg_def* arg = &args[i];
    const char* attr = arg->type_attr ? arg->type_attr : arg->type_list_attr;
    const tn_attr_value* value = attr ? tn_attrs_find(&node->attrs, attr) : NULL;
    for (uint32_t k = starts[i]; k < starts[i + 1]; ++k) {
      tn_dtype type = value ? value->types[arg->type_attr ? 0 : k - starts[i]] : arg->type;
      types[k] = arg->is_ref ? (tn_dtype)(type + TN_REF_OFFSET) : type;
    }
  }
}

static bool make_arguments(tn_node* node, tn_status* status) {
  const tn_op_def* op = node->op;
  node->input_starts = tn_alloc_zeroed(op->input_count + 1, sizeof *node->input_starts);
  node->output_starts = tn_alloc_zeroed(op->output_count + 1, sizeof *node->output_starts);
  if (!node->input_starts || !node->output_starts) return no_memory(status);
  int64_t inputs = flatten(node, op->inputs, op->input_count, node->input_starts);
  int64_t outputs = flatten(node, op->outputs, op->output_count, node->output_starts);
  if (inputs < 0 || outputs < 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "Number of %s is too big: over %d",
                  inputs < 0 ? "inputs" : "outputs", most_arguments);
    return failed_in(node, status);
  }
  node->input_types = tn_alloc((size_t)inputs * sizeof *node->input_types);
  node->output_types = tn_alloc((size_t)outputs * sizeof *node->output_types);
  if (!node->input_types || !node->output_types) return no_memory(status);
  node->input_count = (size_t)inputs;
  node->output_count = (size_t)outputs;
  fill_types(node, op->inputs, op->input_count, node->input_starts, node->input_types);
  fill_types(node, op->outputs, op->output_count, node->output_starts, node->output_types);
  return true;
}

static bool check_input_types(const tn_node* node, const tn_dtype* types, tn_status* status) {
  for (size_t i = 0; i < node->input_count; ++i) {
    tn_dtype expected = node->input_types[i];
    if (types[i] == expected || tn_dtype_base(types[i]) == expected) continue;
    size_t arg = 0;
    while (node->input_starts[arg + 1] <= i) ++arg;
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "cannot compute %s as input #%zu(zero-based) was expected to be a %s tensor but is "
        "a %s tensor (input '%s')",
        node->op->name, i, tn_dtype_name(expected), tn_dtype_name(types[i]),
        node->op->inputs[arg].name);
    return failed_in(node, status);
  }
  return true;
}

tn_node* tn_node_create(const tn_op_def* op, const char* name, const tn_attrs* attrs,
                        const tn_dtype* input_types, size_t input_count, tn_status* status) {
  if (!op || (input_count && !input_types)) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "a node needs %s",
                  op ? "the types of its inputs" : "an op");
    return NULL;
  }
  tn_node* node = tn_alloc_zeroed(1, sizeof *node);
  if (!node) return no_memory(status), NULL;
  node->op = op;
  node->name = tn_strdup(name ? name : op->name);
  node->device = tn_strdup("");
  bool made = (node->name && node->device) || no_memory(status);
  made = made && (!attrs || tn_attrs_copy(&node->attrs, attrs, status)) &&
         check_attr_names(node, status) && check_attr_values(node, status) &&
         infer_attrs(node, input_types, input_count, status) && check_attr_values(node, status) &&
         set_defaults(node, status) && make_arguments(node, status) &&
         check_input_types(node, input_types, status);
  if (made) return node;
  tn_node_destroy(node);
  return NULL;
}

static void free_names(tn_node* node) {
  for (size_t i = 0; node->input_names && i < node->input_count; ++i) tn_free(node->input_names[i]);
  tn_free(node->input_names);
  node->input_names = NULL;
}

void tn_node_destroy(tn_node* node) {
  if (!node) return;
  free_names(node);
  tn_attrs_deinit(&node->attrs);
  tn_free(node->name);
  tn_free(node->device);
  tn_free(node->input_types);
  tn_free(node->output_types);
  tn_free(node->input_starts);
  tn_free(node->output_starts);
  tn_free(node);
}

bool tn_node_set_device(tn_node* node, const char* device, tn_status* status) {
  char* copy = tn_strdup(device ? device : "");
  if (!copy) return no_memory(status);
  tn_free(node->device);
  node->device = copy;
  return true;
}

bool tn_node_set_input_names(tn_node* node, const char* const* names, tn_status* status) {
  free_names(node);
  if (!names) return true;
  node->input_names = tn_alloc_zeroed(node->input_count, sizeof *node->input_names);
  if (!node->input_names) return no_memory(status);
  for (size_t i = 0; i < node->input_count; ++i) {
    node->input_names[i] = tn_strdup(names[i] ? names[i] : "");
    if (!node->input_names[i]) return free_names(node), no_memory(status);
  }
  return true;
}

static bool find_range(const tn_arg_def* args, size_t count, const uint32_t* starts,
                       const char* name, int* out_start, int* out_stop) {
  for (size_t i = 0; name && i < count; ++i) {
    if (strcmp(args[i].name, name) != 0) continue;
    *out_start = (int)starts[i];
    *out_stop = (int)starts[i + 1];
    return true;
  }
  return false;
}

bool tn_node_input_range(const tn_node* node, const char* arg, int* out_start, int* out_stop) {
  return find_range(node->op->inputs, node->op->input_count, node->input_starts, arg, out_start,
                    out_stop);
}

bool tn_node_output_range(const tn_node* node, const char* arg, int* out_start, int* out_stop) {
  return find_range(node->op->outputs, node->op->output_count, node->output_starts, arg, out_start,
                    out_stop);
}

bool tn_node_encode(const tn_node* node, tn_text* out, tn_status* status) {
  tn_wire_put_bytes(out, 1, tn_view_of(node->name));
  tn_wire_put_bytes(out, 2, tn_view_of(node->op->name));
  for (size_t i = 0; node->input_names && i < node->input_count; ++i)
    tn_wire_put_bytes(out, 3, tn_view_of(node->input_names[i]));
  if (node->device[0]) tn_wire_put_bytes(out, 4, tn_view_of(node->device));
  return tn_attrs_encode(&node->attrs, 5, out, status);
}

static int by_name(const void* a, const void* b) {
  return strcmp((*(const tn_attr* const*)a)->name, (*(const tn_attr* const*)b)->name);
}

void tn_node_print(const tn_node* node, tn_text* out) {
  tn_text_printf(out, "{{node %s}} = %s[", node->name, node->op->name);
  const tn_attr** sorted = tn_alloc(node->attrs.count * sizeof(tn_attr*));
  if (!sorted) out->failed = true;
  for (size_t i = 0; sorted && i < node->attrs.count; ++i) sorted[i] = &node->attrs.items[i];
  if (sorted) qsort(sorted, node->attrs.count, sizeof(tn_attr*), by_name);
  for (size_t i = 0; sorted && i < node->attrs.count; ++i) {
    tn_text_printf(out, "%s%s=", i ? ", " : "", sorted[i]->name);
    tn_attr_value_print(&sorted[i]->value, out);
  }
  tn_free(sorted);
  if (node->device[0])
    tn_text_printf(out, "%s_device=\"%s\"", node->attrs.count ? ", " : "", node->device);
  tn_text_puts(out, "](");
  // Without names of the nodes that feed it, the arguments stand for them.
  size_t count = node->input_names ? node->input_count : node->op->input_count;
  for (size_t i = 0; i < count; ++i)
    tn_text_printf(out, "%s%s", i ? ", " : "",
                   node->input_names ? node->input_names[i] : node->op->inputs[i].name);
  tn_text_putc(out, ')');
}
