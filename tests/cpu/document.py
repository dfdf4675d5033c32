"""python document.py: writes the tables of docs/cpu-kernels.md that follow from the kernels and their cases.

The tables of ops stand between <!-- ops --> and <!-- end of ops -->, that of errors between <!-- errors -->
and <!-- end of errors -->, the ops without kernels between <!-- without --> and <!-- end of without -->. It needs what a run of test_against_tensorflow.py leaves behind (record.py).
"""

import json
import pathlib
import re
import subprocess
import textwrap

import kernels
import record
from cases.maker import COMPLEXES, FLOATS

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/cpu-kernels.md"
SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16", "complex64": "c64",
         "complex128": "c128", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8",
         "uint16": "u16", "uint32": "u32", "uint64": "u64"}
GROUPS = [("integers", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]),
          ("floats", ["float32", "float64", "float16", "bfloat16"]), ("complex", ["complex64", "complex128"]),
          ("float8", ["float8_e5m2", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz",
                      "float8_e5m2fnuz"]),
          ("quantized", ["qint8", "quint8", "qint32", "qint16", "quint16"])]


def types_text(types):
    """"floats i32 i64": whole groups by their name."""
    left, words = [t for t in kernels.NAMES.values() if t in types], []
    if set(left) == set(kernels.NAMES.values()):
        return "all"
    for name, members in GROUPS:
        if set(members) <= set(left):
            words.append(name)
            left = [t for t in left if t not in members]
    return " ".join(words + [SHORT.get(t, t) for t in left])


def op_row(op):
    """Types per attribute; those of several kernels together."""
    attrs = {}
    for combination in kernels.ours(op):
        for attr, name in combination:
            attrs.setdefault(attr, set()).add(name)
    texts = [f"{attr}: {types_text(attrs[attr])}" for attr in kernels.type_attrs(op) if attr in attrs]
    return f"| {op} | {'; '.join(texts)} |"


def families():
    """{family: ops with kernels}, by the files of cases; what has none is under "other"."""
    of_op = {entry["op"]: entry["family"] for entry in record.read()}
    found = {}
    for op in sorted(kernels.registered()):
        found.setdefault(of_op.get(op, "other"), []).append(op)
    return dict(sorted(found.items()))


def ops_section():
    lines = []
    for family, ops in families().items():
        lines += [f"### {family}", "", "| op | types |", "|---|---|"] + [op_row(op) for op in ops] + [""]
    return "\n".join(lines)


def measured():
    """{op: {type: (ours, theirs, bar)}} where errors can be measured and are not all 0."""
    found = {}
    for entry in record.read():
        if entry["dtype"] in FLOATS + COMPLEXES and max(entry["ours"], entry["theirs"]) > 0:
            found.setdefault(entry["op"], {})[entry["dtype"]] = entry["ours"], entry["theirs"], entry["bar"]
    return found


def errors_section():
    columns = FLOATS + COMPLEXES
    lines = ["| op | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for op, of_type in sorted(measured().items()):
        cells = [" / ".join(f"{value:.3g}" for value in of_type[t]) if t in of_type else "" for t in columns]
        lines.append(f"| {op} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def without_section():
    """The ops that are defined and have no kernel."""
    ops = json.loads(subprocess.run([kernels.BUILD / "bin/tenon", "ops", "--json"], check=True, capture_output=True,
                                    text=True).stdout)["ops"]
    names = sorted(op["name"] for op in ops if op["kernels"] == 0)
    return textwrap.fill(", ".join(names) + ".", 118) + "\n"


def section(text, name):
    return re.search(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", text, re.S).group(1)


def rows(text):
    """The cells of a table's rows, without its head."""
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()
             if line.startswith("| ")]
    return [row for row in found if row[0] != "op"]


def main():
    text = DOCUMENT.read_text()
    for name, new in ("without", without_section()), ("ops", ops_section()), ("errors", errors_section()):
        text = re.sub(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)",
                      lambda found: found[1] + new + found[2], text, flags=re.S)
    DOCUMENT.write_text(text)


if __name__ == "__main__":
    main()
