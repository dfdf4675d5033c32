#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/foreign.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "command.h"

static const cli_option common_options[] = {
    {"json", NULL, "print one JSON document instead of text", 0},
    {"help", NULL, "show this and exit", 0},
    {NULL, NULL, NULL, 0},
};

static const cli_option* find_option(const cli_option* options, const char* name, size_t size) {
  for (; options->name; ++options)
    if (strlen(options->name) == size && memcmp(options->name, name, size) == 0) return options;
  return NULL;
}

static const cli_option* find_letter(const cli_option* options, char letter) {
  while (options->name && options->letter != letter) ++options;
  return options->name ? options : NULL;
}

// Whether a word is an option of this command's, and so no value of another.
static bool is_option(const cli_command* command, const char* word) {
  if (strncmp(word, "--", 2) != 0) return false;
  const size_t size = strcspn(word + 2, "=");
  return find_option(command->options, word + 2, size) ||
         find_option(common_options, word + 2, size);
}

static void unknown_option(const cli_args* args, const char* word) {
  tn_suggestion suggestion = {.wanted = tn_view_of(word)};
  for (const cli_option* o = args->command->options; o->name; ++o)
    tn_suggest_offer(&suggestion, tn_view_of(o->name));
  for (const cli_option* o = common_options; o->name; ++o)
    tn_suggest_offer(&suggestion, tn_view_of(o->name));
  if (suggestion.best.size) {
    cli_misused(args, "no option --%s; did you mean --%.*s?", word, TN_VIEW_ARGS(suggestion.best));
  } else {
    cli_misused(args, "no option --%s", word);
  }
}

bool cli_args_init(cli_args* args, const cli_command* command, int argc, char** argv) {
  *args = (cli_args){.command = command};
  args->words = tn_alloc_zeroed((size_t)argc + 1, sizeof *args->words);
  args->given = tn_alloc_zeroed((size_t)argc + 1, sizeof *args->given);
  if (!args->words || !args->given) {
    fputs("tenon: out of memory\n", stderr);
    return false;
  }
  bool options_end = false;
  for (int i = 0; i < argc; ++i) {
    char* word = argv[i];
    if (options_end || word[0] != '-' || !word[1]) {
      args->words[args->word_count++] = word;
      continue;
    }
    if (strcmp(word, "--") == 0) {
      options_end = true;
      continue;
    }
    if (strcmp(word, "-h") == 0) word = "--help";
    const cli_option* option;
    const char* value = NULL;
    if (word[1] != '-') {
      option = find_letter(command->options, word[1]);
      if (!option) {
        cli_misused(args, "no option %s; options are written --name", word);
        return false;
      }
      if (word[2]) value = word + 2;
    } else {
      const char* name = word + 2;
      const char* equals = strchr(name, '=');
      size_t size = equals ? (size_t)(equals - name) : strlen(name);
      option = find_option(command->options, name, size);
      if (!option) option = find_option(common_options, name, size);
      if (!option) {
        unknown_option(args, name);
        return false;
      }
      if (equals) value = equals + 1;
    }
    if (option->value && !value) {
      if (i + 1 == argc) {
        cli_misused(args, "--%s needs a value: --%s %s", option->name, option->name, option->value);
        return false;
      }
      value = argv[++i];
      if (is_option(command, value)) {
        cli_misused(args, "--%s needs a value: --%s %s; found the option %s", option->name,
                    option->name, option->value, value);
        return false;
      }
    } else if (!option->value && value) {
      cli_misused(args, "--%s takes no value, found '%s'", option->name, value);
      return false;
    }
    long seconds;
    if (strcmp(option->name, "time-limit") == 0 &&
        !cli_number(value, 1, CLI_MOST_SECONDS, &seconds)) {
      cli_misused(args, "--time-limit %s: expected whole seconds, 1 to %d", value,
                  CLI_MOST_SECONDS);
      return false;
    }
    args->given[args->given_count].name = option->name;
    args->given[args->given_count++].value = value;
  }
  return true;
}

void cli_args_deinit(cli_args* args) {
  tn_free(args->words);
  tn_free(args->given);
  *args = (cli_args){0};
}

bool cli_has(const cli_args* args, const char* option) {
  for (size_t i = 0; i < args->given_count; ++i)
    if (strcmp(args->given[i].name, option) == 0) return true;
  return false;
}

const char* cli_value(const cli_args* args, const char* option) {
  for (size_t i = args->given_count; i > 0; --i)
    if (strcmp(args->given[i - 1].name, option) == 0) return args->given[i - 1].value;
  return NULL;
}

bool cli_number(const char* text, long lowest, long highest, long* out) {
  // Nothing that strtol would skip or take for granted: blanks and signs other than a minus.
  const char* digits = text + (*text == '-');
  if (!isdigit((unsigned char)*digits)) return false;
  char* end;
  errno = 0;
  *out = strtol(text, &end, 10);
  return !*end && !errno && *out >= lowest && *out <= highest;
}

int cli_misused(const cli_args* args, const char* format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "tenon %s: ", args->command->name);
  vfprintf(stderr, format, list);
  fprintf(stderr, "\nSee: tenon %s --help\n", args->command->name);
  va_end(list);
  return CLI_USAGE;
}

void cli_print_foreign(const char* text, FILE* out) { tn_print_foreign(text, strlen(text), out); }

void cli_say_bold(const char* text) {
  fputs(cli_bold(), stdout);
  cli_print_foreign(text, stdout);
  fputs(cli_plain(), stdout);
}

void cli_say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  char* text = tn_vprintf(format, list);
  va_end(list);
  if (text) tn_print_foreign_lines(text, stdout);
  tn_free(text);
}

int cli_failed(const cli_args* args, const tn_status* status) {
  fprintf(stderr, "tenon %s: ", args->command->name);
  tn_print_foreign_lines(tn_status_message(status), stderr);
  fputc('\n', stderr);
  return tn_status_fault(status) == TN_FAULT_PLUGIN ? CLI_PLUGIN : CLI_FAILED;
}

static void print_options(const cli_option* options, FILE* out) {
  for (; options->name; ++options) {
    char left[64];
    snprintf(left, sizeof left, "--%s%s%s", options->name, options->value ? " " : "",
             options->value ? options->value : "");
    fprintf(out, "  %-24s %s\n", left, options->help);
  }
}

void cli_command_help(const cli_command* command, FILE* out) {
  fprintf(out, "%s\n\nusage: tenon %s %s\n\noptions:\n", command->summary, command->name,
          command->usage);
  print_options(command->options, out);
  print_options(common_options, out);
  fprintf(out, "\nexamples:\n%s", command->examples);
}

static bool coloured(void) {
  const char* no_colour = getenv("NO_COLOR");
  return isatty(1) && !(no_colour && *no_colour);
}

const char* cli_bold(void) { return coloured() ? "\033[1m" : ""; }
const char* cli_dim(void) { return coloured() ? "\033[2m" : ""; }
const char* cli_plain(void) { return coloured() ? "\033[0m" : ""; }

const char* cli_base_name(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

const char* cli_dtype_name(tn_dtype dtype) {
  switch (dtype) {
    case TN_FLOAT: return "float32";
    case TN_DOUBLE: return "float64";
    case TN_HALF: return "float16";
    default: return tn_dtype_name(dtype);
  }
}
