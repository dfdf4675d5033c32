// Turns data/abi/tf into a source of static assertions over our headers, valid as C11 and C++17:
// every size, offset, size macro and enum value of the newest release.
//
//   gen_abi_asserts DATA_DIR NOT_DECLARED.tsv HEADERS.h OUTPUT
//
// NOT_DECLARED lists what the data has and our headers do not. For each of these the output defines
// a type of that name, so a header that does declare it fails to compile; what is neither listed
// nor declared fails by itself. Nothing can be skipped in silence.

#include "tsv.h"

enum { MAX_NOT_DECLARED = 256 };

static struct {
  char kind[16];
  char name[128];
  bool met;
} not_declared[MAX_NOT_DECLARED];
static size_t not_declared_count;

static bool in_newest(const char* releases) { return releases[strlen(releases) - 1] == '-'; }

static bool is_declared(const char* name) {
  for (size_t i = 0; i < not_declared_count; ++i) {
    if (strcmp(not_declared[i].name, name) != 0) continue;
    not_declared[i].met = true;
    return false;
  }
  return true;
}

static void read_not_declared(const char* path) {
  table t;
  open_table(&t, path, "kind\tname\twhy");
  while (next_row(&t)) {
    if (not_declared_count == MAX_NOT_DECLARED) fail(&t, "more than %d rows", MAX_NOT_DECLARED);
    size_t i = not_declared_count++;
    if (snprintf(not_declared[i].kind, sizeof not_declared[i].kind, "%s", t.cell[0]) >=
            (int)sizeof not_declared[i].kind ||
        snprintf(not_declared[i].name, sizeof not_declared[i].name, "%s", t.cell[1]) >=
            (int)sizeof not_declared[i].name) {
      fail(&t, "name too long");
    }
  }
}

static void newest_release(const char* path, char* release, size_t size) {
  table t;
  open_table(&t, path, NULL);
  while (next_row(&t)) snprintf(release, size, "%s", t.cell[0]);
}

static void write_assert(FILE* out, const char* expression, const char* value,
                         const char* release) {
  fprintf(out, "static_assert(%s == %s, \"TensorFlow %s has %s\");\n", expression, value, release,
          value);
}

static void write_sizes(FILE* out, const char* path, const char* release) {
  table t;
  open_table(&t, path, "struct\tkind\theader\tsize\tend\tsize_macro\treleases");
  char text[512];
  while (next_row(&t)) {
    if (!in_newest(t.cell[6]) || !is_declared(t.cell[0])) continue;
    snprintf(text, sizeof text, "sizeof(%s)", t.cell[0]);
    write_assert(out, text, t.cell[3], release);
    if (strcmp(t.cell[5], "-") != 0) write_assert(out, t.cell[5], t.cell[4], release);
  }
}

static void write_fields(FILE* out, const char* path, const char* release) {
  table t;
  open_table(&t, path, "struct\tfield\toffset\tsize\ttype\treleases");
  char text[512];
  while (next_row(&t)) {
    if (!in_newest(t.cell[5]) || !is_declared(t.cell[0])) continue;
    snprintf(text, sizeof text, "offsetof(%s, %s)", t.cell[0], t.cell[1]);
    write_assert(out, text, t.cell[2], release);
    snprintf(text, sizeof text, "sizeof(((%s*)0)->%s)", t.cell[0], t.cell[1]);
    write_assert(out, text, t.cell[3], release);
  }
}

// Constants that the newest release dropped are asserted too: no constant ever changed its value.
static void write_enums(FILE* out, const char* path, const char* release) {
  table t;
  open_table(&t, path, "enum\tconstant\tvalue\treleases");
  while (next_row(&t)) {
    if (!is_declared(t.cell[0])) continue;
    write_assert(out, t.cell[1], t.cell[2], in_newest(t.cell[3]) ? release : t.cell[3]);
  }
}

static void write_not_declared(FILE* out) {
  for (size_t i = 0; i < not_declared_count; ++i) {
    const char *kind = not_declared[i].kind, *name = not_declared[i].name;
    if (!not_declared[i].met) fail(NULL, "not declared: the data has no %s %s", kind, name);
    if (strcmp(kind, "enum") == 0) {
      fprintf(out, "enum %s { %s_is_not_declared };\n", name, name);
    } else {
      fprintf(out, "%s %s { char is_not_declared; };\n", kind, name);
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 5) fail(NULL, "usage: %s DATA_DIR NOT_DECLARED.tsv HEADERS.h OUTPUT", argv[0]);
  char path[4][4096], release[32] = "";
  const char* names[4] = {"releases.tsv", "struct_sizes.tsv", "layouts.tsv", "enums.tsv"};
  for (int i = 0; i < 4; ++i) {
    if (snprintf(path[i], sizeof path[i], "%s/%s", argv[1], names[i]) >= (int)sizeof path[i]) {
      fail(NULL, "%s: path too long", argv[1]);
    }
  }
  newest_release(path[0], release, sizeof release);
  read_not_declared(argv[2]);

  FILE* out = fopen(argv[4], "w");
  if (!out) fail(NULL, "%s: %s", argv[4], strerror(errno));
  fprintf(out, "// Generated from data/abi/tf by tools/gen_abi_asserts.c.\n\n");
  fprintf(out, "#include <assert.h>\n#include <stddef.h>\n\n#include \"%s\"\n\n", argv[3]);
  write_sizes(out, path[1], release);
  write_fields(out, path[2], release);
  write_enums(out, path[3], release);
  write_not_declared(out);
  if (fclose(out) != 0) fail(NULL, "%s: %s", argv[4], strerror(errno));
  return 0;
}
