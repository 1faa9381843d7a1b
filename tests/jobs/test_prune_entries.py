import json
from pathlib import Path

from msgspec.structs import replace
from tests.gate.homes import addition, evidence
from tests.jobs.nights import Nights
from tests.jobs.pruning import CLOSED, answer, left, read, remember, tally

from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Draft, Op
from nightledger.gate.forgetting.forgotten import cited
from nightledger.gate.memory.naming import find_standing, pin_targets
from nightledger.gate.review.composing import make_unproposed
from nightledger.jobs.prune import Tally


def archive(nights: Nights, **asked: bool) -> Tally:
    return tally(nights, Op.ARCHIVE, **asked)


def texts(found: Tally) -> list[str]:
    return [change.before for proposal in found.proposals for change in proposal.changes]


def pin(nights: Nights, words: str) -> None:
    desk = nights.desk
    standing = find_standing(desk.home, desk.ledger().book).entries.values()
    targets = pin_targets([placed for placed in standing if words in placed.entry.text])
    desk.accept(make_unproposed(desk.gate, DecisionType.PIN, targets, desk.signing()))


def test_a_closed_entry_goes_to_the_archive_with_section_id_date_and_reason(nights: Nights) -> None:
    remember(nights, CLOSED, "- The pump is blue\n", section="Greenhouse")
    found = archive(nights)
    (proposal,) = found.proposals
    assert (proposal.period, proposal.title) == ("2025-11", "Archive 1 entry of MEMORY.md, closed in 2025-11")
    assert proposal.changes[0].reason == "resolved since 2025-11-03, 118 days ago"
    (evidence,) = proposal.changes[0].evidence
    assert cited(nights.desk.home, evidence).same
    answer(nights, found)
    archived = read(nights, "memory/archive/2026.md").decode()
    assert "Greenhouse" in archived.splitlines()[0]
    assert CLOSED in archived
    assert f"entry {proposal.changes[0].entry}: resolved since 2025-11-03" in archived
    assert "pump leaks" not in nights.desk.text()
    assert "The pump is blue" in nights.desk.text()


def test_what_cannot_be_told_is_named_and_stays(nights: Nights) -> None:
    remember(
        nights,
        "- The lamp flickers. STATUS: Done\n",
        "- The lamp hums. STATUS: Done 2025-02-30\n",
        "- The lamp glows. STATUS: Done 2031-01-01\n",
        "- STATUS: Closed 2025-01-01\n",
    )
    found = archive(nights)
    assert found.proposed == 0
    assert found.kept == {"no_date": 1, "impossible_date": 1, "future_date": 1, "of_section": 1}
    assert all(what.startswith("MEMORY.md:") for what in left(found))


def test_a_pinned_entry_stays(nights: Nights) -> None:
    remember(nights, CLOSED, "- The lamp hums. STATUS: Done 2025-10-01\n")
    pin(nights, "pump leaks")
    found = archive(nights)
    assert found.kept == {"pinned": 1}
    assert texts(found) == ["- The lamp hums. STATUS: Done 2025-10-01\n"]


def test_an_entry_that_a_sure_link_rests_on_stays(nights: Nights) -> None:
    remember(nights, CLOSED, section="Pump House")
    nights.tell("24 + seal", "25 + seal", "26 + seal", source_file="MEMORY.md#pump-house")
    assert archive(nights).kept == {"referenced": 1}


def lesson(outcome: str | None) -> Draft:
    """Give the addition of a closed entry that rests on an outcome."""
    rests_on = replace(evidence("memory/system/outcome-records.jsonl"), outcome=outcome)
    return replace(addition(CLOSED.removeprefix("- ").rstrip()), evidence=(rests_on,))


def test_an_entry_made_of_an_outcome_of_a_sure_link_stays(nights: Nights) -> None:
    nights.tell("24 + seal", "25 + seal", "26 + seal")
    line = Path(nights.desk.home.outcomes).read_text().splitlines()[0]
    nights.desk.applied(lesson(json.loads(line)["id"]))
    nights.desk.wait(days=120)
    assert archive(nights).kept == {"referenced": 1}


def test_what_would_empty_the_file_is_split_and_flagged(nights: Nights) -> None:
    entries = [f"- Task {n} of the greenhouse is over. STATUS: Done 2025-10-0{n}\n" for n in range(1, 10)]
    remember(nights, *entries)
    found = archive(nights)
    assert found.proposed == 9
    assert len(found.proposals) > 3
    total = len(nights.desk.text())
    for n, proposal in enumerate(found.proposals, 1):
        assert sum(len(change.before) for change in proposal.changes) <= total / 4
        assert proposal.title.endswith(f"closed in 2025-10, part {n} of {len(found.proposals)}")
        assert {flag.rule for change in proposal.changes for flag in change.flags} == {"budget.split"}
