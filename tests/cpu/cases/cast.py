"""Cast."""

import math

import numpy

from cases.maker import (ANYTHING, COMPLEXES, FLOAT8S, FLOATS, INTEGERS, NUMBERS, QUANTIZED, dtype_of)
from cases.registry import Call, cases


def castable(make, source, target, shape):
    """Values of `source` whose cast to `target` is defined."""
    array = make.array(source, shape, special=target not in INTEGERS)
    if source in FLOATS + COMPLEXES and target in INTEGERS:
        info = numpy.iinfo(target)
        low, high = max(info.min, -10000), min(info.max, 10000)
        array = numpy.clip(array.real.astype("float64"), low, high).astype(dtype_of(source))
    return array


@cases("Cast", dtypes=NUMBERS + ["bool"])
def cast(make, op, source):
    for target in NUMBERS + ["bool"]:
        for shape in [], [0, 3], [5, 3], [1000]:
            yield Call(op, [castable(make, source, target, shape)],
                       {"DstT": dtype_of(target), "Truncate": False})


@cases("Cast", dtypes=FLOATS)
def cast_beyond_the_integers_range(make, op, source):
    # What x86 makes of it.
    values = [1e10, -1e10, 1e20, -1e20, math.nan, math.inf, -math.inf, 2.5, -2.5, 2.0**31, -2.0**31,
              2.0**63, -2.0**63, 3e9]
    with numpy.errstate(over="ignore"):
        array = numpy.array(values).astype(dtype_of(source))
    for target in "int32", "int64", "uint64":
        yield Call(op, [array], {"DstT": dtype_of(target), "Truncate": False})


@cases("Cast", dtypes=["float32", "float64", "complex128"])
def cast_with_truncate(make, op, source):
    targets = {"float32": ["float16", "bfloat16"], "float64": ["float16", "bfloat16", "float32"],
               "complex128": ["complex64"]}
    for target in targets[source]:
        yield Call(op, [make.array(source, [3000], special=source != "complex128")],
                   {"DstT": dtype_of(target), "Truncate": True})


@cases("Cast", dtypes=ANYTHING)
def cast_between_all_types(make, op, source):
    """Also pairs that TensorFlow has not."""
    for target in ANYTHING:
        if source in NUMBERS + ["bool"] and target in NUMBERS + ["bool"]:
            continue
        if source in FLOATS + COMPLEXES and target in QUANTIZED:
            array = castable(make, source, target[1:], [200])
        elif source in FLOAT8S and target in INTEGERS + QUANTIZED:
            array = make.array(source, [200], low=0, high=100)
        else:
            array = make.array(source, [200])
        yield Call(op, [array], {"DstT": dtype_of(target), "Truncate": False})


@cases("Cast", dtypes=FLOATS)
def cast_to_float8(make, op, source):
    """Every number that float8 has, those halfway between, and their neighbours."""
    for target in "float8_e5m2", "float8_e4m3fn":
        exact = numpy.arange(256, dtype="uint8").view(dtype_of(target)).astype("float64")
        exact = numpy.sort(exact[numpy.isfinite(exact)])
        halfway = (exact[1:] + exact[:-1]) / 2
        values = numpy.concatenate([exact, halfway, halfway * (1 + 1e-9), halfway * (1 - 1e-9), halfway * 1.01,
                                    halfway * 0.99, [1e9, -1e9, numpy.inf, numpy.nan, 465.0, 60000.0, 61440.0]])
        with numpy.errstate(over="ignore"):
            yield Call(op, [values.astype(dtype_of(source))], {"DstT": dtype_of(target), "Truncate": False})
