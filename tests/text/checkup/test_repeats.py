from tests.rows import from_corpus

from nightledger.text.checkup.units import find_repeats, read_units, weight
from nightledger.text.markdown.document import parse_markdown


def repeats(text: str) -> list[tuple[int, int, str]]:
    units = read_units(parse_markdown(text))
    found = find_repeats(units).values()
    return sorted((units[one.unit].first, units[one.other].first, one.kind) for one in found)


def test_the_later_of_two_equal_items_is_the_repeat() -> None:
    text = "# A\n- Ask before the press is moved\n# B\n- **Ask** before the press is moved\n"
    assert repeats(text) == [(4, 2, "same_words")]


def test_of_two_near_items_the_one_with_less_in_it_is_the_repeat() -> None:
    text = "- Anna wants the weekly summary by mail\n- Anna wants the weekly summary by mail every Friday\n"
    assert repeats(text) == [(1, 2, "near_words")]


def test_an_item_that_a_longer_one_holds_is_the_repeat() -> None:
    text = (
        "- Air the whole hall for ten minutes each morning\n"
        "- After the lost weekend in May the team agreed: air the whole hall for ten minutes each morning, and close the windows after\n"
    )
    assert repeats(text) == [(1, 2, "held")]


@from_corpus("text-checkup-repeats")
def test_an_index_or_a_table_gets_no_hole(text: str) -> None:
    assert repeats(text) == []


@from_corpus("text-checkup-repeats")
def test_what_differs_in_one_thing_that_counts_is_no_repeat(text: str) -> None:
    assert repeats(text) == []


def test_text_without_spaces_is_compared_too() -> None:
    assert repeats("- 每次部署前必须先备份数据库\n- 其他\n- 每次部署前必须先备份数据库\n") == [
        (3, 1, "same_words")
    ]
    assert weight("备份") == 6
    assert weight("ab") == 2
