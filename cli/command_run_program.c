// tenon run PROGRAM: a program on arrays from files, on a PJRT plugin.

#include <string.h>
#include <time.h>

#include "arrays.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "doctor/window.h"
#include "interrupts.h"
#include "progress.h"
#include "run.h"
#include "tenon/pjrt_session.h"

enum {
  MOST_PROGRAM_BYTES = 1 << 30,
  NAME_WIDTH = 12,
  MOST_WEEKS = 5200,
  MOST_MINOR = 9999,
  MOST_NAMED = 8
};

// What the user asks for.
typedef struct request {
  const cli_args* args;
  const char *program, *plugin, *format;
  tn_pjrt_values* values;
  tn_pjrt_open_options open;
  tn_pjrt_session_options session;
} request;

// What is known by the end.
typedef struct outcome {
  tn_pjrt_session_facts facts;
  uint64_t start_ns, compile_ns;
  tn_pjrt_timing timing;
  bool timed;
  cli_arrays outputs;
} outcome;

bool cli_is_program(const cli_args* args) {
  if (!args->word_count) return false;
  const char* word = args->words[0];
  return !cli_ends_with(word, ".npy") && !cli_ends_with(word, ".npz") && !strstr(word, ".npz:");
}

const char* cli_program_option(const cli_args* args) {
  static const cli_option options[] = {CLI_PROGRAM_OPTIONS};
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
    if (cli_has(args, options[i].name)) return options[i].name;
  return NULL;
}

// ---- What is asked for ----

static int find_plugin(const cli_args* args, request* request) {
  for (size_t i = 0; i < args->given_count; ++i) {
    if (strcmp(args->given[i].name, "plugin") != 0) continue;
    if (request->plugin)
      return cli_misused(args, "a program runs on one plugin; found %s and %s", request->plugin,
                         args->given[i].value);
    request->plugin = args->given[i].value;
  }
  if (!request->plugin)
    return cli_misused(args,
                       "'%s' is a program; name the PJRT plugin that is to run it: --plugin FILE "
                       "(single ops run without: --op NAME)",
                       request->program);
  return CLI_OK;
}

static int read_policy(const cli_args* args, request* request) {
  const char* host = cli_value(args, "as-host");
  const char* weeks = cli_value(args, "window");
  long number;
  int64_t day;
  if (host) {
    if (strncmp(host, "0.", 2) != 0 || !cli_number(host + 2, 1, MOST_MINOR, &number))
      return cli_misused(args, "--as-host %s: expected a PJRT number, 0.N", host);
    request->open.as_host = (int32_t)number;
  }
  if (weeks) {
    if (!cli_number(weeks, 1, MOST_WEEKS, &number))
      return cli_misused(args, "--window %s: expected whole weeks", weeks);
    request->open.policy = TN_PJRT_WINDOW;
    request->open.window_weeks = (uint32_t)number;
  }
  request->open.as_of = cli_value(args, "as-of");
  if (request->open.as_of && !weeks)
    return cli_misused(args, "--as-of goes with --window: --window WEEKS --as-of DATE");
  if (request->open.as_of && !tn_day_parse(request->open.as_of, &day))
    return cli_misused(args, "--as-of %s is no day; write 2026-11-15", request->open.as_of);
  if (cli_has(args, "equal")) {
    if (weeks) return cli_misused(args, "--window and --equal exclude each other");
    request->open.policy = TN_PJRT_EQUAL;
  }
  return CLI_OK;
}

// What the plugin's client is given. Values that cannot be read are not understood.
static int read_options(const cli_args* args, request* request) {
  request->session.client = request->values = tn_pjrt_values_create();
  tn_status* status = tn_status_create();
  int wrong = CLI_OK;
  if (!request->values) {
    tn_status_set_no_memory(status, "reading --option");
    wrong = cli_failed(args, status);
  }
  for (size_t i = 0; !wrong && i < args->given_count; ++i)
    if (strcmp(args->given[i].name, "option") == 0 &&
        !tn_pjrt_values_set_text(request->values, args->given[i].value, status))
      wrong = cli_misused(args, "--option %s: %s", args->given[i].value, tn_status_message(status));
  tn_status_destroy(status);
  return wrong;
}

