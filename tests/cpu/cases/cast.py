"""Cast."""

import math

import numpy

from cases.maker import COMPLEXES, FLOATS, INTEGERS, NUMBERS, dtype_of
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
