"""Every scenario of seed 000: five hosts and five plugins, built from one source, and what becomes of each pair."""

import json
import os
import pathlib
import subprocess

import pytest

import document
from pairs import BUILD, HOSTS, SEED, VERSIONS, Host, forecast, meet, plugin, reads

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
BEHIND = {"name": "seed", "device_handle": "handle", "data": "data", "data2": "data2"}
SET_BY = {1: ["name"], 2: ["name", "device_handle"], 3: ["name", "device_handle", "data"],
          4: ["name", "device_handle", "data"], 5: ["name", "device_handle", "data2"]}
pairs = pytest.mark.parametrize("host, version", [(host, version) for host in HOSTS for version in VERSIONS],
                                ids=lambda value: "-".join(map(str, value)) if isinstance(value, Host) else f"plugin{value}")


@pairs
def test_tenon_abi_pair_foretells_what_the_process_does(host, version):
    outcome, told = meet(host, version), forecast(host, version)
    assert (outcome.kind == "crashes") == bool(told.trusted)
    assert (outcome.kind == "refuses") == bool(told.checked)
    assert told.code == (outcome.kind != "works")
    if outcome.kind == "crashes":
        assert outcome.member in told.trusted


@pairs
def test_a_host_finds_what_the_plugin_put_there_and_nothing_else(host, version):
    outcome = meet(host, version)
    common = [member for member in reads(host) if member in SET_BY[version]]
    if outcome.kind == "works":
        assert outcome.found == {member: BEHIND[member] for member in common}
    else:  # up to where it ended
        assert set(outcome.found.items()) < {(member, BEHIND[member]) for member in BEHIND}


@pytest.mark.parametrize("version", VERSIONS)
def test_an_older_plugin_on_a_newer_host_is_used_as_far_as_it_goes(version):
    for host in HOSTS:
        if host.version > version:
            assert meet(host, version).kind == "works"
            assert set(meet(host, version).found) <= set(SET_BY[version])


@pytest.mark.parametrize("version", [1, 2])
def test_a_newer_plugin_on_an_older_host_is_used_as_far_as_the_host_knows(version):
    for newer in range(version, 6):
        assert meet(Host(version), newer) == meet(Host(version), version)


def test_a_deprecated_member_that_an_old_plugin_sets_is_ignored():
    for version in 3, 4:
        for host in 4, 5:
            outcome = meet(Host(host), version)
            assert outcome.kind == "works" and "data" not in outcome.found


def test_a_deprecated_member_that_a_new_plugin_leaves_null_is_done_without_on_a_host_that_looks():
    for host in Host(3, "validating"), Host(4, "validating", True), Host(5, "validating", True):
        outcome = meet(host, 5)
        assert outcome.kind == "works" and "device_handle" in outcome.found and "data" not in outcome.found


dangerous = pytest.mark.parametrize("version, deprecated", [(3, False), (4, True), (5, True)])


