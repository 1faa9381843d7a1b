"""Take one message in: verified, remembered, carried out, answered; each at most once.

Order: the signature; the channel's lock; an answer that was kept; the home's log and the machines that it names;
number and id on disk; only then the deed; its answer on disk; the answer.
Invariant: the same bytes give the same answer, however they come and however often; what was
refused stays refused, though it may be for another reason. Nothing is remembered of a message
that no machine of the log has signed, and nothing that anybody may write opens a way in.

Which messages of each sender are spent is a number, and the ids behind it that may be asked for again. A message's
number and id are on disk (``take``) before anything is done about it; when its answer is on disk, so is the answer's
hash (``answered``). Between the two it is *begun*: whoever finds it so finishes it. A message whose number is not
above the highest of its sender, and whose id is not kept, is never carried out. The record lies beside the keys,
where no agent writes; answers lie in the home, and count only with the hash that the record has.
"""

import hashlib
import os
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, convert, to_builtins

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.records import MAX_REPLY_BYTES, dump_record
from nightledger.codec.strict_json import parse_json
from nightledger.domain.errors import (
    ConfigurationError,
    IntegrityError,
    LockedError,
    RecordError,
    RefusedError,
    UnreadableError,
)
from nightledger.domain.message import REPLY_TYPE, Message, Reply, Status, find_lasting_reasons, find_reasons
from nightledger.files.atomic import replace_file
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.files.reading import read_optional
from nightledger.remote.actions import brief, is_undone, logged_outcome, perform, rule_of
from nightledger.remote.handlers import Done, Work
from nightledger.remote.peers import (
    load_machine_key,
    logged_seqs,
    note_contact,
    open_message,
    present_peers,
    read_peers,
)
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing
from nightledger.trust.dsse import seal
from nightledger.trust.keys import KeyRing

KEPT = 64
"""Ids of one sender that are kept, for retries and for what a crash cut short; the oldest gives way."""
BEGUN = ""
"""Stands for the hash of the answer of a message that has none yet."""
MAX_BYTES = 4 << 20
_MAX_ANSWER_BYTES = 64 << 20
_Id = Annotated[str, Meta(pattern=r"\Am-[a-z2-7]{26}\Z")]
"""It becomes the name of a file that is removed."""
_Hash = Annotated[str, Meta(pattern=r"\A([0-9a-f]{64})?\Z")]
LOCK = "channel.lock"
"""Beside the keys, as what it guards: ``.nightledger/`` may go at any time."""
PATIENCE_S = 60.0
"""How long a message waits for those before it; then its sender is told to try again."""
MAX_REASON_CHARACTERS = 4096
ANSWER_GONE = "it was answered before, and that answer is gone; send it anew"


class _Sender(Struct):
    """The highest number of a sender, and the ids that are kept, each with the hash of its answer."""

    iss: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    seq: Annotated[int, Meta(ge=0, le=MAX_INTEGER)] = 0
    ids: list[tuple[_Id, _Hash]] = []


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
            listed = [] if raw is None else convert(parse_json(raw, record)["senders"], list[_Sender])
        except (RecordError, ValidationError, UnicodeEncodeError, KeyError, TypeError) as error:
            raise IntegrityError(
                f"{record} is damaged",
                hint="restore it from a backup of the keys, or remove it: the log says what was taken in",
            ) from error
        self._senders = {sender.iss: sender for sender in listed}

    def begin(self, logged: Mapping[str, int]) -> None:
        """Begin a record with the highest ``seq`` that the audit log names, by sender."""
        self._senders = {iss: _Sender(iss=iss, seq=seq) for iss, seq in logged.items()}

    def seq(self, iss: str) -> int:
        """Return the highest number of a sender that was taken in or refused for its time; 0 for none."""
        return self._sender(iss).seq

    def known(self, message: Message) -> str | None:
        """Return the hash of a message's answer, :data:`BEGUN` where it has none yet; None for one that is new."""
        return dict(self._sender(message.iss).ids).get(message.id)

    def take(self, message: Message) -> None:
        """Spend a message's number and keep its id; on disk when this returns."""
        self._spend(message).ids.append((message.id, BEGUN))
        self._write()

    def refuse(self, message: Message) -> None:
        """Spend the number of a message that is refused for its time; on disk when this returns."""
        self._spend(message)
        self._write()

    def answered(self, message: Message, answer: bytes) -> None:
        """Keep the answer to a message that was begun; from now on it is given to whoever asks again."""
        make_dir(self._answers, ignored_by_git=True)
        replace_file(self._answer(message.id), answer)
        ids = self._senders[message.iss].ids
        ids[ids.index((message.id, BEGUN))] = message.id, hashlib.sha256(answer).hexdigest()
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

    def _sender(self, iss: str) -> _Sender:
        return self._senders.get(iss) or _Sender(iss=iss)

    def _spend(self, message: Message) -> _Sender:
        sender = self._senders.setdefault(message.iss, _Sender(iss=message.iss))
        sender.seq = max(sender.seq, message.seq)
        return sender

    def _write(self) -> None:
        gone = [name for sender in self._senders.values() for name, _ in sender.ids[:-KEPT]]
        for sender in self._senders.values():
            sender.ids = sender.ids[-KEPT:]
        senders = to_builtins([sender for _, sender in sorted(self._senders.items())])
        replace_file(self._record, canonical({"v": 1, "senders": senders}) + b"\n")
        for name in gone:
            with suppress(OSError):  # what lies there counts for nothing from now on
                os.unlink(self._answer(name))


