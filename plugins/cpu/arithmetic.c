// Elementwise ops of a few instructions each. Those that choose are in conditions.c.

#include "cpu/arithmetic.h"

#include <stdlib.h>

#include "elementwise.h"

#define TYPE TN_CPU_TYPE
#define SIGNED (TYPE(TN_INT8) | TYPE(TN_INT16) | TYPE(TN_INT32) | TYPE(TN_INT64))
#define FRACTIONS (TN_CPU_FLOATS | TN_CPU_COMPLEXES)
#define OLD_NUMBERS (FRACTIONS | SIGNED | TYPE(TN_UINT8))
#define TWO_FLOATS (TYPE(TN_FLOAT) | TYPE(TN_DOUBLE))
#define TWO_INTEGERS (TYPE(TN_INT32) | TYPE(TN_INT64))

// clang-format off
#define FIND tn_cpu_arithmetic
#define PLAIN_OPS(X)                                                                      \
  X(AddV2, FIND, TN_CPU_ADD, TN_CPU_NUMBERS)                                              \
  X(Add, FIND, TN_CPU_ADD, OLD_NUMBERS)                                                   \
  X(Sub, FIND, TN_CPU_SUB, TN_CPU_NUMBERS)                                                \
  X(Mul, FIND, TN_CPU_MUL, TN_CPU_NUMBERS)                                                \
  X(MulNoNan, FIND, TN_CPU_MUL_NO_NAN, FRACTIONS)                                         \
  X(RealDiv, FIND, TN_CPU_DIV, FRACTIONS)                                                 \
  X(DivNoNan, FIND, TN_CPU_DIV_NO_NAN, FRACTIONS)                                         \
  X(SquaredDifference, FIND, TN_CPU_SQUARED_DIFFERENCE, FRACTIONS | TWO_INTEGERS)         \
  X(Maximum, FIND, TN_CPU_MAXIMUM, TN_CPU_REALS)                                          \
  X(Minimum, FIND, TN_CPU_MINIMUM, TN_CPU_REALS)                                          \
  X(Neg, FIND, TN_CPU_NEG, FRACTIONS | SIGNED)                                            \
  X(Abs, FIND, TN_CPU_ABS, TN_CPU_FLOATS | SIGNED)                                        \
  X(Sign, FIND, TN_CPU_SIGN, FRACTIONS | SIGNED)                                          \
  X(Square, FIND, TN_CPU_SQUARE, TN_CPU_NUMBERS)                                          \
  X(Sqrt, FIND, TN_CPU_SQRT, FRACTIONS)                                                   \
  X(Rsqrt, FIND, TN_CPU_RSQRT, FRACTIONS)                                                 \
  X(Reciprocal, FIND, TN_CPU_RECIPROCAL, FRACTIONS)                                       \
  X(Inv, FIND, TN_CPU_RECIPROCAL, FRACTIONS)                                              \
  X(Floor, FIND, TN_CPU_FLOOR, TN_CPU_FLOATS)                                             \
  X(Ceil, FIND, TN_CPU_CEIL, TN_CPU_FLOATS)                                               \
  X(Round, FIND, TN_CPU_RINT, TN_CPU_FLOATS)                                              \
  X(Rint, FIND, TN_CPU_RINT, TWO_FLOATS)                                                  \
  X(Relu, FIND, TN_CPU_RELU, TN_CPU_REALS)                                                \
  X(Relu6, FIND, TN_CPU_RELU6, TN_CPU_REALS)                                              \
  X(IsNan, FIND, TN_CPU_IS_NAN, TN_CPU_FLOATS)                                            \
  X(IsInf, FIND, TN_CPU_IS_INF, TN_CPU_FLOATS)                                            \
  X(IsFinite, FIND, TN_CPU_IS_FINITE, TN_CPU_FLOATS)                                      \
  X(Less, FIND, TN_CPU_LESS, TN_CPU_REALS)                                                \
  X(LessEqual, FIND, TN_CPU_LESS_EQUAL, TN_CPU_REALS)                                     \
  X(Greater, FIND, TN_CPU_GREATER, TN_CPU_REALS)                                          \
  X(GreaterEqual, FIND, TN_CPU_GREATER_EQUAL, TN_CPU_REALS)                               \
  X(BitwiseAnd, FIND, TN_CPU_BITWISE_AND, TN_CPU_INTEGERS)                                \
  X(BitwiseOr, FIND, TN_CPU_BITWISE_OR, TN_CPU_INTEGERS)                                  \
  X(BitwiseXor, FIND, TN_CPU_BITWISE_XOR, TN_CPU_INTEGERS)                                \
  X(Invert, FIND, TN_CPU_INVERT, TN_CPU_INTEGERS)                                         \
  X(LeftShift, FIND, TN_CPU_LEFT_SHIFT, TN_CPU_INTEGERS)                                  \
  X(RightShift, FIND, TN_CPU_RIGHT_SHIFT, TN_CPU_INTEGERS)                                \
  X(PopulationCount, FIND, TN_CPU_POPULATION_COUNT, TN_CPU_INTEGERS)                      \
  X(Conj, FIND, TN_CPU_CONJ, TN_CPU_COMPLEXES)

