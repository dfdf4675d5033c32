"""Joining and parting: ConcatV2, Concat, Pack, Unpack, Split, SplitV."""

import numpy

from cases.layout import ones
from cases.maker import INDICES, MOVABLE, QUANTIZED
from cases.registry import Call, cases


def concat_call(op, parts, axis, says=""):
    """Concat takes the axis first, and only as int32."""
    if op == "Concat":
        return Call(op, [axis.astype("int32"), parts], {}, says)
    return Call(op, [parts, axis], {}, says)


@cases("Concat", "ConcatV2", dtypes=MOVABLE + QUANTIZED)
def concat(make, op, dtype):
    for i in range(20):
        shape = make.shape(1 + make.rank(7))
        axis = make.below(len(shape))
        parts = [make.array(dtype, shape[:axis] + [make.below(5)] + shape[axis + 1:])
                 for _ in range(2 + make.below(9))]
        signed = axis - len(shape) * make.below(2)
        yield concat_call(op, parts, numpy.array(signed, INDICES[i % 2]))
    for rows, widths in [(1, [40000, 90000]), (20, [1000, 3, 2000])] if dtype != "string" else []:
        yield concat_call(op, [make.array(dtype, [rows, n]) for n in widths], numpy.array(1, "int32"))
    for shapes, axis, says in [([[2, 3], [2, 3]], 2, "is 2, and must be in [-2, 2)"),
                               ([[2, 3], [3, 2]], 0, "all dimensions but 0 must be equal"),
                               ([[2, 3], [2]], 0, "values[1] of shape [2] does not join"),
                               ([[], []], 0, "values[0] is a scalar"),
                               ([[2], [2]], [0, 0], "must be a single number")]:
        yield concat_call(op, [ones(dtype, *shape) for shape in shapes], numpy.array(axis, "int32"), says)


@cases("Pack", dtypes=MOVABLE + QUANTIZED)
def pack(make, op, dtype):
    for _ in range(16):
        shape = make.shape(most=7)
        values = [make.array(dtype, shape) for _ in range(1 + make.below(9))]
        yield Call(op, [values], {"axis": make.axis(len(shape) + 1)})
    yield Call(op, [[ones(dtype, 2), ones(dtype, 3)]], {"axis": 0}, "values[1] of shape [3]")
    yield Call(op, [[ones(dtype, 2), ones(dtype)]], {"axis": 0}, "values[1] of shape []")
    yield Call(op, [[ones(dtype, 2), ones(dtype, 2)]], {"axis": 2}, "axis is 2, and must be in [-2, 2)")
    yield Call(op, [[ones(dtype, 2), ones(dtype, 2)]], {"axis": -3}, "axis is -3")


@cases("Unpack", dtypes=MOVABLE)
def unpack(make, op, dtype):
    for _ in range(16):
        shape = make.shape(1 + make.rank(7))
        axis = make.axis(len(shape))
        shape[axis] = make.below(9)
        yield Call(op, [make.array(dtype, shape)], {"axis": axis, "num": shape[axis]})
    yield Call(op, [ones(dtype, 2, 3)], {"axis": 0, "num": 3}, "has size 2 in dimension 0, and num asks for 3")
    yield Call(op, [ones(dtype, 2, 3)], {"axis": 2, "num": 2}, "axis is 2, and must be in [-2, 2)")
    yield Call(op, [ones(dtype)], {"axis": 0, "num": 1}, "axis is 0")


@cases("Split", dtypes=MOVABLE + ["quint8", "int4", "uint4"])
def split(make, op, dtype):
    for _ in range(16):
        shape = make.shape(1 + make.rank(7))
        axis, count = make.axis(len(shape)), 1 + make.below(5)
        shape[axis] = count * make.below(4)
        yield Call(op, [numpy.array(axis, "int32"), make.array(dtype, shape)], {"num_split": count})
    for axis, count, says in [(2, 1, "split_dim is 2, and must be in [-2, 2)"), (-3, 1, "split_dim is -3"),
                              (1, 2, "does not divide into 2 parts"),
                              ([0, 1], 1, "input split_dim must be a single number")]:
        yield Call(op, [numpy.array(axis, "int32"), ones(dtype, 2, 3)], {"num_split": count}, says)


@cases("SplitV", dtypes=MOVABLE + ["quint8", "int4", "uint4"])
def split_v(make, op, dtype):
    for i in range(18):
        shape = make.shape(1 + make.rank(7))
        axis, count = make.axis(len(shape)), 1 + make.below(5)
        sizes = [make.below(4) for _ in range(count)]
        shape[axis] = sum(sizes)
        if count > 1 and make.coin():  # TensorFlow refuses -1 for an only part
            sizes[make.below(count)] = -1
        length = ["int8", "int32", "int64"][i % 3]
        yield Call(op, [make.array(dtype, shape), numpy.array(sizes, length), numpy.array(axis, "int32")],
                   {"num_split": count})
    for sizes, axis, says in [([1, 1], 2, "split_dim is 2"), ([1, 2], 0, "add up to 3"), ([2, -2], 0, "is -2"),
                              ([-1, -1], 0, "but for one -1"), ([3, -1], 0, "add up to 3"),
                              ([[1, 1]], 0, "must be a vector"), ([1], 0, "add up to 1")]:
        yield Call(op, [ones(dtype, 2, 3), numpy.array(sizes, "int32"), numpy.array(axis, "int32")],
                   {"num_split": numpy.array(sizes).shape[-1]}, says)
    yield Call(op, [ones(dtype, 2, 3), numpy.array([1, 1], "int32"), numpy.array(0, "int32")],
               {"num_split": 3}, "must be a vector of 3 sizes")
