"""Elementwise ops of a few instructions: arithmetic with broadcasting, roundings, rectifiers, bits."""

import numpy

from cases.maker import COMPLEXES, FLOATS, INTEGERS, NUMBERS, REALS, dtype_of
from cases.registry import Call, cases

FRACTIONS = FLOATS + COMPLEXES
SIGNED = ["int8", "int16", "int32", "int64"]
EXACT = {
    "AddV2": numpy.add, "Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply,
    "Div": numpy.divide, "RealDiv": numpy.divide,
    "DivNoNan": lambda x, y: numpy.where(y == 0, 0, x / y),
    "MulNoNan": lambda x, y: numpy.where(y == 0, 0, x * y),
    "SquaredDifference": lambda x, y: (x - y) * numpy.conj(x - y),
    "FloorDiv": lambda x, y: numpy.floor(x / y),
    "TruncateDiv": lambda x, y: numpy.trunc(x / y),
    "Mod": numpy.fmod, "TruncateMod": numpy.fmod, "FloorMod": lambda x, y: floor_mod(x, y),
    "Maximum": numpy.maximum, "Minimum": numpy.minimum,
    "Neg": numpy.negative, "Abs": numpy.abs, "Square": numpy.square,
    "Sign": lambda x: numpy.where(x == 0, 0, x / numpy.abs(x)) if x.dtype.kind == "c" else numpy.sign(x),
    "Sqrt": numpy.sqrt, "Rsqrt": lambda x: 1 / numpy.sqrt(x),
    "Reciprocal": lambda x: 1 / x, "Inv": lambda x: 1 / x,
    "Floor": numpy.floor, "Ceil": numpy.ceil, "Round": numpy.rint, "Rint": numpy.rint,
    "Relu": lambda x: numpy.maximum(x, 0), "Relu6": lambda x: numpy.clip(x, 0, 6),
    "SqrtGrad": lambda y, g: numpy.where(g == 0, 0, g / 2 / numpy.conj(y)),
    "RsqrtGrad": lambda y, g: numpy.where(g == 0, 0, -g / 2 * numpy.conj(y) ** 3),
    "InvGrad": lambda y, g: numpy.where(g == 0, 0, -g * numpy.conj(y) ** 2),
    "ReciprocalGrad": lambda y, g: numpy.where(g == 0, 0, -g * numpy.conj(y) ** 2),
}


def floor_mod(x, y):
    rest = numpy.fmod(x, y)
    return numpy.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def wide(array):
    return array.astype("clongdouble" if array.dtype.kind == "c" else "longdouble")


def exact(call):
    x, *others = call.inputs
    if x.dtype.name not in FRACTIONS:
        return [None]
    if call.op.endswith("Grad"):
        others = [other.reshape(x.shape) for other in others]
    return [EXACT[call.op](*map(wide, [x, *others]))]


def magnitudes(call):
    # A product of complex numbers may cancel in one of its parts.
    if call.inputs[0].dtype.kind != "c" or call.op not in ("AddV2", "Add", "Sub", "Mul"):
        return [None]
    x, y = map(numpy.abs, map(wide, call.inputs))
    return [x * y if call.op == "Mul" else numpy.maximum(x, y)]


def pairs(make, op, dtype, nonzero=False):
    # What infinities and NaN give in one part of a complex number depends on the position.
    plain = dtype in COMPLEXES
    for i in range(30):
        x, y = (make.array(dtype, shape, special=not plain, extreme=i % 3 == 2 and not plain,
                           small=i % 3 == 1 and dtype in INTEGERS)
                for shape in make.broadcastable())
        if nonzero and dtype in INTEGERS:
            y = numpy.where(y == 0, numpy.ones_like(y), y)
        yield Call(op, [x, y])
    shape = make.large_shape()
    x, y = (make.array(dtype, shape, special=False) for _ in range(2))
    if nonzero and dtype in INTEGERS:
        y = numpy.where(y == 0, numpy.ones_like(y), y)
    yield Call(op, [x, y])
    # One row, column or scalar for all, and rows too short for a loop of their own.
    for one, other in [([300, 70], [70]), ([300, 1], [300, 70]), ([900], []), ([], [900]), ([700, 3], [3]),
                       ([700, 1], [700, 3]), ([5, 1, 40], [1, 6, 1]), ([40, 1, 2, 1, 3], [5, 1, 4, 3])]:
        x, y = (make.array(dtype, dims, special=False, small=True) for dims in (one, other))
        if nonzero and dtype in INTEGERS:
            y = numpy.where(y == 0, numpy.ones_like(y), y)
        yield Call(op, [x, y])
    one = numpy.ones
    for x, y in [([2, 3], [4]), ([2, 0], [3]), ([5, 2], [3, 1, 3])]:
        yield Call(op, [one(x, dtype_of(dtype)), one(y, dtype_of(dtype))], says="must be equal or 1")


