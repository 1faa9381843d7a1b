"""Take one message in: verified, remembered, carried out, answered; each at most once.

Order: the signature; the channel's lock; an answer that was kept; the home's log and the machines that it names;
number and id on disk; only then the deed; its answer on disk; the answer.
Invariant: the same bytes give the same answer, however they come and however often; what was
refused stays refused, though it may be for another reason. Nothing is remembered of a message
that no machine of the log has signed, and nothing that anybody may write opens a way in.
"""

import os
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from nightledger.codec.message import MAX_REPLY_BYTES
from nightledger.codec.records import dump_record
from nightledger.domain.errors import ConfigurationError, LockedError, RefusedError
from nightledger.domain.message import REPLY_TYPE, Message, Reply, Status, find_lasting_reasons, find_reasons
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.remote.actions import brief, is_undone, logged_outcome, perform, rule_of
from nightledger.remote.notes import note_contact
from nightledger.remote.peers import logged_seqs, open_message, present_peers, read_peers
from nightledger.remote.seen import BEGUN, Seen
from nightledger.remote.work import Done, Work
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing
from nightledger.trust.dsse import seal
from nightledger.trust.keys import KeyRing
from nightledger.trust.machine_key import load_machine_key

LOCK = "channel.lock"
"""Beside the keys, as what it guards: ``.nightledger/`` may go at any time."""
PATIENCE_S = 60.0
"""How long a message waits for those before it; then its sender is told to try again."""
MAX_REASON_CHARACTERS = 4096
ANSWER_GONE = "it was answered before, and that answer is gone; send it anew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
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
