// The inside of the thread pool: how work reaches a worker, and what it costs.
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
#ifndef TENON_BASE_POOL_DESK_H_
#define TENON_BASE_POOL_DESK_H_

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/futex.h"
#include "base/pool.h"
#include "base/task_queue.h"

enum { line = 128 };  // two cache lines: the neighbour is fetched along

typedef enum lease_status { lease_free, lease_asleep, lease_lent, lease_absent } lease_status;
typedef enum desk_phase { desk_done, desk_posted, desk_taken, desk_awaited } desk_phase;

static uint64_t word(uint64_t number, int low) { return number << 2 | (uint64_t)low; }
static uint64_t number_of(uint64_t word) { return word >> 2; }
static inline int low_of(uint64_t word) { return (int)(word & 3); }

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

static inline void relax(void) {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// A futex is 32 bits: the low half of a desk, which holds the phase and the low bits of the number.
static inline atomic_int* low_half(_Atomic uint64_t* desk) {
  return (atomic_int*)desk + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

// ---- Loans ----

typedef struct loan {
  worker* worker;
  uint64_t number;
  int64_t begin, end;
  bool awake;
} loan;

static inline bool borrow(tn_pool* pool, int index, lease_status wanted, loan* out_loan) {
  uint64_t lease = atomic_load(&pool->leases[index]);
  if (low_of(lease) != (int)wanted) return false;
  uint64_t number = number_of(lease) + 1;
  if (!atomic_compare_exchange_strong(&pool->leases[index], &lease, word(number, lease_lent)))
    return false;
  *out_loan = (loan){&pool->workers[index], number, 0, 0, wanted == lease_free};
  return true;
}

static inline void post(const loan* loan, loop_body body, shared_loop* rest) {
  worker* worker = loan->worker;
  worker->body = body;
  worker->begin = loan->begin;
  worker->end = loan->end;
  worker->rest = rest;
  atomic_store_explicit(&worker->desk, word(loan->number, desk_posted), memory_order_release);
  if (!loan->awake) tn_futex_wake(low_half(&worker->desk), 1);
}

// The worker is free again: for loops, for tasks that wait.
void tn_pool_give_back(tn_pool* pool, int index, uint64_t number);

// ---- Workers ----

// Starts workers until there are `count`, or as many as there can be.
void tn_pool_start_workers(tn_pool* pool, int count);
// No signal reaches the thread.
bool tn_pool_start_thread(pthread_t* thread, void* (*run)(void*), void* arg, const char* name);

static inline void call_body(const loop_body* body, int64_t begin, int64_t end, int worker) {
  if (body->kind == work_loop) {
    body->call.plain(body->arg, begin, end);
  } else {
    body->call.with_worker(body->arg, begin, end, worker);
  }
}

// Runs the next piece of a loop; false when there is none.
static inline bool run_piece(shared_loop* loop, const loop_body* body, int worker) {
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

// ---- Tasks ----

// Calls a worker to the tasks, unless one is on its way; false when none is idle.
bool tn_pool_call_to_tasks(tn_pool* pool);
// By a thread that counts as a seeker. Whoever schedules while there is one relies on its finding
// the task, and on its calling another thread when there are more.
void tn_pool_run_tasks(tn_pool* pool);

#endif  // TENON_BASE_POOL_DESK_H_
