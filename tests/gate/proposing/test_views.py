import json
from pathlib import Path

from tests.gate.homes import Desk, addition, removal

from nightledger.gate.proposing.views import build_views, refresh_views, stale_views


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
