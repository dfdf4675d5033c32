// Random numbers: with a generator's own state, from a seed, and from a key and a counter.
#include "op/builtin/family.h"

static bool check_scalars(tn_inference* c, int start, int stop, tn_status* status) {
  for (int i = start; i < stop; ++i)
    if (!tn_shapes_input_rank(c, i, 0, status)) return false;
  return true;
}

static bool check_vector(tn_inference* c, int i, int64_t size, tn_status* status) {
  tn_shape_ref vector = tn_infer_with_rank(c, tn_infer_input(c, i), 1, status);
  int64_t unused;
  return vector && tn_infer_with_value(tn_infer_dim(vector, 0), size, &unused, status);
}

// shape, minval, maxval.
static void uniform_int_shape(tn_inference* c, tn_status* status) {
  if (check_scalars(c, 1, 3, status)) tn_shapes_from_input(c, status);
}

// shape, seed and, for some, minval and maxval.
static void stateless_shape(tn_inference* c, tn_status* status) {
  if (check_vector(c, 1, 2, status) && check_scalars(c, 2, (int)c->node->input_count, status))
    tn_shapes_from_input(c, status);
}

// shape, key, counter, algorithm and, for some, minval and maxval.
static void stateless_v2_shape(tn_inference* c, tn_status* status) {
  if (check_vector(c, 1, 1, status) && tn_shapes_input_rank(c, 2, 1, status) &&
      check_scalars(c, 3, (int)c->node->input_count, status))
    tn_shapes_from_input(c, status);
}

// logits, num_samples and, for some, a seed.
static void multinomial_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref logits = tn_infer_with_rank(c, tn_infer_input(c, 0), 2, status);
  int64_t samples;
  if (!logits || !check_scalars(c, 1, 2, status) || !tn_shapes_size(c, 1, &samples, status) ||
      (c->node->input_count > 2 && !check_vector(c, 2, 2, status)))
    return;
  int64_t dims[] = {tn_infer_dim(logits, 0), samples};
  tn_infer_set_output(c, 0, tn_infer_make(c, dims, 2, status));
}

static void gamma_shape(tn_inference* c, tn_status* status) {
  tn_infer_set_output(
      c, 0,
      tn_infer_concatenate(c, tn_infer_value_as_shape(c, 0, status), tn_infer_input(c, 1), status));
}

// key, counter and, for some, the algorithm.
static void key_counter_shape(tn_inference* c, tn_status* status) {
  if (!check_vector(c, 0, 2, status)) return;
  tn_infer_set_output(c, 0, tn_infer_vector(c, 1, status));
  tn_infer_set_output(c, 1, tn_infer_vector(c, 2, status));
  if (c->node->output_count > 2) tn_infer_set_output(c, 2, tn_infer_scalar(c));
}

// resource, algorithm, shape and, for some, minval and maxval.
static void generator_shape(tn_inference* c, tn_status* status) {
  if (check_scalars(c, 1, 2, status) && check_scalars(c, 3, (int)c->node->input_count, status))
    tn_infer_set_output(c, 0, tn_infer_value_as_shape(c, 2, status));
}

// resource, algorithm, delta.
static void skip_shape(tn_inference* c, tn_status* status) {
  if (check_scalars(c, 1, 3, status) && c->node->output_count > 0)
    tn_infer_set_output(c, 0, tn_infer_vector(c, 3, status));
}

#define SEEDS "seed: int = 0; seed2: int = 0; "
#define KEY "shape: Tshape; key: uint64; counter: uint64; alg: int32"
#define GENERATOR "resource: resource; algorithm: int64; shape: shape_dtype"
#define WIDE "{int32, int64, uint32, uint64}"

