#!/usr/bin/env python3
"""check_results.py NAME [--about FILE] [--where WORDS] < REPORT: what `tenon check PLUGIN.so` found, as docs/results/check-NAME-DATE.md.

REPORT is the TAP that `tenon check` prints. Only what failed is listed, and what was left out and why.
"""

import argparse
import datetime
import json
import pathlib
import re
import sys

import results


def cases(report):
    """Each case: number, name, what it asks, whether it is fine, why it was left out, and its lines of findings."""
    found = []
    for line in report.splitlines():
        head = re.match(r"(not )?ok \d+ - ([\w.]+): (.*?)(?: # SKIP (.*))?$", line)
        if head:
            found.append({"fine": not head[1], "name": head[2], "asks": head[3], "skipped": head[4], "lines": []})
        elif found and line.startswith("  "):
            found[-1]["lines"].append(line.strip())
    return found


def short(words):
    """Without places of one machine, and without the log that a plugin ends with."""
    words = json.loads(words) if words.startswith('"') else words
    words = re.split(r"; its last words:", words)[0]
    return re.sub(r"(?:/[\w.+=-]+)+/([\w.+=-]+)", r"\1", words).replace("|", "\\|")


def seen(case):
    told = {}
    for word, value in re.findall(r"^(?:- )?(\w+): (.*)$", "\n".join(case["lines"]), re.M):
        told.setdefault(word, []).append(value)
    if "ended" in told:
        return short(told["ended"][0])
    first = f"expected {short(told.get('expected', '?')[0])}; seen: {short(told.get('seen', '?')[0])}"
    return first if len(told.get("seen", [])) < 2 else f"{first} (and {len(told['seen']) - 1} more)"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("--about", type=pathlib.Path, help="a JSON file with commit and digest, where the code is not this tree's")
    parser.add_argument("--where", default="", help="a sentence on the machine and the plugin")
    parser.add_argument("--out", type=pathlib.Path, default=results.FOLDER)
    given = parser.parse_args()
    report = sys.stdin.read()
    found = cases(report)
    plugin, seed = re.search(r"^# (\S+), seed (\d+)$", report, re.M).groups()
    failed, skipped = [case for case in found if not case["fine"]], [case for case in found if case["skipped"]]
    day = datetime.date.today().isoformat()
    text = f"# What `tenon check` found in {plugin.rsplit('/', 1)[-1]}, {day}\n\n{given.where}\n\n" if given.where else \
        f"# What `tenon check` found in {plugin.rsplit('/', 1)[-1]}, {day}\n\n"
    text += f"{len(found)} cases, seed {seed}: {len(found) - len(failed) - len(skipped)} passed, {len(failed)} failed, {len(skipped)} do not apply. "
    text += "Each runs alone as `tenon check PLUGIN.so --only CASE`.\n\n"
    text += results.table(["case", "asks that", "found"], [[case["name"], case["asks"], seen(case)] for case in failed]).replace("---:", "---")
    text += "\nThese do not apply:\n\n" + results.table(["case", "why"], [[case["name"], short(case["skipped"])] for case in skipped]).replace("---:", "---")
    about = json.loads(given.about.read_text()) if given.about else results.about()
    target = results.new_page(f"check-{given.name}", given.out)
    target.write_text(text + results.foot(about))
    print(target)


if __name__ == "__main__":
    main()
