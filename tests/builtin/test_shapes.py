"""The shape functions of the built-in ops say what TensorFlow's say, on random full and partial shapes.

Both must accept or both refuse a use of an op, and where they accept the shapes must be equal: an
unknown dimension that TensorFlow knows is as wrong as a known one that it does not know.
TN_TEST_SEED replays a run, TN_SHAPE_CASES changes how many cases each op gets.
"""

import collections
import json
import os
import random
import struct
import subprocess

import cases
import numpy as np
import peer
import pytest
import tensorflow as tf
from tensorflow.core.framework import attr_value_pb2, types_pb2

ASK = os.path.join(os.environ["TENON_BUILD"], "tests", "builtin_ask")
SEED = int(os.environ.get("TN_TEST_SEED", "20240614"))
CASES = int(os.environ.get("TN_SHAPE_CASES", "200"))
THEIRS = peer.ops()
OURS = [op.name for op in peer.op_list(subprocess.check_output([ASK, "ops"])).op]

AttrValue = attr_value_pb2.AttrValue


def packed(data):
    return struct.pack("<I", len(data)) + data


def question(case):
    """The case as builtin_ask reads it."""
    parts = [packed(case.op.encode()), struct.pack("<I", len(case.attrs))]
    for name, value in case.attrs.items():
        parts += [packed(name.encode()), packed(value.SerializeToString())]
    inputs = case.inputs()
    parts.append(struct.pack("<I", len(inputs)))
    for i in inputs:
        known = i.value is not None
        value = tf.make_tensor_proto(i.value).SerializeToString() if known and not i.open else b""
        spelled = b""
        if i.open:
            dims = [-1 if k in i.open else int(d) for k, d in enumerate(i.value)]
            # TensorFlow refuses to spell negative sizes, and an unknown one reads as -1 anyway.
            spelled = cases.shape_proto(dims).SerializeToString()
        parts.append(struct.pack("<I", i.dtype + 100 * i.is_ref))
        parts += [packed(cases.shape_proto(i.shape).SerializeToString()), packed(value), packed(spelled)]
        held = i.held is not ...
        parts.append(struct.pack("<I", i.held_dtype if held else 0))
        parts.append(packed(cases.shape_proto(i.held).SerializeToString() if held else b""))
    return b"".join(parts)


def ours(all_cases):
    asked = subprocess.run([ASK, "shapes"], input=b"".join(map(question, all_cases)), capture_output=True)
    assert asked.returncode == 0, asked.stderr.decode()
    answers = asked.stdout.decode().splitlines()
    assert len(answers) == len(all_cases)
    return [parse(a) for a in answers]


def parse(answer):
    """A list of shapes, or what was wrong."""
    if not answer.startswith("ok"):
        return answer
    return [
        None if text == "<unknown>" else [-1 if d == "?" else int(d) for d in text[1:-1].split(",") if d]
        for text in answer.split()[1:]
    ]


def all_theirs(all_cases):
    """Asked in a child process, because TensorFlow ends the process on some wrong uses of ops: those
    answers are DIED."""
    answers = []
    while len(answers) < len(all_cases):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(writer, "w") as out:
                graph = peer.Graph()
                for case in all_cases[len(answers) :]:
                    if graph.count > 2000:
                        graph.close()
                        graph = peer.Graph()
                    print(json.dumps(theirs(case, graph)), file=out, flush=True)
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader) as lines:
            answers += [json.loads(line) for line in lines]
        if os.waitpid(child, 0)[1] != 0:
            answers.append(DIED)
    return answers


DIED = "the process died"


def theirs(case, graph):
    def const(value):
        proto = tf.make_tensor_proto(value)
        return graph.output("Const", {"dtype": AttrValue(type=proto.dtype), "value": AttrValue(tensor=proto)})

    def placeholder(dtype, shape):
        attrs = {"dtype": AttrValue(type=dtype), "shape": AttrValue(shape=cases.shape_proto(shape))}
        return graph.output("Placeholder", attrs)

    def feed(i):
        shape = AttrValue(shape=cases.shape_proto(i.shape))
        if i.is_ref:
            return graph.output("VariableV2", {"dtype": AttrValue(type=i.dtype), "shape": shape})
        if i.held is not ...:
            held = AttrValue(shape=cases.shape_proto(i.held))
            return graph.output("VarHandleOp", {"dtype": AttrValue(type=i.held_dtype), "shape": held})
        if i.open:
            entries = [placeholder(i.dtype, []) if k in i.open else const(d) for k, d in enumerate(i.value)]
            attrs = {"N": AttrValue(i=len(entries)), "T": AttrValue(type=i.dtype)}
            return graph.output("Pack", attrs, [entries])
        return placeholder(i.dtype, i.shape) if i.value is None else const(i.value)

    try:
        args = [[feed(i) for i in arg] if isinstance(arg, list) else feed(arg) for arg in case.args]
    except ValueError:
        return None  # no tensor has such a shape
    return graph.add(case.op, case.attrs, args)[0]


