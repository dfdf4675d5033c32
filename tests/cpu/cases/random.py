"""Random numbers: the same as TensorFlow's from the same seed; normals within some ulp."""

import numpy

from cases.maker import COMPLEXES, FLOATS, INDICES, REALS, dtype_of
from cases.registry import Call, Result, Sequence, Type, cases

WIDE = ["int32", "int64", "uint32", "uint64"]
INTEGER_OPS = ("RandomUniformInt", "StatelessRandomUniformInt", "StatelessRandomUniformIntV2")
# Around the size of a block, a vector register, a tile.
SHAPES = [[], [0], [1], [3], [4, 1], [5], [63], [64], [65], [1023], [1024], [1025], [7, 0], [2, 3, 5, 7], [2049, 3],
          [1] * 8]


def shape_of(make, dims):
    return numpy.array(dims, make.choose(INDICES))


def limits(make, op, dtype):
    """minval and maxval, where the op has them."""
    if op not in INTEGER_OPS:
        return []
    info = numpy.iinfo(dtype)
    low, high = make.choose([(0, 1), (0, 2), (0, 3), (-7, 641), (info.min, info.max), (-1, info.max), (info.min, 0),
                             (0, 2**30), (-5, 2**30 - 4), (5, 1000003)])
    return [numpy.array(low, dtype), numpy.array(high, dtype)]


def place(make, op):
    """What says where the numbers begin: nothing, a seed, or a key, a counter and an algorithm."""
    if not op.startswith("Stateless"):
        return []
    if not op.endswith("V2"):
        return [make.array(make.choose(INDICES), [2])]
    low = make.choose([0, 5, 2**32 - 1, 2**64 - 1, 2**64 - 3, 2**64 - 300, 2**64 - 70000])
    counter = [low, make.choose([0, 9, 2**64 - 1])] + [1] * make.below(2)
    return [make.array("uint64", [1]), numpy.array(counter, "uint64"), numpy.array(make.choose([1, 3]), "int32")]


def attrs_of(make, op, dtype):
    attrs = {"Tout" if op == "RandomUniformInt" else "dtype": dtype_of(dtype)}
    if op.startswith("Stateless"):
        return attrs
    seeds = make.seeds()
    return attrs | make.choose([{"seed": seeds[0], "seed2": seeds[1]}, {"seed2": seeds[0] << 20 | seeds[1]}])


def filled(make, op, dtype):
    for dims in SHAPES + [make.shape() for _ in range(10)] + [make.large_shape(1 + make.below(3))]:
        yield Call(op, [shape_of(make, dims)] + place(make, op) + limits(make, op, dtype), attrs_of(make, op, dtype))
    for dims, says in [(3, "input shape must be a vector"), ([[3]], "input shape must be a vector"),
                       ([2, -1], "shape[1] is -1"), ([0, -1], "shape[1] is -1"),
                       ([2**40, 2**40], "too many elements"), ([1] * 255, "at most 254")]:
        yield Call(op, [numpy.array(dims, "int64")] + place(make, op) + limits(make, op, dtype),
                   attrs_of(make, op, dtype), says)
    if op in INTEGER_OPS:
        for dims in ([0], [3]):
            for low, high in [(3, 3), (4, 3), ([0], 3), (0, [3])]:
                yield Call(op, [shape_of(make, dims)] + place(make, op) +
                           [numpy.array(low, dtype), numpy.array(high, dtype)], attrs_of(make, op, dtype))


@cases("RandomUniform", "RandomStandardNormal", "TruncatedNormal", dtypes=FLOATS)
@cases("RandomUniformInt", dtypes=INDICES)
def with_state(make, op, dtype):
    yield from filled(make, op, dtype)
    for _ in range(3):
        attrs = attrs_of(make, op, dtype)
        yield Sequence([Call(op, [shape_of(make, make.shape())] + limits(make, op, dtype), attrs) for _ in range(4)])


@cases("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal", dtypes=FLOATS)
@cases("StatelessRandomUniformInt", dtypes=INDICES)
@cases("StatelessRandomUniformFullInt", dtypes=WIDE)
def from_seed(make, op, dtype):
    yield from filled(make, op, dtype)
    for seed in ([1], 1, [[1, 2]], [1, 2, 3]):
        yield Call(op, [numpy.array([4]), numpy.array(seed)] + limits(make, op, dtype), attrs_of(make, op, dtype),
                   "input seed must have shape [2]")
    if op == "StatelessRandomUniformFullInt":
        for kind in ("uint32", "uint64"):
            yield Call(op, [numpy.array([4]), numpy.array([1, 2], kind)], attrs_of(make, op, dtype),
                       "input seed must be of type int32 or int64")


@cases("StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", dtypes=FLOATS)
@cases("StatelessRandomUniformIntV2", dtypes=INDICES)
@cases("StatelessRandomUniformFullIntV2", dtypes=WIDE)
def from_key(make, op, dtype):
    yield from filled(make, op, dtype)
    for dims in ([0], [3]):
        for key, counter, algorithm in wrong_places():
            yield Call(op, [numpy.array(dims), key, counter, algorithm] + limits(make, op, dtype),
                       attrs_of(make, op, dtype))


def wrong_places():
    # TensorFlow takes the algorithm's number for the least length of the counter, and reads beyond a
    # counter of length 1: that is left out.
    for key, counter, algorithm in [([1, 2], [1, 2], 1), (1, [1, 2], 1), ([1], [[1, 2]], 1), ([1], [1, 2], 0),
                                    ([1], [1, 2], 2), ([1], [1, 2], -1), ([1], [1, 2], [1])]:
        yield numpy.array(key, "uint64"), numpy.array(counter, "uint64"), numpy.array(algorithm, "int32")


