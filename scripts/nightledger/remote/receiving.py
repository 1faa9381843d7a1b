"""Who may send, and one message taken in: verified, judged by the log, carried out, answered; what changes anything at most once.

Order: the signature; the channel's lock; the home's log and the machines that it names; the deed and its entry in the
log; the sender's number; the answer.
Invariant: what the log says became of a message is its answer, and it is not carried out again; nor is one whose number
is not above the highest of its sender that the log or ``channel.json`` names. A proposal or a decision that a crash left
without its entry is found by the message's id or its own, and is not made twice. Nothing is remembered of a message that no machine of the
log has signed, and nothing that anybody may write opens a way in: ``channel.json`` lies beside the keys, where no agent
writes.
No message changes a gated file: whatever would change what an agent remembers ends as a proposal in the lane of machines;
an operator's decision counts for its own signature and not for the machine that brought it. An action that is unknown,
or that the consent graph blocks, is rejected and recorded.
"""

import gc
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import replace

from nightledger.codec import records
from nightledger.codec.canonical import MAX_INTEGER, canonical, parse_json
from nightledger.domain import errors
from nightledger.domain import message as messages
from nightledger.domain.consent import SELF_MODIFICATION, Tier, Why
from nightledger.domain.decision import Actor, EventName, Moment
from nightledger.domain.message import MESSAGE_TYPE, REPLY_TYPE, Message, Peer, PeerKey, Peers, Reply, Status
from nightledger.doors.transport import Response, Server, Service, sentence
from nightledger.files.atomic import Lock, replace_file
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.gate.consenting import read_standing, record_unknown
from nightledger.gate.opening import MAX_CONFIG_BYTES, Ledger, record
from nightledger.gate.trusting import Trust
from nightledger.remote import handlers
from nightledger.remote.handlers import Done, Work
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import Session, reading, writing
from nightledger.trust import keys
from nightledger.trust.dsse import Envelope, parse_envelope, seal, verify_envelope
from nightledger.trust.sshsig import KeySigner, PublicKey, SignatureError, parse_public_line

MESSAGE_PATH = "/tc/message"
HEALTH_PATH = "/tc/health"
CONTENT_TYPE = "application/vnd.dsse.envelope.v1+json"
MAX_BYTES = 4 << 20
LOCK = "channel.lock"
"""Beside the keys, as what it guards: ``.nightledger/`` may go at any time."""
PATIENCE_S = 60.0
"""How long a message waits for those before it; then its sender is told to try again."""
MAX_REASON_CHARACTERS = 4096
_Iss = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
_Seq = Annotated[int, Meta(ge=0, le=MAX_INTEGER)]


def read_peers(home: Home, ledger: Ledger, moment: Moment) -> Peers:
    """Return the machines in force.

    Raises:
        IntegrityError: The file that the log names is nowhere.
        RecordError: It is no list of machines.
    """
    return parse_peers(Trust(home, ledger).content("peers", moment))


def parse_peers(content: bytes) -> Peers:
    """Read the trust file; no bytes are no machines.

    Raises:
        RecordError: It is no list of machines.
    """
    return records.parse_record(Peers, content, where="peers.json") if content else Peers()


def machine_public_key(ring: keys.KeyRing, home_id: str, *, new: bool = False) -> PublicKey:
    """Return the public key, made where there is none.

    Args:
        ring: Where keys live.
        home_id: For which home.
        new: Make another one in its place; what it signed before counts until its peers remove it.

    Raises:
        KeyFileError: The file is unsafe or damaged.
    """
    path = ring.path(home_id, keys.MACHINE_ED25519)
    if os.path.lexists(path) and not new:
        return keys.public_key_of(path)
    return keys.create_machine_key(ring, home_id, anew=new)


def add_peer(peers: Peers, name: str, home: str, key: PeerKey, actions: Sequence[str]) -> Peers:
    """Return the list with a machine added, or with another key in the place of a known one's.

    Args:
        peers: As they are.
        name: What the operator calls it.
        home: Id of the home that it speaks for.
        key: Its public key.
        actions: What it may ask for; none leaves a known machine's as they are.

    Raises:
        UsageError: The name has another home, the home another name, or the key another machine.
    """
    known = peers.named(name)
    for one in peers.peers:
        if (one.name == name) != (one.home == home) or (one is not known and key in one.keys):
            raise errors.UsageError(
                f"the machine {one.name} is known, and speaks for the home {one.home}",
                hint=f"use its name for it and no other; to forget it: nightledger channel peer remove {one.name}",
            )
    may = tuple(sorted(set(actions))) or (known.actions if known else ())
    new = Peer(name=name, home=home, keys=(key,), actions=may)
    others = (one for one in peers.peers if one is not known)
    return replace(peers, peers=tuple(sorted([*others, new], key=lambda one: one.name)))


