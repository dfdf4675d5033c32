// Tasks: each runs once, on some worker, in the order in which they came as far as there are
// workers for them.
#include "base/log.h"
#include "base/memory.h"
#include "base/pool_desk.h"

enum {
  stall_first = 1,   // milliseconds without any task begun until a thread is added,
  stall_last = 100,  // growing tenfold with each added one up to this
  most_added = 64,
};

// From the last worker down, as loops begin with the first.
bool tn_pool_call_to_tasks(tn_pool* pool) {
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

static void* run_added_thread(void* arg) {
  tn_pool* pool = arg;
  tn_pool_run_tasks(pool);
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
      if (tn_pool_start_thread(&thread, run_added_thread, pool, "tenon-added")) {
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
  } else if (tn_pool_start_thread(&pool->keeper, keep, pool, "tenon-keeper")) {
    pool->keeper_runs = true;
  } else {
    atomic_store(&pool->keeper_watches, 0);
  }
  pthread_mutex_unlock(&pool->lock);
}

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

void tn_pool_run_tasks(tn_pool* pool) {
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
      if (last && tn_task_queue_any(&pool->tasks) && !tn_pool_call_to_tasks(pool))
        call_keeper(pool);
      run_in_a_row(pool, &task);
    } else if (!tn_task_queue_any(&pool->tasks)) {
      return;
    }
    atomic_fetch_add(&pool->seekers, 1);
  }
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
  tn_pool_start_workers(pool, pool->threads);
  if (!pool->running) {
    tn_status_set(status, TN_RESOURCE_EXHAUSTED, "no thread could be started to run a task");
    return false;
  }
  if (!tn_task_queue_push(&pool->tasks, task)) {
    tn_status_set_no_memory(status, "queueing a task");
    return false;
  }
  if (!tn_pool_call_to_tasks(pool)) call_keeper(pool);
  return true;
}
