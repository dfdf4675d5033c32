"""tenon run with every published PJRT plugin: no hardware for them here, so each ends with its own words, as a status.

What they say is compared with what a survey with other tools heard (data/zoo.tsv). Those that want a vendor's libraries are refused with
the list of what is missing; with stand-ins for these libraries some crash, which --isolate contains. What was tried is kept in the cache,
and with TENON_RESULTS set (as make test-zoo does) told in docs/results.
"""

import datetime
import json
import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest

from zoo import CACHE, ROWS, SOURCE, TENON, forget, unpacked, wanted

sys.path.insert(0, str(SOURCE / "tools"))
import results  # noqa: E402

PLUGINS = {f"{row['package']}=={row['version']}": row for row in ROWS
           if row["kind"].startswith("pjrt") and "tensorflow" not in row["package"] and "Mach-O" not in row["kind"]}
CODES = {2: "UNKNOWN", 5: "NOT_FOUND", 9: "FAILED_PRECONDITION"}
NOTES = CACHE / "programs.jsonl"

PROGRAM = """func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def note(package, row, way, done, seconds):
    """Remembers what was seen, for the page."""
    lines = done.stderr.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("tenon run: ")), len(lines))
    seen = {"package": package, "number": row["pjrt_version"], "way": way, "exit": done.returncode, "seconds": round(seconds, 2),
            "said": " ".join(line.strip() for line in lines[start:])[len("tenon run: "):],
            "date": datetime.date.today().isoformat(), **results.about(SOURCE)}
    with NOTES.open("a") as file:
        file.write(json.dumps(seen) + "\n")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("programs")
    (folder / "add.mlir").write_text(PROGRAM)
    np.save(folder / "x.npy", np.ones(4, np.float32))
    yield folder
    if os.environ.get("TENON_RESULTS"):
        write_page()


def run(package, row, place, file, *words, libraries=None):
    """Without a network where a plugin would look for one, and with the stand-ins for libraries."""
    alone = ["unshare", "--map-root-user", "--net"] if package.startswith("libtpu") else []
    env = {**os.environ, "TPU_SKIP_MDS_QUERY": "1", **({"LD_LIBRARY_PATH": str(libraries)} if libraries else {})}
    begin = time.perf_counter()
    done = subprocess.run([*alone, TENON, "run", "add.mlir", "x.npy", "--plugin", file, *words], cwd=place, env=env, capture_output=True,
                          text=True, errors="replace", timeout=600)
    way = ("with stand-ins, " if libraries else "") + (" ".join(words) or "in the process")
    note(package, row, way, done, time.perf_counter() - begin)
    return done


def only(package):
    if not wanted(package):
        pytest.skip("not among TENON_ZOO_ONLY")
    return PLUGINS[package]


ANSWER = [package for package, row in PLUGINS.items() if row["load_result"] == "OK"]
WANT_LIBRARIES = [package for package in PLUGINS if package not in ANSWER]


@pytest.mark.parametrize("package", ANSWER)
def test_one_that_answers_ends_with_its_own_error_as_a_status_and_a_hint(package, place):
    row = only(package)
    file = unpacked(package, [".so"]) / row["file"]
    code, message = re.fullmatch(r"ERROR code=(\d+) msg=(.*)", row["client_create"]).groups()
    try:
        for way in ([], ["--isolate"]):
            done = run(package, row, place, file, *way)
            assert done.returncode == 3 and not done.stdout, done
            lines = done.stderr.splitlines()  # libtpu's error goes on for some lines
            assert f"tenon run: {file.name}: PJRT_Client_Create: {CODES[int(code)]}: {message}" in [line.rstrip() for line in lines]
            assert lines[-1] == f"  the plugin loaded and its version is fine ({row['pjrt_version']}); it found no device on this machine"
    finally:
        forget_large(package, row)


def forget_large(package, row):
    if int(row["size_bytes"]) > 100 << 20 and not os.environ.get("TENON_ZOO_KEEP"):
        forget(package)


def missing_libraries(file):
    """What the loader does not find for a file."""
    told = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
    return re.findall(r"^\s*(\S+) => not found", told, re.M)


@pytest.mark.parametrize("package", WANT_LIBRARIES)
def test_one_that_wants_a_vendors_libraries_is_refused_with_all_that_is_missing(package, place):
    row = only(package)
    file = unpacked(package, [".so"]) / row["file"]
    lacks = missing_libraries(file)
    assert lacks, "this machine has the vendor's libraries"
    done = run(package, row, place, file)
    assert done.returncode == 3 and not done.stdout, done
    assert not [name for name in lacks if name not in done.stderr], done.stderr


def symbols(*files, defined):
    """The dynamic symbols of files, with what follows the @ of each."""
    flag = "--defined-only" if defined else "--undefined-only"
    told = subprocess.run(["nm", "-D", flag, "--with-symbol-versions", *files], capture_output=True, text=True).stdout
    return dict((line.split()[-1].replace("@@", "@") + "@").split("@")[:2] for line in told.splitlines() if line.split()[-1:] and ":" not in line)


def stand_ins(file, folder):
    """Libraries of the names that are missing, in which each function that the plugin looks for returns 0."""
    needed = subprocess.run(["ldd", file], capture_output=True, text=True).stdout
    there = symbols(*re.findall(r"=> (/\S+)", needed), defined=True)
    versions = subprocess.run(["readelf", "-VW", file], capture_output=True, text=True).stdout
    library_of, library = {}, None
    for line in versions.splitlines():
        library = (re.search(r"File: (\S+)", line) or [None, library])[1]
        if found := re.search(r"Name: (\S+)", line):
            library_of[found[1]] = library
    names = missing_libraries(file)
    wanted_names = {name: version for name, version in symbols(file, defined=False).items() if name not in there}
    for library in names:
        mine = {name: version for name, version in wanted_names.items()
                if (library_of.get(version) == library if version else library == names[0])}
        source, script = folder / "stand_in.s", folder / "stand_in.map"
        source.write_text(".text\n" + "".join(f'.globl "{n}"\n.type "{n}",@function\n"{n}":\n' for n in mine) + "xorl %eax, %eax\nret\n"
                          '.section .note.GNU-stack,"",@progbits\n')
        nodes = {version for version in mine.values() if version}
        script.write_text("".join(f"{node} {{ global: {' '.join(f'{chr(34)}{n}{chr(34)};' for n, v in mine.items() if v == node)} }};\n" for node in nodes))
        subprocess.run(["cc", "-shared", "-nostdlib", "-o", folder / library, source, f"-Wl,-soname,{library}",
                        *([f"-Wl,--version-script={script}"] if nodes else [])], check=True)
    return folder


@pytest.mark.parametrize("package", WANT_LIBRARIES)
def test_one_that_crashes_without_its_vendor_is_contained(package, place, tmp_path):
    row = only(package)
    file = unpacked(package, [".so"]) / row["file"]
    try:
        done = run(package, row, place, file, "--isolate", libraries=stand_ins(file, tmp_path))
        assert done.returncode == 3 and not done.stdout, done
        said = next(line for line in done.stderr.splitlines() if line.startswith("tenon run: "))
        # How they end depends on the stand-ins: by a signal in a call that is named, or with words of their own.
        assert re.search(r"the plugin (died with SIG\w+|ended the process with exit code \d+) in |: PJRT_Client_Create: |symbol", said), said
    finally:
        forget_large(package, row)


def write_page():
    seen = {}
    for line in NOTES.read_text().splitlines():
        entry = json.loads(line)
        seen[entry["package"], entry["way"]] = entry
    now = results.about(SOURCE)
    current = [entry for entry in seen.values() if entry["digest"] == now["digest"]]
    ran = {entry["package"] for entry in current}
    day = datetime.date.today().isoformat()
    text = f"# Published PJRT plugins on a machine without their hardware, {day}\n\n"
    text += "Written by `make test-zoo` (`tests/zoo/test_programs.py`): `tenon run` of a small program with each plugin, unmodified, from its wheel.\n\n"
    text += f"{len(ran)} of {len(PLUGINS)} releases ran with this code: {sum(p in ran for p in ANSWER)} of the {len(ANSWER)} that answer as they are, "
    text += f"{sum(p in ran for p in WANT_LIBRARIES)} of the {len(WANT_LIBRARIES)} that want a vendor's libraries "
    text += "(\"stand-ins\" are libraries of those names whose functions return 0). None ended `tenon`.\n"
    missing = [package for package in PLUGINS if package not in ran]
    if missing:
        text += f"\nNot run: {', '.join(missing)}.\n"
    text += "\n" + results.table(["release", "PJRT", "how", "exit", "s", "said"], [
        [entry["package"].replace("==", " "), entry["number"] or "-", entry["way"], entry["exit"], entry["seconds"], told(entry["said"])]
        for entry in sorted(current, key=lambda entry: (list(PLUGINS).index(entry["package"]), entry["way"]))]).replace("---:", "---")
    results.FOLDER.mkdir(parents=True, exist_ok=True)
    (SOURCE / f"docs/results/pjrt-zoo-{day}.md").write_text(text + results.foot(now))


def told(words):
    """Short enough for a table, without a plugin's log and places of one machine."""
    words = words.split("; its last words:")[0]
    words = re.sub(r"(?:/[\w.+=-]+)+/([\w.+=-]+)", r"\1", words).replace("|", "\\|")
    return words if len(words) < 260 else words[:250].rsplit(" ", 1)[0] + " ..."
