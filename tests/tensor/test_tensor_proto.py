"""TensorProto against TensorFlow, both ways."""

import ctypes

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf
import tenon_tensors as tn
from tensorflow.core.framework import attr_value_pb2, tensor_pb2, types_pb2

encode = tn._declare("tn_tensor_encode", ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(tn.Text),
                     ctypes.c_void_p)
decode = tn._declare("tn_tensor_decode", ctypes.c_void_p, tn.View, ctypes.c_void_p)
SHAPES = [(), (1,), (5,), (2, 3), (0,), (3, 0, 2), (40, 50)]
TYPES = [t for number, t in tn.DTYPES.items() if number < 100]
# TensorFlow's Python makes no TensorProto of these; its C++ reads them.
NO_PYTHON = {"float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2fnuz"}


def to_proto(array):
    tensor = tn.to_tensor(array)
    text = tn.Text()
    try:
        tn.call(encode, tensor, text)
        return ctypes.string_at(text.data, text.size)
    finally:
        tn._text_deinit(ctypes.byref(text))
        tn.destroy(tensor)


def from_proto(proto):
    data = proto if isinstance(proto, bytes) else proto.SerializeToString()
    return tn.to_array(tn.call(decode, tn.View(data, len(data))))


def same(found, expected):
    assert found.shape == expected.shape
    if expected.dtype == object or expected.dtype.kind == "S":
        assert found.reshape(-1).tolist() == expected.reshape(-1).tolist()
    else:
        assert found.dtype == expected.dtype
        if found.dtype.name in ("int4", "int2"):  # whose upper bits may hold anything
            found, expected = found.astype("i1"), expected.astype("i1")
        assert found.tobytes() == expected.tobytes()


def samples(dtype):
    """Random bits, one value everywhere, and a run at the end."""
    random = np.random.default_rng(1)
    for shape in SHAPES:
        array = tn.random_array(random, dtype, shape)
        if dtype.kind == "c":  # Python's floats make signalling NaNs quiet
            array = np.where(np.isnan(array), 1, array).astype(dtype)
        yield array
        if array.size > 1:
            yield np.full(shape, array.reshape(-1)[0])
            tail = array.copy().reshape(-1)
            tail[3:] = tail[2]
            yield tail.reshape(shape)
            tail[-1:] = array.reshape(-1)[-1:]
            yield tail.reshape(shape)


def strings():
    random = np.random.default_rng(2)
    for shape in SHAPES:
        array = np.empty(shape, object)
        for i in np.ndindex(*shape):
            array[i] = random.integers(0, 256, random.integers(0, 40), dtype=np.uint8).tobytes()
        yield array
        yield np.full(shape, b"the same one everywhere, and long", object)


def cpp_reads(proto, number):
    """What TensorFlow's C++ makes of the bytes: the value of a Const node."""
    graph = tf.Graph()
    with graph.as_default():
        node = graph.as_graph_def().node.add(name="c", op="Const")
        node.attr["dtype"].type = number
        node.attr["value"].tensor.MergeFromString(proto)
        definition = tf.compat.v1.GraphDef(node=[node])
        tf.import_graph_def(definition, name="")
    with tf.compat.v1.Session(graph=graph) as session:
        return np.asarray(session.run("c:0"))


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_what_tensorflow_writes_is_read(dtype):
    if dtype.name in NO_PYTHON:
        for array in samples(dtype):
            proto = tensor_pb2.TensorProto(dtype=tn.NUMBERS[dtype], tensor_content=array.tobytes())
            for size in array.shape:
                proto.tensor_shape.dim.add(size=size)
            same(from_proto(proto), array)
        return
    number = tn.NUMBERS[dtype]
    for array in samples(dtype):
        same(from_proto(tf.make_tensor_proto(array, dtype=tf.dtypes.as_dtype(number))), array)
        if array.size == 1:  # as values, not as content
            assert not tf.make_tensor_proto(array).tensor_content


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_what_is_written_tensorflow_reads(dtype):
    number = tn.NUMBERS[dtype]
    for array in samples(dtype):
        data = to_proto(array)
        same(from_proto(data), array)
        assert len(data) <= array.nbytes * (10 if dtype.kind == "V" else 1) + 100
        proto = tensor_pb2.TensorProto.FromString(data)
        assert proto.dtype == number and [d.size for d in proto.tensor_shape.dim] == list(array.shape)
        if dtype.name not in NO_PYTHON:
            same(tf.make_ndarray(proto).astype(dtype), array)


