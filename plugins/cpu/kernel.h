// What the plugin's kernels share: one run of a kernel, and registration.
#ifndef TENON_PLUGINS_CPU_KERNEL_H_
#define TENON_PLUGINS_CPU_KERNEL_H_

#include <stdbool.h>
#include <stdint.h>

#include "cpu/cpu.h"
#include "stream.h"
#include "tensorflow/c/kernels.h"
#include "tensorflow/c/tf_datatype.h"
#include "tensorflow/c/tf_status.h"
#include "tensorflow/c/tf_tensor.h"

// A tensor of the run. tn_dtype has TF_DataType's numbers.
typedef struct array {
  TF_Tensor* tensor;
  tn_dtype dtype;
  int rank;
  int64_t dims[TN_CPU_MAX_RANK];
  int64_t count;
  void* data;
} array;

// One run: holds the handles that it gave out until the end, and the first failure.
typedef struct run {
  TF_OpKernelContext* context;
  const char* op;
  TF_Status* status;  // NULL when there was no memory for it: then the run has failed
  bool failed;
  SP_Stream stream;      // of a launching run (see run_launch); else NULL
  tn_cpu_parallel lent;  // the host's threads, if it lends them
  const tn_cpu_parallel* parallel;
  TF_Tensor** handles;
  int handle_count, handle_capacity;
  TF_Tensor* first_handles[6];
} run;

// Once, before any run. `launches`: what run_launch is given may be done later.
void run_prepare(bool launches);
// On a device with streams, when all that was given to the run's stream before is done: so that
// data is there to be read and may be written at once.
void run_begin(run* run, TF_OpKernelContext* context, const char* op);
// The same for a kernel that launches: it must not touch data on this thread, but for arguments in
// host memory, unless it calls run_wait first.
void run_begin_launching(run* run, TF_OpKernelContext* context, const char* op);
// From here on the run is like one of run_begin.
void run_wait(run* run);
// Says that loops of this run may be left undone when it is cancelled: nothing but outputs comes of
// them, and what one writes leads no later one to a place in memory.
void run_may_stop(run* run);
// Gives the handles back and reports a failure.
void run_end(run* run);

