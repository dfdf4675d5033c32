"""Intel's published CPU plugin, unmodified, with no TensorFlow in the process."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

from zoo import BUILD, SOURCE, unpacked, wanted

PACKAGE = "intel-extension-for-tensorflow-lib"

# release: (ops, kernels)
RELEASES = {
    "2.15.0.0.0": (311, 1262),
    "2.14.0.2.0": (304, 1262),
    "1.2.0.0": (288, 931),
}


def plugin_file(release):
    return unpacked(f"{PACKAGE}=={release}", [".so"]) / "tensorflow-plugins/libitex_cpu.so"


@pytest.fixture(scope="module", params=RELEASES)
def release(request):
    if not wanted(f"{PACKAGE}=={request.param}"):
        pytest.skip("not among TENON_ZOO_ONLY")
    return request.param


@pytest.mark.parametrize("first_contact", [False, True])
def test_it_loads_and_registers_all_its_ops_and_kernels(release, first_contact):
    script = textwrap.dedent(f"""
        import sys
        sys.path.insert(0, {str(SOURCE / "tests/host")!r})
        from tenon import Plugin
        plugin = Plugin({str(plugin_file(release))!r}, first_contact={first_contact})
        assert "TF_InitGraph found, not called" in plugin.notes, plugin.notes
        mapped = open("/proc/self/maps").read()
        assert "libtenon_tf.so" in mapped and "site-packages/tensorflow/" not in mapped
        print(plugin.ops, plugin.kernels)
    """)
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ended.returncode == 0, f"exit {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    ops, kernels = RELEASES[release]
    assert ended.stdout.split()[-2:] == [str(ops), str(kernels)]


def run_op(release, folder, op, *inputs, attrs=()):
    """Runs one op by the command line and returns what it wrote and what it said."""
    command = [BUILD / "bin/tenon", "run", "--op", op, "--plugin", plugin_file(release), "--out", folder]
    for i, value in enumerate(inputs):
        np.save(folder / f"in{i}.npy", value)
        command.append(folder / f"in{i}.npy")
    for attr in attrs:
        command += ["--attr", attr]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, f"exit {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    assert "libitex_cpu.so" in ended.stdout, ended.stdout
    return np.load(folder / "out0.npy")


def test_gelu_is_right(release, tmp_path):
    x = np.linspace(-4, 4, 24, dtype=np.float32).reshape(4, 6)
    expected = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    found = run_op(release, tmp_path, "Gelu", x, attrs=["approximate=true"])
    np.testing.assert_allclose(found, expected, atol=2e-6)


def test_matmul_is_right(release, tmp_path):
    random = np.random.default_rng(7)
    a = random.standard_normal((3, 5), dtype=np.float32)
    b = random.standard_normal((4, 5), dtype=np.float32)
    found = run_op(release, tmp_path, "_ITEXMatMul", a, b, attrs=["transpose_b=true"])
    np.testing.assert_allclose(found, a @ b.T, rtol=1e-5, atol=1e-5)


def test_softmax_is_right(release, tmp_path):
    x = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
    expected = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(run_op(release, tmp_path, "_ITEXSoftmax", x), expected, atol=1e-6)
