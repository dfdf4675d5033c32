"""tenon doctor: verdicts by the rules that the frameworks' releases really have."""

import json
import os
import pathlib
import subprocess
import zipfile

import pytest

from test_inspect import build, pjrt, tenon

BUILD = pathlib.Path(os.environ["TENON_BUILD"])


def doctor(path, *words):
    done = tenon("doctor", "--json", path, *words)
    assert done.returncode in (0, 1), done
    report = json.loads(done.stdout)
    return {f"{row['framework']}=={row['version']}": row for row in report["releases"]}, report["recommendation"]


# A table of any number, with a chain of extensions or without.
TABLE = """
#include <stddef.h>
static void* nothing(void* args) { return 0; }
struct old_node { int type; const void* next; };
struct node { size_t size; int type; const void* next; };
const void* GetPjrtApi(void) {
  static struct { size_t size; const void* ext; size_t version_size; void* version_ext; int major, minor; void* slots[160]; } api;
  static const struct old_node old = {1, 0};
  static const struct node now = {40, 1, 0};
  api.size = SIZE; api.version_size = VERSION_SIZE; api.major = MAJOR; api.minor = MINOR;
  api.ext = CHAIN ? (MINOR < 45 ? (const void*)&old : (const void*)&now) : 0;
  for (int i = 0; i < 160; ++i) api.slots[i] = (void*)nothing;
  return &api;
}
"""


def table(folder, minor, size, chain=0, major=0, version_size=24):
    return build(folder, f"p{major}_{minor}_{size}_{chain}", TABLE, f"-DMINOR={minor}", f"-DSIZE={size}", f"-DCHAIN={chain}",
                 f"-DMAJOR={major}", f"-DVERSION_SIZE={version_size}")


@pytest.mark.parametrize("minor, size, more, release, verdict, says", [
    (54, 840, {}, "0.4.30", "works", "exactly its own number"),
    (51, 808, {}, "0.4.30", "refused", '"Mismatched PJRT plugin PJRT API version (0.51) and framework PJRT API version 0.54)."'),
    (32, 784, {}, "0.4.17", "works", "the number is its own"),
    (30, 776, {}, "0.4.17", "refused", '"Unexpected PJRT_Api size: expected 784, got 776. Check installed software versions."'),
    (28, 760, {}, "0.6.2", "refused", "older than the minimum supported version 0.29"),
    (40, 808, {"chain": 1}, "0.6.2", "crashes", "chain of extensions"),
    (40, 808, {}, "0.6.2", "works", "0.40 is taken"),
    (33, 792, {}, "0.6.2", "crashes", "PJRT_Client_TopologyDescription"),
    (56, 816, {}, "0.6.2", "crashes", "0.56"),
    (67, 936, {}, "0.4.35", "refused", '"Unexpected PJRT_Client_Create_Args size: expected 88, got 72.'),
    (80, 984, {}, "0.6.2", "crashes", '"Unexpected PJRT_Plugin_Attributes_Args size: expected 32, got 24."'),
    (80, 984, {}, "0.7.2", "limited", "PJRT_ExecuteOptions (sends 88, wants 112)"),
    (112, 1144, {}, "0.11.0", "works", "0.112 is taken"),
    (130, 1200, {}, "0.11.0", "works", "newer than the tables"),
    (0, 1144, {"major": 1}, "0.11.0", "refused", "major version (1)"),
    (0, 560, {"version_size": 8}, "0.11.0", "crashes", "before numbers"),
])
def test_jaxlib_by_its_own_rules(tmp_path, minor, size, more, release, verdict, says):
    rows, _ = doctor(table(tmp_path, minor, size, **more), "--against", f"jaxlib=={release}")
    row = rows[f"jaxlib=={release}"]
    assert row["verdict"] == verdict and says in row["reason"], row


