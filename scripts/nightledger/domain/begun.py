"""Every apply that the log tells of, with what the log said where it began.

Invariant: pure, and nothing is left out: an apply whose id was used before, one that was taken
back and one that never ended are here, too. Who holds the log's key can append any of them;
``gate/apply/applies.py`` compares them with what operators signed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.moment import Moment
from nightledger.domain.states import OPEN_STATES, AppliedTarget, ChangeState

_UNDER: Mapping[str, Collection[ChangeState]] = {
    DecisionType.APPROVE: {ChangeState.APPROVED},
    DecisionType.UNDO: {ChangeState.APPLIED},
    DecisionType.DRIFT: OPEN_STATES,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """One ``apply.intent``, as it stands in the log.

    Attributes:
        id: Id of the apply.
        line: Its line in the log, from 1; 0 where the fold was not told.
        decision: The decision that it names.
        proposal: The proposal that it names.
        changes: Numbers of the changes that it carries out.
        taken_back: Numbers of the changes of a drift that it takes back.
        targets: What it does to each file.
        signed: For each file, base and result that it says were signed, as hex SHA-256.
        standing: Numbers of the changes that this decision could carry out there; None where no such
            decision about this proposal was recorded before it.
        accepted: For each file, hex SHA-256 of the bytes accepted before it; None where none were.
        again: Whether this very apply was open, or its decision settles a drift and had done so.
        trust: How many steps of the trust chain stand before it.
        clocks: Its clocks.
        latest: The latest time of any entry up to it.
        outcome: ``intent`` while unfinished, ``done``, ``aborted`` or ``raced``.
        outcomes: How many outcomes count no longer for the links that it deletes; 0 where it deletes none.
    """

    id: str
    line: int
    decision: str
    proposal: str
    changes: tuple[int, ...]
    taken_back: tuple[int, ...]
    targets: tuple[AppliedTarget, ...]
    signed: tuple[tuple[str, str], ...]
    standing: frozenset[int] | None
    accepted: Mapping[str, str | None]
    again: bool
    trust: int
    clocks: Moment
    latest: datetime
    outcome: str
    outcomes: int = 0


@dataclass(slots=True, kw_only=True)
class Begin:
    """What a fold notes where an apply begins; :func:`begun_of` gives its value once it is asked for.

    Attributes:
        fields: Members of the entry; those that every event has may be among them.
        line: As of :class:`Begun`.
        at: Its time.
        standing: As of :class:`Begun`.
        accepted: As of :class:`Begun`.
        again: As of :class:`Begun`.
        trust: As of :class:`Begun`.
        latest: As of :class:`Begun`.
        outcome: As of :class:`Begun`.
        ended: Line of the entry that says so, from 1; 0 while there is none.
    """

    fields: Mapping[str, Any] = field(compare=False)
    line: int
    at: datetime
    standing: frozenset[int] | None
    accepted: Mapping[str, str | None]
    again: bool
    trust: int
    latest: datetime
    outcome: str = "intent"
    ended: int = 0


def standing_under(
    kind: str, decision: str, changes: Mapping[int, tuple[ChangeState, str | None, datetime | None]]
) -> frozenset[int]:
    """Give the numbers of the changes that a decision could carry out as they stand.

    Args:
        kind: Its type, a word of :class:`~nightledger.domain.decision.DecisionType`.
        decision: Its id.
        changes: State of each of its proposal's changes, by which decision, and since when.
    """
    states = _UNDER.get(kind, ())
    name = decision if kind == DecisionType.APPROVE else None
    return frozenset([n for n, (state, by, _) in changes.items() if state in states and name in (None, by)])


def begun_of(begin: Begin) -> Begun:
    """Give what a fold noted, as a value."""
    fields = begin.fields
    targets: Sequence[Mapping[str, str]] = fields["targets"]
    return Begun(
        id=fields["apply"],
        line=begin.line,
        decision=fields["decision"],
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        taken_back=tuple(fields.get("taken_back", ())),
        targets=targets_of(fields),
        signed=tuple((one.get("signed_base", ""), one.get("signed_result", "")) for one in targets),
        standing=begin.standing,
        accepted=begin.accepted,
        again=begin.again,
        trust=begin.trust,
        clocks=Moment.of_entry(fields, begin.at),
        latest=begin.latest,
        outcome=begin.outcome,
        outcomes=fields.get("outcomes", 0),
    )


def targets_of(fields: Mapping[str, Any]) -> tuple[AppliedTarget, ...]:
    """Give what the entry of an intent says of each file."""
    return tuple(
        AppliedTarget(
            path=target["path"],
            before=target["before"],
            after=target["after"],
            accepted_before=target.get("accepted_before", ""),
            accepted=target.get("accepted", ""),
        )
        for target in fields["targets"]
    )
