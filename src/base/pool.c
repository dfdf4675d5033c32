// How work reaches a worker, and what it costs.
//
// Each worker has a desk: one cache line on which a borrower puts work and the worker reports it
// done. Handing work over and getting it back are then two transfers of one line, the least that
// two cores can do. An idle worker watches its desk with compare-and-swap in place of a load, so
// that the line arrives in a state that can be written.
//
// Who may use a desk is said by the worker's lease, which lies with the other leases, away from the
// desk, where borrowers find it without disturbing workers. Both words carry the loan's number.
//
//   lease: free -> lent       a borrower; the number grows by one
//          asleep -> lent     the same; the worker is woken when there is work on its desk
//          lent -> free       whoever is first: the borrower that saw its loan done, or the worker
//                             when the borrower is still busy with a piece of its own
//          free -> asleep     the worker, after watching its desk in vain
//   desk:  done -> posted     the borrower
//          posted -> taken    the worker
//          posted -> done     the borrower: takes back what the worker has not begun
//          taken -> awaited   the borrower goes to sleep; the worker will wake it
//          taken, awaited -> done   the worker
//
// A number is used once, so a borrower that finds another number on a desk knows that its own loan
// is over. Nobody waits for a worker that has not begun: waiting goes from callers to pieces in
// progress, whose own waits are for loops inside them, so it cannot go in circles.
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/cancel.h"
#include "base/cpu_count.h"
#include "base/futex.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/task_queue.h"

enum {
  line = 128,  // two cache lines: the neighbour is fetched along

  // Nanoseconds, as the costs that callers state.
  least_share = 1000,      // what a thread must have to do to be worth calling
  least_piece = 4000,      // pieces are not cut finer for the sake of balance
  most_piece = 5000000,    // of work that may be cancelled
  pieces_per_thread = 16,  // what is left at the end of a loop is small against the whole
  wake_share = 25000,      // what a sleeping thread must have to do to be woken
  grace = 2000,            // how long unclaimed work is left to a worker that is awake

  stall_first = 1,   // milliseconds without any task begun until a thread is added,
  stall_last = 100,  // growing tenfold with each added one up to this
  most_added = 64,
};

typedef enum lease_status { lease_free, lease_asleep, lease_lent, lease_absent } lease_status;
typedef enum desk_phase { desk_done, desk_posted, desk_taken, desk_awaited } desk_phase;

static uint64_t word(uint64_t number, int low) { return number << 2 | (uint64_t)low; }
static uint64_t number_of(uint64_t word) { return word >> 2; }
static int low_of(uint64_t word) { return (int)(word & 3); }

typedef enum work_kind { work_loop, work_loop_with_worker, work_tasks, work_stop } work_kind;

typedef struct loop_body {
  work_kind kind;
  union {
    void (*plain)(void* arg, int64_t begin, int64_t end);
    void (*with_worker)(void* arg, int64_t begin, int64_t end, int worker);
  } call;
  void *arg, *owner;
} loop_body;

// The pieces of a loop that nobody has taken yet. Lies on its caller's stack.
typedef struct shared_loop {
  alignas(line) _Atomic int64_t next;
  alignas(line) int64_t total, piece, count;
  const tn_cancel* cancel;
  atomic_bool left_out;  // pieces were taken and not run
} shared_loop;

typedef struct worker {
  // The desk: one line.
  alignas(line) _Atomic uint64_t desk;
  loop_body body;
  int64_t begin, end;  // a first piece that is this worker's own
  shared_loop* rest;   // NULL when there are no other pieces

  alignas(line) tn_pool* pool;
  int index;
  pthread_t thread;
} worker;

_Static_assert(offsetof(worker, rest) + sizeof(void*) <= 64, "a desk is one cache line");

struct tn_pool {
  int threads;   // that may be in one loop; as many workers
  int64_t spin;  // nanoseconds
  worker* workers;
  void* memory;   // what all of this lies in, before alignment
  tn_pool* next;  // in the list of pools

  // Guarded by `lock`:
  pthread_mutex_t lock;
  _Atomic int tried;  // workers that were started, or could not be
  int running;
  pthread_t keeper;
  bool keeper_runs;

