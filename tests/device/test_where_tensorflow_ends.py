"""Plugins over which TensorFlow's process ends: there it does, and here they are statuses in its words."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
PLUGINS = BUILD / "tests/plugins"

# Through TensorFlow's C API: importing the Python package takes many times longer.
LOAD = """
import ctypes, importlib.util, pathlib, sys
folder = pathlib.Path(importlib.util.find_spec("tensorflow").origin).parent
ctypes.CDLL(str(folder / "libtensorflow_framework.so.2"), mode=ctypes.RTLD_GLOBAL)
tf = ctypes.CDLL(str(folder / "libtensorflow_cc.so.2"), mode=ctypes.RTLD_GLOBAL)
tf.TF_NewStatus.restype = ctypes.c_void_p
tf.TF_Message.restype = ctypes.c_char_p
tf.TF_LoadPluggableDeviceLibrary.restype = ctypes.c_void_p
status = ctypes.c_void_p(tf.TF_NewStatus())
tf.TF_LoadPluggableDeviceLibrary(sys.argv[1].encode(), status)
tf.TF_GetAllOpList()  # ops are looked at when the first is asked for
print("came back with", tf.TF_GetCode(status), tf.TF_Message(status).decode())
"""

# Plugin, misdeed, what both say.
ROWS = [
    ("misdeed_device.so", "no_platform", "'destroy_platform' field in SE_PlatformRegistrationParams must be set."),
    ("misdeed_device.so", "unavailable", "the driver is not installed"),
    ("misdeed_device.so", "null:SP_StreamExecutor:mem_zero", "'mem_zero' field in SP_StreamExecutor must be set."),
    ("misdeed_device.so", "size:SP_Platform:0",
     "Expected initialized `SP_Platform` structure with `struct_size` field set to SP_PLATFORM_STRUCT_SIZE. "
     "Found `struct_size` = 0."),
    ("misdeed_device.so", "name:INVALID:NAME", "Device name/type 'INVALID:NAME' must match [A-Z][A-Z_]*."),
    ("taken_op.so", "", "Op with name AddV2"),
]


def environment(misdeed):
    return {**os.environ, "TENON_TEST_MISDEED": misdeed, "TF_CPP_MIN_LOG_LEVEL": "0"}


@pytest.mark.parametrize("plugin, misdeed, says", ROWS, ids=lambda value: value[:40])
def test_tensorflow_ends_and_tenon_says_why(plugin, misdeed, says):
    there = subprocess.run([sys.executable, "-c", LOAD, PLUGINS / plugin], capture_output=True, text=True,
                           env=environment(misdeed))
    assert there.returncode in (-signal.SIGABRT, 1) and says in there.stderr, (there.returncode, there.stderr)
    assert "came back" not in there.stdout and "Traceback" not in there.stderr
    here = subprocess.run([BUILD / "bin/tenon", "devices", "--plugin", PLUGINS / plugin], capture_output=True,
                          text=True, env=environment(misdeed))
    assert here.returncode == 3 and says in here.stderr, (here.returncode, here.stderr)
    assert str(PLUGINS / plugin) in here.stderr


def test_without_misdeed_both_take_it():
    there = subprocess.run([sys.executable, "-c", LOAD, PLUGINS / "misdeed_device.so"], capture_output=True,
                           text=True, env=environment(""))
    assert there.returncode == 0 and "came back with 0" in there.stdout, there.stderr
    here = subprocess.run([BUILD / "bin/tenon", "devices", "--plugin", PLUGINS / "misdeed_device.so"],
                          capture_output=True, text=True, env=environment(""))
    assert here.returncode == 0 and "MISDEED:0" in here.stdout and "MISDEED:1" in here.stdout


@pytest.mark.parametrize("misdeed, code, says", [
    ("crash", 3, "killed by SIGSEGV in SE_InitPlugin"),
    ("exit", 3, "SE_InitPlugin"),
    ("count:0", 0, "found no device on this machine"),
    ("count:-1", 0, "get_device_count gave -1"),
    ("fail:create_device", 1, "create_device: the device is on strike"),
])
def test_tenon_devices_says_what_is_wrong(misdeed, code, says):
    here = subprocess.run([BUILD / "bin/tenon", "devices", "--plugin", PLUGINS / "misdeed_device.so"],
                          capture_output=True, text=True, env=environment(misdeed))
    assert here.returncode == code and says in here.stdout + here.stderr, (here.returncode, here.stdout, here.stderr)