const tn_builtin_op tn_random_ops[] = {
    {"RandomUniform RandomStandardNormal TruncatedNormal", "shape: T", "output: dtype",
     SEEDS "dtype: " FLOATS "; T: " INDEX, tn_shapes_from_input, TN_OP_STATEFUL},
    {"RandomUniformInt", "shape: T; minval: Tout; maxval: Tout", "output: Tout",
     SEEDS "Tout: " INDEX "; T: " INDEX, uniform_int_shape, TN_OP_STATEFUL},
    {"RandomGamma", "shape: S; alpha: T", "output: T",
     SEEDS "S: " INDEX "; T: {half, float, double}", gamma_shape, TN_OP_STATEFUL},
    {"RandomShuffle", "value: T", "output: T", SEEDS "T: type", tn_shapes_like_input,
     TN_OP_STATEFUL},
    {"Multinomial", "logits: T; num_samples: int32", "output: output_dtype",
     SEEDS "T: realnumbertype; output_dtype: " INDEX_64, multinomial_shape, TN_OP_STATEFUL},
    {"StatelessMultinomial", "logits: T; num_samples: int32; seed: Tseed", "output: output_dtype",
     "T: realnumbertype; Tseed: " INDEX_64 "; output_dtype: " INDEX_64, multinomial_shape},
    {"StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal",
     "shape: T; seed: Tseed", "output: dtype",
     "dtype: " FLOATS " = DT_FLOAT; T: " INDEX_32 "; Tseed: " INDEX_64, stateless_shape},
    {"StatelessRandomUniformInt", "shape: T; seed: Tseed; minval: dtype; maxval: dtype",
     "output: dtype", "dtype: " INDEX "; T: " INDEX "; Tseed: " INDEX_64, stateless_shape},
    {"StatelessRandomUniformFullInt", "shape: T; seed: Tseed", "output: dtype",
     "dtype: " WIDE " = DT_UINT64; T: " INDEX_32 "; Tseed: " WIDE " = DT_INT64", stateless_shape},
    {"StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2", KEY,
     "output: dtype", "dtype: " FLOATS " = DT_FLOAT; Tshape: " INDEX_32, stateless_v2_shape},
    {"StatelessRandomUniformIntV2", KEY "; minval: dtype; maxval: dtype", "output: dtype",
     "dtype: " WIDE "; Tshape: " INDEX_32, stateless_v2_shape},
    {"StatelessRandomUniformFullIntV2", KEY, "output: dtype",
     "dtype: " WIDE " = DT_UINT64; Tshape: " INDEX_32, stateless_v2_shape},
    {"StatelessShuffle", "value: T; key: uint64; counter: uint64; alg: int32", "output: T",
     "T: type", tn_shapes_like_input},
    {"StatelessRandomGetKeyCounter", "seed: Tseed", "key: uint64; counter: uint64",
     "Tseed: " INDEX_64, key_counter_shape},
    {"StatelessRandomGetKeyCounterAlg", "seed: Tseed", "key: uint64; counter: uint64; alg: int32",
     "Tseed: " INDEX_64, key_counter_shape},
    {"StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal", GENERATOR, "output: dtype",
     "dtype: type = DT_FLOAT; shape_dtype: type = DT_INT64", generator_shape, TN_OP_STATEFUL},
    {"StatefulUniformInt", GENERATOR "; minval: dtype; maxval: dtype", "output: dtype",
     "dtype: type = DT_INT64; shape_dtype: type = DT_INT64", generator_shape, TN_OP_STATEFUL},
    {"StatefulUniformFullInt", GENERATOR, "output: dtype",
     "dtype: type = DT_UINT64; shape_dtype: type = DT_INT64", generator_shape, TN_OP_STATEFUL},
    {"NonDeterministicInts", "shape: shape_dtype", "output: dtype",
     "dtype: type = DT_INT64; shape_dtype: type = DT_INT64", tn_shapes_from_input, TN_OP_STATEFUL},
    {"RngReadAndSkip", "resource: resource; alg: int32; delta: uint64", "value: int64", "",
     skip_shape, TN_OP_STATEFUL},
    {"RngSkip", "resource: resource; algorithm: int64; delta: int64", "", "", skip_shape,
     TN_OP_STATEFUL},
    {"StatelessRandomGetAlg", "", "alg: int32", "", tn_shapes_scalar, TN_OP_STATEFUL},
    {0},
};
