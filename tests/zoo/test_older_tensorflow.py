"""The CPU plugin as a device of an older TensorFlow, whose libraries have the functions that update variables."""

import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "device"))
import training
from test_reality import tensorflow_python
from zoo import wanted

PACKAGE = "tensorflow-cpu==2.18.0"


@pytest.fixture(scope="module")
def python():
    if not wanted(PACKAGE):
        pytest.skip("not among TENON_ZOO_ONLY")
    return tensorflow_python(PACKAGE)


@pytest.fixture(scope="module")
def folder(python, tmp_path_factory):
    """Up to 2.18 TensorFlow shows its functions only to plugins that name its library: a wrapper does."""
    library = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], check=True,
                             capture_output=True, text=True).stdout.strip() + "/tensorflow/libtensorflow_framework.so.2"
    wrapper = tmp_path_factory.mktemp("wrapper") / "libtenon_wrapper.so"
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-o", wrapper, "-Wl,--no-as-needed", library, training.PLUGIN,
                    f"-Wl,-rpath,{training.PLUGIN.parent}"], check=True)
    return training.site_packages(tmp_path_factory.mktemp("tensorflow"), wrapper)


@pytest.mark.parametrize("kind", ["dense", "conv"])
def test_keras_trains_on_it_and_updates_of_variables_are_ours_too(python, folder, tmp_path, kind):
    training.judge(python, kind, folder, tmp_path, training.NOT_OURS)
