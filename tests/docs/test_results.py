"""Pages of docs/results are whole, and say when they are older than the code they speak of.

They come from machines that a test does not have, so one that is older is a note in the summary (a skip with its reason), not
a failure: later changes need not wait for such a machine.
"""

import pathlib
import re
import sys

import pytest

SOURCE = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(SOURCE / "tools"))
import results  # noqa: E402

KINDS = {"pjrt-cuda": "make results, on a machine with a GPU and JAX's CUDA plugin", "pjrt-zoo": "make test-zoo",
         "check-cuda": "tenon check xla_cuda_plugin.so, on a machine with a GPU, into tools/check_results.py",
         "check-itex": "tenon check libitex_cpu.so --seed 7 --time-limit 60, into tools/check_results.py"}
FOOT = re.compile(r"^Commit (\w+); code ([0-9a-f]{16}) \(`tools/results\.py`\)\.$", re.M)


def pages(kind):
    return sorted((SOURCE / "docs/results").glob(f"{kind}-*.md"), key=lambda page: page.stem)


@pytest.mark.parametrize("page", sorted((SOURCE / "docs/results").glob("*-*.md")), ids=lambda page: page.name)
def test_a_page_has_its_date_its_table_and_its_code(page):
    name = re.fullmatch(r"(" + "|".join(KINDS) + r")-(\d{4}-\d\d-\d\d)(-\d)?", page.stem)
    text = page.read_text()
    assert name and name[2] in text.splitlines()[0] and FOOT.search(text) and text.count("\n|") > 5


@pytest.mark.parametrize("kind", KINDS)
def test_the_newest_page_speaks_of_this_code(kind):
    assert pages(kind), f"there is no page of {kind}: {KINDS[kind]}"
    found = FOOT.search(pages(kind)[-1].read_text())
    if found[2] != results.digest():
        pytest.skip(f"{pages(kind)[-1].name} is older than the code it speaks of (commit {found[1]}): {KINDS[kind]}")


def test_a_change_of_the_code_is_seen(tmp_path):
    for path in results.code_files():
        copy = tmp_path / path.relative_to(SOURCE)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    assert len(results.code_files()) > 20 and results.digest(tmp_path) == results.digest()
    changed = tmp_path / "src/pjrt/host/session.c"
    changed.write_text(changed.read_text() + "\n")
    assert results.digest(tmp_path) != results.digest()
