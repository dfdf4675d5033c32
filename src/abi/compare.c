#include "abi/compare.h"

#include <inttypes.h>
#include <string.h>

#include "abi/type_text.h"
#include "base/memory.h"
#include "base/text.h"

const char* tn_abi_difference_name(tn_abi_difference_kind kind) {
  static const char* const names[] = {
#define NAME(name, text) [TN_ABI_##name] = text,
      TN_ABI_DIFFERENCES(NAME)
#undef NAME
  };
  return kind >= 0 && kind < TN_ABI_DIFFERENCE_KINDS ? names[kind] : "unknown";
}

const char* tn_abi_evidence_name(tn_abi_evidence evidence) {
  static const char* const names[] = {"layout", "types", "history"};
  return names[evidence];
}

// As it was written, and what it stands for where that is something else.
static void describe_type(tn_text* to, const char* type, const char* canonical) {
  tn_text_puts(to, type);
  if (*canonical && !tn_abi_type_same(type, canonical)) tn_text_printf(to, " = %s", canonical);
}

// True when both sides tell a type and it is another one. Typedefs count as what they stand for;
// where a side tells only the name that was written, as the name.
static bool other_type(const char* old_type, const char* old_canonical, const char* new_type,
                       const char* new_canonical) {
  if (*old_canonical && *new_canonical) return strcmp(old_canonical, new_canonical) != 0;
  if (!*old_type || !*new_type || tn_abi_type_same(old_type, new_type)) return false;
  if (*old_canonical) return !tn_abi_type_same(old_canonical, new_type);
  return !*new_canonical || !tn_abi_type_same(old_type, new_canonical);
}

// What is told of a member: its place, its size and its type, and why it is deprecated.
static const char* describe_field(tn_text* to, const tn_abi_field* field) {
  to->size = 0;
  if (!field) return "";
  tn_text_printf(to, "%s@%" PRId64, field->name, field->offset);
  if (field->bits) tn_text_printf(to, " bit %" PRId64, field->bit);
  tn_text_printf(to, ", %" PRId64 " %s, ", field->bits ? field->bits : field->size,
                 field->bits ? "bits" : "bytes");
  describe_type(to, *field->type ? field->type : field->kind, field->canonical);
  if (*field->deprecation) tn_text_printf(to, "; deprecated %s", field->deprecation);
  return to->data ? to->data : "";
}

static const char* describe_function(tn_text* to, const tn_abi_function* function) {
  to->size = 0;
  describe_type(to, function->type, function->canonical);
  return to->data ? to->data : "";
}

static const char* describe_number(tn_text* to, int64_t number) {
  to->size = 0;
  tn_text_printf(to, "%" PRId64, number);
  return to->data ? to->data : "";
}

// One comparison, and the texts it makes.
typedef struct comparison {
  const tn_abi_model *before, *after;
  tn_abi_differences* out;
  tn_text old_text, new_text;
} comparison;

static const char* keep(tn_abi_differences* differences, const char* text) {
  if (!*text) return "";
  const char* copy = tn_arena_copy(&differences->arena, tn_view_of(text));
  if (!copy) differences->failed = true;
  return copy ? copy : "";
}

void tn_abi_differences_add(tn_abi_differences* to, const tn_abi_difference* d) {
  if (!tn_grow(&to->items, &to->capacity, to->count + 1, sizeof *to->items)) {
    to->failed = true;
    return;
  }
  to->items[to->count++] = (tn_abi_difference){d->kind,
                                               keep(to, d->owner),
                                               keep(to, d->member),
                                               keep(to, d->before),
                                               keep(to, d->after),
                                               keep(to, d->where),
                                               d->evidence};
}

// What only a declaration tells, whatever it belongs to.
static tn_abi_evidence evidence_of(tn_abi_difference_kind kind) {
  switch (kind) {
    case TN_ABI_FIELD_SIGNATURE:
    case TN_ABI_FIELD_RESPELLED:
    case TN_ABI_FIELD_DEPRECATED:
    case TN_ABI_FUNCTION_RETYPED:
    case TN_ABI_VARIABLE_RETYPED:
    case TN_ABI_FUNCTION_DEPRECATED: return TN_ABI_FROM_TYPES;
    default: return TN_ABI_FROM_LAYOUT;
  }
}

