// Element by element: unary and binary math, comparisons, logic, bits, choice and casts.
#include "op/builtin/family.h"

static void equal_shape(tn_inference* c, tn_status* status) {
  bool strict;
  if (!tn_infer_attr_bool(c, "incompatible_shape_error", &strict, status)) return;
  // Otherwise shapes that do not fit compare as unequal: one false. So where an unknown dimension
  // may turn out not to fit, nothing is known; the first such dimension decides.
  tn_shape_ref a = tn_infer_input(c, 0), b = tn_infer_input(c, 1);
  for (int i = a->rank < b->rank ? a->rank : b->rank; !strict && i > 0; --i) {
    int64_t from_a = tn_infer_dim(a, -i), from_b = tn_infer_dim(b, -i);
    if (from_a == from_b || from_a == 1 || from_b == 1) continue;
    bool known = from_a >= 0 && from_b >= 0;
    tn_infer_set_output(c, 0, known ? tn_infer_scalar(c) : tn_infer_unknown(c));
    return;
  }
  tn_shapes_broadcast(c, status);
}

static void approximately_equal_shape(tn_inference* c, tn_status* status) {
  tn_shapes_like_input(c, status);
  tn_infer_merge(c, tn_infer_input(c, 0), tn_infer_input(c, 1), status);
}

// A scalar condition, a vector of one per row, or one per element.
static void select_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref condition = tn_infer_input(c, 0);
  tn_shape_ref data = tn_infer_merge(c, tn_infer_input(c, 1), tn_infer_input(c, 2), status);
  int64_t rows;
  if (!data) return;
  if (tn_infer_rank_known(data) && condition->rank == 1) {
    data = tn_infer_with_rank_at_least(c, data, 1, status);
    if (!tn_infer_merge_dim(tn_infer_dim(data, 0), tn_infer_dim(condition, 0), &rows, status))
      return;
  } else if (tn_infer_rank_known(data) && condition->rank > 1) {
    data = tn_infer_merge(c, data, condition, status);
  }
  tn_infer_set_output(c, 0, data);
}

static void select_v2_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref either = tn_infer_broadcast(c, tn_infer_input(c, 1), tn_infer_input(c, 2), status);
  tn_infer_set_output(c, 0, tn_infer_broadcast(c, tn_infer_input(c, 0), either, status));
}

// Smaller elements make a new last dimension, larger ones take it up.
static void bitcast_shape(tn_inference* c, tn_status* status) {
  tn_dtype from, to;
  if (!tn_infer_attr_type(c, "T", &from, status) || !tn_infer_attr_type(c, "type", &to, status))
    return;
  int64_t in_size = (int64_t)tn_dtype_size(from), out_size = (int64_t)tn_dtype_size(to);
  tn_shape_ref shape = tn_infer_input(c, 0);
  if (in_size < out_size && tn_infer_rank_known(shape)) {
    int64_t unused;
    shape = tn_infer_with_rank_at_least(c, shape, 1, status);
    if (shape && !tn_infer_with_value(tn_infer_dim(shape, -1), out_size / in_size, &unused, status))
      shape = NULL;
    shape = tn_infer_subshape(c, shape, 0, -1, status);
  } else if (in_size > out_size) {
    shape = tn_infer_concatenate(c, shape, tn_infer_vector(c, in_size / out_size, status), status);
  }
  tn_infer_set_output(c, 0, shape);
}

// Scalars repeat, all other inputs have one shape. One of unknown rank may be either.
static void betainc_shape(tn_inference* c, tn_status* status) {
  tn_shape_ref output = tn_infer_unknown(c), other = NULL;
  int scalars = 0;
  for (int i = 0; i < 3; ++i) {
    tn_shape_ref in = tn_infer_input(c, i);
    if (!tn_infer_rank_known(in)) {
      other = in;
    } else if (in->rank == 0) {
      ++scalars;
    } else {
      output = other = tn_infer_merge(c, output, in, status);
      if (!output) return;
    }
  }
  if (scalars == 2) output = other;
  tn_infer_set_output(c, 0, scalars == 3 ? tn_infer_scalar(c) : output);
}

