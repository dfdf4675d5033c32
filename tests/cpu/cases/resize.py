"""ResizeBilinear, ResizeNearestNeighbor and their gradients, ResizeBicubic."""

import numpy

from cases.maker import FLOATS, REALS, dtype_of
from cases.registry import Call, cases

# What the definitions allow.
RESIZED = [dtype for dtype in REALS if dtype not in ("uint32", "uint64")]
SPREAD = FLOATS + ["uint8", "int8", "int32"]
PLACINGS = [{}, {"align_corners": True}, {"half_pixel_centers": True}]


def scale_of(size, out, attrs):
    one = numpy.float32
    if attrs.get("align_corners") and out > 1:
        return one(size - 1) / one(out - 1)
    return one(size) / one(out)


def between(size, out, attrs):
    """Lower and upper neighbour of every output, and the share of the upper; in float32, as defined."""
    at = numpy.arange(out, dtype="float32")
    scale = scale_of(size, out, attrs)
    at = (at + numpy.float32(0.5)) * scale - numpy.float32(0.5) if attrs.get("half_pixel_centers") else at * scale
    below = numpy.floor(at)
    return (numpy.clip(below, 0, size - 1).astype(int), numpy.clip(numpy.ceil(at), 0, size - 1).astype(int),
            (at - below).astype("float64"))


def mixed(call, mix):
    images = call.inputs[0].astype("float64")
    for i, size in enumerate(call.inputs[1]):
        lower, upper, share = between(images.shape[1 + i], int(size), call.attrs)
        share = share.reshape([-1] + [1] * (2 - i))
        images = mix(images.take(lower, 1 + i), images.take(upper, 1 + i), share)
    return [images]


def exact_bilinear(call):
    return mixed(call, lambda lower, upper, share: lower + (upper - lower) * share)


def magnitudes(call):
    return mixed(call, lambda lower, upper, share: numpy.maximum(numpy.abs(lower), numpy.abs(upper)))


def sizes(make):
    """(images, new size): larger, smaller, the same, one pixel."""
    for channels in (1, 2, 3, 4, 16, 33):
        yield [1 + make.below(3), 1 + make.below(9), 1 + make.below(9), channels], [
            1 + make.below(20), 1 + make.below(20)]
    yield [2, 7, 5, 3], [7, 5]
    yield [2, 7, 5, 3], [1, 1]
    yield [2, 1, 1, 3], [5, 4]
    yield [0, 3, 4, 3], [5, 4]
    yield [1, 3, 700, 3], [4, 1100]
    yield [1, 2, 3, 2500], [4, 5]


def wrong(op, dtype):
    ones = numpy.ones([1, 4, 5, 3], dtype_of(dtype))
    for images, size, attrs, says in [
            (ones, [0, 8], {}, "size[0] is 0"), (ones, [8, -1], {}, "size[1] is -1"),
            (ones, [8], {}, "input size is of shape [1]"), (ones, [8, 8, 8], {}, "input size"),
            (ones, [[8, 8]], {}, "input size"), (ones[0], [8, 8], {}, "must be of rank 4")]:
        yield Call(op, [images, numpy.array(size, "int32")], attrs, says)


def wrong_images(op, dtype):
    yield from wrong(op, dtype)
    ones = numpy.ones([1, 4, 5, 3], dtype_of(dtype))
    for images, attrs, says in [
            (ones[:, :0], {}, "dimension 1 of images is 0"), (ones[..., :0], {}, "no channels"),
            (ones, {"align_corners": True, "half_pixel_centers": True}, "must not both be true")]:
        yield Call(op, [images, numpy.array([8, 8], "int32")], attrs, says)


@cases("ResizeBilinear", dtypes=RESIZED, reference=exact_bilinear, scale=magnitudes)
def bilinear(make, op, dtype):
    for attrs in PLACINGS:
        for shape, size in sizes(make):
            yield Call(op, [make.array(dtype, shape, special=False), numpy.array(size, "int32")], attrs)
    yield from wrong_images(op, dtype)


def quads(size, out, attrs):
    """Four neighbours of every output, and their weights, looked up at 1024 places between two pixels."""
    half = attrs.get("half_pixel_centers")
    at = numpy.arange(out, dtype="float32")
    scale = scale_of(size, out, attrs)
    at = (at + numpy.float32(0.5)) * scale - numpy.float32(0.5) if half else at * scale
    below = numpy.floor(at)
    step = numpy.rint((at - below) * numpy.float32(1024)).astype("float64") / 1024
    a = -0.5 if half else -0.75

    def weight(x):
        x = numpy.abs(x)
        return numpy.where(x <= 1, ((a + 2) * x - (a + 3)) * x * x + 1, ((a * x - 5 * a) * x + 8 * a) * x - 4 * a)
    index = below[:, None].astype(int) + numpy.arange(-1, 3)
    weights = weight(step[:, None] - numpy.arange(-1, 3))
    if half:
        weights = numpy.where((index >= 0) & (index < size), weights, 0)
        weights /= weights.sum(1, keepdims=True)
    return numpy.clip(index, 0, size - 1), weights


