// tenon abi: was a change of an interface legal, and who supports which number? What reads headers
// is another program, tenon-abi; the rest is here.

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "command.h"
#include "doctor/inspect.h"
#include "doctor/pair.h"
#include "doctor/window.h"

enum { LEGAL = 0, NO_VERDICT = 2, MAX_FEATURES = TN_WINDOW_LINES - 4 };

// Hands the request over to tenon-abi, which lies beside this program.
static int run_reader(const cli_args* args) {
  static const char* const here[] = {".", NULL};
  char folder[4096], program[4200];
  if (!cli_find_folder(here, "tenon-abi", folder)) {
    fputs(
        "tenon abi: this installation has no tenon-abi, which reads headers with libclang; install "
        "libclang-dev and build Tenon again\n",
        stderr);
    return NO_VERDICT;
  }
  snprintf(program, sizeof program, "%s/tenon-abi", folder);
  char** arguments = tn_alloc_zeroed(args->word_count + args->given_count + 2, sizeof *arguments);
  size_t count = 0;
  bool whole = arguments != NULL;
  if (whole) arguments[count++] = program;
  for (size_t i = 0; whole && i < args->word_count; ++i) arguments[count++] = args->words[i];
  for (size_t i = 0; whole && i < args->given_count; ++i) {
    const char* value = args->given[i].value;
    arguments[count] =
        tn_printf("--%s%s%s", args->given[i].name, value ? "=" : "", value ? value : "");
    whole = arguments[count++] != NULL;
  }
  fflush(stdout);
  if (whole) execv(program, arguments);
  perror("tenon abi: tenon-abi");
  return NO_VERDICT;
}

// "0.54" into its two parts.
static bool read_number(const char* text, int* major, int* minor) {
  char rest;
  return sscanf(text, "%9d.%9d%c", major, minor, &rest) == 2 && *major >= 0 && *minor >= 0;
}

static void print_answer(const tn_window_question* question, const tn_window_answer* answer) {
  char first[TN_DAY_TEXT], last[TN_DAY_TEXT];
  printf("%s%s%s  PJRT %d.%d, window of %d weeks\n", cli_bold(),
         tn_window_verdict_name(answer->verdict), cli_plain(), question->major, question->minor,
         question->weeks);
  for (size_t i = 0; i < answer->line_count; ++i)
    printf("  %-14s %-14s %s\n", answer->lines[i].source,
           tn_window_verdict_name(answer->lines[i].verdict), answer->lines[i].text);
  if (answer->first_day != INT64_MAX)
    printf("  %-14s %s to %s\n", "supported by", tn_day_text(answer->first_day, first),
           answer->last_day == INT64_MAX ? "today" : tn_day_text(answer->last_day, last));
  printf("  %-14s %s\n", "in reality", answer->shipped);
  if (answer->update != TN_SIDE_NONE)
    printf("  %-14s the %s\n", "must update", tn_window_side_name(answer->update));
}

static void json_answer(const tn_window_question* question, const tn_window_answer* answer) {
  char day[TN_DAY_TEXT];
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/abi-window/1");
  snprintf(day, sizeof day, "%d.%d", question->major, question->minor);
  tn_json_string(&json, "number", day);
  tn_json_int(&json, "weeks", question->weeks);
  tn_json_string(&json, "verdict", tn_window_verdict_name(answer->verdict));
  tn_json_string(&json, "must_update", tn_window_side_name(answer->update));
  tn_json_bool(&json, "beyond_tables", answer->beyond_tables);
  tn_json_string(&json, "since",
                 answer->first_day == INT64_MAX ? NULL : tn_day_text(answer->first_day, day));
  tn_json_string(&json, "until",
                 answer->last_day == INT64_MAX ? NULL : tn_day_text(answer->last_day, day));
  tn_json_string(&json, "in_reality", answer->shipped);
  tn_json_begin_array(&json, "sources");
  for (size_t i = 0; i < answer->line_count; ++i) {
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "source", answer->lines[i].source);
    tn_json_string(&json, "verdict", tn_window_verdict_name(answer->lines[i].verdict));
    tn_json_string(&json, "must_update", tn_window_side_name(answer->lines[i].update));
    tn_json_string(&json, "text", answer->lines[i].text);
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  if (text.data) puts(text.data);
  tn_text_deinit(&text);
}

