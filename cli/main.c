// tenon: one word for the command, the rest is the command's.

#include <string.h>
#include <unistd.h>

#include "base/suggest.h"
#include "command.h"
#include "version.h"

static const cli_command* const commands[] = {&cli_run,     &cli_ops,    &cli_kernels, &cli_devices,
                                              &cli_inspect, &cli_doctor, &cli_check,   &cli_abi,
                                              &cli_new,     &cli_config};
enum { command_count = sizeof commands / sizeof *commands };

static void print_help(FILE* out) {
  fprintf(out,
          "tenon %s: loads tensor plugins, knows their ops, runs their kernels\n\n"
          "usage: tenon COMMAND ...\n\ncommands:\n",
          TENON_VERSION);
  for (int i = 0; i < command_count; ++i)
    fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  fprintf(out,
          "\nexamples:\n"
          "  tenon run --op MatMul a.npy b.npy --attr transpose_b=true\n"
          "  tenon ops MatMul\n"
          "  tenon COMMAND --help\n");
}

static int unknown_command(const char* word) {
  const char* names[command_count];
  for (int i = 0; i < command_count; ++i) names[i] = commands[i]->name;
  const char* near = tn_suggest(word, names, command_count);
  fprintf(stderr, "tenon: no command '%s'", word);
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  fprintf(stderr, "\nSee: tenon --help\n");
  return CLI_USAGE;
}

static const cli_command* find_command(const char* word) {
  for (int i = 0; i < command_count; ++i)
    if (strcmp(commands[i]->name, word) == 0) return commands[i];
  return NULL;
}

static int run_command_line(int argc, char** argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  const char* word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    print_help(stdout);
    return CLI_OK;
  }
  if (strcmp(word, "help") == 0) {
    const cli_command* command = argc > 2 ? find_command(argv[2]) : NULL;
    if (argc > 2 && !command) return unknown_command(argv[2]);
    command ? cli_command_help(command, stdout) : print_help(stdout);
    return CLI_OK;
  }
  if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
    printf("tenon %s\n", TENON_VERSION);
    return CLI_OK;
  }
  const cli_command* command = find_command(word);
  if (!command) return unknown_command(word);

  cli_args args;
  int result = CLI_USAGE;
  if (cli_args_init(&args, command, argc - 2, argv + 2)) {
    if (cli_has(&args, "help")) {
      cli_command_help(command, stdout);
      result = CLI_OK;
    } else {
      result = command->run(&args);
    }
  }
  cli_args_deinit(&args);
  return result;
}

int main(int argc, char** argv) {
  int result = run_command_line(argc, argv);
  // A reader that went away, or a full disk, is a failure too.
  if ((fflush(stdout) || ferror(stdout)) && result == CLI_OK) {
    fputs("tenon: could not write the output\n", stderr);
    result = CLI_FAILED;
  }
#ifndef TENON_SANITIZED
  // Not exit: destructors of published plugins crash, and the work is done. (Leaks are looked for
  // at exit, so sanitized builds do.)
  _exit(result);
#endif
  return result;
}
