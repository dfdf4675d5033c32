#include "facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "say.h"

static const char* number(facts* out, int64_t value) {
  char text[32];
  snprintf(text, sizeof text, "%" PRId64, value);
  const char* copy = tn_arena_copy(&out->arena, tn_view_of(text));
  if (!copy) out->failed = true;
  return copy ? copy : "";
}

static const char* copied(facts* out, const char* text) {
  const char* copy = tn_arena_copy(&out->arena, tn_view_of(text));
  if (!copy) out->failed = true;
  return copy ? copy : "";
}

static void add(facts* out, const fact* made) {
  if (tn_grow(&out->items, &out->capacity, out->count + 1, sizeof *out->items)) {
    out->items[out->count++] = *made;
  } else {
    out->failed = true;
  }
}

void facts_collect(const tn_abi_model* model, facts* out) {
  for (size_t i = 0; i < model->struct_count; ++i) {
    const tn_abi_struct* one = model->structs[i];
    if (one->opaque) continue;
    const char* name = copied(out, one->name);
    add(out, &(fact){"pjrt/struct_sizes",
                     {name, number(out, one->end), number(out, one->size),
                      one->size_constant >= 0 ? number(out, one->size_constant) : ""},
                     4});
    for (size_t j = 0; j < one->field_count; ++j) {
      const tn_abi_field* field = &one->fields[j];
      add(out,
          &(fact){"pjrt/fields",
                  {name, copied(out, field->name), number(out, field->offset),
                   number(out, field->size), copied(out, field->kind), field->in_union ? "1" : "0"},
                  6});
    }
  }
  for (size_t i = 0; i < model->constant_count; ++i) {
    const tn_abi_constant* constant = &model->constants[i];
    if (*constant->enumeration)
      add(out, &(fact){"pjrt/enums",
                       {copied(out, constant->enumeration), copied(out, constant->name),
                        number(out, constant->value)},
                       3});
  }
}

void facts_deinit(facts* facts) {
  tn_free(facts->items);
  tn_arena_deinit(&facts->arena);
  facts->items = NULL;
  facts->count = facts->capacity = 0;
}

static bool same(const fact* a, const fact* b) {
  bool equal = a->cell_count == b->cell_count && strcmp(a->table, b->table) == 0;
  for (int i = a->cell_count - 1; equal && i >= 0; --i)
    equal = strcmp(a->cells[i], b->cells[i]) == 0;
  return equal;
}

bool facts_have(const facts* facts, const fact* wanted) {
  for (size_t i = 0; i < facts->count; ++i)
    if (same(&facts->items[i], wanted)) return true;
  return false;
}

static bool covers(const facts* all, const facts* some, char mark, bool loud) {
  bool equal = true;
  for (size_t i = 0; i < some->count && (equal || loud); ++i) {
    const fact* one = &some->items[i];
    if (facts_have(all, one)) continue;
    equal = false;
    if (!loud) break;
    say("%c %s:", mark, one->table);
    for (int j = 0; j < one->cell_count; ++j) say(" %s", one->cells[j]);
    say("\n");
  }
  return equal;
}

bool facts_equal(const facts* a, const facts* b, bool loud) {
  const bool left = covers(b, a, '-', loud);
  return (left || loud) && covers(a, b, '+', loud) && left;
}
