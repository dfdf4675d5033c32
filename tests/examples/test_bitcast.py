"""The seed's Bitcast, built as its README says: hosted by Tenon, and loaded into TensorFlow."""

import os
import pathlib
import re
import subprocess
import sys

import ml_dtypes
import numpy
import pytest

SOURCE = pathlib.Path(__file__).parents[2]
EXAMPLE = SOURCE / "examples/bitcast/bitcast.c"
sys.path.insert(0, str(SOURCE / "tests/cpu"))

from hosts import Call, Child, Failure  # noqa: E402

TYPES = ["bfloat16", "float16", "float32", "float64", "int64", "int32", "uint8", "uint16", "uint32",
         "uint64", "int8", "int16", "complex64", "complex128"]
NAME = "TenonBitcast"


def dtype_of(name):
    return numpy.dtype(getattr(ml_dtypes, name, name))


@pytest.fixture(scope="module")
def tf(tmp_path_factory):
    import tensorflow
    from tensorflow.python.framework import load_library
    plugin = tmp_path_factory.mktemp("bitcast") / "libbitcast_tf.so"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", plugin, EXAMPLE,
                    f"-DOP_NAME=\"{NAME}\"", "-isystem", tensorflow.sysconfig.get_include()], check=True)
    load_library.load_pluggable_device_library(str(plugin))
    return tensorflow


@pytest.fixture(scope="module")
def tenon(tmp_path_factory):
    plugin = tmp_path_factory.mktemp("bitcast") / "libbitcast.so"
    subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", plugin, EXAMPLE,
                    "-I", SOURCE / "include"], check=True)
    child = Child(f"Tenon({str(plugin)!r}.encode())")
    yield child
    child.close()


def shapes(source, target):
    """Shapes that can be cast."""
    ratio = dtype_of(target).itemsize // dtype_of(source).itemsize
    tail = [ratio] if ratio > 1 else []
    return [head + tail for head in ([], [0], [3], [2, 0, 5], [4, 3, 2])]


def random_array(source, shape):
    dtype = dtype_of(source)
    random = numpy.random.default_rng(7)
    return random.integers(0, 256, [*shape, dtype.itemsize], "uint8").view(dtype).reshape(shape)


def in_tensorflow(tf, op, array, type):
    """What an op of TensorFlow makes of it: its bytes, shape and type, or a Failure."""
    from tensorflow.python.eager import context, execute
    context.context().ensure_initialized()
    tensor = tf.constant(array)
    attrs = ("T", tensor.dtype.as_datatype_enum, "type", tf.as_dtype(type).as_datatype_enum)
    try:
        output, = execute.quick_execute(op, 1, [tensor], attrs, context.context())
        return output.numpy().tobytes(), tuple(output.shape), output.dtype
    except tf.errors.OpError as error:
        return Failure(error.error_code, error.message)


@pytest.mark.parametrize("source", TYPES)
def test_in_tensorflow_it_does_what_tensorflows_does(tf, source):
    for target in TYPES:
        for shape in shapes(source, target):
            array = random_array(source, shape)
            assert (in_tensorflow(tf, NAME, array, target) ==
                    in_tensorflow(tf, "Bitcast", array, target)), (source, target, shape)


