"""Reductions of rows that belong together, and counts of numbers."""

import math

import numpy

from cases.maker import INDICES, INTEGERS, NUMBERS, REALS, dtype_of
from cases.registry import Call, cases

SORTED = ["Sum", "Mean", "Prod", "Max", "Min"]


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def reduced(call, of):
    """One row per segment; what is empty is left as NaN."""
    data, ids = of(wide(call.inputs[0])), call.inputs[1]
    segments = int(call.inputs[2]) if len(call.inputs) > 2 else int(ids.max(initial=-1)) + 1
    data = data.reshape(ids.size, *data.shape[ids.ndim:])
    rows = numpy.zeros([segments, *data.shape[1:]], data.dtype)
    how = {"Sum": numpy.sum, "Mean": numpy.mean, "Prod": numpy.prod}[call.op.replace("Unsorted", "")[len("Segment"):]]
    for s in range(segments):
        mine = data[ids.reshape(-1) == s]
        rows[s] = how(mine, 0) if len(mine) else int(call.op.endswith("Prod"))
    return rows


def exact(call):
    return [None if call.inputs[0].dtype.name in INTEGERS else reduced(call, lambda x: x)]


def magnitudes(call):
    if call.inputs[0].dtype.name in INTEGERS:
        return [None]
    if call.op.endswith("Prod"):  # each factor rounds
        return [numpy.abs(exact(call)[0]) * max(1, call.inputs[1].size) ** 0.5]
    return [reduced(call, numpy.abs)]


def elements(make, op, dtype, shape):
    if op.endswith("Prod") and dtype not in INTEGERS:
        array = make.array(dtype, shape, low=0.9, high=1.1)
        return array if array.dtype.kind != "c" else (array * numpy.exp(1j * make.array("float64", shape, low=0, high=7))).astype(dtype)
    # In Mean, TensorFlow's sums of small integers wrap around.
    if op.endswith("Mean") and dtype in INTEGERS:
        return make.array(dtype, shape, low=0, high=3 if math.prod(shape) < 200 or dtype not in ("int8", "uint8") else 0)
    return make.array(dtype, shape, special=False)


def wrong_unsorted(op, dtype):
    data = numpy.ones([3, 2], dtype_of(dtype))
    for ids, count, says in [([0, -1, 4], 4, "segment_ids[2] is 4, and must be below 4"), ([0, 1], 4, "which must begin with"),
                             ([0, 1, 1], -1, "num_segments is -1"), ([0, 0, 0], [4], "num_segments has rank 1"),
                             ([0, 0, 0], 0, "must be below 0"), ([[[0]]], 3, "which must begin with")]:
        yield Call(op, [data, numpy.array(ids, "int32"), numpy.array(count, "int32")], {}, says)


@cases("UnsortedSegmentSum", "UnsortedSegmentProd", dtypes=NUMBERS, reference=exact, scale=magnitudes)
@cases("UnsortedSegmentMax", "UnsortedSegmentMin", dtypes=REALS)
def unsorted(make, op, dtype):
    for _ in range(25):
        shape = make.shape(most=5)
        ids = make.array(make.choose(INDICES + ["int16"] * op.endswith("Sum")), shape[:make.below(len(shape) + 1)], low=-1, high=6)
        yield Call(op, [elements(make, op, dtype, shape), ids, numpy.array(7, make.choose(INDICES))])
    for shape, segments in [([3000, 20], 50), ([5000], 10), ([100, 700], 30), ([20, 3], 1000)]:
        ids = make.array("int32", shape[:1], low=-1, high=segments - 1)
        yield Call(op, [elements(make, op, dtype, shape), ids, numpy.array(segments, "int32")])
    yield from wrong_unsorted(op, dtype)


@cases("SegmentSum", "SegmentMean", "SegmentProd", dtypes=NUMBERS, reference=exact, scale=magnitudes)
@cases("SegmentMax", "SegmentMin", dtypes=REALS)
def by_segment(make, op, dtype):
    for _ in range(25):
        shape = make.shape(1 + make.below(5))
        ids = numpy.sort(make.array(make.choose(INDICES), shape[:1], low=0, high=9))
        yield Call(op, [elements(make, op, dtype, shape), ids])
    for shape, segments in [([3000, 20], 50), ([5000], 10), ([100, 700], 30)]:
        ids = numpy.sort(make.array("int32", shape[:1], low=0, high=segments - 1))
        yield Call(op, [elements(make, op, dtype, shape), ids])
    three = numpy.ones([3], dtype_of(dtype))
    for data, ids, says in [(three, [0, 3, 1], "must not be less than the 3 before it"), (three, [-1, 0, 1], "must not be negative"),
                            (three, [0, 1], "there are 2 segment_ids for 3 rows"), (three, [[0, 1, 2]], "segment_ids has rank 2"),
                            (three, 0, "segment_ids has rank 0"), (three[0].reshape([]), [0], "data is a scalar")]:
        yield Call(op, [data, numpy.array(ids, "int32")], {}, says)


def counted(make, index, shape, size):
    return make.array(index, shape, low=0, high=size + 1)


@cases("Bincount", dtypes=["int32", "int64", "float32", "float64"])
def bincount(make, op, dtype):
    none, weights = numpy.ones([0], dtype), numpy.ones([3], dtype)
    for shape in [], [0], [20], [3, 4], [5000]:
        for size in 0, 1, 7:
            numbers = counted(make, "int32", shape, size)
            for w in none, make.array(dtype, shape, low=0, high=5):
                yield Call(op, [numbers, numpy.array(size, "int32"), w])
    for numbers, size, w, says in [([1, -1, 1], 4, none, "number 1 is -1"), ([1, 1, 1], 4, weights[:2], "weights has 2 elements"),
                                   ([1, 1, 1], -4, weights, "size is -4"), ([1], [4], none, "size has rank 1")]:
        yield Call(op, [numpy.array(numbers, "int32"), numpy.array(size, "int32"), w], {}, says)


@cases("DenseBincount", dtypes=["int32", "int64", "float32", "float64"])
def dense_bincount(make, op, dtype):
    none = numpy.ones([0], dtype)
    for index in INDICES:
        for shape in [0], [20], [3, 4], [5000], [30, 200], [0, 3], [3, 0]:
            for size in 1, 7:
                for binary in False, True:
                    weights = make.array(dtype, shape, low=0, high=5)
                    for w in [none] + [weights] * (math.prod(shape) > 0):
                        yield Call(op, [counted(make, index, shape, size), numpy.array(size, index), w], {"binary_output": binary})
    for numbers, size, w, says in [([1, -1, 1], 4, none, "number 1 is -1"), ([1, 1, 1], 4, numpy.ones([2], dtype), "weights has 2 elements"),
                                   ([1, 1, 1], -4, none, "size is -4"), ([1], [4], none, "size has rank 1"),
                                   ([[[1]]], 4, none, "input has rank 3")]:
        yield Call(op, [numpy.array(numbers, "int32"), numpy.array(size, "int32"), w], {"binary_output": False}, says)
