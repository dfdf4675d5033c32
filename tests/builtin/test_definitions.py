"""The built-in ops are defined as TensorFlow's wheel defines them, field by field."""

import os
import subprocess

import peer
import pytest
from tensorflow.core.framework import op_def_pb2

ASK = os.path.join(os.environ["TENON_BUILD"], "tests", "builtin_ask")
OURS = {op.name: op for op in op_def_pb2.OpList.FromString(subprocess.check_output([ASK, "ops"])).op}
THEIRS = peer.ops()

# What an op definition may say about itself beyond its signature: documentation, and types inside of
# variants and resources.
ASIDE = ["summary", "description", "handle_data", "experimental_full_type"]


def signature(op):
    plain = op_def_pb2.OpDef()
    plain.CopyFrom(op)
    for part in [plain, *plain.input_arg, *plain.output_arg, *plain.attr]:
        for field in ASIDE:
            if field in part.DESCRIPTOR.fields_by_name:
                part.ClearField(field)
    return plain


def test_there_are_at_least_150():
    assert len(OURS) >= 150


# What the CPU plugin has kernels for, and what eager programs and training steps are made of.
NEEDED = """
Abs Neg Sign Square Sqrt Rsqrt Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh
Sigmoid Erf Erfc Lgamma Digamma Reciprocal Floor Ceil Rint Round IsNan IsInf IsFinite LogicalNot Invert
Add AddV2 Sub Mul Div RealDiv DivNoNan FloorDiv TruncateDiv FloorMod Mod Pow Maximum Minimum SquaredDifference
Atan2 Equal NotEqual Less LessEqual Greater GreaterEqual LogicalAnd LogicalOr BitwiseAnd BitwiseOr BitwiseXor
LeftShift RightShift Select SelectV2 ClipByValue Cast MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3 Einsum
Sum Mean Max Min Prod All Any ArgMax ArgMin Cumsum Cumprod Softmax LogSoftmax FusedBatchNormV3
Reshape ExpandDims Squeeze Transpose ConcatV2 Split SplitV Slice StridedSlice GatherV2 GatherNd ScatterNd
Pad PadV2 MirrorPad Tile Pack Unpack OneHot Fill Range ReverseV2 TopKV2 UniqueV2 Where
Conv2D DepthwiseConv2dNative MaxPool AvgPool BiasAdd ResizeBilinear ResizeNearestNeighbor
StringJoin StringSplit StringSplitV2 StringLength StringLower StringUpper Substr AsString StringToNumber
RandomUniform RandomUniformInt RandomStandardNormal TruncatedNormal StatelessRandomUniformV2
StatelessRandomNormalV2 StatelessRandomUniformIntV2 StatelessRandomUniformFullIntV2 StatelessRandomGetKeyCounter
ReluGrad BiasAddGrad Conv2DBackpropInput Conv2DBackpropFilter MaxPoolGrad AvgPoolGrad FusedBatchNormGradV3
SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits AddN UnsortedSegmentSum
ResourceApplyAdam ResourceApplyGradientDescent ResourceApplyKerasMomentum
VarHandleOp ReadVariableOp AssignVariableOp AssignAddVariableOp AssignSubVariableOp VarIsInitializedOp
Identity IdentityN Const Placeholder Shape ShapeN Size Rank ZerosLike OnesLike BroadcastTo BroadcastArgs
StopGradient PreventGradient NoOp LinSpace Roll MatrixDiag MatrixBandPart Relu Relu6 Elu Selu LeakyRelu
"""


def test_what_plugins_and_programs_need_is_there():
    assert sorted(set(NEEDED.split()) - OURS.keys()) == []


@pytest.mark.parametrize("name", sorted(OURS))
def test_definition_equals_tensorflows(name):
    assert str(signature(OURS[name])) == str(signature(THEIRS[name]))
