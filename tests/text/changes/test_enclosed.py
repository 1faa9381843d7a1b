"""What is read as text, and what stands in a fence, a comment or a table."""

import pytest
from tests.rows import each_row

from nightledger.text.changes.enclosed import COMMENT, enclosures
from nightledger.text.markdown.document import parse_markdown

TABLE = "| always | never |\n|---|---|\n| ask | push |\n"


@each_row(
    ("text", "within"),
    [
        ("- a\n- b\n", ["", ""]),
        ("```\n- a\n```\n- b\n", ["fence", "fence ```", "fence ```", ""]),
        ("<!--\n- a\n\n- b\n-->\n- c\n", ["html", *["html <!--"] * 4, ""]),
        ("text\n\n    code\n", ["", "", "code"]),
        ("> said\n\n- a\n", ["quote", "", ""]),
        ("> - a\n>   ```\n>   b\n", ["quote", "quote", "quote ```"]),
        ("- a.\n  |b|c|\n  |-|-|\n  |d|e|\n\n  f\n", ["", "", *["|b|c|"] * 3, ""]),
        ("A sentence.\nAnother:\nOne more\n2. item\n", ["", "", "", ""]),
        ("A note\nAnother\n2026-03-01 and one more\n", ["", "", ""]),
        (TABLE, ["", "| always | never |", "| always | never |"]),
        ("- a\n  ```\n  - b\n  ```\n- c\n", ["", "", "```", "```", ""]),
        ("- ~~~~\n  ```\n  ~~~\n  ~~~~\n- c\n", ["", "~~~~", "~~~~", "~~~~", ""]),
        ("- a <!-- b --> <!--\n- c\n- d --> e\n- f\n", ["", COMMENT, COMMENT, ""]),
        ("- a <!--\n  ```\n- b\n", ["", COMMENT, COMMENT]),
    ],
)
def test_each_line_is_told_by_what_it_stands_in(text: str, within: list[str]) -> None:
    assert enclosures(parse_markdown(text)) == within


@pytest.mark.slow
def test_a_line_of_many_comments_takes_no_longer_than_its_length() -> None:
    assert enclosures(parse_markdown("- " + "<!---->" * 100_000 + "\n")) == [""]
    assert enclosures(parse_markdown("- <!--\n" * 50_000)) == ["", *[COMMENT] * 49_999]


@pytest.mark.parametrize("mark", ["", "- ", "> "])
def test_a_line_that_goes_on_with_a_sentence_stands_below_all_of_it(mark: str) -> None:
    below = " " * len(mark) if mark == "- " else mark
    one, other = (
        enclosures(parse_markdown(f"{mark}{first}\n{below}under any terms\n{below}share keys\n"))
        for first in ("Never", "Always")
    )
    assert one[0] == other[0]
    assert all(a != b for a, b in zip(one[1:], other[1:], strict=True))


def test_a_sentence_of_many_lines_takes_no_longer_than_its_length() -> None:
    assert len(set(enclosures(parse_markdown("and so on\n" * 50_000)))) == 50_000
