"""When two results are the same, and how far floats are from the exact answer, in ulp.

Integers, strings and moved elements are equal. A float is what TensorFlow has to the last bit, or close
enough: within BAR ulp or twice TensorFlow's largest error over the op and type, whichever is more, of the
exact answer where the case gives one, else within BAR ulp of TensorFlow's. Complex numbers are
measured by their magnitude. Infinity counts as the next number after the largest, so that a result may
round to it or not. TensorFlow flushes denormal numbers to zero, which nobody has to imitate: where it
answers zero, a denormal is as good, and calls with denormal inputs say nothing about its accuracy.
A call that fails, fails with the same code; what TensorFlow calls UNIMPLEMENTED we may have.
"""

import functools

import ml_dtypes
import numpy

from cases.maker import COMPLEXES, FLOATS, real_of
from hosts import Failure, Sequence

BAR = 4.0
UNIMPLEMENTED = 12
MEASURED = FLOATS + COMPLEXES


def is_measured(array):
    return array.dtype.name in MEASURED


def wide(array, dtype):
    """In a type in which errors of `dtype` can be measured."""
    name = "longdouble" if real_of(numpy.dtype(dtype).name) == "float64" else "float64"
    complexes = {"longdouble": "clongdouble", "float64": "complex128"}
    array = numpy.asarray(array)
    return array.astype(complexes[name] if array.dtype.kind == "c" else name)


@functools.cache
def limits(name):
    """(the ulp of 1, the smallest normal number, the power of two after the largest)"""
    info = ml_dtypes.finfo(real_of(name))
    return float(info.eps), float(info.smallest_normal), numpy.exp2(numpy.longdouble(info.maxexp))


def ulp(magnitudes, dtype):
    """The distance between neighbours at these magnitudes, in the precision of `dtype`."""
    eps, normal, largest = limits(dtype.name)
    size = numpy.clip(magnitudes, normal, largest / 2)
    return numpy.ldexp(magnitudes.dtype.type(eps), numpy.frexp(size)[1] - 1)


def bounded(values, largest):
    """What is beyond it as the number after the largest."""
    if values.dtype.kind == "c":
        return bounded(values.real, largest) + 1j * bounded(values.imag, largest)
    return numpy.where(numpy.abs(values) > largest, numpy.copysign(largest, values), values)


def distance(found, exact, scale=None):
    """How many ulp lie between, element by element; inf where only one of them is NaN."""
    a, b = wide(found, found.dtype), wide(exact, found.dtype)
    same = (a == b) | (numpy.isnan(a) & numpy.isnan(b))
    if same.all():
        return numpy.zeros(found.shape)
    largest = limits(found.dtype.name)[2].astype(a.real.dtype)
    with numpy.errstate(all="ignore"):
        one, other = bounded(a, largest), bounded(b, largest)
        size = numpy.abs(other)
        if scale is not None:
            size = numpy.maximum(numpy.abs(wide(scale, found.dtype)), size)
        far = numpy.abs(one - other) / ulp(size, found.dtype)
    return numpy.where(same, 0, numpy.where(numpy.isnan(far), numpy.inf, far)).astype("float64")


def has_denormals(call):
    calls = call.calls if isinstance(call, Sequence) else [call]
    for value in (v for one in calls for i in one.inputs for v in (i if isinstance(i, list) else [i])):
        if isinstance(value, numpy.ndarray) and is_measured(value):
            for part in ([value.real, value.imag] if value.dtype.kind == "c" else [value]):
                size = numpy.nan_to_num(numpy.abs(part).astype("float64"))
                if ((size > 0) & (size < limits(value.dtype.name)[1])).any():
                    return True
    return False


def exact_of(entry, call, expected):
    """(exact, scale) per output; None where there is nothing to measure with."""
    if isinstance(expected, Failure):
        return []
    with numpy.errstate(all="ignore"):
        exact = entry.reference(call) if entry.reference else [None] * len(expected)
        scale = entry.scale(call) if entry.scale else [None] * len(expected)
    for value, answer in zip(exact, expected, strict=True):
        assert value is None or numpy.shape(value) == answer.shape, (
            f"the reference has shape {numpy.shape(value)}, TensorFlow's answer {answer.shape}")
    return list(zip(exact, scale, strict=True))


