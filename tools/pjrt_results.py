#!/usr/bin/env python3
"""pjrt_results.py: tries `tenon run` with JAX's CUDA plugin on this machine, and writes docs/results/pjrt-cuda-DATE.md.

Each program of tools/pjrt_programs.py (and of --from FILE) is exported, run by `tenon run --plugin --time --out`, compared with
what JAX computes on the CPU, and timed in the same run three ways on the same GPU: by Tenon, by a loop over the plugin's own
table (build/bench/hosts/pjrt_raw), and by jax.jit. Wants a Python with JAX and its CUDA plugin, and nothing else.
"""

import argparse
import datetime
import importlib.util
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile

import numpy as np

import results

HERE = pathlib.Path(__file__).resolve().parent
CLOSE_US = 1.0  # Tenon's call takes at most so much longer than the raw loop's
SMALL_US = 100.0  # below this, Tenon's call is faster than JAX's


def find_plugin():
    for version in (14, 13, 12):
        spec = importlib.util.find_spec(f"jax_plugins.xla_cuda{version}")
        if spec:
            return pathlib.Path(spec.submodule_search_locations[0]) / "xla_cuda_plugin.so"
    sys.exit("pjrt_results.py: this Python has no CUDA plugin of JAX; name one: --plugin FILE")


