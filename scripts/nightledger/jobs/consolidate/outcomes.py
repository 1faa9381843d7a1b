"""What outcomes teach: patterns, as drafts of lessons.

Invariant: an outcome of a later day than the one consolidated is not read.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from zoneinfo import ZoneInfo

from nightledger.codec.outcome_rows import read_outcome_rows, to_outcome
from nightledger.domain.confidence import confidence
from nightledger.domain.lessons import Standing, lesson_drafts
from nightledger.domain.pattern import Learning, Recorded
from nightledger.domain.patterns import find_patterns
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Draft, Op
from nightledger.domain.states import ChangeState
from nightledger.files.reading import read_optional
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored
from nightledger.text.entries import find_entries
from nightledger.text.markdown import Document
from nightledger.text.sections import Shelf, choose_section
from nightledger.text.similar import fold

MAX_OUTCOMES_BYTES = 4 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeFindings:
    """What was found in outcomes.

    Attributes:
        drafts: One for each pattern that is worth remembering.
        outcomes: How many outcomes were read.
        patterns: How many patterns there are, those that are only counted too.
        problems: How many lines are no outcomes.
    """

    drafts: list[Draft]
    outcomes: int
    patterns: int
    problems: int


def find_in_outcomes(
    gate: Gate, ledger: Ledger, stored: list[Stored], document: Document, day: date, zone: ZoneInfo
) -> OutcomeFindings:
    """Find lessons in all outcomes up to a day."""
    raw = read_optional(gate.home.outcomes, MAX_OUTCOMES_BYTES, within=gate.home.root) or b""
    records, problems = read_records(raw)
    known = [record for record in records if log_day(record.outcome.timestamp, zone) <= day]
    learning = Learning(zone=zone, confidence=confidence, min_sources=gate.settings.pattern_sources)
    patterns = find_patterns(known, learning)
    drafts = lesson_drafts(
        patterns,
        target=gate.home.identity.gated[0],
        section=choose_section(document, Shelf.LESSONS),
        standing=list(_standing(ledger, stored, document)),
    )
    return OutcomeFindings(drafts=drafts, outcomes=len(known), patterns=len(patterns), problems=problems)


def read_records(raw: bytes) -> tuple[list[Recorded], int]:
    """Give the outcomes of a file with their lines, and how many lines are none."""
    rows = read_outcome_rows(raw)
    bad = {number for number, _ in rows.problems}
    lines = [(n, line) for n, line in enumerate(raw.split(b"\n"), 1) if line.strip() and n not in bad]
    records = [
        Recorded(outcome=to_outcome(row), line=n, sha256=hashlib.sha256(line).hexdigest())
        for row, (n, line) in zip(rows.rows, lines, strict=True)
    ]
    return records, len(bad)


def _standing(ledger: Ledger, stored: list[Stored], document: Document) -> Iterator[Standing]:
    """Give the lessons that came through the gate and still stand, word for word."""
    entries = {fold(entry.text): entry for entry in find_entries(document)}
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            entry = entries.get(fold(change.hunk.added))
            applied = status.state_of(change.n) is ChangeState.APPLIED
            if entry and applied and change.op in (Op.ADD, Op.REPLACE):
                yield Standing(
                    key=change.key,
                    text=entry.text,
                    line=entry.first_line,
                    section=entry.section,
                    entry=entry.id,
                )
