"""What may stand for a word of a query: forms, kin, associations."""

from nightledger.domain.search.expansion import (
    FORM_WEIGHT,
    LINK_WEIGHT,
    MOST_LINKED,
    groups,
    words_of,
)
from nightledger.domain.search.forms import bases, forms_of


def test_irregular_forms_are_found_from_any_of_them() -> None:
    assert forms_of("went") == ("go", "goes", "gone")
    assert forms_of("go") == ("goes", "went", "gone")
    assert forms_of("children") == ("child",)


def test_a_regular_form_of_an_irregular_word_has_its_forms() -> None:
    assert forms_of("buying") == ("buy", "bought")
    assert forms_of("sitting") == ("sit", "sat")
    assert forms_of("writes") == ("write", "wrote", "written")


def test_a_word_without_irregular_forms_has_none() -> None:
    assert forms_of("deploy") == ()
    assert forms_of("\u8a2d\u5b9a") == ()
    assert forms_of("s") == ()


def test_bases_undo_regular_endings() -> None:
    assert bases("cities")[:2] == ("cities", "city")
    assert "plan" in bases("planned")
    assert "cache" in bases("caches")
    assert bases("go") == ("go",)


def test_the_query_s_own_word_weighs_most() -> None:
    (group,) = groups(["bought"])
    assert group.weights["bought"] == 1.0
    assert group.weights["buy"] == FORM_WEIGHT
    assert max(weight for word, weight in group.weights.items() if word != "bought") < 1.0


def test_a_word_that_was_asked_for_stands_for_no_other() -> None:
    first, second = groups(["buy", "bought"])
    assert "bought" not in first.weights
    assert "buy" not in second.weights


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
    words = words_of(groups(["went", "home"]))
    assert words[:2] == ("went", "home")
    assert len(words) == len(set(words))
    assert "go" in words
