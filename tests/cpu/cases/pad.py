"""Arrays that grow: Pad, PadV2, MirrorPad, Tile, BroadcastTo."""

import numpy

from cases.layout import ones
from cases.maker import ANYTHING, INDICES, MOVABLE, NUMBERS, dtype_of
from cases.registry import Call, cases

PADDED = NUMBERS + ["bool", "string", "qint8", "quint8", "qint32"]
WRONG = [([2, 3], [[0, 0]], "input paddings must be of shape [2,2], not [1,2]"),
         ([2, 3], [[0, 0, 0], [0, 0, 0]], "must be of shape [2,2], not [2,3]"),
         ([2, 3], [0, 0], "must be of shape [2,2], not [2]"),
         ([2, 3], [[0, 0], [0, -1]], "paddings[1] are 0 and -1; none may be negative")]


@cases("Pad", "PadV2", dtypes=PADDED)
def pad(make, op, dtype):
    shapes = [make.shape(make.rank(6)) for _ in range(20)]
    large = [[300, 200], [60, 40, 3], [50000]]
    for i, shape in enumerate(shapes + (large if dtype != "string" else [])):
        paddings = [[make.below(4) * make.below(2) for _ in range(2)] for _ in shape]
        inputs = [make.array(dtype, shape), numpy.array(paddings, INDICES[i % 2]).reshape(len(shape), 2)]
        yield Call(op, inputs + ([make.array(dtype, [])] if op == "PadV2" else []))
    for shape, paddings, says in WRONG:
        yield Call(op, [ones(dtype, *shape), numpy.array(paddings, "int32")] + [ones(dtype)] * (op == "PadV2"),
                   {}, says)
    if op == "PadV2":
        yield Call(op, [ones(dtype, 2), numpy.array([[1, 1]], "int32"), ones(dtype, 1)], {},
                   "input constant_values must be a scalar")


@cases("MirrorPad", dtypes=PADDED)
def mirror_pad(make, op, dtype):
    for i in range(24):
        shape = make.shape(make.rank(5))
        mode = ["REFLECT", "SYMMETRIC"][i % 2]
        if mode == "REFLECT":
            shape = [max(d, 1) for d in shape]
        most = [d - (mode == "REFLECT") for d in shape]
        paddings = [[make.below(2) * make.below(min(m, 5) + 1) for _ in range(2)] for m in most]
        yield Call(op, [make.array(dtype, shape), numpy.array(paddings, INDICES[i // 2 % 2]).reshape(len(shape), 2)],
                   {"mode": mode})
    for mode in "REFLECT", "SYMMETRIC":
        for shape, paddings, says in WRONG + [([2, 3], [[0, 3], [0, 0]], "paddings[0] are 0 and 3")]:
            yield Call(op, [ones(dtype, *shape), numpy.array(paddings, "int32")], {"mode": mode}, says)
    yield Call(op, [ones(dtype, 2, 3), numpy.array([[2, 0], [0, 0]], "int32")], {"mode": "REFLECT"},
               "at most 1 of a dimension of 2 can be mirrored")


@cases("Tile", dtypes=ANYTHING)
def tile(make, op, dtype):
    for i in range(20):
        shape = make.shape(most=7)
        multiples = [make.choose([0, 1, 1, 1, 2, 3]) for _ in shape]
        yield Call(op, [make.array(dtype, shape), numpy.array(multiples, INDICES[i % 2])])
    for shape, multiples in [([3], [20000]), ([5, 1], [1, 9000]), ([1, 70], [300, 2]), ([9000], [3])]:
        if dtype != "string":
            yield Call(op, [make.array(dtype, shape), numpy.array(multiples, "int32")])
    for multiples, says in [([1], "input multiples must have 2 numbers, not 1"), ([1, -1], "multiples[1] is -1"),
                            ([[1, 1]], "input multiples must be a vector")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(multiples, "int32")], {}, says)


@cases("BroadcastTo", dtypes=MOVABLE)
def broadcast_to(make, op, dtype):
    for i in range(20):
        shape = make.shape(most=7)
        small = [1 if make.below(3) == 0 else d for d in shape][make.below(3) * make.below(len(shape) + 1):]
        yield Call(op, [make.array(dtype, small), numpy.array(shape, INDICES[i % 2])])
    for shape, says in [([3], "does not broadcast to [3]"), ([2, 4], "does not broadcast to [2,4]"),
                        ([-1, 3], "shape[0] is -1"), ([[2, 3]], "input shape must be a vector")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(shape, "int32")], {}, says)


@cases("MirrorPadGrad", dtypes=NUMBERS)
def mirror_pad_grad(make, op, dtype):
    for i in range(20):
        mode = ["REFLECT", "SYMMETRIC"][i % 2]
        inside = [1 + make.below(6) for _ in range(make.rank(5))]
        most = [d - (mode == "REFLECT") for d in inside]
        paddings = [[make.below(2) * make.below(m + 1) for _ in range(2)] for m in most]
        shape = [d + sum(p) for d, p in zip(inside, paddings)]
        # Small integers add up without rounding in whatever order.
        array = make.array("int8", shape, low=0, high=9).astype(dtype_of(dtype))
        yield Call(op, [array, numpy.array(paddings, INDICES[i // 2 % 2]).reshape(len(shape), 2)], {"mode": mode})
    for mode in "REFLECT", "SYMMETRIC":
        for shape, paddings, says in WRONG + [([4, 3], [[0, 3], [0, 0]], "paddings[0] are 0 and 3")]:
            yield Call(op, [ones(dtype, *shape), numpy.array(paddings, "int32")], {"mode": mode}, says)
