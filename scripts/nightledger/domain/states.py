"""What became of every proposal: a fold over the audit log.

Invariant: a state is never stored; ``fold_events`` gives the same book from the same
events, and an event that makes no sense (an unknown proposal, a change that does not
exist) changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.event import OWN_NAMES, Entry, Event, EventName
from nightledger.domain.lazy_map import LazyMap
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind


class ChangeState(StrEnum):
    """Where one change of a proposal stands."""

    PENDING = "pending"
    DEFERRED = "deferred"
    APPROVED = "approved"
    APPLIED = "applied"
    REJECTED = "rejected"
    STALE = "stale"
    UNDONE = "undone"
    WITHDRAWN = "withdrawn"
    SUPERSEDED = "superseded"


OPEN_STATES = frozenset({ChangeState.PENDING, ChangeState.DEFERRED, ChangeState.STALE})
"""What the operator can still answer."""
_REVOCABLE = OPEN_STATES | {ChangeState.APPROVED}
_ANSWERABLE: Mapping[DecisionType, Collection[ChangeState]] = {
    DecisionType.APPROVE: OPEN_STATES,
    DecisionType.REJECT: _REVOCABLE,
    DecisionType.UNDO: {ChangeState.APPLIED},
}
_DECIDED: Mapping[str, tuple[Collection[ChangeState], ChangeState]] = {
    DecisionType.APPROVE: (OPEN_STATES, ChangeState.APPROVED),
    DecisionType.REJECT: (_REVOCABLE, ChangeState.REJECTED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeStatus:
    """One change's state, and the decision and time behind it."""

    state: ChangeState = ChangeState.PENDING
    decision: str | None = None
    since: datetime | None = None


_PENDING = ChangeStatus()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalStatus:
    """One proposal as the log tells it.

    Attributes:
        id: The proposal.
        sha256: Hex SHA-256 of its file's bytes, from its leaf.
        kind: Why it was made.
        lane: Who made it.
        created: Clocks at its leaf.
        changes: State of each change, by number.
    """

    id: str
    sha256: str
    kind: Kind
    lane: str
    created: Moment
    changes: Mapping[int, ChangeStatus]

    def state_of(self, n: int) -> ChangeState:
        """Give the state of change ``n``; withdrawn where there is no such change."""
        status = self.changes.get(n)
        return status.state if status else ChangeState.WITHDRAWN

    def open_changes(self) -> tuple[int, ...]:
        """Give the numbers of the changes that still wait for an answer, ascending."""
        return self._in(OPEN_STATES)

    def answerable(self, kind: DecisionType) -> tuple[int, ...]:
        """Give the numbers of the changes that a decision of this kind may be about, ascending.

        An approval can be taken back by a rejection until it is applied: that is what the
        cooling is for.
        """
        return self._in(_ANSWERABLE[kind])

    def approved_by(self, decision: str) -> tuple[int, ...]:
        """Give the numbers of the changes that this decision approved and that are still to be applied."""
        return tuple(n for n in self._in({ChangeState.APPROVED}) if self.changes[n].decision == decision)

    def _in(self, states: Collection[ChangeState]) -> tuple[int, ...]:
        return tuple(n for n in sorted(self.changes) if self.changes[n].state in states)


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionStatus:
    """One recorded decision.

    Attributes:
        id: The decision.
        sha256: Hex SHA-256 of its file's bytes, from its leaf.
        type: approve, reject or undo.
        proposal: What it is about.
        changes: Which changes.
        recorded: Clocks at its leaf.
    """

    id: str
    sha256: str
    type: DecisionType
    proposal: str
    changes: tuple[int, ...]
    recorded: Moment


