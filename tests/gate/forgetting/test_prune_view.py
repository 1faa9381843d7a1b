from tests.gate.forgetting_desk import LOG, archive, compress, forget, prune
from tests.gate.homes import Desk

from nightledger.domain.proposal import Change, Proposal
from nightledger.gate.forgetting.prune_view import prune_view


def waiting(desk: Desk) -> list[tuple[Proposal, Change]]:
    made = [
        prune(desk, draft).proposal for draft in (*archive(desk, "backups"), compress(desk, LOG), forget())
    ]
    return [(proposal, change) for proposal in made if proposal for change in proposal.changes]


def test_each_kind_stands_in_its_published_fields(desk: Desk) -> None:
    archived, compressed, deleted = waiting(desk)
    common = {"n": 1}
    assert prune_view([archived, compressed, deleted], frozenset()) == {
        "v": 1,
        "prune_candidates": [
            {
                **common,
                "proposal": archived[0].id,
                "reason": "Resolved on 2025-11-02.",
                "type": "memory_entry",
                "section": "MEMORY.md > Decisions",
                "entry_id": archived[1].entry,
                "proposed_action": "archive",
            },
            {
                **common,
                "proposal": compressed[0].id,
                "reason": "It is older than 30 days.",
                "type": "daily_log",
                "path": LOG,
                "proposed_action": "compress",
            },
            {
                **common,
                "proposal": deleted[0].id,
                "reason": "Seen once, 60 days ago.",
                "type": "hebbian_link",
                "key": "cron + timezone",
                "proposed_action": "delete",
            },
        ],
    }