def describe(case, found, expected):
    inputs = ", ".join(
        f"{'value ' + str(i.value.tolist()) if i.value is not None else i.shape}"
        + (f" open {i.open}" if i.open else "")
        + (f" held {i.held}" if i.held is not ... else "")
        for i in case.inputs()
    )
    attrs = ", ".join(f"{n}={str(v).strip()!r}" for n, v in case.attrs.items())
    return f"{case.op}({inputs}) [{attrs}]\n    ours:   {found}\n    theirs: {expected}"


def ints(case, attr):
    return list(case.attrs[attr].list.i)


def extreme(case):
    numbers = [n for i in case.inputs() for n in (i.shape or []) + ([] if i.value is None else list(i.value.flat))]
    return any(abs(n) >= 2**31 - 1 for n in numbers if isinstance(n, (int, np.integer)))


# Where we mean to differ: ops, when, and why.
EXCUSES = [
    ("TopK", lambda case, theirs: "not available in GraphDef" in theirs,
     "TensorFlow refuses the op as too old before it looks at shapes"),
    ("ArgMax", lambda case, theirs: case.attrs["Tidx"].type == types_pb2.DT_INT16,
     "TensorFlow reads a 16-bit axis as a wider one, with what lies behind it in memory"),
    ("SplitV", lambda case, theirs: theirs == DIED and case.attrs["Tlen"].type == types_pb2.DT_INT8,
     "TensorFlow ends the process on sizes of 8 bits, which the op is defined to take"),
    ("GatherV2", lambda case, theirs: case.attrs["batch_dims"].i < 0 and case.args[2].value is None,
     "TensorFlow adds negative batch_dims to the rank when it does not know the axis"),
    ("DenseBincount", lambda case, theirs: case.args[0].shape == [] and case.args[1].value is None,
     "TensorFlow says a scalar gives a scalar, until it knows the size: then a vector"),
    ("Range", lambda case, theirs: case.attrs["Tidx"].type == types_pb2.DT_HALF,
     "TensorFlow's op takes halves, its shape function does not; ours says the size is unknown"),
    ("OneHot", lambda case, theirs: case.attrs["axis"].i > len(case.args[0].shape),
     "TensorFlow writes past the end of the shape when the axis lies there"),
    ("MatrixDiagV3", lambda case, theirs: len(case.args[0].shape) == 1,
     "TensorFlow takes the only dimension for both the diagonals and their length"),
    *((op, lambda case, theirs: extreme(case), "TensorFlow lets a sum overflow, partly in 32 bits")
      for op in ("MatrixDiagPartV3", "MatrixDiagV3", "MatrixSetDiagV3", "DynamicStitch", "Pad", "PadV2",
                 "MirrorPad", "MirrorPadGrad", "SplitV")),
    ("MatrixSetDiagV3", lambda case, theirs: "must be equal rank" in theirs,
     "TensorFlow refuses several diagonals for an input of which a dimension is unknown"),
    ("Conv3D", lambda case, theirs: len(set(ints(case, "dilations"))) > 1,
     "TensorFlow takes the dilation of rows for columns and the other way round"),
    *((op, lambda case, theirs: "-2" in str(theirs) or "-3" in str(theirs),
       "TensorFlow gives out negative sizes below -1 as they are")
      for op in ("ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor", "ResizeArea",
                 "ResizeNearestNeighborGrad", "CropAndResize")),
]  # fmt: skip


def excused(case, expected):
    return any(case.op == op and applies(case, expected) for op, applies, _ in EXCUSES)


@pytest.fixture(scope="module")
def misses():
    """Per op: the cases in which we and TensorFlow differ."""
    every = [
        cases.make(random.Random(f"{SEED} {name} {k}"), THEIRS[name]) for name in OURS for k in range(CASES)
    ]
    differ, accepted = collections.defaultdict(list), collections.Counter()
    for case, found, expected in zip(every, ours(every), all_theirs(every)):
        if expected is None:
            continue
        accepted[case.op] += isinstance(expected, list)
        same = found == expected if isinstance(expected, list) else isinstance(found, str)
        if not same and not excused(case, expected):
            differ[case.op].append(describe(case, found, expected))
    return differ, accepted


@pytest.mark.parametrize("name", OURS)
def test_shapes_are_tensorflows(misses, name):
    found = misses[0][name]
    assert not found, f"{len(found)} of {CASES} cases (seed {SEED}) differ:\n" + "\n".join(found[:5])


@pytest.mark.parametrize("name", sorted(set(OURS) - {"TopK"}))
def test_many_cases_are_right_uses(misses, name):
    assert misses[1][name] > CASES / 4
