#include "base/pool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpu_count.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pool_desk.h"

_Thread_local void* tn_pool_owner;

// ---- Workers ----

void tn_pool_give_back(tn_pool* pool, int index, uint64_t number) {
  uint64_t lent = word(number, lease_lent);
  atomic_compare_exchange_strong(&pool->leases[index], &lent, word(number, lease_free));
  // Whoever queued a task while no worker was free relies on this look.
  if (tn_task_queue_any(&pool->tasks)) tn_pool_call_to_tasks(pool);
}

// Sleeps until there is work on the desk, if nobody has borrowed this worker.
static void fall_asleep(worker* self) {
  _Atomic uint64_t* lease = &self->pool->leases[self->index];
  uint64_t held = atomic_load(lease);
  if (low_of(held) != lease_free) return;
  uint64_t number = number_of(held);
  if (!atomic_compare_exchange_strong(lease, &held, word(number, lease_asleep))) return;
  while (atomic_load(lease) == word(number, lease_asleep))
    tn_futex_wait(low_half(&self->desk), (int)(uint32_t)word(number, desk_done));
}

// Waits for work and takes it; `last` is the loan that ended, 0 for none. Returns the loan's
// number.
static uint64_t take_work(worker* self, uint64_t last, bool returned) {
  uint64_t expected = word(last + 1, desk_posted);
  int64_t sleep_at = 0;
  for (unsigned polls = 1;; ++polls) {
    uint64_t seen = expected;
    if (atomic_compare_exchange_strong(&self->desk, &seen, seen - desk_posted + desk_taken))
      return number_of(expected);
    if (low_of(seen) == desk_posted) {
      expected = seen;  // a loan in between was taken back
      continue;
    }
    relax();
    if (polls % 16) continue;
    if (!returned && polls >= 64) {
      tn_pool_give_back(self->pool, self->index, last);
      returned = true;
    }
    int64_t time = tn_clock_ns();
    if (!sleep_at) sleep_at = time + self->pool->spin;
    if (time < sleep_at) continue;
    fall_asleep(self);
    sleep_at = 0;
  }
}

static _Thread_local __attribute__((tls_model("initial-exec"))) const worker* this_worker;

int tn_pool_current_thread(const tn_pool* pool) {
  return this_worker && this_worker->pool == pool ? this_worker->index : -1;
}

static void* work(void* arg) {
  worker* self = arg;
  this_worker = self;
  uint64_t number = 0;
  bool returned = true;
  for (;;) {
    number = take_work(self, number, returned);
    loop_body body = self->body;
    if (body.kind == work_stop) return NULL;
    if (body.kind == work_tasks) {
      tn_pool_run_tasks(self->pool);
    } else {
      tn_pool_owner = body.owner;
      if (self->begin < self->end) call_body(&body, self->begin, self->end, self->index + 1);
      shared_loop* rest = self->rest;
      while (rest && run_piece(rest, &body, self->index + 1)) continue;
      tn_pool_owner = NULL;
    }
    // From here on the loop may be gone.
    uint64_t before = atomic_exchange(&self->desk, word(number, desk_done));
    if (low_of(before) == desk_awaited) tn_futex_wake(low_half(&self->desk), 1);
    // The borrower of a loop gives the lease back sooner: it watches the desk.
    returned = body.kind == work_tasks;
    if (returned) tn_pool_give_back(self->pool, self->index, number);
  }
}

bool tn_pool_start_thread(pthread_t* thread, void* (*run)(void*), void* arg, const char* name) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(thread, NULL, run, arg);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error) {
    tn_log(TN_LOG_WARNING, "cannot start thread %s: error %d", name, error);
    return false;
  }
  pthread_setname_np(*thread, name);
  return true;
}

void tn_pool_start_workers(tn_pool* pool, int count) {
  if (atomic_load_explicit(&pool->tried, memory_order_acquire) >= count) return;
  pthread_mutex_lock(&pool->lock);
  for (int i = atomic_load(&pool->tried); i < count; ++i) {
    char name[16];
    snprintf(name, sizeof name, "tenon-%d", i % TN_POOL_MAX_THREADS);
    if (tn_pool_start_thread(&pool->workers[i].thread, work, &pool->workers[i], name)) {
      ++pool->running;
      atomic_store(&pool->leases[i], word(0, lease_free));
    }
    atomic_store_explicit(&pool->tried, i + 1, memory_order_release);
  }
  pthread_mutex_unlock(&pool->lock);
}

// ---- Pools ----

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static tn_pool* pools;

// A pool without threads and tasks; also makes one that a fork has cut off from its threads.
static void reset(tn_pool* pool) {
  pool->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  tn_task_queue_init(&pool->tasks);
  pool->running = 0;
  pool->keeper_runs = false;
  atomic_store(&pool->tried, 0);
  atomic_store(&pool->keeper_watches, 0);
  atomic_store(&pool->seekers, 0);
  atomic_store(&pool->added, 0);
  for (int i = 0; i < pool->threads; ++i) {
    pool->workers[i].pool = pool;
    pool->workers[i].index = i;
    atomic_store(&pool->workers[i].desk, word(0, desk_done));
    atomic_store(&pool->leases[i], word(0, lease_absent));
  }
}

