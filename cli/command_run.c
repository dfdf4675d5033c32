// tenon run: one op on arrays from files. (A program on them: command_run_program.c.)

#include <string.h>
#include <unistd.h>

#include "arrays.h"
#include "base/memory.h"
#include "interrupts.h"
#include "run.h"

static bool set_attrs(const cli_args* args, tn_call* call, tn_status* status) {
  for (size_t i = 0; i < args->given_count; ++i) {
    if (strcmp(args->given[i].name, "attr") != 0) continue;
    const char* value = args->given[i].value;
    const char* equals = strchr(value, '=');
    char* name = tn_strndup(value, (size_t)(equals - value));
    bool set = name && tn_call_set_attr(call, name, equals + 1, status);
    if (!name) tn_status_set_no_memory(status, "reading --attr");
    tn_free(name);
    if (!set) return false;
  }
  return true;
}

typedef struct run_result {
  const char* op;
  const char* device;
  const char* kernel;
  const char* origin;
  cli_arrays outputs;
} run_result;

static bool print_result(const run_result* result, tn_status* status) {
  printf("%s%s%s  kernel '", cli_bold(), result->op, cli_plain());
  cli_print_foreign(result->kernel, stdout);
  printf("' of %s on %s\n", cli_base_name(result->origin), result->device);
  return cli_arrays_print(&result->outputs, 0, status);
}

static bool print_json(const run_result* result, tn_status* status) {
  tn_text text = {0};
  tn_json json = {.out = &text, .indent = 2};
  tn_json_begin_object(&json, NULL);
  tn_json_string(&json, "schema", "tenon/run/1");
  tn_json_string(&json, "op", result->op);
  tn_json_string(&json, "device", result->device);
  tn_json_string(&json, "kernel", result->kernel);
  tn_json_string(&json, "origin", result->origin);
  cli_arrays_json(&result->outputs, &json);
  return cli_print_document(&json, status);
}

// The outputs in host memory, where they can be read.
static bool bring_home(cli_arrays* outputs, tn_status* status) {
  for (size_t i = 0; i < outputs->count; ++i) {
    tn_tensor* home = tn_tensor_to_host(outputs->items[i], status);
    if (!home) return false;
    tn_tensor_destroy(outputs->items[i]);
    outputs->items[i] = home;
  }
  return true;
}

// Looks the kernel up, runs it, keeps the outputs in `result`.
static bool run_call(tn_call* call, const cli_arrays* inputs, run_result* result,
                     tn_status* status) {
  cli_last_words("tenon run: a kernel of %s, while it was made, ", result->op);
  int count = tn_call_output_count(call, inputs->items, inputs->count, status);
  if (count < 0 || !cli_arrays_init(&result->outputs, (size_t)count, status)) return false;
  result->origin = tn_call_kernel_origin(call, inputs->items, inputs->count, status);
  result->kernel = tn_call_kernel_name(call, inputs->items, inputs->count, status);
  const tn_device* device = tn_call_device(call, inputs->items, inputs->count, status);
  if (!result->origin || !result->kernel || !device) return false;
  if (device == tn_device_at(0)) result->device = "CPU";  // a fallback is to be seen
  cli_last_words("tenon run: kernel '%s' of %s, computing %s, ", result->kernel, result->origin,
                 result->op);
  const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE,
                                   .cancel = cli_interrupts.cancel};
  if (!tn_call_run_with(call, inputs->items, inputs->count, result->outputs.items, (size_t)count,
                        &options, status))
    return false;
  result->outputs.count = (size_t)count;
  return bring_home(&result->outputs, status);
}

// Which option helps, where one does.
static void hint(const cli_args* args, const run_result* result, tn_status* status) {
  if (strncmp(tn_status_message(status), "No registered", 13) == 0 &&
      strcmp(result->device, "CPU") != 0 && !cli_has(args, "allow-cpu-fallback"))
    tn_status_annotate(status, "--allow-cpu-fallback runs on the CPU what the device cannot");
}

