"""Diagonals of matrices."""

import numpy

from cases.layout import ones
from cases.maker import INDICES, NUMBERS
from cases.registry import Call, cases

TYPES = NUMBERS + ["bool"]
OLD = ["float16", "float32", "float64", "int32", "int64", "complex64", "complex128"]
ALIGN = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]


@cases("Diag", dtypes=OLD)
def diag(make, op, dtype):
    for shape in [5], [2, 3], [3, 1, 2], [0], [1]:
        yield Call(op, [make.array(dtype, shape)])
    yield Call(op, [ones(dtype)], {}, "input diagonal is a scalar")


@cases("DiagPart", dtypes=OLD)
def diag_part(make, op, dtype):
    for shape in [], [5], [2, 3], [3, 1, 2], [1]:
        yield Call(op, [make.array(dtype, shape * 2)])
    for shape in [2, 3], [2], [2, 2, 2]:
        yield Call(op, [ones(dtype, *shape)], {}, "must have an even rank")


@cases("MatrixDiag", "MatrixDiagPart", dtypes=TYPES)
def matrix_diag(make, op, dtype):
    least = 1 if op == "MatrixDiag" else 2
    for rank in least, least, least + 1, least + 2:
        yield Call(op, [make.array(dtype, [1 + make.below(6) for _ in range(rank)])])
    yield Call(op, [ones(dtype, *[3] * (least - 1))], {}, f"must have rank {least} or more")


@cases("MatrixSetDiag", dtypes=TYPES)
def matrix_set_diag(make, op, dtype):
    for rank in 2, 2, 3, 4:
        shape = [1 + make.below(6) for _ in range(rank)]
        yield Call(op, [make.array(dtype, shape), make.array(dtype, shape[:-2] + [min(shape[-2:])])])
    yield Call(op, [ones(dtype, 3, 4), ones(dtype, 4)], {}, "input diagonal must have shape [3], not [4]")
    yield Call(op, [ones(dtype, 3), ones(dtype, 3)], {}, "must have rank 2 or more")


def band(make, rows, columns):
    """k, how many diagonals, and the longest."""
    ends = sorted(make.below(rows + columns - 1) - rows + 1 for _ in range(2))
    if make.coin():
        ends = [ends[0]]
    return ends, ends[-1] - ends[0] + 1, min(rows + min(ends[-1], 0), columns - max(ends[0], 0))


def k_of(make, ends):
    return numpy.array(ends[0] if len(ends) == 1 and make.coin() else ends, "int32")


@cases("MatrixDiagPartV3", "MatrixSetDiagV3", dtypes=TYPES)
def matrix_part_v3(make, op, dtype):
    for i in range(20):
        shape = [1 + make.below(3) for _ in range(make.below(3))] + [1 + make.below(6), 1 + make.below(6)]
        ends, count, longest = band(make, *shape[-2:])
        inputs = [make.array(dtype, shape), k_of(make, ends), make.array(dtype, [])]
        if op == "MatrixSetDiagV3":
            inputs[1:] = [make.array(dtype, shape[:-2] + [count] * (count > 1) + [longest]), inputs[1]]
        yield Call(op, inputs, {"align": ALIGN[i % 4]})
    for k, says in [([2, 1], "two that do not fall"), ([[1]], "input k must be"), ([0, 1, 2], "input k must be"),
                    (-3, "k names diagonal -3"), ([0, 4], "k names diagonal 4")]:
        inputs = [ones(dtype, 3, 4), numpy.array(k, "int32"), ones(dtype)]
        if op == "MatrixSetDiagV3":
            inputs[1:] = [ones(dtype, 3), inputs[1]]
        yield Call(op, inputs, {}, says)


@cases("MatrixDiagV3", dtypes=TYPES)
def matrix_diag_v3(make, op, dtype):
    for i in range(20):
        rows, columns = 1 + make.below(6), 1 + make.below(6)
        ends, count, longest = band(make, rows, columns)
        batch = [1 + make.below(3) for _ in range(make.below(3))]
        sizes = [rows, columns]
        for side in range(2):
            if make.below(3) == 0:
                sizes[side] = -1
        yield Call(op, [make.array(dtype, batch + [count] * (count > 1) + [longest]), k_of(make, ends),
                        *(numpy.array(size, "int32") for size in sizes), make.array(dtype, [])], {"align": ALIGN[i % 4]})
    for k, shape, rows, columns, says in [([0, 1], [3, 3], -1, -1, "must have 2 rows of diagonals"),
                                          (0, [3], 2, -1, "do not fit diagonals"), (0, [3], 4, 4, "do not fit"),
                                          ([1, 0], [3], -1, -1, "do not fall"), (0, [], -1, -1, "must have rank 1"),
                                          (0, [3], [3], -1, "input num_rows must be a scalar")]:
        yield Call(op, [ones(dtype, *shape), numpy.array(k, "int32"), numpy.array(rows, "int32"),
                        numpy.array(columns, "int32"), ones(dtype)], {}, says)


@cases("MatrixBandPart", dtypes=TYPES)
def band_part(make, op, dtype):
    for i in range(12):
        shape = [1 + make.below(3) for _ in range(make.below(3))] + [1 + make.below(6), 1 + make.below(6)]
        yield Call(op, [make.array(dtype, shape), *(numpy.array(make.below(size + 2) - 1, INDICES[i % 2])
                                                    for size in shape[-2:])])
    for shape, lower, upper, says in [([3], 0, 0, "must have rank 2 or more"), ([3, 3], 4, 0, "num_lower is 4"),
                                      ([3, 3], 0, 4, "num_upper 4"), ([3, 3], [1], 0, "input num_lower must be a scalar")]:
        yield Call(op, [ones(dtype, *shape), numpy.array(lower, "int32"), numpy.array(upper, "int32")], {}, says)
