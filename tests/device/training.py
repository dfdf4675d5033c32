"""Runs train.py in some TensorFlow and judges it, for tests here and in tests/zoo."""

import collections
import json
import os
import pathlib
import subprocess

import numpy

BUILD = pathlib.Path(os.environ.get("TENON_BUILD", pathlib.Path(__file__).parents[2] / "build"))
PLUGIN = BUILD / "lib/tenon/plugins/libtenon_cpu.so"
STEPS = 8

# What moves values and keeps them, and computes nothing.
BOOKKEEPING = {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv", "Const", "NoOp", "VarHandleOp",
               "ReadVariableOp", "AssignVariableOp", "VarIsInitializedOp", "DestroyResourceOp"}
# Ops of the step that are not ours: TensorFlow has no functions for updates of variables since 2.19, and its own
# kernels do them; Bitcast is what a generator of random numbers does to its seed.
UPDATES = {"AssignAddVariableOp", "AssignSubVariableOp"}
NOT_OURS = {"Bitcast"}


def run(python, script, *words, folder, **variables):
    """The output of a Python program in an environment whose TensorFlow finds the plugins of `folder`."""
    done = subprocess.run([python, *([script] if isinstance(script, pathlib.Path) else ["-c", script]), *words],
                          capture_output=True, text=True, timeout=600,
                          env={**os.environ, "PYTHONPATH": str(folder), "TF_CPP_MIN_LOG_LEVEL": "2", **variables})
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def site_packages(folder, file=PLUGIN):
    """A folder that TensorFlow searches, with the plugin in it."""
    place = folder / "site-packages"
    (place / "tensorflow-plugins").mkdir(parents=True)
    (place / "tensorflow-plugins/libtenon_cpu.so").symlink_to(file)
    return place


def train(python, kind, device, folder, **variables):
    script = pathlib.Path(__file__).with_name("train.py")
    return json.loads(run(python, script, kind, device, str(STEPS), folder=folder, **variables).splitlines()[-1])


def counts(file):
    """{op: how often our kernels ran}."""
    found = collections.Counter()
    for line in file.read_text().splitlines():
        op, _, count = line.split("\t")
        found[op] += int(count)
    return found


def judge(python, kind, folder, tmp_path, not_ours):
    """Trains on the device and on TensorFlow's CPU; returns the ops of a step that were not ours."""
    ours = train(python, kind, "TENON:0", folder, TENON_CPU_COUNT=str(tmp_path / "counts"))
    theirs = train(python, kind, "CPU:0", tmp_path, TF_ENABLE_ONEDNN_OPTS="0")
    assert "device:TENON:0" in ours["variables"] and "device:CPU:0" in theirs["variables"]
    assert numpy.allclose(ours["losses"], theirs["losses"], rtol=1e-4), (ours["losses"], theirs["losses"])
    assert ours["losses"][-1] < ours["losses"][0]
    for mine, other in zip(ours["weights"], theirs["weights"], strict=True):
        assert numpy.allclose(mine, other, rtol=1e-2, atol=1e-3)
    ran, step = counts(tmp_path / "counts"), collections.Counter()
    for ops in ours["ops"].values():
        step.update(ops)
    assert sum(step.values()) > 100 and {"MatMul", "BiasAddGrad", "Sqrt", "RealDiv"} <= step.keys(), step
    missing = {op: (count, ran[op]) for op, count in step.items()
               if op not in BOOKKEEPING and op not in not_ours and ran[op] < STEPS * count}
    assert not missing, f"op: (in a step, in {STEPS} steps by our kernels): {missing}"
    assert len(not_ours) <= 5 and all(ran[op] == 0 for op in not_ours & step.keys())
