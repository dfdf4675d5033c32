"""docs/check.md lists the cases that there are. TENON_WRITE=1 writes the list."""

import os
import pathlib
import re
import subprocess

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
PAGE = pathlib.Path(os.environ["TENON_SOURCE"]) / "docs/check.md"
LIST = re.compile(r"(?<=says:\n\n```\n).*?(?=```)", re.S)


def listed():
    return subprocess.run([BUILD / "bin/tenon", "check", "--list"], capture_output=True, text=True, check=True).stdout


def test_the_page_has_the_cases_and_contracts_that_the_command_lists():
    text = PAGE.read_text()
    if os.environ.get("TENON_WRITE"):
        PAGE.write_text(text := LIST.sub(lambda _: listed(), text))
    assert LIST.search(text)[0] == listed(), "write the list with TENON_WRITE=1"


def test_names_are_unique_and_contracts_are_sentences_without_an_end():
    cases = [line.split(": ", 1) for line in listed().splitlines()]
    names = [name for name, _ in cases]
    assert len(names) == len(set(names)) and len(names) >= 180
    assert sum(name.startswith("pjrt.") for name in names) >= 120
    assert not [case for case in cases if not re.fullmatch(r"[a-z]+\.[a-z_]+\.[\w.]+", case[0]) or case[1][-1] in ".!"]
