"""What an operator signs.

Invariant: the signed bytes are the canonical JSON of ``Decision`` (no floats), so one
decision has one signature; it names the proposal's bytes, the hunks, the home and a
head of the log, and therefore fits nowhere else.
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

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
