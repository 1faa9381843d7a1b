from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row, from_corpus

from nightledger.text.changes.merge import merge3

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


def text(letters: str) -> str:
    return "".join(f"{letter}\n" for letter in letters)


def merged(base: str, ours: str, theirs: str, *, theirs_first: bool = False) -> str | None:
    result = merge3(text(base), text(ours), text(theirs), theirs_first=theirs_first)
    return None if result is None else result.replace("\n", "")


@from_corpus("text-changes-merge")
def test_changes_of_both_sides_are_joined_or_conflict(
    base: str, ours: str, theirs: str, result: str | None
) -> None:
    """A run moves where lines repeat: taking out ". b" and ". c" overlap at a dot in some readings, not in all."""
    assert merged(base, ours, theirs) == result
    assert merged(base, theirs, ours) == result


@each_row(
    ("base", "ours", "theirs", "result"),
    [("ab", "axb", "ayb", "ayxb"), ("ab", "axb", "axb", "axb"), ("abc", "axc", "ayc", None)],
)
def test_two_additions_at_one_place_are_ordered_on_request(
    base: str, ours: str, theirs: str, result: str | None
) -> None:
    assert merged(base, ours, theirs, theirs_first=True) == result


@from_corpus("text-changes-merge")
def test_a_missing_final_newline_is_apart_from_the_last_line(
    base: str, ours: str, theirs: str, result: str | None
) -> None:
    assert merge3(base, ours, theirs) == result


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