static int read_format(const cli_args* args, request* request) {
  static const char* const formats[] = {"mlir", "hlo", "hlo_with_config"};
  const char* given = cli_value(args, "format");
  const bool named_hlo =
      cli_ends_with(request->program, ".hlo") || cli_ends_with(request->program, ".hlo.pb");
  request->format = given ? given : named_hlo ? "hlo" : "mlir";
  for (size_t i = 0; i < sizeof formats / sizeof *formats; ++i)
    if (strcmp(request->format, formats[i]) == 0) return CLI_OK;
  return cli_misused(args, "--format %s: expected mlir, hlo or hlo_with_config", given);
}

static int read_request(const cli_args* args, request* request) {
  request->args = args;
  request->program = args->words[0];
  request->open = TN_INIT(tn_pjrt_open_options);
  request->session = TN_INIT(tn_pjrt_session_options);
  int wrong = find_plugin(args, request);
  if (!wrong) wrong = read_policy(args, request);
  if (!wrong) wrong = read_options(args, request);
  if (!wrong) wrong = read_format(args, request);
  if (wrong) return wrong;
  for (size_t i = 0; i < args->given_count; ++i)
    if (strcmp(args->given[i].name, "attr") == 0 ||
        strcmp(args->given[i].name, "allow-cpu-fallback") == 0)
      return cli_misused(args, "--%s is for ops: --op NAME", args->given[i].name);
  const char* device = cli_value(args, "device");
  long number = 0;
  if (device && !cli_number(device, 0, MOST_MINOR, &number))
    return cli_misused(args, "--device %s: of a program, the number of a device, from 0", device);
  request->session.device = (int32_t)number;
  const char* limit = cli_value(args, "time-limit");
  if (limit && cli_number(limit, 1, CLI_MOST_SECONDS, &number)) {
    request->open.time_limit_ms = (uint32_t)number * 1000;
    request->session.time_limit_ms = (uint32_t)number * 1000;
  }
  request->session.isolate = cli_has(args, "isolate");
  if (limit && !request->session.isolate)
    return cli_misused(args, "--time-limit %s: a program has a limit only with --isolate", limit);
  request->session.open = &request->open;
  return CLI_OK;
}

// ---- What is told ----

static const char* show_time(uint64_t ns, char out[24]) {
  const double us = (double)ns / 1e3;
  if (us < 1e3)
    snprintf(out, 24, "%.1f us", us);
  else if (us < 1e5)
    snprintf(out, 24, "%.1f ms", us / 1e3);
  else if (us < 1e6)
    snprintf(out, 24, "%.0f ms", us / 1e3);
  else
    snprintf(out, 24, "%.2f s", us / 1e6);
  return out;
}

static void label(const char* name) {
  printf("%s%s%s%*s", cli_bold(), name, cli_plain(), NAME_WIDTH - (int)strlen(name), "");
}

static void print_plugin(const request* request, const tn_pjrt_session_facts* facts) {
  label("plugin");
  cli_say("%s, PJRT %d.%d ", cli_base_name(request->plugin), facts->major, facts->minor);
  if (request->open.as_host)
    printf("(this host acts as 0.%d)", request->open.as_host);
  else
    printf("(this host knows up to 0.%d)", tn_pjrt_newest_known());
  if (*facts->stablehlo) cli_say(", StableHLO up to %s", facts->stablehlo);
  putchar('\n');
  label("device");
  printf("%d: ", request->session.device);
  cli_print_foreign(facts->device, stdout);
  putchar('\n');
  fflush(stdout);
}

static void print_times(const outcome* outcome) {
  const tn_pjrt_timing* timing = &outcome->timing;
  char a[24], b[24], c[24];
  label("run");
  printf("first %s, then %s per call (", show_time(timing->first, a),
         show_time(timing->per_call, b));
  if (timing->calls >= 1000)
    printf("%u,%03u", timing->calls / 1000, timing->calls % 1000);
  else
    printf("%u", timing->calls);
  printf(" calls, p99 %s)\n", show_time(timing->p99, c));
  printf("%*s%s per call when they are not waited for\n", NAME_WIDTH, "",
         show_time(timing->in_a_row, a));
}

