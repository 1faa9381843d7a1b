"""Take one message in: verified, remembered, carried out, answered; each at most once.

Order: the signature; the channel's lock; what is known of its number and id; the home's log and the machines
that it names; number and id on disk; only then the deed; its answer on disk; the answer.
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
from nightledger.domain.message import (
    REPLY_TYPE,
    Message,
    Reply,
    Status,
    find_lasting_reasons,
    find_reasons,
)
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.remote.actions import (
    Done,
    Handler,
    Work,
    brief,
    is_undone,
    logged_outcome,
    perform,
    rule_of,
)
from nightledger.remote.distilling import consolidate_received
from nightledger.remote.handlers import decide, load_memory_file, propose_change, update_heartbeat
from nightledger.remote.notes import note_contact
from nightledger.remote.peers import Opened, logged_seqs, open_message, present_peers, read_peers
from nightledger.remote.pruning import prune_received
from nightledger.remote.restoring import restore_context
from nightledger.remote.seen import Seen, SeenPaths, State
from nightledger.remote.travelling import list_waiting
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
HANDLERS: dict[str, Handler] = {
    "consolidate_daily": consolidate_received,
    "decide": decide,
    "load_memory_file": load_memory_file,
    "proposals": list_waiting,
    "propose_behavioral_change": propose_change,
    "prune_stale_memory": prune_received,
    "restore_context": restore_context,
    "update_heartbeat": update_heartbeat,
}
"""What is built; an action that the gate knows and that is not here is answered with ``rejected: not built``."""


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
    """Take a message in, from wherever it came, and give the signed answer.

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
    opened = open_message(raw, present_peers(home), context.moment.at)
    with channel_lock(context, home):
        seen = _open_seen(context, home)
        reply = _answer_again(context, seen, raw, opened)
        if reply is None:
            reply = _answer(context, seen, raw)
        note_contact(home, opened.peer.name, heard=context.moment.at)
    return Answered(message=opened.message, peer=opened.peer.name, envelope=reply)


def channel_lock(context: Context, home: Home) -> Lock:
    """Give the lock of whoever takes in a message or an answer.

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


def seen_paths(context: Context, home: Home) -> SeenPaths:
    """Give where the record of spent numbers lies."""
    ring = KeyRing(Path(context.keys_dir))
    return SeenPaths(
        record=str(ring.path(home.identity.id, "channel.json")),
        answers=os.path.join(home.channel_dir, "answers"),
    )


def _open_seen(context: Context, home: Home) -> Seen:
    paths = seen_paths(context, home)
    if os.path.lexists(paths.record):
        return Seen(paths, logged={})
    with reading(context) as session:
        return Seen(paths, logged=logged_seqs(session.ledger))


def _answer_again(context: Context, seen: Seen, raw: bytes, opened: Opened) -> bytes | None:
    """Give the answer that was given before, or a refusal; None for a message that is to be carried out.

    What was begun in time is finished, however late it comes again; but what only looks is not begun by looking.

    Raises:
        SignatureError: It is to be refused, and no machine that the log names has signed it.
    """
    message, state = opened.message, seen.state(opened.message)
    if state is State.ANSWERED:
        return seen.answer(message) or _answered_before(context, raw)
    if (state is State.BEGUN and rule_of(message.action).writes) or not _reasons(context, seen, opened):
        return None
    if _is_settled(context, seen, opened):
        return _refused(context, seen, opened)
    with reading(context) as session:
        opened = _reopened(session, raw)
        done = logged_outcome(session.ledger, message)
        return _sealed(context, message, done) if done else _refused(context, seen, opened)


def _answered_before(context: Context, raw: bytes) -> bytes:
    """Answer a message whose answer somebody removed, by what the log says became of it; it is not done anew."""
    with reading(context) as session:
        message = _reopened(session, raw).message
        done = logged_outcome(session.ledger, message)
    return _sealed(context, message, done or Done(status=Status.REJECTED, reason=ANSWER_GONE))


def _is_settled(context: Context, seen: Seen, opened: Opened) -> bool:
    """Tell whether a refusal needs no look at the log: anybody who once heard a message can send it without end.

    So it is where no clock and no list of machines can make it good, and where it has expired and came before.
    """
    message, mine = opened.message, Home(context.home_path).identity.id
    if message.iss != opened.peer.home:
        return False
    spent = message.seq <= seen.seq(message.iss) and message.exp <= context.moment.at.timestamp()
    return spent or bool(find_lasting_reasons(message, opened.peer, mine))


def _reasons(context: Context, seen: Seen, opened: Opened) -> tuple[str, ...]:
    """Say why a message is not taken in, by the clock and by its number; one that was begun has its own."""
    message, mine = opened.message, Home(context.home_path).identity.id
    seq = seen.seq(message.iss) if seen.state(message) is State.NEW else 0
    return find_reasons(message, opened.peer, mine, seq, int(context.moment.at.timestamp()))


def _refused(context: Context, seen: Seen, opened: Opened) -> bytes | None:
    """Refuse a message, and spend its number first; None where nothing is wrong with it.

    Args:
        context: The receiving home.
        seen: What is remembered.
        opened: The message; signed by a machine of the log, unless its number is spent.
    """
    reasons = _reasons(context, seen, opened)
    if not reasons:
        return None
    message, mine = opened.message, Home(context.home_path).identity.id
    spent = message.seq <= seen.seq(message.iss)
    if not spent and not find_lasting_reasons(message, opened.peer, mine):
        seen.refuse(message)
    return _sealed(context, message, Done(status=Status.REJECTED, reason="; ".join(reasons)))


def _answer(context: Context, seen: Seen, raw: bytes) -> bytes:
    """Carry a message out and keep the answer; the machine is judged anew, by the log."""
    opened = open_message(raw, present_peers(Home(context.home_path)), context.moment.at)
    rule = rule_of(opened.message.action)
    if not rule.writes:
        with reading(context) as session:
            return _carry_out(context, session, seen, raw)
    with writing(context, actor=rule.actor) as session:
        return _carry_out(context, session, seen, raw)


def _reopened(session: Session, raw: bytes) -> Opened:
    moment = session.moment
    return open_message(raw, read_peers(session.gate.home, session.ledger, moment), moment.at)


def _carry_out(context: Context, session: Session, seen: Seen, raw: bytes) -> bytes:
    opened = _reopened(session, raw)
    message = opened.message
    resumed = seen.state(message) is State.BEGUN
    work = Work(
        gate=session.gate,
        ledger=session.ledger,
        message=message,
        peer=opened.peer,
        moment=session.moment,
        resumed=resumed,
    )
    if (not resumed or is_undone(work)) and (refusal := _refused(context, seen, opened)):
        return _kept(seen, message, refusal) if resumed else refusal
    if not resumed:
        seen.take(message)
    return _kept(seen, message, _sealed(context, message, perform(work, HANDLERS)))


def _kept(seen: Seen, message: Message, reply: bytes) -> bytes:
    """Keep the answer to a message that was begun, which ends it; give it.

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
