"""Reading and writing .npz archives against numpy."""

import ctypes
import struct
import zipfile
import zlib

import numpy as np
import pytest
import tenon_tensors as tn

_p, _s = ctypes.c_void_p, ctypes.c_char_p
npz_open = tn._declare("tn_npz_open", _p, _s, _p)
npz_close = tn._declare("tn_npz_close", None, _p)
npz_count = tn._declare("tn_npz_count", ctypes.c_size_t, _p)
npz_name = tn._declare("tn_npz_name", _s, _p, ctypes.c_size_t)
npz_read = tn._declare("tn_npz_read", _p, _p, _s, _p)
npz_read_as = tn._declare("tn_npz_read_as", _p, _p, _s, ctypes.c_int, _p)
npz_write = tn._declare("tn_npz_write", ctypes.c_bool, _s, _p, _p, ctypes.c_size_t, _p)


def load(path):
    archive = tn.call(npz_open, str(path).encode())
    try:
        names = [npz_name(archive, i) for i in range(npz_count(archive))]
        assert npz_name(archive, len(names)) is None
        return {name.decode(): tn.to_array(tn.call(npz_read, archive, name)) for name in names}
    finally:
        npz_close(archive)


def store(path, arrays):
    tensors = [tn.to_tensor(array) for array in arrays.values()]
    try:
        count = len(tensors)
        tn.call(npz_write, str(path).encode(),
                (_s * max(count, 1))(*(name.encode() for name in arrays)),
                (_p * max(count, 1))(*tensors), count)
    finally:
        for tensor in tensors:
            tn.destroy(tensor)


def samples():
    random = np.random.default_rng(1)
    arrays = {f"a{i}": tn.random_array(random, t, (3, 5)) for i, t in enumerate(tn.DTYPES.values())
              if t.kind in "biufc" and t.name != "float8_e5m2"}
    arrays["empty"] = np.zeros((0, 3))
    arrays["scalar"] = np.array(3.5)
    arrays["texts"] = np.array([b"one", b"", b"three"])
    arrays["große/ä"] = np.arange(100000).reshape(100, 1000)
    arrays["noise"] = random.integers(0, 256, 70000, dtype=np.uint8)
    return arrays


def check(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape, name
        if array.dtype.kind == "S":
            assert found[name].tolist() == array.tolist()
        else:
            assert found[name].dtype == array.dtype and found[name].tobytes() == array.tobytes()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_archives_of_numpy(save, tmp_path):
    save(tmp_path / "a.npz", **samples())
    check(load(tmp_path / "a.npz"), samples())


def test_archives_for_numpy(tmp_path):
    store(tmp_path / "a.npz", samples())
    assert zipfile.ZipFile(tmp_path / "a.npz").testzip() is None
    with np.load(tmp_path / "a.npz") as found:
        check(dict(found), samples())
    check(load(tmp_path / "a.npz"), samples())
    store(tmp_path / "empty.npz", {})
    assert load(tmp_path / "empty.npz") == {} == dict(np.load(tmp_path / "empty.npz"))


def test_more_members_than_sixteen_bits_count(tmp_path):
    arrays = {f"a{i}": np.array(i) for i in range(65600)}
    store(tmp_path / "many.npz", arrays)
    with np.load(tmp_path / "many.npz") as found:
        assert len(found.files) == 65600 and found["a65599"] == 65599
    archive = tn.call(npz_open, str(tmp_path / "many.npz").encode())
    assert npz_count(archive) == 65600
    assert tn.to_array(tn.call(npz_read, archive, b"a65599")) == 65599
    npz_close(archive)


def test_large_files_use_zip64(tmp_path):
    # Sparse on disk: an archive with a member beyond 4 GiB, by hand as zip64 says.
    npy = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}".ljust(118) + b"abc"
    far = 5 << 30
    extra = struct.pack("<HHQQQ", 1, 24, len(npy), len(npy), far)
    central = b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", 45, 45, 0, 0, 0, 33, zlib.crc32(npy),
                                      0xFFFFFFFF, 0xFFFFFFFF, 5, len(extra), 0, 0, 0, 0, 0xFFFFFFFF)
    central += b"a.npy" + extra
    with open(tmp_path / "far.npz", "wb") as file:
        file.seek(far)
        file.write(b"PK\3\4" + struct.pack("<HHHHHIIIHH", 45, 0, 0, 0, 33, zlib.crc32(npy),
                                           0xFFFFFFFF, 0xFFFFFFFF, 5, 20) + b"a.npy")
        file.write(struct.pack("<HHQQ", 1, 16, len(npy), len(npy)) + npy)
        at = file.tell()
        file.write(central)
        end64 = file.tell()
        file.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 1, 1, len(central), at))
        file.write(b"PK\6\7" + struct.pack("<IQI", 0, end64, 1))
        file.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))
    assert load(tmp_path / "far.npz")["a"].tobytes() == b"abc"
    assert zipfile.ZipFile(tmp_path / "far.npz").read("a.npy") == npy


