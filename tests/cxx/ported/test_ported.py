"""The ported kernels against TensorFlow's ops: in Tenon and in TensorFlow itself, from one binary; and each
of the builds (two compilers, two string ABIs, with and without optimisation) in the one host."""

import os
import pathlib
import subprocess
import sys

import ml_dtypes
import numpy
import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
FOLDER = pathlib.Path(os.environ["TENON_BUILD"]) / "tests/plugins"
sys.path.insert(0, str(SOURCE / "tests/cpu"))

from hosts import Call, Child, Failure, Result, Sequence  # noqa: E402

WANTED, LACKS = (os.environ.get(name, "").split() for name in ("TENON_PORTED_BUILDS", "TENON_PORTED_LACKS"))


def missing(compiler, build):
    """Why there is no such build; none when there is one."""
    for thing in ("Eigen", compiler):
        if thing in LACKS:
            return f"{thing} is not installed"
    return "not among TENON_PORTED_BUILDS" if WANTED and build not in WANTED else None


MATRIX = {f"ported_{short}_abi{abi}_{level}": missing(compiler, f"{short}_abi{abi}_{level}")
          for short, compiler in (("gcc", "g++"), ("clang", "clang++")) for abi in (0, 1) for level in ("O0", "O3")}
BUILDS = [pytest.param(build, marks=[pytest.mark.skip(reason=f"{build}: {why}")] if why else [])
          for build, why in MATRIX.items()]
# The one that all is tried with; TensorFlow itself is a build of clang's with the other string ABI.
SHOWN = next((build for build in ("ported_gcc_abi0_O3", *MATRIX) if not MATRIX[build]), None)
if not SHOWN:
    pytest.skip(f"the ported kernels: {missing('g++', '')}", allow_module_level=True)
RANDOM = numpy.random.default_rng(5)
INTERNAL, INVALID_ARGUMENT, UNIMPLEMENTED = 13, 3, 12


def tenon_with(build):
    return Child(f"(lambda t: (t.lib.tn_plugin_load({str(FOLDER / build)!r}.encode() + b'.so', None, t.status) or "
                 "exit(t.failure()), t)[1])(Tenon(PLUGIN))")


@pytest.fixture(scope="module")
def tenon():
    child = tenon_with(SHOWN)
    yield child
    child.close()


@pytest.fixture(scope="module")
def tensorflow():
    child = Child("(lambda t: (__import__('tensorflow.python.framework.load_library', fromlist=['x'])"
                  f".load_pluggable_device_library({str(FOLDER / SHOWN) + '.so'!r}), t)[1])(TensorFlow())")
    yield child
    child.close()


def floats(*shape):
    return RANDOM.normal(size=shape).astype("float32")


def texts(*values):
    return numpy.array([v.encode() for v in values], object)


def int32(*values):
    return numpy.array(values, "int32")


def scalar(value, dtype="int32"):
    return numpy.array(value, dtype)


def one_hots():
    for axis in (-1, 0, 1):
        for indices in (RANDOM.integers(-1, 7, (5, 4)), RANDOM.integers(0, 5, (3,)).astype("uint8")):
            yield Call("OneHot", [indices, scalar(6), scalar(2.5, "float32"), scalar(-1, "float32")], {"axis": axis})
    yield Call("OneHot", [numpy.zeros([0, 2], "int64"), scalar(3), scalar(1), scalar(0)])
    yield Call("OneHot", [RANDOM.integers(0, 300, (200, 11)), scalar(300), scalar(1), scalar(0)])


def transposes():
    for perm in ([1, 0], [2, 0, 1], [3, 1, 0, 2], [4, 2, 0, 1, 3], [0], []):
        yield Call("Transpose", [floats(*range(3, 3 + len(perm))), int32(*perm)])
    yield Call("Transpose", [RANDOM.integers(0, 99, (40, 30, 20)), numpy.array([2, 1, 0])])
    yield Call("Transpose", [floats(7, 3, 2, 5, 11, 13), int32(5, 4, 3, 2, 1, 0)])


