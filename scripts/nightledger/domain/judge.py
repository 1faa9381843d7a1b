"""May this decision be applied now? The gate's one rule, pure.

Invariant: nothing is applied unless every clause here holds; the reasons come all at
once, so that an operator needs one round.
"""

from datetime import datetime

from msgspec import Struct

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.cooling import NONE, Cooling, Witnessed, remaining_s
from nightledger.domain.decision import Decision, DecisionType
from nightledger.domain.kept import Places, parts_of, why_forbidden
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Proposal
from nightledger.domain.states import ProposalStatus

EDIT_LANE = "edit"
"""Lane of an operator's own edit: signed at creation, applied at once, never offered for review."""


class Verdict(Struct, frozen=True, kw_only=True):
    """The gate's answer.

    Attributes:
        reasons: Why not; empty when the decision may be applied.
        wait_s: Seconds after which asking again may help; 0 where waiting does not.
    """

    reasons: tuple[str, ...] = ()
    wait_s: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the decision may be applied now."""
        return not self.reasons and not self.wait_s


class Claim(Struct, frozen=True, kw_only=True):
    """A decision with what was found out about it.

    Attributes:
        decision: The signed values.
        signer: Principal whose key verified the signature against the signer set in force;
            None when no key did.
        on_log: Whether the head it names is a prefix of this home's log.
        recorded: When its leaf was appended.
        witnessed: What witnesses say of the waits; None where the policy asks for none.
    """

    decision: Decision
    signer: str | None
    on_log: bool
    recorded: Moment
    witnessed: Witnessed | None = None

    def latest(self, now: Moment) -> datetime:
        """Give the time that it must not have expired at: the clock's, or a later one that witnesses stated."""
        return self.witnessed.latest(now.at) if self.witnessed else now.at


class Rules(Struct, frozen=True, kw_only=True):
    """What the gate judges by.

    Attributes:
        origin: This home's id.
        cooling: The waits.
        consent: The consent graph in force.
        gated: Paths that may be changed through the gate, relative to the home.
        daily: Directories of daily logs, which may be compressed, relative to the home.
        skills: The folder of the host's skills, relative to the home; empty for none.
    """

    origin: str
    cooling: Cooling
    consent: ConsentGraph
    gated: tuple[str, ...]
    daily: tuple[str, ...] = ()
    skills: str = ""


def judge(
    claim: Claim,
    proposal: Proposal,
    proposal_sha256: str,
    status: ProposalStatus,
    *,
    rules: Rules,
    now: Moment,
) -> Verdict:
    """Decide whether ``claim`` may be applied to the gated files now.

    Args:
        claim: The decision and what was verified about it.
        proposal: The proposal as read from its file.
        proposal_sha256: Hex SHA-256 of that file's bytes.
        status: The proposal's state, folded from the log.
        rules: What the gate judges by.
        now: The clocks.
    """
    decision = claim.decision
    reasons = (
        *_of_signature(claim, rules),
        *_of_proposal(decision, proposal, proposal_sha256, status),
        *_of_targets(proposal, decision, rules),
    )
    at = claim.latest(now)
    if at >= decision.expires:
        reasons = (*reasons, f"the approval expired at {_utc(decision.expires)}")
    cools = proposal.lane != EDIT_LANE
    cooling = rules.cooling if cools else NONE
    wait_s = remaining_s(status.created, claim.recorded, now, cooling, claim.witnessed)
    if cools:
        wait_s = max(wait_s, int((decision.not_before - at).total_seconds()))
    return Verdict(reasons=reasons, wait_s=max(0, wait_s))


def _of_signature(claim: Claim, rules: Rules) -> list[str]:
    reasons = []
    if claim.signer is None:
        reasons.append("no key in allowed_signers verifies the signature")
    elif claim.signer != claim.decision.principal:
        reasons.append(f"it was signed by {claim.signer!r} and names {claim.decision.principal!r}")
    if claim.decision.origin != rules.origin:
        reasons.append("it was signed for another home")
    if not claim.on_log:
        reasons.append("the log head that it names is not a prefix of this log")
    return reasons


def _of_proposal(
    decision: Decision, proposal: Proposal, proposal_sha256: str, status: ProposalStatus
) -> list[str]:
    reasons = []
    if decision.proposal != proposal.id:
        reasons.append(f"it is about proposal {decision.proposal}, not {proposal.id}")
    if proposal_sha256 != status.sha256:
        reasons.append("the proposal's file is not the one that was logged")
    if decision.proposal_sha256 != proposal_sha256:
        reasons.append("it was signed over other bytes of this proposal")
    known = {change.n for change in proposal.changes}
    if not decision.changes or not set(decision.changes) <= known:
        reasons.append("it names changes that the proposal does not have")
    if len(known) != len(proposal.changes):
        reasons.append("two changes of the proposal have one number")
    if not status.approved_by(decision.id):  # single changes may have been rejected or gone stale since
        reasons += [f"change {n} is {status.state_of(n).value}" for n in decision.changes if n in known]
    return reasons


def _of_targets(proposal: Proposal, decision: Decision, rules: Rules) -> list[str]:
    reasons = []
    if decision.type is not DecisionType.APPROVE:
        reasons.append(f"a decision to {decision.type.value} is not an approval")
    if rules.consent.tier("self_modification", proposal.kind.value) is Tier.BLOCKED:
        reasons.append(f"the consent graph blocks {proposal.kind.value}")
    places = Places(gated=rules.gated, daily=rules.daily, skills=rules.skills)
    changes = [change for change in proposal.changes if change.n in decision.changes]
    reasons += dict.fromkeys(reason for change in changes for reason in why_forbidden(change, places))
    touched = {part.target for change in changes for part in parts_of(change)}
    if touched != {target.path for target in decision.targets}:
        reasons.append("the files it was signed for are not those that the changes touch")
    return reasons


def _utc(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M UTC")
