"""Softmax and the losses made of it."""

import numpy

from cases.maker import FLOATS, INDICES, dtype_of
from cases.registry import Call, cases


def wide(array):
    return array.astype("longdouble")


def shifted(logits):
    return wide(logits) - wide(logits).max(-1, keepdims=True) if logits.size else wide(logits)


def exact(call):
    x = shifted(call.inputs[0])
    total = numpy.exp(x).sum(-1, keepdims=True)
    return [x - numpy.log(total) if call.op == "LogSoftmax" else numpy.exp(x) / total]


def distances(call):
    """A logit's distance from the greatest one is rounded before anything else happens to it."""
    x = shifted(call.inputs[0])
    return [numpy.maximum(numpy.abs(x), 1) if call.op == "LogSoftmax" else exact(call)[0] * numpy.maximum(numpy.abs(x), 1)]


@cases("Softmax", "LogSoftmax", dtypes=FLOATS, reference=exact, scale=distances)
def softmax(make, op, dtype):
    for i in range(20):
        yield Call(op, [make.array(dtype, make.shape(1 + make.below(8)), special=False)])
        yield Call(op, [make.array(dtype, make.shape(2), low=-5, high=5)])
    for shape in [64, 1000], [3, 40000], [5000, 3], [2, 1], [700, 0], [0, 5], [0]:
        yield Call(op, [make.array(dtype, shape, special=False)])
    yield Call(op, [numpy.ones([], dtype_of(dtype))], says="logits are a scalar")


@cases("Softmax", "LogSoftmax", dtypes=FLOATS)
def infinities(make, op, dtype):
    inf, nan = numpy.inf, numpy.nan
    rows = [[inf, 1, 2], [nan, 1, 2], [1, 2, nan], [-inf, 1, 1], [-inf, -inf, -inf], [inf, inf, 1], [200, 0, 0]]
    yield Call(op, [numpy.array(rows).astype(dtype_of(dtype))])


def exact_loss(call):
    logits, labels = numpy.broadcast_arrays(*call.inputs) if call.op[1] == "o" else (call.inputs[0], None)
    x = shifted(logits)
    if labels is None:
        labels = numpy.zeros(logits.shape, "longdouble")
        labels[numpy.arange(len(logits)), call.inputs[1]] = 1
    labels = wide(labels)
    total = numpy.exp(x).sum(-1, keepdims=True)
    return [(labels * (numpy.log(total) - x)).sum(-1), numpy.exp(x) / total - labels]


def loss_scale(call):
    logits, labels = numpy.broadcast_arrays(*call.inputs) if call.op[1] == "o" else (call.inputs[0], numpy.ones(1))
    x = numpy.abs(shifted(logits))
    total = numpy.exp(-x).sum(-1, keepdims=True)
    return [(numpy.abs(wide(labels)) * numpy.broadcast_to(numpy.abs(numpy.log(total)) + x + 1, logits.shape)).sum(-1),
            numpy.broadcast_to(numpy.maximum(numpy.abs(wide(labels)), 1), logits.shape)]


@cases("SoftmaxCrossEntropyWithLogits", dtypes=FLOATS, reference=exact_loss, scale=loss_scale)
def losses(make, op, dtype):
    shapes = [([5, 7], [5, 7]), ([5, 7], [1, 7]), ([1, 7], [5, 7]), ([5, 1], [5, 7]), ([5, 7], [5, 1]),
              ([7], [5, 7]), ([5, 7], [7]), ([5, 7], []), ([5, 1], [1, 7]), ([64, 1500], [64, 1500]), ([0, 3], [0, 3]),
              ([1, 1], [3, 3]), ([2, 1], [2, 1])]
    for logits, labels in shapes + [(s, s) for s in (make.shape(2) for _ in range(10))]:
        if 0 in logits[1:]:
            continue
        yield Call(op, [make.array(dtype, logits, special=False, low=-9, high=9), make.array(dtype, labels, low=0, high=1)])
    one = numpy.ones
    yield Call(op, [one([2, 0], dtype_of(dtype)), one([2, 0], dtype_of(dtype))])
    for logits, labels, says in [([3], [3], "must be matrices"), ([2, 2, 3], [2, 2, 3], "must be matrices"),
                                 ([], [], "must be matrices"), ([2, 3], [3, 3], "must be equal or 1"),
                                 ([2, 3], [2, 4], "must be equal or 1")]:
        yield Call(op, [one(logits, dtype_of(dtype)), one(labels, dtype_of(dtype))], {}, says)


@cases("SparseSoftmaxCrossEntropyWithLogits", dtypes=FLOATS, reference=exact_loss, scale=loss_scale)
def sparse_losses(make, op, dtype):
    for index in INDICES:
        for rows, classes in [(5, 7), (1, 1), (64, 1500), (0, 3), (300, 10), (2, 5000)]:
            yield Call(op, [make.array(dtype, [rows, classes], low=-9, high=9),
                            make.array(index, [rows], low=0, high=classes - 1)])
    for logits, labels, says in [([2, 3], [0, 3], "labels[1] is 3, and must be in [0, 3)"),
                                 ([2, 3], [0, -1], "labels[1] is -1"), ([2, 3], [0], "must have the same first dimension"),
                                 ([3], [0], "logits have shape [3], and must be a matrix"),
                                 ([2, 3], [[0, 1]], "labels have shape [1,2], and must be a vector"),
                                 ([2, 0], [0, 1], "must have at least one class")]:
        yield Call(op, [numpy.ones(logits, dtype_of(dtype)), numpy.array(labels, "int32")], {}, says)
