"""MaxPool, AvgPool, their gradients and relatives."""

import itertools

import numpy

from cases.maker import FLOATS, INDICES, INTEGERS, REALS, dtype_of
from cases.registry import Call, Type, cases

# What TensorFlow's definition of MaxPool allows; its gradients have all.
POOLED = [dtype for dtype in REALS if dtype not in ("uint32", "uint64")]


def wide(array):
    return array.astype("longdouble" if array.dtype.name == "float64" else "float64")


def windows(size, window, stride, padding, edges=(0, 0)):
    """(begin, end) of every window along one dimension."""
    before = edges[0]
    if padding == "SAME":
        count = -(-size // stride)
        before = max((count - 1) * stride + window - size, 0) // 2
    else:
        count = (size + sum(edges) - window + stride) // stride
    return [(max(i * stride - before, 0), min(i * stride - before + window, size)) for i in range(count)]


def patches(shape, attrs):
    """For every window: its place in the output and the slices of rows and columns under it."""
    edges = attrs.get("explicit_paddings") or [0] * 8
    spans = [windows(shape[i], attrs["ksize"][i], attrs["strides"][i], attrs["padding"],
                     edges[2 * i:2 * i + 2]) for i in (1, 2)]
    for (y, rows), (x, columns) in itertools.product(enumerate(spans[0]), enumerate(spans[1])):
        yield y, x, slice(*rows), slice(*columns)


def pooled_shape(shape, attrs):
    last = max(((y + 1, x + 1) for y, x, _, _ in patches(shape, attrs)), default=None)
    edges = attrs.get("explicit_paddings") or [0] * 8
    sizes = [len(windows(shape[i], attrs["ksize"][i], attrs["strides"][i], attrs["padding"],
                         edges[2 * i:2 * i + 2])) for i in (1, 2)]
    assert last is None or list(last) == sizes
    return [shape[0], *sizes, shape[3]]


def window_attrs(make, shape, explicit=False):
    """Sizes and strides that fit, of any padding."""
    while True:
        padding = make.choose(["SAME", "VALID"] + ["EXPLICIT"] * explicit)
        sizes = [make.choose([1, 2, 2, 3, 3, 5, 7]) for _ in range(2)]
        attrs = {"ksize": [1, *sizes, 1], "strides": [1, 1 + make.below(3), 1 + make.below(3), 1],
                 "padding": padding}
        if padding == "EXPLICIT":
            edges = [make.below(size) for size in sizes for _ in range(2)]
            attrs["explicit_paddings"] = [0, 0, *edges, 0, 0]
        edges = attrs.get("explicit_paddings", [0] * 8)
        room = [shape[i] + edges[2 * i] + edges[2 * i + 1] - attrs["ksize"][i] for i in (1, 2)]
        if padding == "SAME" or min(room) >= 0:
            return attrs


def images(make):
    yield [1, 2, 2, 1], [2, 7, 5, 3], [0, 4, 4, 2], [2, 4, 4, 0]
    for channels in (1, 2, 3, 8, 16, 17, 33, 64, 100):
        yield [1 + make.below(2), 3 + make.below(6), 3 + make.below(6), channels],
    yield [40, 5, 6, 5], [1, 30, 40, 32]


def shapes(make):
    return [shape for group in images(make) for shape in group]


@cases("MaxPool", dtypes=POOLED)
def max_pool(make, op, dtype):
    for shape in shapes(make) * 2:
        yield Call(op, [make.array(dtype, shape)], window_attrs(make, shape, explicit=True))
    ones = numpy.ones([2, 4, 4, 8], dtype_of(dtype))
    for channels in (2, 4, 8):
        yield Call(op, [make.array(dtype, [2, 4, 3, 8], special=False)],
                   {"ksize": [1, 1, 1, channels], "strides": [1, 1, 1, channels], "padding": "VALID"})
    for array, attrs, says in [
            (ones[0], {}, "input input must be of rank 4"),
            (ones[None], {}, "input input must be of rank 4"),
            (ones, {"ksize": [2, 2, 2, 1]}, "batches are not pooled over"),
            (ones, {"strides": [2, 2, 2, 1]}, "batches are not pooled over"),
            (ones, {"ksize": [1, 1, 1, 3], "strides": [1, 1, 1, 3]}, "must divide the 8 channels"),
            (ones, {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 1]}, "equal strides[3]"),
            (ones, {"ksize": [1, 2, 2, 2], "strides": [1, 2, 2, 2]}, "over rows or columns"),
            (ones, {"ksize": [1, 0, 2, 1]}, "ksize[1] is 0"),
            (ones, {"ksize": [1, 2, -1, 1]}, "ksize[2] is -1"),
            (ones, {"ksize": [1, 2, 2, 0]}, "ksize[3] is 0"),
            (ones, {"strides": [1, 0, 2, 1]}, "stride"),
            (ones, {"strides": [1, 2, -1, 1]}, "stride"),
            (ones, {"ksize": [1, 9, 2, 1]}, ""),
            (ones, {"ksize": [1, 2, 2, 1, 1]}, ""),
            (ones, {"ksize": [1, 2, 2]}, ""),
            (ones, {"data_format": "NCHW"}, "must be one of: NHWC"),
            (ones, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 2, 0, 0, 0, 0, 0]},
             "must be below ksize"),
            (ones, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, -1, 0, 0, 0, 0]}, ""),
            (ones, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 0, 0, 0, 1]}, ""),
            (ones, {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1]}, "")]:
        yield Call(op, [array], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID",
                                 **attrs}, says)


