"""The fold over the audit log that gives the book.

Invariant: the same events give the same book, and an event that makes no sense (an unknown
proposal, a change that does not exist) changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from nightledger.domain.begun import Begin, standing_under, targets_of
from nightledger.domain.decision import DecisionType
from nightledger.domain.drift import Accepted, Drift, Raced
from nightledger.domain.event import OWN_NAMES, Entry, Event, EventName
from nightledger.domain.lazy_map import LazyMap
from nightledger.domain.moment import Moment
from nightledger.domain.proposal import Kind
from nightledger.domain.states import (
    OPEN_STATES,
    REVOCABLE,
    Apply,
    Book,
    ChangeState,
    ChangeStatus,
    DecisionStatus,
    Drifted,
    Gone,
    ProposalStatus,
)
from nightledger.domain.trusting import TrustFold

_DECIDED: Mapping[str, tuple[Collection[ChangeState], ChangeState]] = {
    DecisionType.APPROVE: (OPEN_STATES, ChangeState.APPROVED),
    DecisionType.CLOSE: (REVOCABLE, ChangeState.REJECTED),
    DecisionType.REJECT: (REVOCABLE, ChangeState.REJECTED),
}
_PENDING = ChangeStatus()
_Intent = tuple[Mapping[str, Any], str, Mapping[str, Any], datetime]
"""An apply: its intent's members, its outcome, and members and time of the entry that says so."""
_KEPT = ("before", "after", "accepted_before", "accepted")
"""What an apply keeps as blobs, members of each of its targets."""
_ABOUT_NO_PROPOSAL = frozenset({DecisionType.TRUST, DecisionType.CONSENT, DecisionType.EXPUNGE})


def fold_events(events: Iterable[Event]) -> Book:
    """Give the book that the events add up to, in their order."""
    return fold_entries((event.event, {**event.fields, "seq": event.seq}, event.at) for event in events)


