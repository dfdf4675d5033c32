"""Every public function is tested with wrong arguments and with failing allocations (bad_days.tsv)."""

import functools
import re
import sys

from house import BUILD, SOURCE, run

sys.path.insert(0, str(SOURCE / "tools"))
import public_api  # noqa: E402

HEADERS = sorted((SOURCE / "include/tenon").glob("*.h"))
FUNCTIONS = [function.name for header in HEADERS for function in public_api.functions_of(header)]


def rows(text):
    return [line.split("\t") for line in text.splitlines() if not line.startswith("#")]


ROWS = rows((SOURCE / "tests/house/bad_days.tsv").read_text())


@functools.cache
def listed(room):
    return set(run(BUILD / "tests" / room, "--list", check=True).stdout.split())


@functools.cache
def source_of(room, test):
    """The file that a test is written in."""
    for path in sorted((SOURCE / "tests" / room).glob("test_*.c")):
        text = path.read_text()
        if re.search(rf"\bTEST\({test}\)", text):
            return text
    return ""


def wrong(row):
    if len(row) != 3:
        return ["a row has a function and two tests"]
    function, *named = row
    found = []
    for test in named:
        room, _, name = test.partition(".")
        if not (BUILD / "tests" / room).is_file() or name not in listed(room):
            found.append(f"{test}: there is no such test")
        elif not re.search(rf"\b{function}\b", source_of(room, name)):
            found.append(f"{test}: its file does not call {function}")
    return found


def test_every_public_function_has_its_row():
    assert len(FUNCTIONS) > 30
    assert [row[0] for row in ROWS] == FUNCTIONS, "one row per function, in the order of the headers"


def test_the_tests_that_are_named_exist_and_call_the_function():
    found = [f"{row[0]}: {what}" for row in ROWS for what in wrong(row)]
    assert not found, "\n".join(found)


def test_wrong_rows_are_found():
    function, arguments, memory = ROWS[0]
    assert not wrong(ROWS[0])
    assert wrong([function, "nowhere.test_x", memory]) and wrong([function, arguments, "host.test_none"])
    assert wrong(["tn_no_such_function", arguments, memory]) and wrong([function])
