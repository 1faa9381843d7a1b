"""Who may send messages to this home, and reading what they sent.

Invariant: the machines are those of the trust file ``peers`` that the log's chain names. The
file as it lies on disk only spares the look at the log where a signature fits no key at all.
"""

from dataclasses import dataclass
from datetime import datetime

from nightledger.codec.message import MAX_MESSAGE_BYTES, parse_message
from nightledger.codec.records import parse_record
from nightledger.domain.event import EventName
from nightledger.domain.message import MESSAGE_TYPE, Message, Peer, Peers
from nightledger.domain.moment import Moment
from nightledger.files.home import Home
from nightledger.files.reading import read_optional
from nightledger.gate.integrity.trusting import Trust
from nightledger.gate.opening import MAX_CONFIG_BYTES, Ledger
from nightledger.trust.dsse import Envelope, parse_envelope, verify_envelope
from nightledger.trust.sshkey import parse_public_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A message whose signature holds.

    Attributes:
        message: What was signed.
        peer: Whose key signed it.
        payload: The very bytes.
    """

    message: Message
    peer: Peer
    payload: bytes


def read_peers(home: Home, ledger: Ledger, moment: Moment) -> Peers:
    """Give the machines in force.

    Raises:
        IntegrityError: The file that the log names is nowhere.
        RecordError: It is no list of machines.
    """
    return parse_peers(Trust(home, ledger).content("peers", moment))


def present_peers(home: Home) -> Peers:
    """Give the machines as the file on disk has them; never enough to act on.

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


def open_message(raw: bytes, peers: Peers, at: datetime) -> Opened:
    """Verify an envelope, then read the very bytes that were verified.

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
    message = parse_message(envelope.payload, "the message")
    return Opened(message=message, peer=peer, payload=envelope.payload)


def verify_peer(envelope: Envelope, payload_type: str, peers: Peers, at: datetime) -> Peer:
    """Give the machine whose key signed an envelope.

    Raises:
        SignatureError: None has.
    """
    owners = {
        parse_public_line(key.key): peer for peer in peers.peers for key in peer.keys if key.counts_at(at)
    }
    return owners[verify_envelope(envelope, payload_type, owners)]


def logged_seqs(ledger: Ledger) -> dict[str, int]:
    """Give the highest ``seq`` that the log names for each sender."""
    found: dict[str, int] = {}
    for event in ledger.log.events:
        if event.event == EventName.MESSAGE:
            iss, seq = event.fields["iss"], event.fields["number"]
            found[iss] = max(seq, found.get(iss, 0))
    return found
