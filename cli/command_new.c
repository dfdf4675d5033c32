// tenon new: a project to start from. The files live in cli/templates and are part of the program.

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "command.h"

#define TEMPLATE(symbol, path)                                                            \
  __asm__(".pushsection .rodata\n" #symbol "_begin:\n.incbin \"" TENON_TEMPLATES "/" path \
          "\"\n" #symbol "_end:\n.popsection\n");                                         \
  extern const char symbol##_begin[], symbol##_end[]

TEMPLATE(op_makefile, "op/Makefile");
TEMPLATE(op_source, "op/op.c");
TEMPLATE(op_test, "op/test.c");
TEMPLATE(op_readme, "op/README.md");

typedef struct project_file {
  const char* path;  // @name@ and @Op@ are replaced in paths and in text
  const char* begin;
  const char* end;
} project_file;

static const project_file op_project[] = {
    {"Makefile", op_makefile_begin, op_makefile_end},
    {"@name@.c", op_source_begin, op_source_end},
    {"test_@name@.c", op_test_begin, op_test_end},
    {"README.md", op_readme_begin, op_readme_end},
};
enum { op_project_files = sizeof op_project / sizeof *op_project };

// "MyOp" becomes "my_op".
static char* snake_case(const char* op) {
  tn_text name = {0};
  for (const char* at = op; *at; ++at) {
    bool starts_word = isupper((unsigned char)*at) && at > op && !isupper((unsigned char)at[-1]);
    if (starts_word && at[-1] != '_') tn_text_putc(&name, '_');
    tn_text_putc(&name, (char)tolower((unsigned char)*at));
  }
  return tn_text_take(&name, NULL);
}

static void fill_in(tn_text* out, const char* begin, const char* end, const char* op,
                    const char* name) {
  tn_view rest = {begin, (size_t)(end - begin)};
  while (rest.size) {
    if (tn_view_skip(&rest, "@name@")) {
      tn_text_puts(out, name);
    } else if (tn_view_skip(&rest, "@Op@")) {
      tn_text_puts(out, op);
    } else {
      tn_text_putc(out, *rest.data);
      ++rest.data;
      --rest.size;
    }
  }
}

static bool write_file(const project_file* file, const char* folder, const char* op,
                       const char* name, tn_status* status) {
  tn_text path = {0}, text = {0};
  tn_text_printf(&path, "%s/", folder);
  fill_in(&path, file->path, file->path + strlen(file->path), op, name);
  fill_in(&text, file->begin, file->end, op, name);
  bool written = !path.failed && !text.failed;
  if (!written) tn_status_set_no_memory(status, "writing the project");
  written = written && tn_file_write(path.data, tn_text_view(&text), status);
  tn_text_deinit(&path);
  tn_text_deinit(&text);
  return written;
}

static bool is_op_name(const char* op) {
  if (!isupper((unsigned char)op[0])) return false;
  for (const char* at = op; *at; ++at)
    if (!isalnum((unsigned char)*at) && *at != '_') return false;
  return true;
}

static int run(cli_args* args) {
  if (args->word_count == 0 || strcmp(args->words[0], "op") != 0)
    return cli_misused(args, "found '%s', expected 'op': tenon new op NAME",
                       args->word_count ? args->words[0] : "nothing");
  if (args->word_count != 2) return cli_misused(args, "name the op: tenon new op MyOp");
  const char* op = args->words[1];
  if (!is_op_name(op))
    return cli_misused(args,
                       "'%s' is no op name: it begins with a capital letter, and letters, digits "
                       "and _ follow (MyOp)",
                       op);
  tn_status* status = tn_status_create();
  tn_op_info* known = tn_op_info_create(op, NULL);
  tn_op_info_destroy(known);
  if (known) {
    tn_status_set(status, TN_ALREADY_EXISTS,
                  "there is an op %s already (tenon ops %s); choose another name", op, op);
    int refused = cli_failed(args, status);
    tn_status_destroy(status);
    return refused;
  }
  char* name = snake_case(op);
  const char* folder = cli_value(args, "folder") ? cli_value(args, "folder") : name;
  bool made = name && mkdir(folder, 0777) == 0;
  if (!made && name && errno == EEXIST) {
    tn_status_set(status, TN_ALREADY_EXISTS,
                  "'%s' is there already; nothing was changed. Choose another place with --folder",
                  folder);
  } else if (!made) {
    tn_status_set(status, TN_INTERNAL, "cannot make the folder '%s': %s", folder, strerror(errno));
  }
  for (int i = 0; made && i < op_project_files; ++i)
    made = write_file(&op_project[i], folder, op, name, status);

  int result = made ? CLI_OK : cli_failed(args, status);
  if (made && cli_has(args, "json")) {
    tn_text text = {0};
    tn_json json = {.out = &text, .indent = 2};
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "schema", "tenon/new/1");
    tn_json_string(&json, "op", op);
    tn_json_string(&json, "folder", folder);
    tn_json_end_object(&json);
    puts(text.data ? text.data : "");
    tn_text_deinit(&text);
  } else if (made) {
    printf("made %s/: an op and its CPU kernel\n  cd %s && make && make test\n", folder, folder);
  }
  tn_free(name);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"folder", "PATH", "where to put it (default: MyOp goes into my_op)", 0},
    {NULL, NULL, NULL, 0}};

const cli_command cli_new = {
    "new",   "start a plugin project that builds with one make", "op NAME [--folder PATH]",
    options, "  tenon new op Scale && cd scale && make test\n",  run,
};
