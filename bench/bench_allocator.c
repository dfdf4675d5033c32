// A device's cached memory against glibc's malloc and free of the same sizes: one buffer made and
// freed, a step's worth of buffers of mixed sizes, and two threads that do so at once.
//
// The device's memory is a range of addresses that nobody touches, and malloc's is not touched
// either. Both keep freed blocks, so neither pays for pages. Nanoseconds are per buffer: made and
// freed.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "bench.h"
#include "device/cached_memory.h"

enum { mixed = 64, steps = 1500 };

static bool get_region(void* arg, size_t size, void** out_data, uint64_t* out_payload) {
  static atomic_size_t next = (size_t)1 << 40;
  *out_data = (void*)atomic_fetch_add(&next, size);
  return true;
}
static void give_region(void* arg, void* data, size_t size, uint64_t payload) {}

static tn_cached_memory* memory;
static void* volatile seen;  // keeps the compiler from leaving malloc out

static void* make_ours(size_t size) {
  uint32_t previous;
  return tn_cached_memory_take(memory, size, 1, &previous, NULL);
}
static void free_ours(void* made) { tn_buffer_unref(made); }
static void* make_peer(size_t size) { return seen = malloc(size); }

typedef struct way {
  void* (*make)(size_t size);
  void (*free)(void* made);
  size_t size;          // of the one buffer
  size_t sizes[mixed];  // of a step's
} way;

static void one(void* arg) {
  way* way = arg;
  way->free(way->make(way->size));
}

// A step makes its buffers and frees each a little later, as a program's temporaries are.
static void step(void* arg) {
  enum { alive = 8 };
  way* way = arg;
  void* made[mixed];
  for (int i = 0; i < mixed; ++i) {
    made[i] = way->make(way->sizes[i]);
    if (i >= alive) way->free(made[i - alive]);
  }
  for (int i = mixed - alive; i < mixed; ++i) way->free(made[i]);
}

static pthread_barrier_t at_once;

typedef struct worker {
  pthread_t thread;
  way* way;
  double each;  // nanoseconds per buffer
} worker;

static void* many_steps(void* arg) {
  worker* worker = arg;
  step(worker->way);
  pthread_barrier_wait(&at_once);
  double start = bench_now();
  for (int i = 0; i < steps; ++i) step(worker->way);
  worker->each = (bench_now() - start) / (steps * mixed);
  return NULL;
}

// The slower of two threads at once.
static double time_two(way* way) {
  double best = INFINITY;
  for (int i = 0; i < 20; ++i) {
    worker workers[2] = {{.way = way}, {.way = way}};
    pthread_barrier_init(&at_once, NULL, 2);
    for (int j = 0; j < 2; ++j)
      if (pthread_create(&workers[j].thread, NULL, many_steps, &workers[j])) exit(1);
    for (int j = 0; j < 2; ++j) pthread_join(workers[j].thread, NULL);
    best = fmin(best, fmax(workers[0].each, workers[1].each));
    pthread_barrier_destroy(&at_once);
  }
  return best;
}

static void* idle(void* arg) {
  pause();
  return NULL;
}

int main(void) {
  // A process with one thread only has cheaper locks, malloc's among them; programs with devices
  // have more.
  pthread_t other;
  if (pthread_create(&other, NULL, idle, NULL)) return 1;
  tn_status status = {0};
  tn_cached_memory_options options = {.source = {.allocate = get_region, .release = give_region},
                                      .name = "/device:X:0"};
  memory = tn_cached_memory_create(&options, &status);
  if (!memory) {
    fprintf(stderr, "%s\n", tn_status_message(&status));
    return 1;
  }
  way ours = {.make = make_ours, .free = free_ours}, peer = {.make = make_peer, .free = free};
  static const struct {
    const char* name;
    size_t size;
  } sizes[] = {{"memory: a buffer of 256 B", 256},
               {"memory: a buffer of 4 KiB", 4 << 10},
               {"memory: a buffer of 64 KiB", 64 << 10},
               {"memory: a buffer of 1 MiB", 1 << 20},
               {"memory: a buffer of 16 MiB", 16 << 20}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    ours.size = peer.size = sizes[i].size;
    double time = bench_nanoseconds(one, &ours);
    bench_report(sizes[i].name, time, "ns", "malloc", bench_nanoseconds(one, &peer));
  }
  // From 256 B to 1 MiB, each power of two as often, by a fixed pattern; the second set goes to
  // 16 MiB.
  for (int most = 20; most <= 24; most += 4) {
    unsigned random = 1;
    for (int i = 0; i < mixed; ++i) {
      random = random * 1664525 + 1013904223;
      int power = 8 + (int)((random >> 8) % (unsigned)(most - 8));
      ours.sizes[i] = peer.sizes[i] = ((size_t)1 << power) + ((random >> 16) % (1u << power));
    }
    double time = bench_nanoseconds(step, &ours) / mixed;
    bench_report(
        most == 20 ? "memory: a step of buffers to 1 MiB" : "memory: a step of buffers to 16 MiB",
        time, "ns", "malloc", bench_nanoseconds(step, &peer) / mixed);
    time = time_two(&ours);
    bench_report(most == 20 ? "memory: two threads, buffers to 1 MiB"
                            : "memory: two threads, buffers to 16 MiB",
                 time, "ns", "malloc", time_two(&peer));
  }
  tn_memory_stats stats = tn_cached_memory_stats(memory);
  printf("%lld buffers made, %.1f MB in use at most, %.1f MB reserved\n",
         (long long)stats.allocations, (double)stats.peak_in_use / 1e6,
         (double)stats.reserved / 1e6);
  tn_cached_memory_destroy(memory);
  return 0;
}
