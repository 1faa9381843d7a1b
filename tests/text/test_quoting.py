"""Quoted text is data: one line, in which nothing takes effect."""

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from tests.rows import each_row

from nightledger.domain.staged_page import END, MARK, dump_page, parse_page
from nightledger.text.quoting import CUT, cut, one_line, quote_line

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False, "html": True})


@each_row(
    ("text", "quoted"),
    [
        ("plain words, 3 of them", "plain words, 3 of them"),
        ("# A heading", "\\# A heading"),
        ("two\nlines\r\nand\ta tab", "two lines and a tab"),
        ("```sh", "\\`\\`\\`sh"),
        ("~~~", "\\~\\~\\~"),
        ("[click](https://x.example)", "\\[click\\](https\\://x.example)"),
        ("<script>alert(1)</script>", "\\<script\\>alert(1)\\</script\\>"),
        (f"<!-- {MARK}:end -->", f"\\<!-- {MARK}:end --\\>"),
        ("- item", "\\- item"),
        ("1. first", "1\\. first"),
        ("1) first", "1\\) first"),
        ("> quoted", "\\> quoted"),
        ("snake_case_name and _emphasis_", "snake_case_name and \\_emphasis\\_"),
        ("www.example.org or ann@example.org", "www\\.example.org or ann\\@example.org"),
        ("&lt;b&gt; & more", "\\&lt;b\\&gt; & more"),
        ("a \\* b", "a \\\\\\* b"),
        ("right\u202eto left", "right\\u{202e}to left"),
        ("bell\x07", "bell\\u{7}"),
        (r"spelled \u{7}", r"spelled \u{5c}u{7}"),
    ],
)
def test_what_would_take_effect_is_escaped(text: str, quoted: str) -> None:
    if "\\u{" in quoted:
        quoted = quoted.replace("\\u{", "\\\\u{")
    assert quote_line(text) == quoted


def test_a_long_text_is_cut_at_a_word_and_says_so() -> None:
    assert cut("one two three", 13) == "one two three"
    assert cut("one two three four", 14) == f"one two three{CUT}"
    assert cut("x" * 30, 10) == f"{'x' * 9}{CUT}"
    assert quote_line("# " + "word " * 50, 20).startswith("\\# word")
    assert len(one_line(quote_line("word " * 50, 20))) <= 21


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
