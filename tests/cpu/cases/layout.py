"""Elements that move unchanged: Reshape, Transpose, ConcatV2."""

import numpy

from cases.maker import ANYTHING, INDICES, MOVABLE, dtype_of
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


@cases("Transpose", dtypes=MOVABLE)
def transpose(make, op, dtype):
    for i in range(20):
        shape = make.shape()
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


@cases("ConcatV2", dtypes=MOVABLE)
def concat(make, op, dtype):
    for i in range(20):
        shape = make.shape(1 + make.rank(7))
        axis = make.below(len(shape))
        parts = [make.array(dtype, shape[:axis] + [make.below(5)] + shape[axis + 1:])
                 for _ in range(2 + make.below(9))]
        signed = axis - len(shape) * make.below(2)
        yield Call(op, [parts, numpy.array(signed, INDICES[i % 2])])
    for shapes, axis, says in [([[2, 3], [2, 3]], 2, "axis is 2, and must be in [-2, 2)"),
                               ([[2, 3], [3, 2]], 0, "all dimensions but 0 must be equal"),
                               ([[2, 3], [2]], 0, "values[1] of shape [2] does not join"),
                               ([[], []], 0, "values[0] is a scalar"),
                               ([[2], [2]], [0, 0], "input axis must be a single number")]:
        yield Call(op, [[ones(dtype, *shape) for shape in shapes], numpy.array(axis, "int32")], {}, says)
