import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.text.visible import BLANK, IGNORABLE, visible, visible_lines

HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")


@pytest.mark.parametrize(
    "text",
    ["", "plain text ~!", "Gr\u00fc\u00dfe", "\u65e5\u672c\u8a9e", "\u043f\u0440\u0438\u0432\u0435\u0442", "caf\u00e9 \u2014 \u00abd\u00e9j\u00e0\u00bb"],
)  # fmt: skip
def test_what_is_what_it_seems_stays(text: str) -> None:
    assert visible(text) == text


@each_row(
    ("text", "shown"),
    [
        ("a\tb", "a\\u{9}b"),
        ("a\rb", "a\\u{d}b"),
        ("a\nb", "a\\u{a}b"),
        ("\x1b[31mred", "\\u{1b}[31mred"),
        ("a\x7fb\x9bc", "a\\u{7f}b\\u{9b}c"),
        ("\u202eevil", "\\u{202e}evil"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\u00adb", "a\\u{ad}b"),
        ("a\u2028b\u2029c", "a\\u{2028}b\\u{2029}c"),
        ("a\ue000b", "a\\u{e000}b"),
        ("a\udce9b", "a\\u{dce9}b"),
        ("a\u0378b", "a\\u{378}b"),
        ("a\U000e0041b", "a\\u{e0041}b"),
        ("a\U000e0100b", "a\\u{e0100}b"),
        ("\ufeffa", "\\u{feff}a"),
    ],
)
def test_what_shows_nothing_is_seen(text: str, shown: str) -> None:
    assert visible(text) == shown


@each_row(
    ("text", "shown"),
    [
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\u200d\U0001f4bb"),
        ("\u2764\ufe0f\u200d\U0001f525", "\u2764\ufe0f\u200d\U0001f525"),
        ("1\ufe0f", "1\ufe0f"),
        ("\U0001f44d\U0001f3fd\u200d\U0001f4bb", "\U0001f44d\U0001f3fd\u200d\U0001f4bb"),
        ("a\u200db", "a\\u{200d}b"),
        ("a\ufe0f", "a\\u{fe0f}"),
        ("\u200d", "\\u{200d}"),
        ("\ufe0f", "\\u{fe0f}"),
        ("\U0001f600\ufe0e", "\U0001f600\\u{fe0e}"),
        ("\U0001f642\u200d\u2194\ufe0f", "\U0001f642\u200d\u2194\ufe0f"),
        ("1\ufe0f\u20e3", "1\ufe0f\u20e3"),
        ("\u2764\ufe0f\ufe0f", "\u2764\ufe0f\\u{fe0f}"),
        ("\u2764\u200d", "\u2764\\u{200d}"),
        ("a\ufe0f\u200d\u2764", "a\\u{fe0f}\\u{200d}\u2764"),
        ("^\ufe0f", "^\\u{fe0f}"),
    ],
)
def test_joiners_stay_between_emoji_only(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p\u0430ypal", "p\\u{430}ypal"),
        ("\u043f\u0440\u0438\u0432e\u0442", "\u043f\u0440\u0438\u0432\\u{65}\u0442"),
        ("\u03bfk", "\\u{3bf}k"),
        ("ok \u043e\u043a", "ok \u043e\u043a"),
        ("a1\u0430", "a1\\u{430}"),
        ("caf\u00e9\u0430", "caf\u00e9\\u{430}"),
        ("\u65e5a", "\u65e5a"),
    ],
)
def test_letters_of_the_rarer_script_in_a_word_are_seen(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(), max_size=40))
def test_nothing_hidden_is_left_and_what_was_there_can_be_told_from_what_is_shown(text: str) -> None:
    shown = visible(text)
    left = [c for c in shown if unicodedata.category(c) in HIDDEN and c != "\u200d"]
    assert left == []
    assert "\n" not in shown
    assert re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), shown) == text


