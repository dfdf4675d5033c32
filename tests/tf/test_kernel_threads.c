// The host's threads under the names that kernels use: loops, tasks, and what a run waits for.
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "services_testing.h"
#include "throwing.h"

enum { total = 1000, dear = 1000000 };

static void sleep_ms(int ms) { nanosleep(&(struct timespec){0, ms * 1000000L}, NULL); }

// ---- Loops ----

static _Atomic int visits[total];
static _Atomic int pieces;
static TF_OpKernelContext* _Atomic running;

static void visit(int64_t begin, int64_t end) {
  atomic_fetch_add(&pieces, 1);
  for (int64_t i = begin; i < end; ++i) atomic_fetch_add(&visits[i], 1);
}

// Whether this thread works for the run, on whatever thread a piece is.
static bool works_for_the_run(void) { return tn_run_of_this_thread() == running; }

static void visit_in_run(void* arg, int64_t begin, int64_t end) {
  CHECK(arg == &visits && works_for_the_run());
  visit(begin, end);
}

static _Atomic int busy[TN_POOL_MAX_THREADS];

static void visit_with_worker(int64_t begin, int64_t end, int worker) {
  CHECK(worker >= 0 && worker < TF_ThreadPool_NumThreads(NULL));
  CHECK_INT(atomic_fetch_add(&busy[worker], 1), 0);
  visit(begin, end);
  atomic_fetch_sub(&busy[worker], 1);
}

static void visit_with_worker_in_run(void* arg, int64_t begin, int64_t end, int worker) {
  CHECK(arg == &visits && works_for_the_run());
  visit_with_worker(begin, end, worker);
}

static void visit_block(int64_t begin, int64_t end) {
  CHECK(begin % 7 == 0 && (end == begin + 7 || end == total));
  visit(begin, end);
}

static void visit_block_in_run(void* arg, int64_t begin, int64_t end) {
  CHECK(arg == &visits && works_for_the_run());
  visit_block(begin, end);
}

static void expect_visits(int each) {
  for (int i = 0; i < total; ++i) CHECK_INT(atomic_exchange(&visits[i], 0), each);
}

static void run_every_loop(TF_OpKernelContext* context) {
  running = context;
  TF_ThreadPool_ParallelFor(context, total, dear, visit);
  expect_visits(1);
  TF_ThreadPool_ParallelForClosure(context, total, dear, visit_in_run, &visits);
  expect_visits(1);
  TF_ThreadPool_ParallelForWithWorkerId(context, total, dear, visit_with_worker);
  expect_visits(1);
  TF_ThreadPool_ParallelForWithWorkerIdClosure(context, total, dear, visit_with_worker_in_run,
                                               &visits);
  expect_visits(1);
  CHECK(TF_ThreadPool_ParallelForUnlessCancelled(context, total, dear, visit_in_run, &visits));
  expect_visits(1);
  pieces = 0;
  TF_ThreadPool_TransformRangeConcurrently(context, 7, total, visit_block);
  TF_ThreadPool_TransformRangeConcurrentlyClosure(context, 7, total, visit_block_in_run, &visits);
  CHECK_INT(pieces, 2 * ((total + 6) / 7));
  expect_visits(2);
  // One block, and none.
  pieces = 0;
  TF_ThreadPool_TransformRangeConcurrently(context, 0, total, visit);
  TF_ThreadPool_TransformRangeConcurrently(context, INT64_MAX, total, visit);
  CHECK_INT(pieces, 2);
  expect_visits(2);
  TF_ThreadPool_TransformRangeConcurrently(context, 7, 0, visit);
  TF_ThreadPool_ParallelFor(context, -1, dear, visit);
  TF_ThreadPool_ParallelForWithWorkerId(context, 0, dear, visit_with_worker);
  CHECK_INT(pieces, 2);
  // Too little to share: one piece, here.
  TF_ThreadPool_ParallelFor(context, total, 0, visit);
  CHECK_INT(pieces, 3);
  expect_visits(1);
}

