"""tenon inspect: plugins made for the purpose, our own, and files that are none."""

import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
TENON = BUILD / "bin/tenon"


def tenon(*words):
    return subprocess.run([TENON, *map(str, words)], capture_output=True, text=True)


def build(folder, name, source, *flags):
    (folder / f"{name}.c").write_text(source)
    target = folder / f"{name}.so"
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{SOURCE}/include", folder / f"{name}.c", "-o", target, *flags], check=True)
    return target


def inspect(path, *words):
    done = tenon("inspect", "--json", path, *words)
    assert done.stdout, done
    return done.returncode, json.loads(done.stdout)["files"][0]


def loaded(report):
    return {fact["key"]: fact["value"] for fact in report["loaded"]}


# A table of 0.55 as XLA built it: 100 functions, and a size that speaks of fewer.
PJRT = """
#include <stddef.h>
#include <string.h>
#include <stdlib.h>
#include <signal.h>
#include <pthread.h>
#include <unistd.h>
struct value { size_t size; void* ext; const char* name; size_t name_size; int type; long integer; size_t value_size; };
struct args { size_t size; void* ext; const struct value* values; size_t count; };
struct node { size_t size; int type; const struct node* next; };
static void* attributes(struct args* args) {
  static const struct value values[] = {{56, 0, "xla_version", 11, 1, 2, 1}};
  ATTRIBUTES
  args->values = values; args->count = 1; return 0;
}
static void* nothing(void* args) { return 0; }
static void handler(int number) {}
static void* sleeper(void* arg) { pause(); return 0; }
const void* GetPjrtApi(void) {
  static struct { size_t size; const void* ext; size_t version_size; void* version_ext; int major, minor; void* slots[100]; } api;
  static const struct node last = {32, 1, 0}, first = {40, 5, &last};
  INIT
  api.size = 808; api.ext = &first; api.version_size = 24; api.minor = 55;
  for (int i = 0; i < 100; ++i) api.slots[i] = (void*)nothing;
  for (int i = 0; i < 100; ++i) if (i == ATTRIBUTES_SLOT) api.slots[i] = (void*)attributes;
  return &api;
}
"""


