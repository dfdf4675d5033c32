// Tables whose rows hold for ranges of TensorFlow's releases ("2.5-2.8,2.11-"), extended by one
// release or held against one that they know.
#ifndef TENON_TOOLS_TENON_ABI_RELEASE_ROWS_H_
#define TENON_TOOLS_TENON_ABI_RELEASE_ROWS_H_

#include "table_file.h"

typedef struct release_edit {
  data_tables* tables;
  const char* release;   // "2.22"
  const char* previous;  // the newest that the tables know; NULL to compare and change nothing
  size_t differences;    // found while comparing; each was printed
  bool is_old;           // compared, and the tables know newer ones
} release_edit;

// A cell of ranges for a fact that the release has or has not: what to write there when extending,
// the same text when comparing, where a difference is printed with `what`.
const char* release_span(release_edit* edit, const char* cell, bool present, const char* what);

// Rows of a table without their ranges, which stand in its last column.
typedef struct release_rows {
  const char*** rows;
  size_t count, capacity;
} release_rows;
void release_rows_add(release_edit* edit, release_rows* rows, const char* const* cells, int count);
void release_rows_deinit(release_rows* rows);

// Extends the table: rows that go on, end, come back or are new; or compares. `place` says where
// among the rows a new one goes.
void release_rows_apply(release_edit* edit, const char* table, const release_rows* rows,
                        size_t (*place)(const table_file* table, const char* const* cells));

#endif  // TENON_TOOLS_TENON_ABI_RELEASE_ROWS_H_