def largest_error(results, exacts):
    """Over the results of all calls, of what can be measured."""
    worst = 0.0
    for result, exact in zip(results, exacts, strict=True):
        if isinstance(result, Failure):
            continue
        for array, (value, scale) in zip(result, exact):
            if value is None or not is_measured(array) or not array.size:
                continue
            far = distance(array, value, scale)
            normal = numpy.abs(value) >= limits(array.dtype.name)[1]
            finite = numpy.isfinite(wide(array, array.dtype)) & numpy.isfinite(value) & normal & (array != 0)
            worst = max(worst, float(numpy.max(far, where=finite, initial=0.0)))
    return worst


def accuracy(group, expected, found):
    """(exacts, TensorFlow's largest error, ours, the bar) of a group's calls and their results."""
    exacts = [exact_of(entry, call, result) for (entry, call), result in zip(group, expected, strict=True)]
    theirs = largest_error(expected, [[(None, None)] * len(exact) if has_denormals(call) else exact
                                      for (_, call), exact in zip(group, exacts)])
    return exacts, theirs, largest_error(found, exacts), max(BAR, 2 * theirs)


def wrong_elements(found, expected, exact, scale, bar):
    """Where `found` is neither TensorFlow's answer nor close enough."""
    if found.dtype == object or found.dtype.names or found.dtype.kind in "biu":
        return found != expected
    if not is_measured(found):  # float8 and other tiny types, which numpy does not sort into kinds
        try:
            found, expected = found.astype("float32"), expected.astype("float32")
        except TypeError:
            return found != expected
        return ~((found == expected) | (numpy.isnan(found) & numpy.isnan(expected)))
    same = (found == expected) | (numpy.isnan(found) & numpy.isnan(expected))
    if exact is not None:
        return ~same & ~(distance(found, exact, scale) <= bar)
    flushed = (expected == 0) & (numpy.abs(found) < limits(found.dtype.name)[1])
    return ~same & ~flushed & ~(distance(found, expected, scale) <= BAR)


def difference(call, found, expected, exacts, bar):
    """What is wrong with `found`, in words; "" when nothing is."""
    if isinstance(expected, Failure) or isinstance(found, Failure):
        return failure_difference(call, found, expected)
    if len(found) != len(expected):
        return f"gives {len(found)} outputs, TensorFlow {len(expected)}"
    for i, (one, other, (exact, scale)) in enumerate(zip(found, expected, exacts)):
        if one.dtype != other.dtype or one.shape != other.shape:
            return f"output {i} is {one.dtype}{one.shape}, TensorFlow's {other.dtype}{other.shape}"
        wrong = numpy.asarray(wrong_elements(one, other, exact, scale, bar))
        if wrong.any():
            at = tuple(int(k[0]) for k in numpy.nonzero(wrong)) if one.ndim else ()
            text = f"output {i}{list(at)} is {one[at]!r}, TensorFlow's {other[at]!r}"
            if exact is not None and is_measured(one):
                value = numpy.asarray(exact)[at]
                far = distance(one, exact, scale)
                text += f", exact {value!r}: {far[at]:.3g} ulp off (at most {bar:.3g}; worst {far.max():.3g})"
            return text + f"; {int(wrong.sum())} of {wrong.size} elements are wrong"
    return ""


def failure_difference(call, found, expected):
    if isinstance(expected, Failure):
        expected = expected._replace(message=expected.message[:300])
        if expected.code == UNIMPLEMENTED:
            return ""
    if not isinstance(expected, Failure):
        return f"fails: {found}; TensorFlow does not"
    if not isinstance(found, Failure):
        return f"gives {[(a.dtype.name, a.shape) for a in found]}; TensorFlow fails: {expected}"
    if found.code != expected.code:
        return f"fails with {found}; TensorFlow with {expected}"
    last = call.calls[-1] if isinstance(call, Sequence) else call
    if not isinstance(call, Sequence) and last.op not in found.message:
        return f"fails with a message that does not name {last.op}: {found.message!r}"
    if last.says not in found.message:
        return f"says {found.message!r}, which has no {last.says!r}"
    return ""


def describe(call):
    """A call in a line: types and shapes, small inputs in full."""
    if isinstance(call, Sequence):
        return " ; ".join(map(describe, call.calls))

    def one(value):
        if isinstance(value, list):
            return "[" + ", ".join(map(one, value)) + "]"
        if not isinstance(value, numpy.ndarray):
            return repr(value)
        text = f"{value.dtype.name}{list(value.shape)}"
        return text if value.size > 8 else f"{text}={value.tolist()}"
    return f"{call.op}({', '.join(map(one, call.inputs))}) {call.attrs or ''}"
