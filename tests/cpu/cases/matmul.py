"""Products of matrices: MatMul, BatchMatMul and its later versions."""

import numpy

from cases.maker import COMPLEXES, INTEGERS, dtype_of
from cases.registry import Call, Type, cases

TYPES = ["float32", "float64", "float16", "bfloat16", "int16", "int32", "int64", "complex64", "complex128"]


def operands(call, wide):
    def one(array, turn, adjoint):
        array = wide(array)
        if adjoint:
            array = numpy.conj(array)
        return array.swapaxes(-1, -2) if turn or adjoint else array
    return [one(x, call.attrs.get(f"transpose_{a}"), call.attrs.get(f"adj_{b}"))
            for x, a, b in zip(call.inputs, "ab", "xy")]


def wide(array):
    # Products of float32 and narrower are exact in double, and its sums as good as exact.
    if array.dtype.name in ("float64", "complex128"):
        return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")
    return array.astype("complex128" if array.dtype.kind == "c" else "float64")


def exact_product(call):
    a, b = operands(call, wide)
    integers = all(x.dtype.name in INTEGERS for x in call.inputs)
    return [None if integers else a @ b]


def terms(call):
    a, b = operands(call, lambda x: numpy.abs(x).astype("float64"))
    return [a @ b]


# The oldest ops do not know int16, though TensorFlow has kernels for it.
OLDER_TYPES = [t for t in TYPES if t != "int16"]


@cases("MatMul", dtypes=OLDER_TYPES, reference=exact_product, scale=terms)
def matmul(make, op, dtype):
    for i in range(34):
        m, n, k = ([make.choose([0, 1, 2, 7, 16, 33]) for _ in range(3)] if i < 20
                   else [1 + make.below(4), make.below(700), make.below(700)] if i < 24
                   else [make.below(700), 1 + make.below(4), make.below(700)] if i < 28
                   else [make.below(100), make.below(300), 200 + make.below(300)])
        attrs = {"transpose_a": make.coin(), "transpose_b": make.coin()}
        special = i % 4 == 0 and dtype not in COMPLEXES
        a = make.array(dtype, [k, m] if attrs["transpose_a"] else [m, k], special=special)
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


def batches(make, broadcast):
    """Dimensions before the matrices, for both inputs."""
    if broadcast:
        return make.broadcastable(most=4)
    shape = make.shape(most=4)
    return [shape, shape]


def batch_call(make, op, types, broadcast, large=False, outputs=None):
    attrs = {"adj_x": make.coin(), "adj_y": make.coin(), **(outputs or {})}
    m, n, k = [make.below(60) if large else make.choose([0, 1, 2, 3, 5, 8, 17, 40]) for _ in range(3)]
    before = [[make.below(9), 4], [4]] if large and broadcast else batches(make, broadcast)
    shapes = [[k, m] if attrs["adj_x"] else [m, k], [n, k] if attrs["adj_y"] else [k, n]]
    return Call(op, [make.array(dtype, first + last, special=False)
                     for dtype, first, last in zip(types, before, shapes)], attrs)


@cases("BatchMatMul", dtypes=OLDER_TYPES, reference=exact_product, scale=terms)
@cases("BatchMatMulV2", dtypes=TYPES, reference=exact_product, scale=terms)
def batch_matmul(make, op, dtype):
    broadcast = op != "BatchMatMul"
    for i in range(30):
        yield batch_call(make, op, [dtype, dtype], broadcast, large=i % 5 == 0)
    for x, y, says in [([2, 3], [2, 3], "so 3 and 2 must be equal"),
                       ([3], [3, 3], "input x must be matrices (rank 2 or more), not of shape [3]"),
                       ([3, 3], [], "input y must be matrices"),
                       ([2, 3, 3], [3, 3, 3], "before their matrices"),
                       ([5, 2, 4, 3], [5, 2, 4, 3], "x is [5,2,4,3]")]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)) for shape in (x, y)], {}, says)
    if not broadcast:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)) for shape in ([1, 3, 3], [3, 3])], {},
                   "must have the same dimensions before their matrices")


@cases("BatchMatMulV3", dtypes=[t for t in TYPES if t != "float16"] + ["int8", "uint8"],
       reference=exact_product, scale=terms)
def batch_matmul_v3(make, op, dtype):
    pairs = [(dtype, dtype, dtype)]
    if dtype in ("int8", "uint8"):
        pairs = [(dtype, "int8", "int32"), (dtype, "uint8", "int32"), (dtype, "bfloat16", "bfloat16"),
                 ("bfloat16", dtype, "bfloat16")]
    for x, y, out in pairs:
        for i in range(10):
            yield batch_call(make, op, [x, y], True, large=i % 5 == 0, outputs={"Tout": Type(out)})
        for shapes, says in [(([2, 3], [2, 3]), "so 3 and 2 must be equal"),
                             (([3], [3, 3]), "input x must be matrices (rank 2 or more), not of shape [3]"),
                             (([3, 3], []), "input y must be matrices"),
                             (([2, 3, 3], [3, 3, 3]), "before their matrices")]:
            yield Call(op, [numpy.ones(shape, dtype_of(t)) for shape, t in zip(shapes, (x, y))], {"Tout": Type(out)}, says)
