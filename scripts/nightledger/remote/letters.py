"""Letters to other machines and from them, over HTTP or a spool: sent, answers believed, what no machine took in kept.

Invariant: the answer that is believed is signed by a key of the machine that was asked and names
this very message; a try that failed sends the same bytes again. Plain HTTP leaves this machine only where the operator
said so. What is told of a dead letter is a time and a count.

A spool is a directory that machines share, in the manner of a maildir (cr.yp.to/proto/maildir.html):
``<spool>/<home id>/{new,cur}/<name>.json``; whoever writes to a home puts a file into its ``new``. Invariant: a letter
appears in ``new`` whole or not at all when it is written here; what another program copies has to come under another name
first, as rsync and Syncthing do. What was dealt with is removed; what cannot be taken in is set aside in ``cur``. Whoever
shares a spool can break a box in it: that is a :class:`BoxError`. Invariant: a letter in a box is removed after what it brought
about is on disk, so that a crash in between brings it again, which does nothing twice.
"""

import http.client
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct, field

from nightledger.codec import records
from nightledger.codec.canonical import canonical, read_jsonl
from nightledger.domain import errors
from nightledger.domain import message as messages
from nightledger.domain.consent import SELF_MODIFICATION
from nightledger.domain.settings import PeerAddress
from nightledger.domain.words import read_moment
from nightledger.doors.transport import Caller, is_loopback
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir, read_optional, read_regular
from nightledger.files.home import Home
from nightledger.files.line_log import append_records
from nightledger.remote import receiving
from nightledger.surfaces.context import Context
from nightledger.surfaces.session import reading
from nightledger.text.scanners.scan import mask_lines, scan_secrets
from nightledger.trust.dsse import parse_envelope, seal
from nightledger.trust.keys import KeyRing

PORT = 18_799
"""The port in use (FACTS: the published channel)."""
_HEADERS = {"Content-Type": receiving.CONTENT_TYPE}
TIMEOUT_S = 90.0
"""Of one step, longer than the receiver waits for other messages: a night's run may be before us. All steps: three times that."""
_MAX_ERROR_BYTES = 200
MESSAGE_SUFFIX = ".message.json"
REPLY_SUFFIX = ".reply.json"
_NAME = re.compile(r"m-[a-z2-7]{26}\.(?:message|reply)\.json")
_NEVER = frozenset(range(400, 500)) - {408, 425, 429}
"""Client errors that no later try mends (RFC 9110; those that one may: RFC 6585, RFC 8470)."""
MAX_LETTERS_BYTES = 256 << 20
TOLD_FOR = timedelta(days=7)
"""So long lists tell of a dead letter: the longest that a message may live. Our choice."""
MAX_REPLY_ENVELOPE_BYTES = 2 * records.MAX_REPLY_BYTES


class BoxError(errors.ConfigurationError):
    """A box of a spool cannot be read or changed."""


@contextmanager
def _box(path: str) -> Iterator[None]:
    try:
        yield
    except (errors.NightledgerError, OSError) as error:
        hint = getattr(error, "hint", "") or "mend it"
        why = error.strerror if isinstance(error, OSError) else error
        raise BoxError(f"the box {path} cannot be used: {why}", hint=hint) from error


class Spool:
    """One home's letter box in a directory that machines share."""

    __slots__ = ("_new", "root")

    def __init__(self, directory: str, home_id: str) -> None:
        """Name the box; nothing is made yet.

        Args:
            directory: What is shared.
            home_id: Whose box.

        Raises:
            BoxError: The directory is missing: a mount that is gone must not look empty.
        """
        if not os.path.isdir(directory):
            hint = "mount it, or mend operator.yaml in $NIGHTLEDGER_KEYS"
            raise BoxError(f"the spool {directory} is missing", hint=hint)
        self.root = os.path.join(directory, home_id)
        self._new = os.path.join(self.root, "new")

    def put(self, name: str, content: bytes) -> None:
        """Put a letter into the box: whole, under its name, on disk when this returns; an older one is replaced.

        Args:
            name: ``<message id>`` with :data:`MESSAGE_SUFFIX` or :data:`REPLY_SUFFIX`.
            content: An envelope.

        Raises:
            BoxError: The box is broken.
        """
        with _box(self.root):
            make_dir(self._new)
            replace_file(os.path.join(self._new, name), content, disposable=True)

    def names(self) -> list[str]:
        """Return the names of the letters that nobody has dealt with, the oldest first.

        Temporary files, ours and those of other programs, have other names, most begin with a dot. Where another round
        takes a letter meanwhile the next one names what is left.

        Raises:
            BoxError: The box is broken.
        """
        with _box(self.root), suppress(FileNotFoundError):
            found = [one for one in os.scandir(self._new) if _NAME.fullmatch(one.name)]
            found.sort(key=lambda one: (one.stat(follow_symlinks=False).st_mtime_ns, one.name))
            return [one.name for one in found]
        return []

    def read(self, name: str, max_bytes: int) -> bytes | None:
        """Return what a letter holds; None where it is gone again.

        Args:
            name: One of :meth:`names`.
            max_bytes: The largest letter that is read.

        Raises:
            RecordError: It cannot be opened, or is too large; whoever syncs it may mend it.
        """
        path = os.path.join(self._new, name)
        try:
            return read_regular(path, max_bytes)
        except errors.NightledgerError as error:
            if os.path.lexists(path):
                raise errors.RecordError(name, (str(error),)) from error
            return None

    def done(self, name: str) -> None:
        """Take a letter out of the box, after what it asks for is on disk."""
        with _box(self.root), suppress(FileNotFoundError):  # another round was first
            os.unlink(os.path.join(self._new, name))

    def set_aside(self, name: str) -> None:
        """Set a letter aside that cannot be taken in."""
        folder = os.path.join(self.root, "cur")
        with _box(self.root), suppress(FileNotFoundError):
            make_dir(folder)
            os.replace(os.path.join(self._new, name), os.path.join(folder, f"{name}.unreadable"))


