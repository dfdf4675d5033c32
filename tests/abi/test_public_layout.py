"""Our own public structs never move: include/tenon against its baseline, data/abi/tenon.json.

A change that the policy allows is taken into the baseline by
  build/bin/tenon abi layout tests/abi/public_headers.h -I include > data/abi/tenon.json
"""

import json
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
TENON = pathlib.Path(os.environ["TENON_BUILD"]) / "bin/tenon"
BASELINE = SOURCE / "data/abi/tenon.json"


def check(include):
    done = subprocess.run([TENON, "abi", "check", BASELINE, SOURCE / "tests/abi/public_headers.h", "-I", include, "--policy", "tf",
                           "--json"], capture_output=True, text=True)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_every_public_header_is_guarded():
    text = (SOURCE / "tests/abi/public_headers.h").read_text()
    for header in (SOURCE / "include/tenon").glob("*.h"):
        assert f'"tenon/{header.name}"' in text


def test_no_public_struct_has_moved():
    _, report = check(SOURCE / "include")
    illegal = [finding for finding in report["findings"] if finding["class"] == "illegal"]
    assert not illegal, illegal


def test_every_versioned_struct_is_made_with_tn_init():
    layout = subprocess.run([TENON, "abi", "layout", SOURCE / "tests/abi/public_headers.h", "-I", SOURCE / "include"],
                            capture_output=True, text=True).stdout
    versioned = [struct["name"] for struct in json.loads(layout)["structs"]
                 if struct.get("fields") and struct["fields"][0]["name"] == "struct_size" and struct["name"].startswith("tn_")]
    text = "".join(header.read_text() for header in (SOURCE / "include/tenon").glob("*.h"))
    assert len(versioned) > 2
    assert not [name for name in versioned if f"TN_DEFINE_STRUCT_SIZE({name}, " not in text]


@pytest.mark.parametrize("header, old, new, kind", [
    ("plugin.h", "  void* ext;                   //", "  void* extra;\n  void* ext;                   //", "field-moved"),
    ("registry.h", "  void* ext;                        // NULL", "  int second;\n  void* ext;  // NULL", "field-inserted"),
    ("dtype.h", "TN_FLOAT = 1", "TN_FLOAT = 101", "constant-value-changed"),
])
def test_a_field_that_moves_in_a_copy_is_seen(tmp_path, header, old, new, kind):
    shutil.copytree(SOURCE / "include", tmp_path / "include")
    file = tmp_path / "include/tenon" / header
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    code, report = check(tmp_path / "include")
    assert code == 1 and kind in {finding["kind"] for finding in report["findings"]}
