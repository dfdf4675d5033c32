"""Elementary functions and the gradients of activations."""

import functools

import mpmath
import numpy

from cases.maker import COMPLEXES, FLOATS, dtype_of, real_of
from cases.registry import Call, cases

mpmath.mp.prec = 120
WIDE = ["float32", "float64"]


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def precise(function):
    """A function of mpmath's on long doubles; each value is computed once."""
    @functools.cache
    def one(*values):
        try:
            result = function(*map(mpmath.mpf, values))
        except (ValueError, ZeroDivisionError):
            return numpy.longdouble("nan")
        if not mpmath.isnan(result) and isinstance(result, mpmath.mpf):
            return numpy.longdouble(mpmath.nstr(result, 25))
        return numpy.longdouble("nan")

    def every(*arrays):
        arrays = numpy.broadcast_arrays(*arrays)
        values = [one(*map(float, element)) for element in zip(*(a.ravel() for a in arrays))]
        return numpy.array(values, "longdouble").reshape(arrays[0].shape)
    return every


def exactly(function):
    """The reference that applies a function of long double arrays."""
    return lambda call: [function(*map(wide, call.inputs))]


def sigmoid(x):
    if x.dtype.kind == "c":
        return 1 / (1 + numpy.exp(-x))
    e = numpy.exp(-numpy.abs(x))
    return numpy.where(x < 0, e, 1) / (1 + e)


def softplus(x):
    return numpy.maximum(x, 0) + numpy.log1p(numpy.exp(-numpy.abs(x)))


def ndtri(p):
    if 0 < p < 1:
        return erfc_inverse(2 * min(p, 1 - p)) * (1 if p > 0.5 else -1) * mpmath.sqrt(2)
    return {0: -mpmath.inf, 1: mpmath.inf}.get(p, mpmath.nan)


def erfinv(x):
    if abs(x) < 1:
        return erfc_inverse(1 - abs(x)) * (1 if x > 0 else -1) if abs(x) > 0.1 else mpmath.erfinv(x)
    return {-1: -mpmath.inf, 1: mpmath.inf}.get(x, mpmath.nan)


def erfc_inverse(q):
    """Newton's method on the logarithm, which is nearly a parabola."""
    x = mpmath.sqrt(-mpmath.log(q)) if q < 0.5 else mpmath.erfinv(1 - q)
    for _ in range(60):
        tail = mpmath.erfc(x)
        step = mpmath.log(tail / q) * tail * mpmath.exp(x * x) * mpmath.sqrt(mpmath.pi) / 2
        x += step
        if abs(step) <= abs(x) * mpmath.mpf(2)**-90:
            return x
    raise ValueError(q)


SELU_SCALE, SELU_SCALE_ALPHA = map(numpy.longdouble, ("1.0507009873554804934", "1.7580993408473768599"))
UNARY = {
    "Exp": numpy.exp, "Expm1": numpy.expm1, "Log": numpy.log, "Log1p": numpy.log1p, "Sin": numpy.sin,
    "Cos": numpy.cos, "Tan": numpy.tan, "Asin": numpy.arcsin, "Acos": numpy.arccos, "Atan": numpy.arctan,
    "Sinh": numpy.sinh, "Cosh": numpy.cosh, "Tanh": numpy.tanh, "Asinh": numpy.arcsinh,
    "Acosh": numpy.arccosh, "Atanh": numpy.arctanh, "Sigmoid": sigmoid,
}
ACTIVATIONS = {
    "Softplus": softplus,
    "Softsign": lambda x: x / (1 + numpy.abs(x)),
    "Elu": lambda x: numpy.where(x < 0, numpy.expm1(x), x),
    "Selu": lambda x: numpy.where(x < 0, SELU_SCALE_ALPHA * numpy.expm1(x), SELU_SCALE * x),
    # mpmath does not like the infinite and the huge, where nothing happens any more.
    "Erf": precise(lambda x: mpmath.erf(min(max(x, -150), 150)) if x == x else x),
    "Erfc": precise(lambda x: mpmath.erfc(min(max(x, -150), 150)) if x == x else x),
}


