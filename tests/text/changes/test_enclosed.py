"""What is read as text, and what stands in a fence, a comment or a table."""

import pytest

from nightledger.text.changes.enclosed import COMMENT, enclosures
from nightledger.text.markdown.document import parse_markdown

TABLE = "| always | never |\n|---|---|\n| ask | push |\n"


@pytest.mark.parametrize(
    ("text", "within"),
    [
        ("- a\n- b\n", ["", ""]),
        ("```\n- a\n```\n- b\n", ["fence", "fence", "fence", ""]),
        ("<!--\n- a\n\n- b\n-->\n- c\n", ["html"] * 5 + [""]),
        ("text\n\n    code\n", ["", "", "code"]),
        ("> said\n\n- a\n", ["quote", "", ""]),
        (TABLE, ["", "| always | never |", "| always | never |"]),
        ("- a\n  ```\n  - b\n  ```\n- c\n", ["", "", "```", "```", ""]),
        ("- ~~~~\n  ```\n  ~~~\n  ~~~~\n- c\n", ["", "~~~~", "~~~~", "~~~~", ""]),
        ("- a <!-- b --> <!--\n- c\n- d --> e\n- f\n", ["", COMMENT, COMMENT, ""]),
        ("- a <!--\n  ```\n- b\n", ["", COMMENT, COMMENT]),
    ],
)
def test_each_line_is_told_by_what_it_stands_in(text: str, within: list[str]) -> None:
    assert enclosures(parse_markdown(text)) == within


def test_a_line_of_many_comments_takes_no_longer_than_its_length() -> None:
    assert enclosures(parse_markdown("- " + "<!---->" * 100_000 + "\n")) == [""]
    assert enclosures(parse_markdown("- <!--\n" * 50_000)) == ["", *[COMMENT] * 49_999]
