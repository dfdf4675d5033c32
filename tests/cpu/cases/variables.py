"""Variables: set, read and changed as a whole and by rows."""

import numpy

from cases.maker import INDICES, INTEGERS, NUMBERS, REALS, dtype_of
from cases.registry import Call, Result, Sequence, Type, cases

KEPT = NUMBERS + ["bool", "string"]


def change(make, op, dtype, start, others, attrs=None, assigned=True, reads=True):
    """Makes a variable, sets and reads it, runs the op on it, reads it again."""
    typed = {"dtype": Type(dtype)}
    calls = [Call("VarHandleOp", [], {**typed, "shape": list(start.shape), "shared_name": make.name()})]
    read = Call("ReadVariableOp", [Result(0)], typed)
    if assigned:
        calls += [Call("AssignVariableOp", [Result(0), start], typed)] + [read] * reads
    calls.append(Call(op, [Result(0), *others], attrs or {}))
    return Sequence(calls + [read] * reads * assigned)


def indices_of(make, shape, below):
    return make.random.integers(0, below, shape).astype(make.choose(INDICES))


@cases("AssignAddVariableOp", "AssignSubVariableOp", dtypes=NUMBERS)
def assign(make, op, dtype):
    for shape in ([], [3], [4, 5], [0, 2], [5000]):
        yield change(make, op, dtype, make.array(dtype, shape), [make.array(dtype, shape)])
    start = make.array(dtype, [2, 3])
    yield change(make, op, dtype, start, [start[0]])
    yield change(make, op, dtype, start, [start], assigned=False)


@cases("AssignVariableOp", dtypes=KEPT)
def assign_whole(make, op, dtype):
    for shape in ([], [3], [2, 2]):
        yield change(make, op, dtype, make.array(dtype, [2, 2]), [make.array(dtype, shape)])
        yield change(make, op, dtype, make.array(dtype, [2, 2]), [make.array(dtype, shape)],
                     {"validate_shape": True})


@cases("VariableShape", dtypes=INDICES)
def variable_shape(make, op, dtype):
    for shape in ([], [3], [4, 0, 5], [1] * 8):
        yield change(make, op, "float32", make.array("float32", shape), [], {"out_type": Type(dtype)})
    yield change(make, op, "float32", make.array("float32", [2]), [], {"out_type": Type(dtype)}, assigned=False)


# Wrong batch_dims end TensorFlow's process. It sets variables of quantized numbers, and does not read them.
@cases("ResourceGather", dtypes=KEPT + ["qint8", "quint8", "qint32"])
def gather(make, op, dtype):
    def change_of(start, where, attrs, assigned=True):
        return change(make, op, dtype, start, [where], attrs, assigned, reads=dtype in KEPT)
    attrs = {"dtype": Type(dtype)}
    for shape, where in [([5], [3]), ([5, 3], [2, 2]), ([4, 3, 2], []), ([300, 17], [500]), ([5, 0], [2]), ([3], [0])]:
        yield change_of(make.array(dtype, shape), indices_of(make, where, shape[0]), attrs)
    yield change_of(make.array(dtype, [4, 5, 3]), indices_of(make, [4, 2], 5), {**attrs, "batch_dims": 1})
    start = make.array(dtype, [5, 3])
    for wrong in ([5], [0, -1]):
        yield change_of(start, numpy.array(wrong, "int32"), attrs)
    yield change_of(make.array(dtype, []), numpy.array([0], "int32"), attrs)
    yield change_of(start, numpy.array([0], "int32"), attrs, assigned=False)


@cases("ResourceGatherNd", dtypes=KEPT)
def gather_nd(make, op, dtype):
    attrs = {"dtype": Type(dtype)}
    for shape, where in [([5], [3, 1]), ([5, 3], [2, 2]), ([5, 3], [4, 1]), ([4, 3, 2], [1, 2, 2]), ([5, 3], [2, 0])]:
        yield change(make, op, dtype, make.array(dtype, shape), [indices_of(make, where, min(shape))], attrs)
    start = make.array(dtype, [5, 3])
    for wrong in ([[0, 9]], [[-1, 0]], [[0, 1, 1]]):
        yield change(make, op, dtype, start, [numpy.array(wrong, "int32")], attrs)
    yield change(make, op, dtype, start, [numpy.array([[0]], "int32")], attrs, assigned=False)


