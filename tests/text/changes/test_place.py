from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import added, applied, draft, made, refused, removed, replaced

from nightledger.domain.proposal import Anchor, Hunk, Op
from nightledger.text.changes.place import (
    Applied,
    NotApplied,
    Placed,
    Unplaced,
    apply_hunks,
    make_hunk,
    place,
    put,
)
from nightledger.text.markdown.document import decode, parse_markdown, split_lines
from nightledger.text.markdown.entries import find_entries

MEMORY = """\
# Memory

## Lessons

* Rinse first.
* Pour slowly.

---

## Projects

The harbour.

### Boat
- Bilge pump.
"""


def exact(removed: str = "", added: str = "", before: str = "", after: str = "") -> Hunk:
    return Hunk(
        anchor=Anchor.EXACT,
        section=(),
        removed=removed,
        added=added,
        context_before=before,
        context_after=after,
    )


def at_end(text: str, *section: str) -> Hunk:
    return Hunk(anchor=Anchor.SECTION_END, section=section, added=text)


def reason(document: str, hunk: Hunk) -> str:
    found = place(document, hunk)
    assert isinstance(found, Unplaced), found
    return found.reason


# additions


def test_an_addition_follows_the_last_entry_of_its_section_in_its_style() -> None:
    assert added(MEMORY, "- Warm the pot.\n  Always.\n", "Memory", "Lessons") == MEMORY.replace(
        "slowly.\n", "slowly.\n* Warm the pot.\n  Always.\n"
    )


def test_an_addition_stands_before_the_sub_headings() -> None:
    assert added(MEMORY, "A paragraph.", "Memory", "Projects") == MEMORY.replace(
        "harbour.\n", "harbour.\n\nA paragraph.\n"
    )


def test_outer_headings_may_be_left_out_and_are_signed() -> None:
    hunk = made(MEMORY, draft(Op.ADD, "Lessons", after="- x"))
    assert hunk == at_end("* x\n", "Memory", "Lessons")


def test_a_section_that_is_missing_is_made_at_the_end_of_the_file() -> None:
    assert added(MEMORY, "- x", "Ideas") == MEMORY + "\n## Ideas\n\n- x\n"


def test_a_section_that_is_missing_is_made_at_the_end_of_its_outer_section() -> None:
    text = "# M\n\n## P\n\n- a\n\n## Q\n\n- b\n"
    assert added(text, "- x", "P", "Sub") == "# M\n\n## P\n\n- a\n\n### Sub\n\n- x\n\n## Q\n\n- b\n"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("", "## Ideas\n\n- x\n"),
        ("\ufeff", "\ufeff## Ideas\n\n- x\n"),
        ("words", "words\n\n## Ideas\n\n- x\n"),
        ("words\n\n", "words\n\n## Ideas\n\n- x\n\n"),
        ("# A\n\n# B\n", "# A\n\n# B\n\n# Ideas\n\n- x\n"),
        ("# A\n- a\n## B\n- b\n", "# A\n- a\n## B\n- b\n\n## Ideas\n- x\n"),
        ("# A\n- a\n", "# A\n- a\n\n## Ideas\n- x\n"),
        ("a\r\nb\r\n", "a\r\nb\r\n\r\n## Ideas\r\n\r\n- x\r\n"),
    ],
)
def test_a_new_section_looks_like_its_document(document: str, expected: str) -> None:
    assert added(document, "- x", "Ideas") == expected


def test_two_additions_to_a_missing_section_share_its_heading() -> None:
    hunks = [made(MEMORY, draft(Op.ADD, "Ideas", after=text)) for text in ("- x", "- y")]
    assert applied(MEMORY, *hunks) == MEMORY + "\n## Ideas\n\n- x\n- y\n"
    assert applied(MEMORY, *reversed(hunks)) == MEMORY + "\n## Ideas\n\n- y\n- x\n"


def test_a_list_with_blank_lines_between_items_goes_on_so() -> None:
    assert added("# A\n\n* a\n\n* b\n", "- x", "A") == "# A\n\n* a\n\n* b\n\n* x\n"
    hunk = made("# A\n\n* a\n\n* b\n", draft(Op.ADD, "A", after="- x"))
    assert applied("# A\n\n# B\n", hunk) == "# A\n\n* x\n\n# B\n"
    assert applied("", Hunk(anchor=hunk.anchor, section=("A",), added=hunk.added)) == "## A\n\n* x\n"


def test_of_two_sections_with_one_path_the_first_is_meant() -> None:
    assert added("# A\n- a\n# A\n- b\n", "- x", "A") == "# A\n- a\n- x\n# A\n- b\n"


def test_an_addition_to_the_top_stands_before_the_first_heading() -> None:
    assert added("# A\n", "x") == "x\n\n# A\n"
    assert added("---\nk: v\n---\n\n# A\n", "x") == "---\nk: v\n---\n\nx\n\n# A\n"
    assert added("\ufeffwords\n\n# A\n", "x") == "\ufeffwords\n\nx\n\n# A\n"


