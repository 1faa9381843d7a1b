from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.finding import Doubt, DoubtLabel
from nightledger.domain.proposal import Op
from nightledger.text.checkup.checkup import check_memory
from nightledger.text.checkup.shells import find_shells
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import Document, parse_markdown

BLOCKS = st.sampled_from(
    ["# One", "## Status", "## Rules", "### 2026-03-02", "- ✅ done: roof fixed", "- never open the valve", "Steps:", "- [x] paint",
     "| Job | Status |\n|---|---|\n| roof | ✅ Running |", "- 3c91f07: roof", "---", "_(to be filled)_", "Two lamps hang in the hall."]
)  # fmt: skip


def doubt(
    first: int, last: int, *, op: Op = Op.REMOVE, confidence: float = 0.8, signs: tuple[str, ...] = ("done",)
) -> Doubt:
    return Doubt(
        lines=(first, last), section=(), label=DoubtLabel.CLOSED, reason="it is over", signs=signs, confidence=confidence, op=op
    )  # fmt: skip


def shells(text: str, *doubts: Doubt) -> list[tuple[int, int]]:
    document = parse_markdown(text)
    return sorted(shell.lines for shell in find_shells(document, read_units(document), doubts))


def test_a_heading_goes_with_the_last_thing_under_it() -> None:
    text = "# Memory\n\n## Old\n\n- a\n- b\n\n## New\n- c\n"
    assert shells(text, doubt(5, 5), doubt(6, 6)) == [(3, 3)]
    assert shells(text, doubt(5, 5)) == []


def test_a_heading_above_empty_headings_goes_too_and_takes_its_rule() -> None:
    text = "# Memory\n\n## Day\n### Morning\n- a\n### Evening\n- b\n\n---\n\n## New\n- c\n"
    assert shells(text, doubt(5, 5), doubt(7, 7)) == [(3, 3), (4, 4), (6, 6), (9, 9)]


def test_the_title_of_the_file_stays() -> None:
    assert shells("# Memory\n\n- a\n", doubt(3, 3)) == []


def test_a_heading_over_a_placeholder_waits_for_its_first_item() -> None:
    assert shells("# Memory\n\n## Lessons\n_(to be filled)_\n", doubt(4, 4, signs=("empty",))) == []


def test_the_head_of_a_table_goes_with_its_last_row() -> None:
    text = "Intro.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    assert shells(text, doubt(5, 5), doubt(6, 6)) == [(3, 4)]
    assert shells(text, doubt(6, 6)) == []


def test_a_sentence_that_announces_a_list_goes_with_it() -> None:
    text = "# Memory\n\nDone so far:\n\n- a\n- b\n\nMore.\n"
    assert shells(text, doubt(5, 5), doubt(6, 6)) == [(3, 3)]
    assert shells(text, doubt(6, 6)) == []


def test_an_item_that_announces_its_children_goes_with_them() -> None:
    text = "# Memory\n- Done:\n  - a\n- Lamps\n"
    assert shells(text, doubt(3, 3)) == [(2, 2)]


def test_what_is_replaced_does_not_go() -> None:
    assert shells("# Memory\n\n## Keys\n- a\n", doubt(4, 4, op=Op.REPLACE)) == []


def test_a_shell_is_as_certain_as_the_least_certain_doubt_below_it() -> None:
    document = parse_markdown("# Memory\n\n## Old\n- a\n- b\n")
    below = [doubt(4, 4, confidence=0.9), doubt(5, 5, confidence=0.7, op=Op.ARCHIVE)]
    (shell,) = find_shells(document, read_units(document), below)
    assert (shell.confidence, shell.op, shell.signs, shell.label) == (
        0.7,
        Op.ARCHIVE,
        ("shell",),
        DoubtLabel.CLOSED,
    )


@given(blocks=st.lists(BLOCKS, max_size=14))
def test_taking_all_doubts_out_leaves_no_new_empty_heading(blocks: list[str]) -> None:
    text = "\n\n".join(blocks) + "\n"
    gone = {
        line
        for found in check_memory(text, today=date(2026, 5, 1))
        for line in range(found.lines[0], found.lines[1] + 1)
    }
    rest = "".join(f"{line}\n" for number, line in enumerate(text.split("\n"), 1) if number not in gone)
    before, after = parse_markdown(text), parse_markdown(rest)
    assert _empty(after) <= _empty(before) + _placeholders(text)


def _empty(document: Document) -> int:
    bodies = (document.lines[section.heading[1] : section.last_line] for section in document.sections[1:])
    return sum(not any(line.strip("-\n ") for line in body) for body in bodies)


def _placeholders(text: str) -> int:
    return text.count("_(to be filled)_") + ("# One" in text)
