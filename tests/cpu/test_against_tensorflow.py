"""Every kernel of the plugin, hosted by Tenon, against TensorFlow's own on the cases of cases/*.py.

pytest -k "AddV2 and float32" runs one op on one type; python -m cases.run says more.
"""

import pytest

from cases import compare, maker, registry
from hosts import Child, TensorFlow


@pytest.fixture(scope="session")
def tensorflow():
    return TensorFlow()


@pytest.fixture(scope="session")
def tenon():
    child = Child("Tenon(PLUGIN)")
    yield child
    child.close()


@pytest.mark.parametrize("op, dtype", registry.groups())
def test_the_same_as_in_tensorflow(tensorflow, tenon, op, dtype):
    group = registry.calls_of(op, dtype)
    found = tenon.run_all([call for _, call in group])
    expected = [tensorflow.run(call) for _, call in group]
    exacts, _, _, bar = compare.accuracy(group, expected, found)
    wrong = [f"case {i}: {compare.describe(call)}\n  {text}" for i, (_, call) in enumerate(group)
             if (text := compare.difference(call, found[i], expected[i], exacts[i], bar))]
    assert not wrong, f"{op} {dtype}, TN_TEST_SEED={maker.SEED}: {len(wrong)} wrong\n" + "\n".join(wrong[:5])
