"""Right uses of the built-in ops, at random: math, arrays, strings, random numbers, variables.

A generator takes a random source and returns (attrs, arguments). An argument is a list of dimensions,
V(...) for a known value, Held(shape) for a resource or reference to a variable of that shape, or a
List of those. Types, and the attrs that count arguments, follow from the op's definition.
"""

import generators_nn
import numpy as np
import tensorflow as tf
from pieces import (
    axis,
    broadcastable,
    broadcastables,
    dim,
    flag,
    from_spelled,
    Held,
    hidden,
    like,
    List,
    pairs,
    rows,
    same,
    shape,
    spelled,
    V,
)
from tensorflow.core.framework import attr_value_pb2, types_pb2

# In the order of src/op/builtin.


def broadcast(r):
    return {}, broadcastables(r, shape(r))


def select(r):
    to = shape(r)
    return {}, [r.choice([[], to, to[:1]]), to, to]


BITCAST = [types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE, types_pb2.DT_UINT8, types_pb2.DT_HALF,
           types_pb2.DT_COMPLEX128, types_pb2.DT_QINT32]  # fmt: skip


def bitcast(r):
    types = r.choices(BITCAST, k=2)
    sizes = [tf.as_dtype(t).size for t in types]
    last = [sizes[1] // sizes[0]] if sizes[1] > sizes[0] and r.random() < 0.8 else []
    return {"T": types[0], "type": types[1]}, [shape(r, 0, 4) + last]


def several(r):
    return {}, [List([shape(r)] * r.randint(1, 4))]


def matmul(r):
    a, b, n, flip_a, flip_b = dim(r), dim(r), dim(r), flag(r), flag(r)
    args = [[n, a] if flip_a else [a, n], [b, n] if flip_b else [n, b]]
    return {"transpose_a": flip_a, "transpose_b": flip_b}, args


def batch_matmul(r):
    attrs, (a, b) = matmul(r)
    batch = shape(r, 0, 3)
    left, right = (batch, batch) if flag(r) else broadcastables(r, batch)
    return {"adj_x": attrs["transpose_a"], "adj_y": attrs["transpose_b"]}, [left + a, right + b]


EQUATIONS = """ab,bc->ac ab->ba a->a ->  ,-> aa->a aab,bc->ac ...ab,...bc->...ac a...b->b...a ...->...
  a...->... ab...,b->a... ab,ab-> abc,cd->abd i,j->ij ...a->a ...ab,...b->...a abcd->dcba a,b,c->abc
  ab,bc ab->bc ab->a->b ..a->a a....->a ab,bc->acc ...,...->... ab...c,c...->b... aa...->...a""".split()


def einsum(r):
    equation, sizes, dots, inputs = r.choice(EQUATIONS), {}, shape(r, 0, 2), List()
    for labels in equation.split("->")[0].split(","):
        dims = []
        for part in labels.replace("...", "."):
            dims += broadcastable(r, dots) if part == "." else [sizes.setdefault(part, dim(r))]
        inputs.append(dims)
    return {"equation": equation}, [inputs]


def cross(r):
    of = shape(r, 0, 3) + [3]
    return {}, [of, of]


def square(r):
    return {}, [shape(r, 0, 3) + [dim(r)] * 2]


def solve(r):
    batch, n = shape(r, 0, 2), dim(r)
    a, b = (batch, batch) if flag(r) else broadcastables(r, batch)
    return {}, [a + [n, n], b + [n, dim(r)]]


def reduce(r):
    of = shape(r)
    axes = [axis(r, len(of)) for _ in range(r.randint(0, 3))]
    return {"keep_dims": flag(r)}, [of, V(axes[0] if len(axes) == 1 and flag(r) else axes)]


def along_axis(r):
    of = shape(r)
    return {}, [of, V(axis(r, len(of)))]


def segment(r):
    of = shape(r, 1)
    return {}, [of, of[:1]]


def unsorted_segment(r):
    of = shape(r)
    return {}, [of, of[: r.randint(0, len(of))], V(r.randint(-1, 5))]


def sparse_segment(r):
    n = dim(r)
    return {}, [shape(r, 1), [n], [n]]


def bincount(r):
    of = shape(r, 0, 3)
    return {}, [of, V(r.randint(-1, 5)), of]


def const(r):
    value = attr_value_pb2.AttrValue(tensor=tf.make_tensor_proto(np.zeros(shape(r), np.float32)))
    return {"value": value, "dtype": types_pb2.DT_FLOAT}, []


def with_attr_shape(r):
    of = shape(r)
    return {"shape": hidden(r, of)}, [of]


def any_list(r, low=1):
    return List([shape(r) for _ in range(r.randint(low, 3))])


REALS = [types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE, types_pb2.DT_BFLOAT16, types_pb2.DT_HALF]
UNSIGNED = [types_pb2.DT_UINT16, types_pb2.DT_UINT32, types_pb2.DT_UINT64]
SIGNED = [types_pb2.DT_INT8, types_pb2.DT_INT16, types_pb2.DT_INT32, types_pb2.DT_INT64]


def range_(r):
    kind = r.choice(REALS + UNSIGNED + SIGNED)
    low = 0 if kind in UNSIGNED else -9
    bounds = sorted(round(r.uniform(low, 9), 2) if kind in REALS else r.randint(low, 9) for _ in "ab")
    delta = round(r.uniform(0, 3), 2) if kind in REALS else r.randint(0, 4)
    if r.random() < 0.3 and kind not in UNSIGNED:
        bounds, delta = bounds[::-1], -delta
    return {"Tidx": kind}, [V(b) for b in bounds] + [V(delta)]


def reshape(r):
    of = shape(r)
    to = r.sample(of, len(of))
    if len(to) > 1 and flag(r):
        to = [to[0] * to[1]] + to[2:]
    if to and flag(r):
        to[r.randrange(len(to))] = -1
    return {}, [of, V(to)]


def expand_dims(r):
    of = shape(r)
    at = axis(r, len(of) + 1)
    return {}, [of, V([at] if r.random() < 0.2 else at)]


def squeeze(r):
    of = [r.choice([1, 1, 2, 3]) for _ in range(r.randint(0, 5))]
    ones = [i - r.choice([0, len(of)]) for i, d in enumerate(of) if d == 1]
    return {"squeeze_dims": r.sample(ones, r.randint(0, len(ones)))}, [of]


def permuted(r, low_count):
    """A shape and some of its axes in another order."""
    of = shape(r, 0, 8)
    axes = r.sample(range(len(of)), r.randint(low_count(of), len(of)))
    return {}, [of, V([a - len(of) if r.random() < 0.15 else a for a in axes])]


def tile(r):
    of = shape(r)
    return {}, [of, V([r.choice([0, 1, 1, 2, 3]) for _ in of])]


def pad(r):
    of = shape(r)
    return {}, [of, V(pairs([[r.randint(0, 2), r.randint(0, 2)] for _ in of]))]


def reverse_sequence(r):
    of = shape(r, 2)
    seq, batch = r.sample(range(len(of)), 2)
    return {"seq_dim": seq, "batch_dim": batch}, [of, [of[batch]]]


def roll(r):
    n = r.choice([[], [1], [2]])
    return {}, [shape(r, 1), n, n]


def broadcast_to(r):
    to = shape(r)
    return {}, [broadcastable(r, to), V([-1 if r.random() < 0.1 else d for d in to])]


def space_batch(r):
    blocks = [r.randint(1, 3) for _ in range(r.randint(0, 3))]
    edges = [[r.randint(0, 2), r.randint(0, 2)] for _ in blocks]
    dims = [max(0, b * r.randint(1, 3) - sum(e)) if flag(r) else dim(r) for b, e in zip(blocks, edges)]
    batch = int(np.prod(blocks)) * r.randint(0, 2)
    return {}, [[batch] + dims + shape(r, 0, 2), V(blocks), V(pairs(edges))]


def space_depth(r):
    block, form = r.randint(2, 3), r.choice(["NHWC", "NCHW", "NCHW_VECT_C"])
    h, w, d = block * r.randint(0, 3), block * r.randint(0, 3), block * block * r.randint(0, 2)
    of = [dim(r), h, w, d] if form == "NHWC" else [dim(r), d, h, w] + [4] * (len(form) > 4)
    return {"block_size": block, "data_format": form}, [of]


def diag_part(r):
    return {}, [shape(r, 0, 3) * 2]


def set_diag(r):
    of = shape(r, 2)
    return {}, [of, of[:-2] + [min(of[-2:])]]


def diagonals(r, batch, rows, columns):
    """The shape of some diagonals of such matrices, and which they are."""
    low = r.randint(-max(rows - 1, 0), max(columns - 1, 0))
    high = low if r.random() < 0.4 else r.randint(low, max(columns - 1, low))
    k = V([low, high]) if low < high else r.choice([V(low), V([low])])
    length = min(rows + min(high, 0), columns - max(low, 0))
    return batch + [high - low + 1] * (low < high) + [length], k


def matrix_diag_v3(r):
    rows, columns = r.randint(1, 5), r.randint(1, 5)
    given, k = diagonals(r, shape(r, 0, 2), rows, columns)
    return {}, [given, k] + [V(n if r.random() < 0.6 else -1) for n in (rows, columns)] + [[]]


def matrix_diag_part_v3(r):
    of = shape(r, 2, 4)
    return {}, [of, diagonals(r, [], *of[-2:])[1], []]


def matrix_set_diag_v3(r):
    of = shape(r, 2, 4)
    return {}, [of, *diagonals(r, of[:-2], *of[-2:])]


def concat(r):
    of, parts = shape(r, 1), List()
    at = axis(r, len(of))
    for _ in range(r.randint(2, 4)):
        parts.append(list(of))
        parts[-1][at] = dim(r)
    return {}, [parts, V(at)]


def concat_offset(r):
    rank = r.randint(0, 4)
    return {}, [V(axis(r, rank)), List([V(shape(r, rank, rank)) for _ in range(r.randint(2, 3))])]


def split(r):
    of, count = shape(r, 1), r.randint(1, 4)
    at = axis(r, len(of))
    of[at] = count * r.randint(0, 3)
    return {"num_split": count}, [V(at), of]


def split_v(r):
    of = shape(r, 0 if r.random() < 0.1 else 1)
    sizes, at = [r.randint(0, 3) for _ in range(r.randint(1, 4))], axis(r, len(of))
    if of:
        of[at] = sum(sizes)
    if flag(r):
        sizes[r.randrange(len(sizes))] = -1
    return {"num_split": len(sizes)}, [of, V(sizes), V(at)]


def pack(r):
    of = shape(r)
    return {"axis": axis(r, len(of) + 1)}, [List([of] * r.randint(1, 4))]


def unpack(r):
    of = shape(r, 1)
    at = axis(r, len(of))
    return {"axis": at, "num": of[at] if r.random() < 0.9 else dim(r)}, [of]


def one_hot(r):
    of = shape(r)
    return {"axis": r.randint(-1, len(of))}, [of, V(r.randint(-1, 5)), [], []]


def stitch(r):
    extra, places, parts = shape(r, 0, 2), List(), List()
    for _ in range(r.randint(1, 3)):
        of = shape(r, 0, 2)
        places.append(V(np.array([r.randint(0, 9) for _ in range(int(np.prod(of)))], int).reshape(of)))
        parts.append(of + extra)
    return {}, [places, parts]


def partition(r):
    of = shape(r)
    return {"num_partitions": r.randint(1, 3)}, [of, of[: r.randint(0, len(of))]]


def slice_(r):
    of = shape(r)
    begin = [r.randint(0, d) for d in of]
    return {}, [of, V(begin), V([r.choice([-1, r.randint(0, d - b)]) for b, d in zip(begin, of)])]


MASKS = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]


