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
    for words in (["--equal"], ["--window", "12"]):  # the command line speaks of its options, not of C
        assert "TN_PJRT" not in tenon(place, "add.mlir", "x.npy", "--plugin", old, *words, code=3).stderr
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--as-host", "0.28", code=1).stderr
    assert "Unexpected PJRT_Client_Create_Args size" in error and "version is fine" not in error
    assert "\n  the plugin loaded; it has PJRT 0.114, and this host acts as 0.28; it could not make a client" in error


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
    error = tenon(place, "add.mlir", *words, code=1).stderr
    assert "PJRT_LoadedExecutable_Execute" in error and error.endswith("; in add.mlir with no inputs\n")
    error = tenon(place, "add.mlir", "x.npy", "x.npy", *words, code=1).stderr
    assert "PJRT_LoadedExecutable_Execute" in error and error.endswith("; in add.mlir with x.npy, x.npy\n")
    np.save(place / "words.npy", np.array(["a", "b"]))
    assert "words.npy" in tenon(place, "add.mlir", "words.npy", *words, code=1).stderr
    assert "in add.mlir with x.npy," in tenon(place, "add.mlir", *["x.npy"] * 20, *words, code=1).stderr
    assert "no.npy" in tenon(place, "add.mlir", "no.npy", *words, code=1).stderr
    assert "no.mlir" in tenon(place, "no.mlir", "x.npy", *words, code=1).stderr
    (place / "bad.mlir").write_text("this is no program")
    assert "PJRT_Client_Compile" in tenon(place, "bad.mlir", "x.npy", *words, code=1).stderr
    assert "has no device 7; these can be used here: 0 (test device)" in tenon(place, "add.mlir", "x.npy", "--device", "7", *words, code=1).stderr
    assert "no_such_option" in tenon(place, "add.mlir", "x.npy", "--option", "no_such_option=1", *words, code=1).stderr


def test_files_that_are_no_pjrt_plugin_are_refused(place):
    assert "no.so" in tenon(place, "add.mlir", "x.npy", "--plugin", "no.so", code=1).stderr
    error = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "good.so", code=1).stderr
    assert "GetPjrtApi" in error and "TF_InitKernel" in error and "tn_plugin_load" not in error
    assert f"an op of it runs with: tenon run --op NAME --plugin {PLUGINS / 'good.so'}" in error
    assert "0.13" in tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "pjrt_0_13.so", code=3).stderr


    assert "is null" in tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, misdeed="outputs_null", code=3).stderr
    for other in (PLUGINS / "no_entry_point.so", place / "x.npy"):
        tenon(place, "add.mlir", "x.npy", "--plugin", other, code=3)


def test_misuse_says_what_to_do(place):
    error = tenon(place, "add.mlir", "x.npy", code=2).stderr
    assert "'add.mlir' is a program; name the PJRT plugin that is to run it: --plugin FILE" in error
    assert "one plugin" in tenon(place, "add.mlir", "--plugin", "a.so", "--plugin", "b.so", code=2).stderr
    for words in (["--device", "GPU:0"], ["--as-host", "1.2"], ["--as-host", "76"], ["--as-host", "0.27"], ["--as-host", "0.56"],
                  ["--as-host", "0.118"], ["--window", "soon"], ["--as-of", "2026-01-01"], ["--as-of", "2026-13-01", "--window", "3"],
                  ["--window", "3", "--equal"], ["--attr", "a=b"], ["--option", "a"], ["--option", "=3"], ["--option", "a:foo=3"],
                  ["--option", "a:int=x"], ["--format", "foo"], ["--time-limit", "5"]):
        error = tenon(place, "add.mlir", "--plugin", PLUGIN, *words, code=2).stderr
        assert error.startswith("tenon run: --") and words[0] in error and error.endswith("See: tenon run --help\n"), error
    for words in (["--plugin", "--isolate"], ["--out", "--json"], ["--option", "--format=hlo"]):
        error = tenon(place, "add.mlir", *words, code=2).stderr
        assert f"{words[0]} needs a value" in error and f"found the option {words[1]}" in error
    assert "--isolate is for programs" in tenon(place, "--op", "Relu", "x.npy", "--isolate", code=2).stderr


