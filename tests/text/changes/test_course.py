from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.documents import documents
from tests.text.drafts import applied

from nightledger.domain.proposal import Hunk
from nightledger.text.changes.diff import hunks_between, trace
from nightledger.text.changes.place import Unplaced
from nightledger.text.markdown.document import decode

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n", "e"]), max_size=12).map("".join)


@given(old=lines, new=lines, chosen=st.sets(st.integers(1, 12)))
def test_any_part_of_the_changes_holds_what_was_chosen_and_nothing_else(
    old: str, new: str, chosen: set[int]
) -> None:
    course = trace(old, new)
    assert course.rebuild(()) == old
    assert course.rebuild(range(1, len(course.runs) + 1)) == new
    expected = len(old) + sum(
        len(course.added(n)) - len(course.removed(n)) for n in chosen if n <= len(course.runs)
    )
    assert len(course.rebuild(chosen)) == expected


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    found = hunks_between(before, after)
    assert not isinstance(found, Unplaced), found
    return found


@given(documents() | lines, documents() | lines)
def test_the_hunks_of_an_edit_give_the_edited_document(before: str, after: str) -> None:
    assert applied(before, *hunks(before, after)) == after


@each_row(
    ("before", "after"),
    [("\ufeffa\na\n", "\ufeffa\n"), ("\ufeffa\n", "a\n"), ("a\n", "\ufeffa\n"), ("\ufeff", "a"), ("a", "")],
)
def test_a_byte_order_mark_can_come_go_and_stay(before: str, after: str) -> None:
    assert applied(before, *hunks(before, after)) == after


def test_each_run_of_changed_lines_is_a_hunk_with_the_section_of_its_first_line() -> None:
    before = "# A\n\na\n\n# B\n\nb\n"
    one, two = hunks(before, before.replace("a\n", "x\n").replace("b\n", "y\n"))
    assert (one.section, one.removed, one.added, one.line) == (("A",), "a\n", "x\n", 2)
    assert (two.section, two.removed, two.added, two.line) == (("B",), "b\n", "y\n", 6)
    (heading,) = hunks("# A\na\n# B\n", "# A\na\n# C\n")
    assert heading.section == ("B",)


def test_bytes_that_are_no_utf8_are_refused_where_they_are_touched() -> None:
    before = decode(b"\xff\na\n\nb\n")
    assert isinstance(hunks_between(before, before.replace("\udcff", "x")), Unplaced)
    assert applied(before, *hunks(before, before.replace("b", "c"))) == decode(b"\xff\na\n\nc\n")