def strided_slice(r):
    of = shape(r, 0, 5)
    count = r.randint(0, len(of) + 1)
    masks = {m: sum(1 << i for i in range(count) if r.random() < 0.2) for m in MASKS if flag(r)}
    if "ellipsis_mask" in masks:
        masks["ellipsis_mask"] = 1 << r.randint(0, count) if r.random() < 0.9 else r.randint(0, 15)
    bounds = [V([r.randint(-6, 8) for _ in range(count)]) for _ in range(2)]
    steps = [1, 1, 1, 1, 2, 3, -1, -2] + [0] * (r.random() < 0.2)
    return masks, [of] + bounds + [V([r.choice(steps) for _ in range(count)])]


def strided_slice_with(first):
    """The same for ops that take something else first and a tensor last."""

    def generate(r):
        masks, (of, *spec) = strided_slice(r)
        return masks, [first(of), *spec, shape(r)]

    return generate


def gather_v2(r):
    params, indices = shape(r, 1), shape(r, 0, 3)
    batch = r.choice([0, 0, r.randint(-len(indices), min(len(indices), len(params) - 1))])
    low = batch if batch >= 0 else batch + len(indices)
    at = r.randint(low, len(params) - 1) if low < len(params) else 0
    indices[:low] = params[:low]
    return {"batch_dims": batch}, [params, indices, V(at - len(params) if r.random() < 0.3 else at)]


