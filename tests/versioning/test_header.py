"""include/tenon/abi.h as an author of plugins uses it: in C11 and C++17, by each compiler that is here."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
TENON = pathlib.Path(os.environ["TENON_BUILD"]) / "bin/tenon"
HERE = pathlib.Path(__file__).parent
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LANGUAGES = {"c": ["-std=c11"], "c++": ["-x", "c++", "-std=c++17"]}


def compile_use(compiler, language, out, *flags):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    return subprocess.run([compiler, *LANGUAGES[language], *STRICT, f"-I{SOURCE}/include", *flags, HERE / "use_abi.c", "-o", out],
                          capture_output=True, text=True)


compilers = pytest.mark.parametrize("compiler, language", [("gcc", "c"), ("clang", "c"), ("g++", "c++"), ("clang++", "c++")])


@compilers
def test_every_macro_does_what_the_header_says(tmp_path, compiler, language):
    done = compile_use(compiler, language, tmp_path / "use", "-DUSE_DEPRECATED")
    assert done.returncode == 0 and not done.stderr, done.stderr
    run = subprocess.run([tmp_path / "use"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


@compilers
@pytest.mark.parametrize("wrong, says", [("WRONG_ALIGNMENT", "Wide needs an alignment over 8 bytes"),
                                         ("WRONG_ORDER", "Late does not begin with struct_size")])
def test_a_struct_that_breaks_a_rule_does_not_compile(tmp_path, compiler, language, wrong, says):
    done = compile_use(compiler, language, tmp_path / "use", f"-D{wrong}")
    assert done.returncode != 0 and says in done.stderr


@compilers
def test_a_use_of_a_deprecated_member_is_warned_of_when_asked_for(tmp_path, compiler, language):
    done = compile_use(compiler, language, tmp_path / "use", "-DUSE_DEPRECATED", "-DTN_WARN_DEPRECATED")
    assert done.returncode != 0 and "deprecated: since 4: use flag" in done.stderr


MARKED = """
#include "tenon/abi.h"
#define MY_API_MAJOR 0
#define MY_API_MINOR {minor}
typedef struct My_Device {{
  size_t struct_size;
  void* data {mark};
}} My_Device;
TN_DEFINE_STRUCT_SIZE(My_Device, data);
int my_start(My_Device* device) {mark};
"""


@pytest.mark.parametrize("minor, mark, text", [
    (5, 'TN_DEPRECATED("since 0.5: use data2")', "since 0.5: use data2"),
    (5, '__attribute__((deprecated("since 0.5: use data2")))', "since 0.5: use data2"),
    (5, "__attribute__((deprecated))", ""),
    (5, '__attribute__((annotate("for another tool")))', None),
])
def test_the_mark_is_read_by_tenon_abi_with_its_text(tmp_path, minor, mark, text):
    (tmp_path / "old.h").write_text(MARKED.format(minor=4, mark=""))
    (tmp_path / "new.h").write_text(MARKED.format(minor=minor, mark=mark))
    baseline = tmp_path / "new.json"
    layout = subprocess.run([TENON, "abi", "layout", tmp_path / "new.h", "-I", SOURCE / "include"], capture_output=True, text=True)
    baseline.write_text(layout.stdout)
    # Straight from the header, and by way of the layout file that a project keeps.
    for new in tmp_path / "new.h", baseline:
        done = subprocess.run([TENON, "abi", "check", tmp_path / "old.h", new, "-I", SOURCE / "include", "--policy", "tf", "--json"],
                              capture_output=True, text=True)
        found = {finding["kind"]: finding["new"] for finding in json.loads(done.stdout)["findings"]}
        assert done.returncode == 0, done.stdout
        if text is None:
            assert not found
            continue
        assert set(found) == {"field-deprecated", "function-deprecated"}
        assert found["field-deprecated"] == "data@8, 8 bytes, void *" + (f"; deprecated {text}" if text else "")
        assert found["function-deprecated"] == (text or "deprecated")
    if text:
        done = subprocess.run([TENON, "abi", "check", tmp_path / "old.h", tmp_path / "new.h", "-I", SOURCE / "include"],
                              capture_output=True, text=True)
        assert "My_Device.data: deprecated" in done.stdout and text in done.stdout


def test_the_mark_is_found_whether_warnings_are_on_or_off(tmp_path):
    header = tmp_path / "api.h"
    header.write_text(MARKED.format(minor=5, mark='TN_DEPRECATED("since 0.5: use data2")'))
    for flags in "", "-DTN_WARN_DEPRECATED":
        done = subprocess.run([TENON, "abi", "layout", header, "-I", SOURCE / "include", *([f"--cflags={flags}"] if flags else [])],
                              capture_output=True, text=True)
        fields = {field["name"]: field for field in json.loads(done.stdout)["structs"][0]["fields"]}
        assert fields["data"]["deprecation"] == "since 0.5: use data2" and "deprecation" not in fields["struct_size"]
