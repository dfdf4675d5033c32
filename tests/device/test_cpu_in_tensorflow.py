"""The CPU plugin as a device of TensorFlow: found, listed, and computing what TensorFlow computes.

Every op's results on the device are compared with TensorFlow's in tests/cpu; here are whole programs.
"""

import os
import pathlib
import re
import sys

import pytest

import training

SOURCE = pathlib.Path(os.environ.get("TENON_SOURCE", pathlib.Path(__file__).parents[2]))
LIST = """
import tensorflow
print([device.name for device in tensorflow.config.list_physical_devices()])
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return training.site_packages(tmp_path_factory.mktemp("tensorflow"))


def run(script, folder, **variables):
    return training.run(sys.executable, script, folder=folder, **variables)


@pytest.mark.parametrize("count", [0, 3])
def test_tensorflow_finds_it_in_site_packages_and_lists_its_devices(folder, count):
    names = eval(run(LIST, folder, TENON_CPU_DEVICES=str(count)))
    assert names == ["/physical_device:CPU:0", *(f"/physical_device:TENON:{i}" for i in range(count))]


def test_what_the_document_shows_works(tmp_path):
    text = (SOURCE / "docs/tensorflow-device.md").read_text()
    scripts = re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)
    assert scripts
    for script in scripts:
        script = script.replace('"build/', f'"{training.BUILD}/')
        printed = run(script, tmp_path)
        assert "PhysicalDevice(name='/physical_device:TENON:0'" in printed and "[3. 3.]" in printed


PROGRAM = """
import numpy
import tensorflow as tf

def step(x, w):
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = tf.nn.relu(tf.linalg.matmul(x, w)) - 0.5
        rows = tf.shape(y)[0] * 2
        y = tf.nn.softmax(tf.reshape(tf.concat([y, y], 0), [rows, -1]))
        loss = tf.reduce_mean(tf.math.log(y + 1.0) * tf.cast(tf.range(rows), tf.float32)[:, None])
    return loss, tape.gradient(loss, w), rows

x = numpy.random.default_rng(1).normal(size=(300, 200)).astype("float32")
w = numpy.random.default_rng(2).normal(size=(200, 100)).astype("float32")
found = {}
for how, function in ("eager", step), ("graph", tf.function(step)):
    for device in "CPU:0", "TENON:0":
        with tf.device(device):
            outputs = function(tf.constant(x), tf.constant(w))
            assert device in outputs[1].device, outputs[1].device
            found[how, device] = [output.numpy() for output in outputs]
first, *others = found.values()
for other in others:
    for a, b in zip(first, other):
        numpy.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)

# Values go to variables when they are there: TensorFlow's kernels do not wait for a stream.
with tf.device("TENON:0"):
    total, ones = tf.Variable(tf.zeros([500, 500])), tf.ones([500, 500])
    for _ in range(5):
        total.assign_add(tf.matmul(ones, ones))
    assert numpy.unique(total.numpy()).tolist() == [2500]

# A wrong call is a status, also there.
try:
    with tf.device("TENON:0"):
        tf.raw_ops.MatMul(a=tf.ones([2, 3]), b=tf.ones([2, 3]))
    raise SystemExit("no failure")
except tf.errors.InvalidArgumentError as error:
    assert "inner dimensions differ" in str(error), error
print("fine")
"""


def test_eager_ops_and_functions_give_what_the_cpu_gives(folder):
    assert run(PROGRAM, folder).endswith("fine\n")


MANY = """
import threading

import numpy
import tensorflow as tf

def chain(x, seed):
    for i in range(12):
        x = tf.tanh(tf.matmul(x, x) * 0.01 + float(seed)) if i % 3 else tf.reduce_sum(x, 0)[None] * 0.1 + x
    return x

start = numpy.random.default_rng(1).normal(size=(160, 160)).astype("float32")
graph, found = tf.function(chain), {}

def run(seed, device):
    with tf.device(device):
        found[seed, device] = [graph(tf.constant(start), tf.constant(float(seed))).numpy() for _ in range(5)]

for device in "CPU:0", "TENON:0":
    threads = [threading.Thread(target=run, args=(seed, device)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
for (seed, device), values in found.items():
    for value in values:
        numpy.testing.assert_allclose(value, found[seed, "CPU:0"][0], rtol=1e-3, atol=1e-4)
print("fine")
"""


@pytest.mark.parametrize("launch", ["0", "1"])
def test_many_threads_share_the_device(folder, launch):
    assert run(MANY, folder, TENON_CPU_LAUNCH=launch).endswith("fine\n")


@pytest.mark.parametrize("kind", ["dense", "conv"])
def test_keras_trains_on_it_and_every_op_that_computes_is_ours(folder, tmp_path, kind):
    training.judge(sys.executable, kind, folder, tmp_path, training.NOT_OURS | training.UPDATES)
