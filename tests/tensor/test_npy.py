"""Reading and writing .npy files against numpy."""

import ctypes
import io

import ml_dtypes
import numpy as np
import pytest
import tenon_tensors as tn

read = tn._declare("tn_npy_read", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
read_as = tn._declare("tn_npy_read_as", ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int,
                      ctypes.c_void_p)
write = tn._declare("tn_npy_write", ctypes.c_bool, ctypes.c_char_p, ctypes.c_void_p,
                    ctypes.c_void_p)
SHAPES = [(), (0,), (1,), (7,), (3, 4), (2, 0, 3), (2, 3, 4), (1,) * 12, (2, 1, 3, 2, 1, 2, 2, 1, 3)]
# Types whose descr says all.
PLAIN = [t for t in tn.DTYPES.values() if t.kind in "biufc" and t != ml_dtypes.float8_e5m2]
QUANTIZED = [t for t in tn.DTYPES.values() if t.names]
RAW = [t for t in tn.DTYPES.values() if t not in PLAIN and not t.names]


def same(found, expected):
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert found.tobytes() == np.ascontiguousarray(expected).tobytes()


def load(path, dtype=None):
    if dtype is None:
        return tn.to_array(tn.call(read, str(path).encode()))
    return tn.to_array(tn.call(read_as, str(path).encode(), tn.NUMBERS[dtype]))


def store(path, array):
    tensor = tn.to_tensor(array)
    try:
        tn.call(write, str(path).encode(), tensor)
    finally:
        tn.destroy(tensor)


@pytest.mark.parametrize("dtype", PLAIN + QUANTIZED, ids=str)
def test_both_ways_and_byte_for_byte(dtype, tmp_path):
    random = np.random.default_rng(1)
    for shape in SHAPES:
        array = tn.random_array(random, dtype, shape)
        np.save(tmp_path / "numpy.npy", array)
        same(load(tmp_path / "numpy.npy"), array)
        store(tmp_path / "tenon.npy", array)
        assert (tmp_path / "tenon.npy").read_bytes() == (tmp_path / "numpy.npy").read_bytes()


@pytest.mark.parametrize("dtype", RAW, ids=str)
def test_types_of_ml_dtypes(dtype, tmp_path):
    random = np.random.default_rng(2)
    for shape in SHAPES:
        array = tn.random_array(random, dtype, shape)
        np.save(tmp_path / "numpy.npy", array)
        same(load(tmp_path / "numpy.npy", dtype), array)
        store(tmp_path / "tenon.npy", array)
        same(load(tmp_path / "tenon.npy"), array)
        same(np.load(tmp_path / "tenon.npy").view(dtype).reshape(shape), array)
    if dtype == ml_dtypes.bfloat16 or dtype == ml_dtypes.float8_e5m2:
        same(load(tmp_path / "numpy.npy"), array)  # '<V2' and '<f1' are taken for these
    else:
        with pytest.raises(tn.Failure, match=r"INVALID_ARGUMENT: .*raw elements.*numpy.npy"):
            load(tmp_path / "numpy.npy")
    with pytest.raises(tn.Failure, match="INVALID_ARGUMENT: "):
        load(tmp_path / "numpy.npy", np.dtype("f8"))


@pytest.mark.parametrize("dtype", PLAIN + QUANTIZED, ids=str)
def test_big_endian_and_fortran_order(dtype, tmp_path):
    random = np.random.default_rng(3)
    for shape in SHAPES:
        array = tn.random_array(random, dtype, shape)
        for other in (array.astype(array.dtype.newbyteorder(">")), np.array(array, order="F"),
                      array.astype(array.dtype.newbyteorder(">"), order="F")):
            np.save(tmp_path / "a.npy", other)
            same(load(tmp_path / "a.npy"), array)


def test_strings(tmp_path):
    texts = np.array([["a", "ü€😀", ""], ["x" * 22, "x" * 23, "q" * 100000]])
    for array in (texts, texts.astype(">U0"), np.asfortranarray(texts)):
        np.save(tmp_path / "u.npy", array)
        found = load(tmp_path / "u.npy")
        assert found.tolist() == [[t.encode() for t in row] for row in texts.tolist()]
    raw = np.array([[b"a\0b", b"", b"\xff" * 30], [b"1", b"22", b"333"]])
    for array in (raw, np.asfortranarray(raw)):
        np.save(tmp_path / "s.npy", array)
        assert load(tmp_path / "s.npy").tolist() == raw.tolist()
    store(tmp_path / "t.npy", raw)
    np.save(tmp_path / "s.npy", raw)
    assert (tmp_path / "t.npy").read_bytes() == (tmp_path / "s.npy").read_bytes()
    for array in (np.array(b"scalar"), np.array([b"", b""]), np.zeros((0, 3), "S4"),
                  np.zeros(5, "S0"), np.zeros(5, "U0")):
        np.save(tmp_path / "s.npy", array)
        found = load(tmp_path / "s.npy")
        assert found.shape == array.shape and found.astype("S").tolist() == array.astype("S").tolist()
    # Many, so that they pass through several pieces.
    many = np.array([str(i).encode() for i in range(50000)])
    np.save(tmp_path / "s.npy", many)
    assert load(tmp_path / "s.npy").tolist() == many.tolist()
    store(tmp_path / "t.npy", many)
    assert np.load(tmp_path / "t.npy").tolist() == many.tolist()
    with pytest.raises(tn.Failure, match="string 1 ends in a NUL.*t.npy"):
        store(tmp_path / "t.npy", np.array([b"a", b"b\0"], object))
    assert np.load(tmp_path / "t.npy").tolist() == many.tolist()


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
def test_header_versions(version, tmp_path):
    array = np.arange(6.0).reshape(2, 3)
    with open(tmp_path / "a.npy", "wb") as file:
        np.lib.format.write_array(file, array, version)
    same(load(tmp_path / "a.npy"), array)


def with_header(text, data=b"\0" * 64):
    text = text.encode()
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


GOOD = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}"


