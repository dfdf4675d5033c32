"""tenon check on the PJRT test plugins: good ones pass everything, and each planted fault is found."""

import json
import os
import pathlib
import re
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
PLUGINS = BUILD / "tests/plugins"
NEWEST = PLUGINS / "pjrt_0_117.so"
# One of each family of layouts, and both sides of the numbers at which plugins began to behave otherwise.
NUMBERS = [28, 29, 34, 35, 40, 44, 45, 54, 57, 61, 75, 76, 90, 104, 105, 107, 114, 117, 130]


def check(plugin, *words, misdeed=""):
    done = subprocess.run([BUILD / "bin/tenon", "check", plugin, "--json", "--seed", "7", *map(str, words)],
                          capture_output=True, text=True, env={**os.environ, "PJRT_MISDEED": misdeed})
    assert done.stdout, done
    return json.loads(done.stdout)


def bad(report):
    return [case for case in report["cases"] if case["verdict"] != "fine"]


@pytest.mark.parametrize("number", [number for number in NUMBERS if (PLUGINS / f"pjrt_0_{number}.so").exists()])
def test_a_good_plugin_passes_every_case(number):
    report = check(PLUGINS / f"pjrt_0_{number}.so", "--jobs", "2", "--face", "pjrt")
    assert not bad(report)
    assert report["passed"] > 200 and all(case["reason"] for case in report["cases"] if case["result"] == "skipped")


@pytest.mark.parametrize("option", ["delay_ms=0", "delay_ms=2", "num_devices=1"])
def test_so_does_one_that_works_later_or_has_one_device(option):
    assert not bad(check(NEWEST, "--jobs", "2", "--option", option))


def test_what_the_newest_plugin_leaves_out_is_skipped_by_name():
    skipped = {case["name"]: case["reason"] for case in check(NEWEST, "--jobs", "2")["cases"] if case["result"] == "skipped"}
    assert set(skipped) <= {"pjrt.topology.canonical_shape", "pjrt.sizes.older_client_create", "pjrt.programs.hlo"}, skipped


# Each fault of tests/pjrt/plugins/misdeeds.h, and the case that is there to find it.
FOUND_BY = """
null_table                   entry.opens
other_table_each_time        entry.same_table
zero_struct_size             entry.size
huge_struct_size             entry.size
odd_struct_size              entry.size
short_struct_size            entry.size
more_than_there_is           entry.size
negative_number              entry.number
circular_extensions          entry.extensions
extension_of_size_zero       entry.extensions
empty_slots                  entry.no_empty_slots
error_without_message        errors.message
message_without_size         errors.message
garbage_error_code           errors.code
code_cannot_be_had           errors.code
null_destroy_crashes         errors.null_destroy
wrong_codes                  client.lookup_negative
size_unchecked               sizes.too_short
size_must_be_equal           sizes.longer_by_8
writes_beyond_size           sizes.older_memory_stats
reads_out_members            sizes.garbage_from_host
writes_in_members            sizes.in_fields_kept
replaces_signal_handlers     process.signals
starts_threads               process.quiet_start
prints_on_stdout             process.standard_output
changes_directory            process.working_folder
garbage_attributes           entry.attributes
attribute_twice              entry.attributes
no_stablehlo_version         entry.stablehlo_version
no_devices                   client.devices
null_devices                 client.devices
devices_unlisted             client.devices
foreign_addressable          client.addressable_devices
lookup_ignores_id            client.lookup
same_ids                     client.devices
assignment_unchecked         client.assignment_too_small
process_index_negative       client.process_index
no_default_memory            devices.default_memory
memory_without_kind          memories.texts
memory_of_nobody             memories.devices
attributes_without_deleter   devices.changing_attributes
memory_stats_negative        devices.memory_stats
client_takes_buffers_along   client.destroyed_first
strides_ignored              buffers.strides_transposed
negative_strides_refused     buffers.strides_backwards
zero_size_crashes            buffers.no_elements
host_read_late               buffers.only_during_call
host_read_after_done         buffers.until_transferred
never_done_with_host         buffers.until_transferred
done_left_null               buffers.only_during_call
dims_forgotten               buffers.matrix
type_changed                 buffers.type_F32
size_zero                    buffers.type_F32
always_first_device          buffers.on_each_device
memory_mixed_up              buffers.in_each_memory
host_layout_ignored          reads.columns
small_dst_taken              reads.too_small
size_not_told                reads.size_alone
narrow_types_packed          buffers.type_U4
transfer_event_null          reads.no_layout
is_deleted_forgotten         lifetimes.deleted
deleted_still_read           lifetimes.deleted_refuses
delete_frees_early           lifetimes.reference_keeps_memory
underflow_taken              lifetimes.underflow
pointer_null                 reads.address
copy_shares_memory           reads.copies_are_independent
copy_stays                   reads.copy_to_device
view_never_released          lifetimes.view
view_released_twice          lifetimes.view
raw_offset_ignored           reads.raw_from_offset
buffers_leak                 devices.memory_given_back
transfer_offset_ignored      transfers.pieces
last_transfer_missed         transfers.pieces
error_buffer_fine            lifetimes.error_buffer
event_never_ready            events.await
await_returns_early          events.created_awaited
never_says_ready             events.await
event_loses_error            events.created_with_error
event_gives_one_error        events.created_with_error
callback_twice               events.callback_after
callback_never               events.callback_after
callback_dies_with_event     events.destroyed_pending --option delay_ms=200
callback_under_lock          events.callback_calls
any_program_taken            bad_programs.words
bad_program_crashes          bad_programs.words
any_format_taken             bad_programs.format
any_options_taken            bad_programs.options
outputs_miscounted           programs.counts
output_types_missing         programs.output_types
one_executable_handle        programs.handles
fingerprint_changes          programs.fingerprint
serialized_empty             programs.round_trip
any_bytes_loaded             programs.damaged
executable_never_deleted     programs.deleted
deleted_executable_runs      programs.deleted_refuses
wrong_answer                 execution.adds_one
second_device_wrong          execution.two_replicas
donates_nothing              donation.aliased
donated_not_deleted          donation.aliased
donates_everything           execution.adds_one
non_donatable_ignored        donation.kept_aliased
donates_on_failure           donation.failure
donated_twice_taken          donation.twice
deleted_argument_taken       execution.deleted_argument
any_arguments_taken          execution.too_many_arguments
outputs_null                 execution.adds_one
complete_events_null         execution.complete_events
complete_too_early           execution.complete_events --option delay_ms=0
failure_not_passed_on        execution.errors_pass_on
shared_scratch               execution.wide_threads
"""
FOUND_BY = {words[0]: words[1:] for words in map(str.split, FOUND_BY.strip().splitlines())}
MISDEEDS = dict(re.findall(r'MISDEED\((\w+), ".*?", "(.*?)"\)', (SOURCE / "tests/pjrt/plugins/misdeeds.h").read_text()))


