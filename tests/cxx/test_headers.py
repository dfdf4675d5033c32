"""Each header of the C++ API stands alone: by gcc and by clang, in C++17 and C++20, without exceptions and RTTI."""

import concurrent.futures
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
INCLUDE = SOURCE / "include"
EIGEN = os.environ.get("TENON_EIGEN")
HEADERS = sorted((INCLUDE / "tenon").glob("*.hpp"))
PORT = sorted(path for path in (INCLUDE / "tenon_port").rglob("*") if path.is_file() and path.name != "names.hpp")
STRICT = ["-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", f"-I{INCLUDE}",
          "-isystem", EIGEN or ""]
# With a vendor's types, which need no vendor.
GPU = ["-DEIGEN_USE_GPU", "-DEIGEN_USE_HIP", "-isystem", str(SOURCE / "tests/headers/rocm")]


def compile_alone(compiler, standard, text, *flags):
    done = subprocess.run([compiler, f"-std=c++{standard}", *STRICT, *flags, "-x", "c++", "-"], input=text,
                          capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@pytest.fixture(params=["g++", "clang++"])
def compiler(request):
    if not EIGEN:
        pytest.skip("Eigen is not installed")
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    return request.param


@pytest.mark.parametrize("standard", [17, 20])
def test_each_header_is_enough_by_itself(compiler, standard):
    assert len(HEADERS) > 20

    def errors_of(header):
        return compile_alone(compiler, standard, f"#include <tenon/{header.name}>\n", *(GPU if "gpu" in header.name else []))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        assert not list(filter(None, pool.map(errors_of, HEADERS)))


def test_tensorflows_include_names_lead_to_these_headers(compiler):
    assert len(PORT) > 25
    names = [path.relative_to(INCLUDE / "tenon_port").as_posix() for path in PORT]
    text = "".join(f"#include <{name}>\n" for name in names)
    uses = "using tensorflow::OpKernel;\nusing tensorflow::Tensor;\nusing tensorflow::Shard;\n"
    assert not compile_alone(compiler, 17, text + uses, *GPU, f"-I{INCLUDE}/tenon_port")
