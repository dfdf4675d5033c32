#include "abi/layout_file.h"

#include <string.h>

#include "base/json.h"
#include "base/json_reader.h"
#include "base/memory.h"

#define SCHEMA "tenon/abi-layout/1"

static void write_deprecation(tn_json* json, bool deprecated, const char* text) {
  if (deprecated) tn_json_bool(json, "deprecated", true);
  if (*text) tn_json_string(json, "deprecation", text);
}

static void write_field(tn_json* json, const tn_abi_field* field) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", field->name);
  tn_json_int(json, "offset", field->offset);
  tn_json_int(json, "size", field->size);
  tn_json_string(json, "kind", field->kind);
  if (*field->type) tn_json_string(json, "type", field->type);
  if (*field->canonical) tn_json_string(json, "canonical", field->canonical);
  if (field->in_union) tn_json_bool(json, "in_union", true);
  write_deprecation(json, field->deprecated, field->deprecation);
  tn_json_end_object(json);
}

static void write_struct(tn_json* json, const tn_abi_struct* one) {
  tn_json_begin_object(json, NULL);
  tn_json_string(json, "name", one->name);
  if (one->opaque) {
    tn_json_bool(json, "opaque", true);
  } else {
    tn_json_int(json, "size", one->size);
    tn_json_int(json, "end", one->end);
    if (one->alignment) tn_json_int(json, "alignment", one->alignment);
    if (one->size_constant >= 0) tn_json_int(json, "size_constant", one->size_constant);
    tn_json_begin_array(json, "fields");
    for (size_t i = 0; i < one->field_count; ++i) write_field(json, &one->fields[i]);
    tn_json_end_array(json);
  }
  tn_json_end_object(json);
}

void tn_abi_layout_write(const tn_abi_model* model, tn_text* out) {
  tn_json json = {.out = out, .indent = 1};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", SCHEMA);
  if (model->major >= 0) {
    tn_json_begin_object(&json, "version");
    tn_json_int(&json, "major", model->major);
    tn_json_int(&json, "minor", model->minor);
    if (model->patch >= 0) tn_json_int(&json, "patch", model->patch);
    tn_json_end_object(&json);
  }
  tn_json_begin_array(&json, "structs");
  for (size_t i = 0; i < model->struct_count; ++i) write_struct(&json, model->structs[i]);
  tn_json_end_array(&json);
  tn_json_begin_array(&json, "constants");
  for (size_t i = 0; i < model->constant_count; ++i) {
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "enum", model->constants[i].enumeration);
    tn_json_string(&json, "name", model->constants[i].name);
    tn_json_int(&json, "value", model->constants[i].value);
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_begin_array(&json, "functions");
  for (size_t i = 0; i < model->function_count; ++i) {
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "name", model->functions[i].name);
    tn_json_string(&json, "type", model->functions[i].type);
    if (*model->functions[i].canonical)
      tn_json_string(&json, "canonical", model->functions[i].canonical);
    write_deprecation(&json, model->functions[i].deprecated, model->functions[i].deprecation);
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  tn_text_putc(out, '\n');
}

static void read_struct(tn_abi_model* model, const tn_json_value* from) {
  tn_abi_struct* made = tn_abi_model_add_struct(model, tn_json_text(from, "name", ""));
  if (!made) return;
  made->opaque = tn_json_truth(from, "opaque");
  made->size = tn_json_integer(from, "size", 0);
  made->end = tn_json_integer(from, "end", 0);
  made->alignment = tn_json_integer(from, "alignment", 0);
  made->size_constant = tn_json_integer(from, "size_constant", -1);
  const tn_json_value* fields = tn_json_member(from, "fields", TN_JSON_ARRAY);
  for (const tn_json_value* one = fields ? fields->first : NULL; one; one = one->next) {
    tn_abi_field* field = tn_abi_model_add_field(model, made, tn_json_text(one, "name", ""));
    if (!field) return;
    field->offset = tn_json_integer(one, "offset", 0);
    field->size = tn_json_integer(one, "size", 0);
    field->kind = tn_abi_model_text(model, tn_json_text(one, "kind", ""));
    field->type = tn_abi_model_text(model, tn_json_text(one, "type", ""));
    field->canonical = tn_abi_model_type(model, tn_json_text(one, "canonical", ""));
    field->in_union = tn_json_truth(one, "in_union");
    field->deprecated = tn_json_truth(one, "deprecated");
    field->deprecation = tn_abi_model_text(model, tn_json_text(one, "deprecation", ""));
  }
}

static void read_all(tn_abi_model* model, const tn_json_value* root) {
  const tn_json_value* version = tn_json_member(root, "version", TN_JSON_OBJECT);
  model->major = tn_json_integer(version, "major", -1);
  model->minor = tn_json_integer(version, "minor", -1);
  model->patch = tn_json_integer(version, "patch", -1);
  const tn_json_value* list = tn_json_member(root, "structs", TN_JSON_ARRAY);
  for (const tn_json_value* one = list ? list->first : NULL; one; one = one->next)
    read_struct(model, one);
  list = tn_json_member(root, "constants", TN_JSON_ARRAY);
  for (const tn_json_value* one = list ? list->first : NULL; one; one = one->next)
    tn_abi_model_add_constant(model, tn_json_text(one, "enum", ""), tn_json_text(one, "name", ""),
                              tn_json_integer(one, "value", 0));
  list = tn_json_member(root, "functions", TN_JSON_ARRAY);
  for (const tn_json_value* one = list ? list->first : NULL; one; one = one->next) {
    tn_abi_function* made = tn_abi_model_add_function(model, tn_json_text(one, "name", ""));
    if (!made) return;
    made->type = tn_abi_model_text(model, tn_json_text(one, "type", ""));
    made->canonical = tn_abi_model_type(model, tn_json_text(one, "canonical", ""));
    made->deprecated = tn_json_truth(one, "deprecated");
    made->deprecation = tn_abi_model_text(model, tn_json_text(one, "deprecation", ""));
  }
}

bool tn_abi_layout_read(const char* path, tn_view text, tn_abi_model* out, tn_status* status) {
  tn_arena arena = {0};
  tn_status* inner = tn_status_create();
  const tn_json_value* root = tn_json_read(text, &arena, inner);
  bool good = false;
  if (!root) {
    tn_status_set(status, tn_status_code(inner), "%s: %s", path, tn_status_message(inner));
  } else if (strcmp(tn_json_text(root, "schema", ""), SCHEMA) != 0) {
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "%s: no layout file: its \"schema\" is not \"" SCHEMA "\"", path);
  } else {
    read_all(out, root);
    good = !out->failed;
    if (!good) tn_status_set_no_memory(status, "reading a layout file");
  }
  if (!good) tn_abi_model_deinit(out);
  tn_status_destroy(inner);
  tn_arena_deinit(&arena);
  return good;
}
