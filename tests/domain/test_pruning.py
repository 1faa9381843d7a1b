"""What may be let go: weak links but for bridges, entries in portions, by a clock that can be believed."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.rows import each_row

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.lanes import MOST_FORGOTTEN
from nightledger.domain.proposal import Draft, Op
from nightledger.domain.pruning import (
    BUDGET_SHARE,
    Groups,
    LinkUse,
    blocked_words,
    clock_problem,
    find_bridges,
    find_weak,
    in_portions,
    names_blocked,
)

TODAY = date(2026, 6, 30)


def use(first: str, second: str, sessions: int = 1, days_ago: int = 90) -> LinkUse:
    low, high = sorted((first, second))
    return LinkUse(low, high, sessions, (TODAY - timedelta(days=days_ago)).toordinal())


@each_row("sessions, days, faint, goes", [
    (1, 60, False, False), (1, 61, False, True), (1, -3, False, False), (2, 900, False, False), (9, 60, True, False), (9, 61, True, True),
])  # fmt: skip
def test_a_link_goes_that_occurred_once_or_is_faint_and_was_not_seen_for_more_than_60_days(
    sessions: int, days: int, *, faint: bool, goes: bool
) -> None:
    found = find_weak([use("a", "b", sessions, days)._replace(faint=faint)], TODAY)
    assert (bool(found.removable), found.links, found.bridges) == (goes, 1, ())


def test_the_longest_unseen_link_comes_first_and_a_bridge_is_counted_and_stays() -> None:
    links = [use("c", "d", 1, 70), use("a", "b", 1, 300), use("e", "f", 1, 300)]
    assert [link.pair for link in find_weak(links, TODAY).removable] == [("a", "b"), ("e", "f"), ("c", "d")]
    links = [use("a", "b", 3), use("c", "d", 3), use("b", "c"), use("d", "e")]
    found = find_weak(links, TODAY)
    assert [link.pair for link in found.removable] == [("d", "e")]
    assert (len(found.bridges), found.links) == (1, 4)


def groups_of(*links: LinkUse) -> Groups:
    groups = Groups()
    for link in links:
        groups.join(link)
    return groups


BACKUPS = (use("backup", "disk", 3), use("backup", "rsync", 2))
INVOICES = (use("invoice", "pdf", 2), use("invoice", "mail", 2))
RARE = (use("lamp", "bulb", 2),)  # two sessions are fewer than three
ONCE = tuple(use("a", name) for name in "bcdefgh")


@each_row(
    "groups, weak, bridges",
    [
        (INVOICES, [use("disk", "pdf")], {("disk", "pdf")}),
        (
            INVOICES,
            [use("disk", "pdf", 1, 95), use("rsync", "mail", 1, 91), use("disk", "mail", 1, 93)],
            {("mail", "rsync")},
        ),
        (
            INVOICES,
            [use("disk", "x"), use("x", "pdf"), use("x", "y"), use("y", "z")],
            {("disk", "x"), ("pdf", "x")},
        ),
        (RARE, [use("disk", "lamp")], set()),
        (ONCE, [use("disk", "a")], set()),
        ((), [use("disk", "rsync")], set()),
    ],
)
def test_of_the_links_between_well_used_groups_the_newest_way_stays(
    groups: tuple[LinkUse, ...], weak: list[LinkUse], bridges: set[tuple[str, str]]
) -> None:
    assert find_bridges(groups_of(*BACKUPS, *groups), weak) == bridges


NAMES = "abcdefghij"
LINKS = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 4), st.integers(1, 9))
    .filter(lambda made: made[0] != made[1])
    .map(lambda made: use(*made)),
    max_size=25,
    unique_by=lambda link: link.pair,
)


@given(links=LINKS, dropped=st.lists(st.booleans(), min_size=25, max_size=25))
def test_whatever_else_is_deleted_well_used_groups_stay_connected_and_no_bridge_stays_for_nothing(
    links: list[LinkUse], dropped: list[bool]
) -> None:
    weak = [link for link in links if link.co_occurrences == 1]
    strong = [link for link in links if link not in weak]
    bridges, groups = find_bridges(groups_of(*strong), weak), groups_of(*strong)
    kept = [link for link, gone in zip(weak, dropped, strict=False) if link.pair in bridges or not gone]
    before, after = groups_of(*strong, *weak), groups_of(*strong, *kept)
    used = [name for name in NAMES if groups.is_well_used(groups.of(name))]
    for one in used:
        assert all(
            (before.of(one) == before.of(other)) == (after.of(one) == after.of(other)) for other in used
        )
    for pair in bridges:
        left = groups_of(*strong, *(link for link in weak if link.pair in bridges and link.pair != pair))
        sides = {left.of(pair[0]), left.of(pair[1])}
        assert len(sides) == 2
        assert all(any(left.of(name) == side for name in used) for side in sides)


def test_a_clock_before_the_newest_record_judges_nothing() -> None:
    now = datetime(2026, 6, 30, 3, tzinfo=UTC)
    assert clock_problem(now, None) == clock_problem(now, now) == ""
    assert clock_problem(now, now + timedelta(minutes=1)) == (
        "the clock says 2026-06-30 03:00 UTC, and the newest record is of 2026-06-30 03:01 UTC"
    )


def portions(sizes: list[int], total: int) -> list[tuple[list[int], str, str]]:
    """Give of each portion the lines of its drafts, what its title says, and the flag of all of them."""
    drafts = [
        Draft(
            op=Op.ARCHIVE, target="MEMORY.md", section=(), before="x" * size, line=line, after="", reason="", evidence=(),
            confidence=1.0, rank=0.0, statement_key=str(line),
        ) for line, size in enumerate(sizes)
    ]  # fmt: skip
    found = []
    for members, part in in_portions(drafts, total):
        (flag,) = {"".join(flag.message for flag in draft.flags) for draft in members}
        found.append(([draft.line for draft in members], part, flag))
    return found


def test_what_would_take_more_than_a_quarter_is_split_and_flagged() -> None:
    told = "together this would remove {} of the file, more than 25%"
    assert portions([100, 150], 1000) == [([0, 1], "", "")]
    assert portions([400], 1000) == [([0], "", told.format("40%"))]
    said = f"{told.format('45%')}; this is part 2 of 3 and removes 20%"
    assert portions([100, 200, 100, 50], 1000)[1] == ([1], ", part 2 of 3", said)
    many = portions([1] * (MOST_FORGOTTEN + 1), 10_000)
    assert [(len(lines), part) for lines, part, _ in many] == [(100, ", part 1 of 2"), (1, ", part 2 of 2")]


@given(st.lists(st.integers(1, 500), max_size=40), st.integers(1, 2000))
def test_no_portion_of_several_takes_more_than_its_share(sizes: list[int], total: int) -> None:
    found = [lines for lines, *_ in portions(sizes, total)]
    assert [line for lines in found for line in lines] == list(range(len(sizes)))
    assert all(len(lines) == 1 or sum(sizes[n] for n in lines) <= BUDGET_SHARE * total for lines in found)


@each_row(
    "text, named",
    [
        ("Never unlock_doors for a courier", True),
        ("Unlock-Doors\n  is off", True),
        ("delete the doors", False),
    ],
)
def test_an_entry_speaks_of_a_blocked_action_by_its_name(text: str, *, named: bool) -> None:
    names = {"unlock_doors": Tier.BLOCKED, "delete": Tier.BLOCKED, "archive_*": Tier.BLOCKED}
    words = blocked_words(ConsentGraph(domains={"home": {**names, "open_doors": Tier.AUTONOMOUS}}))
    assert words == {"unlock doors"}
    assert names_blocked(text, words) is named
