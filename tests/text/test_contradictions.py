from tests.rows import from_corpus

from nightledger.text.contradictions import Standing


@from_corpus("text-contradictions")
def test_what_cannot_both_be_true_is_shown_and_may_take_the_place(
    statement: str, entry: str, reason: str
) -> None:
    (hit,) = Standing([("e-1", entry), ("e-2", "Ann likes short answers")]).contradicted_by(statement)
    assert (hit.entry, hit.sure) == ("e-1", True)
    assert hit.text == entry.replace("`", "")
    assert reason in hit.reason
    assert 0 < hit.likeness <= 1


@from_corpus("text-contradictions")
def test_what_may_contradict_is_only_to_be_seen_together(statement: str, entry: str) -> None:
    """Once, or not yet; where the rest of the entry would be lost; what is counted anew; a denial that says more."""
    (hit,) = Standing([("e-1", entry)]).contradicted_by(statement)
    assert not hit.sure


@from_corpus("text-contradictions")
def test_the_same_or_another_topic_is_no_contradiction(statement: str, entry: str) -> None:
    assert Standing([("e-1", entry)]).contradicted_by(statement) == ()


def test_a_value_that_memory_gives_for_several_things_is_not_replaced() -> None:
    gates = [
        ("1", "Gate of the ferry people opens at 06:00"),
        ("2", "Gate of the ferry people opens at 09:00"),
    ]
    hits = Standing(gates).contradicted_by("Gate of the ferry people opens at 07:00")
    assert [hit.sure for hit in hits] == [False, False]


def test_nothing_is_contradicted_where_memory_says_it_already() -> None:
    entries = [("old", "The backup of heron runs at 02:30"), ("new", "The backup of heron runs at 04:15")]
    assert Standing(entries).contradicted_by("The backup of heron runs at 04:15") == ()
