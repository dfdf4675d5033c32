"""Our plugin headers against the real ones of the TensorFlow wheel.

A generated C++ program prints the mangled type of every function and field. Built once with each set of headers it must
print the same; mangled names are canonical, so typedefs and parameter names do not matter.
"""
import csv
import os
import pathlib
import random
import re
import shutil
import subprocess
import sysconfig

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
OURS = SOURCE / "include"
THEIRS = pathlib.Path(sysconfig.get_path("purelib")) / "tensorflow" / "include"
DATA = SOURCE / "data" / "abi" / "tf"
CXX = os.environ.get("CXX") or shutil.which("c++") or "g++"
CC = os.environ.get("CC") or shutil.which("cc") or "gcc"

# Functions of ours that the wheel's headers lack.
LOGGING = {"TF_Log", "TF_VLog", "TF_DVLog"}  # declared up to 2.20
SHAPE = {"TF_NewShape", "TF_DeleteShape", "TF_ShapeDims", "TF_ShapeDimSize"}  # tf_shape.h is in no wheel
HELPERS = {"TF_TString_MakeLarge"}  # static inline, an implementation detail of ours

# TF_Status is another name of TSL_Status in recent headers.
RENAMED = [("10TSL_Status", "9TF_Status"), ("8TSL_Code", "7TF_Code")]


def table(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def our_headers():
    return sorted(str(path.relative_to(OURS)) for path in (OURS / "tensorflow").rglob("*.h"))


def our_functions():
    """Name of each function our headers declare or define inline, with its header."""
    found = {}
    for header in our_headers():
        text = re.sub(r"//[^\n]*", "", (OURS / header).read_text())
        for pattern in (r"^TF_CAPI_EXPORT\s[^;{(]*?\b(\w+)\(", r"^void (\w+)\(", r"static inline [^;{(]*?\b(\w+)\("):
            for name in re.findall(pattern, text, re.M):
                found[name] = header
    return found


def our_fields():
    """(struct, field) of the newest release's structs that our headers define."""
    with open(SOURCE / "tests" / "headers" / "not_declared.tsv", newline="") as file:
        skipped = {row["name"] for row in csv.DictReader(file, delimiter="\t")}
    rows = [row for row in table("layouts.tsv") if row["releases"].endswith("-")]
    return [(row["struct"], row["field"]) for row in rows if row["struct"] not in skipped]


def printed_types(include, headers, functions, fields, folder):
    lines = ["#include <cstddef>", "#include <cstdio>", "#include <typeinfo>"]
    lines += [f'#include "{header}"' for header in headers]
    lines.append("int main() {")
    for name in functions:
        # The real header also has a C++ overload of this one.
        pointer = ("static_cast<TFE_TensorHandle* (*)(const TF_Tensor*, TF_Status*)>(&TFE_NewTensorHandle)"
                   if name == "TFE_NewTensorHandle" else f"&{name}")
        lines.append(f'std::printf("{name}\\t%s\\n", typeid({pointer}).name());')
    for struct, field in fields:
        lines.append(f'std::printf("{struct}.{field}\\t%s\\n", typeid((({struct}*)0)->{field}).name());')
    lines.append("}")
    program = folder / "types.cc"
    program.write_text("\n".join(lines))
    binary = folder / "types"
    # Only the types of the functions are taken, so nothing has to be linked.
    subprocess.run([CXX, "-std=c++17", "-w", f"-I{include}", str(program), "-o", str(binary)], check=True)
    output = subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout
    for theirs, ours in RENAMED:
        output = output.replace(theirs, ours)
    return dict(line.split("\t") for line in output.splitlines())


def test_every_function_and_field_has_tensorflows_type(tmp_path):
    functions = our_functions()
    compared = sorted(set(functions) - LOGGING - SHAPE - HELPERS)
    assert len(compared) > 280
    shared = [header for header in our_headers() if (THEIRS / header).exists()]
    ours_only = set(our_headers()) - set(shared)
    assert ours_only == {"tensorflow/c/logging.h", "tensorflow/c/tf_shape.h"}
    types = []
    for include, headers in ((OURS, our_headers()), (THEIRS, shared)):
        folder = tmp_path / str(len(types))
        folder.mkdir()
        types.append(printed_types(include, headers, compared, our_fields(), folder))
    ours, theirs = types
    assert ours == theirs


def test_every_function_is_declared_in_the_header_that_tensorflow_declares_it_in():
    where = {row["function"]: row["header"].split(";")[-1].split(":")[-1] for row in table("exports.tsv")}
    moved = {"tsl/platform/ctstring_internal.h": "tensorflow/core/platform/ctstring_internal.h"}
    for name, header in our_functions().items():
        if name not in SHAPE | HELPERS:
            assert header == moved.get(where[name], where[name]), name


def test_every_function_that_published_plugins_import_is_declared():
    wanted = {row["function"] for row in table("plugin_functions.tsv")}
    assert len(wanted) == 155
    assert wanted - set(our_functions()) == set()


def test_headers_that_we_offer_in_full_lack_nothing():
    declared = set(our_functions())
    partly = {"tensorflow/c/c_api.h", "tensorflow/c/c_api_experimental.h", "tensorflow/c/eager/c_api_experimental.h"}
    full = set(our_headers()) - partly
    for row in table("exports.tsv"):
        # TF_swap32 is a detail of TensorFlow's inlines, as TF_TString_MakeLarge is of ours.
        if row["header"].split(";")[-1].split(":")[-1] in full and row["function"] != "TF_swap32":
            assert row["function"] in declared or not row["declared"].endswith("-"), row


@pytest.mark.parametrize("seed", [1, 2, random.randrange(3, 1 << 32)])
def test_strings_behave_as_tensorflows_do(tmp_path, seed):
    program = SOURCE / "tests" / "headers" / "tstring_trace.c"
    traces = []
    for include in (OURS, THEIRS):
        binary = tmp_path / f"trace{len(traces)}"
        subprocess.run([CC, "-std=c11", "-w", "-fsanitize=address,undefined", f"-I{include}", str(program), "-o",
                        str(binary)], check=True)
        run = subprocess.run([str(binary), str(seed)], check=True, capture_output=True, text=True)
        traces.append(run.stdout.splitlines())
    assert len(traces[0]) > 20000
    assert traces[0][-1] == "references left 0"
    for ours, theirs in zip(*traces):
        assert ours == theirs
