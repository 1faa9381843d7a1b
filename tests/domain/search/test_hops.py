"""What is looked for next."""

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.hops import FURTHER, HOP_WEIGHT, MOST_WORDS, is_answered, with_hop, words_on
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.values import Why

OWNER, FAILED = Group(word="owner"), Group(word="failed")
RARE = {"owner": 1, "failed": 1}


def found(number: int, **parts: float) -> Ranked:
    return Ranked(id=number, score=sum(parts.values()), parts=parts, words={word: word for word in parts})


def test_a_query_is_answered_where_the_best_hit_holds_half_of_it() -> None:
    assert is_answered([found(1, owner=1.0)], [OWNER, FAILED], RARE, 100)
    assert not is_answered([found(1, owner=1.0)], [OWNER, FAILED], {"owner": 90, "failed": 1}, 100)
    assert not is_answered([], [OWNER, FAILED], RARE, 100)


def test_only_the_best_hit_tells_whether_it_is() -> None:
    ranked = [found(1), found(2, owner=1.0, failed=1.0)]
    assert not is_answered(ranked, [OWNER, FAILED], RARE, 100)


def test_rare_words_of_the_best_lines_lead_on() -> None:
    counts = {"billing": 3, "worker": 2, "the": 99, "once": 1, "is": 4, "2026": 3, "failed": 2}
    lines = [["the", "billing", "worker", "failed", "once", "is", "2026", "unheard"]]
    assert words_on(lines, {"failed"}, counts, 100) == ("worker", "billing")


def test_in_a_small_home_a_word_that_stands_twice_is_rare() -> None:
    assert words_on([["billing"]], set(), {"billing": 2}, 3) == ("billing",)


def test_only_a_few_words_lead_on() -> None:
    counts = {f"word{number}": 2 for number in range(20)}
    assert len(words_on([list(counts)], set(), counts, 1000)) == MOST_WORDS


def test_a_hop_adds_and_takes_nothing() -> None:
    ranked = with_hop(
        [found(1, owner=1.0), found(2, owner=0.5)], [found(3, billing=2.0), found(2, billing=1.0)]
    )
    by_id = {one.id: one for one in ranked}
    assert [one.id for one in ranked] == [1, 2, 3]
    assert by_id[3].besides == {Why.HOP: HOP_WEIGHT}
    assert by_id[2].besides == {Why.HOP: HOP_WEIGHT / 2}
    assert by_id[2].parts == {"owner": 0.5}
    assert by_id[1].besides == {}


def test_a_second_hop_adds_less_than_the_first() -> None:
    one = with_hop([found(1, owner=1.0)], [found(3, billing=2.0)])
    two = {ranked.id: ranked for ranked in with_hop(one, [found(3, berth=2.0), found(4, berth=2.0)], 1)}
    assert two[4].besides == {Why.HOP: HOP_WEIGHT * FURTHER}
    assert two[3].besides == {Why.HOP: HOP_WEIGHT * (1 + FURTHER)}


def test_a_hop_that_finds_nothing_changes_nothing() -> None:
    assert [one.id for one in with_hop([found(1, owner=1.0)], [found(2)])] == [1]


def test_more_may_be_asked_of_more_hits() -> None:
    ranked = [found(1), found(2, owner=1.0)]
    assert is_answered(ranked, [OWNER, FAILED], RARE, 100, among=2)
    assert not is_answered(ranked, [OWNER, FAILED], RARE, 100, among=2, share=0.8)
    assert is_answered([found(2, owner=1.0, other=1.0)], [OWNER], RARE, 100, share=0.8)
