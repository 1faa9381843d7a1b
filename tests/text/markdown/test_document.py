import time

import pytest
from tests.rows import corpus

from nightledger.text.markdown.document import (
    Section,
    dump_markdown,
    parse_markdown,
    section_at,
    section_of,
)

HARBOUR = corpus("text-markdown-document.txt")


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in parse_markdown(text).sections]


def section(text: str, *path: str, ordinal: int = 1) -> Section:
    return next(s for s in parse_markdown(text).sections if s.path == path and s.ordinal == ordinal)


def test_sections_nest_and_equal_paths_are_numbered() -> None:
    assert paths(HARBOUR) == [
        (),
        ("Harbour",),
        ("Harbour", "Lessons"),
        ("Harbour", "Lessons", "Winter"),
        ("Harbour", "Projects"),
        ("Harbour", "Lessons"),
    ]
    assert section(HARBOUR, "Harbour", "Lessons", ordinal=2).heading == (15, 15)


def test_a_section_has_a_body_of_its_own_and_an_end_with_its_sub_sections() -> None:
    lessons = section(HARBOUR, "Harbour", "Lessons")
    assert (lessons.heading, lessons.body, lessons.last_line) == ((5, 5), (6, 8), 12)
    empty = section(HARBOUR, "Harbour", "Projects")
    assert (empty.body, empty.last_line) == ((14, 14), 14)
    assert section(HARBOUR, "Harbour").last_line == 17


@pytest.mark.parametrize(
    "text",
    [
        "# H\n\n" + "- an entry of some forty characters of text\n" * 23_000,
        "> " * 500_000,
        "- " * 500_000 + "\n" + "x\n" * 1000,
        "DECISION: x" + " " * 1_000_000 + "y\n",
        "<!--" * 250_000,
        "<a " + "b " * 500_000 + "\n",
        "| a " * 250_000 + "\n" + "|-" * 250_000 + "\n",
    ],
)
def test_a_megabyte_of_anything_is_linear(text: str) -> None:
    # Processor time, and far above what it takes (0.2 s): only a square of the size fails.
    began = time.process_time()
    assert dump_markdown(parse_markdown(text)) == text
    assert time.process_time() - began < 10


def test_what_goes_with_the_blank_lines_above_it_is_named_after_its_own_heading() -> None:
    document = parse_markdown("# One\n\n- a\n\n# Two\n\n- b\n")
    assert section_at(document, 4).path == ("One",)
    assert section_of(document, 4, 7).path == ("Two",)
    assert section_of(document, 4, 4).path == ("One",)
    assert section_of(parse_markdown(""), 0, 0).path == ()
