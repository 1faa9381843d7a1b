import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus, from_corpus

from nightledger.text.phrases import Forgotten

SAID = "- Lesson learned: the staging password rotates every Monday at nine, so log in again before a deploy."
RETOLD: list[str] = json.loads(corpus("forgotten-retold.json"))
OTHERS: list[str] = json.loads(corpus("forgotten-others.json"))


@pytest.mark.parametrize("text", RETOLD)
def test_what_was_forgotten_is_known_again_in_other_words(text: str) -> None:
    assert Forgotten([SAID]).holds(text)


@pytest.mark.parametrize("text", OTHERS)
def test_what_else_is_said_of_the_same_things_is_not_it(text: str) -> None:
    assert not Forgotten([SAID]).holds(text)


def test_one_line_of_an_entry_is_enough() -> None:
    assert Forgotten([SAID]).holds(f"- Deploys\n  - {OTHERS[1]}\n  - {RETOLD[0]}")
    assert Forgotten([f"- Deploys\n  - {OTHERS[1]}\n  - {SAID[2:]}"]).holds(RETOLD[0])


def test_another_number_is_another_claim() -> None:
    forgotten = Forgotten(["- Keep backups of the ledger for 30 days."])
    assert forgotten.holds("Keep the ledger's backups for 30 days.")
    assert forgotten.holds("Keep the ledger's backups for thirty days.")
    assert not forgotten.holds("Keep backups of the ledger for 60 days.")


@given(st.text(alphabet=st.characters(categories=["L"]), min_size=3))
def test_the_very_words_are_always_known_again(text: str) -> None:
    assert Forgotten([text]).holds(text) or not Forgotten([text])


@from_corpus("text-forgotten")
def test_a_sentence_of_a_paragraph_is_found_with_its_lines(lines: list[str], numbers: list[int]) -> None:
    assert Forgotten(["The key is under the mat."]).told_in(lines) == {*numbers}
    assert Forgotten([]).told_in(lines) == frozenset()
