"""Decisions: composed from answers, the set that an operator signs once; and accepted, the one door through which an operator's word enters.

Invariant: accepted changes are ordered; each base is the result of the one before, and what is hashed here is what ``list_items``
showed. A decision is accepted once, only for this home, only over the proposal's logged bytes, only under a key of the signer set
in force, and only when the head that it names is a prefix of this log. Where it was made counts for nothing.
"""

import hashlib
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from datetime import timedelta
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.records import dump_record, parse_record
from nightledger.domain.decision import (
    VERSION,
    Cooling,
    Decision,
    DecisionTarget,
    DecisionType,
    EventName,
    LogHead,
    Moment,
    ShownIn,
    cools_until,
)
from nightledger.domain.errors import NightledgerError, RefusedError
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import TEXT, files_of, hunks_on, parts_of, skill_name
from nightledger.domain.proposal import Anchor, Change, Kind, Op
from nightledger.domain.states import Book, ProposalStatus
from nightledger.files.atomic import replace_file
from nightledger.gate import expunging, restoring, trust_changes
from nightledger.gate import naming as pinning
from nightledger.gate.consenting import review_reasons
from nightledger.gate.drifting import plan_settlement, settled_target
from nightledger.gate.opening import Gate, Leaf, Ledger, record
from nightledger.gate.placing import put_change
from nightledger.gate.reviewing import TWICE, Answer, Item, Refusal, Verb
from nightledger.gate.stored import KEPT, Signed, Stored, hunks_sha256, keep, signed_by, with_id
from nightledger.gate.trusting import Trust, is_on_log, who_changed
from nightledger.gate.writing import Write
from nightledger.hosts.configured import Cap
from nightledger.text.changes.place import Unplaced, is_same_place, place, shown_in
from nightledger.text.changes.sections import text_sha256
from nightledger.trust.signers import SignedBy

UNCAPPED = frozenset({Op.COMPRESS, Op.DELETE_LINK})
"""What these change no host shows as memory."""
MOVED_BESIDE = "another change that you sign with it takes its place away: it is asked again"
"""Why a change is not signed together with others."""
OTHER = "its file has changed since it was shown, in the section of this change: look at it again"
_Texts = MutableMapping[str, str]
_PlacedSet = tuple[tuple[DecisionTarget, ...], Mapping[str, str]]
"""What a decision says of each file that approved changes write, and every file's text after it."""


class Signing(Struct, frozen=True, kw_only=True):
    """What all decisions of one review share.

    Attributes:
        principal: Signer's name in ``allowed_signers``.
        machine: Name of the machine on which it is made.
        head: Head of the log that the operator saw.
        moment: The clocks.
        fresh_nonce: Gives 128 bits from the system's generator, 32 hex characters.
    """

    principal: str
    machine: str
    head: LogHead
    moment: Moment
    fresh_nonce: Callable[[], str]


class Terms(Struct, frozen=True, kw_only=True):
    """What a home asks of a decision about it; a machine that reviews for it brings them along.

    Attributes:
        origin: Its id, as decisions carry it.
        cooling: The waits before an apply.
        decision_expires_days: How long an approval stays good.
        cap_of: What its host shows of a file, by its path.
    """

    origin: str
    cooling: Cooling
    decision_expires_days: int
    cap_of: Callable[[str], Cap]


class Choice(Struct, frozen=True, kw_only=True):
    """What one decision says, before it names home, log and time."""

    type: DecisionType
    changes: tuple[int, ...]
    targets: tuple[DecisionTarget, ...]
    reason: str = ""


def terms_of(gate: Gate) -> Terms:
    """Give what a home asks of decisions."""
    return Terms(
        origin=gate.home.identity.origin,
        cooling=gate.cooling,
        decision_expires_days=gate.settings.decision_expires_days,
        cap_of=gate.cap_of,
    )


def compose(
    terms: Terms,
    items: Sequence[Item],
    answers: Sequence[Answer],
    documents: Mapping[str, str],
    signing: Signing,
) -> tuple[list[Decision], list[Refusal]]:
    """Turn answers into decisions, unsigned, in order; approvals chain over each file.

    Args:
        terms: What the home asks of decisions.
        items: What was shown.
        answers: What the operator said; changes without an answer stay as they are.
        documents: The gated files as they were shown.
        signing: What the decisions share.
    """
    decisions: list[Decision] = []
    refusals: list[Refusal] = []
    current = documents
    for item, given in _by_proposal(items, answers):
        approved, hidden = _approved(items, item, given, documents)
        refusals += hidden
        placed = place_changes(terms, item.stored, approved, documents, current)
        choices = _rejections(given)  # a no stands, whatever becomes of what was said yes to beside it
        if isinstance(placed, str):
            refusals.append(Refusal(proposal=item.status.id, reason=placed))
        else:
            targets, current = placed
            signed = Choice(type=DecisionType.APPROVE, changes=approved, targets=targets)
            choices = [signed, *choices] if approved else choices
        decisions += [decide(terms, choice, signing, item.status) for choice in choices]
    return decisions, refusals


