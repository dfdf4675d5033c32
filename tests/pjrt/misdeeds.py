"""python misdeeds.py --write: what the host makes of each fault of the test plugin, into docs/pjrt-misdeeds.md.

Needs TENON_BUILD, the build folder.
"""

import concurrent.futures
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys

SOURCE = pathlib.Path(__file__).parents[2]
DOCUMENT = SOURCE / "docs/pjrt-misdeeds.md"
NUMBER = 114
WAITS = "waits for ever"
FUNCTIONS = ["PJRT_Plugin_Initialize", "PJRT_Client_Create", "PJRT_Client_Devices", "PJRT_Device_GetDescription", "PJRT_Client_Compile",
             "PJRT_Client_BufferFromHostBuffer", "PJRT_LoadedExecutable_GetExecutable", "PJRT_LoadedExecutable_Execute", "PJRT_Event_Await",
             "PJRT_Buffer_ToHostBuffer", "PJRT_Buffer_CopyToMemory", "PJRT_Event_OnReady", "PJRT_Executable_Serialize"]


@functools.cache
def misdeeds():
    """{name: (what it does, which rule it breaks)}."""
    text = (SOURCE / "tests/pjrt/plugins/misdeeds.h").read_text()
    return {name: (does, breaks) for name, does, breaks in re.findall(r'MISDEED\((\w+), "(.*?)", "(.*?)"\)', text)}


def plain(words):
    """A message without what is another each time."""
    words = re.sub(r"\S*/(pjrt_\S+\.so)", r"\1", words)
    return re.sub(r"0x[0-9a-f]+", "0x...", words).replace("|", "\\|")


def outcome(misdeed, limit):
    build = pathlib.Path(os.environ["TENON_BUILD"])
    try:
        done = subprocess.run([build / "tests/pjrt_meet", build / "tests/plugins", "0", str(NUMBER)], capture_output=True, text=True,
                              timeout=limit, env={**os.environ, "PJRT_MISDEED": misdeed})
    except subprocess.TimeoutExpired:
        return WAITS
    if done.returncode < 0:
        return "dies of " + signal.Signals(-done.returncode).name
    if done.returncode:
        return f"ends with exit code {done.returncode}"
    # The plugin may have printed something of its own before.
    told, notes = re.search(rf"^0\t{NUMBER}([^\n]*)\n(.*)", done.stdout, flags=re.S | re.M).groups()
    for step, code, words in re.findall(r"\t(\w+)=(\w+): ([^\t]*)", told):
        # INTERNAL without the plugin's name is the test's own discovery that an answer was wrong.
        if code != "INTERNAL" or ".so" in words:
            return f"{step.replace('_', ' ')}: `{code}`, {plain(words)}"
    return "notes: " + plain("; ".join(notes.split("\n"))).strip("; ") if notes.strip() else ""


@functools.cache
def outcomes():
    """What the document says has to wait for ever gets ten seconds, everything else as long as it takes."""
    waits = set(re.findall(rf"^\| `(\S+)` .*\| {WAITS} \|$", DOCUMENT.read_text(), flags=re.M)) if DOCUMENT.exists() else None
    limit = lambda name: 10 if waits is None or name in waits else 600
    names = [*misdeeds(), *(f"{how}@{function}" for how in ("crash", "fail", "null") for function in FUNCTIONS)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(names, pool.map(lambda name: outcome(name, limit(name)), names)))


def document():
    told = outcomes()
    seen = "\n".join(f"| `{name}` | {does} | {told[name]} |" for name, (does, _) in misdeeds().items() if told[name])
    unseen = "\n".join(f"| `{name}` | {does} |" for name, (does, _) in misdeeds().items() if not told[name])
    functions = "\n".join(f"| `{function}` | {told['crash@' + function]} | {told['fail@' + function] or 'works all the same'} | "
                          f"{told['null@' + function] or 'works all the same'} |" for function in FUNCTIONS)
    return f"""# What the host says of PJRT plugins that misbehave

Written by the tests (`tests/pjrt/misdeeds.py`). The test plugin can be told to do {len(misdeeds())} things wrong (`tests/pjrt/plugins/misdeeds.h`; `PJRT_MISDEED=name`).
The host takes the walk of [pjrt-matrix.md](pjrt-matrix.md) with a plugin of 0.{NUMBER} that does one of them, in a process of its own. This is what it
says: a status, or a note (`tn_pjrt_notes`) where it can do without. No fault of a plugin is worse for the caller than a status, unless the plugin takes the process down or does not come back: such plugins are run with
`--isolate`, where the caller lives and is told.

| fault | what the plugin does | the host |
|---|---|---|
{seen}

With these the host does all it does with a good plugin, or hands on a wrong answer that only a test can know to be wrong. `tenon check` ([check.md](check.md)) finds those
that break a rule.

| fault | what the plugin does |
|---|---|
{unseen}

A function that crashes, fails, or is not there:

| function | crashes | fails | is NULL |
|---|---|---|---|
{functions}
"""


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        raise SystemExit(__doc__)
    DOCUMENT.write_text(document())