static void run_loops(TF_OpKernelContext* context) {
  run_every_loop(context);
  pass_on(context);
}

TEST(test_every_loop_covers_its_range_once_and_its_threads_work_for_the_run) {
  setenv("TENON_THREADS", "4", 1);
  tn_status status = {0};
  for (int i = 0; i < 20; ++i) CHECK(run_services(run_loops, &status));
  CHECK_OK(&status);
  CHECK_INT(TF_ThreadPool_NumThreads(NULL), 4);
}

static void visit_nested(void* arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) TF_ThreadPool_ParallelFor(arg, total, dear, visit);
}

static void run_nested(TF_OpKernelContext* context) {
  TF_ThreadPool_ParallelForClosure(context, 50, dear, visit_nested, context);
  expect_visits(50);
  pass_on(context);
}

TEST(test_loops_run_inside_loops) {
  setenv("TENON_THREADS", "4", 1);
  tn_status status = {0};
  CHECK(run_services(run_nested, &status));
}

// ---- Tasks ----

static _Atomic int calls, deletions;
static atomic_bool in_kernel;

static void call(void* arg) {
  CHECK(works_for_the_run());
  atomic_fetch_add(&calls, 1);
}
static void delete (void* arg) {
  CHECK(works_for_the_run());
  atomic_fetch_add(&deletions, 1);
  free(arg);
}
static FuncWrap closure_of(void (*fn)(void*)) { return (FuncWrap){malloc(8), fn, delete}; }

// A closure that lies in the queue: what it owns, and words that must arrive as they were.
typedef struct placed {
  void* owned;
  int64_t words[3];
} placed;
_Static_assert(sizeof(placed) == TF_CLOSURE_BYTES, "the largest");

static void call_placed(TF_OpKernelContext* context, void* bytes) {
  placed* closure = bytes;
  CHECK(context == running && (uintptr_t)bytes % 8 == 0);
  for (int i = 0; i < 3; ++i) CHECK_INT(closure->words[i], 10 + i);
  call(closure->owned);
  delete (closure->owned);
}
static void schedule_placed(TF_OpKernelContext* context) {
  placed closure = {malloc(8), {10, 11, 12}};
  TF_ThreadPool_ScheduleInPlace(context, call_placed, &closure, sizeof closure);
  closure = (placed){0};
}
static void call_without_bytes(TF_OpKernelContext* context, void* bytes) { call(NULL); }

static pthread_t kernel_thread;
static _Atomic int plain_calls;
static void call_plain(void) {
  CHECK(!pthread_equal(pthread_self(), kernel_thread) && works_for_the_run());
  const int id = TF_ThreadPool_CurrentThreadId(NULL);
  CHECK(id >= -1 && id < TF_ThreadPool_NumThreads(NULL));
  atomic_fetch_add(&plain_calls, 1);
}

static void schedule_all(TF_OpKernelContext* context) {
  kernel_thread = pthread_self();
  running = context;
  CHECK_INT(TF_ThreadPool_CurrentThreadId(context), -1);
  for (int i = 0; i < 100; ++i) {
    TF_ThreadPool_Schedule(context, call_plain);
    TF_ThreadPool_ScheduleWithHint(context, call_plain, i % 3 - 1, i);
    TF_ThreadPool_ScheduleClosure(context, closure_of(call));
    TF_ThreadPool_ScheduleClosureWithHint(context, closure_of(call), 5, 2);
    TF_ThreadPool_ScheduleUnlessCancelled(context, closure_of(call));
    schedule_placed(context);
    TF_EigenThreadPool* pool = TF_GetEigenThreadPoolHandle(context);
    CHECK(pool);
    TF_EigenThreadPool_Schedule(pool, closure_of(call));
    TF_EigenThreadPool_ScheduleWithHint(pool, closure_of(call), 0, 1);
    TF_EigenThreadPool_Cancel(pool);
    CHECK_INT(TF_EigenThreadPool_NumThreads(pool), TF_ThreadPool_NumThreads(context));
    CHECK_INT(TF_EigenThreadPool_CurrentThreadId(pool), -1);
    CHECK(!TF_DeleteEigenThreadPoolHandle(pool));
  }
  TF_ThreadPool_ScheduleClosure(context, (FuncWrap){NULL, call, NULL});
  TF_ThreadPool_ScheduleInPlace(context, call_without_bytes, NULL, 0);
  pass_on(context);
}

