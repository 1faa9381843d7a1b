import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.visible import visible, visible_lines

HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")


@pytest.mark.parametrize(
    "text",
    ["", "plain text ~!", "Gr\u00fc\u00dfe", "\u65e5\u672c\u8a9e", "\u043f\u0440\u0438\u0432\u0435\u0442", "caf\u00e9 \u2014 \u00abd\u00e9j\u00e0\u00bb"],
)  # fmt: skip
def test_what_is_what_it_seems_stays(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb", "a\\tb"),
        ("a\rb", "a\\rb"),
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


@pytest.mark.parametrize(
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
def test_nothing_hidden_is_left_and_showing_twice_changes_nothing_more(text: str) -> None:
    shown = visible(text)
    left = [c for c in shown if unicodedata.category(c) in HIDDEN and c != "\u200d"]
    assert left == []
    assert visible(shown) == shown
    assert "\n" not in shown


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
        ("a\r\nb\x0cc\u2028d", ["a\\r", "b\\u{c}c\\u{2028}d"]),
    ],
)
def test_lines_end_at_a_newline_only(text: str, lines: list[str]) -> None:
    assert visible_lines(text) == lines


@pytest.mark.parametrize("letter", ["\u0430", "\u03bf", "\u0585", "\u13ac", "\u2c9f", "\ua4e2"])
def test_a_letter_of_every_script_that_looks_alike_is_shown_as_what_it_is(letter: str) -> None:
    assert visible(f"l{letter}gin") == f"l\\u{{{ord(letter):x}}}gin"
