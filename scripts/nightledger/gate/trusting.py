"""The trust files in force: those that the log's chain names, never those that lie on disk; and what witnesses say by the policy.

Invariant: a step of the chain counts only where its decision was signed by the set before
it. A file on disk that differs, a decision's as well, is named as an alarm, and the bytes
that the log names are used. Where a step cannot be judged, nothing that rests on it is: no set is ever older than
the log says. Whose cosignatures count is read from the policy in force.
"""

import hashlib
import os
from collections.abc import Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from nightledger.codec.records import decode_record
from nightledger.domain import trusting
from nightledger.domain.decision import NAMESPACE, Decision, DecisionType, EventName, Moment, Witnessed
from nightledger.domain.errors import AlteredError, IntegrityError, NightledgerError, UsageError
from nightledger.domain.judge import Claim
from nightledger.domain.states import DecisionStatus
from nightledger.files.atomic import BlobStore
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.gate.opening import MAX_CONFIG_BYTES, Gate, Ledger
from nightledger.gate.stored import Signed, read_kept, read_signed, signed_by
from nightledger.trust.audit import VerifiedLog
from nightledger.trust.heads import Cosignatures
from nightledger.trust.policy import LOG_LINES, Policy, parse_policy
from nightledger.trust.report import Damage, Finding
from nightledger.trust.signers import SignedBy, SignerSet, parse_allowed_signers, parse_revoked_keys

NOT_SIGNED = "it is no signature of who the decision names"
CHANGED = "it was changed after it was recorded"
FORKED = "the log head that it names is no part of this log: FORK, the operator had seen another history"
OTHERWISE = "the log says another thing of it than it says itself"
_NOBODY = "put it back from a backup; until then nobody may sign, and nothing is applied"


class Trust:
    """The trust files of a home as its log has them; every step of the chain is verified once.

    Raises:
        IntegrityError: From each method: a signed step's decision is missing or was altered, or
            the bytes that the log names are kept nowhere.
    """

    __slots__ = ("_home", "_ledger", "_sets", "_void")

    def __init__(self, home: Home, ledger: Ledger) -> None:
        """Take a home and its log, as checked; nothing is read yet."""
        self._home = home
        self._ledger = ledger
        self._sets: dict[tuple[str, str], SignerSet] = {}
        self._void: frozenset[int] | None = None

    @property
    def void(self) -> frozenset[int]:
        """Forged entries: steps whose very decision is there and was not signed by the set before.

        So is a loss of all keys that changes more of the policy than the log's keys.
        """
        if self._void is None:
            found: set[int] = set()
            for n, step in enumerate(self._ledger.book.trust.steps):
                signed = not step.decision or self._is_signed(n, step, found)
                if not signed or (step.loss is not None and not self._names_keys_alone(n, step, found)):
                    found.add(n)
            self._void = frozenset(found)
        return self._void

    def files(self, at: Moment, *, upto: int | None = None) -> dict[str, str]:
        """Return the hex SHA-256 of each trust file in force.

        Args:
            at: The time.
            upto: How many steps of the chain to look at; None takes all.
        """
        return self._ledger.book.trust.files(at, upto=upto, void=self.void)

    def content(self, name: str, at: Moment) -> bytes:
        """Return the bytes of a trust file in force; none where it never was."""
        files = self.files(at)
        _require_named(files)
        return self._content(name, files[name])

    def signers(self, at: Moment, *, upto: int | None = None) -> SignerSet:
        """Return who may sign now; with ``upto`` who could, once so many steps of the chain stood in the log."""
        return self._signers(self.files(at, upto=upto))

    def signers_of(self, status: DecisionStatus) -> SignerSet:
        """Return who could sign where a decision stands in the log."""
        return self.signers(status.recorded, upto=status.trust)

    def _signers(self, files: Mapping[str, str]) -> SignerSet:
        _require_named(files)
        key = (files["allowed_signers"], files["revoked_keys"])
        if key not in self._sets:
            allowed, revoked = (
                self._content(name, files[name]) for name in ("allowed_signers", "revoked_keys")
            )
            self._sets[key] = parse_signers(allowed, revoked)
        return self._sets[key]

    def _content(self, name: str, sha256: str) -> bytes:
        if sha256 == trusting.EMPTY_SHA256:
            return b""
        present = read_trust_file(self._home, name)
        if present is not None and hashlib.sha256(present).hexdigest() == sha256:
            return present
        try:
            return BlobStore(self._home.blobs_dir).get(sha256)
        except NightledgerError as error:
            raise IntegrityError(
                f"{trusting.TRUST_FILES[name]} is not the file that the log names, and its bytes are not kept",
                hint="put the file back from a backup, then 'nightledger verify'",
            ) from error

    def _names_keys_alone(self, n: int, step: trusting.TrustStep, void: set[int]) -> bool:
        before = self._ledger.book.trust.files(step.since, upto=n, void=void)["policy"]
        said = [LOG_LINES.sub(b"", self._content("policy", name)) for name in (before, step.files["policy"])]
        return said[0] == said[1]

    def _is_signed(self, n: int, step: trusting.TrustStep, void: set[int]) -> bool:
        status = self._ledger.book.decisions[step.decision]
        try:
            signed = read_kept(self._home, status)
        except AlteredError as error:
            raise AlteredError(str(error), hint=_NOBODY) from error
        path = self._home.decision(status.id)
        if signed.signature_sha256 != status.signature_sha256:
            # Not even an older set may be used instead: it may hold the key that this very step revoked.
            raise AlteredError(f"{path}.sig was changed after it was recorded", hint=_NOBODY)
        before = self._ledger.book.trust.files(status.recorded, upto=n, void=void)
        decision = decode_record(Decision, signed.content, where=path)
        by, by_recovery = who_changed(signed, self._signers(before), status.recorded)
        return (
            by is not None
            and by.principal == decision.principal
            and decision.origin == self._home.identity.origin
            and is_on_log(self._ledger, decision, status.losses)
            and not trusting.why_not_change(decision, step.files, before, by_recovery=by_recovery)
        )


