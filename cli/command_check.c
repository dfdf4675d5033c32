// tenon check: whether a plugin keeps the contracts of its interface, case by case.

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "check/check.h"
#include "command.h"

static int list(const cli_args* args, const tn_check_options* chosen) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  const bool as_json = cli_has(args, "json");
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/check-list/1");
  tn_json_begin_array(&json, "cases");
  for (size_t g = 0; g < tn_check_group_count; ++g) {
    const tn_check_group* group = tn_check_groups[g];
    if (chosen->faces && !(chosen->faces & 1u << group->face)) continue;
    for (size_t i = 0; i < group->count; ++i) {
      char name[TN_CASE_NAME_MOST];
      tn_case_full_name(group->face, &group->cases[i], name);
      bool wanted = chosen->only_count == 0;
      for (size_t k = 0; k < chosen->only_count; ++k)
        wanted = wanted || tn_case_fits(chosen->only[k], name);
      if (!wanted) continue;
      if (!as_json) {
        printf("%s%s%s: %s\n", cli_bold(), name, cli_plain(), group->cases[i].contract);
        continue;
      }
      tn_json_begin_object(&json, NULL);
      tn_json_string(&json, "name", name);
      tn_json_string(&json, "face", tn_face_name(group->face));
      tn_json_string(&json, "contract", group->cases[i].contract);
      tn_json_end_object(&json);
    }
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  if (as_json && !text.failed) puts(text.data);
  tn_text_deinit(&text);
  return CLI_OK;
}

typedef struct view {
  bool tap, progress;
} view;

static void print_text(tn_text* text) {
  if (!text->failed && text->size) fwrite(text->data, 1, text->size, stdout);
  fflush(stdout);
  tn_text_deinit(text);
}

static void show(const tn_check* check, size_t i, void* arg) {
  const view* view = arg;
  if (view->tap) {
    tn_text text = {0};
    tn_check_tap_result(check, i, &text);
    print_text(&text);
  }
  if (view->progress) {
    const bool last = i + 1 == tn_check_count(check);
    fprintf(stderr, "\r\033[K");
    if (!last)
      fprintf(stderr, "%zu of %zu  %s", i + 1, tn_check_count(check),
              tn_check_result_at(check, i + 1)->name);
    fflush(stderr);
  }
}

static int run_cases(const cli_args* args, const tn_check_options* chosen) {
  tn_status status = {0};
  int result = CLI_OK;
  const char* junit = cli_value(args, "junit");
  const bool junit_alone = junit && strcmp(junit, "-") == 0;
  const bool as_json = cli_has(args, "json");
  view view = {.tap = !as_json && !junit_alone};
  view.progress = isatty(2) && !(view.tap && isatty(1));
  tn_check* check = tn_check_create(args->words[0], chosen, &status);
  if (check) {
    tn_text text = {0};
    if (view.tap) tn_check_tap_begin(check, &text);
    print_text(&text);
    if (tn_check_run(check, show, &view, &status)) {
      if (view.tap) tn_check_tap_end(check, &text);
      if (as_json) tn_check_json(check, &text);
      if (junit_alone && !as_json) tn_check_junit(check, &text);
      print_text(&text);
      if (!view.tap) tn_check_warning(check, &text);
      if (text.size && !text.failed) fprintf(stderr, "tenon check: %s\n", text.data);
      tn_text_deinit(&text);
      if (junit && !junit_alone) {
        tn_check_junit(check, &text);
        if (text.failed)
          tn_status_set_no_memory(&status, "writing the results");
        else
          tn_file_write(junit, tn_text_view(&text), &status);
        tn_text_deinit(&text);
      }
      const tn_check_totals totals = tn_check_count_up(check);
      if (totals.stale || totals.errors || tn_check_was_idle(&totals)) result = CLI_FAILED;
      if (totals.failed) result = CLI_PLUGIN;
    }
    tn_check_destroy(check);
  }
  if (!tn_ok(&status)) result = cli_failed(args, &status);
  tn_status_deinit(&status);
  return result;
}

// "--face pjrt": adds its bit.
static bool add_face(const char* name, uint32_t* faces) {
  for (int face = 0; face < TN_FACES; ++face)
    if (strcmp(tn_face_name((tn_face)face), name) == 0) {
      *faces |= 1u << face;
      return true;
    }
  return false;
}

// A seed has to be known, not secret: few digits are easier to type again.
static uint64_t any_seed(void) {
  uint32_t seed = 1;
  if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0) seed = (uint32_t)getpid();
  return seed % 1000000000;
}

