"""Runs single ops somewhere: in this process's TensorFlow, or in a child that has loaded the plugin.

A result is a list of arrays, or a Failure. Bytes in object arrays stand for strings; the child speaks
pickle over its standard input and output.
"""

import collections
import ctypes
import os
import pathlib
import pickle
import struct
import subprocess
import sys

import ml_dtypes
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
            return [numpy.asarray(output.numpy(), object if output.dtype == "string" else None)
                    for output in outputs]
        except self.tf.errors.OpError as error:
            return Failure(error.error_code, error.message)


class Tenon:
    """libtenon in this process, by its public C functions."""

    def __init__(self, plugin):
        lib = ctypes.CDLL(BUILD / "lib/libtenon.so")
        for name in ("tn_status_create", "tn_plugin_load", "tn_call_create", "tn_tensor_create_from",
                     "tn_tensor_create_strings", "tn_tensor_data", "tn_tensor_string"):
            getattr(lib, name).restype = ctypes.c_void_p
        lib.tn_status_message.restype = ctypes.c_char_p
        lib.tn_dtype_name.restype = ctypes.c_char_p
        lib.tn_tensor_dim.restype = lib.tn_tensor_elements.restype = ctypes.c_int64
        lib.tn_tensor_bytes.restype = ctypes.c_size_t
        lib.tn_call_run.restype = lib.tn_call_set_attr.restype = ctypes.c_bool
        self.lib, self.status = lib, ctypes.c_void_p(lib.tn_status_create())
        if not lib.tn_plugin_load(bytes(plugin), None, self.status):
            raise RuntimeError(self.failure().message)

    def failure(self):
        return Failure(self.lib.tn_status_code(self.status),
                       self.lib.tn_status_message(self.status).decode())

    def tensor(self, array):
        if isinstance(array, ctypes.c_void_p):  # a resource, say
            return array
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        if array.dtype == object:
            texts = [bytes(text) for text in array.reshape(-1)]
            made = self.lib.tn_tensor_create_strings(
                dims, array.ndim, (ctypes.c_char_p * len(texts))(*texts),
                (ctypes.c_size_t * len(texts))(*map(len, texts)), self.status)
        else:
            data = array.tobytes()
            made = self.lib.tn_tensor_create_from(
                self.lib.tn_dtype_from_name(array.dtype.name.encode()), dims, array.ndim, data,
                ctypes.c_size_t(len(data)), self.status)
        assert made, self.failure()
        return ctypes.c_void_p(made)

    def array(self, tensor):
        lib = self.lib
        shape = [lib.tn_tensor_dim(tensor, i) for i in range(lib.tn_tensor_rank(tensor))]
        name = lib.tn_dtype_name(lib.tn_tensor_dtype(tensor)).decode()
        if name == "resource":
            return tensor
        if name == "string":
            size, texts = ctypes.c_size_t(), numpy.empty(lib.tn_tensor_elements(tensor), object)
            for i in range(texts.size):
                text = lib.tn_tensor_string(tensor, ctypes.c_int64(i), ctypes.byref(size))
                texts[i] = ctypes.string_at(text, size.value)
            result = texts.reshape(shape)
        else:
            data = ctypes.string_at(lib.tn_tensor_data(tensor), lib.tn_tensor_bytes(tensor))
            name = {"half": "float16", "float": "float32", "double": "float64"}.get(name, name)
            dtype = numpy.dtype(getattr(ml_dtypes, name, name))
            result = numpy.frombuffer(data, dtype).reshape(shape).copy()
        lib.tn_tensor_destroy(tensor)
        return result

    def run(self, call):
        lib = self.lib
        lib.tn_status_clear(self.status)
        made = ctypes.c_void_p(lib.tn_call_create(call.op.encode(), None, self.status))
        if not made:
            return self.failure()
        for name, value in call.attrs.items():
            text = (value.name if isinstance(value, numpy.dtype) else
                    f'"{value}"' if isinstance(value, str) else str(value))
            if not lib.tn_call_set_attr(made, name.encode(), text.encode(), self.status):
                return self.failure()
        flat = [self.tensor(v) for value in call.inputs
                for v in (value if isinstance(value, list) else [value])]
        inputs = (ctypes.c_void_p * len(flat))(*[tensor.value for tensor in flat])
        count = lib.tn_call_output_count(made, inputs, len(flat), self.status)
        outputs = (ctypes.c_void_p * max(count, 0))()
        done = count >= 0 and lib.tn_call_run(made, inputs, ctypes.c_size_t(len(flat)), outputs,
                                              ctypes.c_size_t(count), self.status)
        for tensor, value in zip(flat, sum(([v] if not isinstance(v, list) else v
                                            for v in call.inputs), [])):
            if tensor is not value:
                lib.tn_tensor_destroy(tensor)
        lib.tn_call_destroy(made)
        return ([self.array(ctypes.c_void_p(output)) for output in outputs] if done
                else self.failure())


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