def gather_nd(r):
    params = shape(r)
    return {}, [params, shape(r, 0, 3) + [r.randint(0, len(params))]]


def held(generate):
    """The same with a variable as first argument."""

    def generate_held(r):
        attrs, args = generate(r)
        return attrs, [Held(args[0])] + args[1:]

    return generate_held


def resource_gather(r):
    params, indices = shape(r, 1), shape(r, 0, 3)
    batch = r.randint(0, min(len(indices), len(params) - 1))
    return {"batch_dims": batch}, [Held(params), params[:batch] + indices[batch:]]


def tensor_scatter(r):
    of, outer = shape(r, 1), shape(r, 0, 2)
    depth = r.randint(0, len(of))
    return {}, [of, outer + [depth], outer + of[depth:]]


def scatter_nd(r):
    of, indices, updates = tensor_scatter(r)[1]
    return {}, [indices, updates, V(of)]


def scatter(r):
    of, indices = shape(r, 1), shape(r, 0, 2)
    return {}, [of, indices, [] if r.random() < 0.2 else indices + of[1:]]


def top_k(r):
    of = shape(r, 1)
    return {"k": r.randint(0, of[-1])}, [of]


def top_k_v2(r):
    attrs, args = top_k(r)
    return {}, args + [V(attrs["k"])]


