"""What a night reads beside daily logs: records of sessions, outcomes, and the memory file that statements are read against.

Records of sessions that are worth a question: a correction of three sessions, what a decision taught, how a problem was solved.
Which kinds teach, and in which words, are rows of ``config/records.json``. Outcomes teach patterns, as drafts of lessons. Of
the memory file: its entries, how old they are, and what contradicts them.

Invariant: whoever a record names as its author, it stands in a file that agents write: it is the agent's word. An event or
outcome of a later day than the one consolidated is not read.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, time, timedelta
from functools import partial
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from nightledger.codec.canonical import BOM
from nightledger.codec.rows import read_outcome_rows
from nightledger.domain import lessons
from nightledger.domain import proposal as proposals
from nightledger.domain.consolidation import DayLog, SourceRead, Statement
from nightledger.domain.errors import NightledgerError, UnreadableError
from nightledger.domain.lessons import MAX_EVIDENCE, Procedure, find_patterns, find_procedures, lesson_drafts
from nightledger.domain.outcome import OutcomeEvidence
from nightledger.domain.patterns import Learning, Recorded
from nightledger.domain.periods import DAY, local_moment, log_day
from nightledger.domain.record import Record, lesson_of
from nightledger.domain.states import ChangeState
from nightledger.domain.words import count_of
from nightledger.files.durable import read_optional, read_regular
from nightledger.files.home import Home
from nightledger.gate.opening import Gate, Ledger
from nightledger.gate.stored import Stored
from nightledger.hosts.daylogs import LogFile, Skipped
from nightledger.records.keeping import fold_lines, record_kinds
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import Entry, EntryKind, find_entries
from nightledger.text.similar import fold
from nightledger.text.statements.additions import THRESHOLD
from nightledger.text.statements.sections import Shelf, choose_section
from nightledger.text.statements.statements import Revision, find_revisions
from nightledger.text.statements.wording import alignment_of, claims_of

ALIGNMENT_SHARE = 0.2
"""How much of what is missing to certainty full alignment adds to a statement's rank; our choice."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Target(Struct, frozen=True, kw_only=True):
    """The memory file that a night reads its logs against.

    Attributes:
        path: Relative to the home.
        adopted: The day from which the home was looked after: what stood there then may be as young as that.
        unasked: Names of headings and files of notes from which nothing is proposed (``gate/forgotten.py``).
        loaded: Lines of the other files that the host shows its agent in every session: what stands there is no news.
        owners: What its owner is called there.
    """

    path: str
    adopted: date
    unasked: frozenset[str] = frozenset()
    loaded: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()


class Reader(Struct, frozen=True, kw_only=True):
    """What statements are read against.

    Attributes:
        target: The memory file.
        entries: One-line entries of the memory file, by id.
        days: Since which day at the latest each entry, of several lines, too, says what it says.
        standing: Those of one line, to be asked what a statement contradicts.
    """

    target: Target
    entries: Mapping[str, Entry]
    days: Mapping[str, date]
    standing: Standing


class Clash(Struct, frozen=True, kw_only=True):
    """What a statement contradicts.

    Attributes:
        entry: Whose place it takes; None where the two are only to be seen together.
        flag: What differs, for the operator.
        beside: The entry that it is to be seen together with, where it takes no place.
    """

    entry: Entry | None
    flag: proposals.Flag
    beside: Entry | None = None


def make_reader(document: Document, stored: Iterable[Stored], target: Target) -> Reader:
    """Return what statements of one night are read against.

    Args:
        document: The memory file.
        stored: Everything that was ever proposed; it tells how old an entry is.
        target: Its place.
    """
    found = find_entries(document)
    entries = {
        entry.id: entry
        for entry in found
        # of a longer one only a part would be contradicted
        if entry.first_line == entry.last_line and entry.kind in {EntryKind.ITEM, EntryKind.PARAGRAPH}
    }
    said = _days_said(stored)
    return Reader(
        target=target,
        entries=entries,
        days={entry.id: said.get(fold(entry.text), target.adopted) for entry in found},
        standing=Standing((name, entry.text.strip()) for name, entry in entries.items()),
    )


