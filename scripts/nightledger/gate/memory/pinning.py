"""Pins and tags of entries: an operator's signed word that one stays, or what kind it is.

Invariant: pins, tiers and ``self/*`` tags come from decisions whose signature holds, never
from ``entries.json`` or from text. They change no bytes, so they count at once.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct

from nightledger.domain.decision import Decision, DecisionTarget, DecisionType
from nightledger.domain.errors import AlteredError
from nightledger.domain.retention import ENTRY_TAGS
from nightledger.domain.states import REVOCABLE, ChangeState
from nightledger.gate.integrity.trusting import Trust, read_verified
from nightledger.gate.memory.naming import Placed, find_standing
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import read_proposal

PIN_TYPES = frozenset({DecisionType.PIN, DecisionType.UNPIN})


class Mark(Struct, frozen=True, kw_only=True):
    """What an operator signed of one entry.

    Attributes:
        pinned: Whether it stays, whatever a policy says.
        tags: Its self tags, sorted.
    """

    pinned: bool = False
    tags: tuple[str, ...] = ()


NO_MARK = Mark()


def read_marks(gate: Gate, ledger: Ledger) -> dict[str, Mark]:
    """Return what is pinned or tagged, by the id that each entry keeps; those that are gone too.

    A decision whose file or signature is not what it was counts for nothing; ``verify`` names it.
    """
    signed = [status for status in ledger.book.decisions.values() if status.type in PIN_TYPES]
    if not signed:
        return {}
    trust = Trust(gate.home, ledger)
    marks: dict[str, Mark] = {}
    for status in signed:
        decision = read_verified(gate.home, ledger, trust, status)
        for target in decision.targets if decision else ():
            name = entry_named(target)
            kept = ledger.book.names.get(name, name)
            marks[kept] = _marked(marks.get(kept, NO_MARK), decision.reason if decision else "", status.type)
    return {name: mark for name, mark in marks.items() if mark != NO_MARK}


def _marked(mark: Mark, tag: str, kind: DecisionType) -> Mark:
    pins = kind is DecisionType.PIN
    if not tag:
        return Mark(pinned=pins, tags=mark.tags)
    others = [known for known in mark.tags if known != tag]
    return Mark(pinned=mark.pinned, tags=tuple(sorted([*others, tag] if pins else others)))


def entry_named(target: DecisionTarget) -> str:
    """Return the entry's id out of a target, ``MEMORY.md#e-...``."""
    return target.path.rpartition("#")[2]


def find_takers(
    gate: Gate, ledger: Ledger, names: Collection[str]
) -> tuple[tuple[str, int, ChangeState], ...]:
    """Name the changes that would take entries out, and that wait for an answer or are signed and not applied.

    A pin stops none of them: what was signed is done unless it is turned down.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        names: Ids of entries.

    Returns:
        Proposal, number and state of each.
    """
    found = []
    for status in ledger.book.live():
        with suppress(AlteredError):
            found += [
                (status.id, change.n, state)
                for change in read_proposal(gate, status).proposal.changes
                for state in [status.state_of(change.n)]
                if change.entry in names and not change.hunk.added.strip() and state in REVOCABLE
            ]
    return tuple(found)


def pin_targets(entries: Sequence[Placed]) -> tuple[DecisionTarget, ...]:
    """Return what a decision says of entries that are to be pinned or tagged, or not any more."""
    return tuple(
        DecisionTarget(
            path=f"{placed.path}#{placed.entry.id}", base=sha256, result=sha256, hunks_sha256=sha256
        )
        for placed in entries
        for sha256 in [text_sha256(placed)]
    )


def text_sha256(placed: Placed) -> str:
    """Return the hex SHA-256 of an entry's text."""
    return hashlib.sha256(placed.entry.text.encode("utf-8", "surrogateescape")).hexdigest()


def pin_reasons(gate: Gate, ledger: Ledger, decision: Decision) -> list[str]:
    """Return why a decision may not pin or unpin what it names; empty where it may."""
    if decision.proposal or decision.changes or not decision.targets:
        return ["it is not the form of a decision about pins"]
    if decision.reason and decision.reason not in ENTRY_TAGS:
        return [f"{decision.reason!r} is no tag of an entry"]
    standing = find_standing(gate.home, ledger.book).entries
    marks: Mapping[str, Mark] = read_marks(gate, ledger) if decision.type is DecisionType.UNPIN else {}
    return [
        f"{target.path} is not the entry any more that it was signed over"
        for target in decision.targets
        if not _stands(standing.get(entry_named(target)), target) and entry_named(target) not in marks
    ]


def _stands(placed: Placed | None, target: DecisionTarget) -> bool:
    return placed is not None and pin_targets([placed]) == (target,)
