"""tenon check on plugins with kernels: good ones pass everything, and each planted fault is found."""

import json
import os
import pathlib
import subprocess

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
MISDEED = BUILD / "tests/plugins/misdeed_kernels.so"


def check(folder, plugin, *words, misdeed=""):
    done = subprocess.run([BUILD / "bin/tenon", "check", plugin, "--json", "--seed", "7", "--face", "kernels", *words],
                          capture_output=True, text=True, cwd=folder, env={**os.environ, "TENON_TEST_MISDEED": misdeed})
    assert done.stdout, done
    return json.loads(done.stdout)


def bad(report):
    return [case for case in report["cases"] if case["verdict"] != "fine"]


def test_kernels_that_behave_pass_every_case(tmp_path):
    report = check(tmp_path, MISDEED)
    assert not bad(report)
    assert report["skipped"] == 0 and report["passed"] >= 60


def test_kernels_of_the_cpu_pass_every_case(tmp_path):
    report = check(tmp_path, BUILD / "lib/tenon/plugins/libtenon_cpu.so", "--jobs", "2")
    assert not bad(report)
    assert report["skipped"] == 0


@pytest.mark.parametrize("example", ["libbitcast.so", "libexample_device.so"])
def test_kernels_of_examples_pass_every_case(tmp_path, example):
    assert not bad(check(tmp_path, BUILD / "examples" / example, "--jobs", "2"))


# Each fault of tests/plugins/misdeed_kernels.c, and the case that is there to find it.
FOUND_BY = """
loading:prints                 load.standard_output
loading:signal                 load.signals
loading:blocks_signals         load.signal_mask
loading:chdir                  load.working_folder
loading:umask                  load.umask
loading:locale                 load.locale
loading:rounding               load.rounding
loading:flushes_small_numbers  load.rounding
loading:closes_files           load.standard_files
loading:environment            load.environment
registers_nothing              load.registers
bad_op                         load.registers
only_once                      load.registered_twice
main_thread_only               load.another_thread
big_stack_loading              load.small_stack
needs_environment              load.empty_environment
writes_a_file                  load.nowhere
crash_at_exit                  load.exit
small_letters                  registered.device_types
unknown_attr                   registered.constraints
unknown_type                   registered.types
unknown_argument               registered.host_memory
twice_the_same                 registered.chosen
in_the_shade                   registered.chosen
no_name                        registered.names
shape_unknown                  shapes.unknown
shape_scalar                   shapes.scalars
shape_no_message               shapes.known
shape_throws                   shapes.known
shape_partial                  shapes.partial
shape_empty                    shapes.empty
shape_huge                     shapes.huge
shape_rank                     shapes.high_ranks
shape_ignores_memory           shapes.no_memory
shape_leaks                    shapes.handles
shape_disagrees                shapes.agree
wrong_shape                    shapes.agree
crash_create                   made.plain_attrs
exit_create                    made.plain_attrs
crash_delete                   made.plain_attrs
no_message_create              made.varied_attrs
crash_on_attr                  made.wild_attrs
create_ignores_memory          memory.none_while_made
shape_unchecked                runs.random_inputs
crash_compute                  runs.random_inputs
exit_compute                   runs.random_inputs
never_sets                     runs.random_inputs
throws                         runs.random_inputs
always_internal                runs.random_inputs
wrong_type                     runs.random_inputs
half_output                    runs.all_elements
writes_beyond                  runs.bounds
writes_far_beyond              runs.bounds
changes_its_mind               runs.deterministic
each_differs                   runs.made_alike
spoilt_by_failure              runs.after_failures
writes_input                   runs.inputs_kept
clears_input                   runs.inputs_kept
forwards_wrongly               runs.forwarding
running:prints                 runs.standard_output
running:signal                 runs.signals
running:blocks_signals         runs.signal_mask
running:chdir                  runs.working_folder
running:umask                  runs.umask
running:locale                 runs.locale
running:rounding               runs.rounding
running:flushes_small_numbers  runs.rounding
running:closes_files           runs.standard_files
running:environment            runs.environment
crash_on_nothing               values.zero_size
crash_on_scalar                values.scalars
no_message_for_scalars         values.scalars
crash_on_rank                  values.high_ranks
crash_on_rank                  values.one_high_rank
crash_on_nan                   values.special_numbers
index_unchecked                values.wild_integers
refuses_without_message        values.other_shapes
refuses_without_message        values.one_other_shape
crash_on_nan                   values.anything
long_text                      values.strings
empty_handle                   values.empty_handles
ignores_missing_input          values.missing
ignores_memory                 memory.none_while_run
stuck_without_memory           memory.none_while_run
leaks_memory                   memory.runs
leaks_handle                   memory.runs
leaks_on_failure               memory.failures
leak_create                    memory.kernels
global_state                   threads.one_kernel
global_state                   threads.many_kernels
knows_its_thread               threads.another
big_stack                      threads.small_stack
minds_forks                    threads.fork
done_never                     threads.done_once
done_twice                     threads.done_once
"""


