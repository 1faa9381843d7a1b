"""What prose adds to a statement: how much it is about the agent itself, and what it contradicts.

Invariant: the analyst is one seam with one call a statement; whatever it says passes its
validators, and it changes rank and flags, never evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from nightledger.domain.proposal import Flag
from nightledger.domain.statement import Statement
from nightledger.text.analyst import Analyst, ExtractiveAnalyst, SelfContext
from nightledger.text.contradictions import find_contradictions
from nightledger.text.entries import Entry, find_entries
from nightledger.text.markdown import Document

ALIGNMENT_SHARE = 0.2
"""How much of what is missing to certainty full alignment adds to a statement's rank; our choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """What statements are read against.

    Attributes:
        analyst: Whoever analyses prose.
        context: What the agent is and wants.
        entries: One-line entries of the memory file, by id.
    """

    analyst: Analyst
    context: SelfContext
    entries: Mapping[str, Entry]


def make_reader(document: Document, analyst: Analyst | None = None) -> Reader:
    """Give the reader of one night; the extractive analyst unless another is given."""
    entries = {
        entry.id: entry
        for entry in find_entries(document)
        if entry.first_line == entry.last_line  # of a longer one only a part would be contradicted
    }
    return Reader(analyst=analyst or ExtractiveAnalyst(), context=SelfContext(), entries=entries)


def rank_of(statement: Statement, reader: Reader) -> float:
    """Give a statement's rank, 0..1, rounded to 4 decimals: how it works counts a little more."""
    alignment = reader.analyst.process_block(statement.text, reader.context).alignment_score
    return round(statement.score + (1 - statement.score) * ALIGNMENT_SHARE * alignment, 4)


def contradicted(statement: Statement, reader: Reader) -> tuple[Entry, Flag] | None:
    """Give the entry that a statement contradicts most clearly, with the flag that says so."""
    if "\n" in statement.text:
        return None
    known = ((name, entry.text.strip()) for name, entry in reader.entries.items())
    found = find_contradictions(statement.text, known)
    if not found:
        return None
    return reader.entries[found[0].entry], Flag(
        rule="contradiction", message=f"{found[0].reason}: keep one of them"
    )
