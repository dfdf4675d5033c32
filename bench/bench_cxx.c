// What the C++ API costs: the same tiny kernel written with it and with the C API, called in turns;
// and closures that a kernel schedules, against Eigen's thread pool.

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "bench.h"
#include "tenon/plugin.h"
#include "tenon/tenon.h"
#ifdef TENON_BENCH_EIGEN
#include "pool_eigen.h"
#endif

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

enum { tasks = 1000000 };

// A run of the kernel that schedules: it ends after the last closure.
static double time_schedule(tn_call* call, tn_status* status) {
  const double start = bench_now();
  tn_call_run(call, NULL, 0, NULL, 0, status);
  return (bench_now() - start) / tasks;
}

#ifdef TENON_BENCH_EIGEN
static _Atomic int64_t sum, done;

static void count_task(void* arg) {
  atomic_fetch_add_explicit(&sum, (int64_t)arg, memory_order_relaxed);
  atomic_fetch_add_explicit(&done, 1, memory_order_relaxed);
}

static double time_eigen(void* pool) {
  done = 0;
  const double start = bench_now();
  for (int64_t i = 0; i < tasks; ++i) eigen_pool_schedule(pool, count_task, (void*)i);
  while (atomic_load_explicit(&done, memory_order_relaxed) < tasks) sched_yield();
  return (bench_now() - start) / tasks;
}
#endif

// By turns, so that a busy moment hits both alike.
static void bench_schedule(tn_status* status) {
  double ours = INFINITY, eigens = NAN;
  tn_call* call = tn_call_create("TenonScheduleCxx", "CPU", status);
  if (!call || !tn_call_set_attr(call, "count", "1000000", status)) return;
#ifdef TENON_BENCH_EIGEN
  void* pool = eigen_pool_create((int)sysconf(_SC_NPROCESSORS_ONLN));
#endif
  for (int round = 0; round < 7; ++round) {
    ours = fmin(ours, time_schedule(call, status));
#ifdef TENON_BENCH_EIGEN
    eigens = fmin(eigens, time_eigen(pool));
#endif
  }
  bench_report("1M closures of a kernel in C++, each", ours, "ns", "Eigen", eigens);
#ifdef TENON_BENCH_EIGEN
  eigen_pool_destroy(pool);
#endif
  tn_call_destroy(call);
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
  bench_schedule(cxx.status);
  return tn_report(c.status) | tn_report(cxx.status);
}
