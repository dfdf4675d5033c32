"""Our PJRT headers: against the layout tables with every compiler here, against the header in the TensorFlow wheel, and
what their comments say about numbers against the tables."""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
BUILD = pathlib.Path(os.environ["TENON_BUILD"])
TENON = BUILD / "bin/tenon"
INCLUDE = SOURCE / "include"
OURS = INCLUDE / "xla/pjrt/c/pjrt_c_api.h"
WHEEL = pathlib.Path(sysconfig.get_path("purelib")) / "tensorflow/include/xla/pjrt/c/pjrt_c_api.h"
DATA = SOURCE / "data/abi/pjrt"
NUMBER = {"major": 0, "minor": 117}

# What 0.90 has otherwise: two handles that were opaque, and an opaque type that no function took.
UNLIKE_0_90 = {("opaque-type-defined", "PJRT_Error"), ("opaque-type-defined", "PJRT_Memory"),
               ("struct-removed", "PJRT_TransferMetadata")}


def tenon(*words):
    return subprocess.run([TENON, "abi", *map(str, words)], capture_output=True, text=True)


def table(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def compilers():
    for name, language in (("gcc", "c11"), ("clang", "c11"), ("g++", "c++17"), ("clang++", "c++17")):
        if shutil.which(name):
            yield pytest.param([name, f"-std={language}", "-x", "c++" if "++" in name else "c"], id=name)


def compile_asserts(compiler, include):
    folder = BUILD / "tests/headers.dir"
    return subprocess.run([*compiler, "-Wall", "-Wextra", "-Wpedantic", "-Wundef", "-Werror", "-fsyntax-only",
                           f"-I{include}", f"-I{folder}", folder / "pjrt_asserts.c"], capture_output=True, text=True)


@pytest.mark.parametrize("compiler", list(compilers()))
def test_every_compiler_here_lays_the_structs_out_as_the_tables_say(compiler):
    asserts = (BUILD / "tests/headers.dir/pjrt_asserts.c").read_text()
    assert asserts.count("static_assert") > 3000
    done = compile_asserts(compiler, INCLUDE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("header, old, new", [
    ("pjrt/c/pjrt_c_api.h", "  _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind);", "  void* more; _PJRT_API_STRUCT_FIELD(PJRT_Memory_Kind);"),
    ("pjrt/c/pjrt_c_api.h", "  size_t num_custom_options;", "  int num_custom_options;"),
    ("pjrt/c/pjrt_c_api.h", "PJRT_Buffer_Type_S4 = 21", "PJRT_Buffer_Type_S4 = 19"),
    ("pjrt/c/pjrt_c_api.h", "PJRT_API_MINOR 117", "PJRT_API_MINOR 116"),
    ("pjrt/c/pjrt_c_api_layouts_extension.h", "EXTENSION_VERSION 4", "EXTENSION_VERSION 3"),
    ("pjrt/c/pjrt_c_api_gpu_extension.h", "  uint32_t traits;", "  uint64_t traits;"),
    ("pjrt/c/pjrt_c_api_stream_extension.h", "struct PJRT_Stream_Extension {",
     "struct PJRT_Triton_Extension { int a; } PJRT_Triton_Extension;\ntypedef struct PJRT_Stream_Extension {"),
])
def test_a_header_that_is_wrong_in_a_copy_does_not_compile(tmp_path, header, old, new):
    shutil.copytree(INCLUDE / "xla", tmp_path / "xla")
    text = (tmp_path / "xla" / header).read_text()
    assert old in text
    (tmp_path / "xla" / header).write_text(text.replace(old, new, 1))
    done = compile_asserts(["cc", "-std=c11", "-x", "c"], tmp_path)
    assert done.returncode != 0 and "error" in done.stderr


def test_our_reader_of_headers_takes_ours_for_its_number():
    layout = json.loads(tenon("layout", OURS).stdout)
    assert layout["version"] == NUMBER
    assert len(layout["structs"]) > 160


def test_the_header_in_the_wheel_differs_only_by_what_came_later():
    done = tenon("check", WHEEL, OURS, "--json")
    findings = json.loads(done.stdout)["findings"]
    assert {(f["kind"], f["struct"]) for f in findings if f["class"] != "minor"} == UNLIKE_0_90
    # Not only bytes: types, constness and the arguments of each function.
    assert {f["kind"] for f in findings if f["class"] == "minor"} == {
        "struct-added", "field-appended", "constant-added", "field-deprecated"}


@pytest.mark.parametrize("name", ["ffi", "layouts", "memory_descriptions", "profiler", "stream"])
def test_an_extensions_header_in_the_wheel_differs_only_by_what_came_later(tmp_path, name):
    for place, include in (("theirs", WHEEL.parents[3]), ("ours", INCLUDE)):
        done = tenon("layout", include / f"xla/pjrt/c/pjrt_c_api_{name}_extension.h", "-I", include)
        assert f'"PJRT_{name.title().replace("_", "")}_Extension"'.replace("Ffi", "FFI") in done.stdout, done
        (tmp_path / place).with_suffix(".json").write_text(done.stdout)
    findings = json.loads(tenon("check", tmp_path / "theirs.json", tmp_path / "ours.json", "--json").stdout)["findings"]
    assert {(f["kind"], f["struct"]) for f in findings if f["class"] != "minor"} == UNLIKE_0_90


def test_our_header_can_be_imported_as_the_number_after_the_tables(tmp_path):
    data = pathlib.Path(shutil.copytree(DATA.parent, tmp_path / "abi"))
    done = tenon("import", OURS, "--data", data, "--date", "2026-10-23", "--commit", "0" * 12)
    assert done.returncode == 0 and "PJRT 0.117: added after 0.114" in done.stdout, done
    row = (data / "pjrt/versions.tsv").read_text().splitlines()[-1].split("\t")
    beyond = [fact["subject"] for fact in table("beyond.tsv") if fact["kind"] == "field added"]
    assert beyond and row[11].split(";") == beyond and not any(row[12:14])


def first_numbers():
    """The first number of each function, struct and field, and of each constant. A field that only changed its name is as
    old as it was under the other name."""
    numbers, rows = {}, table("fields.tsv")
    for row in rows:
        keys = [row["struct"], (row["struct"], row["field"])]
        if row["field"] != "<anon>":
            for key in keys:
                numbers[key] = min(int(row["first_minor"]), numbers.get(key, 1000))
    for row in table("enums.tsv"):
        numbers[row["constant"]] = min(int(row["first_minor"]), numbers.get(row["constant"], 1000))
    for row in table("beyond.tsv"):
        if row["kind"] == "field added":
            numbers[tuple(row["subject"].split("."))] = int(row["number"].split(".")[1])
    numbers["PJRT_Memory_Kind_Args", "kind"] = numbers["PJRT_Memory_Kind_Args", "memory_kind"]
    numbers["PJRT_Memory_Kind_Args", "kind_size"] = numbers["PJRT_Memory_Kind_Args", "memory_kind_size"]
    numbers["PJRT_Api", "PJRT_Buffer_CopyRawToHost"] = 57  # 0.56 had it, in the middle
    return numbers


def test_every_function_says_since_when_it_is_in_the_table():
    numbers = first_numbers()
    entries = re.findall(r"_PJRT_API_STRUCT_FIELD\((\w+)\); +// since 0\.(\d+)", OURS.read_text())
    assert len(entries) == 138
    assert [(name, int(number)) for name, number in entries if numbers["PJRT_Api", name] != int(number)] == []


def test_every_struct_and_field_says_the_number_it_came_with():
    numbers, seen = first_numbers(), 0
    text = OURS.read_text().split("The table ---")[0]
    for comment, struct, body in re.findall(r"((?://[^\n]*\n)+)struct (PJRT_\w+) \{\n(.*?)\n\};", text, re.S):
        since = re.search(r"Since 0\.(\d+)\.\n$", comment)
        assert since, f"{struct} does not say since when it is"
        function = struct.removesuffix("_Args")
        own = numbers.get(("PJRT_Api", function), numbers[struct])
        assert int(since[1]) == own, struct
        noted = None
        for line in body.split("\n"):
            note = re.search(r"since 0\.(\d+)", line)
            name = re.search(r"\(\*(\w+)\)\(|(\w+);", line.split("//")[0])
            if note:
                noted = int(note[1])
            if not name:
                continue
            field = name[1] or name[2]
            if field not in ("extension_start", "union") and (struct, field) in numbers:
                expected = numbers[struct, field] if numbers[struct, field] != numbers[struct] else None
                assert noted == expected, f"{struct}.{field}: since {noted}, the tables say {expected}"
                seen += 1
            noted = None
    assert seen > 600
