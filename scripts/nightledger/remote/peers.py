"""Who may send messages to this home, and reading what they sent.

Invariant: the machines are those of the trust file ``peers`` that the log's chain names. The
file as it lies on disk only spares the look at the log where a signature fits no key at all.
A machine has one name and one home; a key stands at one machine only.
"""

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from nightledger.codec.records import MAX_MESSAGE_BYTES, parse_message, parse_record
from nightledger.domain.errors import UsageError
from nightledger.domain.event import EventName
from nightledger.domain.message import MESSAGE_TYPE, Message, Peer, PeerKey, Peers
from nightledger.domain.moment import Moment
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import MAX_CONFIG_BYTES, Ledger
from nightledger.trust.dsse import Envelope, parse_envelope, verify_envelope
from nightledger.trust.sshkey import parse_public_line

MAX_KEYS = 4


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


def open_message(raw: bytes, peers: Peers, at: datetime) -> tuple[Message, Peer]:
    """Verify an envelope, then read the very bytes that were verified; return whose key signed them, too.

    Args:
        raw: The envelope.
        peers: Whose keys count.
        at: The time, for keys that take over from each other; aware.

    Raises:
        RecordError: It is no envelope, or what was signed is no message.
        SignatureError: No machine's key has signed it.
    """
    envelope = parse_envelope(raw, "the message", max_bytes=MAX_MESSAGE_BYTES)
    peer = verify_peer(envelope, MESSAGE_TYPE, peers, at)
    return parse_message(envelope.payload, "the message"), peer


def verify_peer(envelope: Envelope, payload_type: str, peers: Peers, at: datetime) -> Peer:
    """Return the machine whose key signed an envelope.

    Raises:
        SignatureError: None has.
    """
    owners = {
        parse_public_line(key.key): peer for peer in peers.peers for key in peer.keys if key.counts_at(at)
    }
    return owners[verify_envelope(envelope, payload_type, owners)]


def logged_seqs(ledger: Ledger) -> dict[str, int]:
    """Return the highest ``seq`` that the log names for each sender."""
    found: dict[str, int] = {}
    for event in ledger.log.events:
        if event.event == EventName.MESSAGE:
            iss, seq = event.fields["iss"], event.fields["number"]
            found[iss] = max(seq, found.get(iss, 0))
    return found


def add_peer(peers: Peers, name: str, home: str, key: PeerKey, actions: Sequence[str]) -> Peers:
    """Return the list with a machine added, or to a known one a key that takes over from another.

    Args:
        peers: As they are.
        name: What the operator calls it.
        home: Id of the home that it speaks for.
        key: Its public key; a known one gets new times.
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
    kept = [other for other in known.keys if other.key != key.key] if known else []
    if len(kept) >= MAX_KEYS:
        raise UsageError(f"{name} has {len(kept)} keys already", hint="remove one with --key")
    may = tuple(sorted(set(actions))) or (known.actions if known else ())
    return _with(peers, Peer(name=name, home=home, keys=(*kept, key), actions=may))


def remove_peer(peers: Peers, name: str, key: str = "") -> Peers:
    """Return the list without a machine, or without one of its keys; the last key goes with the machine.

    Raises:
        UsageError: There is no such machine, or it has no such key.
    """
    known = peers.find(name)
    kept = tuple(other for other in known.keys if key not in ("", other.key))
    if len(kept) == len(known.keys):
        raise UsageError(f"{name} has no such key")
    return _with(peers, replace(known, keys=kept))


def _with(peers: Peers, new: Peer) -> Peers:
    """Put a machine in the place of the one of its name; one without keys is none."""
    others = [peer for peer in peers.peers if peer.name != new.name]
    changed = [*others, new] if new.keys else others
    return replace(peers, peers=tuple(sorted(changed, key=lambda peer: peer.name)))
