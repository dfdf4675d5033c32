#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "harness.h"

enum { dear = 1000000, most = 20000 };  // nanoseconds per index; indices of the largest loops

static void wait_a_while(void) {
  struct timespec moment = {0, 200000};
  nanosleep(&moment, NULL);
}

// Counts the visits of each index.
typedef struct counted {
  _Atomic int visits[most];
  _Atomic int pieces;
} counted;

static void count(void* arg, int64_t begin, int64_t end) {
  counted* loop = arg;
  CHECK(begin < end);
  for (int64_t i = begin; i < end; ++i)
    atomic_fetch_add_explicit(&loop->visits[i], 1, memory_order_relaxed);
  atomic_fetch_add(&loop->pieces, 1);
}

static void check_once_each(counted* loop, int64_t total) {
  for (int64_t i = 0; i < most; ++i) CHECK_INT(loop->visits[i], i < total);
}

static void run_random_loops(tn_pool* pool, uint64_t* random, int rounds) {
  counted* loop = malloc(sizeof *loop);
  for (int round = 0; round < rounds; ++round) {
    memset(loop, 0, sizeof *loop);
    int64_t total =
        test_between(random, 0, 3) ? test_between(random, 0, 40) : test_between(random, 0, most);
    int64_t cost = test_between(random, 0, 1) ? dear : test_between(random, 0, 200);
    tn_pool_parallel_for(pool, total, cost, count, loop);
    check_once_each(loop, total);
  }
  free(loop);
}

TEST(test_every_index_is_visited_exactly_once) {
  uint64_t random = test_seed();
  static const int sizes[] = {1, 2, 3, 8, 33, 0};
  for (int i = 0; i < 6; ++i) {
    tn_pool* pool = tn_pool_create(sizes[i], NULL);
    if (sizes[i]) CHECK_INT(tn_pool_threads(pool), sizes[i]);
    run_random_loops(pool, &random, 150);
    tn_pool_destroy(pool);
  }
}

TEST(test_no_pool_at_all_runs_the_loop_on_the_caller) {
  uint64_t random = test_seed();
  run_random_loops(NULL, &random, 20);
  CHECK_INT(tn_pool_threads(NULL), 1);
}

TEST(test_nothing_is_called_for_an_empty_loop) {
  counted* loop = calloc(1, sizeof *loop);
  tn_pool_parallel_for(tn_pool_default(), 0, dear, count, loop);
  tn_pool_parallel_for(tn_pool_default(), -5, dear, count, loop);
  CHECK_INT(loop->pieces, 0);
  free(loop);
}

TEST(test_small_work_is_one_piece_on_the_caller) {
  tn_pool* pool = tn_pool_create(4, NULL);
  counted* loop = calloc(1, sizeof *loop);
  tn_pool_parallel_for(pool, 100, 5, count, loop);
  CHECK_INT(loop->pieces, 1);
  check_once_each(loop, 100);
  tn_pool_destroy(pool);
  free(loop);
}

static _Atomic int64_t covered, piece_count;

static void cover(void* arg, int64_t begin, int64_t end) {
  CHECK(begin >= 0 && begin < end);
  atomic_fetch_add(&covered, end - begin);
  atomic_fetch_add(&piece_count, 1);
}

TEST(test_the_largest_totals_and_costs_do_not_overflow) {
  tn_pool* pool = tn_pool_create(3, NULL);
  static const int64_t totals[] = {INT64_MAX, INT64_MAX - 1, INT64_MAX / 2 + 7};
  static const int64_t costs[] = {INT64_MAX, 1, 0, INT64_MIN};
  for (int t = 0; t < 3; ++t) {
    for (int c = 0; c < 4; ++c) {
      covered = piece_count = 0;
      tn_pool_parallel_for(pool, totals[t], costs[c], cover, NULL);
      CHECK_INT(covered, totals[t]);
      CHECK(piece_count <= 3 * 16);
    }
  }
  tn_pool_destroy(pool);
}

// Two pieces that each wait for the other can only end on two threads.
static _Atomic int arrived;

static void meet(void* arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < *(int*)arg) wait_a_while();
  }
}

TEST(test_dear_pieces_run_at_the_same_time) {
  tn_pool* pool = tn_pool_create(4, NULL);
  for (int all = 1; all <= 4; ++all) {
    arrived = 0;
    tn_pool_parallel_for(pool, all, dear, meet, &all);
    CHECK_INT(arrived, all);
  }
  tn_pool_destroy(pool);
}

