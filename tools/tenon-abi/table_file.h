// The tables of data/abi as files that can be extended: read whole, changed in memory, and put in
// place all together or not at all.
#ifndef TENON_TOOLS_TENON_ABI_TABLE_FILE_H_
#define TENON_TOOLS_TENON_ABI_TABLE_FILE_H_

#include "abi/table.h"
#include "base/arena.h"
#include "base/text.h"
#include "tenon/status.h"

// Rows count from 0 without the heading. Cells belong to the tables.
typedef struct table_file {
  char name[64];  // "pjrt/fields"
  int columns;
  const char** heading;
  const char*** rows;
  size_t row_count, capacity;
  bool changed;
  struct data_tables* owner;
} table_file;

// {.lock = -1} is no tables.
typedef struct data_tables {
  const char* folder;
  table_file* files;
  size_t count;
  tn_abi_table* published;
  tn_arena arena;
  bool failed;  // memory ran out; asked once at the end
  int lock;     // the folder, held against other imports until the tables are closed
} data_tables;

// Waits for other imports into `folder`, reads every table that this build knows from it, and makes
// src/abi read these instead of the ones it was built with. False when one is missing or its rows
// are uneven.
bool tables_open(data_tables* tables, const char* folder, tn_status* status);
void tables_close(data_tables* tables);

table_file* tables_get(data_tables* tables, const char* name);
// A copy of a text that lives as long as the tables.
const char* tables_text(data_tables* tables, const char* format, ...) TN_PRINTF(2, 3);

int table_column(const table_file* table, const char* name);
const char* table_cell(const table_file* table, size_t row, const char* column);
void table_set(table_file* table, size_t row, const char* column, const char* text);
// A row before the one that is at `at` now; cells that are not set hold `empty`.
void table_insert(table_file* table, size_t at, const char* empty);
// Inserts a row of cells in the order of the columns.
void table_insert_cells(table_file* table, size_t at, const char* const* cells);
// The first row from `from` on with that text in the column; the number of rows when there is none.
size_t table_find(const table_file* table, const char* column, const char* text, size_t from);

// Puts every changed table in place, or none; tells the names on standard output.
bool tables_commit(data_tables* tables, tn_status* status);

#endif  // TENON_TOOLS_TENON_ABI_TABLE_FILE_H_
