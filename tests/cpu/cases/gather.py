"""Rows by their numbers: GatherV2, GatherNd, ScatterNd, TensorScatter*."""

import numpy

from cases.layout import ones
from cases.maker import FLOATS, INDICES, MOVABLE, NUMBERS, QUANTIZED, REALS
from cases.registry import Call, cases

NUMBERS_16 = ["int16", *INDICES]
POLICIES = ["", "DEFAULT", "ERROR", "IGNORE"]


def few(make, most=2):
    """A shape of indices: what they pick is as large again for each of them."""
    return [make.below(6) for _ in range(make.below(most + 1))]


@cases("GatherV2", dtypes=MOVABLE + QUANTIZED)
def gather(make, op, dtype):
    def call(params, indices, axis, batch_dims=0, says=""):
        return Call(op, [params, indices, numpy.array(axis, make.choose(INDICES))], {"batch_dims": batch_dims}, says)
    for i in range(30):
        shape = make.shape(1 + make.rank(4))
        axis = make.below(len(shape))
        shape[axis] = max(shape[axis], 1)
        batch = make.below(axis + 1)
        indices = make.array(NUMBERS_16[i % 3], shape[:batch] + few(make), low=0, high=shape[axis] - 1)
        signed = batch - indices.ndim if make.coin() and batch < indices.ndim else batch
        yield call(make.array(dtype, shape), indices, axis - len(shape) * make.below(2), signed)
    large = [([500, 70], [900], 0), ([1000, 1], [5000], 0), ([3, 100000], [2], 0), ([20, 30, 40], [50], 1),
             ([7, 5000], [300], 1)]
    for shape, count, axis in large if dtype != "string" else []:
        yield call(make.array(dtype, shape), make.array("int32", count, low=0, high=shape[axis] - 1), axis)
    params = ones(dtype, 2, 3)
    for indices, axis, batch, says in [([2], 0, 0, "indices[0] is [2], which does not point into dimensions [2]"),
                                       ([0, -1], 1, 0, "indices[1] is [-1]"), ([[0], [3]], 1, 1, "indices[1] is [3]"),
                                       ([0], 2, 0, "axis is 2, and must be in [-2, 2)"), ([0], -3, 0, "axis is -3"),
                                       ([0], [0], 0, "input axis must be a scalar"), ([[0], [0]], 0, 1, "batch_dims is 1"),
                                       ([0], 1, 2, "batch_dims is 2"), ([0], 1, -2, "batch_dims is -2"),
                                       ([[0]], 1, 1, "batch dimension 0 has size 2 in params and 1 in indices")]:
        yield call(params, numpy.array(indices, "int32"), axis, batch, says)
    yield call(ones(dtype), numpy.array([0], "int32"), 0, 0, "axis is 0")
    yield call(ones(dtype, 0, 3), numpy.array([0], "int32"), 0, 0, "indices[0] is [0]")


@cases("Gather", dtypes=MOVABLE + QUANTIZED)
def gather_first(make, op, dtype):
    for i in range(10):
        shape = [1 + make.below(9), *few(make)]
        yield Call(op, [make.array(dtype, shape), make.array(INDICES[i % 2], few(make), low=0, high=shape[0] - 1)])
    yield Call(op, [ones(dtype, 2, 3), numpy.array([2], "int32")], {}, "indices[0] is [2]")
    yield Call(op, [ones(dtype), numpy.array([0], "int32")], {}, "input params is a scalar")


def tuples(make, shape, depth, outer, index, bad=False):
    """Indices that point into the first `depth` dimensions of `shape`."""
    result = numpy.zeros([*outer, depth], index)
    for d in range(depth):
        low, high = (-1, shape[d]) if bad else (0, shape[d] - 1)
        result[..., d] = make.array(index, outer, low=low, high=high)
    return result