// Sums of pieces, kept per worker without a lock.
typedef struct per_worker {
  struct {
    int64_t sum;
    _Atomic int inside;
  } slot[8];
  int threads;
} per_worker;

static void add_up(void* arg, int64_t begin, int64_t end, int worker) {
  per_worker* all = arg;
  CHECK(worker >= 0 && worker < all->threads);
  CHECK_INT(atomic_fetch_add(&all->slot[worker].inside, 1), 0);
  for (int64_t i = begin; i < end; ++i) all->slot[worker].sum += i;
  CHECK_INT(atomic_fetch_sub(&all->slot[worker].inside, 1), 1);
}

TEST(test_a_worker_number_belongs_to_one_thread_at_a_time) {
  tn_pool* pool = tn_pool_create(8, NULL);
  for (int round = 0; round < 300; ++round) {
    per_worker all = {.threads = tn_pool_threads(pool)};
    tn_pool_parallel_for_with_worker(pool, 1000, 1000, add_up, &all);
    int64_t sum = 0;
    for (int i = 0; i < 8; ++i) sum += all.slot[i].sum;
    CHECK_INT(sum, 999 * 1000 / 2);
  }
  tn_pool_destroy(pool);
}

typedef struct nest {
  tn_pool* pool;
  int depth;
  _Atomic int64_t* leaves;
} nest;

static void go_deeper(void* arg, int64_t begin, int64_t end) {
  nest* here = arg;
  if (here->depth == 0) {
    atomic_fetch_add(here->leaves, end - begin);
    return;
  }
  for (int64_t i = begin; i < end; ++i) {
    nest below = {here->pool, here->depth - 1, here->leaves};
    tn_pool_parallel_for(here->pool, 5, dear, go_deeper, &below);
  }
}

TEST(test_loops_in_loops_in_loops_end_and_lose_nothing) {
  for (int threads = 1; threads <= 6; threads += 1) {
    tn_pool* pool = tn_pool_create(threads, NULL);
    for (int round = 0; round < 40; ++round) {
      _Atomic int64_t leaves = 0;
      nest top = {pool, 3, &leaves};
      tn_pool_parallel_for(pool, 5, dear, go_deeper, &top);
      CHECK_INT(leaves, 5 * 5 * 5 * 5);
    }
    tn_pool_destroy(pool);
  }
}

typedef struct caller {
  tn_pool* pool;
  uint64_t random;
  pthread_t thread;
} caller;

static void* call_loops(void* arg) {
  caller* self = arg;
  run_random_loops(self->pool, &self->random, 60);
  for (int round = 0; round < 20; ++round) {
    _Atomic int64_t leaves = 0;
    nest top = {self->pool, 2, &leaves};
    tn_pool_parallel_for(self->pool, 7, dear, go_deeper, &top);
    CHECK_INT(leaves, 7 * 5 * 5);
  }
  return NULL;
}

TEST(test_many_threads_call_loops_at_once) {
  uint64_t random = test_seed();
  tn_pool* pool = tn_pool_create(4, NULL);
  caller callers[6];
  for (int i = 0; i < 6; ++i) {
    callers[i] = (caller){pool, test_random(&random), 0};
    CHECK_INT(pthread_create(&callers[i].thread, NULL, call_loops, &callers[i]), 0);
  }
  for (int i = 0; i < 6; ++i) pthread_join(callers[i].thread, NULL);
  tn_pool_destroy(pool);
}

TEST(test_a_loop_works_after_its_workers_have_gone_to_sleep) {
  setenv("TENON_SPIN_US", "0", 1);
  tn_pool* pool = tn_pool_create(4, NULL);
  for (int round = 0; round < 100; ++round) {
    int all = 4;
    arrived = 0;
    tn_pool_parallel_for(pool, all, dear, meet, &all);
    CHECK_INT(arrived, all);
    if (round % 3 == 0) wait_a_while();
  }
  tn_pool_destroy(pool);
}

// One piece takes long; the worker that did the other must be free for others meanwhile.
typedef struct uneven {
  tn_pool* pool;
  _Atomic bool inner_done;
} uneven;

static void one_long_piece(void* arg, int64_t begin, int64_t end) {
  uneven* test = arg;
  if (begin != 0) return;
  // Both workers are lent to this loop and have nothing left to do in it.
  for (int i = 0; i < 20; ++i) wait_a_while();
  int all = 3;
  arrived = 0;
  tn_pool_parallel_for(test->pool, all, dear, meet, &all);
  test->inner_done = true;
}

