from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.lived import live, name_of
from tests.gate.principled import seed

from nightledger.domain.constitution import FOUNDING
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Kind, Op
from nightledger.domain.retention import ReinforcementKind
from nightledger.files.configuration import home_zone
from nightledger.gate.memory.remembering import read_reinforcements, reinforce
from nightledger.jobs.curate import Curated, curate
from nightledger.jobs.prune import Asked, prune

SUBJECTS = ("fern", "relay", "backup", "invoice", "printer", "garden", "tunnel")
MEMORY = "# MEMORY.md\n\n## Lessons\n\n" + "".join(f"- Look after the {one} first.\n" for one in SUBJECTS)
PRINCIPLES = [f"constitution#{name}" for name in sorted(FOUNDING)]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = make_desk(tmp_path, memory=MEMORY.encode())
    seed(made)
    return made


def run(desk: Desk, *, dry_run: bool = False) -> Curated:
    return curate(desk.gate, desk.ledger(), desk.moment, dry_run=dry_run)


def ledger(desk: Desk) -> list[tuple[str, list[str]]]:
    return [(line.period, list(line.ids)) for line in read_reinforcements(desk.home)]


# ---------------------------------------------------------------- once a period


def test_no_activity_reinforces_nothing(desk: Desk) -> None:
    desk.wait(days=400)
    assert run(desk).reason == "0 of 40 active hours since the last pass"
    assert ledger(desk) == []


def test_the_constitution_is_reinforced_once_a_period_though_curate_runs_thrice(desk: Desk) -> None:
    live(desk, range(39))
    assert run(desk).reason == "39 of 40 active hours since the last pass"
    live(desk, range(39, 45))
    first = run(desk)
    assert (first.periods, first.constitutional_reinforced, first.reinforced) == ((40,), 10, 0)
    raw = Path(desk.home.reinforcements).read_bytes()
    for _ in range(2):
        again = run(desk)
        assert (again.constitutional_reinforced, again.reason) == (
            0,
            "5 of 40 active hours since the last pass",
        )
    assert Path(desk.home.reinforcements).read_bytes() == raw
    assert ledger(desk) == [("40", PRINCIPLES)]


def test_periods_that_a_pass_missed_are_made_up_for_each_with_its_own(desk: Desk) -> None:
    live(desk, range(41))
    run(desk)
    live(desk, range(41, 80), name_of(desk, "fern"))
    live(desk, range(80, 125), name_of(desk, "relay"))
    done = run(desk)
    assert (done.periods, done.constitutional_reinforced, done.reinforced) == ((80, 120), 20, 2)
    assert [(period, [one for one in ids if one.startswith("e-")]) for period, ids in ledger(desk)] == [
        ("40", []),
        ("80", [name_of(desk, "fern")]),
        ("120", [name_of(desk, "relay")]),
    ]


def test_what_a_home_did_before_it_was_curated_is_not_made_up_for(desk: Desk) -> None:
    live(desk, range(500))
    assert run(desk).periods == (480,)


def test_a_home_without_a_constitution_reinforces_entries_alone(tmp_path: Path) -> None:
    desk = make_desk(tmp_path, memory=MEMORY.encode())
    live(desk, range(40), name_of(desk, "fern"))
    done = run(desk)
    assert (done.reinforced, done.constitutional_reinforced) == (1, 0)
    assert ledger(desk) == [("40", [name_of(desk, "fern")])]


def test_mercy_is_no_pass(desk: Desk) -> None:
    live(desk, range(50))
    reinforce(desk.home, ReinforcementKind.MERCY, "now", 50, [name_of(desk, "fern")])
    assert run(desk).periods == (40,)


# ---------------------------------------------------------------- what is reinforced


def test_five_at_most_by_what_they_were_good_for_in_the_period(desk: Desk) -> None:
    for n, subject in enumerate(SUBJECTS):
        live(desk, range(9 - n), name_of(desk, subject))
    live(desk, range(9, 40))
    assert run(desk).reinforced == 5
    ((_, ids),) = ledger(desk)
    assert [one for one in ids if one.startswith("e-")] == sorted(name_of(desk, one) for one in SUBJECTS[:5])


