#!/usr/bin/env python3
"""performance.py: turns build/bench/results.jsonl, what `make bench` wrote, into docs/performance.md.

Rows below 1 get their reason from bench/reasons.tsv; one without a reason is an error.
"""

import datetime
import json
import math
import pathlib
import sys

TOP = pathlib.Path(__file__).parents[1]
RESULTS = TOP / "build/bench/results.jsonl"
PAGE = TOP / "docs/performance.md"
ROOFS = ("a copy with", "dnnl_sgemm", "oneDNN's")

HEAD = """# Performance

Ratios above 1 mean that Tenon is faster. Each row is the median of runs that take turns, with as many threads on both
sides (2 here), in one run of the benchmarks on {date}; `tools/performance.py` writes this page from it. The machine is a
shared virtual one with two cores: single rows come out some 20 % apart from run to run, and more where memory is the
limit. TensorFlow 2.21 runs with oneDNN on, held to AVX-512 with bfloat16, because AMX ends its process in this machine.

"""


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def class_of(name):
    head = name.split()[0]
    if name.endswith(" 1K"):
        return "1K (dispatch)"
    for names, label in [(("Sum", "Mean", "Max", "Min", "Prod"), "reductions"), (("MatMul",), "matmul"),
                         (("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"), "conv"),
                         (("AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Relu", "Exp", "Tanh", "Sigmoid", "Sqrt"), "elementwise")]:
        if head in names:
            return label
    return head


def main():
    reasons = [line.split("\t") for line in (TOP / "bench/reasons.tsv").read_text().splitlines()[1:]]
    rows = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    rows = [row for row in rows if row["ratio"] and row["unit"] == "us"]
    kernels = [row for row in rows if row["peer"] == "TensorFlow"]
    roofs = [row for row in rows if row["peer"] and row["peer"].startswith(ROOFS)]
    assert kernels and roofs, "run make bench first"
    text = HEAD.format(date=datetime.date.today().isoformat())

    groups = {}
    for row in kernels:
        groups.setdefault(class_of(row["name"]), []).append(row)
    text += "## CPU kernels against TensorFlow's\n\n| class | rows | geometric mean | worst row |\n|---|---|---|---|\n"
    for label, group in groups.items():
        worst = min(group, key=lambda row: row["ratio"])
        text += f"| {label} | {len(group)} | {mean([row['ratio'] for row in group]):.2f} | {worst['ratio']:.2f} ({worst['name']}) |\n"
    both = [row["ratio"] for label in ("elementwise", "reductions") for row in groups.get(label, [])]
    text += f"\nElementwise and reductions at 1M and above together: {mean(both):.2f}.\n\n"

    text += "### Rows below 1\n\n| row | ratio | reason |\n|---|---|---|\n"
    missing = []
    for row in sorted(kernels, key=lambda row: row["ratio"]):
        if row["ratio"] < 0.995:
            reason = next((reason for pattern, reason in reasons if pattern in row["name"]), None)
            if reason is None:
                missing.append(f"{row['name']} ({row['ratio']:.2f})")
            text += f"| {row['name']} | {row['ratio']:.2f} | {reason} |\n"

    text += "\n### All rows\n\n| row | Tenon, us | TensorFlow, us | ratio |\n|---|---|---|---|\n"
    for row in kernels:
        text += f"| {row['name']} | {row['value']:.4g} | {row['peer_value']:.4g} | {row['ratio']:.2f} |\n"
    text += ("\n## Against what the machine allows\n\nThe routines alone, into warm memory: a copy reads and writes as many "
             "streams; the product of matrices is the faster of oneDNN's two entries, called directly.\n\n"
             "| row | Tenon, us | roof, us | ratio | roof |\n|---|---|---|---|---|\n")
    for row in roofs:
        text += f"| {row['name']} | {row['value']:.4g} | {row['peer_value']:.4g} | {row['ratio']:.2f} | {row['peer']} |\n"
    PAGE.write_text(text)
    if missing:
        sys.exit("no reason in bench/reasons.tsv for: " + ", ".join(missing))


if __name__ == "__main__":
    main()
