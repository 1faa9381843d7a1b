"""Generated views: what waits, in the published fields, and where each entry came from.

Invariant: a view is a fold of proposals, log and gated files; written anew it has the same
bytes, and nothing reads it to decide anything.
"""

from collections.abc import Iterator
from typing import Any

from nightledger.codec.canonical import canonical
from nightledger.domain.proposal import Change, Kind, Proposal
from nightledger.domain.states import OPEN_STATES, ChangeState
from nightledger.files.atomic import replace_file
from nightledger.files.reading import read_optional
from nightledger.gate.forgetting.fates import LET_GO, prune_view
from nightledger.gate.gated import MAX_GATED_BYTES
from nightledger.gate.memory.entry_view import entries_view, read_marks_of
from nightledger.gate.memory.uses import Marks
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.told import NOTHING, told_at_home
from nightledger.gate.stored import Stored, read_stored
from nightledger.text.scanners.scan import mask_secrets

_SHOWN = OPEN_STATES | {ChangeState.APPLIED}
"""A proposal of which nothing waits and nothing is applied stands in no view, and need not be read."""


def build_views(gate: Gate, ledger: Ledger, *, until: Marks | None = None) -> dict[str, bytes]:
    """Give each view's path and bytes.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        until: How far to read outcomes and exposures; None for all of them.
    """
    stored = read_stored(gate, ledger.book, states=_SHOWN)
    return {
        gate.home.pending_view: _dump(pending_view(gate, ledger, stored)),
        gate.home.prune_view: _dump(_prune_view(gate, ledger, stored)),
        gate.home.entries: _dump(entries_view(gate, ledger, stored, until)),
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
    """Name the views whose bytes are not what they are folded from; ``rebuild --check``.

    Outcomes and exposures that came since a view was written are no difference.
    """
    until = read_marks_of(read_optional(gate.home.entries, MAX_GATED_BYTES))
    return [
        gate.home.relative(path)
        for path, content in build_views(gate, ledger, until=until).items()
        if read_optional(path, MAX_GATED_BYTES) != content
    ]


def pending_view(gate: Gate, ledger: Ledger, stored: list[Stored]) -> dict[str, Any]:
    """Give ``tc-consolidate-pending.json``: additions and removals that wait for an answer."""
    waiting = [one for one in _waiting(ledger, stored) if one[1].op not in LET_GO]
    told = _told(gate, waiting)
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


def _prune_view(gate: Gate, ledger: Ledger, stored: list[Stored]) -> dict[str, Any]:
    waiting = [one for one in _waiting(ledger, stored) if one[1].op in LET_GO]
    return prune_view(waiting, _told(gate, waiting))


def _told(gate: Gate, waiting: list[tuple[Proposal, Change]]) -> frozenset[str]:
    return told_at_home(gate.home, [proposal for proposal, _ in waiting]) if waiting else NOTHING


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


def _dump(view: dict[str, Any]) -> bytes:
    return canonical(view, floats=True) + b"\n"
