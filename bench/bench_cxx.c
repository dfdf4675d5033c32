// What the C++ API costs: the same tiny kernel written with it and with the C API, called in turns.

#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "tenon/plugin.h"
#include "tenon/tenon.h"

#define FOLDER TENON_BUILD_DIR "/bench/hosts"

typedef struct job {
  tn_call* call;
  tn_tensor* input;
  tn_status* status;
} job;

static void run(void* arg) {
  job* job = arg;
  tn_tensor* output = NULL;
  tn_call_run(job->call, &job->input, 1, &output, 1, job->status);
  tn_tensor_destroy(output);
}

static bool prepare(job* job, const char* plugin, const char* op) {
  const float value = 3;
  job->status = tn_status_create();
  return tn_plugin_load(plugin, NULL, job->status) &&
         (job->call = tn_call_create(op, "CPU", job->status)) &&
         tn_call_set_attr(job->call, "scale", "2.5", job->status) &&
         (job->input = tn_tensor_create_from(TN_FLOAT, NULL, 0, &value, sizeof value, job->status));
}

int main(void) {
  job c, cxx;
  if (!prepare(&c, FOLDER "/libtiny.so", "TenonTiny")) return tn_report(c.status);
  if (!prepare(&cxx, FOLDER "/libtiny_cxx.so", "TenonTinyCxx")) return tn_report(cxx.status);
  double in_c = INFINITY, in_cxx = INFINITY;
  for (int round = 0; round < 10; ++round) {
    in_c = fmin(in_c, bench_nanoseconds(run, &c));
    in_cxx = fmin(in_cxx, bench_nanoseconds(run, &cxx));
  }
  bench_report("a tiny kernel in C++", in_cxx, "ns", "the same in C", in_c);
  printf("the C++ API costs %+.1f ns\n", in_cxx - in_c);
  return tn_report(c.status) | tn_report(cxx.status);
}
