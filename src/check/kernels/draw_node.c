// Attributes of an op, drawn: nodes that kernels can be made for.
#include <string.h>

#include "check/kernels/draw.h"

static const tn_attr_value* constraint_of(const tk_kernel* kernel, const char* attr) {
  if (!kernel->kernel) return NULL;
  const tn_kernel_def* def = &kernel->kernel->def;
  for (size_t i = 0; i < def->constraint_count; ++i)
    if (strcmp(def->constraints[i].attr, attr) == 0) return &def->constraints[i].allowed;
  return NULL;
}

static bool allows(const tn_attr_value* list, tn_dtype type) {
  for (size_t i = 0; i < list->count; ++i)
    if (list->types[i] == type) return true;
  return list->count == 0;
}

// One that both the kernel and the op allow.
static tn_dtype draw_type(const tk_kernel* kernel, const tn_attr_def* attr, uint64_t* random) {
  static const tn_dtype usual[] = {TN_FLOAT, TN_FLOAT, TN_DOUBLE, TN_INT32,
                                   TN_INT64, TN_BOOL,  TN_UINT8,  TN_HALF};
  const tn_attr_value* constraint = constraint_of(kernel, attr->name);
  const tn_attr_value* from = constraint && constraint->kind == TN_ATTR_TYPE ? constraint
                              : attr->allowed.kind == TN_ATTR_TYPE           ? &attr->allowed
                                                                             : NULL;
  if (!from || from->count == 0) return TK_PICK(random, usual);
  const size_t start = tk_pick(random, from->count);
  for (size_t i = 0; i < from->count; ++i) {
    const tn_dtype type = from->types[(start + i) % from->count];
    if (attr->allowed.kind != TN_ATTR_TYPE || allows(&attr->allowed, type)) return type;
  }
  return from->types[start];
}

static bool counts_arguments(const tn_op_def* op, const char* attr) {
  for (size_t i = 0; i < op->input_count + op->output_count; ++i) {
    const tn_arg_def* arg =
        i < op->input_count ? &op->inputs[i] : &op->outputs[i - op->input_count];
    if (arg->number_attr && strcmp(arg->number_attr, attr) == 0) return true;
  }
  return false;
}

static int64_t draw_int(const tk_kernel* kernel, const tn_attr_def* attr, tk_style style,
                        uint64_t* random) {
  static const int64_t wild[] = {INT64_MIN, INT32_MIN,       -7, -1, 0, 1, 2, 3, 100, 65, INT32_MAX,
                                 INT64_MAX, (int64_t)1 << 40};
  const int64_t least = attr->has_minimum && !attr->is_list ? attr->minimum : 0;
  if (counts_arguments(kernel->op, attr->name)) return least + tn_case_between(random, !least, 2);
  if (style == TK_WILD) return TK_PICK(random, wild);
  return least > 0 ? least + (style == TK_PLAIN ? 0 : tn_case_between(random, 0, 2))
                   : tn_case_between(random, 0, 3);
}

static tn_view draw_text(const tn_attr_def* attr, tk_style style, uint64_t* random, char* room,
                         size_t room_size) {
  static const char* const words[] = {"", "a", "ab,bc->ac", "ab->ba", "x", "SAME", "{}", "float"};
  if (attr->allowed.kind == TN_ATTR_STRING && attr->allowed.count > 0)
    return attr->allowed.strings[tk_pick(random, attr->allowed.count)];
  if (strcmp(attr->name, "equation") == 0) {
    static const char* const sums[] = {"ab,bc->ac", "ab->ba", "ab,ab->ab", "...,...->..."};
    const char* sum = TK_PICK(random, sums);
    if (style != TK_WILD) return (tn_view){sum, strlen(sum)};
  }
  if (style != TK_WILD) {
    const char* word = TK_PICK(random, words);
    return (tn_view){word, strlen(word)};
  }
  const size_t size = tk_chance(random, 20) ? room_size : tk_pick(random, 40);
  for (size_t i = 0; i < size; ++i) room[i] = (char)tn_case_between(random, 0, 255);
  for (size_t i = 0; i < size; ++i)
    if (room[i] == '/') room[i] = '-';
  return (tn_view){room, size};
}

static void draw_shape(tn_shape* shape, tk_style style, uint64_t* random) {
  static const int64_t wild[] = {-1, 0, 1, 2, 100, INT32_MAX, (int64_t)1 << 40, INT64_MAX};
  int64_t dims[TN_MAX_RANK];
  int rank = (int)tn_case_between(random, 0, 3);
  if (style == TK_WILD && tk_chance(random, 20)) rank = tk_chance(random, 50) ? -1 : TN_MAX_RANK;
  for (int i = 0; i < rank; ++i)
    dims[i] = style == TK_WILD ? TK_PICK(random, wild) : tn_case_between(random, 1, 3);
  tn_shape_init(shape, dims, rank, NULL);
}

tn_dtype tk_type_attr(const tn_attrs* attrs, const char* first) {
  const char* const names[] = {first, "dtype", "T"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const tn_attr_value* value = names[i] ? tn_attrs_find(attrs, names[i]) : NULL;
    if (value && value->kind == TN_ATTR_TYPE && !value->is_list) return value->types[0];
  }
  return TN_FLOAT;
}

static size_t draw_count(const tn_attr_def* attr, tk_style style, uint64_t* random) {
  if (!attr->is_list) return 1;
  const size_t least = attr->has_minimum && attr->minimum > 0 ? (size_t)attr->minimum : 0;
  if (least > 8) return 8;
  if (style == TK_WILD) return least + tk_pick(random, 4);
  return least                                                ? least
         : tk_chance(random, 50) && attr->kind == TN_ATTR_INT ? 4
                                                              : 1 + tk_pick(random, 3);
}

