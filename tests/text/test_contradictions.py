import pytest

from nightledger.text.contradictions import find_contradictions


@pytest.mark.parametrize(
    ("statement", "entry", "reason"),
    [
        ("Never push to main on Fridays", "Push to main on Fridays", "denies"),
        ("The kettle holds 5 cups of water", "The kettle holds 3 cups of water", "different numbers"),
        ("The kettle page uses `brew` instead of `steep`", "The kettle page uses `steep`", "replaced"),
        ("部署之前不需要备份数据库的内容", "部署之前需要备份数据库的内容", "denies"),
    ],
)
def test_what_cannot_both_be_true_is_shown(statement: str, entry: str, reason: str) -> None:
    (hit,) = find_contradictions(statement, [("e-1", entry), ("e-2", "Ann likes short answers")])
    assert hit.entry == "e-1"
    assert hit.text == entry
    assert reason in hit.reason
    assert 0 < hit.likeness <= 1


@pytest.mark.parametrize(
    ("statement", "entry"),
    [
        ("Never push to main on Fridays", "Never push to main on Fridays"),
        ("Never push to main on Fridays", "Always close the window in hall 3"),
        ("The kettle holds 5 cups of water", "The kettle holds some cups of water"),
        ("Use plain words instead of jargon", "The kettle page uses `steep`"),
    ],
)
def test_the_same_or_another_topic_is_no_contradiction(statement: str, entry: str) -> None:
    assert find_contradictions(statement, [("e-1", entry)]) == ()


def test_the_most_alike_comes_first() -> None:
    entries = [("b", "The kettle in hall 2 holds 3 cups of water"), ("a", "The kettle holds 3 cups of water")]
    hits = find_contradictions("The kettle holds 5 cups of water", entries)
    assert hits[0].entry == "a"
