"""Printing against numpy's str()."""

import ctypes
import json
import os

import ml_dtypes
import numpy as np
import pytest
import tenon_tensors as tn

_print = tn._declare("tn_tensor_print", ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(tn.Text),
                     ctypes.c_void_p, ctypes.c_void_p)
_write_json = tn._declare("tn_tensor_write_json", ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p,
                          ctypes.c_void_p)


class Options(ctypes.Structure):
    _fields_ = [("precision", ctypes.c_int), ("threshold", ctypes.c_int64),
                ("edge_items", ctypes.c_int), ("line_width", ctypes.c_int)]


def shown(array, options=None):
    tensor = tn.to_tensor(array)
    text = tn.Text()
    try:
        tn.call(_print, tensor, text, ctypes.byref(options) if options else None)
        return ctypes.string_at(text.data, text.size).decode()
    finally:
        tn._text_deinit(ctypes.byref(text))
        tn.destroy(tensor)


def expect(array, **printoptions):
    with np.printoptions(**printoptions):
        expected = str(array)
    options = None
    if printoptions:
        defaults = dict(precision=8, threshold=1000, edgeitems=3, linewidth=75) | printoptions
        options = Options(*(defaults[k] for k in ("precision", "threshold", "edgeitems", "linewidth")))
    assert shown(array, options) == expected, f"replay with TN_TEST_SEED={SEED}"


SHAPES = [(), (1,), (2,), (7,), (40,), (3, 4), (2, 30), (2, 3, 4), (3, 1, 2, 2), (0,), (2, 0, 3),
          (1001,), (2000,), (40, 50), (3, 400), (400, 3), (11, 11, 11), (2, 2, 300), (7, 1, 7, 30)]
SEED = int(os.environ.get("TN_TEST_SEED", np.random.SeedSequence().entropy % 2**32))


def generator(*key):
    return np.random.default_rng([SEED, *key])


@pytest.mark.parametrize("dtype", [t for t in tn.DTYPES.values() if not t.names], ids=str)
def test_any_bits_in_any_shape(dtype):
    random = generator(1)
    for shape in SHAPES:
        expect(tn.random_array(random, dtype, shape))


FLOATS = ["f2", "f4", "f8", "c8", "c16"]


def plain(random, dtype, shape, scale):
    values = random.standard_normal(shape) * scale
    if dtype[0] == "c":
        values = values + 1j * random.standard_normal(shape) * random.choice([1e-3, 1, 1e5])
    with np.errstate(all="ignore"):
        return values.astype(dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_everyday_numbers(dtype):
    random = generator(2)
    for shape in SHAPES:
        for scale in (1, 10, 0.01, 1e-4, 100, 1e4, 1e6, 1e9, 1e-9):
            expect(plain(random, dtype, shape, scale))
            with np.errstate(all="ignore"):
                expect(np.asarray(np.round(plain(random, dtype, shape, scale), 2)))
        expect(np.asarray(plain(random, dtype, shape, 100).round(0)))


@pytest.mark.parametrize("dtype", FLOATS)
def test_mixed_with_odd_numbers(dtype):
    random = generator(3)
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1, 0.1, 1e-4, 9.9e-5, 999, 1000, 1e-8])
    for round in range(300):
        count = random.integers(1, 6)
        values = random.choice(odd, count)
        if dtype[0] == "c":
            values = values.astype("c16")
            values.imag = random.choice(odd, count)
        expect(values.astype(dtype))
        expect(values[0].astype(dtype).reshape(()))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_powers_of_two_and_of_ten_and_their_neighbours(dtype):
    info = np.finfo(dtype)
    values = [np.ldexp(np.dtype(dtype).type(1), e) for e in range(info.minexp - info.nmant, info.maxexp)]
    values += [np.dtype(dtype).type(f"{m}e{e}") for e in range(-310, 309) for m in (1, 5, 9.99, 1.5)
               if float(info.smallest_subnormal) <= float(f"{m}e{e}") <= float(info.max)]
    if len(values) > 1000:
        values = generator(8).choice(np.array(values), 1000, replace=False)
    for value in values:
        for near in (np.nextafter(value, np.dtype(dtype).type(0)), value,
                     np.nextafter(value, info.max)):
            expect(np.asarray(near))
            expect(np.array([near]))
            expect(np.array([near, 1], dtype))


def test_random_bits_of_doubles_and_floats():
    random = generator(4)
    for dtype in ("f4", "f8"):
        values = tn.random_array(random, np.dtype(dtype), (3000,))
        for value in values:
            expect(np.asarray(value))
        for pair in values.reshape(-1, 2):
            expect(pair)