def fold_entries(entries: Iterable[Entry]) -> Book:
    """Give the book that the entries of a log add up to, in their order; see :func:`fold_events`."""
    fold = _Fold()
    rules = fold.rules()
    for name, fields, at in entries:
        if rule := rules.get(name):
            rule(fields, at)
        if at > fold.latest:  # noqa: PLR1730 - for each entry of a log: max() costs four times as much
            fold.latest = at
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
        self.decisions: dict[str, tuple[Mapping[str, Any], datetime, int]] = {}
        self.intents: dict[str, _Intent] = {}
        self.cut_short: dict[str, None] = {}
        self.gated: dict[str, str] = {}
        self.genesis: Mapping[str, Any] = {}
        self.drifted: list[Drifted] = []
        self.applied_at: dict[str, datetime] = {}
        self.trust = TrustFold()
        self.gone: dict[str, Gone] = {}
        self.latest = datetime.min.replace(tzinfo=UTC)
        self.drifts: dict[str, Drift] = {}
        self.offers: dict[str, Drift] = {}
        self.accepted: dict[str, dict[str, datetime]] = {}
        self.protected: dict[str, str] = {}
        self.races: dict[tuple[str, str], Raced] = {}
        self.locked: frozenset[str] = frozenset()
        self.begun: list[Begin] = []
        self.open: dict[str, Begin] = {}
        self.unbegun: list[int] = []
        self.settling: set[str] = set()
        self.expunged: dict[str, Sequence[str]] = {}
        self.gone_at: dict[str, datetime] = {}

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
            EventName.APPLY_RACED: self._raced,
            EventName.APPLY_ABORTED: partial(self._finished, "aborted"),
            EventName.TRUST_CHANGED: self._trust_changed,
            EventName.TRUST_RESET: self._trust_reset,
            EventName.BLOBS_REMOVED: partial(self._removed, Gone.EXPIRED),
            EventName.EXPUNGED: self._expunged,
            EventName.DRIFT_FOUND: self._found,
            EventName.PROTECTED_SEEN: self._seen,
            EventName.LOCKED: self._locked,
            EventName.UNLOCKED: self._locked,
        }

    def book(self) -> Book:
        return Book(
            proposals=LazyMap(self.proposals, _Running.status),
            decisions=LazyMap(self.decisions, _decision),
            applies=LazyMap(self.intents, _apply),
            cut_short=tuple(self.cut_short),
            gated=self.gated,
            genesis=self.genesis,
            drifted=tuple(self.drifted),
            settled=frozenset(name for name, one in self.proposals.items() if not one.in_state(REVOCABLE)),
            applied_at=self.applied_at,
            trust=self.trust.chain(),
            gone=self.gone,
            drifts=self.drifts,
            offers=self.offers,
            accepted=LazyMap(self.accepted, _accepted),
            protected=self.protected,
            races=tuple(self.races.values()),
            locked=self.locked,
            begun=tuple(self.begun),
            unbegun=tuple(self.unbegun),
            expunged=self.expunged,
            gone_at=self.gone_at,
        )

    def _genesis(self, fields: Mapping[str, Any], at: datetime) -> None:
        if not self.genesis:
            self.genesis = {name: value for name, value in fields.items() if name not in OWN_NAMES}
            self.trust.begin(fields, _moment(fields, at))
            for target in fields.get("gated", ()):
                self._accept(target["path"], target["sha256"], at)

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
        known = running is not None or fields["type"] in _ABOUT_NO_PROPOSAL
        if not known or name in self.decisions:
            return
        self.decisions[name] = (fields, at, len(self.trust.steps))
        if running is not None and fields["type"] in _DECIDED:
            movable, state = _DECIDED[fields["type"]]
            running.move(running.in_state(movable).intersection(fields["changes"]), state, at, name)

    def _trust_changed(self, fields: Mapping[str, Any], at: datetime) -> None:
        decided = self.decisions.get(fields["decision"])
        used = any(step.decision == fields["decision"] for step in self.trust.steps)
        if decided and decided[0]["type"] == DecisionType.TRUST and not used:
            self.trust.change(fields, _moment(fields, at))
            self._kept(item["sha256"] for item in fields["files"])

    def _trust_reset(self, fields: Mapping[str, Any], at: datetime) -> None:
        self.trust.reset(fields, _moment(fields, at), self.latest)

    def _expunged(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Take what the entry beside a decision says; a later one that names it again adds nothing."""
        name = fields["decision"]
        decided = self.decisions.get(name)
        if decided and decided[0]["type"] == DecisionType.EXPUNGE and name not in self.expunged:
            self.expunged[name] = fields["sha256s"]
            self._removed(Gone.EXPUNGED, fields, at)

    def _removed(self, why: Gone, fields: Mapping[str, Any], at: datetime) -> None:
        self.gone |= dict.fromkeys(fields["sha256s"], why)
        if why is Gone.EXPIRED:
            self.gone_at |= dict.fromkeys(fields["sha256s"], max(at, self.latest))

    def _kept(self, sha256s: Iterable[str]) -> None:
        """Take back that something is gone: the same bytes were kept anew."""
        for sha256 in sha256s:
            self.gone.pop(sha256, None)

    def _begin(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Note what stands where an apply begins, for whoever checks it."""
        name, decision, proposal = fields["apply"], fields["decision"], fields["proposal"]
        decided, running = self.decisions.get(decision, (None,))[0], self.proposals.get(proposal)
        begin = Begin(
            fields=fields,
            line=_line(fields),
            at=at,
            standing=standing_under(decided, proposal, running.changes if running else None),
            accepted={one["path"]: self._accepted_of(one["path"]) for one in fields["targets"]},
            again=name in self.open or decision in self.settling,
            trust=len(self.trust.steps),
            latest=max(at, self.latest),
        )
        self.begun.append(begin)
        self.open[name] = begin

    def _accepted_of(self, path: str) -> str | None:
        return self.gated.get(path, self.protected.get(path))

    def _intent(self, fields: Mapping[str, Any], at: datetime) -> None:
        self._begin(fields, at)
        self.intents[fields["apply"]] = (fields, "intent", fields, at)
        self.cut_short[fields["apply"]] = None
        if self.gone:
            self._kept(target.get(name, "") for target in fields["targets"] for name in _KEPT)

    def _finished(self, outcome: str, fields: Mapping[str, Any], at: datetime) -> None:
        intent = self.intents.get(fields["apply"])
        if intent is None or intent[1] != "intent":
            self.unbegun.append(_line(fields))
            return
        apply = intent[0]
        self.open.pop(fields["apply"]).outcome = outcome
        self.intents[fields["apply"]] = (apply, outcome, fields, at)
        self.cut_short.pop(fields["apply"])
        decision = self.decisions.get(apply["decision"], (None,))[0]
        if outcome == "aborted" or decision is None or decision["proposal"] not in self.proposals:
            return
        if decision["type"] == DecisionType.DRIFT:
            self.settling.add(decision["decision"])
        state = ChangeState.UNDONE if decision["type"] == DecisionType.UNDO else ChangeState.APPLIED
        name = decision["proposal"]
        running = self.proposals[name]
        running.move(apply["changes"], state, at, decision=apply["decision"])
        running.move(apply.get("taken_back", ()), ChangeState.REJECTED, at, decision=apply["decision"])
        self.applied_at[name] = max(at, self.applied_at.get(name, at))
        for target in apply["targets"]:
            path, before = target["path"], target["before"]
            if "accepted" not in target and before != self.gated.get(path):
                self.drifted.append(Drifted(apply=fields["apply"], path=path, before=before))
            self._accept(path, target.get("accepted", target["after"]), at)

    def _accept(self, path: str, sha256: str, at: datetime) -> None:
        if path in self.protected:
            self.protected[path] = sha256
            return
        self.gated[path] = sha256
        known = self.accepted.setdefault(path, {})
        known.pop(sha256, None)
        known[sha256] = at

    def _raced(self, fields: Mapping[str, Any], at: datetime) -> None:
        name = fields["apply"]
        if name in self.intents and self.intents[name][1] == "intent":
            before = {target["path"]: target["before"] for target in self.intents[name][0]["targets"]}
            for rival in fields.get("replaced", ()):
                path, sha256 = rival["path"], rival["sha256"]
                raced = Raced(apply=name, path=path, sha256=sha256, before=before.get(path, ""))
                self.races[path, sha256] = raced
        self._finished("raced", fields, at)

    def _found(self, fields: Mapping[str, Any], at: datetime) -> None:
        path, sha256 = fields["path"], fields["sha256"]
        self._kept((sha256,))
        self.races.pop((path, sha256), None)
        running = self.proposals.get(fields["proposal"])
        is_item = running is not None and running.leaf["kind"] == Kind.DRIFT
        (self.drifts if is_item else self.offers)[path] = Drift(
            path=path,
            sha256=sha256,
            base=fields["base"],
            proposal=fields["proposal"],
            writer=fields["writer"],
            at=at,
        )

    def _seen(self, fields: Mapping[str, Any], _: datetime) -> None:
        for file in fields["files"]:
            self.protected.setdefault(file["path"], file["sha256"])

    def _locked(self, fields: Mapping[str, Any], _: datetime) -> None:
        self.locked = frozenset(fields["paths"])


def _accepted(known: Mapping[str, datetime]) -> tuple[Accepted, ...]:
    return tuple(Accepted(sha256=sha256, at=at) for sha256, at in known.items())


def _decision(recorded: tuple[Mapping[str, Any], datetime, int]) -> DecisionStatus:
    fields, at, trust = recorded
    return DecisionStatus(
        id=fields["decision"],
        sha256=fields["sha256"],
        type=DecisionType(fields["type"]),
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        recorded=_moment(fields, at),
        trust=trust,
        signature_sha256=fields.get("signature_sha256", ""),
    )


def _apply(intent: _Intent) -> Apply:
    fields, outcome, ended, at = intent
    return Apply(
        id=fields["apply"],
        decision=fields["decision"],
        proposal=fields["proposal"],
        changes=tuple(fields["changes"]),
        targets=targets_of(fields),
        outcome=outcome,
        clocks=_moment(ended, at),
    )


def _line(fields: Mapping[str, Any]) -> int:
    return int(fields.get("seq", -1)) + 1


def _moment(fields: Mapping[str, Any], at: datetime) -> Moment:
    return Moment(at=at, boot=fields.get("boot", ""), boot_s=fields.get("boot_s", 0))