@pytest.mark.parametrize(
    "text", [r"C:\temp\reports\users", r"\r\n\t\x1b\d+", r"\u200b", r"\alpha \ \\server\share", "a\\"]
)
def test_ordinary_backslashes_stay(text: str) -> None:
    assert visible(text) == text
    assert visible(f"{text} \u00fc") == f"{text} \u00fc"


def test_a_text_that_spells_an_escape_is_told_from_the_character() -> None:
    assert visible(r"a\u{200b}c") == r"a\u{5c}u{200b}c"
    assert visible("a\\u{200b}\u00fc") == "a\\u{5c}u{200b}\u00fc"


def test_every_character_that_a_screen_may_leave_out_is_seen() -> None:
    for first, last in IGNORABLE:
        for code in range(first, last + 1):
            assert visible(f"a{chr(code)}b") == f"a\\u{{{code:x}}}b"
    for character in BLANK:
        assert visible(f"a{character}b") == f"a\\u{{{ord(character):x}}}b"


@pytest.mark.slow
def test_the_table_of_what_is_left_out_has_all_that_unicode_data_lets_tell() -> None:
    """Derived from general categories and names (UAX 44, Default_Ignorable_Code_Point)."""
    table = {code for first, last in IGNORABLE for code in range(first, last + 1)}
    seen = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
    shaping = {*range(0xFFF9, 0xFFFC), *range(0x13430, 0x13440)}
    every = range(0x110000)
    formats = {code for code in every if unicodedata.category(chr(code)) == "Cf"} - seen - shaping
    assert formats <= table
    named = ("VARIATION SELECTOR", "HANGUL FILLER", "JUNGSEONG FILLER", "CHOSEONG FILLER", "GRAPHEME JOINER")
    assert {code for code in every if any(name in unicodedata.name(chr(code), "") for name in named)} <= table
    others = {chr(code) for code in table if unicodedata.category(chr(code)) not in ("Cf", "Cn", "Mn")}
    assert others == set("\u115f\u1160\u3164\uffa0")
    inherent = {code for code in table if "INHERENT" in unicodedata.name(chr(code), "")}
    assert inherent == {0x17B4, 0x17B5}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u20d2keep", "\\u{20d2}keep"),
        ("\u0301\u0302a", "\\u{301}\\u{302}a"),
        ("\u093ea", "\\u{93e}a"),
        ("a \u0335b", "a \\u{335}b"),
        ("a\t\u0335b", "a\\u{9}\\u{335}b"),
        ("a" + "\u0301" * 9 + "b", "a" + "\u0301" * 8 + "\\u{301}b"),
        ("e\u0301 \u0e01\u0e48", "e\u0301 \u0e01\u0e48"),
        ("\u05e9\u05c1\u05b8\u05bc\u0591", "\u05e9\u05c1\u05b8\u05bc\u0591"),
    ],
)
def test_a_mark_is_drawn_on_a_letter_of_its_own_text_only(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text("ab\u0430\u0435 \u200b\u202e", max_size=8), st.text("ab\u0430\u0435 \u200b\u202e", max_size=8))
def test_two_texts_never_look_the_same_for_a_hidden_letter(one: str, other: str) -> None:
    if one != other:
        assert visible(one) != visible(other)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("\n", [""]),
        ("a", ["a"]),
        ("a\n", ["a"]),
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\r\nb\x0cc\u2028d", ["a\\u{d}", "b\\u{c}c\\u{2028}d"]),
    ],
)
def test_lines_end_at_a_newline_only(text: str, lines: list[str]) -> None:
    assert visible_lines(text) == lines


@pytest.mark.parametrize("letter", ["\u0430", "\u03bf", "\u0585", "\u13ac", "\u2c9f", "\ua4e2"])
def test_a_letter_of_every_script_that_looks_alike_is_shown_as_what_it_is(letter: str) -> None:
    assert visible(f"l{letter}gin") == f"l\\u{{{ord(letter):x}}}gin"