def _by_proposal(items: Sequence[Item], answers: Sequence[Answer]) -> Iterator[tuple[Item, list[Answer]]]:
    """Give each proposal that was answered, in the order shown, by one of its items; drift is settled elsewhere."""
    seen = set()
    for item in items:
        name = item.stored.proposal.id
        given = [answer for answer in answers if answer.proposal == name]
        if given and name not in seen and item.stored.proposal.kind is not Kind.DRIFT:
            yield item, given
        seen.add(name)


def _approved(
    items: Sequence[Item], item: Item, given: Sequence[Answer], documents: Mapping[str, str]
) -> tuple[tuple[int, ...], list[Refusal]]:
    """Return the changes of a proposal that were approved, and those of them that nobody could read, or that were shown otherwise."""
    name, said = item.status.id, _numbers(given, Verb.APPROVE)
    shown = {one.change.n: one for one in items if one.status.id == name}
    why = {n: shown[n].unread or _why_other(shown[n], documents) for n in said if n in shown}
    fallen = [Refusal(proposal=f"{name}#{n}", reason=why[n]) for n in said if why.get(n)]
    return tuple(n for n in said if not why.get(n)), fallen


def _why_other(item: Item, documents: Mapping[str, str]) -> str:
    """Say that the section of a change is not as it was shown any more: the signature would be about lines that nobody read."""
    if item.shown is None:
        return ""
    try:
        now = shown_in(documents[item.change.target], item.change.n, item.change.hunk)
    except NightledgerError as error:
        return str(error)
    return "" if now == item.shown else OTHER


def _numbers(answers: Sequence[Answer], verb: Verb) -> tuple[int, ...]:
    return tuple(sorted(answer.n for answer in answers if answer.verb is verb))


def _rejections(answers: Sequence[Answer]) -> list[Choice]:
    """Give one rejection for each reason given."""
    rejected = [answer for answer in answers if answer.verb is Verb.REJECT]
    return [
        Choice(
            type=DecisionType.REJECT,
            changes=tuple(sorted(answer.n for answer in rejected if answer.reason == reason)),
            targets=(),
            reason=reason,
        )
        for reason in dict.fromkeys(answer.reason for answer in rejected)
    ]


def place_changes(
    terms: Terms,
    stored: Stored,
    numbers: tuple[int, ...],
    shown: Mapping[str, str],
    current: Mapping[str, str],
) -> _PlacedSet | str:
    """Place changes one after another, and note of each change of text under what it was shown; or why they do not fit.

    Args:
        terms: What the home asks of decisions.
        stored: Their proposal.
        numbers: Their numbers.
        shown: The files as they were shown.
        current: The same with what is signed before.
    """
    changes = [change for change in stored.proposal.changes if change.n in numbers]
    if len(changes) > len(set(numbers)):
        return TWICE
    before = {path: current[path] for path in files_of(changes)}
    after, anchors = dict(before), dict[str, list[ShownIn]]()
    for change in changes:
        if change.hunk.anchor in TEXT:
            there = _shown_in(change, shown[change.target], after[change.target])
            if isinstance(there, str):
                return there
            anchors.setdefault(change.target, []).append(there)
        placed = put_change(after, change)
        if isinstance(placed, str):
            return placed
        after |= placed
    texts = {change.target for change in changes if change.op not in UNCAPPED}
    for path in sorted(path for path in texts if not skill_name(path)):
        cap = terms.cap_of(path)
        if cap.characters is not None and len(after[path]) > max(cap.characters, len(before[path])):
            return f"{path} would have {len(after[path]):,} characters, its host shows {cap.told}: approve removals with it"
    return decision_targets(before, after, changes, anchors), ChainMap(after, cast("_Texts", current))


def _shown_in(change: Change, shown: str, current: str) -> ShownIn | str:
    """Return the section of a change as those signed before it leave it, and what stood above it when it was shown."""
    was, now = place(shown, change.hunk), place(current, change.hunk)
    if isinstance(now, Unplaced):
        return now.reason if isinstance(was, Unplaced) else MOVED_BESIDE
    there = shown_in(current, change.n, change.hunk)
    if isinstance(was, Unplaced):
        return there
    if change.hunk.anchor is Anchor.LINES and not is_same_place(shown, current, was, now):
        return MOVED_BESIDE
    return replace(there, above_sha256=shown_in(shown, change.n, change.hunk).above_sha256)


