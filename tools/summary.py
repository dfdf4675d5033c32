"""Sums the single tests in CTest's JUnit reports: "N passed, N failed, N skipped".

A CTest entry is often a program with many tests of its own. Both kinds we have (our harness and
pytest) close with a line of counts; an entry without such a line counts as one test.
"""

import os
import re
import sys
import xml.etree.ElementTree as xml

SKIP = re.compile(r"^(?:ok \d+ - (\w+) # SKIP|SKIPPED \[\d+\] (\S+):) (.*)$", re.M)
COUNT = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed|xpassed)\b")
CLOSING = re.compile(r"^=*\s*(?:\d+ [a-z]+(?:, )?)+(?: in [\d.]+s.*)?=*$")


def counts_of(case):
    status = case.get("status")
    if status in ("disabled", "notrun") or case.find("skipped") is not None:
        return {"skipped": 1}
    counts = {}
    for line in reversed((case.findtext("system-out") or "").splitlines()):
        found = COUNT.findall(line)
        if found and CLOSING.match(line.strip()):
            for number, word in found:
                word = {"error": "failed", "errors": "failed", "xfailed": "skipped",
                        "xpassed": "failed"}.get(word, word)
                counts[word] = counts.get(word, 0) + int(number)
            break
    if status == "fail":
        # A program that crashed or timed out after its own tests still failed.
        counts["failed"] = max(1, counts.get("failed", 0))
    return counts or {"passed": 1}


def main(paths):
    total = {"passed": 0, "failed": 0, "skipped": 0}
    for path in paths:
        if not os.path.exists(path):
            print(f"failed: no report at {path}")
            total["failed"] += 1
            continue
        for case in xml.parse(path).getroot().iter("testcase"):
            counts = counts_of(case)
            for word, number in counts.items():
                total[word] += number
            for harness, script, reason in SKIP.findall(case.findtext("system-out") or ""):
                print(f"skipped: {case.get('name')}: {harness or script.rsplit('/', 1)[-1]}: {reason}")
            if counts.get("failed"):
                print(f"failed: {case.get('name')} ({path.removesuffix('/junit.xml')})")
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**total))
    return 1 if total["failed"] or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
