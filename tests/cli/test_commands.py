"""What people type and see: every command, its mistakes and its exit codes."""
import json
import os
import pathlib
import signal
import subprocess
import time

import numpy as np
import pytest

BUILD = pathlib.Path(os.environ["TENON_BUILD"])
SOURCE = pathlib.Path(__file__).parents[2]
TENON = BUILD / "bin" / "tenon"


def tenon(*words, cwd=None, code=0, env=None):
    done = subprocess.run([TENON, *map(str, words)], cwd=cwd, capture_output=True, text=True, timeout=120,
                          env={**os.environ, **(env or {})})
    assert done.returncode == code, f"exit {done.returncode}, expected {code}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture
def arrays(tmp_path):
    rng = np.random.default_rng(3)
    a = rng.standard_normal((2, 3), dtype=np.float32)
    b = rng.standard_normal((4, 3), dtype=np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    np.savez(tmp_path / "both.npz", left=a, right=b)
    np.savez_compressed(tmp_path / "packed.npz", left=a, right=b)
    return tmp_path, a, b


def test_an_op_runs_on_npy_files_and_prints_like_numpy(arrays):
    folder, a, b = arrays
    shown = tenon("run", "--op", "MatMul", "a.npy", "b.npy", "--attr", "transpose_b=true", cwd=folder).stdout
    first, second, values = shown.split("\n", 2)
    assert first.startswith("MatMul  kernel '") and "libtenon_cpu.so on CPU" in first
    assert second == "out0  float32 [2, 4]"
    found = np.array(values.replace("[", " ").replace("]", " ").split(), dtype=np.float32).reshape(2, 4)
    np.testing.assert_allclose(found, a @ b.T, rtol=1e-5)


@pytest.mark.parametrize("inputs", [["both.npz"], ["packed.npz"], ["both.npz:left", "packed.npz:right"]])
def test_npz_archives_give_all_arrays_or_one(arrays, inputs):
    folder, a, b = arrays
    tenon("run", "--op", "MatMul", *inputs, "--attr", "transpose_b=true", "--out", "results", cwd=folder)
    np.testing.assert_allclose(np.load(folder / "results" / "out0.npy"), a @ b.T, rtol=1e-5)


def test_outputs_go_into_one_archive_when_asked(arrays):
    folder, a, _ = arrays
    shown = tenon("run", "--op", "AddV2", "a.npy", "a.npy", "--out", "sum.npz", cwd=folder).stdout
    assert "-> sum.npz:out0" in shown
    np.testing.assert_array_equal(np.load(folder / "sum.npz")["out0"], a + a)
    error = tenon("run", "--op", "Relu", "a.npy", "--out", "no/such/place", cwd=folder, code=1).stderr
    assert "no/such/place" in error and "No such file" in error
    tenon("run", "--op", "Relu", "a.npy", "--out", "one.npy", cwd=folder)
    np.testing.assert_array_equal(np.load(folder / "one.npy"), np.maximum(a, 0))


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_ends_a_run_with_a_line_and_130_and_leaves_no_output(tmp_path):
    np.save(tmp_path / "a.npy", np.zeros([5000, 5000]))
    words = ["--op", "MatMul", "a.npy", "a.npy", "--out", "product.npy"]
    process = subprocess.Popen([TENON, "run", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env={**os.environ, "TENON_THREADS": "1"})
    while cpu_seconds(process.pid) < 1:  # of several; loading takes less
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "") and said.startswith("tenon run: interrupted")
    assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]


def test_json_of_a_run_holds_values_or_files(arrays):
    folder, a, b = arrays
    words = ["run", "--op", "AddV2", "a.npy", "a.npy", "--json"]
    document = json.loads(tenon(*words, cwd=folder).stdout)
    assert document["schema"] == "tenon/run/1"
    output = document["outputs"][0]
    assert (output["dtype"], output["shape"]) == ("float32", [2, 3])
    np.testing.assert_array_equal(np.array(output["values"], np.float32), a + a)
    document = json.loads(tenon(*words, "--out", "o", cwd=folder).stdout)
    np.testing.assert_array_equal(np.load(folder / document["outputs"][0]["file"]), a + a)


def test_a_wrong_op_name_suggests_the_nearest(arrays):
    folder, *_ = arrays
    error = tenon("run", "--op", "Matmul", "a.npy", "b.npy", cwd=folder, code=1).stderr
    assert "Matmul" in error and "MatMul" in error
    assert "MatMul" in tenon("ops", "MatMull", code=1).stderr


