"""Comparisons, and ops that choose between elements."""

import numpy

from cases.maker import INTEGERS, NUMBERS, QUANTIZED, REALS
from cases.registry import Call, cases


def likely_equal(make, dtype, shapes):
    """Arrays that have elements in common. No denormal numbers: TensorFlow takes them for 0."""
    few = make.array(dtype, [4])
    return [numpy.asarray(few[make.random.integers(0, len(few), shape)], few.dtype) for shape in shapes]


@cases("Equal", "NotEqual", dtypes=NUMBERS + QUANTIZED + ["bool", "string"])
@cases("Less", "LessEqual", "Greater", "GreaterEqual", dtypes=REALS)
def comparisons(make, op, dtype):
    loose = [{"incompatible_shape_error": False}] if op in ("Equal", "NotEqual") else []
    strict = {"incompatible_shape_error": True} if loose else {}
    for _ in range(20):
        yield Call(op, likely_equal(make, dtype, make.broadcastable()), strict)
    for attrs in [strict] + loose:
        for shapes in [([300, 70], [70]), ([300, 1], [1, 70]), ([900], []), ([], [900]), ([500, 3], [3])]:
            yield Call(op, likely_equal(make, dtype, shapes), attrs)
        for shapes in [([2, 3], [4]), ([2, 0], [3]), ([5, 2], [3, 1, 3])]:
            yield Call(op, likely_equal(make, dtype, shapes), attrs)


@cases("ApproximateEqual", dtypes=["float32", "float64"])
def approximately(make, op, dtype):
    for tolerance in [1e-5, 0.5, 0.0, -1.0, 100.0]:
        shape = make.shape()
        x = make.array(dtype, shape)
        y = (x + make.random.normal(size=shape) * tolerance).astype(dtype)
        yield Call(op, [x, y], {"tolerance": tolerance})
    yield Call(op, [x.reshape(-1)[:0], make.array(dtype, [0, 3])], {"tolerance": 1.0}, says="same shape")


MOVABLE = NUMBERS + ["bool", "string"]


@cases("Select", dtypes=MOVABLE)
def select(make, op, dtype):
    for _ in range(20):
        shape = make.shape()
        condition = make.choose([shape, [], shape[:1]])
        yield Call(op, [make.array("bool", condition), make.array(dtype, shape), make.array(dtype, shape)])
    for shapes in [([3], [2, 3], [2, 3]), ([1, 2], [2, 3], [2, 3]), ([], [2, 3], [3]), ([1], [], []),
                   ([1, 1], [2, 3], [2, 3]), ([2], [2, 3], [2, 4])]:
        yield Call(op, [make.array("bool", shapes[0]), *(make.array(dtype, s) for s in shapes[1:])])


@cases("SelectV2", dtypes=MOVABLE)
def select_v2(make, op, dtype):
    for _ in range(20):
        shapes = make.broadcastable(3)
        yield Call(op, [make.array("bool", shapes[0]), *(make.array(dtype, s) for s in shapes[1:])])
    for shapes in [([300, 70], [70], [300, 1]), ([900], [], [900]), ([], [900], []), ([200, 3], [3], [200, 1])]:
        yield Call(op, [make.array("bool", shapes[0]), *(make.array(dtype, s) for s in shapes[1:])])
    for shapes in [([3], [2, 1], [4]), ([2], [3], []), ([2], [], [3])]:
        yield Call(op, [make.array("bool", shapes[0]), *(make.array(dtype, s) for s in shapes[1:])],
                   says="must be equal or 1")


@cases("ClipByValue", dtypes=[d for d in NUMBERS if d not in ("uint32", "uint64")])
def clip(make, op, dtype):
    for _ in range(30):
        shape = make.shape()
        limits = [make.choose([shape, []]) for _ in range(2)]
        yield Call(op, [make.array(dtype, s, small=dtype in INTEGERS) for s in [shape, *limits]])
    for shapes in [([2, 3], [3], [2, 3]), ([2, 3], [1], [1, 1]), ([], [2, 3], []), ([2], [], [3])]:
        yield Call(op, [make.array(dtype, s) for s in shapes], says="must be a scalar or have the shape of t")


@cases("ZerosLike", dtypes=MOVABLE)
@cases("OnesLike", dtypes=NUMBERS + ["bool"])
def likes(make, op, dtype):
    for _ in range(10):
        yield Call(op, [make.array(dtype, make.shape())])
