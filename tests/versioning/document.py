"""python document.py --write: writes the outcomes of all pairs into docs/versioning.md.

They stand between <!-- NAME --> and <!-- end of NAME -->, for each NAME below.
"""

import pathlib
import re
import sys

from pairs import HOSTS, VERSIONS, Host, forecast, meet

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs/versioning.md"
MANNERS = {"trusting": "follows what is covered", "validating": "looks for null first", "tenon": "Tenon's rules"}


def cell(host, version):
    outcome = meet(host, version)
    if outcome.kind == "crashes":
        return f"**crash** at `{outcome.member}`" + (", foretold" if outcome.member in forecast(host, version).trusted else "")
    if outcome.kind == "refuses":
        return "status: `" + re.search(r"SE_Device\.(\w+) is null", outcome.message)[1] + "` is null"
    return " ".join(outcome.found)


def row(host, *heads):
    return "| " + " | ".join([*heads, *(cell(host, version) for version in VERSIONS)]) + " |"


def table(heads, rows):
    heads = [*heads, *(f"plugin v{version}" for version in VERSIONS)]
    return "\n".join(["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|", *rows]) + "\n"


def outcomes():
    return table(["host"], [row(Host(version), f"v{version}") for version in VERSIONS])


def other_hosts():
    """Those that fare otherwise than the host of the same version above."""
    rows = []
    for host in HOSTS:
        plain = Host(host.version)
        if [cell(host, version) for version in VERSIONS] != [cell(plain, version) for version in VERSIONS]:
            uses = "still uses `data`, " if host.uses_deprecated and host.version > 3 else ""
            rows.append(row(host, f"v{host.version}, {uses}{MANNERS[host.manner]}"))
    return table(["host"], list(dict.fromkeys(rows)))


SECTIONS = {"outcomes": outcomes, "other hosts": other_hosts}


def written(text):
    """The document with what the pairs give today."""
    for name, make in SECTIONS.items():
        text, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)",
                              lambda found, make=make: found[1] + make() + found[2], text, flags=re.S)
        assert count == 1, f"{DOCUMENT} has no place for {name}"
    return text


if __name__ == "__main__":
    text = written(DOCUMENT.read_text())
    if "--write" in sys.argv:
        DOCUMENT.write_text(text)
    else:
        sys.exit(text != DOCUMENT.read_text())
