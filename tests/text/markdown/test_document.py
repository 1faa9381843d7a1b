import time
from typing import Any

from tests.rows import from_corpus

from nightledger.text.markdown import document as documents


@from_corpus("text-markdown-document")
def test_sections_nest_and_have_a_body_of_their_own_and_an_end_with_those_below(
    text: str, sections: list[list[Any]]
) -> None:
    """Those of one path are numbered."""
    found = documents.parse_markdown(text).sections
    assert sections == [[[*s.path], s.ordinal, [*s.heading], [*s.body], s.last_line] for s in found]


@from_corpus("text-markdown-document")
def test_a_megabyte_of_anything_is_linear(text: str) -> None:
    # Processor time, and far above what it takes (0.2 s): only a square of the size fails.
    began = time.process_time()
    assert documents.dump_markdown(documents.parse_markdown(text)) == text
    assert time.process_time() - began < 10


def test_what_goes_with_the_blank_lines_above_it_is_named_after_its_own_heading() -> None:
    document = documents.parse_markdown("# One\n\n- a\n\n# Two\n\n- b\n")
    assert documents.section_at(document, 4).path == ("One",)
    assert documents.section_of(document, 4, 7).path == ("Two",)
    assert documents.section_of(document, 4, 4).path == ("One",)
    assert documents.section_of(documents.parse_markdown(""), 0, 0).path == ()


@from_corpus("text-changes-labels", tuples=True)
def test_a_line_that_ends_with_a_colon_or_is_all_bold_is_a_label_and_a_sentence_is_none(
    line: str, *, found: bool
) -> None:
    assert documents.is_label(line) is found
    if found:
        assert documents.labels_of(documents.parse_markdown(f"{line}\n\n- a\n")) == [(), (line,), (line,)]


@from_corpus("text-changes-labels", tuples=True)
def test_each_line_stands_below_the_labels_and_items_above_it(
    text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    """An item that reads as a label is one for those after it, unless it holds others; a heading ends what stood above it."""
    document = documents.parse_markdown(text)
    rows = zip(document.lines, documents.labels_of(document), strict=True)
    found = {line.strip(): row for line, row in rows if line.strip()}
    assert {line: found[line] for line in expected} == expected
