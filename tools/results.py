#!/usr/bin/env python3
"""Pages of docs/results: dated, written by the run that they tell of, never by hand.

Each says in its last lines of which code it speaks: the commit, and a digest of the files that the results depend on.
`results.py` alone prints that digest; tests/docs/test_results.py compares.
"""

import datetime
import hashlib
import itertools
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[1]
FOLDER = TOP / "docs/results"
CODE = ["src/pjrt/host", "include/xla", "include/tenon/pjrt*.h", "cli/command_run_program.c"]


def code_files(top=TOP):
    found = []
    for pattern in CODE:
        for path in sorted(top.glob(pattern)):
            found += sorted(path.rglob("*.[ch]")) if path.is_dir() else [path]
    return found


def digest(top=TOP):
    sum_of_all = hashlib.sha256()
    for path in code_files(top):
        sum_of_all.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return sum_of_all.hexdigest()[:16]


def commit(top=TOP):
    done = subprocess.run(["git", "-C", top, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def new_page(kind, folder=FOLDER):
    """Where today's page goes; the second of a day is told apart."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{kind}-{datetime.date.today().isoformat()}"
    later = (folder / f"{name}-{i}.md" for i in itertools.count(2))
    return next(page for page in itertools.chain([folder / f"{name}.md"], later) if not page.exists())


def foot(about):
    return f"\nCommit {about['commit']}; code {about['digest']} (`tools/results.py`).\n"


def about(top=TOP):
    return {"commit": commit(top), "digest": digest(top)}


def table(head, rows):
    """A table of Markdown; numbers stand right."""
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join("---" if i == 0 else "---:" for i in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


if __name__ == "__main__":
    print(digest())