def without_peer(peers: Peers, name: str) -> Peers:
    """Return the list without a machine.

    Raises:
        UsageError: There is none of that name.
    """
    gone = peers.find(name)
    return replace(peers, peers=tuple(one for one in peers.peers if one is not gone))


def open_message(raw: bytes, peers: Peers) -> tuple[Message, Peer]:
    """Verify an envelope, then read the very bytes that were verified; return whose key signed them, too.

    Args:
        raw: The envelope.
        peers: Whose keys count.

    Raises:
        RecordError: It is no envelope, or what was signed is no message.
        SignatureError: No machine's key has signed it.
    """
    envelope = parse_envelope(raw, "the message", max_bytes=records.MAX_MESSAGE_BYTES)
    peer = verify_peer(envelope, MESSAGE_TYPE, peers)
    return records.parse_message(envelope.payload, "the message"), peer


def verify_peer(envelope: Envelope, payload_type: str, peers: Peers) -> Peer:
    """Return the machine whose key signed an envelope.

    Raises:
        SignatureError: None has.
    """
    owners = {parse_public_line(key.key): peer for peer in peers.peers for key in peer.keys}
    return owners[verify_envelope(envelope, payload_type, owners)]


def load_machine_key(ring: keys.KeyRing, home_id: str) -> KeySigner:
    """Load the key of this machine for a home.

    Raises:
        KeyFileError: It is missing, unsafe or damaged.
    """
    return keys.load_operator_key(ring.path(home_id, keys.MACHINE_ED25519))


def read_numbers(path: str) -> dict[str, int]:
    """Return the highest number of each sender that was taken in or refused for its time; none where nothing is kept.

    Args:
        path: ``$NIGHTLEDGER_KEYS/<home id>/channel.json``.

    Raises:
        IntegrityError: The record is damaged.
    """
    raw = read_optional(path, MAX_BYTES)
    try:
        return {} if raw is None else convert(parse_json(raw, path)["senders"], dict[_Iss, _Seq])
    except (errors.RecordError, ValidationError, UnicodeEncodeError, KeyError, TypeError) as error:
        raise errors.IntegrityError(
            f"{path} is damaged",
            hint="restore it from a backup of the keys, or remove it: the log says what was taken in",
        ) from error


def _spend_number(path: str, numbers: Mapping[str, int], iss: str, seq: int) -> None:
    """Put a number on disk beside the others; the caller holds the channel's lock."""
    replace_file(path, canonical({"v": 1, "senders": {**numbers, iss: seq}}) + b"\n")


def next_number(context: Context, home: Home) -> int:
    """Return the number of this home's next message, and put it on disk first, so that none is ever given twice.

    It stands among those of other senders, under this home's own id; where they are lost the clock gives the next.

    Args:
        context: The sending home's.
        home: The sending home.
    """
    with channel_lock(context, home):
        path, mine = _numbers_path(context, home), home.identity.id
        numbers = read_numbers(path)
        seq = max(numbers.get(mine, 0) + 1, int(context.now.timestamp()) * 1000)
        _spend_number(path, numbers, mine, seq)
    return seq


def _numbers_path(context: Context, home: Home) -> str:
    return str(keys.KeyRing(Path(context.keys_dir)).path(home.identity.id, "channel.json"))


def take_in(context: Context, raw: bytes, message: Message) -> bytes:
    """Take a message in, from wherever it came, and return the signed answer.

    Args:
        context: The receiving home; its clock is read anew.
        raw: The envelope.
        message: What it holds: a machine that is known has signed it, be it by the list on disk, which is never enough to
            act on.

    Raises:
        SignatureError: No machine that the log names has signed it; nothing was done.
        LockedError: Not now; the same message may come again.
        IntegrityError: The home's log is not what was signed; the same message may come again.
    """
    context = copy(context)
    context.renew()
    home, rule = Home(context.home_path), rule_of(message.action)
    at_work = writing(context, actor=rule.actor) if rule.writes else reading(context)
    with channel_lock(context, home), at_work as session:
        done = _outcome(session, _numbers_path(context, home), raw)
    reply = Reply(
        v=1,
        re=message.id,
        iss=home.identity.id,
        aud=message.iss,
        iat=int(context.moment.at.timestamp()),
        status=done.status,
        reason=done.reason[:MAX_REASON_CHARACTERS],
        body=done.body or done.names(),
    )
    size = len(records.dump_record(reply))
    if size > records.MAX_REPLY_BYTES:
        reply = replace(reply, body=done.names())
        if not rule.writes:  # what was made is never called rejected
            told = f"the answer would have {size} bytes; at most {records.MAX_REPLY_BYTES} are sent"
            reply = replace(reply, status=Status.REJECTED, reason=told)
    key = load_machine_key(keys.KeyRing(Path(context.keys_dir)), home.identity.id)
    return seal(REPLY_TYPE, records.dump_record(reply), key)


