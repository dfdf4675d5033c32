// A header of PJRT's C API as rows: intervals that go on, rows that are new, and what the number
// changed.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/compare.h"
#include "abi/pjrt_history.h"
#include "facts.h"
#include "import.h"
#include "say.h"

static const char* const interval_tables[] = {"pjrt/fields", "pjrt/struct_sizes", "pjrt/enums"};

static bool row_is(const table_file* table, size_t row, const fact* one) {
  for (int i = 0; i < one->cell_count; ++i)
    if (strcmp(table->rows[row][i], one->cells[i]) != 0) return false;
  return true;
}

// Behind the last row of the same struct or enum, or at the end.
static size_t place_of(const table_file* table, const char* owner) {
  size_t at = table->row_count;
  while (at > 0 && strcmp(table->rows[at - 1][0], owner) != 0) --at;
  return at ? at : table->row_count;
}

static void extend_intervals(data_tables* tables, const facts* now, const char* before,
                             const char* number) {
  for (size_t i = 0; i < sizeof interval_tables / sizeof interval_tables[0]; ++i) {
    table_file* table = tables_get(tables, interval_tables[i]);
    for (size_t j = 0; j < now->count; ++j) {
      const fact* one = &now->items[j];
      if (strcmp(one->table, table->name) != 0) continue;
      size_t row = 0;
      while (row < table->row_count && (strcmp(table_cell(table, row, "last_minor"), before) != 0 ||
                                        !row_is(table, row, one)))
        ++row;
      if (row == table->row_count) {
        const char* cells[FACT_CELLS + 2];
        memcpy(cells, one->cells, sizeof one->cells);
        cells[one->cell_count] = cells[one->cell_count + 1] = number;
        table_insert_cells(table, place_of(table, one->cells[0]), cells);
      } else {
        table_set(table, row, "last_minor", number);
      }
    }
  }
}

static void append_item(tn_text* list, const char* separator, const char* text) {
  tn_text_printf(list, "%s%s", list->size ? separator : "", text);
}

// True for the arguments of a function that came with this number, which need no mention.
static bool belongs_to(const tn_text* functions, const char* name) {
  const size_t length = strlen(name);
  if (length < 5 || strcmp(name + length - 5, "_Args") != 0) return false;
  for (const char* at = functions->data; at && *at;) {
    const size_t next = strcspn(at, ";");
    if (next == length - 5 && memcmp(at, name, next) == 0) return true;
    at += next + (at[next] == ';');
  }
  return false;
}

// The columns of versions.tsv that tell what a number changed.
enum { ADDED, REMOVED, FIELDS_ADDED, FIELDS_REMOVED, STRUCTS, CONSTANTS, RENAMES, STALE, BREAK };
static const char* const change_columns[] = {
    "functions_added", "functions_removed",    "fields_added",
    "fields_removed",  "other_structs_added",  "enum_constants_added",
    "renames",         "stale_size_constants", "rule_break"};
enum { CHANGES = sizeof change_columns / sizeof change_columns[0] };

static void note_break(tn_text* to, const tn_abi_difference* d) {
  const char* at = strchr(d->before, '@');
  const char* now = strchr(d->after, '@');
  tn_text_printf(to, "%s%s: ", to->size ? " | " : "[LAYOUT] ", d->owner);
  if (d->kind == TN_ABI_FIELD_MOVED && at && now) {
    tn_text_printf(to, "moved %s%.*s>%.*s", d->member, (int)strcspn(at, ","), at,
                   (int)strcspn(now + 1, ","), now + 1);
  } else {
    tn_text_printf(to, "%s %s", d->kind == TN_ABI_FIELD_REMOVED ? "removed" : "inserted",
                   d->member);
  }
}

// True when the member is a function of the table itself.
static bool is_function(const tn_abi_model* model, const tn_abi_difference* d) {
  const tn_abi_struct* owner = tn_abi_model_struct(model, d->owner);
  const tn_abi_field* field = owner ? tn_abi_struct_field(owner, d->member) : NULL;
  return field && strcmp(d->owner, "PJRT_Api") == 0 && strcmp(field->kind, "function_pointer") == 0;
}

