"""Send a message to another machine and take its answer: over HTTP at once, or through a spool.

Invariant: the answer that is believed is signed by a key of the machine that was asked and names
this very message; a try that failed sends the same bytes again; what no machine took in is kept
as a dead letter. Plain HTTP leaves this machine only where the operator said so; no redirects, no proxies.
"""

import http.client
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from nightledger.codec.canonical import MAX_INTEGER, canonical
from nightledger.codec.message import (
    MAX_MESSAGE_BYTES,
    MAX_REPLY_BYTES,
    make_message,
    parse_message,
    parse_reply,
)
from nightledger.codec.records import dump_record
from nightledger.codec.strict_json import parse_json
from nightledger.domain.consent import SELF_MODIFICATION
from nightledger.domain.errors import (
    ConfigurationError,
    NightledgerError,
    RecordError,
    RefusedError,
    UsageError,
)
from nightledger.domain.message import (
    LIFETIME_S,
    MESSAGE_TYPE,
    REPLY_TYPE,
    RETRY_AFTER_S,
    Message,
    Peer,
    Peers,
    Reply,
    next_seq,
)
from nightledger.domain.operator import PeerAddress
from nightledger.files.append import append_records
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.files.reading import read_optional
from nightledger.remote.channel_server import CONTENT_TYPE, MESSAGE_PATH, PORT
from nightledger.remote.client import ended_after, is_loopback
from nightledger.remote.notes import note_contact
from nightledger.remote.peers import read_peers, verify_peer
from nightledger.remote.spool import MESSAGE_SUFFIX, Spool
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading
from nightledger.text.changes.masked import mask_lines
from nightledger.text.scanners.scan import scan_secrets
from nightledger.trust.dsse import parse_envelope, seal
from nightledger.trust.keys import KeyRing
from nightledger.trust.machine_key import load_machine_key

TIMEOUT_S = 90.0
"""Longer than the receiver waits for other messages; a night's run may be before us."""
_STEPS = 3
"""A request and its answer may take so many times as long as one step."""
_MAX_ERROR_BYTES = 4096
_CLIENT_ERRORS = range(400, 500)
_AGAIN = (408, 425, 429)
"""Client errors that a later try may mend (RFC 9110, RFC 6585, RFC 8470)."""
_MAX_STATE_BYTES = 1 << 16
_LOCK_TIMEOUT_S = 10.0
MAX_REPLY_ENVELOPE_BYTES = 2 * MAX_REPLY_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message, ready to go.

    Attributes:
        message: What it says.
        envelope: Its bytes, signed.
        peer: To whom.
        address: Where that machine is reached.
    """

    message: Message
    envelope: bytes
    peer: Peer
    address: PeerAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What became of sending.

    Attributes:
        reply: The answer; None where there is none yet, or none came.
        spooled: Whether it lies in a spool and the answer will come there.
        attempts: How often it was tried.
        error: Why it is a dead letter now; empty where it is none.
    """

    reply: Reply | None = None
    spooled: bool = False
    attempts: int = 1
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long and how often to try.

    Attributes:
        retry_after_s: Seconds to wait before each further try.
        lifetime_s: How long the message is good.
        pause: Waits for so many seconds.
    """

    pause: Callable[[float], None]
    retry_after_s: Sequence[float] = RETRY_AFTER_S
    lifetime_s: int = LIFETIME_S


def prepare(
    context: Context, name: str, action: str, body: Mapping[str, Any], *, lifetime_s: int = LIFETIME_S
) -> Outgoing:
    """Make and sign a message.

    Raises:
        UsageError: There is no machine of that name, or nothing says where it is reached.
        RefusedError: The body holds a secret, or is too large.
        RecordError: The body is not what the action needs.
    """
    peers = known_peers(context)
    peer = peers.named(name)
    address = load_operator(context.keys_dir).peers.get(name)
    if peer is None:
        raise UsageError(
            f"there is no machine {name!r}", hint="'nightledger channel peer list' names those known"
        )
    if address is None:
        raise UsageError(
            f"nothing says where the machine {name!r} is reached",
            hint=f"in {context.keys_dir}/operator.yaml: peers: {{{name}: {{url: 'http://127.0.0.2:18799'}}}}",
        )
    home, ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
    now = int(context.now.timestamp())
    message = make_message(
        iss=home.identity.id,
        aud=peer.home,
        iat=now,
        exp=now + lifetime_s,
        seq=_take_seq(ring, home.identity.id, now),
        action=action,
        domain=SELF_MODIFICATION,
        body=_without_secrets(action, body),
    )
    payload = dump_record(message)
    parse_message(payload, "the message")  # what the receiver would refuse is refused before it is sent
    envelope = seal(MESSAGE_TYPE, payload, load_machine_key(ring, home.identity.id))
    if len(envelope) > MAX_MESSAGE_BYTES:
        raise RefusedError(f"the message has {len(envelope)} bytes; at most {MAX_MESSAGE_BYTES} are taken")
    return Outgoing(message=message, envelope=envelope, peer=peer, address=address)


def known_peers(context: Context) -> Peers:
    """Give the machines that the home's log names."""
    with reading(context) as session:
        return read_peers(session.gate.home, session.ledger, session.moment)


