from datetime import date
from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.memory.test_naming import ids
from tests.gate.memory.test_pinning import pinned
from tests.gate.used import add_outcome

from nightledger.domain.proposal import Kind, Op
from nightledger.domain.pruning import BUDGET_RULE
from nightledger.domain.retention import Policy, Status
from nightledger.gate.memory.remembering import Facts, read_facts, read_reinforcements
from nightledger.jobs.curate import Judged, Survey, propose_archive, show_mercy, survey, why

MEMORY = (
    "# MEMORY.md\n\n## Projects\n\n### Atlas North\n\n- The index is rebuilt at night. #Search\n"
    "- The relay is restarted after an upgrade.\n\n## Lessons\n\n- Always pass --checksum to rsync.\n"
    "- Name the ports of every service.\n- Label the cables.\n- Ask Mira about invoices.\n- Water the garden.\n"
)
INDEX = "- The index is rebuilt at night. #Search"
RELAY = "- The relay is restarted after an upgrade."
RSYNC = "- Always pass --checksum to rsync."
PORTS = "- Name the ports of every service."
TODAY = date(2026, 3, 20)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a home that was active for 330 hours: rsync helped, the relay misled, the ports are pinned."""
    desk = make_desk(tmp_path, memory=MEMORY.encode())
    names = ids(desk)
    pinned(desk, PORTS)
    for n in range(330):
        desk.wait(hours=1)
        result = "success" if n % 2 else "failure"
        add_outcome(desk.home, desk.moment.at, outcome=result)
        if n % 11 == 0:
            add_outcome(desk.home, desk.moment.at, names[RSYNC], session=f"r{n}")
            add_outcome(desk.home, desk.moment.at, names[RELAY], session=f"s{n}", outcome="failure")
    return desk


def facts(desk: Desk) -> Facts:
    return read_facts(desk.gate, desk.ledger(), desk.moment)


def words(judged: Judged) -> str:
    return judged.remembered.placed.entry.text.strip()


def measured(desk: Desk, project: str = "") -> Survey:
    return survey(facts(desk), Policy.MEASURED, project=project)


def test_what_helped_is_active_what_is_pinned_immune_and_the_rest_pending(desk: Desk) -> None:
    found = measured(desk)
    assert (found.active, found.immune, len(found.pending)) == (1, 1, 5)
    assert words(found.pending[0]) == RELAY
    assert {words(one) for one in found.judged if one.status is Status.ACTIVE} == {RSYNC, PORTS}


def test_every_entry_says_why(desk: Desk) -> None:
    found = measured(desk)
    said = {words(one): why(one, found.facts) for one in found.judged}
    assert said[RSYNC].startswith("it helped: 30 of 30 tasks succeeded after it was shown, ")
    assert said[RELAY].startswith("it misled: 0 of 30 tasks succeeded after it was shown, ")
    assert said[INDEX] == "nothing is known to have come of it; 330 active hours old, standard, utility 0.04"


@pytest.mark.parametrize(
    ("project", "count"),
    [
        ("atlas north", 2),
        ("Atlas-North", 2),
        ("search", 1),
        ("self/goal", 1),
        ("projects", 2),
        ("nothing", 0),
    ],
)
def test_a_project_is_a_heading_a_hashtag_or_a_signed_tag(desk: Desk, project: str, count: int) -> None:
    pinned(desk, RSYNC, tag="self/goal")
    assert len(measured(desk, project).judged) == count


def test_what_the_operator_lets_go_is_proposed_within_the_budget(desk: Desk) -> None:
    found = measured(desk)
    archived = propose_archive(desk.gate, desk.ledger(), found.pending, found.facts, TODAY, desk.moment)
    assert (archived.suppressed, archived.problems) == (0, ())
    assert len(archived.proposals) == 3
    assert [len(one.changes) for one in archived.proposals] == [1, 2, 2]
    first = archived.proposals[0]
    assert (first.kind, first.lane, first.period) == (Kind.PRUNE, "operator", "2026-03")
    assert first.title == "Archive what faded in MEMORY.md, part 1 of 3"
    change = first.changes[0]
    assert (change.op, change.before.strip(), change.also[0].target) == (
        Op.ARCHIVE,
        RELAY,
        "memory/archive/2026.md",
    )
    assert change.reason.startswith("Hygiene: it misled: 0 of 30")
    assert [flag.rule for flag in change.flags] == [BUDGET_RULE]


def test_mercy_counts_as_made_anew(desk: Desk) -> None:
    found = measured(desk)
    spared = [one for one in found.pending if words(one) in (INDEX, RELAY)]
    assert show_mercy(desk.gate, spared, found.facts, desk.moment)
    assert not show_mercy(desk.gate, spared, found.facts, desk.moment)
    (line,) = read_reinforcements(desk.home)
    assert (line.kind.value, line.active_hours, len(line.ids)) == ("mercy", 330, 2)
    after = measured(desk)
    assert {words(one) for one in after.pending}.isdisjoint({INDEX, RELAY})
