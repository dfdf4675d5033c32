"""Conv2D and its gradients."""

import numpy

from cases.maker import FLOATS, INTEGERS
from cases.registry import Call, cases


def output_size(size, taps, stride, dilation, padding):
    """(output, zeros before) along one axis; `padding` is a word, or zeros before and after."""
    reach = (taps - 1) * dilation + 1
    if padding == "SAME":
        out = -(-size // stride)
        return out, max(0, (out - 1) * stride + reach - size) // 2
    before, after = (0, 0) if padding == "VALID" else padding
    return (size + before + after - reach) // stride + 1, before


def geometry(attrs, in_dims, filter_dims):
    """Per axis: (output, zeros before, stride, dilation)."""
    explicit = attrs.get("explicit_paddings") or [0] * 8
    axes = []
    for axis in (1, 2):
        padding = attrs["padding"] if attrs["padding"] != "EXPLICIT" else explicit[2 * axis:2 * axis + 2]
        stride, dilation = attrs["strides"][axis], attrs.get("dilations", [1] * 4)[axis]
        axes.append((*output_size(in_dims[axis], filter_dims[axis - 1], stride, dilation, padding), stride,
                     dilation))
    return axes


def windows(axes, in_dims, taps):
    """For every tap: the places it sees in the padded input, as slices, and the padding."""
    (out_h, top, stride_h, dil_h), (out_w, left, stride_w, dil_w) = axes
    ends = [max(0, (out - 1) * stride + (taps[i] - 1) * dilation + 1 - before - in_dims[1 + i])
            for i, (out, before, stride, dilation) in enumerate(axes)]
    pads = [(0, 0), (top, ends[0]), (left, ends[1]), (0, 0)]

    def places(y, x):
        return (slice(None), slice(y * dil_h, y * dil_h + (out_h - 1) * stride_h + 1, stride_h),
                slice(x * dil_w, x * dil_w + (out_w - 1) * stride_w + 1, stride_w))
    return pads, places


def convolve(call, prepare):
    attrs = call.attrs
    if call.op == "Conv2D":
        source, taps = (prepare(x) for x in call.inputs)
        in_dims, filter_dims = source.shape, taps.shape
    elif call.op == "Conv2DBackpropInput":
        taps, gradient = (prepare(x) for x in call.inputs[1:])
        in_dims, filter_dims = call.inputs[0].tolist(), taps.shape
        if len(in_dims) == 2:
            in_dims = [gradient.shape[0], *in_dims, taps.shape[2]]
    else:
        source, gradient = prepare(call.inputs[0]), prepare(call.inputs[2])
        in_dims, filter_dims = source.shape, call.inputs[1].tolist()
    axes = geometry(attrs, in_dims, filter_dims)
    pads, places = windows(axes, in_dims, filter_dims)
    groups = max(1, in_dims[3] // filter_dims[2])
    kind = numpy.result_type(prepare(call.inputs[1 if call.op == "Conv2DBackpropInput" else 0]))
    padded = (numpy.pad(source, pads) if call.op != "Conv2DBackpropInput" else
              numpy.zeros([d + a + b for d, (a, b) in zip(in_dims, pads)], kind))
    out_dims = [in_dims[0], axes[0][0], axes[1][0], filter_dims[3]]
    result = numpy.zeros({"Conv2D": out_dims, "Conv2DBackpropFilter": filter_dims}.get(call.op, [0]), kind)
    for y in range(filter_dims[0]):
        for x in range(filter_dims[1]):
            for g in range(groups):
                ins = slice(g * filter_dims[2], (g + 1) * filter_dims[2])
                outs = slice(g * filter_dims[3] // groups, (g + 1) * filter_dims[3] // groups)
                at = (*places(y, x), ins)
                if call.op == "Conv2D":
                    result[..., outs] += padded[at] @ taps[y, x][:, outs]
                elif call.op == "Conv2DBackpropInput":
                    padded[at] += gradient[..., outs] @ taps[y, x][:, outs].T
                else:
                    result[y, x][:, outs] = numpy.tensordot(padded[at], gradient[..., outs], ([0, 1, 2], [0, 1, 2]))
    if call.op == "Conv2DBackpropInput":
        return padded[:, pads[1][0]:pads[1][0] + in_dims[1], pads[2][0]:pads[2][0] + in_dims[2]]
    return result


def exact(call):
    if any(x.dtype.name in INTEGERS for x in call.inputs[::2]) and call.op == "Conv2D":
        return [None]
    if call.inputs[-1].dtype.name in INTEGERS:
        return [None]
    return [convolve(call, lambda x: x.astype("longdouble" if x.dtype == "float64" else "float64"))]


def terms(call):
    return [convolve(call, lambda x: numpy.abs(x.astype("float64")))]


def numbers(make, dtype, shape, special=False):
    if dtype == "float16" and not special:  # whose sums would be infinite on the way
        return make.array(dtype, shape, low=-3, high=3)
    return make.array(dtype, shape, special=special, small=True)


def attrs_of(make, spread):
    attrs = {"strides": [1, make.choose([1, 1, 2, 3]), make.choose([1, 1, 2, 3]), 1],
             "padding": make.choose(["SAME", "VALID", "EXPLICIT"])}
    if attrs["padding"] == "EXPLICIT":
        attrs["explicit_paddings"] = [0, 0, *[make.below(3) for _ in range(4)], 0, 0]
    if make.below(3) == 0 and spread:
        attrs["dilations"] = [1, 1 + make.below(3), 1 + make.below(2), 1]
    return attrs


def shapes_of(make, i):
    """(input, filter) of a convolution whose output may be empty, but not negative."""
    if i % 8 == 7:  # beyond one panel of anything
        return [2, 9, 8, 40], [3, 2, 40, 70]
    taps = [1, 1] if i % 4 == 3 else [1 + make.below(4), 1 + make.below(4)]
    batch = make.choose([0, 1, 2, 3]) if i % 5 == 0 else 1 + make.below(3)
    depth = [1 + make.below(6), 1 + make.below(20)]
    return [batch, 9 + make.below(6), 10 + make.below(6), depth[0]], [*taps, *depth]


ALL_TYPES = FLOATS + ["int32"]


@cases("Conv2D", dtypes=ALL_TYPES, reference=exact, scale=terms)
def conv2d(make, op, dtype):
    for i in range(40):
        image, taps = shapes_of(make, i)
        if i % 6 == 5:  # groups
            groups = 1 + make.below(3)
            image[3], taps[3] = taps[2] * groups, taps[3] * groups
        yield Call(op, [numbers(make, dtype, image, i % 10 == 4),
                        numbers(make, dtype, taps)], attrs_of(make, True))
    yield from wrong_attrs(make, op, dtype)
    for image, taps, says in [
            ([4, 4, 1], [1, 1, 1, 1], "input must have 4 dimensions, not the shape [4,4,1]"),
            ([1, 4, 4, 1], [1, 1, 1], "filter must have 4 dimensions"),
            ([1, 4, 4, 3], [1, 1, 2, 1], "the input's depth must be a multiple of the filter's"),
            ([1, 4, 4, 4], [1, 1, 2, 3], "must be a multiple of the number of groups"),
            ([1, 4, 4, 1], [5, 1, 1, 1], ""),
            ([1, 4, 4, 1], [1, 6, 1, 1], "width of the output would be negative"),
            ([1, 4, 4, 0], [1, 1, 0, 1], ""),
            ([1, 4, 4, 2], [1, 1, 2, 0], ""),
            ([1, 0, 4, 2], [1, 1, 2, 1], ""),
            ([1, 4, 4, 2], [0, 1, 2, 1], "")]:
        yield Call(op, [make.array(dtype, image, small=True), make.array(dtype, taps, small=True)],
                   {"strides": [1, 1, 1, 1], "padding": "VALID"}, says)


def wrong_attrs(make, op, dtype):
    image, taps = [1, 5, 5, 2], [2, 2, 2, 3]
    usual = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    for attrs, says in [({"strides": [1, 1, 1]}, "attribute strides has 3 numbers, and must have 4"),
                        ({"strides": [1, 0, 1, 1]}, "attribute strides has 0"),
                        ({"strides": [1, 1, -1, 1]}, "attribute strides has -1"),
                        ({"strides": [2, 1, 1, 1]}, ""), ({"strides": [1, 1, 1, 2]}, ""),
                        ({"dilations": [1, 1]}, "attribute dilations has 2 numbers"),
                        ({"dilations": [1, 0, 1, 1]}, "attribute dilations has 0"),
                        ({"dilations": [1, 1, 1, 2]}, ""),
                        ({"padding": "EXPLICIT"}, "explicit_paddings has 0 numbers"),
                        ({"padding": "EXPLICIT", "explicit_paddings": [0] * 6}, "has 6 numbers"),
                        ({"padding": "EXPLICIT", "explicit_paddings": [0, 0, -1, 0, 0, 0, 0, 0]},
                         "explicit_paddings[2] is -1"),
                        ({"padding": "EXPLICIT", "explicit_paddings": [1, 0, 0, 0, 0, 0, 0, 0]},
                         "must be 0 for batch and depth"),
                        ({"explicit_paddings": [0] * 8}, "and none without"),
                        ({"data_format": "NCHW"}, "")]:
        inputs = [make.array(dtype, image, small=True), make.array(dtype, taps, small=True)]
        gradient = make.array(dtype, [1, 4, 4, 3], small=True)
        if op == "Conv2DBackpropInput":
            inputs = [numpy.array(image, "int32"), inputs[1], gradient]
        elif op == "Conv2DBackpropFilter":
            inputs = [inputs[0], numpy.array(taps, "int32"), gradient]
        yield Call(op, inputs, {**usual, **attrs}, says)


def gradient_call(make, op, dtype, image, taps, attrs, special=False):
    axes = geometry(attrs, image, taps)
    gradient = numbers(make, dtype, [image[0], axes[0][0], axes[1][0], taps[3]], special)
    if op == "Conv2DBackpropInput":
        sizes = image[1:3] if make.below(4) == 0 and image[3] == taps[2] else image
        return Call(op, [numpy.array(sizes, "int32"), numbers(make, dtype, taps),
                         gradient], attrs)
    return Call(op, [numbers(make, dtype, image), numpy.array(taps, "int32"),
                     gradient], attrs)


@cases("Conv2DBackpropInput", dtypes=ALL_TYPES, reference=exact, scale=terms)
@cases("Conv2DBackpropFilter", dtypes=FLOATS, reference=exact, scale=terms)
def gradients(make, op, dtype):
    for i in range(40):
        image, taps = shapes_of(make, i)
        # With dilations TensorFlow has gradients only by oneDNN; tests/cpu/test_routines_products.c has them.
        yield gradient_call(make, op, dtype, image, taps, attrs_of(make, False),
                            special=i % 10 == 4 and dtype != "float16")
    yield from wrong_attrs(make, op, dtype)
    usual = {"strides": [1, 1, 1, 1], "padding": "VALID"}
    sizes = {"Conv2DBackpropInput": [2, 5, 5, 2], "Conv2DBackpropFilter": [2, 2, 2, 3]}[op]
    other = {"Conv2DBackpropInput": [2, 2, 2, 3], "Conv2DBackpropFilter": [2, 5, 5, 2]}[op]
    at = 0 if op == "Conv2DBackpropInput" else 1
    for given, gradient, says in [
            (sizes, [2, 4, 4], "out_backprop"), (sizes, [2, 4, 5, 3], "must have the output's, [2,4,4,3]"),
            (sizes, [1, 4, 4, 3], "must have the output's"), (sizes, [2, 4, 4, 2], "must have the output's"),
            (sizes[:3], [2, 4, 4, 3], "must be a vector of 4 numbers"),
            ([sizes], [2, 4, 4, 3], "must be a vector of 4 numbers"),
            ([2, 2, 2, -3], [2, 4, 4, 3], "too much or too little")]:
        inputs = [make.array(dtype, other, small=True), make.array(dtype, gradient, small=True)]
        inputs.insert(at, numpy.array(given, "int32"))
        yield Call(op, inputs, usual, says)
