"""python -m cases.run OP [DTYPE] [--case N] [--host HOST]: an op's cases at the author's desk.

Prints a line per type: calls, refused ones among them, the largest errors in ulp (ours, TensorFlow's, the
bar) and what is wrong, with the number that --case takes to see one call in full. TN_TEST_SEED gives other
cases. Run in tests/cpu; OP may be a family's name, or * for everything.
"""

import argparse
import fnmatch
import sys

import numpy

from cases import compare, registry
from hosts import Child, Failure, TensorFlow


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("op")
    options.add_argument("dtype", nargs="?", default="*")
    options.add_argument("--case", type=int)
    options.add_argument("--host", default="Tenon(PLUGIN)", help='or "TensorFlow(PLUGIN)"')
    options.add_argument("--most", type=int, default=3, help="failures shown per type")
    options = options.parse_args()
    chosen = [(op, dtype) for (op, dtype), entries in registry.groups().items()
              if (fnmatch.fnmatch(op, options.op) or options.op in {e.family for e in entries})
              and fnmatch.fnmatch(dtype, options.dtype)]
    if not chosen:
        sys.exit(f"no cases for {options.op} {options.dtype}; families: {' '.join(registry.FAMILIES)}")
    tensorflow, child, bad = TensorFlow(), Child(options.host), 0
    for op, dtype in chosen:
        group = registry.calls_of(op, dtype)
        calls = [call for _, call in group]
        expected = [tensorflow.run(call) for call in calls]
        try:
            found = child.run_all(calls)
        except EOFError:
            # It crashed: find the call that did it.
            child, found = Child(options.host), []
            for call in calls:
                try:
                    found.append(child.run(call))
                except EOFError:
                    found.append(Failure(-1, "the process ended"))
                    child = Child(options.host)
        exacts, theirs, ours, bar = compare.accuracy(group, expected, found)
        wrong = [(i, text) for i, call in enumerate(calls)
                 if (text := compare.difference(call, found[i], expected[i], exacts[i], bar))]
        refused = sum(isinstance(result, Failure) for result in expected)
        print(f"{op} {dtype}: {len(calls)} calls, {refused} refused; ulp: ours {ours:.3g}, "
              f"TensorFlow {theirs:.3g}, bar {bar:.3g}; {len(wrong)} wrong")
        for i, text in wrong[:options.most]:
            print(f"  case {i}: {compare.describe(calls[i])}\n    {text}")
        if options.case is not None:
            numpy.set_printoptions(threshold=200, linewidth=160)
            i = options.case
            print(f"  {calls[i]}\n  TensorFlow: {expected[i]}\n  ours: {found[i]}\n  exact: {exacts[i]}")
        bad += len(wrong)
    child.close()
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
