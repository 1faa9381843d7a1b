"""May this decision be applied now? The gate's one rule, pure.

Invariant: nothing is applied unless every clause here holds; the reasons come all at
once, so that an operator needs one round.

How much may wait for an operator, and what has had its turn.

Invariant: a lane is full for whoever fills it, never for another; what had no room is
not lost, it competes again.

How many proposals like one that waits were signed in this home: of the same source, and stated as sure. What nobody decided,
or the operator asked for, counts for nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from nightledger.domain.consent import ConsentGraph, Tier
from nightledger.domain.decision import (
    NO_WAIT,
    Cooling,
    Decision,
    DecisionType,
    Moment,
    Witnessed,
    remaining_s,
)
from nightledger.domain.kept import Places, is_copy, parts_of, why_forbidden
from nightledger.domain.proposal import Change, Draft, Evidence, Kind, Op, Proposal
from nightledger.domain.states import ChangeState, ProposalStatus

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
        places: Which files changes may write.
    """

    origin: str
    cooling: Cooling
    consent: ConsentGraph
    places: Places


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
        reasons = (*reasons, f"the approval expired at {decision.expires:%Y-%m-%d %H:%M} UTC")
    cools = proposal.lane != EDIT_LANE
    cooling = rules.cooling if cools else NO_WAIT
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
    changes = [change for change in proposal.changes if change.n in decision.changes]
    reasons += dict.fromkeys(reason for change in changes for reason in why_forbidden(change, rules.places))
    touched = {part.target for change in changes for part in parts_of(change)}
    if touched != {target.path for target in decision.targets}:
        reasons.append("the files it was signed for are not those that the changes touch")
    return reasons


JOB = "job"
AGENT = "agent"
OPERATOR = "operator"
"""Asked for by the operator (check, forget, a reversal): outside the caps."""
MOST_FORGOTTEN = 100
"""Changes of one proposal to archive or compress. Our choice: three logs a day of a month, and some."""
TARGET_BYTES = 380
"""What the log says of one file of an apply besides its path: four hashes and their names."""
MOST_DELETIONS = 10
"""Deletions of links that may wait; each is answered alone. Our choice: what a person reads in a morning."""
DRIFT = "drift"
"""Made by the guard of what was written outside Nightledger: one item a file, outside the caps."""


class Said(Struct, frozen=True, kw_only=True):
    """A change that was proposed before: what suppression remembers of it.

    Attributes:
        key: Folded wording.
        target: The file.
        adds: Whether it put text in.
        closed: Whether it was rejected, withdrawn or undone, and so may return with new evidence.
        evidence: What it rested on.
        lines: What it took out and what it put in, as they stand in the file.
    """

    key: str
    target: str
    adds: bool
    closed: bool
    evidence: tuple[Evidence, ...]
    lines: tuple[str, str] = ("", "")


def choose(drafts: Iterable[Draft], *, additions: int, room: int) -> list[Draft]:
    """Take the best drafts that fit, best first.

    Args:
        drafts: Candidates; of those with one target and key, the best ranked is taken.
        additions: How many may put new text in.
        room: How many changes fit in all.
    """
    chosen: list[Draft] = []
    seen: set[tuple[str, str, bool]] = set()
    for draft in sorted(drafts, key=_order):
        adds = draft.op is Op.ADD
        place = (draft.target, draft.statement_key, adds)
        if place in seen or len(chosen) >= room or (adds and additions <= 0):
            continue
        seen.add(place)
        additions -= adds
        chosen.append(draft)
    return chosen


def admit(drafts: Iterable[Draft], waiting: Sequence[float], free: int) -> list[Draft]:
    """Return the surest drafts: those that fit, and those that are surer than what would make room for them.

    Args:
        drafts: Candidates.
        waiting: How sure each change is that may make room, the weakest first.
        free: How many fit as it is; negative where too many wait.
    """
    surest = sorted(drafts, key=lambda draft: (-draft.confidence, *_order(draft)))
    kept = [
        draft
        for at, draft in enumerate(surest, -free)
        if at < 0 or (at < len(waiting) and waiting[at] < draft.confidence)
    ]
    return sorted(kept, key=_order)


def choose_to_forget(drafts: Iterable[Draft], *, deletions: int, leaf_bytes: int) -> list[Draft]:
    """Take what one proposal of the pruner may hold: one deletion of a link, or whatever else fits.

    Args:
        drafts: Candidates.
        deletions: How many more deletions may wait.
        leaf_bytes: What the entry of the log that applies them may hold for their files.
    """
    ranked = choose(drafts, additions=0, room=MOST_FORGOTTEN)
    if ranked and ranked[0].op is Op.DELETE_LINK:
        return ranked[:1] if deletions > 0 else []
    chosen = []
    for draft in ranked:
        paths = (draft.target, *(part.target for part in draft.also))
        leaf_bytes -= sum(len(path.encode("utf-8", "surrogateescape")) + TARGET_BYTES for path in paths)
        if draft.op is not Op.DELETE_LINK and leaf_bytes >= 0:
            chosen.append(draft)
    return chosen


def _order(draft: Draft) -> tuple[float, str, int, str]:
    return (-draft.rank, draft.target, draft.line, draft.statement_key)


def may_return(draft: Draft, said: Sequence[Said], *, asked: bool = False) -> bool:
    """Tell whether a draft may be proposed, given all that was proposed before.

    What waits, was applied or is being undone is not proposed twice; what was closed
    returns only when it rests on a source that none of its earlier forms had, or when the
    operator asks for this very change.

    Args:
        draft: The candidate.
        said: All that was proposed before.
        asked: Whether the operator asked for this very change: a reversal.
    """
    earlier = [
        s
        for s in said
        if s.key == draft.statement_key and s.target == draft.target and s.adds == (draft.op is Op.ADD)
    ]
    return _may_return(earlier, draft.evidence, asked=asked)