// Reads what was asked for into `out`, whose lists are `args->given_count` long; CLI_OK or what the
// process ends with.
static int read_options(const cli_args* args, const char** only, const char** client, char** ops,
                        tn_check_options* out) {
  *out = (tn_check_options){
      .only = only, .client = client, .ops = (const char* const*)ops, .seed = any_seed()};
  for (size_t i = 0; i < args->given_count; ++i) {
    const char *name = args->given[i].name, *value = args->given[i].value;
    long number = 0;
    if (strcmp(name, "only") == 0) {
      if (!tn_case_pattern_fits_any(value))
        return cli_misused(args, "--only %s: no case fits; see: tenon check --list", value);
      only[out->only_count++] = value;
    } else if (strcmp(name, "option") == 0) {
      if (!strchr(value, '=')) return cli_misused(args, "--option %s: expected NAME=VALUE", value);
      client[out->client_count++] = value;
    } else if (strcmp(name, "op") == 0 || strcmp(name, "not-op") == 0) {
      ops[out->op_count] = tn_printf("%ss=%s", name, value);
      if (!ops[out->op_count++]) return CLI_FAILED;
    } else if (strcmp(name, "face") == 0) {
      if (!add_face(value, &out->faces))
        return cli_misused(args, "--face %s: expected pjrt, kernels or devices", value);
    } else if (strcmp(name, "seed") == 0) {
      if (!cli_number(value, 0, 0x7fffffffffffffff, &number))
        return cli_misused(args, "--seed %s: expected a whole number from 0", value);
      out->seed = (uint64_t)number;
    } else if (strcmp(name, "jobs") == 0) {
      if (!cli_number(value, 1, 64, &number))
        return cli_misused(args, "--jobs %s: expected a whole number, 1 to 64", value);
      out->jobs = (uint32_t)number;
    } else if (strcmp(name, "time-limit") == 0 && cli_number(value, 1, CLI_MOST_SECONDS, &number)) {
      out->time_limit_ms = (uint32_t)number * 1000;
    }
  }
  return CLI_OK;
}

static int run(cli_args* args) {
  const char** only = tn_alloc_zeroed(args->given_count + 1, sizeof *only);
  const char** client = tn_alloc_zeroed(args->given_count + 1, sizeof *client);
  char** ops = tn_alloc_zeroed(args->given_count + 1, sizeof *ops);
  tn_exceptions *never = NULL, *for_now = NULL;
  tn_status status = {0};
  tn_check_options chosen;
  int result = CLI_FAILED;
  if (!only || !client || !ops)
    tn_status_set_no_memory(&status, "reading the command line");
  else
    result = read_options(args, only, client, ops, &chosen);
  if (tn_ok(&status) && result == CLI_OK) {
    const char *never_file = cli_value(args, "never"), *for_now_file = cli_value(args, "for-now");
    if (never_file) chosen.never = never = tn_exceptions_read(never_file, &status);
    if (for_now_file && tn_ok(&status))
      chosen.for_now = for_now = tn_exceptions_read(for_now_file, &status);
    if (!tn_ok(&status))
      result = CLI_FAILED;
    else if (cli_has(args, "list"))
      result = list(args, &chosen);
    else if (args->word_count == 1)
      result = run_cases(args, &chosen);
    else
      result = cli_misused(args, "expected one plugin, found %zu", args->word_count);
  }
  if (!tn_ok(&status)) cli_failed(args, &status);
  tn_status_deinit(&status);
  tn_exceptions_destroy(never);
  tn_exceptions_destroy(for_now);
  for (size_t i = 0; ops && i < args->given_count; ++i) tn_free(ops[i]);
  tn_free(ops);
  tn_free(only);
  tn_free(client);
  return result;
}

static const cli_option options[] = {
    {"list", NULL, "show the cases and what each asks of a plugin", 0},
    {"only", "PATTERN", "run the cases that fit, '*' for anything (repeat for more)", 0},
    {"face", "FACE", "pjrt, kernels or devices; default: all that the plugin has", 0},
    {"op", "PATTERN", "look at the kernels of ops that fit only (repeat for more)", 0},
    {"not-op", "PATTERN", "leave out the kernels of ops that fit (repeat for more)", 0},
    {"seed", "NUMBER", "of the random cases; default: another each time, always shown", 0},
    {"option", "NAME=VALUE", "for the plugin's client (repeat for more)", 0},
    {"time-limit", "SECONDS", "how long each case may take (default: 30)", 0},
    {"jobs", "NUMBER", "cases to run at the same time (default: 1)", 0},
    {"never", "FILE", "list of cases that can never work here: not run", 0},
    {"for-now", "FILE", "list of cases that fail for now: one that passes is an error", 0},
    {"junit", "FILE", "write the results as JUnit XML too; - for standard output alone", 0},
    {NULL, NULL, NULL, 0},
};

const cli_command cli_check = {
    "check",
    "run the conformance cases on a plugin, each in a process of its own",
    "PLUGIN.so [--only PATTERN]...",
    options,
    "  tenon check ./libclip01.so                            all cases, as TAP\n"
    "  tenon check pjrt_plugin.so --only 'pjrt.events.*'     some of them\n"
    "  tenon check pjrt_plugin.so --for-now known.txt --junit results.xml\n"
    "  tenon check ./libmine.so --not-op 'MyFft*'            all but some kernels\n"
    "  tenon check --list                                    what is checked\n",
    run,
};
