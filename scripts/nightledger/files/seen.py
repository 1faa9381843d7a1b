"""Which messages were taken in: each id until it expires, however often it comes.

Life of an id: its line is on disk (``take``) before anything is done about it; when its answer
is on disk, a second line says so (``answered``). Between the two it is *begun*: whoever finds it
so finishes it. Invariant: an id that was taken in is never new again. Where the record of that
was lost, in whole or in part, every message that may have stood in it is refused: how many
lines there were is pinned, before anything is done. Record and pin lie beside the keys, where no
agent writes; answers lie in the home, and count only with the size and hash that the record has.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.strict_json import parse_json, read_jsonl
from nightledger.domain.errors import IntegrityError, LockedError, NightledgerError, UnreadableError
from nightledger.domain.message import Marks, Message, is_ahead
from nightledger.domain.words import read_text
from nightledger.files.append import append_records
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.reading import read_optional

MAX_IDS = 4096
"""Ids of one sender that are remembered at a time: one in 21 s for a day. Then it is refused, never forgotten."""
MAX_ANSWER_BYTES = 256 << 20
"""Answers to one sender that are kept for retries, together: what one asks for keeps no other out."""
MAX_AHEAD = 64
"""Messages of one sender, made in the future, that are remembered as refused. Then none is refused for good: 'not now'."""
MAX_STORE_BYTES = 64 << 20
BEGUN_S = 30 * 86_400
"""How long an id that was begun and not answered is kept beyond its life, so that what it made is answered as made; unless its sender finds no room."""
COMPACT_FROM = 1024
"""Lines from which on the record is written anew, once half of them are about ids that have expired."""
_MAX_PIN_BYTES = 4 << 20
_ID = re.compile(r"m-[a-z0-9]{26}")
_SHA256 = re.compile(r"([0-9a-f]{64})?")
_ISS = re.compile(r"[0-9a-f]{32}")


class FullError(LockedError):
    """No more messages can be remembered now; none is taken in without being remembered."""

    hint = "messages expire by themselves; try again later"


class State(StrEnum):
    """What is known of an id."""

    NEW = "new"
    BEGUN = "begun"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A message that was taken in.

    Attributes:
        id: Its id.
        iss: Who sent it.
        seq: Its number.
        exp: When it expires, seconds since 1970 UTC.
        answer_bytes: Size of its answer; 0 while there is none.
        answer_sha256: Hash of its answer, 64 hex characters; empty while there is none.
    """

    id: str
    iss: str
    seq: int
    exp: int
    answer_bytes: int = 0
    answer_sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPaths:
    """Where the record lies.

    Attributes:
        record: ``$NIGHTLEDGER_KEYS/<home id>/channel-ids``.
        answers: ``.nightledger/channel/answers``; one file an id; disposable.
        pin: ``$NIGHTLEDGER_KEYS/<home id>/channel.json``; tells whether the record is whole.
    """

    record: str
    answers: str
    pin: str

    def answer(self, message_id: str) -> str:
        """Give the file of an answer."""
        return os.path.join(self.answers, f"{message_id}.json")