def test_tensorflow_by_functions_and_libraries(tmp_path):
    needy = build(tmp_path, "needy", "void TF_AssignVariable(void); void TF_InitKernel(void) { TF_AssignVariable(); }")
    rows, advice = doctor(needy, "--no-load")
    assert rows["tensorflow==2.18"]["verdict"] == "works"
    assert rows["tensorflow==2.19"]["verdict"] == "refused" and "TF_AssignVariable" in rows["tensorflow==2.19"]["reason"]
    assert rows["tensorflow==2.4"]["verdict"] == "refused" and "2.5" in rows["tensorflow==2.4"]["reason"]
    assert "stay on tensorflow 2.18" in advice and "jaxlib==0.6.2" not in rows
    weak = build(tmp_path, "weak", "__attribute__((weak)) void TF_AssignVariable(void);"
                                   "void TF_InitKernel(void) { if (TF_AssignVariable) TF_AssignVariable(); }")
    rows, _ = doctor(weak, "--no-load")
    assert rows["tensorflow==2.18"]["verdict"] == "works" and rows["tensorflow==2.21"]["verdict"] == "limited"


def test_what_a_plugins_own_libraries_need_counts_too(tmp_path):
    build(tmp_path, "libhelper", "void TF_AssignVariable(void); void help(void) { TF_AssignVariable(); }",
          "-Wl,-soname,libhelper.so")
    plugin = build(tmp_path, "front", "void help(void); void TF_InitKernel(void) { help(); }", f"-L{tmp_path}",
                   "-l:libhelper.so", "-Wl,-rpath,$ORIGIN")
    rows, _ = doctor(plugin, "--no-load")
    assert rows["tensorflow==2.21"]["verdict"] == "refused" and "TF_AssignVariable" in rows["tensorflow==2.21"]["reason"]


def test_people_see_spans_of_releases_and_one_advice():
    done = tenon("doctor", BUILD / "lib/tenon/plugins/libtenon_cpu.so")
    assert done.returncode == 0 and "tensorflow 2.13 - 2.18" in done.stdout and done.stdout.count("Advice: ") == 1
    assert "jaxlib" not in done.stdout


def test_a_plugin_that_does_not_load_says_so(tmp_path):
    done = tenon("doctor", pjrt(tmp_path, "bad", "abort();"))
    assert done.returncode == 1 and "killed by SIGABRT in GetPjrtApi" in done.stdout


@pytest.mark.parametrize("source, how", [
    ("#include <stdlib.h>\nvoid TF_InitKernel(void) { abort(); }", "killed by SIGABRT in TF_InitKernel"),
    ("#include <stdlib.h>\nvoid TF_InitKernel(void) { exit(0); }", "ended the process with exit code 0 in TF_InitKernel"),
    ("__attribute__((constructor)) static void f(void) { *(volatile int*)0 = 1; } void TF_InitKernel(void) {}",
     "killed by SIGSEGV in its constructors (dlopen)"),
    ("#include <stdlib.h>\nvoid* GetPjrtApi(void) { abort(); }", "killed by SIGABRT in GetPjrtApi"),
])
def test_a_plugin_that_ends_the_process_crashes_with_every_release(tmp_path, source, how):
    broken = build(tmp_path, "broken", source)
    rows, advice = doctor(broken)
    assert rows and all(row["verdict"] in ("crashes", "refused") and not row["loads"] for row in rows.values()), rows
    newest = list(rows.values())[-1]
    assert newest["verdict"] == "crashes" and how in newest["reason"]
    assert advice.startswith("mend the plugin") and how in advice and "tenon run" not in advice
    assert tenon("doctor", broken).returncode == 1
    # Judged by its file alone it is as before.
    rows, advice = doctor(broken, "--no-load")
    assert "mend" not in advice and not [row for row in rows.values() if row["verdict"] == "crashes"]


