"""tenon abi import: what is cut off the tables comes back from the release itself, byte for byte."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import zipfile

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
TENON = BUILD / "bin/tenon"
SITE = next(pathlib.Path(sys.prefix).glob("lib/python3*/site-packages"))
HEADER = SITE / "tensorflow/include/xla/pjrt/c/pjrt_c_api.h"


def tenon(*words, **more):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, **more)


def imported(data, source, *words):
    done = tenon("abi", "import", source, "--data", data, *words)
    assert done.returncode == 0, done
    return done.stdout


@pytest.fixture
def data(tmp_path):
    return pathlib.Path(shutil.copytree(SOURCE / "data/abi", tmp_path / "abi"))


def read(path):
    rows = [line.split("\t") for line in path.read_text().split("\n")[:-1]]
    return rows[0], rows[1:]


def write(path, heading, rows):
    path.write_text("".join("\t".join(row) + "\n" for row in [heading, *rows]))


def snapshot(data):
    return {str(path.relative_to(data)): path.read_bytes() for path in sorted(data.rglob("*")) if path.is_file()}


# What no header tells: commits, and what happened under a number.
UNTOLD = {"versions": ["first_commit", "last_commit", "header_commits", "rule_break"],
          "header_states": ["from_commit", "until_date"]}


def cut_pjrt(data, newest):
    """The tables as they were when `newest` was new, without what only the history tells of it."""
    for name in ["fields", "struct_sizes", "enums"]:
        heading, rows = read(data / f"pjrt/{name}.tsv")
        kept = [row[:-1] + [str(min(int(row[-1]), newest))] for row in rows if int(row[-2]) <= newest]
        write(data / f"pjrt/{name}.tsv", heading, kept)
    for name in ["versions", "header_states", "deltas"]:
        heading, rows = read(data / f"pjrt/{name}.tsv")
        minor = heading.index("minor")
        write(data / f"pjrt/{name}.tsv", heading, [row for row in rows if int(row[minor]) <= newest])


def told(data, newest):
    """The PJRT tables without what no header tells of the numbers above `newest`; one state a number."""
    result = {}
    for name in ["fields", "struct_sizes", "enums", "versions"]:
        heading, rows = read(data / f"pjrt/{name}.tsv")
        for row in rows:
            for column in UNTOLD.get(name, []):
                if int(row[heading.index("minor")]) > newest:
                    row[heading.index(column)] = ""
        result[name] = [heading, *rows]
    return result


def test_a_header_of_pjrt_brings_its_rows_back(data):
    cut_pjrt(data, 90)
    expected = told(data, 89)
    cut_pjrt(data, 89)
    date = next(row[2] for row in expected["versions"] if row[1] == "90")
    said = imported(data, HEADER, "--date", date)
    assert "PJRT 0.90: added after 0.89" in said and "changed pjrt/versions.tsv" in said
    assert told(data, 89) == expected
    before = snapshot(data)
    assert "PJRT 0.90: already known, equal" in imported(data, HEADER)
    assert snapshot(data) == before


LISTS = ["other_structs_added", "enum_constants_added", "stale_size_constants"]


def sorted_lists(tables):
    """By number out of the tables, enums and structs come in another order than in a header."""
    heading, *rows = tables["versions"]
    for row in rows:
        for column in LISTS:
            row[heading.index(column)] = sorted(row[heading.index(column)].replace("; ", ";").split(";"))
    return tables


def test_number_upon_number_gives_the_tables_that_are_there(data):
    cut_pjrt(data, 114)
    expected = told(data, 90)
    cut_pjrt(data, 90)
    dates = {row[1]: row[2] for row in expected["versions"]}
    for minor in range(91, 115):
        imported(data, f"pjrt==0.{minor}", "--date", dates[str(minor)])
    assert sorted_lists(told(data, 90)) == sorted_lists(expected)


def edited_header(tmp_path, *changes):
    text = HEADER.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "pjrt_c_api.h"
    path.write_text(text)
    return path


def imaginary(tmp_path):
    """A header of a number far beyond, with one field and one method more."""
    text = HEADER.read_text().replace("#define PJRT_API_MINOR 90", "#define PJRT_API_MINOR 130")
    begin = text.index("struct PJRT_Error_Destroy_Args {")
    end = text.index("};", begin)
    text = text[:end] + "  void* afterthought;\n" + text[end:]
    text = text.replace("(PJRT_Error_Destroy_Args, error)", "(PJRT_Error_Destroy_Args, afterthought)")
    begin = text.index("typedef struct PJRT_Api {")
    end = text.index("} PJRT_Api;", begin)
    text = text[:end] + "  void* (*PJRT_Afterthought)(void*);\n" + text[end:]
    text = text.replace("PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Event_Set)", "PJRT_STRUCT_SIZE(PJRT_Api, PJRT_Afterthought)")
    path = tmp_path / "pjrt_c_api.h"
    path.write_text(text)
    return path


def test_a_number_far_beyond_is_added_and_the_gap_is_said(data, tmp_path):
    cut_pjrt(data, 90)
    said = imported(data, imaginary(tmp_path), "--date", "2027-01-02", "--commit", "0123456789ab")
    assert "PJRT 0.130: added after 0.90" in said and "nothing is known of 0.91 to 0.129" in said
    heading, rows = read(data / "pjrt/versions.tsv")
    row = dict(zip(heading, rows[-1]))
    assert row["minor"] == "130" and row["first_date"] == "2027-01-02" and row["first_commit"] == "0123456789ab"
    assert row["functions_added"] == "PJRT_Afterthought" and row["fields_added"] == "PJRT_Error_Destroy_Args.afterthought"
    assert int(row["api_sizeof"]) == 1064 + 8 == int(row["api_struct_size_const"]) and row["api_functions"] == "129"
    assert not row["stale_size_constants"] and not row["rule_break"]
    fields = (data / "pjrt/fields.tsv").read_text()
    assert "PJRT_Error_Destroy_Args\tafterthought\t24\t8\tpointer\t0\t130\t130\n" in fields
    assert "PJRT_Error_Destroy_Args\terror\t16\t8\tpointer\t0\t1\t130\n" in fields
    sizes = (data / "pjrt/struct_sizes.tsv").read_text()
    assert "PJRT_Error_Destroy_Args\t24\t24\t24\t1\t90\nPJRT_Error_Destroy_Args\t32\t32\t32\t130\t130\n" in sizes
    before = snapshot(data)
    assert "0.130: already known, equal" in imported(data, tmp_path / "pjrt_c_api.h")
    done = tenon("abi", "import", "pjrt==0.100", "--data", data, "--date", "2027-01-02")
    assert done.returncode == 2 and "only newer ones can be imported" in done.stderr
    assert snapshot(data) == before


def test_a_build_with_imported_tables_answers_for_the_new_number(data, tmp_path):
    """The generator takes what import wrote, a gap included."""
    cut_pjrt(data, 90)
    imported(data, imaginary(tmp_path), "--date", "2027-01-02")
    tables = [str(path.relative_to(data).with_suffix("")) for path in sorted(data.glob("*/*.tsv"))]
    subprocess.run([BUILD / "tools/gen_abi_tables", data, tmp_path / "abi_tables.c", *tables], check=True)
    (tmp_path / "ask.c").write_text("""
        #include <stdio.h>
        #include "abi/pjrt_history.h"
        #include "abi/releases.h"
        int main(void) {
          tn_abi_model model = {0};
          tn_abi_tables_replace(tn_abi_tables, tn_abi_table_count);
          const bool gap = tn_abi_pjrt_model(120, &model, NULL), there = tn_abi_pjrt_model(130, &model, NULL);
          printf("%d %d %d %d %d %d\\n", gap, there, (int)tn_abi_model_struct(&model, "PJRT_Api")->size,
                 tn_abi_pjrt_newest(), tn_abi_pjrt_next(90), tn_abi_pjrt_number_on(20900));
        }""".replace('#include "abi/releases.h"', '#include "abi/releases.h"\n#include "abi/table.h"'))
    subprocess.run(["cc", "-I", SOURCE / "src", "-I", SOURCE / "include", tmp_path / "ask.c", tmp_path / "abi_tables.c",
                    "-L", BUILD / "lib", "-ltenon", f"-Wl,-rpath,{BUILD / 'lib'}", "-o", tmp_path / "ask"], check=True)
    # The day 20900 is 2027-03-23.
    assert subprocess.run([tmp_path / "ask"], capture_output=True, text=True).stdout == "0 1 1072 130 115 130\n"


def test_a_known_number_with_other_contents_is_told_and_changes_nothing(data, tmp_path):
    header = edited_header(tmp_path, ("struct PJRT_Error_Destroy_Args {\n", "struct PJRT_Error_Destroy_Args {\n  int odd;\n"))
    before = snapshot(data)
    done = tenon("abi", "import", header, "--data", data, "--date", "2027-01-02")
    assert done.returncode == 1 and "0.90: already known, and different" in done.stdout
    assert "+ pjrt/fields: PJRT_Error_Destroy_Args odd 0 4 signed_integer 0" in done.stdout
    assert "- pjrt/fields: PJRT_Error_Destroy_Args struct_size 0 8 unsigned_integer 0" in done.stdout
    report = json.loads(tenon("abi", "import", header, "--data", data, "--json").stdout)
    assert report["schema"] == "tenon/abi-import/1" and report["result"] == "differs" and not report["changed"]
    assert "+ pjrt/fields: PJRT_Error_Destroy_Args odd 0 4 signed_integer 0" in report["differences"]
    assert snapshot(data) == before


def test_programs_are_told_what_was_added(data, tmp_path):
    report = json.loads(imported(data, imaginary(tmp_path), "--date", "2027-01-02", "--json"))
    assert report["result"] == "added" and not report["differences"] and "nothing is known" in report["notes"][0]
    assert "pjrt/versions.tsv" in report["changed"]
    report = json.loads(imported(data, tmp_path / "pjrt_c_api.h", "--json"))
    assert report["result"] == "equal" and not report["changed"]


def test_what_cannot_be_imported_is_said_and_changes_nothing(data, tmp_path):
    new = imaginary(tmp_path)
    (tmp_path / "broken.h").write_text("struct {{\n")
    (tmp_path / "other.h").write_text("#define MY_MAJOR 0\n#define MY_MINOR 1\nstruct A { int a; };\n")
    before = snapshot(data)
    for source, words, says in [
            (new, [], "--date"), (new, ["--date", "soon"], "--date"),
            (tmp_path / "broken.h", [], "broken.h:1:"), (tmp_path / "other.h", [], "defines no PJRT_Api"),
            (tmp_path / "none.h", [], "none.h"), (new, ["--data", tmp_path], "tsv")]:
        done = tenon("abi", "import", source, "--data", data, *words)
        assert done.returncode == 2 and says in done.stderr, done
    done = tenon("abi", "import", new, "--date", "2027-01-02", cwd=tmp_path)
    assert done.returncode == 2 and "checkout of Tenon, or name the folder with --data" in done.stderr
    # The disk refuses one of the tables: none of them changes.
    (data / "pjrt/versions.tsv.new").mkdir()
    done = tenon("abi", "import", new, "--data", data, "--date", "2027-01-02")
    assert done.returncode == 2 and "versions.tsv.new" in done.stderr, done
    (data / "pjrt/versions.tsv.new").rmdir()
    assert snapshot(data) == before
    (data / "pjrt/fields.tsv").write_text("struct\tfield\nPJRT_Api\n")
    done = tenon("abi", "import", new, "--data", data, "--date", "2027-01-02")
    assert done.returncode == 2 and "fields.tsv:2: not 2 columns" in done.stderr


def test_inside_of_a_checkout_its_own_tables_are_extended(data, tmp_path):
    (tmp_path / "data").mkdir()
    data.rename(tmp_path / "data/abi")
    (tmp_path / "some/where").mkdir(parents=True)
    done = tenon("abi", "import", imaginary(tmp_path), "--date", "2027-01-02", cwd=tmp_path / "some/where")
    assert done.returncode == 0 and "PJRT 0.130: added after 0.114" in done.stdout, done
    assert "\n0\t130\t2027-01-02\t" in (tmp_path / "data/abi/pjrt/versions.tsv").read_text()


WHEEL = next(SITE.glob("tensorflow*-*.dist-info"))


def cut_span(cell, newest, before):
    """A cell of ranges as it was when `before` was the newest release."""
    kept = []
    for span in cell.split(","):
        first, dash, last = span.partition("-")
        if first == newest:
            continue
        kept.append(first + "-" if last == before or span == before else span)
    return ",".join(kept) or "-"


def cut_tensorflow(data, newest="2.21", before="2.20"):
    for name, columns in {"struct_sizes": ["releases"], "layouts": ["releases"], "enums": ["releases"],
                          "exports": ["declared", "exported"]}.items():
        heading, rows = read(data / f"tf/{name}.tsv")
        for row in rows:
            for column in columns:
                at = heading.index(column)
                row[at] = cut_span(row[at], newest, before)
            if name == "exports":
                libraries = [entry.split(":") for entry in row[5].split(";") if entry != "-"]
                libraries = [(library, cut_span(span, newest, before)) for library, span in libraries]
                row[5] = ";".join(f"{library}:{span}" for library, span in libraries if span != "-") or "-"
        ranges = [heading.index(column) for column in columns]
        write(data / f"tf/{name}.tsv", heading, [row for row in rows if any(row[at] != "-" for at in ranges)])
    exports = {row[0] for row in read(data / "tf/exports.tsv")[1]}
    heading, rows = read(data / "tf/signatures.tsv")
    write(data / "tf/signatures.tsv", heading, [row for row in rows if row[0] in exports])
    for path in ["tf/libraries.tsv", "tf/releases.tsv", "tf/cpp.tsv", "pjrt/tf_pjrt.tsv"]:
        heading, rows = read(data / path)
        write(data / path, heading, [row for row in rows if row[0] not in (newest, newest + ".0")])


def test_a_wheel_of_tensorflow_brings_its_rows_back(data):
    expected = snapshot(data)
    cut_tensorflow(data)
    cut = snapshot(data)
    assert sum(cut[name] != expected[name] for name in cut) == 9
    said = imported(data, WHEEL, "--date", "2026-03-06", "--wheel-date", "2026-03-05")
    assert "TensorFlow 2.21: added after 2.20" in said
    found = snapshot(data)
    assert {name for name in found if found[name] != expected[name]} <= {"tf/libraries.tsv"}
    # One library has another size in the wheel of each Python; all else of it is equal.
    (heading, rows), (_, wanted) = read(data / "tf/libraries.tsv"), read(SOURCE / "data/abi/tf/libraries.tsv")
    sizes = [(row.pop(2), other.pop(2)) for row, other in zip(rows, wanted)]
    assert rows == wanted and sum(a != b for a, b in sizes) <= 1
    assert "TensorFlow 2.21: already known, equal" in imported(data, WHEEL)
    assert snapshot(data) == found


HEADERS = ["tensorflow/c", "tensorflow/core/platform", "tensorflow/core/public", "tsl/platform", "xla/tsl/c", "xla/pjrt/c",
           "tensorflow/core/common_runtime/next_pluggable_device", "tensorflow/compiler/xla/pjrt/c"]
LIBRARIES = ["libtensorflow_framework.so.2", "libtensorflow_cc.so.2", "python/_pywrap_tensorflow_internal.so"]


def next_release(tmp_path, edits=(), libraries=True):
    """The installed wheel as a folder that calls itself 2.22.0, with edits of its headers."""
    root = tmp_path / "wheel"
    for folder in HEADERS:
        shutil.copytree(SITE / "tensorflow/include" / folder, root / "tensorflow/include" / folder)
    info = shutil.copytree(WHEEL, root / "tensorflow_cpu-2.22.0.dist-info")
    (info / "METADATA").write_text((info / "METADATA").read_text().replace("Version: 2.21.0", "Version: 2.22.0"))
    (root / "tensorflow/python").mkdir()
    for name in LIBRARIES if libraries else []:
        (root / "tensorflow" / name).symlink_to(SITE / "tensorflow" / name)
    for name, old, new in edits:
        path = root / "tensorflow/include/tensorflow/c" / name
        text = path.read_text()
        assert old in text, (name, old)
        path.write_text(text.replace(old, new))
    return root


def test_a_release_that_changes_nothing_adds_a_row_for_itself_and_touches_no_other(data, tmp_path):
    before = snapshot(data)
    imported(data, next_release(tmp_path), "--date", "2026-12-02")
    after = snapshot(data)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"tf/releases.tsv", "tf/libraries.tsv", "tf/cpp.tsv", "pjrt/tf_pjrt.tsv"}
    assert all(after[name].startswith(before[name]) for name in changed)
    assert after["tf/releases.tsv"].splitlines()[-1].startswith(b"2.22\ttensorflow-cpu 2.22.0\t2026-12-02\t3.10,")
    assert after["pjrt/tf_pjrt.tsv"].splitlines()[-1].startswith(b"2.22.0\t2026-12-02\t0\t90\t1064\t128\t")


def test_what_a_release_changes_shows_in_the_rows_it_concerns(data, tmp_path):
    platform = "experimental/stream_executor/stream_executor.h"
    edits = [(platform, "SP_PLATFORM_STRUCT_SIZE \\\n  TF_OFFSET_OF_END(SP_Platform, force_memory_growth)",
              "SP_PLATFORM_STRUCT_SIZE TF_OFFSET_OF_END(SP_Platform, color)"),
             (platform, "  TF_Bool force_memory_growth;", "  TF_Bool force_memory_growth;\n  int color;"),
             (platform, "#define SE_MINOR 0", "#define SE_MINOR 1"),
             ("tf_datatype.h", "TF_FLOAT4_E2M1FN = 33", "TF_FLOAT4_E2M1FN = 33, TF_NEWEST = 34"),
             ("tf_buffer.h", "extern void TF_DeleteBuffer(TF_Buffer*);", "extern void TF_DeleteBuffer(TF_Buffer*, int);"),
             ("tf_buffer.h", "TF_CAPI_EXPORT extern TF_Buffer* TF_NewBuffer(void);", "")]
    root = next_release(tmp_path, edits)
    (root / "tensorflow/include/tensorflow/c/extra.h").write_text("#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
                                                                  "void TF_Extra(int);\n#ifdef __cplusplus\n}\n#endif\n")
    info = next(root.glob("*.dist-info"))
    (info / "WHEEL").write_text((info / "WHEEL").read_text().rstrip() + "\nTag: cp311-cp311-manylinux2014_x86_64\n")
    (info / "METADATA").write_text((info / "METADATA").read_text().replace(
        "Classifier: Programming Language :: Python :: 3.10",
        "Classifier: Programming Language :: Python :: 3.14\nClassifier: Programming Language :: Python :: 3.10"))
    imported(data, root, "--date", "2026-12-02")
    said = {path.stem: path.read_text() for path in (data / "tf").glob("*.tsv")}
    assert "SP_Platform\tforce_memory_growth\t34\t1\tunsigned char\t2.9-\nSP_Platform\tcolor\t36\t4\tint\t2.22-\n" in said["layouts"]
    assert "\t40\t35\tSP_PLATFORM_STRUCT_SIZE\t2.9-2.21\nSP_Platform\t" in said["struct_sizes"]
    assert "\t40\t40\tSP_PLATFORM_STRUCT_SIZE\t2.22-\n" in said["struct_sizes"]
    assert "TF_DataType\tTF_FLOAT4_E2M1FN\t33\t2.21-\nTF_DataType\tTF_NEWEST\t34\t2.22-\n" in said["enums"]
    assert "TF_DeleteBuffer\t2.21\t2.22\tABI\tvoid (TF_Buffer *)\tvoid (TF_Buffer *, int)\n" in said["signature_changes"]
    exports = {line.split("\t")[0]: line.split("\t") for line in said["exports"].splitlines()}
    assert exports["TF_DeleteBuffer"][6] == "2.22(ABI)"
    assert exports["TF_NewBuffer"][3] == "2.3-2.21" and exports["TF_NewBuffer"][4] == "2.3-"
    assert exports["TF_Extra"] == ["TF_Extra", "c", "tensorflow/c/extra.h", "2.22-", "-", "-", "-"]
    row = said["releases"].splitlines()[-1].split("\t")
    assert row[5] == "0.1.1" and row[17] == "35" and row[4].endswith(".manylinux2014_x86_64")
    assert row[3] == "3.10,3.11,3.12,3.13,3.14"
    done = tenon("abi", "import", WHEEL, "--data", data)
    assert done.returncode == 0, done  # what was known of 2.21 is as it was


def tiny_library(tmp_path, name, names, *flags):
    (tmp_path / "tiny.c").write_text("".join(f"void {name}(void) {{}}\n" for name in names))
    target = tmp_path / "wheel/tensorflow" / name
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "tiny.c", "-o", target, *flags], check=True)


def pack(root, target, drop=()):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(root.rglob("*")):
            name = str(path.relative_to(root))
            if path.is_file() and not name.endswith(tuple(drop)):
                archive.writestr(zipfile.ZipInfo(name, (2026, 11, 28, 0, 0, 0)), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return target


@pytest.fixture
def wheel(tmp_path):
    """A small archive: the real headers, libraries with two functions."""
    root = next_release(tmp_path, libraries=False)
    tiny_library(tmp_path, LIBRARIES[0], ["TF_NewStatus"])
    tiny_library(tmp_path, LIBRARIES[1], ["TFE_NewContext", "TF_Unheard"])
    return pack(root, tmp_path / "tensorflow_cpu-2.22.0-cp313-cp313-linux_x86_64.whl")


def test_an_archive_is_read_like_a_folder_and_tells_its_day(data, wheel, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = tenon("abi", "import", wheel, "--data", data, "--date", "2026-12-02", env={**os.environ, "TMPDIR": str(temporary)})
    assert done.returncode == 0 and not list(temporary.iterdir()), done
    assert (data / "pjrt/tf_pjrt.tsv").read_text().splitlines()[-1].startswith("2.22.0\t2026-11-28\t0\t90\t")
    exports = {line.split("\t")[0]: line.split("\t") for line in (data / "tf/exports.tsv").read_text().splitlines()}
    assert exports["TF_NewStatus"][4].endswith("-") and exports["TFE_NewContext"][5].endswith("cc:2.12-")
    assert exports["TF_Unheard"] == ["TF_Unheard", "undeclared", "-", "-", "2.22-", "cc:2.22-", "-"]
    assert exports["TF_NewTensor"][4].endswith("-2.21") and exports["TF_NewTensor"][3].endswith("-")


def test_a_damaged_wheel_is_said_and_changes_nothing(data, wheel, tmp_path):
    before = snapshot(data)
    root, whole = tmp_path / "wheel", wheel.read_bytes()
    cases = []

    def case(name, content, says, *words):
        path = tmp_path / name
        path.write_bytes(content)
        cases.append((path, says, words or ("--date", "2026-12-02")))

    case("cut.whl", whole[:len(whole) // 2], "cut.whl")
    case("empty.whl", b"", "empty.whl")
    case("undated.whl", whole, "TensorFlow 2.22 is new", "--commit", "1")
    case("bare.whl", pack(root, tmp_path / "a.zip", [".h"]).read_bytes(), "no headers of TensorFlow")
    case("nameless.whl", pack(root, tmp_path / "a.zip", ["METADATA"]).read_bytes(), "METADATA")
    case("hollow.whl", pack(root, tmp_path / "a.zip", [".so.2"]).read_bytes(), "libtensorflow_framework.so.2")
    library = root / "tensorflow" / LIBRARIES[0]
    library.write_bytes(library.read_bytes()[:2000])
    case("torn.whl", pack(root, tmp_path / "a.zip").read_bytes(), "libtensorflow_framework.so.2")
    (root / "tensorflow/include/tensorflow/c/kernels.h").write_text("struct {{\n")
    case("broken.whl", pack(root, tmp_path / "a.zip").read_bytes(), "kernels.h:1:")
    cases.append((SITE, "holds several wheels", ()))
    cases.append((tmp_path / "abi", "no wheel of TensorFlow or jaxlib", ()))
    for path, says, words in cases:
        done = tenon("abi", "import", path, "--data", data, *words)
        assert done.returncode == 2 and says in done.stderr, (path, done)
    assert snapshot(data) == before


def test_a_jaxlib_gets_its_row_with_the_numbers_given(data, tmp_path):
    installed = next(SITE.glob("jaxlib-*.dist-info"))
    before = snapshot(data)
    assert "already known, equal" in imported(data, installed)
    assert "already known, equal" in imported(data, installed, "--pjrt", "0.112")
    done = tenon("abi", "import", installed, "--data", data, "--pjrt", "0.111")
    assert done.returncode == 1 and "- pjrt/jaxlib_releases: pjrt_minor 112" in done.stdout
    info = shutil.copytree(installed, tmp_path / "jaxlib-0.12.0.dist-info")
    metadata = (info / "METADATA").read_text()
    (info / "METADATA").write_text(metadata.replace(f"\nVersion: {installed.name[7:-10]}", "\nVersion: 0.12.0"))
    for words, says in [(["--pjrt", "0.114"], "its files tell neither its day nor its numbers"),
                        (["--date", "2026-10-20"], "its files tell neither its day nor its numbers"),
                        (["--date", "2026-10-20", "--pjrt", "0.999"], "--pjrt 0.999 is not in the tables, which end with 0.114")]:
        done = tenon("abi", "import", info, "--data", data, *words)
        assert done.returncode == 2 and says in done.stderr, done
    assert snapshot(data) == before
    imported(data, info, "--date", "2026-10-20", "--pjrt", "0.114", "--stablehlo", "1.18.1,0.9.0")
    rows = (data / "pjrt/jaxlib_releases.tsv").read_text().splitlines()
    assert rows[-1].split("\t")[:2] == ["0.12.0", "2026-10-20"]
    assert rows[-1].split("\t")[6:] == ["0", "114", "1144", "138", "", "1.18.1", "0.9.0", ""]


def jaxlib(tmp_path, version):
    """The folder of an imaginary jaxlib, of which only the metadata is there."""
    info = tmp_path / f"v{abs(hash(version))}" / "jaxlib-9.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: jaxlib\nVersion: {version}\n")
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-cp311-manylinux2014_x86_64\n")
    return info


def test_imports_at_once_wait_for_each_other(data, tmp_path):
    versions = [f"0.12.{i}" for i in range(8)]
    running = [subprocess.Popen([TENON, "abi", "import", jaxlib(tmp_path, version), "--data", data, "--date", "2026-10-20",
                                 "--pjrt", "0.114"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for version in versions]
    assert [one.wait() for one in running] == [0] * 8
    for one in running:
        one.stderr.close()
    assert [row[0] for row in read(data / "pjrt/jaxlib_releases.tsv")[1][-8:]] == versions


@pytest.mark.parametrize("version", ["0.12\t.0", "../../x", "9" * 100000, "1", "0..1", "0.12.0 beta", "-1.0"])
def test_versions_that_no_table_could_hold_are_refused(data, tmp_path, version):
    before = snapshot(data)
    done = tenon("abi", "import", jaxlib(tmp_path, version), "--data", data, "--date", "2026-10-20", "--pjrt", "0.114")
    assert done.returncode == 2 and "is no version such as 2.21.0" in done.stderr, done.stderr[:300]
    assert snapshot(data) == before


@pytest.mark.parametrize("option, value", [
    ("--stablehlo", "1.18.0\t,0.9.0"), ("--stablehlo", "x,y"), ("--stablehlo", "1.18.0"), ("--stablehlo", "1.18.0,99.0.0"),
    ("--stablehlo", "999999999999999999999.0.0,0.9.0"), ("--date", "2026-13-01"), ("--date", "2026-10-20T\t"),
    ("--date", "tomorrow"), ("--pjrt", "0.x"), ("--pjrt", "1.2"), ("--wheel-date", "yesterday"), ("--commit", "a\tb")])
def test_values_that_are_refused_are_named(data, tmp_path, option, value):
    before = snapshot(data)
    good = {"--date": "2026-10-20", "--pjrt": "0.114"}
    words = [word for pair in {**good, option: value}.items() for word in pair]
    done = tenon("abi", "import", jaxlib(tmp_path, "0.12.0"), "--data", data, *words)
    assert done.returncode == 2 and option in done.stderr and value in done.stderr, done
    assert snapshot(data) == before


def test_a_wheels_faults_are_named_by_its_own_name(data, wheel, tmp_path):
    root = tmp_path / "wheel"
    (root / "tensorflow/include/tensorflow/c/kernels.h").write_text("struct {{\n")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    broken = pack(root, tmp_path / "broken.whl")
    done = tenon("abi", "import", broken, "--data", data, "--date", "2026-12-02", env={**os.environ, "TMPDIR": str(temporary)})
    assert done.returncode == 2 and str(temporary) not in done.stderr, done
    assert f"{broken}/tensorflow/include/tensorflow/c/kernels.h:1:" in done.stderr, done
    assert not list(temporary.iterdir())


def test_a_cell_that_would_be_two_is_not_written(data, wheel, tmp_path):
    before, root = snapshot(data), tmp_path / "wheel"
    (next(root.glob("*.dist-info")) / "WHEEL").write_text("Tag: cp311-cp311-linux\tx86_64\n")
    done = tenon("abi", "import", root, "--data", data, "--date", "2026-12-02")
    assert done.returncode == 2 and "platform_tag of tf/releases cannot hold a tab" in done.stderr, done
    assert snapshot(data) == before


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_an_import_that_is_ended_leaves_no_folder(data, wheel, tmp_path, name):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    running = subprocess.Popen([TENON, "abi", "import", wheel, "--data", data, "--date", "2026-12-02"], stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, env={**os.environ, "TMPDIR": str(temporary)}, start_new_session=True)
    until(lambda: len(list(temporary.iterdir())) == 2 or running.poll() is not None)
    assert running.poll() is None
    os.killpg(running.pid, getattr(signal, name))
    assert running.wait() == -getattr(signal, name)
    until(lambda: not list(temporary.iterdir()))


def until(true):
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)
