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
  const char* limit = cli_value(args, "time-limit");
  long seconds;
  if (limit && cli_number(limit, 1, CLI_MOST_SECONDS, &seconds))
    options.time_limit_ms = (uint32_t)seconds * 1000;
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
  if (tn_status_code(status) == TN_DEADLINE_EXCEEDED)
    tn_status_annotate(status, "--time-limit SECONDS gives it more time");
  cli_restore_output(kept);
  return loaded;
}
