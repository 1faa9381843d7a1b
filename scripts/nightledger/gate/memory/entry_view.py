"""``entries.json``: every entry with what it came from, its tier and pin, and what came of showing it.

Invariant: a fold; it says itself how far the outcomes and exposures were read, so that it can be
folded again from the same bytes. Nothing reads it to decide anything.
"""

import json
from typing import Any

from nightledger.domain.retention import NO_USE, tier_of
from nightledger.gate.memory.naming import find_standing
from nightledger.gate.memory.pinning import NO_MARK, read_marks
from nightledger.gate.memory.remembering import applied_texts, wordings_of
from nightledger.gate.memory.uses import Marks, fold_uses
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.told import told_at_home
from nightledger.gate.stored import Stored
from nightledger.text.markdown.document import readable
from nightledger.text.scanners.scan import mask_secrets
from nightledger.text.similar import fold


def entries_view(
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
    for proposal, change, _ in applied_texts(ledger.book, stored):
        evidence = [
            {"path": e.path, "lines": list(e.lines), "outcome": e.outcome, "origin": e.origin.value}
            for e in change.evidence
        ]
        source = {"proposal": proposal.id, "n": change.n, "evidence": evidence}
        for wording in wordings_of(change.hunk.added):
            found.setdefault(wording, []).append(source)
    return found