def test_being_shown_often_or_failing_reinforces_nothing(desk: Desk) -> None:
    live(desk, range(20), name_of(desk, "fern"), outcome="failure")
    live(desk, range(20), name_of(desk, "fern"))
    live(desk, range(20, 30), name_of(desk, "relay"), outcome="partial")
    live(desk, range(30, 40), "cron + time_zone")
    assert run(desk).reinforced == 0


def test_one_session_counts_once_a_day_however_often_it_records(desk: Desk) -> None:
    live(desk, range(20), name_of(desk, "fern"), session="loop", timestamp="2026-03-01T07:00:00Z")
    live(desk, range(20, 22), name_of(desk, "relay"))
    live(desk, range(22, 40), [name_of(desk, one) for one in SUBJECTS[2:6]])
    run(desk)
    ((_, ids),) = ledger(desk)
    assert name_of(desk, "relay") in ids
    assert name_of(desk, "fern") not in ids


def test_an_entry_that_is_gone_or_unsigned_is_not_reinforced(desk: Desk) -> None:
    fern, relay = name_of(desk, "fern"), name_of(desk, "relay")
    live(desk, range(40), [fern, relay])
    text = desk.text().replace("- Look after the relay first.\n", "- Look after the relay last.\n")
    desk.memory.write_text(text.replace("- Look after the fern first.\n", ""))
    assert run(desk).reinforced == 0


# ---------------------------------------------------------------- what is proposed


def faded_home(desk: Desk, hours: int = 400) -> None:
    live(desk, range(hours), name_of(desk, "fern"))


def test_what_faded_is_proposed_for_the_archive_and_what_is_useful_stays(desk: Desk) -> None:
    faded_home(desk)
    done = run(desk)
    assert done.faded == 6
    (proposal,) = [desk.proposal_of(name) for name in done.proposals]
    assert (proposal.kind, proposal.lane, proposal.period) == (Kind.PRUNE, "job", "2026-03")
    assert {change.op for change in proposal.changes} == {Op.ARCHIVE}
    assert all("fern" not in change.before for change in proposal.changes)
    assert "active hours" in proposal.changes[0].reason
    assert desk.text() == MEMORY


def test_one_proposal_removes_a_quarter_at_most_and_says_so(desk: Desk) -> None:
    faded_home(desk)
    (name,) = run(desk).proposals
    changes = desk.proposal_of(name).changes
    assert len(changes) == 1
    assert sum(len(change.before) for change in changes) <= len(MEMORY) / 4
    assert [flag.rule for flag in changes[0].flags] == ["budget.split"]


def test_faded_entries_are_asked_about_once_a_month(desk: Desk) -> None:
    faded_home(desk)
    assert len(run(desk).proposals) == 1
    live(desk, range(400, 445), name_of(desk, "fern"))
    done = run(desk)
    assert (done.proposals, done.reason) == ((), "faded entries are asked about once a month")


def test_what_was_refused_gives_its_place_to_the_next(desk: Desk) -> None:
    faded_home(desk)
    (name,) = run(desk).proposals
    first = desk.proposal_of(name)
    desk.reject(first)
    live(desk, range(1000, 1045), name_of(desk, "fern"))
    (name,) = run(desk).proposals
    assert desk.proposal_of(name).changes[0].before != first.changes[0].before


def test_where_nothing_can_prove_useful_nothing_is_proposed(desk: Desk) -> None:
    live(desk, range(400))
    done = run(desk)
    assert (done.faded, done.proposals) == (7, ())
    assert done.reason == "no outcome names what was shown before it, so nothing can have proved useful"


def test_what_the_consent_graph_blocks_stays(tmp_path: Path) -> None:
    desk = make_desk(
        tmp_path,
        memory=b"# MEMORY.md\n\n- Never open the garage: open_garage is for people.\n- Toggle lights at dusk.\n",
    )
    live(desk, range(400), "something")
    done = run(desk)
    assert (done.faded, done.kept) == (2, 1)
    changes = [change for name in done.proposals for change in desk.proposal_of(name).changes]
    assert ["Toggle lights" in change.before for change in changes] == [True]  # asked for, not blocked


