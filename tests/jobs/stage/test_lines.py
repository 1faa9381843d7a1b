"""What lines tell by themselves, and as what they are told."""

import pytest

from nightledger.jobs.stage.lines import is_short, names_all, plain, shared_words


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["- [ ] **Oil** the `brake`", "", "## Yard"], "Oil the brake / Yard"),
        (
            ["| Part | Grease |", "|---|:-:|", "| **brake** |  | a \\| b |"],
            "Part \u00b7 Grease / brake \u00b7 a \\| b",
        ),
        (["a | b"], "a | b"),
        (["|"], "|"),
    ],
)
def test_lines_are_told_as_one_without_signs(lines: list[str], told: str) -> None:
    assert plain(lines) == told


def test_a_query_is_named_whole_in_any_form_of_its_words_and_numbers_do_not_count() -> None:
    assert names_all("Moved the crane 14", "it moves cranes")
    assert not names_all("Moving the crane", "the crane")
    assert not names_all("14", "14")
    assert names_all("\u6301\u4ed3\u590d\u76d8", "\u4eca\u5929\u6301\u4ed3\u590d\u76d8")
    assert shared_words("Moved the crane 14", "14 cranes move") == ("move", "cranes")


def test_words_of_addresses_and_paths_are_one_word_and_overlapping_pairs_of_letters_are_not_two() -> None:
    query = "ada.berth@quay.example asks ada about berths"
    assert shared_words(query, "Mail: ada.berth@quay.example") == ("ada",)
    assert shared_words(query, "Mail of ada: ada.berth@quay.example") == ("ada", "berth")
    assert shared_words("srv quay plan", "see /srv/quay/plan.md") == ("srv",)
    assert shared_words("网络不可用", "网络不可用") == ("网络", "不可")


def test_what_a_host_puts_before_a_message_is_not_told() -> None:
    assert plain(["- [Mon 2026-03-09 10:49 GMT+8] never wake me"]) == "never wake me"


def test_a_text_is_short_where_each_of_its_lines_is() -> None:
    assert is_short("all fine / done: 14,000,000,000,000,000,000,000,000,000,000,000,000,000,000,000")
    assert not is_short(
        "done / the crane of the north pier had its brake looked at by two people from the yard"
    )


@pytest.mark.parametrize("part", ["a", "/", "a/", "_"])
def test_a_word_without_end_is_looked_through_once(part: str) -> None:
    assert shared_words("moved the crane", f"move the {part * 100_000}. crane") == ("move", "crane")


def test_of_the_words_of_an_address_one_is_told() -> None:
    assert shared_words("red crane oil", "/red /red/crane.oil. oil") == ("red", "crane", "oil")
    assert shared_words("red crane", "/red @ crane/ a/.") == ("red", "crane")
