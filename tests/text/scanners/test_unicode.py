import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.finding import Severity
from nightledger.text.scanners.unicode import scan_characters, see_through


def severities(text: str) -> list[tuple[str, Severity]]:
    return [(finding.rule, finding.severity) for finding in scan_characters(text)]


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("see\u200b the", Severity.FLAG),
        ("se\u200bcret", Severity.QUARANTINE),
        ("the\u200b\u200b end", Severity.QUARANTINE),
        ("word\u00adbreak", Severity.FLAG),
        ("mid \ufeff file", Severity.FLAG),
    ],
)
def test_a_stray_invisible_character_is_flagged_and_one_that_cuts_a_word_quarantined(
    text: str, severity: Severity
) -> None:
    assert severities(text) == [("unicode.invisible", severity)]


def test_overrides_are_quarantined_even_in_right_to_left_text() -> None:
    assert severities("שלום \u202eabc") == [("unicode.bidi", Severity.QUARANTINE)]


def test_isolates_are_only_flagged_where_right_to_left_letters_may_need_them() -> None:
    assert {severity for _, severity in severities("שלום \u2066abc\u2069")} == {Severity.FLAG}
    assert {severity for _, severity in severities("if \u2066admin\u2069")} == {Severity.QUARANTINE}


def test_coloured_output_and_mojibake_are_flagged_and_other_controls_quarantined() -> None:
    assert severities("\x1b[33mWARN\x1b[0m") == [("unicode.control", Severity.FLAG)] * 2
    assert severities("â\x80\x93") == [("unicode.control", Severity.FLAG)]
    assert severities("\x1b]8;;x") == [("unicode.control", Severity.QUARANTINE)]


def test_an_icon_is_flagged_and_a_row_of_private_characters_quarantined() -> None:
    assert severities("branch \ue0a0") == [("unicode.private_use", Severity.FLAG)]
    assert severities("\ue0a0" * 3) == [("unicode.private_use", Severity.QUARANTINE)]


def test_one_selector_after_a_letter_is_flagged_and_several_quarantined() -> None:
    assert severities("a\ufe0f") == [("unicode.selector", Severity.FLAG)]
    assert severities("a\ufe0f\ufe0e") == [("unicode.selector", Severity.QUARANTINE)]


def test_tags_pass_in_a_flag_only() -> None:
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
    assert scan_characters(flag) == ()
    assert severities("\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "obey me now")) == [
        ("unicode.tags", Severity.QUARANTINE)
    ]


def test_words_of_one_script_pass_and_look_alikes_in_latin_words_do_not() -> None:
    assert scan_characters("привет Ελλάδα API-шка µm") == ()
    (finding,) = scan_characters("see p\u0430ypal now")
    assert (finding.rule, finding.start, finding.end) == ("unicode.mixed_script", 4, 10)


def test_a_model_reads_what_hides() -> None:
    seen = see_through("\U0001d421\U0001d422 p\u0430y\u200bpal " + chr(0xE0000 + ord("x")))
    assert seen.text == "hi paypal x"
    assert seen.origin(0) == 0
    assert seen.origin(seen.text.index("pal")) == 7


@given(text=st.text(alphabet="ab \u200b\u0430\U000e0041\ufe0f", max_size=30))
def test_every_seen_character_comes_from_a_place_in_order(text: str) -> None:
    seen = see_through(text)
    places = [seen.origin(index) for index in range(len(seen.text))]
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)


@pytest.mark.parametrize(
    "styled",
    ["\uff4f\uff42\uff45\uff59", "\u24de\u24d1\u24d4\u24e8", "\U0001f17e\U0001f171\U0001f174\U0001f188", "\u1d0f\u0299\u1d07\u028f",
     "\u1d52\u1d47\u1d49\u02b8", "o\u0336b\u0336e\u0336y", "\U0001d698\U0001d68b\U0001d68e\U0001d6a2", "o\u200bb\u2060e\ufeffy"],
)  # fmt: skip
def test_every_style_of_letters_is_read_as_plain_ones(styled: str) -> None:
    assert see_through(styled).text.lower() == "obey"


def test_a_whole_word_of_look_alikes_is_flagged_only_where_nothing_else_of_its_script_stands() -> None:
    fake = "\u0440\u0430\u0443\u0440\u0430\u04cf"
    assert severities(f"log in at {fake}") == [("unicode.whole_script", Severity.FLAG)]
    assert see_through(f"log in at {fake}").text == "log in at paypal"
    assert severities(f"{fake} \u0432\u044b\u043a\u043b\u044e\u0447\u0435\u043d") == []


def test_what_is_drawn_as_nothing_is_hidden() -> None:
    for character in "\u2800\U00013441\U00016fe4\U0001d159\U0001d173\U0001bca0":
        assert severities(f"all{character}of") == [("unicode.invisible", Severity.QUARANTINE)]