@pytest.mark.parametrize("source", TYPES)
def test_in_tenon_it_does_what_numpys_view_does(tenon, source):
    calls = [Call("Bitcast", [random_array(source, shape)], {"type": dtype_of(target)})
             for target in TYPES for shape in shapes(source, target)]
    for call, found in zip(calls, tenon.run_all(calls)):
        assert not isinstance(found, Failure), found
        array, target = call.inputs[0], call.attrs["type"]
        larger = target.itemsize > array.itemsize
        smaller = target.itemsize < array.itemsize
        shape = (array.shape[:-1] if larger else
                 array.shape + (array.itemsize // target.itemsize,) * smaller)
        assert found[0].dtype == target and found[0].shape == shape
        assert found[0].tobytes() == array.tobytes()


@pytest.mark.parametrize("type", ["qint8", "quint8", "qint16", "quint16", "qint32"])
def test_quantized_types_are_cast_too(tf, type):
    array = numpy.arange(4, dtype="int32")
    found = in_tensorflow(tf, NAME, array, type)
    assert found == in_tensorflow(tf, "Bitcast", array, type)
    assert not isinstance(found, Failure)


WRONG = [("int8", [3], "int32", "a last dimension of 4, and it is 3"),
         ("int8", [], "int32", "a last dimension of 4, and there is none"),
         ("int16", [4, 2], "float64", "a last dimension of 4, and it is 2"),
         ("uint8", [2, 0], "complex128", "a last dimension of 16, and it is 0")]


@pytest.mark.parametrize("source, shape, target, says", WRONG)
def test_a_shape_that_does_not_fit_is_refused_by_the_kernel_in_tensorflow(tf, source, shape, target,
                                                                          says):
    found = in_tensorflow(tf, NAME, random_array(source, shape), target)
    expected = in_tensorflow(tf, "Bitcast", random_array(source, shape), target)
    assert found.code == expected.code and says in found.message


@pytest.mark.parametrize("source, shape, target, says", WRONG)
def test_a_shape_that_does_not_fit_is_refused_in_tenon(tenon, source, shape, target, says):
    found = tenon.run(Call("Bitcast", [random_array(source, shape)], {"type": dtype_of(target)}))
    assert found.code == 3 and says in found.message


def inferred(tf, op, source, shape, target):
    """The static shape in a graph, or the kind of error."""
    with tf.Graph().as_default() as graph:
        input = tf.compat.v1.placeholder(source, shape)
        try:
            node = graph.create_op(op, [input], [tf.as_dtype(target)], attrs={
                "T": tf.compat.v1.AttrValue(type=input.dtype.as_datatype_enum),
                "type": tf.compat.v1.AttrValue(type=tf.as_dtype(target).as_datatype_enum)})
            return str(node.outputs[0].shape)
        except ValueError as error:
            return "refused" if "Bitcast" in str(error) else str(error)


@pytest.mark.parametrize("shape", [None, [], [None], [3], [4], [8], [None, 2], [2, None], [5, 4, 16]])
def test_shapes_are_inferred_as_tensorflow_does(tf, shape):
    for source in ["int8", "int16", "float32", "complex128"]:
        for target in ["uint8", "bfloat16", "int32", "complex64", "complex128"]:
            assert (inferred(tf, NAME, source, shape, target) ==
                    inferred(tf, "Bitcast", source, shape, target)), (source, target)


def run_document(document, folder):
    """Runs the ```python block of a document; what it prints is what its comments say."""
    block, = re.findall(r"^```python\n(.*?)^```$", document.read_text(), re.M | re.S)
    done = subprocess.run([sys.executable, "-c", block], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"})
    assert done.returncode == 0, done.stderr[-2000:]
    expected = re.findall(r"^print\(.*\)  # (.*)$", block, re.M)
    assert expected and done.stdout.splitlines() == expected


def build_as_shown(document, folder, find):
    command, = re.findall(find, document.read_text(), re.M | re.S)
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", command], cwd=folder, check=True, env={**os.environ, "PATH": path})


def test_its_document_builds_loads_and_calls_it(tmp_path):
    document = SOURCE / "examples/bitcast/README.md"
    (tmp_path / "bitcast.c").write_text(EXAMPLE.read_text())
    build_as_shown(document, tmp_path, r"^```sh\n(.*?)^```$")
    run_document(document, tmp_path)


@pytest.mark.parametrize("headers", ["Tenon", "TensorFlow"])
def test_a_new_op_is_loaded_and_called_as_its_document_says(tmp_path, headers):
    program = pathlib.Path(os.environ["TENON_BUILD"]) / "bin/tenon"
    subprocess.run([program, "new", "op", "MyScale", "--folder", tmp_path / "op"], check=True, capture_output=True)
    document = tmp_path / "op/README.md"
    if headers == "Tenon":
        subprocess.run(["make", f"TENON={program}"], cwd=tmp_path / "op", check=True, capture_output=True)
    else:
        build_as_shown(document, tmp_path / "op", r"^    (cc -shared [^\n]*)$")
    run_document(document, tmp_path / "op")