static int run(cli_args* args) {
  const char* op = cli_value(args, "op");
  if (!op && cli_is_program(args)) return cli_run_program(args);
  if (!op)
    return cli_misused(args,
                       "name the op to run, --op NAME (`tenon ops` lists them), or a program and "
                       "its plugin: PROGRAM.mlir INPUT... --plugin FILE");
  const char* stray = cli_program_option(args);
  if (stray) return cli_misused(args, "--%s is for programs; --op runs one op", stray);
  for (size_t i = 0; i < args->given_count; ++i) {
    const char* value = args->given[i].value;
    if (strcmp(args->given[i].name, "attr") == 0 && (!strchr(value, '=') || value[0] == '='))
      return cli_misused(args, "--attr %s: expected NAME=VALUE", value);
  }

  run_result result = {.op = op, .device = cli_value(args, "device")};
  if (!result.device) result.device = "CPU";
  tn_status* status = tn_status_create();
  cli_arrays inputs = {0};
  tn_call* call = NULL;
  struct cli_interrupts* interrupts = &cli_interrupts;
  cli_interrupts_heed();
  const char* target = cli_value(args, "out");
  bool ok = (!target || cli_arrays_check_target(target, status)) && cli_load_plugins(args, status);
  for (size_t i = 0; ok && i < args->word_count; ++i)
    ok = cli_arrays_read(&inputs, args->words[i], status);
  if (ok) {
    const int kept = cli_divert_output();
    cli_last_words_of_opening(args, tn_device_find(result.device, NULL));
    call = tn_call_create(op, result.device, status);
    cli_no_last_words();
    cli_restore_output(kept);
  }
  if (call && cli_has(args, "allow-cpu-fallback")) ok = tn_call_allow_cpu_fallback(call, status);
  ok = call && set_attrs(args, call, status) && (interrupts->cancel = tn_cancel_create(status));
  if (ok) {
    int stdout_kept = cli_divert_output();
    interrupts->computing = interrupts->writing = 1;
    ok = run_call(call, &inputs, &result, status);
    interrupts->computing = 0;
    alarm(0);
    cli_restore_output(stdout_kept);
  }
  const char* doing = target && result.outputs.count ? "writing the outputs of" : "computing";
  ok = ok &&
       (!target || interrupts->interrupted || cli_arrays_write(&result.outputs, target, status));
  int exit_code = CLI_INTERRUPTED;
  if (interrupts->interrupted) {
    fprintf(stderr, "tenon run: interrupted while %s %s\n", doing, op);
  } else {
    interrupts->writing = 0;  // what is printed may end in the middle
    ok =
        ok && (cli_has(args, "json") ? print_json(&result, status) : print_result(&result, status));
    fflush(stdout);
    if (!ok) hint(args, &result, status);
    exit_code = ok ? CLI_OK : cli_failed(args, status);
  }

  cli_arrays_deinit(&result.outputs);
  tn_call_destroy(call);
  cli_interrupts_restore();
  tn_cancel_destroy(interrupts->cancel);
  cli_arrays_deinit(&inputs);
  tn_status_destroy(status);
  cli_no_last_words();
  return exit_code;
}

static const cli_option options[] = {
    {"op", "NAME", "the op to run", 0},
    {"attr", "NAME=VALUE", "set an attribute: true, 3, float32, [1, 2], SAME", 0},
    {"out", "PLACE", "write to this folder (out0.npy, ...), .npz or .npy instead of printing", 0},
    {"device", "NAME",
     "where to run (default: CPU); `tenon devices` lists them; of a program, a number", 0},
    {"allow-cpu-fallback", NULL, "run on the CPU what the device has no kernel for", 0},
    CLI_PLUGIN_OPTIONS,
    CLI_PROGRAM_OPTIONS,
    {NULL, NULL, NULL, 0},
};

const cli_command cli_run = {
    "run",
    "run an op, or a program on a PJRT plugin, on arrays from .npy and .npz files",
    "--op NAME [INPUT...] [--attr NAME=VALUE]... [--plugin FILE]... [--out PLACE]\n"
    "       tenon run PROGRAM [INPUT...] --plugin FILE [--option NAME=VALUE]... [--time] [--out "
    "PLACE]",
    options,
    "  tenon run --op MatMul a.npy b.npy --attr transpose_b=true\n"
    "  tenon run --op AddV2 xs.npz:left xs.npz:right --out results\n"
    "  tenon run --op Relu x.npy --plugin ./libmydevice.so --device MY_DEVICE:0\n"
    "  tenon run --op Gelu x.npy --plugin libitex_cpu.so --attr approximate=true\n"
    "  tenon run block.mlirbc x.npy --plugin xla_cuda_plugin.so --time --out results\n",
    run,
};