def _days_said(stored: Iterable[Stored]) -> dict[str, date]:
    """Give for each wording that was ever proposed the youngest day that said so."""
    days: dict[str, date] = {}
    for item in stored:
        for change in item.proposal.changes:
            wording, day = fold(change.after), _day_of(change, item.proposal)
            days[wording] = max(day, days.get(wording, day))
    return days


def _day_of(change: proposals.Change, proposal: proposals.Proposal) -> date:
    """Give the day of the youngest log that a change cites; of none that is younger than its proposal, else its day."""
    paths = " ".join(evidence.path for evidence in change.evidence)
    days = []
    for name in _DATE.findall(paths):
        with suppress(ValueError):  # digits that look like a date and are none
            days.append(date.fromisoformat(name))
    proposed = proposal.created_at.date()
    return min(proposed, max(days, default=proposed))  # a file may be named for the year 9999


def rank_of(statement: Statement) -> float:
    """Give a statement's rank, 0..1, rounded to 4 decimals: how it works counts a little more."""
    alignment = alignment_of(statement.text)
    return round(statement.score + (1 - statement.score) * ALIGNMENT_SHARE * alignment, 4)


def contradicted(statement: Statement, reader: Reader) -> Clash | None:
    """Give what a statement contradicts most clearly; of one with several lines, no entry's place is taken."""
    hits = [hit for claim in claims_of(statement.text) for hit in reader.standing.contradicted_by(claim)]
    if not hits:
        return None
    takes_place = "\n" not in statement.text
    clashes = [clash_with(hit, statement, reader, takes_place=takes_place) for hit in hits]
    return next((clash for clash in clashes if clash.entry), clashes[0])


def clash_with(
    hit: Contradiction, statement: Statement, reader: Reader, *, takes_place: bool = True
) -> Clash:
    """Give what one contradiction means for a statement: whether it takes the entry's place, and what to say."""
    entry = reader.entries[hit.entry]
    if takes_place and hit.sure and is_later(statement, hit.entry, reader):
        return Clash(
            entry=entry,
            flag=proposals.Flag(rule=proposals.CONTRADICTION, message=f"{hit.reason}: keep one of them"),
        )
    younger = "" if is_later(statement, hit.entry, reader) else ", which may be younger"
    message = f"may contradict {reader.target.path}:{entry.first_line}{younger}: {hit.reason}"
    return Clash(entry=None, beside=entry, flag=proposals.Flag(rule=proposals.CONTRADICTION, message=message))


def is_later(statement: Statement, entry: str, reader: Reader) -> bool:
    """Say whether a statement is no older than what the entry says."""
    return statement.day >= reader.days[entry]


def revisions_in(day_log: DayLog, reader: Reader) -> tuple[Revision, ...]:
    """Give what a log changes in memory, of entries that are no younger."""
    found = find_revisions(day_log, reader.standing)
    return tuple(one for one in found if is_later(one.statement, one.contradiction.entry, reader))


def choose_revisions(
    revisions: Iterable[Revision], proposed: Collection[str], limit: int
) -> tuple[Revision, ...]:
    """Give for each entry the last word, if it is likely and was not proposed before; the best first.

    Args:
        revisions: Of this night's log and of earlier ones.
        proposed: Keys of all that was ever proposed.
        limit: How many at most.
    """
    in_order = sorted(revisions, key=lambda one: (one.statement.day, one.statement.path, one.statement.lines))
    last = {one.contradiction.entry: one for one in in_order}
    chosen = [
        one for one in last.values() if one.statement.score >= THRESHOLD and one.statement.key not in proposed
    ]
    return tuple(sorted(chosen, key=lambda one: (-one.statement.score, one.statement.key))[:limit])


MAX_RECORDS_BYTES = 32 << 20


