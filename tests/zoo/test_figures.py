"""What tenon inspect reads of every published plugin is what a survey with other tools read (data/zoo.tsv)."""

import json

import pytest

from zoo import ROWS, forget, tenon, unpacked, wanted

PACKAGES = sorted({f"{row['package']}=={row['version']}" for row in ROWS})


def families(text):
    return {name: int(count) for name, count in (item.split(":") for item in text.split())} if text not in ("", "-") else {}


def number(text):
    return int(text or 0)


def figures_of(report):
    return {"size": report["size_bytes"], "libraries": " ".join(report["libraries"]) or "-", "glibc": report["min_glibc"] or "",
            "glibcxx": report["min_glibcxx"] or "", "cxxabi": report["min_cxxabi"] or "", "exports": report["exports"],
            "unique": report["unique_exports"], "leaks": report["leaked_families"], "host": len(report["host_functions"]),
            "weak": len(report["weak_host_functions"]), "cpp": report["cpp_imports"], "cpp_families": report["cpp_import_families"],
            "tls": report["tls_bytes"], "stack": int(report["executable_stack"]), "textrel": int(report["text_relocations"]),
            "constructors": report["constructors"], "relocations": report["relative_relocations"]}


def expected_of(row):
    floor = lambda text: "" if text == "-" else text
    return {"size": number(row["size_bytes"]), "libraries": row["needed_non_system"], "glibc": floor(row["min_glibc"]),
            "glibcxx": floor(row["min_glibcxx"]), "cxxabi": floor(row["min_cxxabi"]), "exports": number(row["exported_defs"]),
            "unique": number(row["gnu_unique"]), "leaks": families(row["leaked_families"]), "host": number(row["undef_host_c"]),
            "weak": number(row["undef_host_c_weak"]), "cpp": number(row["undef_cpp_no_version"]),
            "cpp_families": families(row["undef_cpp_families"]), "tls": number(row["tls_bytes"]), "stack": number(row["exec_stack"]),
            "textrel": number(row["textrel"]), "constructors": number(row["init_array"]),
            "relocations": number(row["relative_relocs"])}


def check_loaded(row, report):
    facts = {fact["key"]: fact["value"] for fact in report["loaded"]}
    assert facts["pjrt_version"] == row["pjrt_version"] and facts["api_struct_size"] == row["api_struct_size"]
    assert facts["functions_past_size"] == row["code_ptrs_past_size"] and facts["extensions"] == row["ext_chain"]
    attributes = dict(item.split("=", 1) for item in row["attributes"].split("; ")) if row["attributes"] else {}
    assert {key.removeprefix("attribute."): value for key, value in facts.items() if key.startswith("attribute.")} == attributes
    assert facts["null_functions"] == "0"


@pytest.mark.parametrize("package", PACKAGES)
def test_inspect_reads_what_the_survey_read(package):
    if not wanted(package):
        pytest.skip("not among TENON_ZOO_ONLY")
    rows = [row for row in ROWS if f"{row['package']}=={row['version']}" == package]
    if "Mach-O" in rows[0]["kind"]:
        pytest.skip("a package for macOS, which pip does not give on this system")
    folder = unpacked(package, [".so"])
    try:
        for row in rows:
            loads = row["load_result"] == "OK"
            done = tenon("inspect", "--json", folder / row["file"], *(["--load"] if loads else []), alone=loads)
            assert done.stdout, done
            report = json.loads(done.stdout)["files"][0]
            assert figures_of(report) == expected_of(row), row["file"]
            # The ones with a handful of exports are those with a version script; DirectML 0.4 hides all but std by visibility.
            assert report["version_script"] == (number(row["exported_defs"]) < 300 and "directml" not in package)
            if loads:
                check_loaded(row, report)
    finally:
        if sum(int(row["size_bytes"]) for row in rows) > 100 << 20:
            forget(package)
