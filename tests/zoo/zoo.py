"""Published packages, one at a time, in a cache outside git: TENON_ZOO (build/zoo unless set).

TENON_ZOO_ONLY=text keeps the packages whose name==version has the text in it. pip's own settings say from
where they come. libtpu reaches for the network when it is loaded, so that it is loaded where there is none.
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

import pytest

SOURCE = pathlib.Path(os.environ.get("TENON_SOURCE", pathlib.Path(__file__).parents[2]))
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", SOURCE / "build"))
CACHE = pathlib.Path(os.environ.get("TENON_ZOO", BUILD / "zoo"))
TENON = BUILD / "bin/tenon"
ONLY = os.environ.get("TENON_ZOO_ONLY", "")

ROWS = [row for row in csv.DictReader((SOURCE / "data/zoo.tsv").open(), delimiter="\t") if row["file"]]


def wanted(package):
    return ONLY in package


def wheel(package, pythons=("3.11", "3.10", "3.9", "3.12", "3.8", "3.13")):
    """The file of "name==version", downloaded when it is not in the cache."""
    name, version = package.split("==")
    folder = CACHE / "wheels"
    folder.mkdir(parents=True, exist_ok=True)
    pattern = f"{name.replace('-', '_')}-{version}-*.whl"
    last = ""
    for python in pythons:
        if list(folder.glob(pattern)):
            break
        tags = [f"{tag}_x86_64" for tag in ("manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28",
                                            "manylinux_2_31", "manylinux2010")]
        if "metal" in name:
            tags = ["macosx_11_0_arm64", "macosx_12_0_arm64", "macosx_13_0_arm64"]
        platforms = [word for tag in tags for word in ("--platform", tag)]
        done = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                               "--only-binary=:all:", *platforms, "--python-version", python, "--dest", folder, package],
                              capture_output=True, text=True)
        last = (done.stderr.strip().splitlines() or [last])[-1]
    found = list(folder.glob(pattern))
    if not found:
        pytest.fail(f"cannot download {package}: {last}", pytrace=False)
    return found[0]


def unpacked(package, suffixes=None):
    """A folder with the package's files (those that end with one of the suffixes)."""
    folder = CACHE / package.replace("==", "-")
    if not folder.exists():
        file = wheel(package)
        partial = CACHE / (folder.name + ".partial")
        shutil.rmtree(partial, ignore_errors=True)
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if not suffixes or any(s in name for s in suffixes)]
            print(f"{package}: {file.stat().st_size >> 20} MB, unpacked {sum(archive.getinfo(n).file_size for n in names) >> 20} MB")
            archive.extractall(partial, names)
        partial.rename(folder)
    return folder


def forget(package):
    """Gives the room back; the wheel stays."""
    shutil.rmtree(CACHE / package.replace("==", "-"), ignore_errors=True)


def tenon(*words, alone=False):
    """Runs the command line; `alone`: in a network namespace of its own, which is empty."""
    command = ["unshare", "--map-root-user", "--net"] if alone else []
    return subprocess.run([*command, TENON, *map(str, words)], capture_output=True, text=True,
                          env={**os.environ, "TPU_SKIP_MDS_QUERY": "1"})