def test_an_empty_section_grows_below_its_heading() -> None:
    assert added("# A\n\n## B\n\n## C\n", "- x", "B") == "# A\n\n## B\n\n- x\n\n## C\n"
    assert added("# A\n- a\n## B\n## C\n- c\n", "- x", "B") == "# A\n- a\n## B\n- x\n## C\n- c\n"


def test_an_addition_keeps_off_what_it_would_run_into() -> None:
    assert added("# A\n- a\n---\n", "- x", "A") == "# A\n- a\n- x\n---\n"
    assert added("# A\n- a\n---\n", "words", "A") == "# A\n- a\n\nwords\n\n---\n"
    assert added("# A\n- a\n<!-- c -->\n", "- x", "A") == "# A\n- a\n- x\n<!-- c -->\n"
    assert added("- a\n\nB\n===\n", "- x") == "- a\n- x\n\nB\n===\n"
    assert added("- a\nB\n===\n", "- x").startswith("- a\nB\n===\n")
    assert added("1. a\n\n# B\n", "- x") == "1. a\n2. x\n\n# B\n"
    assert added("> q\n", "words") == "> q\n\nwords\n"


@pytest.mark.parametrize("text", ["***\nB\n===\n", "---\n", "B\n===\n", "<!-- c -->\n"])
def test_an_addition_at_the_very_top_keeps_off_what_stood_there(text: str) -> None:
    assert added(text, "words") == ("words\n\n" + text if text[0] != "<" else text + "\nwords\n")


def test_several_additions_apply_in_any_order() -> None:
    hunks = [made(MEMORY, draft(Op.ADD, "Lessons", after=f"- lesson {n}.\n")) for n in range(3)] + [
        made(MEMORY, draft(Op.ADD, "Lessons", after="DECISION: x\nSTATUS: Open\n"))
    ]
    for order in permutations(hunks):
        text = applied(MEMORY, *order)
        lessons = [e.text for e in find_entries(parse_markdown(text)) if e.section == ("Memory", "Lessons")]
        assert sorted(lessons) == sorted(
            ["* Rinse first.\n", "* Pour slowly.\n", *(hunk.added for hunk in hunks)]
        )


@pytest.mark.parametrize(
    ("after", "why"),
    [
        ("", "nothing to add"),
        (" \n\n", "nothing to add"),
        ("# New\n", "headings"),
        ("words\n---\n", "headings"),
        ("a\rb\n", "carriage return"),
    ],
)
def test_what_is_no_entry_is_not_added(after: str, why: str) -> None:
    assert why in refused(MEMORY, draft(Op.ADD, "Lessons", after=after))


@pytest.mark.parametrize(
    ("document", "section", "why"),
    [
        (MEMORY, ("No", "Such"), "is missing"),
        ("# A\n## X\n# B\n## X\n", ("X",), "named by several"),
        (MEMORY, ("two\nlines",), "can be made"),
        (MEMORY, ("marks #",), "can be made"),
        (MEMORY, ("",), "can be made"),
        ("# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6\n", ("6", "7"), "can be made"),
        ("```\nopen", ("X",), "swallow"),
        ("# A\n\n<!-- open\n", ("A",), "swallow"),
        ("<!-- open\n", (), "at the end of the top of the file a fence"),
    ],
)
def test_an_addition_without_a_place_says_why(document: str, section: tuple[str, ...], why: str) -> None:
    assert why in refused(document, draft(Op.ADD, *section, after="- x"))


def test_a_signed_addition_waits_when_its_headings_have_changed() -> None:
    hunk = made(MEMORY, draft(Op.ADD, "Ideas", after="- x"))
    assert "gone or has moved" in reason(MEMORY.replace("# Memory", "# Notes"), hunk)
    bare = made("words\n", draft(Op.ADD, "Ideas", after="- x"))
    assert "gone or has moved" in reason(MEMORY, bare)


@pytest.mark.parametrize("hunk", [at_end("- x", "A"), at_end("", "A"), at_end("\n\n", "A")])
def test_an_addition_that_is_no_whole_line_has_no_place(hunk: Hunk) -> None:
    assert "whole lines" in reason("# A\n", hunk)


def test_an_addition_that_also_removes_has_no_place() -> None:
    hunk = Hunk(anchor=Anchor.SECTION_END, section=("A",), added="x\n", removed="y\n")
    assert "removes nothing" in reason("# A\ny\n", hunk)


# replacements and removals


def test_a_replacement_takes_the_marks_of_what_it_replaces() -> None:
    assert replaced(MEMORY, "* Pour slowly.\n", "- Pour very slowly.\n") == MEMORY.replace(
        "Pour", "Pour very"
    )
    assert replaced(MEMORY, "* Pour slowly.\n", "Pour very slowly.") == MEMORY.replace("Pour", "Pour very")


