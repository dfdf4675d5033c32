#include "abi/tf_history.h"

#include <stdio.h>
#include <string.h>

#include "abi/releases.h"
#include "abi/table.h"
#include "base/memory.h"

static const tn_abi_table* releases(void) { return tn_abi_table_get("tf/releases"); }

size_t tn_abi_tf_count(void) { return releases()->rows; }
const char* tn_abi_tf_release(size_t index) { return tn_abi_cell(releases(), index, 0); }

// One range: "2.5-2.8", "2.4" or "2.9-".
static bool range_covers(const char* range, size_t length, const char* release) {
  char text[32];
  snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1),
           range);
  char* dash = strchr(text, '-');
  if (!dash) return tn_abi_version_compare(release, text) == 0;
  *dash = '\0';
  return *text && tn_abi_version_compare(release, text) >= 0 &&
         (!dash[1] || tn_abi_version_compare(release, dash + 1) <= 0);
}

bool tn_abi_tf_covers(const char* releases, const char* release) {
  while (*releases) {
    const size_t length = strcspn(releases, ",");
    if (range_covers(releases, length, release)) return true;
    releases += length + (releases[length] == ',');
  }
  return false;
}

const char* tn_abi_tf_since(const char* function) {
  if (*function != 'T') return NULL;  // as all of them begin
  const tn_abi_table* table = tn_abi_table_get("tf/exports");
  const size_t row = tn_abi_find(table, 0, function, 0);
  if (row == table->rows) return NULL;
  const char* exported = tn_abi_cell(table, row, tn_abi_column(table, "exported"));
  for (size_t i = 0; i < tn_abi_tf_count(); ++i)
    if (tn_abi_tf_covers(exported, tn_abi_tf_release(i))) return tn_abi_tf_release(i);
  return NULL;
}

const char* tn_abi_tf_later(const char* a, const char* b) {
  if (!a || !b) return a ? a : b;
  return tn_abi_version_compare(a, b) > 0 ? a : b;
}

static bool has(const char* table_name, const char* text) {
  const tn_abi_table* table = tn_abi_table_get(table_name);
  return tn_abi_find(table, 0, text, 0) < table->rows;
}

// What a type's text says of its kind.
static const char* kind_of(const char* type) {
  const size_t length = strlen(type);
  if (strstr(type, "(*)")) return "function_pointer";
  if (length && type[length - 1] == '*') return "pointer";
  if (strchr(type, '[')) return "array";
  if (strcmp(type, "union") == 0) return "union";
  if (has("tf/struct_sizes", type)) return "struct";
  if (has("tf/enums", type)) return "enum";
  if (strstr(type, "float") || strstr(type, "double")) return "float";
  if (strcmp(type, "bool") == 0) return "bool";
  return strstr(type, "unsigned") || strncmp(type, "uint", 4) == 0 || strcmp(type, "size_t") == 0
             ? "unsigned_integer"
             : "signed_integer";
}

static void add_structs(tn_abi_model* model, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/struct_sizes");
  const int spans = tn_abi_column(table, "releases"), macros = tn_abi_column(table, "size_macro");
  for (size_t i = 0; i < table->rows; ++i) {
    if (!tn_abi_tf_covers(tn_abi_cell(table, i, spans), release)) continue;
    tn_abi_struct* made = tn_abi_model_add_struct(model, tn_abi_cell(table, i, 0));
    if (!made) return;
    made->size = tn_abi_int(table, i, tn_abi_column(table, "size"), 0);
    made->end = tn_abi_int(table, i, tn_abi_column(table, "end"), 0);
    made->where = tn_abi_cell(table, i, tn_abi_column(table, "header"));
    // Each of these constants equals the end, in all releases.
    if (strcmp(tn_abi_cell(table, i, macros), "-") != 0) made->size_constant = made->end;
  }
}