TEST(test_a_run_ends_when_all_that_its_kernel_scheduled_is_done_and_deleted) {
  setenv("TENON_THREADS", "3", 1);
  tn_status status = {0};
  for (int i = 1; i <= 20; ++i) {
    CHECK(run_services(schedule_all, &status));
    CHECK_INT(plain_calls, 200 * i);
    CHECK_INT(calls, 602 * i);
    CHECK_INT(deletions, 600 * i);
  }
}

static void call_late(void* arg) {
  sleep_ms(20);
  CHECK(!in_kernel);
  tn_run_failf(running, TN_DATA_LOSS, "found out late");
  call(arg);
}

static void return_early(TF_OpKernelContext* context) {
  in_kernel = true;
  running = context;
  TF_ThreadPool_ScheduleClosure(context, closure_of(call_late));
  pass_on(context);
  in_kernel = false;
}

TEST(test_work_that_outlives_the_kernel_still_belongs_to_its_run) {
  expect_failure(tn_device_cpu(), return_early, TN_DATA_LOSS, "found out late");
  CHECK_INT(calls, 1);
  CHECK_INT(deletions, 1);
}

// Each schedules two more until there are 127.
static _Atomic int left_to_schedule;
static void call_and_schedule(void* arg) {
  for (int i = 0; i < 2; ++i)
    if (atomic_fetch_sub(&left_to_schedule, 1) > 0)
      TF_ThreadPool_ScheduleClosure(running, closure_of(call_and_schedule));
  TF_ThreadPool_ParallelFor(running, total, dear, visit);
  call(arg);
}

static void schedule_tree(TF_OpKernelContext* context) {
  running = context;
  TF_ThreadPool_ScheduleClosure(context, closure_of(call_and_schedule));
  pass_on(context);
}

TEST(test_tasks_schedule_more_and_run_loops) {
  setenv("TENON_THREADS", "3", 1);
  tn_status status = {0};
  left_to_schedule = 126;
  CHECK(run_services(schedule_tree, &status));
  CHECK_INT(calls, 127);
  CHECK_INT(deletions, 127);
  expect_visits(127);
}

// More tasks that wait for each other than there are threads.
enum { blocked = 10 };
static sem_t gate;
static void block(void* arg) {
  while (sem_wait(&gate) != 0) continue;
  call(arg);
}
static void open_gate(void* arg) {
  for (int i = 0; i < blocked; ++i) sem_post(&gate);
  call(arg);
}

static void schedule_blocked(TF_OpKernelContext* context) {
  running = context;
  for (int i = 0; i < blocked; ++i) TF_ThreadPool_ScheduleClosure(context, closure_of(block));
  TF_ThreadPool_ScheduleClosure(context, closure_of(open_gate));
  pass_on(context);
}

TEST(test_tasks_that_block_keep_no_other_from_beginning) {
  setenv("TENON_THREADS", "2", 1);
  sem_init(&gate, 0, 0);
  tn_status status = {0};
  CHECK(run_services(schedule_blocked, &status));
  CHECK_INT(calls, blocked + 1);
  CHECK_INT(deletions, blocked + 1);
}

static void count_outside(void* arg) {
  CHECK(!tn_run_of_this_thread());
  sem_post(arg);
}

