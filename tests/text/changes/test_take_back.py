from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import added, applied, draft, made, removed, replaced

from nightledger.domain.proposal import Op
from nightledger.text.changes.merge import Conflict, Merged, Span
from nightledger.text.changes.place import Unplaced, make_hunk
from nightledger.text.changes.take_back import take_back
from nightledger.text.markdown.document import parse_markdown
from nightledger.text.markdown.entries import find_entries

MEMORY = "# Memory\n\n## Lessons\n\n- Rinse first.\n- Pour slowly.\n\n## Projects\n\nThe harbour.\n"


def undone(before: str, after: str, current: str) -> str:
    result = take_back(before, after, current)
    assert isinstance(result, Merged), result
    return result.text


def said(text: str) -> list[tuple[tuple[str, ...], str]]:
    """Give what a document says where; layout and order of additions do not count."""
    return sorted((entry.section, entry.text.strip()) for entry in find_entries(parse_markdown(text)))


@given(documents(), entries_to_add())
def test_an_addition_taken_back_at_once_leaves_no_trace(document: str, entry: str) -> None:
    hunk = make_hunk(document, draft(Op.ADD, "Lessons", after=entry))
    if not isinstance(hunk, Unplaced):
        assert undone(document, applied(document, hunk), applied(document, hunk)) == document


@given(documents(), st.data())
def test_a_removal_taken_back_at_once_leaves_no_trace(document: str, data: st.DataObject) -> None:
    entries = find_entries(parse_markdown(document))
    if entries:
        entry = data.draw(st.sampled_from(entries))
        after = removed(document, entry.text, entry.first_line)
        assert undone(document, after, after) == document


@given(documents(), entries_to_add(), documents())
def test_edits_elsewhere_survive(document: str, entry: str, elsewhere: str) -> None:
    """Another section is rewritten between the change and its undo."""
    top = "# Tea\n\n"
    fence = "\n***\n\n# Elsewhere\n\n"
    before = top + "- green\n" + fence
    hunk = made(before, draft(Op.ADD, "Tea", after=entry))
    after = applied(before, hunk)
    assert after.endswith(fence)
    assert undone(before + document, after + document, after + elsewhere) == before + elsewhere


@given(
    st.permutations(range(5)),
    st.lists(st.sampled_from(["Lessons", "Projects", "Ideas"]), min_size=5, max_size=5),
    st.lists(entries_to_add(), min_size=5, max_size=5),
    st.integers(0, 4),
    st.sampled_from([MEMORY, MEMORY.replace("\n", "\r\n"), MEMORY.rstrip("\n"), "", "## Projects\n\n- *\n"]),
)
def test_five_additions_survive_that_one_of_them_is_undone_in_between(
    order: Sequence[int], sections: list[str], entries: list[str], undo: int, document: str
) -> None:
    hunks = [
        made(document, draft(Op.ADD, name, after=f"- entry number {n}\n  {entry.splitlines()[0]}\n"))
        for n, (name, entry) in enumerate(zip(sections, entries, strict=True))
    ]
    current, steps = document, {}
    for n in order[:4]:
        before, current = current, applied(current, hunks[n])
        steps[n] = (before, current)
    if undo in steps:
        current = undone(*steps[undo], current)
    current = applied(current, hunks[order[4]])
    if undo == order[4]:
        return
    rest = [hunk for n, hunk in enumerate(hunks) if n != undo]
    assert said(current) == said(applied(document, *rest))


def test_a_heading_that_a_change_made_stays_while_later_lines_need_it() -> None:
    first = added(MEMORY, "- x", "Ideas")
    both = added(first, "- y", "Ideas")
    assert undone(MEMORY, first, both) == MEMORY + "\n## Ideas\n\n- y\n"
    assert undone(MEMORY, first, first) == MEMORY


def test_a_heading_in_the_middle_of_a_file_stays_too() -> None:
    first = added(MEMORY, "- x", "Lessons", "Winter")
    both = added(first, "- y", "Winter")
    assert undone(MEMORY, first, both) == added(MEMORY, "- y", "Lessons", "Winter")


def test_a_heading_stays_in_a_file_that_had_no_final_newline() -> None:
    before = MEMORY.rstrip("\n")
    first = added(before, "- x", "Ideas")
    assert undone(before, first, added(first, "- y", "Ideas")) == MEMORY + "\n## Ideas\n\n- y\n"
    assert undone(before, first, first) == before


def test_a_sub_heading_that_later_lines_need_keeps_its_outer_one() -> None:
    after = MEMORY + "\n## Ideas\n\n- x\n\n### Sub\n\n- y\n"
    current = after + "- z\n"
    assert undone(MEMORY, after, current) == MEMORY + "\n## Ideas\n\n### Sub\n\n- z\n"


def test_a_heading_goes_where_it_was_put_above_lines_that_were_there() -> None:
    after = MEMORY.replace("- Pour", "\n## New\n\n- Pour")
    current = after.replace("slowly.\n", "slowly.\n- Later.\n")
    assert undone(MEMORY, after, current) == MEMORY.replace("slowly.\n", "slowly.\n- Later.\n")


def test_a_heading_that_was_renamed_since_is_a_conflict() -> None:
    first = added(MEMORY, "- x", "Ideas")
    current = added(first, "- y", "Ideas").replace("## Ideas", "## Plans")
    assert isinstance(take_back(MEMORY, first, current), Conflict)


def test_a_removed_entry_comes_back_before_what_was_added_in_its_place() -> None:
    after = removed(MEMORY, "- Pour slowly.\n")
    current = added(after, "- Warm the pot.", "Lessons")
    assert undone(MEMORY, after, current) == MEMORY.replace("slowly.\n", "slowly.\n- Warm the pot.\n")


def test_a_replacement_that_was_edited_since_is_a_conflict() -> None:
    after = replaced(MEMORY, "- Pour slowly.\n", "- Pour fast.\n")
    result = take_back(MEMORY, after, after.replace("fast", "faster"))
    assert isinstance(result, Conflict)
    (span,) = result.spans
    assert (span.base, span.ours, span.theirs) == ("- Pour fast.\n", "- Pour faster.\n", "- Pour slowly.\n")


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
def test_changes_can_be_taken_back_in_any_order(order: tuple[int, ...]) -> None:
    hunks = [
        made(MEMORY, draft(Op.ADD, "Lessons", after="- Warm the pot.")),
        made(MEMORY, draft(Op.REMOVE, before="- Rinse first.\n")),
        made(MEMORY, draft(Op.REPLACE, before="The harbour.\n", after="The old harbour.\n")),
    ]
    texts = [MEMORY]
    for hunk in hunks:
        texts.append(applied(texts[-1], hunk))
    current = texts[-1]
    for n in order:
        current = undone(texts[n], texts[n + 1], current)
    assert current == MEMORY


def test_a_file_of_nothing_but_a_byte_order_mark_has_no_later_lines() -> None:
    assert take_back("", "x\rx", "\ufeff") == Conflict(
        spans=(Span(first_line=1, last_line=1, base="x\rx\n", ours="\ufeff\n", theirs=""),)
    )
