#include "abi/seed_history.h"

#include <string.h>

#include "abi/table.h"
#include "base/memory.h"

// True when `spans` ("v3-" or "-") begins with the version or before it.
static bool has_begun(const char* spans, const char* version) {
  return *spans == 'v' && spans[1] <= version[1];
}

bool tn_abi_seed_model(const char* version, tn_abi_model* out, tn_status* status) {
  if (strlen(version) != 2 || *version != 'v' || version[1] < '1' ||
      version[1] > TN_ABI_SEED_NEWEST[1]) {
    tn_status_set(status, TN_NOT_FOUND,
                  "the versioning example has v1 to " TN_ABI_SEED_NEWEST ", not '%s'", version);
    return false;
  }
  const tn_abi_table* table = tn_abi_table_get("seed/layouts");
  out->minor = version[1] - '0';
  out->patch = -1;
  for (size_t i = 0; i < table->rows; ++i) {
    if (!has_begun(tn_abi_cell(table, i, tn_abi_column(table, "releases")), version)) continue;
    tn_abi_struct* made = tn_abi_model_add_struct(out, tn_abi_cell(table, i, 0));
    tn_abi_field* field = tn_abi_model_add_field(out, made, tn_abi_cell(table, i, 1));
    if (!field) break;
    field->offset = tn_abi_int(table, i, tn_abi_column(table, "offset"), 0);
    field->size = tn_abi_int(table, i, tn_abi_column(table, "size"), 0);
    field->kind = tn_abi_cell(table, i, tn_abi_column(table, "kind"));
    field->type = tn_abi_cell(table, i, tn_abi_column(table, "type"));
    const char* deprecated = tn_abi_cell(table, i, tn_abi_column(table, "deprecated"));
    field->deprecated = has_begun(deprecated, version);
    made->size = made->end = made->size_constant = field->offset + field->size;
    made->alignment = 8;
  }
  if (out->failed) {
    tn_abi_model_deinit(out);
    tn_status_set_no_memory(status, "building a model of the versioning example");
    return false;
  }
  return true;
}
