#include "release_rows.h"

#include <stdio.h>
#include <string.h>

#include "abi/tf_history.h"
#include "base/memory.h"
#include "say.h"

static bool is_open(const char* cell) {
  const size_t length = strlen(cell);
  return length > 1 && cell[length - 1] == '-';
}

// "2.9-" ends with the previous release: "2.9-2.21", or "2.21" when it began there.
static const char* closed(release_edit* edit, const char* cell) {
  const char* comma = strrchr(cell, ',');
  const char* last = comma ? comma + 1 : cell;
  const size_t length = strlen(last) - 1;
  const bool single =
      strlen(edit->previous) == length && strncmp(last, edit->previous, length) == 0;
  return tables_text(edit->tables, "%.*s%s", (int)(strlen(cell) - (single ? 1 : 0)), cell,
                     single ? "" : edit->previous);
}

const char* release_span(release_edit* edit, const char* cell, bool present, const char* what) {
  if (!edit->previous) {
    if (tn_abi_tf_covers(cell, edit->release) != present) {
      say("%c %s\n", present ? '+' : '-', what);
      edit->differences++;
    }
    return cell;
  }
  if (is_open(cell) == present) return cell;
  if (!present) return closed(edit, cell);
  const bool none = !*cell || strcmp(cell, "-") == 0;
  return tables_text(edit->tables, "%s%s%s-", none ? "" : cell, none ? "" : ",", edit->release);
}

void release_rows_add(release_edit* edit, release_rows* rows, const char* const* cells, int count) {
  const char** copy = tn_arena_alloc(&edit->tables->arena, (size_t)count * sizeof *copy);
  if (!copy || !tn_grow(&rows->rows, &rows->capacity, rows->count + 1, sizeof *rows->rows)) {
    edit->tables->failed = true;
    return;
  }
  for (int i = 0; i < count; ++i) copy[i] = tables_text(edit->tables, "%s", cells[i]);
  rows->rows[rows->count++] = copy;
}

void release_rows_deinit(release_rows* rows) {
  tn_free(rows->rows);
  *rows = (release_rows){NULL, 0, 0};
}

static bool same(const char* const* a, const char* const* b, int count) {
  while (count > 0 && strcmp(a[count - 1], b[count - 1]) == 0) --count;
  return count == 0;
}

static const char* told(release_edit* edit, const table_file* table, const char* const* cells) {
  tn_text text = {0};
  tn_text_printf(&text, "%s:", table->name);
  for (int i = 0; i + 1 < table->columns; ++i) tn_text_printf(&text, " %s", cells[i]);
  const char* copy = tables_text(edit->tables, "%s", text.data ? text.data : "");
  tn_text_deinit(&text);
  return copy;
}

void release_rows_apply(release_edit* edit, const char* name, const release_rows* rows,
                        size_t (*place)(const table_file* table, const char* const* cells)) {
  table_file* table = tables_get(edit->tables, name);
  const int lead = table->columns - 1;
  for (size_t i = 0; i < table->row_count; ++i) {
    bool present = false;
    for (size_t j = 0; !present && j < rows->count; ++j)
      present = same(table->rows[i], rows->rows[j], lead);
    const char* span = release_span(edit, table->rows[i][lead], present,
                                    edit->previous ? "" : told(edit, table, table->rows[i]));
    table_set(table, i, table->heading[lead], span);
  }
  for (size_t j = 0; j < rows->count; ++j) {
    bool known = false;
    for (size_t i = 0; !known && i < table->row_count; ++i)
      known = same(table->rows[i], rows->rows[j], lead);
    if (known) continue;
    if (!edit->previous) {
      say("+ %s\n", told(edit, table, rows->rows[j]));
      edit->differences++;
      continue;
    }
    const size_t at = place(table, rows->rows[j]);
    table_insert(table, at, "-");
    for (int i = 0; i < lead; ++i) table_set(table, at, table->heading[i], rows->rows[j][i]);
    table_set(table, at, table->heading[lead], tables_text(edit->tables, "%s-", edit->release));
  }
}