// What a plugin file says of itself, as far as the window asks.
typedef struct plugin_facts {
  int major, minor;
  char current[32], minimum[32];  // StableHLO versions, with dots
  int extensions[64];
  size_t extension_count;
  bool has_extensions;
} plugin_facts;

static void join_dots(const char* numbers, char out[32]) {
  snprintf(out, 32, "%s", numbers);
  for (char* c = out; *c; ++c)
    if (*c == ' ') *c = '.';
}

static void take_fact(const char* key, const char* value, void* arg) {
  plugin_facts* facts = arg;
  if (strcmp(key, "pjrt_version") == 0) read_number(value, &facts->major, &facts->minor);
  if (strcmp(key, "attribute.stablehlo_current_version") == 0) join_dots(value, facts->current);
  if (strcmp(key, "attribute.stablehlo_minimum_version") == 0) join_dots(value, facts->minimum);
  if (strcmp(key, "extensions") != 0) return;
  facts->has_extensions = true;
  for (const char* at = value; *at && facts->extension_count < 64;) {
    facts->extensions[facts->extension_count++] = atoi(at);
    at += strcspn(at, " ");
    at += *at == ' ';
  }
}

// Fills the question from the file, which is loaded in a child process.
static bool ask_file(const char* path, plugin_facts* facts, tn_window_question* question,
                     tn_status* status) {
  enum { LIMIT_MS = 60000 };
  facts->major = -1;
  if (!tn_inspect_loaded(path, LIMIT_MS, take_fact, facts, status)) return false;
  if (facts->major < 0) {
    tn_status_set(status, TN_FAILED_PRECONDITION, "%s reports no PJRT number", path);
    return false;
  }
  question->major = facts->major;
  question->minor = facts->minor;
  if (*facts->current && !question->plugin_stablehlo) question->plugin_stablehlo = facts->current;
  if (*facts->minimum) question->plugin_stablehlo_minimum = facts->minimum;
  if (facts->has_extensions) question->extensions = facts->extensions;
  question->extension_count = facts->extension_count;
  return true;
}

// The features that --feature names, as many as the answer has room for.
static bool read_features(const cli_args* args, tn_window_feature* features,
                          tn_window_question* question, tn_status* status) {
  question->features = features;
  for (size_t i = 0; i < args->given_count; ++i) {
    if (strcmp(args->given[i].name, "feature") != 0) continue;
    if (question->feature_count == MAX_FEATURES) {
      tn_status_set(status, TN_INVALID_ARGUMENT, "more than %d features", MAX_FEATURES);
      return false;
    }
    if (!tn_window_feature_parse(args->given[i].value, &features[question->feature_count++],
                                 status))
      return false;
  }
  return true;
}

