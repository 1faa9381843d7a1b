import random  # noqa: TID251 - seeded, for test material
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rows import from_corpus
from tests.text.documents import documents

from nightledger.text.changes.diff import Run, changed_runs, unified_diff
from nightledger.text.markdown.document import split_lines

LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=12)


def runs(old: str, new: str) -> list[list[int]]:
    return [[r.old_start, r.old_stop, r.new_start, r.new_stop] for r in changed_runs(old, new)]


def rebuilt(old: list[str], new: list[str], found: tuple[Run, ...]) -> list[str]:
    lines: list[str] = []
    at = 0
    for run in found:
        lines += old[at : run.old_start]
        assert len(lines) == run.new_start
        lines += new[run.new_start : run.new_stop]
        assert len(lines) == run.new_stop
        at = run.old_stop
    return lines + old[at:]


def patched(before: str, diff: str) -> str:
    """Apply a unified diff by its own headers: an independent reading of what it says."""
    if not diff:
        return before
    old = split_lines(before)
    lines: list[str] = []
    at = 0
    body = split_lines(diff)[2:]
    for n, line in enumerate(body):
        if line.startswith("@@"):
            start, _, count = line.split(" ")[1][1:].partition(",")
            first = int(start) if count == "0" else int(start) - 1
            lines += old[at:first]
            at = first
        elif not line.startswith("\\"):
            bare = body[n + 1 : n + 2] == ["\\ No newline at end of file\n"]
            text = line[1:-1] if bare else line[1:]
            if line[0] != "+":
                assert old[at] == text
                at += 1
            if line[0] != "-":
                lines.append(text)
    return "".join(lines + old[at:])


@given(LINES, LINES)
def test_runs_and_equal_lines_give_both_texts(old: list[str], new: list[str]) -> None:
    found = changed_runs(old, new)
    assert rebuilt(old, new, found) == new
    assert all(one.old_stop < two.old_start for one, two in pairwise(found))
    assert not any(old[r.old_start : r.old_stop] == new[r.new_start : r.new_stop] for r in found)


@from_corpus("text-changes-diff")
def test_runs_are_few_lines_and_stand_as_far_down_as_they_can(
    old: str, new: str, expected: list[list[int]]
) -> None:
    assert runs(old, new) == expected


@given(documents(), documents())
def test_a_unified_diff_turns_one_text_into_the_other(before: str, after: str) -> None:
    diff = unified_diff(before, after)
    assert patched(before, diff) == after
    assert bool(diff) == (before != after)


def test_a_unified_diff_looks_as_everybody_knows_it() -> None:
    before = "# Tea\n\n## Lessons\n\n- one\n- two\n- three\n- four\n- five\n"
    after = before.replace("- four\n", "- 4\n- 4b\n")
    assert unified_diff(before, after) == (
        "--- a/MEMORY.md\n"
        "+++ b/MEMORY.md\n"
        "@@ -5,5 +5,6 @@ Tea > Lessons\n"
        " - one\n"
        " - two\n"
        " - three\n"
        "-- four\n"
        "+- 4\n"
        "+- 4b\n"
        " - five\n"
    )
    marker = "\\ No newline at end of file\n"
    assert unified_diff("a", "b").endswith(f"@@ -1 +1 @@\n-a\n{marker}+b\n{marker}")
    assert unified_diff("", "a\r\n", path="x/Y.md") == "--- a/x/Y.md\n+++ b/x/Y.md\n@@ -0,0 +1 @@\n+a\r\n"
    assert unified_diff("a\nb\n", "").endswith("@@ -1,2 +0,0 @@\n-a\n-b\n")


def test_distant_changes_have_a_hunk_each_and_near_ones_share_it() -> None:
    before = "".join(f"{n}\n" for n in range(30))
    near = before.replace("\n5\n", "\nx\n").replace("\n12\n", "\ny\n")
    assert unified_diff(before, near).count("@@ ") == 1
    far = before.replace("\n5\n", "\nx\n").replace("\n13\n", "\ny\n")
    assert unified_diff(before, far).count("@@ ") == 2


def test_a_hunk_names_the_section_that_its_first_change_is_in() -> None:
    before = "# A\n\na\n\n# B\n\nb\n"
    assert "@@ A\n" in unified_diff(before, before.replace("a\n\n#", "a\nx\n\n#"))
    assert "@@ B\n" in unified_diff(before, before.replace("# B", "# C"))
    assert "@@ B\n" in unified_diff(before, before + "c\n")


@pytest.mark.parametrize("kind", ["alike", "few words", "shuffled", "every seventh", "doubled"])
def test_a_megabyte_is_compared_in_linear_time(kind: str) -> None:
    """20,000 lines; a bound far above what it takes (0.1 s) that a square of them exceeds."""
    drawn = random.Random(7)  # noqa: S311 - test material
    old, new = {
        "alike": (["same\n"] * 20_000, ["same\n"] * 19_000),
        "few words": tuple([f"{drawn.randrange(40)}\n" for _ in range(20_000)] for _ in range(2)),
        "shuffled": (
            [f"{n}\n" for n in range(20_000)],
            [f"{n}\n" for n in drawn.sample(range(20_000), 20_000)],
        ),
        "every seventh": (
            [f"{n}\n" for n in range(20_000)],
            [f"{n}\n" if n % 7 else "x\n" for n in range(20_000)],
        ),
        "doubled": ([f"{n}\n" for n in range(10_000)] * 2, [f"{n}\n" for n in range(10_000)]),
    }[kind]
    began = time.process_time()
    assert rebuilt(old, new, changed_runs(old, new)) == new
    assert time.process_time() - began < 5
