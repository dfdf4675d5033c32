// The host's threads, as kernels call them, against pthreadpool, OpenMP and Eigen's thread pool:
// what it costs to fork, not to fork, and to schedule.
//
// A fork over two items is one only when both threads took part: the share of such calls is
// printed.
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/pool.h"
#include "bench.h"
#include "tenon/kernel_services.h"
#ifdef TENON_BENCH_EIGEN
#include "pool_eigen.h"
#endif

#ifdef _OPENMP
#include <omp.h>
#endif

enum { dear = 1000000000, big = 1 << 22, tasks = 1000000 };

static tn_pool* pool;

static struct {
  __typeof__(TF_ThreadPool_ParallelForClosure)* parallel_for;
  __typeof__(TF_ThreadPool_ScheduleClosure)* schedule;
} services;

static void open_services(void) {
  void* library = dlopen(TENON_BUILD_DIR "/lib/libtenon_tf.so", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "pool: %s\n", dlerror());
    exit(1);
  }
  *(void**)&services.parallel_for = dlsym(library, "TF_ThreadPool_ParallelForClosure");
  *(void**)&services.schedule = dlsym(library, "TF_ThreadPool_ScheduleClosure");
}

// pthreadpool, opened when the benchmark runs: it need not be there to build.
static struct {
  void* (*create)(size_t threads);
  void (*each)(void* pool, void (*body)(void*, size_t), void* arg, size_t count, uint32_t flags);
  void (*tiles)(void* pool, void (*body)(void*, size_t, size_t), void* arg, size_t count,
                size_t tile, uint32_t flags);
} pthreadpool;

static void open_pthreadpool(void) {
  void* library = dlopen("libpthreadpool.so.0", RTLD_NOW);
  if (!library) return;
  *(void**)&pthreadpool.create = dlsym(library, "pthreadpool_create");
  *(void**)&pthreadpool.each = dlsym(library, "pthreadpool_parallelize_1d");
  *(void**)&pthreadpool.tiles = dlsym(library, "pthreadpool_parallelize_1d_tile_1d");
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static double smaller(double a, double b) { return a < b ? a : b; }

// ---- Two items on two threads ----

// Counted per thread, so that the check costs no traffic between cores.
static _Thread_local long items_here;

static void note_items(void* arg, int64_t begin, int64_t end) { items_here += end - begin; }
static void fork_ours(void) { services.parallel_for(NULL, 2, dear, note_items, NULL); }

enum { rounds = 20, batches = 100, batch = 100 };

// Way of forking: the time of each batch, and calls in which the caller did one item and another
// thread the other.
typedef struct forker {
  void (*fork_once)(void);
  double times[rounds * batches];
  int counted;
  long shared;
} forker;

static void run_batches(forker* self, double least_shared) {
  for (int i = 0; i < batches; ++i) {
    int shared = 0;
    double start = now();
    for (int j = 0; j < batch; ++j) {
      items_here = 0;
      self->fork_once();
      shared += items_here == 1;
    }
    double each = (now() - start) / batch;
    if (shared >= batch * least_shared) self->times[self->counted++] = each;
    self->shared += shared;
  }
  // Until its threads sleep, so that they are not in the way of the next.
  struct timespec moment = {0, 20000000};
  nanosleep(&moment, NULL);
}

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// The lower quartile: what a call costs when the machine is not busy with something else.
static double typical(forker* self) {
  if (self->counted == 0) return NAN;
  qsort(self->times, (size_t)self->counted, sizeof(double), compare);
  return self->times[self->counted / 4];
}

static void* peer_pool;
static void note_item_for_peer(void* arg, size_t item) { ++items_here; }
static void fork_pthreadpool(void) { pthreadpool.each(peer_pool, note_item_for_peer, NULL, 2, 0); }

#ifdef _OPENMP
static void fork_openmp(void) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
  for (int i = 0; i < 2; ++i) ++items_here;
}
#endif

#ifdef TENON_BENCH_EIGEN
static void* eigen;
static void fork_eigen(void) { eigen_pool_parallel_for(eigen, 2, dear, note_items, NULL); }
#endif

// What the machine needs for one line to go to another core and back, watched as closely as can be.
static _Alignas(128) _Atomic long ball;
enum { throws = 20000 };

