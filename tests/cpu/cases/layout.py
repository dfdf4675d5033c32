"""Other shapes, other orders: Reshape and its kin, Transpose, and shapes as values."""

import numpy

from cases.maker import ANYTHING, INDICES, MOVABLE, NUMBERS, dtype_of
from cases.registry import Call, cases


def ones(dtype, *shape):
    return numpy.full(shape, b"1", object) if dtype == "string" else numpy.zeros(shape, dtype_of(dtype))


@cases("Reshape", dtypes=ANYTHING)
def reshape(make, op, dtype):
    for i in range(20):
        shape = make.shape()
        wanted = list(make.random.permutation(shape)) + [1] * make.below(3)
        if wanted and 0 not in wanted and make.coin():
            wanted[make.below(len(wanted))] = -1
        yield Call(op, [make.array(dtype, shape), numpy.array(wanted, INDICES[i % 2])])
    for wanted, says in [([4], "has 6 elements, and shape asks for 4"),
                         ([-1, 4], "asks for a multiple of 4"),
                         ([-1, 0], "asks for a multiple of 0"),
                         ([-1, -1], "shape[0] and shape[1] are both -1"),
                         ([-2, 3], "shape[0] is -2"),
                         ([[2, 3]], "input shape must be a vector")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(wanted, "int32")], {}, says)


@cases("Transpose", "ConjugateTranspose", dtypes=MOVABLE)
def transpose(make, op, dtype):
    for i in range(20):
        # TensorFlow's ConjugateTranspose ends the process over a scalar or a vector of strings
        # (tensor.cc: Check failed: DataTypeCanUseMemcpy).
        shape = make.shape(2 + make.rank(6) if (op, dtype) == ("ConjugateTranspose", "string") else None)
        perm = make.random.permutation(len(shape))
        perm = [p - len(shape) if make.below(4) == 0 else p for p in perm]
        yield Call(op, [make.array(dtype, shape), numpy.array(perm, INDICES[i % 2])])
    large = [([300, 500], [1, 0]), ([40, 50, 60], [2, 1, 0]), ([40, 50, 60], [1, 0, 2])]
    for shape, perm in (large if dtype != "string" else []) + [
            ([9, 1, 7, 11, 5], [3, 0, 4, 1, 2]), ([2] * 8, [7, 0, 6, 1, 5, 2, 4, 3])]:
        yield Call(op, [make.array(dtype, shape), numpy.array(perm, "int32")])
    for perm, says in [([0], "input perm must be a vector of 2 dimensions"),
                       ([0, 2], "perm[1] is 2, and must be in [-2, 2)"),
                       ([1, 1], "perm names dimension 1 twice")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(perm, "int32")], {}, says)


@cases("InvertPermutation", dtypes=INDICES)
def invert_permutation(make, op, dtype):
    for n in [0, 1, 2, 7, 1000]:
        yield Call(op, [make.random.permutation(n).astype(dtype)])
    yield Call(op, [numpy.array([0, 2], dtype)], {}, "x[1] is 2, and must be in [0, 2)")
    yield Call(op, [numpy.array([-1, 0], dtype)], {}, "x[0] is -1")
    yield Call(op, [numpy.array([1, 1], dtype)], {}, "x names 1 twice")
    yield Call(op, [numpy.array([[0]], dtype)], {}, "input x must be a vector")


@cases("ExpandDims", dtypes=ANYTHING)
def expand_dims(make, op, dtype):
    for i in range(16):
        array = make.array(dtype, make.shape())
        yield Call(op, [array, make.axis(array.ndim + 1, INDICES[i % 2]).reshape([1] * make.below(3))])
    yield Call(op, [ones(dtype, 2, 3), numpy.int32(3)[...]], {}, "dim is 3, and must be in [-3, 3)")
    yield Call(op, [ones(dtype, 2, 3), numpy.int64(-4)[...]], {}, "dim is -4")
    yield Call(op, [ones(dtype, 2, 3), numpy.array([0, 1], "int32")], {}, "input dim must be a single number")


@cases("Squeeze", dtypes=ANYTHING)
def squeeze(make, op, dtype):
    for i in range(16):
        shape = [1 if make.coin() else d for d in make.shape()]
        axes = [d - len(shape) if make.coin() else d for d, size in enumerate(shape) if size == 1 and make.coin()]
        yield Call(op, [make.array(dtype, shape)], {"squeeze_dims": axes})
    yield Call(op, [ones(dtype, 2, 1)], {"squeeze_dims": [0]}, "names dimension 0, whose size is 2")
    yield Call(op, [ones(dtype, 2, 1)], {"squeeze_dims": [2]}, "is 2, and must be in [-2, 2)")
    yield Call(op, [ones(dtype, 2, 1)], {"squeeze_dims": [1, -1]})
    yield Call(op, [ones(dtype)], {"squeeze_dims": [0]}, "must be in [0, 0)")