static void tell(comparison* c, tn_abi_difference_kind kind, const char* where, const char* owner,
                 const char* member, const char* before, const char* after) {
  tn_abi_differences_add(
      c->out, &(tn_abi_difference){kind, owner, member, before, after, where, evidence_of(kind)});
}

static void tell_field(comparison* c, tn_abi_difference_kind kind, const tn_abi_struct* owner,
                       const tn_abi_field* before, const tn_abi_field* after) {
  const tn_abi_struct* old = tn_abi_model_struct(c->before, owner->name);
  // A member that changed inside a struct whose own size did not: a view of a union, which may be
  // shorter than the union, or another type of as many bytes.
  const bool hidden = (kind == TN_ABI_EMBEDDED_GROWN && old && old->size == owner->size) ||
                      (kind == TN_ABI_FIELD_RETYPED && before->size == after->size);
  tn_abi_differences_add(c->out,
                         &(tn_abi_difference){kind, owner->name, after ? after->name : before->name,
                                              describe_field(&c->old_text, before),
                                              describe_field(&c->new_text, after),
                                              after && *after->where ? after->where : owner->where,
                                              hidden ? TN_ABI_FROM_TYPES : evidence_of(kind)});
}

static bool same_place(const tn_abi_field* a, const tn_abi_field* b) {
  return a->offset == b->offset && a->size == b->size && a->bit == b->bit && a->bits == b->bits &&
         strcmp(a->kind, b->kind) == 0 && a->in_union == b->in_union;
}

// The field of `in` at the place of `field` whose name `other` has not: what `field` was or is
// called there.
static const tn_abi_field* renamed(const tn_abi_struct* in, const tn_abi_struct* other,
                                   const tn_abi_field* field) {
  for (size_t i = 0; i < in->field_count; ++i)
    if (same_place(&in->fields[i], field) && !tn_abi_struct_field(other, in->fields[i].name))
      return &in->fields[i];
  return NULL;
}

static void compare_field(comparison* c, const tn_abi_struct* owner, const tn_abi_field* old,
                          const tn_abi_field* now) {
  const bool same_kind = strcmp(old->kind, now->kind) == 0;
  if (old->offset != now->offset || old->bit != now->bit)
    tell_field(c, TN_ABI_FIELD_MOVED, owner, old, now);
  if (!same_kind || old->bits != now->bits ||
      (old->size != now->size && strcmp(now->kind, "struct") != 0)) {
    tell_field(c, TN_ABI_FIELD_RETYPED, owner, old, now);
  } else if (old->size != now->size) {
    tell_field(c, TN_ABI_EMBEDDED_GROWN, owner, old, now);
  } else if (other_type(old->type, old->canonical, now->type, now->canonical)) {
    tell_field(c,
               strcmp(now->kind, "function_pointer") == 0 ? TN_ABI_FIELD_SIGNATURE
                                                          : TN_ABI_FIELD_RESPELLED,
               owner, old, now);
  }
  if (now->deprecated && !old->deprecated) tell_field(c, TN_ABI_FIELD_DEPRECATED, owner, old, now);
}

// True when a field that was there before now lies behind `field`.
static bool stands_before_old(const tn_abi_struct* now, const tn_abi_struct* old,
                              const tn_abi_field* field) {
  for (size_t i = 0; i < now->field_count; ++i)
    if (now->fields[i].offset > field->offset && tn_abi_struct_field(old, now->fields[i].name))
      return true;
  return false;
}

static void compare_struct(comparison* c, const tn_abi_struct* old, const tn_abi_struct* now) {
  if (old->opaque != now->opaque) {
    tell(c, old->opaque ? TN_ABI_OPAQUE_DEFINED : TN_ABI_DEFINED_OPAQUE, now->where, now->name, "",
         old->opaque ? "opaque" : "defined", now->opaque ? "opaque" : "defined");
    return;
  }
  for (size_t i = 0; i < old->field_count; ++i) {
    const tn_abi_field* field = &old->fields[i];
    const tn_abi_field* same = tn_abi_struct_field(now, field->name);
    if (same) {
      compare_field(c, now, field, same);
      continue;
    }
    const tn_abi_field* other = renamed(now, old, field);
    tell_field(c, other ? TN_ABI_FIELD_RENAMED : TN_ABI_FIELD_REMOVED, now, field, other);
  }
  for (size_t i = 0; i < now->field_count; ++i) {
    const tn_abi_field* field = &now->fields[i];
    if (tn_abi_struct_field(old, field->name) || renamed(old, now, field)) continue;
    // One more view of a union moves nothing; the union's own size is compared by itself.
    const bool inserted =
        !field->in_union && (field->offset < old->end || stands_before_old(now, old, field));
    tell_field(c, inserted ? TN_ABI_FIELD_INSERTED : TN_ABI_FIELD_APPENDED, now, NULL, field);
  }
}

