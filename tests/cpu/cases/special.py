"""Special functions: the families of gamma and of Bessel, and some integrals.

References are mpmath's, some hundreds of elements each. TensorFlow's own errors are large in places: where
a function crosses zero it is right to some digits after the point only, so that its largest error, and with
it the bar, says little there; elsewhere ours are a few ulp.
"""

import mpmath
import numpy

from cases.maker import dtype_of
from cases.math import WIDE, exactly, precise
from cases.registry import Call, cases

HALF_TOO = WIDE + ["float16"]


def scaled(order, function, exponent):
    return lambda x: function(order, x) * mpmath.exp(exponent(x))


def of_positive(function, at_zero):
    """Defined from 0 on."""
    return lambda x: function(x) if x > 0 else at_zero if x == 0 else mpmath.nan


def digamma(x):
    return mpmath.nan if x <= 0 and x == mpmath.floor(x) else mpmath.digamma(x)


def lgamma(x):
    return mpmath.inf if x <= 0 and x == mpmath.floor(x) else mpmath.log(abs(mpmath.gamma(x)))


def spence(x):
    return mpmath.polylog(2, 1 - x).real if x >= 0 else mpmath.nan


def dawson(x):
    if abs(x) > 30:  # its series, since exp would overflow
        return sum(mpmath.fac2(2 * n - 1) / (2 * x * x)**n for n in range(1, 20)) / (2 * x) + 1 / (2 * x)
    return mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(-x * x) * mpmath.erfi(x)


# op: (function, low, high) of where it is asked.
UNARY = {
    "Lgamma": (lgamma, -30, 100),
    "Digamma": (digamma, -30, 100),
    "BesselI0": (lambda x: mpmath.besseli(0, x), -80, 80),
    "BesselI1": (lambda x: mpmath.besseli(1, x), -80, 80),
    "BesselI0e": (scaled(0, mpmath.besseli, lambda x: -abs(x)), -100, 100),
    "BesselI1e": (scaled(1, mpmath.besseli, lambda x: -abs(x)), -100, 100),
    "BesselK0": (of_positive(lambda x: mpmath.besselk(0, x), mpmath.inf), 0, 80),
    "BesselK1": (of_positive(lambda x: mpmath.besselk(1, x), mpmath.inf), 0, 80),
    "BesselK0e": (of_positive(scaled(0, mpmath.besselk, lambda x: x), mpmath.inf), 0, 100),
    "BesselK1e": (of_positive(scaled(1, mpmath.besselk, lambda x: x), mpmath.inf), 0, 100),
    "BesselJ0": (mpmath.j0, -50, 50),
    "BesselJ1": (mpmath.j1, -50, 50),
    "BesselY0": (of_positive(lambda x: mpmath.bessely(0, x), -mpmath.inf), 0, 50),
    "BesselY1": (of_positive(lambda x: mpmath.bessely(1, x), -mpmath.inf), 0, 50),
    "Dawsn": (dawson, -20, 20),
    "Expint": (of_positive(mpmath.ei, -mpmath.inf), 0, 80),
    "FresnelCos": (mpmath.fresnelc, -10, 10),
    "FresnelSin": (mpmath.fresnels, -10, 10),
    "Spence": (spence, 0, 20),
}
REFERENCES = {op: precise(entry[0]) for op, entry in UNARY.items()}


def few(shape):
    return [min(d, 4) for d in shape]


def reference(call):
    return exactly(REFERENCES[call.op])(call)


def unary(make, op, dtype):
    _, low, high = UNARY[op]
    if dtype == "float16":
        low, high = max(low, -10), min(high, 10)
    for _ in range(4):
        yield Call(op, [make.array(dtype, few(make.shape(most=3)), low=low, high=high)])
    yield Call(op, [make.array(dtype, [60], low=low, high=high)])
    yield Call(op, [make.array(dtype, [60], low=max(low, -3), high=3)])
    small = 10.0 ** make.random.uniform(-8 if dtype != "float16" else -3, 0, 30)
    yield Call(op, [small.astype(dtype_of(dtype))])
    yield Call(op, [numpy.array([numpy.nan], dtype_of(dtype))])


