"""What a run of the cases has shown about an op and type: how exact, which types, how many calls.

One small JSON file per op and type in the folder TENON_SHOWN, written by test_against_tensorflow.py; read by
the tests of coverage and by document.py, which writes the tables of docs/cpu-kernels.md.
"""

import json
import os
import pathlib

import numpy

from cases.maker import name_of
from hosts import BUILD, Failure, Sequence

FOLDER = pathlib.Path(os.environ.get("TENON_SHOWN", BUILD / "shown"))


def types_of(call, definition):
    """{type attribute: type} of a call, as far as arrays and attributes tell."""
    found = {}
    kinds = {attr.name: attr.type for attr in definition.attr}
    for name, value in call.attrs.items():
        if kinds.get(name) == "type":
            found[name] = str(value) if isinstance(value, str) else name_of(value)
    for argument, value in zip(definition.input_arg, call.inputs):
        values = value if isinstance(value, list) else [value]
        if argument.type_attr and values and isinstance(values[0], numpy.ndarray):
            found[argument.type_attr] = name_of(values[0].dtype)
    return found


def write(op, dtype, family, calls, expected, definition_of, ours, theirs, bar):
    seen = {}
    for call in calls:
        for one in call.calls if isinstance(call, Sequence) else [call]:
            for attr, name in types_of(one, definition_of(one.op)).items():
                types = seen.setdefault(one.op, {}).setdefault(attr, [])
                if name not in types:
                    types.append(name)
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / f"{op}.{dtype}").write_text(json.dumps(
        {"op": op, "dtype": dtype, "family": family, "calls": len(calls),
         "refused": sum(isinstance(result, Failure) for result in expected),
         "ours": ours, "theirs": theirs, "bar": bar, "types": seen}))


def read():
    return [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*"))] if FOLDER.is_dir() else []


def forget(groups):
    for path in FOLDER.glob("*") if FOLDER.is_dir() else []:
        if tuple(path.name.split(".", 1)) not in groups:
            path.unlink()
