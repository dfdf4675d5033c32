"""docs/contracts.md: every rule has a number of its own, and a test that is there or the reason for none."""

import re

from house import SOURCE, tracked

ROW = re.compile(r"^\| (\d{3}) \| (.+?) \| (.+?) \| (.+?) \|$", re.M)


def rules():
    return ROW.findall((SOURCE / "docs/contracts.md").read_text())


def test_numbers_are_unique_and_in_order():
    numbers = [row[0] for row in rules()]
    assert len(numbers) > 20 and numbers == sorted(set(numbers))


def test_every_rule_is_checked_by_a_test_that_is_there_or_says_why_not():
    tests = "\n".join(path.read_text() for path in tracked("tests/**/test_*.c", "tests/**/test_*.py"))
    known = set(re.findall(r"^TEST\((\w+)\)", tests, re.M)) | set(re.findall(r"^def (test_\w+)", tests, re.M))
    for number, _, _, checked in rules():
        name = re.fullmatch(r"`(\w+)`", checked)
        assert name and name[1] in known or re.fullmatch(r"cannot be checked because .{10,}", checked), (number, checked)
