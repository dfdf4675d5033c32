#include "abi/model.h"

#include <string.h>

#include "abi/type_text.h"
#include "base/memory.h"

// One more item at the end of an array that doubles; NULL, with the model failed, without memory.
static void* push(tn_abi_model* model, void** items, size_t* count, size_t size) {
  if ((*count & (*count - 1)) == 0) {  // 0 or a power of two: full
    void* grown = tn_resize(*items, (*count ? 2 * *count : 1) * size);
    if (!grown) {
      model->failed = true;
      return NULL;
    }
    *items = grown;
  }
  void* item = (char*)*items + (*count)++ * size;
  memset(item, 0, size);
  return item;
}

const char* tn_abi_model_text(tn_abi_model* model, const char* text) {
  if (!text || !*text) return "";
  const char* copy = tn_arena_copy(&model->arena, tn_view_of(text));
  if (!copy) model->failed = true;
  return copy ? copy : "";
}

const char* tn_abi_model_type(tn_abi_model* model, const char* type) {
  tn_text text = {0};
  tn_abi_type_spell(&text, type ? type : "");
  const char* kept = tn_abi_model_text(model, text.data);
  if (text.failed) model->failed = true;
  tn_text_deinit(&text);
  return kept;
}

tn_abi_struct* tn_abi_model_add_struct(tn_abi_model* model, const char* name) {
  tn_abi_struct* known = tn_map_get(&model->by_name, tn_view_of(name));
  if (known) return known;
  tn_abi_struct* added = tn_arena_alloc(&model->arena, sizeof *added);
  if (added) {
    *added =
        (tn_abi_struct){.name = tn_abi_model_text(model, name), .where = "", .size_constant = -1};
    tn_abi_struct** slot = push(model, (void**)&model->structs, &model->struct_count, sizeof *slot);
    if (slot) *slot = added;
    if (slot && !tn_map_put(&model->by_name, tn_view_of(added->name), added)) model->failed = true;
  }
  if (!added) model->failed = true;
  return model->failed ? NULL : added;
}

tn_abi_field* tn_abi_model_add_field(tn_abi_model* model, tn_abi_struct* owner, const char* name) {
  if (!owner) return NULL;
  tn_abi_field* field = push(model, (void**)&owner->fields, &owner->field_count, sizeof *field);
  if (field)
    *field = (tn_abi_field){.name = tn_abi_model_text(model, name),
                            .kind = "",
                            .type = "",
                            .canonical = "",
                            .deprecation = "",
                            .where = ""};
  return field;
}

tn_abi_constant* tn_abi_model_add_constant(tn_abi_model* model, const char* enumeration,
                                           const char* name, int64_t value) {
  tn_abi_constant* constant =
      push(model, (void**)&model->constants, &model->constant_count, sizeof *constant);
  if (constant)
    *constant = (tn_abi_constant){tn_abi_model_text(model, enumeration),
                                  tn_abi_model_text(model, name), value, .where = ""};
  return constant;
}

tn_abi_function* tn_abi_model_add_function(tn_abi_model* model, const char* name) {
  tn_abi_function* function =
      push(model, (void**)&model->functions, &model->function_count, sizeof *function);
  if (function)
    *function = (tn_abi_function){.name = tn_abi_model_text(model, name),
                                  .type = "",
                                  .where = "",
                                  .canonical = "",
                                  .deprecation = ""};
  return function;
}

const tn_abi_struct* tn_abi_model_struct(const tn_abi_model* model, const char* name) {
  return tn_map_get(&model->by_name, tn_view_of(name));
}

const tn_abi_field* tn_abi_struct_field(const tn_abi_struct* owner, const char* name) {
  for (size_t i = 0; i < owner->field_count; ++i)
    if (strcmp(owner->fields[i].name, name) == 0) return &owner->fields[i];
  return NULL;
}

const tn_abi_function* tn_abi_model_function(const tn_abi_model* model, const char* name) {
  for (size_t i = 0; i < model->function_count; ++i)
    if (strcmp(model->functions[i].name, name) == 0) return &model->functions[i];
  return NULL;
}

const tn_abi_constant* tn_abi_model_constant(const tn_abi_model* model, const char* enumeration,
                                             const char* name) {
  for (size_t i = 0; i < model->constant_count; ++i)
    if (strcmp(model->constants[i].name, name) == 0 &&
        strcmp(model->constants[i].enumeration, enumeration) == 0)
      return &model->constants[i];
  return NULL;
}

void tn_abi_model_deinit(tn_abi_model* model) {
  for (size_t i = 0; i < model->struct_count; ++i) tn_free(model->structs[i]->fields);
  tn_free(model->structs);
  tn_free(model->constants);
  tn_free(model->functions);
  tn_map_deinit(&model->by_name);
  tn_arena_deinit(&model->arena);
  *model = (tn_abi_model){0};
}
