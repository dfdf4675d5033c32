"""Elementwise ops: arithmetic with broadcasting, Relu, Cast."""

import math

import numpy

from cases.maker import COMPLEXES, FLOATS, INTEGERS, NUMBERS, REALS, dtype_of
from cases.registry import Call, cases

EXACT = {"AddV2": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply}


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def exact_binary(call):
    if call.inputs[0].dtype.name in INTEGERS:
        return [None]
    return [EXACT[call.op](*map(wide, call.inputs))]


def binary_scale(call):
    # A product of complex numbers may cancel in one of its parts.
    x, y = map(numpy.abs, map(wide, call.inputs))
    return [x * y if call.op == "Mul" else numpy.maximum(x, y)] if call.inputs[0].dtype.kind == "c" else [None]


@cases("AddV2", "Sub", "Mul", dtypes=NUMBERS, reference=exact_binary, scale=binary_scale)
def binary(make, op, dtype):
    for i in range(30):
        # What infinities and NaN give in one part of a complex number depends on the position.
        x, y = (make.array(dtype, shape, special=dtype not in COMPLEXES, extreme=i % 3 == 2 and dtype not in COMPLEXES)
                for shape in make.broadcastable())
        yield Call(op, [x, y])
    shape = make.large_shape()
    yield Call(op, [make.array(dtype, shape, special=False), make.array(dtype, shape, special=False)])
    one = numpy.ones
    for x, y in [([2, 3], [4]), ([2, 0], [3]), ([5, 2], [3, 1, 3])]:
        yield Call(op, [one(x, dtype_of(dtype)), one(y, dtype_of(dtype))], says="must be equal or 1")


@cases("Relu", dtypes=REALS)
def relu(make, op, dtype):
    for _ in range(30):
        yield Call(op, [make.array(dtype, make.shape())])


def castable(make, source, target, shape):
    """Values of `source` whose cast to `target` is defined."""
    array = make.array(source, shape, special=target not in INTEGERS)
    if source in FLOATS + COMPLEXES and target in INTEGERS:
        info = numpy.iinfo(target)
        low, high = max(info.min, -10000), min(info.max, 10000)
        array = numpy.clip(array.real.astype("float64"), low, high).astype(dtype_of(source))
    return array


@cases("Cast", dtypes=NUMBERS + ["bool"])
def cast(make, op, source):
    for target in NUMBERS + ["bool"]:
        for shape in [], [0, 3], [5, 3], [1000]:
            yield Call(op, [castable(make, source, target, shape)],
                       {"DstT": dtype_of(target), "Truncate": False})


@cases("Cast", dtypes=FLOATS)
def cast_beyond_the_integers_range(make, op, source):
    # What x86 makes of it.
    values = [1e10, -1e10, 1e20, -1e20, math.nan, math.inf, -math.inf, 2.5, -2.5, 2.0**31, -2.0**31,
              2.0**63, -2.0**63, 3e9]
    with numpy.errstate(over="ignore"):
        array = numpy.array(values).astype(dtype_of(source))
    for target in "int32", "int64", "uint64":
        yield Call(op, [array], {"DstT": dtype_of(target), "Truncate": False})


@cases("Cast", dtypes=["float32", "float64", "complex128"])
def cast_with_truncate(make, op, source):
    targets = {"float32": ["float16", "bfloat16"], "float64": ["float16", "bfloat16", "float32"],
               "complex128": ["complex64"]}
    for target in targets[source]:
        yield Call(op, [make.array(source, [3000], special=source != "complex128")],
                   {"DstT": dtype_of(target), "Truncate": True})
