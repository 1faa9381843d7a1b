import json

from tests.jobs.nights import Nights
from tests.jobs.pruning import CLOSED, LOG, answer, read, remember, run, tally

from nightledger.domain.proposal import Op
from nightledger.gate.proposing.views import build_views
from nightledger.jobs.prune import EVERYTHING


def full(nights: Nights) -> None:
    nights.write("2026-01-05.md", LOG)
    remember(nights, CLOSED)
    nights.tell("-80 + once", tags="lamp dust")


def test_a_week_proposes_each_kind_in_a_proposal_of_its_own(nights: Nights) -> None:
    full(nights)
    done = run(nights)
    assert [(t.op, t.proposed) for t in done.tallies] == [(op, 1) for op in EVERYTHING]
    assert [proposal.period for t in done.tallies for proposal in t.proposals] == [
        "2026-03-01",
        "2025-11",
        "2026-01",
    ]
    assert done.reason == ""


def test_a_rerun_proposes_nothing_twice(nights: Nights) -> None:
    full(nights)
    first, second = run(nights), run(nights)
    assert sum(t.proposed for t in first.tallies) == 3
    assert [(t.proposed, t.waiting + t.suppressed) for t in second.tallies] == [(0, 1)] * 3


def test_a_dry_run_writes_nothing_and_tells_the_same(nights: Nights) -> None:
    full(nights)
    before = nights.files()
    dry = run(nights, dry_run=True)
    assert nights.written_in(before) == {}
    assert dry == run(nights)


def test_what_was_proposed_can_be_applied_and_undone_byte_for_byte(nights: Nights) -> None:
    full(nights)
    before = read(nights, "MEMORY.md"), read(nights, "memory/2026-01-05.md")
    done = run(nights)
    for found in done.tallies:
        answer(nights, found)
    assert b"pump leaks" in read(nights, "memory/archive/2026.md")
    assert read(nights, "memory/archive/daily/2026-01-05.md") == LOG.encode()
    assert read(nights, "memory/2026-01-05.md").startswith(b"# 2026-01-05: Greenhouse\n> Full text: ")
    for found in done.tallies:
        for proposal in found.proposals:
            nights.desk.undo(proposal)
            assert nights.desk.states(proposal) == ["undone"]
    assert (read(nights, "MEMORY.md"), read(nights, "memory/2026-01-05.md")) == before
    assert read(nights, "memory/archive/2026.md") == b""
    assert read(nights, "memory/archive/daily/2026-01-05.md") == b""


def test_a_clock_before_the_newest_entry_of_the_log_prunes_nothing(nights: Nights) -> None:
    full(nights)
    nights.desk.wait(days=-3)
    assert run(nights).reason.endswith("by such a clock nothing is old")


def test_a_log_that_changes_while_its_proposal_waits_is_proposed_anew(nights: Nights) -> None:
    nights.write("2026-01-05.md", LOG)
    first = tally(nights, Op.COMPRESS)
    assert tally(nights, Op.COMPRESS).waiting == 1
    nights.write("2026-01-05.md", LOG + "- The basil has new leaves\n")
    second = tally(nights, Op.COMPRESS)
    assert (second.closed, second.proposed) == (1, 1)
    assert nights.desk.states(first.proposals[0]) == ["superseded"]


def test_the_request_names_each_candidate_in_the_published_fields(nights: Nights) -> None:
    full(nights)
    done = run(nights)
    desk = nights.desk
    view = build_views(desk.gate, desk.ledger())
    candidates = json.loads(view[desk.home.prune_view])["prune_candidates"]
    assert [(c["type"], c["proposed_action"]) for c in candidates] == [
        ("hebbian_link", "delete"),
        ("memory_entry", "archive"),
        ("daily_log", "compress"),
    ]
    assert candidates[0]["key"] == "dust + lamp"
    assert candidates[1]["section"] == "MEMORY.md > Projects > Projects"
    assert candidates[1]["entry_id"] == done.tallies[1].proposals[0].changes[0].entry
    assert candidates[2]["path"] == "memory/2026-01-05.md"
    assert all(c["reason"] and c["proposal"].startswith("p-") for c in candidates)
    assert json.loads(view[desk.home.pending_view]) == {
        "v": 1,
        "proposed_additions": [],
        "proposed_removals": [],
    }
