"""Proposals as they lie on disk, checked against their leaves.

Invariant: a proposal whose bytes are not those that its leaf names is never shown,
signed or applied; it is set aside as it lies, and holds up nothing else.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.records import decode_record
from nightledger.domain.errors import AlteredError, UnreadableError, UsageError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.proposal import Change, Kind, Proposal
from nightledger.domain.states import Book, ChangeState, ChangeStatus, ProposalStatus
from nightledger.files.home import Home
from nightledger.files.reading import read_regular
from nightledger.gate.opening import Gate

SHORTEST = 4
"""Characters of an id that a screen shows at least, behind ``p-``: a million names."""
_NAME = re.compile(r"(?<![/\w-])p-[a-z2-7]{8}(?:[a-z2-7]{18})?(?!\w|\.\w)")
MAX_PROPOSAL_BYTES = 64_000_000
"""A larger one is refused when it is made, so that whatever was logged can be read again."""


class Stored(Struct, frozen=True, kw_only=True):
    """A proposal with the hash of its bytes."""

    proposal: Proposal
    sha256: str


def read_proposal(gate: Gate, status: ProposalStatus) -> Stored:
    """Read one proposal.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    content = read_logged(gate.home, status)
    return Stored(
        proposal=decode_record(Proposal, content, where=gate.home.proposal(status.id)), sha256=status.sha256
    )


def read_logged(home: Home, status: ProposalStatus) -> bytes:
    """Return the bytes of a proposal's file.

    Raises:
        AlteredError: It is missing or is not what was logged.
    """
    path = home.proposal(status.id)
    try:
        content = read_regular(path, MAX_PROPOSAL_BYTES)
    except UnreadableError as error:
        raise AlteredError(str(error)) from error
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != status.sha256:
        raise AlteredError(
            f"{path} was changed after it was proposed: it has SHA-256 {sha256}, the log says {status.sha256}"
        )
    return content


def is_altered(home: Home, status: ProposalStatus) -> bool:
    """Return whether a proposal's file is missing or is not what was logged."""
    try:
        read_logged(home, status)
    except AlteredError:
        return True
    return False


def read_stored(gate: Gate, book: Book, *, states: Collection[ChangeState] | None = None) -> list[Stored]:
    """Read every proposal that the log knows and whose bytes are those logged, in order of their leaves.

    What was altered is left out: it was set aside, and :func:`find_set_aside` names it.

    Args:
        gate: The home.
        book: What its log adds up to.
        states: Only those of which some change is in one of them; None reads all.
    """
    stored = []
    for status in book.proposals.values():
        if states is None or any(change.state in states for change in status.changes.values()):
            with suppress(AlteredError):
                stored.append(read_proposal(gate, status))
    return stored


def each_change(stored: Iterable[Stored], book: Book) -> Iterator[tuple[Proposal, Change, ChangeStatus]]:
    """Yield every change of proposals, each with its proposal and what became of it."""
    for item in stored:
        changes = book.proposals[item.proposal.id].changes
        for change in item.proposal.changes:
            if status := changes.get(change.n):
                yield item.proposal, change, status


def without_unanswered(stored: Iterable[Stored], book: Book) -> list[Stored]:
    """Return proposals without the changes that were withdrawn: nobody answered those, so they may be proposed again."""
    return [
        replace(item, proposal=replace(item.proposal, changes=tuple(kept)))
        for item in stored
        if (kept := [c for c in item.proposal.changes if _is_remembered(book.proposals[item.proposal.id], c)])
    ]


def _is_remembered(status: ProposalStatus, change: Change) -> bool:
    return status.state_of(change.n) is not ChangeState.WITHDRAWN


def is_unanswered_drift(status: ProposalStatus) -> bool:
    """Return whether a proposal is drift that ended without an answer: its file goes once its time is over."""
    states = {change.state for change in status.changes.values()}
    return status.kind is Kind.DRIFT and states <= {ChangeState.SUPERSEDED, ChangeState.WITHDRAWN}


def find_set_aside(home: Home, book: Book) -> tuple[str, ...]:
    """Name the proposals that still matter and whose files are missing or not what was logged.

    Those matter of which something waits for an answer or is signed and not applied;
    ``verify`` looks at all.
    """
    live = {decision.proposal for decision in book.approvals_to_apply()}
    return tuple(
        status.id
        for status in book.live()
        if status.lane != EDIT_LANE and (status.open_changes() or status.id in live)
        if is_altered(home, status)
    )


def short_name(book: Book, name: str) -> str:
    """Return the shortest beginning of a proposal's id that names it alone, 4 characters at least: ``p-fuqg``."""
    length = len("p-") + SHORTEST
    while sum(other.startswith(name[:length]) for other in book.proposals) > 1 and length < len(name):
        length += 1
    return name[:length]


def shortened(book: Book, text: str) -> str:
    """Return a message of ours with the short name of each proposal that it names; files keep theirs."""

    def short(found: re.Match[str]) -> str:
        names = [name for name in book.proposals if name.startswith(found[0])]
        return short_name(book, names[0]) if len(names) == 1 else found[0]

    return _NAME.sub(short, text)


def find_status(book: Book, text: str) -> ProposalStatus:
    """Find a proposal by its id or by the beginning of it.

    Raises:
        UsageError: None, or more than one, begins so.
    """
    begin = text.removeprefix("p-")
    if not begin:
        raise UsageError("no proposal is named", hint="'nightledger proposals' lists them")
    found = [status for name, status in book.proposals.items() if name.startswith(f"p-{begin}")]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UsageError(f"there is no proposal {text!r}", hint="'nightledger proposals' lists them")
    raise UsageError(f"{text!r} fits {len(found)} proposals", hint="give more of the id")
