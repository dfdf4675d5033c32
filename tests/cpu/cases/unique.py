"""What is there, and where: Unique and its kin, ListDiff, Where."""

import numpy

from cases.layout import ones
from cases.maker import FLOATS, INDICES, NUMBERS, REALS
from cases.registry import Call, cases

COMPARED = REALS + ["bool", "string"]


def repetitive(make, dtype, shape):
    """An array of few different values, zeros of both signs and NaN among them."""
    pool = make.array(dtype, [make.choose([1, 2, 5, 9, 2000])])
    if dtype in FLOATS:
        pool = numpy.concatenate([pool, numpy.array([0.0, -0.0, numpy.nan]).astype(pool.dtype)])
    if dtype in ("float16", "bfloat16"):  # TensorFlow's hash, not its equality, tells -0 from 0 there
        pool = numpy.where(pool == 0, pool.dtype.type(0), pool)
    return numpy.asarray(pool[make.random.integers(0, len(pool), shape)])


@cases("Unique", "UniqueWithCounts", dtypes=COMPARED)
def unique(make, op, dtype):
    for i, n in enumerate([0, 1, 2, 30, 1000, 9000]):
        yield Call(op, [repetitive(make, dtype, [n])], {"out_idx": numpy.dtype(INDICES[i % 2])})
    yield Call(op, [repetitive(make, dtype, [5000])])
    for shape in [], [2, 3]:
        yield Call(op, [ones(dtype, *shape)], {}, "input x must be a vector")


@cases("UniqueV2", "UniqueWithCountsV2", dtypes=COMPARED)
def unique_v2(make, op, dtype):
    for i in range(20):
        shape = make.shape(1 + make.rank(4))
        # TensorFlow takes an axis counted from the end for one out of range.
        axis = [] if len(shape) == 1 and make.coin() else [make.below(len(shape))]
        yield Call(op, [repetitive(make, dtype, shape), numpy.array(axis, INDICES[i % 2])],
                   {"out_idx": numpy.dtype(INDICES[i // 2 % 2])})
    for shape, axis, says in [([2, 3], [], "input x must be a vector"), ([2, 3], [2], "axis is 2"),
                              ([2, 3], [0, 1], "input axis must be a single number"),
                              ([2, 3], 0, "input axis must be a vector"), ([], [0], "axis is 0")]:
        yield Call(op, [ones(dtype, *shape), numpy.array(axis, "int32")], {}, says)


@cases("ListDiff", dtypes=[dtype for dtype in COMPARED if dtype != "bool"])
def list_diff(make, op, dtype):
    for i in range(12):
        x, y = (repetitive(make, dtype, [make.choose([0, 1, 5, 300])]) for _ in range(2))
        x = numpy.concatenate([x, y[::2]])
        yield Call(op, [x, y[:8]], {"out_idx": numpy.dtype(INDICES[i % 2])})
    yield Call(op, [ones(dtype, 2, 3), ones(dtype, 2)], {}, "input x must be a vector")
    yield Call(op, [ones(dtype, 2), ones(dtype)], {}, "input y must be a vector")


@cases("Where", dtypes=NUMBERS + ["bool"])
def where(make, op, dtype):
    for _ in range(20):
        array = make.array(dtype, make.shape(1 + make.rank(7)))
        kept = make.random.integers(0, 2, array.shape) > 0
        yield Call(op, [numpy.where(kept, array, numpy.zeros_like(array))])
    yield Call(op, [make.array(dtype, [70, 1000])])
    yield Call(op, [numpy.zeros([50, 400], make.array(dtype, []).dtype)])
    yield Call(op, [ones(dtype)], {}, "input input is a scalar")