def test_a_wrong_attribute_name_suggests_the_nearest(arrays):
    folder, *_ = arrays
    error = tenon("run", "--op", "MatMul", "a.npy", "b.npy", "--attr", "transpose_c=true", cwd=folder, code=1).stderr
    assert "no attr 'transpose_c'; did you mean 'transpose_" in error
    error = tenon("run", "--op", "MatMul", "a.npy", "b.npy", "--attr", "transpose_b=perhaps", cwd=folder, code=1).stderr
    assert "perhaps" in error and "bool" in error
    tenon("run", "--op", "MatMul", "a.npy", "b.npy", "--attr", "transpose_b", cwd=folder, code=2)


def test_kernel_errors_say_what_is_wrong(arrays):
    folder, *_ = arrays
    error = tenon("run", "--op", "MatMul", "a.npy", "a.npy", cwd=folder, code=1).stderr
    assert "MatMul" in error and "[2,3]" in error.replace(" ", "")
    error = tenon("run", "--op", "MatMul", "a.npy", cwd=folder, code=1).stderr
    assert "MatMul" in error and "2" in error


def test_files_that_cannot_be_read_are_named(arrays):
    folder, *_ = arrays
    error = tenon("run", "--op", "Relu", "missing.npy", cwd=folder, code=1).stderr
    assert "missing.npy" in error and "No such file" in error
    (folder / "text.npy").write_text("this is no array")
    assert "text.npy" in tenon("run", "--op", "Relu", "text.npy", cwd=folder, code=1).stderr
    error = tenon("run", "--op", "Relu", "both.npz:middle", cwd=folder, code=1).stderr
    assert "middle" in error and "left" in error and "right" in error


def test_misuse_exits_with_two_and_points_to_help(arrays):
    folder, *_ = arrays
    assert "--help" in tenon("frobnicate", code=2).stderr
    assert "did you mean 'kernels'" in tenon("kernel", code=2).stderr
    assert "did you mean --plugin" in tenon("ops", "--plugins", "x", code=2).stderr
    assert "--op needs a value" in tenon("run", "--op", code=2).stderr
    assert "--json takes no value" in tenon("ops", "--json=yes", code=2).stderr
    assert "--op NAME" in tenon("run", "a.npy", cwd=folder, code=2).stderr
    assert "--plugin FILE" in tenon("run", "model.mlir", cwd=folder, code=2).stderr
    tenon("ops", "A", "B", code=2)
    tenon("kernels", "MatMul", code=2)
    tenon(code=2)


def test_help_shows_examples_for_every_command():
    listing = tenon("--help").stdout
    names = [line.split()[0] for line in listing.split("commands:\n")[1].split("\n\n")[0].splitlines()]
    assert {"run", "ops", "kernels", "new", "config"} <= set(names)
    for name in names:
        shown = tenon(name, "--help").stdout
        assert "examples:" in shown and f"usage: tenon {name}" in shown
        assert shown == tenon("help", name).stdout
    assert tenon("--version").stdout.startswith("tenon ")


def test_ops_lists_and_describes():
    assert "MatMul" in tenon("ops").stdout
    shown = tenon("ops", "MatMul").stdout
    assert "transpose_a: bool = false" in shown and "a: T" in shown
    document = json.loads(tenon("ops", "--json").stdout)
    assert document["schema"] == "tenon/ops/1" and len(document["ops"]) > 150
    described = json.loads(tenon("ops", "ConcatV2", "--json").stdout)["ops"][0]
    assert described["inputs"] == ["values: N * T", "axis: Tidx"]


def test_kernels_lists_by_op():
    shown = tenon("kernels", "--op", "MatMul").stdout
    assert "DT_FLOAT" in shown and "libtenon_cpu.so" in shown
    document = json.loads(tenon("kernels", "--op", "MatMul", "--json").stdout)
    assert document["schema"] == "tenon/kernels/1" and all(k["op"] == "MatMul" for k in document["kernels"])
    assert "no kernel computes" in tenon("kernels", "--op", "MatMul", "--no-default-plugins").stdout
    tenon("kernels", "--op", "NoSuchOpAtAll", code=1)


def test_output_has_colours_only_on_a_terminal(arrays):
    folder, *_ = arrays
    assert "\033" not in tenon("run", "--op", "Relu", "a.npy", cwd=folder).stdout


def test_a_plugin_that_does_not_load_is_exit_three(arrays):
    folder, *_ = arrays
    (folder / "broken.so").write_text("no ELF at all")
    error = tenon("run", "--op", "Relu", "a.npy", "--plugin", "broken.so", cwd=folder, code=3).stderr
    assert "broken.so" in error
    error = tenon("ops", "--plugin", "absent.so", cwd=folder, code=1).stderr
    assert "absent.so" in error and "No such file" in error


