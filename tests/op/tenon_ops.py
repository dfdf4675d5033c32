"""Registering ops with Tenon's C API, and writing TensorFlow's OpDef messages as specs."""

import ctypes
import os
import pathlib

from google.protobuf import text_format
from tensorflow.core.framework import op_def_pb2, types_pb2

BUILD = pathlib.Path(os.environ["TENON_BUILD"])


class Unspellable(Exception):
    """An OpDef holds something that no spec can say."""


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t),
                ("failed", ctypes.c_bool)]


class Tenon:
    def __init__(self):
        self.core = ctypes.CDLL(str(BUILD / "lib/libtenon.so"))
        self.tf = ctypes.CDLL(str(BUILD / "lib/libtenon_tf.so"))
        self.tf.TF_NewOpDefinitionBuilder.restype = ctypes.c_void_p
        self.core.tn_status_create.restype = ctypes.c_void_p
        self.core.tn_status_message.restype = ctypes.c_char_p

    def register(self, name, attrs=(), inputs=(), outputs=(), flags=None):
        """None, or the message that the registration failed with."""
        flags = flags or op_def_pb2.OpDef()
        builder = ctypes.c_void_p(self.tf.TF_NewOpDefinitionBuilder(name.encode()))
        for add, specs in ((self.tf.TF_OpDefinitionBuilderAddAttr, attrs),
                           (self.tf.TF_OpDefinitionBuilderAddInput, inputs),
                           (self.tf.TF_OpDefinitionBuilderAddOutput, outputs)):
            for spec in specs:
                add(builder, spec if isinstance(spec, bytes) else spec.encode())
        self.tf.TF_OpDefinitionBuilderSetIsCommutative(builder, flags.is_commutative)
        self.tf.TF_OpDefinitionBuilderSetIsAggregate(builder, flags.is_aggregate)
        self.tf.TF_OpDefinitionBuilderSetIsStateful(builder, flags.is_stateful)
        self.tf.TF_OpDefinitionBuilderSetAllowsUninitializedInput(
            builder, flags.allows_uninitialized_input)
        # The C API has no call for this flag.
        self.core.tn_op_builder_distributed_communication(builder, flags.is_distributed_communication)
        if flags.HasField("deprecation"):
            self.tf.TF_OpDefinitionBuilderDeprecated(builder, flags.deprecation.version,
                                                     flags.deprecation.explanation.encode())
        status = ctypes.c_void_p(self.core.tn_status_create())
        self.tf.TF_RegisterOpDefinition(builder, status)
        code = self.core.tn_status_code(status)
        message = self.core.tn_status_message(status).decode(errors="replace") if code else None
        self.core.tn_status_destroy(status)
        return message

    def op_list(self):
        text = Text()
        assert self.core.tn_op_registry_encode(ctypes.byref(text), None)
        ops = op_def_pb2.OpList.FromString(ctypes.string_at(text.data, text.size))
        self.core.tn_text_deinit(ctypes.byref(text))
        return {op.name: op for op in ops.op}


def type_word(number):
    return types_pb2.DataType.Name(number)[3:].lower()


def quote(data):
    return '"' + text_format.text_encoding.CEscape(data, as_utf8=False) + '"'


def in_set(word):
    if "_" in word:
        raise Unspellable(f"{word} cannot stand in a set of types")
    return word


def scalar(kind, value):
    if kind == "string":
        return quote(value)
    if kind == "type":
        return types_pb2.DataType.Name(value)
    if kind == "bool":
        return str(value).lower()
    if kind in ("int", "float"):
        return repr(value)
    return "{ " + text_format.MessageToString(value, as_one_line=True) + " }"


FIELDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "type", "shape": "shape",
          "tensor": "tensor", "func": "func"}


def attr_spec(attr):
    is_list = attr.type.startswith("list(")
    kind = attr.type[5:-1] if is_list else attr.type
    word = kind
    if attr.HasField("allowed_values"):
        allowed = attr.allowed_values.list
        entries = [in_set(type_word(t)) for t in allowed.type] or [quote(s) for s in allowed.s]
        word = "{ " + ", ".join(entries) + " }"
    spec = f"{attr.name}: " + (f"list({word})" if is_list else word)
    if attr.has_minimum:
        spec += f" >= {attr.minimum}"
    if attr.HasField("default_value"):
        if is_list:
            values = getattr(attr.default_value.list, FIELDS[kind])
            spec += " = [" + ", ".join(scalar(kind, v) for v in values) + "]"
        else:
            spec += " = " + scalar(kind, getattr(attr.default_value, FIELDS[kind]))
    return spec


def arg_spec(arg):
    word = arg.type_attr or arg.type_list_attr or type_word(arg.type)
    if arg.number_attr:
        word = f"{arg.number_attr} * {word}"
    return f"{arg.name}: " + (f"Ref({word})" if arg.is_ref else word)


def specs(op):
    """The arguments of Tenon.register that define `op`."""
    return {"name": op.name, "attrs": [attr_spec(a) for a in op.attr],
            "inputs": [arg_spec(a) for a in op.input_arg],
            "outputs": [arg_spec(a) for a in op.output_arg], "flags": op}


def spellable(op):
    """`op` without what specs do not say: texts for people and TensorFlow's full types."""
    copy = op_def_pb2.OpDef()
    copy.CopyFrom(op)
    for field in ("summary", "description", "control_output"):
        copy.ClearField(field)
    for arg in list(copy.input_arg) + list(copy.output_arg):
        for field in ("description", "experimental_full_type", "handle_data"):
            arg.ClearField(field)
    for attr in copy.attr:
        attr.ClearField("description")
    return copy