class Outgoing(Struct, frozen=True, kw_only=True):
    """A message, signed and ready to go, with whom it is for and where that machine is reached."""

    message: messages.Message
    envelope: bytes
    peer: messages.Peer
    address: PeerAddress


class Delivery(Struct, frozen=True, kw_only=True):
    """What became of sending.

    Attributes:
        reply: The answer; None where there is none yet, or none came.
        attempts: How often it was tried.
        error: Why it is a dead letter now; empty where it is none: without an answer it lies in a spool.
    """

    reply: messages.Reply | None = None
    attempts: int = 1
    error: str = ""

    @property
    def spooled(self) -> bool:
        """Whether it lies in a spool and the answer will come there."""
        return not self.reply and not self.error


def prepare(context: Context, name: str, action: str, body: Mapping[str, Any]) -> Outgoing:
    """Make and sign a message.

    Raises:
        UsageError: There is no machine of that name, or nothing says where it is reached.
        ConfigurationError: It would leave this machine unencrypted, and nobody said that it may.
        RefusedError: The body holds a secret, or is too large.
        RecordError: The body is not what the action needs.
    """
    peer, address = known_peers(context).find(name), load_operator(context.keys_dir).peers.get(name)
    if address is None:
        hint = f"in {context.keys_dir}/operator.yaml: peers: {{{name}: {{url: 'http://127.0.0.2:18799'}}}}"
        raise errors.UsageError(f"nothing says where the machine {name!r} is reached", hint=hint)
    try:
        parts = urlsplit(address.url)
    except ValueError as error:
        raise errors.ConfigurationError(f"{address.url} is no address", hint="mend operator.yaml") from error
    if parts.scheme == "http" and not is_loopback(parts.hostname or "") and not address.insecure_plain_http:
        raise errors.ConfigurationError(
            f"{address.url} is beyond this machine, and plain HTTP can be read on the way",
            hint="use https, a tunnel or a spool; or set insecure_plain_http: true in operator.yaml",
        )
    home, ring = Home(context.home_path), KeyRing(Path(context.keys_dir))
    now = int(context.now.timestamp())
    message = records.make_message(
        iss=home.identity.id,
        aud=peer.home,
        iat=now,
        exp=now + messages.LIFETIME_S,
        seq=receiving.next_number(context, home),
        action=action,
        domain=SELF_MODIFICATION,
        body=_without_secrets(action, body),
    )
    payload = records.dump_record(message)
    records.parse_message(payload, "the message")  # what would be refused there is not sent
    envelope = seal(messages.MESSAGE_TYPE, payload, receiving.load_machine_key(ring, home.identity.id))
    if len(envelope) > records.MAX_MESSAGE_BYTES:
        raise errors.RefusedError(
            f"the message has {len(envelope)} bytes; at most {records.MAX_MESSAGE_BYTES} are taken"
        )
    return Outgoing(message=message, envelope=envelope, peer=peer, address=address)


def known_peers(context: Context) -> messages.Peers:
    """Return the machines that the home's log names."""
    with reading(context) as session:
        return receiving.read_peers(session.gate.home, session.ledger, session.moment)


