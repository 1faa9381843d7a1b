import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.hosts.json_edit import add_element, drop_elements, list_at

KEYS = ("hooks", "PreToolUse")
OURS = {
    "matcher": "Write|Edit",
    "hooks": [{"type": "command", "command": "/opt/x --home '/a b'", "timeout": 5}],
}

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
elements = st.dictionaries(st.sampled_from(["matcher", "command", "note"]), st.text(max_size=6), max_size=3)
documents = st.fixed_dictionaries(
    {},
    optional={
        "model": values,
        "hooks": st.fixed_dictionaries(
            {},
            optional={
                "PreToolUse": st.lists(elements, min_size=1, max_size=3),
                "Stop": st.lists(elements, min_size=1, max_size=2),
            },
        ).filter(bool),
        "zeta": values,
    },
)
layouts = st.sampled_from([{"indent": 2}, {"indent": 4}, {"indent": "\t"}, {"separators": (",", ":")}, {}])


@given(document=documents, layout=layouts, ending=st.sampled_from(["", "\n", "\r\n"]), bom=st.booleans())
def test_what_is_added_is_taken_out_again_byte_for_byte(
    *, document: dict[str, Any], layout: dict[str, Any], ending: str, bom: bool
) -> None:
    text = ("\ufeff" if bom else "") + json.dumps(document, ensure_ascii=False, **layout) + ending
    if ending == "\r\n":
        text = text.replace("\r\n", "\n").replace("\n", "\r\n")
    added = add_element(text, KEYS, OURS)
    before = document.get("hooks", {}).get("PreToolUse", [])
    assert list_at(added, KEYS) == [*before, OURS]
    with_ours = json.loads(added.removeprefix("\ufeff"))
    with_ours["hooks"]["PreToolUse"].pop()
    if not before:
        del with_ours["hooks"]["PreToolUse"]
    if not with_ours["hooks"]:
        del with_ours["hooks"]
    assert with_ours == document
    dropped = drop_elements(added, KEYS, [OURS])
    if document:
        assert dropped == text
    else:
        assert json.loads(dropped.removeprefix("\ufeff")) == {}


def test_an_element_is_indented_like_its_neighbours() -> None:
    text = '{\n    "model": "x", "hooks": {\n        "PreToolUse": [\n            {"a": 1}\n        ]\n    }\n}\n'
    added = add_element(text, KEYS, {"b": 2})
    assert added == text.replace(
        '{"a": 1}\n', '{"a": 1},\n            {\n                "b": 2\n            }\n'
    )


def test_an_empty_file_becomes_a_document() -> None:
    assert json.loads(add_element("", KEYS, 1)) == {"hooks": {"PreToolUse": [1]}}
    assert json.loads(add_element(" \n", KEYS, 1)) == {"hooks": {"PreToolUse": [1]}}
    assert list_at("", KEYS) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"hooks": {"PreToolUse": [1]}, "hooks": {"PreToolUse": [2]}}',
        '{"hooks": {"PreToolUse": [1], "PreToolUse": [2]}}',
    ],
)
def test_a_key_on_the_way_that_is_repeated_is_not_edited(text: str) -> None:
    for edit in (
        lambda: add_element(text, KEYS, 3),
        lambda: drop_elements(text, KEYS, [2]),
        lambda: list_at(text, KEYS),
    ):
        with pytest.raises(ValueError, match="stands in it 2 times"):
            edit()
    assert list_at('{"a": 1, "a": 2, "hooks": {"PreToolUse": [1]}}', KEYS) == [1]


def test_strings_with_brackets_quotes_and_commas_are_no_borders() -> None:
    text = '{"a": "]}\\",{[", "hooks": {"PreToolUse": ["}", "\\\\"]}, "z": -1.5e3}'
    added = add_element(text, KEYS, "x")
    assert json.loads(added)["hooks"]["PreToolUse"] == ["}", "\\", "x"]
    assert drop_elements(added, KEYS, ["x"]) == text


def test_what_stands_between_others_goes_alone() -> None:
    text = '{"hooks": {"PreToolUse": [1, 2, 3]}}'
    assert drop_elements(text, KEYS, [2]) == '{"hooks": {"PreToolUse": [1, 3]}}'
    assert drop_elements(text, KEYS, [1]) == '{"hooks": {"PreToolUse": [2, 3]}}'
    assert drop_elements(text, KEYS, [3, 1]) == '{"hooks": {"PreToolUse": [2]}}'
    assert drop_elements(text, KEYS, [1, 2, 3]) == "{}"
    assert drop_elements(text, KEYS, [4]) == text
    assert drop_elements("{}", KEYS, [4]) == "{}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no JSON object"),
        ('{"hooks": []}', "hooks is no object"),
        ('{"hooks": {"PreToolUse": {}}}', "hooks.PreToolUse is no list"),
        ("{", "Expecting"),
        ('{"a": 1,}', "Expecting|Illegal"),
        ("// settings\n{}", "Expecting"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_edited_is_refused(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        add_element(text, KEYS, OURS)


def test_what_is_no_list_is_read_as_none() -> None:
    assert list_at('{"hooks": {"PreToolUse": 1}}', KEYS) == []
    assert list_at('{"hooks": [1]}', KEYS) == []
    assert drop_elements('{"hooks": {"PreToolUse": 1}}', KEYS, [1]) == '{"hooks": {"PreToolUse": 1}}'