@cases("Snapshot", dtypes=NUMBERS + ["bool"])
@cases("Identity", "StopGradient", "PreventGradient", dtypes=ANYTHING)
def identity(make, op, dtype):
    for _ in range(4):
        yield Call(op, [make.array(dtype, make.shape())])


@cases("IdentityN", dtypes=MOVABLE)
def identity_n(make, op, dtype):
    for n in (1, 2, 9):
        yield Call(op, [[make.array(make.choose([dtype, *MOVABLE]), make.shape()) for _ in range(n)]])
    yield Call(op, [[]], {}, "must be at least minimum 1")


@cases("PlaceholderWithDefault", dtypes=ANYTHING)
def placeholder(make, op, dtype):
    for shape in ([], [0, 3], [4, 2]):
        yield Call(op, [make.array(dtype, shape)], {"shape": shape})


@cases("Shape", "Size", dtypes=ANYTHING)
def shape_of(make, op, dtype):
    for i in range(6):
        yield Call(op, [make.array(dtype, make.shape())], {"out_type": numpy.dtype(INDICES[i % 2])})
    yield Call(op, [ones(dtype, 0, 1 << 33)], {"out_type": numpy.dtype("int32")},
               "which out_type int32 cannot hold" if op == "Shape" else "")


@cases("Rank", dtypes=ANYTHING)
def rank_of(make, op, dtype):
    for rank in range(9):
        yield Call(op, [ones(dtype, *[1] * rank)])


@cases("ShapeN", dtypes=ANYTHING)
def shape_n(make, op, dtype):
    for i in range(6):
        yield Call(op, [[make.array(dtype, make.shape()) for _ in range(1 + make.below(9))]],
                   {"out_type": numpy.dtype(INDICES[i % 2])})
    yield Call(op, [[]], {"T": dtype_of(dtype)}, "must be at least minimum 1")
    yield Call(op, [[ones(dtype, 2), ones(dtype, 0, 1 << 33)]], {"out_type": numpy.dtype("int32")},
               "which out_type int32 cannot hold")


@cases("BroadcastArgs", "BroadcastGradientArgs", dtypes=INDICES)
def broadcast_args(make, op, dtype):
    for _ in range(60):
        yield Call(op, [numpy.array(shape, dtype) for shape in make.broadcastable()])
    for pair in ([[1, 1, 2], [1, 2]], [[1], [1, 1]], [[], []], [[0, 1], [1, 0]], [[5, 1, 1], [1, 4, 1]]):
        yield Call(op, [numpy.array(shape, dtype) for shape in pair])
    yield Call(op, [numpy.array([2, 3], dtype), numpy.array([4], dtype)], {},
               "dimension 1 from the end is 3 and 4, and must be equal or 1")
    yield Call(op, [numpy.array([2, 0], dtype), numpy.array([4], dtype)], {}, "do not broadcast")
    yield Call(op, [numpy.array([[2]], dtype), numpy.array([4], dtype)], {}, "input s0 must be a vector")


@cases("ConcatOffset", dtypes=INDICES)
def concat_offset(make, op, dtype):
    for _ in range(20):
        shape = make.shape(1 + make.rank(7))
        axis = make.axis(len(shape), "int32")
        shapes = [numpy.array(shape, dtype) for _ in range(2 + make.below(6))]
        for one in shapes:
            one[axis] = make.below(9)
        yield Call(op, [axis, shapes])
    for axis, shapes, says in [(2, [[2, 3], [2, 3]], "concat_dim is 2, and must be in [-2, 2)"),
                               (0, [[2, 3], [2, 4]], "all dimensions but 0 must be equal"),
                               (0, [[2, 3], [2]], "input shape[1] must be a vector of 2 sizes"),
                               (0, [[[2, 3]], [[2, 3]]], "input shape[0] must be a vector"),
                               ([0, 1], [[2, 3], [2, 3]], "input concat_dim must be a single number")]:
        yield Call(op, [numpy.array(axis, "int32"), [numpy.array(s, dtype) for s in shapes]], {}, says)
