from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import corpus, each_row, from_corpus
from tests.text.documents import documents, entries_to_add
from tests.text.drafts import added, applied, draft, made, refused, removed, replaced

from nightledger.domain.proposal import Anchor, Draft, Hunk, Op
from nightledger.text.changes.place import Placed, Unplaced, make_hunk, place, place_signed, put, shown_in
from nightledger.text.markdown.document import decode, parse_markdown, split_lines
from nightledger.text.markdown.entries import find_entries

MEMORY = corpus("text-changes-place.txt")


def lines(removed: str = "", added: str = "", *section: str, line: int = 0) -> Hunk:
    return Hunk(anchor=Anchor.LINES, section=section, line=line, removed=removed, added=added)


def at_end(text: str, *section: str) -> Hunk:
    return Hunk(anchor=Anchor.SECTION_END, section=section, added=text)


def reason(document: str, hunk: Hunk) -> str:
    found = place(document, hunk)
    assert isinstance(found, Unplaced), found
    return found.reason


LATIN = decode(b"# A\n\n- Zo\xeb\n- x\n")


# additions


@from_corpus("text-changes-place")
def test_an_addition_lands_in_its_section_as_a_block_of_its_own(
    document: str, entry: str, section: str, expected: str
) -> None:
    assert added(document, entry, *filter(None, section.split("/"))) == expected


@each_row(
    ("document", "one", "why"),
    [
        (MEMORY, draft(Op.ADD, "Lessons"), "nothing to add"),
        (MEMORY, draft(Op.ADD, "Lessons", after=" \n\n"), "nothing to add"),
        (MEMORY, draft(Op.ADD, "Lessons", after="# New\n"), "headings"),
        (MEMORY, draft(Op.ADD, "Lessons", after="words\n---\n"), "headings"),
        (MEMORY, draft(Op.ADD, "Lessons", after="a\rb\n"), "carriage return"),
        (MEMORY, draft(Op.ADD, "No", "Such", after="- x"), "is missing"),
        ("# A\n## X\n# B\n## X\n", draft(Op.ADD, "X", after="- x"), "named by several"),
        (MEMORY, draft(Op.ADD, "two\nlines", after="- x"), "can be made"),
        (MEMORY, draft(Op.ADD, "marks #", after="- x"), "can be made"),
        (MEMORY, draft(Op.ADD, "", after="- x"), "can be made"),
        (
            "# 1\n## 2\n### 3\n#### 4\n##### 5\n###### 6\n",
            draft(Op.ADD, "6", "7", after="- x"),
            "can be made",
        ),
        ("```\nopen", draft(Op.ADD, "X", after="- x"), "swallow"),
        ("# A\n\n<!-- open\n", draft(Op.ADD, "A", after="- x"), "swallow"),
        ("<!-- open\n", draft(Op.ADD, after="- x"), "at the end of the top of the file a fence"),
        (MEMORY, draft(Op.REMOVE, before="* Pour\n"), "not in the file as given"),
        (MEMORY, draft(Op.REMOVE, before="* Pour slowly.\n", line=5), "not in the file as given"),
        (MEMORY, draft(Op.REMOVE), "neither what to add nor what to remove"),
        (MEMORY, draft(Op.DELETE_LINK), "neither what to add nor what to remove"),
        (MEMORY, draft(Op.REPLACE, before="* Pour slowly.\n", after="- Pour slowly."), "changes nothing"),
        ("- x\n- y\n- x\n", draft(Op.REMOVE, before="- x\n"), "2 times"),
        (LATIN, draft(Op.REMOVE, before="- Zo\udceb\n"), "not UTF-8"),
        (LATIN, draft(Op.REPLACE, before="- Zo\udceb\n", after="- Zoe\n"), "not UTF-8"),
        (LATIN, draft(Op.ADD, "A", after="- \udceb\n"), "not UTF-8"),
        (LATIN, draft(Op.ADD, "\udceb", after="- x\n"), "not UTF-8"),
    ],
)
def test_a_draft_without_a_place_says_why(document: str, one: Draft, why: str) -> None:
    assert why in refused(document, one)


@each_row(
    ("document", "hunk", "why"),
    [
        ("# A\n", at_end("- x", "A"), "whole lines"),
        ("# A\n", at_end("\n\n", "A"), "whole lines"),
        (
            "# A\ny\n",
            Hunk(anchor=Anchor.SECTION_END, section=("A",), added="x\n", removed="y\n"),
            "removes nothing",
        ),
        ("ab\n", lines("b\n"), ""),
        ("ab\n", lines("a"), ""),
        ("a\nb\n", lines("a\n", "c"), ""),
        ("\ufeffab\n", lines("b\n"), ""),
        ("a\n", lines("a\n", "a\n"), "changes nothing"),
    ],
)
def test_parts_of_lines_are_never_touched(document: str, hunk: Hunk, why: str) -> None:
    assert why in reason(document, hunk)