def test_an_absl_is_in_no_release_older_than_itself(tmp_path):
    def needs(lts):
        name = f"_ZN4absl12lts_{lts}3FooEv"
        return doctor(build(tmp_path, f"absl{lts}", f"void {name}(void); void TF_InitKernel(void) {{ {name}(); }}"))
    rows, advice = needs("20250814")
    assert [v for v, row in rows.items() if row["verdict"] != "refused"] == ["tensorflow==2.21"]
    assert "came before it, on 2023-07-05" in needs("20230802")[0]["tensorflow==2.13"]["reason"]
    assert "2.18 still has lts_20230802" in rows["tensorflow==2.16"]["reason"]
    # It did not load here, for want of that absl: nobody is sent to host it here.
    assert "use tensorflow 2.21" in advice and "maker" not in advice and "tenon run" not in advice
    rows, advice = needs("20250127")
    assert [rows[f"tensorflow=={v}"]["verdict"] for v in ("2.18", "2.20", "2.21")] == ["refused", "limited", "refused"]
    assert "2.18 still has" in rows["tensorflow==2.17"]["reason"]
    assert "tensorflow 2.20" in advice and "tenon run" not in advice


def test_the_exit_code_is_a_gate(tmp_path):
    def code(file, *words):
        return tenon("doctor", "--no-load", file, *words).returncode
    needy = build(tmp_path, "gate", "void TF_AssignVariable(void); void TF_InitKernel(void) { TF_AssignVariable(); }")
    assert code(needy) == 0
    assert code(needy, "--against", "tensorflow==2.18") == 0
    assert code(needy, "--against", "tensorflow==2.18,tensorflow==2.21") == 1
    assert code(needy, "--against", "jaxlib==0.6.2") == 1
    hopeless = build(tmp_path, "hopeless", "void TF_NeverThere(void); void TF_InitKernel(void) { TF_NeverThere(); }")
    assert code(hopeless) == 1
    assert "Ends with 0" in tenon("doctor", "--help").stdout


def test_the_window_stands_beside_what_releases_do(tmp_path):
    old = table(tmp_path, 72, 944)
    rows, _ = doctor(old)
    assert rows["jaxlib==0.11.0"]["window"] == "no" and rows["jaxlib==0.11.0"]["verdict"] == "works"
    promised = [row["version"] for row in rows.values() if row["window"] == "yes"]
    done = tenon("doctor", old)
    assert f"its window of 12 weeks promises jaxlib {promised[0]} - {promised[-1]}" in done.stdout
    done = tenon("doctor", old, "--against", "jaxlib==0.11.0")
    assert "promises none of these" in done.stdout and "tenon abi window" in done.stdout and done.returncode == 0


def test_folders_and_wheels_get_a_report_for_every_plugin(tmp_path):
    folder = tmp_path / "package"
    (folder / "inner").mkdir(parents=True)
    build(folder, "good", "void TF_InitKernel(void) {}")
    build(folder / "inner", "bad", "void TF_NeverThere(void); void TF_InitKernel(void) { TF_NeverThere(); }")
    build(folder, "helper", "void help(void) {}")
    wheel = tmp_path / "a-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in folder.rglob("*.so"):
            archive.write(path, path.relative_to(folder))
    for source in (folder, wheel):
        done = tenon("doctor", source, "--json")
        report = json.loads(done.stdout)
        assert report["schema"] == "tenon/doctor-package/1" and done.returncode == 1
        assert sorted(one["file"] for one in report["plugins"]) == ["good.so", "inner/bad.so"]
        done = tenon("doctor", source)
        assert done.stdout.count("Advice: ") == 2 and "inner/bad.so" in done.stdout
    (folder / "good.so").unlink()
    (folder / "inner/bad.so").unlink()
    done = tenon("doctor", folder)
    assert done.returncode == 3 and "none of them is a plugin" in done.stderr


