"""What outcomes teach: patterns, as drafts of lessons.

Invariant: an outcome of a later day than the one consolidated is not read.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from msgspec import Struct

from nightledger.codec.rows import read_outcome_rows
from nightledger.domain.consolidation import SourceRead
from nightledger.domain.errors import NightledgerError
from nightledger.domain.lessons import Procedure, Standing, find_patterns, find_procedures, lesson_drafts
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.patterns import Learning, Recorded
from nightledger.domain.periods import log_day
from nightledger.domain.proposal import Draft, Op
from nightledger.domain.states import ChangeState
from nightledger.files.durable import read_optional, read_regular
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import find_entries
from nightledger.text.similar import fold
from nightledger.text.statements.sections import Shelf, choose_section

MAX_FILE_BYTES = 16 << 20
"""As much as the logger reads of a file to hash its lines."""
MAX_OUTCOMES_BYTES = 4 << 30
RECENT_DAYS = 14
"""A lesson that had no room competes as long as a statement does; older kinds of task had their turn."""


class OutcomeFindings(Struct, frozen=True, kw_only=True):
    """What was found in outcomes.

    Attributes:
        drafts: One for each pattern that is worth remembering.
        outcomes: How many outcomes were read.
        patterns: How many patterns there are, those that are only counted too.
        problems: How many lines are no outcomes.
        read: The file as it was read; None where there was none.
        obsolete: Changes that wait and that a newer pattern replaces, or a failure since: proposal and number.
        procedures: What worked often enough for a skill, or failed, the best first.
    """

    drafts: list[Draft]
    outcomes: int
    patterns: int
    problems: int
    read: SourceRead | None = None
    obsolete: tuple[tuple[str, int], ...] = ()
    procedures: tuple[Procedure, ...] = ()


def find_in_outcomes(
    gate: Gate, ledger: Ledger, stored: list[Stored], document: Document, day: date, zone: ZoneInfo
) -> OutcomeFindings:
    """Find lessons in all outcomes up to a day, of the kinds of task that were at work lately."""
    found = read_optional(gate.home.outcomes, MAX_OUTCOMES_BYTES, within=gate.home.root)
    raw = found or b""
    records, problems = read_records(raw)
    known = [record for record in records if log_day(record.outcome.timestamp, zone) <= day]
    learning = Learning(zone=zone, min_sources=gate.settings.pattern_sources)
    first = day - timedelta(days=RECENT_DAYS - 1)
    recent = {r.outcome.task_type for r in known if log_day(r.outcome.received_at, zone) >= first}
    patterns = find_patterns(known, learning, task_types=recent)
    drafts = lesson_drafts(
        patterns,
        target=gate.home.identity.gated[0],
        section=choose_section(document, Shelf.LESSONS),
        standing=list(_standing(ledger, stored, document)),
        holds=partial(attests, gate.home, ledger.book.copies),
    )
    procedures = find_procedures(known, learning, task_types=recent)
    replaced = {key for pattern in patterns if pattern.is_lesson for key in pattern.replaces}
    replaced |= {procedure.key for procedure in procedures if not procedure.is_due}
    return OutcomeFindings(
        drafts=drafts,
        outcomes=len(known),
        patterns=len(patterns),
        problems=problems,
        read=None if found is None else source_read(gate.home.relative(gate.home.outcomes), raw),
        obsolete=tuple(_waiting(ledger, stored, replaced)),
        procedures=tuple(one for one in procedures if one.is_due or one.failed),
    )


class Attested(Struct, frozen=True, kw_only=True):
    """A file in which evidence stands as it says: its bytes and their hex SHA-256."""

    content: bytes
    sha256: str


def attests(home: Home, copies: Mapping[str, str], evidence: OutcomeEvidence) -> bool:
    """Tell whether the lines that evidence names are there; see :func:`find_attested`."""
    return find_attested(home, copies, evidence) is not None


def find_attested(home: Home, copies: Mapping[str, str], evidence: OutcomeEvidence) -> Attested | None:
    """Return the file whose lines have the hash that evidence names; None where there is none.

    Args:
        home: Whose files.
        copies: Full texts in the archive, by the path of the log that was compressed.
        evidence: As the outcome has it.
    """
    first, last = evidence.lines
    for path in filter(None, (evidence.path, copies.get(evidence.path))):
        with suppress(NightledgerError, OSError, ValueError):  # no file, or a name that none can have
            content = read_regular(home.path(path), MAX_FILE_BYTES, within=home.root)
            lines = content.removesuffix(b"\n").split(b"\n", last)[:last]
            cited = b"\n".join(lines[first - 1 :])
            if len(lines) == last and hashlib.sha256(cited).hexdigest() == evidence.sha256:
                return Attested(content=content, sha256=hashlib.sha256(content).hexdigest())
    return None


def source_read(path: str, content: bytes) -> SourceRead:
    """Give what the consolidation log says of a file that was read."""
    return SourceRead(path=path, sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))


def _waiting(ledger: Ledger, stored: list[Stored], keys: set[str]) -> Iterator[tuple[str, int]]:
    """Name the changes with one of these keys that still wait for an answer."""
    for item in stored:
        waiting = ledger.book.proposals[item.proposal.id].open_changes()
        for change in item.proposal.changes:
            if change.key in keys and change.n in waiting:
                yield item.proposal.id, change.n


def read_records(raw: bytes) -> tuple[list[Recorded], int]:
    """Give the outcomes of a file with their lines, and how many lines are none."""
    rows = read_outcome_rows(raw)
    bad = {number for number, _ in rows.problems}
    lines = [(n, line) for n, line in enumerate(raw.split(b"\n"), 1) if line.strip() and n not in bad]
    records = [
        Recorded(outcome=row, line=n, sha256=hashlib.sha256(line).hexdigest())
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
