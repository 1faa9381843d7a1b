"""Drafts for the tests of placing: only what placing looks at varies."""

from nightledger.domain.proposal import Draft, Hunk, Op
from nightledger.text.changes.place import Unplaced, make_hunk, put_all


def draft(op: Op, *section: str, after: str = "", before: str = "", line: int = 0) -> Draft:
    return Draft(
        op=op,
        target="MEMORY.md",
        section=section,
        after=after,
        before=before,
        line=line,
        reason="",
        evidence=(),
        confidence=0.5,
        rank=0.5,
        statement_key="",
    )


def made(document: str, one: Draft) -> Hunk:
    hunk = make_hunk(document, one)
    assert isinstance(hunk, Hunk), hunk
    return hunk


def refused(document: str, one: Draft) -> str:
    hunk = make_hunk(document, one)
    assert isinstance(hunk, Unplaced), hunk
    return hunk.reason


def applied(document: str, *hunks: Hunk) -> str:
    outcome = put_all(document, hunks)
    assert isinstance(outcome, str), outcome
    return outcome


def added(document: str, after: str, *section: str) -> str:
    return applied(document, made(document, draft(Op.ADD, *section, after=after)))


def removed(document: str, before: str, line: int = 0) -> str:
    return applied(document, made(document, draft(Op.REMOVE, before=before, line=line)))


def replaced(document: str, before: str, after: str, line: int = 0) -> str:
    return applied(document, made(document, draft(Op.REPLACE, before=before, after=after, line=line)))
