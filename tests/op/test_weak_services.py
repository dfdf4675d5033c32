"""One plugin uses tenon/shape_inference.h under Tenon and loads in TensorFlow, which lacks it."""

import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
BUILD = pathlib.Path(os.environ["TENON_BUILD"])


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    path = tmp_path_factory.mktemp("weak") / "weak.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", f"-I{SOURCE / 'include'}", "-o", path,
                    SOURCE / "tests/op/weak_plugin.c"], check=True)
    return path


def run(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_tensorflow_loads_it_and_infers_less(plugin):
    # TensorFlow's own libraries are global here, as they are for a plugin that links them.
    out = run("""
import ctypes, os, sys
sys.setdlopenflags(os.RTLD_GLOBAL | os.RTLD_NOW)
import tensorflow as tf
ctypes.CDLL(os.path.join(os.path.dirname(tf.__file__), "libtensorflow_framework.so.2"), ctypes.RTLD_GLOBAL)
tf.load_library(sys.argv[1])
with tf.Graph().as_default() as graph:
    a, b = tf.compat.v1.placeholder(tf.float32, [2, None]), tf.compat.v1.placeholder(tf.float32, [None, 3])
    print(graph.create_op("WeakMerge", [a, b], [tf.float32]).outputs[0].shape)
""", plugin)
    assert out.strip() == "<unknown>"


def test_tenon_loads_it_and_merges(plugin):
    out = run("""
import ctypes, sys
core = ctypes.CDLL(sys.argv[2] + "/lib/libtenon.so", ctypes.RTLD_GLOBAL)
ctypes.CDLL(sys.argv[2] + "/lib/libtenon_tf.so", ctypes.RTLD_GLOBAL)
ctypes.CDLL(sys.argv[1])
class Shape(ctypes.Structure):
    _fields_ = [("rank", ctypes.c_int32), ("dims", ctypes.c_int64 * 8)]
core.tn_op_registry_find.restype = core.tn_node_create.restype = ctypes.c_void_p
op = ctypes.c_void_p(core.tn_op_registry_find(b"WeakMerge"))
node = ctypes.c_void_p(core.tn_node_create(op, b"n", None, (ctypes.c_int * 2)(1, 1), ctypes.c_size_t(2), None))
shapes = (Shape * 2)(Shape(2, (ctypes.c_int64 * 8)(2, -1)), Shape(2, (ctypes.c_int64 * 8)(-1, 3)))
out = Shape()
assert core.tn_infer_shapes(node, shapes, None, ctypes.byref(out), None)
print(list(out.dims[:out.rank]))
""", plugin, BUILD)
    assert out.strip() == "[2, 3]"