  alignas(line) tn_task_queue tasks;
  alignas(line) atomic_int seekers;         // on their way to a task, or waiting a moment for one
  alignas(line) atomic_int keeper_watches;  // futex
  _Atomic bool ending;
  _Atomic int added;  // threads that live now beside the workers
  alignas(line) _Atomic uint64_t leases[];
};

_Thread_local void* tn_pool_owner;

static void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// A futex is 32 bits: the low half of a desk, which holds the phase and the low bits of the number.
static atomic_int* low_half(_Atomic uint64_t* desk) {
  return (atomic_int*)desk + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

// ---- Loans ----

typedef struct loan {
  worker* worker;
  uint64_t number;
  int64_t begin, end;
  bool awake;
} loan;

static bool borrow(tn_pool* pool, int index, lease_status wanted, loan* out_loan) {
  uint64_t lease = atomic_load(&pool->leases[index]);
  if (low_of(lease) != (int)wanted) return false;
  uint64_t number = number_of(lease) + 1;
  if (!atomic_compare_exchange_strong(&pool->leases[index], &lease, word(number, lease_lent)))
    return false;
  *out_loan = (loan){&pool->workers[index], number, 0, 0, wanted == lease_free};
  return true;
}

// Adds to `count` loans until there are `want`; sleeping workers only as far as `cost` is worth it.
// Returns how many there are then.
static int borrow_for_loop(tn_pool* pool, loan* loans, int count, int64_t want, int64_t cost) {
  for (int i = 0; i < pool->threads - 1 && count < want; ++i)
    count += borrow(pool, i, lease_free, &loans[count]);
  int64_t worth_waking = cost / wake_share - 1;
  if (want > worth_waking) want = worth_waking;
  for (int i = 0; i < pool->threads - 1 && count < want; ++i)
    count += borrow(pool, i, lease_asleep, &loans[count]);
  return count;
}

static void post(const loan* loan, loop_body body, shared_loop* rest) {
  worker* worker = loan->worker;
  worker->body = body;
  worker->begin = loan->begin;
  worker->end = loan->end;
  worker->rest = rest;
  atomic_store_explicit(&worker->desk, word(loan->number, desk_posted), memory_order_release);
  if (!loan->awake) tn_futex_wake(low_half(&worker->desk), 1);
}

// Calls a worker to the tasks, unless one is on its way; false when none is idle. From the last
// worker down, as loops begin with the first.
static bool call_to_tasks(tn_pool* pool) {
  if (atomic_load(&pool->seekers) > 0) return true;
  for (int status = lease_free; status <= lease_asleep; ++status) {
    for (int i = pool->threads - 1; i >= 0; --i) {
      loan loan;
      if (!borrow(pool, i, (lease_status)status, &loan)) continue;
      atomic_fetch_add(&pool->seekers, 1);
      post(&loan, (loop_body){.kind = work_tasks}, NULL);
      return true;
    }
  }
  return false;
}

static void give_back(tn_pool* pool, int index, uint64_t number) {
  uint64_t lent = word(number, lease_lent);
  atomic_compare_exchange_strong(&pool->leases[index], &lent, word(number, lease_free));
  // Whoever queued a task while no worker was free relies on this look.
  if (tn_task_queue_any(&pool->tasks)) call_to_tasks(pool);
}

// ---- Workers ----

static void call_body(const loop_body* body, int64_t begin, int64_t end, int worker) {
  if (body->kind == work_loop) {
    body->call.plain(body->arg, begin, end);
  } else {
    body->call.with_worker(body->arg, begin, end, worker);
  }
}

// Runs the next piece of a loop; false when there is none.
static bool run_piece(shared_loop* loop, const loop_body* body, int worker) {
  int64_t index = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
  if (index >= loop->count) return false;
  if (tn_cancel_asked(loop->cancel)) {
    atomic_store_explicit(&loop->left_out, true, memory_order_relaxed);
    return false;
  }
  int64_t begin = index * loop->piece;
  int64_t end = loop->total - begin < loop->piece ? loop->total : begin + loop->piece;
  call_body(body, begin, end, worker);
  return true;
}

static void call_keeper(tn_pool* pool);

static void count_done(atomic_int* pending, int count) {
  if (pending && atomic_fetch_sub_explicit(pending, count, memory_order_release) == count)
    tn_futex_wake(pending, INT_MAX);
}

// Runs `task` and what comes after it until there is nothing. What is pending is not over while
// another task of it runs, so that the count may wait until then.
static void run_in_a_row(tn_pool* pool, tn_task* task) {
  atomic_int* pending = task->pending;
  int count = 0;
  do {
    if (task->pending != pending) {
      count_done(pending, count);
      pending = task->pending;
      count = 0;
    }
    task->run(task);
    ++count;
  } while (tn_task_queue_pop(&pool->tasks, task));
  count_done(pending, count);
}

// By a thread that counts as a seeker. Whoever schedules while there is one relies on its finding
// the task, and on its calling another thread when there are more.
static void run_tasks(tn_pool* pool) {
  tn_task task;
  for (;;) {
    // The next one is often just being scheduled: a moment's stay is shorter than another call.
    bool found = tn_task_queue_pop(&pool->tasks, &task);
    // Each look takes a line from whoever schedules, so that there are some pauses between two.
    for (int i = 0; i < 16 && !found; ++i) {
      for (int k = 0; k < 8; ++k) relax();
      found = tn_task_queue_any(&pool->tasks) && tn_task_queue_pop(&pool->tasks, &task);
    }
    bool last = atomic_fetch_sub(&pool->seekers, 1) == 1;
    if (found) {
      if (last && tn_task_queue_any(&pool->tasks) && !call_to_tasks(pool)) call_keeper(pool);
      run_in_a_row(pool, &task);
    } else if (!tn_task_queue_any(&pool->tasks)) {
      return;
    }
    atomic_fetch_add(&pool->seekers, 1);
  }
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
      give_back(self->pool, self->index, last);
      returned = true;
    }
    int64_t time = now();
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
      run_tasks(self->pool);
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
    if (returned) give_back(self->pool, self->index, number);
  }
}