def deliver(context: Context, outgoing: Outgoing, pause: Callable[[float], None] = time.sleep) -> Delivery:
    """Send a message; where the machine has both, HTTP is tried and the spool is the way that remains.

    Args:
        context: The sending home.
        outgoing: What to send.
        pause: Waits for so many seconds.
    """
    url, most, error, attempt = outgoing.address.url, MAX_REPLY_ENVELOPE_BYTES, "", 0
    caller = Caller(url=url, max_bytes=most, timeout_s=TIMEOUT_S, patience_s=3 * TIMEOUT_S, port=PORT)
    for attempt, wait in enumerate((0, *messages.RETRY_AFTER_S) if url else (), 1):
        if wait:
            pause(wait)
        try:
            status, content = caller.exchange("POST", receiving.MESSAGE_PATH, outgoing.envelope, _HEADERS)
            if status == http.client.OK:
                reply = believe(context, content, outgoing.peer, outgoing.message.id)
                return Delivery(reply=reply, attempts=attempt)
            error = (
                f"{url} answered {status}: {content[:_MAX_ERROR_BYTES].decode('utf-8', 'replace').strip()}"
            )
            if status in _NEVER:  # it will not take it, however often it comes
                return bury(context, outgoing.envelope, error, attempt)
        except errors.NightledgerError as failure:
            error = str(failure)
    if outgoing.address.spool:
        return _spool(context, outgoing)
    return bury(context, outgoing.envelope, error, attempt)


def _spool(context: Context, outgoing: Outgoing) -> Delivery:
    """Put a message into the spool, and remember that its answer is to come."""
    home, message = Home(context.home_path), outgoing.message
    box = Spool(outgoing.address.spool, outgoing.peer.home)
    make_dir(sent_dir(home), ignored_by_git=True)
    replace_file(os.path.join(sent_dir(home), f"{message.id}.json"), outgoing.envelope)
    box.put(f"{message.id}{MESSAGE_SUFFIX}", outgoing.envelope)
    return Delivery()


def sent_dir(home: Home) -> str:
    """Return where messages in a spool are remembered until they are answered."""
    return os.path.join(home.channel_dir, "sent")


def reply_path(home: Home, peer: str, action: str) -> str:
    """Return where the newest answer of a machine to an action is kept, as it came."""
    return os.path.join(home.channel_dir, "replies", f"{peer}.{action}.json")


def pending(home: Home) -> dict[str, tuple[messages.Message, bytes]]:
    """Return by id each of our messages that waits for its answer, and its envelope.

    What we did not write so is passed over: an agent can write there.
    """
    found = {}
    for name in sorted(os.listdir(sent_dir(home))) if os.path.isdir(sent_dir(home)) else []:
        with suppress(errors.NightledgerError):
            raw = read_optional(os.path.join(sent_dir(home), name), records.MAX_MESSAGE_BYTES) or b""
            message = records.parse_message(
                parse_envelope(raw, name, max_bytes=records.MAX_MESSAGE_BYTES).payload, name
            )
            if name == f"{message.id}.json":
                found[message.id] = message, raw
    return found


def believe(
    context: Context, raw: bytes, peer: messages.Peer, message_id: str | None = None
) -> messages.Reply:
    """Return an answer that the machine asked has signed to this home, and to this very message.

    Args:
        context: The home that asked.
        raw: The envelope.
        peer: Who was asked.
        message_id: What; None for an answer that was believed when it came and kept since.

    Raises:
        NightledgerError: It is none.
    """
    envelope = parse_envelope(raw, "the answer", max_bytes=MAX_REPLY_ENVELOPE_BYTES)
    receiving.verify_peer(envelope, messages.REPLY_TYPE, messages.Peers(peers=(peer,)))
    reply = records.parse_reply(envelope.payload, "the answer")
    if (reply.iss, reply.aud) != (peer.home, Home(context.home_path).identity.id):
        raise errors.RefusedError(f"the answer of {peer.name} was said to another home")
    if message_id not in (None, reply.re):
        raise errors.RefusedError("the answer is to another message")
    return reply


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


