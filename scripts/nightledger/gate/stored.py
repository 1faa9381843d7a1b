"""Proposals as they lie on disk, checked against their leaves.

Invariant: a proposal whose bytes are not those that its leaf names is never shown,
signed or applied.
"""

import hashlib
from dataclasses import dataclass

from nightledger.codec.records import decode_record
from nightledger.domain.errors import IntegrityError, UsageError
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import Book, ProposalStatus
from nightledger.files.reading import read_regular
from nightledger.gate.opening import Gate

MAX_PROPOSAL_BYTES = 64_000_000
"""A larger one is refused when it is made, so that whatever was logged can be read again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """A proposal with the hash of its bytes."""

    proposal: Proposal
    sha256: str


def read_proposal(gate: Gate, status: ProposalStatus) -> Stored:
    """Read one proposal.

    Raises:
        IntegrityError: Its file is missing or is not what was logged.
    """
    path = gate.home.proposal(status.id)
    content = read_regular(path, MAX_PROPOSAL_BYTES)
    sha256 = hashlib.sha256(content).hexdigest()
    if sha256 != status.sha256:
        raise IntegrityError(
            f"{path} was changed after it was proposed: it has SHA-256 {sha256}, the log says {status.sha256}",
            hint="someone edited a proposal; put the file back from a backup, then 'nightledger verify'",
        )
    return Stored(proposal=decode_record(Proposal, content, where=path), sha256=sha256)


def read_stored(gate: Gate, book: Book) -> list[Stored]:
    """Read every proposal that the log knows, in order of their leaves."""
    return [read_proposal(gate, status) for status in book.proposals.values()]


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
