"""What the fold keeps of each proposal, decision and apply while it runs, and the values that it gives.

Invariant: nothing that is given out is made before it is looked at, and no entry's members are
kept that are not needed: in a log of many years that is what a fold costs.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nightledger.domain.begun import targets_of
from nightledger.domain.decision import DecisionType
from nightledger.domain.drift import Accepted
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Apply, ChangeState, ChangeStatus, DecisionStatus, ProposalStatus

Stand = tuple[ChangeState, str | None, datetime | None]
"""Where a change stands, by which decision and since when; a plain tuple, for there are many."""
PENDING: Stand = (ChangeState.PENDING, None, None)
Clocks = tuple[datetime, str, int]
"""Time, boot and seconds since it, of an entry whose members are not kept: a dict costs ten times as much."""
Intent = tuple[Mapping[str, Any], str, Clocks]
"""An apply: its intent's members, its outcome, and the clocks of the entry that says so."""


class Decided(NamedTuple):
    """What the entry of a decision says."""

    id: str
    type: str
    proposal: str
    sha256: str
    changes: Sequence[int]
    signature_sha256: str
    trust: int
    losses: int
    clocks: Clocks
    line: int


class Running:
    """A proposal while its log is folded: what its leaf says, and its changes as they stand."""

    __slots__ = ("changes", "created", "id", "kind", "lane", "sha256")

    def __init__(self, leaf: Mapping[str, Any], created: Clocks) -> None:
        """Take what its leaf says; all changes wait."""
        self.id, self.sha256 = leaf["proposal"], leaf["sha256"]
        self.kind, self.lane = leaf["kind"], leaf["lane"]
        self.created = created
        self.changes: dict[int, Stand] = dict.fromkeys(range(1, leaf["changes"] + 1), PENDING)

    def status(self) -> ProposalStatus:
        """Give the proposal as the log tells it."""
        return ProposalStatus(
            id=self.id,
            sha256=self.sha256,
            kind=Kind(self.kind),
            lane=self.lane,
            created=moment_of(self.created),
            changes={
                n: ChangeStatus(state=state, decision=decision, since=since)
                for n, (state, decision, since) in self.changes.items()
            },
        )

    def has_any_in(self, states: Collection[ChangeState]) -> bool:
        """Tell whether a change stands in one of these states."""
        return any(state in states for state, _, _ in self.changes.values())

    def move(
        self,
        numbers: Iterable[int],
        stand: Stand,
        movable: Collection[ChangeState] | None = None,
    ) -> None:
        """Move those of the changes that there are, and that stand where they can be moved from."""
        changes = self.changes
        for n in numbers:
            if n in changes and (movable is None or changes[n][0] in movable):
                changes[n] = stand


def accepted_of(known: Mapping[str, datetime]) -> tuple[Accepted, ...]:
    """Give all bytes of a file that were ever accepted, the oldest first."""
    return tuple(Accepted(sha256=sha256, at=at) for sha256, at in known.items())


def decision_of(recorded: Decided) -> DecisionStatus:
    """Give a decision as the log tells it."""
    return DecisionStatus(
        id=recorded.id,
        sha256=recorded.sha256,
        type=DecisionType(recorded.type),
        proposal=recorded.proposal,
        changes=tuple(recorded.changes),
        recorded=moment_of(recorded.clocks),
        trust=recorded.trust,
        losses=recorded.losses,
        signature_sha256=recorded.signature_sha256,
        line=recorded.line,
    )


def apply_of(intent: Intent) -> Apply:
    """Give an apply as the log tells it."""
    fields, outcome, ended = intent
    return Apply(
        id=fields["apply"],
        decision=fields["decision"],
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        targets=targets_of(fields),
        outcome=outcome,
        clocks=moment_of(ended),
        outcomes=fields.get("outcomes"),
    )


def clocks_of(fields: Mapping[str, Any], at: datetime) -> Clocks:
    """Give the clocks of an entry: of those of older versions its time alone."""
    return at, fields.get("boot", ""), fields.get("boot_s", 0)


def moment_of(clocks: Clocks) -> Moment:
    """Give clocks as a value."""
    at, boot, boot_s = clocks
    return Moment(at=at, boot=boot, boot_s=boot_s)
