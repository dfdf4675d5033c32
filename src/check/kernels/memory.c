// Memory: allocations that fail, and what is left behind.
#include <malloc.h>

#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

enum { MOST_FAILURES = 40, ROUNDS = 100 };

// ---- Allocations that fail ----

// Each allocation of the host's on this thread fails in turn: statuses, handles and outputs.
static void make_without_memory(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  tk_run run;
  if (!tk_make(&run, kernel, TK_PLAIN, &random, NULL, NULL)) return;
  const tn_node* node = run.instance->node;
  for (int64_t nth = 0; nth < MOST_FAILURES; ++nth) {
    tn_node* copy = tn_node_create(node->op, node->name, &node->attrs, node->input_types,
                                   node->input_count, NULL);
    if (!copy) tn_case_error("out of memory");
    tn_case_enter(tk_name(kernel));
    tn_memory_fail_here_at(nth);
    tn_kernel_instance* instance =
        tn_kernel_instance_create(kernel->kernel, copy, kernel->device, NULL);
    const bool failed = tn_memory_asked() > nth;
    tn_memory_fail_at(-1);
    tn_kernel_instance_destroy(instance);
    tn_case_leave();
    if (!failed) break;
  }
  tk_drop(&run);
}

static void making(const tn_subject* subject) {
  tk_start(subject);
  tk_each(make_without_memory);
}

static void run_without_memory(tk_run* run, uint64_t* random) {
  tn_tensor* kept[TK_MOST_ARGS];
  const bool pure = tk_is_pure(run);
  if (pure) tk_keep_outputs(run, kept);
  tk_drop_outputs(run);
  for (int64_t nth = 0; nth < MOST_FAILURES; ++nth) {
    tk.no_memory = true;
    tn_memory_fail_here_at(nth);
    const bool ran = tk_once(run, NULL);
    const bool failed = tn_memory_asked() > nth;
    tn_memory_fail_at(-1);
    tk.no_memory = false;
    if (ran && pure) tk_expect_outputs(run, kept, "a failure, or all of the result");
    tk_drop_outputs(run);
    if (!failed) break;
  }
  tn_status status = {0};
  if (tk_once(run, &status)) {
    if (pure) tk_expect_outputs(run, kept, "the same once there is memory again");
  } else if (pure) {
    tn_case_broken(NULL, "the same once there is memory again", "%s: %s", tk_describe(run),
                   tn_status_message(&status));
  }
  tn_status_deinit(&status);
  if (pure) tk_drop_tensors(kept, run->output_count);
}

static void running(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(run_without_memory);
}

// ---- What is left behind ----

typedef struct heap {
  int64_t blocks;  // the host's: handles, statuses, tensors
  size_t bytes;    // of the whole process
} heap;

static heap measure(const tk_kernel* kernel) {
  tn_device_wait(kernel->device, NULL);  // what is queued there is not lost
  const struct mallinfo2 info = mallinfo2();
  return (heap){tn_memory_alive(), info.uordblks + info.hblkhd};
}

// Caches fill in the first rounds, and the queue of a device is now longer, now shorter; what is
// lost is lost in every stretch.
static void repeat(const tk_run* run, void (*once)(void* arg), void* arg) {
  enum { STRETCHES = 6 };
  tn_memory_fail_at(-1);  // begins to count
  for (int i = 0; i < 8; ++i) once(arg);
  heap before = measure(run->of);
  int64_t blocks = INT64_MAX, bytes = INT64_MAX;
  for (int stretch = 0; stretch < STRETCHES; ++stretch) {
    for (int i = 0; i < ROUNDS; ++i) {
      once(arg);
      if (run->of->device->plugin) tn_device_wait(run->of->device, NULL);
    }
    const heap after = measure(run->of);
    const int64_t more = after.blocks - before.blocks;
    const int64_t grown = (int64_t)after.bytes - (int64_t)before.bytes;
    if (more < blocks) blocks = more;
    if (grown < bytes) bytes = grown;
    before = after;
    if (blocks < ROUNDS / 2 && bytes < ROUNDS * 8) return;
  }
  TN_EXPECT(blocks < ROUNDS / 2, "all handles given back",
            "%lld of the host's blocks left after %d rounds of %s", (long long)blocks, ROUNDS,
            tk_describe(run));
  TN_EXPECT(bytes < ROUNDS * 8, "as much memory as before", "%lld bytes more after %d rounds of %s",
            (long long)bytes, ROUNDS, tk_describe(run));
}

static void run_and_drop(void* arg) {
  tk_once(arg, NULL);
  tk_drop_outputs(arg);
}

static void runs_without_growth(tk_run* run, uint64_t* random) { repeat(run, run_and_drop, run); }

static void growth_of_runs(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(runs_without_growth);
}

static void fails_without_growth(tk_run* run, uint64_t* random) {
  for (int i = 0; i < 12; ++i) {
    tk_draw_inputs(run, TK_PLAIN, random);
    if (tk_once(run, NULL)) continue;
    repeat(run, run_and_drop, run);
    return;
  }
}

static void growth_of_failures(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(fails_without_growth);
}

static void make_and_delete(void* arg) {
  const tk_run* run = arg;
  const tn_node* node = run->instance->node;
  tn_node* copy = tn_node_create(node->op, node->name, &node->attrs, node->input_types,
                                 node->input_count, NULL);
  tn_case_enter(tk_name(run->of));
  if (copy)
    tn_kernel_instance_destroy(
        tn_kernel_instance_create(run->of->kernel, copy, run->of->device, NULL));
  tn_case_leave();
}

static void made_without_growth(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  tk_run run;
  if (!tk_make(&run, kernel, TK_PLAIN, &random, NULL, NULL)) return;
  repeat(&run, make_and_delete, &run);
  tk_drop(&run);
}

static void growth_of_kernels(const tn_subject* subject) {
  tk_start(subject);
  tk_each(made_without_growth);
}

static const tn_check_case cases[] = {
    {"memory.none_while_made", "a kernel is made, or refused, where any allocation fails", making,
     0},
    {"memory.none_while_run",
     "a run gives all of its result or fails, where any allocation fails, and the next one is fine",
     running, 0},
    {"memory.runs", "a run leaves nothing behind", growth_of_runs, 0},
    {"memory.failures", "a run that fails leaves nothing behind", growth_of_failures, 0},
    {"memory.kernels", "a kernel that was deleted leaves nothing behind", growth_of_kernels, 0},
};
const tn_check_group tn_check_kernels_memory = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
