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


def test_an_emoji_of_several_people_passes() -> None:
    assert scan_characters("\u2764\ufe0f\u200d\U0001f525 \U0001f469\U0001f3fd\u200d\U0001f680") == ()


def test_tags_pass_in_a_flag_only() -> None:
    flag = "\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "gbsct") + "\U000e007f"
    assert scan_characters(flag) == ()
    assert severities("\U0001f3f4" + "".join(chr(0xE0000 + ord(c)) for c in "obey me now")) == [
        ("unicode.tags", Severity.QUARANTINE)
    ]


def test_a_finding_counts_the_characters_that_it_covers() -> None:
    (finding,) = scan_characters("a\u2063\u2063\u2063b")
    assert (finding.start, finding.end) == (1, 4)
    assert finding.message.endswith("(3 characters)")


def test_words_of_one_script_pass_and_look_alikes_in_latin_words_do_not() -> None:
    assert scan_characters("привет Ελλάδα API-шка µm") == ()
    (finding,) = scan_characters("see p\u0430ypal now")
    assert (finding.rule, finding.start, finding.end) == ("unicode.mixed_script", 4, 10)


def test_two_look_alikes_in_one_word_are_one_finding() -> None:
    assert len(scan_characters("p\u0430yp\u0430l")) == 1


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


def test_plain_text_is_seen_as_it_is() -> None:
    seen = see_through("plain")
    assert (seen.text, seen.origin(3)) == ("plain", 3)
    assert see_through("schön").text == "schön"


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


def test_two_scripts_of_look_alikes_in_one_word_are_a_mixed_script() -> None:
    assert severities("log\u0456\u03bf") == [("unicode.mixed_script", Severity.QUARANTINE)]


def test_a_mark_without_a_letter_strikes_nothing_through() -> None:
    assert severities("it is \u0336 alone") == []


@pytest.mark.parametrize("mark", ["\u20d2", "\u0338", "\u0301", "\u1dc4"])
def test_a_mark_that_begins_a_line_is_held_back_as_it_could_change_a_sign(mark: str) -> None:
    for text in (f"{mark}keep", f"keep\n{mark}backups", f"keep\r\n{mark}backups"):
        assert severities(text) == [("unicode.stacked", Severity.QUARANTINE)]


def test_what_is_drawn_as_nothing_passes_in_its_own_script_only() -> None:
    assert severities("\u2813\u2800\u2819 \U0001d11e\U0001d159\U0001d165 \U00013000\U00013441") == []
    for character in "\u2800\U00013441\U00016fe4\U0001d159\U0001d173\U0001bca0":
        assert severities(f"all{character}of") == [("unicode.invisible", Severity.QUARANTINE)]
    assert severities("\u2800\u2800\u2813") == [("unicode.invisible", Severity.QUARANTINE)]


def test_ordinary_text_of_many_scripts_passes() -> None:
    texts = [
        "\ud55c\uad6d\uc5b4 \ubb38\uc7a5", "\u0e01\u0e48\u0e2d\u0e19", "\u0939\u093f\u0928\u094d\u0926\u0940",
        "\u05e9\u05c1\u05b8\u05dc\u05d5\u05b9\u05dd", "Vi\u1ec7t Nam", "1\ufe0f\u20e3", "\U0001f642\u200d\u2194\ufe0f",
    ]  # fmt: skip
    assert [severities(text) for text in texts] == [[]] * len(texts)


@pytest.mark.parametrize("letter", ["\u03c9\u0314\u0342\u0345", "r\u0325\u0304\u0301"])
def test_three_marks_that_old_languages_need_are_flagged_and_a_higher_pile_is_held_back(letter: str) -> None:
    assert severities(f"a {letter} b") == [("unicode.stacked", Severity.FLAG)]
    assert severities(f"a {letter}\u0303 b") == [("unicode.stacked", Severity.QUARANTINE)]
