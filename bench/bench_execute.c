// What it costs to call a kernel that does nearly nothing: TFE_Execute in Tenon and in TensorFlow,
// the native call, and a plain call through a function table, which is the floor. Each host has a
// process of its own and loads the same plugin; all is measured again with 10,000 more kernels
// registered.

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "tenon/plugin.h"
#include "tenon/tenon.h"

#define FOLDER TENON_BUILD_DIR "/bench/hosts"
#define PLUGIN FOLDER "/libtiny.so"

typedef struct job {
  tn_call* call;
  tn_tensor* input;
  tn_status* status;
} job;

static void native_call(void* arg) {
  job* job = arg;
  tn_tensor* output = NULL;
  tn_call_run(job->call, &job->input, 1, &output, 1, job->status);
  tn_tensor_destroy(output);
}

// The child's part: prints nanoseconds of one native call.
static int measure_native(void) {
  job job = {.status = tn_status_create()};
  const float value = 3;
  if (tn_plugin_load(PLUGIN, NULL, job.status) &&
      (job.call = tn_call_create("TenonTiny", "CPU", job.status)) &&
      tn_call_set_attr(job.call, "scale", "2.5", job.status) &&
      (job.input = tn_tensor_create_from(TN_FLOAT, NULL, 0, &value, sizeof value, job.status)))
    printf("%.3f\n", bench_nanoseconds(native_call, &job));
  return tn_report(job.status);
}

typedef struct table {
  void (*multiply)(const float* x, float scale, float* y);
} table;

static void multiply(const float* x, float scale, float* y) { *y = *x * scale; }

static void table_call(void* arg) {
  static float x = 3, y;
  (*(table* volatile*)arg)->multiply(&x, 2.5f, &y);
}

// Runs a program with so many dummy kernels and reads up to two numbers of its last line; NaN for
// those that it does not print.
static void run_child(const char* command, int dummies, double* first, double* second) {
  char line[8192] = "";
  *first = *second = NAN;
  snprintf(line, sizeof line, "TINY_DUMMIES=%d TF_CPP_MIN_LOG_LEVEL=2 %s", dummies, command);
  FILE* child = popen(line, "r");
  while (child && fgets(line, sizeof line, child)) sscanf(line, "%lf %lf", first, second);
  if (!child || pclose(child) != 0) fprintf(stderr, "bench: failed: %s\n", command);
}

// The command that measures TFE_Execute in TensorFlow; false without a virtual environment.
static bool tensorflow_command(char* command, size_t size) {
  char pattern[4096];
  const char* venv = getenv("TENON_VENV");
  snprintf(pattern, sizeof pattern,
           "%s/lib/python3*/site-packages/tensorflow/libtensorflow_cc.so.2",
           venv ? venv : TENON_BUILD_DIR "/venv");
  glob_t found;
  bool there = glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc > 0;
  if (there) {
    // TensorFlow speaks of its start on standard error.
    snprintf(command, size, FOLDER "/tfe_execute " PLUGIN " '%s' 2>/dev/null", found.gl_pathv[0]);
    globfree(&found);
  } else {
    fprintf(stderr, "bench: no TensorFlow at %s\n", pattern);
  }
  return there;
}

int main(int count, char** arguments) {
  if (count == 2 && strcmp(arguments[1], "--native") == 0) return measure_native();

  char theirs[8192], native[4200];
  const bool has_tensorflow = tensorflow_command(theirs, sizeof theirs);
  snprintf(native, sizeof native, "'%s' --native", arguments[0]);
  double few = NAN, ignored;
  for (int dummies = 0; dummies <= 10000; dummies += 10000) {
    double ours[2], tensorflows[2] = {NAN, NAN}, call;
    run_child(FOLDER "/tfe_execute " PLUGIN " " TENON_BUILD_DIR "/lib/libtenon_tf.so", dummies,
              &ours[0], &ours[1]);
    if (has_tensorflow) run_child(theirs, dummies, &tensorflows[0], &tensorflows[1]);
    run_child(native, dummies, &call, &ignored);
    if (!dummies) few = call;
    const char* suffix = dummies ? ", 10,000 kernels" : "";
    char name[128];
    snprintf(name, sizeof name, "TFE_Execute%s", suffix);
    bench_report(name, ours[0], "ns", "TensorFlow", tensorflows[0]);
    snprintf(name, sizeof name, "TFE_NewOp to TFE_DeleteOp%s", suffix);
    bench_report(name, ours[1], "ns", "TensorFlow", tensorflows[1]);
    snprintf(name, sizeof name, "tn_call_run%s", suffix);
    bench_report(name, call, "ns", dummies ? "with one kernel" : "TensorFlow's TFE_Execute",
                 dummies ? few : tensorflows[0]);
  }
  table* pointer = &(table){multiply};
  bench_report("plain call through a table", bench_nanoseconds(table_call, &pointer), "ns", NULL,
               0);
  return 0;
}
