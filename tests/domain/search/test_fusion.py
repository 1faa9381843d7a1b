"""Words and meaning together."""

import pytest

from nightledger.domain.search.fusion import MEANING_WEIGHT, fuse, nearest
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.values import Why

WORDS = [Ranked(id=1, score=1.0), Ranked(id=2, score=0.9), Ranked(id=3, score=0.1)]


def test_meaning_is_added_by_score_between_the_nearest_and_the_farthest() -> None:
    fused = {one.id: one for one in fuse(WORDS, {1: 0.2, 2: 0.6, 3: 0.4})}
    assert fused[2].besides[Why.MEANING] == pytest.approx(MEANING_WEIGHT)
    assert fused[3].besides[Why.MEANING] == pytest.approx(MEANING_WEIGHT / 2)
    assert fused[1].besides[Why.MEANING] == 0
    assert [one.id for one in fuse(WORDS, {1: 0.2, 2: 0.6, 3: 0.4})] == [2, 1, 3]
    assert fused[2].score == 1.0


def test_a_chunk_without_an_embedding_keeps_what_its_words_gave() -> None:
    fused = {one.id: one for one in fuse(WORDS, {2: 0.6, 9: 0.1})}
    assert Why.MEANING not in fused[1].besides
    assert fused[1].score == pytest.approx(1.0 / 1.6)


def test_where_all_are_equally_near_the_order_stays() -> None:
    assert [one.id for one in fuse(WORDS, {1: 0.3, 2: 0.3, 3: 0.3})] == [1, 2, 3]


def test_without_embeddings_nothing_changes() -> None:
    assert fuse(WORDS, {}) == WORDS


def test_the_nearest_come_first_and_equals_by_number() -> None:
    assert nearest({5: 0.1, 4: 0.9, 3: 0.9, 1: -0.2}, 3) == [3, 4, 5]
