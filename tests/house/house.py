"""Where the tree and its build are, for the tests that keep the house in order."""

import os
import pathlib
import subprocess

SOURCE = pathlib.Path(os.environ.get("TENON_SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", SOURCE / "build"))


def tracked(*patterns):
    """Files of the repository (those git knows, or would take) that match the patterns."""
    names = subprocess.run(
        ["git", "-C", SOURCE, "ls-files", "--cached", "--others", "--exclude-standard", *patterns],
        capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted({SOURCE / name for name in names if name and (SOURCE / name).is_file()})


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)
