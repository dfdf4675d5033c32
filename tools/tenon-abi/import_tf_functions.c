// The functions of a TensorFlow release: declared in its headers, exported by its libraries.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/tf_history.h"
#include "base/memory.h"
#include "import_tf.h"
#include "say.h"

static bool begins(const char* text, const char* begin) {
  return strncmp(text, begin, strlen(begin)) == 0;
}

static bool exports(const tf_release* release, int library, const char* name) {
  for (size_t i = 0; i < release->function_counts[library]; ++i)
    if (strcmp(release->functions[library][i], name) == 0) return true;
  return false;
}

// One function of the release.
typedef struct function {
  const tn_abi_function* declared;  // NULL when no header has it
  char header[1024];
  bool in[TF_LIBRARIES], exported;
} function;

static function look_up(const data_tables* tables, const tf_release* release, const char* name) {
  function found = {.declared = tn_abi_model_function(&release->headers, name)};
  if (found.declared) tf_header_path(release, found.declared->where, found.header);
  if (found.declared && !tf_is_followed(tables, found.header)) found.declared = NULL;
  for (int i = 0; i < TF_LIBRARIES; ++i) {
    found.in[i] = exports(release, i, name);
    found.exported |= found.in[i];
  }
  return found;
}

// "2.12:a.h;2.15:b.h": the last place.
static const char* last_place(const char* header) {
  const char* last = strrchr(header, ';');
  last = last ? last + 1 : header;
  const char* colon = strchr(last, ':');
  return colon ? colon + 1 : last;
}

static const char* first_release(release_edit* edit, const char* declared) {
  return tables_text(edit->tables, "%.*s", (int)strcspn(declared, "-,"), declared);
}

static void note_place(release_edit* edit, table_file* table, size_t row, const char* header) {
  const char* cell = table_cell(table, row, "header");
  if (edit->is_old || strcmp(last_place(cell), header) == 0) return;
  if (!edit->previous) {
    say("+ %s: %s is declared in %s\n", table->name, table->rows[row][0], header);
    edit->differences++;
    return;
  }
  const bool none = strcmp(cell, "-") == 0, listed = strchr(cell, ':') != NULL;
  table_set(table, row, "header",
            none
                ? header
                : tables_text(edit->tables, "%s%s%s;%s:%s",
                              listed ? "" : first_release(edit, table_cell(table, row, "declared")),
                              listed ? "" : ":", cell, edit->release, header));
}

// "pywrap:2.3-2.11;cc:2.12-" with one library followed on.
static const char* note_library(release_edit* edit, const char* cell, const char* library,
                                bool present, const char* what) {
  const size_t length = strlen(library);
  const char* at = cell;
  while (*at && !(strncmp(at, library, length) == 0 && at[length] == ':')) {
    at += strcspn(at, ";");
    at += *at == ';';
  }
  if (!*at) {
    const char* span = release_span(edit, "-", present, what);
    if (!present || !edit->previous) return cell;
    return tables_text(edit->tables, "%s%s%s:%s", strcmp(cell, "-") == 0 ? "" : cell,
                       strcmp(cell, "-") == 0 ? "" : ";", library, span);
  }
  const size_t span_length = strcspn(at + length + 1, ";");
  const char* span = tables_text(edit->tables, "%.*s", (int)span_length, at + length + 1);
  return tables_text(edit->tables, "%.*s%s%s", (int)(at + length + 1 - cell), cell,
                     release_span(edit, span, present, what), at + length + 1 + span_length);
}

static void note_function(release_edit* edit, table_file* table, size_t row,
                          const function* found) {
  const char* name = table->rows[row][0];
  table_set(table, row, "declared",
            release_span(edit, table_cell(table, row, "declared"), found->declared != NULL,
                         tables_text(edit->tables, "%s: %s declared", table->name, name)));
  table_set(table, row, "exported",
            release_span(edit, table_cell(table, row, "exported"), found->exported,
                         tables_text(edit->tables, "%s: %s exported", table->name, name)));
  for (int i = 0; i < TF_LIBRARIES; ++i)
    table_set(
        table, row, "libraries",
        note_library(edit, table_cell(table, row, "libraries"), tf_library_names[i], found->in[i],
                     tables_text(edit->tables, "%s: %s exported by %s", table->name, name,
                                 tf_library_names[i])));
  if (found->declared) note_place(edit, table, row, found->header);
}

