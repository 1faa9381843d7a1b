"""Generated views: what waits, in the published fields, and where each entry came from and what came of showing it.

Invariant: a view is a fold of proposals, log and gated files; written anew it has the same
bytes, and nothing reads it to decide anything.
"""

import json
from collections.abc import Iterator
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.domain.proposal import Change, Kind, Op, Proposal
from nightledger.domain.retention import NO_USE, tier_of
from nightledger.domain.states import OPEN_STATES, ChangeState
from nightledger.files.atomic import refresh_file
from nightledger.files.durable import read_optional
from nightledger.gate.gated import MAX_GATED_BYTES
from nightledger.gate.naming import NO_MARK, find_standing, read_marks
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.remembering import Marks, applied_wordings, fold_uses
from nightledger.gate.screening import NOTHING, told_at_home
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.markdown.document import readable
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.similar import fold

_SHOWN = OPEN_STATES | {ChangeState.APPLIED}
"""A proposal of which nothing waits and nothing is applied stands in no view, and need not be read."""
_Waits = tuple[Proposal, Change]
LET_GO = frozenset({Op.ARCHIVE, Op.COMPRESS, Op.DELETE_LINK})
"""What stands in the view of the pruner; all else stands in that of consolidation."""


def _entries_view(
    gate: Gate, ledger: Ledger, stored: list[Stored], until: Marks | None = None
) -> dict[str, Any]:
    """Return ``entries.json``.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        stored: All proposals.
        until: How far to read outcomes and exposures; None for all of them.
    """
    sources = _applied(ledger, stored)
    told = told_at_home(gate.home, ())
    marks = read_marks(gate, ledger)
    uses = fold_uses(gate.home, ledger.book.names, until)
    entries = []
    for name, placed in find_standing(gate.home, ledger.book).entries.items():
        entry, mark, use = placed.entry, marks.get(name, NO_MARK), uses.of.get(name, NO_USE)
        entries.append(
            {
                "id": name,
                "path": placed.path,
                "section": [readable(mask_secrets(title, told=told)) for title in entry.section],
                "lines": [entry.first_line, entry.last_line],
                "sources": sources.get(fold(entry.text), []),
                "tier": tier_of(mark.tags).name,
                "tags": list(mark.tags),
                "pin": mark.pinned,
                "shown": use.shown,
                "useful": use.useful,
                "harmful": use.harmful,
            }
        )
    return {
        "v": 1,
        "read": {"outcomes": uses.read.outcomes, "exposures": uses.read.exposures},
        "entries": entries,
    }


def read_marks_of(view: bytes | None) -> Marks | None:
    """Return how far a view says that it was read; None where it says nothing that makes sense."""
    try:
        read = json.loads(view or b"")["read"]
        marks = Marks(outcomes=read["outcomes"], exposures=read["exposures"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    fits = all(type(value) is int and value >= 0 for value in (marks.outcomes, marks.exposures))
    return marks if fits else None


def _applied(ledger: Ledger, stored: list[Stored]) -> dict[str, list[dict[str, Any]]]:
    """Return for each wording that came through the gate the changes that brought it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for wording, proposal, change, _ in applied_wordings(ledger.book, stored):
        evidence = [
            {"path": e.path, "lines": list(e.lines), "outcome": e.outcome, "origin": e.origin.value}
            for e in change.evidence
        ]
        source = {"proposal": proposal.id, "n": change.n, "evidence": evidence}
        found.setdefault(wording, []).append(source)
    return found


def build_views(gate: Gate, ledger: Ledger, *, until: Marks | None = None) -> dict[str, bytes]:
    """Give each view's path and bytes.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        until: How far to read outcomes and exposures; None for all of them.
    """
    stored = read_stored(gate, ledger.book, states=_SHOWN)
    waiting = list(_waiting(ledger, stored))
    told = told_at_home(gate.home, [proposal for proposal, _ in waiting]) if waiting else NOTHING
    views = {
        gate.home.pending_view: _pending_view([one for one in waiting if one[1].op not in LET_GO], told),
        gate.home.prune_view: _prune_view([one for one in waiting if one[1].op in LET_GO], told),
        gate.home.entries: _entries_view(gate, ledger, stored, until),
    }
    return {path: canonical(view, floats=True) + b"\n" for path, view in views.items()}


def refresh_views(gate: Gate, ledger: Ledger) -> list[str]:
    """Write the views that changed; give their paths relative to the home."""
    views = build_views(gate, ledger)
    return [gate.home.relative(path) for path, content in views.items() if refresh_file(path, content)]


def stale_views(gate: Gate, ledger: Ledger) -> list[str]:
    """Name the views whose bytes are not what they are folded from; ``doctor --rebuild --dry-run``.

    Outcomes and exposures that came since a view was written are no difference.
    """
    until = read_marks_of(read_optional(gate.home.entries, MAX_GATED_BYTES))
    return [
        gate.home.relative(path)
        for path, content in build_views(gate, ledger, until=until).items()
        if read_optional(path, MAX_GATED_BYTES) != content
    ]


def _pending_view(waiting: list[_Waits], told: frozenset[str]) -> dict[str, Any]:
    """Return ``tc-consolidate-pending.json``: additions and removals that wait for an answer."""
    additions, removals = [], []
    for proposal, change in waiting:
        section = mask_secrets(change.section, told=told)
        common = {"proposal": proposal.id, "n": change.n, "section": section}
        if change.after:
            content = mask_secrets(change.after, told=told)
            source = next((f"{one.path}:{one.lines[0]}" for one in change.evidence), "")
            additions.append(
                {**common, "content": content, "source": source, "confidence": change.confidence}
            )
        else:
            entry, reason = (mask_secrets(text, told=told) for text in (change.before, change.reason))
            removals.append({**common, "entry": entry, "reason": reason})
    return {"v": 1, "proposed_additions": additions, "proposed_removals": removals}


def _waiting(ledger: Ledger, stored: list[Stored]) -> Iterator[_Waits]:
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes if status.kind is not Kind.DRIFT else ():
            if change.n in status.open_changes():  # what drifted stands in the file; nobody proposes it
                yield item.proposal, change


def _prune_view(waiting: list[_Waits], told: frozenset[str]) -> dict[str, Any]:
    """Return ``tc-prune-request.json``: what waits to be archived, compressed or deleted."""
    candidates = [
        {
            "proposal": proposal.id,
            "n": change.n,
            "reason": mask_secrets(change.reason, told=told),
            **_candidate(change, told),
        }
        for proposal, change in waiting
    ]
    return {"v": 1, "prune_candidates": candidates}


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
