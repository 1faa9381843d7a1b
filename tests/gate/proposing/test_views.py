import json
from pathlib import Path

import pytest
from tests.gate.homes import Desk, addition, removal

from nightledger.domain.states import ProposalStatus
from nightledger.gate import stored
from nightledger.gate.opening import Gate
from nightledger.gate.proposing.views import build_views, refresh_views, stale_views
from nightledger.gate.stored import Stored, read_proposal

SECRET = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3hJ6"


def read(path: str) -> dict[str, object]:
    record: dict[str, object] = json.loads(Path(path).read_bytes())
    return record


def test_what_waits_stands_in_the_published_fields(desk: Desk) -> None:
    proposal = desk.proposal(addition("Set the zone.", rank=0.9), removal("- Keep backups for 30 days."))
    written = refresh_views(desk.gate, desk.ledger())
    assert written == [
        "memory/state/tc-consolidate-pending.json",
        "memory/state/tc-prune-request.json",
        "memory/system/entries.json",
    ]
    assert read(desk.home.pending_view) == {
        "v": 1,
        "proposed_additions": [
            {
                "proposal": proposal.id,
                "n": 1,
                "section": "MEMORY.md > Lessons",
                "content": "- Set the zone.",
                "source": "memory/2026-02-28.md:1",
                "confidence": 0.5,
            }
        ],
        "proposed_removals": [
            {
                "proposal": proposal.id,
                "n": 2,
                "section": "MEMORY.md > Decisions",
                "entry": "- Keep backups for 30 days.\n",
                "reason": "it is over",
            }
        ],
    }


def test_a_view_is_written_only_when_it_changed(desk: Desk) -> None:
    desk.proposal(addition("One."))
    assert stale_views(desk.gate, desk.ledger()) != []
    refresh_views(desk.gate, desk.ledger())
    assert stale_views(desk.gate, desk.ledger()) == []
    assert refresh_views(desk.gate, desk.ledger()) == []
    Path(desk.home.entries).write_text("by hand")
    assert stale_views(desk.gate, desk.ledger()) == ["memory/system/entries.json"]
    assert refresh_views(desk.gate, desk.ledger()) == ["memory/system/entries.json"]


def test_what_was_answered_waits_no_more(desk: Desk) -> None:
    proposal = desk.proposal(addition("One.", rank=0.9), addition("Two."))
    desk.approve(proposal, only=[1])
    view = json.loads(build_views(desk.gate, desk.ledger())[desk.home.pending_view])
    assert [item["n"] for item in view["proposed_additions"]] == [2]


def test_every_entry_says_what_it_came_from_where_that_is_known(desk: Desk) -> None:
    proposal = desk.applied(addition("Set the zone."))
    desk.proposal(addition("Not applied."))
    view = json.loads(build_views(desk.gate, desk.ledger())[desk.home.entries])
    assert (view["v"], sorted(view)) == (1, ["entries", "read", "v"])
    by_lines = {tuple(entry["lines"]): entry for entry in view["entries"]}
    assert [entry["section"] for entry in view["entries"]] == [
        ["MEMORY.md", "Decisions"],
        ["MEMORY.md", "Lessons"],
        ["MEMORY.md", "Lessons"],
    ]
    assert by_lines[(5, 5)]["sources"] == []
    assert by_lines[(10, 10)]["path"] == "MEMORY.md"
    assert by_lines[(10, 10)]["sources"] == [
        {
            "proposal": proposal.id,
            "n": 1,
            "evidence": [
                {"path": "memory/2026-02-28.md", "lines": [1, 1], "origin": "agent", "outcome": None}
            ],
        }
    ]


def test_a_change_without_evidence_has_no_source(desk: Desk) -> None:
    from dataclasses import replace

    desk.proposal(replace(addition("One."), evidence=()))
    view = json.loads(build_views(desk.gate, desk.ledger())[desk.home.pending_view])
    assert view["proposed_additions"][0]["source"] == ""


def test_no_view_copies_a_secret_that_stands_in_the_file(desk: Desk) -> None:
    desk.memory.write_text(f"# M\n\n## Keys {SECRET}\n\n- relay {SECRET}\n\n## Lessons\n\n- one\n")
    desk.proposal(addition("Two."))
    for content in build_views(desk.gate, desk.ledger()).values():
        assert SECRET.encode() not in content
    view = json.loads(build_views(desk.gate, desk.ledger())[desk.home.entries])
    assert view["entries"][0]["section"] == ["M", "Keys [masked: 40 bytes]"]


def test_a_view_that_is_missing_is_stale(desk: Desk) -> None:
    refresh_views(desk.gate, desk.ledger())
    Path(desk.home.pending_view).unlink()
    assert stale_views(desk.gate, desk.ledger()) == ["memory/state/tc-consolidate-pending.json"]


def test_what_the_file_tells_is_masked_in_every_view(desk: Desk) -> None:
    told = "Nebelhorn" + "4711"
    desk.memory.write_text(f"# M\n\n## Box {told}\n\n- The loft box opens with {told}.\n")
    desk.proposal(
        addition(f"Try {told} first.", section=f"Box {told}"), removal(f"- The loft box opens with {told}.")
    )
    desk.memory.write_text(f"{desk.text()}- Loft box password: {told}\n")
    views = build_views(desk.gate, desk.ledger())
    for path, content in views.items():
        assert told not in content.decode()
        assert ("masked: 13 bytes" in content.decode()) is (path != desk.home.prune_view)


def test_a_proposal_that_stands_in_no_view_is_not_read(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home of many years has thousands of them, and every run that writes makes the views."""
    applied = desk.applied(addition("One."))
    rejected, waiting = desk.proposal(addition("Two.")), desk.proposal(addition("Three."))
    desk.reject(rejected)
    whole = build_views(desk.gate, desk.ledger())
    read: list[str] = []

    def note(gate: Gate, status: ProposalStatus) -> Stored:
        read.append(status.id)
        return read_proposal(gate, status)

    monkeypatch.setattr(stored, "read_proposal", note)
    assert build_views(desk.gate, desk.ledger()) == whole
    assert read == [applied.id, waiting.id]
    assert b"Three." in whole[desk.home.pending_view]
    assert applied.id.encode() in whole[desk.home.entries]