def unary_arrays(make, dtype):
    """All over the range, at its ends, near 0 and near 1."""
    for i in range(12):
        yield make.array(dtype, make.shape(), extreme=i % 3 == 2)
    yield make.array(dtype, [2000], low=-1, high=1)
    yield make.array(dtype, [1000], low=0.5, high=2)
    near = 1 + make.random.standard_normal(500) * 2.0 ** -make.random.integers(0, 30, 500)
    yield near.astype(dtype_of(dtype))
    power = make.random.uniform(-1, 1, 1000) * {"float64": 300, "float16": 4}.get(dtype, 37)
    yield (10.0 ** power * make.random.choice([-1, 1], 1000)).astype(dtype_of(dtype))
    most = {"float64": 750, "float16": 12}.get(dtype, 105)
    yield make.array(dtype, [3000], low=-most, high=most)


@cases(*UNARY, dtypes=FLOATS, reference=lambda call: exactly(UNARY[call.op])(call))
def unary(make, op, dtype):
    for array in unary_arrays(make, dtype):
        yield Call(op, [array])
    yield Call(op, [make.array(dtype, make.large_shape(), special=False)])


@cases(*ACTIVATIONS, dtypes=FLOATS, reference=lambda call: exactly(ACTIVATIONS[call.op])(call))
def activation(make, op, dtype):
    for array in unary_arrays(make, dtype):
        yield Call(op, [array])
    if op not in ("Erf", "Erfc"):
        yield Call(op, [make.array(dtype, make.large_shape(), special=False)])


@cases(*UNARY, dtypes=COMPLEXES, reference=lambda call: exactly(UNARY[call.op])(call))
def unary_complex(make, op, dtype):
    # Special values in one part give what each library likes.
    for _ in range(8):
        yield Call(op, [make.array(dtype, make.shape(), low=-3, high=3)])
    yield Call(op, [make.array(dtype, [1000], low=-0.01, high=0.01)])


INVERSES = {"Erfinv": precise(erfinv), "Ndtri": precise(ndtri)}


@cases(*INVERSES, dtypes=WIDE, reference=lambda call: exactly(INVERSES[call.op])(call))
def inverse(make, op, dtype):
    for _ in range(4):
        yield Call(op, [make.array(dtype, make.shape(), low=-1 if op == "Erfinv" else 0, high=1)])
    yield Call(op, [numpy.array([0.0, 1.0, numpy.nan, 0.5, 0.25], dtype)])
    tails = 10.0 ** -make.random.uniform(0, 300 if dtype == "float64" else 37, 300)
    yield Call(op, [tails.astype(dtype)])
    yield Call(op, [(1 - tails ** 0.1).astype(dtype)])


BINARY = {
    "Pow": numpy.power, "Atan2": numpy.arctan2,
    "Xlogy": lambda x, y: numpy.where(x == 0, 0, x * numpy.log(y)),
    "Xlog1py": lambda x, y: numpy.where(x == 0, 0, x * numpy.log1p(y)),
    "Xdivy": lambda x, y: numpy.where(x == 0, 0, x / y),
}


@cases(*BINARY, dtypes=FLOATS, reference=lambda call: exactly(BINARY[call.op])(call))
def binary(make, op, dtype):
    for i in range(20):
        x, y = (make.array(dtype, shape, extreme=i % 3 == 2) for shape in make.broadcastable())
        yield Call(op, [x, y])
    for low, high in (0.2, 5), (-5, 5), (0.999, 1.001):
        yield Call(op, [make.array(dtype, [2000], low=low, high=high),
                        make.array(dtype, [2000], low=-30, high=30)])
    special = numpy.array([0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, numpy.inf, -numpy.inf, numpy.nan],
                          dtype_of(dtype))
    yield Call(op, [special[:, None], special[None]])
    yield Call(op, [numpy.ones(2, dtype_of(dtype)), numpy.ones(3, dtype_of(dtype))], says="must be equal or 1")