def test_every_half():
    for bits in range(0, 65536):
        value = np.array(bits, np.uint16).view("f2")
        if np.isfinite(value):
            assert shown(value) == str(value)
    for start in range(0, 65536, 997):
        expect(np.arange(start, min(start + 997, 65536), dtype=np.uint16).view("f2"), threshold=2000)


@pytest.mark.parametrize("dtype", [t for t in tn.DTYPES.values() if t.kind == "V" and not t.names
                                   and t.itemsize == 1], ids=str)
def test_every_small_number(dtype):
    bits = {"int4": 16, "uint4": 16, "int2": 4, "uint2": 4, "float4_e2m1fn": 16}.get(dtype.name, 256)
    expect(np.arange(bits, dtype=np.uint8).view(dtype))


def test_every_bfloat16():
    expect(np.arange(65536, dtype=np.uint16).view(ml_dtypes.bfloat16), threshold=100000)


def test_integers_at_their_ends():
    for dtype in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"):
        info = np.iinfo(dtype)
        for values in ([info.min], [info.max], [info.min, 0, info.max], [0], [5, -5] if info.min else [5]):
            expect(np.array(values, dtype))
            expect(np.array(values[0], dtype))


def test_quantized_types_print_as_their_integers():
    for base in ("qint8", "quint8", "qint16", "quint16", "qint32"):
        dtype = next(t for t in tn.DTYPES.values() if t.names == (base,))
        values = np.array([1, 100, 7], dtype[0])
        assert shown(values.view(dtype)) == str(values)


def test_strings():
    random = generator(5)
    for shape in SHAPES:
        array = np.empty(shape, object)
        for i in np.ndindex(*shape):
            array[i] = random.integers(0, 256, random.integers(0, 9), dtype=np.uint8).tobytes()
        expect(array)
    expect(np.array([b"plain", b"it's", b'a "b"', b"both ' and \"", b"\\ \n\r\t\0\x7f\xff", b"x" * 100]))


def test_options():
    random = generator(6)
    for dtype in ("f4", "f8", "c8", "i4"):
        for shape in [(5,), (30, 30), (200,)]:
            array = plain(random, dtype, shape, 10)
            for options in (dict(precision=4), dict(precision=0), dict(precision=2, linewidth=40),
                            dict(threshold=10, edgeitems=1), dict(threshold=10, edgeitems=2, linewidth=20),
                            dict(precision=17), dict(linewidth=5)):
                expect(array, **options)


def from_json(value, dtype):
    if dtype.kind == "c":
        return complex(float(value[0]), float(value[1]))
    return float(value) if isinstance(value, str) else value


@pytest.mark.parametrize("dtype", list(tn.DTYPES.values()), ids=str)
def test_json_reads_back_as_the_same_numbers(dtype, tmp_path):
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    random = generator(7)
    for shape in [(), (3,), (2, 3), (0, 2), (2, 0), (3000,)]:
        array = tn.random_array(random, dtype, shape)
        tensor = tn.to_tensor(array)
        stream = libc.fopen(str(tmp_path / "x.json").encode(), b"w")
        tn.call(_write_json, tensor, stream)
        libc.fclose(stream)
        tn.destroy(tensor)
        found = json.loads((tmp_path / "x.json").read_text())
        flat = np.array(found, object).reshape(-1) if dtype.kind != "c" else \
            [pair for pair in np.array(found, object).reshape(-1, 2)]
        base = dtype[0] if dtype.names else dtype
        with np.errstate(all="ignore"):
            values = np.array([from_json(v, base) for v in flat], None if base.kind == "V" else base)
            again = values.astype(base).reshape(shape)
        expected = array.view(base) if dtype.names else array
        wide = "c16" if base.kind == "c" else "f8" if base.kind in "fV" else base
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(again.astype(wide), expected.astype(wide))


def test_json_strings(tmp_path):
    libc = ctypes.CDLL(None)
    libc.fopen.restype = ctypes.c_void_p
    libc.fclose.argtypes = [ctypes.c_void_p]
    tensor = tn.to_tensor(np.array([["a", "ü"], ['"', "\n"]]))
    stream = libc.fopen(str(tmp_path / "x.json").encode(), b"w")
    tn.call(_write_json, tensor, stream)
    libc.fclose(stream)
    tn.destroy(tensor)
    assert json.loads((tmp_path / "x.json").read_text()) == [["a", "ü"], ['"', "\n"]]