def test_a_replacement_keeps_the_line_ends_and_a_missing_last_one() -> None:
    assert replaced("a\r\n\r\nb", "b", "c\nd\n") == "a\r\n\r\nc\r\nd"
    assert replaced("a\r\n\r\nb\r\n", "a\n", "c\nd") == "c\r\nd\r\n\r\nb\r\n"


@each_row(
    ("document", "line", "expected"),
    [
        ("# A\n\n- x\n\n## B\n", 3, "# A\n\n## B\n"),
        ("# A\n- x\n## B\n", 2, "# A\n## B\n"),
        ("# A\n- x\n\n## B\n", 2, "# A\n\n## B\n"),
        ("# A\n\n- x\n## B\n", 3, "# A\n\n## B\n"),
        ("- x\n\n- y\n", 1, "- y\n"),
        ("- y\n\n- x\n", 3, "- y\n"),
        ("- y\n\n- x", 3, "- y\n"),
        ("- y\n\n- x\n\n- z\n", 3, "- y\n\n- z\n"),
        ("p\n\n\n- x\n\nq\n", 4, "p\n\n\nq\n"),
        ("p\n\n- x\n\n\nq\n", 3, "p\n\n\nq\n"),
        ("- x\n", 1, ""),
        ("\ufeff- x\n\n# A\n", 1, "\ufeff# A\n"),
        ("- y\r\n\r\n- x\r\n\r\n- z\r\n", 3, "- y\r\n\r\n- z\r\n"),
    ],
)
def test_a_removal_leaves_no_doubled_blank_line(document: str, line: int, expected: str) -> None:
    assert removed(document, "- x", line) == expected


@pytest.mark.parametrize(
    ("document", "before", "expected"),
    [
        ("words\n1. x\n2. y\n", "1. x\n", "words\n\n2. y\n"),
        ("one\n```\nx\n```\ntwo\n", "```\nx\n```\n", "one\n\ntwo\n"),
        ("one\n- x\n- y\n", "- x\n", "one\n- y\n"),
        ("- x\n- y\n- z\n", "- y\n", "- x\n- z\n"),
    ],
)
def test_a_removal_glues_no_neighbours(document: str, before: str, expected: str) -> None:
    assert removed(document, before) == expected


def test_context_is_only_what_tells_the_place() -> None:
    text = "# A\n\n- x\n- y\n- x\n- z\n"
    hunk = made(text, draft(Op.REMOVE, before="- x\n", line=5))
    assert (hunk.removed, hunk.context_before, hunk.context_after) == ("- x\n", "- y\n", "")
    assert applied(text, hunk) == "# A\n\n- x\n- y\n- z\n"
    assert made(text, draft(Op.REMOVE, before="- y\n")).context_before == ""


def test_a_hunk_names_the_section_where_its_lines_stand() -> None:
    assert made(MEMORY, draft(Op.REMOVE, "wrong", before="- Bilge pump.\n")).section == (
        "Memory",
        "Projects",
        "Boat",
    )


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (draft(Op.REMOVE, before="* Pour\n"), "not in the file as given"),
        (draft(Op.REMOVE, before="* Pour slowly.\n", line=5), "not in the file as given"),
        (draft(Op.REMOVE), "neither what to add nor what to remove"),
        (draft(Op.DELETE_LINK), "neither what to add nor what to remove"),
    ],
)
def test_lines_that_are_not_there_are_not_removed(one: object, why: str) -> None:
    assert why in refused(MEMORY, one)  # type: ignore[arg-type]


def test_lines_that_stand_twice_need_a_line_number() -> None:
    assert "2 times" in refused("- x\n- y\n- x\n", draft(Op.REMOVE, before="- x\n"))


def test_lines_that_repeat_on_and_on_have_no_place() -> None:
    assert "repeat too often" in refused(
        "x\n" * 2000, draft(Op.REPLACE, before="x\n", after="y\n", line=1000)
    )


def test_a_changed_surrounding_is_told_from_changed_lines() -> None:
    hunk = exact(removed="- x\n", before="- a\n")
    assert "around it have changed" in reason("- b\n- x\n", hunk)
    assert "no longer in the file" in reason("- a\n- X\n", hunk)
    assert "no longer in the file" in reason("- b\n", exact(added="- x\n", before="- a\n"))
    assert "more than once" in reason("- a\n- x\n- a\n- x\n", hunk)


