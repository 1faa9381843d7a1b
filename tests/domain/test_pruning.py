from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.lanes import MOST_FORGOTTEN
from nightledger.domain.proposal import Draft, Op
from nightledger.domain.pruning import (
    BUDGET_SHARE,
    LinkUse,
    blocked_words,
    clock_problem,
    find_weak,
    in_portions,
    names_blocked,
)

TODAY = date(2026, 6, 30)


def ago(days: int) -> date:
    return TODAY - timedelta(days=days)


def use(first: str, second: str, sessions: int, days_ago: int) -> LinkUse:
    return LinkUse(first, second, sessions, ago(days_ago).toordinal())


@pytest.mark.parametrize(("days", "goes"), [(60, False), (61, True), (0, False), (-3, False)])
def test_a_link_goes_that_occurred_once_and_was_not_seen_for_more_than_60_days(
    days: int, *, goes: bool
) -> None:
    found = find_weak([use("a", "b", 1, days)], TODAY)
    assert bool(found.removable) is goes
    assert (found.links, found.bridges) == (1, ())


@pytest.mark.parametrize(("days", "goes"), [(60, False), (61, True)])
def test_a_faint_link_goes_however_often_it_occurred_once_it_was_not_seen_for_long(
    days: int, *, goes: bool
) -> None:
    faint = use("a", "b", 9, days)._replace(faint=True)
    assert [link.pair for link in find_weak([faint], TODAY).removable] == [("a", "b")] * goes


def test_weak_and_faint_links_together_separate_no_well_used_groups() -> None:
    groups = [use("a", "b", 3, 5), use("c", "d", 3, 5)]
    weak, faint = use("a", "c", 1, 80), use("b", "d", 9, 90)._replace(faint=True)
    found = find_weak([*groups, weak, faint], TODAY)
    assert found.bridges == (weak,), "the newer of the two"
    assert found.removable == (faint,)
    assert find_weak([*groups, faint], TODAY).bridges == (faint,)


def test_the_longest_unseen_link_comes_first() -> None:
    links = [use("c", "d", 1, 70), use("a", "b", 1, 300), use("e", "f", 1, 300)]
    assert [link.pair for link in find_weak(links, TODAY).removable] == [("a", "b"), ("e", "f"), ("c", "d")]


def test_a_clock_before_the_newest_record_judges_nothing() -> None:
    now = datetime(2026, 6, 30, 3, tzinfo=UTC)
    assert clock_problem(now, None) == ""
    assert clock_problem(now, now) == ""
    assert clock_problem(now, now + timedelta(minutes=1)) == (
        "the clock says 2026-06-30 03:00 UTC, and the newest record is of 2026-06-30 03:01 UTC"
    )


def portions(sizes: list[int], total: int) -> list[tuple[list[int], str, str]]:
    """Give of each portion the lines of its drafts, what its title says, and the flag of all of them."""
    drafts = [removal(line, size) for line, size in enumerate(sizes)]
    found = []
    for members, part in in_portions(drafts, total):
        flags = {"".join(flag.message for flag in draft.flags) for draft in members}
        found.append(([draft.line for draft in members], part, flags.pop()))
    return found


def removal(line: int, size: int) -> Draft:
    return Draft(
        op=Op.ARCHIVE, target="MEMORY.md", section=(), before="x" * size, line=line, after="", reason="", evidence=(),
        confidence=1.0, rank=0.0, statement_key=str(line),
    )  # fmt: skip


def test_what_would_take_more_than_a_quarter_is_split_and_flagged() -> None:
    assert portions([], 1000) == []
    assert portions([100, 150], 1000) == [([0, 1], "", "")]
    told = "together this would remove {} of the file, more than 25%"
    assert portions([400], 1000) == [([0], "", told.format("40%"))]
    assert portions([100, 200, 100, 50], 1000)[1] == (
        [1],
        ", part 2 of 3",
        f"{told.format('45%')}; this is part 2 of 3 and removes 20%",
    )
    many = portions([1] * (MOST_FORGOTTEN + 1), 10_000)
    assert [(len(lines), part, flag) for lines, part, flag in many] == [
        (MOST_FORGOTTEN, ", part 1 of 2", ""),
        (1, ", part 2 of 2", ""),
    ]


@given(st.lists(st.integers(1, 500), max_size=40), st.integers(1, 2000))
def test_no_portion_of_several_takes_more_than_its_share(sizes: list[int], total: int) -> None:
    found = [lines for lines, *_ in portions(sizes, total)]
    assert [line for lines in found for line in lines] == list(range(len(sizes)))
    assert all(len(lines) == 1 or sum(sizes[n] for n in lines) <= BUDGET_SHARE * total for lines in found)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Never unlock_doors for a courier", True),
        ("Unlock-Doors\n  is off", True),
        ("we unlock  doors", True),
        ("delete the branch", False),
        ("the doors", False),
    ],
)
def test_an_entry_speaks_of_a_blocked_action_by_its_name(text: str, *, named: bool) -> None:
    names = {"unlock_doors": Tier.BLOCKED, "delete": Tier.BLOCKED, "archive_*": Tier.BLOCKED}
    words = blocked_words(ConsentGraph(domains={"home": {**names, "open_doors": Tier.AUTONOMOUS}}))
    assert words == {"unlock doors"}
    assert names_blocked(text, words) is named