def test_outer_headings_may_be_left_out_and_are_signed() -> None:
    hunk = made(MEMORY, draft(Op.ADD, "Lessons", after="- x"))
    assert hunk == at_end("* x\n", "Memory", "Lessons")


def test_a_list_with_blank_lines_between_items_goes_on_so() -> None:
    assert added("# A\n\n* a\n\n* b\n", "- x", "A") == "# A\n\n* a\n\n* b\n\n* x\n"
    hunk = made("# A\n\n* a\n\n* b\n", draft(Op.ADD, "A", after="- x"))
    assert applied("# A\n\n# B\n", hunk) == "# A\n\n* x\n\n# B\n"
    assert applied("", Hunk(anchor=hunk.anchor, section=("A",), added=hunk.added)) == "## A\n\n* x\n"


def test_sections_of_one_path_count_as_one() -> None:
    twice = "# A\n- a\n# B\n- c\n# A\n- b\n"
    assert added(twice, "- x", "A") == twice.replace("- a\n", "- a\n- x\n")
    hunk = made(twice, draft(Op.REMOVE, before="- b\n"))
    assert (hunk.section, hunk.line) == (("A",), 3)
    assert signed(twice, hunk, twice.replace("- c", "- d")) == twice.replace("- c", "- d").replace(
        "- b\n", ""
    )
    for now in (twice.replace("- a", "- y"), f"{twice}# A\n- z\n"):
        assert "has changed" in signed(twice, hunk, now)


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


# replacements and removals


@each_row(
    ("document", "before", "after", "expected"),
    [
        (MEMORY, "* Pour slowly.\n", "- Pour very slowly.\n", MEMORY.replace("Pour", "Pour very")),
        (MEMORY, "* Pour slowly.\n", "Pour very slowly.", MEMORY.replace("Pour", "Pour very")),
        ("a\r\n\r\nb", "b", "c\nd\n", "a\r\n\r\nc\r\nd"),
        ("a\r\n\r\nb\r\n", "a\n", "c\nd", "c\r\nd\r\n\r\nb\r\n"),
        # a removal glues no neighbours
        ("words\n1. x\n2. y\n", "1. x\n", "", "words\n\n2. y\n"),
        ("one\n```\nx\n```\ntwo\n", "```\nx\n```\n", "", "one\n\ntwo\n"),
        ("one\n- x\n- y\n", "- x\n", "", "one\n- y\n"),
        ("- x\n- y\n- z\n", "- y\n", "", "- x\n- z\n"),
        (LATIN, "- x\n", "", decode(b"# A\n\n- Zo\xeb\n")),
    ],
)
def test_a_replacement_takes_the_marks_and_ends_of_what_it_replaces(
    document: str, before: str, after: str, expected: str
) -> None:
    assert (replaced(document, before, after) if after else removed(document, before)) == expected


@from_corpus("text-changes-place")
def test_a_removal_leaves_no_doubled_blank_line(document: str, line: int, expected: str) -> None:
    assert removed(document, "- x", line) == expected


def test_lines_that_repeat_are_told_by_their_number_in_the_section() -> None:
    text = "# A\n\n- x\n- y\n- x\n- z\n"
    hunk = made(text, draft(Op.REMOVE, before="- x\n", line=5))
    assert (hunk.removed, hunk.section, hunk.line) == ("- x\n", ("A",), 4)
    assert applied(text, hunk) == "# A\n\n- x\n- y\n- z\n"
    assert "more than once" in reason(text.replace("- y\n", "- y\n- w\n"), hunk)
    assert applied(text.replace("- x\n- y\n", ""), hunk) == "# A\n\n- z\n", "the only one that is left"


def test_lines_stand_in_the_section_that_they_name() -> None:
    hunk = lines("- x\n", "- y\n", "A", line=1)
    assert applied("# A\n- x\n# B\n- x\n", hunk) == "# A\n- y\n# B\n- x\n"
    assert "no longer in the file" in reason("# A\n- X\n# B\n- x\n", hunk)
    assert "another heading" in reason("# C\n- x\n", hunk)


def test_a_hole_stands_for_any_character_of_a_line() -> None:
    hole = "\u2588" * 3
    hunk = lines(f"- pin {hole}\n", "", "A", line=1)
    assert applied("# A\n- pin 123\n- b\n", hunk) == "# A\n- b\n"
    assert "no longer" in reason("# A\n- pin 1234\n", hunk)


def test_no_change_puts_other_lines_under_another_heading() -> None:
    text = "# A\n\n- a\n\n## B\n\n- b\n"
    for hunk in (lines("# A\n", "", "A"), lines("- a\n", "# C\n", "A", line=2)):
        assert "under another heading" in reason(text, hunk)
    assert "cannot bring headings" in refused(text, draft(Op.REPLACE, before="- a\n", after="# C\n"))


# what was signed


