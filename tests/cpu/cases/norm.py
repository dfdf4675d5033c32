"""Batch normalisation and its gradient."""

import numpy

from cases.maker import dtype_of
from cases.registry import Call, cases

NORMS, GRADS = (["FusedBatchNorm" + grad + version for version in ("", "V2", "V3")] for grad in ("", "Grad"))
SHAPES = [[2, 3, 4, 5], [1, 1, 1, 3], [4, 7, 9, 1], [8, 16, 16, 24], [3, 40, 50, 3], [2, 5, 5, 600], [0, 2, 2, 3], [5, 1, 1, 70]]


def wide(array):
    return array.astype("longdouble")


def view(call, array):
    """[channels, everything else], and the way back."""
    second = call.attrs["data_format"].startswith("NC")
    moved = numpy.moveaxis(array, 1 if second else -1, 0)
    return moved.reshape(moved.shape[0], -1), lambda x: numpy.moveaxis(x.reshape(moved.shape), 0, 1 if second else -1)


def exact_norm(call):
    x, back = view(call, wide(call.inputs[0]))
    scale, offset, old_mean, old_variance = (wide(v)[:, None] for v in call.inputs[1:])
    training, share = call.attrs["is_training"], numpy.longdouble(numpy.float32(call.attrs["exponential_avg_factor"]))
    zero = numpy.zeros(len(x), "longdouble")
    last = [numpy.longdouble(0)] if call.op.endswith("V3") else []
    if not x.size:
        return [wide(call.inputs[0]), zero + numpy.nan, zero + numpy.nan, zero, zero] + last
    if training:
        mean, variance, n = x.mean(1, keepdims=True), x.var(1, keepdims=True), x.shape[1]
        batch = [mean, variance * n / max(n - 1, 1)]
        if share != 1:
            batch = [(1 - share) * old + share * new for old, new in zip((old_mean, old_variance), batch)]
        saved = [mean[:, 0], variance[:, 0]]
    else:
        # What TensorFlow saves then is whatever was there.
        mean, variance, batch, saved = old_mean, old_variance, [old_mean, old_variance], [zero, zero]
    epsilon = numpy.longdouble(numpy.float32(call.attrs["epsilon"]))
    y = (x - mean) / numpy.sqrt(variance + epsilon) * scale + offset
    return [back(y)] + [b[:, 0] for b in batch] + saved + last


def norm_scale(call):
    """The mean has an error of its own, and so has each product."""
    answers = exact_norm(call)
    x, back = view(call, wide(call.inputs[0]))
    if not x.size:
        return [None] * len(answers)
    epsilon = numpy.longdouble(numpy.float32(call.attrs["epsilon"]))
    scale, offset, old_mean, old_variance = (wide(v)[:, None] for v in call.inputs[1:])
    spread = (x.var(1, keepdims=True) if call.attrs["is_training"] else old_variance) + epsilon
    biggest = numpy.abs(x) + numpy.abs(x.mean(1, keepdims=True) if call.attrs["is_training"] else old_mean)
    size = biggest / numpy.sqrt(spread) * numpy.abs(scale) + numpy.abs(offset)
    means = numpy.abs(x).mean(1)
    return [back(size), numpy.maximum(means, numpy.abs(answers[1])), None, means, None] + [None] * (len(answers) - 5)


def formats(op):
    return ["NHWC", "NCHW"] + ["NDHWC", "NCDHW"] * op.endswith("V3")


def placed(shape, format):
    """A shape with channels last, in that format."""
    shape = shape[:1] + [2] * ("D" in format) + shape[1:]
    return shape[:1] + shape[-1:] + shape[1:-1] if format.startswith("NC") else shape


def vector(make, count, low=-2, high=2):
    return make.array("float32", [count], low=low, high=high)