@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedTarget:
    """What an apply did to one file; hashes are hex SHA-256 of whole files, kept as blobs."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """One apply or undo, from its intent leaf.

    Attributes:
        id: Id of the intent.
        decision: The decision that it carries out.
        proposal: What it is about.
        changes: Which changes.
        targets: What it does to each file.
        outcome: ``intent`` while unfinished, ``done``, ``aborted`` or ``raced``.
        at: When the intent was logged, then when it was finished.
    """

    id: str
    decision: str
    proposal: str
    changes: tuple[int, ...]
    targets: tuple[AppliedTarget, ...]
    outcome: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Drifted:
    """A gated file that was changed outside the gate before something was applied to it.

    Attributes:
        apply: Id of the apply that found it so, and kept what it found.
        path: The file.
        before: Hex SHA-256 of what it found, a blob.
    """

    apply: str
    path: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Book:
    """Everything that the audit log says about the gate.

    Attributes:
        proposals: By id, in order of their leaves.
        decisions: By id, in order.
        applies: By id, in order.
        gated: For each gated file, hex SHA-256 of the bytes last accepted.
        genesis: Fields of the first leaf; empty where there is none.
        drifted: Changes outside the gate that a later apply found and left in the file.
    """

    proposals: Mapping[str, ProposalStatus] = field(default_factory=dict)
    decisions: Mapping[str, DecisionStatus] = field(default_factory=dict)
    applies: Mapping[str, Apply] = field(default_factory=dict)
    gated: Mapping[str, str] = field(default_factory=dict)
    genesis: Mapping[str, Any] = field(default_factory=dict)
    drifted: tuple[Drifted, ...] = ()

    def unfinished(self) -> tuple[Apply, ...]:
        """Give the applies that a crash cut short."""
        return tuple(apply for apply in self.applies.values() if apply.outcome == "intent")

    def approvals_to_apply(self) -> tuple[DecisionStatus, ...]:
        """Give the approvals of which some change is still to be applied, in signing order."""
        return tuple(
            decision
            for decision in self.decisions.values()
            if self.proposals[decision.proposal].approved_by(decision.id)
        )


def fold_events(events: Iterable[Event]) -> Book:
    """Give the book that the events add up to, in their order."""
    return fold_entries((event.event, event.fields, event.at) for event in events)


def fold_entries(entries: Iterable[Entry]) -> Book:
    """Give the book that the entries of a log add up to, in their order; see :func:`fold_events`."""
    fold = _Fold()
    rules = fold.rules()
    for name, fields, at in entries:
        if rule := rules.get(name):
            rule(fields, at)
    return fold.book()


class _Running:
    """A proposal while its log is folded: what its leaf says, and its changes as they stand."""

    __slots__ = ("changes", "created_at", "leaf")

    def __init__(self, leaf: Mapping[str, Any], created_at: datetime) -> None:
        self.leaf = leaf
        self.created_at = created_at
        self.changes: dict[int, ChangeStatus] = dict.fromkeys(range(1, leaf["changes"] + 1), _PENDING)

    def status(self) -> ProposalStatus:
        leaf = self.leaf
        return ProposalStatus(
            id=leaf["proposal"],
            sha256=leaf["sha256"],
            kind=Kind(leaf["kind"]),
            lane=leaf["lane"],
            created=_moment(leaf, self.created_at),
            changes=self.changes,
        )

    def in_state(self, states: Collection[ChangeState]) -> set[int]:
        return {n for n, change in self.changes.items() if change.state in states}

    def move(
        self, numbers: Iterable[int], state: ChangeState, since: datetime, decision: str | None = None
    ) -> None:
        moved = ChangeStatus(state=state, decision=decision, since=since)
        for n in numbers:
            if n in self.changes:
                self.changes[n] = moved


class _Fold:
    """The running state of ``fold_entries``; lives only inside it.

    Nothing that is given out is made before it is looked at: in a log of many years that is little.
    """

    def __init__(self) -> None:
        self.proposals: dict[str, _Running] = {}
        self.decisions: dict[str, tuple[Mapping[str, Any], datetime]] = {}
        self.intents: dict[str, tuple[Mapping[str, Any], str, datetime]] = {}
        self.gated: dict[str, str] = {}
        self.genesis: Mapping[str, Any] = {}
        self.drifted: list[Drifted] = []

    def rules(self) -> dict[str, Callable[[Mapping[str, Any], datetime], None]]:
        return {
            EventName.GENESIS: self._genesis,
            EventName.PROPOSED: self._proposed,
            EventName.DEFERRED: partial(self._answer, OPEN_STATES, ChangeState.DEFERRED),
            EventName.CLOSED: self._closed,
            EventName.STALE: partial(self._answer, _REVOCABLE, ChangeState.STALE),
            EventName.DECIDED: self._decided,
            EventName.APPLY_INTENT: self._intent,
            EventName.APPLY_DONE: partial(self._finished, "done"),
            EventName.APPLY_RACED: partial(self._finished, "raced"),
            EventName.APPLY_ABORTED: partial(self._finished, "aborted"),
        }

    def book(self) -> Book:
        return Book(
            proposals=LazyMap(self.proposals, _Running.status),
            decisions=LazyMap(self.decisions, _decision),
            applies=LazyMap(self.intents, _apply),
            gated=self.gated,
            genesis=self.genesis,
            drifted=tuple(self.drifted),
        )

    def _genesis(self, fields: Mapping[str, Any], _: datetime) -> None:
        if not self.genesis:
            self.genesis = {name: value for name, value in fields.items() if name not in OWN_NAMES}
            self.gated = {target["path"]: target["sha256"] for target in fields.get("gated", ())}

    def _proposed(self, fields: Mapping[str, Any], at: datetime) -> None:
        if fields["proposal"] not in self.proposals:
            self.proposals[fields["proposal"]] = _Running(fields, at)

    def _answer(
        self, movable: Collection[ChangeState], state: ChangeState, fields: Mapping[str, Any], at: datetime
    ) -> None:
        running = self.proposals.get(fields["proposal"])
        if running:
            running.move(running.in_state(movable).intersection(fields["changes"]), state, at)

    def _closed(self, fields: Mapping[str, Any], at: datetime) -> None:
        self._answer(OPEN_STATES, ChangeState(fields["reason"]), fields, at)

    def _decided(self, fields: Mapping[str, Any], at: datetime) -> None:
        running = self.proposals.get(fields["proposal"])
        name = fields["decision"]
        if running is None or name in self.decisions:
            return
        self.decisions[name] = (fields, at)
        if fields["type"] in _DECIDED:
            movable, state = _DECIDED[fields["type"]]
            running.move(running.in_state(movable).intersection(fields["changes"]), state, at, name)

    def _intent(self, fields: Mapping[str, Any], at: datetime) -> None:
        self.intents[fields["apply"]] = (fields, "intent", at)

    def _finished(self, outcome: str, fields: Mapping[str, Any], at: datetime) -> None:
        intent = self.intents.get(fields["apply"])
        if intent is None or intent[1] != "intent":
            return
        apply = intent[0]
        self.intents[fields["apply"]] = (apply, outcome, at)
        decision, _ = self.decisions.get(apply["decision"], (None, None))
        if outcome == "aborted" or decision is None:
            return
        state = ChangeState.UNDONE if decision["type"] == DecisionType.UNDO else ChangeState.APPLIED
        self.proposals[decision["proposal"]].move(apply["changes"], state, at, decision=apply["decision"])
        for target in apply["targets"]:
            path, before = target["path"], target["before"]
            if before != self.gated.get(path):
                self.drifted.append(Drifted(apply=fields["apply"], path=path, before=before))
            self.gated[path] = target["after"]


def _decision(recorded: tuple[Mapping[str, Any], datetime]) -> DecisionStatus:
    fields, at = recorded
    return DecisionStatus(
        id=fields["decision"],
        sha256=fields["sha256"],
        type=DecisionType(fields["type"]),
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        recorded=_moment(fields, at),
    )


def _apply(intent: tuple[Mapping[str, Any], str, datetime]) -> Apply:
    fields, outcome, at = intent
    return Apply(
        id=fields["apply"],
        decision=fields["decision"],
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        targets=tuple(
            AppliedTarget(path=target["path"], before=target["before"], after=target["after"])
            for target in fields["targets"]
        ),
        outcome=outcome,
        at=at,
    )


def _moment(fields: Mapping[str, Any], at: datetime) -> Moment:
    return Moment(at=at, boot=fields.get("boot", ""), boot_s=fields.get("boot_s", 0))


def proposal_state(status: ProposalStatus, now: datetime, cools_until: Mapping[str, datetime]) -> str:
    """Give the one word that lists show for a proposal.

    The first that fits: something waits (``pending``, ``stale``, ``deferred``), something
    is signed (``cooling`` or ``approved``), else what became of the last change answered.

    Args:
        status: The proposal.
        now: The time; aware, UTC.
        cools_until: For each approval, when its cooling is over.
    """
    states = [change.state for change in status.changes.values()]
    for waiting in (ChangeState.PENDING, ChangeState.STALE, ChangeState.DEFERRED):
        if waiting in states:
            return waiting.value
    if ChangeState.APPROVED in states:
        ends = [
            cools_until[change.decision or ""]
            for change in status.changes.values()
            if change.state is ChangeState.APPROVED and change.decision in cools_until
        ]
        return "cooling" if any(now < end for end in ends) else "approved"
    if ChangeState.APPLIED in states:
        return ChangeState.APPLIED.value
    return states[-1].value if states else ChangeState.WITHDRAWN.value
