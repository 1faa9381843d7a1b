"""What may stand for a word of a query: its associations."""

from nightledger.domain.search.ranking import (
    LINK_WEIGHT,
    MOST_LINKED,
    bases,
    groups,
    words_of,
)


def test_bases_undo_regular_endings() -> None:
    assert bases("cities")[:2] == ("cities", "city")
    assert "plan" in bases("planned")
    assert "cache" in bases("caches")
    assert bases("go") == ("go",)


def test_a_word_that_was_asked_for_stands_for_no_other() -> None:
    cron, timezone = groups(["cron", "timezone"], links={"cron": {"timezone": 0.8, "clock": 0.8}})
    assert cron.weights == {"cron": 1.0, "clock": round(LINK_WEIGHT * 0.8, 4)}
    assert timezone.weights == {"timezone": 1.0}


def test_associations_weigh_by_their_confidence() -> None:
    (group,) = groups(["cron"], links={"cron": {"timezone": 0.8, "cron": 0.9, "never": 0.0}})
    assert group.others == (("timezone", round(LINK_WEIGHT * 0.8, 4)),)
    assert group.linked == {"timezone"}


def test_only_the_surest_associations_count() -> None:
    linked = {f"tag{number:02}": number / 100 for number in range(1, 20)}
    (group,) = groups(["cron"], links={"cron": linked})
    assert len(group.others) == MOST_LINKED
    assert group.others[0][0] == "tag19"


def test_words_to_look_for_begin_with_the_query_s_own() -> None:
    assert words_of(groups(["cron", "home"], links={"cron": {"timezone": 0.8}})) == (
        "cron",
        "home",
        "timezone",
    )