def in_top_k(r):
    return {"k": r.randint(-1, 9)}, rows("n?", "n")(r)[1]


def nth_element(r):
    of = shape(r, 1)
    of[-1] += 1
    return {}, [of, V(r.randrange(of[-1]))]


def unique_v2(r):
    of = shape(r)
    return {}, [of, V(np.array([axis(r, len(of))] if len(of) != 1 or flag(r) else [], int))]


def string_join(r):
    of = shape(r)
    return {}, [List([r.choice([of, of, []]) for _ in range(r.randint(0, 4))])]


def substr(r):
    of = shape(r)
    part = broadcastable(r, of)
    return {}, [of, part, part]


def string_format(r):
    inputs, mark = any_list(r, 0), r.choice(["%s", "{}", "aa"])
    marks = len(inputs) if r.random() < 0.8 else r.randint(0, 3)
    return {"template": "x".join([mark] * marks), "placeholder": mark}, [inputs]


def multinomial(*rest):
    return lambda r: ({}, [[dim(r), dim(r)], V(r.randint(-1, 5))] + [list(s) for s in rest])


def apply(text):
    """v: variable or slot, s: scalar, g: gradient, r: rows of a gradient, i: their indices."""

    def generate(r):
        of, n = shape(r, 1 if "i" in text else 0), dim(r)
        return {}, [{"v": Held(of), "s": [], "g": of, "r": [n] + of[1:], "i": [n]}[k] for k in text]

    return generate


