"""What of a file says again what a later statement says: as comparing all pairs would find it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.similar import numbers, shingles
from nightledger.text.statements import repeats
from nightledger.text.statements.repeats import RESTATED, Corrections, Kept

WORDS = ["disk", "full", "backup", "restic", "cron", "path", "7", "42", "a", "配置", "磁盘"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=7).map(" ".join), max_size=25)


def _compared_with_all(texts: list[str]) -> list[str]:
    kept: list[str] = []
    for text in texts:
        pieces, said = shingles(text), numbers(text)
        if not any(
            len(pieces & shingles(other)) >= RESTATED * len(pieces) and said <= numbers(other)
            for other in kept
        ):
            kept.append(text)
    return kept


def _overturned_by_any(text: str, last: int, lines: list[tuple[int, str]]) -> bool:
    pieces = shingles(text)
    others = [shingles(line) for number, line in lines if number > last]
    return any(
        len(other) <= 4 * len(pieces) and len(pieces & other) >= 0.5 * min(len(pieces), len(other))
        for other in others
    )


@given(TEXTS)
def test_what_stands_is_what_comparing_all_pairs_leaves(texts: list[str]) -> None:
    kept = Kept()
    assert [text for text in texts if kept.takes(text)] == _compared_with_all(texts)


@given(TEXTS, st.sampled_from(WORDS), st.integers(0, 30))
def test_a_later_correction_of_the_same_thing_overturns(texts: list[str], word: str, last: int) -> None:
    lines = list(enumerate(texts, 1))
    text = f"{word} {' '.join(texts[:1])}"
    assert Corrections(lines).overturn(text, last) == _overturned_by_any(text, last, lines)


@pytest.mark.slow
def test_thousands_that_share_their_rarest_letters_are_compared_with_some() -> None:
    kept = Kept()
    texts = [f"Never restart the server of number {n} before its backup is there." for n in range(6_000)]
    assert all(kept.takes(text) for text in texts)
    assert not kept.takes(texts[0])


def test_a_diagnosis_is_compared_with_the_next_corrections_only() -> None:
    other = [(n, "it was the network") for n in range(2, 2 + repeats.COMPARED)]
    last = [(10_000, "the disk of the backup was full")]
    assert Corrections(last).overturn("the disk of the backup was full", 1)
    assert not Corrections(other + last).overturn("the disk of the backup was full", 1)
    assert Corrections(other[1:] + last).overturn("the disk of the backup was full", 1)