def test_every_fault_that_breaks_a_rule_has_its_case():
    assert set(FOUND_BY) == {name for name, rule in MISDEEDS.items() if not rule.startswith("none")}


@pytest.mark.parametrize("misdeed", FOUND_BY)
def test_a_planted_fault_is_found(misdeed):
    case, *options = FOUND_BY[misdeed]
    # Those that hang are ended early; the others do not notice. A fault in what threads do shows on most days, not on all.
    for _ in range(5):
        found, = check(NEWEST, "--only", f"pjrt.{case}", "--time-limit", "6", *options, misdeed=misdeed)["cases"]
        if found["verdict"] == "bad":
            break
    assert found["verdict"] == "bad", found
    assert found["findings"] or found["ended"]


@pytest.mark.parametrize("misdeed", [name for name, rule in MISDEEDS.items()
                                     if rule.startswith("none") and name != "initialize_fails"])
def test_what_a_plugin_may_do_is_no_finding(misdeed):
    assert not bad(check(NEWEST, "--jobs", "2", misdeed=misdeed))


def test_a_plugin_that_cannot_work_here_fails_one_case_and_skips_the_rest():
    report = check(NEWEST, "--jobs", "2", "--face", "pjrt", misdeed="initialize_fails")
    assert [case["name"] for case in bad(report)] == ["pjrt.entry.opens"]
    assert "there is no such hardware here" in json.dumps(bad(report))


def test_want_of_hardware_is_no_finding_and_an_option_that_is_refused_no_success():
    case, = check(NEWEST, "--only", "pjrt.client.create", misdeed="no_hardware")["cases"]
    assert case["result"] == "skipped" and "No visible devices" in case["reason"]
    report = check(NEWEST, "--only", "pjrt.buffers.matrix", "--option", "no_such=1")
    assert report["errors"] == 1 and report["skipped"] == 0 and "no_such" in report["cases"][0]["reason"], report


def test_a_plugin_without_its_hardware_says_how_little_was_checked():
    report = check(NEWEST, "--only", "pjrt.entry.*", "--only", "pjrt.client.*", misdeed="no_hardware")
    results = {case["name"]: case for case in report["cases"]}
    assert not bad(report) and results["pjrt.entry.opens"]["result"] == "passed"
    assert results["pjrt.client.lookup"]["reason"].startswith("no device of this plugin's is here: FAILED_PRECONDITION")
    assert report["warning"].startswith("no device of this plugin's is here: nothing but what works without one")


@pytest.mark.parametrize("function, case", [
    ("PJRT_Plugin_Attributes", "entry.attributes"), ("PJRT_Client_Create", "client.create"),
    ("PJRT_Client_Destroy", "client.create"), ("PJRT_Client_Devices", "client.devices"),
    ("PJRT_Client_Compile", "programs.compile"), ("PJRT_Client_BufferFromHostBuffer", "buffers.matrix"),
    ("PJRT_Buffer_ToHostBuffer", "buffers.matrix"), ("PJRT_Buffer_Destroy", "lifetimes.deleted"),
    ("PJRT_Event_Await", "events.await"), ("PJRT_Event_OnReady", "events.callback_after"),
    ("PJRT_LoadedExecutable_Execute", "execution.adds_one"), ("PJRT_Error_Message", "errors.message"),
])
def test_a_crash_is_told_with_the_function_that_crashed(function, case):
    found, = check(NEWEST, "--only", f"pjrt.{case}", misdeed=f"crash@{function}")["cases"]
    assert found["result"] == "died" and f"killed by SIGSEGV in {function}" in found["ended"], found


def test_a_function_that_hangs_is_named():
    found, = check(NEWEST, "--only", "pjrt.programs.compile", "--time-limit", "2", misdeed="hang@PJRT_Client_Compile")["cases"]
    assert found["result"] == "timed out" and found["ended"] == "not back after 2 s in PJRT_Client_Compile"


def test_an_optional_function_that_is_not_there_is_a_skip_and_a_finding_of_the_table():
    cases = check(NEWEST, "--only", "pjrt.entry.no_empty_slots", "--only", "pjrt.reads.raw", misdeed="null@PJRT_Buffer_CopyRawToHost")["cases"]
    assert [case["result"] for case in cases] == ["failed", "skipped"]
    assert cases[0]["findings"][0]["seen"] == "PJRT_Buffer_CopyRawToHost is NULL"
    assert "has no PJRT_Buffer_CopyRawToHost" in cases[1]["reason"]