@cases("AddV2", "Sub", "Mul", dtypes=NUMBERS, reference=exact, scale=magnitudes)
@cases("Add", dtypes=[d for d in NUMBERS if d not in ("uint16", "uint32", "uint64")], reference=exact,
       scale=magnitudes)
@cases("RealDiv", "DivNoNan", "MulNoNan", dtypes=FRACTIONS, reference=exact, scale=magnitudes)
@cases("SquaredDifference", dtypes=FRACTIONS + ["int32", "int64"], reference=exact)
@cases("Maximum", "Minimum", dtypes=REALS, reference=exact)
def binary(make, op, dtype):
    yield from pairs(make, op, dtype)


@cases("Div", dtypes=NUMBERS, reference=exact)
@cases("FloorDiv", "TruncateDiv", dtypes=REALS, reference=exact)
@cases("FloorMod", dtypes=REALS, reference=exact)
@cases("Mod", "TruncateMod", dtypes=["float32", "float64", "int32", "int64"], reference=exact)
def division(make, op, dtype):
    yield from pairs(make, op, dtype, nonzero=True)
    if dtype in INTEGERS:
        zeros = numpy.array([3, 0, 1], dtype)
        yield Call(op, [numpy.array([1, 2, 3], dtype), zeros], says="division by zero")
        yield Call(op, [numpy.array(1, dtype), zeros], says="division by zero")
        yield Call(op, [numpy.zeros([0, 1], dtype), zeros])


@cases("Add", dtypes=["string"])
def join(make, op, dtype):
    for _ in range(20):
        yield Call(op, [make.array(dtype, shape) for shape in make.broadcastable()])
    yield Call(op, [make.array(dtype, [2]), make.array(dtype, [3])], says="must be equal or 1")


@cases("Neg", "Sign", dtypes=FRACTIONS + SIGNED, reference=exact)
@cases("Abs", dtypes=FLOATS + SIGNED, reference=exact)
@cases("Square", dtypes=NUMBERS, reference=exact)
@cases("Sqrt", "Rsqrt", "Reciprocal", "Inv", dtypes=FRACTIONS, reference=exact)
@cases("Floor", "Ceil", dtypes=FLOATS, reference=exact)
# Round of integers is left out: TensorFlow answers 0.
@cases("Round", dtypes=FLOATS, reference=exact)
@cases("Rint", dtypes=["float32", "float64"], reference=exact)
@cases("Relu", "Relu6", dtypes=REALS, reference=exact)
@cases("IsNan", "IsInf", "IsFinite", dtypes=FLOATS)
@cases("Invert", "PopulationCount", dtypes=INTEGERS)
@cases("Conj", "Real", "Imag", dtypes=COMPLEXES)
def unary(make, op, dtype):
    attrs = {"Tout": dtype_of({"complex64": "float32"}.get(dtype, "float64"))} if op in ("Real", "Imag") else {}
    plain = dtype in COMPLEXES
    for i in range(20):
        x = make.array(dtype, make.shape(), special=not plain, extreme=i % 2 == 1 and not plain,
                       small=i % 3 == 1 and dtype in INTEGERS)
        yield Call(op, [x], attrs)
    if dtype in FLOATS:
        yield Call(op, [make.array(dtype, [1000], low=-8, high=8)])
        yield Call(op, [(numpy.arange(-40, 41) / 2).astype(dtype_of(dtype))])
    yield Call(op, [make.array(dtype, make.large_shape(), special=False)], attrs)


