"""The smallest device: one file that builds against both sets of headers, and TensorFlow and Tenon run."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", SOURCE / "build"))
EXAMPLE = SOURCE / "examples/device/example_device.c"


def tensorflow_headers():
    # Not by importing it, which takes seconds.
    return pathlib.Path(importlib.util.find_spec("tensorflow").origin).parent / "include"


@pytest.fixture(scope="module", params=["tenon", "tensorflow"])
def plugin(request, tmp_path_factory):
    """The example, built with warnings as errors against one or the other's headers."""
    library = tmp_path_factory.mktemp("device") / f"libexample_{request.param}.so"
    include = ["-I", SOURCE / "include"] if request.param == "tenon" else ["-isystem", tensorflow_headers()]
    subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-O2", "-shared",
                    "-fPIC", "-fvisibility=hidden", "-o", library, EXAMPLE, *include], check=True)
    return library


def test_it_is_small():
    text = EXAMPLE.read_text()
    assert len(text.splitlines()) < 300
    ours = [line for line in text.splitlines() if line.startswith('#include "')]
    assert ours and all('"tensorflow/c/' in line for line in ours)


def test_it_exports_its_two_entry_points_and_nothing_else(plugin):
    shown = subprocess.run(["nm", "-D", "--defined-only", plugin], check=True, capture_output=True, text=True)
    assert sorted(line.split()[-1] for line in shown.stdout.splitlines()) == ["SE_InitPlugin", "TF_InitKernel"]


IN_TENSORFLOW = """
import sys
import numpy
import tensorflow as tf
from tensorflow.python.framework import load_library

load_library.load_pluggable_device_library(sys.argv[1])
assert [d.name for d in tf.config.list_physical_devices("EXAMPLE_DEVICE")] == ["/physical_device:EXAMPLE_DEVICE:0"]
x = numpy.array([[-1, 0, 2], [float("nan"), float("inf"), -float("inf")]], "float32")
expected = numpy.array([[0, 0, 2], [float("nan"), float("inf"), 0]], "float32")
with tf.device("/device:EXAMPLE_DEVICE:0"):
    y = tf.nn.relu(tf.constant(x))
    assert y.device.endswith("/device:EXAMPLE_DEVICE:0"), y.device
    numpy.testing.assert_array_equal(y.numpy(), expected)

    @tf.function
    def twice(x):
        return tf.nn.relu(tf.nn.relu(x))

    numpy.testing.assert_array_equal(twice(tf.constant(x)).numpy(), expected)
    assert twice(tf.zeros([0, 3])).shape == (0, 3)
numpy.testing.assert_array_equal(tf.nn.relu(tf.identity(y)).numpy(), expected)  # off the device again
print("all is well")
"""


def test_tensorflow_lists_the_device_and_runs_ops_on_it(plugin):
    done = subprocess.run([sys.executable, "-c", IN_TENSORFLOW, plugin], capture_output=True, text=True)
    assert done.returncode == 0 and "all is well" in done.stdout, done.stdout + done.stderr


# What a host hands out: a size, and memory of which nothing behind that size may be written.
SIZES = {"params": 64, "platform": 35, "platform_fns": 88, "stream_executor": 288, "device": 56, "timer_fns": 24}

AS_A_HOST = """
import ctypes, json, sys

tf = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
plugin = ctypes.CDLL(sys.argv[2])
sizes = json.loads(sys.argv[3])
tf.TF_NewStatus.restype = ctypes.c_void_p
tf.TF_Message.restype = ctypes.c_char_p
status = ctypes.c_void_p(tf.TF_NewStatus())


def handed_out(size):
    memory = ctypes.create_string_buffer(b"\\0" * size + b"\\xee" * 600, size + 600)
    ctypes.c_size_t.from_buffer(memory).value = size
    return memory


def untouched(memory, size):
    return memory.raw[size:] == b"\\xee" * 600


def address_at(memory, offset):
    return ctypes.c_size_t.from_buffer(memory, offset)


structs = {name: handed_out(size) for name, size in sizes.items()}
address_at(structs["params"], 32).value = ctypes.addressof(structs["platform"])
address_at(structs["params"], 40).value = ctypes.addressof(structs["platform_fns"])
plugin.SE_InitPlugin(structs["params"], status)
if tf.TF_GetCode(status) == 0:
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
    for offset, name in [(24, "device"), (56, "stream_executor")]:
        params = handed_out(32)
        address_at(params, 24 if name == "device" else 16).value = ctypes.addressof(structs[name])
        call(address_at(structs["platform_fns"], offset).value)(
            ctypes.addressof(structs["platform"]), ctypes.addressof(params), status)
        assert untouched(params, 32)
    call(address_at(structs["platform_fns"], 72).value)(
        ctypes.addressof(structs["platform"]), ctypes.addressof(structs["timer_fns"]), status)
for name, size in sizes.items():
    assert untouched(structs[name], size), name
    assert ctypes.c_size_t.from_buffer(structs[name]).value <= size, name
print(tf.TF_GetCode(status), tf.TF_Message(status).decode())
"""


def as_a_host(plugin, **sizes):
    done = subprocess.run([sys.executable, "-c", AS_A_HOST, BUILD / "lib/libtenon_tf.so", plugin,
                           json.dumps({**SIZES, **sizes})], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("sizes, says", [
    ({}, "0"),
    ({"stream_executor": 296, "platform": 40, "platform_fns": 96}, "0"),  # a newer host
    ({"platform": 34}, "0"),  # 2.7 and 2.8: no force_memory_growth
    ({"stream_executor": 264}, "9 EXAMPLE_DEVICE needs TensorFlow 2.7 or later"),
    ({"platform_fns": 80}, "9 EXAMPLE_DEVICE needs TensorFlow 2.5 or later"),
    ({"params": 48}, "9 EXAMPLE_DEVICE needs TensorFlow 2.5 or later"),
], ids=lambda value: "-".join(f"{k}-{v}" for k, v in value.items()) if isinstance(value, dict) else "")
def test_it_writes_nothing_that_the_host_s_structs_lack(plugin, sizes, says):
    assert as_a_host(plugin, **sizes) == says
