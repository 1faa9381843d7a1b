"""What the operator is not asked about any more: headings and files of notes from which nothing was wanted.

Invariant: it is a fold of signed rejections and of the log, kept nowhere: no rejection, no silence; and
the operator has it asked about again.
"""

from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from os.path import basename, splitext

from msgspec import Struct

from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import RefusedError
from nightledger.domain.event import EventName
from nightledger.domain.lanes import JOB, OPERATOR
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ChangeState
from nightledger.gate.opening import Gate, record
from nightledger.gate.review.noted_under import NEVER, heading_of
from nightledger.gate.signed import reason_of
from nightledger.gate.stored import read_stored
from nightledger.text.similar import fold

ENOUGH = 3
"""Rejections, and nothing accepted, after which a heading is not asked about. Our choice."""
FILES = "*-"
"""Begins the name of a kind of file, ``*-standup``."""
_REFUSED = frozenset({ChangeState.REJECTED})
_ACCEPTED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED, ChangeState.STALE})


class Unasked(Struct, frozen=True, kw_only=True):
    """A heading of notes, or what a file is named for beside its day, from which nothing is proposed.

    Attributes:
        name: The heading as it stood, or :data:`FILES` and what files are named for.
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


def find_unasked(gate: Gate, book: Book) -> tuple[Unasked, ...]:
    """Return what is not asked about now, by name.

    Raises:
        UnreadableError: A file of the home cannot be read.
    """
    refused: dict[str, list[str]] = defaultdict(list)
    for name, at in _answers(gate, book, _REFUSED):
        if at > book.asked_again.get(_hash_of(name), 0):
            refused[key_of(name)].append(name)
    enough = {key: names for key, names in refused.items() if len(names) >= ENOUGH}
    accepted = {key_of(name) for name, _ in _answers(gate, book, _ACCEPTED)} if enough else ()
    found = {k: Unasked(name=n[0], refused=len(n)) for k, n in enough.items() if k not in accepted}
    for status in book.decisions.values():
        reason = reason_of(gate.home, status).strip() if status.type is DecisionType.REJECT else ""
        name = reason[len(NEVER) :].strip() if reason.casefold().startswith(NEVER) else ""
        if key_of(name) and status.line > book.asked_again.get(_hash_of(name), 0):
            found[key_of(name)] = Unasked(name=name, refused=0)
    return tuple(found[key] for key in sorted(found))


def _answers(gate: Gate, book: Book, states: frozenset[ChangeState]) -> Iterator[tuple[str, int]]:
    """Give each name under which a change of a night was answered so, with the line of the log that says so."""
    stored = [item.proposal for item in read_stored(gate, book, states=states)]
    changes = [(change, book.proposals[one.id]) for one in stored for change in one.changes]
    for change, status in changes:
        sources = change.evidence
        answered = status.state_of(change.n) in states and not any(one.outcome for one in sources)
        if not answered or status.kind is not Kind.CONSOLIDATE or status.lane not in (JOB, OPERATOR):
            continue
        heading = heading_of(gate.home, sources, title=False)
        decided = book.decisions.get(status.changes[change.n].decision or "")
        for name in sorted({heading, *(f"{FILES}{label_of(one.path)}" for one in sources[:1])}):
            if key_of(name):
                yield name, decided.line if decided else 0


def _hash_of(name: str) -> str:
    """Give the hex SHA-256 by which the log names a heading: no text of an agent stands there."""
    return sha256(key_of(name).encode("utf-8", "surrogateescape")).hexdigest()


def ask_again(gate: Gate, book: Book, name: str, moment: Moment) -> None:
    """Log that a heading, or a kind of file, is proposed from again.

    Raises:
        RefusedError: Nothing is held back from it.
    """
    if key_of(name) not in {key_of(one.name) for one in find_unasked(gate, book)}:
        raise RefusedError(f"nothing is held back from {name!r}", hint="'nightledger status' names what is")
    record(gate, [(EventName.ASKED_AGAIN, {"sha256": _hash_of(name)})], moment)