def _require_named(files: Mapping[str, str]) -> None:
    if not files:
        raise IntegrityError("the log names no trust files: nobody may sign")


def parse_signers(allowed: bytes, revoked: bytes) -> SignerSet:
    """Return the signer set of the two files' bytes.

    Raises:
        RecordError: With every bad line.
    """
    return SignerSet(
        signers=parse_allowed_signers(allowed.decode("utf-8", "replace"), where="allowed_signers"),
        revoked=parse_revoked_keys(revoked.decode("utf-8", "replace"), where="revoked_keys"),
    )


def who_changed(signed: Signed, signers: SignerSet, at: Moment) -> tuple[SignedBy | None, bool]:
    """Return who signed a change of trust files, and whether as a recovery key."""
    by = signed_by(signed, signers, at, NAMESPACE)
    if by is not None:
        return by, False
    return signed_by(signed, signers, at, trusting.RECOVERY_NAMESPACE), True


def is_on_log(ledger: Ledger, decision: Decision, losses: int | None = None) -> bool:
    """Return whether the head that a decision names is a prefix of this log, behind whatever was lost before it.

    Args:
        ledger: The log, as checked.
        decision: What was signed.
        losses: How many losses stand in the log before it; None takes all.
    """
    log, size = ledger.log, decision.log.size
    behind = all(size > one.size for one in ledger.book.restored[:losses])
    return behind and 0 < size <= log.size and log.root_at(size).hex() == decision.log.root


def trust_path(home: Home, name: str) -> str:
    """Return the absolute path of a trust file."""
    return os.path.join(home.root, *trusting.TRUST_FILES[name].split("/"))


def read_trust_file(home: Home, name: str) -> bytes | None:
    """Return what lies on disk under a trust file's name; None where that is no file that can be read."""
    try:
        return read_optional(trust_path(home, name), MAX_CONFIG_BYTES) or b""
    except NightledgerError:
        return None


