from typing import Any

import pytest

from nightledger.demo.cast import KNOWN_SLOTS, Cast, slots_of
from nightledger.demo.dice import Dice
from nightledger.demo.generate import LAST_DAY
from nightledger.demo.phrases import load_phrases
from nightledger.demo.plotting import STATEMENT_COUNTS
from nightledger.demo.sample import PlantKind
from nightledger.demo.world import make_world

FROM_THE_CALLER = {"injected", "hidden", "key"}


def texts(value: Any) -> list[str]:
    """Every text within nested templates."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts(item)]
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts(item)]
    fields = getattr(value, "__dataclass_fields__", {})
    return [text for name in fields for text in texts(getattr(value, name))]


def test_every_slot_of_every_template_can_be_filled() -> None:
    phrases = load_phrases()
    world = make_world(Dice(1, "w"), phrases.words)
    players = Cast(world, Dice(1, "c"), LAST_DAY).players
    asked = {slot for text in texts(phrases) for slot in slots_of(text)}
    assert asked - KNOWN_SLOTS - players <= FROM_THE_CALLER


def test_there_are_more_templates_of_each_kind_than_a_home_uses() -> None:
    phrases = load_phrases()
    for kind, count in STATEMENT_COUNTS.items():
        assert len(phrases.statements[kind]) > count


@pytest.mark.parametrize("kind", ["rule", "preference", "correction", "cause", "fact", "decision"])
def test_names_of_templates_are_unique_and_each_has_rival_wordings(kind: str) -> None:
    statements = load_phrases().statements[kind]
    assert len({statement.name for statement in statements}) == len(statements)
    assert all(len(set(statement.plain)) >= 2 for statement in statements)
    assert all(statement.led for statement in statements)


def test_every_kind_of_statement_has_its_share_labels_and_headings() -> None:
    frames = load_phrases().frames
    kinds = {*STATEMENT_COUNTS, PlantKind.CHANGED, PlantKind.LESSON}
    assert set(frames.shown) == set(frames.labels) == set(frames.headings) == kinds


def test_what_an_owner_says_is_a_sentence() -> None:
    phrases = load_phrases()
    statements = [*phrases.changed, *(item for items in phrases.statements.values() for item in items)]
    said = [text for statement in statements for text in statement.said]
    assert all(text[0] == "{" or text[0].isupper() for text in said)
    assert all(text.endswith(".") for text in said)


def test_a_change_of_mind_names_what_it_changes() -> None:
    assert all(statement.was for statement in load_phrases().changed)
