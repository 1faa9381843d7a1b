"""What nobody proposes again: what was forgotten, expunged or deleted, headings that are not asked about; and where evidence stands.

Invariant: from when a forgetting is signed until it is undone, or its operator puts the very
words back, no job's and no agent's draft says it again, with new evidence or in other words. What
was expunged is not said again in the same words, whatever their case, punctuation and spacing. A link is deleted by a
decision that verifies; undone, it is as if it had never been. What is not asked about any more is a fold of
signed rejections and of the log: no rejection, no silence; and the operator has it asked about again. Lines that are given
as those of some evidence have the hash that it names.
"""

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from hashlib import sha256
from itertools import chain
from os.path import basename, splitext
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.consolidation import LogLine, StatementKind
from nightledger.domain.decision import Actor, DecisionType, EventName, Moment
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.judge import EDIT_LANE, JOB, OPERATOR
from nightledger.domain.kept import ARCHIVE_DAILY, is_copy
from nightledger.domain.outcome import Pair, split_key
from nightledger.domain.proposal import Change, Evidence, Kind, Op
from nightledger.domain.states import Apply, Book, ChangeState
from nightledger.files.durable import read_optional, read_regular
from nightledger.files.home import Home
from nightledger.files.line_log import LineLog
from nightledger.gate.opening import Gate, Ledger, log_key, open_gate, read_ledger, record
from nightledger.gate.stored import Stored, each_change, is_altered, read_proposal, read_stored, reason_of
from nightledger.gate.trusting import Trust, read_verified
from nightledger.text.markdown.document import decode, encode
from nightledger.text.phrases import NO_PHRASES, Forgotten, HashedPhrases, hash_phrase, telling_lines
from nightledger.text.scanners.scan import told_values, veil
from nightledger.text.scanners.secrets import telling
from nightledger.text.similar import fold
from nightledger.text.statements.daylog import read_daylog
from nightledger.text.statements.forms import field_label, innermost, key_of, signable
from nightledger.text.statements.wording import kind_told_by

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from nightledger.files.link_index import Rules

MOST_HASHES = 80
"""They stand in the reason of a decision, which has at most 2,000 characters."""
_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})
MAX_LOG_BYTES = 1 << 31
"""Centuries of entries; a larger log is none of ours."""
DELETED, EXPUNGED = b'"outcomes":', b'"withheld":'
"""What every entry has, as it stands in the log, that deletes a link, and that withholds an expunged text."""


def read_forgotten(gate: Gate, stored: Iterable[Stored], book: Book) -> Forgotten:
    """Return what is forgotten now.

    Args:
        gate: The home.
        stored: All proposals; none for what was expunged alone.
        book: What became of them.

    Raises:
        KeyFileError: Something was expunged, and the log's key, without which it is not known again, is missing.
    """
    changes = list(each_change(stored, book))
    taken_out = [
        (change.hunk.removed, status.since)
        for proposal, change, status in changes
        if proposal.kind is Kind.FORGET and status.state in _SIGNED
    ]
    put_back = _newest(
        (change.hunk.added, status.since)
        for proposal, change, status in changes
        if proposal.lane == EDIT_LANE or proposal.kind is Kind.REVERSAL
        if status.state is ChangeState.APPLIED
    )
    hashes = {one for each in book.withheld.values() for one in each}
    return Forgotten(
        (text for text, since in taken_out if since and put_back.get(fold(text), since) <= since),
        HashedPhrases(hashes, _key(gate)) if hashes else NO_PHRASES,
    )


def _newest(texts: Iterable[tuple[str, datetime | None]]) -> dict[str, datetime]:
    """Return when each wording was put in last."""
    newest: dict[str, datetime] = {}
    for text, since in texts:
        if text and since:
            newest[fold(text)] = max(since, newest.get(fold(text), since))
    return newest


def hash_expunged(gate: Gate, lines: Sequence[str]) -> tuple[str, ...]:
    """Return what is kept of an expunged text so that it is known again: keyed hashes of the lines that tell, the longest.

    Raises:
        KeyFileError: The log's key is missing.
    """
    key = _key(gate)
    hashes = dict.fromkeys(one for line in telling_lines(lines) for one in hash_phrase(line, key))
    return tuple(sorted(hashes, key=lambda one: -int(one.partition(":")[0]))[:MOST_HASHES])