static bool draw_attr(const tk_kernel* kernel, const tn_attr_def* attr, tk_style style,
                      uint64_t* random, tn_attrs* out, tn_status* status) {
  char texts[8][200];
  const size_t count = draw_count(attr, style, random);
  tn_attr_value value = TN_ATTR_VALUE_NONE;
  tn_view strings[8];
  if (attr->kind == TN_ATTR_STRING) {
    for (size_t i = 0; i < count && i < 8; ++i)
      strings[i] = draw_text(attr, style, random, texts[i], sizeof texts[i]);
    if (!tn_attr_value_init(&value, TN_ATTR_STRING, attr->is_list, strings, count, status))
      return false;
    return tn_attrs_take(out, attr->name, &value, status);
  }
  if (!tn_attr_value_alloc(&value, attr->kind, attr->is_list, count, 0, status)) return false;
  const tn_dtype type = tk_type_attr(out, NULL);
  const int64_t vector[] = {2};
  for (size_t i = 0; i < count; ++i) switch (attr->kind) {
      case TN_ATTR_INT: value.ints[i] = draw_int(kernel, attr, style, random); break;
      case TN_ATTR_FLOAT:
        value.floats[i] = style == TK_WILD && tk_chance(random, 50)
                              ? (tk_chance(random, 50) ? __builtin_nanf("") : -__builtin_inff())
                              : (float)tn_case_between(random, -2, 4) / 2;
        break;
      case TN_ATTR_BOOL: value.bools[i] = tk_chance(random, 50); break;
      case TN_ATTR_TYPE: value.types[i] = draw_type(kernel, attr, random); break;
      case TN_ATTR_SHAPE: draw_shape(&value.shapes[i], style, random); break;
      case TN_ATTR_TENSOR:
        value.tensors[i] = tk_draw_tensor(type, vector, 1, TK_PLAIN, random);
        if (!value.tensors[i]) tn_case_error("out of memory");
        break;
      default: value.funcs[i].name = tn_strdup("f"); break;
    }
  // What windows and steps look like.
  if (attr->kind == TN_ATTR_INT && attr->is_list && style != TK_WILD && count == 4)
    for (size_t i = 0; i < 4; ++i) value.ints[i] = i % 3 == 0 ? 1 : tn_case_between(random, 1, 2);
  return tn_attrs_take(out, attr->name, &value, status);
}

static bool draw_attrs(const tk_kernel* kernel, tk_style style, uint64_t* random, tn_attrs* out,
                       tn_status* status) {
  const tn_op_def* op = kernel->op;
  for (size_t i = 0; i < op->attr_count; ++i) {
    const tn_attr_def* attr = &op->attrs[i];
    const bool fixed = attr->kind != TN_ATTR_TYPE && tn_attr_def_has_default(attr);
    if (fixed && (style == TK_PLAIN || tk_chance(random, style == TK_WILD ? 30 : 60))) continue;
    if (!draw_attr(kernel, attr, style, random, out, status)) return false;
  }
  const char* label = kernel->kernel ? kernel->kernel->def.label : "";
  if (!*label) return true;
  tn_attr_value value = TN_ATTR_VALUE_NONE;
  const tn_view text = {label, strlen(label)};
  return tn_attr_value_init(&value, TN_ATTR_STRING, false, &text, 1, status) &&
         tn_attrs_take(out, "_kernel", &value, status);
}

// The types of the inputs, as the attributes tell them; false when there are too many.
static bool input_types(const tn_op_def* op, const tn_attrs* attrs, tn_dtype* types,
                        size_t* out_count) {
  size_t count = 0;
  for (size_t i = 0; i < op->input_count; ++i) {
    const tn_arg_def* arg = &op->inputs[i];
    const tn_attr_value* list =
        arg->type_list_attr ? tn_attrs_find(attrs, arg->type_list_attr) : NULL;
    const tn_attr_value* number = arg->number_attr ? tn_attrs_find(attrs, arg->number_attr) : NULL;
    const size_t times = list ? list->count : number ? (size_t)number->ints[0] : 1;
    const tn_dtype one = arg->type_attr ? tk_type_attr(attrs, arg->type_attr) : arg->type;
    for (size_t k = 0; k < times; ++k) {
      if (count == TK_MOST_ARGS) return false;
      const tn_dtype type = list ? list->types[k] : one;
      types[count++] =
          arg->is_ref && !tn_dtype_is_ref(type) ? (tn_dtype)(type + TN_REF_OFFSET) : type;
    }
  }
  *out_count = count;
  return true;
}

tn_node* tk_draw_node(const tk_kernel* kernel, tk_style style, uint64_t* random,
                      tn_status* status) {
  tn_attrs attrs = {0};
  tn_dtype types[TK_MOST_ARGS];
  size_t count = 0;
  tn_node* node = NULL;
  if (draw_attrs(kernel, style, random, &attrs, status)) {
    // Lengths of inputs may have defaults too.
    for (size_t i = 0; i < kernel->op->attr_count; ++i) {
      const tn_attr_def* attr = &kernel->op->attrs[i];
      if (!tn_attrs_find(&attrs, attr->name) && tn_attr_def_has_default(attr))
        tn_attrs_set(&attrs, attr->name, &attr->default_value, status);
    }
    if (!input_types(kernel->op, &attrs, types, &count))
      tn_status_set(status, TN_OUT_OF_RANGE, "too many inputs");
    else
      node = tn_node_create(kernel->op, kernel->op->name, &attrs, types, count, status);
  }
  tn_attrs_deinit(&attrs);
  if (!node || node->output_count <= TK_MOST_ARGS) return node;
  tn_node_destroy(node);
  tn_status_set(status, TN_OUT_OF_RANGE, "too many outputs");
  return NULL;
}
