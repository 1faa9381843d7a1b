from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.lanes import MOST_FORGOTTEN
from nightledger.domain.pruning import (
    BUDGET_SHARE,
    LinkUse,
    Portion,
    blocked_words,
    clock_problem,
    find_weak,
    is_long_closed,
    is_old_log,
    month_of,
    names_blocked,
    split_by_budget,
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


def test_a_link_that_occurred_twice_never_goes() -> None:
    assert find_weak([use("a", "b", 2, 900)], TODAY).removable == ()


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


def test_a_bridge_between_well_used_groups_is_counted_and_stays() -> None:
    links = [use("a", "b", 3, 90), use("c", "d", 3, 90), use("b", "c", 1, 90), use("d", "e", 1, 90)]
    found = find_weak(links, TODAY)
    assert [link.pair for link in found.removable] == [("d", "e")]
    assert (len(found.bridges), found.links) == (1, 4)


@pytest.mark.parametrize(("days", "closed"), [(90, False), (91, True)])
def test_an_entry_goes_when_it_is_closed_for_more_than_90_days(days: int, *, closed: bool) -> None:
    assert is_long_closed(ago(days), TODAY) is closed


@pytest.mark.parametrize(("days", "old"), [(30, False), (31, True), (-1, False)])
def test_a_log_is_compressed_when_it_is_older_than_30_days(days: int, *, old: bool) -> None:
    assert is_old_log(ago(days), TODAY) is old


def test_a_clock_before_the_newest_record_judges_nothing() -> None:
    now = datetime(2026, 6, 30, 3, tzinfo=UTC)
    assert clock_problem(now, None) == ""
    assert clock_problem(now, now) == ""
    assert clock_problem(now, now + timedelta(minutes=1)) == (
        "the clock says 2026-06-30 03:00 UTC, and the newest record is of 2026-06-30 03:01 UTC"
    )


def test_what_is_within_the_budget_is_one_portion_without_a_flag() -> None:
    assert split_by_budget([100, 150], 1000) == (
        Portion(part=1, parts=1, members=(0, 1), share=0.25, whole=0.25),
    )
    assert split_by_budget([100, 150], 1000)[0].flag == ""
    assert split_by_budget([], 1000) == ()


def test_what_would_take_more_than_a_quarter_is_split_and_flagged() -> None:
    portions = split_by_budget([100, 200, 100, 50], 1000)
    assert [portion.members for portion in portions] == [(0,), (1,), (2, 3)]
    assert portions[1].flag == (
        "together this would remove 45% of the file, more than 25%; this is part 2 of 3 and removes 20%"
    )


def test_one_entry_of_more_than_a_quarter_stands_alone_and_is_flagged() -> None:
    (portion,) = split_by_budget([400], 1000)
    assert portion.flag == "together this would remove 40% of the file, more than 25%"


def test_many_small_entries_are_split_by_number_and_not_flagged() -> None:
    portions = split_by_budget([1] * (MOST_FORGOTTEN + 1), 10_000)
    assert [len(portion.members) for portion in portions] == [MOST_FORGOTTEN, 1]
    assert [portion.flag for portion in portions] == ["", ""]


@given(st.lists(st.integers(1, 500), max_size=40), st.integers(1, 2000))
def test_no_portion_of_several_takes_more_than_its_share(sizes: list[int], total: int) -> None:
    portions = split_by_budget(sizes, total)
    assert [at for portion in portions for at in portion.members] == list(range(len(sizes)))
    assert all(portion.share <= BUDGET_SHARE or len(portion.members) == 1 for portion in portions)


def test_a_month_is_named_by_its_year() -> None:
    assert month_of(date(2026, 2, 28)) == "2026-02"


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
    words = blocked_words(["unlock_doors", "delete", "archive_*"])
    assert words == {"unlock doors"}
    assert names_blocked(text, words) is named
