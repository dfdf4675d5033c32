// tenon new: a project to start from. The files live in cli/templates and in examples/device, which
// is itself a project, and are part of the program.

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "command.h"

#define TEMPLATE(symbol, path)                                                         \
  __asm__(".pushsection .rodata\n" #symbol "_begin:\n.incbin \"" TENON_SOURCE "/" path \
          "\"\n" #symbol "_end:\n.popsection\n");                                      \
  extern const char symbol##_begin[], symbol##_end[]

TEMPLATE(makefile, "examples/device/Makefile");
TEMPLATE(op_source, "cli/templates/op/op.c");
TEMPLATE(op_test, "cli/templates/op/test.c");
TEMPLATE(op_readme, "cli/templates/op/README.md");
TEMPLATE(op_cxx_makefile, "cli/templates/op_cxx/Makefile");
TEMPLATE(op_cxx_source, "cli/templates/op_cxx/op.cc");
TEMPLATE(op_cxx_readme, "cli/templates/op_cxx/README.md");
TEMPLATE(device_source, "examples/device/example_device.c");
TEMPLATE(device_test, "examples/device/test_example_device.c");
TEMPLATE(device_readme, "examples/device/README.md");

typedef struct project_file {
  const char* path;  // words are replaced in paths and in text
  const char* begin;
  const char* end;
} project_file;

// How a project's name is written.
enum { AS_GIVEN, LIKE_my_name, LIKE_MyName, LIKE_MY_NAME, WAYS };

typedef struct word {
  const char* from;
  int to;
} word;

enum { PROJECT_FILES = 4, PROJECT_WORDS = 3 };

typedef struct project_kind {
  const char* name;
  const char* usage;
  project_file files[PROJECT_FILES];
  word words[PROJECT_WORDS];
} project_kind;

static const project_kind op_kind = {
    "op",
    "name the op: tenon new op MyOp",
    {{"Makefile", makefile_begin, makefile_end},
     {"@name@.c", op_source_begin, op_source_end},
     {"test_@name@.c", op_test_begin, op_test_end},
     {"README.md", op_readme_begin, op_readme_end}},
    {{"@name@", LIKE_my_name}, {"@Op@", AS_GIVEN}, {"example_device", LIKE_my_name}},
};

static const project_kind op_cxx_kind = {
    "op",
    "name the op: tenon new op MyOp --cxx",
    {{"Makefile", op_cxx_makefile_begin, op_cxx_makefile_end},
     {"@name@.cc", op_cxx_source_begin, op_cxx_source_end},
     {"test_@name@.c", op_test_begin, op_test_end},
     {"README.md", op_cxx_readme_begin, op_cxx_readme_end}},
    {{"@name@", LIKE_my_name}, {"@Op@", AS_GIVEN}, {"example_device", LIKE_my_name}},
};

static const project_kind device_kind = {
    "device",
    "name the device: tenon new device MyDevice",
    {{"Makefile", makefile_begin, makefile_end},
     {"example_device.c", device_source_begin, device_source_end},
     {"test_example_device.c", device_test_begin, device_test_end},
     {"README.md", device_readme_begin, device_readme_end}},
    {{"example_device", LIKE_my_name},
     {"ExampleDevice", LIKE_MyName},
     {"EXAMPLE_DEVICE", LIKE_MY_NAME}},
};

// "MyOp" becomes "my_op".
static char* snake_case(const char* name) {
  tn_text text = {0};
  for (const char* at = name; *at; ++at) {
    bool starts_word = isupper((unsigned char)*at) && at > name && !isupper((unsigned char)at[-1]);
    if (starts_word && at[-1] != '_') tn_text_putc(&text, '_');
    tn_text_putc(&text, (char)tolower((unsigned char)*at));
  }
  return tn_text_take(&text, NULL);
}

// "my_device" becomes "MyDevice".
static char* camel_case(const char* name) {
  tn_text text = {0};
  for (const char* at = name; *at; ++at)
    if (*at != '_')
      tn_text_putc(&text, at == name || at[-1] == '_' ? (char)toupper((unsigned char)*at) : *at);
  return tn_text_take(&text, NULL);
}

// "my_device" becomes "MY_DEVICE".
static char* upper_case(const char* name) {
  tn_text text = {0};
  for (const char* at = name; *at; ++at) tn_text_putc(&text, (char)toupper((unsigned char)*at));
  return tn_text_take(&text, NULL);
}

static void fill_in(tn_text* out, tn_view text, const project_kind* kind, char* const names[WAYS]) {
  while (text.size) {
    int i = 0;
    while (i < PROJECT_WORDS && !tn_view_skip(&text, kind->words[i].from)) ++i;
    if (i < PROJECT_WORDS) {
      tn_text_puts(out, names[kind->words[i].to]);
    } else {
      tn_text_putc(out, *text.data);
      ++text.data;
      --text.size;
    }
  }
}

static bool write_file(const project_kind* kind, const project_file* file, const char* folder,
                       char* const names[WAYS], tn_status* status) {
  tn_text path = {0}, text = {0};
  tn_text_printf(&path, "%s/", folder);
  fill_in(&path, tn_view_of(file->path), kind, names);
  fill_in(&text, (tn_view){file->begin, (size_t)(file->end - file->begin)}, kind, names);
  bool written = !path.failed && !text.failed;
  if (!written) tn_status_set_no_memory(status, "writing the project");
  written = written && tn_file_write(path.data, tn_text_view(&text), status);
  tn_text_deinit(&path);
  tn_text_deinit(&text);
  return written;
}

static bool make_project(const project_kind* kind, const char* folder, char* const names[WAYS],
                         tn_status* status) {
  if (mkdir(folder, 0777) != 0) {
    if (errno == EEXIST)
      tn_status_set(
          status, TN_ALREADY_EXISTS,
          "'%s' is there already; nothing was changed. Choose another place with --folder", folder);
    else
      tn_status_set(status, TN_INTERNAL, "cannot make the folder '%s': %s", folder,
                    strerror(errno));
    return false;
  }
  bool made = true;
  for (int i = 0; made && i < PROJECT_FILES; ++i)
    made = write_file(kind, &kind->files[i], folder, names, status);
  return made;
}

static bool is_op_name(const char* op) {
  if (!isupper((unsigned char)op[0])) return false;
  for (const char* at = op; *at; ++at)
    if (!isalnum((unsigned char)*at) && *at != '_') return false;
  return true;
}

static bool is_device_name(const char* name) {
  if (!isalpha((unsigned char)name[0])) return false;
  for (const char* at = name; *at; ++at)
    if (!isalpha((unsigned char)*at) && *at != '_') return false;
  return true;
}

static bool is_free_op(const char* op, tn_status* status) {
  tn_op_info* known = tn_op_info_create(op, NULL);
  tn_op_info_destroy(known);
  if (known)
    tn_status_set(status, TN_ALREADY_EXISTS,
                  "there is an op %s already (tenon ops %s); choose another name", op, op);
  return !known;
}

static bool is_free_device_type(const char* type, tn_status* status) {
  static const char* const taken[] = {"CPU", "DEFAULT", "TENON", "TENON_CPU", "GPU", "CUDA"};
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i) {
    if (strcmp(type, taken[i]) != 0) continue;
    tn_status_set(status, TN_ALREADY_EXISTS,
                  "%s is a device type or platform of Tenon's or TensorFlow's already; choose "
                  "another name",
                  type);
    return false;
  }
  return true;
}

