"""The fold over the audit log that gives the book.

Invariant: the same events give the same book, and an event that makes no sense (an unknown
proposal, a change that does not exist) changes nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

from msgspec.structs import replace

from nightledger.domain import states
from nightledger.domain.decision import OWN_NAMES, DecisionType, Entry, EventName, Moment
from nightledger.domain.kept import is_copy, is_kept
from nightledger.domain.proposal import Kind
from nightledger.domain.trusting import NAMES, NO_CHAIN

_DECIDED: Mapping[DecisionType, tuple[Collection[states.ChangeState], states.ChangeState]] = {
    DecisionType.APPROVE: (states.OPEN_STATES, states.ChangeState.APPROVED),
    DecisionType.CLOSE: (states.REVOCABLE, states.ChangeState.REJECTED),
    DecisionType.REJECT: (states.REVOCABLE, states.ChangeState.REJECTED),
}
_UNDER: Mapping[DecisionType, Collection[states.ChangeState]] = {
    DecisionType.APPROVE: {states.ChangeState.APPROVED},
    DecisionType.UNDO: {states.ChangeState.APPLIED},
    DecisionType.DRIFT: states.OPEN_STATES,
}
"""How a change stands that such a decision carries out."""
_ANY = frozenset(states.ChangeState)
_KEPT = ("before", "after", "accepted_before", "accepted")
"""What an apply keeps as blobs, members of each of its targets."""


def fold_entries(entries: Iterable[Entry]) -> states.Book:
    """Return the book that the entries of a log add up to, in their order."""
    fold = _Fold()
    rules = fold.rules()
    for name, fields, at in entries:
        if rule := rules.get(name):
            rule(fields, at)
        if at > fold.latest:  # noqa: PLR1730 - for each entry of a log: max() costs four times as much
            fold.latest = at
    return fold.result()


class _Fold:
    """The running state of ``fold_entries``: a book in the making, and what only the fold needs."""

    def __init__(self) -> None:
        self.gated: dict[str, str] = {}
        self.protected: dict[str, str] = {}
        self.book = states.Book(gated=self.gated, claimed=self.gated, protected=self.protected)
        self.genesis: Mapping[str, Any] = {}
        self.trust = NO_CHAIN
        self.latest = datetime.min.replace(tzinfo=UTC)
        self.races: dict[tuple[str, str], states.Raced] = {}
        self.locked: frozenset[str] = frozenset()
        self.restored: list[states.Restored] = []
        self.begun: list[states.Apply] = []
        self.last: dict[str, int] = {}
        self.settling: set[str] = set()
        self.named: defaultdict[str, list[Any]] = defaultdict(list)

    def rules(self) -> dict[str, Callable[[Mapping[str, Any], datetime], None]]:
        return {
            EventName.GENESIS: self._genesis,
            EventName.PROPOSED: self._proposed,
            EventName.DEFERRED: partial(self._answer, states.OPEN_STATES, states.ChangeState.DEFERRED),
            EventName.CLOSED: self._closed,
            EventName.STALE: partial(self._answer, states.REVOCABLE, states.ChangeState.STALE),
            EventName.DECIDED: self._decided,
            EventName.APPLY_INTENT: self._intent,
            EventName.NAMED: self._named,
            EventName.APPLY_DONE: partial(self._finished, "done"),
            EventName.APPLY_RACED: self._raced,
            EventName.APPLY_ABORTED: partial(self._finished, "aborted"),
            EventName.TRUST_CHANGED: self._trust_changed,
            EventName.TRUST_RESET: self._trust_reset,
            EventName.BLOBS_REMOVED: partial(self._removed, states.Gone.EXPIRED),
            EventName.EXPUNGED: self._expunged,
            EventName.DRIFT_FOUND: self._found,
            EventName.PROTECTED_SEEN: self._seen,
            EventName.LOCKED: self._locked,
            EventName.UNLOCKED: self._locked,
            EventName.RESTORED: self._restored,
            EventName.ASKED_AGAIN: self._asked_again,
        }

    def result(self) -> states.Book:
        applies = {name: self.begun[at] for name, at in self.last.items()}
        return replace(
            self.book,
            applies=applies,
            cut_short={name: False for name, apply in applies.items() if apply.outcome == "intent"},
            genesis=self.genesis,
            settled=frozenset(name for name, one in self.book.proposals.items() if not one.revocable()),
            trust=self.trust,
            races=tuple(self.races.values()),
            locked=self.locked,
            begun=tuple(self.begun),
            restored=tuple(self.restored),
        )

    def _genesis(self, fields: Mapping[str, Any], at: datetime) -> None:
        if not self.genesis:
            self.genesis = {name: value for name, value in fields.items() if name not in OWN_NAMES}
            self.trust = self.trust.begun(fields, Moment.of_entry(fields, at))
            for target in fields.get("gated", ()):
                self._accept(target["path"], target["sha256"], at)

    def _proposed(self, fields: Mapping[str, Any], at: datetime) -> None:
        if fields["proposal"] not in self.book.proposals:
            self.book.proposals[fields["proposal"]] = states.ProposalStatus(
                id=fields["proposal"],
                sha256=fields["sha256"],
                kind=Kind(fields["kind"]),
                lane=fields["lane"],
                created=Moment.of_entry(fields, at),
                changes=dict.fromkeys(range(1, fields["changes"] + 1), states.ChangeStatus()),
            )

    def _answer(
        self,
        movable: Collection[states.ChangeState],
        state: states.ChangeState,
        fields: Mapping[str, Any],
        at: datetime,
    ) -> None:
        if status := self.book.proposals.get(fields["proposal"]):
            _move(status, fields["changes"], states.ChangeStatus(state=state, since=at), movable)

    def _closed(self, fields: Mapping[str, Any], at: datetime) -> None:
        self._answer(states.OPEN_STATES, states.ChangeState(fields["reason"]), fields, at)

    def _decided(self, fields: Mapping[str, Any], at: datetime) -> None:
        status = self.book.proposals.get(fields["proposal"])
        name, kind = fields["decision"], DecisionType(fields["type"])
        if (status is None and kind in states.ANSWERABLE) or name in self.book.decisions:
            return
        self.book.decisions[name] = states.DecisionStatus(
            id=name,
            sha256=fields["sha256"],
            type=kind,
            proposal=fields["proposal"],
            changes=tuple(fields["changes"]),
            recorded=Moment.of_entry(fields, at),
            trust=len(self.trust.steps),
            losses=len(self.restored),
            signature_sha256=fields.get("signature_sha256", ""),
            line=_line(fields),
        )
        if status is not None and kind in _DECIDED:
            movable, state = _DECIDED[kind]
            _move(
                status, fields["changes"], states.ChangeStatus(state=state, decision=name, since=at), movable
            )

    def _trust_changed(self, fields: Mapping[str, Any], at: datetime) -> None:
        decided = self.book.decisions.get(fields["decision"])
        used = any(step.decision == fields["decision"] for step in self.trust.steps)
        if decided and decided.type is DecisionType.TRUST and not used:
            self.trust = self.trust.changed(fields, Moment.of_entry(fields, at))
            self._kept_anew(item["sha256"] for item in fields["files"])
        else:
            self._unfounded(fields, "it changes trust files, and no decision is there for it")

    def _trust_reset(self, fields: Mapping[str, Any], at: datetime) -> None:
        self.trust = self.trust.reset(fields, Moment.of_entry(fields, at), self.latest)

    def _expunged(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Take what the entry beside a decision says; a later one that names it again adds nothing."""
        name = fields["decision"]
        decided = self.book.decisions.get(name)
        if decided and decided.type is DecisionType.EXPUNGE and name not in self.book.expunged:
            self.book.expunged[name] = fields["sha256s"]
            withheld = fields.get("withheld", [])
            self.book.withheld[name] = tuple(map(str, withheld)) if isinstance(withheld, list) else ()
            self._removed(states.Gone.EXPUNGED, fields, at)
            for place in fields["places"]:
                if place["path"] in self.book.kept:
                    self.book.kept[place["path"]] = place["sha256"]

    def _removed(self, why: states.Gone, fields: Mapping[str, Any], at: datetime) -> None:
        self.book.gone.update(dict.fromkeys(fields["sha256s"], why))
        self.book.gone_at.update(dict.fromkeys(fields["sha256s"], max(at, self.latest)))

    def _kept_anew(self, sha256s: Iterable[str]) -> None:
        """Take back that something is gone: the same bytes were kept anew."""
        for sha256 in sha256s:
            self.book.gone.pop(sha256, None)

    def _intent(self, fields: Mapping[str, Any], at: datetime) -> None:
        """Note an apply with what stands where it begins, for whoever checks it."""
        name, clocks = fields["apply"], Moment.of_entry(fields, at)
        again = self._open(name) is not None or fields["decision"] in self.settling
        self.last[name] = len(self.begun)
        self.begun.append(
            states.Apply(
                id=name,
                line=_line(fields),
                decision=fields["decision"],
                proposal=fields["proposal"],
                changes=tuple(fields["changes"]),
                taken_back=tuple(fields.get("taken_back", ())),
                targets=tuple(map(_target, fields["targets"])),
                standing=self._standing(fields["decision"], fields["proposal"]),
                accepted={one["path"]: self.book.claimed_of(one["path"]) for one in fields["targets"]},
                again=again,
                trust=len(self.trust.steps),
                began=clocks,
                latest=max(at, self.latest),
                clocks=clocks,
                outcomes=fields.get("outcomes"),
            )
        )
        self._kept_anew(target.get(name, "") for target in fields["targets"] for name in _KEPT)

    def _standing(self, decision: str, proposal: str) -> frozenset[int] | None:
        """Return the numbers of the changes that a decision could carry out as they stand; None where there is none."""
        decided, status = self.book.decisions.get(decision), self.book.proposals.get(proposal)
        if not decided or not status or decided.proposal != proposal or decided.sha256 in self.book.gone:
            return None
        approves = decided.type is DecisionType.APPROVE
        return frozenset(
            n
            for n, change in status.changes.items()
            if change.state in _UNDER.get(decided.type, ()) and (not approves or change.decision == decision)
        )

    def _open(self, name: str) -> states.Apply | None:
        """Return the last apply of an id while it has not ended."""
        apply = self.begun[self.last[name]] if name in self.last else None
        return apply if apply is not None and apply.outcome == "intent" else None

    def _named(self, fields: Mapping[str, Any], _: datetime) -> None:
        """Take what the entry beside an intent says of entries' names: it counts once that apply is done."""
        self.named[fields["apply"]] += fields["names"]

    def _finished(self, outcome: str, fields: Mapping[str, Any], at: datetime) -> None:
        apply = self._open(fields["apply"])
        if apply is None:
            self._unfounded(fields, "it ends an apply that had not begun")
            return
        ended = replace(apply, outcome=outcome, ended=_line(fields), clocks=Moment.of_entry(fields, at))
        self.begun[self.last[apply.id]] = ended
        decision = self.book.decisions.get(apply.decision)
        if outcome == "aborted" or decision is None or decision.proposal not in self.book.proposals:
            return
        if decision.type is DecisionType.DRIFT:
            self.settling.add(decision.id)
        undone = decision.type is DecisionType.UNDO
        done = states.ChangeStatus(
            state=states.ChangeState.UNDONE if undone else states.ChangeState.APPLIED,
            decision=decision.id,
            since=at,
        )
        status = self.book.proposals[decision.proposal]
        _move(status, apply.changes, done)
        _move(status, apply.taken_back, replace(done, state=states.ChangeState.REJECTED))
        self.book.applied_at[status.id] = max(at, self.book.applied_at.get(status.id, at))
        self._rename(self.named.pop(apply.id, ()), at)
        self._wrote([target for target in apply.targets if not self._watched(target.path)])
        for target in apply.targets:
            if self._watched(target.path):
                self._accept(target.path, target.accepted or target.after, at)

    def _watched(self, path: str) -> bool:
        """Tell whether a file is one of which the bytes accepted last count: all but daily logs and the archive."""
        return path in self.gated or path in self.protected or not is_kept(path)

    def _rename(self, steps: Sequence[tuple[str, str]], at: datetime) -> None:
        """Let edited entries keep their ids: all at once, for two may have changed places."""
        names = self.book.names
        kept = [(new, names.get(old, old)) for old, new in steps]
        for old, _ in steps:
            names.pop(old, None)
        names.update({new: name for new, name in kept if new != name})
        self.book.edited_at.update({name: at for _, name in kept})

    def _wrote(self, targets: Sequence[states.AppliedTarget]) -> None:
        """Note what was put into daily logs and the archive, and which log has its full text where."""
        self.book.kept.update({target.path: target.after for target in targets})
        full: defaultdict[str, list[str]] = defaultdict(list)
        for target in targets:
            if is_copy(target.path):
                full[target.after].append(target.path)
        for target in targets:
            self.book.copies.pop(target.path, None)
            if not is_copy(target.path) and target.before in full:
                name = target.path.rpartition("/")[2]
                held = full[target.before]  # logs of one text have a copy each, under their own names
                own = (copy for copy in held if copy.rpartition("/")[2] == name)
                self.book.copies[target.path] = next(own, held[-1])

    def _accept(self, path: str, sha256: str, at: datetime) -> None:
        if path in self.protected:
            self.protected[path] = sha256
            return
        self.gated[path] = sha256
        known = self.book.accepted.setdefault(path, {})
        known.pop(sha256, None)
        known[sha256] = at

    def _raced(self, fields: Mapping[str, Any], at: datetime) -> None:
        if apply := self._open(fields["apply"]):
            before = {target.path: target.before for target in apply.targets}
            for rival in fields.get("replaced", ()):
                path, sha256 = rival["path"], rival["sha256"]
                raced = states.Raced(path=path, sha256=sha256, before=before.get(path, ""))
                self.races[path, sha256] = raced
        self._finished("raced", fields, at)

    def _found(self, fields: Mapping[str, Any], at: datetime) -> None:
        path, sha256 = fields["path"], fields["sha256"]
        self._kept_anew((sha256,))
        self.races.pop((path, sha256), None)
        status = self.book.proposals.get(fields["proposal"])
        if status is None or status.kind is not Kind.DRIFT:
            return  # what another program wrote at the moment of an apply
        self.book.drifts[path] = states.Drift(
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
                self._unfounded(fields, f"it says that {file['path']}, which is gated, is protected")
            elif file["path"] not in NAMES:  # older versions watched the constitution as protected
                self.protected.setdefault(file["path"], file["sha256"])

    def _restored(self, fields: Mapping[str, Any], at: datetime) -> None:
        if fields["lost"] or "decision" in fields:
            self.restored.append(
                states.Restored(
                    at=at,
                    line=_line(fields),
                    size=min(fields["size"], _line(fields) - 1),
                    lost=fields["lost"],
                    root=fields.get("base", ""),
                    decision=fields.get("decision", ""),
                )
            )

    def _asked_again(self, fields: Mapping[str, Any], _: datetime) -> None:
        self.book.asked_again[fields["sha256"]] = _line(fields)

    def _locked(self, fields: Mapping[str, Any], _: datetime) -> None:
        self.locked = frozenset(fields["paths"])

    def _unfounded(self, fields: Mapping[str, Any], why: str) -> None:
        self.book.unfounded[_line(fields)] = why


def _move(
    status: states.ProposalStatus,
    numbers: Iterable[int],
    to: states.ChangeStatus,
    movable: Collection[states.ChangeState] = _ANY,
) -> None:
    """Move those of the changes that there are, and that stand where they can be moved from."""
    for n in numbers:
        if n in status.changes and status.changes[n].state in movable:
            status.changes[n] = to


def _target(fields: Mapping[str, str]) -> states.AppliedTarget:
    names = states.AppliedTarget.__struct_fields__
    return states.AppliedTarget(**{name: fields[name] for name in names if name in fields})


def _line(fields: Mapping[str, Any]) -> int:
    return int(fields.get("seq", -1)) + 1
