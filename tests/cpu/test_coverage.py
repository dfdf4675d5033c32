"""The plugin has what TensorFlow has, each kernel has its cases, and docs/cpu-kernels.md says so.

What test_against_tensorflow.py leaves behind is read here, so that runs first.
"""

import numpy
import pytest

import document
import kernels
import record
from cases import registry
from cases.maker import FLOAT8S, INTEGERS, QUANTIZED, TINY_INTEGERS, dtype_of
from hosts import Call, Child, Failure, TensorFlow

MAIN = {"float32", "float64", "float16", "bfloat16", "int32", "int64", "bool"}
OPAQUE = {"resource", "variant"}
UNTESTED = {
    # TensorFlow's kernel ends the process, reads beyond its input, or answers 0.
    "ConjugateTranspose": {"string", "float8_e5m2", "float8_e4m3fn"}, "ArgMax": {"int16"}, "Round": set(INTEGERS),
    # TensorFlow's kernel can never be made.
    "TopK": set(kernels.NAMES.values()),
    # Tenon does not define these ops: they are served in TensorFlow only.
    "Concat": set(kernels.NAMES.values()), "UniqueWithCounts": set(kernels.NAMES.values()),
    # Different every time.
    "NonDeterministicInts": set(INTEGERS),
    # Nobody seems to.
    "DynamicStitch": set(QUANTIZED), "ResourceGather": set(QUANTIZED), "SpaceToDepth": set(QUANTIZED),
    "Tile": {*FLOAT8S, *QUANTIZED, *TINY_INTEGERS, "float4_e2m1fn"}, "ResourceScatterNdUpdate": {"bool", "string"},
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
            missing = registered - seen.get(op, {}).get(attr, set()) - OPAQUE - UNTESTED.get(op, set())
            if missing:
                found.append(f"{op} {attr}: {', '.join(sorted(missing))}")
    assert not found, "no cases for\n" + "\n".join(found)


def can_be_wrong(op):
    """It takes more than one tensor, or attributes other than types."""
    definition = kernels.definition(op)
    return len(definition.input_arg) > 1 or any(attr.type != "type" for attr in definition.attr)


# Nothing but a wrong type is wrong for these; or TensorFlow ends the process over what is.
NEVER_REFUSED = {"BatchMatMulV3", "Concat", "EncodeBase64", "IdentityN", "LeakyRelu", "MaxPoolGradGrad",
                 "MaxPoolGradGradV2", "MaxPoolGradV2", "PlaceholderWithDefault", "PreventGradient", "RandomShuffle",
                 "ReadFile", "ShapeN", "TopK", "StringLength", "StringToHashBucket", "StringToHashBucketFast",
                 "UniqueWithCounts"}


def test_every_op_has_cases_that_are_refused():
    refused = {op for entry in SHOWN if entry["refused"] for op in [entry["op"]]}
    missing = [op for op in sorted(kernels.registered()) if can_be_wrong(op) and op not in refused | NEVER_REFUSED]
    assert not missing, missing


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


def test_the_document_has_the_errors_of_every_op_that_has_any():
    text = document.DOCUMENT.read_text()
    listed = {row[0] for row in document.rows(document.section(text, "errors"))}
    assert set(document.measured()) <= listed <= set(kernels.registered()), "python tests/cpu/document.py writes it"