static void* throw_back(void* arg) {
  for (long i = 1; i < 2 * throws; i += 2) {
    while (atomic_load_explicit(&ball, memory_order_acquire) != i) continue;
    atomic_store_explicit(&ball, i + 1, memory_order_release);
  }
  return NULL;
}

static double time_line(void) {
  double best = INFINITY;
  for (int i = 0; i < 20; ++i) {
    pthread_t other;
    ball = 0;
    if (pthread_create(&other, NULL, throw_back, NULL)) exit(1);
    double start = now();
    for (long k = 0; k < 2 * throws; k += 2) {
      atomic_store_explicit(&ball, k + 1, memory_order_release);
      while (atomic_load_explicit(&ball, memory_order_acquire) != k + 2) continue;
    }
    best = smaller(best, (now() - start) / throws);
    pthread_join(other, NULL);
  }
  return best;
}

static void bench_fork(void) {
  static forker ours = {.fork_once = fork_ours}, peer = {.fork_once = fork_pthreadpool}, openmp,
                eigens;
#ifdef _OPENMP
  openmp.fork_once = fork_openmp;
#endif
#ifdef TENON_BENCH_EIGEN
  eigen = eigen_pool_create(2);
  eigens.fork_once = fork_eigen;
#endif
  if (pthreadpool.create) peer_pool = pthreadpool.create(2);
  // By turns, so that a busy moment hits all alike.
  for (int i = 0; i < rounds; ++i) {
    run_batches(&ours, 0.95);
    if (peer_pool) run_batches(&peer, 0);
    if (openmp.fork_once) run_batches(&openmp, 0);
    if (eigens.fork_once) run_batches(&eigens, 0);
  }
  double calls = rounds * batches * (double)batch / 100;
  printf(
      "calls on both threads: ours %.0f %%, pthreadpool %.0f %%, OpenMP %.0f %%, Eigen %.0f %%\n",
      (double)ours.shared / calls, (double)peer.shared / calls, (double)openmp.shared / calls,
      (double)eigens.shared / calls);
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "pthreadpool", typical(&peer));
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "OpenMP", typical(&openmp));
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "Eigen", typical(&eigens));
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "a line to and fro", time_line());
}

// ---- Work too small to share ----

static float small_values[4];

static void double_values(void* arg, int64_t begin, int64_t end) {
  float* values = arg;
  for (int64_t i = begin; i < end; ++i) values[i] *= 2;
}

static void small_ours(void* arg) {
  services.parallel_for(NULL, 4, 1, double_values, small_values);
}
static void (*volatile called_directly)(void*, int64_t, int64_t) = double_values;
static void small_serial(void* arg) { called_directly(small_values, 0, 4); }

static void bench_small(void) {
  double serial = bench_nanoseconds(small_serial, NULL);
  double ours = bench_nanoseconds(small_ours, NULL);
  bench_report("pool: small loop on the caller", ours, "ns", "direct call", serial);
}

// ---- A large loop ----

static float large_values[big];

__attribute__((noipa)) static void compute(void* arg, int64_t begin, int64_t end) {
  float* values = arg;
  for (int64_t i = begin; i < end; ++i) {
    float x = values[i];
    for (int k = 0; k < 32; ++k) x = x * 0.999f + 0.001f;
    values[i] = x;
  }
}

static double timed(void (*run)(void)) {
  double start = now();
  run();
  return (now() - start) / 1e6;
}

static void large_ours(void) { services.parallel_for(NULL, big, 40, compute, large_values); }
static void large_serial(void) { compute(large_values, 0, big); }
static void compute_tile(void* arg, size_t begin, size_t size) {
  compute(arg, (int64_t)begin, (int64_t)(begin + size));
}
static void* all_cores;
static void large_pthreadpool(void) {
  pthreadpool.tiles(all_cores, compute_tile, large_values, big, 4096, 0);
}
#ifdef _OPENMP
static void large_openmp(void) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < big / 4096; ++i) compute(large_values, i * 4096LL, (i + 1) * 4096LL);
}
#endif

#ifdef TENON_BENCH_EIGEN
static void large_eigen(void) { eigen_pool_parallel_for(eigen, big, 100, compute, large_values); }
#endif

