// Kernels run on inputs that they take: what they set, whether they say the same again, what they
// leave alone.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check/kernels/fixture.h"
#include "check/kernels/groups.h"

// ---- What they set ----

static void look_at_outputs(tk_run* run, uint64_t* random) {
  for (size_t i = 0; i < run->output_count; ++i) {
    const tn_dtype declared = run->instance->node->output_types[i];
    if (tn_dtype_is_ref(declared)) continue;
    TN_EXPECT(run->outputs[i]->dtype == declared, tn_dtype_name(declared), "%s in output %zu of %s",
              tn_dtype_name(run->outputs[i]->dtype), i, tk_describe(run));
  }
}

static void random_inputs(const tn_subject* subject) {
  tk.reports_search = true;
  tk_start(subject);
  tk_each_run(look_at_outputs);
}

static void each_element_is_set(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run) || run->of->device->plugin) return;
  tn_tensor* kept[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  // Memory of two patterns: an element that nobody writes differs.
  for (int pattern = 0; pattern < 2; ++pattern) {
    tn_buffer* buffers[TK_MOST_ARGS] = {0};
    for (size_t i = 0; i < run->output_count; ++i) {
      if (tn_dtype_owns(run->instance->node->output_types[i])) continue;
      buffers[i] = tn_buffer_allocate(&tn_host_allocator, tn_tensor_bytes(kept[i]), NULL);
      if (!buffers[i]) tn_case_error("out of memory");
      memset(buffers[i]->data, pattern ? 0x5a : 0xa5, tn_tensor_bytes(kept[i]));
    }
    const tn_assigned_memory assigned = {.outputs = buffers};
    if (tk_once_with(run, &(tn_run_options){.assigned = &assigned}, NULL))
      tk_expect_outputs(run, kept, "each element of an output written");
    tk_drop_outputs(run);
    for (size_t i = 0; i < run->output_count; ++i) tn_buffer_unref(buffers[i]);
  }
  tk_drop_tensors(kept, run->output_count);
}

static void all_elements(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(each_element_is_set);
}

// ---- Bounds ----

enum { CANARY = 0xc5 };

// Memory of `size` bytes at a 64-byte boundary that ends within 64 bytes of a page that cannot be
// touched.
static char* guarded(size_t size, char** out_mapping, size_t* out_mapped) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t body = (size + TN_ALIGNMENT + page - 1) / page * page;
  char* mapping =
      mmap(NULL, body + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) tn_case_error("out of memory");
  mprotect(mapping, page, PROT_NONE);
  mprotect(mapping + page + body, page, PROT_NONE);
  memset(mapping + page, CANARY, body);
  *out_mapping = mapping;
  *out_mapped = body + 2 * page;
  return mapping + page + body - (size + TN_ALIGNMENT - 1) / TN_ALIGNMENT * TN_ALIGNMENT;
}