static void before_fork(void) {
  pthread_mutex_lock(&pools_lock);
  for (tn_pool* pool = pools; pool; pool = pool->next) {
    pthread_mutex_lock(&pool->lock);
    tn_task_queue_lock(&pool->tasks);
  }
}

static void after_fork_in_parent(void) {
  for (tn_pool* pool = pools; pool; pool = pool->next) {
    tn_task_queue_unlock(&pool->tasks);
    pthread_mutex_unlock(&pool->lock);
  }
  pthread_mutex_unlock(&pools_lock);
}

static void after_fork_in_child(void) {
  for (tn_pool* pool = pools; pool; pool = pool->next) {
    tn_task_queue_deinit(&pool->tasks);
    reset(pool);
  }
  pools_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

static void watch_forks(void) {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

// A whole number in [least, most] from the environment, or `otherwise`.
static int from_environment(const char* name, int least, int most, int otherwise) {
  const char* text = getenv(name);
  if (!text || !*text) return otherwise;
  char* end;
  long value = strtol(text, &end, 10);
  if (!*end && value >= least && value <= most) return (int)value;
  tn_log(TN_LOG_WARNING, "%s=%s is ignored: a number from %d to %d is expected", name, text, least,
         most);
  return otherwise;
}

tn_pool* tn_pool_create(int threads, tn_status* status) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, watch_forks);
  if (threads < 1) threads = from_environment("TENON_THREADS", 1, TN_POOL_MAX_THREADS, 0);
  if (threads < 1) threads = tn_cpu_count();
  if (threads > TN_POOL_MAX_THREADS) threads = TN_POOL_MAX_THREADS;

  size_t pool_size = sizeof(tn_pool) + (size_t)threads * sizeof(_Atomic uint64_t);
  pool_size = (pool_size + line - 1) / line * line;
  void* memory = tn_alloc_zeroed(1, pool_size + (size_t)threads * sizeof(worker) + line);
  if (!memory) {
    tn_status_set_no_memory(status, "making a thread pool");
    return NULL;
  }
  tn_pool* pool = (tn_pool*)(((uintptr_t)memory + line - 1) / line * line);
  pool->memory = memory;
  pool->threads = threads;
  pool->spin = from_environment("TENON_SPIN_US", 0, 1000000, 50) * (int64_t)1000;
  pool->workers = (worker*)((char*)pool + pool_size);
  reset(pool);
  pthread_mutex_lock(&pools_lock);
  pool->next = pools;
  pools = pool;
  pthread_mutex_unlock(&pools_lock);
  return pool;
}

void tn_pool_destroy(tn_pool* pool) {
  if (!pool) return;
  pthread_mutex_lock(&pools_lock);
  tn_pool** slot = &pools;
  while (*slot != pool) slot = &(*slot)->next;
  *slot = pool->next;
  pthread_mutex_unlock(&pools_lock);

  // A worker that can be borrowed is in no task; tasks left then were scheduled by the last ones.
  struct timespec moment = {0, 50000};
  for (int i = 0; i < pool->threads;) {
    loan loan;
    if (tn_task_queue_any(&pool->tasks)) {
      nanosleep(&moment, NULL);
    } else if (low_of(atomic_load(&pool->leases[i])) == lease_absent) {
      ++i;
    } else if (borrow(pool, i, lease_free, &loan) || borrow(pool, i, lease_asleep, &loan)) {
      post(&loan, (loop_body){.kind = work_stop}, NULL);
      pthread_join(pool->workers[i].thread, NULL);
      atomic_store(&pool->leases[i++], word(0, lease_absent));
    } else {
      nanosleep(&moment, NULL);
    }
  }
  // A thread that was added may have got the last task.
  while (tn_task_queue_any(&pool->tasks) || atomic_load(&pool->added)) nanosleep(&moment, NULL);
  if (pool->keeper_runs) {
    atomic_store(&pool->ending, true);
    atomic_store(&pool->keeper_watches, 1);
    tn_futex_wake(&pool->keeper_watches, 1);
    pthread_join(pool->keeper, NULL);
  }
  tn_task_queue_deinit(&pool->tasks);
  pthread_mutex_destroy(&pool->lock);
  tn_free(pool->memory);
}

tn_pool* tn_pool_default(void) {
  static tn_pool* _Atomic shared;
  tn_pool* pool = atomic_load_explicit(&shared, memory_order_acquire);
  if (pool) return pool;
  tn_pool* made = tn_pool_create(0, NULL);
  if (!made) return NULL;
  if (!atomic_compare_exchange_strong(&shared, &pool, made)) {
    tn_pool_destroy(made);
    return pool;
  }
  tn_memory_keep(made->memory);
  return made;
}

int tn_pool_threads(const tn_pool* pool) { return pool ? pool->threads : 1; }