static void note_change(tn_text* lists, const tn_abi_model* before, const tn_abi_model* after,
                        const tn_abi_difference* d) {
  char text[512];
  const size_t before_length = strcspn(d->before, "@ "), after_length = strcspn(d->after, "@ ");
  snprintf(text, sizeof text, "%s.%s", d->owner, d->member);
  if (d->kind == TN_ABI_FIELD_INSERTED || d->kind == TN_ABI_FIELD_MOVED ||
      d->kind == TN_ABI_FIELD_REMOVED)
    note_break(&lists[BREAK], d);
  if (d->kind == TN_ABI_FIELD_INSERTED || d->kind == TN_ABI_FIELD_APPENDED) {
    const bool function = is_function(after, d);
    append_item(&lists[function ? ADDED : FIELDS_ADDED], ";", function ? d->member : text);
  } else if (d->kind == TN_ABI_FIELD_REMOVED) {
    const bool function = is_function(before, d);
    append_item(&lists[function ? REMOVED : FIELDS_REMOVED], ";", function ? d->member : text);
  } else if (d->kind == TN_ABI_FIELD_RENAMED || d->kind == TN_ABI_CONSTANT_RENAMED) {
    snprintf(text, sizeof text, "%.*s>%.*s", (int)before_length, d->before, (int)after_length,
             d->after);
    append_item(&lists[RENAMES], ";", text);
    if (d->kind == TN_ABI_FIELD_RENAMED) tn_text_printf(&lists[RENAMES], " (%s)", d->owner);
  } else if (d->kind == TN_ABI_CONSTANT_ADDED) {
    const tn_abi_constant* constant = tn_abi_model_constant(after, d->owner, d->member);
    snprintf(text, sizeof text, "%s=%" PRId64, d->member, constant ? constant->value : 0);
    append_item(&lists[CONSTANTS], ";", text);
  } else if (d->kind == TN_ABI_SIZE_CONSTANT_WRONG) {
    snprintf(text, sizeof text, "%s %s<%s", d->owner, d->after, d->before);
    append_item(&lists[STALE], "; ", text);
  }
}

// Structs last: whether one needs a mention depends on the functions.
static void note_structs(tn_text* lists, const tn_abi_model* after,
                         const tn_abi_differences* differences) {
  for (size_t i = 0; i < differences->count; ++i) {
    const tn_abi_difference* d = &differences->items[i];
    const tn_abi_struct* made = tn_abi_model_struct(after, d->owner);
    if (d->kind == TN_ABI_STRUCT_ADDED && made && !made->opaque &&
        !belongs_to(&lists[ADDED], d->owner))
      append_item(&lists[STRUCTS], ";", d->owner);
  }
}

static void add_version(data_tables* tables, const tn_abi_model* before, const tn_abi_model* after,
                        const import_options* options) {
  tn_abi_differences differences = {0};
  tn_text lists[CHANGES] = {{0}};
  tn_abi_compare(before, after, &differences);
  for (size_t i = 0; i < differences.count; ++i)
    note_change(lists, before, after, &differences.items[i]);
  note_structs(lists, after, &differences);
  const tn_abi_struct* api = tn_abi_model_struct(after, "PJRT_Api");
  int functions = 0;
  for (size_t i = 0; i < api->field_count; ++i)
    functions += strcmp(api->fields[i].kind, "function_pointer") == 0;
  table_file* versions = tables_get(tables, "pjrt/versions");
  const size_t row = versions->row_count;
  table_insert(versions, row, "");
  table_set(versions, row, "major", "0");
  table_set(versions, row, "minor", tables_text(tables, "%d", (int)after->minor));
  table_set(versions, row, "first_date", options->date);
  if (options->commit) {
    table_set(versions, row, "first_commit", options->commit);
    table_set(versions, row, "last_commit", options->commit);
    table_set(versions, row, "header_commits", "1");
  }
  table_set(versions, row, "api_sizeof", tables_text(tables, "%d", (int)api->size));
  if (api->size_constant >= 0)
    table_set(versions, row, "api_struct_size_const",
              tables_text(tables, "%d", (int)api->size_constant));
  table_set(versions, row, "api_functions", tables_text(tables, "%d", functions));
  for (int i = 0; i < CHANGES; ++i) {
    tables->failed |= lists[i].failed;
    if (lists[i].data) table_set(versions, row, change_columns[i], lists[i].data);
    tn_text_deinit(&lists[i]);
  }
  tables->failed |= differences.failed;
  tn_abi_differences_deinit(&differences);
}

