"""tools/setup.sh: says what it installs, asks apt-get once, and explains a failure in one sentence."""

import os
import shutil

import pytest

from house import SOURCE, run

APT = """#!/bin/sh
echo "apt-get $*" >>{folder}/calls
{action}
"""
DPKG = "#!/bin/sh\n[ -e {folder}/installed ] && echo 'install ok installed'\n"
FAILURE = "[ $# -lt 3 ] || { echo 'E: Unable to locate package libelf-dev' >&2; exit 100; }"
OFFLINE = "echo 'E: Failed to fetch http://x/y.deb  Unable to connect to x:80:' >&2; exit 100"


@pytest.fixture
def machine(tmp_path):
    """A copy of the script in a tree of its own, with an apt-get that only takes notes."""
    tree = tmp_path / "tree"
    (tree / "tools").mkdir(parents=True)
    (tree / "tests").mkdir()
    shutil.copy(SOURCE / "tools/setup.sh", tree / "tools")
    (tree / "tests/requirements.txt").write_text("no-such-package-anywhere==1\n")
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()

    def program(name, text):
        (bin_folder / name).write_text(text.replace("{folder}", str(tmp_path)))
        (bin_folder / name).chmod(0o755)

    def setup(*jobs, apt="touch {folder}/installed", **environment):
        program("apt-get", APT.replace("{action}", apt))
        program("dpkg-query", DPKG)
        program("sudo", '#!/bin/sh\nexec "$@"\n')
        return run(tree / "tools/setup.sh", *jobs,
                   env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}", **environment})

    setup.calls = lambda: (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
    return setup


def test_what_is_missing_is_named_and_installed_once(machine):
    done = machine("build")
    assert done.returncode == 0 and done.stderr == ""
    assert "installing libc6-dev libelf-dev libdw-dev libclang-dev zlib1g-dev with" in done.stdout
    assert len(machine.calls()) == 1 and "--no-install-recommends libc6-dev libelf-dev" in machine.calls()[0]
    again = machine("build")
    assert (again.stdout, again.stderr, len(machine.calls())) == ("", "", 1)


def test_old_lists_are_fetched_before_giving_up(machine):
    done = machine("build", apt=FAILURE)
    assert [call.split()[-1] for call in machine.calls()][1:] == ["update", "zlib1g-dev"]
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "Unable to locate package libelf-dev" in done.stderr and "build/setup.log" in done.stderr


def test_a_missing_network_is_one_sentence(machine):
    done = machine("build", apt=OFFLINE)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert "the network does not answer" in done.stderr


def test_a_python_package_that_cannot_be_had_is_one_sentence(machine):
    done = machine("test", TENON_VENV="", PIP_NO_INDEX="1")
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1, done
    assert "No matching distribution found for no-such-package-anywhere==1" in done.stderr


def test_an_unknown_job_is_refused(machine):
    done = machine("bake")
    assert done.returncode == 1 and "no job named 'bake'" in done.stderr
