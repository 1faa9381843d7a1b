from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.changes.diff import trace

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
