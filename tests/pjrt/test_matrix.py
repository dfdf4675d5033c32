"""Hosts of every number with plugins of every number: what each pair can do, and why it cannot do the rest."""

import matrix
from matrix import CORE, NEWEST, ODD, THIS_HOST, number, outcomes, refusal, size_at, steps

# What plugins take from older callers although the struct has grown since.
RELAXED = {"PJRT_ExecuteOptions": 112, "PJRT_Executable_GetCompiledMemoryStats_Args": 112, "PJRT_Device_MemoryStats_Args": 185,
           "PJRT_Executable_DeserializeAndLoad_Args": 64}


def pairs():
    return ((host, plugin, bad) for (host, plugin), bad in outcomes().items() if ODD not in (host, plugin))


def test_every_pair_was_there():
    hosts = [THIS_HOST, *range(28, NEWEST + 1)]
    assert sorted(outcomes()) == [(host, plugin) for host in hosts for plugin in [*range(28, NEWEST + 1), 130]]


def test_this_host_does_all_that_a_plugin_has_on_every_number():
    for host, plugin, bad in pairs():
        if host == THIS_HOST:
            assert all(code == "UNIMPLEMENTED" for code, _ in bad.values()), (plugin, bad)


def test_what_one_side_lacks_is_unimplemented_and_nothing_else_is():
    for host, plugin, bad in pairs():
        if any(step in bad for step in CORE):
            continue  # not everything was tried
        lacking = {step for step, since in steps().items() if min(number(host), plugin) < since}
        if 39 <= host <= 45:  # the size that they sent for PJRT_ExecuteOptions ended before what says it
            lacking.add("keep")
        assert {step for step, (code, _) in bad.items() if code == "UNIMPLEMENTED"} == lacking, (host, plugin)


def test_who_is_older_is_told():
    for host, plugin, bad in pairs():
        for step, (code, words) in bad.items():
            if code == "UNIMPLEMENTED":
                assert f"0.{plugin if plugin < steps()[step] else host}" in words, (host, plugin, step, words)


def test_a_plugin_refuses_only_structs_whose_size_is_wrong_for_it():
    for host, plugin, bad in pairs():
        for step, (code, words) in bad.items():
            if code == "UNIMPLEMENTED" or step == "attributes":
                continue
            assert refusal(words), (host, plugin, step, words)
            struct, wanted, sent = refusal(words)
            assert sent == size_at(struct, host)
            assert wanted == min(size_at(struct, plugin), RELAXED.get(struct, 10 ** 9))
            assert sent != wanted if plugin < 34 else sent < wanted
            assert code == "INVALID_ARGUMENT"


def test_attributes_are_missing_where_their_struct_had_the_wrong_size():
    for host, plugin, bad in pairs():
        sent, wanted = (32, 24) if plugin < 71 else (24, 32)
        wrong = host and size_at("PJRT_Plugin_Attributes_Args", host) == sent and (plugin < 34 or plugin >= 71)
        assert ("attributes" in bad) == bool(wrong), (host, plugin, wanted)


def test_the_odd_number_is_refused_on_both_sides():
    for (host, plugin), bad in outcomes().items():
        if ODD in (host, plugin):
            assert list(bad) == ["open"] and "0.56" in bad["open"][1]


def test_the_document_says_what_happens():
    assert matrix.DOCUMENT.read_text() == matrix.document(), "python tests/pjrt/matrix.py --write, with TENON_BUILD set"
