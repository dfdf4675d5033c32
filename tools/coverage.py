"""coverage.py BUILD: lines of the host that the tests ran, room by room, from gcov's counters.

With a room's name as a second argument (`src/op`), its files one by one.
"""

import collections
import json
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[1]


def read(build):
    """For each file of src/ and cli/: how often each line that has code was run."""
    counts = collections.defaultdict(collections.Counter)
    notes = [path for path in build.rglob("*.gcda")]
    for start in range(0, len(notes), 100):
        done = subprocess.run(["gcov", "--json-format", "--stdout", *map(str, notes[start:start + 100])],
                              capture_output=True, text=True, check=True)
        for document in done.stdout.splitlines():
            for file in json.loads(document)["files"] if document else []:
                path = pathlib.Path(build, file["file"]).resolve()
                if path.is_relative_to(SOURCE):
                    lines = counts[path.relative_to(SOURCE)]
                    for line in file["lines"]:
                        lines[line["line_number"]] += line["count"]
    return counts


def room_of(path):
    return "/".join(path.parts[:2]) if path.parts[0] == "src" else path.parts[0]


def main(build, room=None):
    groups = collections.defaultdict(lambda: [0, 0])
    for path, lines in read(pathlib.Path(build).resolve()).items():
        if path.parts[0] not in ("src", "cli", "plugins") or room and room_of(path) != room:
            continue
        group = groups[str(path) if room else room_of(path)]
        group[0] += sum(count > 0 for count in lines.values())
        group[1] += len(lines)
    if not groups:
        sys.exit(f"coverage: no counters below {build}; run make coverage")
    width = max(map(len, groups))
    for name, (run, total) in sorted(groups.items()):
        print(f"{name:{width}}  {run:6} of {total:6} lines  {100 * run / max(total, 1):5.1f} %")
    run, total = (sum(group[i] for group in groups.values()) for i in (0, 1))
    print(f"{'all':{width}}  {run:6} of {total:6} lines  {100 * run / max(total, 1):5.1f} %")


if __name__ == "__main__":
    main(*sys.argv[1:])
