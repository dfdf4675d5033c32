// Which plugins a command works with.

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"

int cli_divert_output(void) {
  fflush(stdout);
  int kept = dup(1);
  if (kept >= 0) dup2(2, 1);
  return kept;
}

void cli_restore_output(int kept) {
  fflush(stdout);
  if (kept < 0) return;
  dup2(kept, 1);
  close(kept);
}

static bool load_plugins(const cli_args* args, tn_status* status) {
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

bool cli_load_plugins(const cli_args* args, tn_status* status) {
  int kept = cli_divert_output();
  bool loaded = load_plugins(args, status);
  cli_restore_output(kept);
  return loaded;
}