@ways
def test_an_option_of_another_kind_than_the_plugin_wants_is_told_how_to_write(place, way):
    words = ["add.mlir", "x.npy", "--plugin", PLUGIN, *way]
    error = tenon(place, *words, "--option", "shape=3", "--option", "num_devices=2", code=1).stderr
    assert "\n  shape was sent as int; shape:ints=3 sends a list (the kinds: string, int, ints, float, bool)\n" in error
    assert "num_devices was" not in error
    assert "shape was sent as float; shape:KIND=VALUE says another kind" in tenon(place, *words, "--option", "shape=0.5", code=1).stderr
    assert "was sent as" not in tenon(place, *words, "--option", "no_such=1", code=1).stderr
    tenon(place, *words, "--option", "shape:ints=3", "--option", "shape=1,2")


def test_a_place_for_outputs_that_cannot_be_written_is_told_before_the_plugin_is_asked(place):
    words = ["add.mlir", "x.npy", "--plugin", PLUGIN, "--out"]
    (place / "folder.npy").mkdir()
    for target in ("nodir/x.npy", "nodir/x.npz", "nodir/sub", "add.mlir", "x.npy/sub", "folder.npy"):
        done = tenon(place, *words, target, code=1, misdeed="crash@PJRT_Client_Create")
        assert target in done.stderr and done.stdout == ""
    before = sorted(place.iterdir())
    for target in ("results", "y.npy", "y.npz"):
        tenon(place, *words, target, code=3, misdeed="fail@PJRT_Client_Create")
        assert sorted(place.iterdir()) == before  # nothing is left of the trial
        tenon(place, *words, target)
        tenon(place, *words, target)  # also where something is
        before = sorted(place.iterdir())


@ways
def test_a_file_that_is_no_program_is_told_what_to_write(place, way):
    files = {"f.jaxexport": b"\x1c\x00\x00\x00\x00\x00\x16\x00\x40\x00", "f.numpy": (place / "x.npy").read_bytes(), "f.pb": b"\n\x04main\x12\x04main"}
    for name, content in files.items():
        (place / name).write_bytes(content)
        error = tenon(place, name, "x.npy", "--plugin", PLUGIN, *way, code=1, misdeed="crash@PJRT_Client_Compile").stderr
        assert "is no StableHLO" in error and "exported.mlir_module_serialized" in error and name in error
    (place / "empty.mlir").write_bytes(b"")
    assert "empty.mlir is empty; a program was expected" in tenon(place, "empty.mlir", "x.npy", "--plugin", PLUGIN, *way, code=1).stderr


def test_what_jax_serializes_whole_is_refused_with_what_to_write_instead(place):
    jax = pytest.importorskip("jax")
    from jax import export
    exported = export.export(jax.jit(lambda a: a + 1), platforms=["cuda"])(np.load(place / "x.npy"))
    (place / "f.jaxexport").write_bytes(exported.serialize())
    assert "exported.mlir_module_serialized" in tenon(place, "f.jaxexport", "x.npy", "--plugin", PLUGIN, code=1).stderr


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


def test_a_device_cannot_write_lines_of_its_own(place, monkeypatch):
    monkeypatch.setenv("PJRT_LIE", "kind_escapes")
    shown = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGINS / "liar.so").stdout
    assert "device      0: \\x1b[2J\\x07\\x0aall is well\\x9b\n" in shown


def test_an_empty_program_is_named(place):
    (place / "none.mlir").write_text("")
    assert "none.mlir is empty; a program was expected" in tenon(place, "none.mlir", "x.npy", "--plugin", PLUGIN, code=1).stderr


@ways
def test_outputs_go_where_they_were_asked_to_go_when_a_plugin_walks_away(place, way):
    shown = tenon(place, "add.mlir", "x.npy", "--plugin", PLUGIN, "--out", "results", "--json", *way, misdeed="changes_directory")
    assert np.array_equal(np.load(place / "results/out0.npy"), np.arange(1, 7, dtype=np.float32).reshape(2, 3))
    assert "changed the working directory; it was put back" in json.loads(shown.stdout)["notes"]


def test_a_program_runs_where_the_outputs_of_the_command_are_closed(place):
    done = subprocess.run(["sh", "-c", '"$@" >&- 2>&-', "sh", TENON, "run", "add.mlir", "x.npy", "--plugin", PLUGIN, "--isolate",
                           "--out", "results"], cwd=place, timeout=300)
    assert np.load(place / "results/out0.npy").shape == (2, 3)
