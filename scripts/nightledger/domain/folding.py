"""The fold over the audit log that gives the book.

Invariant: the same events give the same book, and an event that makes no sense (an unknown
proposal, a change that does not exist) changes nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from nightledger.domain.begun import Begin, standing_under
from nightledger.domain.decision import DecisionType
from nightledger.domain.drift import Drift, Raced
from nightledger.domain.event import OWN_NAMES, Entry, Event, EventName
from nightledger.domain.fold_kept import KeptFold
from nightledger.domain.fold_names import NameFold
from nightledger.domain.fold_rows import (
    Decided,
    Intent,
    Running,
    accepted_of,
    apply_of,
    clocks_of,
    decision_of,
    moment_of,
)
from nightledger.domain.kept import is_kept
from nightledger.domain.lazy_map import LazyMap
from nightledger.domain.proposal import Kind
from nightledger.domain.states import (
    OPEN_STATES,
    REVOCABLE,
    Book,
    ChangeState,
    Drifted,
    Gone,
    Restored,
)
from nightledger.domain.trusting import NAMES, TrustFold

_DECIDED: Mapping[str, tuple[Collection[ChangeState], ChangeState]] = {
    DecisionType.APPROVE: (OPEN_STATES, ChangeState.APPROVED),
    DecisionType.CLOSE: (REVOCABLE, ChangeState.REJECTED),
    DecisionType.REJECT: (REVOCABLE, ChangeState.REJECTED),
}
_KEPT = ("before", "after", "accepted_before", "accepted")
"""What an apply keeps as blobs, members of each of its targets."""
_ABOUT_NO_PROPOSAL = frozenset(
    {
        DecisionType.TRUST,
        DecisionType.CONSENT,
        DecisionType.EXPUNGE,
        DecisionType.PIN,
        DecisionType.UNPIN,
        DecisionType.RESTORE,
    }
)


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


class _Fold:
    """The running state of ``fold_entries``; lives only inside it.

    Nothing that is given out is made before it is looked at: in a log of many years that is little.
    """

    def __init__(self) -> None:
        self.proposals: dict[str, Running] = {}
        self.decisions: dict[str, Decided] = {}
        self.intents: dict[str, Intent] = {}
        self.cut_short: dict[str, bool] = {}
        self.gated: dict[str, str] = {}
        self.genesis: Mapping[str, Any] = {}
        self.drifted: list[Drifted] = []
        self.applied_at: dict[str, datetime] = {}
        self.trust = TrustFold()
        self.gone: dict[str, Gone] = {}
        self.gone_at: dict[str, datetime] = {}
        self.latest = datetime.min.replace(tzinfo=UTC)
        self.drifts: dict[str, Drift] = {}
        self.accepted: dict[str, dict[str, datetime]] = {}
        self.protected: dict[str, str] = {}
        self.races: dict[tuple[str, str], Raced] = {}
        self.locked: frozenset[str] = frozenset()
        self.names = NameFold()
        self.kept = KeptFold()
        self.begun: list[Begin] = []
        self.open: dict[str, Begin] = {}
        self.unfounded: dict[int, str] = {}
        self.settling: set[str] = set()
        self.expunged: dict[str, Sequence[str]] = {}
        self.restored: list[Restored] = []
        self.withheld: dict[str, tuple[str, ...]] = {}
        self.asked_again: dict[str, int] = {}

    def rules(self) -> dict[str, Callable[[Mapping[str, Any], datetime], None]]:
        return {
            EventName.GENESIS: self._genesis,
            EventName.PROPOSED: self._proposed,
            EventName.DEFERRED: partial(self._answer, OPEN_STATES, ChangeState.DEFERRED),
            EventName.CLOSED: self._closed,
            EventName.STALE: partial(self._answer, REVOCABLE, ChangeState.STALE),
            EventName.DECIDED: self._decided,
            EventName.APPLY_INTENT: self._intent,
            EventName.NAMED: self.names.tell,
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
            EventName.RESTORED: self._restored,
            EventName.ASKED_AGAIN: self._asked_again,
        }

    def book(self) -> Book:
        return Book(
            proposals=LazyMap(self.proposals, Running.status),
            decisions=LazyMap(self.decisions, decision_of),
            applies=LazyMap(self.intents, apply_of),
            cut_short=self.cut_short,
            gated=self.gated,
            claimed=self.gated,
            genesis=self.genesis,
            drifted=tuple(self.drifted),
            settled=frozenset(name for name, one in self.proposals.items() if not one.has_any_in(REVOCABLE)),
            applied_at=self.applied_at,
            trust=self.trust.chain(),
            gone=self.gone,
            gone_at=self.gone_at,
            drifts=self.drifts,
            accepted=LazyMap(self.accepted, accepted_of),
            protected=self.protected,
            races=tuple(self.races.values()),
            locked=self.locked,
            kept=self.kept.files,
            copies=self.kept.copies,
            names=self.names.names,
            edited_at=self.names.edited_at,
            begun=tuple(self.begun),
            unfounded=self.unfounded,
            expunged=self.expunged,
            restored=tuple(self.restored),
            withheld=self.withheld,
            asked_again=self.asked_again,
        )

    def _genesis(self, fields: Mapping[str, Any], at: datetime) -> None:
        if not self.genesis:
            self.genesis = {name: value for name, value in fields.items() if name not in OWN_NAMES}
            self.trust.begin(fields, moment_of(clocks_of(fields, at)))
            for target in fields.get("gated", ()):
                self._accept(target["path"], target["sha256"], at)

    def _proposed(self, fields: Mapping[str, Any], at: datetime) -> None:
        if fields["proposal"] not in self.proposals:
            self.proposals[fields["proposal"]] = Running(fields, clocks_of(fields, at))

    def _answer(
        self, movable: Collection[ChangeState], state: ChangeState, fields: Mapping[str, Any], at: datetime
    ) -> None:
        running = self.proposals.get(fields["proposal"])
        if running:
            running.move(fields["changes"], (state, None, at), movable)

    def _closed(self, fields: Mapping[str, Any], at: datetime) -> None:
        self._answer(OPEN_STATES, ChangeState(fields["reason"]), fields, at)

    def _decided(self, fields: Mapping[str, Any], at: datetime) -> None:
        running = self.proposals.get(fields["proposal"])
        name = fields["decision"]
        known = running is not None or fields["type"] in _ABOUT_NO_PROPOSAL
        if not known or name in self.decisions:
            return
        self.decisions[name] = Decided(
            name,
            fields["type"],
            fields["proposal"],
            fields["sha256"],
            fields["changes"],
            fields.get("signature_sha256", ""),
            len(self.trust.steps),
            len(self.restored),
            clocks_of(fields, at),
            _line(fields),
        )
        if running is not None and fields["type"] in _DECIDED:
            movable, state = _DECIDED[fields["type"]]
            running.move(fields["changes"], (state, name, at), movable)

    def _trust_changed(self, fields: Mapping[str, Any], at: datetime) -> None:
        decided = self.decisions.get(fields["decision"])
        used = any(step.decision == fields["decision"] for step in self.trust.steps)
        if decided and decided.type == DecisionType.TRUST and not used:
            self.trust.change(fields, moment_of(clocks_of(fields, at)))
            self._kept(item["sha256"] for item in fields["files"])
        else:
            self.unfounded[_line(fields)] = "it changes trust files, and no decision is there for it"

    def _trust_reset(self, fields: Mapping[str, Any], at: datetime) -> None:
        self.trust.reset(fields, moment_of(clocks_of(fields, at)), self.latest)

    def _expunged(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Take what the entry beside a decision says; a later one that names it again adds nothing."""
        name = fields["decision"]
        decided = self.decisions.get(name)
        if decided and decided.type == DecisionType.EXPUNGE and name not in self.expunged:
            self.expunged[name] = fields["sha256s"]
            withheld = fields.get("withheld", [])
            self.withheld[name] = tuple(map(str, withheld)) if isinstance(withheld, list) else ()
            self._removed(Gone.EXPUNGED, fields, at)
            self.kept.expunge(fields["places"])

    def _removed(self, why: Gone, fields: Mapping[str, Any], at: datetime) -> None:
        self.gone |= dict.fromkeys(fields["sha256s"], why)
        self.gone_at |= dict.fromkeys(fields["sha256s"], max(at, self.latest))

    def _kept(self, sha256s: Iterable[str]) -> None:
        """Take back that something is gone: the same bytes were kept anew."""
        for sha256 in sha256s:
            self.gone.pop(sha256, None)

    def _begin(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Note what stands where an apply begins, for whoever checks it."""
        name, decision, proposal = fields["apply"], fields["decision"], fields["proposal"]
        decided, running = self.decisions.get(decision), self.proposals.get(proposal)
        begin = Begin(
            fields=fields,
            line=_line(fields),
            at=at,
            standing=standing_under(decided.type, decision, running.changes)
            if decided and running and decided.proposal == proposal and decided.sha256 not in self.gone
            else None,
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
        self.intents[fields["apply"]] = (fields, "intent", clocks_of(fields, at))
        self.cut_short[fields["apply"]] = False
        if self.gone:
            self._kept(target.get(name, "") for target in fields["targets"] for name in _KEPT)

    def _finished(self, outcome: str, fields: Mapping[str, Any], at: datetime) -> None:
        intent = self.intents.get(fields["apply"])
        if intent is None or intent[1] != "intent":
            self.unfounded[_line(fields)] = "it ends an apply that had not begun"
            return
        apply = intent[0]
        begin = self.open.pop(fields["apply"])
        begin.outcome, begin.ended = outcome, _line(fields)
        self.intents[fields["apply"]] = (apply, outcome, clocks_of(fields, at))
        self.cut_short.pop(fields["apply"])
        decision = self.decisions.get(apply["decision"])
        if outcome == "aborted" or decision is None or decision.proposal not in self.proposals:
            return
        if decision.type == DecisionType.DRIFT:
            self.settling.add(decision.id)
        state = ChangeState.UNDONE if decision.type == DecisionType.UNDO else ChangeState.APPLIED
        name, by = decision.proposal, decision.id
        running = self.proposals[name]
        running.move(apply["changes"], (state, by, at))
        if "taken_back" in apply:
            running.move(apply["taken_back"], (ChangeState.REJECTED, by, at))
        self.applied_at[name] = max(at, self.applied_at.get(name, at))
        self.names.apply(fields["apply"], at)
        self.kept.apply([target for target in apply["targets"] if not self._watched(target["path"])])
        for target in apply["targets"]:
            path, before = target["path"], target["before"]
            if not self._watched(path):
                continue
            if "accepted" not in target and before != self.gated.get(path):
                self.drifted.append(Drifted(apply=fields["apply"], path=path, before=before))
            self._accept(path, target.get("accepted", target["after"]), at)

    def _watched(self, path: str) -> bool:
        """Tell whether a file is one of which the bytes accepted last count: all but daily logs and the archive."""
        return path in self.gated or path in self.protected or not is_kept(path)

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
        if running is None or running.kind != Kind.DRIFT:
            return  # what another program wrote at the moment of an apply
        self.drifts[path] = Drift(
            path=path,
            sha256=sha256,
            base=fields["base"],
            proposal=fields["proposal"],
            writer=fields["writer"],
            at=at,
        )

    def _seen(self, fields: Mapping[str, Any], _: datetime) -> None:
        for file in fields["files"]:
            if file["path"] in self.gated:
                self.unfounded[_line(fields)] = f"it says that {file['path']}, which is gated, is protected"
            elif file["path"] not in NAMES:  # older versions watched the constitution as protected
                self.protected.setdefault(file["path"], file["sha256"])

    def _restored(self, fields: Mapping[str, Any], at: datetime) -> None:
        if fields["lost"] or "decision" in fields:
            self.restored.append(
                Restored(
                    at=at,
                    line=_line(fields),
                    size=min(fields["size"], _line(fields) - 1),
                    lost=fields["lost"],
                    root=fields.get("base", ""),
                    decision=fields.get("decision", ""),
                )
            )

    def _asked_again(self, fields: Mapping[str, Any], _: datetime) -> None:
        self.asked_again[fields["sha256"]] = _line(fields)

    def _locked(self, fields: Mapping[str, Any], _: datetime) -> None:
        self.locked = frozenset(fields["paths"])


def _line(fields: Mapping[str, Any]) -> int:
    return int(fields.get("seq", -1)) + 1
