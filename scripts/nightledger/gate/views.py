"""Generated views: what waits, in the published fields, and where each entry came from.

Invariant: a view is a fold of proposals, log and gated files; written anew it has the same
bytes, and nothing reads it to decide anything.
"""

from collections.abc import Iterator
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.domain.proposal import Change, Kind, Op, Proposal
from nightledger.domain.states import OPEN_STATES, ChangeState
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.gate.gated import MAX_GATED_BYTES, read_gated
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored, read_stored
from nightledger.gate.told import NOTHING, told_at_home
from nightledger.text.entries import Entry, find_entries
from nightledger.text.markdown import parse_markdown
from nightledger.text.scan import mask_secrets
from nightledger.text.similar import fold

_SHOWN = OPEN_STATES | {ChangeState.APPLIED}
"""A proposal of which nothing waits and nothing is applied stands in no view, and need not be read."""


def build_views(gate: Gate, ledger: Ledger) -> dict[str, bytes]:
    """Give each view's path and bytes."""
    stored = read_stored(gate, ledger.book, states=_SHOWN)
    return {
        gate.home.pending_view: _dump(pending_view(gate, ledger, stored)),
        gate.home.entries: _dump(entries_view(gate, ledger, stored)),
    }


def refresh_views(gate: Gate, ledger: Ledger) -> list[str]:
    """Write the views that changed; give their paths relative to the home."""
    written = []
    for path, content in build_views(gate, ledger).items():
        if read_optional(path, MAX_GATED_BYTES) != content:
            replace_file(path, content)
            written.append(gate.home.relative(path))
    return written


def stale_views(gate: Gate, ledger: Ledger) -> list[str]:
    """Name the views whose bytes are not what they are folded from; ``rebuild --check``."""
    return [
        gate.home.relative(path)
        for path, content in build_views(gate, ledger).items()
        if read_optional(path, MAX_GATED_BYTES) != content
    ]


def pending_view(gate: Gate, ledger: Ledger, stored: list[Stored]) -> dict[str, Any]:
    """Give ``tc-consolidate-pending.json``: additions and removals that wait for an answer."""
    waiting = list(_waiting(ledger, stored))
    told = told_at_home(gate.home, [proposal for proposal, _ in waiting]) if waiting else NOTHING
    return {
        "v": 1,
        "proposed_additions": [
            {
                **_common(proposal, change, told),
                "content": mask_secrets(change.after, told=told),
                "source": _source(change),
                "confidence": change.confidence,
            }
            for proposal, change in waiting
            if change.after
        ],
        "proposed_removals": [
            {
                **_common(proposal, change, told),
                "entry": mask_secrets(change.before, told=told),
                "reason": mask_secrets(change.reason, told=told),
            }
            for proposal, change in waiting
            if not change.after
        ],
    }


def _waiting(ledger: Ledger, stored: list[Stored]) -> Iterator[tuple[Proposal, Change]]:
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes if status.kind is not Kind.DRIFT else ():
            if change.n in status.open_changes():  # what drifted stands in the file; nobody proposes it
                yield item.proposal, change


def _common(proposal: Proposal, change: Change, told: frozenset[str]) -> dict[str, Any]:
    section = mask_secrets(change.section, told=told)
    return {"proposal": proposal.id, "n": change.n, "section": section}


def _source(change: Change) -> str:
    if not change.evidence:
        return ""
    first = change.evidence[0]
    return f"{first.path}:{first.lines[0]}"


def entries_view(gate: Gate, ledger: Ledger, stored: list[Stored]) -> dict[str, Any]:
    """Give ``entries.json``: every entry of the gated files, with what it came from where we know it."""
    sources = _applied(ledger, stored)
    told = told_at_home(gate.home, ())
    return {
        "v": 1,
        "entries": [
            {
                "id": entry.id,
                "path": path,
                "section": [mask_secrets(title, told=told) for title in entry.section],
                "lines": [entry.first_line, entry.last_line],
                "sources": sources.get(fold(entry.text), []),
            }
            for path in gate.home.identity.gated
            for entry in _entries(gate, path)
        ],
    }


def _entries(gate: Gate, path: str) -> tuple[Entry, ...]:
    return find_entries(parse_markdown(read_gated(gate.home, path).decode("utf-8", "surrogateescape")))


def _applied(ledger: Ledger, stored: list[Stored]) -> dict[str, list[dict[str, Any]]]:
    """Give for each wording that came through the gate the changes that brought it."""
    found: dict[str, list[dict[str, Any]]] = {}
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            if status.state_of(change.n) is ChangeState.APPLIED and change.op in (Op.ADD, Op.REPLACE):
                evidence = [
                    {"path": e.path, "lines": list(e.lines), "outcome": e.outcome} for e in change.evidence
                ]
                source = {"proposal": item.proposal.id, "n": change.n, "evidence": evidence}
                found.setdefault(fold(change.hunk.added), []).append(source)
    return found


def _dump(view: dict[str, Any]) -> bytes:
    return canonical(view, floats=True) + b"\n"
