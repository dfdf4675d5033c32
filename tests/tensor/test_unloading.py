"""A program that closes libtenon again must not die of what its threads still hold."""

import os
import subprocess
import sys

SCRIPT = """
import _ctypes, ctypes, sys, threading
lib = ctypes.CDLL(sys.argv[1])
lib.tn_tensor_create.restype = ctypes.c_void_p
lib.tn_tensor_destroy.argtypes = [ctypes.c_void_p]
made, closed = threading.Event(), threading.Event()

def use():
    lib.tn_tensor_destroy(lib.tn_tensor_create(1, None, 0, None))  # the thread keeps a handle
    made.set()
    closed.wait()

thread = threading.Thread(target=use)
thread.start()
made.wait()
_ctypes.dlclose(lib._handle)
closed.set()
thread.join()
print("alive")
"""


def test_threads_end_after_the_library_was_closed():
    library = os.path.join(os.environ["TENON_BUILD"], "lib", "libtenon.so")
    result = subprocess.run([sys.executable, "-c", SCRIPT, library], capture_output=True, text=True)
    assert result.returncode == 0, result
    assert result.stdout == "alive\n"