// Between complex numbers and their parts: Tout is the type that belongs to T.
#define PART_OPS(X)                                                                       \
  X(Real, FIND, TN_CPU_REAL, COMPLEX)                                                     \
  X(Imag, FIND, TN_CPU_IMAG, COMPLEX)                                                     \
  X(Complex, FIND, TN_CPU_COMPLEX, PARTS)                                                 \
  X(ComplexAbs, FIND, TN_CPU_COMPLEX_ABS, COMPLEX)

// With a rule for shapes, or the code of a division by zero.
#define RULED_OPS(X)                                                                              \
  X(ReluGrad, FIND, TN_CPU_RELU_GRAD, TN_CPU_REALS, SAME_SHAPE)                                   \
  X(Relu6Grad, FIND, TN_CPU_RELU6_GRAD, TN_CPU_REALS, SAME_SHAPE)                                 \
  X(SqrtGrad, FIND, TN_CPU_SQRT_GRAD, FRACTIONS, SAME_COUNT)                                      \
  X(RsqrtGrad, FIND, TN_CPU_RSQRT_GRAD, FRACTIONS, SAME_COUNT)                                    \
  X(InvGrad, FIND, TN_CPU_RECIPROCAL_GRAD, FRACTIONS, SAME_COUNT)                                 \
  X(ReciprocalGrad, FIND, TN_CPU_RECIPROCAL_GRAD, FRACTIONS, SAME_COUNT)                          \
  X(Div, FIND, TN_CPU_DIV, TN_CPU_NUMBERS, BROADCAST, TF_INVALID_ARGUMENT)                        \
  X(FloorDiv, FIND, TN_CPU_FLOOR_DIV, TN_CPU_REALS, BROADCAST, TF_INVALID_ARGUMENT)               \
  X(TruncateDiv, FIND, TN_CPU_TRUNCATE_DIV, TN_CPU_REALS, BROADCAST, TF_INTERNAL)                 \
  X(FloorMod, FIND, TN_CPU_FLOOR_MOD, TN_CPU_REALS, BROADCAST, TF_INVALID_ARGUMENT)               \
  X(Mod, FIND, TN_CPU_TRUNCATE_MOD, TWO_FLOATS | TWO_INTEGERS, BROADCAST, TF_INVALID_ARGUMENT)    \
  X(TruncateMod, FIND, TN_CPU_TRUNCATE_MOD, TWO_FLOATS | TWO_INTEGERS, BROADCAST, TF_INTERNAL)

// Between bools: no attribute T.
#define BOOL_OPS(X)                                 \
  X(LogicalAnd, FIND, TN_CPU_LOGICAL_AND, 0)        \
  X(LogicalOr, FIND, TN_CPU_LOGICAL_OR, 0)          \
  X(LogicalNot, FIND, TN_CPU_LOGICAL_NOT, 0)
// clang-format on
PLAIN_OPS(ELEMENTWISE_COMPUTE)
PART_OPS(ELEMENTWISE_COMPUTE)
#define PAIR_COMPLEX(complex, part)                            \
  {                                                            \
    {"T", TN_CPU_TYPE(complex)}, { "Tout", TN_CPU_TYPE(part) } \
  }
#define PAIR_PARTS(complex, part)                              \
  {                                                            \
    {"T", TN_CPU_TYPE(part)}, { "Tout", TN_CPU_TYPE(complex) } \
  }