static void stays_within(tk_run* run, uint64_t* random) {
  if (run->of->device->plugin) return;
  char *mappings[2 * TK_MOST_ARGS], *places[TK_MOST_ARGS];
  size_t mapped[2 * TK_MOST_ARGS], sizes[TK_MOST_ARGS], count = 0;
  tn_tensor* inputs[TK_MOST_ARGS];
  tn_buffer* buffers[TK_MOST_ARGS] = {0};
  memcpy(inputs, run->inputs, sizeof inputs);
  for (size_t i = 0; i < run->input_count; ++i) {
    const tn_tensor* input = inputs[i];
    if (tn_dtype_owns(input->dtype)) continue;
    const size_t size = tn_tensor_bytes(input);
    char* place = guarded(size, &mappings[count], &mapped[count]);
    ++count;
    memcpy(place, tn_tensor_data(input), size);
    run->inputs[i] = tn_tensor_wrap(tn_buffer_adopt(place, size, NULL, NULL, NULL), input->dtype,
                                    tn_shape_dims(&input->shape), input->shape.rank, NULL);
    if (!run->inputs[i]) tn_case_error("out of memory");
  }
  for (size_t i = 0; i < run->output_count; ++i) {
    const tn_tensor* output = run->outputs[i];
    places[i] = NULL;
    if (tn_dtype_owns(output->dtype)) continue;
    sizes[i] = tn_tensor_bytes(output);
    places[i] = guarded(sizes[i], &mappings[count], &mapped[count]);
    ++count;
    buffers[i] = tn_buffer_adopt(places[i], sizes[i], NULL, NULL, NULL);
  }
  const tn_assigned_memory assigned = {.outputs = buffers};
  tk_once_with(run, &(tn_run_options){.assigned = &assigned}, NULL);
  for (size_t i = 0; i < run->output_count; ++i) {
    if (!places[i]) continue;
    bool whole = true;
    for (size_t k = 1; k <= TN_ALIGNMENT; ++k) whole &= places[i][-(ptrdiff_t)k] == (char)CANARY;
    for (size_t k = sizes[i]; k % TN_ALIGNMENT; ++k) whole &= places[i][k] == (char)CANARY;
    TN_EXPECT(whole, "nothing written beside an output", "bytes beside output %zu of %s", i,
              tk_describe(run));
  }
  tk_drop_outputs(run);
  for (size_t i = 0; i < run->output_count; ++i) tn_buffer_unref(buffers[i]);
  for (size_t i = 0; i < run->input_count; ++i)
    if (run->inputs[i] != inputs[i]) tn_tensor_destroy(run->inputs[i]);
  memcpy(run->inputs, inputs, sizeof inputs);
  for (size_t i = 0; i < count; ++i) munmap(mappings[i], mapped[i]);
}

static void bounds(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(stays_within);
}

// ---- Again ----