def environment(**more):
    return {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_CPP_MIN_LOG_LEVEL": "2", **more}


def export(folder, file, names):
    words = [sys.executable, HERE / "pjrt_programs.py", "export", folder, *(["--from", file] if file else []), *names]
    done = subprocess.run(words, env=environment(JAX_PLATFORMS="cpu"), stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


class Jax:
    """A process that times programs on request."""

    def __init__(self, file):
        words = [sys.executable, HERE / "pjrt_programs.py", "time", *(["--from", file] if file else [])]
        self.process = subprocess.Popen(words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.about = json.loads(self.process.stdout.readline())

    def time(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def load(path, like):
    """bfloat16 comes as raw bytes from both sides."""
    array = np.load(path)
    if array.dtype.kind == "V" and array.dtype.itemsize == 2:
        array = (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return array


def difference(place, outputs):
    """The largest difference from what JAX computed on the CPU, in units of what is allowed; 0 where all is equal."""
    worst = 0.0
    wanted = sorted(place.glob("want*.npy"), key=lambda path: int(path.stem[4:]))
    if len(wanted) != len(outputs):
        return float("inf")
    for want_file, output in zip(wanted, outputs):
        want, got = load(want_file, None), load(output["file"], None)
        if want.shape != got.shape or (want.dtype != got.dtype):
            return float("inf")
        if want.dtype.kind in "biu":
            worst = max(worst, 0.0 if np.array_equal(want, got) else float("inf"))
            continue
        relative = 2e-2 if np.load(want_file).dtype.kind == "V" else 2e-4
        allowed = relative * np.abs(want) + relative * (np.abs(want).mean() + 1e-6)
        if not np.array_equal(np.isnan(want), np.isnan(got)):
            return float("inf")
        with np.errstate(invalid="ignore"):
            worst = max(worst, float(np.nanmax(np.abs(want - got) / allowed, initial=0.0)))
    return worst


def run_tenon(words):
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    if done.returncode == 0:
        return json.loads(done.stdout), None
    said = [line for line in done.stderr.splitlines() if line.startswith("tenon run: ")]
    return None, said[0].removeprefix("tenon run: ")[:200] if said else f"exit {done.returncode}"


def run_raw(words):
    done = subprocess.run(words, env=environment(), capture_output=True, text=True)
    told = done.stdout.split()
    if done.returncode == 0 and told:
        return dict(zip(told[::2], (float(word) / 1e3 for word in told[1::2]))), None
    return {}, (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]


def middle(tries, key):
    return sorted(tries, key=key)[len(tries) // 2]


def try_program(name, place, given, jax):
    """Once and, where a bar is missed, twice more: a process has at times other speeds than the next. What is told is the middle one."""
    inputs = sorted(place.glob("in*.npy"), key=lambda path: int(path.stem[2:]))
    words = [given.tenon, "run", place / "program.mlirbc", *inputs, "--plugin", given.plugin, "--json", "--time", "--out", place / "out"]
    tries = {"tenon": [], "raw": [], "jax": []}
    for attempt in range(1, 4):
        told, error = run_tenon(words)
        if error:
            return {"name": name, "error": error}
        raw, raw_error = run_raw([given.raw, given.plugin, place / "program.mlirbc", *inputs])
        tries["tenon"].append(told)
        tries["raw"].append(raw)
        tries["jax"].append(jax.time(name))
        row = {"name": name, "attempts": attempt, "tenon": middle(tries["tenon"], lambda each: each["time"]["p50_ns"]),
               "raw": middle(tries["raw"], lambda each: each.get("over", 0.0)), "jax": middle(tries["jax"], lambda each: each.get("call_us", 0.0))}
        if raw_error:
            row["raw_error"] = raw_error
        row["difference"] = difference(place, told["outputs"])
        if not {"over the raw loop", "slower than JAX"} & set(judge(row)):
            break
    return row


def judge(row):
    """Which bars a row misses."""
    missed = []
    if "error" in row:
        return ["did not run"]
    if not row["difference"] <= 1:
        missed.append("differs")
    if row["raw"] and row["raw"]["over"] - 2 * row["raw"]["give_or_take"] > CLOSE_US:
        missed.append("over the raw loop")
    if not row["raw"]:
        missed.append(f"no raw loop ({row['raw_error']})")
    call = row["tenon"]["time"]["p50_ns"] / 1e3
    if "call_us" in row["jax"] and call < SMALL_US and call >= row["jax"]["call_us"]:
        missed.append("slower than JAX")
    return missed


def first_result(told):
    """Seconds from opening the plugin to the end of the first run."""
    return (told["start_ns"] + told["compile_ns"] + told["time"]["first_ns"]) / 1e9


def cells(row):
    if "error" in row:
        return [row["name"], row["error"].replace("|", "\\|"), *[""] * (len(HEAD) - 2)]
    clock, raw, jax = row["tenon"]["time"], row["raw"], row["jax"]
    us = lambda value: f"{value:.1f}"
    return [row["name"], f"{row['difference']:.2f}", f"{first_result(row['tenon']):.2f}", f"{row['tenon']['compile_ns'] / 1e6:.0f}", us(clock["first_ns"] / 1e3),
            us(clock["p50_ns"] / 1e3), us(clock["p99_ns"] / 1e3), us(clock["in_a_row_ns"] / 1e3),
            f"{us(raw['raw'])} / {us(raw['tenon'])}" if raw else "-", f"{raw['over']:.2f} ± {raw['give_or_take']:.2f}" if raw else "-", f"{us(raw['raw_in_a_row'])} / {us(raw['tenon_in_a_row'])}" if raw else "-",
            f"{jax['first_ms'] / 1e3:.2f}" if "call_us" in jax else "-", us(jax["call_us"]) if "call_us" in jax else "-", us(jax["in_a_row_us"]) if "call_us" in jax else "-"]


HEAD = ["program", "difference", "first result, s", "compile, ms", "first run, us", "call, us", "p99, us", "in a row, us",
        "raw / Tenon, us", "over, us", "the same in a row, us", "JAX first, s", "JAX call, us", "JAX in a row, us"]


def page(rows, not_exported, jax, about, given):
    ran = [row for row in rows if "error" not in row]
    first = ran[0]["tenon"] if ran else {"pjrt": "?", "stablehlo": "?", "device_kind": "?"}
    driver = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True)
    missed = {row["name"]: judge(row) for row in rows}
    small = [row for row in ran if row["tenon"]["time"]["p50_ns"] / 1e3 < SMALL_US and "call_us" in row["jax"]]
    over = [row["raw"]["over"] for row in ran if row["raw"]]
    words = {"n": len(rows), "ran": len(ran), "equal": sum(row["difference"] <= 1 for row in ran), "raw": len(over),
             "close": sum("over the raw loop" not in missed[row["name"]] for row in ran if row["raw"]), "small": len(small),
             "faster": sum("slower than JAX" not in missed[row["name"]] for row in small)}
    text = f"# Programs on JAX's CUDA plugin, {datetime.date.today().isoformat()}\n\n"
    text += "Written by `tools/pjrt_results.py` (`make results`) on the machine that it tells of.\n\n"
    text += results.table(["what", "found"], [
        ["GPU", driver.stdout.strip() or first["device_kind"]], ["CPU", f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores"],
        ["plugin", f"{pathlib.Path(given.plugin).name}, PJRT {first['pjrt']}, StableHLO up to {first['stablehlo']}"],
        ["JAX", jax["jax"]], ["Python", platform.python_version()], ["kernel", platform.release()]])
    text += ("\n{ran} of {n} programs ran; {equal} gave what JAX gives on the CPU. Tenon's call took at most 1 us longer than the raw loop's for "
             "{close} of {raw}; of {small} programs that take less than 100 us a call, Tenon was faster than JAX for {faster}.\n").format(**words)
    if over:
        text += f"Beyond the raw loop: median {sorted(over)[len(over) // 2] * 1e3:.0f} ns, most {max(over) * 1e3:.0f} ns.\n"
    for name, what in missed.items():
        if what:
            text += f"\n- {name}: {', '.join(what)}"
    text += "\n" if any(missed.values()) else ""
    text += "".join(f"\nNot exported by JAX: {name} ({why})\n" for name, why in not_exported.items())
    text += "\n" + results.table(HEAD, [cells(row) for row in rows])
    text += ("\n`difference`: the largest from JAX on the CPU, in units of what is allowed (2e-4 of the value and of the mean; 2e-2 for bfloat16; "
             "integers must be equal). A program that missed a bar was tried twice more, and the middle of the three is told. `first result`: from opening the plugin to the end of the first run. `JAX first`: tracing, compiling and the first run, in "
             "a process that runs already. `call`: one at a time, waited for, arrays on the device, the median (of `tenon run --time`). `in a row`: not waited for, but for the last. `raw / Tenon`: "
             "in one process, in turns, on the same client, machine code and arrays; `over`: the median of what Tenon's call took longer than the "
             "raw one beside it, and its standard error, twice of which is given to whoever is judged. The raw loop sleeps until its call is done (PJRT_Event_Await); Tenon looks for 50 us first, so that it can be "
             "faster.\n")
    return text + results.foot(about)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenon", type=pathlib.Path, default=results.TOP / "build/bin/tenon")
    parser.add_argument("--raw", type=pathlib.Path, default=results.TOP / "build/bench/hosts/pjrt_raw")
    parser.add_argument("--plugin", type=pathlib.Path)
    parser.add_argument("--from", dest="file", type=pathlib.Path, help="programs of another file too")
    parser.add_argument("--about", type=pathlib.Path, help="a JSON file with commit and digest, where the code is not this tree's")
    parser.add_argument("--out", type=pathlib.Path, default=results.FOLDER)
    parser.add_argument("--only", default=[], nargs="+", help="these programs")
    parser.add_argument("--only-from", default=[], nargs="+", help="and these of the other file")
    given = parser.parse_args()
    given.plugin = given.plugin or find_plugin()
    about = json.loads(given.about.read_text()) if given.about else results.about()
    rows, not_exported, told = [], {}, {}
    target = results.new_page("pjrt-cuda", given.out)
    with tempfile.TemporaryDirectory() as temporary:
        for file in [None, *([given.file] if given.file else [])]:
            folder = pathlib.Path(temporary) / (file.stem if file else "own")
            folder.mkdir()
            not_exported.update(export(folder, file, given.only_from if file else given.only))
            jax = Jax(file)
            told = jax.about
            for place in sorted(folder.iterdir()):
                if (place / "program.mlirbc").exists():
                    rows.append({**try_program(place.name, place, given, jax), "name": f"{file.stem}: {place.name}" if file else place.name})
                    target.write_text(page(rows, not_exported, told, about, given))
                    print(json.dumps({key: value for key, value in rows[-1].items() if key != "tenon"}), file=sys.stderr, flush=True)
            jax.end()
    print(target)


if __name__ == "__main__":
    main()
