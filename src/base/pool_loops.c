// A loop over many threads: cut into pieces, which the caller and the workers it borrows take in
// turn.
#include "base/pool_desk.h"

// Nanoseconds, as the costs that callers state.
enum {
  least_share = 1000,      // what a thread must have to do to be worth calling
  least_piece = 4000,      // pieces are not cut finer for the sake of balance
  most_piece = 5000000,    // of work that may be cancelled
  pieces_per_thread = 16,  // what is left at the end of a loop is small against the whole
  wake_share = 25000,      // what a sleeping thread must have to do to be woken
  grace = 2000,            // how long unclaimed work is left to a worker that is awake
};

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
    int64_t time = tn_clock_ns();
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
    int64_t time = tn_clock_ns();
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
  tn_pool_start_workers(pool, workers);

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
    tn_pool_give_back(pool, loans[i].worker->index, loans[i].number);
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
