#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "base/task_queue.h"
#include "harness.h"

enum { dear = 1000000 };

static _Atomic int ran;

static void count_one(void* arg) { atomic_fetch_add(&ran, 1); }

static void wait_until_ran(int count) {
  struct timespec moment = {0, 100000};
  while (atomic_load(&ran) < count) nanosleep(&moment, NULL);
}

static void schedule(tn_pool* pool, void (*task)(void*), void* arg) {
  tn_status status = {0};
  if (!tn_pool_schedule(pool, task, arg, &status)) CHECK_OK(&status);
}

TEST(test_every_scheduled_task_runs_once) {
  for (int threads = 1; threads <= 5; threads += 2) {
    tn_pool* pool = tn_pool_create(threads, NULL);
    ran = 0;
    for (int i = 0; i < 20000; ++i) schedule(pool, count_one, NULL);
    wait_until_ran(20000);
    tn_pool_destroy(pool);
    CHECK_INT(ran, 20000);
  }
}

TEST(test_no_wake_up_is_lost_when_tasks_come_one_by_one) {
  setenv("TENON_SPIN_US", "0", 1);
  tn_pool* pool = tn_pool_create(2, NULL);
  for (int i = 1; i <= 2000; ++i) {
    schedule(pool, count_one, NULL);
    wait_until_ran(i);
  }
  tn_pool_destroy(pool);
}

TEST(test_destroying_a_pool_waits_for_its_tasks) {
  for (int round = 0; round < 30; ++round) {
    tn_pool* pool = tn_pool_create(1 + round % 4, NULL);
    ran = 0;
    for (int i = 0; i < 200; ++i) schedule(pool, count_one, NULL);
    tn_pool_destroy(pool);
    CHECK_INT(ran, 200);
  }
}

static void remember_thread(void* arg) { *(pthread_t*)arg = pthread_self(); }

TEST(test_a_task_never_runs_on_the_thread_that_scheduled_it) {
  tn_pool* pool = tn_pool_create(1, NULL);
  pthread_t thread = pthread_self();
  schedule(pool, remember_thread, &thread);
  tn_pool_destroy(pool);
  CHECK(!pthread_equal(thread, pthread_self()));
}

typedef struct tree {
  tn_pool* pool;
  int depth;
} tree;

static void grow(void* arg) {
  tree* here = arg;
  for (int i = 0; here->depth > 0 && i < 3; ++i) {
    tree* branch = malloc(sizeof *branch);
    *branch = (tree){here->pool, here->depth - 1};
    schedule(here->pool, grow, branch);
  }
  free(here);
  atomic_fetch_add(&ran, 1);
}

TEST(test_tasks_schedule_tasks_and_destroying_waits_for_those_too) {
  for (int threads = 1; threads <= 4; ++threads) {
    tn_pool* pool = tn_pool_create(threads, NULL);
    tree* root = malloc(sizeof *root);
    *root = (tree){pool, 7};
    ran = 0;
    schedule(pool, grow, root);
    tn_pool_destroy(pool);
    CHECK_INT(ran, (6561 - 1) / 2);  // 1 + 3 + ... + 3^7
  }
}

static void wait_for(void* semaphore) {
  while (sem_wait(semaphore) != 0) continue;
  atomic_fetch_add(&ran, 1);
}

static void post_all(void* semaphore) {
  for (int i = 0; i < 12; ++i) sem_post(semaphore);
  atomic_fetch_add(&ran, 1);
}

TEST(test_tasks_that_wait_for_a_later_task_do_not_stop_it) {
  // More tasks wait than the pool has threads; the one that lets them go comes last.
  for (int threads = 1; threads <= 3; ++threads) {
    tn_pool* pool = tn_pool_create(threads, NULL);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    ran = 0;
    int waiting = threads + 3;
    for (int i = 0; i < waiting; ++i) schedule(pool, wait_for, &semaphore);
    schedule(pool, post_all, &semaphore);
    wait_until_ran(waiting + 1);
    tn_pool_destroy(pool);
    sem_destroy(&semaphore);
  }
}

typedef struct loop_and_tasks {
  tn_pool* pool;
  _Atomic int64_t pieces;
} loop_and_tasks;

static void post_one(void* semaphore) { sem_post(semaphore); }

static void schedule_and_wait(void* arg, int64_t begin, int64_t end) {
  loop_and_tasks* test = arg;
  for (int64_t i = begin; i < end; ++i) {
    sem_t done;
    sem_init(&done, 0, 0);
    schedule(test->pool, post_one, &done);
    while (sem_wait(&done) != 0) continue;
    sem_destroy(&done);
    atomic_fetch_add(&test->pieces, 1);
  }
}

TEST(test_tasks_run_while_all_workers_wait_inside_a_loop) {
  loop_and_tasks test = {.pool = tn_pool_create(3, NULL)};
  for (int round = 0; round < 5; ++round)
    tn_pool_parallel_for(test.pool, 9, dear, schedule_and_wait, &test);
  CHECK_INT(test.pieces, 45);
  tn_pool_destroy(test.pool);
}

