"""Arrays made from a few numbers: Fill, OneHot, Range, LinSpace."""

import numpy

from cases.layout import ones
from cases.maker import FLOATS, INDICES, NUMBERS, QUANTIZED, dtype_of
from cases.registry import Call, cases

PLAIN = NUMBERS + ["bool", "string"]


@cases("Fill", dtypes=PLAIN + QUANTIZED + ["int4", "uint4"])
def fill(make, op, dtype):
    for i in range(12):
        yield Call(op, [numpy.array(make.shape(), INDICES[i % 2]), make.array(dtype, [])])
    yield Call(op, [numpy.array([40, 1000], "int32"), make.array(dtype, [])])
    yield Call(op, [numpy.array(3, "int32"), make.array(dtype, [1])])
    for dims, value, says in [([[2]], [], "input dims must be a vector"), ([2], [1, 1], "input value must be a scalar"),
                              ([2, -1], [], "dims[1] is -1"), ([1 << 40, 1 << 40], [], "too many elements")]:
        yield Call(op, [numpy.array(dims, "int64"), ones(dtype, *value)], {}, says)


@cases("OneHot", dtypes=PLAIN)
def one_hot(make, op, dtype):
    for i in range(24):
        shape, depth = make.shape(most=7), make.below(9)
        indices = make.array(["uint8", "int8", "int32", "int64"][i % 4], shape, low=0, high=depth + 2)
        if i % 4:
            indices = indices - 1
        yield Call(op, [indices, numpy.array(depth, "int32"), make.array(dtype, []), make.array(dtype, [])],
                   {"axis": make.below(len(shape) + 2) - 1})
    for depth, on, off, axis, says in [([3], [], [], -1, "input depth must be a scalar"), (-1, [], [], -1, "depth is -1"),
                                       (3, [1], [], -1, "input on_value must be"), (3, [], [1], -1, "input off_value"),
                                       (3, [], [], 3, "axis is 3, and must be -1 or in [0, 2]"),
                                       (3, [], [], -2, "axis is -2")]:
        yield Call(op, [numpy.zeros([2, 2], "int32"), numpy.array(depth, "int32"), ones(dtype, *on), ones(dtype, *off)],
                   {"axis": axis}, says)


@cases("Range", dtypes=INDICES + FLOATS)
def range_(make, op, dtype):
    def call(values, says=""):
        return Call(op, [numpy.array(v).astype(dtype_of(dtype)) for v in values], {}, says)
    for _ in range(20):
        start, delta = make.below(200) - 100, make.choose([1, 2, 3, 7, -1, -4])
        limit = start + delta * make.below(300) + make.below(2) * (1 if delta > 0 else -1)
        scale = 1 if dtype in INDICES else make.choose([1, 0.1, 0.37, 1e3])
        yield call([start * scale, limit * scale, delta * scale])
    yield call([0, 3000, 1])
    yield call([5, 5, 1])
    yield call([[0], [4], [1]])
    for values, says in [([0, 5, 0], "delta is 0"), ([5, 0, 1], "limit cannot be reached"), ([0, 5, -1], "limit cannot"),
                         ([[0, 0], 5, 1], "input start must be a scalar"), ([0, [[5]], 1], "input limit must be")]:
        yield call(values, says)
    if dtype in FLOATS:
        yield call([0, numpy.nan, 1], "limit cannot be reached")
        yield call([0, numpy.inf, 1], "too many elements")
    if dtype == "int64":
        yield call([-2**63, 2**63 - 1, 2**61])
        yield call([2**63 - 1, -2**63, -2**61])
    if dtype == "int32":
        yield call([-2**31, 2**31 - 1, 2**28])


@cases("LinSpace", dtypes=["float32", "float64"])
def lin_space(make, op, dtype):
    for i, num in enumerate([1, 2, 3, 10, 57, 1000]):
        yield Call(op, [make.array(dtype, [], special=False), make.array(dtype, [], special=False),
                        numpy.array(num, INDICES[i % 2])])
    for start, stop in [(0, numpy.inf), (numpy.nan, 1), (-numpy.inf, 3)]:
        yield Call(op, [numpy.array(start, dtype), numpy.array(stop, dtype), numpy.array(4, "int32")])
    for shapes, num, says in [(([1], []), 3, "input start must be a scalar"), (([], [1]), 3, "input stop must be"),
                              (([], []), [3], "input num must be a scalar"), (([], []), 0, "num is 0")]:
        yield Call(op, [*(ones(dtype, *shape) for shape in shapes), numpy.array(num, "int32")], {}, says)


@cases("Bucketize", dtypes=["int32", "int64", "float32", "float64"])
def bucketize(make, op, dtype):
    for boundaries in [], [0.0], [-5.5, 0.0, 0.0, 3.25, 18.0], [float(x) for x in range(-20, 20)]:
        array = make.array(dtype, make.shape(), small=True)
        yield Call(op, [array], {"boundaries": boundaries})
    yield Call(op, [ones(dtype, 3)], {"boundaries": [2.0, 1.0]}, "boundaries[1] is below the one before it")
