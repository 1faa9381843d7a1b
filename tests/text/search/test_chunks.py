from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.search.chunks import CHUNK_CHARACTERS, Passage, cut_markdown

LINES = st.one_of(
    st.sampled_from(
        ["", "  ", "# Garden", "## 2026-03-01 Roses", "### ", "- planted", "  - at noon", "* two", "3. three",
         "```", "~~~ python", "| a | b |", "\t", "> said", "#not a heading", "a sentence. And another one!", "\r"]
    ),
    st.text(max_size=30).map(lambda text: text.replace("\n", " ")),
    st.integers(1, 3).map(lambda n: "word " * 100 * n),
    st.integers(600, 1300).map(lambda n: "x" * n),
)  # fmt: skip
TEXTS = st.lists(LINES, max_size=40).map("\n".join)


def own(text: str, passage: Passage) -> str:
    return text[passage.start : passage.end]


@given(text=TEXTS)
def test_every_line_that_says_something_is_in_a_chunk_and_none_is_in_two(text: str) -> None:
    covered = [False] * len(text)
    for passage in cut_markdown(text):
        for at in range(passage.start, passage.end):
            assert not covered[at]
            covered[at] = True
    assert all(there or letter.isspace() for there, letter in zip(covered, text, strict=True))


@given(text=TEXTS)
def test_line_numbers_are_those_of_the_text(text: str) -> None:
    lines = text.split("\n")
    for passage in cut_markdown(text):
        said = own(text, passage).split("\n")
        assert len(said) == passage.last_line - passage.first_line + 1
        assert said[0] in lines[passage.first_line - 1]
        assert said[-1] in lines[passage.last_line - 1]
        assert text.count("\n", 0, passage.start) == passage.first_line - 1


@given(text=TEXTS)
def test_a_chunk_is_never_longer_than_it_may_be_and_never_blank(text: str) -> None:
    for passage in cut_markdown(text):
        assert 0 < passage.end - passage.start <= CHUNK_CHARACTERS
        assert own(text, passage).strip()


def items(count: int, length: int) -> str:
    return "".join(f"- {n} {'z' * length}\n" for n in range(count))


def test_items_fill_a_chunk_and_the_last_one_leads_into_the_next() -> None:
    text = items(7, 180)
    first, second, third = cut_markdown(text)
    assert [(one.first_line, one.last_line) for one in (first, second, third)] == [(1, 3), (4, 6), (7, 7)]
    assert text[second.start - second.lead : second.start].startswith("- 2 zzz")
    assert first.lead == 0


def test_a_heading_begins_a_chunk_and_names_what_stands_below_it() -> None:
    text = "intro\n\n# Garden #\n\n## Roses\n\n- cut\n\n# Boat\n\n- row\n"
    assert [(one.heading, one.first_line, one.last_line) for one in cut_markdown(text)] == [
        ("", 1, 1),
        ("Garden > Roses", 3, 7),
        ("Boat", 9, 11),
    ]


def test_a_heading_with_nothing_below_it_is_a_chunk_only_where_none_of_its_own_follows() -> None:
    text = "# A\n## B\n### C\n- c\n## D\n# E\n- e\n# F\n```\n# G\n```\n# H\n"
    assert [(one.heading, one.first_line, one.last_line) for one in cut_markdown(text)] == [
        ("A > B > C", 1, 4),
        ("A > D", 5, 5),
        ("E", 6, 7),
        ("F", 8, 11),
        ("H", 12, 12),
    ]


def test_a_dated_heading_dates_what_stands_below_it() -> None:
    text = "# 2026-03-01\n\na\n\n## Later\n\nb\n\n# 2026-02-30\n\nc\n"
    assert [one.day for one in cut_markdown(text)] == [date(2026, 3, 1), date(2026, 3, 1), None]


def test_a_line_that_is_too_long_is_cut_at_a_sentence_else_at_a_word() -> None:
    text = f"{'a' * 400}. {'b' * 300} {'c' * 500}"
    assert [own(text, one)[0] + own(text, one)[-1] for one in cut_markdown(text)] == ["a.", "bb", "cc"]
    assert {(one.first_line, one.last_line) for one in cut_markdown(text)} == {(1, 1)}