def open_server(context: Context, address: tuple[str, int]) -> Server:
    """Bind a server for a home; the caller runs and closes it.

    Raises:
        ConfigurationError: The address is taken or is none of this machine's.
    """
    home = Home(context.home_path).require()

    def look(path: str) -> Response | None:
        if path != HEALTH_PATH:
            return None
        now = copy(context)
        now.renew()
        told = {"status": "ok", "home": home.identity.id, "at": f"{now.now:%Y-%m-%dT%H:%M:%SZ}"}
        return Response(status=HTTPStatus.OK, content=json.dumps(told).encode(), kind="application/json")

    def answer(raw: bytes) -> Response:
        present = Home(context.home_path).require().peers
        peers = parse_peers(read_optional(present, MAX_CONFIG_BYTES) or b"")
        try:
            try:
                message, _ = open_message(raw, peers)
            except errors.RecordError as error:
                return sentence(HTTPStatus.BAD_REQUEST, str(error))
            content = take_in(context, raw, message)
        except SignatureError as error:  # by the list on disk, or by the one that the log names
            return sentence(HTTPStatus.FORBIDDEN, str(error))
        finally:
            gc.unfreeze()  # a command freezes what it has read because it ends soon; this one does not
        return Response(status=HTTPStatus.OK, content=content, kind=CONTENT_TYPE)

    service = Service(
        name="channel", path=MESSAGE_PATH, max_bytes=records.MAX_MESSAGE_BYTES, answer=answer, look=look
    )
    return Server(address, service)


def channel_lock(context: Context, home: Home) -> Lock:
    """Return the lock of whoever takes in a message or an answer.

    Raises:
        ConfigurationError: This home has no keys here; none are put back where something lies.
    """
    folder = keys.KeyRing(Path(context.keys_dir)).home_dir(home.identity.id)
    if not folder.is_dir():
        raise errors.ConfigurationError(
            f"{folder} is missing",
            hint="set NIGHTLEDGER_KEYS to the directory of this home's keys, or restore them",
        )
    return Lock(str(folder / LOCK), timeout_s=PATIENCE_S)


def _outcome(session: Session, path: str, raw: bytes) -> Done:
    """Judge a message by the machines that the log names; carry it out, or refuse it.

    Raises:
        SignatureError: No machine that the log names has signed it.
    """
    gate, ledger, moment = session.gate, session.ledger, session.moment
    message, peer = open_message(raw, read_peers(gate.home, ledger, moment))
    if logged := _logged_outcome(ledger, message):
        return logged
    numbers = read_numbers(path)
    named = (one["number"] for one in _logged_messages(ledger) if one["iss"] == message.iss)
    seq = max(numbers.get(message.iss, 0), *named, 0)
    spent = seq if rule_of(message.action).in_order else 0
    reasons = messages.find_reasons(message, peer, gate.home.identity.id, spent, int(moment.at.timestamp()))
    if reasons:
        done = _rejected("; ".join(reasons))
    else:
        done = perform(Work(gate=gate, ledger=ledger, message=message, peer=peer, moment=moment))
    if message.seq > seq and not messages.find_lasting_reasons(message, peer, gate.home.identity.id):
        _spend_number(path, numbers, message.iss, message.seq)
    return done


class Rule(Struct, frozen=True):
    """What an action is to the gate.

    Attributes:
        handler: Carries it out.
        consent: Its name in the consent graph; empty where the graph is not asked, because the
            action only looks, or carries the operator's own signature.
        proposes: Whether it ends as a proposal; else the graph must let it be done at once.
        writes: Whether it changes anything, and so is recorded in the log.
        actor: Who is said to have caused what it changes.
        in_order: Whether one that was sent later takes its place. What is a thing of its own is told by its id, which the log
            keeps for ever, and is taken in whatever came before it: letters of a spool arrive in any order.
    """

    handler: Callable[[Work], Done]
    consent: str = ""
    proposes: bool = False
    writes: bool = True
    actor: Actor = Actor.UNKNOWN
    in_order: bool = True


