"""Runs ops somewhere: in this process's TensorFlow, or in a child that has loaded the plugin.

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

# op: a name. inputs: arrays, in order; a list of arrays for an input of several tensors. attrs: those
# that the inputs do not tell, with types as numpy's (or a Type, where numpy has none). says: a part of
# the message when it fails.
Call = collections.namedtuple("Call", "op inputs attrs says", defaults=({}, ""))
# Calls that share state: an input may be a Result, that output of an earlier call of the sequence. The
# first failure ends it; else its result is that of all calls, less resources and variants.
Sequence = collections.namedtuple("Sequence", "calls")
Result = collections.namedtuple("Result", "call output", defaults=(0,))
Failure = collections.namedtuple("Failure", "code message")
OPAQUE = ("resource", "variant")


class Type(str):
    """An attribute's value: a type by its name, where numpy has none ("resource")."""


def flat_inputs(inputs):
    return [v for value in inputs for v in (value if isinstance(value, list) else [value])]


class TensorFlow:
    """Eager TensorFlow in this process; with the plugin when `plugin` is given.

    With it, ops run on the plugin's device TENON. Those that have no kernel there, those on strings (TensorFlow has
    some for any device), and sequences, whose variables are on the CPU, get the plugin's kernels on the CPU.
    """

    def __init__(self, plugin=None):
        # oneDNN's kernels would stand in front of MatMul under names of their own; and they use AMX also
        # where a virtual machine does not let them.
        os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
        os.environ["TENON_CPU_REPLACE"] = os.environ["TENON_CPU_LAUNCH"] = "1"
        import tensorflow
        from tensorflow.python.eager import context, execute
        from tensorflow.python.framework import load_library, op_def_registry
        self.tf, self.registry = tensorflow, op_def_registry
        self.execute, self.context = execute.quick_execute, context.context
        self.device = "CPU:0"
        if plugin:
            load_library.load_pluggable_device_library(str(plugin))
            self.device = "TENON:0"

    def tensor(self, value, results):
        if isinstance(value, Result):
            return results[value.call][value.output]
        dtype = "string" if value.dtype == object else value.dtype
        return self.tf.constant(value, dtype=dtype, shape=value.shape)

    def number(self, dtype):
        if not isinstance(dtype, str) and dtype == object:
            dtype = "string"
        return self.tf.as_dtype(dtype).as_datatype_enum

    def attr(self, kind, value):
        if kind == "type":
            return self.number(value)
        if kind == "list(type)":
            return [self.number(v) for v in value]
        return value

    def default(self, attr):
        value = attr.default_value
        kind = value.WhichOneof("value")
        if kind == "list":
            return list(getattr(value.list, {"int": "i", "float": "f", "bool": "b", "string": "s",
                                             "shape": "shape", "type": "type"}[attr.type[5:-1]]))
        if kind == "shape":
            return None if value.shape.unknown_rank else [d.size for d in value.shape.dim]
        return getattr(value, kind) if kind else None

    def attrs_and_inputs(self, call, definition, results):
        """All attributes as TensorFlow takes them, those of the inputs' types among them; the tensors."""
        kinds = {attr.name: attr.type for attr in definition.attr}
        attrs = {name: self.attr(kinds.get(name), value) for name, value in call.attrs.items()}
        flat = []
        for argument, value in zip(definition.input_arg, call.inputs):
            values = [self.tensor(v, results) for v in (value if isinstance(value, list) else [value])]
            if argument.type_attr and values:
                attrs.setdefault(argument.type_attr, values[0].dtype.as_datatype_enum)
            if argument.type_list_attr:
                attrs[argument.type_list_attr] = [v.dtype.as_datatype_enum for v in values]
            if argument.number_attr:
                attrs[argument.number_attr] = len(values)
            flat += values
        for attr in definition.attr:
            if attr.name not in attrs:
                attrs[attr.name] = self.default(attr)
        return attrs, flat

    def run_one(self, call, results):
        definition = self.registry.get(call.op)
        attrs, flat = self.attrs_and_inputs(call, definition, results)
        count = sum(attrs[o.number_attr] if o.number_attr else len(attrs[o.type_list_attr])
                    if o.type_list_attr else 1 for o in definition.output_arg)
        try:
            self.context().ensure_initialized()
            return self.execute(call.op, max(count, 0), flat,
                                tuple(x for item in attrs.items() for x in item), self.context()) or []
        except self.tf.errors.OpError as error:
            return Failure(error.error_code, error.message)

    def run(self, call):
        results = []
        on_cpu = isinstance(call, Sequence) or any(v.dtype == object for v in flat_inputs(call.inputs))
        for one in call.calls if isinstance(call, Sequence) else [call]:
            with self.tf.device("CPU:0" if on_cpu else self.device):
                results.append(self.run_one(one, results))
            if isinstance(results[-1], Failure):
                return results[-1]
        return [self.array(output) for outputs in results for output in outputs
                if output.dtype.name not in OPAQUE]

    def array(self, output):
        array = numpy.asarray(output.numpy(), object if output.dtype == "string" else None)
        if not output.dtype.is_quantized:
            return array
        return array.reshape(-1).view(output.dtype.as_numpy_dtype).reshape(array.shape)


