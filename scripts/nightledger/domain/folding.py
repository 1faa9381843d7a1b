"""The fold over the audit log that gives the book.

Invariant: the same events give the same book, and an event that makes no sense (an unknown
proposal, a change that does not exist) changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import Any

from nightledger.domain.decision import DecisionType
from nightledger.domain.event import OWN_NAMES, Entry, Event, EventName
from nightledger.domain.lazy_map import LazyMap
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import (
    OPEN_STATES,
    REVOCABLE,
    AppliedTarget,
    Apply,
    Book,
    ChangeState,
    ChangeStatus,
    DecisionStatus,
    Drifted,
    ProposalStatus,
)

_DECIDED: Mapping[str, tuple[Collection[ChangeState], ChangeState]] = {
    DecisionType.APPROVE: (OPEN_STATES, ChangeState.APPROVED),
    DecisionType.CLOSE: (REVOCABLE, ChangeState.REJECTED),
    DecisionType.REJECT: (REVOCABLE, ChangeState.REJECTED),
}
_PENDING = ChangeStatus()


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
        self.applied_at: dict[str, datetime] = {}

    def rules(self) -> dict[str, Callable[[Mapping[str, Any], datetime], None]]:
        return {
            EventName.GENESIS: self._genesis,
            EventName.PROPOSED: self._proposed,
            EventName.DEFERRED: partial(self._answer, OPEN_STATES, ChangeState.DEFERRED),
            EventName.CLOSED: self._closed,
            EventName.STALE: partial(self._answer, REVOCABLE, ChangeState.STALE),
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
            settled=frozenset(name for name, one in self.proposals.items() if not one.in_state(REVOCABLE)),
            applied_at=self.applied_at,
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
        name = decision["proposal"]
        self.proposals[name].move(apply["changes"], state, at, decision=apply["decision"])
        self.applied_at[name] = max(at, self.applied_at.get(name, at))
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
