// The token, and loops that look at it.
#include "base/cancel.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/memory.h"
#include "base/pool.h"
#include "base/status.h"
#include "harness.h"

TEST(test_a_token_is_asked_once_and_stays_so) {
  tn_status status = {0};
  tn_cancel* cancel = tn_cancel_create(&status);
  CHECK(cancel && tn_ok(&status));
  CHECK(!tn_cancel_requested(cancel));
  tn_cancel_request(cancel);
  tn_cancel_request(cancel);
  CHECK(tn_cancel_requested(cancel));
  tn_cancel_destroy(cancel);
}

TEST(test_no_token_is_never_asked) {
  tn_cancel_request(NULL);
  CHECK(!tn_cancel_requested(NULL));
  tn_cancel_destroy(NULL);
}

TEST(test_a_token_without_memory_is_a_status) {
  tn_status status = {0};
  tn_memory_fail_at(0);
  CHECK(!tn_cancel_create(&status));
  tn_memory_fail_at(-1);
  CHECK_CODE(&status, TN_RESOURCE_EXHAUSTED);
  tn_memory_fail_at(0);
  CHECK(!tn_cancel_create(NULL));
  tn_memory_fail_at(-1);
}

enum { total = 4000 };

typedef struct visits {
  tn_cancel* cancel;
  int ask_at;  // the piece that asks; -1: none
  atomic_int pieces, units, each[total];
} visits;

static void visit(void* arg, int64_t begin, int64_t end) {
  visits* all = arg;
  int number = atomic_fetch_add(&all->pieces, 1);
  if (number == all->ask_at) tn_cancel_request(all->cancel);
  while (all->ask_at >= 0 && number > all->ask_at && !tn_cancel_requested(all->cancel))
    sched_yield();
  for (int64_t i = begin; i < end; ++i) atomic_fetch_add(&all->each[i], 1);
  atomic_fetch_add(&all->units, (int)(end - begin));
}

static void check_loop(int threads, int64_t cost, int ask_at) {
  tn_pool* pool = tn_pool_create(threads, NULL);
  tn_cancel* cancel = tn_cancel_create(NULL);
  visits all = {.cancel = cancel, .ask_at = ask_at};
  bool whole = tn_pool_parallel_for_unless(pool, total, cost, visit, &all, cancel);
  CHECK(whole == (all.units == total));
  for (int i = 0; i < total; ++i) CHECK(all.each[i] <= 1);
  // A second of work in all: pieces are small enough to stop between them, on one thread too.
  if (ask_at >= 0 && cost == 250000) CHECK(!whole && all.units < total / 2);
  if (ask_at < 0) CHECK(whole);

  // Asked before: nothing begins, however small.
  tn_cancel_request(cancel);
  int before = all.pieces;
  CHECK(!tn_pool_parallel_for_unless(pool, total, cost, visit, &all, cancel));
  CHECK(!tn_pool_parallel_for_unless(pool, 1, 1, visit, &all, cancel));
  CHECK_INT(all.pieces, before);
  CHECK(tn_pool_parallel_for_unless(pool, 0, 1, visit, &all, cancel));
  tn_cancel_destroy(cancel);
  tn_pool_destroy(pool);
}

TEST(test_a_loop_begins_no_piece_once_it_is_asked_to_end) {
  const int threads[] = {1, 2, 4};
  for (int t = 0; t < 3; ++t) {
    for (int ask_at = -1; ask_at < 3; ++ask_at) {
      check_loop(threads[t], 250000, ask_at);
      check_loop(threads[t], 1000, ask_at);
      check_loop(threads[t], 1, ask_at);
    }
  }
}

TEST(test_a_loop_without_a_token_runs_to_its_end) {
  tn_pool* pool = tn_pool_create(3, NULL);
  visits all = {.ask_at = -1};
  CHECK(tn_pool_parallel_for_unless(pool, total, 100000, visit, &all, NULL));
  CHECK_INT(all.units, total);
  CHECK(tn_pool_parallel_for_unless(NULL, total, INT64_MAX, visit, &all, NULL));
  CHECK_INT(all.units, 2 * total);
  tn_pool_destroy(pool);
}
