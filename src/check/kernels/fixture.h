// What the cases of kernels share: the plugin loaded, its kernels one by one, and runs of them.
//
// Nobody tells which inputs a kernel takes. A run is found by trying: attributes and shapes are
// drawn until the op's shape function and the kernel take them. The process ends with the case, so
// only what is counted is given back.
#ifndef TENON_CHECK_KERNELS_FIXTURE_H_
#define TENON_CHECK_KERNELS_FIXTURE_H_

#include "base/status.h"
#include "check/case.h"
#include "check/threads.h"
#include "kernel/run_context.h"
#include "tenon/plugin.h"

typedef struct tk_kernel {
  const tn_kernel* kernel;  // NULL: an op of the plugin's
  const tn_op_def* op;      // NULL: this host does not know it
  tn_device* device;        // NULL: none of its type is here
  uint64_t seed;            // the same in every case
} tk_kernel;

// The plugin, by tk_load.
typedef struct tk_state {
  const tn_subject* subject;
  tn_plugin* plugin;
  tk_kernel* kernels;
  size_t count;
  bool no_memory;       // allocations are being failed: an output may be missing then
  bool reports_search;  // what goes wrong while inputs are looked for is for this case to tell
} tk_state;
extern tk_state tk;

// Loads the plugin and lists its kernels; ends the case when it does not load.
void tk_load(const tn_subject* subject);
// The same, for cases that run kernels: in a child (contain.h), where they find no file they could
// write, and little memory. The case is skipped when no kernel can run here.
void tk_start(const tn_subject* subject);

// Calls `visit` with each kernel that can run here, or with all, in an order drawn from the seed,
// for a twentieth of the case's time: then a note says how many were not looked at. `--op
// PATTERN` chooses, `--not-op PATTERN` leaves out; those of internal ops (_NAME) run
// with `--option internal=true` only.
void tk_each(void (*visit)(const tk_kernel* kernel));
void tk_each_registered(void (*visit)(const tk_kernel* kernel));

// Whether the user asked for kernels of this op: --op, --not-op.
bool tk_is_chosen(const char* op);

// "MatMul (MatMulOp, CPU)", of the thread's own few texts.
const char* tk_name(const tk_kernel* kernel);

// ---- Runs ----

enum { TK_MOST_ARGS = 64 };

typedef enum tk_style {
  TK_PLAIN,   // defaults where there are any, small numbers
  TK_VARIED,  // what the op allows, small numbers
  TK_WILD,    // what the op allows, and numbers that make no sense
} tk_style;

typedef struct tk_run {
  const tk_kernel* of;
  tn_kernel_instance* instance;
  tn_tensor* inputs[TK_MOST_ARGS];
  tn_tensor* outputs[TK_MOST_ARGS];
  size_t input_count, output_count;
} tk_run;

// Makes the kernel for attributes of that style. False with a status; `*is_kernels` (may be NULL)
// tells whether it is the kernel's, as against one of the host, which refuses attributes before.
bool tk_make(tk_run* run, const tk_kernel* kernel, tk_style style, uint64_t* random,
             bool* is_kernels, tn_status* status);
// Input `i` becomes a new tensor.
void tk_set_input(tk_run* run, size_t i, const int64_t* dims, int rank, tk_style style,
                  uint64_t* random);
// All inputs, with shapes drawn.
void tk_draw_inputs(tk_run* run, tk_style style, uint64_t* random);
// The shape function takes the inputs as they are.
bool tk_shapes_fit(const tk_run* run, tn_status* status);
// Runs it once, waits, and leaves the outputs in the run. A kernel's breach that the host saw is
// recorded (outputs not set, of another type, a failure without a message).
bool tk_once(tk_run* run, tn_status* status);
bool tk_once_with(tk_run* run, const tn_run_options* options, tn_status* status);
// Reports a failure of `what` that does not say why.
void tk_expect_message(const char* what, const tn_status* status);
void tk_drop_inputs(tk_run* run);
void tk_drop_outputs(tk_run* run);
void tk_drop(tk_run* run);
// Tries until a run succeeds, and leaves its inputs and outputs. False, and nothing made, when none
// does. What goes wrong on the way is told by kernels.runs.random_inputs alone.
bool tk_find(tk_run* run, const tk_kernel* kernel, uint64_t* random);
// Calls `use` with such a run of each kernel, which it drops afterwards.
void tk_each_run(void (*use)(tk_run* run, uint64_t* random));

// Nothing but its outputs can tell that it ran: the op is not stateful and has no variables.
bool tk_is_pure(const tk_run* run);

// "MatMul (MatMulOp, CPU) [T=DT_FLOAT](float[2,3], float[3,2])"
const char* tk_describe(const tk_run* run);

// Whether two tensors hold the same bytes or texts; objects are not compared.
bool tk_same(const tn_tensor* a, const tn_tensor* b);
// Copies of the outputs in host memory.
void tk_keep_outputs(const tk_run* run, tn_tensor** kept);
void tk_drop_tensors(tn_tensor** tensors, size_t count);
// Reports when the outputs differ from what was kept by more than the order of sums explains.
void tk_expect_outputs(const tk_run* run, tn_tensor* const* kept, const char* expected);

#endif  // TENON_CHECK_KERNELS_FIXTURE_H_
