"""tests/harness: how a test ended is never mistaken for something else."""

import os

import pytest

from house import BUILD, SOURCE, run

PROGRAM = r"""
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/memory.h"
#include "harness.h"

TEST(test_passes) { CHECK(1); }
TEST(test_fails) { CHECK_INT(1 + 1, 3); }
TEST(test_crashes) { raise(SIGSEGV); }
TEST(test_dies_of_the_signal_whose_number_is_a_skip_elsewhere) { raise(SIGBUS); }
TEST(test_hangs) { for (;;) pause(); }
TEST(test_skips) { test_skip("no such %s here", "thing"); }
TEST(test_leaves_with_success_before_its_end) { exit(0); }
TEST(test_leaves_with_77) { exit(77); }
TEST(test_fails_in_a_child_of_its_own) {
  if (fork() == 0) { CHECK(0); }
  wait(NULL);
}
static void bad_exit(void) { _exit(9); }
TEST(test_goes_wrong_while_leaving) { atexit(bad_exit); }
TEST(test_prints_its_seed) { uint64_t state = test_seed(); CHECK(test_random(&state) == 0); }
TEST(test_leaves_a_process_behind) { if (fork() == 0) for (;;) pause(); }

static bool leaky(void* arg, tn_status* status) {
  void* first = tn_alloc(8);
  if (!first) { tn_status_set(status, TN_RESOURCE_EXHAUSTED, "first"); return false; }
  void* second = tn_alloc(8);
  if (!second) { tn_status_set(status, TN_RESOURCE_EXHAUSTED, "second"); return false; }
  tn_free(first); tn_free(second);
  return true;
}
TEST(test_a_sweep_sees_a_leak) { test_sweep_allocations(leaky, NULL); }
static bool silent(void* arg, tn_status* status) {
  void* block = tn_alloc(8);
  tn_free(block);
  return block != NULL;
}
TEST(test_a_sweep_sees_a_failure_without_a_reason) { test_sweep_allocations(silent, NULL); }
"""
EXPECTED = {
    "test_passes": "ok",
    "test_fails": "not ok # check failed",
    "test_crashes": "not ok # signal SIGSEGV",
    "test_dies_of_the_signal_whose_number_is_a_skip_elsewhere": "not ok # signal SIGBUS",
    "test_hangs": "not ok # time-out after 1 s",
    "test_skips": "ok # SKIP no such thing here",
    "test_leaves_with_success_before_its_end": "not ok # exit 0 before the end of the test",
    "test_leaves_with_77": "not ok # exit 77 before the end of the test",
    "test_fails_in_a_child_of_its_own": "not ok # check failed",
    "test_goes_wrong_while_leaving": "not ok # exit 9 after the test (a sanitizer or an exit handler)",
    "test_prints_its_seed": "not ok # check failed",
    "test_leaves_a_process_behind": "ok",
    "test_a_sweep_sees_a_leak": "not ok # check failed",
    "test_a_sweep_sees_a_failure_without_a_reason": "not ok # check failed",
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("harness")
    (folder / "cases.c").write_text(PROGRAM)
    done = run("cc", "-D_GNU_SOURCE", f"-I{SOURCE}/include", f"-I{SOURCE}/src", f"-I{SOURCE}/tests/harness",
               folder / "cases.c", SOURCE / "tests/harness/harness.c", f"-L{BUILD}/lib", "-ltenon",
               f"-Wl,-rpath,{BUILD}/lib", "-o", folder / "cases")
    assert done.returncode == 0, done.stderr
    return folder / "cases"


def test_every_way_to_end_is_a_result_of_its_own(program):
    done = run(program, env={**os.environ, "TN_TEST_TIMEOUT": "1"})
    found = {}
    for line in done.stdout.splitlines():
        if line.startswith(("ok ", "not ok ")):
            verdict, _, rest = line.partition(" - ")
            name, _, why = rest.partition(" # ")
            found[name] = " ".join(verdict.split()[:-1]) + (f" # {why}" if why else "")
    assert found == EXPECTED
    assert done.stdout.splitlines()[-1] == "2 passed, 11 failed, 1 skipped" and done.returncode == 1


def test_the_output_of_a_failed_test_is_shown_with_place_and_seed(program):
    text = run(program, env={**os.environ, "TN_TEST_TIMEOUT": "1"}).stdout
    assert "1 + 1 is 2, expected 3" in text and "replay with TN_TEST_SEED=" in text
    assert "1 blocks left behind" in text and "reported as OK" in text


def test_one_test_runs_in_the_process_itself(program):
    assert run(program, "test_passes").returncode == 0
    assert run(program, "test_crashes").returncode == -11
    done = run(program, "test_passe")
    assert done.returncode == 2 and "no test named 'test_passe'" in done.stderr


def test_a_seed_is_replayed(program):
    done = run(program, "test_prints_its_seed", env={**os.environ, "TN_TEST_SEED": "7"})
    assert "TN_TEST_SEED=7" in done.stderr
