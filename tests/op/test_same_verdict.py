"""Random specs, good and bad: Tenon accepts and refuses what TensorFlow does, with its texts.

TensorFlow reports a bad op only when a library that registers it is loaded, so each op is registered
by a copy of one small library.
"""

import os
import pathlib
import random
import shutil
import subprocess

import pytest
import tensorflow as tf

import tenon_ops

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
ROUNDS = int(os.environ.get("TENON_ROUNDS", "400"))

# One attr each.
ATTRS = r"""
x: int32
x: any
x: anynumbertype
x: realnumerictype
x: {realnumerictype}
x: {float, bool,}
x: {}
x: {'a', "b",}  = 'a'
x: {float8_e5m2}
 x: int
x:int>= 3=3
x: int > = 3
x: list(int) >= -1
x: float >= 1
x: list(int) = 7
x: int = [7]
x: int = 7;
x: int = 010
x: int = 0x10
x: int = 9223372036854775808
x: float = 010
x: float = 1e400
x: float = 1.5f
x: float = -inf
x: float = .5
x: bool = t
x: bool = 2
x: type = 1
x: type = 99
x: type = DT_FLOAT_REF
x: type = float
x: string = 'a' 'b'
x: string = '\q'
x: shape = { dim { size: 2 } dim: <size: -1> }
x: shape = { dim: [{size: 2}, {}], unknown_rank: false; }
x: shape = { unknown_rank: true unknown_rank: true }
x: tensor = { dtype: DT_INT32 tensor_shape {} int_val: [1] }
x: func = { name: 'f' attr { key: 'k' value { i: 1 } } }
x: func = { attr { key: 'k' value { i: 1 b: true } } }
x: list(func) = [{name: 'f'}, {name: 'g'}]
float: int
x: float = 0x10
x: float = 1.0000000000000000000000000000000000000000
x: float = +1
x: int = +1
x: float = 1e5
x: float = infinity
x: float = NAN
x: float = Inf
x: float = 1_0
x: float = -1e400
x: float = 1e-400
x: float = 3.40282350000000000e38
x: float = 3.4028236e38
x: float = .
x: float = 1.
x: float = 1.e
x: float = - 1
x: int = - 1
x: int = --1
x: int = 00
x: int = 001
x: int = -0
x: float = 010.5
x: type = 0
x: type = -0
x: type = 101
x: type = -1
x: type = DT_INVALID
x: list(type) = [DT_FLOAT , DT_INT32]
x: list(type) = [DT_FLOAT ]
x: list(type) = [ DT_FLOAT, DT_INT32]
x: list(int) = [1 , 2 ]
x: list(int) = [1] i: [2]
x: list(int) = [1] i: 3 i: [2]
x: list(int) = [1] foo: bar i: [2]
x: list(int) = [1] ]
x: list(int) = [1,]
x: list(int) = [ ]
x: list(int) = [] i:[]
x: int = 7 foo
x: int = 7 foo: 3
x: int = 7 b: true
x: int = 7 # comment
x: int = # comment
x: bool = True
x: bool = TRUE
x: bool = 01
x: bool = true foo
x: string = 'a\x41b'
x: string = 'a\x41'
x: string = '\x4'
x: string = '\xg'
x: string = '\400'
x: string = '\u00e9'
x: string = '\u0e9'
x: string = '\U0010ffff'
x: string = '\U00110000'
x: string = '\ud800'
x: string = 'a"b'
x: string = "a'b"
x: string = 'a' foo
x: string = 'a\'b'
x: string = 'a
x: shape = { dim { size: 1 }, dim {} }
x: shape = { dim: { size: 1 name: 'q' } }
x: shape = { dim [ { size: 1 }, { size : 2 } ] }
x: shape = { dim [] }
x: shape = { dim { size 1 } }
x: shape = { dim { foo size: 1 } }
x: shape = < dim < size: 1 > >
x: shape = < dim { size: 1 > >
x: shape = { } foo
x: shape = { } }
x: func = { name: 'f' attr { key: 'a' } }
x: func = { name: 'f' attr { key: 'a' value { } } }
x: func = { name: 'f' attr { key: 'a' key: 'b' value { i: 1 } } }
x: func = { name: 'f' attr { key: 'a' value { i: 1 } } attr { key: 'a' value { i: 2 } } }
x: func = { name: 'f' name: 'g' }
x: func = { }
x: tensor = { dtype: DT_INT32 tensor_shape {} int_val: 1 int_val: 2 }
x: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 3 } } int_val: 1 }
x: tensor = { dtype: DT_FLOAT float_val: [1.5, inf] tensor_shape { dim { size: 2 } } }
x: tensor = { dtype: DT_INT32 int_val: 99999999999 }
""".strip("\n").split("\n")

# TensorFlow keeps any message as a default, also one that is no shape or tensor; Tenon refuses those.
NO_VALUE = r"""
x: shape = { dim { size: -5 } }
x: shape = { unknown_rank: true dim { size: 1 } }
x: tensor = { dtype: DT_INT32 tensor_shape { dim { size: -3 } } int_val: 1 }
x: tensor = { dtype: DT_RESOURCE }
x: tensor = { }
""".strip("\n").split("\n")

