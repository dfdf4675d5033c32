"""tools/summary.py: the closing line of `make test` counts single tests and never hides a failure."""

import subprocess
import sys

from house import SOURCE


def summary(tmp_path, *cases):
    report = tmp_path / "junit.xml"
    report.write_text("<testsuite>%s</testsuite>" % "".join(cases))
    done = subprocess.run([sys.executable, SOURCE / "tools/summary.py", report],
                          capture_output=True, text=True)
    return done.stdout.splitlines()[-1], done.returncode


def case(status, output="", name="x", inner=""):
    return f'<testcase name="{name}" status="{status}">{inner}<system-out>{output}</system-out></testcase>'


def test_counts_of_both_kinds_of_program_are_summed(tmp_path):
    assert summary(tmp_path, case("run", "1..3\nok 1 - a\n2 passed, 0 failed, 1 skipped\n"),
                   case("run", "...s [100%]\n3 passed, 1 skipped in 0.12s\n"),
                   case("run", "no counts here")) == ("6 passed, 0 failed, 2 skipped", 0)


def test_a_crash_after_the_last_test_is_a_failure(tmp_path):
    assert summary(tmp_path, case("fail", "5 passed, 0 failed, 0 skipped\n")) == (
        "5 passed, 1 failed, 0 skipped", 1)


def test_an_error_while_collecting_is_a_failure(tmp_path):
    assert summary(tmp_path, case("fail", "1 passed, 1 error in 0.5s")) == (
        "1 passed, 1 failed, 0 skipped", 1)


def test_nothing_run_is_not_success(tmp_path):
    assert summary(tmp_path)[1] == 1
    assert summary(tmp_path, case("notrun", inner='<skipped message="x"/>')) == (
        "0 passed, 0 failed, 1 skipped", 1)


def test_a_missing_report_is_a_failure(tmp_path):
    done = subprocess.run([sys.executable, SOURCE / "tools/summary.py", tmp_path / "none.xml"],
                          capture_output=True, text=True)
    assert done.returncode == 1 and "no report" in done.stdout


def test_prose_with_numbers_is_not_taken_for_the_counts(tmp_path):
    assert summary(tmp_path, case("run", "3 passed, 0 failed, 0 skipped\nsaw 7 passed cars\n")) == (
        "3 passed, 0 failed, 0 skipped", 0)


def test_every_skip_is_shown_with_its_reason(tmp_path):
    report = tmp_path / "junit.xml"
    report.write_text("<testsuite>%s%s</testsuite>" % (
        case("run", "ok 1 - test_a # SKIP no such thing\n0 passed, 0 failed, 1 skipped\n", "base"),
        case("run", "SKIPPED [1] tests/x/test_y.py:3: not here\n1 passed, 1 skipped in 0.1s\n", "x.y")))
    done = subprocess.run([sys.executable, SOURCE / "tools/summary.py", report], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["skipped: base: test_a: no such thing",
                                        "skipped: x.y: test_y.py:3: not here",
                                        "1 passed, 0 failed, 2 skipped"]
