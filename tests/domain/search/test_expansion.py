"""What may stand for a word of a query: its associations."""

from nightledger.domain.search.ranking import (
    LINK_WEIGHT,
    groups,
)


def test_a_word_that_was_asked_for_stands_for_no_other() -> None:
    cron, timezone = groups(["cron", "timezone"], links={"cron": {"timezone": 0.8, "clock": 0.8}})
    assert cron.weights == {"cron": 1.0, "clock": round(LINK_WEIGHT * 0.8, 4)}
    assert timezone.weights == {"timezone": 1.0}


def test_associations_weigh_by_their_confidence() -> None:
    (group,) = groups(["cron"], links={"cron": {"timezone": 0.8, "cron": 0.9, "never": 0.0}})
    assert group.others == (("timezone", round(LINK_WEIGHT * 0.8, 4)),)
    assert group.linked == {"timezone"}
