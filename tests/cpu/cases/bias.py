"""Biases: one number per channel, added to everything or summed over everything."""

import numpy

from cases.maker import INTEGERS, NUMBERS, dtype_of
from cases.registry import Call, cases


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def sums(call, of=wide):
    array = call.inputs[0]
    if array.dtype.name in INTEGERS:
        return [None]
    channels = 1 if call.attrs["data_format"] == "NCHW" else array.ndim - 1
    return [of(array).sum(tuple(i for i in range(array.ndim) if i != channels))]


def magnitudes(call):
    return sums(call, lambda array: numpy.abs(wide(array)))


def shapes(make):
    for _ in range(20):
        yield make.shape(2 + make.below(4))
    yield from ([40, 30, 30, 16], [5000, 3], [3, 700, 20])


@cases("BiasAdd", "BiasAddV1", dtypes=NUMBERS)
def add(make, op, dtype):
    for format in ["NHWC", "NCHW"] if op == "BiasAdd" else [None]:
        attrs = {"data_format": format} if format else {}
        for shape in shapes(make):
            channels = shape[1 if format == "NCHW" else -1]
            yield Call(op, [make.array(dtype, shape), make.array(dtype, [channels])], attrs)
        for value, bias, says in [([3], [3], "value has rank 1, and must have at least 2"),
                                  ([3, 4], [3], "bias has 3 elements"),
                                  ([3, 3], [3, 1], "bias has rank 2, and must be a vector"), ([3, 3], [], "bias has rank 0")]:
            if not (format == "NCHW" and bias == [3, 1]):
                yield Call(op, [numpy.ones(value, dtype_of(dtype)), numpy.ones(bias, dtype_of(dtype))], attrs, says)


@cases("BiasAddGrad", dtypes=NUMBERS, reference=sums, scale=magnitudes)
def grad(make, op, dtype):
    for format in "NHWC", "NCHW":
        for shape in shapes(make):
            yield Call(op, [make.array(dtype, shape, special=False)], {"data_format": format})
        yield Call(op, [numpy.ones([3], dtype_of(dtype))], {"data_format": format}, "out_backprop has rank 1")