// What is wrong with a struct whatever it was before.
static void inspect_struct(comparison* c, const tn_abi_struct* now) {
  if (now->opaque) return;
  if (now->size_constant >= 0 && now->size_constant != now->end)
    tell(c, TN_ABI_SIZE_CONSTANT_WRONG, now->where, now->name, "",
         describe_number(&c->old_text, now->end),
         describe_number(&c->new_text, now->size_constant));
  if (now->alignment > 8)
    tell(c, TN_ABI_ALIGNMENT_OVER_8, now->where, now->name, "", "",
         describe_number(&c->new_text, now->alignment));
}

static void compare_structs(comparison* c) {
  for (size_t i = 0; i < c->before->struct_count; ++i) {
    const tn_abi_struct* old = c->before->structs[i];
    const tn_abi_struct* now = tn_abi_model_struct(c->after, old->name);
    if (now) {
      compare_struct(c, old, now);
    } else {
      tell(c, TN_ABI_STRUCT_REMOVED, old->where, old->name, "",
           describe_number(&c->old_text, old->end), "");
    }
  }
  for (size_t i = 0; i < c->after->struct_count; ++i) {
    const tn_abi_struct* now = c->after->structs[i];
    if (!tn_abi_model_struct(c->before, now->name))
      tell(c, TN_ABI_STRUCT_ADDED, now->where, now->name, "", "",
           describe_number(&c->new_text, now->end));
    inspect_struct(c, now);
  }
}

// A constant of the enum in `in` that has the value, under a name that `other` has not.
static const tn_abi_constant* same_value(const tn_abi_model* in, const tn_abi_model* other,
                                         const tn_abi_constant* like) {
  for (size_t i = 0; i < in->constant_count; ++i) {
    const tn_abi_constant* constant = &in->constants[i];
    if (constant->value == like->value && strcmp(constant->enumeration, like->enumeration) == 0 &&
        !tn_abi_model_constant(other, constant->enumeration, constant->name))
      return constant;
  }
  return NULL;
}

static void tell_constant(comparison* c, tn_abi_difference_kind kind, const tn_abi_constant* old,
                          const tn_abi_constant* now) {
  const tn_abi_constant* any = now ? now : old;
  tn_text* texts[] = {&c->old_text, &c->new_text};
  const tn_abi_constant* constants[] = {old, now};
  const char* told[2];
  for (int i = 0; i < 2; ++i) {
    texts[i]->size = 0;
    if (constants[i])
      tn_text_printf(texts[i], "%s = %" PRId64, constants[i]->name, constants[i]->value);
    told[i] = constants[i] && texts[i]->data ? texts[i]->data : "";
  }
  tell(c, kind, now ? now->where : "", any->enumeration, any->name, told[0], told[1]);
}

static bool ends_with(const char* text, const char* end) {
  const size_t length = strlen(text), suffix = strlen(end);
  return length > suffix && strcmp(text + length - suffix, end) == 0;
}

// True for the constants that are the number itself, which is judged by other rules.
static bool is_number(const tn_abi_model* model, const tn_abi_constant* constant) {
  return (ends_with(constant->name, "_MAJOR") && constant->value == model->major) ||
         (ends_with(constant->name, "_MINOR") && constant->value == model->minor) ||
         (ends_with(constant->name, "_PATCH") && constant->value == model->patch);
}

static bool is_macro(const tn_abi_constant* constant) {
  return strcmp(constant->enumeration, TN_ABI_MACROS) == 0;
}

// True for the first constant of its enum, which speaks for the enum itself.
static bool leads(const tn_abi_model* model, size_t index) {
  return index == 0 ||
         strcmp(model->constants[index - 1].enumeration, model->constants[index].enumeration) != 0;
}

