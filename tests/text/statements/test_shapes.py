import json
import re

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.files.shipped import shipped_config
from nightledger.text.statements.shapes import SHAPES, shapes_of

FITTED = json.loads(shipped_config("words/statement-weights.json"))

HOLDS = {
    "code-file": "see tap.py",
    "note-file": "see TAPS.md",
    "setting-file": "see tap.yaml",
    "absolute-path": "in /etc/taps",
    "option": "call it with --dry",
    "version": "since v1.20.3",
    "ticket": "TAP-12",
    "ip": "at 10.0.0.7",
    "url": "https://example.org",
    "port": "on port 8080",
    "mail": "ann@example.org",
    "clock": "at 09:40",
    "ratio": "3/4 done",
    "command": "`make taps` helps",
    "arrow": "tap = open",
    "order": "Keep the tap shut",
    "named": "ask Ann first",
    "pronoun-first": "It drips",
    "subject-verb": "the tap needs oil",
}


@each_row(("name", "text"), HOLDS.items())
def test_a_shape_is_seen(name: str, text: str) -> None:
    assert name in shapes_of(text)
    assert name not in shapes_of("nothing of the kind here")


def test_every_shape_has_an_example_and_a_weight() -> None:
    assert set(HOLDS) == set(SHAPES)
    assert {name.removeprefix("t.") for name in FITTED["weights"] if name.startswith("t.")} <= set(SHAPES)


@given(st.text(alphabet="aZ1 .-/:@`=~\n", max_size=24))
def test_the_look_for_signs_first_changes_nothing(text: str) -> None:
    assert shapes_of(text) == {name for name, pattern in SHAPES.items() if pattern.search(text)}


@given(st.text(alphabet="a@. ", max_size=16))
def test_an_address_is_found_wherever_it_stands(text: str) -> None:
    assert ("mail" in shapes_of(text)) == (re.search(r"\S@\S+\.\w", text) is not None)


def test_a_word_of_many_at_signs_is_looked_at_once() -> None:
    assert "mail" not in shapes_of("@a" * 200_000)