def pjrt(folder, name, init="", attributes=""):
    table = (SOURCE / "data/abi/pjrt/fields.tsv").read_text().splitlines()
    offset = next(int(row.split("\t")[2]) for row in table
                  if row.startswith("PJRT_Api\tPJRT_Plugin_Attributes\t") and int(row.split("\t")[6]) <= 55 <= int(row.split("\t")[7]))
    source = (PJRT.replace("INIT", init).replace("ATTRIBUTES_SLOT", str((offset - 40) // 8))
              .replace("  ATTRIBUTES\n", attributes + "\n"))
    return build(folder, name, source)


def test_a_pjrt_plugin_is_read_without_and_with_loading(tmp_path):
    plugin = pjrt(tmp_path, "good")
    code, report = inspect(plugin)
    assert code == 0 and report["entry_points"] == ["GetPjrtApi"] and "loaded" not in report
    assert report["exports"] == 1 and report["host_functions"] == [] and report["min_glibc"]
    code, report = inspect(plugin, "--load")
    facts = loaded(report)
    assert code == 0 and facts["pjrt_version"] == "0.55" and facts["api_struct_size"] == "808"
    assert facts["extensions"] == "5:40 1:32" and facts["attribute.xla_version"] == "2"
    assert facts["functions_past_size"] == "4" and facts["null_functions"] == "0"
    assert facts["threads_started"] == "0" and facts["signal_handlers_changed"] == "0"
    assert report["load_error"] is None


def test_threads_and_signal_handlers_are_counted(tmp_path):
    plugin = pjrt(tmp_path, "busy", "pthread_t t; pthread_create(&t, 0, sleeper, 0); signal(SIGSEGV, handler); signal(SIGINT, handler);")
    facts = loaded(inspect(plugin, "--load")[1])
    assert facts["threads_started"] == "1" and facts["signal_handlers_changed"] == "2" and facts["signals"] == "2 11"


@pytest.mark.parametrize("init, attributes, says", [
    ("abort();", "", "killed by SIGABRT in GetPjrtApi"),
    ("", "*(volatile int*)0 = 1;", "killed by SIGSEGV in PJRT_Plugin_Attributes"),
    ("exit(7);", "", "exit code 7 in GetPjrtApi"),
])
def test_a_crash_is_a_finding_that_names_the_call(tmp_path, init, attributes, says):
    code, report = inspect(pjrt(tmp_path, "bad", init, attributes), "--load")
    assert code == 3 and says in report["load_error"]


def test_members_that_are_left_null_are_named(tmp_path):
    plugin = build(tmp_path, "device", """
#include <tensorflow/c/experimental/stream_executor/stream_executor.h>
static void count(const SP_Platform* platform, int* devices, TF_Status* status) { *devices = 2; }
void SE_InitPlugin(SE_PlatformRegistrationParams* params, TF_Status* status) {
  params->platform->struct_size = SP_PLATFORM_STRUCT_SIZE;
  params->platform->name = "MINE";
  params->platform->type = "XPU";
  params->platform_fns->get_device_count = count;
}
""")
    code, report = inspect(plugin, "--load")
    facts = loaded(report)
    nulls = {fact["value"] for fact in report["loaded"] if fact["key"] == "null_member"}
    assert code == 0 and facts["platform_name"] == "MINE" and facts["device_type"] == "XPU" and facts["devices"] == "2"
    assert {"SP_PlatformFns.create_device", "SE_PlatformRegistrationParams.destroy_platform"} <= nulls
    assert "SP_PlatformFns.get_device_count" not in nulls and "SP_Platform.name" not in nulls


def test_our_own_plugin_offers_kernels_and_leaks_nothing():
    code, report = inspect(BUILD / "lib/tenon/plugins/libtenon_cpu.so", "--load")
    assert code == 0 and report["entry_points"] == ["SE_InitPlugin", "TF_InitKernel"]
    assert report["leaked_families"] == {} and report["version_script"] is None and report["exports"] == 2
    assert int(loaded(report)["kernels"]) > 0 and "TF_InitKernel" in tenon("inspect", BUILD / "lib/tenon/plugins/libtenon_cpu.so").stdout


def test_leaks_and_bad_habits_are_seen(tmp_path):
    (tmp_path / "leaky.cc").write_text("""
namespace google { namespace protobuf { int Message() { return 1; } } }
namespace absl { int Span(); int Use() { return Span(); } }
extern "C" int inflateInit_() { return 0; }
extern "C" void TF_InitKernel() {}
""")
    target = tmp_path / "leaky.so"
    subprocess.run(["c++", "-shared", "-fPIC", tmp_path / "leaky.cc", "-o", target, "-Wl,-z,execstack", "-Wl,-rpath,/opt/x",
                    "-Wl,--build-id"], check=True)
    _, report = inspect(target)
    assert report["leaked_families"] == {"absl": 1, "protobuf": 1, "zlib": 1}
    assert report["executable_stack"] and (report["rpath"] or report["runpath"]) == "/opt/x" and report["build_id"]
    assert report["cpp_imports"] == 1 and report["cpp_import_families"] == {"absl": 1}
    text = tenon("inspect", target).stdout
    assert "1 belong to protobuf and will meet those of TensorFlow and jaxlib" in text and "executable stack" in text


@pytest.mark.parametrize("source, flags, script, sign, says", [
    ("void TF_InitKernel(void) {}", ["-Wl,--version-script=named.map"], True, "MINE_1", "a version script chose them (node MINE_1)"),
    ("void TF_InitKernel(void) {}", ["-Wl,--version-script=bare.map"], None, None, "does not show"),
    ("void TF_InitKernel(void) {}", ["-fvisibility=hidden"], None, None, "does not show"),
    ("void TF_InitKernel(void) {} int _end __attribute__((weak));", [], False, "_end", "the linker's own _end is one"),
    ("void TF_InitKernel(void) {} int inflateEnd(void) { return 0; }", [], False, "zlib", "code of zlib is among them"),
])
def test_a_version_script_is_told_from_what_shows_it(tmp_path, source, flags, script, sign, says):
    (tmp_path / "named.map").write_text("MINE_1 { global: TF_InitKernel; local: *; };")
    (tmp_path / "bare.map").write_text("{ global: TF_InitKernel; local: *; };")
    plugin = build(tmp_path, "plugin", source, *(flag.replace("=named", f"={tmp_path}/named").replace("=bare", f"={tmp_path}/bare") for flag in flags))
    _, report = inspect(plugin)
    assert (report["version_script"], report["version_script_sign"]) == (script, sign)
    assert says in tenon("inspect", plugin).stdout


@pytest.mark.parametrize("content, says", [
    (b"", "an empty file"), (b"MZ\x90\0", "a Windows library"), (b"\xcf\xfa\xed\xfe\x0c\0\0\x01", "a macOS library"),
    (b"#!/bin/sh\n", "a text file"), (b"\x7fELF", ""),
])
def test_what_is_no_plugin_is_told(tmp_path, content, says):
    (tmp_path / "x.so").write_bytes(content)
    done = tenon("inspect", tmp_path / "x.so")
    assert done.returncode == 3 and "x.so" in done.stderr and says in done.stderr, done


def test_a_file_that_is_not_there_is_no_plugins_fault(tmp_path):
    assert tenon("inspect", tmp_path / "none.so").returncode == 1
    assert tenon("inspect").returncode == 2


def test_folders_and_wheels_stand_for_what_is_in_them(tmp_path):
    import zipfile
    folder = tmp_path / "package"
    (folder / "deep").mkdir(parents=True)
    pjrt(folder / "deep", "good")
    build(folder, "other", "void TF_InitKernel(void) {}")
    done = tenon("inspect", "--json", folder)
    assert [report["file"] for report in json.loads(done.stdout)["files"]] == ["deep/good.so", "other.so"]
    for method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        wheel = tmp_path / "package-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w", method) as archive:
            for file in ("deep/good.so", "other.so", "other.c"):
                archive.write(folder / file, file)
        done = tenon("inspect", "--json", "--load", wheel)
        reports = json.loads(done.stdout)["files"]
        assert done.returncode == 0 and [report["file"] for report in reports] == ["deep/good.so", "other.so"]
        assert loaded(reports[0])["pjrt_version"] == "0.55"
    data = wheel.read_bytes()
    for cut in (data[:200], data[:-30], b"PK" + data[:10], data.replace(b"PK\x03\x04", b"XX\x03\x04"), b""):
        (tmp_path / "bad.whl").write_bytes(cut)
        done = tenon("inspect", tmp_path / "bad.whl")
        assert done.returncode == 1 and "bad.whl" in done.stderr, done
    (tmp_path / "bad.whl").write_bytes(data.replace((folder / "other.so").read_bytes()[4000:], b"?" * len((folder / "other.so").read_bytes()[4000:])))
    assert "(wrong checksum): while unpacking 'other.so' of" in tenon("inspect", tmp_path / "bad.whl").stderr.replace("; ", ": ")
    (tmp_path / "empty").mkdir()
    assert "no shared objects" in tenon("inspect", tmp_path / "empty").stderr


def wheel_of(path, plugin, names, **more):
    import zipfile
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            with archive.open(zipfile.ZipInfo(name), "w", **more) as member:
                member.write(plugin.read_bytes())


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_wheels_that_can_be_read_in_two_ways_are_refused(tmp_path):
    plugin = build(tmp_path, "good", "void TF_InitKernel(void) {}")
    wheel_of(tmp_path / "wide.whl", plugin, ["a/good.so"], force_zip64=True)
    assert inspect(tmp_path / "wide.whl")[1]["entry_points"] == ["TF_InitKernel"]
    wheel_of(tmp_path / "twice.whl", plugin, ["good.so", "a.so", "good.so"])
    done = tenon("inspect", tmp_path / "twice.whl")
    assert done.returncode == 1 and "two of its files are named 'good.so'" in done.stderr and "twice.whl" in done.stderr
    for name in ("../out.so", "/tmp/out.so", "a/../../out.so"):
        wheel_of(tmp_path / "out.whl", plugin, ["good.so", name])
        done = tenon("inspect", tmp_path / "out.whl")
        assert done.returncode == 1 and f"'{name}' would be unpacked outside" in done.stderr and "out.whl" in done.stderr
    # Both of the list's entries point to the bytes of one.
    wheel_of(tmp_path / "whole.whl", plugin, ["a.so", "b.so"])
    data = (tmp_path / "whole.whl").read_bytes()
    second = data.index(b"PK\x03\x04", 4)
    start = data.index(b"PK\x01\x02")
    listed = bytearray(data[start:])
    at = listed.index(b"PK\x01\x02", 4)
    listed[at + 42:at + 46] = bytes(4)
    ending = listed.rindex(b"PK\x05\x06")
    listed[ending + 16:ending + 20] = second.to_bytes(4, "little")
    (tmp_path / "shared.whl").write_bytes(data[:second] + listed)
    done = tenon("inspect", tmp_path / "shared.whl")
    assert done.returncode == 1 and "take more bytes than" in done.stderr and "shared.whl" in done.stderr
