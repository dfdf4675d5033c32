"""Parts of arrays: Slice, StridedSlice and its gradient; reversed and rolled ones."""

import numpy

from cases.layout import ones
from cases.maker import INDICES, MOVABLE, NUMBERS
from cases.registry import Call, cases

SLICED = MOVABLE + ["qint8", "quint8", "qint32"]
REVERSED = NUMBERS + ["bool", "string"]


@cases("Slice", dtypes=SLICED)
def slice_(make, op, dtype):
    for i in range(24):
        shape = make.shape()
        begin = [make.below(d + 1) for d in shape]
        size = [-1 if make.below(4) == 0 else make.below(d - b + 1) for d, b in zip(shape, begin)]
        if i % 8 == 0:
            begin, size = [0] * len(shape), [-1] * len(shape)
        yield Call(op, [make.array(dtype, shape), *(numpy.array(v, INDICES[i % 2]) for v in (begin, size))])
    if dtype != "string":
        yield Call(op, [make.array(dtype, [700, 300]), numpy.array([3, 5], "int32"), numpy.array([600, 290], "int32")])
    for begin, size, says in [([0], [1, 1], "input begin must be a vector of 2"), ([0, 0], [1], "input size must be"),
                              ([0, 4], [1, 0], "begin[1] is 4"), ([-1, 0], [1, 1], "begin[0] is -1"),
                              ([1, 1], [2, 1], "do not fit into a dimension of 2"), ([0, 0], [-2, 1], "size[0] is -2"),
                              ([0, 4], [1, -1], "begin[1] is 4"), ([[0, 0]], [[1, 1]], "input begin must be a vector")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(begin, "int32"), numpy.array(size, "int32")], {}, says)


MASKS = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"]
# begin, end, strides, masks, and what is wrong with them on an array of shape [2, 3].
WRONG = [([0], [1], [0], {}, "strides[0] is 0"),
         ([2], [3], [1], {"shrink_axis_mask": 1}, "slice index 2 of dimension 0 is out of bounds"),
         ([-3], [3], [1], {"shrink_axis_mask": 1}, "slice index -3 of dimension 0 is out of bounds"),
         ([1], [2], [-1], {"shrink_axis_mask": 1}, "strides[0] is -1, and must be positive"),
         ([0, 0, 0], [1, 1, 1], [1, 1, 1], {}, "name more dimensions than the 2 there are"),
         ([0, 0], [1, 1], [1, 1], {"ellipsis_mask": 3}, "ellipsis_mask names more than one"),
         ([0, 0], [1], [1], {}, "must be vectors of the same length"),
         ([[0]], [[1]], [[1]], {}, "must be vectors of the same length")]


def strided(make, shape):
    """begin, end, strides and masks of a slice of `shape` that is allowed (mostly)."""
    rank, items, masks, left = len(shape), [], dict.fromkeys(MASKS, 0), 0
    count = make.below(min(rank, 6) + 1)
    ellipsis = make.below(count + 1) if make.coin() else -1
    for d in range(count):
        at = len(items)
        if d == ellipsis:
            masks["ellipsis_mask"] |= 1 << at
            items.append((make.below(5), make.below(5), 1 + make.below(3)))
            left = rank - count
            at += 1
        if make.below(6) == 0:
            masks["new_axis_mask"] |= 1 << at
            items.append((make.below(5), make.below(5), make.choose([1, -2])))
            at += 1
        size = shape[d + left]
        if size and make.below(5) == 0:
            masks["shrink_axis_mask"] |= 1 << at
            items.append((make.below(2 * size) - size, make.below(9) - 4, 1 + make.below(2)))
        else:
            for name in MASKS[:2]:
                masks[name] |= make.coin() << at
            items.append((make.below(3 * size + 4) - size - 2, make.below(3 * size + 4) - size - 2,
                          make.choose([1, 1, 1, 2, 3, 100, -1, -1, -2, -100])))
    return [[item[i] for item in items] for i in range(3)], masks


@cases("StridedSlice", dtypes=SLICED)
def strided_slice(make, op, dtype):
    for i in range(60):
        shape = make.shape(most=7)
        items, masks = strided(make, shape)
        index = ["int16", "int32", "int64"][i % 3]
        yield Call(op, [make.array(dtype, shape), *(numpy.array(v, index) for v in items)], masks)
    for step in (1, -1, 3) if dtype != "string" else ():
        yield Call(op, [make.array(dtype, [400, 500]), *(numpy.array([v, v], "int32") for v in (0, 0, step))],
                   {"begin_mask": 3, "end_mask": 3})
    for *items, masks, says in WRONG:
        yield Call(op, [ones(dtype, 2, 3), *(numpy.array(v, "int32") for v in items)], masks, says)


