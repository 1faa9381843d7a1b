"""Proposals and changes as ``--json`` gives them, and what became of them; field names are a contract (DESIGN section 8)."""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from nightledger.codec.records import to_plain
from nightledger.domain.decision import DecisionType, Event, EventName, Moment, cools_until
from nightledger.domain.judge import EDIT_LANE, Share, Shares
from nightledger.domain.proposal import Change, Proposal
from nightledger.domain.states import Book, ChangeState, DecisionStatus, Gone, ProposalStatus, proposal_state
from nightledger.domain.words import dump_moment
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import without_secrets

if TYPE_CHECKING:
    from nightledger.gate.reviewing import Item

NOTHING: frozenset[str] = frozenset()
ALTERED = "altered"
"""State of a proposal whose file is not what was logged; a fact of the disk, not of the log."""


def diff_sha256(diffs: list[str]) -> str:
    """Give the hex SHA-256 of diffs one after another; what ``approve --diff-sha256`` compares."""
    return hashlib.sha256("".join(diffs).encode("utf-8", "surrogateescape")).hexdigest()


def change_record(
    change: Change, state: str, *, told: frozenset[str] = NOTHING, share: Share | None = None
) -> dict[str, Any]:
    """Give one change; secrets masked, and values that are told elsewhere."""
    from nightledger.text.scanners.scan import mask_diff, mask_secrets

    return {
        "n": change.n,
        "op": change.op.value,
        "state": state,
        "target": change.target,
        "section": mask_secrets(change.section, told=told),
        "before": mask_secrets(change.before, told=told),
        "after": mask_secrets(change.after, told=told),
        "diff": mask_diff(change.diff, told=told),
        "reason": mask_secrets(change.reason, told=told),
        "evidence": [
            {"path": e.path, "lines": list(e.lines), "origin": e.origin.value} for e in change.evidence
        ],
        "confidence": change.confidence,
        "signed_here": to_plain(share) if share else None,
        "flags": [
            {"rule": flag.rule, "message": mask_secrets(flag.message, told=told)} for flag in change.flags
        ],
    }


def item_record(item: "Item") -> dict[str, Any]:
    """Give one change that waits, with its diff against the file as it is now."""
    from nightledger.text.scanners.scan import mask_diff

    state = item.status.state_of(item.change.n).value
    record = change_record(item.change, state, told=item.told, share=item.share)
    return {
        **record,
        "id": item.stored.proposal.id,
        "diff": mask_diff(item.diff, told=item.told),
        "unplaced": item.unplaced or item.unread,
    }


def proposal_record(
    gate: Gate,
    book: Book,
    proposal: Proposal,
    now: datetime,
    shares: Shares,
    *,
    told: frozenset[str] = NOTHING,
) -> dict[str, Any]:
    """Return one proposal with its state and times."""
    from nightledger.gate.reviewing import worded
    from nightledger.text.scanners.scan import mask_secrets

    status = book.proposals[proposal.id]
    approved = _approvals(book, status)
    ends = [cools_until(status.created, decision.recorded, gate.cooling) for decision in approved]
    expires = [d.recorded.at + timedelta(days=gate.settings.decision_expires_days) for d in approved]
    return {
        **set_aside_record(book, status),
        "title": mask_secrets(proposal.title, told=told),
        "state": state_of(gate, book, status, now),
        "created_at": _time(proposal.created_at),
        "not_before": _time(max(ends, default=None)),
        "expires_at": _time(min(expires, default=None)),
        "changes": [
            change_record(
                worded(change), status.state_of(change.n).value, told=told, share=shares.of(proposal, change)
            )
            for change in proposal.changes
        ],
        "diff_sha256": diff_sha256([change.diff for change in proposal.changes]),
    }


def state_of(gate: Gate, book: Book, status: ProposalStatus, now: datetime) -> str:
    """Give the one word that lists show for a proposal whose file is as it was logged."""
    ends = {d.id: cools_until(status.created, d.recorded, gate.cooling) for d in _approvals(book, status)}
    return proposal_state(status, now, ends)


