"""Rows dealt out and put back, blocks of space as depth or batches."""

import numpy

from cases.layout import ones
from cases.maker import INDICES, NUMBERS, REALS
from cases.registry import Call, cases

PLAIN = NUMBERS + ["bool", "string"]


@cases("DynamicPartition", dtypes=PLAIN)
def partition(make, op, dtype):
    for _ in range(14):
        shape, count = make.shape(most=5), 1 + make.below(5)
        partitions = make.array("int32", shape[:make.below(len(shape) + 1)], low=0, high=count - 1)
        yield Call(op, [make.array(dtype, shape), partitions], {"num_partitions": count})
    for partitions, says in [([0, 2], "partitions[1] is 2, and must be in [0, 2)"), ([-1, 0], "partitions[0] is -1"),
                             ([0, 0, 0], "must begin with that of partitions"),
                             ([[[0]]], "must begin with that of partitions")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(partitions, "int32")], {"num_partitions": 2}, says)


@cases("DynamicStitch", dtypes=PLAIN + ["qint8", "quint8", "qint32"])
def stitch(make, op, dtype):
    # Rows that no index names hold anything in TensorFlow: every one is named here.
    for _ in range(14):
        row, shapes = make.shape(make.below(3)), [make.shape(make.below(3)) for _ in range(1 + make.below(4))]
        shapes = [[min(d, 20) for d in shape] for shape in shapes]
        total = sum(int(numpy.prod(shape)) for shape in shapes)
        order = make.random.permutation(total).astype("int32")
        order[:total // 4] = order[total // 2:total // 2 + total // 4]  # the last one counts
        kept = {value: i for i, value in enumerate(sorted(set(order.tolist())))}
        order = numpy.array([kept[value] for value in order.tolist()], "int32")
        indices, at = [], 0
        for shape in shapes:
            n = int(numpy.prod(shape))
            indices.append(order[at:at + n].reshape(shape))
            at += n
        yield Call(op, [indices, [make.array(dtype, shape + row) for shape in shapes]])
    for indices, shapes, says in [([[0, -1]], [[2]], "is -1, and must not be negative"), ([[0, 1]], [[3]], "data[0] of shape [3]"),
                                  ([[0, 1], 2], [[2, 2], [3]], "data[1] of shape [3]")]:
        yield Call(op, [[numpy.array(i, "int32") for i in indices], [ones(dtype, *shape) for shape in shapes]], {}, says)


@cases("DepthToSpace", dtypes=PLAIN)
@cases("SpaceToDepth", dtypes=PLAIN + ["qint8"])
def depth(make, op, dtype):
    for _ in range(10):
        n, h, w, c, block = (1 + make.below(4) for _ in range(5))
        block += 1
        shape = [n, h * block, w * block, c] if op == "SpaceToDepth" else [n, h, w, c * block * block]
        yield Call(op, [make.array(dtype, shape)], {"block_size": block})
    yield Call(op, [ones(dtype, 2, 0, 4, 4)], {"block_size": 2})
    for shape, says in [([2, 4, 4], "must have rank 4"), ([2, 3, 4, 3], "block_size 2")]:
        yield Call(op, [ones(dtype, *shape)], {"block_size": 2}, says)


@cases("SpaceToBatchND", "BatchToSpaceND", dtypes=REALS)
def batches(make, op, dtype):
    def call(shape, blocks, ends, says=""):
        index = make.choose(INDICES)
        array = make.array(dtype, shape) if not says else ones(dtype, *shape)
        return Call(op, [array, numpy.array(blocks, index),
                         numpy.array(ends, make.choose(INDICES)).reshape(len(ends), -1) if ends else
                         numpy.zeros([0, 2], index)], {}, says)
    for _ in range(20):
        count = 1 + make.below(3)
        blocks = [1 + make.below(3) for _ in range(count)]
        ends = [[make.below(3), make.below(3)] for _ in blocks]
        rest = make.shape(make.below(3))
        if op == "SpaceToBatchND":
            space = [b * (1 + make.below(3)) + b * 4 - sum(e) for b, e in zip(blocks, ends)]
            yield call([make.below(4), *space, *rest], blocks, ends)
        else:
            space = [4 + make.below(3) for _ in blocks]
            yield call([int(numpy.prod(blocks)) * make.below(4), *space, *rest], blocks, ends)
    name = "paddings" if op == "SpaceToBatchND" else "crops"
    for shape, blocks, ends, says in [([4, 4], [2, 2], [[0, 0], [0, 0]], "must have more dimensions"),
                                      ([4, 4, 1], [0], [[0, 0]], "block_shape[0] is 0"),
                                      ([4, 4, 1], [2], [[0, -1]], f"{name}[0] are 0 and -1"),
                                      ([4, 4, 1], [2], [[0, 0, 0]], f"input {name} must be of shape [1,2]"),
                                      ([4, 4, 1], [[2]], [[0, 0]], "input block_shape must be a vector"),
                                      ([3, 5, 1], [2], [[0, 0]], "must divide by")]:
        yield call(shape, blocks, ends, says)
    if op == "BatchToSpaceND":
        yield call([4, 4, 1], [2], [[5, 4]], "leave something of the others")
