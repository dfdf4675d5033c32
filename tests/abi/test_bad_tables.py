"""The generator of the tables, met with damaged ones: it makes something, or names file and line."""

import os
import pathlib
import random
import re
import shutil
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
GENERATOR = pathlib.Path(os.environ["TENON_BUILD"]) / "tools/gen_abi_tables"
GOOD = b"name\tsize\tnote\na\t1\t-\nb\t2\tlonger text\n"


def generate(folder, *tables):
    return subprocess.run([GENERATOR, folder, folder / "out.c", *tables], capture_output=True, text=True, timeout=60, errors="replace")


@pytest.mark.parametrize("content, says", [
    (b"", "t.tsv: empty"),
    (b"name\tsize\na\n", "t.tsv:2: 1 columns where the first row has 2"),
    (GOOD + b"c\t3\t-\tmore\n", "t.tsv:4: 4 columns where the first row has 3"),
    (GOOD + b"\n", "t.tsv:4: 1 columns where the first row has 3"),
    (GOOD.replace(b"longer", b"lo\0ger"), "t.tsv:3: a byte 0, which is no text, at its byte 7"),
    (GOOD.replace(b"size", b"name"), "t.tsv:1: two columns are named 'name'"),
    (GOOD.replace(b"size", b""), "t.tsv:1: column 2 has no name"),
    (None, "t.tsv: No such file or directory"),
])
def test_damage_is_told_with_file_and_line(tmp_path, content, says):
    if content is not None:
        (tmp_path / "t.tsv").write_bytes(content)
    done = generate(tmp_path, "t")
    assert done.returncode == 1 and f"{tmp_path}/{says}" in done.stderr, done


def mutate(chance, data):
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data))
        what = chance.randrange(5)
        if what == 0:
            data[at] = chance.randrange(256)
        elif what == 1:
            del data[at:at + chance.randint(1, 40)]
        elif what == 2:
            data[at:at] = chance.choice([b"\t", b"\n", b"\0", b"\xff", b"x" * 5000, b"\t" * 300])
        elif what == 3:
            data = data[:at]
        else:
            other = chance.randrange(len(data))
            data[at:at] = data[other:other + 30]
        if not data:
            break
    return bytes(data)


def test_real_tables_damaged_anywhere(tmp_path):
    seed = int(os.environ.get("TN_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print("seed", seed)
    chance = random.Random(seed)
    tables = [path for path in sorted((SOURCE / "data/abi").glob("*/*.tsv")) if path.stat().st_size < 100_000]
    assert len(tables) > 10
    refused = 0
    for _ in range(150):
        source = chance.choice(tables)
        (tmp_path / "t.tsv").write_bytes(mutate(chance, source.read_bytes()))
        done = generate(tmp_path, "t")
        assert done.returncode in (0, 1), (seed, source.name, done)
        if done.returncode == 1:
            refused += 1
            assert re.match(rf"gen_abi_tables: {re.escape(str(tmp_path))}/t\.tsv(:\d+)?: ", done.stderr), (seed, source.name, done)
    assert refused > 10
    shutil.copy(source, tmp_path / "t.tsv")
    assert generate(tmp_path, "t").returncode == 0