CASES = {
    "OneHot": one_hots(),
    "Transpose": transposes(),
    "MatrixDiag": [Call("MatrixDiag", [floats(*shape)]) for shape in ([4], [3, 5], [2, 0], [200, 2, 9])]
    + [Call("MatrixDiag", [(floats(6) + 1j * floats(6)).astype("complex64")])],
    "BatchSelect": [Call("Select", [RANDOM.integers(0, 2, n).astype(bool), floats(n, *rest), floats(n, *rest)])
                    for n, rest in ((4, []), (5, [3]), (1000, [20, 3]), (0, [2]))]
    + [Call("Select", [numpy.array([True, False]), texts("a", "b" * 50), texts("c" * 50, "d")])],
    "CTCGreedyDecoder": [Call("CTCGreedyDecoder", [floats(t, b, c), RANDOM.integers(0, t + 1, b).astype("int32")],
                              {"merge_repeated": merge})
                         for t, b, c in ((1, 1, 2), (12, 5, 4), (40, 64, 9)) for merge in (False, True)],
    "StringJoin": [Call("StringJoin", [[texts("a", "b" * 40), scalar(b"-" * 30, object), texts("", "y")]],
                        {"separator": "; "}), Call("StringJoin", [[scalar(b"x", object)]])],
    "Sum": [Call("Sum", [data, int32(*axes)], {"keep_dims": keep})
            for data in (floats(3, 4, 5, 6), RANDOM.integers(-9, 9, (2, 7, 1, 3)))
            for axes in ([], [0], [1, 3], [-1], [0, 1, 2, 3]) for keep in (False, True)],
    "BiasAdd": [Call("BiasAdd", [floats(2, 5, 6, 3), floats(3)]),
                Call("BiasAdd", [floats(2, 3, 5, 6), floats(3)], {"data_format": "NCHW"}),
                Call("BiasAdd", [floats(300, 70), floats(70)])],
    "AsyncSquare": [Call("Square", [floats(*shape)]) for shape in ([], [5], [2, 0], [64, 64])]
    + [Call("Square", [numpy.arange(9.0)])],
    "MatMul": [Call("MatMul", [floats(*(s[::-1] if a else s)), floats(*(u[::-1] if b else u))],
                    {"transpose_a": a, "transpose_b": b})
               for s, u in (([3, 4], [4, 5]), ([33, 70], [70, 21]), ([2, 0], [0, 3]), ([0, 2], [2, 3]))
               for a in (False, True) for b in (False, True)],
    "Relu6": [Call("Relu6", [(floats(50, 60) * 10).astype(dtype)])
              for dtype in ("float32", "float16", ml_dtypes.bfloat16, "int32")],
    "Bincount": [Call("Bincount", [RANDOM.integers(0, 40, n).astype("int32"), scalar(30), w(n)])
                 for n in (0, 5, 50000) for w in (lambda n: int32(), lambda n: RANDOM.integers(-5, 5, n).astype("float32"))],
    "Softmax": [Call("Softmax", [floats(*shape)]) for shape in ([4], [3, 5], [500, 64], [2, 3, 4], [0, 3])]
    + [Call("Softmax", [numpy.array([[1e300, -1e300, 0]])])],
    "Unpack": [Call("Unpack", [value], {"num": len(value)})
               for value in (floats(3, 4), floats(2), RANDOM.integers(0, 9, (4, 8, 2)), texts("a" * 40, "b"))],
}


def ours(op, call):
    return call._replace(op="Tenon>" + op)


def assert_equal(found, expected, what):
    assert not isinstance(found, Failure) and not isinstance(expected, Failure), (what, found, expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a.dtype == b.dtype and a.shape == b.shape, what
        if a.dtype.kind in "fc":
            numpy.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, err_msg=str(what))
        else:
            assert (a == b).all(), what


@pytest.fixture(scope="module")
def cases(tensorflow):
    calls = [(op, call) for op, list_ in CASES.items() for call in list_]
    return calls, tensorflow.run_all([call for _, call in calls])


def compare(host, cases):
    calls, expected = cases
    for (op, call), found, answer in zip(calls, host.run_all([ours(op, call) for op, call in calls]), expected):
        assert_equal(found, answer, (op, call))


def test_in_tenon_they_give_what_tensorflows_ops_give(tenon, cases):
    compare(tenon, cases)


def test_in_tensorflow_the_same_binary_gives_what_its_own_ops_give(tensorflow, cases):
    compare(tensorflow, cases)


def momentum(op, nesterov):
    value, slope = floats(6, 5), floats(6, 5)

    def make(name, start):
        return [Call("VarHandleOp", [], {"dtype": numpy.dtype("float32"), "shape": [6, 5], "shared_name": name + op}),
                Call("AssignVariableOp", [None, start])]

    apply = Call(op, [Result(0), Result(2), scalar(0.1, "float32"), slope, scalar(0.9, "float32")],
                 {"use_nesterov": nesterov, "use_locking": True})
    calls = make("v", value) + make("a", numpy.abs(slope))
    calls[1] = calls[1]._replace(inputs=[Result(0), value])
    calls[3] = calls[3]._replace(inputs=[Result(2), numpy.abs(slope)])
    read = [Call("ReadVariableOp", [Result(i)], {"dtype": numpy.dtype("float32")}) for i in (0, 2)]
    return Sequence(calls + [apply, apply] + read)


