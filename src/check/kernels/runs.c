// Runs of kernels: found, run, looked at.
#include <stdio.h>
#include <string.h>

#include "check/kernels/contain.h"
#include "check/kernels/draw.h"
#include "op/shape_inference.h"

bool tk_make(tk_run* run, const tk_kernel* kernel, tk_style style, uint64_t* random,
             bool* is_kernels, tn_status* status) {
  *run = (tk_run){.of = kernel};
  if (is_kernels) *is_kernels = false;
  tn_node* node = tk_draw_node(kernel, style, random, status);
  if (!node) return false;
  if (is_kernels) *is_kernels = true;
  run->input_count = node->input_count;
  run->output_count = node->output_count;
  char call[200];
  snprintf(call, sizeof call, "create of %s", tk_name(kernel));
  run->instance =
      TN_CASE_CALL(call, tn_kernel_instance_create(kernel->kernel, node, kernel->device, status));
  return run->instance != NULL;
}

bool tk_shapes_fit(const tk_run* run, tn_status* status) {
  const tn_node* node = run->instance->node;
  tn_shape inputs[TK_MOST_ARGS], outputs[TK_MOST_ARGS];
  for (size_t i = 0; i < run->input_count; ++i) inputs[i] = run->inputs[i]->shape;
  char call[200];
  snprintf(call, sizeof call, "shape function of %s", node->op->name);
  const bool fit = TN_CASE_CALL(
      call, tn_infer_shapes(node, inputs, (const tn_tensor* const*)run->inputs, outputs, status));
  for (size_t i = 0; fit && i < run->output_count; ++i) tn_shape_deinit(&outputs[i]);
  return fit;
}

// ---- Running ----

// A failure that is none of the inputs': what ported kernels did not catch, and outputs that there
// are not.
static bool is_slip(const tn_status* status) {
  const char* message = tn_status_message(status);
  return strstr(message, "exception in a kernel") || strstr(message, "output index out of range");
}

static bool spoils_outputs(const tn_status* status) {
  return tn_status_fault(status) == TN_FAULT_PLUGIN ||
         strstr(tn_status_message(status), "a tensor of type");
}

// What the host saw a kernel do wrong.
static void look_at_failure(const tk_run* run, const tn_status* status) {
  const char* message = tn_status_message(status);
  if (tk.no_memory || tk_is_searching()) return;
  // Other cases are content with a run that fails.
  if (tk.reports_search && is_slip(status))
    tn_case_broken("a kernel refuses inputs in its own words", "a refusal, or a result", "%s: %s",
                   tk_describe(run), message);
  else if (spoils_outputs(status))
    tn_case_broken("a kernel sets each output, as the op declares it", "outputs as declared",
                   "%s: %s", tk_describe(run), message);
}

// The host only adds where.
void tk_expect_message(const char* what, const tn_status* status) {
  static const char* const added[] = {";", "in node '", "while making the kernel of node"};
  const char* message = tn_status_message(status);
  bool said = *message;
  for (size_t i = 0; i < sizeof added / sizeof *added; ++i)
    said &= strncmp(message, added[i], strlen(added[i])) != 0;
  TN_EXPECT(said, "a failure with a message", "%s: %s without one", what,
            tn_code_name(tn_status_code(status)));
}

bool tk_once_with(tk_run* run, const tn_run_options* options, tn_status* status) {
  char call[200];
  snprintf(call, sizeof call, "compute of %s", tk_name(run->of));
  tk_drop_outputs(run);
  tn_status own = {0};
  tn_case_enter(call);
  bool done = tn_kernel_run_with(run->instance, run->inputs, run->input_count, run->outputs,
                                 run->output_count, options, &own);
  // Work may be on its way still.
  for (size_t i = 0; done && run->of->device->plugin && i < run->output_count; ++i) {
    if (tn_dtype_is_ref(run->instance->node->output_types[i])) continue;
    tn_tensor* host = tn_tensor_to_host(run->outputs[i], &own);
    done = host != NULL;
    if (!host) break;
    tn_tensor_destroy(run->outputs[i]);
    run->outputs[i] = host;
  }
  tn_case_leave();
  if (!done) {
    tk_drop_outputs(run);
    look_at_failure(run, &own);
    tn_status_copy(status, &own);
  }
  tn_status_deinit(&own);
  return done;
}

bool tk_once(tk_run* run, tn_status* status) { return tk_once_with(run, NULL, status); }

void tk_drop_inputs(tk_run* run) { tk_drop_tensors(run->inputs, run->input_count); }
void tk_drop_outputs(tk_run* run) { tk_drop_tensors(run->outputs, run->output_count); }

void tk_drop(tk_run* run) {
  tk_drop_inputs(run);
  tk_drop_outputs(run);
  if (!run->instance) return;
  char call[200];
  snprintf(call, sizeof call, "delete of %s", tk_name(run->of));
  tn_case_enter(call);
  tn_kernel_instance_destroy(run->instance);
  tn_case_leave();
  run->instance = NULL;
}