def trust_files(home: Home) -> dict[str, str]:
    """Return the hex SHA-256 of each trust file as it lies on disk.

    A missing file counts as empty; what cannot be read has no hash, an empty string.
    """
    contents = ((name, read_trust_file(home, name)) for name in trusting.TRUST_FILES)
    return {
        name: "" if content is None else hashlib.sha256(content).hexdigest() for name, content in contents
    }


class Judged(Struct, frozen=True, kw_only=True):
    """A recorded decision, verified where it stands in the log.

    Attributes:
        decision: What its file says.
        by: Who signed it; None where no key of the set in force there did.
        problem: Why it counts for nothing; empty where it holds.
        in_signature: Whether that is in the file of its signature.
    """

    decision: Decision
    by: SignedBy | None
    problem: str = ""
    in_signature: bool = False


def judge_decision(home: Home, ledger: Ledger, trust: Trust, status: DecisionStatus) -> Judged:
    """Verify a recorded decision by the set in force at its place, and compare it with its entry.

    Raises:
        AlteredError: Its file is missing or is not what was logged, and no copy of it is kept.
        IntegrityError: Who could sign cannot be told.
    """
    signed = read_kept(home, status)
    decision = decode_record(Decision, signed.content, where=home.decision(status.id))
    signers = trust.signers_of(status)
    by = signed_by(signed, signers, status.recorded)
    if by is None and status.type is DecisionType.TRUST:
        by = who_changed(signed, signers, status.recorded)[0]
    if by is None or by.principal != decision.principal:
        return Judged(decision=decision, by=by, problem=NOT_SIGNED, in_signature=True)
    if status.signature_sha256 != signed.signature_sha256:
        return Judged(decision=decision, by=by, problem=CHANGED, in_signature=True)
    if not is_on_log(ledger, decision, status.losses):
        return Judged(decision=decision, by=by, problem=FORKED)
    recorded = (decision.id, decision.type, decision.proposal, decision.changes, decision.origin)
    logged = (status.id, status.type, status.proposal, status.changes, home.identity.origin)
    # else it could be recorded again, under another id
    return Judged(decision=decision, by=by, problem="" if recorded == logged else OTHERWISE)


def read_verified(home: Home, ledger: Ledger, trust: Trust, status: DecisionStatus) -> Decision | None:
    """Return a recorded decision that holds where it stands in the log; None of any other."""
    try:
        judged = judge_decision(home, ledger, trust, status)
    except NightledgerError:
        return None
    return None if judged.problem else judged.decision