#define PART_KERNELS(name, find, code, from)                                                    \
  {.op = #name, .compute = compute_##name, .constraints = PAIR_##from(TN_COMPLEX64, TN_FLOAT)}, \
      {.op = #name,                                                                             \
       .compute = compute_##name,                                                               \
       .constraints = PAIR_##from(TN_COMPLEX128, TN_DOUBLE)},
RULED_OPS(ELEMENTWISE_RULE_COMPUTE)
BOOL_OPS(ELEMENTWISE_COMPUTE)
#define BOOL_KERNEL(name, find, code, types) {.op = #name, .compute = compute_##name},

// Attribute alpha or tolerance, as one more input that is a scalar.
typedef struct scalar_state {
  float value;
} scalar_state;

static void* read_scalar(TF_OpKernelConstruction* construction, const char* op, const char* attr) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const scalar_state state = {attr_float(&attrs, attr)};
  return attrs_end(&attrs, &state, sizeof state);
}

static void run_with_scalar(const elementwise* op, const scalar_state* state,
                            TF_OpKernelContext* context) {
  run run;
  array in[2];
  double value;  // room for any type
  const int count = TF_NumInputs(context);
  run_begin(&run, context, op->op);
  run_may_stop(&run);
  for (int k = 0; k < count && run_input(&run, k, &in[k]);) ++k;
  if (run_ok(&run)) {
    const array extra = {.dtype = in[0].dtype, .data = &value};
    if (extra.dtype == TN_FLOAT) {
      *(float*)extra.data = state->value;
    } else {
      tn_cpu_cast(TN_FLOAT, extra.dtype, false, 1, &state->value, extra.data, NULL);
    }
    elementwise_apply(&run, op, in, count, &extra);
  }
  run_end(&run);
}

#define SCALAR_OPS(X)                                            \
  X(LeakyRelu, alpha, TN_CPU_LEAKY_RELU, TN_CPU_FLOATS)          \
  X(LeakyReluGrad, alpha, TN_CPU_LEAKY_RELU_GRAD, TN_CPU_FLOATS) \
  X(ApproximateEqual, tolerance, TN_CPU_APPROXIMATE_EQUAL, TWO_FLOATS)
#define SCALAR_COMPUTE(name, attr, code, types)                           \
  static void* create_##name(TF_OpKernelConstruction* construction) {     \
    return read_scalar(construction, #name, #attr);                       \
  }                                                                       \
  static void compute_##name(void* state, TF_OpKernelContext* context) {  \
    static const elementwise op = {#name, FIND, code, SAME_SHAPE, TF_OK}; \
    run_with_scalar(&op, state, context);                                 \
  }
#define SCALAR_KERNEL(name, attr, code, types) \
  {.op = #name,                                \
   .create = create_##name,                    \
   .compute = compute_##name,                  \
   .destroy = free,                            \
   .constraints = {{"T", types}}},
SCALAR_OPS(SCALAR_COMPUTE)

static void add_n(void* state, TF_OpKernelContext* context) {
  run run;
  array first, other, out;
  run_begin(&run, context, "AddN");
  run_may_stop(&run);
  const int count = TF_NumInputs(context);
  const void** in = run_scratch(&run, (size_t)count * sizeof *in);
  if (in && run_input(&run, 0, &first)) {
    in[0] = first.data;
    for (int k = 1; k < count && run_input(&run, k, &other); ++k) {
      in[k] = other.data;
      char texts[2][SHAPE_TEXT];
      if (!same_shape(&first, &other))
        run_fail(&run, TF_INVALID_ARGUMENT,
                 "inputs[0] of shape %s and inputs[%d] of shape %s must have the same shape",
                 shape_text(first.rank, first.dims, texts[0]), k,
                 shape_text(other.rank, other.dims, texts[1]));
    }
    if (run_ok(&run) && run_output(&run, 0, first.rank, first.dims, &out))
      tn_cpu_add_n(first.dtype, first.count, in, count, out.data, run.parallel);
  }
  run_end(&run);
}

static void round_integers(void* state, TF_OpKernelContext* context) {
  run run;
  array x;
  run_begin(&run, context, "Round");
  run_may_stop(&run);
  if (run_input(&run, 0, &x)) run_share_output(&run, 0, x.tensor);
  run_end(&run);
}

void register_arithmetic(void) {
  static const kernel kernels[] = {
      PLAIN_OPS(ELEMENTWISE_KERNEL) PART_OPS(PART_KERNELS) RULED_OPS(ELEMENTWISE_KERNEL)
          BOOL_OPS(BOOL_KERNEL) SCALAR_OPS(SCALAR_KERNEL){
              .op = "Round", .compute = round_integers, .constraints = {{"T", TWO_INTEGERS}}},
      {.op = "AddN", .compute = add_n, .constraints = {{"T", TN_CPU_NUMBERS}}}};
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
