#include "table_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "say.h"

static void* keep(data_tables* tables, size_t size) {
  void* memory = tn_arena_alloc(&tables->arena, size);
  if (!memory) tables->failed = true;
  return memory;
}

const char* tables_text(data_tables* tables, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = tn_vprintf(format, args);
  va_end(args);
  const char* copy = text ? tn_arena_copy(&tables->arena, tn_view_of(text)) : NULL;
  tn_free(text);
  if (!copy) tables->failed = true;
  return copy ? copy : "";
}

// Splits a line, which is cut in place, into cells; NULL when there are not `columns` of them.
static const char** split(data_tables* tables, char* line, int columns) {
  const char** cells = keep(tables, (size_t)columns * sizeof *cells);
  int count = 0;
  for (char* rest = line; cells && rest; ++count) {
    if (count == columns) return NULL;
    cells[count] = rest;
    rest = strchr(rest, '\t');
    if (rest) *rest++ = '\0';
  }
  return count == columns ? cells : NULL;
}

static bool add_row(table_file* table, size_t at, const char** cells) {
  if (!tn_grow(&table->rows, &table->capacity, table->row_count + 1, sizeof *table->rows)) {
    table->owner->failed = true;
    return false;
  }
  memmove(table->rows + at + 1, table->rows + at, (table->row_count - at) * sizeof *table->rows);
  table->rows[at] = cells;
  table->row_count++;
  return true;
}

static bool read_table(data_tables* tables, table_file* table, tn_status* status) {
  char path[4096];
  tn_text text = {0};
  snprintf(path, sizeof path, "%s/%s.tsv", tables->folder, table->name);
  if (!tn_file_read(path, 64 << 20, &text, status)) return false;
  char* line = text.data ? tn_arena_copy(&tables->arena, tn_text_view(&text)) : NULL;
  tn_text_deinit(&text);
  table->columns = 1;
  for (const char* c = line; c && *c && *c != '\n'; ++c) table->columns += *c == '\t';
  for (size_t number = 1; line && *line; ++number) {
    char* end = strchr(line, '\n');
    if (end) *end = '\0';
    const char** cells = split(tables, line, table->columns);
    if (!cells) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "%s:%zu: not %d columns as in the first row", path,
                    number, table->columns);
      return false;
    }
    if (number == 1) {
      table->heading = cells;
    } else if (!add_row(table, table->row_count, cells)) {
      return false;
    }
    line = end ? end + 1 : NULL;
  }
  if (table->heading) return true;
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s: empty", path);
  return false;
}

// The same rows in the form that src/abi reads.
static void publish(data_tables* tables) {
  tables->published = keep(tables, tables->count * sizeof *tables->published);
  for (size_t i = 0; tables->published && i < tables->count; ++i) {
    const table_file* table = &tables->files[i];
    tn_text pool = {0};
    const size_t columns = (size_t)table->columns;
    uint32_t* cells = keep(tables, (table->row_count + 1) * columns * sizeof *cells);
    for (size_t row = 0; cells && row <= table->row_count; ++row)
      for (size_t j = 0; j < columns; ++j) {
        const char* cell = row ? table->rows[row - 1][j] : table->heading[j];
        cells[row * columns + j] = (uint32_t)pool.size;
        tn_text_append(&pool, cell, strlen(cell) + 1);
      }
    char* kept = keep(tables, pool.size + 1);
    if (kept && pool.data && !pool.failed) memcpy(kept, pool.data, pool.size);
    tables->failed |= pool.failed;
    tn_text_deinit(&pool);
    tables->published[i] =
        (tn_abi_table){table->name, table->columns, table->row_count, cells, kept};
  }
  if (!tables->failed) tn_abi_tables_replace(tables->published, tables->count);
}

