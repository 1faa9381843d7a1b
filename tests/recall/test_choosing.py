"""Whether what was found holds a word of the query, or only words of like meaning."""

from nightledger.domain.search.expansion import Group
from nightledger.domain.search.ranking import Ranked
from nightledger.domain.search.timewords import Times
from nightledger.domain.search.values import Why
from nightledger.recall.choosing import only_alike
from nightledger.recall.weighing import Asked

ASKED = Asked(
    groups=(
        Group(word="car", others=(("auto", 0.5), ("engine", 0.5)), linked=frozenset({"engine"})),
        Group(word="ship", others=(("boat", 0.5),)),
    ),
    names=(),
    times=Times(),
)


def test_the_first_word_of_like_meaning_is_named() -> None:
    found = [Ranked(id=1, score=1.0, words={"car": "auto"}), Ranked(id=2, score=0.5, words={"ship": "boat"})]
    assert only_alike(found, ASKED) == "'auto', for 'car'"


def test_a_word_that_an_association_gave_is_no_mere_likeness() -> None:
    assert only_alike([Ranked(id=1, score=1.0, words={"car": "engine"})], ASKED) == ""


def test_a_name_that_was_found_is_none_either_and_a_time_or_a_neighbour_is() -> None:
    words = {"car": "auto"}
    assert only_alike([Ranked(id=1, score=1.0, words=words, besides={Why.NAME: 0.3})], ASKED) == ""
    near = {Why.TIME: 0.2, Why.NEIGHBOUR: 0.1}
    assert only_alike([Ranked(id=1, score=1.0, words=words, besides=near)], ASKED) == "'auto', for 'car'"
