#include "abi/table.h"

#include <stdlib.h>
#include <string.h>

static const tn_abi_table* replacements;
static size_t replacement_count;

void tn_abi_tables_replace(const tn_abi_table* tables, size_t count) {
  replacements = tables;
  replacement_count = count;
}

const tn_abi_table* tn_abi_table_get(const char* name) {
  const tn_abi_table* tables = replacements ? replacements : tn_abi_tables;
  const size_t count = replacements ? replacement_count : tn_abi_table_count;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(tables[i].name, name) == 0) return &tables[i];
  return NULL;
}

static const char* cell_at(const tn_abi_table* table, size_t line, int column) {
  return table->pool + table->cells[line * (size_t)table->columns + (size_t)column];
}

int tn_abi_column(const tn_abi_table* table, const char* name) {
  for (int i = 0; i < table->columns; ++i)
    if (strcmp(cell_at(table, 0, i), name) == 0) return i;
  return -1;
}

const char* tn_abi_cell(const tn_abi_table* table, size_t row, int column) {
  return column < 0 || column >= table->columns || row >= table->rows
             ? ""
             : cell_at(table, row + 1, column);
}

int64_t tn_abi_int(const tn_abi_table* table, size_t row, int column, int64_t otherwise) {
  const char* text = tn_abi_cell(table, row, column);
  char* end;
  long long value = strtoll(text, &end, 10);
  return *text && !*end ? value : otherwise;
}

size_t tn_abi_find(const tn_abi_table* table, int column, const char* text, size_t from) {
  while (from < table->rows && strcmp(tn_abi_cell(table, from, column), text) != 0) ++from;
  return from;
}
