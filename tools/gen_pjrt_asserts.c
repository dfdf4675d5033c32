// Turns data/abi/pjrt into a source of static assertions over include/xla, valid as C11 and C++17:
// every size, offset, size constant and enum value of the newest number, and of the extensions.
//
//   gen_pjrt_asserts DATA_DIR HEADERS.h OUTPUT [EXTENSION_ID...]
//
// The ids are those of the extensions that have no header of ours. The output defines the structs
// of these, so a header that does declare one fails to compile, and the id is to be taken off the
// list. beyond.tsv tells what grew after the last number of the other tables.

#include <ctype.h>

#include "tsv.h"

enum { MAX_GROWN = 64 };

// A struct or a version constant as beyond.tsv has it last; `end` is the constant's value.
static struct {
  char name[128];
  int end, size;
} grown[MAX_GROWN];
static size_t grown_count;

static FILE* out;
static const char* folder;
static char** skipped;  // ids, ended by NULL
static int newest;      // the last minor of the tables but beyond.tsv

static void open_in_folder(table* t, const char* name, const char* header) {
  static char path[4096];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    fail(NULL, "%s: path too long", folder);
  open_table(t, path, header);
}

static bool is_skipped(const char* id) {
  for (char** one = skipped; *one; ++one)
    if (strcmp(*one, id) == 0) return true;
  return false;
}

static void write_assert(const char* what, int value) {
  fprintf(out, "static_assert(%s == %d, \"PJRT has %d\");\n", what, value, value);
}

static void write_field(const char* structure, const char* field, int offset, int size) {
  char text[512];
  snprintf(text, sizeof text, "offsetof(%s, %s)", structure, field);
  write_assert(text, offset);
  snprintf(text, sizeof text, "sizeof(((%s*)0)->%s)", structure, field);
  write_assert(text, size);
}

// `constant` may be empty: not every struct has one.
static void write_size(const char* structure, const char* size, const char* constant) {
  int bytes = atoi(size), end = atoi(constant);
  for (size_t i = 0; i < grown_count; ++i) {
    if (strcmp(grown[i].name, structure) != 0) continue;
    bytes = grown[i].size;
    end = grown[i].end;
  }
  char text[512];
  snprintf(text, sizeof text, "sizeof(%s)", structure);
  write_assert(text, bytes);
  snprintf(text, sizeof text, "%s_STRUCT_SIZE", structure);
  if (*constant) write_assert(text, end);
}

static void grow(const table* t, const char* name, int end, int size) {
  size_t i = 0;
  while (i < grown_count && strcmp(grown[i].name, name) != 0) ++i;
  if (i == MAX_GROWN) fail(t, "more than %d structs grew", MAX_GROWN);
  if (i == grown_count) snprintf(grown[grown_count++].name, sizeof grown[i].name, "%s", name);
  grown[i].end = end;
  grown[i].size = size;
}

// What came after the other tables. Rows of one subject are in the order of their numbers.
static void read_beyond(void) {
  table t;
  open_in_folder(&t, "beyond.tsv",
                 "number\tkind\tsubject\tfact\tabsent_at\tseen_first\tseen_last\tsource\tstatus");
  int last = newest;
  while (next_row(&t)) {
    const char *kind = t.cell[1], *fact = t.cell[3];
    int major, minor, end, size, constant;
    if (sscanf(t.cell[0], "%d.%d", &major, &minor) != 2) fail(&t, "no number: '%s'", t.cell[0]);
    if (minor <= newest) continue;
    if (strcmp(kind, "number") == 0) {
      if (minor > last) last = minor;
    } else if (strstr(kind, "field added")) {
      char* field = strchr(t.cell[2], '.');
      if (!field || sscanf(fact, "offset %d; size %d;", &end, &size) != 2)
        fail(&t, "no field: '%s' '%s'", t.cell[2], fact);
      *field++ = '\0';
      write_field(t.cell[2], field, end, size);
    } else if (strstr(kind, "struct size")) {
      const char* form = "end %*d>%d; sizeof %*d>%d; size_const %*d>%d";
      if (sscanf(fact, form, &end, &size, &constant) != 3 || end != constant)
        fail(&t, "no size: '%s'", fact);
      grow(&t, t.cell[2], end, size);
    } else if (strcmp(kind, "extension version") == 0) {
      if (sscanf(fact, "%*d>%d", &end) != 1) fail(&t, "no version: '%s'", fact);
      grow(&t, t.cell[2], end, 0);
    }
  }
  write_assert("PJRT_API_MAJOR", 0);
  write_assert("PJRT_API_MINOR", last);
}

static void read_newest(void) {
  table t;
  open_in_folder(&t, "struct_sizes.tsv",
                 "struct\tend\tsizeof\tsize_const\tfirst_minor\tlast_minor");
  while (next_row(&t))
    if (atoi(t.cell[5]) > newest) newest = atoi(t.cell[5]);
}