RULES: dict[str, Rule] = {
    "consolidate_daily": Rule(
        handlers.consolidate_received, "consolidate_daily_to_memory", proposes=True, in_order=False
    ),
    "decide": Rule(handlers.decide, actor=Actor.HUMAN, in_order=False),
    "load_memory_file": Rule(handlers.load_memory_file, "load_memory_file", writes=False),
    "proposals": Rule(handlers.list_waiting, writes=False),
    "propose_behavioral_change": Rule(
        handlers.propose_change, "propose_behavioral_change", proposes=True, in_order=False
    ),
    "prune_stale_memory": Rule(handlers.prune_received, "prune_stale_memory", proposes=True, in_order=False),
    "restore_context": Rule(handlers.restore_context, "restore_context"),
    "update_heartbeat": Rule(handlers.update_heartbeat, "update_heartbeat_state"),
}
"""Every action, with its name in the shipped graph; what is not here is unknown."""


def rule_of(action: str) -> Rule:
    """Return what an action is to the gate; one that is unknown is refused, and recorded like one that writes."""
    return RULES.get(action) or Rule(lambda _: _rejected("unknown"))


_UNUSABLE = (errors.ConfigurationError, errors.RecordError, errors.UnreadableError)
"""What an agent can make of the consent graph's file."""


class _BlockedError(errors.RefusedError):
    """The action is unknown, or the consent graph blocks it."""


def perform(work: Work) -> Done:
    """Carry a message out, or say why not; a message that writes is recorded.

    Args:
        work: What to do; for an action that writes, with the home's lock held.
    """
    message, rule, blocked = work.message, rule_of(work.message.action), False
    try:
        _require_allowed(work, rule)
        done = rule.handler(work)
    except handlers.REFUSALS as error:
        blocked = isinstance(error, _BlockedError)
        done = _rejected(f"{error} ({error.hint})" if error.hint else str(error))
    if not rule.writes:
        return done
    fields: dict[str, object] = {
        "message": message.id,
        "peer": work.peer.name,
        "iss": message.iss,
        "number": message.seq,
        "action": message.action,
        "status": done.status.value,
        "sha256": hashlib.sha256(records.dump_record(message)).hexdigest(),
        **done.names(),
    }
    record(work.gate, [(EventName.MESSAGE, fields)], work.moment)
    if blocked:
        record_unknown(work.gate, work.ledger, message.domain, message.action, work.moment)
    return done


def _require_allowed(work: Work, rule: Rule) -> None:
    """Make sure that the machine may ask for its action, and that the consent graph does not stand against it."""
    message = work.message
    if message.action not in RULES:
        raise _BlockedError(f"the action {message.action} is unknown")
    if message.action not in work.peer.actions:
        raise errors.RefusedError(f"{work.peer.name} may not ask for {message.action}")
    if message.domain != SELF_MODIFICATION:
        raise errors.RefusedError(f"{message.action} belongs to the domain {SELF_MODIFICATION}")
    if not rule.consent:
        return
    try:
        answer = read_standing(work.gate, work.ledger, work.moment).answer(SELF_MODIFICATION, rule.consent)
    except _UNUSABLE as error:
        raise errors.RefusedError("the consent graph cannot be used") from error
    if answer.tier is Tier.BLOCKED:
        raise _BlockedError(f"the consent graph blocks {rule.consent}")
    if answer.tier is not Tier.AUTONOMOUS and not rule.proposes:
        why = " since nobody has signed a review for long" if answer.why is Why.DECAYED else ""
        raise errors.RefusedError(f"the consent graph wants the operator's approval for {rule.consent}{why}")


def _rejected(reason: str) -> Done:
    return Done(status=Status.REJECTED, reason=reason)


def _logged_messages(ledger: Ledger) -> Iterator[Mapping[str, Any]]:
    """Yield what the log says of each message that writes."""
    return (fields for name, fields, _ in ledger.log.entries() if name == EventName.MESSAGE)


def _logged_outcome(ledger: Ledger, message: Message) -> Done | None:
    """Return what the log says became of a message, None where it does not name it; what else was answered then is gone."""
    fields = next((one for one in _logged_messages(ledger) if one["message"] == message.id), None)
    if fields is None:
        return None
    status = Status(fields["status"])
    reason = "it was rejected when it first came" if status is Status.REJECTED else ""
    made = {name: fields.get(name, "") for name in ("proposal", "decision")}
    return Done(status=status, reason=reason, **made)
