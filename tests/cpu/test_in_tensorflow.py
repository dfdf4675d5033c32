"""How the plugin behaves as a guest: what it registers in TensorFlow, and its asynchronous kernel.

Here it is asked to stand in for TensorFlow's kernels on the CPU; tests/device has its device.
"""

import os
import subprocess
import threading
import time

import pytest

from hosts import PLUGIN


@pytest.fixture(scope="module")
def tf():
    os.environ["TENON_CPU_REPLACE"] = "1"
    import tensorflow
    from tensorflow.python.framework import load_library
    load_library.load_pluggable_device_library(str(PLUGIN))
    return tensorflow


def ours(op):
    from tensorflow.python.framework import kernels
    return [k for k in kernels.get_registered_kernels_for_op(op).kernel
            if k.device_type == "CPU" and (k.priority == 1 or k.label == "tenon")]


@pytest.mark.parametrize("op", ["AddV2", "Sub", "Mul", "Relu", "Cast", "MatMul", "Sum", "Reshape",
                                "Transpose", "ConcatV2", "StringJoin"])
def test_its_kernels_stand_before_tensorflows_own(tf, op):
    kernel, = ours(op)
    assert kernel.priority == 1 and not kernel.label


def test_files_are_left_to_tensorflow_unless_asked_for_by_label(tf):
    kernel, = ours("ReadFile")
    assert kernel.priority == 0 and kernel.label == "tenon"


def test_variables_are_left_out_where_the_host_lacks_the_functions(tf):
    assert not ours("AssignAddVariableOp")


def read_files(tf, names):
    with tf.Graph().as_default() as graph, graph._kernel_label_map({"ReadFile": "tenon"}):
        contents = [tf.io.read_file(name) for name in names]
        with tf.compat.v1.Session(graph=graph) as session:
            return session.run(contents)


def test_many_files_are_read_at_once(tf, tmp_path):
    texts = [bytes([65 + i]) * size for i, size in enumerate([0, 1, 22, 23, 5000, 3_000_000])]
    for i, text in enumerate(texts):
        (tmp_path / str(i)).write_bytes(text)
    names = [str(tmp_path / str(i)) for i in range(len(texts))] * 5
    assert read_files(tf, names) == texts * 5


def test_a_file_of_unknown_size_is_read_to_its_end(tf):
    assert read_files(tf, ["/proc/cpuinfo"])[0].startswith(b"processor")


def test_a_missing_file_is_not_found(tf):
    with pytest.raises(tf.errors.NotFoundError, match="ReadFile: /nowhere; No such file"):
        read_files(tf, ["/nowhere"])


def test_a_cancelled_step_ends_and_kernels_go_on_working(tf):
    from tensorflow.python.eager import cancellation

    @tf.function
    def many_products(x):
        with tf.device("CPU:0"):
            for _ in tf.range(1000):
                x = tf.linalg.matmul(x, x) * 0.001
        return x

    x, manager, outcomes = tf.ones([500, 500]), cancellation.CancellationManager(), []
    products = manager.get_cancelable_function(many_products.get_concrete_function(x))

    def run():
        try:
            outcomes.append(products(x))
        except tf.errors.CancelledError as error:
            outcomes.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.1)
    manager.start_cancel()
    thread.join()
    assert len(outcomes) == 1
    assert tf.linalg.matmul(x, x).numpy().sum() == 500.0**3


def test_only_the_entry_points_are_exported():
    names = subprocess.run(["nm", "-D", "--defined-only", PLUGIN], capture_output=True, text=True,
                           check=True).stdout.split()
    assert sorted(names[2::3]) == ["SE_InitPlugin", "TF_InitKernel"]
