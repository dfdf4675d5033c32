"""tenon abi check: what a name stands for, whichever of header, baseline and shared object tells it."""

import json
import os
import pathlib
import subprocess

import pytest

TENON = pathlib.Path(os.environ["TENON_BUILD"]) / "bin/tenon"

NUMBER = "#define A_MAJOR 1\n#define A_MINOR 2\n"


def tenon(*words, **more):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, **more)


def findings(old, new, *words):
    done = tenon("abi", "check", old, new, "--json", *words)
    assert done.stdout, done.stderr
    return {(finding["struct"], finding["field"], finding["kind"]) for finding in json.loads(done.stdout)["findings"]}


def headers(tmp_path, old, new):
    (tmp_path / "old.h").write_text(NUMBER + old)
    (tmp_path / "new.h").write_text(NUMBER + new)
    baseline = tmp_path / "old.json"
    baseline.write_text(tenon("abi", "layout", tmp_path / "old.h").stdout)
    return [tmp_path / "old.h", baseline], tmp_path / "new.h"


@pytest.mark.parametrize("old, new, found", [
    ("typedef int T; int f(T);", "typedef long T; int f(T);", {("f", "", "function-signature-changed")}),
    ("typedef int T; T f(void);", "typedef long T; T f(void);", {("f", "", "function-signature-changed")}),
    ("typedef int T; struct S { int (*f)(T); };", "typedef long T; struct S { int (*f)(T); };",
     {("S", "f", "field-signature-changed")}),
    ("struct C; typedef void F(struct C*); struct S { F* f; };", "struct C; typedef void F(struct C*, int); struct S { F* f; };",
     {("S", "f", "field-signature-changed")}),
    ("typedef void (*Fn)(int); void f(Fn);", "typedef void (*Fn)(int, int); void f(Fn);",
     {("f", "", "function-signature-changed")}),
    ("typedef int T; struct S { T* p; };", "typedef long T; struct S { T* p; };", {("S", "p", "field-type-respelled")}),
    ("int f(int);", "typedef int T; T f(T);", set()),
])
def test_a_typedef_counts_as_what_it_stands_for(tmp_path, old, new, found):
    sides, changed = headers(tmp_path, old, new)
    for side in sides:
        assert findings(side, changed) == found, side


def test_people_see_the_name_and_what_it_stands_for(tmp_path):
    (before, _), after = headers(tmp_path, "typedef int T; int f(T);", "typedef long T; int f(T);")
    assert "(int (T) = int (int) -> int (T) = int (long))" in tenon("abi", "check", before, after).stdout


SAME = NUMBER + """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef struct Ctx Ctx;
typedef int F(Ctx*, long n);
typedef enum Mode { MODE_A, MODE_B = 200, MODE_C = -3 } Mode;
typedef struct Inner { uint8_t tag[3]; bool on; } Inner;
typedef struct { int x; } Named;
typedef const char* const Names[3];
typedef struct Api {
  size_t struct_size;
  F* f;
  void (*cb)(const char*, unsigned long);
  Mode mode;
  Inner in;
  union { int64_t i; double d; } u;
  union { int32_t j; float e; };
  const char* name;
  Names names;
  int (*fs[4])(const char*, ...);
  int (*(*ff)(int))(long);
  const volatile int* const cv;
  Named* named;
  int m[2][3];
  int (*row)[5];
  const void* cvp;
} Api;
int run(const Api* api, Mode m, uint32_t n, const int c, char* s);
"""


def build(tmp_path, compiler, name, text):
    source = tmp_path / f"{name}.c"
    source.write_text(text + "int run(const Api* api, Mode m, uint32_t n, const int c, char* s) { return 0; }\n")
    library = tmp_path / f"{name}.{compiler}.so"
    subprocess.run([compiler, "-g", "-shared", "-fPIC", source, "-o", library], check=True)
    return library


def test_a_header_its_baseline_and_two_compilers_agree(tmp_path):
    header = tmp_path / "same.h"
    header.write_text(SAME)
    baseline = tmp_path / "same.json"
    baseline.write_text(tenon("abi", "layout", header).stdout)
    sides = [header, baseline] + [build(tmp_path, compiler, "same", SAME) for compiler in ("gcc", "clang")]
    for old in sides:
        for new in sides:
            assert findings(old, new) == set(), (old, new)


def test_a_member_of_a_nameless_union_is_judged_in_debug_information(tmp_path):
    other = SAME.replace("int64_t i; double d;", "int64_t i; void* d;")
    found = findings(build(tmp_path, "gcc", "old", SAME), build(tmp_path, "clang", "new", other))
    assert found == {("Api", "u.d", "field-retyped")}


