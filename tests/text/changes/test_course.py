from hypothesis import given
from hypothesis import strategies as st

from nightledger.text.changes.course import MOST_CHANGES, trace

lines = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n", "e"]), max_size=12).map("".join)


@given(old=lines, new=lines)
def test_none_of_the_changes_give_the_old_text_and_all_the_new(old: str, new: str) -> None:
    course = trace(old, new)
    assert course.rebuild(()) == old
    assert course.rebuild(range(1, len(course.runs) + 1)) == new


@given(old=lines, new=lines, chosen=st.sets(st.integers(1, 12)))
def test_any_part_of_them_holds_what_was_chosen_and_nothing_else(
    old: str, new: str, chosen: set[int]
) -> None:
    course = trace(old, new)
    text = course.rebuild(chosen)
    expected = len(old) + sum(
        len(course.added(n)) - len(course.removed(n)) for n in chosen if n <= len(course.runs)
    )
    assert len(text) == expected


def test_each_change_says_what_it_takes_out_and_puts_in() -> None:
    course = trace("a\nb\nc\n", "a\nB\nc\nd\n")
    assert [(course.removed(n), course.added(n)) for n in (1, 2)] == [("b\n", "B\n"), ("", "d\n")]
    assert course.rebuild([2]) == "a\nb\nc\nd\n"


def test_too_many_changes_are_joined_the_nearest_first() -> None:
    old = "".join(f"line {n}\n" for n in range(400))
    new = old.replace("0\n", "0!\n")
    assert len(trace(old, new, most=1000).runs) == 40
    course = trace(old, new, most=7)
    assert len(course.runs) == 7
    assert course.rebuild(()) == old
    assert course.rebuild(range(1, 8)) == new
    assert MOST_CHANGES == 50
    near = trace("a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nC\nd\ne\nf\ng\nH\n", most=2)
    assert [near.added(n) for n in (1, 2)] == ["A\nb\nC\n", "H\n"]