// Fails the run with "<op>: <message>". The first failure stays.
void run_fail(run* run, TF_Code code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool run_ok(const run* run);

// Each returns false when the run has failed, now or before.
bool run_input(run* run, int index, array* out);
// Like run_input, of an input that must be a scalar.
bool run_scalar(run* run, int index, const char* name, array* out);
// What a tensor is that the caller holds.
bool run_describe(run* run, TF_Tensor* tensor, array* out);
bool run_output(run* run, int index, int rank, const int64_t* dims, array* out);
// Like run_output, in the memory of one of the first `inputs` inputs (3 at most) when nobody else
// needs it. The handles on the inputs are given back; their memory stays, because the context holds
// it.
bool run_output_or_forward(run* run, int inputs, int index, int rank, const int64_t* dims,
                           array* out);
// Scratch memory at a 64-byte boundary, until the end.
void* run_scratch(run* run, size_t bytes);
// The numeric part of a run: at once on a device without streams (`stream` is NULL then), else
// perhaps later, on the stream's thread, after the run and its kernel have ended. So it has a copy
// of the arguments, which point to nothing but the run's `parallel`, tensors in device memory and
// scratch memory: these stay as they are until what comes later in the stream. `cost` is a guess at
// its nanoseconds.
static inline void run_launch(run* run, stream_body body, void* args, size_t size, int64_t cost) {
  if (run->stream) {
    stream_run(run->stream, body, args, size, cost);
  } else {
    body(NULL, args);
  }
}
// Makes output `index` share the memory of `tensor`.
bool run_share_output(run* run, int index, TF_Tensor* tensor);
// The same under another shape with as many elements. The handle must be the run's alone.
bool run_share_output_as(run* run, int index, TF_Tensor* tensor, int rank, const int64_t* dims);

// Element i of an array of indices: int8, uint8, int16, int32 or int64; constraints keep out
// others.
int64_t index_at(const array* indices, int64_t i);
// "[2,3]" into `text`.
enum { SHAPE_TEXT = 128 };
const char* shape_text(int rank, const int64_t* dims, char text[SHAPE_TEXT]);
// The product of dims; false when it, times 16 bytes, does not fit.
bool count_elements(int rank, const int64_t* dims, int64_t* out_count);

// Between these two, runs on this thread are on the stream of `context`; NULL: on none. False: the
// context has failed, because it has no stream.
bool run_enter_stream(TF_OpKernelContext* context, SP_Stream* out_before);
void run_leave_stream(SP_Stream before);

// A kernel for all types of its constraints.
enum { MAX_CONSTRAINTS = 4, MAX_HOST_ARGS = 6 };
typedef struct kernel {
  const char* op;
  void* (*create)(TF_OpKernelConstruction* construction);
  void (*compute)(void* state, TF_OpKernelContext* context);
  void (*compute_async)(void* state, TF_OpKernelContext* context,
                        TF_AsyncOpKernelDoneCallback* done);
  void (*destroy)(void* state);
  struct {
    const char* attr;
    tn_cpu_types types;
  } constraints[MAX_CONSTRAINTS];
  const char* host_args[MAX_HOST_ARGS];
  // Does what only its host can do fully (files, variables). In another host than Tenon, such a
  // kernel is there for nodes that ask for it by the label "tenon".
  bool modest;
} kernel;

// True when Tenon supplies the TF_* functions this plugin is bound to.
bool hosted_by_tenon(void);
void register_kernels(const kernel* kernels, int count);

// Attributes, read at construction. The first failure stays, later readers then give zeros.
typedef struct attrs {
  TF_OpKernelConstruction* construction;
  const char* op;
  TF_Status* status;  // NULL when there was no memory for it
} attrs;
void attrs_begin(attrs* attrs, TF_OpKernelConstruction* construction, const char* op);
bool attrs_ok(const attrs* attrs);
void attrs_fail(attrs* attrs, TF_Code code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
bool attr_bool(attrs* attrs, const char* name);
int64_t attr_int(attrs* attrs, const char* name);
int32_t attr_int32(attrs* attrs, const char* name);  // a failure if it is no such number
float attr_float(attrs* attrs, const char* name);
tn_dtype attr_type(attrs* attrs, const char* name);
// A list of at most `capacity` numbers (a failure if it is longer); returns how many.
int attr_ints(attrs* attrs, const char* name, int64_t* out, int capacity);
// A text with a zero behind it, to be freed; it may have zeros inside. NULL after a failure.
char* attr_text(attrs* attrs, const char* name, size_t* out_size);
// The index of a text in `choices`, which end with NULL; a failure that lists them if it is none.
int attr_choice(attrs* attrs, const char* name, const char* const* choices);
// The end: a copy of `state`, to be freed, or NULL with a failed construction.
void* attrs_end(attrs* attrs, const void* state, size_t size);

// One of these per file; registers its kernels.
void register_arithmetic(void);
void register_cast(void);
void register_math(void);
void register_special(void);
void register_conditions(void);
void register_likes(void);
void register_matmul(void);
void register_conv(void);
void register_einsum(void);
void register_reductions(void);
void register_scans(void);
void register_segments(void);
void register_bincounts(void);
void register_norms(void);
void register_topk(void);
void register_softmax(void);
void register_bias(void);
void register_layout(void);
void register_reshape(void);
void register_shapes(void);
void register_join(void);
void register_slice(void);
void register_reverse(void);
void register_pad(void);
void register_fill(void);
void register_gather(void);
void register_scatter(void);
void register_unique(void);
void register_where(void);
void register_partition(void);
void register_space(void);
void register_diagonal(void);
void register_bucketize(void);
void register_strings(void);
void register_string_joins(void);
void register_string_splits(void);
void register_string_cases(void);
void register_string_numbers(void);
void register_string_prints(void);
void register_string_format(void);
void register_string_bytes(void);
void register_random(void);
void register_random_generators(void);
void register_stateless(void);
void register_variables(void);
void register_files(void);
void register_pooling(void);
void register_depthwise(void);
void register_resize(void);
void register_crop(void);
void register_training(void);
void register_variable_rows(void);

#endif  // TENON_PLUGINS_CPU_KERNEL_H_
