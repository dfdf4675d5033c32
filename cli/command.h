// A command of the tool: its words and what it does. Commands hold no logic a library user would
// want.
#ifndef TENON_CLI_COMMAND_H_
#define TENON_CLI_COMMAND_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tenon/tenon.h"

// What the process ends with; docs/command-line.md tells people.
typedef enum cli_exit {
  CLI_OK = 0,
  CLI_FAILED = 1,  // the request was understood and could not be done
  CLI_USAGE = 2,   // the request was not understood
  CLI_PLUGIN = 3,  // a plugin is at fault
} cli_exit;

enum { CLI_MOST_SECONDS = 86400 };  // of --time-limit

typedef struct cli_option {
  const char* name;   // without the dashes
  const char* value;  // what it takes, "FILE"; NULL for a switch
  const char* help;
  char letter;  // "-I" for it too; 0 for none
} cli_option;

typedef struct cli_args cli_args;

typedef struct cli_command {
  const char* name;
  const char* summary;
  const char* usage;          // behind the command's name
  const cli_option* options;  // ends with a NULL name; --json and --help come with every command
  const char* examples;
  int (*run)(cli_args* args);
} cli_command;

extern const cli_command cli_run, cli_ops, cli_kernels, cli_devices, cli_inspect, cli_doctor,
    cli_check, cli_abi, cli_new, cli_config;

// The words after the command's name. Borrowed from main's argv.
struct cli_args {
  const cli_command* command;
  char** words;  // what is no option
  size_t word_count;
  struct {
    const char* name;
    const char* value;
  } * given;  // options in the order given
  size_t given_count;
};

// Reads argv into `args`; false after telling what is wrong (the process then ends with CLI_USAGE).
bool cli_args_init(cli_args* args, const cli_command* command, int argc, char** argv);
void cli_args_deinit(cli_args* args);
bool cli_has(const cli_args* args, const char* option);
// The last value given, or NULL.
const char* cli_value(const cli_args* args, const char* option);
// Reads a whole number from `lowest` to `highest`; false for anything else, also behind the number.
bool cli_number(const char* text, long lowest, long highest, long* out);

// "tenon ops: <text>" on standard error, and how to get help. Returns CLI_USAGE.
int cli_misused(const cli_args* args, const char* format, ...) TN_PRINTF(2, 3);
// Prints a failed status and returns the exit code for it.
int cli_failed(const cli_args* args, const tn_status* status);

// "\033[1m" and the like when standard output is a terminal and NO_COLOR is unset, else "".
const char* cli_bold(void);
const char* cli_dim(void);
const char* cli_plain(void);

void cli_command_help(const cli_command* command, FILE* out);

// Loads the plugins that the user names with --plugin, and the ones that come with Tenon unless
// --no-default-plugins says otherwise. Every one is met in a child process first.
bool cli_load_plugins(const cli_args* args, tn_status* status);
#define CLI_PLUGIN_OPTIONS                                                             \
  {"plugin", "FILE", "load this plugin too (repeat for more)", 0},                     \
      {"no-default-plugins", NULL, "leave out the plugins that come with Tenon", 0}, { \
    "time-limit", "SECONDS", "how long each plugin may take to load (default: 30)", 0  \
  }

// The first of `candidates` (relative to the program's own folder, ending with NULL) that holds
// `file`; `out` has room for PATH_MAX bytes.
bool cli_find_folder(const char* const* candidates, const char* file, char* out);
// Where libraries are, installed or in a build.
extern const char* const cli_library_folders[];

// Until restored, what plugins print to standard output goes to standard error: results are ours
// alone.
int cli_divert_output(void);
void cli_restore_output(int kept);

// What to say on standard error when foreign code ends this process from here on; the process then
// ends with CLI_PLUGIN.
void cli_last_words(const char* format, ...) TN_PRINTF(1, 2);
void cli_no_last_words(void);
// The words for the opening of a plugin's device; none for the CPU and NULL.
void cli_last_words_of_opening(const cli_args* args, const tn_device* device);

// Prints what a plugin said: control characters and what is no UTF-8 as \x1b and the like, so that
// they stay text.
void cli_print_foreign(const char* text, FILE* out);
// The same in bold, on standard output.
void cli_say_bold(const char* text);
// printf for lines that hold such words; only their ends pass as they are.
void cli_say(const char* format, ...) TN_PRINTF(1, 2);

// The last part of a path.
const char* cli_base_name(const char* path);
// numpy's name of a type: "float32" where TensorFlow says "float".
const char* cli_dtype_name(tn_dtype dtype);

#endif  // TENON_CLI_COMMAND_H_
