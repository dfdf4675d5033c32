"""tenon abi import: what is cut off the tables comes back from the release itself, byte for byte."""

import os
import pathlib
import shutil
import subprocess
import sys

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
    assert snapshot(data) == before


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
