// What `tenon run` with an op and with a program know of each other.
#ifndef TENON_CLI_RUN_H_
#define TENON_CLI_RUN_H_

#include "command.h"

// Whether the first word is a program: no array, with no op named.
bool cli_is_program(const cli_args* args);
int cli_run_program(cli_args* args);
// The first option given that only programs take; NULL when there is none.
const char* cli_program_option(const cli_args* args);

#define CLI_PROGRAM_OPTIONS                                                                       \
  {"option", "NAME=VALUE",                                                                        \
   "give the client an option; NAME:KIND=VALUE: string, int, ints, float, bool", 0},              \
      {"format", "NAME", "what the program is: mlir (StableHLO) or hlo; else its name tells", 0}, \
      {"time", NULL, "tell how long runs take, too", 0},                                          \
      {"isolate", NULL, "in a child process: a plugin that crashes there is a message", 0},       \
      {"as-host", "0.N", "be a framework of that number", 0},                                     \
      {"window", "WEEKS", "refuse plugins that are older than so many weeks", 0},                 \
      {"as-of", "DATE", "judge the window on that day, 2026-11-15", 0}, {                         \
    "equal", NULL, "refuse plugins of any other number than the host's", 0                        \
  }

#endif  // TENON_CLI_RUN_H_
