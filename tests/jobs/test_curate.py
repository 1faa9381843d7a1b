from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.lived import live, name_of
from tests.gate.signers import seed

from nightledger.domain.periods import log_day
from nightledger.files.configuration import home_zone
from nightledger.gate.remembering import read_reinforcements
from nightledger.jobs.curate import Curated, curate
from nightledger.jobs.prune import prune

SUBJECTS = ("fern", "relay", "backup", "invoice", "printer", "garden", "tunnel")
MEMORY = "# MEMORY.md\n\n## Lessons\n\n" + "".join(f"- Look after the {one} first.\n" for one in SUBJECTS)


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


# ---------------------------------------------------------------- what is proposed


def faded_home(desk: Desk, hours: int = 400) -> None:
    live(desk, range(hours), name_of(desk, "fern"))


def test_a_pass_that_died_before_its_line_proposes_nothing_twice(desk: Desk) -> None:
    faded_home(desk)
    first = run(desk)
    Path(desk.home.reinforcements).unlink()
    again = run(desk)
    assert again.proposals == ()
    assert again.periods == first.periods
    assert len(desk.ledger().book.proposals) == 1


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
    tally, *_ = prune(desk.gate, desk.ledger(), today, desk.moment).tallies
    assert (tally.old, tally.waiting, tally.closed, tally.suppressed, tally.proposed) == (0, 0, 0, 0, 0)
    assert desk.states(desk.proposal_of(made)) == ["pending"]
