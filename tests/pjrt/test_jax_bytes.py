"""What JAX writes is what our host reads, and what our host writes is what JAX reads: programs and compile options."""

import ctypes
import os
import pathlib
import subprocess

import jax
import numpy
import pytest
from jax import export
from jax._src.lib import xla_client

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
LIBRARY = ctypes.CDLL(BUILD / "lib/libtenon.so")


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("ext", ctypes.c_void_p), ("format", ctypes.c_char_p),
                ("replicas", ctypes.c_int32), ("partitions", ctypes.c_int32),
                ("device_ids", ctypes.POINTER(ctypes.c_int)), ("proto", ctypes.c_char_p), ("proto_size", ctypes.c_size_t)]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("size", ctypes.c_size_t), ("capacity", ctypes.c_size_t),
                ("failed", ctypes.c_bool)]


def ours(replicas, partitions, ids=None):
    options = Options(replicas=replicas, partitions=partitions)
    if ids is not None:
        options.device_ids = (ctypes.c_int * len(ids))(*ids)
    text = Text()
    LIBRARY.tn_pjrt_compile_options_write(ctypes.byref(options), ctypes.byref(text))
    written = text.data[:text.size]
    LIBRARY.tn_text_deinit(ctypes.byref(text))
    return written


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Number and content of each field of a message of varints and bytes."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        yield key >> 3, value


def build_options(data):
    [(number, build)] = [field for field in fields(data) if field[0] == 3]
    return dict(fields(build))


@pytest.mark.parametrize("replicas, partitions, with_ids", [(1, 1, False), (1, 1, True), (2, 3, True), (4, 1, True), (1, 8, False)])
def test_compile_options_are_those_of_jax_and_jax_reads_them(replicas, partitions, with_ids):
    ids = list(range(10, 10 + replicas * partitions)) if with_ids else None
    theirs = xla_client.CompileOptions()
    theirs.num_replicas, theirs.num_partitions = replicas, partitions
    theirs.executable_build_options.use_spmd_partitioning = partitions > 1
    if ids:
        theirs.device_assignment = xla_client.DeviceAssignment.create(numpy.array(ids).reshape(replicas, partitions))
    expected = build_options(theirs.SerializeAsString())
    expected.pop(3)  # debug options: plugins have their own
    written = ours(replicas, partitions, ids)
    assert build_options(written) == expected
    read = xla_client.CompileOptions.ParseFromString(written)
    assert (read.num_replicas, read.num_partitions) == (replicas, partitions)
    if ids:
        assert read.device_assignment.replica_count() == replicas


def exported(function, *arguments):
    return export.export(jax.jit(function))(*arguments).mlir_module_serialized


def version_of(code):
    version = (ctypes.c_int * 3)()
    return LIBRARY.tn_pjrt_program_version(code, ctypes.c_size_t(len(code)), version) & 1 and tuple(version)


def test_the_version_of_an_exported_program_is_read():
    code = exported(lambda x: x + 1, numpy.ones((2, 3), numpy.float32))
    found = version_of(code)
    assert b"StableHLO_v%d.%d.%d\0" % found in code
    assert not version_of(code[:10]) and not version_of(b"module {}")


def test_an_exported_program_runs_on_a_plugin_from_c(tmp_path):
    x = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    (tmp_path / "add.mlirbc").write_bytes(exported(lambda x: x + 1, x))
    numpy.save(tmp_path / "x.npy", x)
    done = subprocess.run([BUILD / "examples/run_program", BUILD / "tests/plugins/pjrt_0_114.so", tmp_path / "add.mlirbc",
                           tmp_path / "x.npy"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"{x + 1}\n"), done.stderr
