"""Tenon and TensorFlow in one process: neither sees the other's TF_*, whoever comes first."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

HERE = pathlib.Path(__file__).parent

PREAMBLE = """
import sys
sys.path.insert(0, {here!r})
from tenon import FAKES, Plugin, Refused, host_seen_by

def tensorflow():
    import tensorflow
    from tensorflow.python.framework import load_library
    return tensorflow, load_library.load_pluggable_device_library

def run_in_tensorflow(op, value):
    from tensorflow.python.eager import context, execute
    import tensorflow
    result, = execute.execute(op.encode(), 1, inputs=[tensorflow.constant(value)], attrs=(),
                              ctx=context.context())
    return result.numpy().tolist()
"""


def run(body):
    """Runs `body` in a process of its own and returns what it prints."""
    script = PREAMBLE.format(here=str(HERE)) + textwrap.dedent(body)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                           env=dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3"))
    assert ended.returncode == 0, f"exit {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def test_tenon_first_then_tensorflow():
    run("""
        ours = Plugin(FAKES / "good.so", tensorflow_may_follow=True)
        tf, load = tensorflow()
        load(str(FAKES / "other_good.so"))
        assert host_seen_by(FAKES / "other_good.so").startswith("libtensorflow_")
        assert host_seen_by(FAKES / "good.so").startswith("libtenon_tf.so")
        assert (ours.ops, ours.kernels) == (1, 1)
        assert run_in_tensorflow("Fake_other_good", [1.5, 2.0]) == [1.5, 2.0]
        try:
            run_in_tensorflow("Fake_good", [1.5])
        except tf.errors.NotFoundError:
            pass
        else:
            raise SystemExit("TensorFlow knows what was registered with Tenon")
        assert tf.linalg.matmul([[2.0]], [[3.0]]).numpy() == 6
    """)


def test_tensorflow_first_then_tenon():
    run("""
        tf, load = tensorflow()
        load(str(FAKES / "other_good.so"))
        ours = Plugin(FAKES / "good.so", tensorflow_may_follow=True)
        assert host_seen_by(FAKES / "other_good.so").startswith("libtensorflow_")
        assert host_seen_by(FAKES / "good.so").startswith("libtenon_tf.so")
        assert (ours.ops, ours.kernels) == (1, 1)
        assert run_in_tensorflow("Fake_other_good", [1.5, 2.0]) == [1.5, 2.0]
        assert tf.linalg.matmul([[2.0]], [[3.0]]).numpy() == 6
    """)


def test_a_file_that_tensorflow_holds_is_opened_as_a_copy():
    run("""
        tf, load = tensorflow()
        load(str(FAKES / "good.so"))
        ours = Plugin(FAKES / "good.so")
        assert "copy in memory" in ours.notes
        assert (ours.ops, ours.kernels) == (1, 1)
        assert host_seen_by(FAKES / "good.so").startswith("libtensorflow_")
        assert run_in_tensorflow("Fake_good", [1.5]) == [1.5]
    """)


@pytest.mark.parametrize("name, library", [
    ("needs_framework.so", "libtensorflow_framework.so.2"),
    ("needs_cc.so", "libtensorflow_cc.so.2"),
    ("needs_pywrap.so", "_pywrap_tensorflow_internal.so"),
])
def test_a_plugin_that_needs_tensorflow_by_name_is_refused_when_tensorflow_may_follow(name, library):
    said = run(f"""
        try:
            Plugin(FAKES / "{name}", tensorflow_may_follow=True)
        except Refused as refused:
            print(refused)
    """)
    assert f"it needs {library} by TensorFlow's own name, and TensorFlow may follow" in said


@pytest.mark.parametrize("name", ["needs_framework.so", "needs_cc.so"])
def test_with_tensorflow_there_its_library_serves_the_name_and_tenon_the_functions(name):
    run(f"""
        tf, load = tensorflow()
        ours = Plugin(FAKES / "{name}")
        assert "TensorFlow's, which was in this process first" in ours.notes
        assert (ours.ops, ours.kernels) == (1, 1)
        assert host_seen_by(FAKES / "{name}").startswith("libtenon_tf.so")
        assert tf.linalg.matmul([[2.0]], [[3.0]]).numpy() == 6
    """)