static bool start_thread(pthread_t* thread, void* (*run)(void*), void* arg, const char* name) {
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

static void start_workers(tn_pool* pool, int count) {
  if (atomic_load_explicit(&pool->tried, memory_order_acquire) >= count) return;
  pthread_mutex_lock(&pool->lock);
  for (int i = atomic_load(&pool->tried); i < count; ++i) {
    char name[16];
    snprintf(name, sizeof name, "tenon-%d", i % TN_POOL_MAX_THREADS);
    if (start_thread(&pool->workers[i].thread, work, &pool->workers[i], name)) {
      ++pool->running;
      atomic_store(&pool->leases[i], word(0, lease_free));
    }
    atomic_store_explicit(&pool->tried, i + 1, memory_order_release);
  }
  pthread_mutex_unlock(&pool->lock);
}

// ---- Loops ----

// Takes back a loan that the worker has not begun; false when it has. A worker that is awake is
// left some time for a piece of its own; `*patience` is when that ends, 0 before the first such
// wait.
static bool take_back(const loan* loan, int64_t share, int64_t* patience) {
  _Atomic uint64_t* desk = &loan->worker->desk;
  uint64_t posted = word(loan->number, desk_posted);
  bool wait = loan->awake && loan->begin < loan->end;
  // A look at the desk while the worker takes the work up costs both a transfer of the line.
  for (int i = 0; wait && i < 3; ++i) relax();
  for (unsigned polls = 1; wait; ++polls) {
    if (atomic_load_explicit(desk, memory_order_relaxed) != posted) return false;
    relax();
    if (polls % 8) continue;
    int64_t time = now();
    if (!*patience) *patience = time + (share / 2 < grace ? share / 2 : grace);
    wait = time < *patience;
  }
  return atomic_compare_exchange_strong(desk, &posted, word(loan->number, desk_done));
}

static void await(tn_pool* pool, const loan* loan) {
  _Atomic uint64_t* desk = &loan->worker->desk;
  int64_t sleep_at = 0;
  for (unsigned polls = 1;; ++polls) {
    uint64_t seen = atomic_load_explicit(desk, memory_order_acquire);
    if (number_of(seen) != loan->number || low_of(seen) == desk_done) return;
    relax();
    if (polls % 16) continue;
    int64_t time = now();
    if (!sleep_at) sleep_at = time + pool->spin;
    if (time < sleep_at) continue;
    uint64_t awaited = word(loan->number, desk_awaited);
    if (low_of(seen) == desk_awaited || atomic_compare_exchange_strong(desk, &seen, awaited))
      tn_futex_wait(low_half(desk), (int)(uint32_t)awaited);
  }
}

// False when pieces were left out.
__attribute__((noinline)) static bool share_loop(tn_pool* pool, int64_t total, int64_t cost,
                                                 loop_body body, const tn_cancel* cancel) {
  body.owner = tn_pool_owner;
  int workers = pool->threads - 1;
  int64_t want = cost / least_share - 1;  // workers
  if (want > total - 1) want = total - 1;
  if (want > workers) want = workers;
  start_workers(pool, workers);

  loan loans[TN_POOL_MAX_THREADS];
  int count = borrow_for_loop(pool, loans, 0, want, cost);

  int64_t pieces = cost / least_piece;
  if (pieces > (want + 1) * pieces_per_thread) pieces = (want + 1) * pieces_per_thread;
  if (pieces < want + 1) pieces = want + 1;
  if (cancel && pieces < cost / most_piece) pieces = cost / most_piece;
  if (pieces > total) pieces = total;
  shared_loop loop;  // not zeroed as a whole: that would show in the time of a fork
  loop.total = loop.count = total;
  loop.piece = 1;
  loop.cancel = cancel;
  atomic_init(&loop.left_out, false);
  if (pieces < total) {
    loop.piece = total / pieces + (total % pieces != 0);
    loop.count = total / loop.piece + (total % loop.piece != 0);
  }
  // Piece 0 is the caller's; each borrowed worker has one of its own.
  atomic_init(&loop.next, count + 1);
  bool more = loop.count > count + 1;
  for (int i = 0; i < count; ++i) {
    if (i + 1 < loop.count) {
      loans[i].begin = (i + 1) * loop.piece;
      loans[i].end = i + 2 < loop.count ? loans[i].begin + loop.piece : total;
    }
    post(&loans[i], body, more ? &loop : NULL);
  }
  call_body(&body, 0, loop.piece < total ? loop.piece : total, 0);

  while (more && run_piece(&loop, &body, 0)) {
    // Workers that have become idle may join.
    int64_t left = loop.count - atomic_load_explicit(&loop.next, memory_order_relaxed);
    int joined =
        left < 1 ? count : borrow_for_loop(pool, loans, count, want, cost / loop.count * left);
    for (; count < joined; ++count) post(&loans[count], body, &loop);
  }

  int64_t patience = 0;
  for (int i = 0; i < count; ++i) {
    bool mine = take_back(&loans[i], cost / (want + 1), &patience);
    if (mine && loans[i].begin < loans[i].end) call_body(&body, loans[i].begin, loans[i].end, 0);
  }
  for (int i = 0; i < count; ++i) {
    await(pool, &loans[i]);
    give_back(pool, loans[i].worker->index, loans[i].number);
  }
  return !atomic_load_explicit(&loop.left_out, memory_order_relaxed);
}

// What a loop costs in all; 0 when it is too small to share.
static int64_t cost_to_share(const tn_pool* pool, int64_t total, int64_t cost_per_unit) {
  int64_t cost;
  if (__builtin_mul_overflow(total, cost_per_unit > 1 ? cost_per_unit : 1, &cost)) cost = INT64_MAX;
  return cost < 2 * least_share || total < 2 || !pool || pool->threads == 1 ? 0 : cost;
}

void tn_pool_parallel_for(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                          void (*body)(void*, int64_t, int64_t), void* arg) {
  int64_t cost = cost_to_share(pool, total, cost_per_unit);
  if (cost) {
    share_loop(pool, total, cost, (loop_body){.kind = work_loop, .call.plain = body, .arg = arg},
               NULL);
  } else if (total > 0) {
    body(arg, 0, total);
  }
}

bool tn_pool_parallel_for_unless(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                                 void (*body)(void*, int64_t, int64_t), void* arg,
                                 const tn_cancel* cancel) {
  if (total <= 0) return true;
  if (tn_cancel_asked(cancel)) return false;
  int64_t cost = cost_to_share(pool, total, cost_per_unit);
  if (cost)
    return share_loop(pool, total, cost,
                      (loop_body){.kind = work_loop, .call.plain = body, .arg = arg}, cancel);
  int64_t piece = cancel ? most_piece / (cost_per_unit > 1 ? cost_per_unit : 1) : total;
  if (piece < 1) piece = 1;
  for (int64_t begin = 0; begin < total;) {
    if (begin && tn_cancel_asked(cancel)) return false;
    int64_t end = total - begin < piece ? total : begin + piece;
    body(arg, begin, end);
    begin = end;
  }
  return true;
}

void tn_pool_parallel_for_with_worker(tn_pool* pool, int64_t total, int64_t cost_per_unit,
                                      void (*body)(void*, int64_t, int64_t, int), void* arg) {
  int64_t cost = cost_to_share(pool, total, cost_per_unit);
  if (cost) {
    share_loop(pool, total, cost,
               (loop_body){.kind = work_loop_with_worker, .call.with_worker = body, .arg = arg},
               NULL);
  } else if (total > 0) {
    body(arg, 0, total, 0);
  }
}

// ---- Tasks ----

static void* run_added_thread(void* arg) {
  tn_pool* pool = arg;
  run_tasks(pool);
  atomic_fetch_sub(&pool->added, 1);
  return NULL;
}

// The keeper runs no task itself. It watches while tasks are queued that no idle worker was called
// to, and adds a thread whenever none of them begins: then all threads are stuck, perhaps waiting
// for one of these very tasks.
static void* keep(void* arg) {
  tn_pool* pool = arg;
  int64_t stall = stall_first;
  uint64_t begun = tn_task_queue_popped(&pool->tasks);
  while (!atomic_load(&pool->ending)) {
    if (!tn_task_queue_any(&pool->tasks)) {
      atomic_store(&pool->keeper_watches, 0);
      if (tn_task_queue_any(&pool->tasks)) {
        atomic_store(&pool->keeper_watches, 1);
        continue;
      }
      if (!atomic_load(&pool->ending)) tn_futex_wait(&pool->keeper_watches, 0);
      stall = stall_first;
      begun = tn_task_queue_popped(&pool->tasks);
      continue;
    }
    tn_futex_wait_for(&pool->keeper_watches, 1, stall * 1000000);
    uint64_t begun_by_now = tn_task_queue_popped(&pool->tasks);
    if (begun_by_now == begun && tn_task_queue_any(&pool->tasks) &&
        atomic_load(&pool->added) < most_added) {
      pthread_t thread;
      atomic_fetch_add(&pool->added, 1);
      atomic_fetch_add(&pool->seekers, 1);
      if (start_thread(&thread, run_added_thread, pool, "tenon-added")) {
        pthread_detach(thread);
      } else {
        atomic_fetch_sub(&pool->seekers, 1);
        atomic_fetch_sub(&pool->added, 1);
      }
      if (stall < stall_last) stall *= 10;
    }
    begun = begun_by_now;
  }
  return NULL;
}

static void call_keeper(tn_pool* pool) {
  if (atomic_load(&pool->keeper_watches) || atomic_exchange(&pool->keeper_watches, 1)) return;
  pthread_mutex_lock(&pool->lock);
  if (pool->keeper_runs) {
    tn_futex_wake(&pool->keeper_watches, 1);
  } else if (start_thread(&pool->keeper, keep, pool, "tenon-keeper")) {
    pool->keeper_runs = true;
  } else {
    atomic_store(&pool->keeper_watches, 0);
  }
  pthread_mutex_unlock(&pool->lock);
}

static void run_plain(const tn_task* task) { ((void (*)(void*))task->words[0])(task->words[1]); }

bool tn_pool_schedule(tn_pool* pool, void (*task)(void*), void* arg, tn_status* status) {
  return tn_pool_schedule_task(pool, &(tn_task){.run = run_plain, .words = {(void*)task, arg}},
                               status);
}

bool tn_pool_schedule_task(tn_pool* pool, const tn_task* task, tn_status* status) {
  if (!pool) {
    tn_status_set_no_memory(status, "making the thread pool");
    return false;
  }
  start_workers(pool, pool->threads);
  if (!pool->running) {
    tn_status_set(status, TN_RESOURCE_EXHAUSTED, "no thread could be started to run a task");
    return false;
  }
  if (!tn_task_queue_push(&pool->tasks, task)) {
    tn_status_set_no_memory(status, "queueing a task");
    return false;
  }
  if (!call_to_tasks(pool)) call_keeper(pool);
  return true;
}

// ---- The pool ----

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
