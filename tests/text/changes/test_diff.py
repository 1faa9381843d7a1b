import random  # noqa: TID251 - seeded, for test material
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus
from tests.text.documents import documents

from nightledger.text.changes.diff import UNJOINED, changed_runs, trace, unified_diff
from nightledger.text.markdown.document import split_lines

UNENDED = "\n\\ No newline at end of file\n"
TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "d\r\n", "e"]), max_size=12).map("".join)


def patched(before: str, diff: str) -> str:
    """Apply a unified diff by its own headers: an independent reading of what it says."""
    old, lines, at = split_lines(before), list[str](), 0
    for line in split_lines(diff.replace(UNENDED, "\0\n"))[2:]:
        text = line[1:].removesuffix("\0\n")
        if line.startswith("@@"):
            start, _, count = line.split(" ")[1][1:].partition(",")
            first = int(start) - (count != "0")
            lines += old[at:first]
            at = first
            continue
        if line[0] != "+":
            assert old[at] == text
            at += 1
        if line[0] != "-":
            lines.append(text)
    return "".join(lines + old[at:])


@given(old=TEXTS, new=TEXTS, chosen=st.sets(st.integers(1, 12)))
def test_any_part_of_the_changes_holds_what_was_chosen_and_nothing_else(
    old: str, new: str, chosen: set[int]
) -> None:
    course = trace(old, new)
    numbers, shift = range(1, len(course.runs) + 1), 0
    assert (course.rebuild(()), course.rebuild(numbers)) == (old, new)
    grown = (len(course.added(n)) - len(course.removed(n)) for n in chosen.intersection(numbers))
    assert len(course.rebuild(chosen)) == len(old) + sum(grown)
    assert all(one.old_stop < two.old_start for one, two in pairwise(course.runs))
    for n, run in enumerate(course.runs, 1):
        assert course.removed(n) != course.added(n)
        assert run.new_start == run.old_start + shift
        shift = run.new_stop - run.old_stop


@from_corpus("text-changes-diff")
def test_runs_are_few_lines_and_stand_as_far_down_as_they_can(
    old: str, new: str, expected: list[list[int]]
) -> None:
    runs = changed_runs(old, new)
    assert [[r.old_start, r.old_stop, r.new_start, r.new_stop] for r in runs] == expected


def test_too_many_changes_are_joined_the_nearest_first() -> None:
    old = "".join(f"line {n}\n" for n in range(600))
    assert len(trace(old, old.replace("0\n", "0!\n")).runs) == 50
    near = trace("a\nb\nc\nd\ne\nf\ng\nh\n", "A\nb\nC\nd\ne\nf\ng\nH\n", most=2)
    assert [(near.removed(n), near.added(n)) for n in (1, 2)] == [("a\nb\nc\n", "A\nb\nC\n"), ("h\n", "H\n")]


@given(documents(), documents())
def test_a_unified_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    diff = unified_diff(before, after)
    assert patched(before, diff) == after
    assert bool(diff) == (before != after)


@from_corpus("text-changes-diff")
def test_a_unified_diff_looks_as_everybody_knows_it(path: str, before: str, after: str, diff: str) -> None:
    """A hunk names the section that its first change is in; a line without an end is told."""
    assert unified_diff(before, after, path=path) == diff


def test_distant_changes_have_a_hunk_each_and_near_ones_share_it() -> None:
    before = "".join(f"{n}\n" for n in range(30))
    for other, hunks in (("\n12\n", 1), ("\n13\n", 2)):
        after = before.replace("\n5\n", "\nx\n").replace(other, "\ny\n")
        assert unified_diff(before, after).count("@@ ") == hunks


_NUMBERED, _DRAWN = [f"{n}\n" for n in range(20_000)], random.Random(7)  # noqa: S311 - test material


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["same\n"] * 20_000, ["same\n"] * 19_000),
        (_DRAWN.choices(_NUMBERED[:40], k=20_000), _DRAWN.choices(_NUMBERED[:40], k=20_000)),
        (_NUMBERED, _DRAWN.sample(_NUMBERED, 20_000)),
        (_NUMBERED, [line if n % 7 else "x\n" for n, line in enumerate(_NUMBERED)]),
        (_NUMBERED[:10_000] * 2, _NUMBERED[:10_000]),
    ],
    ids=["alike", "few words", "shuffled", "every seventh", "doubled"],
)
def test_a_megabyte_is_compared_in_linear_time(old: list[str], new: list[str]) -> None:
    """20,000 lines; a bound far above what it takes (0.1 s, 5 where the collector walks a large heap) that a square of them exceeds."""
    began = time.process_time()
    course = trace("".join(old), "".join(new), most=UNJOINED)
    assert course.rebuild(range(1, len(course.runs) + 1)) == "".join(new)
    assert time.process_time() - began < 30