def is_repeated(change: Change, said: Sequence[Said], *, asked: bool = False) -> bool:
    """Tell whether a change takes out and puts in the very lines of an earlier one, and may not return.

    The key tells what a change says, these lines what it does: one that was answered is not
    asked about again because somebody words its key otherwise. The deletion of a link takes out
    no lines: its key tells what had been seen of the link, and later outcomes start it anew.

    Args:
        change: The candidate, placed.
        said: All that was proposed before.
        asked: Whether the operator asked for this very change.
    """
    if change.op is Op.DELETE_LINK:
        return False
    earlier = [
        s for s in said if s.target == change.target and s.lines == (change.hunk.removed, change.hunk.added)
    ]
    return not _may_return(earlier, change.evidence, asked=asked)


def _may_return(earlier: Sequence[Said], evidence: Iterable[Evidence], *, asked: bool) -> bool:
    if any(not s.closed for s in earlier):
        return False
    return not earlier or asked or has_new_source(evidence, [e for s in earlier for e in s.evidence])


def has_new_source(evidence: Iterable[Evidence], known: Collection[Evidence]) -> bool:
    """Tell whether some evidence comes from a document that the known evidence does not.

    One document is one source, however often it repeats itself (DESIGN section 4); outcomes
    are told apart by their ids, all other evidence by its file. A daily log and its full text in
    the archive are one document. Outcomes are new where they are as many as those that are known:
    there is one more after every task (decision 3).
    """
    documents = {_source(e) for e in known}
    full_texts = {_name(e) for e in known if is_copy(e.path)}
    names = {_name(e) for e in known}
    new = [
        e
        for e in evidence
        if _source(e) not in documents and _name(e) not in (names if is_copy(e.path) else full_texts)
    ]
    outcomes, before = {e.outcome for e in new if e.outcome}, {e.outcome for e in known if e.outcome}
    return any(not e.outcome for e in new) or len(outcomes) >= max(1, len(before))


def _source(evidence: Evidence) -> str:
    return evidence.outcome or evidence.path


def _name(evidence: Evidence) -> str:
    """Give the name under which a log and its full text in the archive are one document; an outcome's is its id."""
    return evidence.outcome or evidence.path.rpartition("/")[2]


MODEL_CHOSE = "a model chose it"
"""Begins the reason of a change that a model chose, also once its operator has put it into other words."""
ENOUGH_DECIDED = 30
"""Decided changes of a source from which a share of them is told."""
BAND_ENOUGH = 10
"""Of these, so many as sure as one that waits; else the share is of all of the source. Our choice: a tenth is then one of them."""
BANDS = 10
_SIGNED = frozenset({ChangeState.APPROVED, ChangeState.APPLIED, ChangeState.UNDONE})
DECIDED = _SIGNED | {ChangeState.REJECTED}


class Source(StrEnum):
    """Who proposed a change."""

    RULES = "rules"
    MODEL = "model"
    OUTCOMES = "outcomes"
    CHECK_UP = "check-up"
    PRUNER = "pruner"
    AGENT = "agent"


class Share(Struct, frozen=True, kw_only=True):
    """What became of changes like one that waits.

    Attributes:
        source: Who proposed them.
        decided: How many the operator answered.
        signed: How many of these were signed; what was taken back later, too.
        reworded: How many of the signed ones in the operator's own words.
    """

    source: Source
    decided: int
    signed: int
    reworded: int

    @property
    def told(self) -> str:
        """It in words: ``you signed 12 of 41 such from the rules (4 reworded)``."""
        words = f" ({self.reworded} reworded)" if self.reworded else ""
        return f"you signed {self.signed} of {self.decided} such from the {self.source}{words}"


def source_of(proposal: Proposal, change: Change) -> Source | None:
    """Return who proposed a change; None for what the operator asked for or wrote, and for drift."""
    if proposal.lane == AGENT:
        return Source.AGENT
    if proposal.lane not in (JOB, OPERATOR):
        return None
    if proposal.kind is Kind.PRUNE:
        return Source.PRUNER if proposal.lane == JOB else Source.CHECK_UP
    if proposal.kind is not Kind.CONSOLIDATE:
        return None
    if any(one.outcome for one in change.evidence):
        return Source.OUTCOMES
    return Source.MODEL if change.reason.startswith(MODEL_CHOSE) else Source.RULES


class Shares:
    """What became of every change that was decided, by source and by how sure it was said to be.

    Args:
        decided: Each with its proposal and its state.
    """

    def __init__(self, decided: Iterable[tuple[Proposal, Change, ChangeState]] = ()) -> None:
        self._counts: dict[tuple[Source, int | None], Counter[str]] = {}
        for proposal, change, state in decided:
            source = source_of(proposal, change)
            if source is None or state not in DECIDED:
                continue
            signed = state in _SIGNED
            for band in (None, _band(change)):
                count = self._counts.setdefault((source, band), Counter())
                count += Counter(decided=1, signed=signed, reworded=signed and bool(proposal.supersedes))

    def of(self, proposal: Proposal, change: Change) -> Share | None:
        """Return what became of changes like this one; None before there are enough of its source."""
        source = source_of(proposal, change)
        if source is None or self._counts.get((source, None), Counter())["decided"] < ENOUGH_DECIDED:
            return None
        alike = self._counts.get((source, _band(change)), Counter())
        told = alike if alike["decided"] >= BAND_ENOUGH else self._counts[source, None]
        return Share(source=source, decided=told["decided"], signed=told["signed"], reworded=told["reworded"])


def _band(change: Change) -> int:
    return min(BANDS - 1, int(change.confidence * BANDS))
