"""Audit entries and their bytes: one canonical JSON line an event.

Invariant: what is written holds ids, hashes, counts and enumerated words only. The members
of ``fields`` stand beside ``v, seq, event, actor, at`` in one flat object. Whoever reads an event of a known name
finds the members that stand here, in their forms. Further members, and events of other names, come from later
versions and have any form that the log takes.

One pass over the bytes of the audit log: the tree, the entries, the lines that are none.

Invariant: every line is a leaf, whatever it holds, so that index and line number agree
for ever; a line is an entry when it is canonical JSON of the right members and its
``seq`` is its index. Lines are decoded some hundreds at a time; where one of these is no
entry, each is taken alone, by the same rule.
"""

import gc
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct, field

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.domain.decision import Actor, DecisionType, Event, EventName
from nightledger.domain.errors import IntegrityError, NightledgerError
from nightledger.domain.proposal import Kind
from nightledger.domain.states import ChangeState
from nightledger.domain.words import ID_CHARACTERS
from nightledger.files.durable import is_regular, is_there
from nightledger.trust.merkle import Tree, leaf_hash

__all__ = ["Actor", "Event", "EventError", "LineError", "NewEvent", "path_word"]

VERSION = 1
MAX_LEAF_BYTES = 65_535
"""C2SP tlog-tiles carries an entry's length in 16 bits."""
MAX_WORD_CHARACTERS = 1_024
MAX_DEPTH = 3
"""Lists and objects below ``fields``: a list of objects that hold a list."""
EVENT_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*")
_NOT_IN_WORDS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_WRITTEN_TIME = "%04d-%02d-%02dT%02d:%02d:%02dZ"


class EventError(NightledgerError):
    """An event holds what the audit log does not take: a mistake in the code that made it."""


class LineError(IntegrityError):
    """A line of the audit log is not an event in its only form."""


class NewEvent(Struct, frozen=True, kw_only=True):
    """Something that happened and has no place in the log yet.

    Attributes:
        event: What happened, ``proposal.created``.
        actor: Who caused it.
        at: Wall clock; aware. The log keeps whole seconds.
        fields: What it is about.
    """

    event: str
    actor: Actor
    at: datetime
    fields: Mapping[str, Any] = field(default_factory=dict)

    def line(self, seq: int) -> bytes:
        r"""Give the line at a place in the log, without ``\n``: its leaf.

        Raises:
            EventError: When a field holds what is no id, hash or word; when the line is too long for a leaf.
            CanonicalError: When a field is no string, integer, list or object.
        """
        _require_words(self.fields)
        at = self.at.astimezone(UTC)
        own = {
            "v": VERSION,
            "seq": seq,
            "event": self.event,
            "actor": str(self.actor),
            "at": _WRITTEN_TIME % (at.year, at.month, at.day, at.hour, at.minute, at.second),
        }
        line = canonical({**self.fields, **own})
        if len(line) > MAX_LEAF_BYTES:
            raise EventError(f"{self.event} has {len(line)} bytes; texts and diffs go to blobs")
        return line


def path_word(path: str) -> str:
    """Give a path as a string that the log takes, percent-encoding what it does not.

    Control characters, lone surrogates (bytes that are no UTF-8), ``%`` and forms that are
    not NFC are encoded; ``urllib.parse.unquote(word, errors="surrogateescape")`` gives the
    path back.

    Raises:
        EventError: When it is longer than the log takes.
    """
    word = path
    if "%" in path or _NOT_IN_WORDS.search(path) or unicodedata.normalize("NFC", path) != path:
        from urllib.parse import quote

        word = quote(path.encode("utf-8", "surrogateescape"), safe="/ !#$&'()*+,:;=?@[]")
    if len(word) > MAX_WORD_CHARACTERS:
        raise EventError(f"a path has {len(word)} characters")
    return word


def _require_words(value: Any) -> None:
    """Refuse prose; whether the rest is an entry's form is told by who reads the line again (``scan.py``)."""
    if isinstance(value, str):
        # nearly all are ASCII; a fifth of the time
        plain = value.isascii() and value.isprintable()
        if len(value) > MAX_WORD_CHARACTERS or not (plain or _is_word(value)):
            raise EventError("a field holds text, not an id, hash or word")
    elif isinstance(value, (list, tuple, Mapping)):
        for one in value.values() if isinstance(value, Mapping) else value:
            _require_words(one)


def _is_word(value: str) -> bool:
    return not _NOT_IN_WORDS.search(value) and unicodedata.is_normalized("NFC", value)