static bool print_json(const request* request, const outcome* outcome, tn_status* status) {
  const tn_pjrt_session_facts* facts = &outcome->facts;
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  char number[32];
  snprintf(number, sizeof number, "%d.%d", facts->major, facts->minor);
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/run-program/1");
  tn_json_string(&json, "program", request->program);
  tn_json_string(&json, "plugin", request->plugin);
  tn_json_string(&json, "pjrt", number);
  tn_json_string(&json, "stablehlo", facts->stablehlo);
  tn_json_string(&json, "platform", facts->platform);
  tn_json_string(&json, "platform_version", facts->platform_version);
  tn_json_int(&json, "device", request->session.device);
  tn_json_string(&json, "device_kind", facts->device);
  tn_json_string(&json, "notes", facts->notes);
  tn_json_int(&json, "start_ns", (int64_t)outcome->start_ns);
  tn_json_int(&json, "compile_ns", (int64_t)outcome->compile_ns);
  if (outcome->timed) {
    const tn_pjrt_timing* timing = &outcome->timing;
    tn_json_begin_object(&json, "time");
    tn_json_int(&json, "first_ns", (int64_t)timing->first);
    tn_json_int(&json, "calls", timing->calls);
    tn_json_int(&json, "per_call_ns", (int64_t)timing->per_call);
    tn_json_int(&json, "p50_ns", (int64_t)timing->p50);
    tn_json_int(&json, "p99_ns", (int64_t)timing->p99);
    tn_json_int(&json, "in_a_row_ns", (int64_t)timing->in_a_row);
    tn_json_end_object(&json);
  }
  cli_arrays_json(&outcome->outputs, &json);
  return cli_print_document(&json, status);
}

// ---- What is done ----

// Around each stage in which the plugin's code runs.
typedef struct stage {
  int kept;
} stage;

static stage begin(const request* request, const char* name, const char* doing) {
  cli_last_words("tenon run: %s, while it %s, ", request->plugin, doing);
  cli_progress_begin(name);
  return (stage){cli_divert_output()};
}

static void end(stage stage) {
  cli_restore_output(stage.kept);
  cli_progress_end();
  cli_no_last_words();
}

// A plugin that breaks an invariant, by its own words or by ours, is at fault.
static void blame(tn_status* status) {
  if (tn_status_code(status) == TN_INTERNAL && tn_status_fault(status) == TN_FAULT_UNSAID)
    tn_status_set_fault(status, TN_FAULT_PLUGIN);
}

// What the plugin was given when it refused, by the names that the user knows.
static void name_files(const request* request, tn_status* status) {
  const cli_args* args = request->args;
  if (tn_status_fault(status) == TN_FAULT_PLUGIN) return;
  tn_text text = {0};
  tn_text_printf(&text, "in %s with ", request->program);
  for (size_t i = 1; i < args->word_count && i <= MOST_NAMED; ++i)
    tn_text_printf(&text, "%s%s", i > 1 ? ", " : "", args->words[i]);
  if (args->word_count < 2) tn_text_puts(&text, "no inputs");
  if (args->word_count > MOST_NAMED + 1) tn_text_puts(&text, ", ...");
  if (!text.failed) tn_status_annotate(status, "%s", text.data);
  tn_text_deinit(&text);
}

static bool compile_and_run(tn_pjrt_session* session, const request* request, tn_view code,
                            const cli_arrays* inputs, bool quiet, outcome* outcome,
                            tn_status* status) {
  tn_pjrt_compile_options options = TN_INIT(tn_pjrt_compile_options);
  options.format = request->format;
  stage stage = begin(request, "compile", "compiled the program");
  const int64_t begun = tn_clock_ns();
  const int program = tn_pjrt_session_compile(session, code.data, code.size, &options, status);
  outcome->compile_ns = (uint64_t)(tn_clock_ns() - begun);
  end(stage);
  blame(status);
  if (program < 0) {
    if (tn_status_fault(status) != TN_FAULT_PLUGIN)
      tn_status_annotate(status, "in %s", request->program);
    return false;
  }
  if (!quiet) {
    char text[24];
    label("compile");
    printf("%s\n", show_time(outcome->compile_ns, text));
    fflush(stdout);
  }
  const size_t count = (size_t)tn_pjrt_session_output_count(session, program);
  if (!cli_arrays_init(&outcome->outputs, count, status)) return false;
  outcome->timing = TN_INIT(tn_pjrt_timing);
  stage = begin(request, "run", "ran the program");
  const bool ran =
      tn_pjrt_session_run(session, program, inputs->items, inputs->count, outcome->outputs.items,
                          count, outcome->timed ? &outcome->timing : NULL, status);
  end(stage);
  blame(status);
  if (!ran) name_files(request, status);
  if (ran) outcome->outputs.count = count;
  return ran;
}