// True when the texts are one but for const.
static bool same_but_const(const char* a, const char* b) {
  while (*a || *b) {
    if (begins(a, "const ")) {
      a += 6;
    } else if (begins(b, "const ")) {
      b += 6;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return true;
}

// One type goes by two names since 2.12; the tables keep the older.
static const char* signature_text(data_tables* tables, const char* type) {
  tn_text text = {0};
  for (const char* at = type; *at;) {
    const bool alias = begins(at, "TSL_Status");
    tn_text_printf(&text, "%.*s", alias ? 9 : 1, alias ? "TF_Status" : at);
    at += alias ? 10 : 1;
  }
  tables->failed |= text.failed;
  const char* copy = tables_text(tables, "%s", text.data ? text.data : "");
  tn_text_deinit(&text);
  return copy;
}

// The first row whose first cell comes after `name`.
static size_t sorted_place(const table_file* table, const char* name) {
  size_t at = 0;
  while (at < table->row_count && strcmp(table->rows[at][0], name) <= 0) ++at;
  return at;
}

static void note_signature(release_edit* edit, const char* name, const tn_abi_function* declared) {
  table_file* table = tables_get(edit->tables, "tf/signatures");
  const char* now = signature_text(edit->tables, declared->type);
  const size_t row = table_find(table, "function", name, 0);
  if (edit->is_old) return;  // the table has the newest form alone
  if (row < table->row_count && strcmp(table_cell(table, row, "signature"), now) == 0) return;
  if (!edit->previous) {
    say("+ %s: %s %s\n", table->name, name, now);
    edit->differences++;
    return;
  }
  if (row == table->row_count) {
    const char* const cells[] = {name, now};
    table_insert_cells(table, sorted_place(table, name), cells);
    return;
  }
  const char* before = table_cell(table, row, "signature");
  const char* kind = same_but_const(before, now) ? "const-only" : "ABI";
  table_file* changes = tables_get(edit->tables, "tf/signature_changes");
  const char* const cells[] = {name, edit->previous, edit->release, kind, before, now};
  table_insert_cells(changes, sorted_place(changes, name), cells);
  table_file* exports = tables_get(edit->tables, "tf/exports");
  const size_t at = table_find(exports, "function", name, 0);
  const char* cell = table_cell(exports, at, "signature_changed_in");
  const bool none = strcmp(cell, "-") == 0;
  table_set(exports, at, "signature_changed_in",
            tables_text(edit->tables, "%s%s%s(%s)", none ? "" : cell, none ? "" : ";",
                        edit->release, kind));
  table_set(table, row, "signature", now);
}

static bool is_entry_point(const char* name) {
  return begins(name, "SE_Init") || begins(name, "TF_Init");
}

// A function that the tables have not heard of.
static void add_function(release_edit* edit, table_file* table, const char* name,
                         const function* found) {
  if (!edit->previous) {
    say("+ %s: %s%s%s\n", table->name, name, found->declared ? " declared" : "",
        found->exported ? " exported" : "");
    edit->differences++;
    return;
  }
  const char* kind = !found->declared                           ? "undeclared"
                     : found->declared->inlined                 ? "inline"
                     : found->declared->mangled                 ? "c++"
                     : !found->exported && is_entry_point(name) ? "plugin-defined"
                                                                : "c";
  const size_t at = sorted_place(table, name);
  table_insert(table, at, "-");
  table_set(table, at, "function", name);
  table_set(table, at, "kind", kind);
  note_function(edit, table, at, found);
}

static void count(tf_counts* counts, const char* kind, const char* name, const function* found) {
  int libraries = 0;
  for (int i = 0; i < TF_LIBRARIES; ++i) {
    counts->in_library[i] += found->in[i];
    libraries += found->in[i];
  }
  counts->in_two += libraries > 1;
  counts->tf += found->exported && begins(name, "TF_");
  counts->tfe += found->exported && begins(name, "TFE_");
  counts->tsl += found->exported && begins(name, "TSL_");
  counts->declared_only += found->declared && !found->exported && strcmp(kind, "c") == 0;
}

static void visit_name(release_edit* edit, const tf_release* release, const char* name) {
  table_file* table = tables_get(edit->tables, "tf/exports");
  if (table_find(table, "function", name, 0) < table->row_count) return;
  const function found = look_up(edit->tables, release, name);
  if (found.declared || found.exported) add_function(edit, table, name, &found);
}

void import_tf_functions(release_edit* edit, const tf_release* release, tf_counts* out) {
  table_file* table = tables_get(edit->tables, "tf/exports");
  *out = (tf_counts){0};
  for (size_t row = 0; row < table->row_count; ++row) {
    const function found = look_up(edit->tables, release, table->rows[row][0]);
    note_function(edit, table, row, &found);
  }
  for (size_t i = 0; i < release->headers.function_count; ++i) {
    const char* name = release->headers.functions[i].name;
    if (tf_is_c_name(name) || is_entry_point(name)) visit_name(edit, release, name);
  }
  for (int i = 0; i < TF_LIBRARIES; ++i)
    for (size_t j = 0; j < release->function_counts[i]; ++j)
      visit_name(edit, release, release->functions[i][j]);
  for (size_t row = 0; row < table->row_count; ++row) {
    const char* name = table->rows[row][0];
    const function found = look_up(edit->tables, release, name);
    count(out, table_cell(table, row, "kind"), name, &found);
    if (found.declared) note_signature(edit, name, found.declared);
  }
}
