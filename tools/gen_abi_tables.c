// Turns tables of tab-separated text into one C source for src/abi/table.c.
//
//   gen_abi_tables DATA_DIR OUTPUT TABLE...
//
// A TABLE is a path below DATA_DIR without ".tsv", and its name in the program. Every cell becomes
// an offset into one pool of texts, so that the tables need no work when the library is loaded.

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 1 << 17 };

static char* pool;
static size_t pool_size, pool_capacity;
static uint32_t slots[SLOTS];  // offset + 1 of a text in the pool
static size_t text_count;

static void fail(const char* format, ...) {
  va_list args;
  va_start(args, format);
  fputs("gen_abi_tables: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  exit(1);
}

// The offset of a text in the pool, which holds each just once.
static uint32_t offset_of(const char* text) {
  uint32_t hash = 2166136261u;
  for (const char* c = text; *c; ++c) hash = (hash ^ (unsigned char)*c) * 16777619u;
  uint32_t slot = hash % SLOTS;
  while (slots[slot]) {
    if (strcmp(pool + slots[slot] - 1, text) == 0) return slots[slot] - 1;
    slot = (slot + 1) % SLOTS;
  }
  if (++text_count > SLOTS / 2) fail("more than %d different texts", SLOTS / 2);
  size_t size = strlen(text) + 1;
  if (pool_size + size > pool_capacity) {
    pool_capacity = 2 * (pool_size + size);
    pool = realloc(pool, pool_capacity);
    if (!pool) fail("no memory");
  }
  memcpy(pool + pool_size, text, size);
  slots[slot] = (uint32_t)pool_size + 1;
  pool_size += size;
  return slots[slot] - 1;
}

typedef struct table {
  const char* name;
  int columns;
  size_t rows;  // without the heading
} table;

// Tables are text: what cannot be seen in a review is no part of them.
static void check_line(const char* path, size_t number, const char* line, size_t length) {
  for (size_t i = 0; i < length; ++i)
    if ((unsigned char)line[i] < ' ' && line[i] != '\t' && line[i] != '\r' && line[i] != '\n')
      fail("%s:%zu: a byte %d, which is no text, at its byte %zu", path, number, line[i], i + 1);
}

// `line` is the heading, cells ended by NUL.
static void check_heading(const char* path, const char* line, int columns) {
  const char* cell = line;
  for (int i = 0; i < columns; ++i, cell += strlen(cell) + 1) {
    if (!*cell) fail("%s:1: column %d has no name", path, i + 1);
    const char* other = line;
    for (int k = 0; k < i; ++k, other += strlen(other) + 1)
      if (strcmp(other, cell) == 0) fail("%s:1: two columns are named '%s'", path, cell);
  }
}

// Writes the cells of one table, the heading first.
static void write_table(FILE* out, const char* folder, table* table, int number) {
  char path[4096], *line = NULL;
  size_t capacity = 0, line_number = 0;
  snprintf(path, sizeof path, "%s/%s.tsv", folder, table->name);
  FILE* in = fopen(path, "r");
  if (!in) fail("%s: %s", path, strerror(errno));
  fprintf(out, "static const uint32_t cells_%d[] = {\n", number);
  for (ssize_t length; (length = getline(&line, &capacity, in)) > 0;) {
    check_line(path, line_number + 1, line, (size_t)length);
    line[strcspn(line, "\r\n")] = '\0';
    int columns = 0;
    for (char* rest = line; rest; ++columns) {
      char* cell = rest;
      rest = strchr(rest, '\t');
      if (rest) *rest++ = '\0';
      fprintf(out, "%u,", offset_of(cell));
    }
    fputc('\n', out);
    if (++line_number == 1) {
      table->columns = columns;
      check_heading(path, line, columns);
    }
    if (columns != table->columns)
      fail("%s:%zu: %d columns where the first row has %d", path, line_number, columns,
           table->columns);
  }
  if (ferror(in)) fail("%s: %s", path, strerror(errno));
  if (line_number == 0) fail("%s: empty", path);
  table->rows = line_number - 1;
  fputs("};\n", out);
  free(line);
  fclose(in);
}

int main(int count, char** arguments) {
  if (count < 4) fail("usage: gen_abi_tables DATA_DIR OUTPUT TABLE...");
  const int table_count = count - 3;
  table* tables = calloc((size_t)table_count, sizeof *tables);
  FILE* out = fopen(arguments[2], "w");
  if (!tables || !out) fail("%s: %s", arguments[2], strerror(errno));
  fputs("// Generated from data/abi by tools/gen_abi_tables.c.\n#include \"abi/table.h\"\n\n", out);
  offset_of("");
  for (int i = 0; i < table_count; ++i) {
    tables[i].name = arguments[i + 3];
    write_table(out, arguments[1], &tables[i], i);
  }
  fputs("static const char pool[] = {", out);
  for (size_t i = 0; i < pool_size; ++i)
    fprintf(out, "%s%d,", i % 32 ? "" : "\n", (signed char)pool[i]);
  fputs("};\n\nconst tn_abi_table tn_abi_tables[] = {\n", out);
  for (int i = 0; i < table_count; ++i)
    fprintf(out, "    {\"%s\", %d, %zu, cells_%d, pool},\n", tables[i].name, tables[i].columns,
            tables[i].rows, i);
  fprintf(out, "};\nconst size_t tn_abi_table_count = %d;\n", table_count);
  if (fclose(out) != 0) fail("%s: %s", arguments[2], strerror(errno));
  free(tables);
  free(pool);
  return 0;
}
