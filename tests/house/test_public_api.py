"""Every public function says what a caller must know, and the libraries export what they should."""

import re
import sys

import pytest

from house import BUILD, SOURCE, run

sys.path.insert(0, str(SOURCE / "tools"))
import public_api  # noqa: E402

HEADERS = sorted((SOURCE / "include/tenon").glob("*.h"))
FUNCTIONS = [function for header in HEADERS for function in public_api.functions_of(header)]

THREADS = re.compile(r"\[(any thread|one thread per \w+[^\]]*|the thread that [^\]]+)\]")
OWNERSHIP = re.compile(
    r"\b(own(s|ed|er|ers|ership)?|borrow(s|ed)?|cop(y|ies|ied)|frees?|drops?|takes over|keeps|dead"
    r"|belongs?|nobody's)\b", re.I)


def missing(function):
    if not THREADS.search(function.comment):
        yield "a thread tag such as [any thread]"
    if not OWNERSHIP.search(function.comment):
        yield "a word on ownership (owned by, borrows, copies, frees)"
    if not re.search(r"\bsince \d+\.\d+\b", function.comment):
        yield "since 0.1"


def test_every_public_function_says_thread_ownership_and_since():
    assert len(FUNCTIONS) > 30
    found = [f"{f.header.name}:{f.line}: {f.name} lacks {', '.join(lacks)}"
             for f in FUNCTIONS if (lacks := list(missing(f)))]
    assert not found, "\n".join(found)


def test_a_function_without_its_contract_is_found(tmp_path):
    header = tmp_path / "x.h"
    header.write_text("// Makes an x.\ntn_x* tn_x_create(int size,\n                  void (*f)(int));\n"
                      "// Owned by the caller.  [any thread]  since 0.1\nint tn_y(void);\n"
                      "typedef struct tn_z { int (*tn_call)(void); } tn_z;\n")
    create, y = public_api.functions_of(header)
    assert (create.name, y.name) == ("tn_x_create", "tn_y")
    assert len(list(missing(create))) == 3 and not list(missing(y))


def exports(library):
    """Name and version node of each symbol that a library defines."""
    lines = run("nm", "-D", "--defined-only", "--with-symbol-versions", library, check=True).stdout
    symbols = [line.split()[-1] for line in lines.splitlines() if line.split()[-2] != "A"]
    return {name: node for name, _, node in (symbol.partition("@@") for symbol in symbols)}


def test_libtenon_exports_its_own_names_only():
    found = exports(BUILD / "lib/libtenon.so")
    assert found and not [name for name in found if not name.startswith("tn_")]


def test_libtenon_can_be_opened_by_a_running_program():
    """Its thread-local memory comes from a reserve of some 1,600 bytes that all libraries share (STATIC_TLS)."""
    segment = re.search(r"^  TLS +(?:0x\w+ ){4}(0x\w+)", run("readelf", "-lW", BUILD / "lib/libtenon.so", check=True).stdout, re.M)
    assert int(segment[1], 16) <= 1024


def test_what_the_headers_declare_is_exported_under_its_version():
    found = exports(BUILD / "lib/libtenon.so")
    public = {f.name: "TENON_" + re.search(r"since (\d+\.\d+)", f.comment)[1]
              for f in FUNCTIONS if f.name.startswith("tn_")}
    assert len(public) > 30 and {name: found.get(name) for name in public} == public
    assert {found[name] for name in found if name not in public} <= {"TENON_PRIVATE"}


def test_what_the_headers_lend_to_plugins_is_exported_to_them():
    lent = {f.name for f in FUNCTIONS if not f.name.startswith("tn_")}
    assert lent and lent <= set(exports(BUILD / "lib/libtenon_tf.so"))


def test_libtenon_tf_exports_the_plugin_abi_only():
    allowed = re.compile(r"(TF|TFE|TSL|SE|TN)_\w+|PyRun_SimpleStringFlags"
                         r"|_ZN10tensorflow8internal15LogMessageFatal(C1EPKci|D1Ev|C2EPKci|D2Ev|D0Ev)")
    found = exports(BUILD / "lib/libtenon_tf.so")
    assert found and not [name for name in found if not allowed.fullmatch(name)]


def needed(library):
    text = run("readelf", "-d", library, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", text))


SYSTEM = {"libc.so.6", "libm.so.6", "libz.so.1", "libelf.so.1", "libdw.so.1", "ld-linux-x86-64.so.2"}


def test_libtenon_needs_nothing_but_the_six_system_libraries():
    assert needed(BUILD / "lib/libtenon.so") <= SYSTEM


def test_libtenon_tf_needs_libtenon_besides():
    assert needed(BUILD / "lib/libtenon_tf.so") <= SYSTEM | {"libtenon.so.0"}


@pytest.mark.parametrize("plugin", sorted((BUILD / "lib/tenon/plugins").glob("*.so")), ids=lambda p: p.name)
def test_a_plugin_exports_entry_points_only(plugin):
    found = exports(plugin)
    assert found and set(found) <= {"TF_InitKernel", "SE_InitPlugin", "TF_InitGraph", "TF_InitProfiler"}
