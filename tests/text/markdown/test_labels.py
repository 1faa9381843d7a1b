"""Lines that are read as a heading are told, and plain sentences are none."""

from tests.rows import each_row, from_corpus

from nightledger.text.markdown.document import is_label, labels_of, parse_markdown


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


@from_corpus("text-changes-labels", tuples=True)
def test_each_line_stands_below_the_labels_and_items_above_it(
    text: str, expected: dict[str, tuple[str, ...]]
) -> None:
    """An item that reads as a label is one for those after it, unless it holds others; a heading ends what stood above it."""
    document = parse_markdown(text)
    found = {
        line.strip(): row
        for line, row in zip(document.lines, labels_of(document), strict=True)
        if line.strip()
    }
    assert {line: found[line] for line in expected} == expected
