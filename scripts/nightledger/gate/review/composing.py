"""From answers to decisions: the set that an operator signs once.

Invariant: accepted changes are ordered; each base is the result of the one before, and
what is hashed here is what ``list_items`` showed.
"""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from nightledger.domain.cooling import NONE, Cooling, cools_until
from nightledger.domain.decision import Decision, DecisionTarget, DecisionType, LogHead
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.kept import files_of, hunks_on, parts_of
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Change, Kind, Op
from nightledger.domain.states import ProposalStatus
from nightledger.gate.apply.parts import put_changes
from nightledger.gate.deciding import with_id
from nightledger.gate.opening import Gate
from nightledger.gate.proposing.hunks import hunks_sha256
from nightledger.gate.review.reviewing import Answer, Item, Verb
from nightledger.gate.review.wording import TWICE
from nightledger.gate.stored import Stored
from nightledger.text.changes.place import Applied, apply_hunks
from nightledger.text.changes.standing import effect, standing
from nightledger.text.changes.whole import text_sha256

UNCAPPED = frozenset({Op.COMPRESS, Op.DELETE_LINK})
"""What these change no host shows as memory."""
MOVED_BESIDE = (
    "another change that you sign with it puts its lines under another heading than they were shown under: "
    "it is asked again"
)
"""Why a change is not signed together with others."""
_Texts = MutableMapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signing:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a home asks of a decision about it; a machine that reviews for it brings them along.

    Attributes:
        origin: Its id, as decisions carry it.
        cooling: The waits before an apply.
        decision_expires_days: How long an approval stays good.
        cap_characters: What its host shows of a memory file; None where it shows all.
        cap_setting: What says so; empty where it is not known, as on another machine.
    """

    origin: str
    cooling: Cooling
    decision_expires_days: int
    cap_characters: int | None
    cap_setting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Changes that were approved and cannot be signed, and why."""

    proposal: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
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
        cap_characters=gate.cap.characters,
        cap_setting=gate.cap.setting,
    )


def compose(
    gate: Gate,
    items: Sequence[Item],
    answers: Sequence[Answer],
    documents: Mapping[str, str],
    signing: Signing,
) -> tuple[list[Decision], list[Refusal]]:
    """Turn answers into decisions on this home; see :func:`compose_by`."""
    return compose_by(terms_of(gate), items, answers, documents, signing)


def compose_by(
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
        approved = _numbers(given, Verb.APPROVE)
        placed = _moved(item.stored, approved, documents, current) or _place(
            terms, item.stored, approved, current
        )
        if isinstance(placed, str):
            refusals.append(Refusal(proposal=item.stored.proposal.id, reason=placed))
            continue
        choices = (
            [Choice(type=DecisionType.APPROVE, changes=approved, targets=placed.targets)] if approved else []
        )
        choices += _rejections(given)
        current = placed.documents
        decisions += [decide(terms, item.status, choice, signing) for choice in choices]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSet:
    """The running documents with the approved changes of one proposal in them.

    Attributes:
        targets: What the decision says of each file.
        documents: Every file's text after it.
    """

    targets: tuple[DecisionTarget, ...]
    documents: Mapping[str, str]


def _moved(
    stored: Stored, numbers: tuple[int, ...], shown: Mapping[str, str], current: Mapping[str, str]
) -> str:
    """Say that changes answered before, or with it, would lead one of these under another heading than it was shown under."""
    if stored.proposal.lane == EDIT_LANE:  # the operator's own text; each of its hunks rests on those before
        return ""
    running = dict(current)
    for change in stored.proposal.changes:
        path, hunk = change.target, change.hunk
        if change.n not in numbers or path not in running:
            continue
        if running[path] != shown[path]:
            now, then = standing(running[path], hunk), standing(shown[path], hunk)
            rests = then is None and running[path] != current[path]  # on a change of the same proposal
            if (
                now is not None
                and not rests
                and (now != then or effect(running[path], hunk) - effect(shown[path], hunk))
            ):
                return MOVED_BESIDE
        put = apply_hunks(running[path], [hunk])
        running[path] = put.text if isinstance(put, Applied) else running[path]
    return ""


def place_changes(
    gate: Gate, stored: Stored, numbers: tuple[int, ...], current: Mapping[str, str]
) -> PlacedSet | str:
    """Place changes of a proposal on the running documents; a reason when they do not fit."""
    return _place(terms_of(gate), stored, numbers, current)


def _place(
    terms: Terms, stored: Stored, numbers: tuple[int, ...], current: Mapping[str, str]
) -> PlacedSet | str:
    changes = [change for change in stored.proposal.changes if change.n in numbers]
    if len(changes) > len(set(numbers)):
        return TWICE
    before = {path: current[path] for path in files_of(changes)}
    after, lost = put_changes(before, changes)
    if lost:
        return "; ".join(dict.fromkeys(why for _, why in lost))
    for path in sorted({change.target for change in changes if change.op not in UNCAPPED}):
        cap = terms.cap_characters
        if cap is not None and len(after[path]) > max(cap, len(before[path])):
            setting = f" ({terms.cap_setting})" if terms.cap_setting else ""
            return f"{path} would have {len(after[path]):,} characters, its host shows {cap:,}{setting}: approve removals with it"
    return PlacedSet(
        targets=decision_targets(before, after, changes), documents=ChainMap(after, cast("_Texts", current))
    )


def decision_targets(
    before: Mapping[str, str], after: Mapping[str, str], changes: Sequence[Change]
) -> tuple[DecisionTarget, ...]:
    """Give what a decision says of each file that changes write, sorted by path.

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
            )
        )
    return tuple(targets)


def close_choice(status: ProposalStatus, reason: str) -> Choice:
    """Give what closes a proposal whose file is not what was logged: all of it, for what is in it nobody knows."""
    return Choice(type=DecisionType.CLOSE, changes=tuple(sorted(status.changes)), targets=(), reason=reason)


def make_decision(gate: Gate, status: ProposalStatus, choice: Choice, signing: Signing) -> Decision:
    """Build a decision over a proposal of this home as it was logged; see :func:`decide`."""
    return decide(terms_of(gate), status, choice, signing)


def decide(terms: Terms, status: ProposalStatus, choice: Choice, signing: Signing) -> Decision:
    """Build a decision over a proposal; approvals cool, an operator's edit and undo do not."""
    cools = choice.type is DecisionType.APPROVE and status.lane != EDIT_LANE
    cooling = terms.cooling if cools else NONE
    now = signing.moment.at
    return with_id(
        Decision(
            v=1,
            id="",
            type=choice.type,
            origin=terms.origin,
            host=signing.machine,
            proposal=status.id,
            proposal_sha256=status.sha256,
            changes=choice.changes,
            targets=choice.targets,
            not_before=cools_until(status.created, signing.moment, cooling) if cools else now,
            expires=now + timedelta(days=terms.decision_expires_days),
            nonce=signing.fresh_nonce(),
            log=signing.head,
            principal=signing.principal,
            reason=choice.reason,
        )
    )
