"""Every op that TensorFlow registers, written as specs, comes out of Tenon as TensorFlow defines it."""

import ctypes
import pathlib

import pytest
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2

import tenon_ops


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t), ("deallocator", ctypes.c_void_p)]


def tensorflow_ops():
    library = ctypes.CDLL(str(pathlib.Path(tf.__file__).parent / "libtensorflow_cc.so.2"))
    library.TF_GetAllOpList.restype = ctypes.POINTER(Buffer)
    buffer = library.TF_GetAllOpList()
    ops = op_def_pb2.OpList.FromString(ctypes.string_at(buffer.contents.data, buffer.contents.length))
    library.TF_DeleteBuffer(buffer)
    return ops.op


@pytest.fixture(scope="module")
def tenon():
    return tenon_ops.Tenon()


def normal(op):
    """With each tensor as its value: one tensor has several encodings."""
    values = []
    for attr in op.attr:
        for tensor in [attr.default_value.tensor, *attr.default_value.list.tensor]:
            if tensor.dtype:
                values.append(tf.make_ndarray(tensor).tolist())
                tensor.Clear()
    return op, values


def test_every_op_of_tensorflow_is_spelled_and_read_back(tenon):
    refused, unspellable, expected = [], [], {}
    for op in tensorflow_ops():
        try:
            arguments = tenon_ops.specs(op)
        except tenon_ops.Unspellable as reason:
            unspellable.append(f"{op.name}: {reason}")
            continue
        message = tenon.register(**arguments)
        if message:
            refused.append(message)
        expected[op.name] = tenon_ops.spellable(op)
    assert not refused, "\n".join(refused[:20])
    assert len(expected) > 1300
    print(f"{len(expected)} ops compared, not spellable: {unspellable}")
    assert len(unspellable) <= 5, unspellable

    found = tenon.op_list()
    different = [f"{name}:\n  TensorFlow {normal(op)}\n  Tenon {normal(found[name])}"
                 for name, op in expected.items() if normal(found[name]) != normal(op)]
    assert not different, f"{len(different)} ops differ\n" + "\n".join(different[:5])


def test_registering_them_all_again_is_fine(tenon):
    ops = tenon.op_list()
    for op in ops.values():
        assert tenon.register(**tenon_ops.specs(op)) is None
    assert tenon.op_list().keys() == ops.keys()


def test_a_different_definition_of_a_known_op_is_refused(tenon):
    assert tenon.register("OnceOnly", inputs=["x: float"]) is None
    assert "Op with name OnceOnly" in tenon.register("OnceOnly", inputs=["x: int32"])
    assert [a.type for a in tenon.op_list()["OnceOnly"].input_arg] == [tf.float32.as_datatype_enum]
