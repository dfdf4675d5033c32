"""Hosts and plugins of seed 000 that meet, each pair in a process of its own, and what tenon abi pair says before."""

import functools
import json
import os
import pathlib
import signal
import subprocess
import tempfile
from typing import NamedTuple

BUILD = pathlib.Path(os.environ.get("TENON_BUILD", pathlib.Path(__file__).parents[2] / "build"))
SEED = BUILD / "tests/seed"
VERSIONS = range(1, 6)


class Host(NamedTuple):
    version: int
    manner: str = "trusting"
    uses_deprecated: bool = False


class Outcome(NamedTuple):
    kind: str  # "works", "crashes", "refuses"
    found: dict  # what the host found behind each member that it followed
    member: str  # at which it crashed
    message: str  # with which it refused


class Forecast(NamedTuple):
    """What tenon abi pair says."""
    code: int
    trusted: list
    checked: list


HOSTS = [Host(version, manner, deprecated) for version in VERSIONS
         for manner in ("trusting", "validating", "tenon") for deprecated in (False, True)]


def plugin(version):
    """By its number, or by the name of one that breaks a rule: "cut", "reserved"."""
    return SEED / f"plugin_{version if isinstance(version, str) else f'v{version}'}.so"


@functools.cache
def meet(host, plugin_version):
    done = subprocess.run([SEED / "meet", SEED / f"host_v{host.version}.so", plugin(plugin_version), host.manner,
                           *(["deprecated"] if host.uses_deprecated else [])], capture_output=True, text=True, timeout=60)
    lines = [line.split(" = ") for line in done.stdout.splitlines() if " = " in line]
    found = {line[0]: line[1] for line in lines if line[1]}
    if done.returncode == -signal.SIGSEGV:
        return Outcome("crashes", found, lines[-1][0], "")
    assert done.returncode in (0, 3), (host, plugin_version, done)
    message = done.stdout.splitlines()[-1] if done.returncode == 3 else ""
    return Outcome("refuses" if message else "works", found, "", message)


def reads(host):
    """The members that a host follows where struct_size covers them."""
    since = {"name": 1, "device_handle": 2, "data": 3, "data2": 5}
    return [member for member, version in since.items() if version <= host.version
            and (member != "data" or host.version == 3 or host.uses_deprecated)]


@functools.cache
def forecast(host, plugin_version):
    with tempfile.TemporaryDirectory() as folder:
        name = f"seed==v{host.version}" + "+deprecated" * host.uses_deprecated
        if host.manner == "validating":
            name += "+validate"
        if host.manner == "tenon":  # a host of one's own: a file says what it does, the command line what the plugin makes
            name = pathlib.Path(folder) / "host.contract"
            name.write_text("".join(f"SE_Device {member} checked\n" for member in reads(host)))
        done = subprocess.run([BUILD / "bin/tenon", "abi", "pair", name, plugin(plugin_version), "--json",
                               *(["--create", "Plugin_CreateDevice:SE_Device"] if host.manner == "tenon" else [])],
                              capture_output=True, text=True, timeout=120)
    assert done.returncode in (0, 1), (host, plugin_version, done)
    uses = {"trusted": [], "checked": [], "optional": []}
    for finding in json.loads(done.stdout)["findings"]:
        uses[finding["use"]].append(finding["member"].removeprefix("SE_Device."))
    return Forecast(done.returncode, uses["trusted"], uses["checked"])
