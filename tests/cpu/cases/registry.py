"""Where the families of cases meet: every call of every kernel, by op and type.

A family is a file in this folder. Its generators yield calls; each runs in TensorFlow and in the plugin:

    @cases("AddV2", "Sub", dtypes=NUMBERS, reference=exact_sum, scale=magnitudes)
    def binary(make, op, dtype):
        for _ in range(30):
            x, y = (make.array(dtype, shape) for shape in make.broadcastable())
            yield Call(op, [x, y])

`dtypes` are what the generator is called with, one at a time. What must be the same: docs/cpu-kernels.md
and compare.py. `reference(call)` gives one exact array per output (long double, say), or None for an
output that has none; `scale(call)` gives, in the same form, the magnitudes that errors are measured
against where results cancel (a sum's: the sum of the terms' magnitudes).

A call that TensorFlow refuses must be refused with the same code; `says` is a part of our message then.
A Sequence is several calls that share state: an input may be Result(call, output), what an earlier call
of the sequence gave, and all outputs but resources and variants are compared, in order.
"""

import collections
import functools
import importlib
import pathlib

from cases.maker import Maker
from hosts import Call, Result, Sequence, Type  # noqa: F401 (authors get them from here)

Entry = collections.namedtuple("Entry", "family op dtype generate reference scale")
ENTRIES = []
FAMILIES = sorted(path.stem for path in pathlib.Path(__file__).parent.glob("*.py")
                  if path.stem not in ("__init__", "compare", "maker", "registry", "run"))


def cases(*ops, dtypes, reference=None, scale=None):
    def register(generate):
        family = generate.__module__.rpartition(".")[2]
        ENTRIES.extend(Entry(family, op, dtype, generate, reference, scale) for op in ops for dtype in dtypes)
        return generate
    return register


@functools.cache
def groups():
    """{(op, dtype): its entries}, of all families."""
    for family in FAMILIES:
        importlib.import_module(f"cases.{family}")
    found = {}
    for entry in ENTRIES:
        found.setdefault((entry.op, entry.dtype), []).append(entry)
    return found


def calls_of(op, dtype):
    """All (entry, call) of a group, in their order."""
    return [(entry, call) for entry in groups()[op, dtype]
            for call in entry.generate(Maker(entry.generate.__name__, op, dtype), op, dtype)]
