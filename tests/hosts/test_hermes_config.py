import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.hosts.hooking import HookCall, has_hooks, with_hooks, without_hooks

CALL = HookCall(
    python="/opt/py/bin/python",
    script="/opt/nl/scripts/prompt_hook.py",
    home="/srv/a home with a long enough name, so that YAML folds the line it stands in, twice perhaps",
    home_id="3f1d0c5a" * 4,
)
CONFIG = "model: x # best\nmemory:\n    write_approval: true\n"
OWN = {"command": "/my/own.sh", "timeout": 9}


@each_row(
    "line",
    ["hooks: {}\n", "hooks:\n", "hooks: { }  # none yet\n", "hooks: null\n", "hooks: ~", "hooks: {}\r\n"],
)
def test_a_key_without_hooks_gives_way_to_our_block(line: str) -> None:
    added = with_hooks("hermes", f"{CONFIG}{line}", CALL)
    assert yaml.safe_load(added)["hooks"]["pre_llm_call"]
    assert {**yaml.safe_load(added), "hooks": None} == {**yaml.safe_load(CONFIG), "hooks": None}
    assert with_hooks("hermes", added, CALL) == added
    assert without_hooks("hermes", added, CALL) == CONFIG


def test_an_owner_who_wrote_comments_and_hooks_into_our_block_takes_ours_out_by_hand() -> None:
    added = with_hooks("hermes", CONFIG, CALL)
    mixed = added.replace("hooks:\n", "hooks:\n  on_session_end:\n    - command: /my/own.sh # mine\n", 1)
    assert with_hooks("hermes", mixed, CALL) == mixed
    with pytest.raises(ValueError, match="take them out by hand"):
        without_hooks("hermes", mixed, CALL)


@given(
    own=st.sets(st.sampled_from(["pre_llm_call", "pre_tool_call", "on_session_end"])),
    both=st.booleans(),
    width=st.sampled_from([20, 80, 1000]),
)
def test_hooks_that_the_host_wrote_anew_are_found_and_taken_out(
    own: set[str], *, both: bool, width: int
) -> None:
    added = with_hooks("hermes", CONFIG, CALL)
    config = yaml.safe_load(added)
    for event in own:
        found = config["hooks"].setdefault(event, [])
        found.insert(len(found) if both else 0, dict(OWN))
    text = yaml.safe_dump(config, width=width)
    assert has_hooks("hermes", text, CALL)
    assert with_hooks("hermes", text, CALL) == text
    left = yaml.safe_load(without_hooks("hermes", text, CALL))
    assert left.pop("hooks", {}) == {event: [OWN] for event in own}
    assert left == yaml.safe_load(CONFIG)
    assert not has_hooks("hermes", without_hooks("hermes", text, CALL), CALL)


@pytest.mark.parametrize(
    "hooks", [[], "x", {"pre_llm_call": "x"}, {"pre_llm_call": ["x", {"command": 1}]}, {"pre_llm_call": None}]
)
def test_hooks_of_another_shape_are_nobody_s(hooks: object) -> None:
    text = yaml.safe_dump({"hooks": hooks, "note": "prompt_hook.py"})
    assert not has_hooks("hermes", text, CALL)
    assert without_hooks("hermes", text, CALL) == text
    odd = {"pre_tool_call": hooks, "pre_llm_call": [{"command": CALL.line("hermes", "pre_llm_call")}]}
    left = yaml.safe_load(without_hooks("hermes", yaml.safe_dump({"hooks": odd}), CALL)) or {}
    assert left.get("hooks", {}).get("pre_tool_call") in (hooks, None)


@pytest.mark.parametrize("value", ["!!bool x", "!!int ''", "!!timestamp x", "&a [*a]", "&a {b: *a}"])
def test_what_yaml_makes_no_value_of_is_refused_in_words(value: str) -> None:
    for edit in (with_hooks, without_hooks):
        with pytest.raises(ValueError, match="it is no YAML"):
            edit("hermes", f"a: {value}\nb: prompt_hook.py\n", CALL)


def test_aliases_are_followed_but_not_into_billions() -> None:
    few = "a: &a [1, 2]\nb: [*a, *a]\n"
    assert without_hooks("hermes", with_hooks("hermes", few, CALL), CALL) == few
    many = "a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60))
    with pytest.raises(ValueError, match="its aliases stand for too much"):
        with_hooks("hermes", many, CALL)
