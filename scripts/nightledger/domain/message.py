"""What machines say to each other, when it may be believed, and what of a home's queue travels to its operator.

Invariant: a message is judged by what its sender signed and by nothing else: not by where it
came from, nor by what stands beside the signed bytes. A closed door is an answer that lists
every reason.
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from nightledger.domain.decision import LogHead
from nightledger.domain.errors import UsageError

MESSAGE_TYPE = "application/vnd.nightledger.message+json"
"""DSSE payload type of a message; under the signature, so that an answer is never taken for one."""
REPLY_TYPE = "application/vnd.nightledger.reply+json"
"""DSSE payload type of an answer."""
MAX_AHEAD_S = 60
"""How far a sender's clock may be ahead of ours."""
MAX_LIFETIME_S = 7 * 86_400
"""The longest that a message may be on its way: a week, as a decision lives."""
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


class Message(Struct, frozen=True, kw_only=True):
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


class Reply(Struct, frozen=True, kw_only=True):
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


class PeerKey(Struct, frozen=True, kw_only=True):
    """A public machine key.

    Attributes:
        key: ``ssh-ed25519 AAAA…``, without a comment.
    """

    key: str


class Peer(Struct, frozen=True, kw_only=True):
    """A machine that may send messages to this home.

    Attributes:
        name: What the operator calls it.
        home: Id of the home that it speaks for; it may name no other as ``iss``.
        keys: Its public key; a list, for the form of the file is older than that.
        actions: What it may ask for.
    """

    name: str
    home: str
    keys: tuple[PeerKey, ...]
    actions: tuple[str, ...]


class Peers(Struct, frozen=True, kw_only=True):
    """The trust file ``peers``; ``schemas/peers.schema.json``."""

    v: int = 1
    peers: tuple[Peer, ...] = ()

    def named(self, name: str) -> Peer | None:
        """Give the peer that the operator calls so."""
        return next((peer for peer in self.peers if peer.name == name), None)

    def find(self, name: str) -> Peer:
        """Return the peer that the operator calls so.

        Raises:
            UsageError: There is none.
        """
        if (peer := self.named(name)) is None:
            raise UsageError(
                f"there is no machine {name!r}", hint="'nightledger channel peer list' names those known"
            )
        return peer


def find_reasons(message: Message, peer: Peer, home: str, seq: int, now: int) -> tuple[str, ...]:
    """Say why a message by a known key is not taken in; () where it may be.

    Whether this very message was taken in before is asked elsewhere, first; whether its sender
    may ask for its action is asked when it is carried out, so that the refusal is recorded.

    Args:
        message: What was signed.
        peer: Whose key signed it.
        home: Id of this home.
        seq: Highest number of the sender that is spent.
        now: Our clock, seconds since 1970 UTC.
    """
    reasons = list(find_lasting_reasons(message, peer, home))
    if message.seq <= seq:
        reasons.append("it, or one that was sent after it, came before; send it anew")
    if message.iat > now + MAX_AHEAD_S:
        reasons.append("it was made in the future; compare the clocks of both machines")
    if message.exp <= now:
        reasons.append("it has expired")
    return tuple(reasons)


def find_lasting_reasons(message: Message, peer: Peer, home: str) -> tuple[str, ...]:
    """Say why a message by a known key is never taken in, whatever the clocks say and came before."""
    reasons = []
    if message.iss != peer.home:
        reasons.append("it speaks for a home that its key does not belong to")
    if message.aud != home:
        reasons.append("it is for another home")
    if not 0 < message.exp - message.iat <= MAX_LIFETIME_S:
        reasons.append(f"it is good for {message.exp - message.iat} s; from 1 to {MAX_LIFETIME_S} are taken")
    return tuple(reasons)


class Document(Struct, frozen=True, kw_only=True):
    """A gated file as it may be read elsewhere.

    Attributes:
        path: Relative to the home.
        sha256: Hex SHA-256 of its bytes.
        content: Its bytes with secrets masked, base64.
    """

    path: str
    sha256: str
    content: str


class Excerpt(Struct, frozen=True, kw_only=True):
    """Lines that a change rests on, as they are now.

    Attributes:
        n: The change.
        place: Where they stand: ``memory/2026-02-28.md:12``.
        same: Whether they are what they were when it was proposed.
        text: The lines, secrets masked; empty where the file cannot be read.
    """

    n: int
    place: str
    same: bool
    text: str


class Travelling(Struct, frozen=True, kw_only=True):
    """A proposal of which something waits.

    Attributes:
        record: The text of its file, byte for byte what the log names.
        created_at: Time of its entry in the log.
        changes: Numbers of the changes that wait for an answer.
        excerpts: What they rest on.
    """

    record: str
    created_at: datetime
    changes: tuple[int, ...]
    excerpts: tuple[Excerpt, ...]


class HomeTerms(Struct, frozen=True, kw_only=True):
    """What the home asks of a decision.

    Attributes:
        cooling_after_proposal_s: Seconds from a proposal to its earliest apply.
        cooling_after_signature_s: Seconds from its signature to its earliest apply.
        decision_expires_days: How long an approval stays good.
        cap_characters: What its host shows of a memory file; None where it shows all.
    """

    cooling_after_proposal_s: int
    cooling_after_signature_s: int
    decision_expires_days: int
    cap_characters: int | None


class Waiting(Struct, frozen=True, kw_only=True):
    """All that an operator needs to review and sign elsewhere; ``schemas/waiting.schema.json``.

    Attributes:
        v: Version of the record, 1.
        origin: Name of the home's log; decisions carry it.
        log: Head of the log; decisions name it.
        allowed_signers: Who may sign: public keys and names, as the trust file has them.
        terms: What the home asks of a decision.
        documents: The gated files that the proposals change.
        proposals: In order of their entries.
        left_out: Proposals that wait and do not travel: drift, a secret in them.
    """

    v: int
    origin: str
    log: LogHead
    allowed_signers: str
    terms: HomeTerms
    documents: tuple[Document, ...]
    proposals: tuple[Travelling, ...]
    left_out: tuple[str, ...]