def _key(gate: Gate) -> bytes:
    """Derive a key of its own from the log's: a copy of the home alone tells nobody whether a guess was the text."""
    private = log_key(gate).ed25519.private_bytes_raw()
    return hashlib.blake2b(private, digest_size=32, person=b"expunged-text-v1").digest()


def link_rules(gate: Gate, ledger: Ledger, zone: "ZoneInfo") -> "Rules":
    """Return what counts for links: nothing that was deleted or expunged.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        zone: The home's zone.

    Raises:
        KeyFileError: Something was expunged, and the log's key is missing.
    """
    from nightledger.files.link_index import Rules

    expunged = read_forgotten(gate, (), ledger.book).expunged
    says = expunged.said_in if expunged else None
    return Rules(zone=zone, forgotten=tombstones(gate, ledger), says=says, hashes=tuple(expunged.hashes))


def read_link_rules(home: Home, keys_dir: str, actor: Actor, zone: "ZoneInfo") -> "Rules":
    """Return what counts for links, as :func:`link_rules`.

    A log that names nothing deleted or expunged is not opened for that: a job needs no keys.

    Args:
        home: Whose.
        keys_dir: Where its private keys and its pin live.
        actor: Who called.
        zone: The home's zone.

    Raises:
        IntegrityError: The log or its signatures are not what was signed.
        KeyFileError: Something was expunged, and the log's key is missing.
    """
    from nightledger.files.link_index import Rules

    raw = read_optional(home.audit_log, MAX_LOG_BYTES, within=home.root) or b""
    if DELETED not in raw and EXPUNGED not in raw:
        return Rules(zone=zone)
    gate = open_gate(home.root, keys_dir, actor=actor)
    return link_rules(gate, read_ledger(gate), zone)


def tombstones(gate: Gate, ledger: Ledger) -> dict[Pair, int]:
    """Return the links that are deleted now, and how many outcomes there were when each was.

    Those outcomes count for it no longer; later ones start it anew.

    Args:
        gate: The home.
        ledger: Its log, as checked.
    """
    found: dict[Pair, int] = {}
    for apply in ledger.book.applies.values():
        if apply.outcomes is not None and apply.outcome != "aborted":
            found |= dict.fromkeys(_deleted(gate, ledger, apply), apply.outcomes)
    return found


def _deleted(gate: Gate, ledger: Ledger, apply: Apply) -> list[Pair]:
    """Return the links that an apply deleted and that are not back."""
    status = ledger.book.proposals.get(apply.proposal)
    decision = ledger.book.decisions.get(apply.decision)
    if not status or not decision or decision.type is not DecisionType.APPROVE:
        return []  # of what the log never named nothing was signed
    standing = [n for n in apply.changes if status.state_of(n) is ChangeState.APPLIED]
    if not standing:
        return []
    signed = read_verified(gate.home, ledger, Trust(gate.home, ledger), decision)
    if signed is None or is_altered(gate.home, status):
        return []  # 'verify' names it; what cannot be shown to be signed deletes nothing
    return [
        split_key(change.hunk.removed)
        for change in read_proposal(gate, status).proposal.changes
        if change.n in standing and change.n in signed.changes and change.op is Op.DELETE_LINK
    ]


def count_outcomes(home: Home) -> int:
    """Return how many outcomes a home has, each counted once, as links count them."""
    with LineLog(home.outcomes) as log:
        chunks = enumerate(log.chunks(0), 1)  # a byte order mark stands in the first one only
        return len({row.id for n, chunk in chunks for row in read_outcome_rows(chunk, first_line=n).rows})


MAX_BYTES = 64_000_000
NEVER = "never from this heading: "
"""Begins the reason of a signed rejection that is about all that stands under a heading; the heading follows."""
ENOUGH = 3
"""Rejections, and nothing accepted, after which a heading is not asked about. Our choice."""
FILES = "*-"
"""Begins the name of a kind of file, ``*-standup``."""
KINDS = "kind: "
"""Begins the name of a kind of statement, ``kind: cause``."""
_REFUSED = frozenset({ChangeState.REJECTED})
_ACCEPTED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED, ChangeState.STALE})


