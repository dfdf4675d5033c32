"""What README.md, docs/*.md and examples/*/README.md show is what happens.

A ```console block is a session: lines that begin with "$ " are commands ("> " continues one), the
lines below a command are its output. In the output "..." stands for any text, and a line that is only
"..." for any number of lines. All blocks of one document are one shell session in a folder that looks
like the top of the repository after `make`. A ```c block is a whole file that compiles.
"""

import os
import pathlib
import re
import subprocess

import pytest

SOURCE = pathlib.Path(os.environ["TENON_SOURCE"])
BUILD = pathlib.Path(os.environ["TENON_BUILD"])
DOCUMENTS = [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").glob("*.md")),
             *sorted((SOURCE / "examples").glob("*/README.md"))]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def session(text):
    """The commands of a document, each with the output it shows."""
    steps = []
    for block in blocks(text, "console"):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append([line[2:], []])
            elif line.startswith("> ") and steps and not steps[-1][1]:
                steps[-1][0] += "\n" + line[2:]
            else:
                assert steps, f"output before a command: {line}"
                steps[-1][1].append(line)
    return [(command, output) for command, output in steps]


def pattern(lines):
    """A regular expression for the output a document shows."""
    parts = []
    for line in lines:
        if line.strip() == "...":
            parts.append(r"(?:[^\n]*\n)*?")
        else:
            parts.append(r"[^\n]*".join(re.escape(part.rstrip() if i == line.count("...") else part)
                                        for i, part in enumerate(line.split("..."))) + r"[ ]*\n")
    return re.compile("".join(parts))


def play(commands, folder, path):
    """Runs commands in one shell; yields the output of each."""
    mark = "\x01end of output\x01"
    script = "".join(f"eval {quote(command)} 2>&1 </dev/null; result=$?; printf '{mark}'; (exit $result)\n"
                     for command in commands)
    environment = {**os.environ, "PATH": f"{path}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(["bash"], input=script, capture_output=True, text=True, cwd=folder,
                          env=environment, timeout=600)
    return done.stdout.split(mark)[:-1]


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


@pytest.fixture
def top(tmp_path):
    """A folder with what a clone has at its top after `make`, in which commands may write."""
    for entry in SOURCE.iterdir():
        if entry.name not in (".git", "build"):
            (tmp_path / entry.name).symlink_to(entry)
    (tmp_path / "build").symlink_to(BUILD)
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_commands_print_what_the_document_shows(document, top):
    steps = session(document.read_text())
    outputs = play([command for command, _ in steps], top, BUILD / "bin")
    assert len(outputs) == len(steps), f"the session ended after: {outputs}"
    for (command, expected), found in zip(steps, outputs):
        if not pattern(expected).fullmatch(found if found.endswith("\n") or not found else found + "\n"):
            pytest.fail(f"{document.name} shows\n\n$ {command}\n" + "\n".join(expected) +
                        f"\n\nbut it prints\n\n{found}", pytrace=False)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_code_compiles(document, tmp_path):
    for i, code in enumerate(blocks(document.read_text(), "c")):
        path = tmp_path / f"block{i}.c"
        path.write_text(code)
        done = subprocess.run(["cc", "-std=c11", "-Wall", "-fsyntax-only", f"-I{SOURCE}/include", path],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_code_that_comes_from_a_file_is_that_file(document):
    for name, code in re.findall(r"`(examples/[^`]+\.c)`:\n\n```c\n(.*?)^```$", document.read_text(), re.M | re.S):
        assert code in (SOURCE / name).read_text(), f"{document.name} shows another {name}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_files_that_are_linked_exist(document):
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
        assert (document.parent / target).exists(), f"{document.name} links {target}"


def test_a_session_keeps_its_folder_and_its_exit_codes(tmp_path):
    assert play(["mkdir d && cd d", "pwd | sed 's|.*/||'", "false", "echo $?", "cat <<E\na\nE"],
                tmp_path, BUILD / "bin") == ["", "d\n", "", "1\n", "a\n"]


def test_the_wildcards_stand_for_what_they_should():
    shown = session("```console\n$ x\none ... three\n...\nlast\n$ y\n```\n")
    assert [command for command, _ in shown] == ["x", "y"]
    matches = pattern(shown[0][1]).fullmatch
    assert matches("one two three\nlast\n") and matches("one  three\na\nb\nlast\n")
    assert not matches("one two\nlast\n") and not matches("one two three\nlast\nmore\n")
    assert pattern([]).fullmatch("") and not pattern([]).fullmatch("x\n")
