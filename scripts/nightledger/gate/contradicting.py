"""Two wordings that contradict each other: shown side by side, and settled by nobody but the operator.

A change of a check-up takes out one of two entries; one of a night puts a wording into an entry's place, or beside it. Which of
the two stays, or when both are true, is an answer to that change where one suffices, and else a change in its place, which is
shown, scanned and signed like any wording of the operator's. Invariant: what was answered so is not asked about again.
"""

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import AlteredError, NightledgerError
from nightledger.domain.judge import OPERATOR
from nightledger.domain.proposal import CONTRADICTION, Change, Draft, Flag, Kind, Op, Proposal
from nightledger.domain.states import Book, ChangeState, ProposalStatus
from nightledger.gate.editing import draft_like, lines_of
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate
from nightledger.gate.reviewing import Verb
from nightledger.gate.stored import read_proposal, reason_of
from nightledger.text.checkup.units import read_units
from nightledger.text.markdown.document import Document, decode, encode, is_blank, parse_markdown, split_lines
from nightledger.text.markdown.entries import Entry, find_entries

BOTH = "both are true"
"""Begins the reason of a signed rejection after which neither of two entries is doubted for the other; a condition may follow."""
KEEPS = "what memory says stays"
"""The reason of a rejection that prefers an entry to what contradicts it."""
MOST_CHARACTERS = 300
"""Of a condition: a sentence."""
_SAID = Flag(rule=CONTRADICTION, message="you say that both are true")
_STANDS = frozenset({ChangeState.APPROVED, ChangeState.APPLIED})


class Side(StrEnum):
    """Which of two wordings stays: ``first`` is what the change would take out or stand beside."""

    FIRST = "1"
    SECOND = "2"
    BOTH = "3"


class Sides(Struct, frozen=True, kw_only=True):
    """Two wordings that contradict each other.

    Attributes:
        first: What stands in memory and the change is about, as it stands.
        second: The other one, of memory or of the night.
        line: Where the first stands, from 1.
        other_line: Where the second stands; 0 where it is the night's.
        entry: The one that takes a change of its own: the first, where an addition would stand beside it; the second of two
            of memory; else None.
    """

    first: str
    second: str
    line: int
    other_line: int = 0
    entry: Entry | None = None


def find_sides(gate: Gate, proposal: Proposal, change: Change) -> Sides | None:
    """Return the two wordings that a change asks about; None where it asks about no two, or one stands there no more."""
    if not _is_flagged(change) or proposal.supersedes is not None:
        return None
    try:
        document = parse_markdown(decode(read_gated(gate.home, change.target)))
    except NightledgerError:
        return None
    entries = find_entries(document)
    if change.op is Op.ADD:
        entry = next((one for one in entries if one.id == change.entry), None)
        told = entry and Sides(first=entry.text, second=change.after, line=entry.first_line, entry=entry)
        return told or None
    first, line = lines_of("".join(document.lines), change)
    if not line:
        return None
    if change.op is Op.REPLACE:
        is_other = first.strip() not in change.after
        return Sides(first=first, second=change.after, line=line) if is_other else None
    first, line = _item_in(first, line)
    other = next(_other_lines(change, document), 0)
    if not other:
        return None
    entry = next((one for one in entries if one.first_line <= other <= one.last_line), None)
    if entry and entry.first_line < other:  # it is an item below another
        last = next((unit.last for unit in read_units(document) if unit.first == other), other)
        entry = replace(entry, text=document.text(other, last), first_line=other)
    second = document.text(other, other)
    return Sides(first=first, second=second, line=line, other_line=other, entry=entry)


def _item_in(text: str, line: int) -> tuple[str, int]:
    """Return what is left of lines, and the first of them, without headings and blanks that would go along."""
    lines = split_lines(text)
    while lines and (is_blank(lines[0]) or lines[0].startswith("#")):
        lines, line = lines[1:], line + 1
    while lines and is_blank(lines[-1]):
        lines = lines[:-1]
    return "".join(lines), line


def _other_lines(change: Change, document: Document) -> Iterator[int]:
    """Yield the lines of a file that a change cites beside its own, wherever they stand now."""
    wanted = {one.sha256 for one in change.evidence[1:] if one.path == change.target}
    for number, line in enumerate(document.lines if wanted else (), 1):
        if hashlib.sha256(encode(line.removesuffix("\n"))).hexdigest() in wanted:
            yield number