class Cited(Struct, frozen=True, kw_only=True):
    """Lines, where they were found.

    Attributes:
        path: The file, relative to the home: the one that was cited, or its full text in the archive.
        content: Its bytes.
        same: Whether the lines are what they were when they were cited.
    """

    path: str
    content: bytes
    same: bool


def cited(home: Home, evidence: Evidence, *, told: frozenset[str] = frozenset()) -> Cited:
    """Find the lines of evidence; where nobody has them any more, those that stand at their place now.

    Args:
        home: Where the files are.
        evidence: Whose lines.
        told: Values told as secrets elsewhere: in a hash they may be veiled.

    Raises:
        UnreadableError: The file is no regular file of the home, and no copy has the lines.
    """
    own, failed = b"", None
    for path in chain((evidence.path,), _copies(home, evidence.path)):
        try:
            content = read_regular(home.path(path), MAX_BYTES, within=home.root)
        except NightledgerError as error:
            failed = error if path == evidence.path else failed
            continue
        if _is_same(content, evidence, told):
            return Cited(path=path, content=content, same=True)
        own = content if path == evidence.path else own
    if failed is not None:
        raise failed
    return Cited(path=evidence.path, content=own, same=False)


def _copies(home: Home, path: str) -> Iterator[str]:
    """Yield the files of the archive in which the full text of a log may be, by its name."""
    stem, end = os.path.splitext(path.rpartition("/")[2])
    name = re.compile(re.escape(stem) + r"(?:-\d+)?" + re.escape(end))
    directory = home.archive_daily_dir
    for found in sorted(os.listdir(directory)) if os.path.isdir(directory) else ():
        copy = f"{ARCHIVE_DAILY}/{found}"
        if name.fullmatch(found) and is_copy(copy):
            yield copy


def _is_same(content: bytes, evidence: Evidence, told: frozenset[str]) -> bool:
    first, last = evidence.lines
    text = b"\n".join(content.split(b"\n")[first - 1 : last])
    if hashlib.sha256(text).hexdigest() == evidence.sha256:
        return True
    veiled = encode(veil(decode(text), told=told | values_of(content)))
    return hashlib.sha256(veiled).hexdigest() == evidence.sha256


def values_of(content: bytes) -> frozenset[str]:
    """Return what a file tells as secrets; only the lines that may tell are looked at."""
    text = content.decode("utf-8", "replace").split("\n")
    return told_values("\n".join(text[at] for at in sorted(telling(text))))


def heading_of(home: Home, evidence: Sequence[Evidence], *, title: bool = True) -> str:
    """Return the innermost heading with a word in it above the strongest evidence; empty where there is none.

    A gated file's headings are none: they are what the memory is sorted by, not where something was noted. One
    that holds a secret or hidden characters is none, for it would be signed.

    Args:
        home: Where the notes are.
        evidence: What a change rests on, the strongest first.
        title: Whether the one top heading of a file counts, which is the name of the whole file.
    """
    line, text = _line_of(home, evidence)
    found = innermost(line.headings) if line else ""
    if not title and [found] == [line[2:].strip() for line in text.split("\n") if line.startswith("# ")]:
        return ""
    return found


def _line_of(home: Home, evidence: Sequence[Evidence]) -> tuple[LogLine | None, str]:
    """Return the first line of the strongest evidence, and the notes that it stands in; no line where there are none."""
    if not evidence or evidence[0].path in home.identity.gated:
        return None, ""
    try:
        text = cited(home, evidence[0]).content.decode("utf-8", "replace")
    except NightledgerError:
        return None, ""
    lines = read_daylog(evidence[0].path, text, date.min).lines[evidence[0].lines[0] - 1 :]
    return (lines[0] if lines else None), text


