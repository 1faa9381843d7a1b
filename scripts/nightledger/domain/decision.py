"""What an operator signs, what the log says of it, and when: decisions, events, readings of the clocks, and how long an approval waits.

Invariant: the signed bytes are the canonical JSON of ``Decision`` (no floats), so one
decision has one signature; it names the proposal's bytes, the hunks, the home and a
head of the log, and therefore fits nowhere else.

Invariant: ``fields`` hold ids, hashes, counts and enumerated words only; no text of an
agent or of a log ever enters the audit log (that goes to blobs).

Invariant: no step of a clock makes the wait before an apply shorter. Where witnesses are asked for, only the times in their
cosignatures count, and no clock of this machine. Without them, within one boot the smaller of wall and boot-time clock
counts; across a reboot there is only the wall clock.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import Struct, field

VERSION = 2
"""Of a decision's record; 1 named no sections, and is not read."""
NAMESPACE = "nightledger-decision@v1"
"""SSHSIG namespace: a signature made for anything else is no decision."""


class DecisionType(StrEnum):
    """What the operator decided."""

    APPROVE = "approve"
    REJECT = "reject"
    UNDO = "undo"
    DRIFT = "drift"
    TRUST = "trust"
    CONSENT = "consent"
    EXPUNGE = "expunge"
    PIN = "pin"
    """Entries stay, whatever a policy says; with a tag as its reason: they have that tag."""
    UNPIN = "unpin"
    CLOSE = "close"
    """The proposal's file is not what was logged and will not be put back: it is given up, all of it."""
    RESTORE = "restore"
    """The home stands where it is again: what a longer log held that was seen is lost."""


class LogHead(Struct, frozen=True, kw_only=True):
    """A head of the audit log that the operator saw.

    Attributes:
        size: Number of leaves.
        root: RFC 6962 root of the first ``size`` leaves, 64 hex characters.
    """

    size: int
    root: str


class ShownIn(Struct, frozen=True, kw_only=True):
    """Under what a change of text was shown, as hashes of exact bytes.

    Attributes:
        change: Number of the change.
        section_sha256: Hex SHA-256 of its section without the blank lines at its end, earlier changes of the
            same review included; of no bytes where the section is missing. Of an operator's edit, of the whole file.
        above_sha256: Of an addition, hex SHA-256 of what stood above it in its section when it was shown;
            else empty.
    """

    change: int
    section_sha256: str
    above_sha256: str = ""


class DecisionTarget(Struct, frozen=True, kw_only=True):
    """What one gated file was and would become.

    Attributes:
        path: Relative to the home.
        base: Hex SHA-256 of the bytes before, earlier changes of the same review included.
        result: Hex SHA-256 of the bytes after.
        hunks_sha256: Hex SHA-256 of the canonical JSON of the hunks decided on.
        anchors: Under what each approved change of a gated file's text was shown, in their order.
    """

    path: str
    base: str
    result: str
    hunks_sha256: str
    anchors: tuple[ShownIn, ...] = ()


class Decision(Struct, frozen=True, kw_only=True):
    """One signed answer to one proposal.

    Attributes:
        v: Version of the record, :data:`VERSION`.
        id: ``d-`` and 26 characters, derived from everything else in it.
        type: What was decided.
        origin: 128-bit id of the home, 32 hex characters.
        host: Name of the machine on which it was made.
        proposal: Id of the proposal; empty in a decision about trust files, consent, a leaked text, pins or a lost log.
        proposal_sha256: Hex SHA-256 of the proposal file's bytes; empty where there is none.
        changes: Numbers of the changes it is about, ascending; those to keep in a decision about
            drift, none in one that answers no proposal.
        targets: What it does to each file; empty for a rejection and a closing.
        not_before: Earliest time at which it may be applied.
        expires: Last time at which it may be applied.
        nonce: 128 bits from the system's generator, 32 hex characters.
        log: Head of the audit log that the operator saw.
        principal: Name of the signer in ``allowed_signers``.
        reason: The operator's words; empty where none were given. In a decision about pins: the tag; about a leaked
            text: keyed hashes of its lines.
    """

    v: int
    id: str
    type: DecisionType
    origin: str
    host: str
    proposal: str
    proposal_sha256: str
    changes: tuple[int, ...]
    targets: tuple[DecisionTarget, ...]
    not_before: datetime
    expires: datetime
    nonce: str
    log: LogHead
    principal: str
    reason: str = ""


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


class Moment(Struct, frozen=True, kw_only=True):
    """Wall clock and boot-time clock, read together.

    Attributes:
        at: Wall clock; aware, UTC.
        boot: Names this boot of the machine; empty where the machine does not tell.
        boot_s: Whole seconds since that boot, suspend included; 0 where ``boot`` is empty.
    """

    at: datetime
    boot: str = ""
    boot_s: int = 0

    @classmethod
    def of_entry(cls, fields: Mapping[str, Any], at: datetime) -> "Moment":
        """Give the clocks of an entry of the audit log: of one of an older version its time alone.

        Args:
            fields: Of the entry.
            at: When it was written; aware, UTC.
        """
        return cls(at=at, boot=fields.get("boot", ""), boot_s=fields.get("boot_s", 0))