def read_claim(home: Home, ledger: Ledger, status: DecisionStatus) -> Claim:
    """Read a recorded decision and verify it anew, before it is acted on.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    judged = judge_decision(home, ledger, Trust(home, ledger), status)
    return Claim(
        decision=judged.decision,
        signer=judged.by.principal if judged.by else None,
        on_log=is_on_log(ledger, judged.decision, status.losses),
        recorded=status.recorded,
    )


def why_void(home: Home, ledger: Ledger, status: DecisionStatus, moment: Moment) -> str:
    """Return why an approval that was good when it was recorded counts no more; empty where it does.

    Raises:
        AlteredError: Its file is missing or is not what was logged.
    """
    if ledger.book.trust.was_reset(status.recorded, status.trust, moment):
        return "the keys were reset since it was signed"
    trust = Trust(home, ledger)
    by = signed_by(read_signed(home, status), trust.signers_of(status), status.recorded)
    if by is not None and by.fingerprint in trust.signers(moment).revoked_fingerprints:
        return f"the key {by.fingerprint} was revoked since it was signed"
    return ""


_PLACES = {
    EventName.PROPOSED.value: "proposal",
    EventName.DECIDED.value: "decision",
    EventName.APPLY_INTENT.value: "apply",
    EventName.APPLY_DONE.value: "apply",
    EventName.APPLY_RACED.value: "apply",
    EventName.APPLY_ABORTED.value: "apply",
}
"""Which member names what an entry is about."""
STALE = timedelta(hours=24)
"""After this a log that grows every night has an entry that no witness has seen (DESIGN section 6)."""
COOLED = frozenset({EventName.PROPOSED.value, EventName.DECIDED.value})
"""Entries whose first cosigned head is kept for ever, because a wait begins with them."""


def read_policy(home: Home, ledger: Ledger, at: Moment) -> Policy:
    """Return the policy in force.

    Raises:
        IntegrityError: Its bytes are kept nowhere, or a decision that changed it was altered.
        RecordError: It is malformed.
    """
    return parse_policy(Trust(home, ledger).content("policy", at), where=home.relative(home.policy))


def read_cosignatures(home: Home, ledger: Ledger, at: Moment) -> Cosignatures:
    """Return what witnesses of the policy in force said of this log.

    Raises:
        IntegrityError: As :func:`read_policy`.
    """
    return Cosignatures(home, read_policy(home, ledger, at), ledger.log.tree)


def witnessed(gate: Gate, ledger: Ledger, status: DecisionStatus, moment: Moment) -> Witnessed | None:
    """Return what witnesses know of the waits of an approval; None where the policy asks for none.

    Args:
        gate: The home.
        ledger: Its log.
        status: The approval.
        moment: The clocks.

    Raises:
        IntegrityError: As :func:`read_policy`.
    """
    cosignatures = read_cosignatures(gate.home, ledger, moment)
    if not cosignatures.policy.asks:
        return None
    proposed, signed = (find_leaves(ledger.log, name)[0] for name in (status.proposal, status.id))
    return Witnessed(proposed=cosignatures.vouched(proposed), signed=cosignatures.vouched(signed))


class WitnessLook(Struct, frozen=True, kw_only=True):
    """How a home stands with its witnesses.

    Attributes:
        asks: Whether the policy asks for any.
        size: Size of the head of this log that the quorum cosigned last; 0 for none.
        at: When that was; None for none.
        findings: What is wrong, each an alarm.
    """

    asks: bool = False
    size: int = 0
    at: datetime | None = None
    findings: tuple[Finding, ...] = ()


def look_at_witnesses(home: Home, cosignatures: Cosignatures, now: datetime) -> WitnessLook:
    """Return whether witnesses cosigned this log lately, and whether they cosigned another one.

    Args:
        home: Whose.
        cosignatures: What they said.
        now: The clock; aware.
    """
    policy = cosignatures.policy
    if not policy.asks:
        return WitnessLook()
    found: list[Finding] = []

    def find(damage: Damage, message: str) -> None:
        found.append(Finding(damage=damage, path=home.cosigned, line=None, message=message))

    if foreign := cosignatures.foreign():
        head, damage = foreign
        find(
            damage,
            f"witnesses cosigned a head of {head.checkpoint.size} entries that this log does not continue",
        )
    newest = cosignatures.newest()
    if newest is None:
        find(Damage.STALE_WITNESS, f"no head of this log is cosigned as the policy asks ({policy.quorum!r})")
        return WitnessLook(asks=True, findings=tuple(found))
    head, at = newest
    if now - at > STALE:
        hours = (now - at) // timedelta(hours=1)
        message = f"witnesses last cosigned {head.checkpoint.size} entries, {hours} hours ago"
        find(Damage.STALE_WITNESS, message)
    return WitnessLook(asks=True, size=head.checkpoint.size, at=at, findings=tuple(found))


def find_leaves(log: VerifiedLog, name: str) -> tuple[int, ...]:
    """Return the places of the entries that a proposal, decision or apply has of its own, in order.

    Args:
        log: As checked.
        name: Its id.

    Raises:
        UsageError: The log has none.
    """
    found = tuple(
        fields["seq"] for event, fields, _ in log.entries() if fields.get(_PLACES.get(event, "")) == name
    )
    if not found:
        raise UsageError(
            f"the log has no entry of {name[:80]!r}",
            hint="name a proposal, a decision, an apply, or an entry's number; 'nightledger history' lists them",
        )
    return found


def has_waits_between(log: VerifiedLog, start: int, end: int) -> bool:
    """Return whether a proposal or a decision was logged from line ``start`` on and before line ``end``, from 0."""
    return any(event in COOLED and start <= fields["seq"] < end for event, fields, _ in log.entries())
