"""Reductions over axes, and where the greatest and the least are."""

import numpy

from cases.maker import FLOATS, INDICES, INTEGERS, NUMBERS, REALS, dtype_of
from cases.registry import Call, Type, cases

SHAPES = [([300000], [0]), ([1000, 300], [0]), ([300, 1000], [1]), ([7, 20000, 3], [1]), ([3, 90000], [1]),
          ([2000, 5], [1]), ([30, 40, 50], [0, 2]), ([3000, 7, 2], [1]), ([60, 1100], [0]), ([2, 3, 4, 2, 3, 2, 2, 3], [0, 2, 4, 6])]


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def axes_of(call):
    return tuple(int(i) for i in call.inputs[1].reshape(-1))


def exact(call):
    array, keep = call.inputs[0], call.attrs["keep_dims"]
    if array.dtype.name in INTEGERS or array.dtype == bool:
        return [None]
    x, how = wide(array), {"axis": axes_of(call), "keepdims": keep}
    if call.op == "Mean":
        terms = x.size // max(1, x.sum(**how).size)
        return [x.sum(**how) / terms if terms or array.dtype.kind != "c" else x.sum(**how)]
    if call.op == "EuclideanNorm":
        return [numpy.sqrt((numpy.abs(x) ** 2).sum(**how))]
    if x.size == 0 and call.op in ("Max", "Min"):
        return [None]
    return [{"Sum": numpy.sum, "Prod": numpy.prod, "Max": numpy.max, "Min": numpy.min}[call.op](x, **how)]


def terms(call):
    """Sums are measured against the sum of the terms' magnitudes."""
    if call.op == "Prod":  # each factor rounds
        answer = exact(call)[0]
        return [None if answer is None else numpy.abs(answer) * (call.inputs[0].size / max(1, answer.size)) ** 0.5]
    if call.op not in ("Sum", "Mean"):
        return [None]
    array = numpy.abs(wide(call.inputs[0]))
    return exact(Call(call.op, [array, call.inputs[1]], call.attrs))


def terms_for(make, op, dtype, shape):
    if op == "Prod" and dtype not in INTEGERS:
        # Products that neither overflow nor vanish in any order; TensorFlow multiplies in float.
        array = make.array(dtype, shape, low=0.97, high=1.03)
        if array.dtype.kind == "c":
            return (array.real * numpy.exp(1j * make.array("float64", shape, low=0, high=7))).astype(dtype)
        return array * make.random.choice([-1, 1], shape).astype(array.dtype)
    if op == "EuclideanNorm":
        # TensorFlow squares halves as halves, and integers that wrap have roots of negative numbers.
        return make.array(dtype, shape, special=False, low=0 if dtype in INTEGERS else -3, high=3)
    # TensorFlow takes denormal numbers for zero, so that which of them is greater is left to chance.
    return make.array(dtype, shape, special=op in ("Max", "Min"), extreme=dtype in INTEGERS)


def wrong_axes(op, dtype):
    for shape, axes, says in [([2, 3], [2], "reduction_indices[0] is 2, and must be in [-2, 2)"),
                              ([2, 3], [0, -3], "reduction_indices[1] is -3"),
                              ([2, 3], [1, -1], "reduction_indices names dimension 1 twice"),
                              ([], [0], "reduction_indices[0] is 0")]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)), numpy.array(axes, "int32")], {"keep_dims": False}, says)


@cases("Sum", "Mean", "Prod", "EuclideanNorm", dtypes=NUMBERS, reference=exact, scale=terms)
@cases("Max", "Min", dtypes=REALS, reference=exact)
@cases("All", "Any", dtypes=["bool"])
def reductions(make, op, dtype):
    for index in INDICES:
        for _ in range(30):
            shape = make.shape()
            yield Call(op, [terms_for(make, op, dtype, shape), make.axes(len(shape), index)],
                       {"keep_dims": make.coin()})
    for shape, axes in SHAPES:
        yield Call(op, [terms_for(make, op, dtype, shape), numpy.array(axes, "int32")], {"keep_dims": False})
    for axes in (0, -1, [[0], [1]]):  # a scalar or a matrix will do
        yield Call(op, [terms_for(make, op, dtype, [3, 4]), numpy.array(axes, "int32")], {"keep_dims": True})
    for shape, axes in [([0, 3], [0]), ([0, 3], [1]), ([2, 0, 3], [0, 1]), ([0], [0]), ([0, 0], [])]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)), numpy.array(axes, "int32")], {"keep_dims": False})
    yield from wrong_axes(op, dtype)


@cases("Max", "Min", dtypes=FLOATS, reference=exact)
@cases("Sum", "Mean", dtypes=FLOATS, reference=exact, scale=terms)
def nan_and_infinity_win(make, op, dtype):
    for shape, axes in SHAPES:
        for odd in numpy.nan, numpy.inf, -numpy.inf:
            array = make.array(dtype, shape, special=False, low=-2, high=2)
            array.reshape(-1)[make.below(array.size)] = odd
            yield Call(op, [array, numpy.array(axes, "int32")], {"keep_dims": False})


def half_of_squares(call):
    return [(wide(call.inputs[0]) ** 2).sum() / 2]


@cases("L2Loss", dtypes=FLOATS, reference=half_of_squares)
def l2_loss(make, op, dtype):
    for _ in range(20):
        yield Call(op, [make.array(dtype, make.shape(), low=-2, high=2)])
    # TensorFlow adds halves up as halves; in long sums it loses everything.
    yield Call(op, [make.array(dtype, [100000 if dtype in ("float32", "float64") else 50], low=-2, high=2)])


def arg_arrays(make, dtype):
    # TensorFlow has no more than 7 dimensions here.
    for _ in range(20):
        shape = [max(1, d) for d in make.shape(1 + make.below(7))]
        yield make.array(dtype, shape, extreme=dtype in INTEGERS), make.axis(len(shape))
    for shape, axis in [([200000], 0), ([500, 300], 0), ([300, 2000], 1), ([7, 9000, 3], 1), ([40, 50, 30], 1)]:
        yield make.array(dtype, shape, special=False), axis
        yield make.array(dtype, shape, small=True), axis
    if dtype in FLOATS:
        for values in [[numpy.nan, 1, 2], [numpy.nan] * 3, [-numpy.inf] * 2, [numpy.inf, numpy.nan, numpy.inf],
                       [-0.0, 0.0], [numpy.nan] * 5000 + [3] + [numpy.nan] * 4000]:
            yield numpy.array(values).astype(dtype_of(dtype)), 0
    yield numpy.ones([0, 3], dtype_of(dtype)), 1
    for shape, axis in [([0, 3], 0), ([2, 3], 2), ([2, 3], -3), ([], 0)]:
        yield numpy.ones(shape, dtype_of(dtype)), axis


@cases("ArgMax", "ArgMin", dtypes=REALS + ["bool"])
def arg(make, op, dtype):
    types = ["int16", "uint16", "int32", "int64"] if op == "ArgMax" else INDICES
    for array, axis in arg_arrays(make, dtype):
        index = make.choose(INDICES)  # of an int16 TensorFlow reads four bytes
        yield Call(op, [array, numpy.array(axis, index)], {"output_type": Type(make.choose(types))})
    yield Call(op, [numpy.ones([2, 3], dtype_of(dtype)), numpy.array([0], "int32")], {"output_type": Type("int64")})
