"""What is withheld of a file, kept in the index, and its chunks for each who may see them.

A chunk of which something is withheld stands in the index twice: as it is, for the operator, and as an agent may see it.

Invariant: what an agent's chunks hold, their headings and what stands before them included, may be told to it.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger.domain.search import Kind
from nightledger.files.search_store import SearchStore
from nightledger.files.search_writing import NewChunk, SearchWriter
from nightledger.recall.changes import Changed
from nightledger.recall.sources import NOTE_HEADING, Cut
from nightledger.recall.visibility import BEFORE, HEADING, NOTE, UNSIGNED, Held, Judge, describe, without

BY_LINES = frozenset({Kind.MEMORY, Kind.DAILY, Kind.ARCHIVE, Kind.HANDOFF})
"""Kinds whose chunks are lines of their file; of the others it is their words that are judged."""
_KEY = "judged {}"
"""Of the index's notes, for the path of a file."""
Spans = Sequence[tuple[int, int]]


class Verdict(Struct, frozen=True, kw_only=True):
    """What is withheld of a file.

    Attributes:
        scanned_by: What scanners went by (``Rules.scanned_by``).
        lines: How many lines the file has, as far as it is read.
        by_itself: Lines that are withheld for what they say.
        by_rules: Lines that say what is not to be said.
        signed: Where blocks stand in it that an operator signed for the archive, as characters.
    """

    scanned_by: str = ""
    lines: int = 0
    by_itself: Held = field(default_factory=dict)
    by_rules: Held = field(default_factory=dict)
    signed: Spans = ()

    @property
    def held(self) -> Held:
        """Each line that is withheld, with why."""
        return dict(sorted((self.by_itself | self.by_rules).items()))


def read_verdict(store: SearchStore, path: str) -> Verdict | None:
    """Return what is withheld of a file, as it was when it was indexed; None for a file that is not in the index."""
    stored = store.meta(_KEY.format(path))
    if not stored:
        return None
    scanned_by, lines, *helds, signed = json.loads(stored)
    by_itself, by_rules = ({int(n): why for n, why in held.items()} for held in helds)
    spans = tuple((start, end) for start, end in signed)
    return Verdict(scanned_by=scanned_by, lines=lines, by_itself=by_itself, by_rules=by_rules, signed=spans)


def keep_verdict(writer: SearchWriter, path: str, verdict: Verdict | None) -> None:
    """Keep what is withheld of a file; None for a file that went."""
    said = verdict and [
        verdict.scanned_by,
        verdict.lines,
        verdict.by_itself,
        verdict.by_rules,
        verdict.signed,
    ]
    writer.note(_KEY.format(path), json.dumps(said) if said else "")


def judge_file(
    judge: Judge, store: SearchStore, changed: Changed, lines: Sequence[str], *, signed: Spans
) -> Verdict:
    """Return what is withheld of a file now; what it says by itself is known as long as it is the same.

    Args:
        judge: Says what is withheld.
        store: The index, which knows what was withheld before.
        changed: The file.
        lines: Its lines, or what its records say.
        signed: As in ``Verdict``.
    """
    source, before = changed.source, read_verdict(store, changed.source.path) or Verdict()
    is_known = before.scanned_by == judge.rules.scanned_by
    by_itself = before.by_itself
    if changed.fresh or not is_known:
        known: set[str] = set()
        if is_known and source.kind is Kind.OUTCOME:  # outcomes are many, and come one by one
            known = {chunk.text for chunk in store.chunks_of(source.path) if not chunk.held}
        by_itself = judge.by_itself(source.kind, ["" if line in known else line for line in lines])
    return Verdict(
        scanned_by=judge.rules.scanned_by,
        lines=len(lines),
        by_itself=by_itself,
        by_rules=judge.by_rules(source.path, source.kind, lines),
        signed=signed,
    )


def for_each(judge: Judge, kind: Kind, cut: Cut, lines: Sequence[str], verdict: Verdict) -> Cut:
    """Return chunks as the operator may see them, and behind them those of which something is withheld as an agent may.

    Args:
        judge: Says what of headings is withheld, and which entries are signed.
        kind: Of the file.
        cut: The file's chunks.
        lines: As for :func:`judge_file`.
        verdict: What is withheld of the file.
    """
    held, pieces, size = verdict.held, [cut.text], len(cut.text)
    starts = [0, *(at + 1 for at, letter in enumerate(cut.text) if letter == "\n")]
    chunks: list[NewChunk] = []
    told: list[NewChunk] = []
    headings: dict[str, str] = {}
    for one in cut.chunks:
        lead, text = cut.text[one.start - one.lead : one.start], cut.text[one.start : one.end]
        first = one.first_line if kind in BY_LINES else bisect_right(starts, one.start)
        above = first - lead.count("\n")
        own = {n: held[n] for n in range(first, first + text.count("\n") + 1) if n in held}
        before = {n: held[n] for n in range(above, first) if n in held}
        if kind is Kind.MEMORY and not judge.is_signed(one.entry):
            own = dict.fromkeys(range(first, first + text.count("\n") + 1), UNSIGNED)
        elif kind is Kind.OUTCOME and one.heading == NOTE_HEADING:
            own = {first: NOTE}
        if one.heading not in headings:
            headings[one.heading] = judge.heading(one.heading, lines, held)
        heading = headings[one.heading]
        why = describe(own) or (HEADING if heading != one.heading else BEFORE if before else "")
        moved = any(start <= one.start and one.end <= end for start, end in verdict.signed)
        chunks.append(replace(one, held=why, moved=moved))
        left = without(text, first, own)
        if why and left.strip():
            pieces += ["\n", without(lead, above, before), left]
            start = size + 1 + len(pieces[-2])
            size = start + len(left)
            shown: dict[str, Any] = {"start": start, "end": size, "lead": len(pieces[-2]), "heading": heading}
            told.append(replace(one, held=None, moved=moved, **shown))
    return Cut(text="".join(pieces), chunks=(*chunks, *told))