PLUGIN = """
#include <stdio.h>
#include <stdlib.h>
#include <tensorflow/c/kernels.h>
static void compute(void* kernel, TF_OpKernelContext* context) { BODY; }
void TF_InitKernel(void) {
  TF_Status* status = TF_NewStatus();
  puts("loading");
  TF_RegisterKernelBuilder("Bad", TF_NewKernelBuilder("Relu", "CPU", 0, compute, 0), status);
  TF_DeleteStatus(status);
}
"""


def bad_kernel(folder, body):
    (folder / "bad.c").write_text(PLUGIN.replace("BODY", body))
    flags = tenon("config", "--cflags").stdout.split()
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "bad.so", "bad.c", *flags], cwd=folder, check=True)
    return ["run", "--op", "Relu", "a.npy", "--no-default-plugins", "--plugin", "./bad.so"]


@pytest.mark.parametrize("body, how", [("*(volatile int*)0 = 1", "crashed with SIGSEGV"), ("abort()", "SIGABRT"),
                                       ("exit(0)", "ended the process"), ("exit(7)", "ended the process")])
def test_a_kernel_that_takes_the_process_along_is_named(arrays, body, how):
    folder, *_ = arrays
    error = tenon(*bad_kernel(folder, body), cwd=folder, code=3).stderr
    assert "kernel 'Bad'" in error and "bad.so" in error and how in error


MISDEEDS = ["--no-default-plugins", "--plugin", BUILD / "tests/plugins/misdeed_device.so"]


@pytest.mark.parametrize("misdeed, how", [("crash_opening", "crashed with SIGSEGV"), ("exit_opening", "ended the process")])
def test_a_device_that_takes_the_process_along_while_it_is_opened_is_named(arrays, misdeed, how):
    folder, *_ = arrays
    for words in (["devices"], ["devices", "--json"], ["run", "--op", "Neg", "--device", "MISDEED", "a.npy"]):
        error = tenon(*words, *MISDEEDS, cwd=folder, env={"TENON_TEST_MISDEED": misdeed}, code=3).stderr
        assert "misdeed_device.so, while its device" in error and "MISDEED:0 was opened" in error and how in error


def test_the_option_that_helps_is_named(arrays):
    folder, *_ = arrays
    error = tenon("run", "--op", "Abs", "a.npy", "--device", "MISDEED", *MISDEEDS, cwd=folder, code=1).stderr
    assert "No registered 'Abs'" in error and "--allow-cpu-fallback runs on the CPU" in error
    words = [word for word in bad_kernel(folder, "") if word != "--no-default-plugins"]
    error = tenon(*words, cwd=folder, code=1).stderr
    assert "bad.so" in error and "libtenon_cpu.so" in error and "leaves out its own with --no-default-plugins" in error


