"""The example device, rebuilt with the structs of every TensorFlow release that had any, runs in this host."""

import csv
import json
import os
import pathlib
import re
import subprocess

import numpy
import pytest

SOURCE = pathlib.Path(__file__).parents[2]
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", SOURCE / "build"))
TABLES = SOURCE / "data/abi/tf"
EXAMPLE = (SOURCE / "examples/device/example_device.c").read_text()
HEADER = (SOURCE / "include/tensorflow/c/experimental/stream_executor/stream_executor.h").read_text()
ANNOUNCED = "announced"  # in no release yet: create_stream_with_options behind all else


def rows(table):
    with open(TABLES / f"{table}.tsv") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


RELEASES = [row["release"] for row in rows("releases") if row["se_version"] != "none"]


def number(release):
    return [int(part) for part in release.split(".")]


def covers(releases, release):
    for span in releases.split(","):
        first, dash, last = span.partition("-")
        if number(first) <= number(release) and (number(release) <= number(last or "99.0") if dash else first == release):
            return True
    return False


def fields_of(struct, release):
    wanted = RELEASES[-1] if release == ANNOUNCED else release
    found = [row for row in rows("layouts") if row["struct"] == struct and covers(row["releases"], wanted)]
    fields = [(row["field"], row["type"]) for row in sorted(found, key=lambda row: int(row["offset"]))]
    if release == ANNOUNCED and struct == "SP_StreamExecutor":
        fields.append(("create_stream_with_options", "void (*)(const SP_Device *, SP_Stream *, const void *, TF_Status *)"))
    return fields


def declare(name, text):
    return text.replace("(*)", f"(*{name})", 1) + ";" if "(*)" in text else f"{text} {name};"


def header_of(release):
    """Our header with the members that the release had, in its order."""
    def structs(match):
        return "\n".join([f"typedef struct {match[1]} {{", *(declare(*field) for field in fields_of(match[1], release)),
                          f"}} {match[1]};"])
    text = re.sub(r"typedef struct (S[PE]_\w+) \{\n.*?\n\} \1;", structs, HEADER, flags=re.S)
    for struct, macro in re.findall(r"#define (\w+_STRUCT_SIZE)[ \\\n]+TF_OFFSET_OF_END\((\w+),", HEADER):
        struct, macro = macro, struct
        text = re.sub(rf"#define {macro}[ \\\n]+TF_OFFSET_OF_END\([^)]*\)",
                      f"#define {macro} TF_OFFSET_OF_END({struct}, {fields_of(struct, release)[-1][0]})", text)
    return text


def source_of(release, says_sizes):
    """The example without what the release did not have; it knows no other, and looks at no size of the host's."""
    known = {field for struct in ("SP_StreamExecutor", "SP_PlatformFns", "SP_Platform") for field, _ in fields_of(struct, release)}
    text = re.sub(r"  if \(!HAS\(functions, host_callback\)\) \{.*?\n  \}\n", "", EXAMPLE, flags=re.S)
    text = re.sub(r"  if \(!HAS\(params, destroy_platform_fns\).*?\n  \}\n", "", text, flags=re.S)
    text = re.sub(r"if \(HAS\(platform, \w+\)\) ", "", text)
    text = re.sub(r"  (?:functions|platform)->(\w+) = [^;]*;[^\n]*\n",
                  lambda match: match[0] if match[1] in known else "", text)
    sizes = {"params": "SE_PlatformRegistrationParams", "platform": "SP_Platform", "functions": "SP_PlatformFns"}
    size = "  functions->struct_size = TF_OFFSET_OF_END(SP_StreamExecutor, host_callback);\n"
    assert size in text
    last = {struct: fields_of(struct, release)[-1][0] for struct in ("SP_StreamExecutor", *sizes.values())}
    text = text.replace(size, f"  functions->struct_size = TF_OFFSET_OF_END(SP_StreamExecutor, {last['SP_StreamExecutor']});\n"
                        if says_sizes == "all" else "")
    filled = "  platform->name = platform->type"
    said = {"all": list(sizes), "platform": ["platform"], "none": []}[says_sizes]
    text = text.replace(filled, "".join(f"  {name}->struct_size = TF_OFFSET_OF_END({sizes[name]}, {last[sizes[name]]});\n"
                                        for name in said) + filled)
    if "visible_device_count" in known:
        text = text.replace(filled, f"  platform->visible_device_count = 1;\n{filled}")
    if release == ANNOUNCED:
        text = text.replace("  functions->host_callback = ", "  functions->create_stream_with_options = create_with_options;\n"
                            "  functions->host_callback = ")
        text = text.replace("static void destroy_stream(", "static void create_with_options(const SP_Device* device, SP_Stream* stream, "
                            "const void* options, TF_Status* status) {\n  create_stream(device, stream, status);\n}\n"
                            "static void destroy_stream(", 1)
    return text


@pytest.fixture(scope="module")
def relu_input(tmp_path_factory):
    path = tmp_path_factory.mktemp("input") / "x.npy"
    numpy.save(path, numpy.array([-1, 0, 2.5], "float32"))
    return path


# A plugin of 2.4 that leaves every size as it is cannot be told; no TensorFlow ever loaded one.
@pytest.mark.parametrize("release, says_sizes", [(release, says) for release in [*RELEASES, ANNOUNCED]
                                                 for says in ("all", "platform", "none")
                                                 if (release, says) != ("2.4", "none")])
def test_a_plugin_of_that_release_runs(release, says_sizes, tmp_path, relu_input):
    folder = tmp_path / "tensorflow/c/experimental/stream_executor"
    folder.mkdir(parents=True)
    (folder / "stream_executor.h").write_text(header_of(release))
    (tmp_path / "device.c").write_text(source_of(release, says_sizes))
    library = tmp_path / "libdevice.so"
    subprocess.run(["cc", "-std=gnu11", "-Wall", "-Werror", "-Wno-unused-function", "-Wno-unused-variable", "-shared", "-fPIC",
                    "-fvisibility=hidden", "-I", tmp_path, "-I", SOURCE / "include", "-o", library, tmp_path / "device.c"],
                   check=True)
    done = subprocess.run([BUILD / "bin/tenon", "run", "--op", "Relu", relu_input, "--no-default-plugins", "--plugin", library,
                           "--device", "EXAMPLE_DEVICE", "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outputs"][0]["values"] == [0, 0, 2.5]


def test_the_headers_differ_as_the_releases_did():
    assert len({header_of(release) for release in [*RELEASES, ANNOUNCED]}) == 5