def signed(shown: str, hunk: Hunk, now: str) -> str:
    """Give what a hunk that was shown in one text makes of another; why it has no place there."""
    found = place_signed(now, hunk, shown_in(shown, 1, hunk))
    return found.reason if isinstance(found, Unplaced) else put(now, found)


LIST = "# A\n\n- a\n- b\n\n# B\n\n- c\n"


@each_row(
    ("now", "expected"),
    [
        (LIST, "- x\n"),
        (LIST.replace("- c", "- d"), "- x\n"),
        (f"Top.\n\n{LIST}", "- x\n"),
        (LIST.replace("\n\n# B", "\n\n\n# B"), "- x\n"),
        (LIST.replace("- a", "- A"), "has changed"),
        (LIST.replace("# A", "# C"), "another heading"),
        (LIST.replace("- b\n", "- b\n- y\n"), "has changed"),
    ],
)
def test_a_replacement_goes_where_its_section_has_the_bytes_that_were_shown(now: str, expected: str) -> None:
    hunk = made(LIST, draft(Op.REPLACE, before="- b\n", after="- x\n"))
    found = signed(LIST, hunk, now)
    assert found == now.replace("- b\n", "- x\n") if expected == "- x\n" else expected in found


@each_row(
    ("now", "expected"),
    [
        (LIST, "- b\n- x\n"),
        (LIST.replace("- c", "- d"), "- b\n- x\n"),
        (LIST.replace("- b\n", "- b\n- y\n"), "- b\n- x\n- y\n"),
        (LIST.replace("- b\n", "- b\n\nNever:\n\n- y\n"), "has changed"),
        (LIST.replace("- b\n", ""), "has changed"),
        (LIST.replace("- a\n", "- A\n"), "has changed"),
        (LIST.replace("# A\n", "# A\n\nNever:\n"), "has changed"),
        (LIST.replace("# A", "# C"), "another heading"),
    ],
)
def test_an_addition_goes_directly_below_all_that_stood_above_it(now: str, expected: str) -> None:
    hunk = made(LIST, draft(Op.ADD, "A", after="- x"))
    found = signed(LIST, hunk, now)
    assert expected in found, found


def test_what_could_be_read_as_a_heading_goes_in_above_nothing_that_came_since() -> None:
    now = LIST.replace("- b\n", "- b\n- y\n")
    for after in ("**Never**", "- Never:"):
        assert "has changed" in signed(LIST, made(LIST, draft(Op.ADD, "A", after=after)), now)


def test_two_additions_that_make_one_section_both_go_in() -> None:
    one, two = (made(LIST, draft(Op.ADD, "New", after=text)) for text in ("- x", "- y"))
    first = signed(LIST, one, LIST)
    assert first == LIST + "\n# New\n\n- x\n"
    assert signed(LIST, two, first) == LIST + "\n# New\n\n- y\n- x\n"
    assert "another heading" in signed(first, two, LIST)


# several together


@given(documents(), entries_to_add(), st.data())
def test_an_addition_touches_no_other_byte_and_lands_in_its_section(
    document: str, entry: str, data: st.DataObject
) -> None:
    parsed = parse_markdown(document)
    path = data.draw(st.sampled_from([section.path for section in parsed.sections]))
    hunk = make_hunk(document, draft(Op.ADD, *path, after=entry))
    if isinstance(hunk, Unplaced):
        assert any(why in hunk.reason for why in ("swallow", "another heading"))
        return
    found = place(document, hunk)
    assert isinstance(found, Placed)
    assert found.start == found.end
    result = put(document, found)
    ours = [
        (hunk.section, e.text.rstrip("\r\n")) for e in find_entries(parse_markdown(hunk.added.strip("\r\n")))
    ]
    before = [(e.section, e.text.rstrip("\r\n")) for e in find_entries(parsed)]
    after = [(e.section, e.text.rstrip("\r\n")) for e in find_entries(parse_markdown(result))]
    assert ours
    assert any(after == before[:n] + ours + before[n:] for n in range(len(before) + 1))


@given(documents(), st.data())
def test_a_removal_takes_one_entry_and_leaves_every_other(document: str, data: st.DataObject) -> None:
    entries = find_entries(parse_markdown(document))
    if not entries:
        return
    entry = data.draw(st.sampled_from(entries))
    hunk = make_hunk(document, draft(Op.REMOVE, *entry.section, before=entry.text, line=entry.first_line))
    if isinstance(hunk, Unplaced):
        assert any(why in hunk.reason for why in ("another heading",))
        return
    assert hunk.section == entry.section
    assert entry.text in hunk.removed
    assert hunk.removed.replace(entry.text, "", 1).strip() == ""
    result = applied(document, hunk)
    lines = split_lines(document.removeprefix("\ufeff"))
    rest = [line for line in lines[: entry.first_line - 1] + lines[entry.last_line :] if line.strip()]
    left = [line for line in split_lines(result.removeprefix("\ufeff")) if line.strip()]
    assert left == rest