class Unasked(Struct, frozen=True, kw_only=True):
    """A heading or label of notes, what a file is named for beside its day, or a kind of statement, of which nothing is proposed.

    Attributes:
        name: The heading as it stood; the label and a colon; :data:`FILES` and what files are named for; :data:`KINDS` and a kind.
        refused: How many changes of it were rejected, of a kind how many times; 0 where one rejection said never.
    """

    name: str
    refused: int


def label_of(path: str) -> str:
    """Return what a file is named for beside its day, for example ``standup``; empty for a plain daily log."""
    return key_of(splitext(basename(path))[0])


def find_unasked(gate: Gate, book: Book) -> tuple[Unasked, ...]:
    """Return what is not asked about now, by name.

    Raises:
        UnreadableError: A file of the home cannot be read.
    """
    refused: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for name, at in _answers(gate, book, _REFUSED):
        if at > book.asked_again.get(_hash_of(name), 0):
            refused[key_of(name)].append((name, at))
    times = {key: _times(found) for key, found in refused.items()}
    enough = {key for key, count in times.items() if count >= ENOUGH}
    accepted = {key_of(name) for name, _ in _answers(gate, book, _ACCEPTED)} if enough else set()
    found = {key: Unasked(name=refused[key][0][0], refused=times[key]) for key in enough - accepted}
    for status in book.decisions.values():
        reason = reason_of(gate.home, status).strip() if status.type is DecisionType.REJECT else ""
        name = reason[len(NEVER) :].strip() if reason.casefold().startswith(NEVER) else ""
        if key_of(name) and status.line > book.asked_again.get(_hash_of(name), 0):
            found[key_of(name)] = Unasked(name=name, refused=0)
    return tuple(found[key] for key in sorted(found))


def _times(refused: Sequence[tuple[str, int]]) -> int:
    """Return how often something was refused; a kind once a signature, for one bad night has many of a kind."""
    is_kind = refused[0][0].startswith(KINDS)
    return len({at for _, at in refused}) if is_kind else len(refused)


def _answers(gate: Gate, book: Book, states: frozenset[ChangeState]) -> Iterator[tuple[str, int]]:
    """Give each name under which a change of a night was answered so, with the line of the log that says so."""
    stored = [item.proposal for item in read_stored(gate, book, states=states)]
    changes = [(change, book.proposals[one.id]) for one in stored for change in one.changes]
    for change, status in changes:
        sources = change.evidence
        answered = status.state_of(change.n) in states and not any(one.outcome for one in sources)
        if not answered or status.kind is not Kind.CONSOLIDATE or status.lane not in (JOB, OPERATOR):
            continue
        decided = book.decisions.get(status.changes[change.n].decision or "")
        names = {key_of(name): name for name in _names_of(gate.home, change)}
        yield from ((name, decided.line if decided else 0) for key, name in sorted(names.items()) if key)


def _names_of(home: Home, change: Change) -> Iterator[str]:
    """Yield the names that a refusal of a change may teach: of its heading, its label, its file and its kind."""
    line, _ = _line_of(home, change.evidence)
    label = signable(field_label(line)) if line else ""
    yield f"{label}:" if label else ""
    yield heading_of(home, change.evidence, title=False)
    yield from (f"{FILES}{label_of(one.path)}" for one in change.evidence[:1])
    kind = kind_told_by(change.scope.fails_when)
    yield name_of_kind(kind) if kind else ""


def name_of_kind(kind: StatementKind) -> str:
    """Return the name under which a kind of statement is not asked about."""
    return f"{KINDS}{kind.value}"


def _hash_of(name: str) -> str:
    """Give the hex SHA-256 by which the log names a heading: no text of an agent stands there."""
    return sha256(encode(key_of(name))).hexdigest()


def ask_again(gate: Gate, book: Book, name: str, moment: Moment) -> None:
    """Log that a heading, or a kind of file, is proposed from again.

    Raises:
        RefusedError: Nothing is held back from it.
    """
    if key_of(name) not in {key_of(one.name) for one in find_unasked(gate, book)}:
        raise RefusedError(f"nothing is held back from {name!r}", hint="'nightledger status' names what is")
    record(gate, [(EventName.ASKED_AGAIN, {"sha256": _hash_of(name)})], moment)