@pytest.mark.parametrize("words, code, says", [
    ([], 2, "one plugin, folder or wheel is expected"),
    (["none.so"], 1, "none.so"),
    (["text.so"], 3, "a text file"),
    (["plugin.so", "--against", "torch==2.0"], 2, "no release that is known"),
    (["plugin.so", "--against", "jaxlib==99"], 2, "no release that is known"),
])
def test_wrong_requests_are_told(tmp_path, words, code, says):
    (tmp_path / "text.so").write_text("hello\n")
    build(tmp_path, "plugin", "void TF_InitKernel(void) {}")
    done = subprocess.run([BUILD / "bin/tenon", "doctor", *words], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == code and says in done.stderr, done


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    return build(tmp_path_factory.mktemp("plugin"), "plugin", "void TF_InitKernel(void) {}")


def environment(folder, *packages, python="3.11", where="site-packages", settings=None):
    """A made-up Python environment: an interpreter that could not run, and packages of which only the metadata is there."""
    (folder / "bin").mkdir(parents=True)
    site = folder / f"lib/python{python}/{where}"
    site.mkdir(parents=True)
    for package in packages:
        (site / f"{package}.dist-info").mkdir()
    if settings is None:
        (folder / f"bin/python{python}").write_bytes(b"\x7fELF")
        (folder / f"bin/python{python}").chmod(0o755)
        (folder / "bin/python3").symlink_to(f"python{python}")
    else:
        (folder / "pyvenv.cfg").write_text(settings)
    return folder


def look(plugin, *words, cwd=None, **variables):
    variables = {"PATH": "/nonexistent", "HOME": "/nonexistent", **{name: str(value) for name, value in variables.items()}}
    done = subprocess.run([BUILD / "bin/tenon", "doctor", "--no-load", plugin, *map(str, words)], capture_output=True, text=True,
                          env=variables, cwd=cwd)
    return done


def found(plugin, *words, **variables):
    done = look(plugin, "--json", *words, **variables)
    assert done.returncode in (0, 1), done
    report = json.loads(done.stdout)
    return ({(one["folder"], one["because"]): [f"{p['framework']}=={p['version']}" for p in one["packages"]]
             for one in report["environments"]}, [f"{row['framework']}=={row['version']} {row['verdict']}" for row in report["releases"]])


def test_the_environment_of_the_shell_is_looked_in(tmp_path, plugin):
    virtual = environment(tmp_path / "a [venv]*", "tensorflow_cpu-2.18.1", settings="home = /nonexistent/bin\n")
    conda = environment(tmp_path / "conda", "jaxlib-0.6.2", "tensorflow-2.15.0+nv1", "tensorflow_io-0.37.0", "numpy-2.0")
    system = environment(tmp_path / "system", "jaxlib-0.4.30", python="3.12")
    (tmp_path / "system/lib/python3.9/site-packages/jaxlib-0.4.20.dist-info").mkdir(parents=True)
    environments, rows = found(plugin, "--against", "installed", VIRTUAL_ENV=virtual, CONDA_PREFIX=conda,
                               PATH=f"/nonexistent:{system}/bin:{conda}/bin")
    assert environments == {(str(virtual), "VIRTUAL_ENV"): ["tensorflow==2.18.1"],
                            (str(conda), "CONDA_PREFIX"): ["jaxlib==0.6.2", "tensorflow==2.15.0"],
                            (str(system), "python3 on PATH"): ["jaxlib==0.4.30"]}
    assert [row for row in rows if row.startswith("tensorflow")] == ["tensorflow==2.15 works", "tensorflow==2.18 works"]
    # jaxlib is nothing to a plugin for TensorFlow.
    assert not [row for row in rows if row.startswith("jaxlib")]
    done = look(plugin, "--against", "installed", VIRTUAL_ENV=system)
    assert done.returncode == 1 and "install tensorflow: what was found there is not what" in done.stdout
    # One environment that is reached in two ways is one.
    environments, _ = found(plugin, "--against", "installed", CONDA_PREFIX=conda, PATH=conda / "bin")
    assert list(environments) == [(str(conda), "CONDA_PREFIX")]
    done = look(plugin, "--against", "installed", VIRTUAL_ENV=virtual)
    assert f"looked in {virtual} (VIRTUAL_ENV): tensorflow 2.18.1" in done.stdout and "tensorflow 2.18" in done.stdout


def test_a_virtual_environment_sees_the_system_only_when_it_says_so(tmp_path, plugin):
    base = environment(tmp_path / "base", "tensorflow-2.16.1")
    for see, packages in (("false", ["jaxlib==0.6.2"]), ("true", ["jaxlib==0.6.2", "tensorflow==2.16.1"])):
        virtual = environment(tmp_path / see, "jaxlib-0.6.2",
                              settings=f"home = {base}/bin\ninclude-system-site-packages = {see}\n")
        (virtual / "bin/python3").symlink_to(base / "bin/python3")
        environments, _ = found(plugin, "--against", "installed", PATH=virtual / "bin")
        assert environments == {(str(virtual), "python3 on PATH"): packages}


def test_python_names_the_environments_to_look_in(tmp_path, plugin):
    one = environment(tmp_path / "one", "tensorflow-2.16.1")
    two = environment(tmp_path / "two", "tensorflow-2.17.0")
    three = environment(tmp_path / "three", "tensorflow-2.21.0")
    environments, rows = found(plugin, "--python", one, "--python", two / "bin/python3", VIRTUAL_ENV=three, PATH=three / "bin")
    assert environments == {(str(one), "--python"): ["tensorflow==2.16.1"], (str(two), "--python"): ["tensorflow==2.17.0"]}
    assert rows == ["tensorflow==2.16 works", "tensorflow==2.17 works"]


def test_pyenv_is_followed_to_the_version_it_would_take(tmp_path, plugin):
    root = tmp_path / "pyenv"
    environment(root / "versions/3.11.7", "tensorflow-2.16.1")
    environment(root / "versions/other", "tensorflow-2.17.0")
    (root / "shims").mkdir()
    (root / "shims/python3").write_text("#!/bin/sh\nexit 1\n")
    (root / "shims/python3").chmod(0o755)
    done = look(plugin, "--against", "installed", PATH=root / "shims")
    assert done.returncode == 2 and "it is a script that runs some Python" in done.stderr
    (root / "version").write_text("3.11.7\n")
    (tmp_path / "work/deep").mkdir(parents=True)
    assert "tensorflow 2.16.1" in look(plugin, "--against", "installed", PATH=root / "shims", cwd=tmp_path / "work/deep").stdout
    (tmp_path / "work/.python-version").write_text("other\n")
    assert "tensorflow 2.17.0" in look(plugin, "--against", "installed", PATH=root / "shims", cwd=tmp_path / "work/deep").stdout
    done = look(plugin, "--against", "installed", PATH=root / "shims", cwd=tmp_path / "work/deep", PYENV_VERSION="3.11.7")
    assert "tensorflow 2.16.1" in done.stdout


def test_a_release_that_no_table_has_is_told(tmp_path, plugin):
    folder = environment(tmp_path / "new", "tensorflow-9.1.0", "tensorflow_cpu-2.18.0")
    _, rows = found(plugin, "--python", folder)
    assert rows == ["tensorflow==2.18 works", "tensorflow==9.1.0 unknown"]
    done = look(plugin, "--python", folder)
    assert "tensorflow 9.1.0" in done.stdout and "not in the tables" in done.stdout


def test_environments_that_cannot_help_are_told(tmp_path, plugin):
    empty = environment(tmp_path / "empty")
    done = look(plugin, "--python", empty)
    assert done.returncode == 2 and f"looked in {empty} (--python): neither jaxlib nor tensorflow" in done.stderr
    done = look(plugin, "--python", tmp_path / "none")
    assert done.returncode == 1 and f"there is no Python at '{tmp_path}/none'" in done.stderr
    done = look(plugin, "--against", "installed")
    assert done.returncode == 2 and "there is no Python environment here" in done.stderr
    done = look(plugin, "--against", "installed", VIRTUAL_ENV=tmp_path / "gone")
    assert done.returncode == 2 and f"looked in {tmp_path}/gone (VIRTUAL_ENV): there is no such folder" in done.stderr
    done = look(plugin, "--against", "all", "--python", empty)
    assert done.returncode == 2 and "--against all asks for something else" in done.stderr
