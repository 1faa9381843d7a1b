"""What waits for an answer, as a review shows it, and the answers.

Invariant: what is shown, hashed and signed are the same bytes, read once.
"""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Change, Kind, Op
from nightledger.domain.states import ProposalStatus
from nightledger.files.home import Home
from nightledger.gate.apply.parts import put_change
from nightledger.gate.forgetting.fates import change_diff
from nightledger.gate.guard.drifting import Found, drift_changes
from nightledger.gate.guard.protected import read_watched
from nightledger.gate.guard.writers import Guess
from nightledger.gate.kept_files import read_target
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.proposing.hunks import SHOWN_SECTION
from nightledger.gate.proposing.screening import own_values
from nightledger.gate.proposing.told import NOTHING, told_by
from nightledger.gate.review.hiding import (
    UNREAD,
    UNREAD_AND_LOST,
    Accepted,
    accepted_texts,
    unread_drift,
    why_hidden,
)
from nightledger.gate.review.wording import TWICE, is_numbered_twice, worded
from nightledger.gate.stored import Stored, read_proposal
from nightledger.text.changes.course import trace
from nightledger.text.changes.masked import mask_diff
from nightledger.text.changes.standing import NO_EFFECT, Effect, Standing, effect_between, is_moved, standing
from nightledger.text.markdown.document import readable
from nightledger.text.scanners.scan import told_values

NOTHING_KNOWN = Accepted()
"""Where nobody knows what was accepted."""


NO_PLACE = "settle what drifted and review again; if it stays so, reject it and use 'nightledger edit'"
"""What to do about a change that has no place in its file."""


class Verb(StrEnum):
    """An operator's answer to one change."""

    APPROVE = "approve"
    REJECT = "reject"
    LATER = "later"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the operator said about one change.

    Attributes:
        proposal: Id.
        n: Number of the change.
        verb: The answer.
        reason: The operator's words for a rejection.
    """

    proposal: str
    n: int
    verb: Verb
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One change as the review shows it, against the bytes of now.

    Attributes:
        stored: Its proposal, checked.
        status: The proposal's state.
        change: The change, its words as its hunk has them.
        diff: Unified diff against the file as it is now; empty when it has no place.
        unplaced: Why it cannot be signed now, for it has no place or cannot be read; else empty.
        unread: Why what drifted cannot be kept, though it can be taken back; else empty.
        moved: The headings under which its lines stand, where it names others; else empty.
        stands: Where its lines stand, or will; None where that is not told by lines.
        effect: What it makes of the lines of its file, those included that only stand elsewhere by it.
        told: What the gated files and the proposals shown with it tell as secrets.
    """

    stored: Stored
    status: ProposalStatus
    change: Change
    diff: str
    unplaced: str
    unread: str = ""
    moved: str = ""
    stands: Standing | None = None
    effect: Effect = field(default_factory=lambda: NO_EFFECT)
    told: frozenset[str] = NOTHING


class Documents(dict[str, str]):
    """The files that changes write, as text (``surrogateescape``), each read once.

    Gated ones are read at the start, daily logs and archives when they are asked for. One that cannot be
    read stops no answer about another: whoever asks for it is told why.
    """

    def __init__(self, home: Home) -> None:
        """Read the gated files."""
        super().__init__()
        self._home = home
        for path in home.identity.gated:
            with suppress(NightledgerError):
                self[path] = _text(home, path)

    def __missing__(self, path: str) -> str:
        """Read another file that a change may write."""
        self[path] = _text(self._home, path)
        return self[path]


def read_documents(gate: Gate) -> Documents:
    """Read every gated file once, and others when they are asked for."""
    return Documents(gate.home)


def _text(home: Home, path: str) -> str:
    return read_target(home, path).decode("utf-8", "surrogateescape")


def list_items(gate: Gate, ledger: Ledger, documents: Mapping[str, str]) -> list[Item]:
    """Give every change that waits for an answer: what drifted first, then the oldest proposal first.

    Altered proposals are set aside.
    """
    drifted: list[Item] = []
    waiting: list[tuple[Stored, ProposalStatus]] = []
    accepted = accepted_texts(gate, ledger.book)
    for status in ledger.book.live():
        if status.lane != EDIT_LANE and status.open_changes():
            with suppress(AlteredError):
                if status.kind is Kind.DRIFT:
                    drifted += items_of(gate, status, DecisionType.DRIFT, documents, accepted=accepted)
                else:
                    waiting.append((read_proposal(gate, status), status))
    return [*drifted, *items_in(waiting, DecisionType.APPROVE, documents, accepted=accepted)]