@pytest.mark.parametrize("text", [
    GOOD, GOOD.replace("'", '"'), GOOD.replace("(2, 3)", "(2L, 3L,)"), GOOD.replace(" ", ""),
    GOOD.replace("}", " , }\n"), "{'shape': (2,\n3), 'fortran_order': False, 'descr': '<f4'}",
    GOOD.replace("<f4", "=f4"), GOOD + " # said by nobody",
])
def test_header_spellings(text, tmp_path):
    (tmp_path / "a.npy").write_bytes(with_header(text))
    same(load(tmp_path / "a.npy"), np.zeros((2, 3), "f4"))


@pytest.mark.parametrize("text, message", [
    ("", "'{' is expected"),
    ("{", "where '\\\\?'' is expected"),
    (GOOD[:-1], "where ',' is expected"),
    (GOOD.replace("descr", "desc"), "unknown key 'desc'"),
    (GOOD.replace("'descr': '<f4', ", ""), "lacks descr"),
    (GOOD.replace("'fortran_order': False, ", ""), "lacks fortran_order"),
    (GOOD.replace(", 'shape': (2, 3)", ""), "lacks shape"),
    (GOOD.replace("False", "Maybe"), "neither True nor False"),
    (GOOD.replace("(2, 3)", "2"), "where '\\(' is expected"),
    (GOOD.replace("(2, 3)", "(2, -3)"), "not made of sizes"),
    (GOOD.replace("(2, 3)", "(2 3)"), "where ',' is expected"),
    (GOOD.replace("(2, 3)", "(99999999999999999999,)"), "too large"),
    (GOOD.replace("(2, 3)", "(4611686018427387904, 4)"), "too many bytes.*\\.npy header"),
    (GOOD.replace("(2, 3)", "(1000000000000,)"), "cut short"),
    (GOOD.replace("(2, 3)", "(" + "1," * 255 + ")"), "more than 254 dimensions"),
    (GOOD.replace("<f4", "|O"), "pickled Python objects"),
    (GOOD.replace("<f4", "<f16"), "long double"),
    (GOOD.replace("<f4", "<M8[s]"), "view\\('int64'\\)"),
    (GOOD.replace("<f4", "<f3"), "'<f3'"),
    (GOOD.replace("<f4", ""), "''"),
    (GOOD.replace("<f4", "<V8"), "raw elements \\('V8'\\)"),
    (GOOD.replace("'<f4'", "[('a', '<f4'), ('b', '<f4')]"), "structured array"),
    (GOOD.replace("'<f4'", "[('qint8', '<f4')]"), "'<f4'"),
    (GOOD.replace("'<f4'", "[('a'"), "structured array"),
    (GOOD.replace("(2, 3)", "(100000000000,)").replace("<f4", "|S0"), "no bytes"),
    (GOOD + "x", "goes on after"),
])
def test_bad_headers(text, message, tmp_path):
    (tmp_path / "bad.npy").write_bytes(with_header(text))
    with pytest.raises(tn.Failure, match=f"INVALID_ARGUMENT: (?s:.*){message}.*while reading '.*bad.npy'"):
        load(tmp_path / "bad.npy")


def test_every_truncation_is_a_status(tmp_path):
    file = io.BytesIO()
    np.save(file, np.array(["ab", "cde"]))
    whole = file.getvalue()
    for size in range(len(whole)):
        (tmp_path / "a.npy").write_bytes(whole[:size])
        with pytest.raises(tn.Failure, match="INVALID_ARGUMENT: .*a.npy"):
            load(tmp_path / "a.npy")


def test_other_files(tmp_path):
    with pytest.raises(tn.Failure, match="NOT_FOUND: .*absent.npy"):
        load(tmp_path / "absent.npy")
    np.savez(tmp_path / "a.npz", a=1)
    with pytest.raises(tn.Failure, match="looks like an .npz"):
        load(tmp_path / "a.npz")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x04\x00" + b" " * 100)
    with pytest.raises(tn.Failure, match="version 4"):
        load(tmp_path / "a.npy")
    (tmp_path / "a.npy").write_bytes(b"\x93NUMPY\x02\x00\x00\x00\x10\x00" + b" " * (1 << 20))
    with pytest.raises(tn.Failure, match="header of 1048576 bytes"):
        load(tmp_path / "a.npy")
    array = np.array([0xD800], np.uint32).view("U1")
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(tn.Failure, match="element 0 .* no Unicode character"):
        load(tmp_path / "a.npy")


def test_odd_booleans_are_true(tmp_path):
    (tmp_path / "a.npy").write_bytes(
        with_header(GOOD.replace("<f4", "|b1").replace("(2, 3)", "(3,)"), b"\0\1\2"))
    assert load(tmp_path / "a.npy").tobytes() == b"\0\1\1"


def test_bytes_after_the_array_are_left_alone(tmp_path):
    with open(tmp_path / "two.npy", "wb") as file:
        np.save(file, np.arange(3))
        np.save(file, np.arange(4))
    same(load(tmp_path / "two.npy"), np.arange(3))
