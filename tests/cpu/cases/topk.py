"""The greatest elements, order statistics, places in sorted rows."""

import numpy

from cases.maker import FLOATS, INDICES, REALS, dtype_of
from cases.registry import Call, Type, cases

PLACES = ["int16", "int32", "int64"]


def comparable(make, dtype, shape, **how):
    """No NaN, whose place is left to chance, and no denormals, which TensorFlow takes for zero."""
    array = make.array(dtype, shape, **how)
    if dtype in FLOATS:
        array[numpy.isnan(array.astype("float64"))] = 0
    return array


@cases("TopKV2", dtypes=REALS)
def top_k(make, op, dtype):
    shapes = [make.shape(1 + make.below(8)) for _ in range(20)]
    shapes += [[3000], [5, 1300], [40, 30], [2, 100000], [700, 3]]
    for i, shape in enumerate(shapes):
        for k in {0, 1, shape[-1] // 50, shape[-1] // 2, shape[-1]}:
            if k > shape[-1] or (len(shape) > 1 and shape[-1] == 100000 and k > 2000 and k < 100000):
                continue
            array = comparable(make, dtype, shape, small=i % 2 == 0)
            if i % 3 == 0 and dtype in FLOATS:
                array = numpy.round(array.astype("float64")).clip(-5, 5).astype(array.dtype)  # many are equal
            yield Call(op, [array, numpy.array(k, make.choose(PLACES if k < 32000 else INDICES))],
                       {"sorted": True, "index_type": Type(make.choose(PLACES))})
    one = numpy.ones([2, 3], dtype_of(dtype))
    # Elements that are not to be sorted come in any order; there is one when there is one.
    yield Call(op, [comparable(make, dtype, [30]), numpy.array(1)], {"sorted": False})
    for array, k, says in [(one, -1, "k is -1, and must be in [0, 3]"), (one, 4, "k is 4"), (one, [1], "k has rank 1"),
                           (one[0, 0].reshape([]), 0, "input is a scalar")]:
        yield Call(op, [array, numpy.array(k, "int32")], {"sorted": True}, says)


@cases("InTopKV2", "InTopK", dtypes=INDICES)
def in_top_k(make, op, index):
    def call(predictions, targets, k, says=""):
        inputs = [predictions.astype("float32"), numpy.array(targets, index)]
        return (Call(op, inputs + [numpy.array(k, index)], {}, says) if op == "InTopKV2"
                else Call(op, inputs, {"k": k}, says))

    for _ in range(20):
        rows, classes = make.below(9), 1 + make.below(9)
        predictions = numpy.round(make.array("float32", [rows, classes]))
        yield call(predictions, make.array(index, [rows], low=-1, high=classes), make.below(classes + 2) - 1)
    one = numpy.ones
    yield call(one([3]), [0, 0, 0], 1, "predictions have rank 1, and must be a matrix")
    yield call(one([1, 3]), [[0]], 1, "targets have rank 2, and must be a vector")
    yield call(one([1, 3]), [0, 1], 1, "there are 2 targets for 1 rows")
    if op == "InTopKV2":
        yield call(one([1, 3]), [0], [1], "k has rank 1, and must be a scalar")


@cases("NthElement", dtypes=REALS)
def nth_element(make, op, dtype):
    for shape in [make.shape(1 + make.below(5)) for _ in range(20)] + [[5000], [30, 200], [2, 70000]]:
        if not shape[-1]:
            continue
        for reverse in False, True:
            yield Call(op, [comparable(make, dtype, shape), numpy.array(make.below(shape[-1]), "int32")],
                       {"reverse": reverse})
    one = numpy.ones([2, 3], dtype_of(dtype))
    for array, n, says in [(one, 3, "n is 3, and must be in [0, 3)"), (one, -1, "n is -1"), (one, [0], "n has rank 1"),
                           (one[0, 0].reshape([]), 0, "input is a scalar")]:
        yield Call(op, [array, numpy.array(n, "int32")], {"reverse": False}, says)


@cases("LowerBound", "UpperBound", dtypes=REALS)
def bounds(make, op, dtype):
    for _ in range(20):
        rows, columns, count = make.below(5), make.below(40), make.below(20)
        table = numpy.sort(comparable(make, dtype, [rows, columns], small=True).astype("float64")).astype(dtype_of(dtype))
        values = comparable(make, dtype, [rows, count], small=True)
        if columns and make.coin():
            values = values.copy()
            values[:, ::2] = table[:, :1]
        yield Call(op, [table, values], {"out_type": Type(make.choose(INDICES))})
    one = numpy.ones([2, 3], dtype_of(dtype))
    for table, values, says in [(one[0], one[0], "both must be matrices"), (one, one[:1], "the same number")]:
        yield Call(op, [table, values], {"out_type": Type("int32")}, says)