def binary_scale(call):
    # Products of complex numbers cancel in one part; a power's error grows with its logarithm.
    x, y = map(wide, call.inputs)
    size = numpy.abs(BINARY[call.op](x, y))
    return [size * (1 + numpy.abs(y * numpy.log(x))) if call.op == "Pow" else size]


@cases("Pow", "Xlogy", "Xlog1py", "Xdivy", dtypes=COMPLEXES, scale=binary_scale,
       reference=lambda call: exactly(BINARY[call.op])(call))
def binary_complex(make, op, dtype):
    for _ in range(12):
        yield Call(op, [make.array(dtype, shape, low=-3, high=3) for shape in make.broadcastable()])


@cases("NextAfter", dtypes=WIDE, reference=lambda call: [numpy.nextafter(*call.inputs)])
def nextafter(make, op, dtype):
    for i in range(20):
        yield Call(op, [make.array(dtype, shape, extreme=i % 2 == 1) for shape in make.broadcastable()])
    special = numpy.array([0, -0.0, 1, -1, numpy.inf, -numpy.inf, numpy.nan], dtype)
    yield Call(op, [special[:, None], special[None]])


@cases("Pow", dtypes=["int8", "int16", "int32", "int64"])
def integer_pow(make, op, dtype):
    for _ in range(20):
        x, y = make.broadcastable()
        yield Call(op, [make.array(dtype, x, extreme=True), make.array(dtype, y, low=0, high=70)])
    five = numpy.full(3, 5, dtype)
    yield Call(op, [five, numpy.array([2, -1, 3], dtype)], says="element 1 of input y is negative")
    yield Call(op, [five[:0], -five[:1]])
    yield Call(op, [five, five[:2]], says="must be equal or 1")


GRADIENTS = {
    # These two look at sizes only.
    "TanhGrad": lambda y, dy: dy.reshape(y.shape) * (1 - y) * (1 + y),
    "SigmoidGrad": lambda y, dy: dy.reshape(y.shape) * y * (1 - y),
    "SoftplusGrad": lambda dy, x: dy * sigmoid(x),
    "SoftsignGrad": lambda dy, x: dy / (1 + numpy.abs(x))**2,
    "EluGrad": lambda dy, y: numpy.where(y < 0, (y + 1) * dy, dy),
    "SeluGrad": lambda dy, y: dy * numpy.where(y < 0, y + SELU_SCALE_ALPHA, SELU_SCALE),
}


@cases(*GRADIENTS, dtypes=FLOATS, reference=lambda call: exactly(GRADIENTS[call.op])(call))
def gradient(make, op, dtype):
    for i in range(12):
        shape = make.shape()
        yield Call(op, [make.array(dtype, shape, extreme=i % 3 == 2), make.array(dtype, shape, extreme=i % 3 == 2)])
    yield Call(op, [make.array(dtype, [3000], low=-1, high=1) for _ in range(2)])
    ones = functools.partial(numpy.ones, dtype=dtype_of(dtype))
    for x, y in ((2, 3), (6,)), ((2,), (3,)), ((1,), (3,)), ((), (3,)), ((0,), (3,)), ((2, 3), (3, 2)):
        yield Call(op, [ones(x), ones(y)])


@cases("TanhGrad", "SigmoidGrad", dtypes=COMPLEXES, reference=lambda call: exactly(GRADIENTS[call.op])(call),
       scale=lambda call: [numpy.abs(wide(call.inputs[1])) * (1 + numpy.abs(wide(call.inputs[0])))**2])
def gradient_complex(make, op, dtype):
    for _ in range(8):
        shape = make.shape()
        yield Call(op, [make.array(dtype, shape, low=-3, high=3) for _ in range(2)])


@cases("Angle", dtypes=COMPLEXES, reference=lambda call: [numpy.angle(wide(call.inputs[0]))])
def angle(make, op, dtype):
    for _ in range(12):
        yield Call(op, [make.array(dtype, make.shape())], {"Tout": dtype_of(real_of(dtype))})