class Seen:
    """The record, open; the caller holds the channel's lock for as long as it lives."""

    __slots__ = ("_ahead", "_file_lines", "_lines", "_marks", "_taken", "paths")

    def __init__(self, paths: SeenPaths, *, logged: Mapping[str, int]) -> None:
        """Read the record, and compare it with what is pinned.

        Args:
            paths: Where it lies.
            logged: Highest ``seq`` that the audit log names, by sender: counts where there is no pin.

        Raises:
            IntegrityError: The pin is damaged.
        """
        self.paths = paths
        pin = _read_pin(paths.pin, logged)
        found = _read_record(paths.record)
        self._marks, self._ahead = pin.marks, pin.ahead
        self._taken, self._file_lines = found.taken, found.file_lines
        most = (
            pin.lines + found.file_lines
        )  # a larger number is no count of ours, and would be pinned for good
        self._lines = max(min(found.lines, most), pin.lines)
        if found.gap or not pin.lines <= found.lines <= most:
            self._marks = {iss: replace(mark, lost_seq=mark.seq) for iss, mark in pin.marks.items()}
            self._rewrite(self._taken)

    def marks(self, iss: str) -> Marks:
        """Give what is remembered of a sender."""
        return self._marks.get(iss, Marks())

    def state(self, message_id: str) -> State:
        """Give what is known of an id."""
        taken = self._taken.get(message_id)
        if taken is None:
            return State.NEW
        return State.ANSWERED if taken.answer_bytes else State.BEGUN

    def take(self, message: Message, now: int) -> None:
        """Remember an id; when this returns, neither a crash nor the loss of the record makes it new again.

        Args:
            message: Whose id is new.
            now: Our clock, seconds since 1970 UTC.

        Raises:
            FullError: There is no room until others expire.
        """
        self._compact(message.iss, now)
        if full := self._full(message.iss):
            raise FullError(full)
        taken = Taken(id=message.id, iss=message.iss, seq=message.seq, exp=message.exp)
        self._append(taken)
        self.resume(message)

    def resume(self, message: Message) -> None:
        """Put on disk that a message is at work, before it is finished; its line may be all that a crash left."""
        old = self.marks(message.iss)
        self._marks = {
            **self._marks,
            message.iss: replace(old, seq=max(old.seq, message.seq), iat=max(old.iat, message.iat)),
        }
        self.pin()

    def is_refused(self, message: Message) -> bool:
        """Tell whether a message was refused for its time before, whatever the clocks say now."""
        return message.id in self._ahead or self.marks(message.iss).is_past(message)

    def refuse(self, message: Message, now: int) -> None:
        """Remember that a message is refused for its time; when this returns, that is on disk.

        One that has expired needs two numbers, whatever the count: those made later have a higher ``seq``.
        One that was made in the future is remembered by its id until its sender's own messages have passed
        its ``exp``, so that a wrong clock of its sender shuts out nothing else.

        Args:
            message: Whose sender is the machine that signed it, by the log.
            now: Our clock by which it is refused, seconds since 1970 UTC.

        Raises:
            FullError: Too many from the future; nothing is refused for good then.
        """
        old = self.marks(message.iss)
        if message.exp <= now:
            past = replace(
                old, past_seq=max(old.past_seq, message.seq), past_exp=max(old.past_exp, message.exp)
            )
            self._marks = {**self._marks, message.iss: past}
        if is_ahead(message, now):
            kept = {
                one.id: one for one in self._ahead.values() if one.iss != message.iss or one.exp > old.iat
            }
            own = sum(one.iss == message.iss for one in kept.values())
            if own >= MAX_AHEAD:
                raise FullError(
                    f"{own} messages of {message.iss} that were made in the future are remembered",
                    hint="compare the clocks of both machines",
                )
            one = Taken(id=message.id, iss=message.iss, seq=message.seq, exp=message.exp)
            self._ahead = {**kept, one.id: one}
        self.pin()

    def pin(self) -> None:
        """Put on disk how long the record is and what else is remembered.

        Raises:
            FullError: There are so many senders that it could not be read again.
        """
        senders = [
            {"iss": iss, **{name: getattr(mark, name) for name in Marks.__slots__}}
            for iss, mark in sorted(self._marks.items())
        ]
        ahead = [_fields(one) for one in self._ahead.values()]
        fields = {"v": 1, "n": self._lines, "senders": senders, "ahead": ahead}
        content = canonical(fields) + b"\n"
        if len(content) > _MAX_PIN_BYTES:
            raise FullError(f"{self.paths.pin} would have {len(content)} bytes")
        replace_file(self.paths.pin, content)

    def answered(self, message_id: str, answer: bytes) -> None:
        """Keep the answer to an id that was begun; from now on it is given to whoever asks again."""
        make_dir(self.paths.answers, ignored_by_git=True)
        replace_file(self.paths.answer(message_id), answer)
        kept = replace(self._taken[message_id], answer_bytes=len(answer), answer_sha256=_sha256(answer))
        self._append(kept)

    def answer(self, message_id: str) -> bytes | None:
        """Give the answer that was kept; None where somebody removed it, or put another one there."""
        taken = self._taken[message_id]
        try:
            answer = read_optional(self.paths.answer(message_id), taken.answer_bytes)
        except UnreadableError:
            return None
        return answer if answer is not None and _sha256(answer) == taken.answer_sha256 else None

    def _append(self, taken: Taken) -> None:
        append_records(self.paths.record, _line(self._lines + 1, taken))
        self._lines += 1
        self._file_lines += 1
        self._taken[taken.id] = taken

    def _full(self, iss: str) -> str:
        """Say why no more of a sender can be remembered; empty where it can."""
        own = [taken.answer_bytes for taken in self._taken.values() if taken.iss == iss]
        if len(own) < MAX_IDS and sum(own) < MAX_ANSWER_BYTES:
            return ""
        return f"{len(own)} messages of {iss} with {sum(own)} bytes of answers are remembered"

    def _compact(self, iss: str, now: int) -> None:
        """Forget what has expired, where that is much, or where a sender finds no room beside it."""
        full = bool(self._full(iss))
        gone = [t for t in self._taken.values() if t.exp + (0 if t.answer_bytes else BEGUN_S) <= now]
        if full and all(t.iss != iss for t in gone):  # then what was begun gives its room back, too
            gone += [t for t in self._taken.values() if t.iss == iss and t.exp <= now]
        many = self._file_lines >= COMPACT_FROM and 2 * len(gone) >= len(self._taken)
        if not many and not (gone and full):
            return
        for taken in gone:
            if old := self._marks.get(taken.iss):  # a sender that is not marked was never taken in
                self._marks[taken.iss] = replace(old, forgotten_exp=max(old.forgotten_exp, taken.exp))
        self.pin()  # before they are forgotten
        forgotten = {taken.id for taken in gone}
        self._rewrite({one.id: one for one in self._taken.values() if one.id not in forgotten})
        for taken in gone:
            with suppress(OSError):  # what lies there counts for nothing from now on
                os.unlink(self.paths.answer(taken.id))

    def _rewrite(self, kept: dict[str, Taken]) -> None:
        """Write the record anew; its first line says how many lines there ever were."""
        self.pin()
        lines = [_line(self._lines, None), *(_line(self._lines, taken) for taken in kept.values())]
        replace_file(self.paths.record, b"".join(lines))
        self._taken, self._file_lines = kept, len(lines)


