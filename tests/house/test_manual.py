"""The manual, the completions and --help tell the same story."""

import os
import re
import shutil

import pytest

from house import BUILD, SOURCE, run

TENON = BUILD / "bin/tenon"
COMMANDS = re.findall(r"^  ([a-z-]+) ", run(TENON, "--help").stdout.split("commands:")[1].split("\n\n")[0], re.M)


def help_options(command):
    return set(re.findall(r"^ +--([a-z-]+)", run(TENON, command, "--help").stdout, re.M))


def test_the_overview_page_lists_every_command():
    page = (SOURCE / "man/tenon.1").read_text()
    assert re.findall(r"^\.It Cm (\S+)", page, re.M) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_page_has_the_options_of_its_command_and_no_others(command):
    page = (SOURCE / f"man/tenon-{command}.1").read_text()
    assert set(re.findall(r"^\.It Fl -([a-z-]+)", page, re.M)) == help_options(command)


@pytest.mark.parametrize("page", sorted((SOURCE / "man").glob("*.1")), ids=lambda page: page.name)
def test_a_page_is_clean(page):
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    done = run("mandoc", "-T", "lint", "-W", "warning", page)
    assert not done.stdout, done.stdout


def complete(*words):
    """What bash would offer for the last word."""
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenon; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    done = run("bash", "-c", script, "bash", SOURCE / "completion/tenon.bash", TENON, *words)
    assert not done.stderr, done.stderr
    return set(done.stdout.split())


def test_bash_offers_the_commands():
    assert set(COMMANDS) <= complete("")
    assert complete("kern") == {"kernels"}


@pytest.mark.parametrize("command", COMMANDS)
def test_bash_offers_the_options_of_a_command(command):
    assert complete(command, "--") == {"--" + option for option in help_options(command)}


def test_bash_offers_what_can_be_new():
    assert complete("new", "") == {"op", "device"} and complete("new", "d") == {"device"}


def test_bash_offers_ops_by_name():
    assert "MatMul" in complete("run", "--op", "Mat") and "MatMul" in complete("ops", "MatM")


def test_bash_offers_files(tmp_path):
    (tmp_path / "some.npy").touch()
    os.chdir(tmp_path)
    assert complete("run", "--op", "Neg", "so") == {"some.npy"}


@pytest.mark.parametrize("shell, file", [("zsh", "_tenon"), ("fish", "tenon.fish")])
def test_the_other_shells_can_read_theirs(shell, file):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    done = run(shell, "-n", SOURCE / "completion" / file)
    assert done.returncode == 0, done.stderr
