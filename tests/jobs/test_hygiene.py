from pathlib import Path

import pytest
from tests.gate.homes import Desk, make_desk
from tests.gate.lived import add_outcome
from tests.gate.test_naming import ids, pinned

from nightledger.domain.proposal import Kind, Op
from nightledger.domain.pruning import BUDGET_RULE
from nightledger.gate.proposing import Outcome
from nightledger.gate.remembering import Facts, read_facts
from nightledger.jobs.curate import Judged, pending, propose_archive, survey, why

INDEX = "- The index is rebuilt at night. #Search"
RELAY = "- The relay is restarted after an upgrade."
RSYNC = "- Always pass --checksum to rsync."
PORTS = "- Name the ports of every service."
MEMORY = (
    f"# MEMORY.md\n\n## Projects\n\n### Atlas North\n\n{INDEX}\n{RELAY}\n\n## Lessons\n\n{RSYNC}\n{PORTS}\n"
    "- Label the cables.\n- Ask Mira about invoices.\n- Water the garden.\n"
)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Give a home that was active for 330 hours: rsync helped, the relay misled, the ports are pinned."""
    desk = make_desk(tmp_path, memory=MEMORY.encode())
    names = ids(desk)
    pinned(desk, PORTS)
    for n in range(330):
        desk.wait(hours=1)
        add_outcome(desk.home, desk.moment.at, outcome="success" if n % 2 else "failure")
        if n % 11 == 0:
            add_outcome(desk.home, desk.moment.at, names[RSYNC], session=f"r{n}")
            add_outcome(desk.home, desk.moment.at, names[RELAY], session=f"s{n}", outcome="failure")
    return desk


def words(judged: Judged) -> str:
    return judged.remembered.placed.entry.text.strip()


def archive(desk: Desk, facts: Facts, *texts: str) -> list[Outcome]:
    chosen = [one for one in pending(survey(facts)) if not texts or words(one) in texts]
    return propose_archive(desk.gate, desk.ledger(), chosen, facts, desk.moment)


def test_what_helped_is_active_what_is_pinned_immune_the_rest_pending_and_each_says_why(desk: Desk) -> None:
    facts = read_facts(desk.gate, desk.ledger(), desk.moment)
    judged = survey(facts)
    assert (len(pending(judged)), words(pending(judged)[0])) == (5, RELAY)
    assert {words(one) for one in judged if not one.faded} == {RSYNC, PORTS}
    assert [words(one) for one in judged if one.remembered.memory.immune] == [PORTS]
    said = {words(one): why(one, facts) for one in judged}
    assert said[RSYNC].startswith("30 of 30 tasks succeeded after it was shown, ")
    assert said[RELAY].startswith("0 of 30 tasks succeeded after it was shown, ")
    assert said[INDEX] == "nothing is known to have come of it; 330 active hours old, standard, utility 0.04"


def test_what_the_operator_lets_go_is_proposed_once_and_within_the_budget(desk: Desk) -> None:
    facts, before = read_facts(desk.gate, desk.ledger(), desk.moment), desk.memory.read_bytes()
    desk.memory.write_bytes(before.replace(INDEX.encode(), b"- Something else."))
    (lost,) = archive(desk, facts, INDEX)
    assert (lost.proposal, [problem[:13] for problem in lost.problems]) == (None, ["MEMORY.md:7: "])
    desk.memory.write_bytes(before)
    archived = archive(desk, facts)
    assert {(one.suppressed, *one.problems) for one in archived} == {(0,)}
    proposals = [one.proposal for one in archived if one.proposal]
    assert [len(one.changes) for one in proposals] == [1, 2, 2]
    first = proposals[0]
    assert (first.kind, first.lane, first.period) == (Kind.PRUNE, "operator", "2026-03")
    assert first.title == "Archive what faded in MEMORY.md, part 1 of 3"
    (change,) = first.changes
    target = change.also[0].target
    assert (change.op, change.before.strip(), target) == (Op.ARCHIVE, RELAY, "memory/archive/2026.md")
    assert change.reason.startswith("Hygiene: 0 of 30")
    assert [flag.rule for flag in change.flags] == [BUDGET_RULE]
    (again,) = archive(desk, facts, RELAY)
    assert (again.proposal, again.suppressed, again.problems) == (None, 1, [])
