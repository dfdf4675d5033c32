// tenon run: one op on arrays from files.

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "command.h"

typedef struct arrays {
  tn_tensor** items;
  size_t count, capacity;
} arrays;

static void arrays_deinit(arrays* list) {
  for (size_t i = 0; i < list->count; ++i) tn_tensor_destroy(list->items[i]);
  tn_free(list->items);
  *list = (arrays){0};
}

// Takes `tensor`; false when it is NULL or there is no memory for it.
static bool arrays_add(arrays* list, tn_tensor* tensor, tn_status* status) {
  if (!tensor) return false;
  if (!tn_grow(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
    tn_tensor_destroy(tensor);
    tn_status_set_no_memory(status, "reading the inputs");
    return false;
  }
  list->items[list->count++] = tensor;
  return true;
}

static bool ends_with(const char* text, const char* end) {
  size_t size = strlen(text), end_size = strlen(end);
  return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

// "x.npy", "xs.npz" (all of its arrays, in its order) or "xs.npz:name".
static bool read_input(const char* word, arrays* inputs, tn_status* status) {
  const char* member = strstr(word, ".npz:");
  if (!member && !ends_with(word, ".npz"))
    return arrays_add(inputs, tn_npy_read(word, status), status);

  size_t path_size = member ? (size_t)(member - word) + 4 : strlen(word);
  char* path = tn_strndup(word, path_size);
  tn_npz* archive = path ? tn_npz_open(path, status) : NULL;
  bool ok = archive != NULL;
  if (!path) tn_status_set_no_memory(status, "reading the inputs");
  if (ok && member) {
    ok = arrays_add(inputs, tn_npz_read(archive, member + 5, status), status);
  } else if (ok) {
    for (size_t i = 0; ok && i < tn_npz_count(archive); ++i)
      ok = arrays_add(inputs, tn_npz_read(archive, tn_npz_name(archive, i), status), status);
  }
  tn_npz_close(archive);
  tn_free(path);
  return ok;
}

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

static void print_shape(const tn_tensor* tensor) {
  putchar('[');
  for (int i = 0; i < tn_tensor_rank(tensor); ++i)
    printf("%s%lld", i ? ", " : "", (long long)tn_tensor_dim(tensor, i));
  putchar(']');
}

typedef struct run_result {
  const char* op;
  const char* device;
  const char* kernel;
  const char* origin;
  tn_tensor** outputs;
  size_t output_count;
  char** files;  // NULL unless --out was given
} run_result;

static bool print_result(const run_result* result, tn_status* status) {
  printf("%s%s%s  kernel '", cli_bold(), result->op, cli_plain());
  cli_print_foreign(result->kernel, stdout);
  printf("' of %s on %s\n", cli_base_name(result->origin), result->device);
  for (size_t i = 0; i < result->output_count; ++i) {
    const tn_tensor* tensor = result->outputs[i];
    printf("%sout%zu%s  %s ", cli_bold(), i, cli_plain(), cli_dtype_name(tn_tensor_dtype(tensor)));
    print_shape(tensor);
    if (result->files) {
      printf(" -> %s\n", result->files[i]);
    } else {
      putchar('\n');
      if (!tn_tensor_write_text(tensor, stdout, status)) return false;
      putchar('\n');
    }
  }
  return true;
}

static void json_values(tn_json* json, const tn_tensor* tensor, bool* failed) {
  char* values = NULL;
  size_t size = 0;
  FILE* stream = open_memstream(&values, &size);
  bool written = stream && tn_tensor_write_json(tensor, stream, NULL);
  if (stream) written = fclose(stream) == 0 && written;
  if (written) {
    tn_json_raw(json, "values", (tn_view){values, size});
  } else {
    *failed = true;
  }
  free(values);
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
  tn_json_begin_array(&json, "outputs");
  for (size_t i = 0; i < result->output_count; ++i) {
    const tn_tensor* tensor = result->outputs[i];
    tn_json_begin_object(&json, NULL);
    tn_json_string(&json, "dtype", cli_dtype_name(tn_tensor_dtype(tensor)));
    tn_json_begin_array(&json, "shape");
    for (int d = 0; d < tn_tensor_rank(tensor); ++d)
      tn_json_int(&json, NULL, tn_tensor_dim(tensor, d));
    tn_json_end_array(&json);
    if (result->files) {
      tn_json_string(&json, "file", result->files[i]);
    } else {
      json_values(&json, tensor, &text.failed);
    }
    tn_json_end_object(&json);
  }
  tn_json_end_array(&json);
  tn_json_end_object(&json);
  bool ok = !text.failed;
  if (ok)
    puts(text.data);
  else
    tn_status_set_no_memory(status, "printing JSON");
  tn_text_deinit(&text);
  return ok;
}

// Ctrl-C ends the process where it is, but for two stages. A kernel is asked to stop and left a
// second. Files are written beside their place and renamed: the one that is being written is
// finished, and no other is begun. A second Ctrl-C ends these at once too.

enum { EXIT_INTERRUPTED = 128 + SIGINT, SECONDS_TO_STOP = 1 };

static tn_cancel* cancel;
static volatile sig_atomic_t computing, writing, interrupted;
static struct sigaction interrupts_before;

static void end_here(int signal_number) {
  static const char words[] = "tenon run: interrupted\n";
  _exit(write(2, words, sizeof words - 1) < 0 ? CLI_FAILED : EXIT_INTERRUPTED);
}

static void interrupt(int signal_number) {
  if (interrupted || !(computing || writing)) end_here(signal_number);
  interrupted = 1;
  tn_cancel_request(cancel);
  if (computing) alarm(SECONDS_TO_STOP);
}

// Unless whoever started us wants Ctrl-C ignored.
static void heed_interrupts(void) {
  sigaction(SIGINT, NULL, &interrupts_before);
  if (interrupts_before.sa_handler == SIG_IGN) return;
  sigaction(SIGINT, &(struct sigaction){.sa_handler = interrupt, .sa_flags = SA_RESTART}, NULL);
  sigaction(SIGALRM, &(struct sigaction){.sa_handler = end_here, .sa_flags = SA_RESTART}, NULL);
}

// The outputs in host memory, where they can be read.
static bool bring_home(run_result* result, tn_status* status) {
  for (size_t i = 0; i < result->output_count; ++i) {
    tn_tensor* home = tn_tensor_to_host(result->outputs[i], status);
    if (!home) return false;
    tn_tensor_destroy(result->outputs[i]);
    result->outputs[i] = home;
  }
  return true;
}

// Looks the kernel up, runs it, keeps the outputs in `result`.
static bool run_call(tn_call* call, const arrays* inputs, run_result* result, tn_status* status) {
  cli_last_words("tenon run: a kernel of %s, while it was made, ", result->op);
  int count = tn_call_output_count(call, inputs->items, inputs->count, status);
  if (count < 0) return false;
  result->outputs = tn_alloc_zeroed((size_t)count + 1, sizeof *result->outputs);
  if (!result->outputs) {
    tn_status_set_no_memory(status, "running the op");
    return false;
  }
  result->origin = tn_call_kernel_origin(call, inputs->items, inputs->count, status);
  result->kernel = tn_call_kernel_name(call, inputs->items, inputs->count, status);
  const tn_device* device = tn_call_device(call, inputs->items, inputs->count, status);
  if (!result->origin || !result->kernel || !device) return false;
  if (device == tn_device_at(0)) result->device = "CPU";  // a fallback is to be seen
  cli_last_words("tenon run: kernel '%s' of %s, computing %s, ", result->kernel, result->origin,
                 result->op);
  const tn_call_options options = {.struct_size = TN_CALL_OPTIONS_STRUCT_SIZE, .cancel = cancel};
  if (!tn_call_run_with(call, inputs->items, inputs->count, result->outputs, (size_t)count,
                        &options, status))
    return false;
  result->output_count = (size_t)count;
  return bring_home(result, status);
}

// Which option helps, where one does.
static void hint(const cli_args* args, const run_result* result, tn_status* status) {
  if (strncmp(tn_status_message(status), "No registered", 13) == 0 &&
      strcmp(result->device, "CPU") != 0 && !cli_has(args, "allow-cpu-fallback"))
    tn_status_annotate(status, "--allow-cpu-fallback runs on the CPU what the device cannot");
}

// The names of the outputs in files: "results/out0.npy", "results.npz:out0" in an archive, or the
// target itself.
static bool name_files(const char* target, const char* format, run_result* result,
                       tn_status* status) {
  result->files = tn_alloc_zeroed(result->output_count + 1, sizeof *result->files);
  bool named = result->files != NULL;
  for (size_t i = 0; named && i < result->output_count; ++i) {
    result->files[i] = format ? tn_printf(format, target, i) : tn_strdup(target);
    named = result->files[i] != NULL;
  }
  if (!named) tn_status_set_no_memory(status, "writing the outputs");
  return named;
}

static bool write_archive(const char* path, const run_result* result, tn_status* status) {
  const char** names = tn_alloc_zeroed(result->output_count + 1, sizeof *names);
  if (!names) {
    tn_status_set_no_memory(status, "writing the outputs");
    return false;
  }
  for (size_t i = 0; i < result->output_count; ++i) names[i] = result->files[i] + strlen(path) + 1;
  bool written = tn_npz_write(path, names, result->outputs, result->output_count, status);
  tn_free(names);
  return written;
}

static bool write_outputs(const char* target, run_result* result, tn_status* status) {
  if (ends_with(target, ".npz"))
    return name_files(target, "%s:out%zu", result, status) && write_archive(target, result, status);
  if (ends_with(target, ".npy")) {
    if (result->output_count == 1)
      return name_files(target, NULL, result, status) &&
             tn_npy_write(target, result->outputs[0], status);
    tn_status_set(status, TN_INVALID_ARGUMENT,
                  "--out %s: one file for %zu outputs; name a folder, or an archive ending in .npz",
                  target, result->output_count);
    return false;
  }
  if (!name_files(target, "%s/out%zu.npy", result, status)) return false;
  if (mkdir(target, 0777) != 0 && errno != EEXIST) {
    tn_status_set(status, TN_INVALID_ARGUMENT, "cannot make the folder '%s': %s", target,
                  strerror(errno));
    return false;
  }
  for (size_t i = 0; i < result->output_count && !interrupted; ++i)
    if (!tn_npy_write(result->files[i], result->outputs[i], status)) return false;
  return true;
}

static int run(cli_args* args) {
  const char* op = cli_value(args, "op");
  if (!op && args->word_count &&
      (strstr(args->words[0], ".mlir") || strstr(args->words[0], ".hlo")))
    return cli_misused(args,
                       "'%s' is a program; this version runs single ops: tenon run --op NAME "
                       "INPUT...",
                       args->words[0]);
  if (!op) return cli_misused(args, "name the op to run: --op NAME; `tenon ops` lists them");
  for (size_t i = 0; i < args->given_count; ++i) {
    const char* value = args->given[i].value;
    if (strcmp(args->given[i].name, "attr") == 0 && (!strchr(value, '=') || value[0] == '='))
      return cli_misused(args, "--attr %s: expected NAME=VALUE", value);
  }

  run_result result = {.op = op, .device = cli_value(args, "device")};
  if (!result.device) result.device = "CPU";
  tn_status* status = tn_status_create();
  arrays inputs = {0};
  tn_call* call = NULL;
  heed_interrupts();
  bool ok = cli_load_plugins(args, status);
  for (size_t i = 0; ok && i < args->word_count; ++i)
    ok = read_input(args->words[i], &inputs, status);
  if (ok) {
    const int kept = cli_divert_output();
    cli_last_words_of_opening(args, tn_device_find(result.device, NULL));
    call = tn_call_create(op, result.device, status);
    cli_no_last_words();
    cli_restore_output(kept);
  }
  if (call && cli_has(args, "allow-cpu-fallback")) ok = tn_call_allow_cpu_fallback(call, status);
  const char* target = cli_value(args, "out");
  ok = call && set_attrs(args, call, status) && (cancel = tn_cancel_create(status));
  if (ok) {
    int stdout_kept = cli_divert_output();
    computing = writing = 1;
    ok = run_call(call, &inputs, &result, status);
    computing = 0;
    alarm(0);
    cli_restore_output(stdout_kept);
  }
  const char* doing = target && result.output_count ? "writing the outputs of" : "computing";
  ok = ok && (!target || interrupted || write_outputs(target, &result, status));
  int exit_code = EXIT_INTERRUPTED;
  if (interrupted) {
    fprintf(stderr, "tenon run: interrupted while %s %s\n", doing, op);
  } else {
    writing = 0;  // what is printed may end in the middle
    ok =
        ok && (cli_has(args, "json") ? print_json(&result, status) : print_result(&result, status));
    fflush(stdout);
    if (!ok) hint(args, &result, status);
    exit_code = ok ? CLI_OK : cli_failed(args, status);
  }

  for (size_t i = 0; i < result.output_count; ++i) {
    tn_tensor_destroy(result.outputs[i]);
    if (result.files) tn_free(result.files[i]);
  }
  tn_free(result.outputs);
  tn_free(result.files);
  tn_call_destroy(call);
  sigaction(SIGINT, &interrupts_before, NULL);
  tn_cancel_destroy(cancel);
  arrays_deinit(&inputs);
  tn_status_destroy(status);
  cli_no_last_words();
  return exit_code;
}

static const cli_option options[] = {
    {"op", "NAME", "the op to run", 0},
    {"attr", "NAME=VALUE", "set an attribute: true, 3, float32, [1, 2], SAME", 0},
    {"out", "PLACE", "write to this folder (out0.npy, ...), .npz or .npy instead of printing", 0},
    {"device", "NAME", "where to run (default: CPU); `tenon devices` lists them", 0},
    {"allow-cpu-fallback", NULL, "run on the CPU what the device has no kernel for", 0},
    CLI_PLUGIN_OPTIONS,
    {NULL, NULL, NULL, 0},
};

const cli_command cli_run = {
    "run",
    "run an op on arrays from .npy and .npz files",
    "--op NAME [INPUT...] [--attr NAME=VALUE]... [--plugin FILE]... [--out PLACE]",
    options,
    "  tenon run --op MatMul a.npy b.npy --attr transpose_b=true\n"
    "  tenon run --op AddV2 xs.npz:left xs.npz:right --out results\n"
    "  tenon run --op Relu x.npy --plugin ./libmydevice.so --device MY_DEVICE:0\n"
    "  tenon run --op Gelu x.npy --plugin libitex_cpu.so --attr approximate=true\n",
    run,
};