static void bench_large(void) {
  double peer = NAN, openmp = NAN, eigens = NAN, ours = NAN, serial = NAN;
  if (pthreadpool.create) all_cores = pthreadpool.create((size_t)tn_pool_threads(pool));
#ifdef TENON_BENCH_EIGEN
  eigen_pool_destroy(eigen);
  eigen = eigen_pool_create(tn_pool_threads(pool));
#endif
  // By turns, so that a busy moment hits all alike.
  for (int i = 0; i < 15; ++i) {
    ours = fmin(ours, timed(large_ours));
    if (i % 4 == 0) serial = fmin(serial, timed(large_serial));
    if (all_cores) peer = fmin(peer, timed(large_pthreadpool));
#ifdef _OPENMP
    openmp = fmin(openmp, timed(large_openmp));
#endif
#ifdef TENON_BENCH_EIGEN
    eigens = fmin(eigens, timed(large_eigen));
#endif
  }
  bench_report("pool: large loop", ours, "ms", "serial", serial);
  bench_report("pool: large loop", ours, "ms", "pthreadpool", peer);
  bench_report("pool: large loop", ours, "ms", "OpenMP", openmp);
  bench_report("pool: large loop", ours, "ms", "Eigen", eigens);
}

// ---- Two threads with a loop each, at once ----

static pthread_barrier_t at_once;

static void* large_loops(void* arg) {
  pthread_barrier_wait(&at_once);
  float* values = arg;
  for (int i = 0; i < 8; ++i) services.parallel_for(NULL, big / 8, 40, compute, values);
  return NULL;
}

static void* large_loops_serial(void* arg) {
  pthread_barrier_wait(&at_once);
  float* values = arg;
  for (int i = 0; i < 8; ++i) compute(values, 0, big / 8);
  return NULL;
}

static double time_two(void* (*run)(void*)) {
  double best = INFINITY;
  for (int i = 0; i < 5; ++i) {
    pthread_t other;
    pthread_barrier_init(&at_once, NULL, 2);
    double start = now();
    if (pthread_create(&other, NULL, run, large_values)) exit(1);
    run(large_values + big / 2);
    pthread_join(other, NULL);
    best = smaller(best, now() - start);
    pthread_barrier_destroy(&at_once);
  }
  return best / 1e6;
}

static void bench_two_callers(void) {
  double ours = time_two(large_loops), serial = time_two(large_loops_serial);
  bench_report("pool: loops of two callers at once", ours, "ms", "two threads, no pool", serial);
}

// ---- Tasks ----

static _Atomic long done;

static void count_task(void* arg) { atomic_fetch_add_explicit(&done, 1, memory_order_relaxed); }

static double time_tasks(void (*schedule)(void)) {
  done = 0;
  double start = now();
  for (long i = 0; i < tasks; ++i) schedule();
  while (atomic_load_explicit(&done, memory_order_relaxed) < tasks) sched_yield();
  return (now() - start) / tasks;
}

static void schedule_ours(void) { services.schedule(NULL, (FuncWrap){NULL, count_task, NULL}); }

#ifdef TENON_BENCH_EIGEN
static void schedule_function(void) { services.schedule(NULL, wrap_function(count_task, NULL)); }
static void schedule_eigen(void) { eigen_pool_schedule(eigen, count_task, NULL); }
#endif

#ifdef _OPENMP
static double time_openmp_tasks(void) {
  done = 0;
  double start = now();
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; ++i) {
#pragma omp task
    count_task(NULL);
  }
  return (now() - start) / tasks;
}
#endif

static void bench_tasks(void) {
  double ours = NAN, openmp = NAN, functions = NAN, eigens = NAN;
  for (int i = 0; i < 5; ++i) {
    ours = fmin(ours, time_tasks(schedule_ours));
#ifdef _OPENMP
    openmp = fmin(openmp, time_openmp_tasks());
#endif
#ifdef TENON_BENCH_EIGEN
    functions = fmin(functions, time_tasks(schedule_function));
    eigens = fmin(eigens, time_tasks(schedule_eigen));
#endif
  }
  bench_report("pool: 1M scheduled tasks, each", ours, "ns", "OpenMP", openmp);
  bench_report("pool: 1M scheduled tasks, each", ours, "ns", "Eigen", eigens);
  bench_report("pool: 1M scheduled std::function, each", functions, "ns", "Eigen", eigens);
}

int main(void) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) setenv("TENON_THREADS", "2", 0);
  open_services();
  pool = tn_pool_default();
  for (int i = 0; i < big; ++i) large_values[i] = 1;
  open_pthreadpool();
  bench_fork();
  bench_small();
  bench_large();
  bench_two_callers();
  bench_tasks();
  return 0;
}
