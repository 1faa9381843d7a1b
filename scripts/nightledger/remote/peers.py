"""The machines that talk to each other: this one's key, who may send, when each was last heard, what none took in.

Invariant: the machines are those of the trust file ``peers`` that the log's chain names. The
file as it lies on disk only spares the look at the log where a signature fits no key at all.
A machine has one name, one home and one key; a key stands at one machine only. This machine's key signs DSSE envelopes,
unattended, and nothing else: nothing that the gate accepts as an operator's word is ever signed with it. What is told of a dead letter is a time and a count, what stands in it is shown by
``channel status`` alone.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from nightledger.codec.canonical import read_jsonl
from nightledger.codec.records import MAX_MESSAGE_BYTES, parse_message, parse_record
from nightledger.domain.decision import Moment
from nightledger.domain.errors import UsageError
from nightledger.domain.message import MESSAGE_TYPE, Message, Peer, PeerKey, Peers
from nightledger.domain.words import count_of, read_moment
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import MAX_CONFIG_BYTES, Ledger
from nightledger.surfaces import screen
from nightledger.surfaces.context import Context
from nightledger.trust import keys
from nightledger.trust.dsse import Envelope, parse_envelope, verify_envelope
from nightledger.trust.sshsig import KeySigner, PublicKey, parse_public_line

MAX_LETTERS_BYTES = 256 << 20
TOLD_FOR = timedelta(days=7)
"""So long lists tell of a dead letter: the longest that a message may live. Our choice."""


def load_machine_key(ring: keys.KeyRing, home_id: str) -> KeySigner:
    """Load the key of this machine for a home.

    Raises:
        KeyFileError: It is missing, unsafe or damaged.
    """
    return keys.load_operator_key(ring.path(home_id, keys.MACHINE_ED25519))


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


def read_peers(home: Home, ledger: Ledger, moment: Moment) -> Peers:
    """Return the machines in force.

    Raises:
        IntegrityError: The file that the log names is nowhere.
        RecordError: It is no list of machines.
    """
    return parse_peers(Trust(home, ledger).content("peers", moment))


def present_peers(home: Home) -> Peers:
    """Return the machines as the file on disk has them; never enough to act on.

    Raises:
        RecordError: It is no list of machines.
    """
    return parse_peers(read_optional(home.peers, MAX_CONFIG_BYTES) or b"")


def parse_peers(content: bytes) -> Peers:
    """Read the trust file; no bytes are no machines.

    Raises:
        RecordError: It is no list of machines.
    """
    return parse_record(Peers, content, where="peers.json") if content else Peers()


def open_message(raw: bytes, peers: Peers) -> tuple[Message, Peer]:
    """Verify an envelope, then read the very bytes that were verified; return whose key signed them, too.

    Args:
        raw: The envelope.
        peers: Whose keys count.

    Raises:
        RecordError: It is no envelope, or what was signed is no message.
        SignatureError: No machine's key has signed it.
    """
    envelope = parse_envelope(raw, "the message", max_bytes=MAX_MESSAGE_BYTES)
    peer = verify_peer(envelope, MESSAGE_TYPE, peers)
    return parse_message(envelope.payload, "the message"), peer


def verify_peer(envelope: Envelope, payload_type: str, peers: Peers) -> Peer:
    """Return the machine whose key signed an envelope.

    Raises:
        SignatureError: None has.
    """
    owners = {parse_public_line(key.key): peer for peer in peers.peers for key in peer.keys}
    return owners[verify_envelope(envelope, payload_type, owners)]


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
    if known is not None and known.home != home:
        raise UsageError(f"{name} speaks for the home {known.home}, not {home}", hint="give it another name")
    for peer in peers.peers:
        taken = peer.home == home or any(other.key == key.key for other in peer.keys)
        if peer.name != name and taken:
            raise UsageError(f"that machine is known as {peer.name}", hint="remove it first, or use its name")
    may = tuple(sorted(set(actions))) or (known.actions if known else ())
    new = Peer(name=name, home=home, keys=(key,), actions=may)
    return replace(peers, peers=tuple(sorted([*_others(peers, name), new], key=lambda peer: peer.name)))


def remove_peer(peers: Peers, name: str) -> Peers:
    """Return the list without a machine.

    Raises:
        UsageError: There is no such machine.
    """
    peers.find(name)
    return replace(peers, peers=_others(peers, name))


def _others(peers: Peers, name: str) -> tuple[Peer, ...]:
    return tuple(peer for peer in peers.peers if peer.name != name)


def read_dead_letters(home: Home) -> list[dict[str, Any]]:
    """Give the messages that no machine took in, oldest first; lines that cannot be read are passed over."""
    raw = read_optional(home.dead_letters, MAX_LETTERS_BYTES) or b""
    values, _ = read_jsonl(raw, max_line_bytes=MAX_LETTERS_BYTES)
    return [value for _, value in values if isinstance(value, dict)]


def recent_dead_letters(home: Home, now: datetime) -> tuple[datetime, ...]:
    """Give when each message became a dead letter, of those of the last seven days, oldest first.

    Args:
        home: Which sent them.
        now: Aware, UTC.
    """
    found = []
    for letter in read_dead_letters(home):
        with suppress(ValueError):
            found.append(min(read_moment(str(letter.get("dead_lettered_at"))), now))
    return tuple(sorted(at for at in found if at > now - TOLD_FOR))


def told(found: tuple[datetime, ...]) -> str:
    """Say in one sentence that messages were never taken in.

    Args:
        found: When each became a dead letter; at least one.
    """
    messages = count_of(len(found), "message was", "messages were")
    return f"{messages} never taken in by another machine, the last on {found[-1]:%Y-%m-%d}"


def tell(context: Context, record: Any, lines: Iterable[str] = (), notes: Iterable[str] = ()) -> None:
    """Print a command's record with ``--json``, else its lines; notes go to standard error.

    What other machines wrote is made visible; each line is broken to the width, and goes on further in than it begins.
    """
    context.emit(record)
    for show, texts in ((context.print, lines), (context.note, notes)):
        for text in texts:
            first = text[: len(text) - len(text.lstrip(" "))]
            for row in screen.wrap(screen.shown(text.lstrip(" ")), indent=f"{first}  ", first=first):
                show(row)
