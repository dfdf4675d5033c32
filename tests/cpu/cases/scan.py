"""Running sums and products."""

import numpy

from cases.maker import FLOATS, INDICES, INTEGERS, NUMBERS, dtype_of
from cases.registry import Call, cases


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def scanned(array, call, accumulate, nothing):
    axis = int(call.inputs[1])
    x = numpy.moveaxis(array, axis, 0)
    if call.attrs["reverse"]:
        x = x[::-1]
    result = accumulate(x)
    if call.attrs["exclusive"]:
        result = numpy.concatenate([numpy.full_like(result[:1], nothing), result[:-1]])
    if call.attrs["reverse"]:
        result = result[::-1]
    return numpy.moveaxis(result, 0, axis)


def exact(call):
    if call.inputs[0].dtype.name in INTEGERS:
        return [None]
    accumulate, nothing = {
        "Cumsum": (lambda x: numpy.add.accumulate(x, 0), 0),
        "Cumprod": (lambda x: numpy.multiply.accumulate(x, 0), 1),
        "CumulativeLogsumexp": (lambda x: numpy.logaddexp.accumulate(x, 0), -numpy.inf)}[call.op]
    return [scanned(wide(call.inputs[0]), call, accumulate, nothing)]


def magnitudes(call):
    """Of all terms so far; of a product, with a rounding for each; of a logarithm, what it is a sum of."""
    x = numpy.abs(wide(call.inputs[0]))
    if call.op == "Cumsum":
        return [scanned(x, call, lambda x: numpy.add.accumulate(x, 0), 0)]
    if call.op == "Cumprod":
        return [numpy.abs(exact(call)[0]) * x.shape[int(call.inputs[1])] ** 0.5 if x.size and exact(call)[0] is not None else None]
    return [scanned(x, call, lambda x: numpy.maximum.accumulate(x, 0), 0)]


def elements(make, op, dtype, shape):
    if op == "Cumprod" and dtype not in INTEGERS:
        array = make.array(dtype, shape, low=0.97, high=1.03)
        if array.dtype.kind == "c":
            return (array.real * numpy.exp(1j * make.array("float64", shape, low=0, high=7))).astype(dtype)
        return array
    if op == "CumulativeLogsumexp":
        return make.array(dtype, shape, low=-20, high=20)
    return make.array(dtype, shape, special=False)


@cases("Cumsum", "Cumprod", dtypes=NUMBERS, reference=exact, scale=magnitudes)
@cases("CumulativeLogsumexp", dtypes=FLOATS, reference=exact, scale=magnitudes)
def scans(make, op, dtype):
    # TensorFlow adds halves up as halves, and in long runs what it gives says little.
    long = 2000 if op == "CumulativeLogsumexp" or dtype in ("float16", "bfloat16") else 300000
    shapes = [([long], 0), ([3, long // 3], 1), ([1000, 30], 0), ([30, 100], 1), ([7, 20, 600], 1)]
    shapes += [(shape, make.axis(len(shape))) for shape in (make.shape(1 + make.below(8)) for _ in range(20))]
    for shape, axis in shapes:
        for exclusive in False, True:
            for reverse in False, True:
                yield Call(op, [elements(make, op, dtype, shape), numpy.array(axis, make.choose(INDICES))],
                           {"exclusive": exclusive, "reverse": reverse})
    one = numpy.ones([2, 3], dtype_of(dtype))
    plain = {"exclusive": False, "reverse": False}
    for axis in 2, -3:
        yield Call(op, [one, numpy.array(axis, "int32")], plain, f"axis is {axis}, and must be in [-2, 2)")
    yield Call(op, [one, numpy.array([0], "int32")], plain, "axis has rank 1, and must be a scalar")
    yield Call(op, [one[0, 0].reshape([]), numpy.array(0, "int32")], plain, "axis is 0")


@cases("Cumsum", "CumulativeLogsumexp", dtypes=FLOATS)
def infinities(make, op, dtype):
    for values in [[1, numpy.inf, 2, 3], [numpy.inf, numpy.inf, -1], [-numpy.inf, -numpy.inf, 3], [numpy.nan, 1, 2]]:
        if op == "CumulativeLogsumexp" and (numpy.isnan(values[0]) or values[1] == numpy.inf == values[0]):
            continue  # TensorFlow passes over NaN, and makes NaN of two infinities
        array = numpy.array(values + [0.5] * 20).astype(dtype_of(dtype))
        for reverse in False, True:
            yield Call(op, [array, numpy.array(0, "int32")], {"exclusive": False, "reverse": reverse})