cases(*[op for op in UNARY if op.startswith("Bessel") or "gamma" in op], dtypes=HALF_TOO, reference=reference)(unary)
cases("Dawsn", "Expint", "FresnelCos", "FresnelSin", "Spence", dtypes=WIDE, reference=reference)(unary)


@cases("BesselI0e", "BesselI1e", "BesselK0e", "BesselK1e", "Lgamma", "Spence", "FresnelCos", dtypes=WIDE)
def at_zero(make, op, dtype):
    yield Call(op, [numpy.array([0.0], dtype)])


def igamma_grad_a(a, x):
    if not (a > 0 and x >= 0):
        return mpmath.nan
    return mpmath.diff(lambda t: mpmath.gammainc(t, 0, x, regularized=True), a) if x > 0 else mpmath.mpf(0)


def inside(function):
    return lambda a, x: function(a, x) if a > 0 and x >= 0 else mpmath.nan


def zeta(x, q):
    if x == 1:
        return mpmath.inf
    with mpmath.workprec(400):  # it is only exact to so many digits after the point
        return mpmath.zeta(x, q) if x > 1 and q > 0 else mpmath.nan


def polygamma(n, x):
    if not (n >= 0 and n == mpmath.floor(n)):
        return mpmath.nan
    with mpmath.workprec(400):
        return mpmath.polygamma(int(n), x)


PAIRS = {
    "Igamma": precise(inside(lambda a, x: mpmath.gammainc(a, 0, x, regularized=True))),
    "Igammac": precise(inside(lambda a, x: mpmath.gammainc(a, x, mpmath.inf, regularized=True))),
    "IgammaGradA": precise(igamma_grad_a),
    "Zeta": precise(zeta),
    "Polygamma": precise(polygamma),
}


@cases(*PAIRS, dtypes=WIDE, reference=lambda call: exactly(PAIRS[call.op])(call))
def pair(make, op, dtype):
    def first(shape):
        if op == "Polygamma":
            return make.random.integers(0, 8, shape).astype(dtype)
        return make.array(dtype, shape, low=1.1 if op == "Zeta" else 0.05, high=30)

    for _ in range(5):
        one, other = map(few, make.broadcastable(most=2))
        yield Call(op, [first(one), make.array(dtype, other, low=0.05, high=40)])
    yield Call(op, [first([40]), make.array(dtype, [40], low=0.05, high=3)])
    odd = numpy.array([-1, 0, 1, 2.5, numpy.nan], dtype)
    yield Call(op, [odd, numpy.full(5, 2, dtype)])
    yield Call(op, [numpy.full(3, 2, dtype), numpy.array([0.5, 2, numpy.nan], dtype)])
    yield Call(op, [numpy.ones(2, dtype), numpy.ones(3, dtype)], says="must be equal or 1")


def betainc(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True) if a > 0 and b > 0 and 0 <= x <= 1 else mpmath.nan


BETAINC = precise(betainc)


@cases("Betainc", dtypes=WIDE, reference=exactly(BETAINC))
def three(make, op, dtype):
    for i in range(12):
        shape = few(make.shape(most=2))
        scalars = [make.below(2) and i % 2 for _ in range(3)]
        yield Call(op, [make.array(dtype, [] if scalar else shape, low=low, high=high)
                        for scalar, low, high in zip(scalars, (0.1, 0.1, 0), (20, 20, 1))])
    one = numpy.ones
    yield Call(op, [numpy.array([-1, 1, 1, 2, 2], dtype), numpy.array([1, 0, 1, 2, 2], dtype),
                    numpy.array([0.5, 0.5, numpy.nan, 0, 1], dtype)])
    for shapes in ((2,), (3,), (2,)), ((2,), (), (3,)), ((1, 3), (3,), ()), ((), (3,), (2,)):
        yield Call(op, [one(shape, dtype) for shape in shapes], says="must have one shape, or one be a scalar")