static void says_the_same(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  tn_tensor* kept[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  for (int i = 0; i < 3; ++i)
    if (tk_once(run, NULL))
      tk_expect_outputs(run, kept, "the same as the time before");
    else
      tn_case_broken(NULL, "the same as the time before", "%s fails the next time",
                     tk_describe(run));
  tk_drop_tensors(kept, run->output_count);
}

static void deterministic(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(says_the_same);
}

static void another_says_the_same(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  tn_tensor* kept[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  const tn_node* node = run->instance->node;
  tn_node* copy =
      tn_node_create(node->op, "another", &node->attrs, node->input_types, node->input_count, NULL);
  tn_kernel_instance* first = run->instance;
  run->instance =
      copy ? tn_kernel_instance_create(run->of->kernel, copy, run->of->device, NULL) : NULL;
  if (run->instance && tk_once(run, NULL))
    tk_expect_outputs(run, kept, "the same of two kernels that were made alike");
  tn_kernel_instance_destroy(run->instance);
  run->instance = first;
  tk_drop_tensors(kept, run->output_count);
}

static void made_alike(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(another_says_the_same);
}

static void works_after_failures(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  tn_tensor *kept[TK_MOST_ARGS], *inputs[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  memcpy(inputs, run->inputs, sizeof inputs);
  for (int i = 0; i < 8; ++i) {
    memset(run->inputs, 0, sizeof run->inputs);
    tk_draw_inputs(run, TK_VARIED, random);
    tk_once(run, NULL);
    tk_drop_inputs(run);
  }
  memcpy(run->inputs, inputs, sizeof inputs);
  if (tk_once(run, NULL))
    tk_expect_outputs(run, kept, "the same as before other runs");
  else
    tn_case_broken(NULL, "the same as before other runs", "%s fails after other inputs",
                   tk_describe(run));
  tk_drop_tensors(kept, run->output_count);
}

static void after_failures(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(works_after_failures);
}

// ---- What they leave alone ----

static bool keeps_these(tk_run* run) {
  tn_tensor* before[TK_MOST_ARGS] = {0};
  bool same = true;
  for (size_t i = 0; i < run->input_count; ++i)
    if (!tn_dtype_is_ref(run->instance->node->input_types[i]))
      before[i] = tn_tensor_clone(run->inputs[i], NULL);
  if (tk_once(run, NULL))
    for (size_t i = 0; same && i < run->input_count; ++i) {
      same = !before[i] || tk_same(before[i], run->inputs[i]);
      TN_EXPECT(same, "inputs as they were", "input %zu of %s was written to", i, tk_describe(run));
    }
  tk_drop_tensors(before, run->input_count);
  return same;
}

// The kernel has seen the first inputs before: what it writes each time alike is in them. So others
// of the same shapes follow.
static void keeps_inputs(tk_run* run, uint64_t* random) {
  for (int i = 0; keeps_these(run) && i < 8; ++i)
    for (size_t k = 0; k < run->input_count; ++k) {
      tn_shape shape;
      if (!tn_shape_copy(&shape, &run->inputs[k]->shape, NULL)) tn_case_error("out of memory");
      tk_set_input(run, k, tn_shape_dims(&shape), shape.rank, TK_PLAIN, random);
      tn_shape_deinit(&shape);
    }
}

static void inputs_kept(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(keeps_inputs);
}

static void takes_memory_over(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run) || run->of->device->plugin) return;
  tn_tensor* kept[TK_MOST_ARGS];
  bool donated[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  tk_drop_outputs(run);
  for (size_t i = 0; i < run->input_count; ++i) {
    tn_tensor* only = tn_tensor_clone(run->inputs[i], NULL);
    if (!only) tn_case_error("out of memory");
    tn_tensor_destroy(run->inputs[i]);
    run->inputs[i] = only;
    donated[i] = true;
  }
  if (tk_once_with(run, &(tn_run_options){.donated = donated}, NULL))
    tk_expect_outputs(run, kept, "the same when an input's memory may become the output's");
  tk_drop_tensors(kept, run->output_count);
}

static void forwarding(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(takes_memory_over);
}

// ---- Ended early ----

static void* ask(void* arg) {
  tn_cancel_request(arg);
  return NULL;
}

static void may_be_cancelled(tk_run* run, uint64_t* random) {
  if (!tk_is_pure(run)) return;
  tn_tensor* kept[TK_MOST_ARGS];
  tk_keep_outputs(run, kept);
  tn_cancel* cancel = tn_cancel_create(NULL);
  pthread_t thread;
  if (!cancel || pthread_create(&thread, NULL, ask, cancel) != 0)
    tn_case_error("cannot start a thread");
  tn_status status = {0};
  const bool ran = tk_once_with(run, &(tn_run_options){.cancel = cancel}, &status);
  pthread_join(thread, NULL);
  if (ran)
    tk_expect_outputs(run, kept, "CANCELLED, or all of the result");
  else
    TN_EXPECT(tn_status_code(&status) == TN_CANCELLED, "CANCELLED, or all of the result", "%s: %s",
              tk_describe(run), tn_status_message(&status));
  tn_status_clear(&status);
  if (tk_once(run, &status)) tk_expect_outputs(run, kept, "the same after a cancelled run");
  tn_status_deinit(&status);
  tn_cancel_destroy(cancel);
  tk_drop_tensors(kept, run->output_count);
}

static void cancelled(const tn_subject* subject) {
  tk_start(subject);
  tk_each_run(may_be_cancelled);
}

static const tn_check_case cases[] = {
    {"runs.random_inputs", "a kernel that takes its inputs sets each output, as the op declares it",
     random_inputs, 0},
    {"runs.all_elements", "each element of an output is written", all_elements, 0},
    {"runs.bounds", "a kernel reads and writes nothing beside its tensors", bounds, 0},
    {"runs.deterministic", "an op that is not stateful gives the same for the same inputs",
     deterministic, 0},
    {"runs.made_alike", "kernels that were made alike give the same", made_alike, 0},
    {"runs.after_failures", "a kernel works after runs that failed", after_failures, 0},
    {"runs.inputs_kept", "inputs are read only", inputs_kept, 0},
    {"runs.forwarding", "an output that takes over an input's memory is what it would be elsewhere",
     forwarding, 0},
    {"runs.cancelled", "a cancelled run is CANCELLED or complete, and the next one is fine",
     cancelled, 0},
};
const tn_check_group tn_check_kernels_runs = TN_CHECK_GROUP(TN_FACE_KERNELS, cases);
