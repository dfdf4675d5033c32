// tenon config: what a compiler needs to build against this very Tenon, installed or not.

#include <limits.h>

#include "base/json.h"
#include "command.h"

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
  } else if (result == CLI_OK) {
    if (cflags || !libs) printf("-I%s%s", include, libs || !cflags ? " " : "\n");
    if (libs || !cflags) printf("-L%s -Wl,-rpath,%s -ltenon\n", library, library);
  }
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {{"cflags", NULL, "only what the compiler needs", 0},
                                     {"libs", NULL, "only what the linker needs", 0},
                                     {NULL, NULL, NULL, 0}};

const cli_command cli_config = {
    "config",
    "print the flags to build against this Tenon",
    "[--cflags] [--libs]",
    options,
    "  cc -shared -fPIC -o libmyop.so myop.c $(tenon config --cflags)\n"
    "  cc app.c $(tenon config)\n",
    run,
};
