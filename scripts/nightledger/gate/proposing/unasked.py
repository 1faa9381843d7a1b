"""What the operator is not asked about any more: headings and files of notes from which nothing was wanted.

Invariant: it is a fold of signed rejections and of the log, kept nowhere: no rejection, no silence; and
the operator has it asked about again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from os.path import basename, splitext

from nightledger.codec.records import decode_record
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.message import PEER
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ChangeState, ProposalStatus
from nightledger.gate.forgetting.closing import gone_changes
from nightledger.gate.opening import Gate
from nightledger.gate.review.noted_under import NEVER, heading_of
from nightledger.gate.signed import read_signed
from nightledger.gate.stored import read_stored
from nightledger.text.similar import fold

ENOUGH = 3
"""Rejections, and nothing accepted, after which a heading is not asked about. Our choice."""
_ACCEPTED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED, ChangeState.STALE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unasked:
    """A heading of notes, or what a file is named for beside its day, from which nothing is proposed.

    Attributes:
        name: As it was rejected.
        refused: How many changes from it were rejected; 0 where one rejection said never.
    """

    name: str
    refused: int


def key_of(name: str) -> str:
    """Return what a heading, or a file's name, is known by: its folded words, without those that are numbers."""
    return " ".join(word for word in fold(name).split() if not word.isdigit())


def label_of(path: str) -> str:
    """Return what a file is named for beside its day, for example ``standup``; empty for a plain daily log."""
    return key_of(splitext(basename(path))[0])


def hash_of(name: str) -> str:
    """Return the hex SHA-256 by which the log names a heading: no text of an agent stands there."""
    return sha256(key_of(name).encode("utf-8", "surrogateescape")).hexdigest()


def find_unasked(gate: Gate, book: Book) -> tuple[Unasked, ...]:
    """Return what is not asked about now, by name.

    Raises:
        UnreadableError: A file of the home cannot be read.
    """
    found: dict[str, Unasked] = {}
    refused: dict[str, list[str]] = {}
    for name, at in _answers(gate, book, frozenset({ChangeState.REJECTED})):
        if at > book.asked_again.get(hash_of(name), 0):
            refused.setdefault(key_of(name), []).append(name)
    enough = {key: names for key, names in refused.items() if len(names) >= ENOUGH}
    accepted = {key_of(name) for name, _ in _answers(gate, book, _ACCEPTED)} if enough else set()
    for key in enough.keys() - accepted:
        found[key] = Unasked(name=enough[key][0], refused=len(enough[key]))
    for name, at in _never(gate, book):
        if key_of(name) and at > book.asked_again.get(hash_of(name), 0):
            found[key_of(name)] = Unasked(name=name, refused=0)
    return tuple(found[key] for key in sorted(found))


def _answers(gate: Gate, book: Book, states: frozenset[ChangeState]) -> Iterator[tuple[str, int]]:
    """Give each name under which a change of a night was answered so, with the line of the log that says so."""
    for item in read_stored(gate, book, states=states):
        status = book.proposals[item.proposal.id]
        for change in item.proposal.changes if _is_of_a_night(status) else ():
            if change.evidence and not change.evidence[0].outcome and status.state_of(change.n) in states:
                at = _line(book, status.changes[change.n].decision)
                heading = heading_of(gate.home, change.evidence, title=False)
                yield from (
                    (name, at) for name in (heading, label_of(change.evidence[0].path)) if key_of(name)
                )
    for closed, status in gone_changes(gate.home, book):
        if not (_is_of_a_night(status) and status.state_of(closed.n) in states):
            continue
        at = _line(book, status.changes[closed.n].decision)
        labels = {label_of(source.path) for source in closed.sources if not source.outcome}
        yield from ((name, at) for name in (closed.heading, *sorted(labels)) if key_of(name))


def _is_of_a_night(status: ProposalStatus) -> bool:
    return status.kind is Kind.CONSOLIDATE and status.lane != PEER


def _line(book: Book, decision: str | None) -> int:
    known = book.decisions.get(decision or "")
    return known.line if known else 0


def _never(gate: Gate, book: Book) -> Iterator[tuple[str, int]]:
    """Give each heading of which a signed rejection says never, with the line of the log that has it."""
    for status in book.decisions.values():
        if status.type is DecisionType.REJECT and status.sha256 not in book.gone:
            try:
                content = read_signed(gate.home, status).content
            except NightledgerError:
                continue  # told by 'verify'
            reason = decode_record(Decision, content, where=status.id).reason.strip()
            if reason.casefold().startswith(NEVER):
                yield reason[len(NEVER) :].strip(), status.line
