import pytest

from nightledger.text.markdown.blocks import table_cells
from nightledger.text.markdown.document import parse_markdown


def shape(text: str) -> list[tuple[str, int, int]]:
    return [(b.kind.value, b.first_line, b.last_line) for b in parse_markdown(text).blocks]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | 2 |\n", [("table", 1, 3)]),
        ("a | b\n:-: | -\n", [("table", 1, 2)]),
        ("words\n| a |\n|---|\n", [("paragraph", 1, 1), ("table", 2, 3)]),
        ("| a |\n|---|---|\n", [("paragraph", 1, 2)]),
        ("| a |\n| b |\n", [("paragraph", 1, 2)]),
        ("| a |\n|---|\n\n| b |\n", [("table", 1, 2), ("paragraph", 4, 4)]),
        ("a | b\n--|\n", [("paragraph", 1, 2)]),
        ("| a\\|b |\n|---|\n", [("table", 1, 2)]),
    ],
)
def test_a_table_needs_a_row_of_dashes_with_as_many_cells(
    text: str, expected: list[tuple[str, int, int]]
) -> None:
    assert shape(text) == expected


def test_an_escaped_pipe_parts_no_cells() -> None:
    assert table_cells("| a\\|b | c |\n") == [" a\\|b ", " c "]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[tea]: https://tea.example 'green'\n[cup]: <x y>\n", [("links", 1, 2)]),
        ("[tea]: https://tea.example\nwords\n", [("paragraph", 1, 2)]),
        ("[tea]: two words\n", [("paragraph", 1, 1)]),
        ("[^1]: a footnote of words\n", [("paragraph", 1, 1)]),
        ("[tea]: x\n===\n", [("paragraph", 1, 2)]),
        ("[tea]: x\nwords\n===\n", [("heading", 1, 3)]),
    ],
)
def test_link_definitions_alone_are_no_paragraph(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert shape(text) == expected