def scattered(make, op, dtype, updates_of):
    for shape, where in [([5], [3]), ([5, 3], [2, 2]), ([4, 3, 2], []), ([30, 17], [50]), ([5, 0], [2]), ([3], [0]),
                         ([0, 3], [0])]:
        at = indices_of(make, where, max(shape[0], 1))
        yield change(make, op, dtype, make.array(dtype, shape, special=False),
                     [at, updates_of([*where, *shape[1:]])])
        yield change(make, op, dtype, make.array(dtype, shape, special=False), [at, updates_of([])])
    start = make.array(dtype, [5, 3], special=False)
    for wrong in ([5], [-1]):
        yield change(make, op, dtype, start, [numpy.array(wrong, "int32"), updates_of([1, 3])])
    yield change(make, op, dtype, start, [numpy.array([0, 1], "int32"), updates_of([3])])
    yield change(make, op, dtype, make.array(dtype, []), [numpy.array([0], "int32"), updates_of([1])])
    yield change(make, op, dtype, start, [numpy.array([0], "int32"), updates_of([1, 3])], assigned=False)


def rows_after(rule, start, at, updates):
    out = start.copy()
    rows = numpy.broadcast_to(updates, [*at.shape, *start.shape[1:]]).reshape([at.size, *start.shape[1:]])
    for row, update in zip(at.reshape(-1), rows):
        out[row] = rule(out[row], update)
    return out


def scattering(sequence):
    """(kind of op, start, indices, updates), the numbers wide; None where they are exact anyway."""
    call = next(call for call in sequence.calls if call.op.startswith("ResourceScatter"))
    start = sequence.calls[1].inputs[1]
    if start.dtype.name in INTEGERS:
        return None
    wide = "clongdouble" if start.dtype.kind == "c" else "longdouble"
    return call.op[-3:], start.astype(wide), call.inputs[1], call.inputs[2].astype(wide)


def exact_rows(sequence):
    found = scattering(sequence)
    if not found:
        return [None, None]
    rule = {"Add": numpy.add, "Sub": numpy.subtract, "Mul": numpy.multiply, "Div": numpy.divide}[found[0]]
    return [found[1], rows_after(rule, *found[1:])]


def rows_scale(sequence):
    """Sums of magnitudes, for sums."""
    found = scattering(sequence)
    if not found or found[0] not in ("Add", "Sub"):
        return [None, None]
    return [None, rows_after(numpy.add, numpy.abs(found[1]), found[2], numpy.abs(found[3]))]


@cases("ResourceScatterAdd", "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterDiv", dtypes=NUMBERS,
       reference=exact_rows, scale=rows_scale)
def scatter(make, op, dtype):
    def updates_of(shape):
        # Products and quotients stay in range, and nothing is divided by 0, which ends TensorFlow's process.
        if op[-3:] in ("Mul", "Div"):
            low, high = (1, 3) if dtype in INTEGERS else (0.7, 1.4)
            return make.array(dtype, shape, low=low, high=high)
        return make.array(dtype, shape, special=False)
    yield from scattered(make, op, dtype, updates_of)


@cases("ResourceScatterMin", "ResourceScatterMax", dtypes=REALS)
def scatter_limits(make, op, dtype):
    yield from scattered(make, op, dtype, lambda shape: make.array(dtype, shape, special=False))


@cases("ResourceScatterUpdate", dtypes=KEPT)
def scatter_update(make, op, dtype):
    yield from scattered(make, op, dtype, lambda shape: make.array(dtype, shape))


@cases("ResourceScatterNdUpdate", dtypes=KEPT)
@cases("ResourceScatterNdAdd", "ResourceScatterNdSub", dtypes=NUMBERS + ["bool"])
def scatter_nd(make, op, dtype):
    def updates_of(shape):
        return make.array(dtype, shape, special=False)
    for shape, where in [([5], [3, 1]), ([5, 3], [2, 2]), ([5, 3], [3, 1]), ([4, 3, 2], [2, 2])]:
        # Each place once: sums of several would be rounded in another order.
        at = numpy.array([numpy.unravel_index(i, shape[:where[-1]]) for i in make.random.permutation(
            int(numpy.prod(shape[:where[-1]])))[:where[0]]], make.choose(INDICES))
        yield change(make, op, dtype, make.array(dtype, shape), [at, updates_of([where[0], *shape[where[-1]:]])])
    start = make.array(dtype, [5, 3])
    for at, shape in [([[5]], [1, 3]), ([[-1]], [1, 3]), ([[0]], [1, 2]), ([[0, 1, 1]], [1])]:
        yield change(make, op, dtype, start, [numpy.array(at, "int32"), updates_of(shape)])
    yield change(make, op, dtype, start, [numpy.array([[0]], "int32"), updates_of([1, 3])], assigned=False)


@cases("ReadVariableOp", dtypes=KEPT)
def read(make, op, dtype):
    start = numpy.zeros([2], dtype_of(dtype)) if dtype != "string" else numpy.array([b"a", b"b"], object)
    yield change(make, op, dtype, start, [], {"dtype": Type(dtype)})
    yield change(make, op, dtype, start, [], {"dtype": Type(dtype)}, assigned=False)
