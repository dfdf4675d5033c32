// Random ops whose numbers depend on their inputs alone: a seed, or a key and a counter (V2).

#include <stdlib.h>

#include "random.h"

enum { PHILOX = 1, AUTOMATIC = 3 };  // algorithms; the other one, ThreeFry, is for no CPU kernel

// The stream of the seed at input `index`.
static bool read_seed(run* run, int index, tn_cpu_philox* out) {
  array seed;
  char text[SHAPE_TEXT];
  if (!run_input(run, index, &seed)) return false;
  if (seed.dtype != TN_INT32 && seed.dtype != TN_INT64)  // one op takes others, in its definition
    run_fail(run, TF_INVALID_ARGUMENT, "input seed must be of type int32 or int64");
  if (seed.rank != 1 || seed.count != 2)
    run_fail(run, TF_INVALID_ARGUMENT, "input seed must have shape [2], not %s",
             shape_text(seed.rank, seed.dims, text));
  if (run_ok(run))
    *out = tn_cpu_philox_from_seed((uint64_t)index_at(&seed, 0), (uint64_t)index_at(&seed, 1));
  return run_ok(run);
}

// The stream of the key, counter and algorithm at inputs `first` and the following. Where nothing
// is to be drawn, any algorithm and length of the counter will do.
static bool read_key(run* run, int first, bool used, tn_cpu_philox* out) {
  array key, counter, algorithm;
  char text[SHAPE_TEXT];
  if (!run_scalar(run, first + 2, "alg", &algorithm) || !run_input(run, first, &key) ||
      !run_input(run, first + 1, &counter))
    return false;
  const int64_t id = index_at(&algorithm, 0);
  if (used && id != PHILOX && id != AUTOMATIC)
    run_fail(run, TF_INVALID_ARGUMENT, "alg is %lld, and must be %d (Philox) or %d (any)",
             (long long)id, PHILOX, AUTOMATIC);
  if (key.rank != 1 || key.count != 1)
    run_fail(run, TF_INVALID_ARGUMENT, "input key must have shape [1], not %s",
             shape_text(key.rank, key.dims, text));
  if (counter.rank != 1 || (used && counter.count < 2))
    run_fail(run, TF_INVALID_ARGUMENT,
             "input counter must be a vector of 2 numbers or more, not of shape %s",
             shape_text(counter.rank, counter.dims, text));
  if (!run_ok(run) || !used) return run_ok(run);
  const uint64_t* counts = counter.data;
  *out = (tn_cpu_philox){{counts[0], counts[1]}, *(const uint64_t*)key.data};
  return true;
}

static void fill(TF_OpKernelContext* context, const char* op, tn_cpu_distribution distribution,
                 bool by_key) {
  run run;
  array out;
  tn_cpu_philox at;
  int64_t low = 0;
  uint64_t range = 0;
  run_begin(&run, context, op);
  if (random_output(&run, 0, &out))
    by_key ? read_key(&run, 1, out.count > 0, &at) : read_seed(&run, 1, &at);
  if (run_ok(&run) && distribution == TN_CPU_RANDOM_INTEGERS && out.count > 0)
    random_range(&run, by_key ? 4 : 2, &out, &low, &range);
  if (run_ok(&run) && out.count > 0)
    tn_cpu_random(distribution, out.dtype, at, low, range, out.count, out.data, run.parallel);
  run_end(&run);
}

// X(function, op, distribution, by key, types)
// clang-format off
#define EACH(X)                                                                               \
  X(uniform, "StatelessRandomUniform", UNIFORM, false, TN_CPU_FLOATS)                         \
  X(normal, "StatelessRandomNormal", NORMAL, false, TN_CPU_FLOATS)                            \
  X(truncated, "StatelessTruncatedNormal", TRUNCATED, false, TN_CPU_FLOATS)                   \
  X(integers, "StatelessRandomUniformInt", INTEGERS, false, RANDOM_INDEX)                     \
  X(bits, "StatelessRandomUniformFullInt", BITS, false, RANDOM_WIDE)                          \
  X(uniform_v2, "StatelessRandomUniformV2", UNIFORM, true, TN_CPU_FLOATS)                     \
  X(normal_v2, "StatelessRandomNormalV2", NORMAL, true, TN_CPU_FLOATS)                        \
  X(truncated_v2, "StatelessTruncatedNormalV2", TRUNCATED, true, TN_CPU_FLOATS)               \
  X(integers_v2, "StatelessRandomUniformIntV2", INTEGERS, true, RANDOM_INDEX)                 \
  X(bits_v2, "StatelessRandomUniformFullIntV2", BITS, true, RANDOM_WIDE)
// clang-format on
#define COMPUTE(name, op, distribution, by_key, types)         \
  static void name(void* state, TF_OpKernelContext* context) { \
    fill(context, op, TN_CPU_RANDOM_##distribution, by_key);   \
  }
EACH(COMPUTE)

static tn_cpu_philox whole_stream(void* at, int64_t count) { return *(const tn_cpu_philox*)at; }

static void multinomial(void* state, TF_OpKernelContext* context) {
  run run;
  tn_cpu_philox at;
  run_begin(&run, context, "StatelessMultinomial");
  if (read_seed(&run, 2, &at)) random_multinomial(&run, whole_stream, &at);
  run_end(&run);
}

static void shuffle(void* state, TF_OpKernelContext* context) {
  run run;
  tn_cpu_philox at;
  run_begin(&run, context, "StatelessShuffle");
  if (read_key(&run, 1, true, &at)) random_shuffle(&run, whole_stream, &at);
  run_end(&run);
}

static void put_algorithm(run* run, int index) {
  array algorithm;
  if (run_output(run, index, 0, NULL, &algorithm)) *(int32_t*)algorithm.data = PHILOX;
}

static void put_key_and_counter(run* run) {
  array key, counter;
  tn_cpu_philox at;
  if (!read_seed(run, 0, &at) || !run_output(run, 0, 1, (int64_t[]){1}, &key) ||
      !run_output(run, 1, 1, (int64_t[]){2}, &counter))
    return;
  *(uint64_t*)key.data = at.key;
  ((uint64_t*)counter.data)[0] = at.counter[0];
  ((uint64_t*)counter.data)[1] = at.counter[1];
}

static void get_key_and_counter(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "StatelessRandomGetKeyCounter");
  put_key_and_counter(&run);
  run_end(&run);
}

static void get_key_counter_and_algorithm(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "StatelessRandomGetKeyCounterAlg");
  put_key_and_counter(&run);
  put_algorithm(&run, 2);
  run_end(&run);
}

static void get_algorithm(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "StatelessRandomGetAlg");
  put_algorithm(&run, 0);
  run_end(&run);
}

void register_stateless(void) {
#define KERNEL(function, name, distribution, by_key, types) \
  {.op = name, .compute = function, .constraints = {{"dtype", types}}},
  const kernel kernels[] = {
      EACH(KERNEL){.op = "StatelessMultinomial",
                   .compute = multinomial,
                   .constraints = {{"T", TN_CPU_FLOATS}, {"output_dtype", RANDOM_INDEX}}},
      {.op = "StatelessShuffle",
       .compute = shuffle,
       .constraints = {{"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING)}}},
      {.op = "StatelessRandomGetKeyCounter", .compute = get_key_and_counter},
      {.op = "StatelessRandomGetKeyCounterAlg", .compute = get_key_counter_and_algorithm},
      {.op = "StatelessRandomGetAlg", .compute = get_algorithm},
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
