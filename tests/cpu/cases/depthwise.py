"""DepthwiseConv2dNative and its gradients."""

import itertools

import numpy

from cases.maker import FLOATS, dtype_of
from cases.pooling import windows
from cases.registry import Call, cases

OPS = ["DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter"]


def wide(array):
    return array.astype("longdouble" if array.dtype.name == "float64" else "float64")


def before(size, window, stride, attrs, i):
    """(padding in front, outputs) along dimension i."""
    if attrs["padding"] == "SAME":
        count = -(-size // stride)
        return max((count - 1) * stride + window - size, 0) // 2, count
    edges = (attrs.get("explicit_paddings") or [0] * 8)[2 * i:2 * i + 2]
    return edges[0], len(windows(size, window, stride, "VALID", edges))


def taps(image, filter_, attrs):
    """For every tap of the filter: it, and slices of the input and the output that it connects."""
    stride = attrs["strides"][1]
    sides = [before(image[i], filter_[i - 1], stride, attrs, i) for i in (1, 2)]
    for tap in itertools.product(range(filter_[0]), range(filter_[1])):
        slices = []
        for at, size, (pad, count) in zip(tap, image[1:3], sides):
            there = [i for i in range(count) if 0 <= i * stride - pad + at < size]
            if not there:
                break
            first = there[0] * stride - pad + at
            slices.append((slice(first, first + (len(there) - 1) * stride + 1, stride),
                           slice(there[0], there[-1] + 1)))
        else:
            (rows, out_rows), (columns, out_columns) = slices
            yield tap, (slice(None), rows, columns), (slice(None), out_rows, out_columns)


def out_shape(image, filter_, attrs):
    sizes = [before(image[i], filter_[i - 1], attrs["strides"][1], attrs, i)[1] for i in (1, 2)]
    return [image[0], *sizes, filter_[2] * filter_[3]]


def compute(call, of):
    attrs, inputs = call.attrs, call.inputs
    if call.op == OPS[0]:
        image, filter_ = (of(wide(x)) for x in inputs)
        out = numpy.zeros([*out_shape(image.shape, filter_.shape, attrs)[:3], *filter_.shape[2:]], image.dtype)
        for tap, here, there in taps(image.shape, filter_.shape, attrs):
            out[there] += image[here][..., None] * filter_[tap]
        return [out.reshape(out_shape(image.shape, filter_.shape, attrs))]
    shape, other, grad = (inputs[0], inputs[1], inputs[2]) if call.op == OPS[1] else (
        inputs[1], inputs[0], inputs[2])
    other, grad = of(wide(other)), of(wide(grad))
    out = numpy.zeros(shape, grad.dtype)
    image, filter_ = (out, other) if call.op == OPS[1] else (other, out)
    grad = grad.reshape(*grad.shape[:3], *filter_.shape[2:])
    for tap, here, there in taps(image.shape, filter_.shape, attrs):
        if call.op == OPS[1]:
            out[here] += (grad[there] * filter_[tap]).sum(-1)
        else:
            out[tap] += (image[here][..., None] * grad[there]).sum((0, 1, 2))
    return [out]


def scenes(make):
    """(image, filter, attrs) that fit."""
    for channels, multiplier in [(1, 1), (3, 1), (8, 1), (16, 1), (17, 1), (40, 1), (70, 1), (2, 2), (3, 4), (1, 9),
                                 (5, 3), (16, 2), (4, 16), (0, 2), (3, 0)]:
        for padding in ("SAME", "VALID", "EXPLICIT"):
            stride = make.choose([1, 1, 2, 3])
            filter_ = [1 + make.below(4), 1 + make.below(4), channels, multiplier]
            image = [make.choose([1, 2, 3]), filter_[0] + make.below(9), filter_[1] + make.below(9), channels]
            attrs = {"strides": [1, stride, stride, 1], "padding": padding}
            if padding == "EXPLICIT":
                attrs["explicit_paddings"] = [0, 0, *(make.below(4) for _ in range(4)), 0, 0]
            yield image, filter_, attrs
    yield [2, 30, 40, 24], [3, 3, 24, 1], {"strides": [1, 1, 1, 1], "padding": "SAME"}
    yield [40, 6, 5, 3], [3, 3, 3, 2], {"strides": [1, 2, 2, 1], "padding": "SAME"}
    yield [0, 6, 5, 3], [3, 3, 3, 2], {"strides": [1, 2, 2, 1], "padding": "SAME"}


def inputs_of(make, op, dtype, image, filter_, attrs):
    def array(shape):  # no sum overflows float16
        return make.array(dtype, shape, low=-3, high=3)
    if op == OPS[0]:
        return [array(image), array(filter_)]
    grad = array(out_shape(image, filter_, attrs))
    if op == OPS[1]:
        return [numpy.array(image, "int32"), array(filter_), grad]
    return [array(image), numpy.array(filter_, "int32"), grad]


@cases(*OPS, dtypes=FLOATS, reference=lambda call: compute(call, lambda x: x),
       scale=lambda call: compute(call, numpy.abs))
def depthwise(make, op, dtype):
    for image, filter_, attrs in scenes(make):
        yield Call(op, inputs_of(make, op, dtype, image, filter_, attrs), attrs)


@cases(*OPS, dtypes=["float32"])
def wrong(make, op, dtype):
    image, filter_ = [1, 5, 5, 4], [2, 2, 4, 3]
    attrs = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    good = inputs_of(make, op, dtype, image, filter_, attrs)
    for change, says in [({"strides": [1, 1, 2, 1]}, "strides are [1,1,2,1]"),
                         ({"strides": [2, 1, 1, 1]}, "strides are"), ({"strides": [1, 1, 1, 2]}, "strides are"),
                         ({"strides": [1, 0, 0, 1]}, "stride 0"), ({"strides": [1, 1, 1]}, "4 numbers"),
                         ({"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1]}, ""),
                         ({"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, -1, 0, 0, 0, 0]}, ""),
                         ({"data_format": "NCHW"}, "NHWC")]:
        yield Call(op, good, {**attrs, **change}, says)

    def with_(i, value):
        return [value if i == j else old for j, old in enumerate(good)]

    for i, old in enumerate(good):
        if old.dtype == "int32":
            changed = [old[:3], old.reshape(2, 2), old - [0, 0, 0, 20], old + [0, 0, 1, 0], old + [0, 1, 0, 0]]
        else:
            changed = [old[0], numpy.ones(numpy.add(old.shape, [0, 0, 1, 0]), dtype_of(dtype)),
                       numpy.ones(numpy.add(old.shape, [0, 0, 0, 1]), dtype_of(dtype))]
            if op == OPS[0]:
                # Any size and number of filters is right there; one channel more is not.
                changed = [changed[0], changed[2 - i]]
        for value in changed:
            yield Call(op, with_(i, value), attrs)
    if op == OPS[0]:
        yield Call(op, [good[0], numpy.ones([9, 9, 4, 1], dtype_of(dtype))], attrs)