@cases("GatherNd", dtypes=MOVABLE + ["qint8", "quint8", "qint32"])
def gather_nd(make, op, dtype):
    for i in range(24):
        shape = [max(d, 1) for d in make.shape(1 + make.rank(6))]
        depth = make.below(min(len(shape), 6) + 1)
        outer = few(make)
        policy = POLICIES[i % 4]
        yield Call(op, [make.array(dtype, shape), tuples(make, shape, depth, outer, NUMBERS_16[i % 3], policy == "IGNORE")],
                   {"bad_indices_policy": policy})
    params = ones(dtype, 2, 3)
    for indices, says in [([[0, 1], [1, 3]], "indices[1] is [1,3], which does not point into dimensions [2,3]"),
                          ([[-1]], "indices[0] is [-1]"), ([[0, 0, 0]], "must not be larger than"),
                          (0, "must have a dimension each")]:
        yield Call(op, [params, numpy.array(indices, "int32")], {}, says)
    yield Call(op, [ones(dtype), numpy.array([[0]], "int32")], {}, "must have a dimension each")
    yield Call(op, [ones(dtype, 0, 3), numpy.array([[0]], "int32")], {}, "input params is empty")
    yield Call(op, [ones(dtype, 0, 3), numpy.zeros([0, 1], "int32")])


def scattered(make, dtype, i, special=True):
    """A shape, indices into it, and updates."""
    shape = [max(d, 1) for d in make.shape(1 + make.rank(6))]
    depth = 1 + make.below(min(len(shape), 6))
    outer = [make.below(6), *few(make, 1)]
    policy = POLICIES[i % 4]
    indices = tuples(make, shape, depth, outer, INDICES[i % 2], policy == "IGNORE")
    updates = make.array(dtype, outer + shape[depth:], special=special)
    return shape, indices, updates, {"bad_indices_policy": policy}


WRONG = [([2, 3], [[2]], [1, 3], "indices[0] is [2], which does not point into dimensions [2]"),
         ([2, 3], [[0, -1]], [1], "indices[0] is [0,-1]"), ([2, 3], [[0, 0, 0]], [1], "do not fit"),
         ([2, 3], [[0]], [1, 2], "do not fit an output of shape [2,3]"), ([2, 3], [[0]], [2, 3], "do not fit"),
         ([2, 3], [[0]], [1], "do not fit"), ([2, 3], 0, [3], "do not fit"), ([0, 3], [[0]], [1, 3], "is empty"),
         ([], [[0]], [1], "do not fit"), ([2, 3], [[0, 0]], [], "do not fit")]


@cases("ScatterNd", dtypes=NUMBERS + ["bool", "string"])
def scatter_nd(make, op, dtype):
    for i in range(24):
        shape, indices, updates, attrs = scattered(make, dtype, i)
        yield Call(op, [indices, updates, numpy.array(shape, INDICES[i % 2])], attrs)
    if dtype != "string":
        yield Call(op, [make.array("int32", [400, 1], low=0, high=99), make.array(dtype, [400, 3000], special=False),
                        numpy.array([100, 3000], "int32")])
    for shape, indices, updates, says in WRONG + [([-1, 3], [[0]], [1, 3], "shape[0] is -1"),
                                                  ([[2, 3]], [[0]], [1, 3], "input shape must be a vector")]:
        yield Call(op, [numpy.array(indices, "int32"), ones(dtype, *updates), numpy.array(shape, "int32")], {}, says)
    yield Call(op, [numpy.array([[0]], "int32"), ones(dtype, 1), numpy.array([1], "int32")],
               {"bad_indices_policy": "NONE"}, "attribute bad_indices_policy is \"NONE\"")


@cases("TensorScatterUpdate", dtypes=NUMBERS + ["bool", "string"])
@cases("TensorScatterAdd", "TensorScatterSub", dtypes=NUMBERS)
@cases("TensorScatterMin", "TensorScatterMax", dtypes=REALS)
def tensor_scatter(make, op, dtype):
    # What TensorFlow makes of NaN in a minimum depends on where in a row it stands.
    special = op not in ("TensorScatterMin", "TensorScatterMax") or dtype not in FLOATS
    for i in range(24):
        shape, indices, updates, attrs = scattered(make, dtype, i, special)
        yield Call(op, [make.array(dtype, shape, special=special), indices, updates], attrs)
    for shape, indices, updates, says in WRONG:
        yield Call(op, [ones(dtype, *shape), numpy.array(indices, "int32"), ones(dtype, *updates)], {}, says)
    yield Call(op, [make.array(dtype, [5], special=False), numpy.array([1, 3, 1], "int32").reshape(3, 1),
                    make.array(dtype, [3], special=False)])
