from datetime import date

from tests.rows import from_corpus

from nightledger.files.search_index import NewChunk
from nightledger.text.markdown.chunks import cut_markdown


def own(text: str, passage: NewChunk) -> str:
    return text[passage.start : passage.end]


def items(count: int, length: int) -> str:
    return "".join(f"- {n} {'z' * length}\n" for n in range(count))


def test_items_fill_a_chunk_and_the_last_one_leads_into_the_next() -> None:
    text = items(7, 180)
    first, second, third = cut_markdown(text)
    assert [(one.first_line, one.last_line) for one in (first, second, third)] == [(1, 3), (4, 6), (7, 7)]
    assert text[second.start - second.lead : second.start].startswith("- 2 zzz")
    assert first.lead == 0


@from_corpus("text-markdown-chunks")
def test_a_heading_begins_a_chunk_and_names_what_stands_below_it(
    text: str, places: list[list[object]]
) -> None:
    """One with nothing below it is a chunk only where none of its own follows."""
    assert [[one.heading, one.first_line, one.last_line] for one in cut_markdown(text)] == places


def test_a_dated_heading_dates_what_stands_below_it() -> None:
    text = "# 2026-03-01\n\na\n\n## Later\n\nb\n\n# 2026-02-30\n\nc\n"
    assert [one.day for one in cut_markdown(text)] == [date(2026, 3, 1), date(2026, 3, 1), None]


def test_a_line_that_is_too_long_is_cut_at_a_sentence_else_at_a_word() -> None:
    text = f"{'a' * 400}. {'b' * 300} {'c' * 500}"
    assert [own(text, one)[0] + own(text, one)[-1] for one in cut_markdown(text)] == ["a.", "bb", "cc"]
    assert {(one.first_line, one.last_line) for one in cut_markdown(text)} == {(1, 1)}
