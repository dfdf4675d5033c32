"""tenon run PROGRAM: what people type and see, on the test plugins of tests/pjrt/plugins."""
import json
import os
import pathlib
import pty
import re
import select
import signal
import subprocess
import time

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
TENON = BUILD / "bin/tenon"
PLUGINS = BUILD / "tests/plugins"
PLUGIN = PLUGINS / "pjrt_0_114.so"

ADD_ONE = """func.func public @main(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = stablehlo.constant dense<1.0> : tensor<2x3xf32>
  %0 = stablehlo.add %arg0, %c : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "add.mlir").write_text(ADD_ONE)
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    return tmp_path


def tenon(place, *words, code=0, misdeed=None, timeout=300):
    env = {**os.environ, **({"PJRT_MISDEED": misdeed} if misdeed else {})}
    done = subprocess.run([TENON, "run", *map(str, words)], cwd=place, capture_output=True, text=True, timeout=timeout, env=env)
    assert done.returncode == code, f"exit {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}"
    return done


ways = pytest.mark.parametrize("way", [[], ["--isolate"]], ids=["here", "isolated"])


@ways
def test_a_program_runs_and_what_is_told_is_aligned(place, way):
    shown = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, *way).stdout.splitlines()
    assert re.fullmatch(r"plugin      pjrt_0_114\.so, PJRT 0\.114 \(this host knows up to 0\.\d+\), StableHLO up to \d+\.\d+\.\d+", shown[0])
    assert shown[1] == "device      0: test device"
    assert re.fullmatch(r"compile     [\d.]+ (us|ms|s)", shown[2])
    assert shown[3:] == ["out0        float32 [2, 3]", "[[1. 2. 3.]", " [4. 5. 6.]]"]


@ways
def test_times_are_told_when_asked_for(place, way):
    shown = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--time", "--out", "results", *way).stdout
    time_of = r"[\d.]+ (?:us|ms|s)"
    assert re.search(rf"^run         first {time_of}, then {time_of} per call \([\d,]+ calls, p99 {time_of}\)$", shown, re.M)
    assert re.search(rf"^            {time_of} per call when they are not waited for$", shown, re.M)
    assert "out0        float32 [2, 3] -> results/out0.npy" in shown
    np.testing.assert_array_equal(np.load(place / "results/out0.npy"), np.arange(1, 7, dtype=np.float32).reshape(2, 3))


@ways
def test_json_holds_all_of_it(place, way):
    found = json.loads(tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--time", "--json", *way).stdout)
    assert found["schema"] == "tenon/run-program/1" and found["pjrt"] == "0.114" and found["device_kind"] == "test device"
    assert set(found["time"]) == {"first_ns", "calls", "per_call_ns", "p50_ns", "p99_ns", "in_a_row_ns"}
    assert found["outputs"] == [{"dtype": "float32", "shape": [2, 3], "values": [[1, 2, 3], [4, 5, 6]]}]


def test_a_portable_artifact_runs_like_text(place):
    jax = pytest.importorskip("jax")
    from jax import export
    x = np.load(place / "x.npy")
    exported = export.export(jax.jit(lambda a: a + 1), platforms=["cuda"])(x)
    (place / "add.mlirbc").write_bytes(exported.mlir_module_serialized)
    assert "[[1. 2. 3.]" in tenon(place, "add.mlirbc", "x.npy", "--plugin", PLUGIN).stdout
    error = tenon(place, "add.mlirbc", "x.npy", "--plugin", PLUGIN, misdeed="old_stablehlo", code=1).stderr
    assert "0.9.0" in error and "StableHLO" in error


@pytest.mark.parametrize("number", [28, 34, 54, 75, 90, 104, 117])
def test_plugins_of_every_age_run_it(place, number):
    shown = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / f"pjrt_0_{number}.so", "--time").stdout
    assert f"PJRT 0.{number} " in shown and "[4. 5. 6.]" in shown


def test_the_host_can_be_another_and_policies_refuse(place):
    assert "(this host acts as 0.76)" in tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "pjrt_0_75.so", "--as-host", "0.76").stdout
    old = PLUGINS / "pjrt_0_54.so"
    assert "0.54" in tenon(place, "add.mlir", "x.npy", "--plugin", old, "--equal", code=3).stderr
    assert "0.54" in tenon(place, "add.mlir", "x.npy", "--plugin", old, "--window", "12", "--as-of", "2026-11-01", code=3).stderr
    tenon(place, "add.mlir", "x.npy", "--plugin", old, "--window", "12", "--as-of", "2024-09-01")
    assert "is no day" in tenon(place, "add.mlir", "x.npy", "--plugin", old, "--window", "12", "--as-of", "someday", code=1).stderr


@ways
def test_a_plugin_that_finds_no_device_is_told_with_what_works(place, way):
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, *way, misdeed="fail@PJRT_Client_Create", code=3).stderr
    first, second = error.splitlines()
    assert first.startswith("tenon run: pjrt_0_114.so: PJRT_Client_Create: ")
    assert second.startswith("  the plugin loaded and its version is fine (0.114); it ")


@pytest.mark.parametrize("call, doing", [("PJRT_Client_Create", "was opened and its client made"), ("PJRT_Client_Compile", "compiled the program"),
                                         ("PJRT_LoadedExecutable_Execute", "ran the program")])
def test_a_crash_ends_the_command_with_a_line_and_an_isolated_one_names_the_call(place, call, doing):
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, misdeed=f"crash@{call}", code=3).stderr
    assert f"pjrt_0_114.so, while it {doing}, crashed with SIGSEGV" in error
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--isolate", misdeed=f"crash@{call}", code=3).stderr
    assert f"tenon run: pjrt_0_114.so: the plugin died with SIGSEGV in {call}" in error


def test_a_hang_is_ended_when_the_time_is_over(place):
    for seconds in (1, 8, 60):  # a slow machine may need longer to come to the call
        error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--isolate", "--time-limit", seconds, misdeed="hang@PJRT_Client_Compile",
                      code=3).stderr
        if "PJRT_Client_Compile" in error:
            break
    assert f"not back after {seconds} s in PJRT_Client_Compile" in error and "--time-limit SECONDS gives it more time" in error


@ways
def test_what_the_plugin_prints_does_not_mix_with_results(place, way):
    found = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--json", *way, misdeed="prints_on_stdout").stdout
    assert json.loads(found)["pjrt"] == "0.114"


@ways
def test_wrong_inputs_are_the_plugins_to_refuse_and_files_are_named(place, way):
    words = ["--plugin", PLUGIN, *way]
    assert "PJRT_LoadedExecutable_Execute" in tenon(place, "add.mlir", *words, code=1).stderr
    assert "PJRT_LoadedExecutable_Execute" in tenon(place, "add.mlir", "x.npy", "x.npy", *words, code=1).stderr
    assert "no.npy" in tenon(place, "add.mlir", "no.npy", *words, code=1).stderr
    assert "no.mlir" in tenon(place, "no.mlir", "x.npy", *words, code=1).stderr
    (place / "bad.mlir").write_text("this is no program")
    assert "PJRT_Client_Compile" in tenon(place, "bad.mlir", "x.npy", *words, code=1).stderr
    assert "has no device 7; these can be used here: 0 (test device)" in tenon(place, "add.mlir", "x.npy", "--device", "7", *words, code=1).stderr
    assert "no_such_option" in tenon(place, "add.mlir", "x.npy", "--option", "no_such_option=1", *words, code=1).stderr


def test_files_that_are_no_pjrt_plugin_are_refused(place):
    assert "no.so" in tenon(place, "add.mlir", "x.npy", "--plugin", "no.so", code=1).stderr
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "good.so", code=1).stderr
    assert "GetPjrtApi" in error and "TF_InitKernel" in error
    assert "0.13" in tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "pjrt_0_13.so", code=3).stderr


def test_misuse_says_what_to_do(place):
    error = tenon(place, "add.mlir", "x.npy", code=2).stderr
    assert "'add.mlir' is a program; name the PJRT plugin that is to run it: --plugin FILE" in error
    assert "one plugin" in tenon(place, "add.mlir", "--plugin", "a.so", "--plugin", "b.so", code=2).stderr
    for words in (["--device", "GPU:0"], ["--as-host", "1.2"], ["--as-host", "76"], ["--window", "soon"], ["--as-of", "2026-01-01"],
                  ["--window", "3", "--equal"], ["--attr", "a=b"]):
        assert words[0] in tenon(place, "add.mlir", "--plugin", PLUGIN, *words, code=2).stderr
    assert "--isolate is for programs" in tenon(place, "--op", "Relu", "x.npy", "--isolate", code=2).stderr


def test_options_reach_the_client_and_a_bad_one_is_named(place):
    assert "=" in tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--option", "novalue", code=1).stderr


def test_ctrl_c_ends_a_plugin_that_hangs_and_its_child(place):
    for way in ([], ["--isolate"]):
        process = subprocess.Popen([TENON, "run", "add.mlir", "x.npy", "--plugin", PLUGIN, *way], cwd=place, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, env={**os.environ, "PJRT_MISDEED": "hang@PJRT_Client_Compile"})
        assert process.stdout.readline().startswith("plugin")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=120)
        assert process.returncode == 130 and said == "tenon run: interrupted\n"


def test_a_terminal_shows_what_takes_long_and_nothing_stays_of_it(place):
    master, slave = pty.openpty()
    process = subprocess.Popen([TENON, "run", "add.mlir", "x.npy", "--plugin", PLUGIN, "--isolate"], cwd=place, stdout=subprocess.DEVNULL,
                               stderr=slave, env={**os.environ, "PJRT_MISDEED": "hang@PJRT_Client_Compile"})
    os.close(slave)
    said, deadline = b"", time.monotonic() + 120
    while b"compile     3 s" not in said and time.monotonic() < deadline:
        if select.select([master], [], [], 1)[0]:
            said += os.read(master, 1024)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=120)
    os.close(master)
    assert b"compile     2 s\rcompile     3 s" in said and b"1 s" not in said


def test_without_memory_files_the_error_is_a_status(place):
    done = subprocess.run(["bash", "-c", f"ulimit -n 6; exec {TENON} run add.mlir x.npy --plugin {PLUGIN} --isolate"], cwd=place,
                          capture_output=True, text=True)
    assert done.returncode in (1, 3) and done.stderr.startswith("tenon run: ")
