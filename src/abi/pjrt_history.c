#include "abi/pjrt_history.h"

#include <stdio.h>
#include <string.h>

#include "abi/table.h"
#include "base/memory.h"

int tn_abi_pjrt_newest(void) {
  const tn_abi_table* versions = tn_abi_table_get("pjrt/versions");
  return (int)tn_abi_int(versions, versions->rows - 1, tn_abi_column(versions, "minor"), 0);
}

bool tn_abi_pjrt_knows(int minor) {
  const tn_abi_table* versions = tn_abi_table_get("pjrt/versions");
  char text[24];
  snprintf(text, sizeof text, "%d", minor);
  return tn_abi_find(versions, tn_abi_column(versions, "minor"), text, 0) < versions->rows;
}

// The largest value of `column` among header states of the number (and of the issue, if not 0).
static int largest(int minor, int issue, const char* column) {
  const tn_abi_table* states = tn_abi_table_get("pjrt/header_states");
  const int minors = tn_abi_column(states, "minor"), issues = tn_abi_column(states, "issue");
  const int values = tn_abi_column(states, column);
  int64_t found = 0;
  for (size_t i = 0; i < states->rows; ++i) {
    int64_t value = tn_abi_int(states, i, values, 0);
    if (tn_abi_int(states, i, minors, -1) == minor && value > found &&
        (!issue || tn_abi_int(states, i, issues, 0) == issue))
      found = value;
  }
  return (int)found;
}

int tn_abi_pjrt_issues(int minor) { return largest(minor, 0, "issue"); }
int tn_abi_pjrt_states(int minor, int issue) { return largest(minor, issue, "state"); }

// The deltas of one state: rows to leave out and rows to add, each as "name c2 c3 ..." of its
// table.
typedef struct deltas {
  const tn_abi_table* table;
  int of_table, op, name, first;
  size_t* rows;
  size_t count;
} deltas;

// True when the delta speaks of the row: all leading cells but the interval are equal.
static bool speaks_of(const deltas* deltas, size_t delta, const tn_abi_table* table, size_t row) {
  if (strcmp(tn_abi_cell(deltas->table, delta, deltas->name), tn_abi_cell(table, row, 0)) != 0)
    return false;
  for (int i = 1; i < table->columns - 2; ++i)
    if (strcmp(tn_abi_cell(deltas->table, delta, deltas->first + i - 1),
               tn_abi_cell(table, row, i)) != 0)
      return false;
  return true;
}

static bool left_out(const deltas* deltas, const char* name, const tn_abi_table* table,
                     size_t row) {
  for (size_t i = 0; i < deltas->count; ++i)
    if (*tn_abi_cell(deltas->table, deltas->rows[i], deltas->op) == '-' &&
        strcmp(tn_abi_cell(deltas->table, deltas->rows[i], deltas->of_table), name) == 0 &&
        speaks_of(deltas, deltas->rows[i], table, row))
      return true;
  return false;
}

// Adds a row of a table to the model; `cell(i)` is its i-th cell, whether it stands in the table
// itself or in a delta.
typedef struct row_source {
  const tn_abi_table* table;
  size_t row;
  int first;  // where cell 1 stands; cell 0 is in `name`
  int name;
} row_source;

static const char* text_at(const row_source* from, int i) {
  return tn_abi_cell(from->table, from->row, i ? from->first + i - 1 : from->name);
}
static int64_t int_at(const row_source* from, int i, int64_t otherwise) {
  return tn_abi_int(from->table, from->row, i ? from->first + i - 1 : from->name, otherwise);
}

static void add_size(tn_abi_model* model, const row_source* from) {
  tn_abi_struct* made = tn_abi_model_add_struct(model, text_at(from, 0));
  if (!made) return;
  made->end = int_at(from, 1, 0);
  made->size = int_at(from, 2, 0);
  made->size_constant = int_at(from, 3, -1);
}

static void add_field(tn_abi_model* model, const row_source* from) {
  tn_abi_field* field = tn_abi_model_add_field(
      model, tn_abi_model_add_struct(model, text_at(from, 0)), text_at(from, 1));
  if (!field) return;
  field->offset = int_at(from, 2, 0);
  field->size = int_at(from, 3, 0);
  field->kind = tn_abi_model_text(model, text_at(from, 4));
  field->in_union = int_at(from, 5, 0) != 0;
}

static void add_constant(tn_abi_model* model, const row_source* from) {
  tn_abi_model_add_constant(model, text_at(from, 0), text_at(from, 1), int_at(from, 2, 0));
}

