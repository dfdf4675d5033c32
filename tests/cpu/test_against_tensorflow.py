"""Every kernel of the plugin against TensorFlow's own on random inputs, where the plugin is loaded.

Integers, strings and moved elements are equal. Floats of elementwise ops are within 4 ulp (complex
ones: of the larger part, since a product may cancel). A sum or a dot product of n terms is within
(n + 4) ulp of the sum of the terms' magnitudes, the classic bound for any order of summing; the plugin's
float32 sums are also held against the exact sum, within 1 ulp.
TN_TEST_SEED replays a run.
"""

import math
import os
import random

import ml_dtypes
import numpy
import pytest

from hosts import Call, Child, Failure, TensorFlow

SEED = int(os.environ.get("TN_TEST_SEED", random.randrange(1 << 32)))
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float32", "float64", "float16", "bfloat16"]
COMPLEXES = ["complex64", "complex128"]
REALS = INTEGERS + FLOATS
NUMBERS = REALS + COMPLEXES
INDICES = ["int32", "int64"]
MOVABLE = NUMBERS + ["bool", "string", "float8_e5m2", "float8_e4m3fn"]


def dtype_of(name):
    return numpy.dtype(getattr(ml_dtypes, name, None) or ("O" if name == "string" else name))


@pytest.fixture(scope="session")
def tensorflow():
    print(f"TN_TEST_SEED={SEED}")
    return TensorFlow()


@pytest.fixture(scope="session", params=["TensorFlow(PLUGIN)", "Tenon(PLUGIN)"])
def plugin(request):
    child = Child(request.param)
    yield child
    child.close()


class Maker:
    """Random shapes and arrays."""

    def __init__(self, *what):
        self.random = numpy.random.default_rng([SEED, *map(ord, "".join(map(str, what)))])

    def below(self, n):
        return int(self.random.integers(n))

    def choose(self, values):
        return values[self.below(len(values))]

    def shape(self, rank=None):
        rank = self.below(5) if rank is None else rank
        if self.below(10) == 0 and rank:  # one long dimension
            dims = [1] * rank
            dims[self.below(rank)] = self.below(9000)
            return dims
        return [self.choose([0, 1, 2, 3, 5, 8, 17]) if self.below(8) == 0 else 1 + self.below(7)
                for _ in range(rank)]

    def array(self, dtype, shape, special=True, small=False):
        count = math.prod(shape)
        if dtype == "string":
            sizes = self.random.choice([0, 1, 5, 22, 23, 24, 100], count)
            values = numpy.empty(count, object)
            values[:] = [self.random.bytes(int(size)) for size in sizes]
            return values.reshape(shape)
        if dtype == "bool":
            return self.random.integers(0, 2, shape).astype(bool)
        if dtype in INTEGERS:
            info = numpy.iinfo(dtype)
            low, high = (max(info.min, -20), 20) if small else (info.min, info.max)
            return self.random.integers(low, high, shape, dtype=dtype, endpoint=True)
        if dtype in COMPLEXES:
            part = "float32" if dtype == "complex64" else "float64"
            parts = [self.array(part, shape, False) for _ in range(2)]
            return (parts[0] + 1j * parts[1]).astype(dtype)
        values = self.random.standard_normal(shape) * 10.0 ** self.random.integers(-2, 3, shape)
        if special:
            odd = numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0.0, -0.0, 1.0, 60000.0])
            values = numpy.where(self.random.integers(0, 20, shape) == 0,
                                 self.random.choice(odd, shape), values)
        return numpy.asarray(values).astype(dtype_of(dtype))


def ulp(array):
    """The distance to the next larger number, in the array's own precision."""
    info = ml_dtypes.finfo(array.real.dtype)
    size = numpy.maximum(numpy.abs(array).astype("float64"), float(info.smallest_normal))
    return numpy.exp2(numpy.floor(numpy.log2(size))) * float(info.eps)


def agree(found, expected, tolerance=None):
    """Equal, or within `tolerance` (an array of absolute errors; None: 4 ulp for floats)."""
    assert not isinstance(expected, Failure), expected
    assert not isinstance(found, Failure), found
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype and one.shape == other.shape
        kind = one.dtype.name
        if kind.startswith("float8"):
            one, other = one.astype("float32"), other.astype("float32")
        if kind not in FLOATS + COMPLEXES:
            numpy.testing.assert_array_equal(one, other)
            continue
        wide = "complex128" if kind in COMPLEXES else "float64"
        a, b = one.astype(wide), other.astype(wide)
        numpy.testing.assert_array_equal(numpy.isnan(a), numpy.isnan(b))
        finite = numpy.isfinite(b)
        numpy.testing.assert_array_equal(a[~finite & ~numpy.isnan(b)], b[~finite & ~numpy.isnan(b)])
        allowed = 4 * ulp(other) if tolerance is None else numpy.broadcast_to(tolerance, b.shape)
        a, b, allowed = a[finite], b[finite], allowed[finite]
        assert (numpy.abs(a - b) <= allowed).all(), f"{a} and {b} differ by more than {allowed}"


