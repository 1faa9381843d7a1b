import json
from pathlib import Path

from tests.gate.homes import Desk, addition, removal

from nightledger.gate.proposing.views import refresh_views


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
