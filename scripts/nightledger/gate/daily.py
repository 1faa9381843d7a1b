"""What the gate does once a day: withdraw what nobody answered, and sign that the day passed and what nights read.

Invariant: a proposal is withdrawn only after days on which someone could have reviewed it; a machine that was off counts
for nothing. Each day's heartbeat holds size and hash of every append-only file of the home; one of them, the consolidation
log, lists the daily logs and the outcomes that each night read, with theirs. So all of them are under the log's signature,
and rewritten inputs show.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from nightledger.codec.records import decode_lines
from nightledger.domain.consolidation import Consolidation, SourceRead
from nightledger.domain.decision import EventName, Moment
from nightledger.domain.errors import UnreadableError
from nightledger.domain.judge import EDIT_LANE, OPERATOR
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Book, ProposalStatus
from nightledger.files.durable import read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import Prefix, hash_file, hash_prefixes
from nightledger.gate.gated import append_only
from nightledger.gate.opening import Gate, Ledger, closing, record
from nightledger.trust.reading import VerifiedLog

MAX_CONSOLIDATION_LOG_BYTES = 1 << 30
"""Some 2 KB a night: more than a thousand years."""
UNTIRING = (OPERATOR, EDIT_LANE)
"""Lanes of what the operator asked for: it waits until it is answered."""


def close_day(gate: Gate, ledger: Ledger, day: str, moment: Moment) -> dict[str, int]:
    """Withdraw what waited too long, and log the day's heartbeat; a rerun for the same day does nothing.

    The heartbeat holds size and hash of what nights read.

    Args:
        gate: The home; the caller holds its lock.
        ledger: Its log, as checked.
        day: The log day, ``2026-02-28``.
        moment: The clocks.

    Returns:
        Counts: ``withdrawn`` and ``waiting`` changes.

    Raises:
        UnreadableError: An append-only file is a link, a directory or a FIFO.
    """
    if day in heartbeats(ledger):
        return {}
    tired = [status for status in ledger.book.live() if is_tired(gate, ledger, status)]
    closed = sum(len(status.open_changes()) for status in tired)
    waiting = sum(len(status.open_changes()) for status in ledger.book.live()) - closed
    events = [closing(status.id, status.open_changes()) for status in tired]
    heartbeat = {"day": day, "waiting": waiting, "inputs": read_inputs(gate.home)}
    record(gate, [*events, (EventName.HEARTBEAT, heartbeat)], moment)
    return {"withdrawn": closed, "waiting": waiting}


def heartbeats(ledger: Ledger) -> list[str]:
    """Return the days that were signed, in order of the log."""
    return [event.fields["day"] for event in ledger.log.events if event.event == EventName.HEARTBEAT]


def is_tired(gate: Gate, ledger: Ledger, status: ProposalStatus) -> bool:
    """Return whether a proposal has waited through all the days that it may.

    What drifted stands in a file, whoever has looked: it waits until it is settled.
    """
    if status.lane in UNTIRING or status.kind is Kind.DRIFT or not status.open_changes():
        return False
    days = {  # on which the machine ran: a run that catches up signs several days and is one of these
        event.at.date()
        for event in ledger.log.events
        if event.event == EventName.HEARTBEAT and event.at > status.created.at
    }
    return len(days) >= gate.settings.reviewable_days


class Rewritten(Struct, frozen=True, kw_only=True):
    """A file that does not begin any more as a night read it.

    Attributes:
        path: Relative to the home.
        day: Log day of that night, ``2026-02-28``: the newest whose bytes are no longer there.
        size_bytes: How many bytes it had then.
    """

    path: str
    day: str
    size_bytes: int


class Rewrites(Struct, frozen=True, kw_only=True):
    """What ``verify`` says of inputs.

    Attributes:
        now: Append-only files that are not as the newest night that read them left them: an alarm.
        before: Those that a later night read in their new form: rewritten once, and it stays visible.
        logs: Daily logs that changed since they were read. Their agent may write there; it is no alarm. One that
            was compressed has not changed while its full text in the archive begins as it was read.
    """

    now: tuple[Rewritten, ...] = ()
    before: tuple[Rewritten, ...] = ()
    logs: tuple[Rewritten, ...] = ()


def read_inputs(home: Home) -> list[dict[str, Any]]:
    """Return path, size and hash of each append-only file that is there, as a heartbeat holds them.

    Raises:
        UnreadableError: One of them is no regular file.
    """
    found = ((path, hash_file(home.path(path))) for path in append_only(home))
    return [
        {"path": path, "size": prefix.size_bytes, "sha256": prefix.sha256} for path, prefix in found if prefix
    ]


def _nights(log: VerifiedLog) -> dict[str, list[tuple[str, Prefix]]]:
    """Return each file with what each night read of it; what an expunge rewrote begins anew with it."""
    held: dict[str, list[tuple[str, Prefix]]] = {}
    for event, fields, at in log.entries():
        if event == EventName.HEARTBEAT:
            for item in fields.get("inputs", ()):
                held.setdefault(item["path"], []).append((fields["day"], _prefix(item)))
        elif event == EventName.EXPUNGED:
            held |= {
                item["path"]: [(f"{at:%Y-%m-%d} (expunged)", _prefix(item))] for item in fields["places"]
            }
    return held


def _prefix(item: Mapping[str, Any]) -> Prefix:
    return Prefix(size_bytes=item["size"], sha256=item["sha256"])


def find_rewrites(home: Home, ledger: Ledger) -> Rewrites:
    """Compare the inputs of every night with what lies there now; each file is read once."""
    now: list[Rewritten] = []
    before: list[Rewritten] = []
    for path, nights in sorted(_nights(ledger.log).items()):
        lost = [n for n, same in enumerate(_compare(home, path, [p for _, p in nights])) if not same]
        if lost:
            day, prefix = nights[lost[-1]]
            found = Rewritten(path=path, day=day, size_bytes=prefix.size_bytes)
            (now if lost[-1] == len(nights) - 1 else before).append(found)
    return Rewrites(now=tuple(now), before=tuple(before), logs=tuple(_rewritten_logs(home, ledger.book)))


def _rewritten_logs(home: Home, book: Book) -> Iterator[Rewritten]:
    try:
        raw = read_optional(home.consolidation_log, MAX_CONSOLIDATION_LOG_BYTES, within=home.root) or b""
    except UnreadableError:  # it is among the inputs itself, and named as rewritten
        return
    newest: dict[str, tuple[str, SourceRead]] = {}
    for night in decode_lines(Consolidation, raw):
        newest |= {source.path: (night.period, source) for source in night.logs}
    for path, (day, source) in sorted(newest.items()):
        expected = Prefix(size_bytes=source.size_bytes, sha256=source.sha256)
        full = book.copies.get(path, path)
        if not any(_compare(home, place, [expected])[0] for place in (full, path)):
            yield Rewritten(path=path, day=day, size_bytes=source.size_bytes)


def _compare(home: Home, path: str, expected: list[Prefix]) -> list[bool]:
    """Return for each beginning whether the file still has it; nothing is followed out of the home."""
    try:
        found = hash_prefixes(home.resolve(path), [prefix.size_bytes for prefix in expected])
    except (UnreadableError, OSError):
        return [False] * len(expected)
    return [found.get(prefix.size_bytes) == prefix for prefix in expected]