def test_what_else_is_in_a_zip_file(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.comment = b"PK\5\6 a comment" * 100
        archive.writestr("notes.txt", "hello")
        archive.write(tmp_path / "x.npy", "x.npy")
        archive.writestr("bad.npy", "hello")
        archive.write(tmp_path / "x.npy", "squeezed.npy", zipfile.ZIP_BZIP2)
    archive = tn.call(npz_open, str(tmp_path / "a.npz").encode())
    assert [npz_name(archive, i) for i in range(npz_count(archive))] == [b"x", b"bad", b"squeezed"]
    assert tn.to_array(tn.call(npz_read, archive, b"x")).tolist() == [0, 1, 2]
    for name, message in [(b"bad", "INVALID_ARGUMENT: no .npy file.*array 'bad' of '.*a.npz'"),
                          (b"squeezed", "UNIMPLEMENTED: it is packed by zip method 12"),
                          (b"y", "NOT_FOUND: there is no array 'y' in '.*'; it holds x, bad, sq")]:
        with pytest.raises(tn.Failure, match=message):
            tn.call(npz_read, archive, name)
    with pytest.raises(tn.Failure, match="it holds int64, not float"):
        tn.call(npz_read_as, archive, b"x", 1)
    npz_close(archive)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_arrays_of_one_name_are_refused(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        for name in ("x.npy", "y.npy", "x.npy"):
            archive.write(tmp_path / "x.npy", name)
    with pytest.raises(tn.Failure, match="INVALID_ARGUMENT: two of its files are named 'x.npy'.*'.*a.npz'"):
        load(tmp_path / "a.npz")


def test_damage_anywhere_is_a_status_or_harmless(tmp_path):
    random = np.random.default_rng(7)
    array = random.standard_normal((20, 7))
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "good.npz", a=array)
        good = (tmp_path / "good.npz").read_bytes()
        for at in list(range(0, len(good), 3)):
            damaged = bytearray(good)
            damaged[at] ^= 0x55
            (tmp_path / "bad.npz").write_bytes(damaged)
            try:
                for found in load(tmp_path / "bad.npz").values():
                    assert found.tobytes() == array.tobytes(), at  # the checksum catches the rest
            except tn.Failure as failure:
                assert "bad.npz" in str(failure)
        for size in range(0, len(good), 5):
            (tmp_path / "bad.npz").write_bytes(good[:size])
            with pytest.raises(tn.Failure, match="bad.npz"):
                load(tmp_path / "bad.npz")


def test_bad_arguments_of_write(tmp_path):
    with pytest.raises(tn.Failure, match="in array 'b'.*while writing '.*out.npz'"):
        store(tmp_path / "out.npz", {"a": np.arange(3), "b": np.array([b"x\0"], object)})
    assert list(tmp_path.iterdir()) == []
    tensor = tn.to_tensor(np.arange(3))
    with pytest.raises(tn.Failure, match="two arrays are named 'a'"):
        tn.call(npz_write, str(tmp_path / "o.npz").encode(), (_s * 2)(b"a", b"a"),
                (_p * 2)(tensor, tensor), 2)
    tn.destroy(tensor)
