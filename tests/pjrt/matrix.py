"""python matrix.py --write: what becomes of every pair of a host and a plugin, into docs/pjrt-matrix.md.

Needs TENON_BUILD, the build folder.
"""

import csv
import functools
import os
import pathlib
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).parents[2]
DOCUMENT = SOURCE / "docs/pjrt-matrix.md"
THIS_HOST = 0  # acting as no particular number
NEWEST = 117
ODD = 56
CORE = ["open", "client", "devices", "put", "compile", "execute", "fetch"]
# How the table names what does not go well.
SIGNS = {"PJRT_Client_Create_Args": "C", "PJRT_Device_AddressableMemories_Args": "M", "PJRT_ExecuteOptions": "E",
         "serialize": "s", "program_memory": "m", "attributes": "a"}


def run(*words):
    build = pathlib.Path(os.environ["TENON_BUILD"])
    done = subprocess.run([build / "tests/pjrt_meet", *words], capture_output=True, text=True, check=True, timeout=1200)
    return [line.split("\t") for line in done.stdout.splitlines()]


@functools.cache
def steps():
    """The number that each step needs of both sides."""
    return {name: int(since) for name, since in run()}


@functools.cache
def outcomes():
    """{(host, plugin): {step: (code, words)}} of what did not go well."""
    pairs = {}
    for host, plugin, *rest in run(pathlib.Path(os.environ["TENON_BUILD"]) / "tests/plugins"):
        told = (re.fullmatch(r"(\w+)=(\w+): (.*)", text).groups() for text in rest)
        pairs[int(host), int(plugin)] = {step: (code, words) for step, code, words in told}
    return pairs


def number(host):
    return host or NEWEST


@functools.cache
def sizes(column):
    """{struct: [(first, last, value)]} from the tables."""
    found = {}
    with open(SOURCE / "data/abi/pjrt/struct_sizes.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["struct"], []).append((int(row["first_minor"]), int(row["last_minor"]), int(row[column] or row["end"])))
    return found


def size_at(struct, minor, column="size_const"):
    return next(value for first, last, value in sizes(column)[struct] if first <= min(minor, 114) <= last)


def refusal(words):
    """The struct, and the sizes expected and sent, when a plugin refused one for its size."""
    found = re.search(r"Unexpected (PJRT_\w+) size: expected (\d+), got (\d+)", words)
    return (found[1], int(found[2]), int(found[3])) if found else None


def cell(host, plugin):
    bad = {step: what for step, what in outcomes()[host, plugin].items() if what[0] != "UNIMPLEMENTED"}
    stops = [step for step in CORE if step in bad]
    if not stops:
        return "runs" + (" but " + " ".join(sorted(SIGNS[step] for step in bad)) if bad else "")
    size = refusal(bad[stops[0]][1])
    return f"{SIGNS[size[0]]} {size[2]}, not {size[1]}" if size else "odd"


@functools.cache
def releases():
    """{number: [jaxlib]}, oldest first."""
    found = {}
    with open(SOURCE / "data/abi/pjrt/jaxlib_releases.tsv", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["pjrt_minor"].isdigit():
                found.setdefault(int(row["pjrt_minor"]), []).append(row["jaxlib"])
    return found


def jaxlibs(first, last):
    names = [name for minor in range(first, last + 1) for name in releases().get(minor, [])]
    return names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}" if names else ""


def groups(keys, value):
    """Neighbours with the same value, as [(first, last)]."""
    found = []
    for key in keys:
        if found and found[-1][2] == value(key):
            found[-1][1] = key
        else:
            found.append([key, key, value(key)])
    return [(first, last) for first, last, _ in found]


def span(first, last):
    return str(first) if first == last else f"{first} to {last}"


def table():
    hosts = sorted({host for host, _ in outcomes()})
    plugins = sorted({plugin for _, plugin in outcomes()})
    rows = groups(hosts, lambda host: (host == THIS_HOST, [cell(host, plugin) for plugin in plugins]))
    columns = groups(plugins, lambda plugin: [cell(host, plugin) for host in hosts])
    lines = ["| host, as 0.x | of jaxlib | " + " | ".join(span(*column) for column in columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for first, last in rows:
        names = ["**Tenon**", ""] if first == THIS_HOST else [span(first, last), jaxlibs(first, last)]
        lines.append("| " + " | ".join(names + [cell(first, column[0]) for column in columns]) + " |")
    return "\n".join(lines)


def needs():
    return "\n".join(f"| {name.replace('_', ' ')} | 0.{since} |"
                     for name, since in sorted(steps().items(), key=lambda step: step[1]) if since > 28)


def document():
    pairs = outcomes()
    good = sum(cell(*pair) == "runs" for pair in pairs)
    return f"""# Hosts and plugins of every PJRT number

Written by the tests (`tests/pjrt/matrix.py`), which bring {len(pairs)} pairs together: this host as it is, and acting as a framework of every
number from 0.28 to 0.{NEWEST} (`--as-host`), with a plugin of every number from 0.28 to 0.{NEWEST} and one of 0.130, which nobody has issued. The
plugins are real ones, built from one source against the header of their number: its layout, its size constants, also where these were
wrong, and the size checks of plugins of that day (equality up to 0.33, then at least what the plugin knows).

In each pair the host opens the plugin, makes a client of two devices, moves arrays of every element type with strides, compiles a program,
runs it on one device and on two, with and without donation, waits, is called back, fetches, copies, serializes, loads again and
asks for statistics. {good} of the pairs do all that both numbers have. Where a pair does not, it is the plugin that refuses a struct for its
size: `C 72, not 88` means that a framework of the host's number sent 72 for the struct C and that the plugin wants 88.

{table()}

- C: `PJRT_Client_Create_Args`, M: `PJRT_Device_AddressableMemories_Args`: no client can be made. E: `PJRT_ExecuteOptions`: no program runs.
- s: serialized programs cannot be loaded; m: a program's memory use cannot be asked for; a: the plugin's attributes cannot be read, which Tenon
  lives with and frameworks of that time did not.
- odd: 0.56, whose table has a function in its middle, is refused as a plugin and as a host.

JAX itself, in the same test run (`tests/pjrt/test_in_jax.py`), runs a program on the plugins from 0.45 on and is refused by those of 0.28 to 0.30. What Tenon sends is never too short: where
structs end at 0.{NEWEST}, and to plugins of up to 0.34 the size of their own day. So it runs on all of them.

These need a number of both sides, and answer `UNIMPLEMENTED` with the number and the older side's name when one of them is older:

| step | since |
|---|---|
{needs()}

"Keep" is to keep an argument from being donated. Frameworks of 0.39 to 0.45 could not say it either: the size they sent ended before it.
"""


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    DOCUMENT.write_text(document())