def on_generator(make, op, state, inputs, attrs, says=""):
    """A variable, the op on it twice, and what is in the variable then."""
    typed = {"dtype": Type(state.dtype.name)}
    step = Call(op, [Result(0), *inputs], attrs, says)
    return Sequence([Call("VarHandleOp", [], typed | {"shape": list(state.shape), "shared_name": make.name()}),
                     Call("AssignVariableOp", [Result(0), state], typed), step, step,
                     Call("ReadVariableOp", [Result(0)], typed)])


def states(make):
    yield numpy.array([make.choose([0, 5, -1, -300, 2**62]), make.choose([0, -1]), make.below(2**60)])


WRONG_STATES = [numpy.array([1, 2]), numpy.array([[1, 2, 3]]), numpy.array([1, 2, 3], "int32")]


@cases("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal", dtypes=FLOATS)
@cases("StatefulUniformInt", dtypes=INDICES)
@cases("StatefulUniformFullInt", dtypes=WIDE)
def from_generator(make, op, dtype):
    def limits_of():
        return limits(make, "RandomUniformInt", dtype) if op == "StatefulUniformInt" else []
    attrs = {"dtype": dtype_of(dtype)}
    for dims in SHAPES:
        for state in states(make):
            yield on_generator(make, op, state, [numpy.array(make.choose([1, 3])), shape_of(make, dims), *limits_of()],
                               attrs)
    good = numpy.array([1, 2, 3])
    for algorithm in (0, 4, [1]):
        yield on_generator(make, op, good, [numpy.array(algorithm), shape_of(make, [3]), *limits_of()], attrs)
    for wrong in WRONG_STATES:
        yield on_generator(make, op, wrong, [numpy.array(1), shape_of(make, [3]), *limits_of()], attrs)
    for dims in (3, [-1]):
        yield on_generator(make, op, good, [numpy.array(1), shape_of(make, dims), *limits_of()], attrs)


@cases("RngReadAndSkip", "RngSkip", dtypes=["int64"])
def skip(make, op, dtype):
    kinds = ("int32", "uint64") if op == "RngReadAndSkip" else ("int64", "int64")

    def numbers(algorithm, delta):
        return [numpy.array(algorithm, kinds[0]), numpy.array(delta, kinds[1])]
    for delta in (0, 1, 1000, 2**50):
        for state in states(make):
            yield on_generator(make, op, state, numbers(1, delta), {})
    for wrong in WRONG_STATES:
        yield on_generator(make, op, wrong, numbers(1, 1), {})
    for algorithm, delta in [(4, 1), ([1], 1), (1, [1])]:
        yield on_generator(make, op, numpy.array([1, 2, 3]), numbers(algorithm, delta), {})


@cases("Multinomial", "StatelessMultinomial", dtypes=FLOATS)
def multinomial(make, op, dtype):
    # Small enough for one thread: with more, TensorFlow's rows depend on who computes them.
    for i in range(24):
        rows, columns, samples = make.choose([(1, 1, 5), (3, 7, 4), (5, 20, 9), (0, 3, 2), (4, 3, 0), (2, 100, 30)])
        logits = make.array(dtype, [rows, columns], special=i % 3 == 0)
        seed = [make.array(make.choose(INDICES), [2])] if op == "StatelessMultinomial" else []
        attrs = dict(zip(("seed", "seed2"), make.seeds())) if not seed else {}
        yield Call(op, [logits, numpy.array(samples, "int32")] + seed,
                   attrs | {"output_dtype": dtype_of(make.choose(INDICES))})
    seed = [numpy.array([1, 2])] if op == "StatelessMultinomial" else []
    for shape, samples, says in [([3], 2, "input logits must be a matrix"), ([2, 0], 2, "without a column"),
                                 ([2, 2], -1, "num_samples is -1"), ([2, 2], [1], "input num_samples must be a scalar")]:
        yield Call(op, [numpy.ones(shape, dtype_of(dtype)), numpy.array(samples, "int32")] + seed, {}, says)


@cases("RandomShuffle", "StatelessShuffle", dtypes=REALS + COMPLEXES + ["bool", "string"])
def shuffle(make, op, dtype):
    for i in range(24):
        shape = make.shape() if i < 20 else make.large_shape(1 + i % 2, 20_000)
        where = place(make, "StatelessShuffleV2") if op == "StatelessShuffle" else []
        attrs = dict(zip(("seed", "seed2"), make.seeds())) if not where else {}
        yield Call(op, [make.array(dtype, shape)] + where, attrs)
    if op == "RandomShuffle":
        attrs = dict(zip(("seed", "seed2"), make.seeds()))
        yield Sequence([Call(op, [make.array(dtype, [9, 2])], attrs) for _ in range(4)])
    else:
        for where in wrong_places():
            yield Call(op, [make.array(dtype, [3]), *where])


@cases("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg", dtypes=INDICES)
def key_and_counter(make, op, dtype):
    for _ in range(10):
        yield Call(op, [make.array(dtype, [2])])
    for shape in ([], [1], [3], [1, 2]):
        yield Call(op, [make.array(dtype, shape)], {}, "input seed must have shape [2]")


@cases("StatelessRandomGetAlg", dtypes=["int32"])
def algorithm(make, op, dtype):
    yield Call(op, [])