@cases("MaxPoolV2", dtypes=POOLED)
def max_pool_v2(make, op, dtype):
    for shape in shapes(make):
        attrs = window_attrs(make, shape)
        window = [numpy.array(attrs.pop(name), "int32") for name in ("ksize", "strides")]
        yield Call(op, [make.array(dtype, shape), *window], attrs)
    ones = numpy.ones([2, 4, 4, 8], dtype_of(dtype))
    for sizes, strides in [([1, 2, 2], [1, 2, 2, 1]), ([1, 2, 2, 1], [1, 2, 2]),
                           ([2, 2, 2, 1], [1, 2, 2, 1]), ([1, 0, 2, 1], [1, 2, 2, 1]),
                           ([1, 2, 2, 1], [1, 0, 2, 1]), ([1, 2, 2, 1], [1, -2, 2, 1])]:
        yield Call(op, [ones, numpy.array(sizes, "int32"), numpy.array(strides, "int32")],
                   {"padding": "VALID"})


def exact_max_grad(call):
    """Rounded only once; None for integers."""
    if call.inputs[0].dtype.name in INTEGERS:
        return [None]
    return [spread(call, wide(call.inputs[2]))]


def spread(call, grad):
    array = wide(call.inputs[0])
    out = numpy.zeros(array.shape, grad.dtype)
    for y, x, rows, columns in patches(array.shape, call.attrs):
        for n, c in numpy.ndindex(array.shape[0], array.shape[3]):
            patch = array[n, rows, columns, c]
            # The first largest one; a NaN stays only in the first place.
            flat = patch.reshape(-1)
            at = 0
            for i, value in enumerate(flat):
                if flat[at] < value:
                    at = i
            out[n, rows, columns, c][numpy.unravel_index(at, patch.shape)] += grad[n, y, x, c]
    return out


def max_grad_scale(call):
    return [None if call.inputs[0].dtype.name in INTEGERS else spread(call, numpy.abs(wide(call.inputs[2])))]


@cases("MaxPoolGrad", dtypes=REALS, reference=exact_max_grad, scale=max_grad_scale)
def max_pool_grad(make, op, dtype):
    for shape in shapes(make):
        if shape[0] > 2 or shape[1] > 20:
            shape = [3, 5, 6, 5]
        attrs = window_attrs(make, shape, explicit=True)
        pooled = pooled_shape(shape, attrs)
        yield Call(op, [make.array(dtype, shape, small=True), make.array(dtype, pooled),
                        make.array(dtype, pooled, special=False)], attrs)
    yield from wrong_grads(op, dtype)


def wrong_grads(op, dtype):
    def ones(*shape):
        return numpy.ones(shape, dtype_of(dtype))
    for inputs, attrs, says in [
            ([ones(1, 4, 4, 8), ones(1, 2, 2, 8), ones(1, 2, 2, 7)], {}, "input grad is of shape [1,2,2,7]"),
            ([ones(1, 4, 4, 8), ones(1, 2, 1, 8), ones(1, 2, 2, 8)], {}, "input orig_output is of shape"),
            ([ones(4, 4, 8), ones(1, 2, 2, 8), ones(1, 2, 2, 8)], {}, ""),
            ([ones(1, 4, 4, 8), ones(2, 2, 8), ones(1, 2, 2, 8)], {}, ""),
            ([ones(1, 4, 4, 8), ones(1, 2, 2, 8), ones(2, 2, 8)], {}, ""),
            ([ones(1, 4, 4, 8), ones(1, 2, 2, 8), ones(1, 2, 2, 8)], {"data_format": "NCHW"}, ""),
            ([ones(1, 4, 4, 8), ones(1, 2, 2, 8), ones(1, 2, 2, 8)], {"ksize": [2, 2, 2, 1]}, ""),
            ([ones(1, 4, 4, 8), ones(1, 2, 2, 8), ones(1, 2, 2, 8)], {"strides": [1, 0, 2, 1]}, "")]:
        yield Call(op, inputs, {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID",
                                **attrs}, says)