Word = Annotated[str, Meta(max_length=1_024)]
Name = Annotated[str, Meta(pattern=f"^[a-z]-[a-z2-7]{{{ID_CHARACTERS}}}$")]
NoName = Annotated[str, Meta(pattern=f"^([a-z]-[a-z2-7]{{{ID_CHARACTERS}}})?$")]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
NoHash = Annotated[str, Meta(pattern="^([0-9a-f]{64})?$")]
Count = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
Number = Annotated[int, Meta(ge=0, le=100_000)]
"""A change of a proposal, or how many there are: more could not be read again."""
Seconds = Annotated[int, Meta(ge=0, le=10_000_000_000)]
"""Three centuries: a ``timedelta`` holds more."""


def _list_of(form: Any) -> Any:
    return GenericAlias(list, (form,))


def _members(name: str, *needed: tuple[str, Any], **optional: Any) -> Any:
    more = [(member, form, None) for member, form in optional.items()]
    return msgspec.defstruct(name, [*needed, *more], kw_only=True)


File: Any = _members("File", ("path", Word), ("sha256", Hash))
SizedFile: Any = _members("SizedFile", ("path", Word), ("sha256", Hash), ("size", Count))
TrustFile: Any = _members("TrustFile", ("name", Word), ("sha256", Hash))
Target: Any = _members(
    "Target", ("path", Word), ("before", Hash), ("after", Hash), signed_base=NoHash, signed_result=NoHash,
    accepted_before=Hash, accepted=Hash,
)  # fmt: skip
_CHANGES = {"proposal": Name, "changes": list[Number]}
_NEEDED: Mapping[EventName, Mapping[str, Any]] = {
    EventName.GENESIS: {"origin": Word},
    EventName.PROPOSED: {"proposal": Name, "sha256": Hash, "kind": Kind, "lane": Word, "changes": Number},
    EventName.DEFERRED: _CHANGES,
    EventName.CLOSED: {**_CHANGES, "reason": ChangeState},
    EventName.STALE: _CHANGES,
    EventName.ASKED_AGAIN: {"sha256": Hash},
    EventName.DECIDED: {
        "decision": Name, "sha256": Hash, "type": DecisionType, "proposal": NoName, "changes": list[Number],
    },
    EventName.APPLY_INTENT: {
        "apply": Word, "decision": Name, "proposal": NoName, "changes": list[Number], "targets": _list_of(Target),
    },
    EventName.NAMED: {"apply": Word, "names": list[tuple[Name, Name]]},
    EventName.APPLY_DONE: {"apply": Word},
    EventName.APPLY_ABORTED: {"apply": Word},
    EventName.APPLY_RACED: {"apply": Word},
    EventName.QUARANTINED: {"sha256": Hash, "rules": list[Word], "path": Word, "line": Count},
    EventName.HEARTBEAT: {"day": date},
    EventName.TAIL_CLOSED: {"first": Count, "count": Count, "damaged": Count},
    EventName.DRIFT_FOUND: {
        "path": Word, "sha256": Hash, "base": NoHash, "proposal": NoName, "writer": Word,
    },
    EventName.PROTECTED_SEEN: {"files": _list_of(File)},
    EventName.TRUST_CHANGED: {"decision": Name, "files": _list_of(TrustFile)},
    EventName.TRUST_RESET: {"files": _list_of(TrustFile)},
    EventName.CONSENT_BLOCKED: {"action": Word, "domain": Word},
    EventName.LOCKED: {"paths": list[Word]},
    EventName.UNLOCKED: {"paths": list[Word]},
    EventName.LOCK_REPAIRED: {"paths": list[Word]},
    EventName.EXPUNGED: {"decision": Name, "sha256s": list[Hash], "places": _list_of(SizedFile)},
    EventName.BLOBS_REMOVED: {"sha256s": list[Hash]},
    EventName.MESSAGE: {
        "message": Name, "peer": Word, "iss": Word, "number": Count, "action": Word, "status": Word,
    },
    EventName.RESTORED: {"size": Count, "lost": Count},
}  # fmt: skip
_OPTIONAL: Mapping[EventName, Mapping[str, Any]] = {
    EventName.GENESIS: {"simulated": bool, "trust": _list_of(TrustFile), "gated": _list_of(File)},
    EventName.CLOSED: {"cause": Word},
    EventName.DECIDED: {"signature_sha256": NoHash},
    EventName.APPLY_INTENT: {"taken_back": list[Number], "outcomes": Count},
    EventName.APPLY_ABORTED: {"reason": Word, "replaced": _list_of(File)},
    EventName.APPLY_RACED: {"replaced": _list_of(File)},
    EventName.HEARTBEAT: {"waiting": Count, "inputs": _list_of(SizedFile)},
    EventName.DRIFT_FOUND: {"blob": NoHash, "commit": Word, "known_earlier": Word},
    EventName.MESSAGE: {"proposal": NoName, "decision": NoName, "sha256": NoHash},
    EventName.RESTORED: {"decision": NoName, "base": NoHash},
    EventName.TRUST_RESET: {"size": Count, "root": Hash},
}