def norms(make, op, dtype):
    for format in formats(op):
        for shape in SHAPES:
            for training, share in (True, 1.0), (True, 0.25), (False, 1.0):
                x = make.array(dtype, placed(shape, format), low=-3, high=5)
                channels = shape[-1]
                yield Call(op, [x, vector(make, channels), vector(make, channels), vector(make, channels),
                                vector(make, channels, 0.1, 3)],
                           {"data_format": format, "is_training": training, "exponential_avg_factor": share,
                            "epsilon": make.choose([0.001, 0.1])})
    attrs = {"data_format": "NHWC", "is_training": True, "exponential_avg_factor": 1.0, "epsilon": 0.001}
    blend, infer = attrs | {"exponential_avg_factor": 0.5}, attrs | {"is_training": False}
    good = [[2, 3, 4, 2], [2], [2], [2], [2]]
    for index, shape, which, says in [
            (0, [2, 3, 2], attrs, "x has rank 3, and must have 4 or 5"), (1, [3], attrs, "scale has 3 elements"),
            (1, [2, 1], attrs, "scale has rank 2, and must be a vector"), (2, [3], attrs, "offset has 3 elements"),
            (3, [1, 2], attrs, "mean has rank 2"), (4, [], attrs, "variance has rank 0"), (3, [0], infer, "mean has 0 elements"),
            (4, [3], infer, "variance has 3 elements"), (3, [0], blend, "mean has 0 elements"),
            (4, [0], blend, "variance has 0 elements")]:
        shapes = good[:index] + [shape] + good[index + 1:]
        yield Call(op, [numpy.ones(s, dtype_of(dtype if i == 0 else "float32")) for i, s in enumerate(shapes)], which, says)


def exact_grad(call):
    dy, back = view(call, wide(call.inputs[0]))
    x, _ = view(call, wide(call.inputs[1]))
    scale, mean, variance = (wide(v)[:, None] for v in call.inputs[2:5])
    spread = variance + numpy.longdouble(numpy.float32(call.attrs["epsilon"]))
    products, n = (dy * (x - mean)).sum(1, keepdims=True), max(1, x.shape[1])
    dx = scale / numpy.sqrt(spread) * dy
    if call.attrs["is_training"]:
        dx = scale / numpy.sqrt(spread) * (dy - dy.sum(1, keepdims=True) / n - (x - mean) * products / n / spread)
    none = numpy.zeros(0, "longdouble")
    return [back(dx), (products / numpy.sqrt(spread))[:, 0], dy.sum(1), none, none]


def grad_scale(call):
    dy, back = view(call, numpy.abs(wide(call.inputs[0])))
    x, _ = view(call, numpy.abs(wide(call.inputs[1])))
    scale, mean, variance = (numpy.abs(wide(v)[:, None]) for v in call.inputs[2:5])
    spread = variance + numpy.longdouble(numpy.float32(call.attrs["epsilon"]))
    products, n = (dy * (x + mean)).sum(1, keepdims=True), max(1, x.shape[1])
    dx = scale / numpy.sqrt(spread) * (dy + dy.sum(1, keepdims=True) / n + (x + mean) * products / n / spread)
    return [back(dx), (products / numpy.sqrt(spread))[:, 0], dy.sum(1), None, None]


def grads(make, op, dtype):
    rest = [numpy.zeros(0, "float32")] * op.endswith("V3")
    for format in formats(op):
        for shape in SHAPES:
            if 0 in shape and "D" in format:
                continue  # TensorFlow gives an image for a volume
            # TensorFlow has the gradient of inference for NHWC only.
            for training in [True] if format.startswith("NC") else [True, False]:
                dy, x = (make.array(dtype, placed(shape, format), low=-2, high=2) for _ in range(2))
                channels = shape[-1]
                yield Call(op, [dy, x, vector(make, channels), vector(make, channels), vector(make, channels, 0.1, 3)] + rest,
                           {"data_format": format, "is_training": training, "epsilon": 0.001})
    attrs = {"data_format": "NHWC", "is_training": True, "epsilon": 0.001}
    good = [[2, 3, 4, 2], [2, 3, 4, 2], [2], [2], [2]]
    for index, shape, says in [(0, [2, 3, 2], "y_backprop has rank 3"), (1, [2, 3, 2], "x has rank 3"),
                               (0, [2, 3, 4, 3], "they must be equal"), (2, [3], "scale has 3 elements"),
                               (2, [2, 1], "scale has rank 2"), (3, [3], "reserve_space_1 has 3 elements"),
                               (4, [2, 1], "reserve_space_2 has rank 2")]:
        shapes = good[:index] + [shape] + good[index + 1:]
        yield Call(op, [numpy.ones(s, dtype_of(dtype if i < 2 else "float32")) for i, s in enumerate(shapes)] + rest,
                   attrs, says)


cases(NORMS[0], dtypes=["float32"], reference=exact_norm, scale=norm_scale)(norms)
cases(*NORMS[1:], dtypes=["float32", "float16", "bfloat16"], reference=exact_norm, scale=norm_scale)(norms)
cases(GRADS[0], dtypes=["float32"], reference=exact_grad, scale=grad_scale)(grads)
cases(*GRADS[1:], dtypes=["float32", "float16", "bfloat16"], reference=exact_grad, scale=grad_scale)(grads)
