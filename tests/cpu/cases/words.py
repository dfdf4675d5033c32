"""Strings: StringJoin."""

import numpy

from cases.registry import Call, cases

TEXTS = numpy.array([b"a", b"b", b"c"], object)


@cases("StringJoin", dtypes=["string"])
def join(make, op, dtype):
    for _ in range(60):
        shape = make.shape()
        inputs = [make.array("string", [] if make.below(3) == 0 else shape) for _ in range(make.below(6))]
        yield Call(op, [inputs], {"separator": make.choose(["", "-", ", " * 20])})
    yield Call(op, [[TEXTS, TEXTS[:2]]], {"separator": ""}, "must have the same shape, or one be a scalar")