def compare(tensorflow, plugin, calls, tolerances=None):
    found = plugin.run_all(calls)
    for call, result, tolerance in zip(calls, found, tolerances or [None] * len(calls)):
        try:
            agree(result, tensorflow.run(call), tolerance)
        except AssertionError as error:
            shapes = [[v.shape for v in i] if isinstance(i, list) else i.shape for i in call.inputs]
            raise AssertionError(f"{call.op} {call.attrs} on {shapes}: {error}") from None


def broadcastable(make):
    """Two shapes that broadcast to one: some dimensions 1, leading ones left out."""
    shape = make.shape()
    pair = [[1 if make.below(3) == 0 else d for d in shape] for _ in range(2)]
    cut = make.below(3) * make.below(len(shape) + 1)
    pair[make.below(2)][:cut] = []
    return pair


@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("op", ["AddV2", "Sub", "Mul"])
def test_binary_ops_broadcast_like_numpy(tensorflow, plugin, op, dtype):
    make = Maker(op, dtype)
    calls, tolerances = [], []
    for _ in range(30):
        x, y = (make.array(dtype, shape) for shape in broadcastable(make))
        calls.append(Call(op, [x, y], {}))
        part = "float32" if dtype == "complex64" else "float64"
        tolerances.append(4 * numpy.finfo(part).eps * numpy.abs(x) * numpy.abs(y)
                          if op == "Mul" and dtype in COMPLEXES else None)
    compare(tensorflow, plugin, calls, tolerances)


@pytest.mark.parametrize("dtype", REALS)
def test_relu_cuts_at_zero_and_keeps_nan(tensorflow, plugin, dtype):
    make = Maker("Relu", dtype)
    compare(tensorflow, plugin, [Call("Relu", [make.array(dtype, make.shape())], {}) for _ in range(30)])


def castable(make, source, target, shape):
    """Values of `source` whose cast to `target` is defined."""
    array = make.array(source, shape, special=target not in INTEGERS)
    if source in FLOATS + COMPLEXES and target in INTEGERS:
        info = numpy.iinfo(target)
        low, high = max(info.min, -10000), min(info.max, 10000)
        array = numpy.clip(array.real.astype("float64"), low, high).astype(dtype_of(source))
    return array


@pytest.mark.parametrize("source", NUMBERS + ["bool"])
def test_cast_goes_from_every_type_to_every_other(tensorflow, plugin, source):
    make = Maker("Cast", source)
    compare(tensorflow, plugin,
            [Call("Cast", [castable(make, source, target, shape)],
                  {"DstT": dtype_of(target), "Truncate": False})
             for target in NUMBERS + ["bool"] for shape in ([], [0, 3], [5, 3], [1000])])


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", ["int32", "int64", "uint64"])
def test_cast_beyond_the_integers_range_is_what_x86_makes_of_it(tensorflow, plugin, source, target):
    values = [1e10, -1e10, 1e20, -1e20, math.nan, math.inf, -math.inf, 2.5, -2.5, 2.0**31, -2.0**31,
              2.0**63, -2.0**63, 3e9]
    with numpy.errstate(over="ignore"):
        array = numpy.array(values).astype(dtype_of(source))
    compare(tensorflow, plugin, [Call("Cast", [array], {"DstT": dtype_of(target), "Truncate": False})])


@pytest.mark.parametrize("source, target", [("float32", "float16"), ("float32", "bfloat16"),
                                            ("float64", "float16"), ("float64", "float32"),
                                            ("complex128", "complex64"), ("float64", "bfloat16")])
def test_cast_with_truncate_drops_bits(tensorflow, plugin, source, target):
    make = Maker("Truncate", source, target)
    array = make.array(source, [3000])
    call = Call("Cast", [array], {"DstT": dtype_of(target), "Truncate": True})
    compare(tensorflow, plugin, [call], [0.0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16", "int32", "int64",
                                   "complex64", "complex128"])