KERNELS = [t for t in TYPES if t.kind in "biufc" and t.name != "float8_e5m2"
           or t in (np.dtype(ml_dtypes.bfloat16), np.dtype(ml_dtypes.int4), np.dtype(ml_dtypes.uint4),
                    np.dtype(ml_dtypes.float8_e5m2), np.dtype(ml_dtypes.float8_e4m3fn))]


@pytest.mark.parametrize("dtype", KERNELS, ids=str)
def test_what_is_written_the_runtime_reads(dtype):
    for array in samples(dtype):
        same(cpp_reads(to_proto(array), tn.NUMBERS[dtype]), array)


def test_strings_both_ways():
    for array in strings():
        same(from_proto(tf.make_tensor_proto(array, dtype=tf.string)), array)
        data = to_proto(array)
        same(from_proto(data), array)
        same(tf.make_ndarray(tensor_pb2.TensorProto.FromString(data)), array)
        same(tf.io.parse_tensor(data, tf.string).numpy() if array.shape else
             np.array(tf.io.parse_tensor(data, tf.string).numpy(), object), array)
        # TensorFlow's serializer packs strings into tensor_content.
        same(from_proto(tf.io.serialize_tensor(tf.constant(array, tf.string)).numpy()), array)


def test_four_bit_integers_read_the_same_from_either_form():
    # ml_dtypes leaves -1 as 0x0f or as 0xff.
    for raw in (0x0F, 0xFF):
        data = to_proto(np.array([raw, 1], np.uint8).view(ml_dtypes.int4))
        assert list(tensor_pb2.TensorProto.FromString(data).int_val) == [-1, 1]
        assert from_proto(data).tobytes() == b"\x0f\x01"


def test_a_splat_is_small():
    assert len(to_proto(np.full((1000, 1000), 7.5, "f4"))) < 30
    assert len(to_proto(np.full((1000, 1000), b"x" * 10, object))) < 40
    assert len(to_proto(np.full((1000, 1000), -1, "i8"))) < 40


FIELDS = [("float_val", types_pb2.DT_FLOAT, [1.5, -2.0, 3.25]),
          ("double_val", types_pb2.DT_DOUBLE, [1.5, -2.0, 3.25]),
          ("int_val", types_pb2.DT_INT32, [1, -2, 3]), ("int_val", types_pb2.DT_INT8, [1, -2, 300]),
          ("int_val", types_pb2.DT_UINT16, [1, 2, 65535]),
          ("int64_val", types_pb2.DT_INT64, [1, -2**63, 3]),
          ("uint32_val", types_pb2.DT_UINT32, [1, 2**32 - 1]),
          ("uint64_val", types_pb2.DT_UINT64, [1, 2**64 - 1]),
          ("bool_val", types_pb2.DT_BOOL, [True, False, True]),
          ("half_val", types_pb2.DT_HALF, [15360, 1, 65535 >> 1]),
          ("half_val", types_pb2.DT_BFLOAT16, [15360, 1]),
          ("scomplex_val", types_pb2.DT_COMPLEX64, [1.0, 2.0, 3.0, 4.0]),
          ("dcomplex_val", types_pb2.DT_COMPLEX128, [1.0, 2.0, 3.0, 4.0]),
          ("string_val", types_pb2.DT_STRING, [b"a", b"", b"c" * 50])]


