"""Headers that are cut short, damaged or hostile: exit 2 with a message that names the file, never a crash or a hang."""

import json
import os
import pathlib
import random
import subprocess

import pytest

from test_abi import HEADER, TENON

DEEP = 400


def layout(path, *words):
    return subprocess.run([TENON, "abi", "layout", path, *words], capture_output=True, text=True, errors="replace", timeout=300)


def judge(path, done, note=None):
    """A model, or exit 2 and a message with the name of the file in it."""
    assert done.returncode in (0, 2), (note, done)
    if done.returncode == 0:
        json.loads(done.stdout)
    else:
        assert path.name in done.stderr and not done.stdout, (note, done)
    return done.returncode == 2


def mutate(chance, text):
    at = chance.randrange(len(text))
    what = chance.randrange(6)
    if what == 0:
        return text[:at] + bytes([chance.randrange(256)]) + text[at + 1:]
    if what == 1:
        return text[:at] + text[at + chance.randint(1, 30):]
    if what == 2:
        return text[:at]
    if what == 3:
        other = chance.randrange(len(text))
        return text[:at] + text[other:other + 60] + text[at:]
    if what == 4:
        return text[:at] + chance.choice([b"\0", b"\xff\xfe", b"}", b"{", b"/*", b'"', b"#", b"\\\n", b"[-1]", b":99"]) + text[at:]
    return text.replace(b"int", chance.choice([b"__int128", b"void", b"struct My_Args", b"_Complex double", b"int[0x7fffffff]"]))


def test_damage_anywhere_is_a_model_or_exit_2(tmp_path):
    seed = int(os.environ.get("TN_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print("seed", seed)
    chance = random.Random(seed)
    header = tmp_path / "damaged.h"
    refused = 0
    for _ in range(25):
        data = HEADER.encode()
        for _ in range(chance.randint(1, 3)):
            data = mutate(chance, data) or b" "
        header.write_bytes(data)
        refused += judge(header, layout(header), (seed, data))
    assert refused > 2


@pytest.mark.parametrize("name, text, refused", [
    ("itself", '#include "itself.h"\n', True),
    ("missing", '#include "not_there.h"\n', True),
    ("folder", '#include "."\n', True),
    ("device", '#include "/dev/zero"\n', None),
    ("brackets", "int x = " + "(" * 100000 + ";\n", True),
    ("structs", "struct a {" * 200 + "int x;" + "};" * 200, None),
    ("pointers", "typedef int " + "*" * 20000 + "P; struct s { P p; };", None),
    ("functions", "typedef int " + "(*" * DEEP + "F" + ")(int)" * DEEP + "; struct s { F f; };", None),
    ("macros", "#define A0 x\n" + "".join(f"#define A{i} A{i - 1} A{i - 1}\n" for i in range(1, 26)) + "int A3;\n", True),
    ("typedefs", "".join(f"typedef {'int' if i == 0 else f'T{i - 1}'} T{i};\n" for i in range(5000)) + "struct s { T4999 t; };", False),
    ("huge", "struct s { char a[0x7fffffffffffffff]; char b[0x7fffffffffffffff]; };", None),
    ("negative", "struct s { int a[-1]; };", True),
    ("binary", "\0\1\2" * 1000, None),
    ("nothing", "", False),
    ("assembler", '.section .text\n', True),
    ("error", "#error do not include this\n", True),
])
def test_hostile_headers(tmp_path, name, text, refused):
    header = tmp_path / f"{name}.h"
    header.write_text(text)
    was_refused = judge(header, layout(header))
    assert refused is None or was_refused == refused


def test_the_compilers_own_words_are_shown(tmp_path):
    (tmp_path / "bad.h").write_text("typedef struct { unknown_type x; } A;\n")
    done = layout(tmp_path / "bad.h")
    assert done.returncode == 2 and "bad.h:1" in done.stderr and "unknown type name 'unknown_type'" in done.stderr
    (tmp_path / "good.h").write_text(HEADER)
    for pair in (("good.h", "bad.h"), ("bad.h", "good.h")):
        done = subprocess.run([TENON, "abi", "check", *pair], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 2 and "unknown type name" in done.stderr


@pytest.mark.parametrize("kind", ["missing", "folder"])
def test_what_is_no_file_is_named(tmp_path, kind):
    path = tmp_path / f"{kind}.h"
    if kind == "folder":
        path.mkdir()
    done = layout(path)
    assert done.returncode == 2 and path.name in done.stderr


def test_what_the_compiler_says_of_its_own_death_is_not_shown(tmp_path):
    (tmp_path / "endless.h").write_text('#include "/dev/zero"\n')
    done = layout(tmp_path / "endless.h")
    assert done.returncode == 2 and done.stderr.count("\n") <= 3, done.stderr
    assert "endless.h" in done.stderr and "Stack dump" not in done.stderr and "libclang:" not in done.stderr
