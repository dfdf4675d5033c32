"""The same sums in JAX and in `tenon run`, on arrays that JAX wrote."""
import os
import pathlib
import subprocess

import jax
import jax.numpy as jnp
import numpy as np
import pytest

TENON = pathlib.Path(os.environ["TENON_BUILD"]) / "bin" / "tenon"
FLOATS = {"float32": 1e-5, "float16": 2e-3, "bfloat16": 2e-2}


def tenon(folder, op, inputs, attrs=()):
    words = [TENON, "run", "--op", op, "--out", folder / "out"]
    for i, value in enumerate(inputs):
        np.save(folder / f"in{i}.npy", np.asarray(value))
        words.append(folder / f"in{i}.npy")
    for attr in attrs:
        words += ["--attr", attr]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return np.load(folder / "out" / "out0.npy")


def close(found, expected, dtype):
    # bfloat16 comes back as raw two-byte elements: numpy itself has no such type.
    expected = np.asarray(expected)
    assert found.shape == expected.shape
    found = found.view(expected.dtype).astype(np.float32)
    np.testing.assert_allclose(found, expected.astype(np.float32), rtol=FLOATS[dtype], atol=FLOATS[dtype])


def normal(seed, shape, dtype):
    return jax.random.normal(jax.random.key(seed), shape, dtype=dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_matmul(tmp_path, dtype):
    a, b = normal(1, (17, 33), dtype), normal(2, (9, 33), dtype)
    expected = jnp.matmul(a, b.T, precision="highest")
    close(tenon(tmp_path, "MatMul", [a, b], ["transpose_b=true"]), expected, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
def test_elementwise_with_broadcasting(tmp_path, dtype):
    a, b = normal(3, (4, 1, 5), dtype), normal(4, (3, 1), dtype)
    close(tenon(tmp_path, "AddV2", [a, b]), a + b, dtype)
    close(tenon(tmp_path, "Mul", [a, b]), a * b, dtype)
    close(tenon(tmp_path, "Relu", [a]), jax.nn.relu(a), dtype)


def test_layout_changes_are_exact(tmp_path):
    x = jnp.arange(24, dtype=jnp.int32).reshape(2, 3, 4)
    np.testing.assert_array_equal(
        tenon(tmp_path, "Transpose", [x, np.array([2, 0, 1], np.int32)]), jnp.transpose(x, (2, 0, 1)))
    np.testing.assert_array_equal(
        tenon(tmp_path, "ConcatV2", [x, x, np.int32(1)]), jnp.concatenate([x, x], axis=1))
    np.testing.assert_array_equal(
        tenon(tmp_path, "Sum", [x, np.array([0, 2], np.int32)]), x.sum(axis=(0, 2)))


@pytest.mark.parametrize("target", ["float32", "int32", "bool", "float64", "uint8"])
def test_casts_out_of_bfloat16(tmp_path, target):
    x = jnp.array([0, 1, 2.5, 100, 7.75], dtype=jnp.bfloat16)
    expected = np.asarray(x).astype(np.float32).astype(target)
    np.testing.assert_array_equal(tenon(tmp_path, "Cast", [x], [f"DstT={target}"]), expected)