static void add_fields(tn_abi_model* model, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/layouts");
  const int spans = tn_abi_column(table, "releases"), types = tn_abi_column(table, "type");
  for (size_t i = 0; i < table->rows; ++i) {
    if (!tn_abi_tf_covers(tn_abi_cell(table, i, spans), release)) continue;
    tn_abi_field* field = tn_abi_model_add_field(
        model, tn_abi_model_add_struct(model, tn_abi_cell(table, i, 0)), tn_abi_cell(table, i, 1));
    if (!field) return;
    field->offset = tn_abi_int(table, i, tn_abi_column(table, "offset"), 0);
    field->size = tn_abi_int(table, i, tn_abi_column(table, "size"), 0);
    field->type = tn_abi_cell(table, i, types);
    field->kind = kind_of(field->type);
    field->in_union = strchr(field->name, '.') != NULL;
  }
}

static void add_constants(tn_abi_model* model, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/enums");
  for (size_t i = 0; i < table->rows; ++i)
    if (tn_abi_tf_covers(tn_abi_cell(table, i, tn_abi_column(table, "releases")), release))
      tn_abi_model_add_constant(model, tn_abi_cell(table, i, 0), tn_abi_cell(table, i, 1),
                                tn_abi_int(table, i, 2, 0));
}

// The parameters of a function whose signature changed once or more, as `release` had them; "" for
// all others, which never changed.
static const char* signature_of(const char* function, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/signature_changes");
  const int befores = tn_abi_column(table, "before"), afters = tn_abi_column(table, "after");
  const int firsts = tn_abi_column(table, "first_after"), kinds = tn_abi_column(table, "kind");
  const char* found = "";
  for (size_t i = tn_abi_find(table, 0, function, 0); i < table->rows;
       i = tn_abi_find(table, 0, function, i + 1)) {
    if (strcmp(tn_abi_cell(table, i, kinds), "ABI") != 0) continue;
    if (tn_abi_version_compare(release, tn_abi_cell(table, i, firsts)) < 0)
      return *found ? found : tn_abi_cell(table, i, befores);
    found = tn_abi_cell(table, i, afters);
  }
  return found;
}

static void add_functions(tn_abi_model* model, const char* release) {
  const tn_abi_table* table = tn_abi_table_get("tf/exports");
  const int exported = tn_abi_column(table, "exported");
  for (size_t i = 0; i < table->rows; ++i) {
    if (!tn_abi_tf_covers(tn_abi_cell(table, i, exported), release)) continue;
    const char* name = tn_abi_cell(table, i, 0);
    tn_abi_function* function = tn_abi_model_add_function(model, name);
    if (!function) return;
    function->type = function->canonical = signature_of(name, release);
    function->where = tn_abi_cell(table, i, tn_abi_column(table, "header"));
  }
}

// "0.0.1" of stream_executor.h; -1s for "none".
static void read_number(tn_abi_model* model, size_t row) {
  const char* text = tn_abi_cell(releases(), row, tn_abi_column(releases(), "se_version"));
  long long major, minor, patch;
  model->major = model->minor = model->patch = -1;
  if (sscanf(text, "%lld.%lld.%lld", &major, &minor, &patch) != 3) return;
  model->major = major;
  model->minor = minor;
  model->patch = patch;
  const int column = tn_abi_column(releases(), "se_version");
  model->number_stands = true;
  for (size_t i = row; i < releases()->rows; ++i)
    model->number_stands &= strcmp(tn_abi_cell(releases(), i, column), text) == 0;
}

bool tn_abi_tf_model(const char* release, tn_abi_model* out, tn_status* status) {
  const size_t row = tn_abi_find(releases(), 0, release, 0);
  if (row == releases()->rows) {
    tn_status_set(status, TN_NOT_FOUND, "TensorFlow %s is not in the tables, which have %s to %s",
                  release, tn_abi_tf_release(0), tn_abi_tf_release(tn_abi_tf_count() - 1));
    return false;
  }
  read_number(out, row);
  add_structs(out, release);
  add_fields(out, release);
  add_constants(out, release);
  add_functions(out, release);
  if (out->failed) {
    tn_abi_model_deinit(out);
    tn_status_set_no_memory(status, "building a model of TensorFlow's C API");
    return false;
  }
  return true;
}