static void add_table(tn_abi_model* model, const char* name, int minor, const deltas* deltas,
                      void (*add)(tn_abi_model*, const row_source*)) {
  char path[32];
  snprintf(path, sizeof path, "pjrt/%s", name);
  const tn_abi_table* table = tn_abi_table_get(path);
  const int first = tn_abi_column(table, "first_minor"), last = tn_abi_column(table, "last_minor");
  for (size_t i = 0; i < table->rows; ++i)
    if (tn_abi_int(table, i, first, 0) <= minor && minor <= tn_abi_int(table, i, last, 0) &&
        !left_out(deltas, name, table, i))
      add(model, &(row_source){table, i, 1, 0});
  for (size_t i = 0; i < deltas->count; ++i)
    if (*tn_abi_cell(deltas->table, deltas->rows[i], deltas->op) == '+' &&
        strcmp(tn_abi_cell(deltas->table, deltas->rows[i], deltas->of_table), name) == 0)
      add(model, &(row_source){deltas->table, deltas->rows[i], deltas->first, deltas->name});
}

bool tn_abi_pjrt_state_model(int minor, int issue, int state, tn_abi_model* out,
                             tn_status* status) {
  const bool last = issue == 0;
  if ((minor != 0 && !tn_abi_pjrt_knows(minor)) || issue > tn_abi_pjrt_issues(minor) ||
      (!last && (state < 1 || state > tn_abi_pjrt_states(minor, issue)))) {
    tn_status_set(status, TN_OUT_OF_RANGE,
                  "the tables know PJRT 0.1 to 0.%d; 0.%d, issue %d, state %d is not among them",
                  tn_abi_pjrt_newest(), minor, issue, state);
    return false;
  }
  const tn_abi_table* table = tn_abi_table_get("pjrt/deltas");
  deltas deltas = {.table = table,
                   .of_table = tn_abi_column(table, "table"),
                   .op = tn_abi_column(table, "op"),
                   .name = tn_abi_column(table, "name"),
                   .first = tn_abi_column(table, "c2")};
  const int minors = tn_abi_column(table, "minor"), issues = tn_abi_column(table, "issue");
  const int states = tn_abi_column(table, "state");
  deltas.rows = tn_arena_alloc(&out->arena, table->rows * sizeof *deltas.rows);
  if (!deltas.rows) out->failed = true;
  // Minor 0 has only the state that is told by deltas.
  for (size_t i = 0; deltas.rows && i < table->rows; ++i)
    if (tn_abi_int(table, i, minors, -1) == minor && (!last || minor == 0) &&
        (minor == 0 ||
         (tn_abi_int(table, i, issues, 0) == issue && tn_abi_int(table, i, states, 0) == state)))
      deltas.rows[deltas.count++] = i;
  out->major = 0;
  out->minor = minor;
  out->patch = -1;
  const int base = minor ? minor : 1;
  add_table(out, "struct_sizes", base, &deltas, add_size);
  add_table(out, "fields", base, &deltas, add_field);
  add_table(out, "enums", base, &deltas, add_constant);
  if (out->failed) {
    tn_abi_model_deinit(out);
    tn_status_set_no_memory(status, "building a model of PJRT");
    return false;
  }
  return true;
}

bool tn_abi_pjrt_model(int minor, tn_abi_model* out, tn_status* status) {
  return tn_abi_pjrt_state_model(minor, 0, 0, out, status);
}

// The tags of versions.tsv that do not follow from the other tables.
static const struct {
  const char* tag;
  tn_abi_difference_kind kind;
} carried[] = {{"[REISSUE_DIFFERENT] ", TN_ABI_NUMBER_REISSUED},
               {"[REISSUE_SAME] ", TN_ABI_NUMBER_WITHDRAWN},
               {"[OPAQUE] ", TN_ABI_HANDLE_WORD}};

static bool is_known_number(const tn_abi_model* model) {
  return tn_abi_model_struct(model, "PJRT_Api") && model->major == 0 &&
         (model->minor == 0 || tn_abi_pjrt_knows((int)model->minor));
}

void tn_abi_pjrt_carried(const tn_abi_model* before, const tn_abi_model* after,
                         tn_abi_differences* out) {
  if (!is_known_number(before) || !is_known_number(after)) return;
  const tn_abi_table* versions = tn_abi_table_get("pjrt/versions");
  const int minors = tn_abi_column(versions, "minor"), tags = tn_abi_column(versions, "rule_break");
  for (size_t row = 0; row < versions->rows; ++row) {
    const int64_t minor = tn_abi_int(versions, row, minors, 0);
    if (minor <= before->minor || minor > after->minor) continue;
    for (size_t i = 0; i < sizeof carried / sizeof carried[0]; ++i) {
      const char* at = strstr(tn_abi_cell(versions, row, tags), carried[i].tag);
      if (!at) continue;
      char text[1024], number[32];
      at += strlen(carried[i].tag);
      const char* end = strstr(at, "; [");
      snprintf(text, sizeof text, "%.*s", (int)(end ? end - at : (long)strlen(at)), at);
      snprintf(number, sizeof number, "PJRT 0.%d", (int)minor);
      tn_abi_differences_add(out, &(tn_abi_difference){carried[i].kind, number, "", "", text, "",
                                                       TN_ABI_FROM_HISTORY});
    }
  }
}