def decision_targets(
    before: Mapping[str, str],
    after: Mapping[str, str],
    changes: Sequence[Change],
    anchors: Mapping[str, Sequence[ShownIn]],
) -> tuple[DecisionTarget, ...]:
    """Return what a decision says of each file that changes write, sorted by path.

    Of a link that is deleted there are no bytes before and after: both stand for its name.
    """
    targets = []
    for path in sorted({part.target for change in changes for part in parts_of(change)}):
        hunks = hunks_on(path, changes)
        named = "\n".join(hunk.removed for hunk in hunks)
        targets.append(
            DecisionTarget(
                path=path,
                base=text_sha256(before.get(path, named)),
                result=text_sha256(after.get(path, named)),
                hunks_sha256=hunks_sha256(hunks),
                anchors=tuple(anchors.get(path, ())),
            )
        )
    return tuple(targets)


def decide(terms: Terms, choice: Choice, signing: Signing, status: ProposalStatus | None = None) -> Decision:
    """Build a decision over a proposal as it was logged, or over none; approvals cool, an operator's edit and undo do not."""
    now = signing.moment.at
    cools = status and choice.type is DecisionType.APPROVE and status.lane != EDIT_LANE
    return with_id(
        Decision(
            v=VERSION,
            id="",
            type=choice.type,
            origin=terms.origin,
            host=signing.machine,
            proposal=status.id if status else "",
            proposal_sha256=status.sha256 if status else "",
            changes=choice.changes,
            targets=choice.targets,
            not_before=cools_until(status.created, signing.moment, terms.cooling)
            if status and cools
            else now,
            expires=now + timedelta(days=terms.decision_expires_days),
            nonce=signing.fresh_nonce(),
            log=signing.head,
            principal=signing.principal,
            reason=choice.reason,
        )
    )


def make_unproposed(
    gate: Gate, kind: DecisionType, targets: Sequence[DecisionTarget], signing: Signing, *, reason: str = ""
) -> Decision:
    """Build a decision that answers no proposal; it does not cool.

    Args:
        gate: The home.
        kind: trust, consent or expunge.
        targets: What it says of each file.
        signing: Who signs, where, when.
        reason: The operator's words.
    """
    choice = Choice(type=kind, changes=(), targets=tuple(targets), reason=reason)
    return decide(terms_of(gate), choice, signing)


class Settlement(Struct, frozen=True, kw_only=True):
    """What settling one file's drift does.

    Attributes:
        decision: To be signed.
        write: New bytes of the file, and the bytes that are accepted from then on.
        taken_back: Numbers of the changes that are taken back.
    """

    decision: Decision
    write: Write
    taken_back: tuple[int, ...]


def compose_settlements(
    gate: Gate, book: Book, items: Sequence[Item], answers: Sequence[Answer], signing: Signing
) -> tuple[list[Settlement], list[Refusal]]:
    """Turn answers about drift into decisions, unsigned, one for each file.

    Args:
        gate: The home.
        book: What its log adds up to.
        items: What was shown; those that are no drift are passed over.
        answers: What the operator said; ``later`` counts as no answer.
        signing: What the decisions share.
    """
    settlements: list[Settlement] = []
    refusals: list[Refusal] = []
    drifts = {item.stored.proposal.id: item for item in items if item.stored.proposal.kind is Kind.DRIFT}
    for name, item in drifts.items():
        given = [answer for answer in answers if answer.proposal == name]
        kept, hidden = _approved(items, item, given, {})
        refusals += hidden
        taken_back = _numbers(given, Verb.REJECT)
        if not kept and not taken_back:
            continue
        write = plan_settlement(gate, book, item.stored, kept, taken_back)
        if isinstance(write, str):
            refusals.append(Refusal(proposal=name, reason=write))
            continue
        reason = next((answer.reason for answer in given if answer.reason), "")
        targets = (settled_target(item.stored, write, kept),)
        choice = Choice(type=DecisionType.DRIFT, changes=kept, targets=targets, reason=reason)
        decision = decide(terms_of(gate), choice, signing, item.status)
        settlements.append(Settlement(decision=decision, write=write, taken_back=taken_back))
    return settlements, refusals


DISPUTED = "no operator signed that: settle it first ('nightledger review', or any 'nightledger edit' of it)"
"""Else such bytes could be taken for those that the operator saw when signing (``gate/applies.py``)."""