@cases("MaxPoolGradV2", dtypes=REALS)
def max_pool_grad_v2(make, op, dtype):
    for shape in shapes(make):
        attrs = window_attrs(make, shape)
        attrs["strides"] = attrs["ksize"]  # no overlap: nothing is added up
        if shape[1] < attrs["ksize"][1] or shape[2] < attrs["ksize"][2]:
            attrs["padding"] = "SAME"
        pooled = pooled_shape(shape, attrs)
        window = [numpy.array(attrs.pop(name), "int32") for name in ("ksize", "strides")]
        yield Call(op, [make.array(dtype, shape, small=True), make.array(dtype, pooled),
                        make.array(dtype, pooled, special=False), *window], attrs)
    yield from wrong_grads_of(op, dtype, [1, 2, 2, 8])


def wrong_grads_of(op, dtype, grad):
    """For an op whose gradient has the shape `grad` where images are [1, 4, 4, 8] and windows 2 by 2."""
    def call(says, image=(1, 4, 4, 8), output=(1, 2, 2, 8), grad=grad, ksize=(1, 2, 2, 1), strides=(1, 2, 2, 1),
             **attrs):
        inputs = [numpy.ones(shape, dtype_of(dtype)) for shape in (image, output, grad)]
        window = {"ksize": list(ksize), "strides": list(strides)}
        if op.endswith("V2"):
            inputs, window = inputs + [numpy.array(numbers, "int32") for numbers in window.values()], {}
        return Call(op, inputs, {**window, "padding": "VALID", **attrs}, says)
    yield call("input orig_input must be of rank 4", image=[4, 4, 8])
    yield call("input orig_output is of shape [2,2,8]", output=[2, 2, 8])
    yield call("input orig_output is of shape [1,2,2,7]", output=[1, 2, 2, 7])
    yield call("input grad is of shape", grad=grad[1:])
    yield call("input grad is of shape", grad=[*grad[:3], 7])
    yield call("must be one of: NHWC", data_format="NCHW")
    yield call("batches are not pooled over", ksize=[2, 2, 2, 1])
    yield call("batches are not pooled over", strides=[2, 2, 2, 1])
    yield call("channels are not pooled over", ksize=[1, 2, 2, 2])
    yield call("ksize[1] is 0", ksize=[1, 0, 2, 1])
    yield call("stride 0", strides=[1, 2, 0, 1])
    yield call("", ksize=[1, 2, 2])
    yield call("", strides=[1, 2, 2])


@cases("MaxPoolGradGrad", "MaxPoolGradGradV2", dtypes=REALS)
def max_pool_grad_grad(make, op, dtype):
    for shape in shapes(make):
        attrs = window_attrs(make, shape)
        pooled = numpy.zeros(pooled_shape(shape, attrs), dtype_of(dtype))
        array = make.array(dtype, shape, small=True, special=False)
        for y, x, rows, columns in patches(shape, attrs):
            patch = array[:, rows, columns]
            if patch.size:
                pooled[:, y, x] = patch.max((1, 2))
        window = []
        if op == "MaxPoolGradGradV2":
            window = [numpy.array(attrs.pop(name), "int32") for name in ("ksize", "strides")]
        yield Call(op, [array, pooled, make.array(dtype, shape), *window], attrs)
    yield from wrong_grads_of(op, dtype, [1, 4, 4, 8])


@cases("MaxPoolWithArgmax", dtypes=REALS)
def max_pool_with_argmax(make, op, dtype):
    for shape in shapes(make):
        attrs = {**window_attrs(make, shape), "include_batch_in_index": make.coin(),
                 "Targmax": Type(make.choose(INDICES))}
        yield Call(op, [make.array(dtype, shape, small=True)], attrs)
    ones = numpy.ones([2, 4, 4, 8], dtype_of(dtype))
    for array, attrs in [(ones[0], {}), (ones, {"ksize": [2, 2, 2, 1]}), (ones, {"ksize": [1, 0, 2, 1]}),
                         (ones, {"strides": [1, 0, 2, 1]}), (ones, {"ksize": [1, 8, 2, 1]}),
                         (ones[:0], {})]:
        yield Call(op, [array], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID",
                                 "Targmax": Type("int64"), **attrs})


