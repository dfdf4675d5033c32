// Which plugins a command works with.

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

static bool load(const char* path, tn_status* status) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE, .first_contact = true};
  return tn_plugin_load(path, &options, status) != NULL;
}

static bool load_default_plugins(tn_status* status) {
  char folder[PATH_MAX], pattern[PATH_MAX + 32];
  if (!cli_find_folder(cli_library_folders, "tenon/plugins", folder)) return true;
  snprintf(pattern, sizeof pattern, "%s/tenon/plugins/*.so", folder);
  glob_t found = {0};
  bool loaded = true;
  if (glob(pattern, 0, NULL, &found) == 0)
    for (size_t i = 0; loaded && i < found.gl_pathc; ++i) loaded = load(found.gl_pathv[i], status);
  globfree(&found);
  if (!loaded)
    tn_status_annotate(status, "this plugin comes with Tenon; --no-default-plugins leaves it out");
  return loaded;
}

bool cli_load_plugins(const cli_args* args, tn_status* status) {
  if (!cli_has(args, "no-default-plugins") && !load_default_plugins(status)) return false;
  for (size_t i = 0; i < args->given_count; ++i)
    if (strcmp(args->given[i].name, "plugin") == 0 && !load(args->given[i].value, status))
      return false;
  return true;
}
