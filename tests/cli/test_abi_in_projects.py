"""What docs/abi-check.md tells a project to do with tenon abi check, done in a repository."""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
PATH = f"{os.environ['TENON_BUILD']}/bin:{os.environ['PATH']}"
DOCUMENT = (SOURCE / "docs/abi-check.md").read_text()

API = """#include "my_types.h"
#define MY_API_MAJOR 0
#define MY_API_MINOR 4
typedef struct My_Args {
  unsigned long struct_size;
  my_count count;
} My_Args;
"""


def snippet(language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", DOCUMENT, re.M | re.S)
    assert len(found) == 1, language
    return found[0]


def run(folder, *words, **more):
    environment = {**os.environ, "PATH": PATH, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@a",
                   "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@a"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, **more)


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    (folder / "include").mkdir(parents=True)
    (folder / "abi").mkdir()
    (folder / "include/my_api.h").write_text(API)
    (folder / "include/my_types.h").write_text("typedef int my_count;\n")
    (folder / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n## [0.4.0] - 2026-11-14\n\n- First.\n")
    assert run(folder, "git", "init", "-q", "-b", "main").returncode == 0
    return folder


def commit(folder, *more):
    run(folder, "git", "add", *(more or ["-A"]))
    return run(folder, "git", "commit", "-q", "-m", "a change")


def make_baseline(folder):
    command = next(line for line in DOCUMENT.splitlines() if line.startswith("tenon abi layout include/my_api.h"))
    assert run(folder, "sh", "-c", command).returncode == 0


def test_the_hook_stops_what_breaks_and_nothing_else(project):
    hook = project / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(snippet("sh"))
    hook.chmod(0o755)
    done = commit(project)
    assert done.returncode == 0, done  # the first one, before there is a baseline
    make_baseline(project)
    done = commit(project)
    assert done.returncode == 0, done
    # A break behind an include is seen, and what is only in the working tree is not.
    (project / "include/my_types.h").write_text("typedef long my_count;\n")
    (project / "notes.txt").write_text("something else\n")
    done = commit(project, "notes.txt")
    assert done.returncode == 0, done
    done = commit(project)
    assert done.returncode != 0 and "My_Args.count: changed its type" in done.stdout + done.stderr, done
    (project / "include/my_types.h").write_text("typedef int my_count;\n")
    (project / "include/my_api.h").write_text(API.replace("MINOR 4", "MINOR 5").replace("count;\n", "count;\n  int more;\n"))
    done = commit(project)
    assert done.returncode == 0, done


def test_the_workflow_works_in_a_checkout_without_history(project, tmp_path):
    commands = [line.removeprefix("- run: ") for line in snippet("yaml").splitlines()]
    checks = [command for command in commands if command.startswith("tenon abi check")]
    assert len(commands) == 2 and len(checks) == 1 and commands[0].startswith("make -C tenon install PREFIX=")
    make_baseline(project)
    assert commit(project).returncode == 0
    shallow = tmp_path / "shallow"

    def in_a_clone(expected):
        subprocess.run(["rm", "-rf", shallow], check=True)
        assert run(tmp_path, "git", "clone", "-q", "--depth", "1", f"file://{project}", shallow).returncode == 0
        done = run(shallow, "bash", "-e", "-c", checks[0])
        assert done.returncode == expected, done
        return done.stdout

    in_a_clone(0)
    (project / "include/my_api.h").write_text(API.replace("  my_count", "  int first;\n  my_count"))
    commit(project)
    assert "::error file=include/my_api.h,line=6,title=major::My_Args.first: inserted" in in_a_clone(1)
