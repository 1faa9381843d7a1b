"""The commands of channel: our own line, who may send, one message, serving, the boxes.

A machine has one name, one home and one key; a key stands at one machine only. What other machines wrote is made visible.
Invariant: a letter in a box is removed after what it brought about is on disk, so that a crash in between brings it again,
which does nothing twice.
"""

import gc
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from http import HTTPStatus

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.codec.records import MAX_MESSAGE_BYTES
from nightledger.domain import errors
from nightledger.domain.message import Peer, PeerKey, Peers
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_operator
from nightledger.files.durable import make_dir, read_optional
from nightledger.files.home import Home
from nightledger.gate.opening import MAX_CONFIG_BYTES
from nightledger.remote import letters
from nightledger.remote.receiving import channel_lock, open_message, parse_peers, take_in
from nightledger.remote.transport import Response, Server, Service, sentence
from nightledger.surfaces.context import Context
from nightledger.trust import keys
from nightledger.trust.sshsig import PublicKey, SignatureError

_LINE_WORDS = 3
"""``<home id> ssh-ed25519 AAAA…``, a comment behind it."""
MAX_BODY_BYTES = 1 << 20
HEALTH_PATH = "/tc/health"


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
        peers = parse_peers(read_optional(home.peers, MAX_CONFIG_BYTES) or b"")
        try:
            message, _ = open_message(raw, peers)
        except errors.RecordError as error:
            return sentence(HTTPStatus.BAD_REQUEST, str(error))
        except SignatureError as error:
            return sentence(HTTPStatus.FORBIDDEN, str(error))
        try:
            content = take_in(context, raw, message)
        finally:
            gc.unfreeze()  # a command freezes what it has read because it ends soon; this one does not
        return Response(status=HTTPStatus.OK, content=content, kind=letters.CONTENT_TYPE)

    service = Service(
        name="channel", path=letters.MESSAGE_PATH, max_bytes=MAX_MESSAGE_BYTES, answer=answer, look=look
    )
    return Server(address, service)


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
    emptied, peers, failures = Emptied(), letters.known_peers(context), list[errors.NightledgerError]()
    for box, name in _letters_in(context, emptied):
        try:
            _deal(context, peers, box, name, emptied)
        except (errors.LockedError, letters.BoxError) as error:
            emptied.later += 1
            if isinstance(error, letters.BoxError):
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


def _letters_in(context: Context, emptied: Emptied) -> Iterator[tuple[letters.Spool, str]]:
    for directory in sorted({one.spool for one in load_operator(context.keys_dir).peers.values()} - {""}):
        try:
            box = letters.Spool(directory, Home(context.home_path).identity.id)
            names = box.names()
        except letters.BoxError as error:
            emptied.problems.append(f"{error}; {error.hint}")
        else:
            yield from ((box, name) for name in names)


def _deal(context: Context, peers: Peers, box: letters.Spool, name: str, emptied: Emptied) -> None:
    """Deal with a letter; one that is at fault itself is set aside, any other that cannot be dealt with comes again."""
    try:
        content = box.read(name, letters.MAX_REPLY_ENVELOPE_BYTES)
        if content is None:
            return
        if name.endswith(letters.REPLY_SUFFIX):
            _take_reply(context, peers, name.removesuffix(letters.REPLY_SUFFIX), content, emptied)
            box.done(name)
            return
        message, peer = open_message(content, peers)
    except (errors.RecordError, errors.RefusedError) as error:
        box.set_aside(name)
        emptied.unreadable.append({"name": name, "reason": str(error)})
        return
    there = letters.Spool(os.path.dirname(box.root), message.iss)
    there.put(f"{message.id}{letters.REPLY_SUFFIX}", take_in(context, content, message))
    emptied.answered.append({"message": message.id, "action": message.action, "peer": peer.name})
    box.done(name)


def _take_reply(context: Context, peers: Peers, message_id: str, content: bytes, emptied: Emptied) -> None:
    home = Home(context.home_path)
    with channel_lock(context, home):
        message, _ = letters.pending(home).get(message_id, (None, b""))
        if message is None:
            return  # nobody waits for it: it came before
        peer = next((peer for peer in peers.peers if peer.home == message.aud), None)
        if peer is None:
            raise errors.RecordError(message_id, ("the machine that it is from is not known any more",))
        reply = letters.believe(context, content, peer, message_id)
        path = letters.reply_path(home, peer.name, message.action)
        make_dir(os.path.dirname(path), ignored_by_git=True)
        replace_file(path, content)
        os.unlink(os.path.join(letters.sent_dir(home), f"{message_id}.json"))
    said = {"action": message.action, "status": reply.status.value, "reason": reply.reason}
    emptied.replies.append({"peer": peer.name, **said})


def _bury_expired(context: Context) -> Iterator[str]:
    home, now = Home(context.home_path), context.now.timestamp()
    if not letters.pending(home):
        return
    with channel_lock(context, home):
        for message_id, (message, envelope) in letters.pending(home).items():
            if message.exp <= now:
                letters.bury(context, envelope, "no answer came before it expired", 1)
                os.unlink(os.path.join(letters.sent_dir(home), f"{message_id}.json"))
                yield message_id


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