class Cooling(Struct, frozen=True, kw_only=True):
    """The two waits, both of which must pass.

    Attributes:
        after_proposal_s: Seconds since the proposal's leaf; published value 2 hours.
        after_signature_s: Seconds since the signature; 10 minutes.
    """

    after_proposal_s: int = 2 * 3600
    after_signature_s: int = 10 * 60


NO_WAIT = Cooling(after_proposal_s=0, after_signature_s=0)
"""An operator's own edit and undo do not cool."""
NEVER = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""When a wait ends that no calendar holds."""


class Vouched(Struct, frozen=True, kw_only=True):
    """When a quorum of witnesses cosigned a head that an entry is under.

    Attributes:
        first: A time by which it had; None where it never did. Late rather than early.
        last: The last time at which it did; None likewise. Early rather than late.
    """

    first: datetime | None = None
    last: datetime | None = None

    @property
    def elapsed_s(self) -> int:
        """Whole seconds that surely passed since the entry; 0 where nobody vouched."""
        if self.first is None or self.last is None:
            return 0
        return max(0, int((self.last - self.first).total_seconds()))


class Witnessed(Struct, frozen=True, kw_only=True):
    """What witnesses say of both waits.

    Attributes:
        proposed: Of the proposal's entry.
        signed: Of the decision's.
    """

    proposed: Vouched = Vouched()
    signed: Vouched = Vouched()

    def latest(self, at: datetime) -> datetime:
        """Give the later of a time and the last one that witnesses stated."""
        return max([at, *filter(None, (self.proposed.last, self.signed.last))])


def elapsed_s(since: Moment, now: Moment) -> int:
    """Give the whole seconds that surely passed; negative when the wall clock went back."""
    wall_s = int((now.at - since.at).total_seconds())
    if since.boot and since.boot == now.boot:
        return min(wall_s, now.boot_s - since.boot_s)
    return wall_s


def cools_until(proposed: Moment, signed: Moment, cooling: Cooling) -> datetime:
    """Give the wall-clock time at which both waits are over if no clock steps; at most the year 9999's last second.

    A proposal that stands after its signature was dated by a clock that was ahead, or is behind now: it was
    there when it was signed, so its wait is over as long after that.
    """
    return max(
        _after(min(proposed.at, signed.at), cooling.after_proposal_s),
        _after(signed.at, cooling.after_signature_s),
    )


def _after(at: datetime, wait_s: int) -> datetime:
    """Give a time that much later: what a home asks for, and what another machine says, may be any number."""
    try:
        return at + timedelta(seconds=wait_s)
    except OverflowError:
        return NEVER


def remaining_s(
    proposed: Moment, signed: Moment, now: Moment, cooling: Cooling, witnessed: Witnessed | None = None
) -> int:
    """Give the seconds still to wait, 0 when both waits have passed.

    Args:
        proposed: Clocks at the proposal's entry.
        signed: Clocks at the decision's entry.
        now: The clocks.
        cooling: The waits.
        witnessed: What witnesses say instead; None where the policy asks for none.
    """
    if witnessed is None:
        began = signed if proposed.at > now.at else proposed  # in a time to come: by a clock that was ahead
        passed = elapsed_s(began, now), elapsed_s(signed, now)
    else:
        passed = witnessed.proposed.elapsed_s, witnessed.signed.elapsed_s
    return max(0, cooling.after_proposal_s - passed[0], cooling.after_signature_s - passed[1])


REVIEWS = frozenset({DecisionType.APPROVE, DecisionType.REJECT, DecisionType.DRIFT, DecisionType.CONSENT})
"""Decisions that an operator makes by reading what waits. An undo or a key is no review."""
DAY_S = 86_400


def passed_s(since: Moment, now: Moment) -> int:
    """Give the most that may have passed between two readings of the clocks, in whole seconds, 0 at least."""
    wall_s = int((now.at - since.at).total_seconds())
    boot_s = now.boot_s - since.boot_s if since.boot and since.boot == now.boot else 0
    return max(0, wall_s, boot_s)


def since_review_s(entries: Iterable[Entry], review: str | None, now: Moment) -> int:
    """Give the seconds since a review was recorded, added up from entry to entry.

    Args:
        entries: Of the log, as checked.
        review: Id of the last decision that was a review; None counts from the log's beginning.
        now: The clocks.
    """
    total, last = 0, None
    for name, fields, at in entries:
        here = Moment.of_entry(fields, at)
        if review is not None and name == EventName.DECIDED and fields["decision"] == review:
            total, last, review = 0, here, None
            continue
        if last is not None:
            total += passed_s(last, here)
        last = here
    return total + (passed_s(last, now) if last else 0)
