// tenon config: what a compiler needs to build against this very Tenon, installed or not.

#include <limits.h>
#include <unistd.h>

#include "base/json.h"
#include "command.h"

// A plugin of TensorFlow's C++ sources, in one line: what tenon_add_plugin does with PORT.
static void print_port(const char* include, const char* library) {
  static const char* const eigens[] = {"/usr/include/eigen3", "/usr/local/include/eigen3"};
  printf("-std=c++17 -pthread -I%s/tenon_port -I%s", include, include);
  for (size_t i = 0; i < sizeof eigens / sizeof *eigens; ++i) {
    if (access(eigens[i], X_OK) != 0) continue;
    printf(" -isystem %s", eigens[i]);
    break;
  }
  printf(" -Wl,--version-script=%s/cmake/tenon/tenon-plugin.map\n", library);
}

static int run(cli_args* args) {
  // Installed: PREFIX/bin, PREFIX/include. In a build: build/bin, and include/ beside build/.
  static const char* const includes[] = {"../include", "../../include", "../../../include", NULL};
  char include[PATH_MAX], library[PATH_MAX];
  tn_status* status = tn_status_create();
  if (args->word_count)
    return cli_misused(args, "found '%s'; it takes only options", args->words[0]);
  if (!cli_find_folder(includes, "tenon/tenon.h", include) ||
      !cli_find_folder(cli_library_folders, "libtenon.so", library))
    tn_status_set(status, TN_NOT_FOUND,
                  "the headers or libtenon.so are not where this program expects them, beside its "
                  "own folder; install Tenon with `make install`");
  int result = tn_ok(status) ? CLI_OK : cli_failed(args, status);
  bool cflags = cli_has(args, "cflags"), libs = cli_has(args, "libs");
  if (result == CLI_OK && cli_has(args, "json")) {
    tn_text text = {0};
    tn_json json = {.out = &text, .indent = 2};
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "schema", "tenon/config/1");
    tn_json_string(&json, "include", include);
    tn_json_string(&json, "lib", library);
    tn_json_end_object(&json);
    puts(text.data ? text.data : "");
    tn_text_deinit(&text);
  } else if (result == CLI_OK && cli_has(args, "port")) {
    print_port(include, library);
  } else if (result == CLI_OK) {
    if (cflags || !libs) printf("-I%s%s", include, libs || !cflags ? " " : "\n");
    if (libs || !cflags) printf("-L%s -Wl,-rpath,%s -ltenon\n", library, library);
  }
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {{"cflags", NULL, "only what the compiler needs", 0},
                                     {"libs", NULL, "only what the linker needs", 0},
                                     {"port", NULL,
                                      "what a plugin of TensorFlow's C++ sources needs, Eigen "
                                      "among it",
                                      0},
                                     {NULL, NULL, NULL, 0}};

const cli_command cli_config = {
    "config",
    "print the flags to build against this Tenon",
    "[--cflags] [--libs] [--port]",
    options,
    "  cc -shared -fPIC -o libmyop.so myop.c $(tenon config --cflags)\n"
    "  c++ -shared -fPIC -O2 -o libmyops.so one_hot_op.cc $(tenon config --port)\n"
    "  cc app.c $(tenon config)\n",
    run,
};