@dangerous
def test_the_dangerous_pair_crashes_and_is_found_before_it_does(version, deprecated):
    host = Host(version, "trusting", deprecated)
    outcome = meet(host, 5)
    assert outcome.kind == "crashes" and outcome.member == "data" and forecast(host, 5).trusted == ["data"]
    name = f"seed==v{version}" + "+deprecated" * deprecated
    done = subprocess.run([BUILD / "bin/tenon", "abi", "pair", name, plugin(5)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout == (f"CRASH    SE_Device.data: the plugin leaves it null, and {name} follows it without a look\n"
                           "1 finding, 1 of them dangerous; looked at SE_Device\n")


@dangerous
def test_the_dangerous_pair_is_a_status_by_tenons_rules(version, deprecated):
    outcome = meet(Host(version, "tenon", deprecated), 5)
    assert outcome.kind == "refuses"
    assert outcome.message.startswith(f"FAILED_PRECONDITION: SE_Device.data is null, and this host (v{version}) needs it")
    assert forecast(Host(version, "tenon", deprecated), 5).checked == ["data"]


def test_only_these_pairs_crash():
    crashes = {(host, version) for host in HOSTS for version in VERSIONS if meet(host, version).kind == "crashes"}
    assert crashes == {(Host(3), 5), (Host(3, "trusting", True), 5), (Host(4, "trusting", True), 5), (Host(5, "trusting", True), 5)}


@pytest.mark.parametrize("host, version", [(2, 1), (3, 2), (5, 4), (5, 1)])
def test_a_host_that_does_not_look_at_the_size_would_be_seen(host, version):
    """Nothing lies behind a plugin's struct, so that a read too far is a crash."""
    assert meet(Host(host, "blind"), version).kind == "crashes"


@pytest.mark.parametrize("host", [3, 4, 5])
def test_a_member_that_the_size_cuts_in_two_is_not_there_by_tenons_rules(host):
    """The seed's question, whether the size is greater than the offset, has it half read."""
    deprecated = host > 3
    for manner in "trusting", "validating":
        outcome = meet(Host(host, manner, deprecated), "cut")
        assert outcome.kind == "crashes" and outcome.member == "data"
        assert forecast(Host(host, manner, deprecated), "cut").code == 1
    outcome = meet(Host(host, "tenon", deprecated), "cut")
    assert outcome.kind == "works" and list(outcome.found) == ["name", "device_handle"]


@pytest.mark.parametrize("name, mark", [("seed==v3", "CRASH"), ("seed==v3+validate", "CUT"), ("seed==v4", None)])
def test_a_member_that_the_size_cuts_in_two_is_named(name, mark):
    done = subprocess.run([BUILD / "bin/tenon", "abi", "pair", name, plugin("cut")], capture_output=True, text=True)
    says = (f"{mark:8} SE_Device.data: the plugin's struct_size ends inside of it, and a host that asks only where it begins "
            "reads past the end\n") if mark else ""
    assert done.returncode == bool(mark)
    assert done.stdout == says + f"{int(bool(mark))} finding{'' if mark else 's'}, {int(mark == 'CRASH')} of them dangerous; looked at SE_Device\n"


@pytest.mark.parametrize("host", VERSIONS)
def test_a_reserved_word_that_is_set_is_a_status_by_tenons_rules(host):
    assert meet(Host(host), "reserved").kind == "works"
    assert meet(Host(host, "tenon"), "reserved").message == \
        "INVALID_ARGUMENT: SE_Device: the reserved word next is set; it must be null"


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tables_have_the_layouts_that_the_compiler_made(version):
    """By debug information, so that it needs no header and no libclang in the plugin's way."""
    layouts = []
    for side in f"seed==v{version}", plugin(version), SEED / f"host_v{version}.so":
        done = subprocess.run([BUILD / "bin/tenon", "abi", "layout", side], capture_output=True, text=True)
        struct, = [one for one in json.loads(done.stdout)["structs"] if one["name"] == "SE_Device"]
        layouts.append((struct["size"], struct["end"], [(field["name"], field["offset"], field["size"], field["kind"])
                                                       for field in struct["fields"]]))
    assert layouts[0] == layouts[1] == layouts[2]


def test_the_seeds_own_steps_are_legal_and_its_deprecation_is_seen():
    found = []
    for version in range(1, 5):
        done = subprocess.run([BUILD / "bin/tenon", "abi", "check", f"seed==v{version}", f"seed==v{version + 1}", "--policy", "tf",
                               "--json"], capture_output=True, text=True)
        report = json.loads(done.stdout)
        assert done.returncode == 0, report
        found.append([(finding["kind"], finding["field"]) for finding in report["findings"]])
    assert found == [[("field-appended", "device_handle")], [("field-appended", "data")], [("field-deprecated", "data")],
                     [("field-appended", "data2")]]


def test_the_mark_in_the_source_is_read():
    done = subprocess.run([BUILD / "bin/tenon", "abi", "check", "seed==v3", SOURCE / "tests/versioning/seed.c", "--policy", "tf", "--json",
                           "-I", SOURCE / "include", "--cflags=-DSEED_VERSION=4 -D_GNU_SOURCE"], capture_output=True, text=True)
    assert done.stdout, done.stderr
    of_device = [finding for finding in json.loads(done.stdout)["findings"] if finding["struct"] == "SE_Device"]
    assert [finding["kind"] for finding in of_device] == ["field-deprecated"]
    assert "since v4: use data2, which v5 brings" in of_device[0]["new"]


@pytest.mark.parametrize("words, says", [
    (["seed==v3", SEED / "meet"], "meet"),
    (["seed==v3", BUILD / "tests/plugins/good.so"], "exports no Plugin_CreateDevice"),
    (["HOST", plugin(5), "--create", "Plugin_CreateDevice"], "is not of the form FUNCTION:STRUCT"),
    (["HOST", plugin(5), "--create", "Plugin_CreateDevice:SE_Gadget"], "tells nothing of a struct SE_Gadget"),
    (["HOST", plugin(5), "--create", "Plugin_Create:SE_Device"], "exports no Plugin_Create"),
    (["HOST", plugin(5), "--create", "Plugin_CreateDevice:SE_Device", "--layout", "HOST"], "HOST"),
    (["HOST", plugin(5), "--layout", "HOST"], "--layout is of what --create makes"),
])
def test_what_cannot_be_paired_is_told(tmp_path, words, says):
    (tmp_path / "HOST").write_text("SE_Device data trusted\n")
    done = subprocess.run([BUILD / "bin/tenon", "abi", "pair", *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr, done


@pytest.mark.parametrize("body, says", [
    ("return NULL;", "make gave NULL"),
    ("device.struct_size = 3; return &device;", "make gave a struct_size of 3"),
    ("device.struct_size = (size_t)1 << 40; return &device;", "make gave a struct_size of 1099511627776"),
    ("*(volatile int*)8 = 1; return &device;", "killed by SIGSEGV in make"),
    ("exit(0);", "exit code 0 in make"),
])
def test_a_plugin_that_makes_no_struct_is_told_of(tmp_path, body, says):
    (tmp_path / "plugin.c").write_text("#include <stddef.h>\n#include <stdlib.h>\n"
                                       "typedef struct Device { size_t struct_size; void* data; } Device;\nDevice device;\n"
                                       f"Device* make(void) {{ {body} }}\n")
    (tmp_path / "host").write_text("Device data trusted\n")
    subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", "plugin.so", "plugin.c"], cwd=tmp_path, check=True)
    done = subprocess.run([BUILD / "bin/tenon", "abi", "pair", "host", "plugin.so", "--create", "make:Device"], capture_output=True,
                          text=True, cwd=tmp_path)
    assert done.returncode == 2 and says in done.stderr, done


def test_a_plugin_without_debug_information_is_paired_by_a_layout_file(tmp_path):
    bare, layout, contract = tmp_path / "bare.so", tmp_path / "device.json", tmp_path / "my.contract"
    subprocess.run(["strip", "--strip-debug", plugin(5), "-o", bare], check=True)
    layout.write_text(subprocess.run([BUILD / "bin/tenon", "abi", "layout", "seed==v5"], capture_output=True, text=True).stdout)
    contract.write_text("SE_Device data trusted\n")
    words = [BUILD / "bin/tenon", "abi", "pair", contract, bare, "--create", "Plugin_CreateDevice:SE_Device"]
    assert subprocess.run(words, capture_output=True).returncode == 2
    done = subprocess.run([*words, "--layout", layout], capture_output=True, text=True)
    assert done.returncode == 1 and "CRASH    SE_Device.data" in done.stdout


def test_the_document_tells_what_happens():
    """python tests/versioning/document.py --write brings it up to date."""
    assert document.written(document.DOCUMENT.read_text()) == document.DOCUMENT.read_text()