class Answered(Struct, frozen=True, kw_only=True):
    """An answer on its way.

    Attributes:
        message: What it answers.
        peer: Who asked.
        envelope: The signed answer.
    """

    message: Message
    peer: str
    envelope: bytes


def take_in(context: Context, raw: bytes) -> Answered:
    """Take a message in, from wherever it came, and return the signed answer.

    Args:
        context: The receiving home; its clock is read anew.
        raw: The envelope.

    Raises:
        RecordError: It is no envelope, or what was signed is no message; nothing was done.
        SignatureError: No known machine's key has signed it; nothing was done.
        LockedError: Not now; the same message may come again.
        IntegrityError: The home's log is not what was signed; the same message may come again.
    """
    context = copy(context)
    context.renew()
    home = Home(context.home_path).require()
    message, peer = open_message(raw, present_peers(home), context.moment.at)
    with channel_lock(context, home):
        seen = open_seen(context, home)
        answer = seen.answer(message)
        if answer is None:
            rule = rule_of(message.action)
            opening = writing(context, actor=rule.actor) if rule.writes else reading(context)
            with opening as session:
                answer = _answer(context, session, seen, raw)
        note_contact(home, peer.name, "heard", context.moment.at)
    return Answered(message=message, peer=peer.name, envelope=answer)


def channel_lock(context: Context, home: Home) -> Lock:
    """Return the lock of whoever takes in a message or an answer.

    Raises:
        ConfigurationError: This home has no keys here; none are put back where something lies.
    """
    folder = KeyRing(Path(context.keys_dir)).home_dir(home.identity.id)
    if not folder.is_dir():
        raise ConfigurationError(
            f"{folder} is missing",
            hint="set NIGHTLEDGER_KEYS to the directory of this home's keys, or restore them",
        )
    return Lock(str(folder / LOCK), timeout_s=PATIENCE_S)


def open_seen(context: Context, home: Home) -> Seen:
    """Open the record of spent numbers."""
    ring = KeyRing(Path(context.keys_dir))
    return Seen(str(ring.path(home.identity.id, "channel.json")), os.path.join(home.channel_dir, "answers"))


def _answer(context: Context, session: Session, seen: Seen, raw: bytes) -> bytes:
    """Judge a message by the machines that the log names; carry it out, or refuse it.

    What was begun in time is finished, however late it comes again; but what only looks is not begun by looking.

    Raises:
        SignatureError: No machine that the log names has signed it.
    """
    gate, ledger, moment = session.gate, session.ledger, session.moment
    message, peer = open_message(raw, read_peers(gate.home, ledger, moment), moment.at)
    if seen.is_lost:
        seen.begin(logged_seqs(ledger))
    known = seen.known(message)
    if known:  # somebody removed its answer; it is not done anew
        done = logged_outcome(ledger, message) or Done(status=Status.REJECTED, reason=ANSWER_GONE)
        return _sealed(context, message, done)
    resumed = known == BEGUN
    work = Work(gate=gate, ledger=ledger, message=message, peer=peer, moment=moment, resumed=resumed)
    seq, now = 0 if resumed else seen.seq(message.iss), int(moment.at.timestamp())
    reasons = find_reasons(message, peer, gate.home.identity.id, seq, now)
    if reasons and (not resumed or is_undone(work)):
        if logged := logged_outcome(ledger, message):
            return _sealed(context, message, logged)
        lasting = find_lasting_reasons(message, peer, gate.home.identity.id)
        if message.seq > seen.seq(message.iss) and not lasting:
            seen.refuse(message)
        refusal = _sealed(context, message, Done(status=Status.REJECTED, reason="; ".join(reasons)))
        return _kept(seen, message, refusal) if resumed else refusal
    if not resumed:
        seen.take(message)
    return _kept(seen, message, _sealed(context, message, perform(work)))


def _kept(seen: Seen, message: Message, reply: bytes) -> bytes:
    """Keep the answer to a message that was begun, which ends it; return it.

    Raises:
        LockedError: Something of this home stands in its way; the same message may come again.
    """
    try:
        seen.answered(message, reply)
    except (ConfigurationError, RefusedError) as error:
        raise LockedError(f"the answer cannot be kept: {error}", hint=error.hint) from error
    return reply


def _sealed(context: Context, message: Message, done: Done) -> bytes:
    home = Home(context.home_path)
    key = load_machine_key(KeyRing(Path(context.keys_dir)), home.identity.id)
    payload = dump_record(_reply(context, home, message, done))
    if len(payload) > MAX_REPLY_BYTES:
        size = f"the answer would have {len(payload)} bytes; at most {MAX_REPLY_BYTES} are sent"
        payload = dump_record(_reply(context, home, message, brief(message, done, size)))
    return seal(REPLY_TYPE, payload, key)


def _reply(context: Context, home: Home, message: Message, done: Done) -> Reply:
    return Reply(
        v=1,
        re=message.id,
        iss=home.identity.id,
        aud=message.iss,
        iat=int(context.moment.at.timestamp()),
        status=done.status,
        reason=done.reason[:MAX_REASON_CHARACTERS],
        body=done.body or {},
    )