def accept(gate: Gate, ledger: Ledger, signed: Signed, moment: Moment) -> Decision:
    """Check a decision, store it with its signature, and log it.

    Raises:
        RecordError: The bytes are no decision.
        RefusedError: With every reason at once.
    """
    decision = parse_record(Decision, signed.content, where="the decision")
    reasons = _reasons(gate, ledger, decision, signed, moment)
    if reasons:
        raise RefusedError(f"decision {decision.id} is refused:\n  " + "\n  ".join(reasons))
    path = gate.home.decision(decision.id)
    if decision.type in KEPT:
        keep(gate.home, signed)
    replace_file(f"{path}.sig", signed.signature.encode("ascii"))
    replace_file(path, signed.content)
    fields: dict[str, object] = {
        "decision": decision.id,
        "sha256": hashlib.sha256(signed.content).hexdigest(),
        "signature_sha256": signed.signature_sha256,
        "type": decision.type.value,
        "proposal": decision.proposal,
        "changes": list(decision.changes),
    }
    record(gate, [(EventName.DECIDED, fields), *_consequences(gate, ledger, decision, moment)], moment)
    if decision.type is DecisionType.TRUST:
        trust_changes.put_in_place(gate, decision)
    return decision


def _consequences(gate: Gate, ledger: Ledger, decision: Decision, moment: Moment) -> list[Leaf]:
    """Return what is logged in one write with the decision, so that no crash parts them."""
    if decision.type is DecisionType.TRUST:
        return trust_changes.change_events(gate, ledger, decision, moment)
    if decision.type is DecisionType.EXPUNGE:
        return expunging.expunge_events(gate, ledger, decision)
    if decision.type is DecisionType.RESTORE:
        return restoring.restore_events(ledger, decision)
    return []


def _reasons(gate: Gate, ledger: Ledger, decision: Decision, signed: Signed, moment: Moment) -> list[str]:
    reasons = []
    if dump_record(decision) != signed.content or with_id(decision).id != decision.id:
        reasons.append("its bytes are not the canonical form of what they say")
    if decision.id in ledger.book.decisions:
        reasons.append("it was recorded before; a decision counts once")
    if decision.origin != gate.home.identity.origin:
        reasons.append("it was signed for another home")
    trust = Trust(gate.home, ledger)
    by, by_recovery = _who(signed, decision, trust, moment)
    if by is None:
        reasons.append("no key in allowed_signers verifies the signature")
    elif by.principal != decision.principal:
        reasons.append(f"it was signed by {by.principal!r} and names {decision.principal!r}")
    if not is_on_log(ledger, decision):
        reasons.append("the log head that it names is not a prefix of this log")
    if moment.at >= decision.expires:
        reasons.append("it has expired")
    return reasons + _subject_reasons(gate, ledger, decision, moment, by_recovery=by_recovery)


def _subject_reasons(
    gate: Gate, ledger: Ledger, decision: Decision, moment: Moment, *, by_recovery: bool
) -> list[str]:
    if decision.type is DecisionType.TRUST:
        trust = Trust(gate.home, ledger)
        return trust_changes.change_reasons(gate, trust, decision, moment, by_recovery=by_recovery)
    if decision.type is DecisionType.CONSENT:
        return review_reasons(gate, decision)
    if decision.type is DecisionType.EXPUNGE:
        return expunging.expunge_reasons(gate, ledger, decision)
    if decision.type is DecisionType.RESTORE:
        return restoring.restore_reasons(ledger, decision)
    if decision.type in pinning.PIN_TYPES:
        return pinning.pin_reasons(gate, ledger, decision)
    return _proposal_reasons(ledger, decision)


def _who(signed: Signed, decision: Decision, trust: Trust, moment: Moment) -> tuple[SignedBy | None, bool]:
    """Return who signed, and whether as a recovery key, which can sign for changes of trust files only."""
    if decision.type is DecisionType.TRUST:
        return who_changed(signed, trust.signers(moment), moment)
    return signed_by(signed, trust.signers(moment), moment), False


def _proposal_reasons(ledger: Ledger, decision: Decision) -> list[str]:
    status = ledger.book.proposals.get(decision.proposal)
    if status is None:
        return [f"there is no proposal {decision.proposal}"]
    if decision.proposal_sha256 != status.sha256:
        return ["it was signed over other bytes of this proposal"]
    answerable = status.answerable(decision.type)
    reasons = [f"change {n} is {status.state_of(n).value}" for n in decision.changes if n not in answerable]
    if decision.type is not DecisionType.DRIFT and status.lane != EDIT_LANE:
        disputed = [one.path for one in decision.targets if ledger.book.is_disputed(one.path)]
        reasons += [f"the log says that bytes of {path} were accepted; {DISPUTED}" for path in disputed]
    return reasons
