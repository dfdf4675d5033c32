// Ops on generators whose place in the stream is kept in a variable: two numbers of the counter and
// the key, int64. RngReadAndSkip, RngSkip, StatefulUniform and its kin; and NonDeterministicInts.

#include <sys/random.h>

#include "random.h"
#include "variables.h"

enum { PHILOX = 1, THREEFRY = 2, AUTOMATIC = 3, STATE_SIZE = 3 };

// The algorithm at input 1, which is int32 or int64.
static bool check_algorithm(run* run) {
  array algorithm;
  if (!run_scalar(run, 1, "algorithm", &algorithm)) return false;
  const int64_t id = index_at(&algorithm, 0);
  if (id == THREEFRY)
    run_fail(run, TF_UNIMPLEMENTED, "ThreeFry is not for CPUs; Philox is %d", PHILOX);
  else if (id != PHILOX && id != AUTOMATIC)
    run_fail(run, TF_INVALID_ARGUMENT, "the algorithm is %lld, and must be %d (Philox) or %d (any)",
             (long long)id, PHILOX, AUTOMATIC);
  return run_ok(run);
}

// Moves the generator in variable 0 by 256 blocks for each of `outputs`; gives where it was.
static bool take_place(run* run, int64_t outputs, tn_cpu_philox* out) {
  held_variables held;
  array state;
  char text[SHAPE_TEXT];
  if (!run_ok(run) || !find_variable(run)) return false;
  if (hold_variables(run, 1, false, &held, &state)) {
    if (state.dtype != TN_INT64)
      run_fail(run, TF_INVALID_ARGUMENT, "the variable of a generator must be of type int64");
    if (state.rank != 1 || state.count < STATE_SIZE)
      run_fail(
          run, TF_INVALID_ARGUMENT,
          "the variable of a generator must be a vector of %d numbers or more, not of shape %s",
          STATE_SIZE, shape_text(state.rank, state.dims, text));
  }
  if (run_ok(run)) {
    uint64_t* numbers = state.data;
    *out = (tn_cpu_philox){{numbers[0], numbers[1]}, numbers[2]};
    tn_cpu_philox after = *out;
    if (outputs >= 0)
      tn_cpu_philox_skip(&after, 256 * (uint64_t)outputs);
    else
      after.counter[0] += 256 * (uint64_t)outputs;
    numbers[0] = after.counter[0];
    numbers[1] = after.counter[1];
  }
  release_variables(&held);
  return run_ok(run);
}

static void fill(TF_OpKernelContext* context, const char* op, tn_cpu_distribution distribution) {
  run run;
  array out;
  tn_cpu_philox at;
  int64_t low = 0;
  uint64_t range = 0;
  run_begin(&run, context, op);
  if (check_algorithm(&run) && random_output(&run, 2, &out)) {
    if (distribution == TN_CPU_RANDOM_INTEGERS) random_range(&run, 3, &out, &low, &range);
    if (take_place(&run, out.count, &at))
      tn_cpu_random(distribution, out.dtype, at, low, range, out.count, out.data, run.parallel);
  }
  run_end(&run);
}

// X(function, op, distribution, types)
// clang-format off
#define EACH(X)                                                        \
  X(uniform, "StatefulUniform", UNIFORM, TN_CPU_FLOATS)                \
  X(normal, "StatefulStandardNormalV2", NORMAL, TN_CPU_FLOATS)         \
  X(truncated, "StatefulTruncatedNormal", TRUNCATED, TN_CPU_FLOATS)    \
  X(integers, "StatefulUniformInt", INTEGERS, RANDOM_INDEX)            \
  X(bits, "StatefulUniformFullInt", BITS, RANDOM_WIDE)
// clang-format on
#define COMPUTE(name, op, distribution, types)                 \
  static void name(void* state, TF_OpKernelContext* context) { \
    fill(context, op, TN_CPU_RANDOM_##distribution);           \
  }
EACH(COMPUTE)

static void read_and_skip(void* state, TF_OpKernelContext* context) {
  run run;
  array delta, out;
  tn_cpu_philox at;
  run_begin(&run, context, "RngReadAndSkip");
  if (check_algorithm(&run) && run_scalar(&run, 2, "delta", &delta) &&
      run_output(&run, 0, 1, (int64_t[]){STATE_SIZE}, &out) &&
      take_place(&run, *(const int64_t*)delta.data, &at)) {
    uint64_t* value = out.data;
    value[0] = at.counter[0];
    value[1] = at.counter[1];
    value[2] = at.key;
  }
  run_end(&run);
}

static void skip(void* state, TF_OpKernelContext* context) {
  run run;
  array delta;
  tn_cpu_philox at;
  run_begin(&run, context, "RngSkip");
  if (check_algorithm(&run) && run_scalar(&run, 2, "delta", &delta))
    take_place(&run, index_at(&delta, 0), &at);
  run_end(&run);
}

static void nondeterministic(void* state, TF_OpKernelContext* context) {
  run run;
  array out;
  tn_cpu_philox at;
  run_begin(&run, context, "NonDeterministicInts");
  if (random_output(&run, 0, &out)) {
    if (getrandom(&at, sizeof at, 0) != sizeof at)
      run_fail(&run, TF_INTERNAL, "the system gives no random numbers");
    else
      tn_cpu_random(TN_CPU_RANDOM_BITS, out.dtype, at, 0, 0, out.count, out.data, run.parallel);
  }
  run_end(&run);
}

void register_random_generators(void) {
  const kernel ints = {.op = "NonDeterministicInts",
                       .compute = nondeterministic,
                       .constraints = {{"dtype", RANDOM_WIDE}, {"shape_dtype", RANDOM_INDEX}}};
  register_kernels(&ints, 1);
  if (!has_variables()) return;
#define KERNEL(function, name, distribution, types)                  \
  {.op = name,                                                       \
   .compute = function,                                              \
   .constraints = {{"dtype", types}, {"shape_dtype", RANDOM_INDEX}}, \
   .modest = true},
  const kernel kernels[] = {
      EACH(KERNEL){.op = "RngReadAndSkip", .compute = read_and_skip, .modest = true},
      {.op = "RngSkip", .compute = skip, .modest = true},
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