static int window(cli_args* args, tn_status* status) {
  const char *plugin = cli_value(args, "plugin"), *as_of = cli_value(args, "as-of");
  const char *weeks = cli_value(args, "weeks"), *name = cli_value(args, "framework");
  const char* announced = cli_value(args, "announced");
  tn_window_question question = {.weeks = 12,
                                 .day = tn_day_today(),
                                 .major_announced = -1,
                                 .plugin_stablehlo = cli_value(args, "stablehlo"),
                                 .program_stablehlo = cli_value(args, "program")};
  long length;
  if (weeks && !cli_number(weeks, 1, 5200, &length))
    return cli_misused(args, "--weeks '%s' cannot be: weeks are 1 or more, and 5200 at most",
                       weeks);
  if (weeks) question.weeks = (int)length;
  question.major_day = question.day;
  tn_abi_release release;
  plugin_facts facts = {.extension_count = 0};
  if (!plugin) return cli_misused(args, "window needs the plugin's number or file: --plugin 0.54");
  if (as_of && !tn_day_parse(as_of, &question.day))
    return cli_misused(args, "--as-of '%s' is no day; write 2024-11-14", as_of);
  if (announced && !tn_day_parse(announced, &question.major_announced))
    return cli_misused(args, "--announced '%s' is no day; write 2024-11-14", announced);
  if (as_of) question.major_day = question.day;
  tn_window_feature features[MAX_FEATURES];
  if (!read_features(args, features, &question, status))
    return cli_misused(args, "%s", tn_status_message(status));
  if (!read_number(plugin, &question.major, &question.minor)) {
    if (access(plugin, F_OK) != 0)
      return cli_misused(args, "--plugin '%s' is neither a number such as 0.54 nor a file", plugin);
    if (!ask_file(plugin, &facts, &question, status)) {
      cli_failed(args, status);
      return NO_VERDICT;
    }
  }
  if (name) {
    if (!tn_abi_release_find(name, &release, status)) {
      cli_failed(args, status);
      return NO_VERDICT;
    }
    question.release = &release;
  }
  tn_window_answer answer;
  if (!tn_window_answer_get(&question, &answer, status)) {
    cli_failed(args, status);
    return NO_VERDICT;
  }
  cli_has(args, "json") ? json_answer(&question, &answer) : print_answer(&question, &answer);
  return answer.verdict == TN_WINDOW_NO ? 1 : LEGAL;
}

static void print_finding(const tn_pair_finding* finding, const char* host) {
  const bool trusted = finding->use == TN_USE_TRUSTED;
  printf("%-8s %s: ", trusted ? "CRASH" : finding->cut ? "CUT" : "REFUSED", finding->member);
  if (*finding->moved) {
    printf("%s (%s)\n", finding->moved, host);
  } else if (finding->cut) {
    puts(
        "the plugin's struct_size ends inside of it, and a host that asks only where it begins "
        "reads past the end");
  } else {
    printf("the plugin leaves it null, and %s %s\n", host,
           trusted ? "follows it without a look" : "refuses a plugin without it");
  }
}

static int pair(cli_args* args, tn_status* status) {
  if (args->word_count != 3)
    return cli_misused(args,
                       "pair takes a host and a plugin: tenon abi pair tensorflow==2.21 plugin.so");
  const tn_pair question = {args->words[1], args->words[2], cli_value(args, "create"),
                            cli_value(args, "layout")};
  if (question.layout && !question.create)
    return cli_misused(args, "--layout is of what --create makes: --create FUNCTION:STRUCT");
  tn_pair_findings findings = {0};
  if (!tn_pair_check(&question, &findings, status)) {
    cli_failed(args, status);
    tn_pair_findings_deinit(&findings);
    return NO_VERDICT;
  }
  if (cli_has(args, "json")) {
    tn_text text = {0};
    tn_json json = {.out = &text, .indent = 2};
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "schema", "tenon/abi-pair/1");
    tn_json_string(&json, "host", args->words[1]);
    tn_json_string(&json, "plugin", args->words[2]);
    tn_json_begin_array(&json, "findings");
    for (size_t i = 0; i < findings.count; ++i) {
      tn_json_begin_object(&json, NULL);
      tn_json_string(&json, "member", findings.items[i].member);
      tn_json_string(&json, "use", tn_member_use_name(findings.items[i].use));
      if (findings.items[i].cut) tn_json_bool(&json, "cut", true);
      if (*findings.items[i].moved) tn_json_string(&json, "moved", findings.items[i].moved);
      tn_json_end_object(&json);
    }
    tn_json_end_array(&json);
    tn_json_string(&json, "looked_at", findings.looked_at);
    tn_json_end_object(&json);
    if (text.data) puts(text.data);
    tn_text_deinit(&text);
  } else if (!*findings.looked_at) {
    printf("nothing to look at: %s fills no struct that %s is known to read\n", args->words[2],
           args->words[1]);
  } else {
    for (size_t i = 0; i < findings.count; ++i) print_finding(&findings.items[i], args->words[1]);
    printf("%zu finding%s, %zu of them dangerous; looked at %s\n", findings.count,
           findings.count == 1 ? "" : "s", findings.dangerous, findings.looked_at);
  }
  const int result = findings.count ? 1 : LEGAL;
  tn_pair_findings_deinit(&findings);
  return result;
}

