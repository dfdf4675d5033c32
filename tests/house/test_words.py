"""Words that may not stand in the project, and files that must stay short."""

import re

from house import SOURCE, tracked

# Written in pieces, so that this file does not hold what it looks for.
FORBIDDEN = {
    "a path of one machine": re.compile(r"(?<![\w.])/(?:wo" + r"rk|ho" + r"me|ro" + r"ot)/\w"),
    "a package registry's host": re.compile(
        r"py" + r"pi\.org|python" + r"hosted|deb\." + r"debian|conda\." + r"anaconda", re.I),
    "unfinished work": re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b"),
}


def texts():
    for path in tracked():
        try:
            yield path, path.read_text()
        except UnicodeDecodeError:
            continue


def test_no_forbidden_word_stands_anywhere():
    found = []
    for path, text in texts():
        for what, pattern in FORBIDDEN.items():
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{path.relative_to(SOURCE)}:{line}: {match[0]} is {what}")
    assert not found, "\n".join(found)


def test_the_patterns_find_what_they_are_for():
    assert FORBIDDEN["a path of one machine"].search("see /ho" + "me/me/x")
    assert not FORBIDDEN["a path of one machine"].search("build/ho" + "me/me")
    assert FORBIDDEN["unfinished work"].search("// TO" + "DO: later")


def test_the_readme_is_read_in_one_go():
    assert len((SOURCE / "README.md").read_text().splitlines()) < 120


def test_every_text_file_ends_with_one_newline_and_has_no_trailing_space():
    found = [str(path.relative_to(SOURCE)) for path, text in texts()
             if path.suffix in {".c", ".h", ".cc", ".hpp", ".py", ".sh", ".md", ".txt", ".cmake"}
             and text and (not text.endswith("\n") or text.endswith("\n\n") or re.search(r"[ \t]+$", text, re.M))]
    assert not found, found
