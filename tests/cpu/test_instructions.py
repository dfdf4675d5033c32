"""How many instructions a fixed set of calls takes (bench/cpu/rows.h, `counted`), by callgrind.

A count depends on the code and the compiler, not on how busy the machine is: growth is a finding, not
noise. `python tests/cpu/test_instructions.py --write` takes what is there now as the new bar; a diff of
instructions.tsv then shows what a change cost. One thread, AVX2 (valgrind knows no AVX-512), no oneDNN.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
BUILD = pathlib.Path(os.environ.get("TENON_BUILD", HERE.parents[1] / "build"))
BARS = HERE / "instructions.tsv"
ALLOWED_GROWTH = 1.05


def compiler():
    cache = (BUILD / "CMakeCache.txt").read_text()
    path = next(line.split("=", 1)[1] for line in cache.splitlines() if line.startswith("CMAKE_C_COMPILER:"))
    return subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]


def count():
    """{row: instructions}. Each row runs twice; the second run is the one that counts."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--toggle-collect=run_once", "--dump-after=run_once",
             f"--callgrind-out-file={folder}/out", BUILD / "bench/hosts/tfe_rows", "--count",
             BUILD / "lib/tenon/plugins/libtenon_cpu.so", BUILD / "lib/libtenon_tf.so"],
            env={**os.environ, "TENON_THREADS": "1", "TENON_ONEDNN": "0"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        names = done.stdout.splitlines()
        totals = [next(int(line.split()[1]) for line in open(f"{folder}/out.{i}") if line.startswith("totals:"))
                  for i in range(2, 2 * len(names) + 1, 2)]
        return dict(zip(names, totals))


def read_bars():
    first, *lines = BARS.read_text().splitlines()
    return first.removeprefix("# "), {name: int(bar) for name, bar in (line.split("\t") for line in lines)}


def test_no_call_takes_five_percent_more_instructions_than_before():
    import pytest
    built_by, bars = read_bars()
    if compiler() != built_by:
        pytest.skip(f"the bars are of {built_by}, this build is of {compiler()}")
    found = count()
    assert found.keys() == bars.keys(), "rows came or went: run this file with --write"
    grown = [f"{name}: {found[name]} instructions, {bars[name]} before (x {found[name] / bars[name]:.3f})"
             for name in bars if found[name] > bars[name] * ALLOWED_GROWTH]
    assert not grown, "\n".join(grown)


if __name__ == "__main__":
    assert sys.argv[1:] == ["--write"], __doc__
    BARS.write_text(f"# {compiler()}\n" + "".join(f"{name}\t{bar}\n" for name, bar in count().items()))
