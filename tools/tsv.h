// Reads a table of tab-separated text row by row, for the generators that turn data/ into C. What
// is wrong with a table ends the program: a build must not go on with it.

#ifndef TENON_TOOLS_TSV_H_
#define TENON_TOOLS_TSV_H_

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COLUMNS = 32 };

typedef struct table {
  FILE* file;
  const char* path;
  size_t line_number;
  int columns;
  char line[8192];
  char* cell[MAX_COLUMNS];
} table;

static void fail(const table* t, const char* format, ...) {
  va_list args;
  va_start(args, format);
  if (t) fprintf(stderr, "%s:%zu: ", t->path, t->line_number);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

static int split(table* t) {
  int n = 0;
  t->line[strcspn(t->line, "\n")] = '\0';
  for (char* rest = t->line; rest; ++n) {
    if (n == MAX_COLUMNS) fail(t, "more than %d columns", MAX_COLUMNS);
    t->cell[n] = rest;
    rest = strchr(rest, '\t');
    if (rest) *rest++ = '\0';
  }
  return n;
}

static bool next_row(table* t) {
  if (!fgets(t->line, sizeof t->line, t->file)) {
    fclose(t->file);
    return false;
  }
  ++t->line_number;
  int n = split(t);
  if (n != t->columns) fail(t, "%d columns where the first row has %d", n, t->columns);
  return true;
}

// `header` is the expected first row; a table of another form is refused, not guessed at.
static void open_table(table* t, const char* path, const char* header) {
  *t = (table){.file = fopen(path, "r"), .path = path, .line_number = 1};
  if (!t->file) fail(NULL, "%s: %s", path, strerror(errno));
  if (!fgets(t->line, sizeof t->line, t->file)) fail(t, "empty");
  t->line[strcspn(t->line, "\n")] = '\0';
  if (header && strcmp(t->line, header) != 0) {
    fail(t, "columns are '%s', expected '%s'", t->line, header);
  }
  t->columns = split(t);
}

#endif  // TENON_TOOLS_TSV_H_