@pytest.mark.parametrize("misdeed, case", [line.split() for line in FOUND_BY.split("\n") if line])
def test_a_planted_fault_is_found(tmp_path, misdeed, case):
    report = check(tmp_path, MISDEED, "--only", f"kernels.{case}", "--time-limit", "30", misdeed=misdeed)
    assert bad(report), report


def test_kernels_can_be_chosen_and_left_out_by_their_op(tmp_path):
    words = "--only", "kernels.runs.deterministic"
    assert bad(check(tmp_path, MISDEED, *words, misdeed="changes_its_mind"))
    found = bad(check(tmp_path, MISDEED, *words, "--op", "MisdeedD*", misdeed="changes_its_mind"))
    assert found and "--op 'MisdeedD*'" in found[0]["reproduce"]
    assert not bad(check(tmp_path, MISDEED, *words, "--op", "MisdeedText", "--op", "MisdeedHandle", misdeed="changes_its_mind"))
    assert not bad(check(tmp_path, MISDEED, *words, "--not-op", "MisdeedD*", "--not-op", "*Later", misdeed="changes_its_mind"))
    nothing = check(tmp_path, MISDEED, *words, "--op", "NoSuchOp")
    assert nothing["cases"][0]["reason"] == "it has no kernel, or none that --op and --not-op leave"
    assert nothing["warning"].startswith("NOTHING WAS CHECKED")


def test_findings_that_are_alike_are_one(tmp_path):
    found, = bad(check(tmp_path, MISDEED, "--only", "kernels.runs.random_inputs", misdeed="never_sets"))
    kernels = [finding["seen"].split(" [")[0] for finding in found["findings"]]
    assert len(kernels) == len(set(kernels)) and sum(finding["more"] for finding in found["findings"]) > 10


def test_a_kernel_that_refuses_all_inputs_is_named(tmp_path):
    words = "--only", "kernels.runs.random_inputs", "--op", "MisdeedDouble"
    found, = check(tmp_path, MISDEED, *words, misdeed="refuses_all")["cases"]
    assert found["result"] == "passed" and found["notes"].startswith("MisdeedDouble (MisdeedDouble, CPU) never computed anything: ")
    assert "INVALID_ARGUMENT: not today" in found["notes"]
    tap = subprocess.run([BUILD / "bin/tenon", "check", MISDEED, *words], capture_output=True, text=True,
                         env={**os.environ, "TENON_TEST_MISDEED": "refuses_all"}).stdout
    assert "\n# MisdeedDouble (MisdeedDouble, CPU) never computed anything: " in tap


def test_what_is_wrong_with_every_run_is_told_by_one_case(tmp_path):
    report = check(tmp_path, MISDEED, "--only", "kernels.runs.*", "--jobs", "2", misdeed="throws")
    assert [case["name"] for case in bad(report)] == ["kernels.runs.random_inputs"]
