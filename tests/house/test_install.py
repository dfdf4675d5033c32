"""What `make install` puts under a prefix is enough to build and run a program, and can be moved."""

import os
import shutil

import pytest

from house import BUILD, SOURCE, run

PROGRAM = r"""
#include <stdio.h>
#include <tenon/tenon.h>
#include <tensorflow/c/kernels.h>

int main(void) {
  tn_status* status = tn_status_create();
  int64_t dims[] = {2, 3};
  tn_tensor* tensor = tn_tensor_create(TN_FLOAT, dims, 2, status);
  if (!tn_ok(status)) return tn_report(status);
  printf("%s of %zu bytes\n", tn_dtype_name(tn_tensor_dtype(tensor)), tn_tensor_bytes(tensor));
  tn_tensor_destroy(tensor);
  tn_status_destroy(status);
  return 0;
}
"""
ANSWER = "float of 24 bytes\n"


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """An installation that was moved after it was made."""
    folder = tmp_path_factory.mktemp("install")
    done = run("cmake", "--install", BUILD, "--prefix", folder / "first")
    assert done.returncode == 0, done.stderr
    return (folder / "first").rename(folder / "prefix")


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "app.c"
    path.write_text(PROGRAM)
    return path


def flags(prefix, package):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib/pkgconfig")}
    done = run("pkg-config", "--cflags", "--libs", package, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_program_is_built_with_pkg_config(prefix, source):
    app = source.with_suffix("")
    done = run("cc", "-Wall", "-Werror", source, *flags(prefix, "tenon"), "-o", app)
    assert done.returncode == 0, done.stderr
    done = run(app, env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")})
    assert (done.stdout, done.returncode) == (ANSWER, 0), done


def test_a_program_is_built_with_find_package(prefix, source):
    folder = source.parent
    (folder / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(app C)\nfind_package(tenon 0.1 REQUIRED)\n"
        "add_executable(app app.c)\ntarget_link_libraries(app tenon::tenon)\n")
    done = run("cmake", "-S", folder, "-B", folder / "out", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode == 0, done.stderr
    done = run("cmake", "--build", folder / "out")
    assert done.returncode == 0, done.stdout
    done = run(folder / "out/app")
    assert (done.stdout, done.returncode) == (ANSWER, 0), done


def test_a_program_for_tensorflows_c_api_is_built_with_its_own_package(prefix, tmp_path):
    source = tmp_path / "port.c"
    source.write_text('#include <stdio.h>\n#include <tensorflow/c/c_api.h>\n'
                      'int main(void) { TF_Status* s = TF_NewStatus(); TF_SetStatus(s, TF_ABORTED, "so");'
                      ' printf("%d %s\\n", TF_GetCode(s), TF_Message(s)); TF_DeleteStatus(s); return 0; }\n')
    app = tmp_path / "port"
    done = run("cc", "-Wall", "-Werror", source, *flags(prefix, "tenon_tf"), f"-Wl,-rpath-link,{prefix}/lib",
               "-o", app)
    assert done.returncode == 0, done.stderr
    assert run(app, env={**os.environ, "LD_LIBRARY_PATH": str(prefix / "lib")}).stdout == "10 so\n"


def test_the_tool_finds_its_plugins_its_probe_and_its_headers_where_it_lies(prefix, tmp_path):
    tenon = prefix / "bin/tenon"
    done = run(tenon, "run", "--op", "Relu", SOURCE / "examples/data/numbers.npy")
    assert done.returncode == 0 and "kernel 'Relu' of libtenon_cpu.so" in done.stdout, done
    words = run(tenon, "config").stdout
    assert f"-I{prefix}/include" in words and f"-L{prefix}/lib" in words


def test_no_file_of_the_installation_names_the_folder_it_was_built_in(prefix):
    """Debug information may; what a program reads when it runs may not."""
    stripped = prefix.parent / "stripped"
    found = []
    for path in sorted(prefix.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        shutil.copy(path, stripped)
        run("strip", stripped)
        if str(BUILD).encode() in stripped.read_bytes():
            found.append(str(path.relative_to(prefix)))
    assert not found


def test_every_public_header_is_there_and_stands_alone(prefix, tmp_path):
    include = prefix / "include"
    headers = [*sorted((include / "tenon").glob("*.h")), *sorted((include / "xla").rglob("*.h"))]
    assert include / "xla/pjrt/c/pjrt_c_api.h" in headers
    for header in headers:
        for name, compiler in (("x.c", ["cc", "-std=c11"]), ("x.cc", ["c++", "-std=c++17"])):
            (tmp_path / name).write_text(f"#include <{header.relative_to(include)}>\ntypedef int or_macros_only;\n")
            done = run(*compiler, "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only",
                       f"-I{prefix}/include", tmp_path / name)
            assert done.returncode == 0, done.stderr


def test_the_man_page_and_the_completions_are_there(prefix):
    for name in ("man/man1/tenon.1", "bash-completion/completions/tenon",
                 "zsh/site-functions/_tenon", "fish/vendor_completions.d/tenon.fish"):
        assert (prefix / "share" / name).is_file(), name


def test_a_project_guards_its_interface_with_tenon_abi_test(prefix, tmp_path):
    tenon = prefix / "bin/tenon"
    header = "#define MY_MAJOR 0\n#define MY_MINOR 1\ntypedef struct My_Args { unsigned long struct_size; void* data; } My_Args;\n"
    (tmp_path / "my.h").write_text(header)
    baseline = run(tenon, "abi", "layout", tmp_path / "my.h")
    assert baseline.returncode == 0, baseline
    (tmp_path / "my.json").write_text(baseline.stdout)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(my C)\nenable_testing()\nfind_package(Tenon REQUIRED)\n"
        "tenon_abi_test(my.h my.json POLICY tf)\n"
        "tenon_abi_test(my.h my.json NAME abi.by_rules POLICY abi/rules INCLUDES include)\n")
    (tmp_path / "abi").mkdir()
    (tmp_path / "abi/rules").write_text("base = tf\n")
    done = run("cmake", "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={prefix}")
    assert done.returncode == 0, done
    assert run("ctest", "--test-dir", tmp_path / "b").returncode == 0
    (tmp_path / "my.h").write_text(header.replace("void* data;", "int flag; void* data;"))
    done = run("ctest", "--test-dir", tmp_path / "b", "--output-on-failure")
    assert done.returncode != 0 and "My_Args.flag: inserted" in done.stdout, done
