import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.text.documents import documents
from tests.text.drafts import applied

from nightledger.domain.proposal import Hunk
from nightledger.text.changes.edits import hunks_between
from nightledger.text.changes.place import Unplaced
from nightledger.text.markdown.document import decode

LINES = st.lists(st.sampled_from(["a\n", "b\r\n", "\n", "a"]), max_size=9).map("".join)


def hunks(before: str, after: str) -> tuple[Hunk, ...]:
    found = hunks_between(before, after)
    assert not isinstance(found, Unplaced), found
    return found


@given(documents(), documents())
def test_the_hunks_of_an_edit_give_the_edited_document(before: str, after: str) -> None:
    assert applied(before, *hunks(before, after)) == after


@given(LINES, LINES)
def test_repeated_lines_and_missing_ends_are_told_apart(before: str, after: str) -> None:
    assert applied(before, *hunks(before, after)) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [("\ufeffa\na\n", "\ufeffa\n"), ("\ufeffa\n", "a\n"), ("a\n", "\ufeffa\n"), ("\ufeff", "a"), ("a", "")],
)
def test_a_byte_order_mark_can_come_go_and_stay(before: str, after: str) -> None:
    assert applied(before, *hunks(before, after)) == after


def test_each_run_of_changed_lines_is_a_hunk_with_its_section() -> None:
    before = "# A\n\na\n\n# B\n\nb\n"
    one, two = hunks(before, before.replace("a\n", "x\n").replace("b\n", "y\n"))
    assert (one.section, one.removed, one.added, one.line) == (("A",), "a\n", "x\n", 2)
    assert (two.section, two.removed, two.added, two.line) == (("B",), "b\n", "y\n", 6)


def test_a_hunk_is_in_the_section_of_its_own_first_line() -> None:
    (above,) = hunks("# A\na\n# B\n", "# A\nx\n# B\n")
    (heading,) = hunks("# A\na\n# B\n", "# A\na\n# C\n")
    assert (above.section, heading.section) == (("A",), ("B",))


def test_no_edit_is_no_hunk() -> None:
    assert hunks("a\n", "a\n") == ()


def test_bytes_that_are_no_utf8_are_refused_where_they_are_touched() -> None:
    before = decode(b"\xff\na\n\nb\n")
    assert isinstance(hunks_between(before, before.replace("\udcff", "x")), Unplaced)
    assert applied(before, *hunks(before, before.replace("b", "c"))) == decode(b"\xff\na\n\nc\n")