def exact_bicubic(call, of=lambda x: x):
    images = of(call.inputs[0].astype("float64"))
    for i, size in enumerate(call.inputs[1]):
        index, weights = quads(images.shape[1 + i], int(size), call.attrs)
        weights = of(weights).reshape([*weights.shape] + [1] * (2 - i))
        images = (images.take(index, 1 + i) * weights).sum(2 + i)
    return [images]


@cases("ResizeBicubic", dtypes=RESIZED, reference=exact_bicubic,
       scale=lambda call: exact_bicubic(call, numpy.abs))
def bicubic(make, op, dtype):
    for attrs in PLACINGS:
        for shape, size in sizes(make):
            yield Call(op, [make.array(dtype, shape, special=False), numpy.array(size, "int32")], attrs)
    yield from wrong_images(op, dtype)


@cases("ResizeNearestNeighbor", dtypes=RESIZED)
def nearest(make, op, dtype):
    for attrs in PLACINGS:
        for shape, size in sizes(make):
            yield Call(op, [make.array(dtype, shape), numpy.array(size, "int32")], attrs)
    yield from wrong_images(op, dtype)


def exact_bilinear_grad(call, of=lambda x: x):
    grad, image = of(call.inputs[0].astype("float64")), call.inputs[1]
    for i in (1, 2):
        lower, upper, share = between(image.shape[i], grad.shape[i], call.attrs)
        moved = numpy.moveaxis(grad, i, 0)
        out = numpy.zeros([image.shape[i], *moved.shape[1:]])
        share = share.reshape([-1] + [1] * (moved.ndim - 1))
        # 1 - share is rounded to float32 in the definition.
        rest = (1 - share.astype("float32")).astype("float64")
        numpy.add.at(out, lower, moved * rest)
        numpy.add.at(out, upper, moved * share)
        grad = numpy.moveaxis(out, 0, i)
    return [grad]


@cases("ResizeBilinearGrad", dtypes=FLOATS, reference=exact_bilinear_grad,
       scale=lambda call: exact_bilinear_grad(call, numpy.abs))
def bilinear_grad(make, op, dtype):
    for attrs in PLACINGS:
        for shape, size in sizes(make):
            grad = make.array("float32", [shape[0], *size, shape[3]], special=False)
            yield Call(op, [grad, make.array(dtype, shape)], attrs)
    grad, image = numpy.ones([1, 8, 8, 3], "float32"), numpy.ones([1, 4, 5, 3], dtype_of(dtype))
    for inputs, attrs in [([grad[0], image], {}), ([grad, image[0]], {}), ([grad[:, :0], image], {}),
                          ([grad, image[:, :, :0]], {}),
                          ([grad, image], {"align_corners": True, "half_pixel_centers": True})]:
        yield Call(op, inputs, attrs)


def exact_nearest_grad(call, of=lambda x: x):
    grad, size = call.inputs
    if grad.dtype.kind in "iu":
        return [None]
    grad = of(grad.astype("longdouble" if grad.dtype == "float64" else "float64"))
    for i in (1, 2):
        at = numpy.arange(grad.shape[i], dtype="float32")
        scale = scale_of(int(size[i - 1]), grad.shape[i], call.attrs) if grad.shape[i] else 1
        at = (at + numpy.float32(0.5)) * scale if call.attrs.get("half_pixel_centers") else at * scale
        at = numpy.floor(at + numpy.float32(0.5)) if call.attrs.get("align_corners") else numpy.floor(at)
        moved = numpy.moveaxis(grad, i, 0)
        out = numpy.zeros([int(size[i - 1]), *moved.shape[1:]], grad.dtype)
        numpy.add.at(out, numpy.clip(at, 0, size[i - 1] - 1).astype(int), moved)
        grad = numpy.moveaxis(out, 0, i)
    return [grad]


@cases("ResizeNearestNeighborGrad", dtypes=SPREAD, reference=exact_nearest_grad,
       scale=lambda call: exact_nearest_grad(call, numpy.abs))
def nearest_grad(make, op, dtype):
    for attrs in PLACINGS:
        for shape, size in sizes(make):
            grad = make.array(dtype, [shape[0], *size, shape[3]], special=False)
            yield Call(op, [grad, numpy.array(shape[1:3], "int32")], attrs)
    yield Call(op, [numpy.ones([1, 0, 8, 3], dtype_of(dtype)), numpy.array([4, 4], "int32")])
    yield from wrong(op, dtype)
