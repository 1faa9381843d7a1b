"""Values of the gate for tests: short to write, complete, each field overridable."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from msgspec.structs import replace
from tests.rows import corpus

from nightledger.domain.decision import Decision, Entry, Moment
from nightledger.domain.folding import fold_entries
from nightledger.domain.proposal import Anchor, Change, Draft, Evidence, Hunk, Op, Origin, Proposal
from nightledger.domain.states import Book

START = datetime(2026, 3, 1, 6, 0, tzinfo=UTC)
HOME = "nightledger/0123456789abcdef0123456789abcdef"
_PLAIN = json.loads(corpus("domain-gate_values.json"))
FOUNDING = (
    "identity", "economy", "curiosity", "connection", "uncertainty", "feedback", "balance", "focus", "care", "reflection",
)  # fmt: skip
"""Names of the principles that ship."""


def at(**by: float) -> Moment:
    """Give a moment that many hours, minutes or seconds after the start."""
    return Moment(at=START + timedelta(**by))


def change(n: int, *, target: str = "MEMORY.md") -> Change:
    """Give an addition."""
    hunk = Hunk(anchor=Anchor.SECTION_END, section=("Lessons",), added=f"- lesson {n}\n")
    return Change(
        n=n, op=Op.ADD, target=target, section="Lessons", before="", after=f"- lesson {n}", diff="", hunk=hunk, reason="",
        evidence=(), provenance=(Origin.AGENT,), confidence=0.5, key=f"lesson {n}",
    )  # fmt: skip


def evidence(path: str, outcome: str | None = None) -> Evidence:
    """Give a line of a file, or an outcome."""
    digest = hashlib.sha256(path.encode()).hexdigest()
    return Evidence(path=path, lines=(1, 1), sha256=digest, origin=Origin.AGENT, outcome=outcome)


def draft(key: str, **fields: Any) -> Draft:
    """Give an addition that somebody wants, known by its key."""
    known = {"after": key, "statement_key": key, "evidence": (evidence("memory/a.md"),)}
    return replace(msgspec.convert(_PLAIN["draft"], Draft), **{**known, **fields})


def proposal(*changes: Change, **fields: Any) -> Proposal:
    """Give a proposal of one change, or of those given."""
    return replace(msgspec.convert(_PLAIN["proposal"], Proposal), changes=changes or (change(1),), **fields)


def decision(**fields: Any) -> Decision:
    """Give an approval of change 1."""
    return replace(msgspec.convert(_PLAIN["decision"], Decision), **fields)


class Log:
    """Entries in the making."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(self, event: str, *, after: Mapping[str, float] | None = None, **fields: Any) -> "Log":
        """Add an entry, a minute after the one before unless told."""
        n = len(self.entries)
        self.entries.append((event, {**fields, "seq": n}, START + timedelta(**(after or {"minutes": n}))))
        return self

    def book(self) -> Book:
        """Return what the entries add up to."""
        return fold_entries(self.entries)

    def proposed(self, changes: int = 2, proposal: str = "p-1", lane: str = "job", **fields: Any) -> "Log":
        leaf = {
            "kind": "consolidate_daily_to_memory",
            "sha256": "aa",
            "lane": lane,
            "changes": changes,
            **fields,
        }
        return self.add("proposal.created", proposal=proposal, **leaf)

    def decided(self, kind: str, *changes: int, decision: str = "d-1", proposal: str = "p-1") -> "Log":
        fields: dict[str, Any] = {
            "sha256": "dd",
            "type": kind,
            "proposal": proposal,
            "changes": list(changes),
        }
        return self.add("decision.recorded", decision=decision, **fields)

    def intent(self, *changes: int, decision: str = "d-1", before: str = "b0", after: str = "b1") -> "Log":
        targets = [{"path": "MEMORY.md", "before": before, "after": after}]
        fields: dict[str, Any] = {"proposal": "p-1", "changes": list(changes), "targets": targets}
        return self.add("apply.intent", apply=f"a-{decision}", decision=decision, **fields)

    def done(self, decision: str = "d-1", outcome: str = "done") -> "Log":
        return self.add(f"apply.{outcome}", apply=f"a-{decision}")


def play(steps: list[list[Any]]) -> Log:
    """Return a log from the names of methods of :class:`Log`, each with its arguments, the named ones in an object."""
    log = Log()
    for name, *words in steps:
        fields = words.pop() if words and isinstance(words[-1], dict) else {}
        getattr(log, name)(*words, **fields)
    return log