static bool is_empty(const request* request, tn_status* status) {
  tn_status_set(status, TN_INVALID_ARGUMENT, "%s is empty; a program was expected",
                request->program);
  return false;
}

// The session ends before anything is told of the outputs: what a plugin does then is its own.
static bool run(const cli_args* args, request* request, outcome* outcome, tn_status* status) {
  const bool quiet = cli_has(args, "json");
  cli_arrays inputs = {0};
  tn_text code = {0};
  const char* target = cli_value(args, "out");
  bool ok = (!target || cli_arrays_check_target(target, status)) &&
            tn_file_read(request->program, MOST_PROGRAM_BYTES, &code, status) &&
            (code.size > 0 || is_empty(request, status));
  for (size_t i = 1; ok && i < args->word_count; ++i)
    ok = cli_arrays_read(&inputs, args->words[i], status);
  tn_pjrt_session* session = NULL;
  if (ok) {
    stage stage = begin(request, "plugin", "was opened and its client made");
    const int64_t begun = tn_clock_ns();
    session = tn_pjrt_session_start(request->plugin, &request->session, status);
    outcome->start_ns = (uint64_t)(tn_clock_ns() - begun);
    end(stage);
    outcome->facts = TN_INIT(tn_pjrt_session_facts);
    ok = session && tn_pjrt_session_tell(session, &outcome->facts, status);
  }
  if (ok && !quiet) print_plugin(request, &outcome->facts);
  outcome->timed = cli_has(args, "time");
  ok =
      ok && compile_and_run(session, request, tn_text_view(&code), &inputs, quiet, outcome, status);
  struct cli_interrupts* interrupts = &cli_interrupts;
  interrupts->writing = ok && target;
  ok = ok && (!target || cli_arrays_write(&outcome->outputs, target, status));
  interrupts->writing = 0;
  if (ok && !interrupts->interrupted) {
    if (!quiet && outcome->timed) print_times(outcome);
    ok = quiet ? print_json(request, outcome, status)
               : cli_arrays_print(&outcome->outputs, NAME_WIDTH, status);
    fflush(stdout);
  }
  stage stage = begin(request, "plugin", "was left");
  tn_pjrt_session_stop(session);
  end(stage);
  tn_text_deinit(&code);
  cli_arrays_deinit(&inputs);
  return ok;
}

// Which option helps, where one does.
static void hint(const request* request, tn_status* status) {
  if (tn_status_code(status) == TN_DEADLINE_EXCEEDED)
    tn_status_annotate(status, "--time-limit SECONDS gives it more time");
  if (strstr(tn_status_message(status), "it exports no GetPjrtApi") &&
      strstr(tn_status_message(status), "TensorFlow's plugins"))
    tn_status_annotate(status, "an op of it runs with: tenon run --op NAME --plugin %s",
                       request->plugin);
}

static int failed(const cli_args* args, const request* request, tn_status* status) {
  blame(status);
  // What only the library can judge of the options, and says of its struct.
  static const char about_options[] = "tn_pjrt_open_options: ";
  const size_t size = sizeof about_options - 1;
  if (request->open.as_host && strncmp(tn_status_message(status), about_options, size) == 0)
    return cli_misused(args, "--as-host 0.%d: %s", request->open.as_host,
                       tn_status_message(status) + size);
  hint(request, status);
  return cli_failed(args, status);
}

int cli_run_program(cli_args* args) {
  request request = {0};
  int exit_code = read_request(args, &request);
  if (exit_code != CLI_OK) {
    tn_pjrt_values_destroy(request.values);
    return exit_code;
  }
  outcome outcome = {0};
  tn_status* status = tn_status_create();
  cli_interrupts_heed();
  if (!run(args, &request, &outcome, status)) {
    exit_code = failed(args, &request, status);
  } else if (cli_interrupts.interrupted) {
    fprintf(stderr, "tenon run: interrupted while writing the outputs of %s\n", request.program);
    exit_code = CLI_INTERRUPTED;
  }
  cli_interrupts_restore();
  cli_arrays_deinit(&outcome.outputs);
  tn_pjrt_values_destroy(request.values);
  tn_status_destroy(status);
  return exit_code;
}