TEST(test_tasks_and_loops_without_a_run) {
  setenv("TENON_THREADS", "3", 1);
  sem_t done;
  sem_init(&done, 0, 0);
  for (int i = 0; i < 100; ++i)
    TF_ThreadPool_ScheduleClosure(NULL, (FuncWrap){&done, count_outside, NULL});
  TF_ThreadPool_ScheduleUnlessCancelled(NULL, (FuncWrap){&done, count_outside, NULL});
  for (int i = 0; i < 101; ++i) CHECK_INT(sem_wait(&done), 0);
  sem_destroy(&done);
  CHECK(!TF_OpKernelContext_IsCancelled(NULL));
  TF_Status* status = TF_NewStatus();
  TF_OpKernelContext_UpdateStatus(status);
  CHECK_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);
  TF_DeleteStatus(status);
  TF_OpKernelContext_UpdateStatus(NULL);
}

// ---- Cancelled ----

static tn_cancel* cancel;

static void cancel_and_schedule(TF_OpKernelContext* context) {
  running = context;
  CHECK(!TF_OpKernelContext_IsCancelled(context));
  tn_cancel_request(cancel);
  CHECK(TF_OpKernelContext_IsCancelled(context));
  for (int i = 0; i < 50; ++i) {
    TF_ThreadPool_ScheduleUnlessCancelled(context, closure_of(call));
    TF_ThreadPool_ScheduleClosure(context, closure_of(call));
  }
  pass_on(context);
}

TEST(test_a_task_of_a_cancelled_run_is_deleted_without_a_call_when_it_may_be_left_out) {
  setenv("TENON_THREADS", "3", 1);
  tn_status status = {0};
  cancel = tn_cancel_create(&status);
  CHECK(!run_on(tn_device_cpu(), cancel_and_schedule, cancel, &status));
  CHECK_CODE(&status, TN_CANCELLED);
  CHECK_INT(calls, 50);  // those that somebody may be waiting for
  CHECK_INT(deletions, 100);
  tn_cancel_destroy(cancel);
}

// ---- Wrong arguments and no memory ----

static void (*call_wrongly)(TF_OpKernelContext* context);
static void wrong_task(TF_OpKernelContext* c) { TF_ThreadPool_Schedule(c, NULL); }
static void wrong_hint(TF_OpKernelContext* c) { TF_ThreadPool_ScheduleWithHint(c, NULL, 0, 1); }
static FuncWrap without_call(void) { return closure_of(NULL); }
static void wrong_closure(TF_OpKernelContext* c) {
  TF_ThreadPool_ScheduleClosure(c, without_call());
}
static void wrong_hinted(TF_OpKernelContext* c) {
  TF_ThreadPool_ScheduleClosureWithHint(c, without_call(), 0, 1);
}
static void wrong_cancelled(TF_OpKernelContext* c) {
  TF_ThreadPool_ScheduleUnlessCancelled(c, without_call());
}
static void wrong_in_place(TF_OpKernelContext* c) {
  TF_ThreadPool_ScheduleInPlace(c, NULL, NULL, 0);
}
static void wrong_eigen(TF_OpKernelContext* c) {
  TF_EigenThreadPool_Schedule(TF_GetEigenThreadPoolHandle(c), without_call());
}
static void wrong_loop(TF_OpKernelContext* c) { TF_ThreadPool_ParallelFor(c, 1, 1, NULL); }
static void wrong_worker(TF_OpKernelContext* c) {
  TF_ThreadPool_ParallelForWithWorkerId(c, 1, 1, NULL);
}
static void wrong_worker_closure(TF_OpKernelContext* c) {
  TF_ThreadPool_ParallelForWithWorkerIdClosure(c, 1, 1, NULL, NULL);
}
static void wrong_blocks(TF_OpKernelContext* c) {
  TF_ThreadPool_TransformRangeConcurrently(c, 1, 1, NULL);
}
static void wrong_blocks_closure(TF_OpKernelContext* c) {
  TF_ThreadPool_TransformRangeConcurrentlyClosure(c, 1, 1, NULL, NULL);
}

