"""What the statements of a night are read against: the memory file's entries, how old they are, and what contradicts them."""

import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from datetime import date

from msgspec import Struct

from nightledger.domain.daylog import DayLog, Statement
from nightledger.domain.proposal import CONTRADICTION, Change, Flag, Proposal
from nightledger.gate.stored import Stored
from nightledger.text.contradictions import Contradiction, Standing
from nightledger.text.markdown.document import Document
from nightledger.text.markdown.entries import Entry, EntryKind, find_entries
from nightledger.text.similar import fold
from nightledger.text.statements.additions import THRESHOLD
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
    flag: Flag
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


def _day_of(change: Change, proposal: Proposal) -> date:
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
        return Clash(entry=entry, flag=Flag(rule=CONTRADICTION, message=f"{hit.reason}: keep one of them"))
    younger = "" if is_later(statement, hit.entry, reader) else ", which may be younger"
    message = f"may contradict {reader.target.path}:{entry.first_line}{younger}: {hit.reason}"
    return Clash(entry=None, beside=entry, flag=Flag(rule=CONTRADICTION, message=message))


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