def attr_text(value):
    """An attribute's value as Tenon reads it."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(attr_text, value)) + "]"
    if isinstance(value, (bool, numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, Type):
        return str(value)
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        return '"' + "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in data) + '"'
    if isinstance(value, (numpy.dtype, type)):
        dtype = numpy.dtype(value)
        return dtype.names[0] if dtype.names else "string" if dtype == object else dtype.name
    return "?" if value is None else repr(value)


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
                       self.lib.tn_status_message(self.status).decode(errors="replace"))

    def tensor(self, array):
        dims = (ctypes.c_int64 * array.ndim)(*array.shape)
        if array.dtype == object:
            texts = [bytes(text) for text in array.reshape(-1)]
            made = self.lib.tn_tensor_create_strings(
                dims, array.ndim, (ctypes.c_char_p * len(texts))(*texts),
                (ctypes.c_size_t * len(texts))(*map(len, texts)), self.status)
        else:
            data = array.tobytes()
            made = self.lib.tn_tensor_create_from(
                self.lib.tn_dtype_from_name(attr_text(array.dtype).encode()), dims, array.ndim, data,
                ctypes.c_size_t(len(data)), self.status)
        assert made, self.failure()
        return ctypes.c_void_p(made)

    def dtype_name(self, tensor):
        return self.lib.tn_dtype_name(self.lib.tn_tensor_dtype(tensor)).decode()

    def array(self, tensor):
        lib = self.lib
        shape = [lib.tn_tensor_dim(tensor, i) for i in range(lib.tn_tensor_rank(tensor))]
        name = self.dtype_name(tensor)
        if name == "string":
            size, texts = ctypes.c_size_t(), numpy.empty(lib.tn_tensor_elements(tensor), object)
            for i in range(texts.size):
                text = lib.tn_tensor_string(tensor, ctypes.c_int64(i), ctypes.byref(size))
                texts[i] = ctypes.string_at(text, size.value)
            return texts.reshape(shape)
        data = ctypes.string_at(lib.tn_tensor_data(tensor), lib.tn_tensor_bytes(tensor))
        name = {"half": "float16", "float": "float32", "double": "float64"}.get(name, name)
        dtype = [(name, name[1:])] if name.startswith("q") else getattr(ml_dtypes, name, name)
        return numpy.frombuffer(data, numpy.dtype(dtype)).reshape(shape).copy()

    def call(self, call, kept):
        """One for all calls of a sequence with the same attributes, because kernels may have state."""
        lib, key = self.lib, repr((call.op, call.attrs))
        if key in kept:
            return kept[key]
        made = ctypes.c_void_p(lib.tn_call_create(call.op.encode(), None, self.status))
        for name, value in call.attrs.items() if made else ():
            if not lib.tn_call_set_attr(made, name.encode(), attr_text(value).encode(), self.status):
                lib.tn_call_destroy(made)
                return None
        kept[key] = made
        return made

    def run_one(self, call, results, kept):
        """Handles on the outputs, or a Failure."""
        lib = self.lib
        lib.tn_status_clear(self.status)
        made = self.call(call, kept)
        if not made:
            return self.failure()
        values = flat_inputs(call.inputs)
        flat = [results[v.call][v.output] if isinstance(v, Result) else self.tensor(v) for v in values]
        inputs = (ctypes.c_void_p * len(flat))(*[tensor.value for tensor in flat])
        count = lib.tn_call_output_count(made, inputs, ctypes.c_size_t(len(flat)), self.status)
        outputs = (ctypes.c_void_p * max(count, 0))()
        done = count >= 0 and lib.tn_call_run(made, inputs, ctypes.c_size_t(len(flat)), outputs,
                                              ctypes.c_size_t(count), self.status)
        for tensor, value in zip(flat, values):
            if not isinstance(value, Result):
                lib.tn_tensor_destroy(tensor)
        return [ctypes.c_void_p(output) for output in outputs] if done else self.failure()

    def run(self, call):
        results, kept = [], {}
        for one in call.calls if isinstance(call, Sequence) else [call]:
            results.append(self.run_one(one, results, kept))
            if isinstance(results[-1], Failure):
                break
        for one in kept.values():
            self.lib.tn_call_destroy(one)
        made = [tensor for outputs in results if not isinstance(outputs, Failure) for tensor in outputs]
        arrays = [self.array(tensor) for tensor in made if self.dtype_name(tensor) not in OPAQUE]
        for tensor in made:
            self.lib.tn_tensor_destroy(tensor)
        return results[-1] if isinstance(results[-1], Failure) else arrays


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
