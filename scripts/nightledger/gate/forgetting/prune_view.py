"""``tc-prune-request.json``: what waits to be let go, in the published fields.

Invariant: a view is a fold of what waits; nothing reads it to decide anything.
"""

from collections.abc import Iterable
from typing import Any

from nightledger.domain.proposal import Change, Op, Proposal
from nightledger.text.scanners.scan import mask_secrets

LET_GO = frozenset({Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK})
"""What stands in this view; all else stands in that of consolidation."""


def prune_view(waiting: Iterable[tuple[Proposal, Change]], told: frozenset[str]) -> dict[str, Any]:
    """Give the view of what waits to be archived, compressed or deleted.

    Args:
        waiting: What waits for an answer, in the order in which it was proposed.
        told: Values that the home tells as secrets.
    """
    return {
        "v": 1,
        "prune_candidates": [
            {
                "proposal": proposal.id,
                "n": change.n,
                "reason": mask_secrets(change.reason, told=told),
                **_candidate(change, told),
            }
            for proposal, change in waiting
            if change.op in LET_GO
        ],
    }


def _candidate(change: Change, told: frozenset[str]) -> dict[str, Any]:
    if change.op is Op.DELETE_LINK:
        key = mask_secrets(change.hunk.removed, told=told)
        return {"type": "hebbian_link", "key": key, "proposed_action": "delete"}
    if change.op is Op.COMPRESS:
        return {"type": "daily_log", "path": change.target, "proposed_action": "compress"}
    section = mask_secrets(change.section, told=told)
    return {
        "type": "memory_entry",
        "section": section,
        "entry_id": change.entry,
        "proposed_action": "archive",
    }
