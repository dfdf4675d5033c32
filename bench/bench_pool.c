// The thread pool against pthreadpool and OpenMP: what it costs to fork, not to fork, and to
// schedule.
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

#ifdef _OPENMP
#include <omp.h>
#endif

enum { dear = 1000000000, big = 1 << 22, tasks = 1000000 };

static tn_pool* pool;

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
static void fork_ours(void) { tn_pool_parallel_for(pool, 2, dear, note_items, NULL); }

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

static void bench_fork(void) {
  static forker ours = {.fork_once = fork_ours}, peer = {.fork_once = fork_pthreadpool}, openmp;
#ifdef _OPENMP
  openmp.fork_once = fork_openmp;
#endif
  if (pthreadpool.create) peer_pool = pthreadpool.create(2);
  // By turns, so that a busy moment hits all alike.
  for (int i = 0; i < rounds; ++i) {
    run_batches(&ours, 0.95);
    if (peer_pool) run_batches(&peer, 0);
    if (openmp.fork_once) run_batches(&openmp, 0);
  }
  double calls = rounds * batches * (double)batch / 100;
  printf("calls on both threads: ours %.0f %%, pthreadpool %.0f %%, OpenMP %.0f %%\n",
         (double)ours.shared / calls, (double)peer.shared / calls, (double)openmp.shared / calls);
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "pthreadpool", typical(&peer));
  bench_report("pool: fork over 2 items", typical(&ours), "ns", "OpenMP", typical(&openmp));
}

// ---- Work too small to share ----

static float small_values[4];

static void double_values(void* arg, int64_t begin, int64_t end) {
  float* values = arg;
  for (int64_t i = begin; i < end; ++i) values[i] *= 2;
}

static void small_ours(void* arg) { tn_pool_parallel_for(pool, 4, 1, double_values, small_values); }
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

static double best_of(void (*run)(void)) {
  double best = INFINITY;
  for (int i = 0; i < 9; ++i) {
    double start = now();
    run();
    best = smaller(best, now() - start);
  }
  return best / 1e6;
}

static void large_ours(void) { tn_pool_parallel_for(pool, big, 40, compute, large_values); }
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

static void bench_large(void) {
  double peer = NAN, openmp = NAN;
  double ours = best_of(large_ours), serial = best_of(large_serial);
  if (pthreadpool.create) {
    all_cores = pthreadpool.create((size_t)tn_pool_threads(pool));
    peer = best_of(large_pthreadpool);
  }
#ifdef _OPENMP
  openmp = best_of(large_openmp);
#endif
  bench_report("pool: large loop", ours, "ms", "serial", serial);
  bench_report("pool: large loop", ours, "ms", "pthreadpool", peer);
  bench_report("pool: large loop", ours, "ms", "OpenMP", openmp);
}

// ---- Two threads with a loop each, at once ----

static pthread_barrier_t at_once;

static void* large_loops(void* arg) {
  pthread_barrier_wait(&at_once);
  float* values = arg;
  for (int i = 0; i < 8; ++i) tn_pool_parallel_for(pool, big / 8, 40, compute, values);
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

static double time_tasks(void) {
  done = 0;
  double start = now();
  for (long i = 0; i < tasks; ++i) tn_pool_schedule(pool, count_task, NULL, NULL);
  while (atomic_load_explicit(&done, memory_order_relaxed) < tasks) sched_yield();
  return (now() - start) / tasks;
}

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
  double ours = INFINITY, openmp = INFINITY;
  for (int i = 0; i < 5; ++i) ours = smaller(ours, time_tasks());
#ifdef _OPENMP
  for (int i = 0; i < 5; ++i) openmp = smaller(openmp, time_openmp_tasks());
#else
  openmp = NAN;
#endif
  bench_report("pool: 1M scheduled tasks, each", ours, "ns", "OpenMP", openmp);
}

int main(void) {
  pool = tn_pool_default();
  if (tn_pool_threads(pool) < 2) pool = tn_pool_create(2, NULL);
  for (int i = 0; i < big; ++i) large_values[i] = 1;
  open_pthreadpool();
  bench_fork();
  bench_small();
  bench_large();
  bench_two_callers();
  bench_tasks();
  return 0;
}