def deliver(context: Context, outgoing: Outgoing, pace: Pace) -> Delivery:
    """Send a message; where the machine has both, HTTP is tried and the spool is the way that remains."""
    if not outgoing.address.url:
        return spool(context, outgoing)
    home, error = Home(context.home_path), ""
    waits = (*pace.retry_after_s, None)
    for attempt, wait in enumerate(waits, 1):
        try:
            raw = post(outgoing.address, outgoing.envelope, MAX_REPLY_ENVELOPE_BYTES)
            reply = believe(context, raw, outgoing.peer, outgoing.message.id)
        except FinalError as failure:
            return bury(context, outgoing.envelope, str(failure), attempt)
        except (TransportError, NightledgerError) as failure:
            error = str(failure)
        else:
            note_contact(home, outgoing.peer.name, answered=context.now)
            return Delivery(reply=reply, attempts=attempt)
        if wait is not None:
            pace.pause(wait)
    if outgoing.address.spool:
        return spool(context, outgoing)
    return bury(context, outgoing.envelope, error, len(waits))


def spool(context: Context, outgoing: Outgoing) -> Delivery:
    """Put a message into the spool, and remember that its answer is to come."""
    home, message = Home(context.home_path), outgoing.message
    box = Spool(outgoing.address.spool, outgoing.peer.home)
    pending = {
        "peer": outgoing.peer.name,
        "action": message.action,
        "exp": message.exp,
        "envelope": json.loads(outgoing.envelope),
    }
    make_dir(sent_dir(home), ignored_by_git=True)
    replace_file(os.path.join(sent_dir(home), f"{message.id}.json"), canonical(pending) + b"\n")
    box.put(f"{message.id}{MESSAGE_SUFFIX}", outgoing.envelope)
    return Delivery(spooled=True)


def sent_dir(home: Home) -> str:
    """Give where messages in a spool are remembered until they are answered."""
    return os.path.join(home.channel_dir, "sent")


def believe(context: Context, raw: bytes, peer: Peer, message_id: str) -> Reply:
    """Give an answer that the machine asked has signed, to this very message.

    Raises:
        NightledgerError: It is none.
    """
    reply = parse_kept_reply(context, raw, peer)
    mine = Home(context.home_path).identity.id
    if (reply.re, reply.iss, reply.aud) != (message_id, peer.home, mine):
        raise RefusedError("the answer is to another message")
    return reply


def parse_kept_reply(context: Context, raw: bytes, peer: Peer) -> Reply:
    """Give an answer that was believed when it came and kept since; its signature is checked anew.

    Raises:
        NightledgerError: Somebody changed it.
    """
    envelope = parse_envelope(raw, "the answer", max_bytes=MAX_REPLY_ENVELOPE_BYTES)
    verify_peer(envelope, REPLY_TYPE, Peers(peers=(peer,)), context.now)
    return parse_reply(envelope.payload, "the answer")


def bury(context: Context, envelope: bytes, error: str, attempts: int) -> Delivery:
    """Keep a message that no machine took in, with the reason, in the published fields."""
    letter = {
        "envelope": json.loads(envelope),
        "error": error,
        "dead_lettered_at": f"{context.now:%Y-%m-%dT%H:%M:%SZ}",
        "attempts": attempts,
    }
    append_records(Home(context.home_path).dead_letters, canonical(letter) + b"\n")
    return Delivery(attempts=attempts, error=error)


