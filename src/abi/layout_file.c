#include "abi/layout_file.h"

#include <stdio.h>
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
  if (field->bits) {
    tn_json_int(json, "bit", field->bit);
    tn_json_int(json, "bits", field->bits);
  }
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

// The functions or the variables.
static void write_symbols(tn_json* json, const tn_abi_model* model, const char* list,
                          bool variables) {
  tn_json_begin_array(json, list);
  for (size_t i = 0; i < model->function_count; ++i) {
    const tn_abi_function* one = &model->functions[i];
    if (one->variable != variables) continue;
    tn_json_begin_object(json, NULL);
    tn_json_string(json, "name", one->name);
    tn_json_string(json, "type", one->type);
    if (*one->canonical) tn_json_string(json, "canonical", one->canonical);
    write_deprecation(json, one->deprecated, one->deprecation);
    tn_json_end_object(json);
  }
  tn_json_end_array(json);
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
    if (model->constants[i].size) tn_json_int(&json, "size", model->constants[i].size);
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  write_symbols(&json, model, "functions", false);
  write_symbols(&json, model, "variables", true);
  tn_json_end_object(&json);
  tn_text_putc(out, '\n');
}

// One file being read. The first thing that cannot be is told, and ends it.
typedef struct reading {
  const char* path;
  tn_abi_model* model;
  tn_status* status;
  bool wrong;
} reading;

static void refuse(reading* r, const char* owner, const char* member, const char* what) {
  if (!r->wrong)
    tn_status_set(r->status, TN_INVALID_ARGUMENT, "%s: %s%s%s: %s; make the file anew: %s", r->path,
                  owner, *member ? "." : "", member, what, "tenon abi layout HEADER > FILE");
  r->wrong = true;
}

// No struct is larger than this, and no number higher.
#define HIGHEST ((int64_t)1 << 40)

// A member that is a whole number from 0 to HIGHEST, or is not there.
static int64_t number(reading* r, const tn_json_value* from, const char* key, int64_t otherwise,
                      const char* owner, const char* member) {
  const tn_json_value* value = from && from->kind == TN_JSON_OBJECT ? from->first : NULL;
  while (value && strcmp(value->key, key) != 0) value = value->next;
  if (!value) return otherwise;
  const int64_t found = tn_json_integer(from, key, -1);
  char text[128];
  snprintf(text, sizeof text, "its \"%s\" is no whole number from 0 to 2^40", key);
  if (found < 0 || found > HIGHEST) refuse(r, owner, member, text);
  return found;
}

// The name of a thing in a list, which it must have.
static const char* name_of(reading* r, const tn_json_value* from, const char* list) {
  const char* name = tn_json_text(from, "name", "");
  if (!*name) refuse(r, list, "", "one of them has no \"name\"");
  return name;
}

static bool is_kind(const char* kind) {
  static const char* const kinds[] = {
      "",     "pointer", "function_pointer", "signed_integer", "unsigned_integer", "float", "bool",
      "enum", "array",   "struct",           "union"};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (strcmp(kind, kinds[i]) == 0) return true;
  return false;
}

static void read_field(reading* r, tn_abi_struct* owner, const tn_json_value* from) {
  const char* name = name_of(r, from, owner->name);
  if (strcmp(name, "<anon>") != 0 && tn_abi_struct_field(owner, name))
    refuse(r, owner->name, name, "it is there twice");
  tn_abi_field* field = tn_abi_model_add_field(r->model, owner, name);
  if (!field) return;
  field->offset = number(r, from, "offset", 0, owner->name, name);
  field->size = number(r, from, "size", 0, owner->name, name);
  field->bit = number(r, from, "bit", 0, owner->name, name);
  field->bits = number(r, from, "bits", 0, owner->name, name);
  field->kind = tn_abi_model_text(r->model, tn_json_text(from, "kind", ""));
  field->type = tn_abi_model_text(r->model, tn_json_text(from, "type", ""));
  field->canonical = tn_abi_model_type(r->model, tn_json_text(from, "canonical", ""));
  field->in_union = tn_json_truth(from, "in_union");
  field->deprecated = tn_json_truth(from, "deprecated");
  field->deprecation = tn_abi_model_text(r->model, tn_json_text(from, "deprecation", ""));
  if (!is_kind(field->kind)) refuse(r, owner->name, name, "its \"kind\" is none there is");
  if (!field->bits && field->offset + field->size > owner->size)
    refuse(r, owner->name, name, "it ends behind its struct");
}

