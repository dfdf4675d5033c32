"""The plugin has what TensorFlow has, each kernel has its cases, and docs/cpu-kernels.md says so.

What test_against_tensorflow.py leaves behind is read here, so that runs first.
"""

import numpy
import pytest

import document
import kernels
import record
from cases import registry
from cases.maker import INTEGERS, Maker, dtype_of
from hosts import Call, Child, Failure, TensorFlow

MAIN = {"float32", "float64", "float16", "bfloat16", "int32", "int64", "bool"}
OPAQUE = {"resource", "variant"}
# Types that TensorFlow's own kernel is no measure for; test_what_tensorflow_cannot_answer_is_right has them.
UNANSWERED = {
    "ArgMax": {"int16"},  # of an axis of two bytes it reads four
    "Round": {"int32", "int64"},  # it answers 0
    "TopK": set(kernels.NAMES.values()),  # it has a kernel that can never be made
    "NonDeterministicInts": set(INTEGERS),  # different every time, as it must be
}
SHOWN = record.read()


@pytest.fixture(scope="module")
def tensorflow():
    return TensorFlow()


def uncovered(tensorflow):
    """(op, combination) that TensorFlow has and the plugin has not; how many TensorFlow has in all."""
    missing, count = [], 0
    for op in sorted(kernels.registered()):
        there = kernels.theirs(op)
        if op == "Cast":  # registered for everything; which pairs work is seen in trying
            there = {pair for pair in there if casts(tensorflow, **dict(pair))}
        # Shapes of any type are registered, and those of other types refused.
        there = {c for c in there if dict(c).get("shape_dtype", "int32") in ("int32", "int64")}
        count += len(there)
        missing += [(op, combination) for combination in sorted(there - kernels.ours(op))]
    return missing, count


def casts(tensorflow, SrcT, DstT):
    if {SrcT, DstT} & OPAQUE:
        return False
    call = Call("Cast", [numpy.zeros([0], dtype_of(SrcT))], {"DstT": dtype_of(DstT)})
    return not isinstance(tensorflow.run(call), Failure)


def excused():
    """{op: [(attribute, types)]} of the document's table of what is left out."""
    found = {}
    for ops, attr, types, why in document.rows(document.section(document.DOCUMENT.read_text(), "left out")):
        assert why, f"{ops}: no reason"
        for op in ops.split(", "):
            found.setdefault(op, []).append((attr, types.split(", ")))
    return found


def test_what_tensorflow_has_and_we_do_not_is_little_and_listed_with_a_reason(tensorflow):
    missing, count = uncovered(tensorflow)
    reasons = excused()
    unlisted = [(op, combination) for op, combination in missing
                if not any((attr, name) in combination for attr, types in reasons.get(op, []) for name in types)]
    assert not unlisted, f"{len(unlisted)} not in docs/cpu-kernels.md, as {unlisted[:5]}"
    assert len(missing) <= count / 10, f"{len(missing)} of {count}"
    plain = [(op, combination) for op, combination in missing if {name for _, name in combination} <= MAIN]
    assert not plain, f"{len(plain)}, as {plain[:5]}"


def test_the_list_of_what_is_left_out_names_no_more_than_that(tensorflow):
    missing, _ = uncovered(tensorflow)
    for op, reasons in excused().items():
        for attr, types in reasons:
            for name in types:
                assert any(o == op and (attr, name) in combination for o, combination in missing), (
                    f"{op} {attr} {name} is there, or TensorFlow has it not")


def test_every_type_of_every_kernel_has_its_cases():
    seen = {}
    for entry in SHOWN:
        for op, attrs in entry["types"].items():
            for attr, types in attrs.items():
                seen.setdefault(op, {}).setdefault(attr, set()).update(types)
    found = []
    for op in sorted(kernels.registered()):
        # Types that only we have are nobody's to compare with.
        for attr in kernels.type_attrs(op):
            registered = {name for combination in kernels.ours(op) & kernels.theirs(op)
                          for a, name in combination if a == attr}
            missing = registered - seen.get(op, {}).get(attr, set()) - OPAQUE - UNANSWERED.get(op, set())
            if missing:
                found.append(f"{op} {attr}: {', '.join(sorted(missing))}")
    assert not found, "no cases for\n" + "\n".join(found)


def can_be_wrong(op):
    """It takes more than one tensor, or attributes other than types."""
    definition = kernels.definition(op)
    return len(definition.input_arg) > 1 or any(attr.type != "type" for attr in definition.attr)


# Nothing but a wrong type is wrong for these.
NEVER_REFUSED = {
    "EncodeBase64",  # pad is true or false
    "LeakyRelu",  # alpha may be any number
    "PlaceholderWithDefault",  # a shape that does not fit the input is let pass by TensorFlow too
    "PreventGradient",  # message may be any text
    "RandomShuffle",  # seeds may be any numbers
    "TopK",  # TensorFlow refuses every use of it
}