OTHERS = [
    {'attrs': ['x: int', 'x: int']},
    {'inputs': ['x: N * float'], 'attrs': ['N: string']},
    {'inputs': ['x: N * float'], 'attrs': ['N: int >= -2']},
    {'inputs': ['x: N * T'], 'attrs': ['N: int', 'T: list(type)']},
    {'inputs': ['x: Ref(N * T)'], 'attrs': ['N: int', 'T: type']},
    {'inputs': ['x: Ref (float )']},
    {'inputs': ['x: Ref(float))']},
    {'inputs': ['x: float_ref']},
    {'inputs': ['x: float8_e4m3fn', 'y: int4']},
    {'inputs': ['X: float']},
    {'inputs': ['x: DT_FLOAT']},
    {'inputs': ['x: float'], 'outputs': ['x: float']},
    {'outputs': ['x: T *'], 'attrs': ['T: type']},
]

WORDS = ["int", "float", "bool", "string", "type", "shape", "tensor", "func", "list(", ")", "{", "}", ",",
         " ", ":", ">=", "=", "1", "-2", "3.5", "'s'", '"t"', "[", "]", "DT_INT32", "numbertype",
         "quantizedtype", "int32", "half", "resource", "Ref(", "*", "N", "T", "L", "dim { size: 2 }", "true",
         "name: 'f'", "any", "\\", "\t"]
STARTS = {"attrs": ["x: ", "x: list(", "x: {", "x: int ", "x: int = ", "x: list(int) = [", "x: shape = {",
                    "x: string = ", "x: type = ", "x:func={", ""],
          "inputs": ["y: ", "y: Ref(", "y: N * ", "y: T", ""], "outputs": ["z: ", "z: L", ""]}


@pytest.fixture(scope="module")
def tenon():
    return tenon_ops.Tenon()


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    path = tmp_path_factory.mktemp("specs") / "specs.so"
    folder = pathlib.Path(tf.__file__).parent
    subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", path,
                    SOURCE / "tests/op/spec_plugin.c", f"-L{folder}", "-l:libtensorflow_framework.so.2"],
                   check=True)
    return path


def tensorflow_register(library, name, attrs=(), inputs=(), outputs=()):
    lines = [name, *(f"A {s}" for s in attrs), *(f"I {s}" for s in inputs), *(f"O {s}" for s in outputs)]
    copy = library.with_name(name + ".so")
    shutil.copy(library, copy)
    os.environ["TENON_SPECS"] = "\n".join(lines)
    try:
        tf.load_library(str(copy))
        return None
    except tf.errors.OpError as error:
        return error.message
    finally:
        del os.environ["TENON_SPECS"]
        copy.unlink()


def essence(message):
    """Without what only one side says: positions and reasons, and how the definition is printed."""
    if message is None:
        return None
    lines = [line.split(", at byte ")[0] for line in message.split("; in OpDef: ")[0].split("\n")]
    return "\n".join(line.split("got error: ")[0] for line in lines)


def random_specs(random):
    count = random.randint(1, 5)
    kind = random.choice(list(STARTS))
    spec = random.choice(STARTS[kind]) + "".join(random.choice(WORDS) for _ in range(count))
    specs = {"attrs": ["N: int", "T: type", "L: list(type)"]}
    specs[kind] = specs.get(kind, []) + [spec]
    return specs


def both(tenon, library, name, specs):
    return tensorflow_register(library, name, **specs), tenon.register(name, **specs)


def test_known_quirks_have_the_same_verdict_and_text(tenon, library):
    different = []
    for i, specs in enumerate([{"attrs": [spec]} for spec in ATTRS] + OTHERS):
        theirs, ours = both(tenon, library, f"TenonFixed{i}", specs)
        if essence(theirs) != essence(ours):
            different.append(f"{specs}: TensorFlow says {theirs!r}, Tenon {ours!r}")
    assert not different, "\n".join(different)


@pytest.mark.parametrize("spec", NO_VALUE)
def test_a_default_that_is_no_value_is_refused(tenon, library, spec):
    theirs, ours = both(tenon, library, f"TenonNoValue{NO_VALUE.index(spec)}", {"attrs": [spec]})
    assert theirs is None and ours.startswith("Could not parse default value ")


def test_random_specs_have_the_same_verdict_and_text(tenon, library):
    seed = int(os.environ.get("TN_TEST_SEED", random.SystemRandom().randrange(1 << 32)))
    source = random.Random(seed)
    different, accepted = [], 0
    for i in range(ROUNDS):
        specs = random_specs(source)
        theirs, ours = both(tenon, library, f"TenonRandom{i}", specs)
        accepted += ours is None
        if essence(theirs) != essence(ours):
            different.append(f"{specs}: TensorFlow says {theirs!r}, Tenon {ours!r}")
    assert not different, f"replay with TN_TEST_SEED={seed}\n" + "\n".join(different)
    assert 0 < accepted < ROUNDS
