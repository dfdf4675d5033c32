"""Reads the functions that include/tenon/*.h declare, with the comment above each.

As a program: `public_api.py OUT HEADER...` writes libtenon's version script, in which each public
function stands under the version its comment names ("since 0.1" is TENON_0.1) and every other tn_*
name under TENON_PRIVATE.
"""

import pathlib
import re
import sys
from typing import NamedTuple


class Function(NamedTuple):
    name: str
    comment: str
    declaration: str
    header: pathlib.Path
    line: int


# tn_* are libtenon's; TN_* and TF_* are what libtenon_tf lends to plugins beyond TensorFlow's own.
# A name in capitals alone is a macro.
DECLARATION = re.compile(r"\b((?:tn|TN|TF)_(?![A-Z0-9_]+\b)\w+)\s*\(")


def functions_of(header):
    """The functions of one header, in order. Comments are the `//` lines right above."""
    found, comment, code, start = [], [], "", 0
    depth = 0
    for number, line in enumerate(header.read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("//"):
            if not code:
                comment.append(text[2:].strip())
            continue
        text = text.split("//")[0].strip()
        if not text or text.startswith("#") or text == 'extern "C" {':
            if not code:
                comment = []
            continue
        if not code:
            start = number
        code += " " + text
        depth += text.count("{") - text.count("}")
        if depth > 0 or not text.endswith((";", "}")):
            continue
        depth = 0
        match = DECLARATION.search(code)
        # A typedef, a struct or an inline function gives no symbol of its own.
        if match and "{" not in code and not code.startswith((" typedef", " static")):
            found.append(Function(match[1], " ".join(comment), code.strip(), header, start))
        comment, code = [], ""
    return found


def version_script(functions):
    nodes = {}
    for function in functions:
        if not function.name.startswith("tn_"):
            continue
        since = re.search(r"\bsince (\d+\.\d+)", function.comment)
        if not since:
            sys.exit(f"{function.header}:{function.line}: {function.name} says no 'since'")
        nodes.setdefault(since[1], []).append(function.name)
    lines, before = [], ""
    for version in sorted(nodes, key=lambda text: [int(part) for part in text.split(".")]):
        names = "".join(f"    {name};\n" for name in sorted(nodes[version]))
        lines.append(f"TENON_{version} {{\n  global:\n{names}}}{before};\n")
        before = f" TENON_{version}"
    lines.append("TENON_PRIVATE {\n  global:\n    tn_*;\n  local:\n    *;\n};\n")
    return "\n".join(lines)


def main(out, headers):
    functions = [f for header in headers for f in functions_of(pathlib.Path(header))
                 if f.name.startswith("tn_")]
    pathlib.Path(out).write_text(version_script(functions))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