static void add_piece(void* arg, int64_t begin, int64_t end) {
  atomic_fetch_add((_Atomic int64_t*)arg, end - begin);
}

static void loop_in_task(void* arg) {
  loop_and_tasks* test = arg;
  tn_pool_parallel_for(test->pool, 50, dear, add_piece, (void*)&test->pieces);
}

TEST(test_tasks_run_loops) {
  loop_and_tasks test = {.pool = tn_pool_create(3, NULL)};
  for (int i = 0; i < 500; ++i) schedule(test.pool, loop_in_task, &test);
  for (int i = 0; i < 100; ++i) loop_in_task(&test);
  tn_pool_destroy(test.pool);
  CHECK_INT(test.pieces, 600 * 50);
}

static void* schedule_many(void* pool) {
  for (int i = 0; i < 5000; ++i) schedule(pool, count_one, NULL);
  return NULL;
}

TEST(test_many_threads_schedule_at_once) {
  tn_pool* pool = tn_pool_create(3, NULL);
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) CHECK_INT(pthread_create(&threads[i], NULL, schedule_many, pool), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  wait_until_ran(20000);
  tn_pool_destroy(pool);
  CHECK_INT(ran, 20000);
}

TEST(test_scheduling_allocates_nothing_once_the_queue_has_its_size) {
  tn_pool* pool = tn_pool_create(2, NULL);
  for (int i = 0; i < 100; ++i) schedule(pool, count_one, NULL);
  wait_until_ran(100);
  tn_memory_fail_at(-1);
  for (int i = 0; i < 100; ++i) schedule(pool, count_one, NULL);
  CHECK_INT(tn_memory_asked(), 0);
  tn_pool_destroy(pool);
}

static bool schedule_once(void* arg, tn_status* status) {
  tn_pool* pool = tn_pool_create(1, status);
  if (!pool) return false;
  ran = 0;
  bool scheduled = tn_pool_schedule(pool, count_one, NULL, status);
  tn_pool_destroy(pool);
  CHECK_INT(ran, scheduled);
  return scheduled;
}

TEST(test_a_task_without_memory_is_refused_and_not_run) {
  CHECK_INT(test_sweep_allocations(schedule_once, NULL), 2);
  tn_status status = {0};
  CHECK(!tn_pool_schedule(NULL, count_one, NULL, &status));
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
}

static _Atomic int handled;
static pthread_t handled_on;
static void handle(int signal) {
  handled_on = pthread_self();
  handled = 1;
}

TEST(test_signals_are_handled_on_the_programs_own_threads) {
  tn_pool* pool = tn_pool_create(4, NULL);
  schedule(pool, count_one, NULL);
  wait_until_ran(1);
  signal(SIGUSR1, handle);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  kill(getpid(), SIGUSR1);
  struct timespec moment = {0, 20000000};
  nanosleep(&moment, NULL);
  CHECK_INT(handled, 0);
  pthread_sigmask(SIG_UNBLOCK, &set, NULL);
  while (!handled) nanosleep(&moment, NULL);
  CHECK(pthread_equal(handled_on, pthread_self()));
  tn_pool_destroy(pool);
}

TEST(test_a_forked_child_runs_its_own_tasks_only) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  test_skip("a sanitizer allows no threads in a forked child: its allocator may be locked there");
#endif
  tn_pool* pool = tn_pool_create(2, NULL);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  for (int i = 0; i < 8; ++i) schedule(pool, wait_for, &semaphore);
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    atomic_store(&ran, 0);
    for (int i = 0; i < 10; ++i) schedule(pool, count_one, NULL);
    wait_until_ran(10);
    _exit(atomic_load(&ran) == 10 ? 0 : 1);
  }
  int result;
  CHECK_INT(waitpid(child, &result, 0), child);
  CHECK_INT(result, 0);
  for (int i = 0; i < 8; ++i) sem_post(&semaphore);
  wait_until_ran(8);
  tn_pool_destroy(pool);
}

TEST(test_a_queue_gives_back_in_order_what_it_took_while_it_grows_and_wraps) {
  uint64_t random = test_seed();
  tn_task_queue queue;
  tn_task_queue_init(&queue);
  intptr_t pushed = 0, popped = 0;
  tn_task task;
  for (int round = 0; round < 400; ++round) {
    for (int64_t n = test_between(&random, 0, 100); n > 0; --n, ++pushed)
      CHECK(tn_task_queue_push(&queue, &(tn_task){.words = {(void*)pushed}}));
    CHECK(tn_task_queue_any(&queue) == (pushed > popped));
    for (int64_t n = test_between(&random, 0, 95); n > 0 && popped < pushed; --n, ++popped) {
      CHECK(tn_task_queue_pop(&queue, &task));
      CHECK_INT((intptr_t)task.words[0], popped);
    }
  }
  for (; popped < pushed; ++popped) {
    CHECK(tn_task_queue_pop(&queue, &task));
    CHECK_INT((intptr_t)task.words[0], popped);
  }
  CHECK(!tn_task_queue_pop(&queue, &task));
  tn_task_queue_deinit(&queue);
}
