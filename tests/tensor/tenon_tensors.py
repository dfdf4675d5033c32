"""libtenon's tensors from Python, for tests that compare with numpy and TensorFlow."""

import ctypes
import os

import ml_dtypes
import numpy as np

lib = ctypes.CDLL(os.path.join(os.environ["TENON_BUILD"], "lib", "libtenon.so"))
_p, _s, _i64 = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64


def _declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype, function.argtypes = result, arguments
    return function


_status_create = _declare("tn_status_create", _p)
_status_destroy = _declare("tn_status_destroy", None, _p)
_status_message = _declare("tn_status_message", _s, _p)
_status_code = _declare("tn_status_code", ctypes.c_int, _p)
_code_name = _declare("tn_code_name", _s, ctypes.c_int)
_create = _declare("tn_tensor_create", _p, ctypes.c_int, _p, ctypes.c_int, _p)
_create_from = _declare("tn_tensor_create_from", _p, ctypes.c_int, _p, ctypes.c_int, _p,
                        ctypes.c_size_t, _p)
_create_strings = _declare("tn_tensor_create_strings", _p, _p, ctypes.c_int, _p, _p, _p)
destroy = _declare("tn_tensor_destroy", None, _p)
_dtype = _declare("tn_tensor_dtype", ctypes.c_int, _p)
_rank = _declare("tn_tensor_rank", ctypes.c_int, _p)
_dim = _declare("tn_tensor_dim", _i64, _p, ctypes.c_int)
_elements = _declare("tn_tensor_elements", _i64, _p)
_bytes = _declare("tn_tensor_bytes", ctypes.c_size_t, _p)
_data = _declare("tn_tensor_data", _p, _p)
_string = _declare("tn_tensor_string", _p, _p, _i64, ctypes.POINTER(ctypes.c_size_t))
_text_deinit = _declare("tn_text_deinit", None, _p)


class Failure(Exception):
    """A failed tn_status."""


class View(ctypes.Structure):
    _fields_ = [("data", _s), ("size", ctypes.c_size_t)]


class Text(ctypes.Structure):
    _fields_ = [("data", _p), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t),
                ("failed", ctypes.c_bool)]


def call(function, *arguments):
    """Calls a function that takes a status last; raises what it reports."""
    status = _status_create()
    try:
        result = function(*arguments, status)
        if not result:
            raise Failure(f"{_code_name(_status_code(status)).decode()}: "
                          f"{_status_message(status).decode(errors='replace')}")
        return result
    finally:
        _status_destroy(status)


def text_of(function, *arguments):
    """The bytes that a function appends to the tn_text it takes."""
    text = Text()
    try:
        function(text)
        return ctypes.string_at(text.data, text.size) if text.size else b""
    finally:
        _text_deinit(ctypes.byref(text))


def _quantized(name, base):
    return np.dtype([(name, base)])


# Every type that has an array: number -> numpy's type.
DTYPES = {
    1: np.dtype("f4"), 2: np.dtype("f8"), 3: np.dtype("i4"), 4: np.dtype("u1"),
    5: np.dtype("i2"), 6: np.dtype("i1"), 8: np.dtype("c8"), 9: np.dtype("i8"),
    10: np.dtype("?"), 11: _quantized("qint8", "i1"), 12: _quantized("quint8", "u1"),
    13: _quantized("qint32", "i4"), 14: np.dtype(ml_dtypes.bfloat16),
    15: _quantized("qint16", "i2"), 16: _quantized("quint16", "u2"), 17: np.dtype("u2"),
    18: np.dtype("c16"), 19: np.dtype("f2"), 22: np.dtype("u4"), 23: np.dtype("u8"),
    24: np.dtype(ml_dtypes.float8_e5m2), 25: np.dtype(ml_dtypes.float8_e4m3fn),
    26: np.dtype(ml_dtypes.float8_e4m3fnuz), 27: np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    28: np.dtype(ml_dtypes.float8_e5m2fnuz), 29: np.dtype(ml_dtypes.int4),
    30: np.dtype(ml_dtypes.uint4), 31: np.dtype(ml_dtypes.int2), 32: np.dtype(ml_dtypes.uint2),
    33: np.dtype(ml_dtypes.float4_e2m1fn), 200: np.dtype(ml_dtypes.float8_e4m3),
    201: np.dtype(ml_dtypes.float8_e3m4), 202: np.dtype(ml_dtypes.float8_e8m0fnu),
}
NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
STRING = 7


def to_tensor(array):
    """A tensor handle with a copy of `array`; bytes and text (as UTF-8) become strings."""
    array = np.asarray(array)
    dims = (_i64 * max(array.ndim, 1))(*array.shape)
    if array.dtype.kind in "SUO":
        texts = [t if isinstance(t, bytes) else t.encode() for t in array.reshape(-1).tolist()]
        pointers = (ctypes.c_char_p * max(len(texts), 1))(*texts)
        sizes = (ctypes.c_size_t * max(len(texts), 1))(*map(len, texts))
        return call(_create_strings, dims, array.ndim, pointers, sizes)
    data = np.ascontiguousarray(array).tobytes()
    return call(_create_from, NUMBERS[array.dtype], dims, array.ndim, data, len(data))


def to_array(tensor, free=True):
    """The tensor as an array (strings as objects of type bytes)."""
    shape = [_dim(tensor, i) for i in range(_rank(tensor))]
    if _dtype(tensor) == STRING:
        array = np.empty(shape, object)
        flat = array.reshape(-1)
        for i in range(_elements(tensor)):
            size = ctypes.c_size_t()
            flat[i] = ctypes.string_at(_string(tensor, i, size), size.value)
    else:
        data = ctypes.string_at(_data(tensor), _bytes(tensor))
        array = np.frombuffer(data, DTYPES[_dtype(tensor)]).reshape(shape)
    if free:
        destroy(tensor)
    return array


def dtype_number(tensor):
    return _dtype(tensor)


def random_array(random, dtype, shape):
    """Any bits the type can have: NaNs, infinities, subnormals."""
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = random.integers(0, 256, size, dtype=np.uint8)
    if dtype.name in ("int4", "int2", "uint4", "uint2", "float4_e2m1fn"):
        bits = {"int4": 4, "uint4": 4, "int2": 2, "uint2": 2, "float4_e2m1fn": 4}[dtype.name]
        return (raw & (2**bits - 1)).view(dtype).reshape(shape)
    return raw.view(dtype).reshape(shape)