def test_every_op_has_cases_that_are_refused():
    refused = {op for entry in SHOWN if entry["refused"] for op in [entry["op"]]}
    missing = [op for op in sorted(kernels.registered()) if can_be_wrong(op) and op not in refused | NEVER_REFUSED]
    assert not missing, missing


def test_what_tensorflow_cannot_answer_is_right():
    tenon, make = Child("Tenon(PLUGIN)"), Maker("unanswered")

    def equal(call, other):
        found, expected = tenon.run(call), tenon.run(other)
        assert not isinstance(found, Failure) and not isinstance(expected, Failure), (call, found, expected)
        assert all(numpy.array_equal(one, two) for one, two in zip(found, expected, strict=True)), call

    for dtype in sorted({name for combination in kernels.ours("TopK") for a, name in combination if a == "T"}):
        for shape, k in [([7], 3), ([4, 9], 9), ([2, 0, 5], 0), ([3, 40], 1)]:
            array = make.array(dtype, shape, special=False)
            equal(Call("TopK", [array], {"k": k}), Call("TopKV2", [array, numpy.array(k, "int32")]))
        for k in (-1, 8):
            assert isinstance(tenon.run(Call("TopK", [make.array(dtype, [7])], {"k": k})), Failure)
    for shape, axis in [([7], 0), ([4, 9], 1), ([4, 9], -2), ([2, 3, 5], -1)]:
        array = make.array("float32", shape)
        equal(Call("ArgMax", [array, numpy.array(axis, "int16")]), Call("ArgMax", [array, numpy.array(axis, "int32")]))
    for dtype in ("int32", "int64"):
        array = make.array(dtype, [3, 50], extreme=True)
        equal(Call("Round", [array]), Call("Identity", [array]))
    for dtype in sorted({name for combination in kernels.ours("NonDeterministicInts")
                         for a, name in combination if a == "dtype"}):
        call = Call("NonDeterministicInts", [numpy.array([20, 50], "int32")], {"dtype": numpy.dtype(dtype)})
        one, two = (tenon.run(call)[0] for _ in range(2))
        assert one.shape == (20, 50) and one.dtype == dtype and (one != two).mean() > 0.9
        bits = numpy.unpackbits(one.reshape(-1).view("uint8")).reshape(1000, -1).mean(0)
        assert ((bits > 0.3) & (bits < 0.7)).all(), f"{dtype}: some bits are hardly ever set, or hardly ever clear"
    tenon.close()


def required(op):
    """Values for the attributes that an op cannot do without and that no input tells."""
    definition = kernels.definition(op)
    told = {name for a in definition.input_arg for name in (a.type_attr, a.number_attr, a.type_list_attr)}
    some = {"int": 1, "float": 1.0, "bool": False, "string": "SAME", "type": dtype_of("float32"), "shape": [],
            "list(int)": [1, 1, 1, 1], "list(float)": [1.0], "list(type)": [dtype_of("float32")]}
    return {attr.name: some[attr.type] for attr in definition.attr
            if attr.name not in told and not attr.HasField("default_value")}


def wrong_types(op):
    """A call whose inputs all have a type that the op's definition does not allow; None: it allows all."""
    definition = kernels.definition(op)
    allowed = kernels.type_attrs(op)
    for dtype in "string", "complex64", "float32":
        if any(a.type_attr and dtype not in allowed[a.type_attr] for a in definition.input_arg):
            value = numpy.array([b"x"], object) if dtype == "string" else numpy.ones([1], dtype)
            return Call(op, [[value] if a.number_attr else value for a in definition.input_arg], required(op))
    return None


def test_wrong_types_are_refused_as_in_tensorflow(tensorflow):
    calls = [call for op in sorted({op for op, _ in registry.groups()}) if (call := wrong_types(op))]
    child = Child("Tenon(PLUGIN)")
    found = []
    for call, ours in zip(calls, child.run_all(calls), strict=True):
        theirs = tensorflow.run(call)
        if not isinstance(ours, Failure) or ours.code != theirs.code or call.op not in ours.message:
            found.append(f"{call.op}: {ours}; TensorFlow: {theirs}")
    child.close()
    assert not found, "\n".join(found)
    assert len(calls) > 5


def test_the_document_lists_every_op_with_its_types():
    text = document.DOCUMENT.read_text()
    listed = {row[0]: row for row in document.rows(document.section(text, "ops"))}
    expected = {op: document.rows(document.op_row(op))[0] for op in kernels.registered()}
    assert listed == expected, "python tests/cpu/document.py writes it"


def test_the_document_lists_the_ops_that_nothing_computes():
    listed = document.section(document.DOCUMENT.read_text(), "without")
    assert listed == document.without_section(), "python tests/cpu/document.py writes it"


def test_the_document_has_the_errors_of_every_op_that_has_any():
    text = document.DOCUMENT.read_text()
    listed = {row[0] for row in document.rows(document.section(text, "errors"))}
    assert set(document.measured()) <= listed <= set(kernels.registered()), "python tests/cpu/document.py writes it"