# TensorFlow's kernels are for 64-bit indices only, and end the process over indices outside of the image.
@cases("MaxPoolGradWithArgmax", dtypes=REALS)
def max_pool_grad_with_argmax(make, op, dtype):
    for _ in range(6):
        shape = [2, 4 + make.below(4), 4 + make.below(4), 5]
        attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": make.choose(["SAME", "VALID"]),
                 "include_batch_in_index": make.coin()}
        pooled = pooled_shape(shape, attrs)
        where = numpy.stack([make.random.permutation(shape[1] * shape[2] * shape[3])
                             [:pooled[1] * pooled[2] * pooled[3]].reshape(pooled[1:]) for _ in range(2)])
        if attrs["include_batch_in_index"]:
            where[1] += shape[1] * shape[2] * shape[3]
        yield Call(op, [make.array(dtype, shape), make.array(dtype, pooled), where.astype("int64")], attrs)
    ones = numpy.ones([1, 4, 4, 8], dtype_of(dtype))
    for grad, where in [([1, 2, 2, 7], [1, 2, 2, 8]), ([1, 2, 2, 8], [1, 2, 2, 7]), ([2, 2, 8], [2, 2, 8])]:
        yield Call(op, [ones, numpy.ones(grad, dtype_of(dtype)), numpy.zeros(where, "int64")],
                   {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"})


def means(call, of):
    array = of(wide(call.inputs[0]))
    out = numpy.zeros(pooled_shape(array.shape, call.attrs), array.dtype)
    for y, x, rows, columns in patches(array.shape, call.attrs):
        out[:, y, x] = array[:, rows, columns].mean((1, 2))
    return [out]


@cases("AvgPool", dtypes=FLOATS, reference=lambda call: means(call, lambda x: x),
       scale=lambda call: means(call, numpy.abs))
def average_pool(make, op, dtype):
    for shape in shapes(make) * 2:
        yield Call(op, [make.array(dtype, shape, special=False)], window_attrs(make, shape))
    yield Call(op, [make.array(dtype, [2, 40, 50, 20], special=False)],
               {"ksize": [1, 40, 50, 1], "strides": [1, 1, 1, 1], "padding": "VALID"})
    ones = numpy.ones([2, 4, 4, 8], dtype_of(dtype))
    for array, attrs, says in [
            (ones[0], {}, "input value must be of rank 4"),
            (ones, {"ksize": [2, 2, 2, 1]}, "batches are not pooled over"),
            (ones, {"ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2]}, "channels are not pooled over"),
            (ones, {"ksize": [1, 0, 2, 1]}, "ksize[1] is 0"),
            (ones, {"strides": [1, 0, 2, 1]}, "stride"),
            (ones, {"ksize": [1, 9, 2, 1]}, ""),
            (ones, {"ksize": [1, 2, 2, 1, 1]}, ""),
            (ones, {"data_format": "NCHW"}, "must be one of: NHWC")]:
        yield Call(op, [array], {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID",
                                 **attrs}, says)


def shares(call, of):
    grad = of(wide(call.inputs[1]))
    out = numpy.zeros(call.inputs[0], grad.dtype)
    for y, x, rows, columns in patches(out.shape, call.attrs):
        patch = out[:, rows, columns]
        patch += grad[:, y:y + 1, x:x + 1] / (patch.shape[1] * patch.shape[2])
    return [out]


@cases("AvgPoolGrad", dtypes=FLOATS, reference=lambda call: shares(call, lambda x: x),
       scale=lambda call: shares(call, numpy.abs))
def average_pool_grad(make, op, dtype):
    for shape in shapes(make):
        attrs = window_attrs(make, shape)
        yield Call(op, [numpy.array(shape, "int32"),
                        make.array(dtype, pooled_shape(shape, attrs), special=False)], attrs)
    ones = numpy.ones([1, 2, 2, 8], dtype_of(dtype))
    for shape, grad, attrs in [
            ([1, 4, 4], ones, {}), ([[1, 4], [4, 8]], ones, {}), ([1, 4, 4, 8], ones[0], {}),
            ([1, 4, 4, -8], ones, {}), ([1, 4, 4, 8], ones, {"data_format": "NCHW"}),
            ([1, 4, 4, 8], ones, {"ksize": [2, 2, 2, 1]}), ([1, 4, 4, 8], ones, {"ksize": [1, 2, 2, 2]}),
            ([1, 4, 4, 8], ones, {"strides": [1, 0, 2, 1]}), ([1, 4, 4, 8], ones, {"ksize": [1, 9, 2, 1]})]:
        yield Call(op, [numpy.array(shape, "int32"), grad],
                   {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID", **attrs})