def test_matmul_with_every_transposition(tensorflow, plugin, dtype):
    make = Maker("MatMul", dtype)
    calls, tolerances = [], []
    for i in range(24):
        m, n, k = ([make.choose([0, 1, 2, 7, 16, 33]) for _ in range(3)] if i < 20
                   else [make.below(100), make.below(300), 200 + make.below(600)])
        attrs = {"transpose_a": bool(make.below(2)), "transpose_b": bool(make.below(2))}
        a = make.array(dtype, [k, m] if attrs["transpose_a"] else [m, k], special=False)
        b = make.array(dtype, [n, k] if attrs["transpose_b"] else [k, n], special=False)
        calls.append(Call("MatMul", [a, b], attrs))
        if dtype in INTEGERS:
            tolerances.append(None)
            continue
        wide = [numpy.abs(x).astype("float64") for x in (a, b)]
        terms = ((wide[0].T if attrs["transpose_a"] else wide[0]) @
                 (wide[1].T if attrs["transpose_b"] else wide[1]))
        eps = float(ml_dtypes.finfo(a.real.dtype).eps)
        # Half and bfloat16 are summed in float32 and rounded once by us; TensorFlow may round more.
        tolerances.append((k + 4) * 2 * max(eps, 2.0**-20) * terms if eps < 1e-4 else 4 * eps * terms)
    compare(tensorflow, plugin, calls, tolerances)


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", NUMBERS)
def test_sum_over_any_axes(tensorflow, plugin, dtype, index):
    make = Maker("Sum", dtype, index)
    calls, tolerances = [], []
    for _ in range(40):
        shape = make.shape(make.below(6))
        axes = [i for i in range(len(shape)) if make.below(2)]
        signed = numpy.array([i - len(shape) if make.below(2) else i for i in axes], index)
        array = make.array(dtype, shape, special=False)
        keep = bool(make.below(2))
        calls.append(Call("Sum", [array, signed], {"keep_dims": keep}))
        if dtype in INTEGERS:
            tolerances.append(None)
            continue
        terms = numpy.abs(array).astype("float64").sum(tuple(axes), keepdims=keep)
        count = math.prod(shape[i] for i in axes)
        tolerances.append((count + 4) * float(ml_dtypes.finfo(array.real.dtype).eps) * terms)
    compare(tensorflow, plugin, calls, tolerances)


@pytest.mark.parametrize("shape, axis", [([300000], 0), ([1000, 300], 0), ([300, 1000], 1),
                                         ([7, 20000, 3], 1)])
def test_float_sums_are_exact_to_the_last_bit(plugin, shape, axis):
    array = Maker("exact", axis).array("float32", shape, special=False)
    found = plugin.run(Call("Sum", [array, numpy.array([axis], "int32")], {"keep_dims": False}))[0]
    exact = numpy.apply_along_axis(math.fsum, axis, array.astype("float64"))
    assert (numpy.abs(found - exact) <= ulp(numpy.asarray(exact, "float32"))).all()


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("dtype", MOVABLE)
def test_elements_move_unchanged(tensorflow, plugin, dtype, index):
    make = Maker("move", dtype, index)
    calls = []
    for _ in range(20):
        shape = make.shape()
        array = make.array(dtype, shape)
        wanted = list(make.random.permutation(shape)) + [1] * make.below(3)
        if wanted and 0 not in wanted and make.below(2):
            wanted[make.below(len(wanted))] = -1
        calls.append(Call("Reshape", [array, numpy.array(wanted, index)], {}))

        perm = make.random.permutation(len(shape))
        perm = [p - len(shape) if make.below(4) == 0 else p for p in perm]
        calls.append(Call("Transpose", [array, numpy.array(perm, index)], {}))

        if shape:
            axis = make.below(len(shape))
            parts = [make.array(dtype, shape[:axis] + [make.below(5)] + shape[axis + 1:])
                     for _ in range(2 + make.below(9))]
            signed = axis - len(shape) * make.below(2)
            calls.append(Call("ConcatV2", [parts, numpy.array(signed, index)], {}))
    compare(tensorflow, plugin, calls)


def test_large_transposes(tensorflow, plugin):
    make = Maker("large")
    calls = []
    for dtype in ["uint8", "float16", "float32", "float64", "complex128"]:
        for shape, perm in [([300, 500], [1, 0]), ([40, 50, 60], [2, 1, 0]), ([40, 50, 60], [1, 0, 2]),
                            ([9, 1, 7, 11, 5], [3, 0, 4, 1, 2]), ([2] * 8, [7, 0, 6, 1, 5, 2, 4, 3])]:
            calls.append(Call("Transpose", [make.array(dtype, shape), numpy.array(perm, "int32")], {}))
    compare(tensorflow, plugin, calls)


