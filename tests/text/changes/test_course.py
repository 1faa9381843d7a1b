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


def test_too_many_changes_are_joined_the_nearest_first() -> None:
    old = "".join(f"line {n}\n" for n in range(600))
    assert len(trace(old, old.replace("0\n", "0!\n")).runs) == 50
    near = trace("a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nC\nd\ne\nf\ng\nH\n", most=2)
    assert [(near.removed(n), near.added(n)) for n in (1, 2)] == [("a\nb\nc\n", "A\nb\nC\n"), ("h\n", "H\n")]
