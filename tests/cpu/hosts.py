"""Runs single ops somewhere: in this process's TensorFlow, or in a child that has loaded the plugin.

A result is a list of arrays, or a Failure. Bytes in object arrays stand for strings; the child speaks
pickle over its standard input and output.
"""

import collections
import os
import pathlib
import pickle
import struct
import subprocess
import sys

import numpy

BUILD = pathlib.Path(os.environ.get("TENON_BUILD", pathlib.Path(__file__).parents[2] / "build"))
PLUGIN = BUILD / "lib/tenon/plugins/libtenon_cpu.so"

# op: a name. inputs: arrays, in order; a list of arrays for an input of N tensors. attrs: those that
# the inputs do not tell, with dtypes as numpy's.
Call = collections.namedtuple("Call", "op inputs attrs")
Failure = collections.namedtuple("Failure", "code message")


class TensorFlow:
    """Eager TensorFlow in this process; with the plugin when `plugin` is given."""

    def __init__(self, plugin=None):
        # oneDNN's kernels would stand in front of MatMul under names of their own; and they use AMX also
        # where a virtual machine does not let them.
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
        import tensorflow
        from tensorflow.python.eager import context, execute
        from tensorflow.python.framework import load_library, op_def_registry
        self.tf, self.registry = tensorflow, op_def_registry
        self.execute, self.context = execute.quick_execute, context.context
        if plugin:
            load_library.load_pluggable_device_library(str(plugin))

    def tensor(self, array):
        dtype = "string" if array.dtype == object else array.dtype
        return self.tf.constant(array, dtype=dtype, shape=array.shape)

    def run(self, call):
        definition = self.registry.get(call.op)
        attrs = {name: self.tf.as_dtype(value).as_datatype_enum if name in ("DstT", "dtype") else value
                 for name, value in call.attrs.items()}
        flat = []
        for argument, value in zip(definition.input_arg, call.inputs):
            values = [self.tensor(v) for v in (value if isinstance(value, list) else [value])]
            if argument.type_attr:
                attrs[argument.type_attr] = values[0].dtype.as_datatype_enum
            if argument.number_attr:
                attrs[argument.number_attr] = len(values)
            flat += values
        for attr in definition.attr:
            if attr.name not in attrs:
                kind = attr.default_value.WhichOneof("value")
                attrs[attr.name] = getattr(attr.default_value, kind)
        try:
            self.context().ensure_initialized()
            outputs = self.execute(call.op, len(definition.output_arg), flat,
                                   tuple(x for item in attrs.items() for x in item), self.context())
            return [numpy.asarray(output.numpy()) for output in outputs]
        except self.tf.errors.OpError as error:
            return Failure(error.error_code, error.message)


class Child:
    """A host in a process of its own: Child("TensorFlow(PLUGIN)")."""

    def __init__(self, host):
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"from hosts import *; serve({host})"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, cwd=pathlib.Path(__file__).parent)

    def run_all(self, calls):
        send(self.process.stdin, calls)
        return receive(self.process.stdout)

    def run(self, call):
        return self.run_all([call])[0]

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0


def send(stream, value):
    data = pickle.dumps(value)
    stream.write(struct.pack("<Q", len(data)) + data)
    stream.flush()


def receive(stream):
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError("the other side has ended")
    return pickle.loads(stream.read(struct.unpack("<Q", head)[0]))


def serve(host):
    # What the host prints must not get between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        try:
            calls = receive(sys.stdin.buffer)
        except EOFError:
            return
        send(answers, [host.run(call) for call in calls])
