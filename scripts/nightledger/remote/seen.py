"""Which messages of each sender are spent: a number, and the ids behind it that may be asked for again.

Life of a message: its number and id are on disk (``take``) before anything is done about it; when its
answer is on disk, so is the answer's hash (``answered``). Between the two it is *begun*: whoever finds it
so finishes it. Invariant: a message whose number is not above the highest of its sender, and whose id is
not kept, is never carried out. The record lies beside the keys, where no agent writes; answers lie in the
home, and count only with the hash that the record has.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import IntegrityError, NightledgerError, UnreadableError
from nightledger.domain.message import Message
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.reading import read_optional

KEPT = 64
"""Ids of one sender that are kept, for retries and for what a crash cut short; the oldest gives way."""
MAX_BYTES = 4 << 20
_MAX_ANSWER_BYTES = 64 << 20
_ID = re.compile(r"m-[a-z2-7]{26}")
_SHA256 = re.compile(r"([0-9a-f]{64})?")
_ISS = re.compile(r"[0-9a-f]{32}")


class State(StrEnum):
    """What is known of an id."""

    NEW = "new"
    BEGUN = "begun"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenPaths:
    """Where the record lies.

    Attributes:
        record: ``$NIGHTLEDGER_KEYS/<home id>/channel.json``.
        answers: ``.nightledger/channel/answers``; one file an id; disposable.
    """

    record: str
    answers: str

    def answer(self, message_id: str) -> str:
        """Return the file of an answer."""
        return os.path.join(self.answers, f"{message_id}.json")


@dataclass(slots=True, kw_only=True)
class _Sender:
    """The highest number of a sender, and by id the hash of each answer; empty for what was begun."""

    seq: int = 0
    ids: dict[str, str] = field(default_factory=dict)


class Seen:
    """The record, open; the caller holds the channel's lock for as long as it lives."""

    __slots__ = ("_senders", "paths")

    def __init__(self, paths: SeenPaths, *, logged: Mapping[str, int]) -> None:
        """Read the record.

        Args:
            paths: Where it lies.
            logged: Highest ``seq`` that the audit log names, by sender: counts where there is no record.

        Raises:
            IntegrityError: The record is damaged.
        """
        self.paths = paths
        raw = read_optional(paths.record, MAX_BYTES)
        if raw is None:
            self._senders = {iss: _Sender(seq=seq) for iss, seq in logged.items()}
            return
        try:
            self._senders = dict(_senders_of(parse_json(raw, paths.record)))
        except (NightledgerError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise IntegrityError(
                f"{paths.record} is damaged",
                hint="restore it from a backup of the keys, or remove it: the log says what was taken in",
            ) from error

    def seq(self, iss: str) -> int:
        """Return the highest number of a sender that was taken in or refused for its time; 0 for none."""
        return self._senders.get(iss, _Sender()).seq

    def state(self, message: Message) -> State:
        """Return what is known of a message."""
        kept = self._senders.get(message.iss, _Sender()).ids.get(message.id)
        if kept is None:
            return State.NEW
        return State.ANSWERED if kept else State.BEGUN

    def take(self, message: Message) -> None:
        """Spend a message's number and keep its id; on disk when this returns."""
        self._spend(message).ids[message.id] = ""
        self._write()

    def refuse(self, message: Message) -> None:
        """Spend the number of a message that is refused for its time; on disk when this returns."""
        self._spend(message)
        self._write()

    def answered(self, message: Message, answer: bytes) -> None:
        """Keep the answer to a message that was begun; from now on it is given to whoever asks again."""
        make_dir(self.paths.answers, ignored_by_git=True)
        replace_file(self.paths.answer(message.id), answer)
        self._senders[message.iss].ids[message.id] = hashlib.sha256(answer).hexdigest()
        self._write()

    def answer(self, message: Message) -> bytes | None:
        """Return the answer that was kept; None where somebody removed it, or put another one there."""
        try:
            answer = read_optional(self.paths.answer(message.id), _MAX_ANSWER_BYTES)
        except UnreadableError:
            return None
        kept = self._senders[message.iss].ids[message.id]
        return answer if answer is not None and hashlib.sha256(answer).hexdigest() == kept else None

    def _spend(self, message: Message) -> _Sender:
        sender = self._senders.setdefault(message.iss, _Sender())
        sender.seq = max(sender.seq, message.seq)
        return sender

    def _write(self) -> None:
        gone = [name for sender in self._senders.values() for name in list(sender.ids)[:-KEPT]]
        for sender in self._senders.values():
            sender.ids = dict(list(sender.ids.items())[-KEPT:])
        senders = [
            {"iss": iss, "seq": sender.seq, "ids": [[name, sha256] for name, sha256 in sender.ids.items()]}
            for iss, sender in sorted(self._senders.items())
        ]
        replace_file(self.paths.record, canonical({"v": 1, "senders": senders}) + b"\n")
        for name in gone:
            with suppress(OSError):  # what lies there counts for nothing from now on
                os.unlink(self.paths.answer(name))


def _senders_of(record: Any) -> Iterator[tuple[str, _Sender]]:
    for sender in record["senders"]:
        iss, seq, ids = sender["iss"], sender["seq"], dict(sender.get("ids", ()))
        named = all(_ID.fullmatch(name) and _SHA256.fullmatch(sha256) for name, sha256 in ids.items())
        if not (_ISS.fullmatch(iss) and type(seq) is int and 0 <= seq <= MAX_INTEGER and named):
            raise ValueError("it names no messages")  # an id becomes the name of a file that is removed
        yield iss, _Sender(seq=seq, ids=ids)