def _take_seq(ring: KeyRing, home_id: str, now: int) -> int:
    """Give the next number and put it on disk first, so that none is ever given twice.

    Raises:
        RecordError: The note of the last one is damaged; no number is guessed.
    """
    path = ring.path(home_id, "channel-out.json")
    with Lock(str(path.with_name("channel-out.lock")), timeout_s=_LOCK_TIMEOUT_S):
        raw = read_optional(str(path), _MAX_STATE_BYTES)
        seq = next_seq(_last_seq(raw, str(path)) if raw is not None else 0, now * 1000)
        replace_file(str(path), canonical({"v": 1, "seq": seq}) + b"\n")
    return seq


def _last_seq(raw: bytes, path: str) -> int:
    hint = "move it away: the clock gives the next number"
    try:
        record = parse_json(raw, path)
    except RecordError as error:
        raise RecordError(path, error.problems, hint=hint) from error
    last = record.get("seq") if isinstance(record, dict) else None
    if type(last) is not int or not 0 <= last < MAX_INTEGER:
        raise RecordError(path, ("seq: it is not the number of a message",), hint=hint)
    return last


def _without_secrets(action: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Mask the secrets of a log; refuse a change that holds one: masked it would say something else."""
    if action == "consolidate_daily" and isinstance(body.get("text"), str):
        return {**body, "text": mask_lines(body["text"])}
    if action != "decide" and any(scan_secrets(text) for text in body.values() if isinstance(text, str)):
        raise RefusedError("the message holds a secret", hint="say where it is kept, never what it is")
    return dict(body)


class TransportError(NightledgerError):
    """The message did not arrive, or no answer came; the same bytes may be sent again."""


class FinalError(NightledgerError):
    """The machine will not take this message, however often it comes."""


def post(address: PeerAddress, envelope: bytes, max_bytes: int, *, timeout_s: float = TIMEOUT_S) -> bytes:
    """Send an envelope and give the bytes of the answer, not yet verified.

    Raises:
        ConfigurationError: It would leave this machine unencrypted, and nobody said that it may.
        TransportError: Try again.
        FinalError: It is of no use to try again.
    """
    status, content = _exchange(
        address, "POST", MESSAGE_PATH, envelope, max_bytes=max_bytes, timeout_s=timeout_s
    )
    if status == http.client.OK:
        return content
    message = f"{address.url} answered {status}: {_said(content)}"
    if status in _CLIENT_ERRORS and status not in _AGAIN:
        raise FinalError(message)
    raise TransportError(message)


def _exchange(
    address: PeerAddress, method: str, path: str, body: bytes, *, max_bytes: int, timeout_s: float
) -> tuple[int, bytes]:
    connection = _connection(address, timeout_s)
    try:
        with ended_after(connection, _STEPS * timeout_s):
            connection.request(method, path, body or None, {"Content-Type": CONTENT_TYPE} if body else {})
            with connection.getresponse() as response:  # one not read to its end keeps its socket open
                content = response.read(max_bytes + 1)
    except (OSError, http.client.HTTPException) as error:
        raise TransportError(
            f"{address.url} does not answer ({str(error) or type(error).__name__})"
        ) from error
    finally:
        connection.close()
    if len(content) > max_bytes:
        raise TransportError(f"{address.url} answered with more than {max_bytes} bytes")
    return response.status, content


def _connection(address: PeerAddress, timeout_s: float) -> http.client.HTTPConnection:
    parts = urlsplit(address.url)
    host = parts.hostname or ""
    if parts.scheme == "https":
        return http.client.HTTPSConnection(host, parts.port, timeout=timeout_s)
    if not is_loopback(host) and not address.insecure_plain_http:
        raise ConfigurationError(
            f"{address.url} is beyond this machine, and plain HTTP can be read on the way",
            hint="use https, a tunnel or a spool; or set insecure_plain_http: true in operator.yaml",
        )
    return http.client.HTTPConnection(host, parts.port or PORT, timeout=timeout_s)


def _said(content: bytes) -> str:
    try:
        return str(json.loads(content[:_MAX_ERROR_BYTES])["error"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "nothing that can be read"