// What became of a search that found nothing.
typedef struct failures {
  size_t made, fitting, internal;  // kernels, inputs, and failures of these with INTERNAL
  tn_status last;
} failures;

static bool find(tk_run* run, const tk_kernel* kernel, uint64_t* random, failures* failures) {
  enum { NODES = 24, INPUTS = 16 };
  for (int i = 0; i < NODES; ++i) {
    const tk_style style = i < NODES / 3 ? TK_PLAIN : TK_VARIED;
    tn_status_clear(&failures->last);
    if (!tk_make(run, kernel, style, random, NULL, &failures->last)) continue;
    ++failures->made;
    for (int k = 0; k < INPUTS; ++k) {
      tk_draw_inputs(run, TK_PLAIN, random);
      tn_status_clear(&failures->last);
      if (!tk_shapes_fit(run, &failures->last)) continue;
      ++failures->fitting;
      if (tk_once(run, &failures->last)) return true;
      failures->internal += tn_status_code(&failures->last) == TN_INTERNAL;
    }
    tk_drop(run);
  }
  return false;
}

static void tell_failures(const tk_kernel* kernel, const failures* failures) {
  enum { MOST_NAMED = 20 };
  static int named;
  const char* message = tn_status_message(&failures->last);
  const bool was_told = is_slip(&failures->last) || spoils_outputs(&failures->last);
  if (failures->fitting > 0 && failures->internal == failures->fitting && !was_told)
    tn_case_broken("a kernel computes for some inputs, and INTERNAL is no refusal of inputs",
                   "a run that succeeds", "%s: all %zu runs fail with INTERNAL, the last: %s",
                   tk_name(kernel), failures->fitting, message);
  else if (named++ < MOST_NAMED)
    tn_case_note("%s never computed anything: %s; the last: %s: %.300s", tk_name(kernel),
                 failures->fitting ? "it refused all inputs that were tried"
                 : failures->made  ? "the shape function refused all inputs that were tried"
                                   : "it could not be made",
                 tn_code_name(tn_status_code(&failures->last)), message);
}

bool tk_find(tk_run* run, const tk_kernel* kernel, uint64_t* random) {
  if (!tk.reports_search) tk_search_begins();
  failures failures = {0};
  const bool found = find(run, kernel, random, &failures);
  tk_search_ends();
  if (!found && tk.reports_search) tell_failures(kernel, &failures);
  tn_status_deinit(&failures.last);
  return found;
}

static void (*use_run)(tk_run* run, uint64_t* random);
static size_t never_ran, runs;

static void find_and_use(const tk_kernel* kernel) {
  uint64_t random = kernel->seed;
  tk_run run;
  if (!tk_find(&run, kernel, &random)) {
    ++never_ran;
    return;
  }
  ++runs;
  use_run(&run, &random);
  tk_drop(&run);
}

void tk_each_run(void (*use)(tk_run* run, uint64_t* random)) {
  use_run = use;
  tk_each(find_and_use);
  if (never_ran && !tk_lost_in_search())
    tn_case_note("%zu %s refused all inputs that were tried; %zu ran", never_ran,
                 never_ran == 1 ? "kernel" : "kernels", runs);
}

bool tk_is_pure(const tk_run* run) {
  const tn_node* node = run->instance->node;
  for (size_t i = 0; i < node->input_count; ++i)
    if (node->input_types[i] == TN_RESOURCE || tn_dtype_is_ref(node->input_types[i])) return false;
  return !node->op->is_stateful;
}

const char* tk_describe(const tk_run* run) {
  // Some threads use it at once; thread-local memory of this library is too scarce for it.
  static char rooms[16][700];
  static _Atomic unsigned next;
  char* room = rooms[next++ % 16];
  tn_text text = {0};
  tn_text_printf(&text, "%s [", tk_name(run->of));
  const tn_attrs* attrs = &run->instance->node->attrs;
  for (size_t i = 0; i < attrs->count; ++i) {
    tn_text_printf(&text, "%s%s=", i ? ", " : "", attrs->items[i].name);
    tn_attr_value_print(&attrs->items[i].value, &text);
  }
  tn_text_puts(&text, "](");
  for (size_t i = 0; i < run->input_count; ++i) {
    tn_text_printf(&text, "%s%s", i ? ", " : "",
                   tn_dtype_name(run->instance->node->input_types[i]));
    if (run->inputs[i]) tn_shape_print(&run->inputs[i]->shape, &text);
  }
  tn_text_puts(&text, ")");
  snprintf(room, sizeof rooms[0], "%s", text.data ? text.data : tk_name(run->of));
  tn_text_deinit(&text);
  return room;
}
