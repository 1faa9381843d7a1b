"""The text of a closed proposal goes; that it was asked, and how it was answered, stays.

Invariant: what still says where a lesson in memory came from, what deletes a link or has something
forgotten keeps its text; what goes is remembered by hashes before it goes, so that it is not asked
again. Its state and its answer are in the log for ever.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from nightledger.codec.records import decode_lines, dump_line
from nightledger.domain.closed import Closed, ClosedChange, Source, hashed
from nightledger.domain.errors import AlteredError
from nightledger.domain.lanes import Said
from nightledger.domain.proposal import Change, Evidence, Kind, Op, Origin
from nightledger.domain.states import Book, ChangeState, ProposalStatus
from nightledger.files.append import append_records
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.opening import Gate
from nightledger.gate.review.noted_under import heading_of
from nightledger.gate.stored import Stored, read_proposal
from nightledger.text.changes.veil import HOLE

MAX_CLOSED_BYTES = 1 << 30
"""Some 400 bytes a change: a million of them."""
ENDED = frozenset({ChangeState.REJECTED, ChangeState.WITHDRAWN, ChangeState.UNDONE, ChangeState.SUPERSEDED})
REFUSED = ENDED - {ChangeState.SUPERSEDED, ChangeState.WITHDRAWN}
"""What ended because the operator said so."""
_TAKES_AWAY = frozenset({Op.REMOVE, Op.ARCHIVE, Op.COMPRESS})
"""What, once it is applied, stands nowhere in memory as its words."""


def closed_proposals(gate: Gate, book: Book, touched: Collection[str]) -> Iterator[Stored]:
    """Give the proposals whose text is there and that nothing needs any more.

    Args:
        gate: The home.
        book: What its log adds up to.
        touched: Proposals to which something happened lately; they stay.
    """
    for status in book.proposals.values():
        if status.id in touched or status.kind is Kind.DRIFT or not _may_end(status):
            continue
        if not os.path.lexists(gate.home.proposal(status.id)):
            continue
        with suppress(AlteredError):
            stored = read_proposal(gate, status)
            if all(_is_over(status, change) for change in stored.proposal.changes):
                yield stored


def _may_end(status: ProposalStatus) -> bool:
    """Tell, without a look at its text, whether all of a proposal may be over."""
    states = {change.state for change in status.changes.values()}
    return states <= ENDED | {ChangeState.APPLIED}


def _is_over(status: ProposalStatus, change: Change) -> bool:
    if status.state_of(change.n) is not ChangeState.APPLIED:
        return True
    return change.op in _TAKES_AWAY and status.kind is not Kind.FORGET


def remember(home: Home, stored: Stored, at: datetime) -> None:
    """Put on disk what is needed to know a proposal again once its text went.

    Args:
        home: Whose.
        stored: The proposal.
        at: When it goes; aware, UTC.
    """
    proposal = stored.proposal
    record = Closed(
        v=1,
        proposal=proposal.id,
        sha256=stored.sha256,
        at=at,
        changes=tuple(_remembered(home, change) for change in proposal.changes),
    )
    append_records(home.closed, dump_line(record))


def _remembered(home: Home, change: Change) -> ClosedChange:
    sources = {(e.path, e.outcome) for e in change.evidence}
    return ClosedChange(
        n=change.n,
        op=change.op,
        target=change.target,
        key=hashed(change.key),
        removed=hashed(f"masked {change.n}" if _is_masked(change) else change.hunk.removed),
        added=hashed(change.hunk.added),
        sources=tuple(
            Source(path=path, outcome=outcome)
            for path, outcome in sorted(sources, key=lambda one: (one[0], one[1] or ""))
        ),
        heading=heading_of(home, change.evidence, title=False),
    )


def _is_masked(change: Change) -> bool:
    return HOLE in change.hunk.removed


def refused_and_gone(home: Home, book: Book, op: Op) -> frozenset[str]:
    """Give the files of which the operator refused such a change, or took it back, in proposals whose text went."""
    return frozenset(
        change.target for change, state, _ in gone_changes(home, book) if change.op is op and state in REFUSED
    )


def read_closed(home: Home) -> dict[str, Closed]:
    """Give what is remembered of proposals whose text went, by id.

    Of which two lines say different things nothing is known: anybody can append a line, and would so choose
    what is never proposed again.
    """
    raw = read_optional(home.closed, MAX_CLOSED_BYTES, within=home.root) or b""
    found: dict[str, Closed] = {}
    contested: set[str] = set()
    for record in decode_lines(Closed, raw):
        known = found.setdefault(record.proposal, record)
        if replace(record, at=known.at) != known:
            contested.add(record.proposal)
    return {name: record for name, record in found.items() if name not in contested}


def said_and_gone(home: Home, book: Book) -> list[Said]:
    """List what was proposed before and whose text went, for suppression."""
    return [
        Said(
            key=change.key,
            target=change.target,
            adds=change.op is Op.ADD,
            closed=state in ENDED,
            evidence=tuple(_evidence(source) for source in change.sources),
            lines=(change.removed, change.added),
        )
        for change, state, _ in gone_changes(home, book)
        if state is not ChangeState.WITHDRAWN
    ]


def answered_and_gone(
    home: Home, book: Book, path: str, states: Collection[ChangeState]
) -> set[tuple[str, str]]:
    """Give hashes of the lines taken out and put in by changes of a file that ended in such states."""
    return {
        (change.removed, change.added)
        for change, state, _ in gone_changes(home, book)
        if change.target == path and state in states
    }


def gone_changes(home: Home, book: Book) -> Iterator[tuple[ClosedChange, ChangeState, ProposalStatus]]:
    """Give the changes whose text went, each with what became of it, and its proposal; only what the log says went counts."""
    for record in read_closed(home).values():
        status = book.proposals.get(record.proposal)
        if status is not None and record.sha256 == status.sha256 and status.sha256 in book.gone:
            yield from ((change, status.state_of(change.n), status) for change in record.changes)


def _evidence(source: Source) -> Evidence:
    """Give a source as evidence; of the lines themselves nothing is known any more."""
    return Evidence(path=source.path, lines=(1, 1), sha256="", origin=Origin.UNKNOWN, outcome=source.outcome)
