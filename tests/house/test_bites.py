"""tools/bites.sh: a test is shown to fail against a build that has the fault it looks for."""

import os
import shutil
import sys

from house import BUILD, SOURCE, run


def bites(*arguments):
    environment = {**os.environ, "TENON_BUILD": str(BUILD), "TENON_VENV": sys.prefix}
    return run(SOURCE / "tools/bites.sh", *arguments, env=environment)


# A test that a library with a misspelt code name cannot pass.
TEST = ("base", "test_every_code_has_its_canonical_name")


def build_with(tmp_path, find, replace):
    """A build folder whose libtenon differs from ours in one text."""
    folder = tmp_path / "build/lib"
    folder.mkdir(parents=True)
    library = (BUILD / "lib/libtenon.so").read_bytes()
    assert find in library and len(find) == len(replace)
    (folder / "libtenon.so").write_bytes(library.replace(find, replace))
    shutil.copy(folder / "libtenon.so", folder / "libtenon.so.0")
    return folder.parent


def test_a_test_that_sees_the_fault_bites(tmp_path):
    other = build_with(tmp_path, b"INVALID_ARGUMENT\0", b"INVALID_ARGUMENX\0")
    done = bites(other, *TEST)
    assert done.returncode == 0 and "as it should" in done.stdout, done


def test_a_test_that_passes_there_too_does_not(tmp_path):
    done = bites(build_with(tmp_path, b"", b""), *TEST)
    assert done.returncode == 1 and "does not bite" in done.stdout, done


def test_a_missing_symbol_proves_nothing(tmp_path):
    other = build_with(tmp_path, b"\0tn_code_name\0", b"\0tn_code_namX\0")
    done = bites(other, *TEST)
    assert done.returncode == 2 and "does not run" in done.stderr, done


def test_a_script_bites_by_the_build_it_is_given(tmp_path):
    script = tmp_path / "test_marker.py"
    script.write_text("import os, pathlib\n"
                      "def test_no_marker():\n"
                      "    assert not pathlib.Path(os.environ['TENON_BUILD'], 'marker').exists()\n")
    other = build_with(tmp_path, b"", b"")
    assert bites(other, script).returncode == 1
    (other / "marker").touch()
    assert bites(other, f"{script}::test_no_marker").returncode == 0


def test_what_is_no_build_and_no_revision_is_said_so():
    done = bites("no-such-thing", "base", "x")
    assert done.returncode == 2 and "neither a revision nor a build folder" in done.stderr