class Taught(Struct, frozen=True, kw_only=True):
    """What the records of one kind teach that last changed on one day.

    Attributes:
        text: Each in the line that has the number of its last event's; all others are empty.
        content: The file.
        records: By that number.
    """

    text: str
    content: bytes
    records: Mapping[int, Record]


def read_taught(
    home: Home, first: date, last: date, zone: ZoneInfo
) -> tuple[dict[LogFile, Taught], list[Skipped]]:
    """Return what records teach that changed on some days, by file and day; and the files that cannot be read."""
    found: dict[LogFile, Taught] = {}
    skipped = []
    for name, kind in record_kinds().items():
        path = home.relative(home.records(name))
        try:
            content = (
                read_optional(home.path(path), MAX_RECORDS_BYTES, within=home.root) if kind.teaches else b""
            )
        except UnreadableError as error:
            reason = str(error).replace(f"{home.root}/", "")
            skipped.append(Skipped(path=path, reason=reason))
            continue
        until = local_moment(last + DAY, time(), zone)
        records, _ = fold_lines(name, [content], until=until) if content else ({}, 0)
        days: dict[date, dict[int, Record]] = {}
        for one in records.values():
            day = log_day(one.changed_at, zone)
            if day >= first and lesson_of(one, kind):
                days.setdefault(day, {})[one.line] = one
        for day, told in days.items():
            lines = [lesson_of(told[n], kind) if n in told else "" for n in range(1, max(told) + 1)]
            found[LogFile(path=path, day=day)] = Taught(
                text="\n".join(lines), content=content or b"", records=told
            )
    return found, skipped


def with_events(draft: proposals.Draft, taught: Mapping[LogFile, Taught]) -> proposals.Draft:
    """Return a draft of a record's words with every event of the record behind it; any other as it is."""
    cited = draft.evidence[0]
    for log, one in taught.items():
        if log.path != cited.path or cited.lines[0] not in one.records:
            continue
        record = one.records[cited.lines[0]]
        lines = one.content.split(b"\n")
        times, days = record.times, len(record.days)
        sessions = f"{count_of(times, 'session')} of {count_of(days, 'day')}"
        return replace(
            draft,
            evidence=tuple(
                proposals.Evidence(
                    path=log.path,
                    lines=(n, n),
                    sha256=hashlib.sha256(lines[n - 1]).hexdigest(),
                    origin=cited.origin,
                )
                for n in record.lines[-MAX_EVIDENCE:]
            ),
            reason=f"{record.kind} {record.id[:10]}, recorded in {sessions}; {draft.reason}",
            flags=tuple(
                flag for flag in draft.flags if flag.rule != proposals.SINGLE_SOURCE or record.is_one_source
            ),
        )
    return draft


MAX_CITED_BYTES = 16 << 20
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

    drafts: list[proposals.Draft]
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
            content = read_regular(home.path(path), MAX_CITED_BYTES, within=home.root)
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
    numbered = enumerate(raw.split(b"\n"), 1)
    lines = [(n, line) for n, line in numbered if line.removeprefix(BOM).strip() and n not in bad]
    records = [
        Recorded(outcome=row, line=n, sha256=hashlib.sha256(line).hexdigest())
        for row, (n, line) in zip(rows.rows, lines, strict=True)
    ]
    return records, len(bad)


def _standing(ledger: Ledger, stored: list[Stored], document: Document) -> Iterator[lessons.Standing]:
    """Give the lessons that came through the gate and still stand, word for word."""
    entries = {fold(entry.text): entry for entry in find_entries(document)}
    for item in stored:
        status = ledger.book.proposals[item.proposal.id]
        for change in item.proposal.changes:
            entry = entries.get(fold(change.hunk.added))
            applied = status.state_of(change.n) is ChangeState.APPLIED
            if entry and applied and change.op in (proposals.Op.ADD, proposals.Op.REPLACE):
                yield lessons.Standing(
                    key=change.key,
                    text=entry.text,
                    line=entry.first_line,
                    section=entry.section,
                    entry=entry.id,
                )