#define ARITHMETIC                                                                      \
  "{bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, " \
  "int64, complex64, complex128}"
#define SIGNED "{bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
#define INTEGERS "{int8, int16, int32, int64, uint8, uint16, uint32, uint64}"
#define BITS                                                                            \
  "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, " \
  "int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}"
#define COMPLEX "{complex64, complex128} = DT_COMPLEX64"

const tn_builtin_op tn_elementwise_ops[] = {
    {"Abs", "x: T", "y: T", "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
     tn_shapes_like_input},
    {"Neg Sign Reciprocal Inv Round", "x: T", "y: T", "T: " SIGNED, tn_shapes_like_input},
    {"Square", "x: T", "y: T",
     "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, "
     "uint64, complex64, complex128}",
     tn_shapes_like_input},
    {"Sqrt Rsqrt Exp Expm1 Log Log1p Sigmoid Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh "
     "Acosh Atanh",
     "x: T", "y: T", "T: " FLOATS_COMPLEX, tn_shapes_like_input},
    {"Erf Erfc Erfinv Ndtri Lgamma Digamma Dawsn Expint FresnelCos FresnelSin Spence BesselI0 "
     "BesselI0e BesselI1 BesselI1e BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e "
     "BesselY0 "
     "BesselY1 Floor Ceil Rint",
     "x: T", "y: T", "T: " FLOATS_B, tn_shapes_like_input},
    {"IsNan IsInf IsFinite", "x: T", "y: bool", "T: " FLOATS_B, tn_shapes_like_input},
    {"Invert", "x: T", "y: T", "T: " INTEGERS, tn_shapes_like_input},
    {"PopulationCount", "x: T", "y: uint8", "T: " INTEGERS, tn_shapes_like_input},
    {"LogicalNot", "x: bool", "y: bool", "", tn_shapes_like_input},
    {"SigmoidGrad TanhGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad", "y: T; dy: T", "z: T",
     "T: " FLOATS_COMPLEX, tn_shapes_like_input},
    {"Conj", "input: T", "output: T", "T: {complex64, complex128, variant} = DT_COMPLEX64",
     tn_shapes_like_input},
    {"Real Imag Angle", "input: T", "output: Tout",
     "T: " COMPLEX "; Tout: {float, double} = DT_FLOAT", tn_shapes_like_input},
    {"ComplexAbs", "x: T", "y: Tout", "T: " COMPLEX "; Tout: {float, double} = DT_FLOAT",
     tn_shapes_like_input},
    {"ZerosLike", "x: T", "y: T", "T: type", tn_shapes_like_input},
    {"OnesLike", "x: T", "y: T",
     "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, "
     "uint64, complex64, complex128, bool}",
     tn_shapes_like_input},

    {"Add", "x: T; y: T", "z: T",
     "T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, "
     "string}",
     tn_shapes_broadcast},
    {"AddV2", "x: T; y: T", "z: T",
     "T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, "
     "int64, complex64, complex128}",
     tn_shapes_broadcast, TN_OP_COMMUTATIVE | TN_OP_AGGREGATE},
    {"Sub", "x: T; y: T", "z: T",
     "T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, "
     "complex128, uint32, uint64}",
     tn_shapes_broadcast},
    {"Mul", "x: T; y: T", "z: T", "T: " ARITHMETIC, tn_shapes_broadcast, TN_OP_COMMUTATIVE},
    {"Div RealDiv FloorDiv TruncateDiv", "x: T; y: T", "z: T", "T: " ARITHMETIC,
     tn_shapes_broadcast},
    {"DivNoNan", "x: T; y: T", "z: T", "T: {half, float, bfloat16, double, complex64, complex128}",
     tn_shapes_broadcast},
    {"MulNoNan", "x: T; y: T", "z: T", "T: " FLOATS_COMPLEX, tn_shapes_broadcast},
    {"FloorMod", "x: T; y: T", "z: T",
     "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}",
     tn_shapes_broadcast},
    {"TruncateMod", "x: T; y: T", "z: T", "T: {int32, int64, bfloat16, half, float, double}",
     tn_shapes_broadcast},
    {"Mod", "x: T; y: T", "z: T", "T: {int32, int64, half, half, bfloat16, float, double}",
     tn_shapes_broadcast},
    {"Pow", "x: T; y: T", "z: T",
     "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
     tn_shapes_broadcast},
    {"Maximum Minimum", "x: T; y: T", "z: T",
     "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}",
     tn_shapes_broadcast},
    {"SquaredDifference", "x: T; y: T", "z: T",
     "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}", tn_shapes_broadcast,
     TN_OP_COMMUTATIVE},
    {"Xdivy Xlogy Xlog1py", "x: T; y: T", "z: T",
     "T: {half, bfloat16, float, double, complex64, complex128}", tn_shapes_broadcast},
    {"Atan2", "y: T; x: T", "z: T", "T: " FLOATS_B, tn_shapes_broadcast},
    {"NextAfter", "x1: T; x2: T", "output: T", "T: {double, float} = DT_FLOAT",
     tn_shapes_broadcast},
    {"Igamma Igammac", "a: T; x: T", "z: T", "T: " FLOATS_B, tn_shapes_broadcast},
    {"IgammaGradA Polygamma", "a: T; x: T", "z: T", "T: {float, double}", tn_shapes_broadcast},
    {"Zeta", "x: T; q: T", "z: T", "T: {float, double}", tn_shapes_broadcast},
    {"Betainc", "a: T; b: T; x: T", "z: T", "T: {float, double}", betainc_shape},
    {"Complex", "real: T; imag: T", "out: Tout", "T: {float, double} = DT_FLOAT; Tout: " COMPLEX,
     tn_shapes_broadcast},
    {"BitwiseAnd BitwiseOr BitwiseXor", "x: T; y: T", "z: T", "T: " INTEGERS, tn_shapes_broadcast,
     TN_OP_COMMUTATIVE},
    {"LeftShift RightShift", "x: T; y: T", "z: T", "T: " INTEGERS, tn_shapes_broadcast},
    {"LogicalAnd LogicalOr", "x: bool; y: bool", "z: bool", "", tn_shapes_broadcast,
     TN_OP_COMMUTATIVE},
    {"Less LessEqual Greater GreaterEqual", "x: T; y: T", "z: bool", "T: realnumbertype",
     tn_shapes_broadcast},
    {"Equal NotEqual", "x: T; y: T", "z: bool", "T: type; incompatible_shape_error: bool = true",
     equal_shape, TN_OP_COMMUTATIVE},
    {"ApproximateEqual", "x: T; y: T", "z: bool", "T: numbertype; tolerance: float = 1e-05",
     approximately_equal_shape, TN_OP_COMMUTATIVE},

    {"Select", "condition: bool; t: T; e: T", "output: T", "T: type", select_shape},
    {"SelectV2", "condition: bool; t: T; e: T", "output: T", "T: type", select_v2_shape},
    {"ClipByValue", "t: T; clip_value_min: T; clip_value_max: T", "output: T", "T: numbertype",
     tn_shapes_like_input},
    {"AddN", "inputs: N * T", "sum: T", "N: int; T: {numbertype, variant}", tn_shapes_merged,
     TN_OP_COMMUTATIVE | TN_OP_AGGREGATE},
    {"AccumulateNV2", "inputs: N * T", "sum: T", "N: int; T: numbertype; shape: shape",
     tn_shapes_from_attr, TN_OP_COMMUTATIVE | TN_OP_AGGREGATE},
    {"Bucketize", "input: T", "output: int32",
     "T: {int32, int64, float, double}; boundaries: list(float)", tn_shapes_like_input},
    {"Cast", "x: SrcT", "y: DstT", "SrcT: type; DstT: type; Truncate: bool = false",
     tn_shapes_like_input},
    {"Bitcast", "input: T", "output: type", "T: " BITS "; type: " BITS, bitcast_shape},
    {0},
};