def settle_sides(change: Change, sides: Sides, side: Side, condition: str) -> tuple[Verb, str] | Draft | None:
    """Return what it takes that one of two wordings stays, or both; None where the file has no place for that.

    Args:
        change: What asks.
        sides: The two.
        side: Which stays.
        condition: When both are true, in the operator's words; empty where that needs no saying.

    Returns:
        An answer to the change, with the reason of a rejection; or a draft in its place.
    """
    when = " ".join(condition.split())[:MOST_CHARACTERS]
    match change.op, side, bool(when):
        case (Op.REMOVE | Op.REPLACE, Side.SECOND, _) | (Op.ADD, Side.BOTH, False):
            return Verb.APPROVE, ""
        case Op.REMOVE, Side.BOTH, False:
            return Verb.REJECT, BOTH
        case ((Op.ADD | Op.REPLACE), Side.FIRST, _):
            return Verb.REJECT, KEEPS
        case _:
            pass
    like = draft_like(change, "settled by the operator")
    return _both(change, sides, like, when) if side is Side.BOTH else _one(change, sides, like)


def _both(change: Change, sides: Sides, like: Draft, when: str) -> Draft:
    """Return what has both stand, one of them with its condition."""
    second = _with_condition(change.after, when)
    if change.op is Op.ADD:
        return replace(like, after=second, flags=(_SAID,))
    gap = "" if sides.first.lstrip()[:1] in "-*+0123456789" else "\n"
    beside = f"{sides.first.rstrip()}\n{gap}{second}"
    after = _with_condition(sides.first, when) if change.op is Op.REMOVE else beside
    return replace(like, op=Op.REPLACE, before=sides.first, line=sides.line, after=after, flags=(_SAID,))


def _one(change: Change, sides: Sides, like: Draft) -> Draft | None:
    """Return what takes the other entry out, or puts an addition in the place of the one that it contradicts."""
    entry = sides.entry
    if entry is None:
        return None
    own = "" if change.op is Op.REMOVE else entry.marker + change.after.removeprefix("- ")
    op = Op.REPLACE if own else Op.REMOVE
    place = {"section": entry.section, "before": entry.text, "line": entry.first_line}
    return replace(like, op=op, after=own, **place)


def _is_flagged(change: Change) -> bool:
    return any(flag.rule == CONTRADICTION for flag in change.flags)


def _with_condition(text: str, when: str) -> str:
    """Return an entry whose first line says when it is true beside the other one."""
    first, end, rest = text.partition("\n")
    return f"{first.rstrip().rstrip('.')} ({BOTH} when {when}){end}{rest}" if when else text


def kept_sides(gate: Gate, book: Book, path: str, text: str) -> Iterator[str]:
    """Yield the items of a file that the operator did not let go for another one, or said to be true beside it.

    Args:
        gate: The home.
        book: What became of every proposal.
        path: The file.
        text: What it says now.
    """
    document = parse_markdown(text)
    for status in book.proposals.values():
        answered = {n for n, one in status.changes.items() if one.state in {*_STANDS, ChangeState.REJECTED}}
        if answered and status.kind in (Kind.PRUNE, Kind.CONSOLIDATE):
            with suppress(AlteredError):
                proposal = read_proposal(gate, status).proposal
                for change in proposal.changes:
                    if change.n in answered and change.target == path and _is_flagged(change):
                        yield from _kept(gate, book, status, proposal, change, document)


def _kept(
    gate: Gate, book: Book, status: ProposalStatus, proposal: Proposal, change: Change, document: Document
) -> Iterator[str]:
    others = (document.text(line, line) for line in _other_lines(change, document))
    if status.state_of(change.n) is ChangeState.REJECTED:
        if proposal.kind is Kind.PRUNE:
            yield change.before
            decision = book.decisions.get(status.changes[change.n].decision or "")
            if decision and reason_of(gate.home, decision).startswith(BOTH):
                yield from others
    elif change.op is Op.ADD or (change.op is Op.REPLACE and proposal.lane == OPERATOR):
        yield from (f"{line}\n" for line in change.after.split("\n"))
        yield from others
        yield from (one.text for one in find_entries(document) if one.id == change.entry)