TEST(test_workers_that_are_done_serve_others_before_their_loop_ends) {
  uneven test = {.pool = tn_pool_create(3, NULL)};
  tn_pool_parallel_for(test.pool, 3, dear, one_long_piece, &test);
  CHECK(test.inner_done);
  tn_pool_destroy(test.pool);
}

// A worker that is busy elsewhere when a loop begins joins it later.
typedef struct late {
  tn_pool* pool;
  _Atomic bool busy, release, helped;
  pthread_t caller;
} late;

static void keep_worker_busy(void* arg, int64_t begin, int64_t end) {
  late* test = arg;
  test->busy = true;
  while (!test->release) wait_a_while();
}

static void* hold_the_worker(void* arg) {
  late* test = arg;
  tn_pool_parallel_for(test->pool, 2, dear, keep_worker_busy, test);
  return NULL;
}

static void long_piece(void* arg, int64_t begin, int64_t end) {
  late* test = arg;
  if (!pthread_equal(pthread_self(), test->caller)) test->helped = true;
  if (begin > 10) test->release = true;
  for (int i = 0; i < 50 && !test->helped; ++i) wait_a_while();
}

TEST(test_a_worker_that_becomes_free_joins_a_loop_that_began_without_it) {
  setenv("TENON_SPIN_US", "0", 1);
  late test = {.pool = tn_pool_create(2, NULL), .caller = pthread_self()};
  pthread_t other;
  CHECK_INT(pthread_create(&other, NULL, hold_the_worker, &test), 0);
  while (!test.busy) wait_a_while();
  tn_pool_parallel_for(test.pool, 1000, dear, long_piece, &test);
  CHECK(test.helped);
  pthread_join(other, NULL);
  tn_pool_destroy(test.pool);
}

static void sum_plain(void* arg, int64_t begin, int64_t end) {
  int64_t* values = arg;
  for (int64_t i = begin; i < end; ++i) values[i] = i * i;
}

TEST(test_what_pieces_write_is_visible_to_the_caller) {
  tn_pool* pool = tn_pool_create(4, NULL);
  static int64_t values[5000];
  for (int round = 0; round < 100; ++round) {
    memset(values, 0, sizeof values);
    tn_pool_parallel_for(pool, 5000, 500, sum_plain, values);
    for (int64_t i = 0; i < 5000; ++i) CHECK_INT(values[i], i * i);
  }
  tn_pool_destroy(pool);
}

TEST(test_the_environment_sets_the_number_of_threads) {
  setenv("TENON_THREADS", "5", 1);
  CHECK_INT(tn_pool_threads(tn_pool_default()), 5);
  CHECK(tn_pool_default() == tn_pool_default());
}

TEST(test_a_wrong_number_of_threads_in_the_environment_is_ignored) {
  setenv("TENON_LOG", "off", 1);
  setenv("TENON_THREADS", "many", 1);
  CHECK(tn_pool_threads(tn_pool_default()) >= 1);
  setenv("TENON_THREADS", "0", 1);
  tn_pool* pool = tn_pool_create(0, NULL);
  CHECK(tn_pool_threads(pool) >= 1);
  tn_pool_destroy(pool);
  pool = tn_pool_create(100000, NULL);
  CHECK_INT(tn_pool_threads(pool), TN_POOL_MAX_THREADS);
  tn_pool_destroy(pool);
}

static bool make_and_use(void* arg, tn_status* status) {
  tn_pool* pool = tn_pool_create(2, status);
  if (!pool) return false;
  counted* loop = calloc(1, sizeof *loop);
  tn_pool_parallel_for(pool, 10, dear, count, loop);
  check_once_each(loop, 10);
  free(loop);
  tn_pool_destroy(pool);
  return true;
}

TEST(test_a_pool_without_memory_is_a_status_and_a_loop_needs_none) {
  CHECK_INT(test_sweep_allocations(make_and_use, NULL), 1);
}

TEST(test_a_forked_child_has_a_working_pool) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  test_skip("a sanitizer allows no threads in a forked child: its allocator may be locked there");
#endif
  tn_pool* pool = tn_pool_create(4, NULL);
  uint64_t random = test_seed();
  run_random_loops(pool, &random, 20);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    int all = 4;
    arrived = 0;
    tn_pool_parallel_for(pool, all, dear, meet, &all);
    run_random_loops(pool, &random, 20);
    _exit(arrived == all ? 0 : 1);
  }
  int result;
  CHECK_INT(waitpid(child, &result, 0), child);
  CHECK_INT(result, 0);
  run_random_loops(pool, &random, 20);
  tn_pool_destroy(pool);
}