// The failure is in the context at once, and told under both names.
static void fail_and_ask(TF_OpKernelContext* context) {
  running = context;
  TF_Status *mine = TF_NewStatus(), *other = TF_NewStatus();
  TF_OpKernelContext_UpdateStatus(mine);
  TF_OpKernelContext_UpdateStatusOf(context, mine);
  CHECK_INT(TF_GetCode(mine), TF_OK);
  call_wrongly(context);
  TF_OpKernelContext_UpdateStatus(mine);
  CHECK_INT(TF_GetCode(mine), TF_INVALID_ARGUMENT);
  TF_SetStatus(other, TF_ABORTED, "mine was first");
  TF_OpKernelContext_UpdateStatusOf(context, other);
  CHECK_INT(TF_GetCode(other), TF_ABORTED);
  TF_DeleteStatus(mine);
  TF_DeleteStatus(other);
}

TEST(test_without_a_function_to_call_the_context_fails_and_nothing_leaks) {
  void (*const wrong[])(TF_OpKernelContext*) = {
      wrong_task,           wrong_hint,   wrong_closure,        wrong_hinted,
      wrong_cancelled,      wrong_eigen,  wrong_loop,           wrong_worker,
      wrong_worker_closure, wrong_blocks, wrong_blocks_closure, wrong_in_place};
  for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
    call_wrongly = wrong[i];
    expect_failure(tn_device_cpu(), fail_and_ask, TN_INVALID_ARGUMENT,
                   "there is no function to call");
    running = NULL;
    wrong[i](NULL);
  }
  CHECK_INT(deletions, 8);
}

static void place_nothing(TF_OpKernelContext* c) {
  TF_ThreadPool_ScheduleInPlace(c, call_placed, NULL, 8);
}
static void place_too_much(TF_OpKernelContext* c) {
  const char bytes[TF_CLOSURE_BYTES + 1] = "";
  TF_ThreadPool_ScheduleInPlace(c, call_placed, bytes, sizeof bytes);
}

TEST(test_a_closure_that_does_not_fit_fails_the_context) {
  call_wrongly = place_nothing;
  expect_failure(tn_device_cpu(), fail_and_ask, TN_INVALID_ARGUMENT, "a NULL closure of 8 bytes");
  call_wrongly = place_too_much;
  expect_failure(tn_device_cpu(), fail_and_ask, TN_INVALID_ARGUMENT, "33 bytes, 32 is the most");
  running = NULL;
  place_too_much(NULL);
  CHECK_INT(calls, 0);
}

static int fail_at;

// A queue that is full, and no memory for more of it: the kernel's thread runs what cannot wait.
static void schedule_without_memory(TF_OpKernelContext* context) {
  running = context;
  sem_init(&gate, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    FuncWrap task = closure_of(call);
    tn_memory_fail_at(fail_at);
    TF_ThreadPool_ScheduleClosure(context, task);
    tn_memory_fail_at(fail_at);
    schedule_placed(context);
    TF_ThreadPool_Schedule(context, NULL);
    tn_memory_fail_at(-1);
  }
}

TEST(test_tasks_that_cannot_be_queued_run_on_the_calling_thread) {
  setenv("TENON_THREADS", "2", 1);
  for (fail_at = 0; fail_at < 4; ++fail_at) {
    tn_status status = {0};
    CHECK(!run_services(schedule_without_memory, &status));
    CHECK_INT(calls, 2000 * (fail_at + 1));
    CHECK_INT(deletions, 2000 * (fail_at + 1));
    tn_status_deinit(&status);
  }
}