def test_strings_join_with_scalars_repeated(tensorflow, plugin):
    make = Maker("StringJoin")
    calls = []
    for _ in range(60):
        shape = make.shape()
        inputs = [make.array("string", [] if make.below(3) == 0 else shape) for _ in range(make.below(6))]
        calls.append(Call("StringJoin", [inputs], {"separator": make.choose(["", "-", ", " * 20])}))
    compare(tensorflow, plugin, calls)


def ones(*shape):
    return numpy.ones(shape, "float32")


def ints(*values):
    return numpy.array(values, "int32")


SUM = {"keep_dims": False}
PLAIN = {"transpose_a": False, "transpose_b": False}
TEXTS = numpy.array([b"a", b"b", b"c"], object)


# What the plugin says names the op, the input and the rule; the code is TensorFlow's.
@pytest.mark.parametrize("op, inputs, attrs, says", [
    ("AddV2", [ones(2, 3), ones(4)], {}, "inputs x [2,3] and y [4] do not broadcast"),
    ("AddV2", [ones(2, 0), ones(3)], {}, "dimension 1 from the end is 0 and 3, and must be equal or 1"),
    ("Mul", [ones(5, 2), ones(3, 1, 3)], {}, "must be equal or 1"),
    ("MatMul", [ones(2, 3), ones(2, 3)], PLAIN, "a is [2,3] and b is [2,3], so 3 and 2 must be equal"),
    ("MatMul", [ones(2, 3), ones(2, 3)], {"transpose_a": True, "transpose_b": True},
     "a is [2,3] (transposed)"),
    ("MatMul", [ones(3), ones(3, 3)], PLAIN, "input a must be a matrix (rank 2), not of shape [3]"),
    ("MatMul", [ones(3, 3), ones(1, 3, 3)], PLAIN, "input b must be a matrix"),
    ("Sum", [ones(2, 3), ints(2)], SUM, "reduction_indices[0] is 2, and must be in [-2, 2)"),
    ("Sum", [ones(2, 3), ints(0, -3)], SUM, "reduction_indices[1] is -3"),
    ("Sum", [ones(2, 3), ints(1, -1)], SUM, "reduction_indices names dimension 1 twice"),
    ("Sum", [ones(), ints(0)], SUM, "reduction_indices[0] is 0"),
    ("Reshape", [ones(2, 3), ints(4)], {}, "has 6 elements, and shape asks for 4"),
    ("Reshape", [ones(2, 3), ints(-1, 4)], {}, "asks for a multiple of 4"),
    ("Reshape", [ones(2, 3), ints(-1, 0)], {}, "asks for a multiple of 0"),
    ("Reshape", [ones(2, 3), ints(-1, -1)], {}, "shape[0] and shape[1] are both -1"),
    ("Reshape", [ones(2, 3), ints(-2, 3)], {}, "shape[0] is -2"),
    ("Reshape", [ones(2, 3), ints(2, 3).reshape(1, 2)], {}, "input shape must be a vector"),
    ("Transpose", [ones(2, 3), ints(0)], {}, "input perm must be a vector of 2 dimensions"),
    ("Transpose", [ones(2, 3), ints(0, 2)], {}, "perm[1] is 2, and must be in [-2, 2)"),
    ("Transpose", [ones(2, 3), ints(1, 1)], {}, "perm names dimension 1 twice"),
    ("ConcatV2", [[ones(2, 3), ones(2, 3)], numpy.int32(2)], {}, "axis is 2, and must be in [-2, 2)"),
    ("ConcatV2", [[ones(2, 3), ones(3, 2)], numpy.int32(0)], {}, "all dimensions but 0 must be equal"),
    ("ConcatV2", [[ones(2, 3), ones(2)], numpy.int32(0)], {}, "values[1] of shape [2] does not join"),
    ("ConcatV2", [[ones(), ones()], numpy.int32(0)], {}, "values[0] is a scalar"),
    ("ConcatV2", [[ones(2), ones(2)], ints(0, 0)], {}, "input axis must be a single number"),
    ("StringJoin", [[TEXTS, TEXTS[:2]]], {"separator": ""}, "must have the same shape, or one be a scalar"),
])
def test_mistakes_get_a_status_that_says_what_is_wrong(tensorflow, plugin, op, inputs, attrs, says):
    call = Call(op, [i if isinstance(i, list) else numpy.asarray(i) for i in inputs], attrs)
    expected, found = tensorflow.run(call), plugin.run(call)
    assert isinstance(expected, Failure) and isinstance(found, Failure)
    assert found.code == expected.code
    assert f"{op}: " in found.message and says in found.message
