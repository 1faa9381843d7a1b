"""What may be let go: weak links, entries in portions, by a clock that can be believed."""

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st
from tests.domain.gate_values import draft
from tests.rows import from_corpus

from nightledger.domain import pruning
from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.judge import MOST_FORGOTTEN
from nightledger.domain.outcome import Link, Tally

TODAY = date(2026, 6, 30)


@from_corpus("domain-pruning")
def test_a_link_goes_that_occurred_once_or_is_faint_and_was_not_seen_for_more_than_60_days(
    sessions: int, days: int, confidence: float, *, goes: bool
) -> None:
    last = (TODAY - timedelta(days=days)).toordinal()
    link = Link(("a", "b"), co_occurrences=sessions, tallies=[Tally("x")], resolutions=1, last_day=last)
    assert (pruning.is_weak(link, TODAY) or pruning.is_faint(link, confidence, TODAY)) is goes


def portions(sizes: list[int], total: int) -> list[tuple[list[int], str, str]]:
    """Give of each portion the lines of its drafts, what its title says, and the flag of all of them."""
    drafts = [draft(str(line), line=line, before="x" * size) for line, size in enumerate(sizes)]
    found = []
    for members, part in pruning.in_portions(drafts, total):
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
    assert all(
        len(lines) == 1 or sum(sizes[n] for n in lines) <= pruning.BUDGET_SHARE * total for lines in found
    )


@from_corpus("domain-pruning")
def test_an_entry_speaks_of_a_blocked_action_by_its_name(text: str, *, named: bool) -> None:
    names = {"unlock_doors": Tier.BLOCKED, "delete": Tier.BLOCKED, "archive_*": Tier.BLOCKED}
    words = pruning.blocked_words(ConsentGraph(domains={"home": {**names, "open_doors": Tier.AUTONOMOUS}}))
    assert words == {"unlock doors"}
    assert pruning.names_blocked(text, words) is named
