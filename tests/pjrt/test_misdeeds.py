"""Plugins that misbehave: what the host says is what the document promises."""

import misdeeds


def test_every_fault_gets_the_answer_that_the_document_promises():
    assert misdeeds.DOCUMENT.read_text() == misdeeds.document(), "python tests/pjrt/misdeeds.py --write, with TENON_BUILD set"


def test_a_plugin_takes_the_host_down_only_by_its_own_crash():
    dead = {name for name, told in misdeeds.outcomes().items() if told.startswith("dies")}
    # Of the second, what is freed twice is the plugin's own.
    assert dead == {f"crash@{function}" for function in misdeeds.FUNCTIONS} | {"one_executable_handle"}


def test_what_fails_or_is_missing_is_named():
    for name, told in misdeeds.outcomes().items():
        if name.startswith(("fail@", "null@")) and told:
            assert name.split("@")[1] in told, (name, told)
