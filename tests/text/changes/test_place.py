from itertools import permutations
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus, each_row, from_corpus
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import applied, draft, drafted, made

from nightledger.domain.proposal import Draft, Hunk, Op
from nightledger.text.changes.place import Unplaced, make_hunk, place_signed, put, put_all, shown_in
from nightledger.text.markdown.document import parse_markdown, split_lines
from nightledger.text.markdown.entries import find_entries

MEMORY = corpus("text-changes-place.txt")
LIST = "# A\n\n- a\n- b\n\n# B\n\n- c\n"


@from_corpus("text-changes-place")
def test_a_change_takes_on_the_marks_blanks_and_ends_of_its_place(
    document: str, change: dict[str, Any], result: str
) -> None:
    """An addition is a block of its own; a removal leaves no doubled blank line and glues no neighbours."""
    assert applied(document, made(document, drafted(change))) == result


@from_corpus("text-changes-place")
def test_a_draft_without_a_place_says_why(document: str, change: dict[str, Any], why: str) -> None:
    assert make_hunk(document, drafted(change)) == Unplaced(reason=why)


@from_corpus("text-changes-place")
def test_a_hunk_goes_where_it_says_or_tells_why_not(document: str, hunk: dict[str, Any], result: str) -> None:
    """Parts of lines are never touched; no other line comes under another heading; a hole stands for any character."""
    found = put_all(document, [msgspec.convert(hunk, Hunk)])
    assert result == (found.reason if isinstance(found, Unplaced) else found)


@each_row(
    "document, one, section, line",
    [
        (MEMORY, draft(Op.ADD, "Lessons", after="- x"), ("Memory", "Lessons"), 0),
        ("# A\n- a\n# B\n- c\n# A\n- b\n", draft(Op.REMOVE, before="- b\n"), ("A",), 3),
        ("# A\n\n- x\n- y\n- x\n- z\n", draft(Op.REMOVE, before="- x\n", line=5), ("A",), 4),
    ],
)
def test_all_headings_above_are_signed_and_the_line_in_all_sections_of_that_path(
    document: str, one: Draft, section: tuple[str, ...], line: int
) -> None:
    hunk = made(document, one)
    assert (hunk.section, hunk.line) == (section, line)


def test_several_additions_apply_in_any_order() -> None:
    texts = [*(f"- lesson {n}.\n" for n in range(3)), "DECISION: x\nSTATUS: Open\n"]
    hunks = [made(MEMORY, draft(Op.ADD, "Lessons", after=text)) for text in texts]
    expected = sorted(["* Rinse first.\n", "* Pour slowly.\n", *(hunk.added for hunk in hunks)])
    for order in permutations(hunks):
        entries = find_entries(parse_markdown(applied(MEMORY, *order)))
        assert sorted(e.text for e in entries if e.section == ("Memory", "Lessons")) == expected


def signed(shown: str, hunk: Hunk, now: str) -> str:
    """Give what a hunk that was shown in one text makes of another; why it has no place there."""
    found = place_signed(now, hunk, shown_in(shown, 1, hunk))
    return found.reason if isinstance(found, Unplaced) else put(now, found)


@from_corpus("text-changes-place")
def test_what_was_signed_goes_where_what_was_shown_still_stands(
    shown: str, change: dict[str, Any], now: str, result: str
) -> None:
    """A replacement where its section has the bytes that were shown, an addition below all that stood above it."""
    assert signed(shown, made(shown, drafted(change)), now) == result


def test_two_additions_that_make_one_section_both_go_in() -> None:
    one, two = (made(LIST, draft(Op.ADD, "New", after=text)) for text in ("- x", "- y"))
    first = signed(LIST, one, LIST)
    assert first == LIST + "\n# New\n\n- x\n"
    assert signed(LIST, two, first) == LIST + "\n# New\n\n- y\n- x\n"
    assert "another heading" in signed(first, two, LIST)


def told(document: str) -> list[tuple[tuple[str, ...], str]]:
    return [(e.section, e.text.rstrip("\r\n")) for e in find_entries(parse_markdown(document))]


@given(documents(), entries_to_add(), st.data())
def test_an_addition_touches_no_other_byte_and_lands_in_its_section(
    document: str, entry: str, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from([section.path for section in parse_markdown(document).sections]))
    hunk = make_hunk(document, draft(Op.ADD, *path, after=entry))
    if isinstance(hunk, Unplaced):
        assert any(why in hunk.reason for why in ("swallow", "another heading"))
        return
    ours = [(hunk.section, text) for _, text in told(hunk.added.strip("\r\n"))]
    before, result = told(document), applied(document, hunk)
    assert ours
    assert any(told(result) == before[:n] + ours + before[n:] for n in range(len(before) + 1))
    kept = len(result) - len(document)
    assert any(document == result[:at] + result[at + kept :] for at in range(len(document) + 1))


@given(documents(), st.data())
def test_a_removal_takes_one_entry_and_leaves_every_other(document: str, data: st.DataObject) -> None:
    entries = find_entries(parse_markdown(document))
    if not entries:
        return
    entry = data.draw(st.sampled_from(entries))
    hunk = make_hunk(document, draft(Op.REMOVE, *entry.section, before=entry.text, line=entry.first_line))
    if isinstance(hunk, Unplaced):
        assert "another heading" in hunk.reason
        return
    assert hunk.section == entry.section
    assert entry.text in hunk.removed
    assert hunk.removed.replace(entry.text, "", 1).strip() == ""
    lines, left = (split_lines(text.removeprefix("\ufeff")) for text in (document, applied(document, hunk)))
    rest = lines[: entry.first_line - 1] + lines[entry.last_line :]
    assert [line for line in left if line.strip()] == [line for line in rest if line.strip()]