static void write_main_header(void) {
  table t;
  open_in_folder(&t, "struct_sizes.tsv",
                 "struct\tend\tsizeof\tsize_const\tfirst_minor\tlast_minor");
  while (next_row(&t))
    if (atoi(t.cell[5]) == newest) write_size(t.cell[0], t.cell[2], t.cell[3]);
  open_in_folder(&t, "fields.tsv",
                 "struct\tfield\toffset\tsize\ttype_kind\tin_union\tfirst_minor\tlast_minor");
  while (next_row(&t))
    if (atoi(t.cell[7]) == newest && strcmp(t.cell[1], "<anon>") != 0)
      write_field(t.cell[0], t.cell[1], atoi(t.cell[2]), atoi(t.cell[3]));
  open_in_folder(&t, "enums.tsv", "enum\tconstant\tvalue\tfirst_minor\tlast_minor");
  while (next_row(&t))
    if (atoi(t.cell[4]) == newest) write_assert(t.cell[1], atoi(t.cell[2]));
}

// The constant that a header gives its version in is named after the file.
static void write_version(const table* t, const char* header, const char* version) {
  const char *file = strrchr(header, '/'), *prefix = "pjrt_c_api_";
  file = file ? file + 1 : header;
  if (strncmp(file, prefix, strlen(prefix)) == 0) file += strlen(prefix);
  char name[256] = "PJRT_API_";
  size_t length = strlen(name);
  for (; *file && *file != '.'; ++file) {
    if (length + sizeof "_VERSION" > sizeof name) fail(t, "name too long");
    name[length++] = (char)toupper((unsigned char)*file);
  }
  strcpy(name + length, "_VERSION");
  int value = atoi(version);
  for (size_t i = 0; i < grown_count; ++i)
    if (strcmp(grown[i].name, name) == 0) value = grown[i].end;
  write_assert(name, value);
}

// Rows without a commit in until_commit are those of today.
static void write_extensions(void) {
  table t;
  open_in_folder(&t, "extensions.tsv",
                 "id\tname\tstruct\theader\tend\tsizeof\tsize_const\tfunction_pointers\t"
                 "version_const\tfirst_commit\tfirst_date\tuntil_commit\tuntil_date\tfirst_minor\t"
                 "last_minor\tfirst_jaxlib\tlast_jaxlib");
  while (next_row(&t))
    if (!*t.cell[11] && !is_skipped(t.cell[0])) write_version(&t, t.cell[3], t.cell[8]);
  open_in_folder(&t, "extension_structs.tsv",
                 "id\tstruct\trole\tend\tsizeof\tsize_const\tfirst_commit\tfirst_date\t"
                 "until_commit\tuntil_date\tfirst_minor\tlast_minor\tfirst_jaxlib\tlast_jaxlib");
  while (next_row(&t)) {
    if (*t.cell[8]) continue;
    if (is_skipped(t.cell[0])) {
      fprintf(out, "struct %s { char is_not_declared; };\n", t.cell[1]);
    } else {
      write_size(t.cell[1], t.cell[4], t.cell[5]);
    }
  }
  open_in_folder(&t, "extension_fields.tsv",
                 "id\tstruct\tfield\toffset\tsize\ttype_kind\tfirst_commit\tfirst_date\t"
                 "until_commit\tuntil_date\tfirst_minor\tlast_minor\tfirst_jaxlib\tlast_jaxlib");
  while (next_row(&t))
    if (!*t.cell[8] && !is_skipped(t.cell[0]))
      write_field(t.cell[1], t.cell[2], atoi(t.cell[3]), atoi(t.cell[4]));
  open_in_folder(&t, "extension_enums.tsv",
                 "id\tenum\tconstant\tvalue\tfirst_commit\tfirst_date\tuntil_commit\tuntil_date\t"
                 "first_minor\tlast_minor\tfirst_jaxlib\tlast_jaxlib");
  while (next_row(&t))
    if (!*t.cell[6] && !is_skipped(t.cell[0])) write_assert(t.cell[2], atoi(t.cell[3]));
}

int main(int argc, char** argv) {
  if (argc < 4) fail(NULL, "usage: %s DATA_DIR HEADERS.h OUTPUT [EXTENSION_ID...]", argv[0]);
  folder = argv[1];
  skipped = argv + 4;
  out = fopen(argv[3], "w");
  if (!out) fail(NULL, "%s: %s", argv[3], strerror(errno));
  fprintf(out, "// Generated from data/abi/pjrt by tools/gen_pjrt_asserts.c.\n\n");
  fprintf(out, "#include <assert.h>\n#include <stddef.h>\n\n#include \"%s\"\n\n", argv[2]);
  read_newest();
  read_beyond();
  write_main_header();
  write_extensions();
  if (fclose(out) != 0) fail(NULL, "%s: %s", argv[3], strerror(errno));
  return 0;
}
