import random  # noqa: TID251 - seeded, for test material
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row
from tests.text.documents import documents

from nightledger.text.changes.merge import Conflict, Merged, Span, merge3

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=8).map("".join)


def text(letters: str) -> str:
    return "".join(f"{letter}\n" for letter in letters)


def merged(base: str, ours: str, theirs: str, *, theirs_first: bool = False) -> str | None:
    result = merge3(text(base), text(ours), text(theirs), theirs_first=theirs_first)
    return result.text.replace("\n", "") if isinstance(result, Merged) else None


@each_row(
    ("base", "ours", "theirs", "result"),
    [
        ("abc", "abc", "abc", "abc"),
        ("abc", "axc", "abc", "axc"),
        ("abc", "abc", "axc", "axc"),
        ("abc", "axc", "axc", "axc"),
        ("abc", "xbc", "aby", "xby"),
        ("abc", "xbc", "ayc", "xyc"),
        ("abc", "bc", "abcd", "bcd"),
        ("abc", "abcx", "ab", "abx"),
        ("abc", "xabc", "bc", "xbc"),
        ("abc", "axbc", "ac", "axc"),
        ("abc", "ac", "ac", "ac"),
        ("abcd", "ad", "acd", None),
        ("abc", "axc", "ayc", None),
        ("abc", "abxc", "abyc", None),
        ("abc", "abxc", "abxc", "abxc"),
        ("", "a", "b", None),
        ("ab", "", "ab", ""),
        ("a.b.c", "a.b", "a.c", "a"),
        ("ab.cd", "ab.x.cd", "ab", "ab.x"),
    ],
)
def test_changes_of_both_sides_are_joined_or_conflict(
    base: str, ours: str, theirs: str, result: str | None
) -> None:
    assert merged(base, ours, theirs) == result
    assert merged(base, theirs, ours) == result


def test_a_conflict_names_every_place_with_all_three_texts() -> None:
    result = merge3(text("abcdefg"), text("axcdeyyg"), text("apcdeqg"))
    assert result == Conflict(
        spans=(
            Span(first_line=2, last_line=2, base="b\n", ours="x\n", theirs="p\n"),
            Span(first_line=6, last_line=7, base="f\n", ours="y\ny\n", theirs="q\n"),
        )
    )


def test_a_conflict_where_ours_has_no_line_has_an_empty_span() -> None:
    result = merge3(text("abc"), text("ac"), text("axc"))
    assert result == Conflict(spans=(Span(first_line=2, last_line=1, base="b\n", ours="", theirs="x\n"),))


def test_two_additions_at_one_place_are_ordered_only_on_request() -> None:
    assert merged("ab", "axb", "ayb") is None
    assert merged("ab", "axb", "ayb", theirs_first=True) == "ayxb"
    assert merged("ab", "axb", "axb", theirs_first=True) == "axb"
    assert merged("abc", "axc", "ayc", theirs_first=True) is None


def test_a_run_moves_where_lines_repeat_to_avoid_a_conflict() -> None:
    """Taking out ". b" and ". c" of "a . b . c . d" overlap at a dot in some readings, not in all."""
    assert merged("a.b.c.d", "a.c.d", "a.b.d") == "a.d"
    assert merged("a.b.c.d", "a.b.x.c.d", "a.c.d") == "a.x.c.d"
    assert merged(".p.x.n", ".x", ".p.n") == ""


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result"),
    [
        ("a\nb\n", "a\nb\nc\n", "a\nb", "a\nb\nc\n"),
        ("a\nb\n", "x\nb\n", "a\nb", "x\nb"),
        ("a\nb", "a\nb\n", "x\nb", "x\nb\n"),
        ("a\nb", "x\nb", "a\nb", "x\nb"),
        ("x\n- a\n", "x\n- a\n- b\n", "x", "x\n- b\n"),
        ("x\r\n- a\r\n", "x\r\n- a\r\n- b\r\n", "x", "x\r\n- b\r\n"),
        ("a\nb", "a\nc", "x\nb", "x\nc"),
        ("a\r\nb\r\n", "a\r\nb", "x\r\nb\r\n", "x\r\nb"),
        ("a\nb\r", "a\nb\r", "x\nb\r", "x\nb\r"),
        ("a\nb\r", "c\nb\r", "a\nx\nb\r", None),
        ("a\nm\nb\r", "c\nm\nb\r", "a\nm\nx\nb\r", "c\nm\nx\nb\r"),
    ],
)
def test_a_missing_final_newline_is_apart_from_the_last_line(
    base: str, ours: str, theirs: str, result: str | None
) -> None:
    outcome = merge3(base, ours, theirs)
    assert outcome == (Merged(text=result) if result is not None else outcome)
    assert isinstance(outcome, Merged) or result is None


@given(documents(), documents())
def test_an_untouched_change_is_taken_back_byte_for_byte(before: str, after: str) -> None:
    assert merge3(after, after, before) == Merged(text=before)
    assert merge3(after, before, after) == Merged(text=before)
    assert merge3(after, before, before) == Merged(text=before)


@given(LINES, LINES, LINES)
def test_exchanged_sides_keep_the_same_lines(base: str, ours: str, theirs: str) -> None:
    one, two = merge3(base, ours, theirs), merge3(base, theirs, ours)
    if isinstance(one, Merged) and isinstance(two, Merged):
        assert sorted(one.text.split("\n")) == sorted(two.text.split("\n"))


@given(LINES, LINES, LINES, LINES, LINES)
def test_changes_with_unchanged_lines_between_never_conflict(
    top: str, new_top: str, end: str, new_end: str, middle: str
) -> None:
    fixed = f"=\n{middle}==\n"
    result = merge3(top + fixed + end, new_top + fixed + end, top + fixed + new_end)
    assert result == Merged(text=new_top + fixed + new_end)


@given(LINES, LINES, LINES)
def test_no_line_is_made_up_or_dropped_without_a_side_wanting_it(base: str, ours: str, theirs: str) -> None:
    result = merge3(base, ours, theirs)
    if isinstance(result, Merged):
        for line in set(result.text.split("\n")):
            here, was, mine, other = (t.split("\n").count(line) for t in (result.text, base, ours, theirs))
            assert (
                min(was, mine, other, mine + other - was) <= here <= max(was, mine, other, mine + other - was)
            )


def test_twenty_thousand_lines_merge_in_linear_time() -> None:
    drawn = random.Random(7)  # noqa: S311 - test material
    base = [f"{drawn.randrange(5000)}\n" for _ in range(20_000)]
    ours = [line if n % 9 else "ours\n" for n, line in enumerate(base)]
    theirs = [line if n % 11 else "theirs\n" for n, line in enumerate(base)]
    began = time.process_time()
    merge3("".join(base), "".join(ours), "".join(theirs))
    assert time.process_time() - began < 8
