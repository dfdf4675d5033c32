"""Every kernel of the plugin against TensorFlow's own on the cases of cases/*.py.

All cases run in Tenon, and a few of each op and type with the plugin loaded into TensorFlow. On the way
TensorFlow's answers are written down for the replay (answers.py), and what was seen (record.py).

pytest -k "AddV2 and float32" runs one op on one type; python -m cases.run says more. TENON_SHARD=1/2 is
the first half of the ops.
"""

import os

import pytest

import answers
import record
from cases import compare, maker, registry
from hosts import Child, TensorFlow

PART, PARTS = map(int, os.environ.get("TENON_SHARD", "1/1").split("/"))
OPS = sorted({op for op, _ in registry.groups()})[PART - 1::PARTS]


@pytest.fixture(scope="session")
def tensorflow():
    if PART == 1:
        answers.forget(registry.groups())
        record.forget(registry.groups())
    return TensorFlow()


@pytest.fixture(scope="session")
def tenon():
    child = Child("Tenon(PLUGIN)")
    yield child
    child.close()


@pytest.fixture(scope="session")
def tensorflow_with_plugin():
    child = Child("TensorFlow(PLUGIN)")
    yield child
    child.close()


@pytest.mark.parametrize("op, dtype", [key for key in registry.groups() if key[0] in OPS])
def test_the_same_as_in_tensorflow(tensorflow, tenon, tensorflow_with_plugin, op, dtype):
    group = registry.calls_of(op, dtype)
    calls = [call for _, call in group]
    # What takes no denormal numbers: TensorFlow's threads flush them under the plugin's hands too.
    few = [i for i in range(0, len(calls), max(1, len(calls) // 4)) if not compare.has_denormals(calls[i])]
    in_tenon, in_tensorflow = tenon.run_all(calls), tensorflow_with_plugin.run_all([calls[i] for i in few])
    expected = [tensorflow.run(call) for call in calls]
    exacts, theirs, ours, bar = compare.accuracy(group, expected, in_tenon)
    record.write(op, dtype, group[0][0].family, calls, expected, tensorflow.registry.get, ours, theirs, bar)
    answers.Writer(tensorflow).write(op, dtype, calls, expected, exacts, bar)
    wrong = [f"case {i} in {host}: {compare.describe(calls[i])}\n  {text}"
             for host, numbers, found in [("Tenon", range(len(calls)), in_tenon),
                                          ("TensorFlow", few, in_tensorflow)]
             for i, result in zip(numbers, found, strict=True)
             if (text := compare.difference(calls[i], result, expected[i], exacts[i], bar))]
    assert not wrong, f"{op} {dtype}, TN_TEST_SEED={maker.SEED}: {len(wrong)} wrong\n" + "\n".join(wrong[:5])
