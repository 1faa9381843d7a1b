"""What sessions recorded and is worth a question: a correction of three sessions, what a decision taught, how a problem was solved.

Which kinds teach, and in which words, are rows of ``config/records.json``.

Invariant: whoever a record names as its author, it stands in a file that agents write: it is the agent's word. An event
of a later day than the one consolidated is not read.
"""

import hashlib
from collections.abc import Mapping
from datetime import date, time
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from nightledger.domain.errors import UnreadableError
from nightledger.domain.lessons import MAX_EVIDENCE
from nightledger.domain.periods import DAY, local_moment, log_day
from nightledger.domain.proposal import SINGLE_SOURCE, Draft, Evidence
from nightledger.domain.record import Record, lesson_of
from nightledger.domain.words import count_of
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.hosts.daylogs import LogFile, Skipped
from nightledger.records.keeping import fold_lines, record_kinds

MAX_FILE_BYTES = 32 << 20


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
                read_optional(home.path(path), MAX_FILE_BYTES, within=home.root) if kind.teaches else b""
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


def with_events(draft: Draft, taught: Mapping[LogFile, Taught]) -> Draft:
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
                Evidence(
                    path=log.path,
                    lines=(n, n),
                    sha256=hashlib.sha256(lines[n - 1]).hexdigest(),
                    origin=cited.origin,
                )
                for n in record.lines[-MAX_EVIDENCE:]
            ),
            reason=f"{record.kind} {record.id[:10]}, recorded in {sessions}; {draft.reason}",
            flags=tuple(flag for flag in draft.flags if flag.rule != SINGLE_SOURCE or record.is_one_source),
        )
    return draft
