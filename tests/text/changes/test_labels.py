"""Lines that are read as a heading are told, and plain sentences are none."""

from tests.rows import each_row

from nightledger.text.changes.labels import is_label, labels_of
from nightledger.text.markdown.document import parse_markdown


@each_row(
    "line",
    [
        *("Never:", "**Never**", "__Never do__", "**Never:**", "*Never*:", "Never\N{FULLWIDTH COLON}"),
        *("***Never***", "##Never", "<h2>Never</h2>", "<B>Never</B>"),
    ],
)
def test_a_line_that_ends_with_a_colon_or_is_all_bold_is_a_label(line: str) -> None:
    assert labels_of(parse_markdown(f"{line}\n\n- a\n")) == [(), (line,), (line,)]


@each_row(
    "line",
    ["Last seen 2026-03-01.", "**Never** but **now**", "a: b", "**", "****", "#1 of 2", "*Updated today*"],
)
def test_a_sentence_is_none(line: str) -> None:
    assert not is_label(line)


@each_row(
    ("text", "expected"),
    [
        (
            "A:\n\n- never\n  more of it\n\n  - keys\n    - of home\n\t- by tab\n- always\n  - thanks\n\nfree\n",
            {
                "A:": (),
                "- never": ("A:",),
                "more of it": ("A:", "- never"),
                "- keys": ("A:", "- never"),
                "- of home": ("A:", "- never", "- keys"),
                "- by tab": ("A:", "- never", "- keys"),
                "- always": ("A:",),
                "- thanks": ("A:", "- always"),
                "free": ("A:",),
            },
        ),
        # an item that reads as a label is one for those after it, unless it holds others
        ("- Never:\n- keys\n- Always:\n- thanks\n", {"- keys": ("- Never:",), "- thanks": ("- Always:",)}),
        ("- Hosts:\n  - alpha\n- thanks\n", {"- alpha": ("- Hosts:",), "- thanks": ()}),
        # a heading ends what stood above it and is no label
        ("A:\n\n- a\n\n## B:\n\n- b\n\nC:\n=\n\n1. c\n", {"- a": ("A:",), "- b": (), "1. c": ()}),
        ("> ## Never\n> - Push\n>   - Keys\n", {">   - Keys": ("## Never", "- Push")}),
    ],
)
def test_each_line_stands_below_the_labels_and_items_above_it(
    text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    document = parse_markdown(text)
    found = {
        line.strip(): row
        for line, row in zip(document.lines, labels_of(document), strict=True)
        if line.strip()
    }
    assert {line: found[line] for line in expected} == expected
