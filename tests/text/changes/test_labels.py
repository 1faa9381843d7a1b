"""Lines that are read as a heading are told, and plain sentences are none."""

import pytest

from nightledger.text.changes.labels import is_label, labels_of
from nightledger.text.markdown.document import parse_markdown


def rows(text: str) -> list[tuple[str, ...]]:
    return labels_of(parse_markdown(text))


@pytest.mark.parametrize(
    "line",
    [
        *("Never:", "**Never**", "__Never do__", "**Never:**", "*Never*:", "Never\N{FULLWIDTH COLON}"),
        *("***Never***", "##Never", "<h2>Never</h2>", "<B>Never</B>"),
    ],
)
def test_a_line_that_ends_with_a_colon_or_is_all_bold_is_a_label(line: str) -> None:
    assert is_label(line)
    assert rows(f"{line}\n\n- a\n") == [(), (line,), (line,)]


@pytest.mark.parametrize(
    "line",
    ["Last seen 2026-03-01.", "**Never** but **now**", "a: b", "**", "****", "#1 of 2", "*Updated today*"],
)
def test_a_sentence_is_none(line: str) -> None:
    assert not is_label(line)
    assert rows(f"{line}\n\n- a\n")[-1] == ()


def under(text: str) -> dict[str, tuple[str, ...]]:
    """Give what each filled line stands below."""
    document = parse_markdown(text)
    return {
        line.strip(): row
        for line, row in zip(document.lines, labels_of(document), strict=True)
        if line.strip()
    }


def test_what_is_nested_stands_below_the_items_above_it() -> None:
    found = under(
        "A:\n\n- never\n  more of it\n\n  - keys\n    - of home\n\t- by tab\n- always\n  - thanks\n\nfree\n"
    )
    assert found == {
        "A:": (),
        "- never": ("A:",),
        "more of it": ("A:", "- never"),
        "- keys": ("A:", "- never"),
        "- of home": ("A:", "- never", "- keys"),
        "- by tab": ("A:", "- never", "- keys"),
        "- always": ("A:",),
        "- thanks": ("A:", "- always"),
        "free": ("A:",),
    }


def test_a_label_in_an_item_is_the_items_own() -> None:
    found = under("A:\n\n- never\n\n  of these:\n\n  - keys\n- thanks\n")
    assert found["- keys"] == ("A:", "- never", "of these:")
    assert found["- thanks"] == ("A:",)


def test_an_item_that_reads_as_a_label_is_one_for_those_after_it() -> None:
    found = under("- Never:\n- keys\n- Always:\n- thanks\n")
    assert found == {"- Never:": (), "- keys": ("- Never:",), "- Always:": (), "- thanks": ("- Always:",)}


def test_an_item_that_holds_others_is_no_label_of_those_after_it() -> None:
    found = under("- Hosts:\n  - alpha\n- thanks\n")
    assert found == {"- Hosts:": (), "- alpha": ("- Hosts:",), "- thanks": ()}


def test_a_heading_ends_what_stood_above_it_and_is_no_label() -> None:
    found = under("A:\n\n- a\n\n## B:\n\n- b\n\nC:\n=\n\n1. c\n")
    assert [name for name, row in found.items() if row] == ["- a"]


def test_a_blank_line_has_the_labels_above_it() -> None:
    assert rows("A:\n\n- a\n\n")[1::2] == [("A:",), ("A:",)]


@pytest.mark.slow
def test_many_items_in_depth_and_many_labels_are_walked_once() -> None:
    deep = "".join(f"{' ' * (2 * (n % 40))}- {n}\n" for n in range(20_000))
    assert len(rows(deep + "A:\n" * 20_000)) == 40_000


def test_the_marks_of_a_quotation_are_looked_through() -> None:
    assert under("> ## Never\n> - Push\n>   - Keys\n") == {
        "> ## Never": (),
        "> - Push": ("## Never",),
        ">   - Keys": ("## Never", "- Push"),
    }