def have_their_forms(records: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether each of these records whose event's name is known has what stands here."""
    try:
        msgspec.convert([record for record in records if record["event"] in _NEEDED], _shape())
    except msgspec.ValidationError:
        return False
    return True


@cache
def _shape() -> Any:
    """Return the type of a list of events whose names are known."""
    shapes = [
        msgspec.defstruct(
            name.name,
            [
                *needed.items(),
                *((member, form, None) for member, form in _OPTIONAL.get(name, {}).items()),
                ("boot", Word, ""),
                ("boot_s", Seconds, 0),
            ],
            kw_only=True,
            tag_field="event",
            tag=name.value,
        )
        for name, needed in _NEEDED.items()
    ]
    return _list_of(reduce(or_, shapes))


TAIL_CLOSED = b'"log.tail_closed"'
_BATCH = 256
"""Decoded rows of so many lines stay in a processor's second-level cache."""
_TIME = re.compile(r"(?!000[01]|9999)\d{4}-\d\d-\d\dT(?!24)\d\d:[0-5]\d:[0-5]\dZ", re.ASCII)
"""No entry is of the first or last years: a week or a zone beside its time would lie off Python's calendar."""
_ACTORS = {actor.value: actor for actor in Actor}

Record = dict[str, Any]


class Closure(NamedTuple):
    """What a ``log.tail_closed`` entry says: these lines were there and are not counted.

    Attributes:
        first: Index of the first line that nobody had acknowledged.
        end: Index behind the last one; the entry's own.
    """

    first: int
    end: int


class Scan(Struct):
    """What one pass found.

    Attributes:
        path: The log.
        lines: Its whole lines, without their ends.
        unfinished: What stands behind the last line end.
        tree: Over all whole lines.
        bad: Indexes of lines that are no entry of their place, among those that were judged.
        closures: Tails that an entry says were closed; see :func:`void_ranges`.
    """

    path: str
    lines: list[bytes] = field(default_factory=list)
    unfinished: bytes = b""
    tree: Tree = field(default_factory=Tree)
    bad: list[int] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)

    def records(self, size: int, void: Sequence[Closure]) -> Iterator[Record]:
        """Decode and judge the entries that count, in order; bad lines are left out.

        Args:
            size: How many lines count.
            void: Which of them do not (from :func:`void_ranges`).

        Raises:
            LineError: At a bad line that nobody judged before, because it is among those that
                were acknowledged: they are not what ``append`` wrote.
        """
        for first in range(0, min(size, len(self.lines)), _BATCH):
            lines = self.lines[first : min(first + _BATCH, size)]
            end = first + len(lines)
            whole = not any(one.first < end and first < one.end for one in void)
            records = _decode(lines, first) if whole else None
            if records is None:
                counted = (n for n in range(first, end) if not is_void(void, n) and n not in self.bad)
                yield from map(self.record, counted)
            else:
                yield from records

    def record(self, index: int) -> Record:
        """Decode and judge one line.

        Raises:
            LineError: It is no entry of its place.
        """
        records = _decode(self.lines[index : index + 1], index)
        if records is None:
            raise LineError(f"EDITED {self.path}: line {index + 1} is not the entry that belongs here")
        return records[0]

    def judge(self, first: int) -> None:
        """Find bad lines and closed tails from a line on; before it, closed tails alone."""
        closing = [n for n, line in enumerate(self.lines[:first]) if TAIL_CLOSED in line]
        for start in range(first, len(self.lines), _BATCH):
            lines = self.lines[start : start + _BATCH]
            closing += [n for n, line in enumerate(lines, start) if TAIL_CLOSED in line]
            if _decode(lines, start) is None:
                self.bad += [n for n, line in enumerate(lines, start) if not is_entry(line, n)]
        for index in closing:
            if is_entry(self.lines[index], index):
                record = self.record(index)  # other entries may hold that word, too
                if record["event"] == EventName.TAIL_CLOSED and record["first"] + record["count"] == index:
                    self.closures.append(Closure(record["first"], index))