@cases("StridedSliceGrad", dtypes=SLICED)
def strided_slice_grad(make, op, dtype):
    for i in range(50):
        shape = make.shape(most=7)
        items, masks = strided(make, shape)
        gradient = make.array(dtype, strided_shape(shape, items, masks))
        yield Call(op, [numpy.array(v, INDICES[i % 2]) for v in (shape, *items)] + [gradient], masks)
    for *items, masks, says in WRONG:
        yield Call(op, [numpy.array(v, "int32") for v in ([2, 3], *items)] + [ones(dtype, 1)], masks, says)
    for shape, dy, says in [([2, 3], [2], "input dy has shape [2], and the slice has [1,3]"),
                            ([[2, 3]], [1, 3], "input shape must be a vector")]:
        yield Call(op, [numpy.array(v, "int32") for v in (shape, [0], [1], [1])] + [ones(dtype, *dy)], {}, says)


def strided_shape(shape, items, masks):
    """What numpy makes of the same slice."""
    index = []
    for i, (begin, end, step) in enumerate(zip(*items)):
        is_set = {name: mask >> i & 1 for name, mask in masks.items()}
        index.append(Ellipsis if is_set["ellipsis_mask"] else None if is_set["new_axis_mask"] else
                     begin if is_set["shrink_axis_mask"] else
                     slice(None if is_set["begin_mask"] else begin, None if is_set["end_mask"] else end, step))
    return numpy.zeros(shape, "bool")[tuple(index)].shape


@cases("ReverseV2", dtypes=REVERSED)
def reverse(make, op, dtype):
    for i in range(16):
        shape = make.shape()
        yield Call(op, [make.array(dtype, shape), make.axes(len(shape), INDICES[i % 2])])
    for axes, says in [([2], "must be in [-2, 2)"), ([0, -2], "axis names dimension 0 twice"),
                       ([[0]], "input axis must be a vector")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(axes, "int32")], {}, says)


@cases("Roll", dtypes=REVERSED)
def roll(make, op, dtype):
    for i in range(16):
        shape = make.shape(1 + make.rank(7))
        axes = [make.axis(len(shape)) for _ in range(make.below(5))]
        shift = [make.below(60) - 30 for _ in axes]
        if i % 4 == 0:
            axes, shift = make.axis(len(shape)), make.below(60) - 30
        yield Call(op, [make.array(dtype, shape), numpy.array(shift, make.choose(INDICES)),
                        numpy.array(axes, make.choose(INDICES))])
    for shape, shift, axis, says in [([], 1, 0, "is a scalar"), ([2, 3], 1, 2, "must be in [-2, 2)"),
                                     ([2, 3], [1, 1], [0], "vectors of one length"),
                                     ([2, 3], [[1]], [[0]], "vectors of one length")]:
        yield Call(op, [ones(dtype, *shape), numpy.array(shift, "int32"), numpy.array(axis, "int32")], {}, says)


@cases("ReverseSequence", dtypes=REVERSED)
def reverse_sequence(make, op, dtype):
    for i in range(12):
        shape = make.shape(2 + make.below(4))
        seq, batch = (int(d) for d in make.random.permutation(len(shape))[:2])
        lengths = [make.below(shape[seq] + 1) for _ in range(shape[batch])]
        yield Call(op, [make.array(dtype, shape), numpy.array(lengths, INDICES[i % 2])],
                   {"seq_dim": seq, "batch_dim": batch})
    for lengths, seq, batch, says in [([3, 4], 1, 0, "seq_lengths[1] is 4, and must be in [0, 3]"),
                                      ([-1, 0], 1, 0, "seq_lengths[0] is -1"), ([1], 1, 0, "has 1 numbers"),
                                      ([[1, 1]], 1, 0, "input seq_lengths must be a vector"),
                                      ([1, 1], 0, 0, "two different dimensions"),
                                      ([1, 1], 2, 0, "two different dimensions")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(lengths, "int32")], {"seq_dim": seq, "batch_dim": batch}, says)
