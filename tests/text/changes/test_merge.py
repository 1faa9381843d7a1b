from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus

from nightledger.text.changes.merge import merge3

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


@from_corpus("text-changes-merge")
def test_changes_of_both_sides_are_joined_or_conflict(
    base: str,
    ours: str,
    theirs: str,
    theirs_first: bool,  # noqa: FBT001 - a row
    result: str | None,
) -> None:
    """A run moves where lines repeat; a missing final newline is apart from the last line; on request, both of one place."""
    assert merge3(base, ours, theirs, theirs_first=theirs_first) == result


@given(LINES, LINES, LINES, LINES, LINES)
def test_changes_with_unchanged_lines_between_never_conflict(
    top: str, new_top: str, end: str, new_end: str, middle: str
) -> None:
    fixed = f"=\n{middle}==\n"
    result = merge3(top + fixed + end, new_top + fixed + end, top + fixed + new_end)
    assert result == new_top + fixed + new_end


@given(LINES, LINES, LINES)
def test_each_side_s_new_lines_are_kept_and_none_is_made_up(base: str, ours: str, theirs: str) -> None:
    result = merge3(base, ours, theirs)
    if result is not None:
        for line in {*result.split("\n"), *ours.split("\n"), *theirs.split("\n")}:
            here, was, mine, other = (t.split("\n").count(line) for t in (result, base, ours, theirs))
            assert here <= mine + other
            assert was or here >= max(mine, other)