static void compare_enum(comparison* c, const tn_abi_constant* old, const tn_abi_constant* now) {
  if (!old->size || !now->size || old->size == now->size) return;
  c->old_text.size = c->new_text.size = 0;
  tn_text_printf(&c->old_text, "%" PRId64 " bytes", old->size);
  tn_text_printf(&c->new_text, "%" PRId64 " bytes", now->size);
  tell(c, TN_ABI_ENUM_RESIZED, now->where, now->enumeration, "",
       c->old_text.data ? c->old_text.data : "", c->new_text.data ? c->new_text.data : "");
}

// A macro is a value that peers have compiled in. One more says nothing; one less may have become
// an enum's constant.
static void compare_macro(comparison* c, const tn_abi_constant* old) {
  const tn_abi_constant* now = tn_abi_model_constant(c->after, TN_ABI_MACROS, old->name);
  if (now && now->value != old->value) tell_constant(c, TN_ABI_MACRO_CHANGED, old, now);
  if (now || !c->after->tells_macros) return;
  for (size_t i = 0; i < c->after->constant_count; ++i)
    if (strcmp(c->after->constants[i].name, old->name) == 0) now = &c->after->constants[i];
  if (!now) {
    tell_constant(c, TN_ABI_MACRO_REMOVED, old, NULL);
  } else if (now->value != old->value) {
    tell_constant(c, TN_ABI_MACRO_CHANGED, old, now);
  }
}

static void compare_constants(comparison* c) {
  for (size_t i = 0; i < c->before->constant_count; ++i) {
    const tn_abi_constant* old = &c->before->constants[i];
    if (is_number(c->before, old)) continue;
    if (is_macro(old)) {
      compare_macro(c, old);
      continue;
    }
    const tn_abi_constant* now = tn_abi_model_constant(c->after, old->enumeration, old->name);
    if (now && leads(c->before, i)) compare_enum(c, old, now);
    if (now && now->value != old->value) tell_constant(c, TN_ABI_CONSTANT_CHANGED, old, now);
    if (now) continue;
    now = same_value(c->after, c->before, old);
    tell_constant(c, now ? TN_ABI_CONSTANT_RENAMED : TN_ABI_CONSTANT_REMOVED, old, now);
  }
  for (size_t i = 0; i < c->after->constant_count; ++i) {
    const tn_abi_constant* now = &c->after->constants[i];
    if (is_macro(now) || is_number(c->after, now)) continue;
    if (!tn_abi_model_constant(c->before, now->enumeration, now->name) &&
        !same_value(c->before, c->after, now))
      tell_constant(c, TN_ABI_CONSTANT_ADDED, NULL, now);
  }
}

static void compare_functions(comparison* c) {
  for (size_t i = 0; i < c->before->function_count; ++i) {
    const tn_abi_function* old = &c->before->functions[i];
    const tn_abi_function* now = tn_abi_model_function(c->after, old->name);
    if (!now) {
      tell(c, old->variable ? TN_ABI_VARIABLE_REMOVED : TN_ABI_FUNCTION_REMOVED, old->where,
           old->name, "", old->type, "");
      continue;
    }
    if (other_type(old->type, old->canonical, now->type, now->canonical))
      tell(c, now->variable ? TN_ABI_VARIABLE_RETYPED : TN_ABI_FUNCTION_RETYPED, now->where,
           now->name, "", describe_function(&c->old_text, old),
           describe_function(&c->new_text, now));
    if (now->deprecated && !old->deprecated)
      tell(c, TN_ABI_FUNCTION_DEPRECATED, now->where, now->name, "", "",
           *now->deprecation ? now->deprecation : "deprecated");
  }
  for (size_t i = 0; i < c->after->function_count; ++i) {
    const tn_abi_function* now = &c->after->functions[i];
    if (!tn_abi_model_function(c->before, now->name))
      tell(c, now->variable ? TN_ABI_VARIABLE_ADDED : TN_ABI_FUNCTION_ADDED, now->where, now->name,
           "", "", now->type);
  }
}

void tn_abi_compare(const tn_abi_model* before, const tn_abi_model* after,
                    tn_abi_differences* out) {
  comparison c = {.before = before, .after = after, .out = out};
  compare_structs(&c);
  compare_constants(&c);
  compare_functions(&c);
  if (c.old_text.failed || c.new_text.failed) out->failed = true;
  tn_text_deinit(&c.old_text);
  tn_text_deinit(&c.new_text);
}

void tn_abi_differences_deinit(tn_abi_differences* differences) {
  tn_free(differences->items);
  tn_arena_deinit(&differences->arena);
  *differences = (tn_abi_differences){0};
}
