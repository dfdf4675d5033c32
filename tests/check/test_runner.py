"""tenon check: what the runner makes of a case, however it ends, and the forms it tells of it in."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
import xml.etree.ElementTree

import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
TENON = BUILD / "bin/tenon"
CASE = "pjrt.entry.same_table"

PLUGIN = """
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
const void* GetPjrtApi(void) {
  static char tables[2][4096];
  static int next;
  (void)tables, (void)next;
  BODY
}
"""
BODIES = {
    "good": "return tables[0];",
    "null": "return NULL;",
    "other": "return tables[next++ & 1];",
    "crash": 'fputs("going down\\n", stderr); fflush(stderr); raise(SIGSEGV); return NULL;',
    "exit": "exit(7);",
    "hang": "for (;;) pause();",
    # Two that it starts, one of them a daemon; their numbers go to the file that LEFT names.
    "leaves": """
  FILE* file = fopen(getenv("LEFT"), "w");
  for (int i = 0; i < 2; ++i) {
    int pid = fork();
    if (pid == 0) {
      if (i) setsid();
      alarm(300);
      for (;;) pause();
    }
    fprintf(file, "%d\\n", pid);
  }
  fclose(file);
  for (;;) pause();""",
}


def check(*words):
    return subprocess.run([TENON, "check", *map(str, words)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugins")
    for name, body in BODIES.items():
        (folder / f"{name}.c").write_text(PLUGIN.replace("BODY", body))
        subprocess.run(["cc", "-shared", "-fPIC", folder / f"{name}.c", "-o", folder / f"{name}.so"], check=True)
    (folder / "none.c").write_text("int nothing;")
    subprocess.run(["cc", "-shared", "-fPIC", folder / "none.c", "-o", folder / "none.so"], check=True)
    return folder


def only_case(plugins, name, *words):
    done = check(plugins / f"{name}.so", "--only", CASE, "--json", *words)
    assert done.stdout, done
    return done.returncode, json.loads(done.stdout)["cases"][0]


def test_a_plugin_that_keeps_the_contract_passes(plugins):
    code, case = only_case(plugins, "good")
    assert (code, case["result"], case["findings"]) == (0, "passed", [])


@pytest.mark.parametrize("name, expected, seen", [
    ("null", "a table", "NULL"),
    ("other", "the same table twice", "0x[0-9a-f]+, then 0x[0-9a-f]+"),
])
def test_a_broken_contract_says_what_was_expected_and_what_was_seen(plugins, name, expected, seen):
    code, case = only_case(plugins, name)
    assert (code, case["result"]) == (3, "failed")
    finding, = case["findings"]
    assert finding["contract"] == case["contract"] and finding["expected"] == expected
    assert re.fullmatch(seen, finding["seen"])


def test_a_crash_is_told_with_its_signal_the_call_and_the_last_words(plugins):
    code, case = only_case(plugins, "crash")
    assert (code, case["result"]) == (3, "died")
    assert case["ended"].startswith("killed by SIGSEGV in GetPjrtApi") and "going down" in case["ended"]


def test_an_exit_is_not_a_pass(plugins):
    code, case = only_case(plugins, "exit")
    assert (code, case["result"]) == (3, "died")
    assert case["ended"] == "ended the process with exit code 7 in GetPjrtApi"


def test_a_case_that_hangs_is_ended_in_time(plugins):
    code, case = only_case(plugins, "hang", "--time-limit", "1")
    assert (code, case["result"]) == (3, "timed out")
    assert case["ended"] == "not back after 1 s in GetPjrtApi"


def test_the_line_to_reproduce_reproduces(plugins):
    code, case = only_case(plugins, "null", "--seed", "42")
    words = case["reproduce"].split()
    assert words[:2] == ["tenon", "check"] and words[-2:] == ["--seed", "42"]
    done = check(*words[2:])
    assert done.returncode == code == 3 and f"not ok 1 - {CASE}" in done.stdout


def test_the_line_to_reproduce_has_the_time_limit(plugins):
    code, case = only_case(plugins, "hang", "--time-limit", "1")
    assert code == 3 and "--time-limit 1" in case["reproduce"]
    done = check(*case["reproduce"].split()[2:], "--json")
    assert json.loads(done.stdout)["cases"][0]["ended"] == case["ended"]


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return True


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.02)
    assert what()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_what_a_plugin_started_ends_with_its_case(plugins, tmp_path, how):
    left = tmp_path / "left"
    limit = "15" if how is None else "300"
    running = subprocess.Popen([TENON, "check", plugins / "leaves.so", "--only", CASE, "--time-limit", limit],
                               stdout=subprocess.DEVNULL, env={**os.environ, "LEFT": str(left)})
    wait_for(lambda: left.exists() and left.read_text().count("\n") == 2)
    if how is not None:
        running.send_signal(how)
    running.wait()
    for pid in left.read_text().split():
        wait_for(lambda: is_gone(pid))


def test_tap_has_a_plan_a_line_a_case_and_the_seed(plugins):
    done = check(plugins / "null.so", "--only", CASE, "--seed", "5")
    lines = done.stdout.splitlines()
    assert lines[:3] == ["TAP version 14", "1..1", f"# {plugins}/null.so, seed 5"]
    assert lines[3].startswith(f"not ok 1 - {CASE}: ")
    assert '      seen: "NULL"' in lines and lines[-1] == "# 0 passed, 1 failed, 0 skipped"


def test_junit_is_xml_that_says_the_same(plugins, tmp_path):
    check(plugins / "crash.so", "--only", CASE, "--junit", tmp_path / "out.xml")
    suite = xml.etree.ElementTree.parse(tmp_path / "out.xml").getroot().find("testsuite")
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    failure = suite.find("testcase").find("failure")
    assert failure.get("type") == "died" and "SIGSEGV in GetPjrtApi" in failure.text
    alone = check(plugins / "good.so", "--only", CASE, "--junit", "-")
    assert xml.etree.ElementTree.fromstring(alone.stdout.encode()).find("testsuite").get("failures") == "0"


def test_what_can_never_work_here_is_not_run(plugins, tmp_path):
    (tmp_path / "never").write_text(f"# why\n\n{CASE}  this machine has no clock\n")
    code, case = only_case(plugins, "hang", "--never", tmp_path / "never")
    assert (code, case["result"], case["listed"]) == (0, "never", "this machine has no clock")
    tap = check(plugins / "hang.so", "--only", CASE, "--never", tmp_path / "never").stdout
    assert "# SKIP can never work here: this machine has no clock" in tap


def test_what_fails_for_now_is_run_and_may_fail(plugins, tmp_path):
    (tmp_path / "now").write_text("pjrt.entry.*  the vendor knows\n")
    code, case = only_case(plugins, "null", "--for-now", tmp_path / "now")
    assert (code, case["result"], case["verdict"]) == (0, "failed", "fails for now")


def test_what_fails_for_now_and_passes_is_an_error_of_the_list(plugins, tmp_path):
    (tmp_path / "now").write_text("# a list\npjrt.entry.*  the vendor knows\n")
    code, case = only_case(plugins, "good", "--for-now", tmp_path / "now")
    assert (code, case["result"], case["verdict"]) == (1, "passed", "passes against the list")
    tap = check(plugins / "good.so", "--only", CASE, "--for-now", tmp_path / "now").stdout
    assert f"not ok 1 - {CASE}" in tap and f"line 2 of {tmp_path}/now has to go" in tap


@pytest.mark.parametrize("line, says", [
    ("pjrt.entry.same_table", "1: 'pjrt.entry.same_table' has no reason"),
    ("pjrt.no.such  because", "1: no case fits 'pjrt.no.such'"),
])
def test_a_list_that_says_nothing_is_refused(plugins, tmp_path, line, says):
    (tmp_path / "list").write_text(line)
    done = check(plugins / "good.so", "--never", tmp_path / "list")
    assert done.returncode == 1 and says in done.stderr


@pytest.mark.parametrize("words, code, says", [
    ((), 2, "expected one plugin"),
    (("none.so",), 1, "exports neither GetPjrtApi nor TF_InitKernel"),
    (("missing.so",), 1, "No such file"),
    (("good.so", "--face", "kernels"), 1, "has no face 'kernels'"),
    (("good.so", "--face", "wings"), 2, "expected pjrt, kernels or devices"),
    (("good.so", "--only", "pjrt.no.such"), 2, "no case fits"),
    (("good.so", "--seed", "-1"), 2, "expected a whole number"),
    (("good.so", "--option", "x"), 2, "expected NAME=VALUE"),
])
def test_what_cannot_be_checked_is_said(plugins, words, code, says):
    done = check(*(plugins / word if word.endswith(".so") else word for word in words))
    assert (done.returncode, done.stdout) == (code, "") and says in done.stderr


def test_cases_at_the_same_time_are_told_in_order(plugins):
    names = [line.split(":")[0] for line in check("--list", "--face", "pjrt").stdout.splitlines()]
    done = json.loads(check(plugins / "null.so", "--json", "--jobs", "4").stdout)
    assert [case["name"] for case in done["cases"]] == names


def test_what_stands_on_a_case_that_hangs_is_not_tried(plugins, tmp_path):
    source = PLUGIN.replace("BODY", "return NULL;") + "__attribute__((constructor)) static void stay(void) { for (;;) pause(); }"
    (tmp_path / "stay.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "stay.c", "-o", tmp_path / "stay.so"], check=True)
    done = check(tmp_path / "stay.so", "--only", "pjrt.entry.opens", "--only", "pjrt.buffers.*", "--time-limit", "1", "--json")
    first, *others = json.loads(done.stdout)["cases"]
    assert first["ended"].startswith("not back after 1 s in dlopen") and len(others) > 50
    assert all(case["reason"] == "pjrt.entry.opens timed out" for case in others)


def test_a_run_in_which_no_case_ran_is_no_success(plugins):
    done = check(plugins / "null.so", "--only", "pjrt.buffers.rank_zero")
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("# NOTHING WAS CHECKED: no case ran, 1 was skipped; the first: the plugin does not open")
    report = check(plugins / "null.so", "--only", "pjrt.buffers.rank_zero", "--json")
    assert report.returncode == 1 and "NOTHING WAS CHECKED" in report.stderr
    assert json.loads(report.stdout)["warning"].startswith("NOTHING WAS CHECKED")
