"""MatMul."""

import numpy

from cases.maker import INTEGERS, dtype_of
from cases.registry import Call, cases


def operands(call, wide):
    turned = call.attrs.get("transpose_a", False), call.attrs.get("transpose_b", False)
    return [wide(x).swapaxes(-1, -2) if turn else wide(x) for x, turn in zip(call.inputs, turned)]


def wide(array):
    # Products of float32 and narrower are exact in double, and its sums as good as exact.
    if array.dtype.name in ("float64", "complex128"):
        return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def exact_product(call):
    a, b = operands(call, wide)
    return [None if call.inputs[0].dtype.name in INTEGERS else a @ b]


def terms(call):
    a, b = operands(call, lambda x: numpy.abs(x).astype("float64"))
    return [a @ b]


@cases("MatMul", dtypes=["float32", "float64", "float16", "bfloat16", "int32", "int64", "complex64",
                         "complex128"], reference=exact_product, scale=terms)
def matmul(make, op, dtype):
    for i in range(24):
        m, n, k = ([make.choose([0, 1, 2, 7, 16, 33]) for _ in range(3)] if i < 20
                   else [make.below(100), make.below(300), 200 + make.below(300)])
        attrs = {"transpose_a": make.coin(), "transpose_b": make.coin()}
        a = make.array(dtype, [k, m] if attrs["transpose_a"] else [m, k], special=False)
        b = make.array(dtype, [n, k] if attrs["transpose_b"] else [k, n], special=False)
        yield Call(op, [a, b], attrs)
    turned = {"transpose_a": True, "transpose_b": True}
    for a, b, attrs, says in [
            ([2, 3], [2, 3], {}, "a is [2,3] and b is [2,3], so 3 and 2 must be equal"),
            ([2, 3], [2, 3], turned, "a is [2,3] (transposed)"),
            ([3], [3, 3], {}, "input a must be a matrix (rank 2), not of shape [3]"),
            ([3, 3], [1, 3, 3], {}, "input b must be a matrix")]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)) for shape in (a, b)],
                   {"transpose_a": False, "transpose_b": False, **attrs}, says)