@cases("ComplexAbs", dtypes=COMPLEXES, reference=lambda call: [numpy.abs(wide(call.inputs[0]))])
def size(make, op, dtype):
    for i in range(20):
        yield Call(op, [make.array(dtype, make.shape(), extreme=i % 2 == 1)],
                   {"Tout": dtype_of({"complex64": "float32"}.get(dtype, "float64"))})


@cases("Complex", dtypes=["float32", "float64"])
def complex_numbers(make, op, dtype):
    attrs = {"Tout": dtype_of({"float32": "complex64"}.get(dtype, "complex128"))}
    for _ in range(20):
        yield Call(op, [make.array(dtype, shape) for shape in make.broadcastable()], attrs)
    yield Call(op, [make.array(dtype, [2]), make.array(dtype, [3])], attrs, says="must be equal or 1")


@cases("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift", dtypes=INTEGERS)
def bits(make, op, dtype):
    yield from pairs(make, op, dtype)


@cases("LogicalAnd", "LogicalOr", dtypes=["bool"])
def logical(make, op, dtype):
    yield from pairs(make, op, dtype)


@cases("LogicalNot", dtypes=["bool"])
def logical_not(make, op, dtype):
    for _ in range(20):
        yield Call(op, [make.array(dtype, make.shape())])


@cases("SqrtGrad", "RsqrtGrad", "InvGrad", "ReciprocalGrad", dtypes=FRACTIONS, reference=exact)
def root_gradients(make, op, dtype):
    plain = dtype in COMPLEXES
    for i in range(20):
        shape = make.shape()
        yield Call(op, [make.array(dtype, shape, special=not plain), make.array(dtype, shape, special=not plain)])
    yield Call(op, [make.array(dtype, [6], special=False), make.array(dtype, [2, 3], special=False)])
    for y, dy in [([2, 3], [3]), ([2, 3], []), ([], [2]), ([1], [4])]:
        yield Call(op, [make.array(dtype, y), make.array(dtype, dy)], says="same number of elements")


@cases("ReluGrad", "Relu6Grad", dtypes=REALS)
@cases("LeakyReluGrad", dtypes=FLOATS)
def relu_gradients(make, op, dtype):
    for i in range(20):
        shape = make.shape()
        attrs = {"alpha": make.choose([0.2, 0.5, 0.0, -1.0, 3.0])} if op == "LeakyReluGrad" else {}
        yield Call(op, [make.array(dtype, shape, small=i % 2 == 1), make.array(dtype, shape, small=i % 2 == 1)], attrs)
    for y, dy in [([2, 3], [3]), ([2, 3], []), ([], [2]), ([6], [2, 3])]:
        yield Call(op, [make.array(dtype, y), make.array(dtype, dy)], attrs, says="same shape")


@cases("LeakyRelu", dtypes=FLOATS)
def leaky_relu(make, op, dtype):
    for _ in range(20):
        yield Call(op, [make.array(dtype, make.shape())], {"alpha": make.choose([0.2, 0.5, 0.0, -1.0, 3.0])})


@cases("AddN", dtypes=NUMBERS,
       reference=lambda call: [sum(map(wide, call.inputs[0])) if call.inputs[0][0].dtype.name in FRACTIONS else None],
       scale=lambda call: [sum(numpy.abs(wide(x)) for x in call.inputs[0])
                           if call.inputs[0][0].dtype.name in FRACTIONS else None])
def add_n(make, op, dtype):
    for count in [1, 2, 3, 4, 7, 8, 9, 10, 11, 20, 40]:
        shape = make.shape()
        yield Call(op, [[make.array(dtype, shape, special=dtype not in COMPLEXES) for _ in range(count)]])
    shape = make.large_shape(elements=30_000)
    yield Call(op, [[make.array(dtype, shape, special=False) for _ in range(3)]])
    for shapes in [([2], [3]), ([2], []), ([2, 3], [2, 3], [6])]:
        yield Call(op, [[make.array(dtype, shape) for shape in shapes]], says="same shape")
