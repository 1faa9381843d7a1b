"""Drafts for the tests of placing: only what placing looks at varies."""

from typing import Any

from nightledger.domain.proposal import Draft, Hunk, Op
from nightledger.text.changes.place import make_hunk, put_all


def draft(op: Op, *section: str, after: str = "", before: str = "", line: int = 0) -> Draft:
    return Draft(
        op=op, target="MEMORY.md", section=section, reason="", evidence=(), confidence=0.5, rank=0.5, statement_key="",
        after=after, before=before, line=line,
    )  # fmt: skip


def drafted(told: dict[str, Any]) -> Draft:
    """Return the draft that a row of a corpus tells."""
    told = dict(told)
    return draft(Op(told.pop("op")), *told.pop("section", ()), **told)


def made(document: str, one: Draft) -> Hunk:
    hunk = make_hunk(document, one)
    assert isinstance(hunk, Hunk), hunk
    return hunk


def applied(document: str, *hunks: Hunk) -> str:
    outcome = put_all(document, hunks)
    assert isinstance(outcome, str), outcome
    return outcome


def changed(document: str, op: Op, *section: str, **told: Any) -> str:
    return applied(document, made(document, draft(op, *section, **told)))