@pytest.mark.parametrize("old, new, found", [
    ("struct S { int a : 3; int b : 5; };", "struct S { int a : 4; int b : 4; };",
     {("S", "a", "field-retyped"), ("S", "b", "field-moved"), ("S", "b", "field-retyped")}),
    ("struct S { int a : 3; int b : 5; };", "struct S { int b : 5; int a : 3; };",
     {("S", "a", "field-moved"), ("S", "b", "field-moved")}),
    ("#define FLAG 1\n", "#define FLAG 2\n", {("#define", "FLAG", "macro-value-changed")}),
    ("#define FLAG (1u << 3)\n", "", {("#define", "FLAG", "macro-removed")}),
    ("#define FLAG 1\n", "enum { FLAG = 1 };", {("", "FLAG", "constant-added")}),
    ("#define GUARD\n#define EMPTY ()\n#define TEXT \"a\"\n#define MY_VERSION 3\n",
     "#define GUARD 1\n#define TEXT \"b\"\n#define MY_VERSION 4\n", set()),
    ("extern int g;", "extern long g;", {("g", "", "variable-type-changed")}),
    ("extern int g;", "", {("g", "", "variable-removed")}),
    ("union U { int a; float b; }; struct S { union U u; };", "union U { int a; void* b; }; struct S { union U u; };",
     {("U", "b", "field-retyped"), ("S", "u", "field-retyped")}),
    ("union U { int a; };", "union U { int a; float b; };", {("U", "b", "field-appended")}),
    ("typedef struct { int n; int tail[]; } S;", "typedef struct { int n; int tail[]; } S;", set()),
])
def test_bits_macros_variables_and_unions_are_judged(tmp_path, old, new, found):
    sides, changed = headers(tmp_path, old, new)
    for side in sides:
        assert findings(side, changed) == found, side


def test_bits_and_variables_are_read_from_debug_information(tmp_path):
    text = NUMBER + "struct S { int lead; unsigned a : 3; unsigned b : 7; unsigned long c : 40; } s; int g;\n"
    other = text.replace("a : 3; unsigned b : 7", "a : 4; unsigned b : 6").replace("int g", "long g")
    (tmp_path / "s.h").write_text(text.replace("} s; int g;", "}; extern struct S s; extern int g;"))
    libraries = {}
    for name, compiler, flags, code in [("gcc", "gcc", [], text), ("clang", "clang", [], text), ("three", "gcc", ["-gdwarf-3"], text),
                                        ("other", "gcc", [], other)]:
        (tmp_path / f"{name}.c").write_text(code)
        libraries[name] = tmp_path / f"{name}.so"
        subprocess.run([compiler, "-g", *flags, "-shared", "-fPIC", tmp_path / f"{name}.c", "-o", libraries[name]], check=True)
    for name in ["gcc", "clang", "three"]:
        assert findings(tmp_path / "s.h", libraries[name]) == set(), name
    assert findings(libraries["gcc"], libraries["other"]) == {
        ("S", "a", "field-retyped"), ("S", "b", "field-moved"), ("S", "b", "field-retyped"), ("g", "", "variable-type-changed")}


def test_what_is_not_judged_of_cpp_is_said(tmp_path):
    (before, baseline), after = headers(tmp_path, "enum class M : unsigned char { A }; class C { public: virtual void f(); int x; };",
                                 "enum class M : int { A }; class C { public: virtual void e(); virtual void f(); int x; };")
    for side in [before, baseline]:
        assert findings(side, after) == {("M", "", "enum-resized")}
    done = tenon("abi", "check", before, after)
    assert "NOTE     functions of C++ classes (C and others) are not judged" in done.stdout
    assert json.loads(tenon("abi", "check", before, after, "--json").stdout)["unjudged"] == "C"
    (before, _), after = headers(tmp_path, "struct C { int x; };", "struct C { int x; };")
    assert "NOTE" not in tenon("abi", "check", before, after).stdout


def test_a_number_held_by_an_enum_may_move(tmp_path):
    old = "enum { B_MAJOR = 1, B_MINOR = 2 };\nstruct S { int a; };"
    new = "enum { B_MAJOR = 1, B_MINOR = 3 };\nstruct S { int a; int b; };"
    (tmp_path / "old.h").write_text(old)
    (tmp_path / "new.h").write_text(new)
    (tmp_path / "old.json").write_text(tenon("abi", "layout", tmp_path / "old.h").stdout)
    for side in ["old.h", "old.json"]:
        done = tenon("abi", "check", tmp_path / side, tmp_path / "new.h")
        assert done.returncode == 0 and "1 difference, minor" in done.stdout, done


def test_a_number_that_never_moves_is_no_fault_of_one_release():
    done = tenon("abi", "check", "tensorflow==2.8", "tensorflow==2.9", "--policy", "tf")
    assert done.returncode == 0 and "the number 0.0.1 did not move, as in every release" in done.stdout, done
    done = tenon("abi", "check", "tensorflow==2.5", "tensorflow==2.6", "--policy", "tf")
    assert done.returncode == 1 and "ILLEGAL" in done.stdout and "did not move, as in every release" in done.stdout
