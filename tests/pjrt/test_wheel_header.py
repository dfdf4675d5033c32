"""A plugin whose author never saw our headers: the test plugin's source, compiled against the PJRT header inside the
TensorFlow wheel, is hosted like any other."""

import os
import pathlib
import re
import subprocess
import sysconfig

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
BUILD = pathlib.Path(os.environ["TENON_BUILD"])
PLUGIN = SOURCE / "tests/pjrt/plugins"
WHEEL = pathlib.Path(sysconfig.get_path("purelib")) / "tensorflow/include"

# What does not depend on a number is compiled against ours, in the build too.
PARTS = ["elements.c", "program.c", "misdeeds.c"]
OTHERS = sorted(path.name for path in PLUGIN.glob("*.c") if path.name not in [*PARTS, "refused.c"])


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(done.args)}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The plugin, and the number that the wheel's header gives itself."""
    folder = tmp_path_factory.mktemp("wheel")
    header = (WHEEL / "xla/pjrt/c/pjrt_c_api.h").read_text()
    functions = re.findall(r"_PJRT_API_STRUCT_FIELD\((PJRT_\w+)\)", header)
    assert len(functions) > 120
    # The wheel has no header for custom calls; ours stands in, over the wheel's own types.
    (folder / "pjrt_c_api_gpu_extension.h").write_bytes((SOURCE / "include/xla/pjrt/c/pjrt_c_api_gpu_extension.h").read_bytes())
    (folder / "pjrt_api.h").write_text(
        "#pragma once\n" + "".join(f'#include "xla/pjrt/c/{name}.h"\n' for name in (
            "pjrt_c_api", "pjrt_c_api_layouts_extension", "pjrt_c_api_memory_descriptions_extension", "pjrt_c_api_profiler_extension"))
        + '#include "pjrt_c_api_gpu_extension.h"\n#define PJRT_EXTENSION_NODE PJRT_Extension_Base\n'
        + "#define PJRT_API_FUNCTIONS(X) " + " ".join(f"X({name})" for name in functions) + "\n")
    objects = []
    for name in PARTS + OTHERS:
        include = ["-I", SOURCE / "include"] if name in PARTS else ["-I", folder, "-isystem", WHEEL]
        objects.append(folder / (name + ".o"))
        run("cc", "-std=c11", "-D_GNU_SOURCE", "-O1", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror",
            "-Wno-unused-parameter", *include, "-I", PLUGIN, "-c", PLUGIN / name, "-o", objects[-1])
    run("cc", "-shared", *objects, "-o", folder / "pjrt_of_the_wheel.so", "-lpthread", "-lm")
    return folder / "pjrt_of_the_wheel.so", int(re.search(r"define PJRT_API_MINOR (\d+)", header)[1])


def test_the_plugin_says_the_wheels_number_and_its_extensions(plugin):
    path, minor = plugin
    told = run(BUILD / "bin/tenon", "inspect", "--load", path)
    assert re.search(rf"pjrt_version +0\.{minor}\n", told), told
    assert re.search(r"extensions +0:\d+ 4:72 6:40\n", told), told
    assert re.search(r"null_functions +0\n", told), told
