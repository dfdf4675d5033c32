"""The test plugins are plugins to others too: JAX runs a program on every number that it can take."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

PLUGINS = pathlib.Path(os.environ["TENON_BUILD"]) / "tests/plugins"
NUMBERS = sorted(int(re.search(r"0_(\d+)", path.name)[1]) for path in PLUGINS.glob("pjrt_0_*.so"))
# JAX walks extension chains in the form they have since 0.45, and calls what 0.56 has in other slots.
TAKEN = [number for number in NUMBERS if number >= 45 and number != 56]


def in_jax(*numbers):
    run = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("jax_on_plugins.py"), PLUGINS, *map(str, numbers)],
                         capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_jax_adds_one_on_the_plugin_of_every_number_since_045():
    assert len(TAKEN) > 50
    assert in_jax(*TAKEN) == {str(number): "added one" for number in TAKEN}


@pytest.mark.parametrize("number, because", [(28, "older than the minimum supported version 0.29"),
                                             (29, "Unexpected PJRT_Client_Create_Args size: expected 72, got 88"),
                                             (30, "Unexpected PJRT_Client_Create_Args size: expected 72, got 88")])
def test_plugins_that_compare_sizes_for_equality_refuse_jax_as_they_did(number, because):
    assert because in in_jax(number)[str(number)]