GENERATORS = {
    "Add AddV2 Sub Mul Div RealDiv FloorDiv TruncateDiv DivNoNan MulNoNan FloorMod TruncateMod Mod Pow "
    "Maximum Minimum SquaredDifference Xdivy Xlogy Xlog1py Atan2 NextAfter Complex BitwiseAnd BitwiseOr "
    "BitwiseXor LeftShift RightShift LogicalAnd LogicalOr Less LessEqual Greater GreaterEqual "
    "Igamma Igammac IgammaGradA Polygamma Zeta": broadcast,
    "Betainc": lambda r: (lambda to: ({}, [to if flag(r) else [] for _ in range(3)]))(shape(r)),
    "Equal NotEqual": lambda r: ({"incompatible_shape_error": flag(r)}, broadcastables(r, shape(r))),
    "Select": select,
    "SelectV2": lambda r: ({}, broadcastables(r, shape(r), 3)),
    "Bitcast": bitcast,
    "AddN ShapeN": several,
    "AccumulateNV2": lambda r: ({"shape": hidden(r, shape(r))}, several(r)[1]),
    "MatMul": matmul,
    "BatchMatMul BatchMatMulV2 BatchMatMulV3": batch_matmul,
    "Einsum": einsum,
    "Cross": cross,
    "Cholesky MatrixInverse MatrixDeterminant": square,
    "MatrixSolve MatrixTriangularSolve": solve,
    "Sum Mean Prod EuclideanNorm Max Min All Any ReduceJoin": reduce,
    "ArgMax ArgMin Cumsum Cumprod CumulativeLogsumexp": along_axis,
    "SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin": segment,
    "UnsortedSegmentSum UnsortedSegmentProd UnsortedSegmentMax UnsortedSegmentMin "
    "UnsortedSegmentJoin": unsorted_segment,
    "SparseSegmentSum SparseSegmentMean SparseSegmentSqrtN": sparse_segment,
    "Bincount DenseBincount": bincount,
    "Const": const,
    "Placeholder VariableV2 VarHandleOp": lambda r: ({"shape": hidden(r, shape(r))}, []),
    "PlaceholderWithDefault EnsureShape": with_attr_shape,
    "IdentityN": lambda r: ({}, [any_list(r)]),
    "Assert": lambda r: ({}, [[], any_list(r)]),
    "Fill": from_spelled([]),
    "LinSpace": lambda r: ({}, [[], [], V(r.randint(-1, 5))]),
    "Range": range_,
    "BroadcastArgs BroadcastGradientArgs": lambda r: ({}, [spelled(r), spelled(r)]),
    "InvertPermutation Unique": rows("?"),
    "Reshape": reshape,
    "ExpandDims": expand_dims,
    "Squeeze": squeeze,
    "Transpose ConjugateTranspose": lambda r: permuted(r, len),
    "Tile": tile,
    "Pad": pad,
    "PadV2": lambda r: ({}, pad(r)[1] + [[]]),
    "MirrorPad MirrorPadGrad": pad,
    "ReverseV2": lambda r: permuted(r, lambda of: 0),
    "ReverseSequence": reverse_sequence,
    "Roll": roll,
    "BroadcastTo": broadcast_to,
    "SpaceToBatchND BatchToSpaceND": space_batch,
    "SpaceToDepth DepthToSpace": space_depth,
    "DiagPart": diag_part,
    "MatrixSetDiag": set_diag,
    "MatrixDiagV3": matrix_diag_v3,
    "MatrixDiagPartV3": matrix_diag_part_v3,
    "MatrixSetDiagV3": matrix_set_diag_v3,
    "MatrixBandPart": like(0, [], []),
    "Concat": lambda r: (lambda attrs, args: (attrs, args[::-1]))(*concat(r)),
    "ConcatV2": concat,
    "ConcatOffset": concat_offset,
    "Split": split,
    "SplitV": split_v,
    "Pack": pack,
    "Unpack": unpack,
    "OneHot": one_hot,
    "DynamicStitch": stitch,
    "DynamicPartition": partition,
    "Slice": slice_,
    "StridedSlice": strided_slice,
    "StridedSliceGrad": strided_slice_with(V),
    "TensorStridedSliceUpdate": strided_slice_with(list),
    "ResourceStridedSliceAssign": strided_slice_with(Held),
    "Gather": lambda r: ({}, [shape(r, 1), shape(r)]),
    "GatherV2": gather_v2,
    "GatherNd": gather_nd,
    "ResourceGather": resource_gather,
    "ResourceGatherNd": held(gather_nd),
    "ScatterNd": scatter_nd,
    "TensorScatterUpdate TensorScatterAdd TensorScatterSub TensorScatterMax TensorScatterMin": tensor_scatter,
    "ResourceScatterNdUpdate ResourceScatterNdAdd ResourceScatterNdSub": held(tensor_scatter),
    "ResourceScatterAdd ResourceScatterSub ResourceScatterMul ResourceScatterDiv ResourceScatterMin "
    "ResourceScatterMax ResourceScatterUpdate ScatterAdd ScatterUpdate": held(scatter),
    "TopK": top_k,
    "TopKV2": top_k_v2,
    "InTopK": in_top_k,
    "InTopKV2": rows("n?", "n", ""),
    "NthElement": nth_element,
    "UniqueV2 UniqueWithCountsV2": unique_v2,
    "ListDiff": rows("?", "?"),
    "LowerBound UpperBound": rows("n?", "n?"),
    "StringJoin": string_join,
    "StringSplit StringSplitV2": rows("?", ""),
    "Substr": substr,
    "RegexReplace": like(0, [], []),
    "RegexFullMatch": like(0, []),
    "StringFormat": string_format,
    "RandomUniform RandomStandardNormal TruncatedNormal": from_spelled(),
    "RandomUniformInt": from_spelled([], []),
    "RandomGamma": lambda r: ({}, [spelled(r), shape(r, 0, 2)]),
    "Multinomial": multinomial(),
    "StatelessMultinomial": multinomial([2]),
    "StatefulUniform StatefulStandardNormalV2 StatefulTruncatedNormal StatefulUniformFullInt":
        lambda r: ({"shape_dtype": 9}, [Held([3]), [], spelled(r)]),
    "StatefulUniformInt": lambda r: ({"shape_dtype": 9}, [Held([3]), [], spelled(r), [], []]),
    "NonDeterministicInts": lambda r: ({"shape_dtype": 9}, [spelled(r)]),
    "RngReadAndSkip RngSkip": lambda r: ({}, [Held([3]), [], []]),
    "StatelessShuffle": like(0, [1], [2], []),
    "StatelessRandomUniform StatelessRandomNormal StatelessTruncatedNormal "
    "StatelessRandomUniformFullInt": from_spelled([2]),
    "StatelessRandomUniformInt": from_spelled([2], [], []),
    "StatelessRandomUniformV2 StatelessRandomNormalV2 StatelessTruncatedNormalV2 "
    "StatelessRandomUniformFullIntV2": from_spelled([1], [2], []),
    "StatelessRandomUniformIntV2": from_spelled([1], [2], [], [], []),
    "StatelessRandomGetKeyCounter StatelessRandomGetKeyCounterAlg": lambda r: ({}, [[2]]),
    "ReadVariableOp VarIsInitializedOp VariableShape DestroyResourceOp IsVariableInitialized": held(same(1)),
    "AssignVariableOp AssignAddVariableOp AssignSubVariableOp AssignAdd AssignSub": held(same(2)),
    "Assign": lambda r: ({"validate_shape": flag(r)}, held(same(2))(r)[1]),
    "ApplyGradientDescent ResourceApplyGradientDescent": apply("vsg"),
    "ApplyAdam ResourceApplyAdam": apply("vvvssssssg"),
    "ResourceApplyAdamWithAmsgrad": apply("vvvvssssssg"),
    "ResourceApplyMomentum ResourceApplyKerasMomentum": apply("vvsgs"),
    "ResourceApplyAdagrad": apply("vvsg"),
    "ResourceApplyAdagradV2": apply("vvssg"),
    "ResourceApplyAdadelta": apply("vvvsssg"),
    "ResourceApplyRMSProp": apply("vvvssssg"),
    "ResourceApplyCenteredRMSProp": apply("vvvvssssg"),
    "ResourceApplyFtrl": apply("vvvgssss"),
    "ResourceApplyFtrlV2": apply("vvvgsssss"),
    "ResourceSparseApplyMomentum ResourceSparseApplyKerasMomentum": apply("vvsris"),
    "ResourceSparseApplyAdagrad": apply("vvsri"),
    "ResourceSparseApplyAdagradV2": apply("vvssri"),
}  # fmt: skip
GENERATORS = {
    name: generate
    for names, generate in [*GENERATORS.items(), *generators_nn.GENERATORS.items()]
    for name in names.split()
}


def generator(op):
    """Ops that are not named above take one shape for every argument."""
    return GENERATORS.get(op.name, same(len(op.input_arg)))