static int run(cli_args* args) {
  const char* asked = args->word_count ? args->words[0] : "nothing";
  const project_kind* kind = strcmp(asked, op_kind.name) == 0       ? &op_kind
                             : strcmp(asked, device_kind.name) == 0 ? &device_kind
                                                                    : NULL;
  if (!kind)
    return cli_misused(
        args, "found '%s', expected 'op' or 'device': tenon new op NAME, tenon new device NAME",
        asked);
  if (cli_has(args, "cxx") && kind == &device_kind)
    return cli_misused(args, "--cxx is for ops; a device is written in C");
  if (cli_has(args, "cxx")) kind = &op_cxx_kind;
  if (args->word_count != 2) return cli_misused(args, "%s", kind->usage);
  const char* name = args->words[1];
  const bool is_device = kind == &device_kind;
  if (!is_device && !is_op_name(name))
    return cli_misused(args,
                       "'%s' is no op name: it begins with a capital letter, and letters, digits "
                       "and _ follow (MyOp)",
                       name);
  if (is_device && !is_device_name(name))
    return cli_misused(args,
                       "'%s' makes no device type, which has capital letters and _ only: use "
                       "letters and _ (MyDevice makes MY_DEVICE)",
                       name);

  tn_status* status = tn_status_create();
  char* snake = snake_case(name);
  char* names[WAYS] = {(char*)name, snake, snake ? camel_case(snake) : NULL,
                       snake ? upper_case(snake) : NULL};
  const char* type = names[LIKE_MY_NAME];
  const char* folder = cli_value(args, "folder") ? cli_value(args, "folder") : snake;
  bool made = snake && names[LIKE_MyName] && type;
  if (!made) tn_status_set_no_memory(status, "writing the project");
  made = made && (is_device ? is_free_device_type(type, status) : is_free_op(name, status)) &&
         make_project(kind, folder, names, status);

  int result = made ? CLI_OK : cli_failed(args, status);
  if (made && cli_has(args, "json")) {
    tn_text text = {0};
    tn_json json = {.out = &text, .indent = 2};
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "schema", "tenon/new/1");
    tn_json_string(&json, kind->name, is_device ? type : name);
    tn_json_string(&json, "folder", folder);
    tn_json_end_object(&json);
    puts(text.data ? text.data : "");
    tn_text_deinit(&text);
  } else if (made) {
    printf("made %s/: %s\n  cd %s && make && make test\n", folder,
           is_device ? "a device and a kernel on it" : "an op and its CPU kernel", folder);
  }
  for (int i = AS_GIVEN + 1; i < WAYS; ++i) tn_free(names[i]);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"folder", "PATH", "where to put it (default: MyOp goes into my_op)", 0},
    {"cxx", NULL, "an op in C++, with TensorFlow's classes", 0},
    {NULL, NULL, NULL, 0}};

const cli_command cli_new = {
    "new",
    "start a plugin project that builds with one make",
    "op|device NAME [--folder PATH] [--cxx]",
    options,
    "  tenon new op Scale && cd scale && make test\n"
    "  tenon new op Clip --cxx && cd clip && make test\n"
    "  tenon new device MyDevice && cd my_device && make test\n",
    run,
};