def _without_secrets(action: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Mask the secrets of a log; refuse a change that holds one: masked it would say something else."""
    if action == "consolidate_daily" and isinstance(body.get("text"), str):
        return {**body, "text": mask_lines(body["text"])}
    if action != "decide" and any(scan_secrets(text) for text in body.values() if isinstance(text, str)):
        raise errors.RefusedError("the message holds a secret", hint="say where it is kept, never what it is")
    return dict(body)


def recent_dead_letters(home: Home, now: datetime) -> tuple[datetime, ...]:
    """Return when each message became a dead letter, of those of the last seven days, oldest first.

    Lines that cannot be read are passed over.

    Args:
        home: Which sent them.
        now: Aware, UTC.
    """
    raw, found = read_optional(home.dead_letters, MAX_LETTERS_BYTES) or b"", []
    for _, letter in read_jsonl(raw, max_line_bytes=MAX_LETTERS_BYTES)[0]:
        with suppress(ValueError, TypeError, KeyError):
            found.append(min(read_moment(str(letter["dead_lettered_at"])), now))
    return tuple(sorted(at for at in found if at > now - TOLD_FOR))


class Emptied(Struct, kw_only=True):
    """What one round did.

    Attributes:
        answered: Messages taken in: ``message``, ``action``, ``peer``.
        replies: Answers that came: ``peer``, ``action``, ``status``, ``reason``.
        later: Letters that could not be dealt with now.
        problems: Sentences: boxes that cannot be read or changed, which whoever shares a spool can bring about.
        unreadable: Letters that were set aside, since they are no message or answer that can be taken in: ``name``,
            ``reason``.
        dead: Ids of our messages that expired without an answer.
    """

    answered: list[dict[str, str]] = field(default_factory=list)
    replies: list[dict[str, str]] = field(default_factory=list)
    later: int = 0
    problems: list[str] = field(default_factory=list)
    unreadable: list[dict[str, str]] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)


def empty_boxes(context: Context) -> Emptied:
    """Deal with every letter in this home's boxes, and with our messages that expired.

    A box that is broken or missing is told, and keeps nothing else from being dealt with. A letter that this home
    cannot deal with now keeps no other from being dealt with either, unless the log is not what was signed.

    Raises:
        NightledgerError: The log, the keys or the disk fail; what was not dealt with waits for the
            next round.
    """
    emptied, peers, failures = Emptied(), known_peers(context), list[errors.NightledgerError]()
    for box, name in _letters_in(context, emptied):
        try:
            _deal(context, peers, box, name, emptied)
        except (errors.LockedError, BoxError) as error:
            emptied.later += 1
            if isinstance(error, BoxError):
                emptied.problems.append(f"{error}; {error.hint}")
        except errors.IntegrityError:
            raise
        except errors.NightledgerError as error:
            failures.append(error)
    with suppress(errors.LockedError):  # then the next round does
        emptied.dead.extend(_bury_expired(context))
    if failures:
        raise failures[0]
    return emptied


def _letters_in(context: Context, emptied: Emptied) -> Iterator[tuple[Spool, str]]:
    for directory in sorted({one.spool for one in load_operator(context.keys_dir).peers.values()} - {""}):
        try:
            box = Spool(directory, Home(context.home_path).identity.id)
            names = box.names()
        except BoxError as error:
            emptied.problems.append(f"{error}; {error.hint}")
        else:
            yield from ((box, name) for name in names)


def _deal(context: Context, peers: messages.Peers, box: Spool, name: str, emptied: Emptied) -> None:
    """Deal with a letter; one that is at fault itself is set aside, any other that cannot be dealt with comes again."""
    try:
        content = box.read(name, MAX_REPLY_ENVELOPE_BYTES)
        if content is None:
            return
        if name.endswith(REPLY_SUFFIX):
            _take_reply(context, peers, name.removesuffix(REPLY_SUFFIX), content, emptied)
            box.done(name)
            return
        message, peer = receiving.open_message(content, peers)
    except (errors.RecordError, errors.RefusedError) as error:
        box.set_aside(name)
        emptied.unreadable.append({"name": name, "reason": str(error)})
        return
    there = Spool(os.path.dirname(box.root), message.iss)
    there.put(f"{message.id}{REPLY_SUFFIX}", receiving.take_in(context, content, message))
    emptied.answered.append({"message": message.id, "action": message.action, "peer": peer.name})
    box.done(name)


def _take_reply(
    context: Context, peers: messages.Peers, message_id: str, content: bytes, emptied: Emptied
) -> None:
    home = Home(context.home_path)
    with receiving.channel_lock(context, home):
        message, _ = pending(home).get(message_id, (None, b""))
        if message is None:
            return  # nobody waits for it: it came before
        peer = next((peer for peer in peers.peers if peer.home == message.aud), None)
        if peer is None:
            raise errors.RecordError(message_id, ("the machine that it is from is not known any more",))
        reply = believe(context, content, peer, message_id)
        path = reply_path(home, peer.name, message.action)
        make_dir(os.path.dirname(path), ignored_by_git=True)
        replace_file(path, content)
        os.unlink(os.path.join(sent_dir(home), f"{message_id}.json"))
    said = {"action": message.action, "status": reply.status.value, "reason": reply.reason}
    emptied.replies.append({"peer": peer.name, **said})


def _bury_expired(context: Context) -> Iterator[str]:
    home, now = Home(context.home_path), context.now.timestamp()
    if not pending(home):
        return
    with receiving.channel_lock(context, home):
        for message_id, (message, envelope) in pending(home).items():
            if message.exp <= now:
                bury(context, envelope, "no answer came before it expired", 1)
                os.unlink(os.path.join(sent_dir(home), f"{message_id}.json"))
                yield message_id