def test_a_plugin_that_hangs_has_the_time_it_is_given(tmp_path):
    (tmp_path / "hang.c").write_text("int pause(void); void TF_InitKernel(void) { for (;;) pause(); }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "hang.so", "hang.c"], cwd=tmp_path, check=True)
    words = ["devices", "--no-default-plugins", "--plugin", "./hang.so", "--time-limit"]
    error = tenon(*words, 1, cwd=tmp_path, code=3).stderr
    assert "not back after 1 s in TF_InitKernel" in error and "--time-limit SECONDS gives it more time" in error
    for wrong in ("0", "1.5", "-1", "99999999999", "soon"):
        assert f"--time-limit {wrong}: expected whole seconds" in tenon(*words, wrong, cwd=tmp_path, code=2).stderr


def test_devices_says_what_a_plugin_without_devices_is(tmp_path):
    (tmp_path / "program.c").write_text("void* GetPjrtApi(void) { return 0; }")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", "program.so", "program.c"], cwd=tmp_path, check=True)
    done = tenon("devices", "--no-default-plugins", "--plugin", "./program.so", cwd=tmp_path)
    assert "program.so: program entry point GetPjrtApi found, not called" in done.stdout


def test_what_plugins_say_cannot_command_the_terminal(arrays):
    done = tenon("devices", *MISDEEDS, env={"TENON_TEST_MISDEED": "hardware:a\nMINE:7  b\x1b[2Jc\u009bd"})
    assert "a\\x0aMINE:7  b\\x1b[2Jc\\x9bd" in done.stdout and "\x1b" not in done.stdout
    done = tenon("devices", *MISDEEDS, env={"TENON_TEST_MISDEED": "name:\x1b[2J"}, code=3)
    assert "'\\x1b[2J' must match" in done.stderr
    done = tenon("inspect", "--load", MISDEEDS[-1], env={"TENON_TEST_MISDEED": "name:\x1b[2J"})
    assert "\\x1b[2J" in done.stdout and "\x1b" not in done.stdout
    done = tenon("devices", *MISDEEDS, env={"TENON_TEST_MISDEED": "hardware:a\udcffb\u00e9"})
    assert "a\\xffb\u00e9" in done.stdout


def test_what_plugins_print_stays_out_of_results(arrays):
    folder, a, _ = arrays
    body = """puts("computing"); TF_Status* s = TF_NewStatus(); TF_Tensor* x = 0;
              TF_GetInput(context, 0, &x, s); TF_SetOutput(context, 0, x, s); TF_DeleteTensor(x); TF_DeleteStatus(s)"""
    done = tenon(*bad_kernel(folder, body), "--json", cwd=folder)
    np.testing.assert_array_equal(np.array(json.loads(done.stdout)["outputs"][0]["values"], np.float32), a)
    assert "loading" in done.stderr and "computing" in done.stderr


def test_output_that_cannot_be_written_is_a_failure(arrays):
    for words in (["--help"], ["--version"], ["ops"], ["help", "run"]):
        with open("/dev/full", "w") as full:
            done = subprocess.run([TENON, *words], stdout=full, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and "could not write" in done.stderr


def test_blanks_in_strings_are_kept(arrays):
    folder, *_ = arrays
    np.save(folder / "words.npy", np.array([b"a", b"b"]))
    words = ["run", "--op", "StringJoin", "words.npy", "words.npy", "--json"]
    document = json.loads(tenon(*words, "--attr", "separator=, ", cwd=folder).stdout)
    assert document["outputs"][0]["values"] == ["a, a", "b, b"]


def test_streams_without_an_end_are_refused_at_once(arrays):
    folder, a, _ = arrays
    assert "begin with" in tenon("run", "--op", "Relu", "/dev/zero", cwd=folder, code=1).stderr
    piped = f"cat a.npy | {TENON} run --op Relu /dev/stdin --json"
    done = subprocess.run(["sh", "-c", piped], cwd=folder, capture_output=True)
    assert done.returncode == 0 and json.loads(done.stdout)["outputs"][0]["shape"] == [2, 3]


def test_empty_arrays_of_huge_shape_end_at_once(arrays):
    folder, *_ = arrays
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 0), }"
    header += b" " * (64 - (10 + len(header) + 1) % 64) + b"\n"
    (folder / "huge.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    document = json.loads(tenon("run", "--op", "Relu", "huge.npy", "--json", cwd=folder).stdout)
    assert document["outputs"][0]["shape"] == [1099511627776, 0] and document["outputs"][0]["values"] == []


def test_new_op_makes_a_project_that_builds_and_passes_its_test(tmp_path):
    shown = tenon("new", "op", "Scale", cwd=tmp_path).stdout
    assert "cd scale" in shown
    made = subprocess.run(["make", f"TENON={TENON}", "test"], cwd=tmp_path / "scale", capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "ok: Scale" in made.stdout
    x = np.array([1.5, -2], np.float32)
    np.save(tmp_path / "x.npy", x)
    tenon("run", "--op", "Scale", "x.npy", "--plugin", "scale/libscale.so", "--attr", "scale=3", "--out", "out",
          cwd=tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out0.npy"), x * 3)
    assert "scale" in tenon("new", "op", "Scale", cwd=tmp_path, code=1).stderr
    assert "MyOp" in tenon("new", "op", "clip", cwd=tmp_path, code=2).stderr
    tenon("new", "kernel", "X", cwd=tmp_path, code=2)
    assert "there is an op Relu already" in tenon("new", "op", "Relu", cwd=tmp_path, code=1).stderr
    assert (tmp_path / "my_own_op").exists() is False
    tenon("new", "op", "MyOwnOp", cwd=tmp_path)
    assert (tmp_path / "my_own_op" / "my_own_op.c").exists()


def test_new_op_in_cxx_makes_a_project_that_builds_and_passes_its_test(tmp_path):
    tenon("new", "op", "MyScale", "--cxx", cwd=tmp_path)
    flags = "CXXFLAGS=-Wall -Wextra -Wno-unused-parameter -Werror"
    made = subprocess.run(["make", f"TENON={TENON}", flags, "test"], cwd=tmp_path / "my_scale", capture_output=True,
                          text=True)
    assert made.returncode == 0 and not made.stderr, made.stdout + made.stderr
    assert "ok: MyScale" in made.stdout
    x = np.arange(100000, dtype=np.float64)
    np.save(tmp_path / "x.npy", x)
    tenon("run", "--op", "MyScale", "x.npy", "--plugin", "my_scale/libmy_scale.so", "--attr", "scale=3", "--out", "out",
          cwd=tmp_path)
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out0.npy"), x * 3)
    assert "--cxx is for ops" in tenon("new", "device", "MyDevice", "--cxx", cwd=tmp_path, code=2).stderr


def test_new_device_writes_the_example_under_another_name(tmp_path):
    example = SOURCE / "examples/device"
    tenon("new", "device", "ExampleDevice", cwd=tmp_path)
    assert ({file.name: file.read_text() for file in (tmp_path / "example_device").iterdir()} ==
            {file.name: file.read_text() for file in example.iterdir()})
    shown = tenon("new", "device", "MyDevice", "--folder", "here", cwd=tmp_path).stdout
    assert "made here/" in shown and "cd here && make" in shown
    assert sorted(f.name for f in (tmp_path / "here").iterdir()) == [
        "Makefile", "README.md", "my_device.c", "test_my_device.c"]
    for file in (tmp_path / "here").iterdir():
        assert "example" not in file.read_text().lower(), file.name
    flags = "CFLAGS=-Wall -Wextra -Wno-unused-parameter -Werror"
    for goal in [[], ["test"]]:
        made = subprocess.run(["make", f"TENON={TENON}", flags, *goal], cwd=tmp_path / "here", capture_output=True,
                              text=True)
        assert made.returncode == 0 and not made.stderr, made.stdout + made.stderr
    assert "ok: MY_DEVICE runs Relu" in made.stdout
    x = np.array([1.5, -2], np.float32)
    np.save(tmp_path / "x.npy", x)
    shown = tenon("run", "--op", "Relu", "x.npy", "--plugin", "here/libmy_device.so", "--device", "MY_DEVICE",
                  "--out", "out", cwd=tmp_path).stdout
    assert "MyDeviceRelu" in shown and "MY_DEVICE" in shown
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "out0.npy"), [1.5, 0])
    assert "MY_DEVICE:0" in tenon("devices", "--plugin", "here/libmy_device.so", cwd=tmp_path).stdout


@pytest.mark.parametrize("name, folder, type", [
    ("MY_DEVICE", "my_device", "MY_DEVICE"), ("npu", "npu", "NPU"), ("FastNPU", "fast_npu", "FAST_NPU"),
    ("a_b_C", "a_b_c", "A_B_C")])
def test_a_device_s_type_and_files_come_from_its_name(tmp_path, name, folder, type):
    made = json.loads(tenon("new", "device", name, "--json", cwd=tmp_path).stdout)
    assert made == {"schema": "tenon/new/1", "device": type, "folder": folder}
    assert f'"{type}"' in (tmp_path / folder / f"{folder}.c").read_text()


@pytest.mark.parametrize("name", ["Tpu2", "My-Device", "_Hidden", "", "my device", "../up", "Ger\u00e4t"])
def test_a_name_that_makes_no_device_type_is_refused_with_what_to_do(tmp_path, name):
    error = tenon("new", "device", name, cwd=tmp_path, code=2).stderr
    assert f"'{name}' makes no device type" in error and "use letters and _ (MyDevice makes MY_DEVICE)" in error
    assert not list(tmp_path.iterdir())


def test_a_device_that_cannot_be_made_is_refused(tmp_path):
    for name in ["CPU", "cpu", "Default", "Tenon"]:
        error = tenon("new", "device", name, cwd=tmp_path, code=1).stderr
        assert f"{name.upper()} is a device type or platform of Tenon's or TensorFlow's already" in error
    assert "tenon new device MyDevice" in tenon("new", "device", cwd=tmp_path, code=2).stderr
    assert "tenon new device MyDevice" in tenon("new", "device", "A", "B", cwd=tmp_path, code=2).stderr
    (tmp_path / "npu").mkdir()
    (tmp_path / "npu/notes").write_text("mine")
    assert "'npu' is there already; nothing was changed" in tenon("new", "device", "NPU", cwd=tmp_path, code=1).stderr
    assert [file.name for file in (tmp_path / "npu").iterdir()] == ["notes"]
    assert "no/such" in tenon("new", "device", "NPU", "--folder", "no/such/place", cwd=tmp_path, code=1).stderr
