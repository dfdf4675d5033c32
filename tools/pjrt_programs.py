#!/usr/bin/env python3
"""Programs that PJRT plugins are tried with: JAX functions with their inputs.

  pjrt_programs.py export FOLDER [--from FILE] [NAME...]   a folder per program: program.mlirbc (a StableHLO portable artifact
                                                           for CUDA), in0.npy ..., and want0.npy ... as JAX computes them on the CPU
  pjrt_programs.py time [--from FILE]                      reads names, prints for each what JAX takes on its default device

--from takes the programs of another file instead: one that has a dictionary W from a name to a function without arguments
that gives a JAX function and its inputs.
"""

import argparse
import contextlib
import importlib.util
import json
import pathlib
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

W = {}


def program(make):
    W[make.__name__] = make
    return make


def normal(*shape, seed=0, scale=1.0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape, dtype=np.float32) * np.float32(scale)


# ---- One or a few kernels ----

@program
def add_one():
    return lambda x: x + 1, (normal(4),)


@program
def many_outputs():
    return lambda x: tuple(x * i for i in range(8)), (normal(16),)


@program
def integers_and_bits():
    values = np.arange(-512, 512, dtype=np.int32)
    return lambda x: (x // 7, x % 7 == 0, x << 3 ^ x, lax.population_count(x)), (values,)


@program
def fused_chain():
    return lambda x, y: jnp.tanh(x) * y + jnp.exp(-y * y) * jax.nn.sigmoid(x), (normal(1 << 18), normal(1 << 18, seed=1))


@program
def softmax_rows():
    return lambda x: jax.nn.softmax(x, -1), (normal(512, 1024),)


@program
def row_and_column_sums():
    return lambda x: (x.sum(0), x.sum(1), x.max()), (normal(1024, 512),)


@program
def product():
    return lambda a, b: a @ b, (normal(512, 512), normal(512, 512, seed=1))


@program
def product_bfloat16():
    return lambda a, b: a @ b, tuple(jnp.asarray(normal(512, 512, seed=i, scale=0.1), jnp.bfloat16) for i in range(2))


@program
def batched_product():
    return lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (normal(16, 64, 64), normal(16, 64, 64, seed=1))


@program
def transposed_copy():
    return lambda x: jnp.transpose(x, (2, 0, 1)) + 0, (normal(64, 128, 96),)


@program
def sorted_keys():
    return lambda x: (jnp.sort(x), jnp.argsort(x)), (normal(1 << 15),)


@program
def running_sum():
    return lambda x: jnp.cumsum(x, 1), (normal(64, 2048, scale=0.1),)


@program
def rows_taken_and_added():
    rows = np.random.default_rng(5).integers(0, 5000, 1024).astype(np.int32)
    return lambda t, i, u: (t[i], t.at[i].add(u)), (normal(5000, 64), rows, normal(1024, 64, seed=1))


@program
def spectrum():
    return lambda x: jnp.abs(jnp.fft.rfft(x)), (normal(16, 4096),)


# ---- Loops ----

@program
def counted_loop():
    return lambda x, n: lax.fori_loop(0, n, lambda i, c: c * 0.5 + x, jnp.zeros_like(x)), (normal(256), np.int32(100))


@program
def recurrent_scan():
    def run(w, h, xs):
        return lax.scan(lambda h, x: (jnp.tanh(h @ w + x), h.mean()), h, xs)
    return run, (normal(32, 32, scale=0.1), normal(2, 32), normal(200, 2, 32))


# ---- Models ----

def dense_layers(sizes):
    return [(normal(a, b, scale=0.05), normal(b, seed=1, scale=0.01)) for a, b in zip(sizes, sizes[1:])]


def classify(layers, x):
    for w, b in layers[:-1]:
        x = jax.nn.gelu(x @ w + b)
    return x @ layers[-1][0] + layers[-1][1]


@program
def classifier():
    return classify, (dense_layers([256, 256, 128, 10]), normal(1, 256))


@program
def classifier_step():
    def loss(layers, x, y):
        return -(jax.nn.log_softmax(classify(layers, x)) * y).sum(-1).mean()

    def step(layers, x, y):
        value, slopes = jax.value_and_grad(loss)(layers, x, y)
        return value, jax.tree.map(lambda a, b: a - 0.1 * b, layers, slopes)
    labels = np.eye(10, dtype=np.float32)[np.random.default_rng(3).integers(0, 10, 64)]
    return step, (dense_layers([256, 256, 128, 10]), normal(64, 256), labels)


@program
def convolutions():
    def convolve(x, w, stride):
        return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def run(first, second, last, x):
        x = jax.nn.relu(convolve(x, first, 2))
        x = lax.reduce_window(jax.nn.relu(convolve(x, second, 1)), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return x.mean((1, 2)) @ last
    return run, (normal(3, 3, 3, 16, scale=0.1), normal(3, 3, 16, 32, scale=0.1), normal(32, 10, scale=0.1), normal(4, 32, 32, 3))


HEADS = 4


def normed(x, gain):
    return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-6) * gain


def attend(x, weights):
    batch, length, width = x.shape
    parts = (x @ weights).reshape(batch, length, 3, HEADS, width // HEADS)
    query, key, value = (parts[:, :, i].transpose(0, 2, 1, 3) for i in range(3))
    scores = query @ key.transpose(0, 1, 3, 2) * (width // HEADS) ** -0.5
    scores = jnp.where(np.tril(np.ones((length, length), bool)), scores, -1e9)
    return (jax.nn.softmax(scores, -1) @ value).transpose(0, 2, 1, 3).reshape(x.shape)


def transform(p, x):
    x = x + attend(normed(x, p["gain"][0]), p["attention"]) @ p["out"]
    y = normed(x, p["gain"][1])
    return x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]


def transformer_parameters(width):
    return {"attention": normal(width, 3 * width, scale=0.03), "out": normal(width, width, scale=0.03), "gain": np.ones((2, width), np.float32),
            "gate": normal(width, 4 * width, scale=0.03), "up": normal(width, 4 * width, seed=1, scale=0.03),
            "down": normal(4 * width, width, scale=0.03)}


@program
def transformer_block():
    return transform, (transformer_parameters(256), normal(2, 64, 256))


@program
def transformer_block_step():
    def step(p, x, y):
        slopes = jax.grad(lambda p: ((transform(p, x) - y) ** 2).mean())(p)
        return jax.tree.map(lambda a, b: a - 0.1 * b, p, slopes)
    return step, (transformer_parameters(256), normal(2, 64, 256), normal(2, 64, 256, seed=1))


# ---- What is done with them ----

def flat(make):
    """The function of a program over a flat list of arrays, giving a flat list; and the arrays."""
    function, inputs = make()
    leaves, tree = jax.tree.flatten(inputs)
    return (lambda *arrays: jax.tree.leaves(function(*jax.tree.unflatten(tree, arrays)))), leaves


def export(folder, programs):
    for name, make in programs.items():
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        function, inputs = flat(make)
        # Products of float32 as such: what is compared is computed elsewhere.
        with jax.default_matmul_precision("highest"):
            exported = jax.export.export(jax.jit(function, keep_unused=True), platforms=["cuda"])(*inputs)
            wanted = jax.jit(function)(*inputs)
        (place / "program.mlirbc").write_bytes(exported.mlir_module_serialized)
        for kind, arrays in (("in", inputs), ("want", wanted)):
            for i, array in enumerate(arrays):
                np.save(place / f"{kind}{i}.npy", np.asarray(array))


def measure(name, make):
    """Microseconds of JAX's own call, with its arguments on the device; and milliseconds to the first result."""
    function, inputs = flat(make)
    inputs = [jax.device_put(value) for value in inputs]
    jax.block_until_ready(inputs)
    jitted = jax.jit(function)
    with jax.default_matmul_precision("highest"):
        begin = time.perf_counter()
        jax.block_until_ready(jitted(*inputs))
        first = time.perf_counter() - begin
        one_by_one(jitted, inputs, 100)
        each = one_by_one(jitted, inputs, 1000)
        call = each[len(each) // 2]
        rows = sorted(in_a_row(jitted, inputs, max(1, min(100, int(0.1 / call)))) for _ in range(7))
    return {"name": name, "first_ms": first * 1e3, "call_us": call * 1e6, "in_a_row_us": rows[3] * 1e6}


def one_by_one(jitted, inputs, calls, most=2.0):
    """What each call took that was waited for, shortest first."""
    times, end = [], time.perf_counter() + most
    while len(times) < calls and (len(times) < 3 or time.perf_counter() < end):
        begin = time.perf_counter()
        jax.block_until_ready(jitted(*inputs))
        times.append(time.perf_counter() - begin)
    return sorted(times)


def in_a_row(jitted, inputs, calls):
    begin = time.perf_counter()
    for _ in range(calls):
        result = jitted(*inputs)
    jax.block_until_ready(result)
    return (time.perf_counter() - begin) / calls


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["export", "time"])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--from", dest="file", type=pathlib.Path)
    given = parser.parse_intermixed_args()
    programs = W
    if given.file:
        spec = importlib.util.spec_from_file_location("programs", given.file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        programs = module.W
    if given.what == "export":
        wanted = {name: programs[name] for name in given.names or programs}
        failed = {}
        for name, make in wanted.items():
            try:
                export(given.folder, {name: make})
            except Exception as error:  # what one JAX cannot export says nothing of the others
                failed[name] = str(error).splitlines()[0]
        print(json.dumps(failed))
        return
    device = jax.devices()[0]
    print(json.dumps({"jax": jax.__version__, "device": device.device_kind, "platform_version": device.client.platform_version}), flush=True)
    for line in sys.stdin:
        name = line.strip()
        try:
            print(json.dumps(measure(name, programs[name])), flush=True)
        except Exception as error:
            print(json.dumps({"name": name, "error": str(error).splitlines()[0]}), flush=True)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main()