static int run(cli_args* args) {
  const char* word = args->word_count ? args->words[0] : "";
  if (strcmp(word, "check") == 0 || strcmp(word, "layout") == 0 || strcmp(word, "import") == 0)
    return run_reader(args);
  const bool is_pair = strcmp(word, "pair") == 0;
  if (!is_pair && strcmp(word, "window") != 0)
    return cli_misused(args,
                       *word ? "check, import, layout, pair or window is expected, found '%s'"
                             : "check, import, layout, pair or window is expected%s",
                       word);
  if (!is_pair && args->word_count > 1)
    return cli_misused(args, "window takes no '%s'", args->words[1]);
  tn_status* status = tn_status_create();
  const int result = is_pair ? pair(args, status) : window(args, status);
  tn_status_destroy(status);
  return result;
}

static const cli_option options[] = {
    {"policy", "NAME", "check: the rules, pjrt (default), tf or a file", 0},
    {"changelog", "FILE", "check: must have a dated entry for the new number", 0},
    {"include", "DIR", "check, layout: where headers are looked for (also -I DIR)", 'I'},
    {"cflags", "FLAGS", "check, layout: for the compiler, separated by blanks", 0},
    {"github", NULL, "check: print what GitHub shows on the line", 0},
    {"create", "F:STRUCT", "pair: the plugin's function F() makes the STRUCT to look at", 0},
    {"layout", "FILE", "pair: has that struct's layout (else its debug information)", 0},
    {"plugin", "NUMBER", "window: the plugin's PJRT number, 0.54, or its file", 0},
    {"framework", "NAME", "window: a release, jaxlib==0.6.2 or tensorflow==2.21", 0},
    {"as-of", "DATE", "window: any framework released on that day (today)", 0},
    {"weeks", "N", "window: its length in weeks, 6 or 12 (12)", 0},
    {"stablehlo", "VERSION", "window: the newest that the plugin reads; import: NEWEST,OLDEST", 0},
    {"program", "VERSION", "window: the StableHLO version of the program", 0},
    {"announced", "DATE", "window: when a new major was announced", 0},
    {"feature", "FEATURE", "window: judge it too: NAME@0.113:optional, NAME:experimental,...", 0},
    {"data", "DIR", "import: the tables to extend (data/abi of the checkout it runs in)", 0},
    {"date", "DATE", "import: the day of the number or the release", 0},
    {"wheel-date", "DATE", "import: of the newest file in a wheel that was unpacked", 0},
    {"commit", "ID", "import: the commit that a header was taken from", 0},
    {"pjrt", "NUMBER", "import: the PJRT number of a jaxlib, which its files do not tell", 0},
    {NULL, NULL, NULL, 0},
};

const cli_command cli_abi = {
    "abi",
    "judge changes of an interface, and which framework supports which number",
    "check OLD NEW | layout SOURCE | pair HOST PLUGIN | window --plugin NUMBER | import SOURCE",
    options,
    "  tenon abi check old/api.h new/api.h --changelog CHANGELOG.md\n"
    "  tenon abi check baseline.json api.h --policy tf -I include\n"
    "  tenon abi check pjrt==0.90 pjrt_c_api.h\n"
    "  tenon abi layout api.h > baseline.json\n"
    "  tenon abi pair tensorflow==2.21 libmyplugin.so\n"
    "  tenon abi pair seed==v4+deprecated+validate libmyplugin.so\n"
    "  tenon abi pair my.contract libmyplugin.so --create My_CreateDevice:My_Device\n"
    "  tenon abi window --plugin 0.54 --framework jaxlib==0.6.2\n"
    "  tenon abi import pjrt_c_api.h --date 2026-09-09\n"
    "  tenon abi import tensorflow_cpu-2.22.0-cp313-cp313-linux_x86_64.whl --date 2026-12-01\n"
    "  tenon abi window --plugin 0.112 --as-of 2026-11-01 --weeks 6\n"
    "  tenon abi window --plugin 0.112 --feature streams:experimental,framework=3\n",
    run,
};
