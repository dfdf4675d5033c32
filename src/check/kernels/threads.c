// Kernels on many threads, small stacks, and asynchronous ones.
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

enum { THREADS = 8 };

// One kernel, its inputs, what it should give.
typedef struct shared {
  tk_run* run;
  tn_tensor* kept[TK_MOST_ARGS];
  int rounds;
  const char* expected;
} shared;

static void run_beside(void* arg, int i) {
  const shared* shared = arg;
  tk_run own = *shared->run;
  memset(own.outputs, 0, sizeof own.outputs);
  for (int round = 0; round < shared->rounds; ++round) {
    tn_status status = {0};
    if (tk_once(&own, &status))
      tk_expect_outputs(&own, shared->kept, shared->expected);
    else
      tn_case_broken(NULL, shared->expected, "%s: %s", tk_describe(&own),
                     tn_status_message(&status));
    tn_status_deinit(&status);
  }
  tk_drop_outputs(&own);
}

static void share(tk_run* run, int threads, size_t stack, int rounds, const char* expected) {
  if (!tk_is_pure(run)) return;
  shared shared = {.run = run, .rounds = rounds, .expected = expected};
  tk_keep_outputs(run, shared.kept);
  tn_case_threads(threads, stack, run_beside, &shared);
  tk_drop_tensors(shared.kept, run->output_count);
}

static void on_eight(tk_run* run, uint64_t* random) {
  share(run, THREADS, 0, 4, "on eight threads the same as alone");
}
static void on_small_stack(tk_run* run, uint64_t* random) {
  share(run, 1, 256 << 10, 1, "with a stack of 256 KiB the same");
}

static void same_kernel(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(on_eight);
}

static void small_stack(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(on_small_stack);
}

// ---- Several kernels at once ----

enum { AT_ONCE = THREADS };
static tk_run gathered[AT_ONCE];
static shared gathered_shared[AT_ONCE];
static int gathered_count;

static void run_own(void* arg, int i) {
  gathered_shared[i].rounds = 4;
  gathered_shared[i].expected = "beside other kernels the same as alone";
  run_beside(&gathered_shared[i], i);
}

static void run_gathered(void) {
  if (gathered_count > 1) tn_case_threads(gathered_count, 0, run_own, NULL);
  for (int i = 0; i < gathered_count; ++i) {
    tk_drop_tensors(gathered_shared[i].kept, gathered[i].output_count);
    tk_drop(&gathered[i]);
  }
  gathered_count = 0;
}

static void gather(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  tk_run* run = &gathered[gathered_count];
  if (!tk_find(run, kernel, &random)) return;
  if (!tk_is_pure(run)) {
    tk_drop(run);
    return;
  }
  shared* shared = &gathered_shared[gathered_count++];
  *shared = (struct shared){.run = run};
  tk_keep_outputs(run, shared->kept);
  if (gathered_count == AT_ONCE) run_gathered();
}

static void other_kernels(const tn_subject* subject) {
  tk_start(subject);
  tk_each(gather);
  run_gathered();
}

// ---- Made and deleted on any thread ----

static void make_beside(void* arg, int i) {
  const tk_kernel* kernel = arg;
  uint64_t random = kernel->seed + (uint64_t)i;
  for (int k = 0; k < 4; ++k) {
    tk_run run;
    if (tk_make(&run, kernel, TK_PLAIN, &random, NULL, NULL)) tk_drop(&run);
  }
}

static void made_on_eight(const tk_kernel* kernel) {
  tn_case_threads(THREADS, 0, make_beside, (void*)kernel);
}

static void made(const tn_subject* subject) {
  tk_start(subject);
  tk_each(made_on_eight);
}

static void find_there(void* arg, int i) {
  uint64_t random = gathered[0].of->seed;
  const tk_kernel* kernel = gathered[0].of;
  *(bool*)arg = tk_find(&gathered[0], kernel, &random);
}

static void moves_between_threads(const tk_kernel* kernel) {
  bool found = false;
  gathered[0].of = kernel;
  tn_case_threads(1, 0, find_there, &found);  // made and run there, run and deleted here
  if (!found) return;
  if (tk_is_pure(&gathered[0])) {
    shared shared = {.run = &gathered[0], .rounds = 1, .expected = "on another thread the same"};
    tk_keep_outputs(&gathered[0], shared.kept);
    run_beside(&shared, 0);
    tk_drop_tensors(shared.kept, gathered[0].output_count);
  }
  tk_drop(&gathered[0]);
}

static void other_thread(const tn_subject* subject) {
  tk_start(subject);
  tk_each(moves_between_threads);
}

// ---- Forks ----

static void after_fork(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  shared shared = {.run = run, .rounds = 1, .expected = "the same after a fork"};
  tk_keep_outputs(run, shared.kept);
  const pid_t child = fork();
  if (child == 0) _exit(0);  // what starts other programs does no more
  if (child < 0 || waitpid(child, NULL, 0) != child) tn_case_error("cannot fork");
  run_beside(&shared, 0);
  tk_drop_tensors(shared.kept, run->output_count);
}

static void fork_beside(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(after_fork);
}

// ---- Asynchronous kernels ----

static _Atomic int strays, ended;

static void listen(const char* line) {
  if (strstr(line, "completion callback")) ++strays;
}

static void run_and_tell(void* arg, int i) {
  uint64_t random = ((const tk_kernel*)arg)->seed;
  tk_run run;
  if (tk_find(&run, arg, &random)) {
    for (int k = 0; k < 4; ++k) tk_once(&run, NULL);
    tk_drop(&run);
  }
  ++ended;
}

static void run_watched(void* arg, int i) {
  if (i == 0) {
    run_and_tell(arg, i);
  } else if (!tn_case_wait_for(&ended, 1)) {
    tn_case_broken(NULL, "a callback run once", "%s does not run it", tk_name(arg));
    tn_case_end();
  }
}

static size_t asynchronous;

static void calls_done_once(const tk_kernel* kernel) {
  if (!kernel->kernel->functions.compute_async) return;
  ++asynchronous;
  ended = 0;
  const int before = strays;
  tn_case_threads(2, 0, run_watched, (void*)kernel);
  usleep(10000);  // one that runs it twice does so a little later
  TN_EXPECT(strays == before, "a callback run once", "%s runs it %d times too often",
            tk_name(kernel), strays - before);
}

static void done_once(const tn_subject* subject) {
  tk_start(subject);
  tn_log_set_level(TN_LOG_WARNING);
  tn_log_set_listener(listen);
  tk_each(calls_done_once);
  if (asynchronous == 0) tn_case_skip("no kernel is asynchronous");
}

static const tn_check_case cases[] = {
    {"threads.one_kernel", "one kernel runs on many threads at once", same_kernel, 0},
    {"threads.many_kernels", "several kernels run at once", other_kernels, 0},
    {"threads.made", "kernels are made and deleted on many threads at once", made, 0},
    {"threads.another", "a kernel may be run and deleted on another thread than made it",
     other_thread, 0},
    {"threads.small_stack", "a kernel runs with a stack of 256 KiB", small_stack, 0},
    {"threads.fork", "a fork of the process leaves kernels usable", fork_beside, 0},
    {"threads.done_once", "an asynchronous kernel runs its callback once", done_once, 0},
};
const tn_check_group tn_check_kernels_threads = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
