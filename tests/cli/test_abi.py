"""tenon abi: checks of real headers and of small ones, windows, and what is wrong."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
TENON = BUILD / "bin/tenon"
INCLUDE = next(pathlib.Path(sys.prefix).glob("lib/python3*/site-packages/tensorflow/include"))

HEADER = """
#include <stddef.h>
#define MY_API_MAJOR 0
#define MY_API_MINOR 4
typedef struct My_Handle My_Handle;
typedef enum { MY_RED, MY_BLUE = 7 } My_Color;
typedef struct {
  size_t struct_size;
  void* data;  /* where it lies */
  int (*call)(My_Handle*, const char*);
  union { int i; float f; };
  My_Color color;
} My_Args;
#define MY_ARGS_STRUCT_SIZE (offsetof(My_Args, color) + sizeof(My_Color))
int my_function(My_Args* args);
static inline int my_helper(void) { return 1; }
"""


def tenon(*words, **more):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True, **more)


def check(tmp_path, change, *words, policy="pjrt"):
    (tmp_path / "old.h").write_text(HEADER)
    new = HEADER
    for old_text, new_text in change:
        assert old_text in new
        new = new.replace(old_text, new_text)
    (tmp_path / "new.h").write_text(new)
    done = tenon("abi", "check", tmp_path / "old.h", tmp_path / "new.h", "--policy", policy, "--json", *words)
    return done.returncode, json.loads(done.stdout)


BUMP = [("MINOR 4", "MINOR 5")]
APPEND = [("My_Color color;", "My_Color color; int more;"),
          ("offsetof(My_Args, color) + sizeof(My_Color)", "offsetof(My_Args, more) + sizeof(int)")]


@pytest.mark.parametrize("change, kinds, verdict, legal", [
    ([], set(), "none", True),
    (APPEND, {"field-appended"}, "minor", False),
    (APPEND + BUMP, {"field-appended"}, "minor", True),
    (APPEND[:1] + BUMP, {"field-appended", "size-constant-wrong"}, "major", False),
    ([("void* data;", "void* extra; void* data;")] + BUMP, {"field-inserted", "field-moved"}, "major", False),
    ([("void* data;", "void* bytes;")] + BUMP, {"field-renamed"}, "minor", True),
    ([("void* data;", "double data;")] + BUMP, {"field-retyped"}, "major", False),
    ([("void* data;", "char* data;")] + BUMP, {"field-type-respelled"}, "minor", True),
    ([("const char*)", "const char*, int)")] + BUMP, {"field-signature-changed"}, "major", False),
    ([("where it lies", "Deprecated")] + BUMP, {"field-deprecated"}, "minor", True),
    ([("int my_function", "__attribute__((deprecated)) int my_function")] + BUMP, {"function-deprecated"}, "minor", True),
    ([("int my_function(My_Args* args);", "")] + BUMP, {"function-removed"}, "major", False),
    ([("(My_Args* args)", "(My_Args* args, int more)")] + BUMP, {"function-signature-changed"}, "major", False),
    ([("MY_BLUE = 7", "MY_BLUE = 8")] + BUMP, {"constant-value-changed"}, "major", False),
    ([("MY_BLUE = 7", "MY_BLUE = 7, MY_GREEN")] + BUMP, {"constant-added"}, "minor", True),
    ([("typedef struct My_Handle My_Handle;", "typedef struct My_Handle { void* table; } My_Handle;")] + BUMP,
     {"opaque-type-defined"}, "major", False),
    ([("float f;", "float f; char c;")] + BUMP, {"field-appended"}, "minor", True),
    ([("void* data;", "void* data __attribute__((aligned(16)));")] + BUMP,
     {"alignment-over-8", "field-moved"}, "major", False),
    ([("MAJOR 0", "MAJOR 1"), ("void* data;", "")], {"field-removed", "field-moved"}, "major", True),
])
def test_every_kind_of_change_is_found_in_a_header(tmp_path, change, kinds, verdict, legal):
    code, report = check(tmp_path, change)
    assert {finding["kind"] for finding in report["findings"]} == kinds
    assert report["verdict"] == verdict and report["legal"] == legal and code == (0 if legal else 1)
    assert all(finding["advice"] for finding in report["findings"])


def test_seed_000_forbids_what_seed_001_lets_pass(tmp_path):
    code, report = check(tmp_path, [("void* data;", "void* bytes;")] + BUMP, policy="tf")
    assert code == 1 and report["findings"][0]["class"] == "illegal"


def test_a_layout_file_and_debug_information_stand_for_the_header(tmp_path):
    (tmp_path / "api.h").write_text(HEADER)
    baseline = tenon("abi", "layout", tmp_path / "api.h")
    assert baseline.returncode == 0
    (tmp_path / "baseline.json").write_text(baseline.stdout)
    done = tenon("abi", "check", tmp_path / "baseline.json", tmp_path / "api.h")
    assert done.returncode == 0 and "0 differences" in done.stdout, done
    for name, more in [("a", ""), ("b", "double extra;")]:
        text = HEADER.replace("void* data;", more + "void* data;")
        (tmp_path / f"{name}.c").write_text(text + "int my_function(My_Args* args) { return args->i; }\n")
        subprocess.run(["cc", "-g", "-shared", "-fPIC", tmp_path / f"{name}.c", "-o", tmp_path / f"{name}.so"], check=True)
    done = tenon("abi", "check", tmp_path / "a.so", tmp_path / "b.so", "--json")
    assert done.returncode == 1
    assert {f["kind"] for f in json.loads(done.stdout)["findings"]} == {"field-inserted", "field-moved"}


def test_real_headers_agree_with_the_tables():
    header = INCLUDE / "xla/pjrt/c/pjrt_c_api.h"
    done = tenon("abi", "check", "pjrt==0.90", header, "-I", INCLUDE, "--json")
    report = json.loads(done.stdout)
    # The tables list no opaque types and no comments; all else is equal.
    assert {finding["kind"] for finding in report["findings"]} <= {"struct-added", "field-deprecated"}
    done = tenon("abi", "check", "tensorflow==2.21",
                 INCLUDE / "tensorflow/c/experimental/stream_executor/stream_executor.h", f"-I{INCLUDE}", "--policy", "tf",
                 "--json")
    kinds = {finding["kind"] for finding in json.loads(done.stdout)["findings"]
             if finding["struct"].startswith(("SP_", "SE_"))}
    assert kinds <= {"struct-added", "function-added", "function-removed"}


def test_github_sees_the_line(tmp_path):
    (tmp_path / "old.h").write_text(HEADER)
    (tmp_path / "new.h").write_text(HEADER.replace("  void* data;", "  void* a;\n  void* data;"))
    done = tenon("abi", "check", tmp_path / "old.h", tmp_path / "new.h", "--github")
    assert done.returncode == 1
    assert f"::error file={tmp_path}/new.h,line=9,title=major::My_Args.a: inserted" in done.stdout
    # The fields that moved are one finding, as for people.
    assert done.stdout.count("moved (") == 1 and ", and 5 more fields with it" in done.stdout
    assert "::error file=" in done.stdout.splitlines()[-1] and "title=number::" in done.stdout.splitlines()[-1]


def test_github_sees_enums_on_their_line_and_what_is_gone_in_the_new_file(tmp_path):
    (tmp_path / "old.h").write_text(HEADER)
    new = HEADER.replace("MY_BLUE = 7", "\nMY_BLUE = 8").replace("int my_function(My_Args* args);", "")
    (tmp_path / "new.h").write_text(new)
    lines = tenon("abi", "check", tmp_path / "old.h", tmp_path / "new.h", "--github").stdout
    assert f"::error file={tmp_path}/new.h,line=7,title=major::My_Color.MY_BLUE" in lines, lines
    assert f"::error file={tmp_path}/new.h,title=major::my_function: removed" in lines


def test_a_changelog_must_tell_of_the_number_with_a_date(tmp_path):
    changes = tmp_path / "CHANGES.md"
    for text, good in [("## 0.5 (Nov 14, 2026)\n", True), ("## 0.5\n", False), ("## 0.4 2026-01-01\n", False)]:
        changes.write_text(text)
        code, report = check(tmp_path, APPEND + BUMP, "--changelog", changes)
        assert report["changelog_ok"] == good and code == (0 if good else 1)


@pytest.mark.parametrize("words, says", [
    (["check", "a.h"], "check takes two sides"),
    (["check", "none.h", "none.h"], "none.h"),
    (["check", "broken.h", "broken.h"], "broken.h:2:"),
    (["check", "broken.h", "broken.h", "--policy", "none.policy"], "none.policy"),
    (["check", "pjrt==9", "pjrt==0.1"], "write pjrt==0.54"),
    (["check", "pjrt==0.1", "pjrt==0.999"], "0.1 to 0."),
    (["check", "tensorflow==1.0", "pjrt==0.1"], "2.3 to 2."),
    (["check", "cut.so", "cut.so"], "cut.so"),
    (["check", "bad.json", "bad.json"], "bad.json: line 1, column"),
    (["layout"], "layout takes one source"),
    (["import"], "import takes one header or wheel"),
    (["window"], "needs the plugin's number"),
    (["window", "--plugin", "fifty"], "neither a number such as 0.54 nor a file"),
    (["window", "--plugin", "cut.so"], "cut.so"),
    (["window", "--plugin", "0.54", "--as-of", "yesterday"], "is no day"),
    (["window", "--plugin", "0.54", "--weeks", "none"], "weeks are 1 or more"),
    (["window", "--plugin", "0.54", "--weeks", "12abc"], "--weeks '12abc' cannot be"),
    (["window", "--plugin", "0.54", "--weeks", "4294967308"], "--weeks '4294967308' cannot be"),
    (["window", "--plugin", "0.54", "--weeks", "999999999999999999999"], "cannot be"),
    (["window", "--plugin", "0.54", "--weeks", " 6"], "cannot be"),
    (["window", "--plugin", "0.54", "--weeks", "0"], "cannot be"),
    (["window", "--plugin", "0.54", "--framework", "jaxlib==99"], "no release jaxlib==99"),
    (["window", "--plugin", "0.54", "--feature", "streams"], "'streams' is no feature"),
    (["window", "--plugin", "0.54", "--feature", "streams:optional,stable=2026-06-01"], "is no feature"),
    (["window", "--plugin", "0.54", "--feature", "streams@x:optional"], "is no feature"),
    (["pair", "seed==v4+trusting", "cut.so"], "seed==v1 to v5"),
    (["pair", "tensorflow==2.21"], "pair takes a host and a plugin"),
    (["pair", "tensorflow==1.0", "cut.so"], "nothing is known of what tensorflow==1.0 reads"),
    (["pair", "bad.contract", "cut.so"], "bad.contract:2: not of the form"),
    (["pair", "tensorflow==2.21", "cut.so"], "cut.so"),
    (["windows"], "check, import, layout, pair or window is expected"),
    ([], "check, import, layout, pair or window is expected"),
])
def test_what_cannot_be_judged_is_said_and_ends_with_2(tmp_path, words, says):
    (tmp_path / "broken.h").write_text("int x;\nstruct {{\n")
    (tmp_path / "bad.json").write_text("{]")
    (tmp_path / "bad.contract").write_text("SP_Platform name checked\nSP_Platform name sometimes\n")
    (tmp_path / "cut.so").write_bytes((BUILD / "lib/libtenon.so").read_bytes()[:5000])
    done = tenon("abi", *words, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr, done
    assert not done.stdout


def test_a_window_is_answered_with_dates_and_sides():
    done = tenon("abi", "window", "--plugin", "0.54", "--framework", "jaxlib==0.6.2", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 1 and answer["verdict"] == "no" and answer["must_update"] == "plugin"
    assert answer["since"] == "2024-05-28" and answer["until"] == "2024-12-25"
    assert [source["source"] for source in answer["sources"]] == ["API number", "StableHLO", "extensions"]
    done = tenon("abi", "window", "--plugin", "0.80", "--framework", "jaxlib==0.8.0", "--stablehlo", "1.13.1")
    assert done.returncode == 0 and done.stdout.startswith("yes"), done


def test_a_plugin_file_is_asked_for_its_number(tmp_path):
    from test_inspect import pjrt
    plugin = pjrt(tmp_path, "good")
    done = tenon("abi", "window", "--plugin", plugin, "--framework", "jaxlib==0.4.35", "--json")
    answer = json.loads(done.stdout)
    assert done.returncode == 0 and answer["number"] == "0.55" and answer["verdict"] == "yes"
    assert "all 2 of the plugin's were there" in answer["sources"][2]["text"]


DEVICE = """
#include <tensorflow/c/experimental/stream_executor/stream_executor.h>
static void destroy_platform(SP_Platform* platform) {}
static void destroy_platform_fns(SP_PlatformFns* fns) {}
void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  params->platform->name = "MINE";
  params->platform->type = "XPU";
  params->destroy_platform = destroy_platform;
  params->destroy_platform_fns = destroy_platform_fns;
}
"""


def test_the_dangerous_pair_is_found_before_it_crashes(tmp_path):
    from test_inspect import build
    plugin = build(tmp_path, "device", DEVICE)
    done = tenon("abi", "pair", "tensorflow==2.21", plugin, "--json")
    found = {finding["member"]: finding["use"] for finding in json.loads(done.stdout)["findings"]}
    assert done.returncode == 1 and found["SP_PlatformFns.get_device_count"] == "trusted"
    assert found["SP_PlatformFns.create_device"] == "checked" and "SP_Platform.name" not in found
    assert "SP_PlatformFns.create_timer_fns" not in found  # not looked at since 2.14
    done = tenon("abi", "pair", "tensorflow==2.10", plugin)
    assert "REFUSED  SP_PlatformFns.create_timer_fns" in done.stdout and "CRASH    SP_PlatformFns.get_device_count" in done.stdout
    contract = tmp_path / "mine.contract"
    contract.write_text("# a host that looks at nothing but the count\nSP_PlatformFns get_device_count optional\n")
    assert tenon("abi", "pair", contract, plugin).returncode == 0


def test_pair_says_what_it_looked_at(tmp_path):
    from test_inspect import build
    device = build(tmp_path, "device", DEVICE)
    done = tenon("abi", "pair", "tensorflow==2.21", device)
    assert "; looked at SE_PlatformRegistrationParams, SP_Platform, SP_PlatformFns" in done.stdout
    kernels = build(tmp_path, "kernels", "void TF_InitKernel(void) {}")
    done = tenon("abi", "pair", "tensorflow==2.21", kernels)
    assert done.returncode == 0 and done.stdout.startswith("nothing to look at: ")
    done = tenon("abi", "pair", "tensorflow==2.21", kernels, "--json")
    assert json.loads(done.stdout)["looked_at"] == ""
    for text in ("", "# nothing\n\n"):
        (tmp_path / "empty").write_text(text)
        done = tenon("abi", "pair", tmp_path / "empty", device)
        assert done.returncode == 2 and "tells of no member" in done.stderr
    assert tenon("abi", "pair", "/dev/null", device).returncode == 2


def test_pair_and_doctor_say_the_same_of_a_device(tmp_path):
    assert tenon("new", "device", "MyChip", "--folder", tmp_path / "chip").returncode == 0
    subprocess.run(["make", f"TENON={BUILD}/bin/tenon", "-C", tmp_path / "chip"], check=True, capture_output=True)
    plugin = next((tmp_path / "chip").rglob("*.so"))
    done = tenon("doctor", plugin, "--json")
    verdicts = {row["version"]: row for row in json.loads(done.stdout)["releases"]}
    for release in ("2.5", "2.6", "2.7", "2.21"):
        done = tenon("abi", "pair", f"tensorflow=={release}", plugin)
        assert (done.returncode == 1) == (verdicts[release]["verdict"] == "crashes"), done
        if done.returncode:
            assert verdicts[release]["reason"] in done.stdout


EXAMPLE = """
#include <stddef.h>
typedef struct SE_Device {
  size_t struct_size;
  void* next;
  const char* name;
  size_t name_len;
#if VERSION >= 2
  void* device_handle;
#endif
#if VERSION >= 3
  void* data;
#endif
#if VERSION >= 5
  void* data2;
#endif
} SE_Device;
SE_Device* Plugin_CreateDevice(void) {
  static SE_Device device = {sizeof(SE_Device), 0, "mine", 4};
#if VERSION >= 2
  device.device_handle = &device;
#endif
#if VERSION == 3 || VERSION == 4
  device.data = &device;
#endif
#if VERSION >= 5
  device.data2 = &device;
#endif
  return &device;
}
"""


def test_the_dangerous_pairs_of_the_versioning_document_are_the_ones_it_names(tmp_path):
    from test_inspect import build
    plugins = {version: build(tmp_path, f"v{version}", EXAMPLE, f"-DVERSION={version}") for version in range(1, 6)}

    def crashes(host, version):
        done = tenon("abi", "pair", host, plugins[version], "--json")
        found = [finding["member"] for finding in json.loads(done.stdout)["findings"]]
        assert done.returncode == (1 if found else 0) and set(found) <= {"SE_Device.data"}, done
        return bool(found)

    dangerous = {(host, plugin) for host in range(1, 6) for plugin in range(1, 6) if crashes(f"seed==v{host}", plugin)}
    assert dangerous == {(3, 5)}  # the only host that reads data and the only plugin that has a null one
    assert crashes("seed==v4+deprecated", 5) and crashes("seed==v5+deprecated", 5)
    for host in range(1, 6):
        assert not crashes(f"seed==v{host}+validate", 5) and not crashes(f"seed==v{host}+deprecated+validate", 5)


def test_the_output_says_how_a_break_is_known():
    def findings(old, new, policy):
        done = tenon("abi", "check", old, new, "--policy", policy, "--json")
        assert done.returncode == 1
        return {(f["struct"], f["field"], f["kind"]): f["evidence"] for f in json.loads(done.stdout)["findings"]}

    found = findings("tensorflow==2.5", "tensorflow==2.6", "tf")
    assert found["TP_Optimizer", "optimize_func", "field-signature-changed"] == "types"
    found = findings("tensorflow==2.20", "tensorflow==2.21", "tf")
    assert found["TF_TString", "u.view", "embedded-struct-resized"] == "types"
    assert findings("tensorflow==2.6", "tensorflow==2.7", "tf")["SP_StreamExecutor", "host_callback", "field-moved"] == "layout"
    found = findings("pjrt==0.55", "pjrt==0.91", "pjrt")
    assert {struct for struct, _, kind in found if kind == "number-reissued"} == {"PJRT 0.56", "PJRT 0.61", "PJRT 0.70"}
    assert {evidence for (_, _, kind), evidence in found.items() if kind.startswith("number-")} == {"history"}
    people = tenon("abi", "check", "pjrt==0.60", "pjrt==0.61").stdout
    assert "carried from history: neither side shows it" in people
    people = tenon("abi", "check", "tensorflow==2.5", "tensorflow==2.6", "--policy", "tf").stdout
    assert "found from types: no size or offset of the struct shows it" in people
    assert "found from types" in tenon("abi", "check", "tensorflow==2.5", "tensorflow==2.6", "--github").stdout


def test_experimental_and_optional_features_are_judged_by_their_own_rules():
    def features(*words):
        done = tenon("abi", "window", "--plugin", "0.112", "--weeks", "6", "--json", *words)
        return done.returncode, {s["source"]: s for s in json.loads(done.stdout)["sources"][3:]}

    code, found = features("--as-of", "2026-06-20", "--feature", "streams:experimental,framework=3",
                           "--feature", "bitcast@0.113:optional")
    assert code == 0 and found["streams"]["verdict"] == "no promise" and found["bitcast"]["verdict"] == "yes"
    assert "none in the plugin, number 3 in the framework" in found["streams"]["text"]
    assert "needs a release with that number" in found["bitcast"]["text"] and "may be null" in found["bitcast"]["text"]
    # It left on 1 June: frameworks do without it for six weeks, and then no longer.
    left = "streams:experimental,framework=3,stable=2026-06-01"
    assert features("--as-of", "2026-07-13", "--feature", left)[1]["streams"]["verdict"] == "yes"
    code, found = features("--as-of", "2026-07-14", "--feature", left)
    assert code == 1 and found["streams"]["must_update"] == "plugin"
    assert features("--as-of", "2026-07-14", "--feature", left + ",plugin=3")[0] == 0
    assert features("--as-of", "2026-07-14", "--feature", left + ",optional")[0] == 0
