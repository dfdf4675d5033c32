"""tenon doctor says of a plugin and a framework what happens when the one really loads the other.

"Loads" means: it opens, the framework's version check passes, and the only failure left is the plugin's own, that it
finds no device.
"""

import json
import os
import subprocess
import sys
import textwrap

import pytest

from zoo import BUILD, CACHE, tenon, unpacked, wanted, wheel

JAXLIBS = ["jaxlib==0.4.31", "jaxlib==0.4.35", "jaxlib==0.6.2", "jaxlib==0.8.0"]
CUDA = ["jax-cuda12-pjrt==0.4.28", "jax-cuda12-pjrt==0.4.35", "jax-cuda12-pjrt==0.5.3", "jax-cuda12-pjrt==0.6.2",
        "jax-cuda12-pjrt==0.8.0", "jax-cuda12-pjrt==0.10.2"]
TENSORFLOWS = ["tensorflow-cpu==2.18.0", "tensorflow-cpu==2.21.0"]
DEVICES = {"intel-extension-for-tensorflow-lib==2.15.0.0.0": "tensorflow-plugins/libitex_cpu.so",
           "tensorflow-directml-plugin==0.4.0.dev230202": "tensorflow-plugins/libtfdml_plugin.so",
           "zentf==2.21.0.0": None, "zentf==5.0.2": None}

OPEN_PJRT = textwrap.dedent("""
    import sys
    sys.path.insert(0, sys.argv[1])
    from jaxlib import xla_client
    try:
        xla_client.load_pjrt_plugin_dynamically("zoo", sys.argv[2])
        if hasattr(xla_client, "initialize_pjrt_plugin"):
            xla_client.initialize_pjrt_plugin("zoo")
        xla_client.make_c_api_client("zoo", {}, None)
    except Exception as error:
        print("refused:", error)
""")

OPEN_TENSORFLOW = textwrap.dedent("""
    import sys
    from tensorflow.python.framework import load_library
    try:
        load_library.load_pluggable_device_library(sys.argv[1])
        print("loaded")
    except Exception as error:
        print("refused:", error)
""")


def verdict(plugin, framework):
    done = tenon("doctor", "--json", plugin, "--against", framework)
    assert done.returncode in (0, 1), done
    return json.loads(done.stdout)["releases"][0]


@pytest.mark.parametrize("plugin", CUDA)
@pytest.mark.parametrize("jaxlib", JAXLIBS)
def test_jaxlib_does_what_the_doctor_says(jaxlib, plugin):
    if not (wanted(jaxlib) or wanted(plugin)):
        pytest.skip("not among TENON_ZOO_ONLY")
    file = unpacked(plugin, [".so"]) / "jax_plugins/xla_cuda12/xla_cuda_plugin.so"
    done = subprocess.run([sys.executable, "-c", OPEN_PJRT, unpacked(jaxlib), file], capture_output=True, text=True)
    loads = "No visible GPU devices" in done.stdout
    said = verdict(file, jaxlib)
    assert said["loads"] == loads, (said, done)
    if not loads:
        # The framework's own words, as far as they are quoted.
        quoted = said["reason"].split('"')[1].rstrip(".")
        assert quoted in done.stdout, (said, done.stdout)


def tensorflow_python(package):
    """The interpreter of an environment with that TensorFlow, made when it is not there."""
    if package == "tensorflow-cpu==2.21.0":
        return sys.executable
    folder = CACHE / ("env-" + package.replace("==", "-"))
    python = folder / "bin/python"
    if not (folder / "done").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel(package)], check=True)
        (folder / "done").touch()
    return python


@pytest.mark.parametrize("plugin", DEVICES)
@pytest.mark.parametrize("tensorflow", TENSORFLOWS)
def test_tensorflow_does_what_the_doctor_says(tensorflow, plugin):
    if not (wanted(tensorflow) or wanted(plugin)):
        pytest.skip("not among TENON_ZOO_ONLY")
    folder = unpacked(plugin)
    file = folder / DEVICES[plugin] if DEVICES[plugin] else next(folder.rglob("libamdcpu_plugin_for_tf*.so"), None) or \
        next(path for path in folder.rglob("*.so") if b"TF_InitKernel" in path.read_bytes())
    done = subprocess.run([tensorflow_python(tensorflow), "-c", OPEN_TENSORFLOW, file], capture_output=True, text=True,
                          env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "LD_LIBRARY_PATH": ""})
    loads = "loaded" in done.stdout
    said = verdict(file, tensorflow.replace("tensorflow-cpu==2.18.0", "tensorflow==2.18").replace("tensorflow-cpu==2.21.0", "tensorflow==2.21"))
    assert said["loads"] == loads, (said, done.stdout, done.stderr[-500:])