// Loops, questions and statuses need no memory.
static void run_all_without_memory(TF_OpKernelContext* context) {
  TF_Status* status = TF_NewStatus();
  tn_memory_fail_at(0);
  run_every_loop(context);
  TF_OpKernelContext_UpdateStatusOf(context, status);
  TF_EigenThreadPool* pool = TF_GetEigenThreadPoolHandle(context);
  CHECK(pool && TF_EigenThreadPool_NumThreads(pool) == TF_ThreadPool_NumThreads(context));
  CHECK(!TF_OpKernelContext_IsCancelled(context));
  TF_EigenThreadPool_Cancel(pool);
  CHECK_INT(TF_EigenThreadPool_CurrentThreadId(pool), -1);
  CHECK_INT(TF_ThreadPool_CurrentThreadId(context), -1);
  CHECK(!TF_DeleteEigenThreadPoolHandle(pool));
  tn_memory_fail_at(-1);
  CHECK_INT(TF_GetCode(status), TF_OK);
  TF_DeleteStatus(status);
  pass_on(context);
}

// ---- Exceptions ----

static void loop_that_throws(void) {
  TF_ThreadPool_ParallelForClosure(NULL, 1, 1, throw_in_loop, NULL);
}
static void shared_loop_that_throws(void) {
  TF_ThreadPool_ParallelForClosure(NULL, 100, dear, throw_in_loop, NULL);
}
static void task_that_throws(void) {
  TF_ThreadPool_ScheduleClosure(NULL, (FuncWrap){NULL, throw_in_task, NULL});
  sleep(10);
}

TEST(test_an_exception_never_crosses_and_ends_the_process_where_it_was_thrown) {
  setenv("TENON_THREADS", "2", 1);
  void (*const all[])(void) = {loop_that_throws, shared_loop_that_throws, task_that_throws};
  for (size_t i = 0; i < COUNT_OF(all); ++i) {
    pid_t child = fork();
    if (child == 0) {
      freopen("/dev/null", "w", stderr);
      catches(all[i]);
      _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
  }
}

// ---- Under load, for sanitizers ----

static void* run_schedules(void* arg) {
  tn_status status = {0};
  for (int i = 0; i < 30; ++i) {
    tn_tensor *in = FLOATS(1, 2), *out = NULL;
    CHECK(tn_kernel_run(arg, &in, 1, &out, 1, NULL, &status));
    tn_tensor_destroy(in);
    tn_tensor_destroy(out);
  }
  return NULL;
}

typedef struct shared_count {
  TF_OpKernelContext* context;
  _Atomic int count;
  int seen[64];
} shared_count;

static void note(void* arg) {
  CHECK(tn_run_of_this_thread() == ((shared_count*)arg)->context);
  atomic_fetch_add(&((shared_count*)arg)->count, 1);
}
static void note_piece(void* arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) ((shared_count*)arg)->seen[i] = 1;
}
static void check_and_free(void* arg) {
  shared_count* all = arg;
  if (atomic_fetch_add(&all->count, 1) == 64) free(all);
}

static void compute_loaded(void* state, tn_run_context* context) {
  shared_count* all = calloc(1, sizeof *all);
  all->context = context;
  TF_ThreadPool_ParallelForClosure(context, 64, dear, note_piece, all);
  for (int i = 0; i < 64; ++i) CHECK_INT(all->seen[i], 1);
  for (int i = 0; i < 32; ++i)
    TF_ThreadPool_ScheduleClosure(context, (FuncWrap){all, note, check_and_free});
  // The last of 32 calls, 32 deletions and this.
  check_and_free(all);
  pass_on(context);
}

TEST(test_many_runs_at_once_share_the_threads) {
  setenv("TENON_THREADS", "4", 1);
  given_unary_op("Loaded");
  given_kernel("Loaded", compute_loaded);
  tn_kernel_instance* instance =
      instance_of(node_of(tn_op_registry_find("Loaded"), NULL, TYPES(TN_FLOAT)));
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    CHECK_INT(pthread_create(&threads[i], NULL, run_schedules, instance), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  tn_kernel_instance_destroy(instance);
}

TEST(test_loops_and_questions_need_no_memory) {
  setenv("TENON_THREADS", "3", 1);
  tn_status status = {0};
  CHECK(run_services(run_all_without_memory, &status));
}
