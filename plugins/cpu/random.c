// Random ops that keep a place in a stream from run to run: RandomUniform, RandomUniformInt,
// RandomStandardNormal, TruncatedNormal, Multinomial, RandomShuffle.

#include "random.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

bool random_output(run* run, int index, array* out) {
  array shape;
  int64_t dims[TN_CPU_MAX_RANK], count;
  char text[SHAPE_TEXT];
  if (!run_input(run, index, &shape)) return false;
  if (shape.rank != 1 || shape.count > TN_CPU_MAX_RANK) {
    run_fail(run, TF_INVALID_ARGUMENT,
             "input shape must be a vector of at most %d numbers, not of shape %s", TN_CPU_MAX_RANK,
             shape_text(shape.rank, shape.dims, text));
    return false;
  }
  const int rank = (int)shape.count;
  for (int i = 0; i < rank; ++i) {
    dims[i] = index_at(&shape, i);
    if (dims[i] < 0)
      run_fail(run, TF_INVALID_ARGUMENT, "shape[%d] is %lld, and must not be negative", i,
               (long long)dims[i]);
  }
  if (run_ok(run) && !count_elements(rank, dims, &count))
    run_fail(run, TF_INVALID_ARGUMENT, "shape %s has too many elements",
             shape_text(rank, dims, text));
  return run_output(run, 0, rank, dims, out);
}

bool random_range(run* run, int first, const array* out, int64_t* low, uint64_t* range) {
  array min, max;
  if (!run_scalar(run, first, "minval", &min) || !run_scalar(run, first + 1, "maxval", &max))
    return false;
  *low = index_at(&min, 0);
  const int64_t high = index_at(&max, 0);
  if (out->count > 0 && *low >= high)
    run_fail(run, TF_INVALID_ARGUMENT, "minval is %lld, and must be below maxval, which is %lld",
             (long long)*low, (long long)high);
  *range = (uint64_t)high - (uint64_t)*low;
  return run_ok(run);
}

// Where the kernel's stream began, and how much of it has been given out.
typedef struct stream {
  const char* op;
  tn_cpu_distribution distribution;
  tn_cpu_philox start;
  _Atomic uint64_t used;
} stream;

static void* create(TF_OpKernelConstruction* construction, const char* op,
                    tn_cpu_distribution distribution) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  int64_t seeds[] = {attr_int(&attrs, "seed"), attr_int(&attrs, "seed2")};
  if (attrs_ok(&attrs) && seeds[0] == 0 && seeds[1] == 0 &&
      getrandom(seeds, sizeof seeds, 0) != sizeof seeds)
    attrs_fail(&attrs, TF_INTERNAL, "the system gives no random seed");
  stream state = {op, distribution, {{0, (uint64_t)seeds[1]}, (uint64_t)seeds[0]}, 0};
  return attrs_end(&attrs, &state, sizeof state);
}

static tn_cpu_philox reserve_blocks(stream* stream, uint64_t blocks) {
  tn_cpu_philox at = stream->start;
  tn_cpu_philox_skip(&at, atomic_fetch_add_explicit(&stream->used, blocks, memory_order_relaxed));
  return at;
}

// TensorFlow keeps as many blocks for every element as the neediest distribution may want.
static tn_cpu_philox reserve_outputs(void* stream, int64_t outputs) {
  return reserve_blocks(stream, 256 * (uint64_t)outputs);
}

static tn_cpu_philox reserve_words(void* stream, int64_t words) {
  return reserve_blocks(stream, ((uint64_t)words + 3) / 4);
}

static void fill(void* state, TF_OpKernelContext* context) {
  run run;
  array out;
  stream* stream = state;
  int64_t low = 0;
  uint64_t range = 0;
  run_begin(&run, context, stream->op);
  random_output(&run, 0, &out);
  if (run_ok(&run) && stream->distribution == TN_CPU_RANDOM_INTEGERS)
    random_range(&run, 1, &out, &low, &range);
  if (run_ok(&run) && out.count > 0)
    tn_cpu_random(stream->distribution, out.dtype, reserve_outputs(stream, out.count), low, range,
                  out.count, out.data, run.parallel);
  run_end(&run);
}

static void multinomial(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "Multinomial");
  random_multinomial(&run, reserve_outputs, state);
  run_end(&run);
}

static void shuffle(void* state, TF_OpKernelContext* context) {
  run run;
  run_begin(&run, context, "RandomShuffle");
  random_shuffle(&run, reserve_words, state);
  run_end(&run);
}

#define CREATE(name, op, distribution)                                \
  static void* name##_create(TF_OpKernelConstruction* construction) { \
    return create(construction, op, distribution);                    \
  }
CREATE(uniform, "RandomUniform", TN_CPU_RANDOM_UNIFORM)
CREATE(integers, "RandomUniformInt", TN_CPU_RANDOM_INTEGERS)
CREATE(normal, "RandomStandardNormal", TN_CPU_RANDOM_NORMAL)
CREATE(truncated, "TruncatedNormal", TN_CPU_RANDOM_TRUNCATED)
CREATE(multinomial, "Multinomial", TN_CPU_RANDOM_UNIFORM)
CREATE(shuffle, "RandomShuffle", TN_CPU_RANDOM_BITS)

void register_random(void) {
#define KERNEL(name, make, run, ...)                                                            \
  {                                                                                             \
    .op = name, .create = make, .compute = run, .destroy = free, .constraints = { __VA_ARGS__ } \
  }
  const kernel kernels[] = {
      KERNEL("RandomUniform", uniform_create, fill, {"dtype", TN_CPU_FLOATS}),
      KERNEL("RandomUniformInt", integers_create, fill, {"Tout", RANDOM_INDEX}),
      KERNEL("RandomStandardNormal", normal_create, fill, {"dtype", TN_CPU_FLOATS}),
      KERNEL("TruncatedNormal", truncated_create, fill, {"dtype", TN_CPU_FLOATS}),
      KERNEL("Multinomial", multinomial_create, multinomial, {"T", TN_CPU_FLOATS},
             {"output_dtype", RANDOM_INDEX}),
      KERNEL("RandomShuffle", shuffle_create, shuffle,
             {"T", TN_CPU_NUMBERS | TN_CPU_TYPE(TN_BOOL) | TN_CPU_TYPE(TN_STRING)}),
  };
  register_kernels(kernels, (int)(sizeof kernels / sizeof kernels[0]));
}