def unpacked(proto, field, values):
    """The same message with each value in a field of its own."""
    bare = tensor_pb2.TensorProto()
    bare.CopyFrom(proto)
    bare.ClearField(field)
    parts = []
    for value in values:
        single = tensor_pb2.TensorProto()
        getattr(single, field).append(value)
        data = single.SerializeToString()
        if field != "string_val":
            number = tensor_pb2.TensorProto.DESCRIPTOR.fields_by_name[field].number
            payload = data[3 if number > 15 else 2:]
            wire = {4: 5, 8: 1}[len(payload)] if field in (
                "float_val", "double_val", "scomplex_val", "dcomplex_val") else 0
            key = number << 3 | wire
            data = (bytes([key]) if key < 128 else bytes([key & 127 | 128, key >> 7])) + payload
        parts.append(data)
    return bare.SerializeToString() + b"".join(parts)


@pytest.mark.parametrize("field, dtype, values", FIELDS)
def test_fewer_values_than_elements_repeat_the_last(field, dtype, values):
    for elements in (0, 1, 2, 3, 5, 9):
        for given in range(len(values) + 1):
            if "complex" in field and given % 2:
                continue
            proto = tensor_pb2.TensorProto(dtype=dtype)
            proto.tensor_shape.dim.add(size=elements)
            getattr(proto, field).extend(values[:given])
            expected = tf.io.parse_tensor(proto.SerializeToString(), dtype).numpy()
            same(from_proto(proto), expected)
            same(from_proto(unpacked(proto, field, values[:given])), expected)


def proto_of(dtype, shape, **fields):
    proto = tensor_pb2.TensorProto(dtype=dtype, **fields)
    for size in shape:
        proto.tensor_shape.dim.add(size=size)
    return proto.SerializeToString()


@pytest.mark.parametrize("data, message", [
    (b"\xff", "INVALID_ARGUMENT: these 1 bytes are no TensorProto"),
    (b"", "INVALID_ARGUMENT: a TensorProto cannot have type unknown \\(number 0\\)"),
    (proto_of(101, ()), "INVALID_ARGUMENT: a TensorProto cannot have type float_ref"),
    (proto_of(20, ()), "UNIMPLEMENTED: a resource tensor"),
    (proto_of(21, ()), "UNIMPLEMENTED: a variant tensor"),
    (proto_of(1, (-1,)), "INVALID_ARGUMENT: dimension 0 of a tensor is -1"),
    (proto_of(1, (-5,)), "INVALID_ARGUMENT: dimension 0 of a shape is -5"),
    (proto_of(1, (2**62, 8)), "INVALID_ARGUMENT: .* too many bytes"),
    (proto_of(1, (2**40,), float_val=[1]), "INVALID_ARGUMENT: .* more than the 2147483648"),
    (proto_of(7, (2**33,), string_val=[b"a"]), "INVALID_ARGUMENT: .* more than the 2147483648"),
    (proto_of(7, (2**33,), tensor_content=b"abc"), "INVALID_ARGUMENT: .* needs at least 8589934592"),
    (proto_of(7, (3,), tensor_content=b"\1\2\3abc"), "INVALID_ARGUMENT: .* ends before the last"),
    (proto_of(7, (3,), tensor_content=b"\xff\xff\xff"), "INVALID_ARGUMENT: .* ends before the last"),
    (proto_of(1, (3,), tensor_content=b"abc"), "INVALID_ARGUMENT: .* has 3 bytes.* needs 12"),
    (proto_of(1, (1,) * 255), "INVALID_ARGUMENT: .* more than 254 dimensions"),
    (proto_of(1, ()) + b"\x2a\x03abc", "INVALID_ARGUMENT: damaged float values"),
    (b"\x08\x01\x12\x02\x18\x01", "INVALID_ARGUMENT: a tensor of rank -1"),
])
def test_bad_bytes_are_a_status(data, message):
    with pytest.raises(tn.Failure, match=message):
        from_proto(data)
