"""Quoted text is data: one line, in which nothing takes effect."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.rows import from_corpus

from nightledger.domain.exposure import END, dump_page, parse_page
from nightledger.text.visible import BLANK, IGNORABLE, TITLE_CHARACTERS, carried, quote_line, visible

HIDDEN = ("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp")


@from_corpus("text-visible")
def test_what_hides_poses_or_lies_over_another_is_seen(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(st.characters(), max_size=40))
def test_nothing_hidden_is_left_and_what_was_there_can_be_told_from_what_is_shown(text: str) -> None:
    shown = visible(text)
    left = [c for c in shown if unicodedata.category(c) in HIDDEN and c != "\u200d"]
    assert left == []
    assert "\n" not in shown
    assert re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), shown) == text


def test_every_character_that_a_screen_may_leave_out_is_seen() -> None:
    for first, last in IGNORABLE:
        for code in range(first, last + 1):
            assert visible(f"a{chr(code)}b") == f"a\\u{{{code:x}}}b"
    for character in BLANK:
        assert visible(f"a{character}b") == f"a\\u{{{ord(character):x}}}b"


MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": True})


@from_corpus("text-visible")
def test_what_would_take_effect_is_escaped(text: str, quoted: str) -> None:
    if "\\u{" in quoted:
        quoted = quoted.replace("\\u{", "\\\\u{")
    assert quote_line(text) == quoted


def tokens_of(line: str) -> set[str]:
    kinds = set()
    for token in MARKDOWN.parse(f"- {line}\n"):
        kinds.add(token.type)
        kinds |= {child.type for child in token.children or ()}
    return kinds


PLAIN = {
    "bullet_list_open", "list_item_open", "paragraph_open", "inline", "text", "text_special", "paragraph_close",
    "list_item_close", "bullet_list_close",
}  # fmt: skip


@given(st.text(st.sampled_from("#-*_`~<>[]()!|\\&;:/.@ \n\t=+1ahtpsw\"'$^{}"), max_size=40))
def test_no_text_makes_anything_but_text_of_one_item(text: str) -> None:
    assert tokens_of(quote_line(text)) <= PLAIN


@given(st.text(max_size=60))
def test_a_quoted_text_is_one_printable_line_that_ends_no_fence(text: str) -> None:
    quoted = quote_line(text)
    assert "\n" not in quoted
    assert END not in quoted
    page = parse_page(dump_page([quoted, quoted], "2026-03-04T00:00:00Z"))
    assert page is not None
    assert page.lines == (quoted, quoted)


def test_of_one_word_beyond_the_bound_nothing_is_carried_as_a_part_of_a_secret_would_not_be_known() -> None:
    assert carried("a" * (TITLE_CHARACTERS + 1)) == ""