def items_of(
    gate: Gate,
    status: ProposalStatus,
    kind: DecisionType,
    documents: Mapping[str, str],
    *,
    accepted: Accepted = NOTHING_KNOWN,
) -> list[Item]:
    """Give the changes of one proposal that a decision of this kind may be about; see :func:`items_in`.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    is_drift = status.kind is Kind.DRIFT and kind is not DecisionType.UNDO
    numbers = status.answerable(DecisionType.DRIFT if is_drift else kind)
    if not numbers:
        return []
    stored = read_proposal(gate, status)
    if is_drift:
        changes = [change for change in stored.proposal.changes if change.n in numbers]
        return _drift_items(gate, stored, status, changes, accepted)
    return items_in([(stored, status)], kind, documents, accepted=accepted)


def _drift_items(
    gate: Gate,
    stored: Stored,
    status: ProposalStatus,
    changes: Sequence[Change],
    accepted: Accepted,
) -> list[Item]:
    """Give what drifted as it was found: it stands in the file, so its diff is against what was accepted."""
    target = stored.proposal.targets[0]
    why_unread = UNREAD if target.path in accepted.texts else UNREAD_AND_LOST
    told, unread = told_by({}, [stored.proposal]), frozenset[int]()
    before = accepted.texts.get(target.path, accepted.protected.get(target.path, ""))
    try:
        present = read_watched(gate.home, target.path)
    except NightledgerError as error:
        why = str(error)
    else:
        changed = "the file has changed again: 'nightledger guard' looks anew"
        why = "" if hashlib.sha256(present).hexdigest() == target.base_sha256 else changed
        if not why and target.path in gate.home.identity.gated:
            found = present.decode("utf-8", "surrogateescape")
            unread = _unread(gate, before, found, told)
        if not why:
            changes = _as_found(gate, target.path, before, present, changes)
    return [
        Item(
            stored=stored,
            status=status,
            change=worded(change),
            diff=change.diff,
            unplaced=why,
            unread=why_unread if change.n in unread else "",
            told=told,
        )
        for change in changes
    ]


def _as_found(
    gate: Gate, path: str, accepted: str, present: bytes, changes: Sequence[Change]
) -> list[Change]:
    """Give changes as the bytes have them; whoever has the log's key can log an item that says another thing of them."""
    found = Found(
        path=path,
        accepted=accepted.encode("utf-8", "surrogateescape"),
        present=present,
        guess=Guess(),
        title="",
        cap_characters=None,
        told=own_values(gate, accepted, present.decode("utf-8", "surrogateescape")),
    )
    there = {change.n: change for change in drift_changes(found)}
    return [_redrawn(change, there.get(change.n, change)) for change in changes]


def _redrawn(change: Change, found: Change) -> Change:
    flags = tuple(dict.fromkeys((*change.flags, *found.flags)))
    return replace(change, target=found.target, diff=found.diff, hunk=found.hunk, flags=flags)


def _unread(gate: Gate, accepted: str, present: str, told: frozenset[str]) -> frozenset[int]:
    """Give the changes of a drift of which masks hide more than their own text and what was accepted justify."""
    values = told | told_values(accepted) | told_values(present) | own_values(gate, accepted, present)
    return unread_drift(trace(accepted, present), told=values)


def items_in(
    waiting: Sequence[tuple[Stored, ProposalStatus]],
    kind: DecisionType,
    documents: Mapping[str, str],
    *,
    accepted: Accepted = NOTHING_KNOWN,
) -> list[Item]:
    """Give the changes of some proposals that such a decision may be about.

    Args:
        waiting: The proposals and their states.
        kind: Of the decision.
        documents: The files that they write.
        accepted: What the operator accepted of gated files: what that tells as a secret may be
            masked in a line that goes; without it, only what a change's own text shows.
    """
    told = told_by(documents, [stored.proposal for stored, _ in waiting])
    return [
        _item(stored, status, worded(change), documents, told, accepted)
        for stored, status in waiting
        for change in stored.proposal.changes
        if change.n in status.answerable(kind)
    ]


def _item(
    stored: Stored,
    status: ProposalStatus,
    change: Change,
    documents: Mapping[str, str],
    told: frozenset[str],
    accepted: Accepted,
) -> Item:
    diff, why, moved, stands, effect = "", "", "", None, NO_EFFECT
    try:
        placed = put_change(documents, change)
        if isinstance(placed, str) and change.op in (Op.ADD, Op.REMOVE, Op.REPLACE):
            placed = f"{placed}; {NO_PLACE}"
    except NightledgerError as error:  # a file of it cannot be read now, or is a link meanwhile
        placed = str(error)
    if isinstance(placed, str):
        why = placed
    else:
        values = told | NOTHING.union(*map(told_values, placed.values()))
        diff = mask_diff(change_diff(documents, placed, change, told=values), told=values)
        stands = standing(documents[change.target], change.hunk) if change.target in placed else None
        if stands:
            effect = effect_between(documents[change.target], placed[change.target])
        if stands and is_moved(stands, change.hunk):
            moved = SHOWN_SECTION.join(map(readable, stands.names)) or "no heading"
        created = status.created.at
        why = why_hidden(documents, placed, change, told=values, accepted=accepted, proposed_at=created)
    if is_numbered_twice(stored.proposal, change.n):
        why = TWICE
    return Item(
        stored=stored,
        status=status,
        change=change,
        diff=diff,
        unplaced=why,
        moved=moved,
        stands=stands,
        effect=effect,
        told=told,
    )
