"""bench/bench.h: what a benchmark reports can be read by a script, and above 1 is always better."""

import json
import os
import sys

import pytest

from house import SOURCE, run

PROGRAM = r"""
#include "bench.h"
#include <math.h>
static void body(void* arg) { ++*(volatile long*)arg; }
int main(void) {
  long calls = 0;
  double nanoseconds = bench_nanoseconds(body, &calls);
  if (calls < 1000 || nanoseconds <= 0 || nanoseconds > 1000) return 1;
  bench_report("time \"quoted\"", 50, "ns", "TensorFlow", 500);
  bench_report("rate", 50, "GFLOP/s", "numpy", 25);
  bench_report("alone", 3, "MB", 0, 0);
  bench_report("peer failed", 3, "us", "JAX", NAN);
  double number = bench_venv("say.py", "4 2");
  if (number != 42) return 2;
  if (!isnan(bench_venv("no-such-script.py", ""))) return 3;
  return 0;
}
"""


@pytest.fixture
def result(tmp_path):
    for name in ("bench", "source/bench"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "source/bench/say.py").write_text("import sys\nprint('noise')\nprint(''.join(sys.argv[1:]))\n")
    (tmp_path / "x.c").write_text(PROGRAM)
    done = run("cc", "-D_GNU_SOURCE", f'-DTENON_BUILD_DIR="{tmp_path}"', f'-DTENON_SOURCE_DIR="{tmp_path}/source"',
               f"-I{SOURCE}/bench", tmp_path / "x.c", SOURCE / "bench/bench.c", "-lm", "-o", tmp_path / "x")
    assert done.returncode == 0, done.stderr
    done = run(tmp_path / "x", env={**os.environ, "TENON_VENV": sys.prefix})
    assert done.returncode == 0, done
    lines = (tmp_path / "bench/results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines], done.stdout


def test_each_report_is_one_line_with_the_same_six_fields(result):
    lines, _ = result
    assert lines == [
        dict(name='time "quoted"', value=50, unit="ns", peer="TensorFlow", peer_value=500, ratio=10),
        dict(name="rate", value=50, unit="GFLOP/s", peer="numpy", peer_value=25, ratio=2),
        dict(name="alone", value=3, unit="MB", peer=None, peer_value=None, ratio=None),
        dict(name="peer failed", value=3, unit="us", peer="JAX", peer_value=None, ratio=None),
    ]


def test_people_see_the_same_as_a_table(result):
    _, text = result
    rows = text.splitlines()
    assert rows[0].split() == ["benchmark", "ours", "peer", "ratio"]
    assert rows[1].split()[-3:] == ["500", "10.00", "(TensorFlow)"] and len(rows) == 5
