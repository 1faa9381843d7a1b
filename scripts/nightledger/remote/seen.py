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
BEGUN = ""
"""Stands for the hash of the answer of a message that has none yet."""
MAX_BYTES = 4 << 20
_MAX_ANSWER_BYTES = 64 << 20
_ID = re.compile(r"m-[a-z2-7]{26}")
_SHA256 = re.compile(r"([0-9a-f]{64})?")
_ISS = re.compile(r"[0-9a-f]{32}")


@dataclass(slots=True, kw_only=True)
class _Sender:
    """The highest number of a sender, and by id the hash of each answer."""

    seq: int = 0
    ids: dict[str, str] = field(default_factory=dict)


class Seen:
    """The record, open; the caller holds the channel's lock for as long as it lives.

    Attributes:
        is_lost: Whether there was no record: then it begins with what the log names (``begin``).
    """

    __slots__ = ("_answers", "_record", "_senders", "is_lost")

    def __init__(self, record: str, answers: str) -> None:
        """Read the record.

        Args:
            record: ``$NIGHTLEDGER_KEYS/<home id>/channel.json``.
            answers: ``.nightledger/channel/answers``; one file an id; disposable.

        Raises:
            IntegrityError: The record is damaged.
        """
        self._record, self._answers = record, answers
        raw = read_optional(record, MAX_BYTES)
        self.is_lost = raw is None
        try:
            self._senders = {} if raw is None else dict(_senders_of(parse_json(raw, record)))
        except (NightledgerError, AttributeError, KeyError, TypeError, ValueError) as error:
            raise IntegrityError(
                f"{record} is damaged",
                hint="restore it from a backup of the keys, or remove it: the log says what was taken in",
            ) from error

    def begin(self, logged: Mapping[str, int]) -> None:
        """Begin a record with the highest ``seq`` that the audit log names, by sender."""
        self._senders = {iss: _Sender(seq=seq) for iss, seq in logged.items()}

    def seq(self, iss: str) -> int:
        """Return the highest number of a sender that was taken in or refused for its time; 0 for none."""
        return self._senders.get(iss, _Sender()).seq

    def known(self, message: Message) -> str | None:
        """Return the hash of a message's answer, :data:`BEGUN` where it has none yet; None for one that is new."""
        return self._senders.get(message.iss, _Sender()).ids.get(message.id)

    def take(self, message: Message) -> None:
        """Spend a message's number and keep its id; on disk when this returns."""
        self._spend(message).ids[message.id] = BEGUN
        self._write()

    def refuse(self, message: Message) -> None:
        """Spend the number of a message that is refused for its time; on disk when this returns."""
        self._spend(message)
        self._write()

    def answered(self, message: Message, answer: bytes) -> None:
        """Keep the answer to a message that was begun; from now on it is given to whoever asks again."""
        make_dir(self._answers, ignored_by_git=True)
        replace_file(self._answer(message.id), answer)
        self._senders[message.iss].ids[message.id] = hashlib.sha256(answer).hexdigest()
        self._write()

    def answer(self, message: Message) -> bytes | None:
        """Return the answer that was kept; None where there is none, or somebody put another one there."""
        kept = self.known(message)
        try:
            answer = read_optional(self._answer(message.id), _MAX_ANSWER_BYTES) if kept else None
        except UnreadableError:
            return None
        return answer if answer is not None and hashlib.sha256(answer).hexdigest() == kept else None

    def _answer(self, message_id: str) -> str:
        return os.path.join(self._answers, f"{message_id}.json")

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
        replace_file(self._record, canonical({"v": 1, "senders": senders}) + b"\n")
        for name in gone:
            with suppress(OSError):  # what lies there counts for nothing from now on
                os.unlink(self._answer(name))


def _senders_of(record: Any) -> Iterator[tuple[str, _Sender]]:
    for sender in record["senders"]:
        iss, seq, ids = sender["iss"], sender["seq"], dict(sender.get("ids", ()))
        named = all(_ID.fullmatch(name) and _SHA256.fullmatch(sha256) for name, sha256 in ids.items())
        if not (_ISS.fullmatch(iss) and type(seq) is int and 0 <= seq <= MAX_INTEGER and named):
            raise ValueError("it names no messages")  # an id becomes the name of a file that is removed
        yield iss, _Sender(seq=seq, ids=ids)
