import pytest
from hypothesis import given
from hypothesis import strategies as st

from nightledger.domain.links import MAX_RIVALS, Link, Tally, link_key, split_key, was_shown


def tally(resolution: str, successes: int = 0, failures: int = 0, last_day: int = 1) -> Tally:
    return Tally(resolution, successes=successes, failures=failures, last_day=last_day)


def link(*tallies: Tally, sessions: int = 1) -> Link:
    return Link(
        ("cron", "time_zone"),
        co_occurrences=sessions,
        tallies=tallies,
        resolutions=len(tallies),
        last_day=max(one.last_day for one in tallies),
    )


def test_stretches_of_a_log_add_up_and_the_newest_sources_are_named() -> None:
    older = Tally("set_zone", 1, 2, 3, 1, 2, 30, ("c", "b", "a"))
    newer = Tally("set_zone", 10, 20, 30, 10, 20, 20, ("f", "e", "d"))
    assert newer.after(older) == Tally("set_zone", 11, 22, 33, 11, 22, 30, ("f", "e", "d", "c", "b"))


def test_the_best_resolution_has_the_most_evidence() -> None:
    assert link(tally("often", 9, 4), tally("always", 3)).best.resolution == "always"


@pytest.mark.parametrize(("sessions", "confidence"), [(1, 0.4), (2, 0.6603), (3, 0.85), (10_000, 0.98)])
def test_a_session_counts_for_one_success_at_most(sessions: int, confidence: float) -> None:
    found = link(tally("again", 10_000), sessions=sessions)
    assert (found.counted(found.best), found.confidence(found.best)) == (sessions, confidence)


def test_of_equal_evidence_more_successes_then_the_newer_then_the_name_win() -> None:
    assert link(tally("tried", 4, 1), tally("new", 2)).best.resolution == "tried"
    assert link(tally("a", 2, 0, 5), tally("b", 2, 0, 6)).best.resolution == "b"
    assert link(tally("b", 2), tally("a", 2)).best.resolution == "a"


def test_the_rivals_are_the_next_best_and_all_are_counted() -> None:
    made = link(*(tally(f"r{n}", successes=n) for n in range(9)))
    assert [one.resolution for one in made.rivals] == ["r7", "r6", "r5", "r4", "r3"]
    assert len(made.rivals) == MAX_RIVALS
    assert made.resolutions == 9


@given(st.lists(st.text("abc_+", min_size=1), min_size=2, max_size=2, unique=True))
def test_a_name_gives_its_tags_back(tags: list[str]) -> None:
    assert split_key(link_key(*tags)) == tuple(sorted(tags))


@pytest.mark.parametrize(
    "key", ["", "cron", "cron+disk", "disk + cron", "cron + cron", " + cron", "a + b + c"]
)
def test_what_is_no_name_of_a_link_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="is not the name of a link"):
        split_key(key)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([], False),
        (["set_zone"], True),
        (["cron + time_zone"], True),
        (["cron + disk"], False),
        (["restart", "e-abcdefghijklmnopqrstuvwxyz"], False),
    ],
)
def test_a_resolution_was_shown_by_its_name_or_by_a_link_of_the_outcomes_tags(
    shown: list[str], *, expected: bool
) -> None:
    assert was_shown("set_zone", ("cron", "mail", "time_zone"), shown) is expected
