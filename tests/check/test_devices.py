"""tenon check on plugins with devices: good ones pass everything, and each planted fault is found."""

import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
MISDEED = BUILD / "tests/plugins/misdeed_device.so"


def check(plugin, *words, misdeed="", **environment):
    done = subprocess.run([BUILD / "bin/tenon", "check", plugin, "--json", "--seed", "7", "--face", "devices", *words],
                          capture_output=True, text=True,
                          env={**os.environ, "TENON_TEST_MISDEED": misdeed, **environment})
    assert done.stdout, done
    return json.loads(done.stdout)


def bad(report):
    return [case for case in report["cases"] if case["verdict"] != "fine"]


def skipped(report):
    return {case["name"].removeprefix("devices."): case["reason"] for case in report["cases"] if case["result"] == "skipped"}


def test_a_device_that_behaves_passes_every_case():
    report = check(MISDEED, misdeed="unified")
    assert not bad(report)
    assert skipped(report) == {"device.functions": "the plugin has none of them"}


def test_the_processor_as_two_devices_passes_every_case():
    report = check(BUILD / "lib/tenon/plugins/libtenon_cpu.so", TENON_CPU_DEVICES="2")
    assert not bad(report) and not skipped(report)


def test_the_example_passes_what_it_does_not_leave_out():
    report = check(BUILD / "examples/libexample_device.so")
    assert not bad(report)
    assert report["passed"] >= 60 and "there is one device" in skipped(report).values()


def test_without_a_device_what_needs_one_is_skipped():
    report = check(MISDEED, misdeed="count:0")
    assert not bad(report)
    assert set(skipped(report).values()) == {"no device of this plugin's is here"} and report["passed"] >= 10


# Each fault of tests/plugins/misdeed_device.c, and the case that is there to find it.
FOUND_BY = """
null:SP_PlatformFns:create_device         platform.opens
null:SP_StreamExecutor:create_stream      platform.opens
size:SP_Platform:0                        platform.opens
ext:SP_Platform                           platform.ext
ext:SP_PlatformFns                        platform.ext
version:1                                 platform.version
unavailable                               platform.opens
no_platform                               platform.opens
crash                                     platform.opens
abort                                     platform.opens
exit                                      platform.opens
name:lower                                platform.opens
replaces_structs                          platform.opens
tables_change                             platform.names
unified_without_functions                 platform.opens
null:SP_StreamExecutor:start_timer        platform.functions
null:SP_StreamExecutor:sync_memcpy_dtoh   platform.functions
writes_past_struct                        platform.older_executor
only_once                                 platform.twice
stays_for_ever                            platform.taken_down
count:-1                                  platform.count
counts_up                                 platform.count
main_thread_only                          platform.another_thread
prints                                    platform.standard_output
takes_signals                             platform.signals
moves_away                                platform.working_folder
rounds_down                               platform.rounding
crash_opening                             device.describes
exit_opening                              device.describes
wrong_ordinal                             device.describes
size:SP_Device:0                          device.describes
boasts                                    device.functions
asserts_ordinals                          device.no_such
one_device_ever                           device.again_and_again
one_device_ever                           device.destroyed_and_made
fail:create_device:2                      device.all
starts_threads                            device.threads_end
opens_files                               device.descriptors_close
same_block_twice                          memory.sizes
fail:allocate                             memory.sizes
odd_addresses                             memory.alignment
dislikes_null                             memory.freed_nothing
promises_too_much                         memory.too_much
negative_memory                           memory.usage
more_free_memory_than_there_is            memory.usage
negative_memory                           memory.statistics
writes_past_struct                        memory.statistics
leaks_blocks                              memory.given_back
fail:host_memory_allocate                 memory.host
blocking_copies_less                      memory.threads
blocking_copies_less                      copies.blocking
fail:sync_memcpy_dtod                     copies.blocking_between
blocking_copies_more                      copies.blocking_in_parts
copies_less                               copies.on_stream
copy_fails_later                          copies.on_stream
fail:memcpy_dtod                          copies.on_stream_between
copies_more                               copies.on_stream_in_parts
dislikes_nothing                          copies.empty
forgets_large_copies                      copies.large
copies_less                               copies.in_order
copies_less                               copies.threads
fills_more                                fills.zero
fills_more                                fills.bytes
fills_more                                fills.words
one_stream_for_all                        streams.many
null_stream                               streams.empty
leaks_streams                             streams.come_and_go
fail:get_stream_status                    streams.status
one_stream_for_all                        streams.independent
passes_events                             streams.dependency
passes_events                             streams.event
fail:create_stream_dependency             streams.hand_over
waits_for_nothing                         streams.all_activity
dislikes_work                             streams.destroyed_at_work
callback_twice                            streams.threads
event:1                                   events.complete
event:2                                   events.complete
event:3                                   events.pending
event:1                                   events.unused
null_event                                events.many
leaks_events                              events.come_and_go
event:3                                   events.recorded_again
callback_twice                            callbacks.once
callback_never                            callbacks.once
callback_refused                          callbacks.once
callback_refused_but_made                 callbacks.once
callback_fails                            callbacks.in_order
copies_less                               callbacks.after_work
callbacks_must_not_fail                   callbacks.failing
timers_say_nonsense                       timers.measure
fail:create_timer                         timers.unused
"""


@pytest.mark.parametrize("misdeed, case", [line.split() for line in FOUND_BY.split("\n") if line])
def test_a_planted_fault_is_found(misdeed, case):
    report = check(MISDEED, "--only", f"devices.{case}", "--time-limit", "15", misdeed=misdeed)
    assert bad(report), report
