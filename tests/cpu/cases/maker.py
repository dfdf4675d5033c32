"""Types by name, and random shapes and arrays of them. TN_TEST_SEED gives other ones."""

import math
import os
import zlib

import ml_dtypes
import numpy

SEED = int(os.environ.get("TN_TEST_SEED", "1"))

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64", "float16", "bfloat16"]
COMPLEXES = ["complex64", "complex128"]
REALS = INTEGERS + FLOATS
NUMBERS = REALS + COMPLEXES
FLOAT8S = ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"]
TINY_INTEGERS = ["int4", "uint4", "int2", "uint2"]
QUANTIZED = ["qint8", "quint8", "qint32", "qint16", "quint16"]
INDICES = ["int32", "int64"]
# What TensorFlow's ops that only move elements mostly have, and what they have when nothing limits them.
MOVABLE = NUMBERS + ["bool", "string", "float8_e5m2", "float8_e4m3fn"]
ANYTHING = NUMBERS + ["bool", "string"] + FLOAT8S + QUANTIZED + TINY_INTEGERS + ["float4_e2m1fn"]


def dtype_of(name):
    """numpy's type of that name; quantized types are records of one field, as TensorFlow has them."""
    if name in QUANTIZED:
        return numpy.dtype([(name, name[1:])])
    return numpy.dtype(getattr(ml_dtypes, name, None) or ("O" if name == "string" else name))


def name_of(dtype):
    """The inverse: the name TensorFlow uses."""
    dtype = numpy.dtype(dtype)
    return dtype.names[0] if dtype.names else "string" if dtype == object else dtype.name


def real_of(name):
    """The type of a complex number's parts; other types are their own."""
    return {"complex64": "float32", "complex128": "float64"}.get(name, name)


class Maker:
    """Random, and the same again for the same words and the same TN_TEST_SEED."""

    def __init__(self, *words):
        self.random = numpy.random.default_rng([SEED, zlib.crc32(repr(words).encode())])
        self.prefix, self.named = zlib.crc32(repr((SEED, words)).encode()), 0

    def below(self, n):
        return int(self.random.integers(n))

    def choose(self, values):
        return values[self.below(len(values))]

    def coin(self):
        return bool(self.below(2))

    def name(self):
        """A name that nobody else has, for variables."""
        self.named += 1
        return f"v{self.prefix}_{self.named}"

    def seeds(self):
        """Two numbers, not both 0, that nobody else has. (TensorFlow keeps a random kernel between
        calls with the same attributes, so that the second call would go on where the first ended.)"""
        self.named += 1
        return self.prefix, self.named

    def rank(self, most=8):
        """Mostly small, sometimes the most there are."""
        return min(most, self.choose([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8]))

    def shape(self, rank=None, most=8):
        """Some hundreds of elements at most, mostly; now and then none, or one long dimension."""
        rank = self.rank(most) if rank is None else rank
        if rank and self.below(10) == 0:
            dims = [1] * rank
            dims[self.below(rank)] = self.below(9000)
            return dims
        usual = [1, 2, 3, 4, 5, 6, 7] if rank < 5 else [1, 1, 2, 2, 3]
        odd = [0, 1, 2, 3, 5, 8, 17] if rank < 5 else [0, 4]
        return [self.choose(odd if self.below(4 * rank) == 0 else usual) for _ in range(rank)]

    def large_shape(self, rank=2, elements=300_000):
        """About so many elements, in dimensions of no round size."""
        side = elements ** (1 / rank) if rank else 1
        return [max(1, int(side * (0.5 + self.random.random()))) for _ in range(rank)]

    def broadcastable(self, count=2, most=8):
        """Shapes that broadcast to one: some dimensions 1, leading ones left out."""
        shape = self.shape(most=most)
        shapes = [[1 if self.below(3) == 0 else d for d in shape] for _ in range(count)]
        cut = self.below(3) * self.below(len(shape) + 1)
        shapes[self.below(count)][:cut] = []
        return shapes

    def axis(self, rank, index=None):
        """A dimension, counted from either end; an array of type `index` when that is given."""
        axis = self.below(rank) - (rank if self.coin() else 0)
        return axis if index is None else numpy.array(axis, index)

    def axes(self, rank, index="int32"):
        """Any set of dimensions, each counted from either end."""
        chosen = [i - rank if self.coin() else i for i in range(rank) if self.coin()]
        return numpy.array(chosen, index)

    def array(self, dtype, shape, special=True, small=False, extreme=False, low=None, high=None):
        """`special`: NaN, infinities, zeros of both signs. `small`: small integers. `extreme`: also
        denormals and the largest and smallest numbers there are. `low`, `high`: uniform between them,
        the ends included for integers; nothing special then."""
        shape, count = tuple(shape), math.prod(shape)
        if dtype in QUANTIZED:
            plain = self.array(dtype[1:], shape, small=small, low=low, high=high)
            return plain.reshape(-1).view(dtype_of(dtype)).reshape(shape)
        if dtype == "string":
            sizes = self.random.choice([0, 1, 5, 22, 23, 24, 100], count)
            values = numpy.empty(count, object)
            values[:] = [self.random.bytes(int(size)) for size in sizes]
            return values.reshape(shape)
        if dtype == "bool":
            return numpy.asarray(self.random.integers(0, 2, shape)).astype(bool)
        if dtype in INTEGERS:
            return self._integers(dtype, shape, small, extreme, low, high)
        if dtype in TINY_INTEGERS:
            info = ml_dtypes.iinfo(dtype)
            return numpy.asarray(self.random.integers(int(info.min), int(info.max) + 1, shape)
                                 ).astype(dtype_of(dtype))
        if dtype in COMPLEXES:
            parts = [self.array(real_of(dtype), shape, special, small, extreme, low, high) for _ in range(2)]
            result = numpy.empty(shape, dtype)
            result.real, result.imag = parts
            return result
        return self._floats(dtype, shape, special, extreme, low, high)

    def _integers(self, dtype, shape, small, extreme, low, high):
        info = numpy.iinfo(dtype)
        if low is None:
            low, high = (max(info.min, -20), 20) if small else (info.min, info.max)
        values = numpy.asarray(self.random.integers(low, high, shape, dtype=dtype, endpoint=True))
        if extreme:
            odd = numpy.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1], dtype)
            values = numpy.where(self.random.integers(0, 8, shape) == 0, self.random.choice(odd, shape), values)
        return numpy.asarray(values, dtype)

    def _floats(self, dtype, shape, special, extreme, low, high):
        if low is not None:
            return numpy.asarray(self.random.uniform(low, high, shape)).astype(dtype_of(dtype))
        values = self.random.standard_normal(shape) * 10.0 ** self.random.integers(-2, 3, shape)
        odd = [numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, 60000.0] if special else []
        if extreme:
            info = ml_dtypes.finfo(dtype_of(dtype))
            largest, normal, least = (float(x) for x in
                                      (info.max, info.smallest_normal, info.smallest_subnormal))
            odd += [largest, -largest, largest / 2, normal, -normal, normal * 0.75, -normal / 2, least, -least]
        if odd:
            values = numpy.where(self.random.integers(0, 20 if not extreme else 6, shape) == 0,
                                 self.random.choice(odd, shape), values)
        with numpy.errstate(over="ignore"):
            return numpy.asarray(values).astype(dtype_of(dtype))