def _line(number: int, taken: Taken | None) -> bytes:
    return canonical({"n": number, **(_fields(taken) if taken else {})}) + b"\n"


def _sha256(answer: bytes) -> str:
    return hashlib.sha256(answer).hexdigest()


def _fields(taken: Taken) -> dict[str, Any]:
    return {name: getattr(taken, name) for name in Taken.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """The record as it lies: how many lines there ever were, and whether some are missing among them."""

    lines: int
    taken: dict[str, Taken]
    gap: bool
    file_lines: int


def _read_record(path: str) -> _Record:
    """Read the record. A line that a crash tore is no gap: nothing was done about it, and its number is given again."""
    raw = read_optional(path, MAX_STORE_BYTES) or b""
    taken: dict[str, Taken] = {}
    lines, gap = 0, False
    for number, found in _entries(raw):
        # The first line of a record that was written anew says how many there were; those that it keeps have its number.
        gap = gap or not (lines <= number <= lines + 1 or (found is None and lines == 0))
        lines = max(lines, number)
        if found is not None:
            taken[found.id] = found
    return _Record(lines=lines, taken=taken, gap=gap, file_lines=raw.count(b"\n"))


def _entries(raw: bytes) -> Iterator[tuple[int, Taken | None]]:
    for line in read_jsonl(raw).lines:
        with suppress(TypeError, ValueError, KeyError):
            fields = dict(line.value)
            number = _count(fields.pop("n"))
            yield number, _taken_of(fields) if fields else None


def _taken_of(fields: Mapping[str, Any]) -> Taken:
    taken = Taken(**fields)
    if (
        not _ID.fullmatch(taken.id)
        or not _ISS.fullmatch(taken.iss)
        or not _SHA256.fullmatch(taken.answer_sha256)
    ):
        raise ValueError("it names no message")  # an id becomes the name of a file that is removed
    for number in (taken.seq, taken.exp, taken.answer_bytes):
        _count(number)
    return taken


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MAX_INTEGER:
        raise TypeError(f"{value!r} is no count")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pin:
    """What is pinned outside the home: how many lines the record had, and what it must not be asked for."""

    lines: int
    marks: dict[str, Marks]
    ahead: dict[str, Taken]


def _read_pin(path: str, logged: Mapping[str, int]) -> _Pin:
    raw = read_optional(path, _MAX_PIN_BYTES)
    if raw is None:  # the keys' directory is new or was put back from before: the log must tell
        marks = {iss: Marks(seq=seq) for iss, seq in logged.items()}
        return _Pin(lines=1 if logged else 0, marks=marks, ahead={})
    try:
        record = parse_json(raw, path)
        ahead = {one.id: one for one in map(_taken_of, record.get("ahead", ()))}
        marks = dict(_marks_of(record["senders"]))
        return _Pin(lines=_count(record["n"]), marks=marks, ahead=ahead)
    except (NightledgerError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise IntegrityError(
            f"{path} is damaged",
            hint="restore it from a backup of the keys, or remove it: what was sent until now is then refused",
        ) from error


def _marks_of(senders: Any) -> Iterator[tuple[str, Marks]]:
    for sender in senders:
        fields = dict(sender)
        yield read_text(fields.pop("iss")), Marks(**{name: _count(value) for name, value in fields.items()})
