"""Proposals and changes as ``--json`` gives them; field names are a contract (DESIGN section 8)."""

import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from nightledger.domain.cooling import cools_until
from nightledger.domain.decision import DecisionType
from nightledger.domain.proposal import Change, Proposal
from nightledger.domain.states import Book, ProposalStatus, proposal_state
from nightledger.gate.opening import Gate
from nightledger.gate.reviewing import Item
from nightledger.surfaces.screen import mask_diff
from nightledger.text.scan import mask_secrets

ALTERED = "altered"
"""State of a proposal whose file is not what was logged; a fact of the disk, not of the log."""


def diff_sha256(diffs: list[str]) -> str:
    """Give the hex SHA-256 of diffs one after another; what ``approve --diff-sha256`` compares."""
    return hashlib.sha256("".join(diffs).encode("utf-8", "surrogateescape")).hexdigest()


def change_record(change: Change, state: str) -> dict[str, Any]:
    """Give one change; secrets masked."""
    return {
        "n": change.n,
        "op": change.op.value,
        "state": state,
        "target": change.target,
        "section": change.section,
        "before": mask_secrets(change.before),
        "after": mask_secrets(change.after),
        "diff": mask_diff(change.diff),
        "reason": mask_secrets(change.reason),
        "evidence": [
            {"path": e.path, "lines": list(e.lines), "origin": e.origin.value} for e in change.evidence
        ],
        "confidence": change.confidence,
        "flags": [{"rule": flag.rule, "message": mask_secrets(flag.message)} for flag in change.flags],
    }


def item_record(item: Item) -> dict[str, Any]:
    """Give one change that waits, with its diff against the file as it is now."""
    record = change_record(item.change, item.status.state_of(item.change.n).value)
    return {
        **record,
        "id": item.stored.proposal.id,
        "diff": mask_diff(item.diff),
        "unplaced": item.unplaced,
    }


def proposal_record(gate: Gate, book: Book, proposal: Proposal, now: datetime) -> dict[str, Any]:
    """Give one proposal with its state and times."""
    status = book.proposals[proposal.id]
    ends = cooling_ends(gate, book)
    decided = [
        book.decisions[c.decision or ""] for c in status.changes.values() if c.decision in book.decisions
    ]
    approved = [d for d in decided if d.type is DecisionType.APPROVE]
    expires = [d.recorded.at + timedelta(days=gate.settings.decision_expires_days) for d in approved]
    return {
        "id": proposal.id,
        "kind": proposal.kind.value,
        "lane": proposal.lane,
        "title": mask_secrets(proposal.title),
        "state": proposal_state(status, now, ends),
        "created_at": _time(proposal.created_at),
        "not_before": _time(max((ends[d.id] for d in approved), default=None)),
        "expires_at": _time(min(expires, default=None)),
        "changes": [change_record(change, status.state_of(change.n).value) for change in proposal.changes],
        "diff_sha256": diff_sha256([change.diff for change in proposal.changes]),
    }


def set_aside_record(status: ProposalStatus) -> dict[str, Any]:
    """Give a proposal whose file is not what was logged: what the log says of it, and nothing of the file."""
    return {
        "id": status.id,
        "kind": status.kind.value,
        "lane": status.lane,
        "title": "",
        "state": ALTERED,
        "created_at": _time(status.created.at),
        "not_before": None,
        "expires_at": None,
        "changes": [],
        "diff_sha256": None,
    }


def cooling_ends(gate: Gate, book: Book) -> Mapping[str, datetime]:
    """Give for each approval when its cooling is over, if no clock steps."""
    return {
        decision.id: cools_until(book.proposals[decision.proposal].created, decision.recorded, gate.cooling)
        for decision in book.decisions.values()
        if decision.type is DecisionType.APPROVE
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")
