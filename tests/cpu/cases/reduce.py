"""Sum."""

import numpy

from cases.maker import INDICES, INTEGERS, NUMBERS, dtype_of
from cases.registry import Call, cases


def axes_of(call):
    return tuple(int(i) for i in call.inputs[1].reshape(-1))


def exact_sum(call):
    array, keep = call.inputs[0], call.attrs["keep_dims"]
    if array.dtype.name in INTEGERS:
        return [None]
    wide = array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")
    return [wide.sum(axes_of(call), keepdims=keep)]


def terms(call):
    return [numpy.abs(call.inputs[0]).astype("longdouble").sum(axes_of(call), keepdims=call.attrs["keep_dims"])]


@cases("Sum", dtypes=NUMBERS, reference=exact_sum, scale=terms)
def sums(make, op, dtype):
    for index in INDICES:
        for _ in range(30):
            shape = make.shape()
            yield Call(op, [make.array(dtype, shape, special=False), make.axes(len(shape), index)],
                       {"keep_dims": make.coin()})
    for shape, axis in [([300000], 0), ([1000, 300], 0), ([300, 1000], 1), ([7, 20000, 3], 1)]:
        yield Call(op, [make.array(dtype, shape, special=False), numpy.array([axis], "int32")],
                   {"keep_dims": False})
    for shape, axes, says in [([2, 3], [2], "reduction_indices[0] is 2, and must be in [-2, 2)"),
                              ([2, 3], [0, -3], "reduction_indices[1] is -3"),
                              ([2, 3], [1, -1], "reduction_indices names dimension 1 twice"),
                              ([], [0], "reduction_indices[0] is 0")]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)), numpy.array(axes, "int32")],
                   {"keep_dims": False}, says)