def void_ranges(closures: Sequence[Closure], acknowledged: int) -> tuple[Closure, ...]:
    """Give the lines that are not counted, as ranges in order that do not touch.

    A closure is believed only where its own entry counts: it is acknowledged, and no later
    one that is believed closes it. Else one line, appended by anybody, could void history.

    Args:
        closures: As they stand in the log.
        acknowledged: How many lines are signed for or acknowledged.
    """
    believed: list[Closure] = []
    for closure in reversed(closures):
        if closure.end < acknowledged and (not believed or closure.end < believed[-1].first):
            believed.append(closure)
    return tuple(reversed(believed))


def is_void(ranges: Sequence[Closure], index: int) -> bool:
    """Tell whether a line lies in one of ``ranges`` (from :func:`void_ranges`)."""
    at = bisect_right(ranges, index, key=lambda closure: closure.first)
    return at > 0 and index < ranges[at - 1].end


def scan_log(path: str, *, known: int = 0) -> Scan:
    """Read a log from front to back.

    Args:
        path: The log; a missing file is an empty log.
        known: How many lines need not be judged, because the caller will compare their root
            with one over lines that were judged before; 0 for the entries of the whole log.

    Raises:
        IntegrityError: When the name is taken by something that is no regular file.
    """
    scan = Scan(path=path)
    if not is_there(path):
        return scan
    if not is_regular(path):
        raise IntegrityError(f"{path} is not a regular file", hint="put the log itself in its place")
    with collector_at_rest():
        with open(path, "rb") as stream:
            scan.lines = stream.read().split(b"\n")
        scan.unfinished = scan.lines.pop()
        scan.tree.extend(list(map(leaf_hash, scan.lines)))
        scan.judge(known)
    return scan


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """Let the garbage collector rest while much is made that holds no cycles; to search it doubles the time.

    What was made goes to the oldest generation as it is, else it would be searched once after all.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.freeze()
            gc.unfreeze()
            gc.enable()


def is_entry(line: bytes, index: int) -> bool:
    r"""Tell whether a line (without ``\n``) is an entry of its place."""
    return _decode([line], index) is not None


def event_of_record(record: Record) -> Event:
    """Give the event of a record that was found to be an entry; empties it of what every entry has."""
    at = datetime.fromisoformat(record.pop("at"))
    seq, event, actor = record.pop("seq"), record.pop("event"), _ACTORS[record.pop("actor")]
    return Event(v=record.pop("v"), seq=seq, event=event, actor=actor, at=at, fields=record)


def _decode(lines: Sequence[bytes], first: int) -> list[Record] | None:
    """Give the records of lines; None unless all are entries of their places."""
    decoder, encoder = _codec()
    block = b"\n".join(lines) + b"\n"
    try:
        records = decoder.decode_lines(block)
        # One encoding for each value: any other spelling of it differs here.
        whole = len(records) == len(lines) and encoder.encode_lines(records) == block
        fits = whole and all(_fits(record, index) for index, record in enumerate(records, first))
    except (msgspec.MsgspecError, KeyError, TypeError, ValueError):
        return None
    return records if fits and have_their_forms(records) else None


def _fits(record: Record, index: int) -> bool:
    """Tell whether a record has what every entry has.

    Raises:
        KeyError: It lacks a member.
        TypeError: A member is no string.
        ValueError: Its time is no hour of the calendar.
    """
    seq, v, at = record["seq"], record["v"], record["at"]
    return (
        type(seq) is int  # to Python true is 1
        and seq == index
        and type(v) is int
        and v == 1
        and record["actor"] in _ACTORS
        and EVENT_NAME.fullmatch(record["event"]) is not None
        and _TIME.fullmatch(at) is not None
        and datetime.fromisoformat(at) is not None
    )


@cache
def _codec() -> tuple[msgspec.json.Decoder[Record], msgspec.json.Encoder]:
    """Give the decoder that takes no floats, nulls, huge numbers or deep nests, and its inverse.

    msgspec writes RFC 8785 for such values: shortest escapes, no white space; it sorts names
    by code point, which is RFC 8785's order for the ASCII names that our fields have.
    """
    number = Annotated[int, msgspec.Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
    value: Any = str | bool | number
    for _ in range(MAX_DEPTH):
        value = str | bool | number | list[value] | dict[str, value]
    return msgspec.json.Decoder(dict[str, value]), msgspec.json.Encoder(order="sorted")