@pytest.mark.parametrize(
    ("document", "hunk"),
    [
        ("ab\n", exact(removed="b\n")),
        ("ab\n", exact(removed="a")),
        ("a\nb\n", exact(removed="a\n", added="c")),
        ("a\nb", exact(added="c", before="a\nb")),
        ("a", exact(added="c\n", before="a")),
        ("\ufeffab\n", exact(removed="b\n")),
    ],
)
def test_parts_of_lines_are_never_touched(document: str, hunk: Hunk) -> None:
    assert isinstance(place(document, hunk), Unplaced)


def test_a_hunk_that_changes_nothing_has_no_place() -> None:
    assert "changes nothing" in reason("a\n", exact(before="a\n"))
    assert "changes nothing" in refused(
        MEMORY, draft(Op.REPLACE, before="* Pour slowly.\n", after="- Pour slowly.")
    )


def test_an_exact_addition_stands_between_its_context() -> None:
    assert applied("a\nb\n", exact(added="x\n", before="a\n", after="b\n")) == "a\nx\nb\n"
    assert applied("", exact(added="x")) == "x"
    assert applied("\ufeff", exact(added="x\n")) == "\ufeffx\n"


def test_the_first_line_counts_with_and_without_its_byte_order_mark() -> None:
    assert applied("\ufeffa\nb\n", exact(removed="a\n", added="c\n")) == "\ufeffc\nb\n"
    assert applied("\ufeffa\nb\n", exact(removed="\ufeffa\n", added="c\n")) == "c\nb\n"


LATIN = decode(b"# A\n\n- Zo\xeb\n- x\n")


@pytest.mark.parametrize(
    "one",
    [
        draft(Op.REMOVE, before="- Zo\udceb\n"),
        draft(Op.REPLACE, before="- Zo\udceb\n", after="- Zoe\n"),
        draft(Op.ADD, "A", after="- \udceb\n"),
        draft(Op.ADD, "\udceb", after="- x\n"),
    ],
)
def test_lines_that_are_no_utf8_are_left_to_the_operator(one: object) -> None:
    assert "not UTF-8" in refused(LATIN, one)  # type: ignore[arg-type]


def test_lines_beside_bytes_that_are_no_utf8_can_be_changed() -> None:
    assert removed(LATIN, "- x\n") == decode(b"# A\n\n- Zo\xeb\n")
    assert added(LATIN, "- y", "A") == decode(b"# A\n\n- Zo\xeb\n- x\n- y\n")


# several together


def test_all_reasons_come_at_once_and_nothing_is_applied() -> None:
    hunks = [exact(removed="no\n"), exact(removed="a\n", added="A\n"), exact(removed="nor\n")]
    outcome = apply_hunks("a\n", hunks)
    assert isinstance(outcome, NotApplied)
    assert [one.index for one in outcome.reasons] == [0, 2]


def test_hunks_are_placed_in_what_those_before_them_left() -> None:
    outcome = apply_hunks("a\nb\n", [exact(removed="a\n"), exact(removed="b\n", added="c\n")])
    assert outcome == Applied(
        text="c\n", placed=(Placed(start=0, end=2, text=""), Placed(start=0, end=2, text="c\n"))
    )


@given(documents(), entries_to_add(), st.data())
def test_an_addition_touches_no_other_byte_and_lands_in_its_section(
    document: str, entry: str, data: st.DataObject
) -> None:
    parsed = parse_markdown(document)
    path = data.draw(st.sampled_from([section.path for section in parsed.sections]))
    hunk = make_hunk(document, draft(Op.ADD, *path, after=entry))
    if isinstance(hunk, Unplaced):
        assert "swallow" in hunk.reason
        return
    found = place(document, hunk)
    assert isinstance(found, Placed)
    assert found.start == found.end
    result = put(document, found)
    ours = [e for e in find_entries(parse_markdown(result)) if e.text == hunk.added.lstrip("\r\n")]
    assert any(e.section == hunk.section for e in ours)
    before = [(e.section, e.text.rstrip("\r\n")) for e in find_entries(parsed)]
    after = [(e.section, e.text.rstrip("\r\n")) for e in find_entries(parse_markdown(result))]
    after.remove((hunk.section, hunk.added.strip("\r\n")))
    assert after == before


@given(documents(), st.data())
def test_a_removal_takes_one_entry_and_leaves_every_other(document: str, data: st.DataObject) -> None:
    entries = find_entries(parse_markdown(document))
    if not entries:
        return
    entry = data.draw(st.sampled_from(entries))
    hunk = made(document, draft(Op.REMOVE, *entry.section, before=entry.text, line=entry.first_line))
    assert hunk.section == entry.section
    assert entry.text in hunk.removed
    assert hunk.removed.replace(entry.text, "", 1).strip() == ""
    result = applied(document, hunk)
    lines = split_lines(document.removeprefix("\ufeff"))
    rest = [line for line in lines[: entry.first_line - 1] + lines[entry.last_line :] if line.strip()]
    left = [line for line in split_lines(result.removeprefix("\ufeff")) if line.strip()]
    assert left == rest