def test_the_best_connected_fifth_stays(desk: Desk) -> None:
    live(desk, range(400), name_of(desk, "fern"), context_tags=["printer", "toner"])
    from nightledger.files.configuration import home_zone
    from nightledger.jobs.link import link

    link(desk.home, home_zone(desk.home, desk.gate.settings))
    assert run(desk).faded == 5


def test_a_dry_run_counts_and_writes_nothing(desk: Desk) -> None:
    faded_home(desk)
    before = {path: path.read_bytes() for path in Path(desk.home.root).rglob("*") if path.is_file()}
    done = run(desk, dry_run=True)
    assert (done.faded, done.constitutional_reinforced, len(done.proposals)) == (6, 10, 1)
    assert {path: path.read_bytes() for path in Path(desk.home.root).rglob("*") if path.is_file()} == before


def test_a_pass_that_died_before_its_line_proposes_nothing_twice(desk: Desk) -> None:
    faded_home(desk)
    first = run(desk)
    Path(desk.home.reinforcements).unlink()
    again = run(desk)
    assert again.proposals == ()
    assert again.periods == first.periods
    assert len(desk.ledger().book.proposals) == 1


def test_links_of_little_confidence_are_asked_about_one_by_one(desk: Desk) -> None:
    live(desk, range(1), context_tags=["mast", "sail"], outcome="failure")
    live(desk, range(1, 2), context_tags=["oar", "sail"], outcome="failure")
    live(desk, range(24 * 90, 24 * 90 + 40), context_tags=["hull", "keel"])
    done = run(desk)
    assert done.weak_links == 2
    found = [desk.proposal_of(name) for name in done.proposals]
    assert [[change.op for change in one.changes] for one in found] == [[Op.DELETE_LINK]] * 2
    assert {one.changes[0].hunk.removed for one in found} == {"mast + sail", "oar + sail"}
    assert {one.title for one in found} == {"Forget the link mast + sail", "Forget the link oar + sail"}
    assert all("both tags occurred together once, last on " in one.changes[0].reason for one in found)
    live(desk, range(24 * 90 + 40, 24 * 90 + 81), context_tags=["hull", "keel"])
    assert run(desk).proposals == ()


def test_a_link_that_failed_often_is_asked_about_and_the_pruner_leaves_the_question_open(desk: Desk) -> None:
    for day in (1, 2, 3):
        live(desk, range(24 * day, 24 * day + 1), context_tags=["mast", "sail"], outcome="failure")
    live(desk, range(24 * 70, 24 * 70 + 40), context_tags=["hull", "keel"])
    done = run(desk)
    (made,) = done.proposals
    (change,) = desk.proposal_of(made).changes
    assert change.hunk.removed == "mast + sail"
    assert "both tags occurred together 3 times, last on " in change.reason
    today = log_day(desk.moment.at, home_zone(desk.home, desk.gate.settings))
    (tally,) = prune(desk.gate, desk.ledger(), Asked(today=today, ops=(Op.DELETE_LINK,)), desk.moment).tallies
    assert (tally.old, tally.waiting, tally.closed, tally.suppressed, tally.proposed) == (0, 0, 0, 0, 0)
    assert desk.states(desk.proposal_of(made)) == ["pending"]


def test_a_link_that_failed_lately_stays_for_what_failed_would_begin_anew(desk: Desk) -> None:
    for day in (40, 41, 42):
        live(desk, range(24 * day, 24 * day + 1), context_tags=["mast", "sail"], outcome="failure")
    live(desk, range(24 * 90, 24 * 90 + 40), context_tags=["hull", "keel"])
    assert run(desk).weak_links == 0


def test_a_link_that_may_still_be_right_is_left_to_the_pruner(desk: Desk) -> None:
    live(desk, range(1), context_tags=["mast", "sail"])
    live(desk, range(24 * 90, 24 * 90 + 40), context_tags=["hull", "keel"])
    assert run(desk).weak_links == 0