static void read_struct(reading* r, const tn_json_value* from) {
  const char* name = name_of(r, from, "structs");
  if (tn_abi_model_struct(r->model, name)) refuse(r, name, "", "it is there twice");
  tn_abi_struct* made = tn_abi_model_add_struct(r->model, name);
  if (!made) return;
  made->opaque = tn_json_truth(from, "opaque");
  made->size = number(r, from, "size", 0, name, "");
  made->end = number(r, from, "end", 0, name, "");
  made->alignment = number(r, from, "alignment", 0, name, "");
  made->size_constant = number(r, from, "size_constant", -1, name, "");
  const tn_json_value* fields = tn_json_member(from, "fields", TN_JSON_ARRAY);
  if (!fields && !made->opaque) refuse(r, name, "", "it has no \"fields\" and is not opaque");
  for (const tn_json_value* one = fields ? fields->first : NULL; one && !r->wrong; one = one->next)
    read_field(r, made, one);
}

static void read_constant(reading* r, const tn_json_value* from) {
  const char* name = name_of(r, from, "constants");
  tn_abi_constant* made = tn_abi_model_add_constant(r->model, tn_json_text(from, "enum", ""), name,
                                                    tn_json_integer(from, "value", 0));
  if (!made) return;
  made->size = number(r, from, "size", 0, made->enumeration, name);
  if (strcmp(made->enumeration, TN_ABI_MACROS) == 0) r->model->tells_macros = true;
  if (!tn_json_member(from, "value", TN_JSON_NUMBER))
    refuse(r, made->enumeration, name, "it has no \"value\"");
}

static void read_symbol(reading* r, const tn_json_value* from, bool variable) {
  const char* name = name_of(r, from, variable ? "variables" : "functions");
  if (tn_abi_model_function(r->model, name)) refuse(r, name, "", "it is there twice");
  tn_abi_function* made = tn_abi_model_add_function(r->model, name);
  if (!made) return;
  made->variable = variable;
  made->type = tn_abi_model_text(r->model, tn_json_text(from, "type", ""));
  made->canonical = tn_abi_model_type(r->model, tn_json_text(from, "canonical", ""));
  made->deprecated = tn_json_truth(from, "deprecated");
  made->deprecation = tn_abi_model_text(r->model, tn_json_text(from, "deprecation", ""));
}

static const tn_json_value* list_of(const tn_json_value* root, const char* name) {
  const tn_json_value* list = tn_json_member(root, name, TN_JSON_ARRAY);
  return list ? list->first : NULL;
}

static void read_all(reading* r, const tn_json_value* root) {
  const tn_json_value* version = tn_json_member(root, "version", TN_JSON_OBJECT);
  r->model->major = number(r, version, "major", -1, "version", "");
  r->model->minor = number(r, version, "minor", -1, "version", "");
  r->model->patch = number(r, version, "patch", -1, "version", "");
  if (!tn_json_member(root, "structs", TN_JSON_ARRAY))
    refuse(r, "structs", "", "there is no such list");
  const tn_json_value* one;
  for (one = list_of(root, "structs"); one && !r->wrong; one = one->next) read_struct(r, one);
  for (one = list_of(root, "constants"); one && !r->wrong; one = one->next) read_constant(r, one);
  for (one = list_of(root, "functions"); one && !r->wrong; one = one->next)
    read_symbol(r, one, false);
  for (one = list_of(root, "variables"); one && !r->wrong; one = one->next)
    read_symbol(r, one, true);
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
    reading r = {path, out, status, false};
    read_all(&r, root);
    good = !out->failed && !r.wrong;
    if (out->failed) tn_status_set_no_memory(status, "reading a layout file");
  }
  if (!good) tn_abi_model_deinit(out);
  tn_status_destroy(inner);
  tn_arena_deinit(&arena);
  return good;
}
