"""One line of the audit log, as a value.

Invariant: ``fields`` hold ids, hashes, counts and enumerated words only; no text of an
agent or of a log ever enters the audit log (that goes to blobs).
"""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct, field


class Actor(StrEnum):
    """Who caused an event, as far as the program can tell."""

    HUMAN = "human"
    CRON = "cron"
    AGENT = "agent"
    UNKNOWN = "unknown"


class EventName(StrEnum):
    """Every event that the audit log knows."""

    GENESIS = "genesis"
    PROPOSED = "proposal.created"
    DEFERRED = "proposal.deferred"
    CLOSED = "proposal.closed"
    ASKED_AGAIN = "heading.asked_again"
    DECIDED = "decision.recorded"
    STALE = "change.stale"
    APPLY_INTENT = "apply.intent"
    NAMED = "entries.named"
    APPLY_DONE = "apply.done"
    APPLY_ABORTED = "apply.aborted"
    APPLY_RACED = "apply.raced"
    QUARANTINED = "text.quarantined"
    RUN = "run.finished"
    HEARTBEAT = "heartbeat"
    TAIL_CLOSED = "log.tail_closed"
    DRIFT_FOUND = "drift.found"
    PROTECTED_SEEN = "protected.seen"
    TRUST_CHANGED = "trust.changed"
    TRUST_RESET = "trust.reset"
    CONSENT_BLOCKED = "consent.blocked"
    LOCKED = "lock.set"
    UNLOCKED = "lock.cleared"
    LOCK_REPAIRED = "lock.repaired"
    EXPUNGED = "text.expunged"
    BLOBS_REMOVED = "blobs.removed"
    MESSAGE = "message.received"
    LEFT = "home.left"
    RESTORED = "home.restored"


OWN_NAMES = frozenset({"v", "seq", "event", "actor", "at"})
"""Members that every event has; all others are its fields."""
Entry = tuple[str, Mapping[str, Any], datetime]
"""What a fold reads of an event: its name, its members (those that every event has may be among
them), and its time. A plain tuple, because a log holds a hundred thousand of them."""


class Event(Struct, frozen=True, kw_only=True):
    """One audit entry.

    Attributes:
        v: Version of the record, 1.
        seq: Place in the log, from 0.
        event: What happened; an ``EventName`` or a word of a later version.
        actor: Who caused it.
        at: Wall clock when it was appended; aware, UTC.
        fields: What it is about.
    """

    v: int
    seq: int
    event: str
    actor: Actor
    at: datetime
    fields: Mapping[str, Any] = field(default_factory=dict)
