// The tables of data/abi, compiled in: cells of text, by the names of tables and columns.
#ifndef TENON_ABI_TABLE_H_
#define TENON_ABI_TABLE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tn_abi_table {
  const char* name;  // "pjrt/fields": its path below data/abi
  int columns;
  size_t rows;
  const uint32_t* cells;  // offsets into pool; the first row names the columns
  const char* pool;
} tn_abi_table;

// Generated.
extern const tn_abi_table tn_abi_tables[];
extern const size_t tn_abi_table_count;

// For a program that extends the tables: from now on these are read instead, until it ends or calls
// this with NULL. To be called before anything else uses the tables.
void tn_abi_tables_replace(const tn_abi_table* tables, size_t count);

// NULL when there is none of that name.
const tn_abi_table* tn_abi_table_get(const char* name);

// The number of a column; -1 when there is none of that name.
int tn_abi_column(const tn_abi_table* table, const char* name);

// A cell of a row, which is counted from 0 without the heading. Never NULL; "" for a column of -1.
const char* tn_abi_cell(const tn_abi_table* table, size_t row, int column);

// A cell as a number; `otherwise` when it is none.
int64_t tn_abi_int(const tn_abi_table* table, size_t row, int column, int64_t otherwise);

// The first row from `from` on whose cell is `text`; the number of rows when there is none.
size_t tn_abi_find(const tn_abi_table* table, int column, const char* text, size_t from);

#endif  // TENON_ABI_TABLE_H_
