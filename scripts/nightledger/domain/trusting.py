"""The chain of trust files: who may sign is itself changed by signature only.

Invariant: pure. The genesis entry names the files that a home began with; every later step
names what it changes. What is in force at a place of the log follows from the steps
before it and from nothing else; a file on disk is never asked.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.decision import Decision, Moment, elapsed_s

TRUST_FILES: Mapping[str, str] = {
    "allowed_signers": "config/nightledger/allowed_signers",
    "constitution": "memory/system/constitution.json",
    "peers": "config/nightledger/peers.json",
    "policy": "config/nightledger/policy",
    "revoked_keys": "config/nightledger/revoked_keys",
}
"""Every trust file: its name in the log, and its path relative to the home. The constitution is one
of them, because it changes as they do: by a signature, and never by what lies on disk."""
NAMES = {path: name for name, path in TRUST_FILES.items()}
RECOVERY_NAMESPACE = "nightledger-recovery@v1"
"""SSHSIG namespace of a recovery key: it can sign nothing but changes of :data:`RECOVERABLE`."""
RECOVERABLE = frozenset({"allowed_signers", "revoked_keys"})
RESET_WAIT_S = 24 * 3600
"""How long new signers that nobody signed for must stand in the log before they count (DESIGN
section 5): a day in which whoever still has a key can sign against it."""
RESET_TOLD_S = RESET_WAIT_S + 7 * 24 * 3600
"""How long a reset is an alarm: while it waits, and for a week after it took force."""
EMPTY_SHA256 = sha256(b"").hexdigest()
"""Hash of a trust file that is not there; homes that began before ``peers`` or ``constitution``
existed have none of that name."""


class TrustStep(Struct, frozen=True, kw_only=True):
    """One entry of the log that names trust files.

    Attributes:
        files: Hex SHA-256 by name, of the files that it changes; all of them in the genesis.
        since: Clocks at its entry; of a reset, not before the latest time in the log until then,
            so that a backdated entry waits as long as any other.
        decision: Id of the signed decision; empty for the genesis and for a reset.
        wait_s: Seconds before it counts; 0 unless it is a reset.
        cancelled: Whether a signed change, or another reset, came before a reset had waited.
        loss: How long the log was when all keys were lost, the log's too; None of any other step. It counts at
            once, because the policy only names the keys that sign the log from there on.
    """

    files: Mapping[str, str]
    since: Moment
    decision: str = ""
    wait_s: int = 0
    cancelled: bool = False
    loss: int | None = None

    @property
    def is_reset(self) -> bool:
        """Whether nobody signed for it."""
        return self.wait_s > 0

    def counts(self, at: Moment) -> bool:
        """Tell whether it is in force at a time."""
        return not self.cancelled and (not self.wait_s or self.remaining_s(at) == 0)

    def remaining_s(self, at: Moment) -> int:
        """Give the seconds that it has still to wait; no step of a clock makes them fewer."""
        return max(0, self.wait_s - elapsed_s(self.since, at))


class TrustChain(Struct, frozen=True, kw_only=True):
    """Every step, in the order of the log; none where the log has no genesis. What makes no sense adds nothing."""

    steps: tuple[TrustStep, ...] = ()

    def files(self, at: Moment, *, upto: int | None = None, void: Collection[int] = ()) -> dict[str, str]:
        """Give the hex SHA-256 of each trust file in force.

        Args:
            at: The time; matters to resets only.
            upto: How many steps of the log to look at; None takes all.
            void: Steps that turned out not to be signed for.
        """
        found = dict.fromkeys(TRUST_FILES, EMPTY_SHA256) if self.steps else {}
        for n, step in enumerate(self.steps[:upto]):
            if n not in void and step.counts(at):
                found |= step.files
        return found

    def pending_reset(self, at: Moment) -> TrustStep | None:
        """Give the reset that waits, if one does."""
        waiting = [step for step in self.steps if step.is_reset and not step.cancelled]
        return next((step for step in reversed(waiting) if not step.counts(at)), None)

    def recent_resets(self, at: Moment) -> tuple[TrustStep, ...]:
        """Return the resets that wait, or took force less than a week ago."""
        return tuple(
            step for step in self.resets() if not step.cancelled and elapsed_s(step.since, at) < RESET_TOLD_S
        )

    def resets(self) -> tuple[TrustStep, ...]:
        """Give every reset, and every loss of all keys, that there ever was; they stand in ``verify`` for ever."""
        return tuple(step for step in self.steps if step.is_reset or step.loss is not None)

    def was_reset(self, recorded: Moment, place: int, now: Moment) -> bool:
        """Tell whether a reset took force after a decision was recorded.

        Args:
            recorded: Clocks at the decision's entry.
            place: How many steps stood in the log before it.
            now: The clocks.
        """
        return any(
            step.is_reset and step.counts(now) and not (n < place and step.counts(recorded))
            for n, step in enumerate(self.steps)
        )

    def begun(self, fields: Mapping[str, Any], since: Moment) -> "TrustChain":
        """Return the chain that a genesis entry begins."""
        return TrustChain(steps=(TrustStep(files=_files(fields.get("trust", ())), since=since),))

    def changed(self, fields: Mapping[str, Any], since: Moment) -> "TrustChain":
        """Return the chain with the entry of a signed change; the caller knows its decision."""
        step = TrustStep(files=_files(fields["files"]), since=since, decision=fields["decision"])
        return TrustChain(steps=(*self._cancelled(since), step))

    def reset(self, fields: Mapping[str, Any], since: Moment, latest: datetime) -> "TrustChain":
        """Return the chain with the entry of a reset.

        Args:
            fields: Its members.
            since: Its clocks.
            latest: The latest time of any entry before it.
        """
        steps = self._cancelled(since)
        waits_from, files = replace(since, at=max(since.at, latest)), _files(fields["files"])
        if "policy" in files:
            policy = {"policy": files.pop("policy")}
            steps.append(TrustStep(files=policy, since=waits_from, loss=fields.get("size", 0)))
        return TrustChain(steps=(*steps, TrustStep(files=files, since=waits_from, wait_s=RESET_WAIT_S)))

    def _cancelled(self, at: Moment) -> list[TrustStep]:
        """Return the steps, with the wait of an earlier reset ended that is not over."""
        return [
            replace(step, cancelled=True) if step.is_reset and not step.counts(at) else step
            for step in self.steps
        ]


NO_CHAIN = TrustChain()
"""Of a log without a genesis."""


def why_not_change(
    decision: Decision, changed: Mapping[str, str], before: Mapping[str, str], *, by_recovery: bool
) -> list[str]:
    """Say why a signed decision is not what a change of trust files must be; empty where it is.

    Args:
        decision: Of type trust, its signature verified.
        changed: Hex SHA-256 after it, by name, as the log says.
        before: Hex SHA-256 of every trust file in force before it.
        by_recovery: Whether a recovery key signed it.
    """
    reasons = []
    named = {NAMES.get(target.path, target.path): target for target in decision.targets}
    if decision.proposal or decision.changes or not named or len(named) != len(decision.targets):
        reasons.append("it is not the form of a decision about trust files")
    reasons += [f"{name} is no trust file" for name in sorted(named.keys() - TRUST_FILES.keys())]
    if {name: target.result for name, target in named.items()} != dict(changed):
        reasons.append("the files that it names are not those of its entry")
    reasons += [
        f"{name} is not the file any more that it was signed over"
        for name, target in sorted(named.items())
        if name in TRUST_FILES and target.base != before.get(name)
    ]
    if by_recovery and not named.keys() <= RECOVERABLE:
        reasons.append("a recovery key changes allowed_signers and revoked_keys only")
    return reasons


def _files(items: Any) -> dict[str, str]:
    return {item["name"]: item["sha256"] for item in items if item["name"] in TRUST_FILES}
