// Which plugins a command works with.

#include <string.h>

#include "command.h"

bool cli_load_plugins(const cli_args* args, tn_status* status) {
  tn_load_options options = {.struct_size = TN_LOAD_OPTIONS_STRUCT_SIZE, .first_contact = true};
  if (!cli_has(args, "no-default-plugins") && !tn_plugin_load_defaults(&options, status)) {
    tn_status_annotate(status, "this came with Tenon; --no-default-plugins goes without");
    return false;
  }
  for (size_t i = 0; i < args->given_count; ++i)
    if (strcmp(args->given[i].name, "plugin") == 0 &&
        !tn_plugin_load(args->given[i].value, &options, status))
      return false;
  return true;
}