@pytest.mark.parametrize("nesterov", [False, True])
def test_a_training_op_changes_its_variables_as_tensorflows_does(tenon, tensorflow, nesterov):
    expected = momentum("ResourceApplyMomentum", nesterov)
    found = Sequence([ours(c.op, c) if c.op == "ResourceApplyMomentum" else c for c in expected.calls])
    assert_equal(tenon.run_all([found])[0], tensorflow.run_all([expected])[0], "momentum")


def test_where_the_host_has_no_functions_for_variables_a_training_op_is_unimplemented(tensorflow):
    found = momentum("Tenon>ResourceApplyMomentum", False)
    failure, = tensorflow.run_all([found])
    assert failure.code == UNIMPLEMENTED and "TF_MaybeLockVariableInputMutexesInOrder" in failure.message


BAD = [
    (Call("Tenon>OneHot", [int32(1).astype("int64"), scalar(-3), scalar(1), scalar(0)]), "depth must be non-negative"),
    (Call("Tenon>OneHot", [int32(1).astype("int64"), scalar(3), scalar(1), scalar(0)], {"axis": 7}), "axis"),
    (Call("Tenon>BatchSelect", [numpy.array([True]), floats(2, 3), floats(2, 3)]), "Number of batches"),
    (Call("Tenon>AsyncSquare", [floats(1, 1, 1, 1, 1)]), "at most 4 dimensions"),
    (Call("Tenon>Bincount", [int32(-1), scalar(3), int32()]), "non-negative"),
    (Call("Tenon>MatMul", [floats(2, 3), floats(2, 3)]), ""),
]


@pytest.mark.parametrize("call, says", BAD, ids=lambda x: x.op if isinstance(x, Call) else "")
def test_what_a_kernel_refuses_is_a_status(tenon, tensorflow, call, says):
    for host in (tenon, tensorflow):
        failure, = host.run_all([call])
        assert isinstance(failure, Failure) and failure.code == INVALID_ARGUMENT and says in failure.message, failure


# In a tf.function an asynchronous kernel's callback is gone when ComputeAsync has returned.
IN_A_FUNCTION = """
import sys, tensorflow as tf
from tensorflow.python.framework import load_library, op_def_library
for path in sys.argv[1:]:
    load_library.load_pluggable_device_library(path)

def op(name, **arguments):
    return op_def_library.apply_op(name, **arguments)

x = tf.random.normal([64, 64])
squares = tf.function(lambda x: tf.add_n([op("Tenon>AsyncSquare", x=x + float(i)) for i in range(16)]))
expected = tf.add_n([tf.square(x + float(i)) for i in range(16)])
for _ in range(20):
    tf.debugging.assert_near(squares(x), expected, rtol=1e-5, atol=1e-5)

def day(deed):
    try:
        return tf.function(lambda x: op("CxxBadDayAsync", x=x, deed=deed))(x).numpy()
    except tf.errors.OpError as error:
        return type(error).__name__, error.message

assert day("done on a thread") == 3 and day("done twice") == 3
for deed, says in (("drop done on a thread", "dropped its callback"), ("drop done", "dropped its callback"),
                   ("throw", "thrown in ComputeAsync")):
    name, message = day(deed)
    assert name == "InternalError" and says in message, (deed, message)
"""


def test_an_asynchronous_kernel_may_end_on_another_thread_in_a_function_of_tensorflows():
    files = [FOLDER / f"{SHOWN}.so", FOLDER / "cxx_bad_days.so"]
    done = subprocess.run([sys.executable, "-c", IN_A_FUNCTION, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("build", BUILDS)
def test_each_build_runs_in_the_one_host(build, cases):
    child = tenon_with(build)
    compare(child, cases)
    child.close()


def symbols(file):
    return subprocess.run(["nm", "-D", "--defined-only", FOLDER / file], capture_output=True, text=True,
                          check=True).stdout.splitlines()


@pytest.mark.parametrize("build", BUILDS)
def test_each_build_exports_its_entry_point_only(build):
    assert [line.split()[-1] for line in symbols(f"{build}.so")] == ["TF_InitKernel"]