static void add_state(data_tables* tables, int minor, const import_options* options) {
  table_file* states = tables_get(tables, "pjrt/header_states");
  const size_t row = states->row_count;
  const char* day = tables_text(tables, "%.*s", (int)strcspn(options->date, "T"), options->date);
  if (row && !*table_cell(states, row - 1, "until_date"))
    table_set(states, row - 1, "until_date", day);
  table_insert(states, row, "");
  table_set(states, row, "minor", tables_text(tables, "%d", minor));
  table_set(states, row, "issue", "1");
  table_set(states, row, "state", "1");
  table_set(states, row, "from_commit", options->commit ? options->commit : "");
  table_set(states, row, "from_date", day);
  table_set(states, row, "vs_last", "last");
}

static bool equals_state(const facts* header, const table_file* states, size_t row, bool loud) {
  tn_abi_model model = {0};
  facts known = {0};
  const bool built = tn_abi_pjrt_state_model(atoi(table_cell(states, row, "minor")),
                                             atoi(table_cell(states, row, "issue")),
                                             atoi(table_cell(states, row, "state")), &model, NULL);
  if (built) facts_collect(&model, &known);
  const bool equal = built && facts_equal(&known, header, loud);
  facts_deinit(&known);
  tn_abi_model_deinit(&model);
  return equal;
}

bool pjrt_find_states(const data_tables* tables, const tn_abi_model* header, size_t* out_first,
                      size_t* out_last) {
  const table_file* states = tables_get((data_tables*)tables, "pjrt/header_states");
  bool found = false;
  facts facts = {0};
  facts_collect(header, &facts);
  for (size_t row = 0; row < states->row_count; ++row) {
    if (atoi(table_cell(states, row, "minor")) != header->minor ||
        !equals_state(&facts, states, row, false))
      continue;
    if (!found) *out_first = row;
    *out_last = row;
    found = true;
  }
  facts_deinit(&facts);
  return found;
}

// A number that is there already: one of its states, or news.
static import_result compare_known(data_tables* tables, const tn_abi_model* header,
                                   tn_status* status) {
  const table_file* states = tables_get(tables, "pjrt/header_states");
  const int minor = (int)header->minor;
  size_t first, last;
  if (pjrt_find_states(tables, header, &first, &last)) {
    say("PJRT 0.%d: already known, equal (issue %s, state %s)\n", minor,
        table_cell(states, last, "issue"), table_cell(states, last, "state"));
    return IMPORT_DONE;
  }
  last = states->row_count;
  for (size_t row = 0; row < states->row_count; ++row)
    if (atoi(table_cell(states, row, "minor")) == minor) last = row;
  if (last == states->row_count) {
    tn_status_set(status, TN_OUT_OF_RANGE,
                  "0.%d is older than the newest number in the tables, 0.%d, and not among them; "
                  "only newer ones can be imported",
                  minor, tn_abi_pjrt_newest());
    return IMPORT_FAILED;
  }
  facts facts = {0};
  facts_collect(header, &facts);
  say("PJRT 0.%d: already known, and different from what the tables say of it\n", minor);
  equals_state(&facts, states, last, true);
  facts_deinit(&facts);
  return IMPORT_DIFFERS;
}

import_result import_pjrt(data_tables* tables, const tn_abi_model* header,
                          const import_options* options, tn_status* status) {
  const tn_abi_struct* api = tn_abi_model_struct(header, "PJRT_Api");
  if (!api || api->opaque || header->major != 0 || header->minor < 1) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "it defines no PJRT_Api with a number 0.N (PJRT_API_MAJOR, PJRT_API_MINOR), so it "
        "is no header of PJRT's C API that can be imported");
    return IMPORT_FAILED;
  }
  const int newest = tn_abi_pjrt_newest(), minor = (int)header->minor;
  if (minor <= newest) return compare_known(tables, header, status);
  if (!options->date) {
    tn_status_set(
        status, TN_INVALID_ARGUMENT,
        "0.%d is new, and no header says on which day its number began: --date 2026-09-09", minor);
    return IMPORT_FAILED;
  }
  tn_abi_model before = {0};
  facts facts = {0};
  if (!tn_abi_pjrt_model(newest, &before, status)) return IMPORT_FAILED;
  facts_collect(header, &facts);
  tables->failed |= facts.failed;
  extend_intervals(tables, &facts, tables_text(tables, "%d", newest),
                   tables_text(tables, "%d", minor));
  add_version(tables, &before, header, options);
  add_state(tables, minor, options);
  say("PJRT 0.%d: added after 0.%d\n", minor, newest);
  if (minor > newest + 1)
    say("note: nothing is known of 0.%d to 0.%d; what 0.%d adds may be theirs\n", newest + 1,
        minor - 1, minor);
  facts_deinit(&facts);
  tn_abi_model_deinit(&before);
  return IMPORT_DONE;
}