// The folder itself is what is locked: no file of ours stays behind in it.
static bool lock_folder(data_tables* tables, tn_status* status) {
  tables->lock = open(tables->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (tables->lock < 0) {
    tn_status_set(status, TN_NOT_FOUND, "%s: %s", tables->folder, strerror(errno));
    return false;
  }
  if (flock(tables->lock, LOCK_EX | LOCK_NB) == 0) return true;
  fprintf(stderr, "tenon abi: waiting for another import into %s\n", tables->folder);
  while (flock(tables->lock, LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    tn_status_set(status, TN_UNAVAILABLE, "cannot lock %s: %s", tables->folder, strerror(errno));
    return false;
  }
  return true;
}

bool tables_open(data_tables* tables, const char* folder, tn_status* status) {
  *tables = (data_tables){.folder = folder, .lock = -1};
  if (!lock_folder(tables, status)) return false;
  tables->files = tn_alloc_zeroed(tn_abi_table_count, sizeof *tables->files);
  bool good = tables->files != NULL;
  tables->failed = !good;
  for (size_t i = 0; good && i < tn_abi_table_count; ++i) {
    table_file* table = &tables->files[tables->count++];
    table->owner = tables;
    snprintf(table->name, sizeof table->name, "%s", tn_abi_tables[i].name);
    good = read_table(tables, table, status);
  }
  if (good) publish(tables);
  if (tables->failed) tn_status_set_no_memory(status, "reading the tables");
  return good && !tables->failed;
}

void tables_close(data_tables* tables) {
  tn_abi_tables_replace(NULL, 0);
  for (size_t i = 0; i < tables->count; ++i) tn_free(tables->files[i].rows);
  tn_free(tables->files);
  tn_arena_deinit(&tables->arena);
  if (tables->lock >= 0) close(tables->lock);
  *tables = (data_tables){.lock = -1};
}

table_file* tables_get(data_tables* tables, const char* name) {
  for (size_t i = 0; i < tables->count; ++i)
    if (strcmp(tables->files[i].name, name) == 0) return &tables->files[i];
  abort();  // a table that this program was built with
}

int table_column(const table_file* table, const char* name) {
  for (int i = 0; i < table->columns; ++i)
    if (strcmp(table->heading[i], name) == 0) return i;
  return -1;
}

const char* table_cell(const table_file* table, size_t row, const char* column) {
  const int at = table_column(table, column);
  return at < 0 || row >= table->row_count ? "" : table->rows[row][at];
}

void table_set(table_file* table, size_t row, const char* column, const char* text) {
  const int at = table_column(table, column);
  if (at < 0 || row >= table->row_count || strcmp(table->rows[row][at], text) == 0) return;
  table->rows[row][at] = tables_text(table->owner, "%s", text);
  table->changed = true;
}

void table_insert_cells(table_file* table, size_t at, const char* const* cells) {
  const char** row = keep(table->owner, (size_t)table->columns * sizeof *row);
  if (!row) return;
  for (int i = 0; i < table->columns; ++i) row[i] = tables_text(table->owner, "%s", cells[i]);
  table->changed |= add_row(table, at, row);
}

void table_insert(table_file* table, size_t at, const char* empty) {
  const char** row = keep(table->owner, (size_t)table->columns * sizeof *row);
  if (!row) return;
  for (int i = 0; i < table->columns; ++i) row[i] = empty;
  table->changed |= add_row(table, at, row);
}

size_t table_find(const table_file* table, const char* column, const char* text, size_t from) {
  const int at = table_column(table, column);
  while (from < table->row_count && (at < 0 || strcmp(table->rows[from][at], text) != 0)) ++from;
  return from;
}

// False for a cell that would be read back as another one.
static bool write_row(tn_text* out, const table_file* table, const char** cells,
                      tn_status* status) {
  for (int i = 0; i < table->columns; ++i) {
    if (strpbrk(cells[i], "\t\r\n")) {
      tn_status_set(status, TN_INVALID_ARGUMENT,
                    "the column %s of %s cannot hold a tab or the end of a line", table->heading[i],
                    table->name);
      return false;
    }
    tn_text_printf(out, "%s%s", cells[i], i + 1 < table->columns ? "\t" : "\n");
  }
  return true;
}

static void path_of(const data_tables* tables, const table_file* table, bool fresh,
                    char out[4096]) {
  snprintf(out, 4096, "%s/%s.tsv%s", tables->folder, table->name, fresh ? ".new" : "");
}

bool tables_commit(data_tables* tables, tn_status* status) {
  char path[4096], fresh[4096];
  bool good = !tables->failed;
  if (!good) tn_status_set_no_memory(status, "extending the tables");
  for (size_t i = 0; good && i < tables->count; ++i) {
    const table_file* table = &tables->files[i];
    if (!table->changed) continue;
    tn_text text = {0};
    good = write_row(&text, table, table->heading, status);
    for (size_t row = 0; good && row < table->row_count; ++row)
      good = write_row(&text, table, table->rows[row], status);
    path_of(tables, table, true, fresh);
    if (text.failed) tn_status_set_no_memory(status, "writing a table");
    good = good && !text.failed && tn_file_write(fresh, tn_text_view(&text), status);
    tn_text_deinit(&text);
  }
  // Everything is on the disk: what is left are renames.
  for (size_t i = 0; i < tables->count; ++i) {
    const table_file* table = &tables->files[i];
    if (!table->changed) continue;
    path_of(tables, table, false, path);
    path_of(tables, table, true, fresh);
    if (good && rename(fresh, path) != 0) {
      tn_status_set(status, TN_PERMISSION_DENIED, "cannot put %s in place: %s", path,
                    strerror(errno));
      good = false;
    }
    if (good) {
      say("changed %s.tsv\n", table->name);
    } else {
      unlink(fresh);
    }
  }
  return good;
}