def _approvals(book: Book, status: ProposalStatus) -> list[DecisionStatus]:
    """Give the approvals that its changes rest on, once for each change."""
    names = (change.decision for change in status.changes.values() if change.decision in book.decisions)
    decided = (book.decisions[name or ""] for name in names)
    return [decision for decision in decided if decision.type is DecisionType.APPROVE]


def set_aside_state(book: Book, status: ProposalStatus) -> str:
    """Give the word for a proposal whose file is not to be had: of one whose text only went, what was decided."""
    why = book.gone.get(status.sha256)
    if why is Gone.EXPIRED:
        return proposal_state(status, status.created.at, {})
    return why.value if why else ALTERED


def set_aside_record(book: Book, status: ProposalStatus) -> dict[str, Any]:
    """Give a proposal whose file is gone or not what was logged: what the log says of it, nothing of the file."""
    return {
        "id": status.id,
        "kind": status.kind.value,
        "lane": status.lane,
        "title": "",
        "state": set_aside_state(book, status),
        "created_at": _time(status.created.at),
        "not_before": None,
        "expires_at": None,
        "changes": [],
        "diff_sha256": None,
    }


def cooling_ends(gate: Gate, book: Book) -> Mapping[str, datetime]:
    """Give for each approval that is to be applied when its cooling is over, if no clock steps."""
    return {
        decision.id: cools_until(book.proposals[decision.proposal].created, decision.recorded, gate.cooling)
        for decision in book.approvals_to_apply()
    }


def _time(moment: datetime | None) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def waiting_in(book: Book, aside: Collection[str] = ()) -> dict[str, Any]:
    """Count what waits for the operator's answer; an own edit that is not signed waits for nobody.

    Args:
        book: What became of every proposal.
        aside: Proposals that were altered; nobody can answer them.
    """
    found = [s for s in book.live() if s.open_changes() and s.lane != EDIT_LANE and s.id not in aside]
    return {
        "proposals": len(found),
        "changes": sum(len(status.open_changes()) for status in found),
        "oldest_at": to_plain(min((status.created.at for status in found), default=None)),
    }


def left_at(newest: Event | None) -> datetime | None:
    """Give when the home was left, where that is the last thing that happened to it."""
    return newest.at if newest and newest.event == EventName.LEFT else None


def undoable_in(gate: Gate, ledger: Ledger, moment: Moment) -> Iterator[dict[str, Any]]:
    """Give what can still be taken back, in order of proposals."""
    window, book, now = timedelta(days=gate.undo_days), ledger.book, moment.at
    recent = {name for name, at in book.applied_at.items() if now < at + window}
    for status in (book.proposals[name] for name in book.proposals if name in recent):
        by_end: dict[datetime, list[int]] = {}
        for n, change in sorted(status.changes.items()):
            if change.state is ChangeState.APPLIED and change.since and now < change.since + window:
                by_end.setdefault(change.since + window, []).append(n)
        for until, numbers in by_end.items():
            if kept := without_secrets(gate, status, numbers):
                yield {"proposal": status.id, "changes": list(kept), "undo_until": dump_moment(until)}


def signed_in(gate: Gate, book: Book) -> Iterator[dict[str, Any]]:
    """Give what is signed and not applied."""
    for decision in book.approvals_to_apply():
        status = book.proposals[decision.proposal]
        yield {
            "proposal": decision.proposal,
            "changes": list(status.approved_by(decision.id)),
            "cools_until": dump_moment(cools_until(status.created, decision.recorded, gate.cooling)),
        }


def unasked_in(gate: Gate, book: Book) -> list[dict[str, Any]]:
    """Return what is not asked about any more; where nothing was rejected, that is nothing."""
    if not any(one.type is DecisionType.REJECT for one in book.decisions.values()):
        return []
    from nightledger.gate.forgotten import find_unasked

    return [{"heading": one.name, "refused": one.refused or None} for one in find_unasked(gate, book)]
