"""What machines say to each other, and when it may be believed.

Invariant: a message is judged by what its sender signed and by nothing else: not by where it
came from, nor by what stands beside the signed bytes. A closed door is an answer that lists
every reason.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

MESSAGE_TYPE = "application/vnd.nightledger.message+json"
"""DSSE payload type of a message; under the signature, so that an answer is never taken for one."""
REPLY_TYPE = "application/vnd.nightledger.reply+json"
"""DSSE payload type of an answer."""
MAX_AHEAD_S = 60
"""How far a sender's clock may be ahead of ours."""
MAX_LIFETIME_S = 7 * 86_400
"""The longest that a message may be on its way; ids are remembered for so long. A week, as a decision lives."""
LIFETIME_S = 86_400
"""How long a message is good unless its sender says otherwise: a laptop may sleep over night."""
RETRY_AFTER_S = (1, 5, 30)
"""Seconds between tries, without jitter: few machines, and a rerun does the same."""
PEER = "peer"
"""Lane of what other machines propose."""


class Status(StrEnum):
    """What became of a message."""

    EXECUTED = "executed"
    QUEUED = "queued"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What one machine asks of another's home; ``schemas/message.schema.json``.

    Attributes:
        v: Version of the record, 1.
        id: ``m-`` and 26 characters, derived from everything else in it.
        iss: Id of the home that speaks, 32 hex characters.
        aud: Id of the home that is asked.
        iat: When it was made, seconds since 1970 UTC.
        exp: Until when it may be taken in.
        seq: Grows with each message of its sender.
        action: What is asked.
        domain: Domain of the consent graph that the action belongs to.
        body: What the action needs.
    """

    v: int
    id: str
    iss: str
    aud: str
    iat: int
    exp: int
    seq: int
    action: str
    domain: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A signed answer; ``schemas/reply.schema.json``.

    Attributes:
        v: Version of the record, 1.
        re: Id of the message that it answers.
        iss: Id of the home that answers.
        aud: Id of the home that asked.
        iat: When it was made, seconds since 1970 UTC.
        status: What became of it.
        reason: Why it was rejected; empty otherwise.
        body: What the action gives.
    """

    v: int
    re: str
    iss: str
    aud: str
    iat: int
    status: Status
    reason: str
    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerKey:
    """A public machine key and when it counts.

    Attributes:
        key: ``ssh-ed25519 AAAA…``, without a comment.
        valid_after: It counts from then on; None has no beginning.
        valid_before: It counts until then; None has no end.
    """

    key: str
    valid_after: datetime | None = None
    valid_before: datetime | None = None

    def counts_at(self, at: datetime) -> bool:
        """Tell whether the key counts at a time."""
        begun = self.valid_after is None or at >= self.valid_after
        return begun and (self.valid_before is None or at <= self.valid_before)


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A machine that may send messages to this home.

    Attributes:
        name: What the operator calls it.
        home: Id of the home that it speaks for; it may name no other as ``iss``.
        keys: Its public keys; two while one takes over from the other.
        actions: What it may ask for.
    """

    name: str
    home: str
    keys: tuple[PeerKey, ...]
    actions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """The trust file ``peers``; ``schemas/peers.schema.json``."""

    v: int = 1
    peers: tuple[Peer, ...] = ()

    def named(self, name: str) -> Peer | None:
        """Give the peer that the operator calls so."""
        return next((peer for peer in self.peers if peer.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marks:
    """What is remembered of one sender beyond single messages.

    Attributes:
        seq: Highest ``seq`` taken in.
        iat: Highest ``iat`` taken in: the time is at least that, whatever our clock says.
        lost_seq: Up to here a message may have been taken in without our knowing, because the
            record of them was lost.
        forgotten_exp: Up to here a message may have been taken in and forgotten since.
        past_seq: Highest ``seq`` that was refused as past, by our clock of then.
        past_exp: Highest ``exp`` of those.
    """

    seq: int = 0
    iat: int = 0
    lost_seq: int = 0
    forgotten_exp: int = 0
    past_seq: int = 0
    past_exp: int = 0

    def is_past(self, message: Message) -> bool:
        """Tell whether a message was refused as past; of those made later none was, their numbers are higher."""
        return message.seq <= self.past_seq and message.exp <= self.past_exp


def find_reasons(message: Message, peer: Peer, home: str, marks: Marks, now: int) -> tuple[str, ...]:
    """Say why a message by a known key is not taken in; () where it may be.

    Whether this very message was taken in before is asked elsewhere, first; whether its sender
    may ask for its action is asked when it is carried out, so that the refusal is recorded.

    Args:
        message: What was signed.
        peer: Whose key signed it.
        home: Id of this home.
        marks: What is remembered of the sender.
        now: Our clock, seconds since 1970 UTC.
    """
    return (*find_lasting_reasons(message, peer, home, marks), *_of_time(message, marks, now))


def find_lasting_reasons(message: Message, peer: Peer, home: str, marks: Marks) -> tuple[str, ...]:
    """Say why a message by a known key is never taken in, whatever the clocks say; () where it is their matter."""
    reasons = []
    if message.iss != peer.home:
        reasons.append("it speaks for a home that its key does not belong to")
    if message.aud != home:
        reasons.append("it is for another home")
    if not 0 < message.exp - message.iat <= MAX_LIFETIME_S:
        reasons.append(f"it is good for {message.exp - message.iat} s; from 1 to {MAX_LIFETIME_S} are taken")
    if message.seq <= marks.lost_seq or message.exp <= marks.forgotten_exp:
        reasons.append("it may have been taken in before, and the record of that is gone; send it anew")
    return tuple(reasons)


def is_ahead(message: Message, now: int) -> bool:
    """Tell whether a message was made in the future, by our clock."""
    return message.iat > now + MAX_AHEAD_S


def _of_time(message: Message, marks: Marks, now: int) -> list[str]:
    reasons = []
    if is_ahead(message, now):
        reasons.append("it was made in the future; compare the clocks of both machines")
    if message.exp <= max(now, marks.iat) or marks.is_past(message):
        reasons.append("it has expired")
    return reasons


def next_seq(last: int, now_ms: int) -> int:
    """Give the number of the next message: above the last one, and above all before where that was lost.

    Args:
        last: The last one given; 0 where none is known.
        now_ms: Milliseconds since 1970 UTC.
    """
    return max(last + 1, now_ms)
