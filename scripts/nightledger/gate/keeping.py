"""The end of life of blobs and of drift that nobody answered: they go once no undo window and nothing that waits needs them.

Invariant: the log names what goes before it goes, so that ``verify`` can tell what expired
from what is missing. Trust files, the decisions about them and about consent, the bytes last
accepted, and what drift or an unfinished apply needs never go. No single step of a clock makes
a blob go early: a gap between two entries of the log counts for two days at most.

What the gate does once a day: withdraw what nobody answered, and sign that the day passed and what nights read.

Invariant: a proposal is withdrawn only after days on which someone could have reviewed it; a machine that was off counts
for nothing. Each day's heartbeat holds size and hash of every append-only file of the home; one of them, the consolidation
log, lists the daily logs and the outcomes that each night read, with theirs. So all of them are under the log's signature,
and rewritten inputs show.
"""

import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from nightledger.codec.records import decode_lines
from nightledger.domain.consolidation import Consolidation
from nightledger.domain.decision import DAY_S, EventName, Moment, elapsed_s
from nightledger.domain.errors import UnreadableError
from nightledger.domain.judge import EDIT_LANE, OPERATOR
from nightledger.domain.proposal import Kind
from nightledger.domain.states import Apply, Book, Gone, ProposalStatus
from nightledger.domain.trusting import EMPTY_SHA256, TRUST_FILES
from nightledger.files.atomic import BlobStore
from nightledger.files.durable import is_there, read_optional
from nightledger.files.home import Home
from nightledger.files.line_log import hash_file, hash_prefixes
from nightledger.gate.applies import read_for_accepted
from nightledger.gate.checking import Altered
from nightledger.gate.expunging import remove_files
from nightledger.gate.gated import append_only
from nightledger.gate.opening import Gate, Ledger, closing, record
from nightledger.gate.stored import KEPT, is_unanswered_drift
from nightledger.trust.audit import VerifiedLog

MOST_GAP_S = 2 * DAY_S
"""What a gap between two entries may count for. A machine that runs writes a heartbeat a day, so a
longer gap is one in which it was off, or a clock that jumped."""
LEAST_UNDO_DAYS = 7
"""No setting makes the undo window shorter."""
GRACE_S = MOST_GAP_S
"""Blobs stay this much longer than the undo window: so much may one jump of a clock have counted for."""
NAMES_AN_ENTRY = 500
"""Hashes in one entry; it has a limit of 65,535 bytes."""
NEEDED = "an undo, what drifted, or whoever checks later needs it"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REMOVALS = frozenset({EventName.BLOBS_REMOVED, EventName.EXPUNGED})


def remove_expired(gate: Gate, ledger: Ledger, moment: Moment) -> int:
    """Remove the blobs that nothing needs any more; the caller holds the home's lock.

    The files of drift that nobody answered, because newer bytes or its own end took its place, go with them: an
    agent that edits by habit makes several a day, and nothing refers to them but their own leaves.

    Args:
        gate: The home.
        ledger: Its log, as checked.
        moment: The clocks.

    Returns:
        How many went.
    """
    home, book = gate.home, ledger.book
    blobs = BlobStore(home.blobs_dir)
    keep_s = gate.undo_days * DAY_S + GRACE_S
    needed = needed_blobs(ledger, moment, keep_s) | read_for_accepted(home, ledger)
    named = {sha256 for _, fields, _ in ledger.log.entries() for sha256 in _hashes(fields)}
    young = moment.at.timestamp() - keep_s
    going = sorted(
        sha256
        for sha256 in present_blobs(home)
        # of one that the log never named the file system tells when it was written
        if sha256 not in needed and (sha256 in named or os.lstat(blobs.path(sha256)).st_mtime < young)
    )
    lately = {fields.get("proposal") for fields, age_s in _aged(ledger, moment) if age_s < keep_s}
    items = [
        status
        for status in book.proposals.values()
        if status.id not in lately
        and is_unanswered_drift(status)
        and os.path.lexists(home.proposal(status.id))
    ]
    told = [sha256 for sha256 in going if sha256 in named and sha256 not in book.gone]
    told += sorted({status.sha256 for status in items} - book.gone.keys())
    for at in range(0, len(told), NAMES_AN_ENTRY):
        record(gate, [(EventName.BLOBS_REMOVED, {"sha256s": told[at : at + NAMES_AN_ENTRY]})], moment)
    remove_files([*map(blobs.path, going), *(home.proposal(status.id) for status in items)])
    return len(going) + len(items)


def needed_blobs(ledger: Ledger, moment: Moment, keep_s: int) -> frozenset[str]:
    """Return the hex SHA-256 of every blob that something may still need; more may be named than there are.

    Args:
        ledger: The log, as checked.
        moment: The clocks.
        keep_s: For how long whatever the log names stays.
    """
    book = ledger.book
    needed = {sha256 for step in book.trust.steps for sha256 in step.files.values()}
    needed |= _of_decisions(book)
    needed |= {*book.gated.values(), *book.protected.values()}
    needed |= {sha256 for race in book.races for sha256 in (race.sha256, race.before)}
    needed |= {sha256 for apply in book.unfinished() for sha256 in _of_apply(apply)}
    waiting = {decision.proposal for decision in book.approvals_to_apply()}
    waiting |= {status.id for status in book.proposals.values() if status.open_changes()}
    for fields, age_s in _aged(ledger, moment):
        if age_s < keep_s or fields.get("proposal") in waiting:
            needed.update(_hashes(fields))
            apply = book.applies.get(fields.get("apply", ""))
            needed |= _of_apply(apply) if apply else set()
    return frozenset(needed)


def find_damaged(home: Home, ledger: Ledger, moment: Moment, undo_days: int) -> tuple[Altered, ...]:
    """Return the kept bytes that are missing or altered.

    A blob that nothing needs any more is no alarm where its bytes are others, and may be missing.

    Args:
        home: Whose.
        ledger: Its log, as checked.
        moment: The clocks.
        undo_days: How long an applied change can be undone.
    """
    blobs = BlobStore(home.blobs_dir)
    uses = _uses(ledger)
    damaged = [sha256 for sha256 in {*uses, *present_blobs(home)} if not blobs.holds(sha256)]
    if not damaged:  # of a log of many years another look costs as much as the first
        return ()
    needed = needed_blobs(ledger, moment, undo_days * DAY_S + GRACE_S) - _rightly_gone(ledger, moment)
    return tuple(
        Altered(
            path=home.relative(blobs.path(sha256)),
            message=f"{what}: {NEEDED if is_alarm else 'nothing needs it any more'}",
            is_blob=True,
            is_alarm=is_alarm,
        )
        for sha256 in sorted(damaged)
        for is_alarm, present in [(sha256 in uses and sha256 in needed, is_there(blobs.path(sha256)))]
        for what in ["its bytes are not those of its name" if present else "it is missing"]
        if is_alarm or present
    )


def _rightly_gone(ledger: Ledger, moment: Moment) -> frozenset[str]:
    """Return what was removed when it could be: who has the log's key alone could say so of anything."""
    early = needed_blobs(ledger, moment, LEAST_UNDO_DAYS * DAY_S)
    gone = ledger.book.gone.items()
    return frozenset(sha256 for sha256, why in gone if why is Gone.EXPUNGED or sha256 not in early)


def _uses(ledger: Ledger) -> frozenset[str]:
    """Return each blob that the log says was written for an undo, a settlement, or whoever checks later."""
    book, uses = ledger.book, set[str]()
    for name, fields, _ in ledger.log.entries():
        apply = book.applies.get(fields.get("apply", ""))
        if name == EventName.APPLY_INTENT and apply is not None and apply.outcome != "aborted":
            uses |= _of_apply(apply)
        elif name == EventName.DRIFT_FOUND:
            uses.add(fields["sha256"])
        uses |= {one["sha256"] for one in fields.get("replaced", ())}
        trust = (*fields.get("trust", ()), *fields.get("files", ()))
        uses |= {one["sha256"] for one in trust if one.get("name") in TRUST_FILES} - {EMPTY_SHA256}
    return frozenset(uses | _of_decisions(book) | {*book.gated.values(), *book.protected.values()}) - {""}


def count_gone(book: Book) -> dict[Gone, int]:
    """Count what went, by why."""
    return {why: sum(found is why for found in book.gone.values()) for why in Gone}


def present_blobs(home: Home) -> Iterator[str]:
    """Yield the hex SHA-256 of every blob on disk."""
    if not os.path.isdir(home.blobs_dir):
        return
    for directory in sorted(os.listdir(home.blobs_dir)):
        below = os.path.join(home.blobs_dir, directory)
        if os.path.isdir(below):
            yield from (name for name in sorted(os.listdir(below)) if _SHA256.fullmatch(name))


def _of_apply(apply: Apply) -> set[str]:
    """Return what an apply names; an empty string where it names nothing."""
    return {
        sha256
        for target in apply.targets
        for sha256 in (target.before, target.after, target.accepted_before, target.accepted)
    }


def _of_decisions(book: Book) -> set[str]:
    """Return the blobs of the decisions on which others rest; an empty string for a signature that has none."""
    kept = (status for status in book.decisions.values() if status.type in KEPT)
    return {sha256 for status in kept for sha256 in (status.sha256, status.signature_sha256)}


def _aged(ledger: Ledger, moment: Moment) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the members of each entry with the seconds that surely passed since, removals left out."""
    times = [Moment.of_entry(fields, at) for _, fields, at in ledger.log.entries()]
    ages, age_s = [], 0
    for here, later in zip(reversed(times), [moment, *reversed(times[1:])], strict=True):
        age_s += min(max(0, elapsed_s(here, later)), MOST_GAP_S)
        ages.append(age_s)
    for (name, fields, _), old_s in zip(ledger.log.entries(), reversed(ages), strict=True):
        if name not in _REMOVALS:
            yield fields, old_s


def _hashes(value: Any) -> Iterator[str]:
    """Yield every SHA-256 in the members of an entry, however deep."""
    if isinstance(value, str):
        if len(value) == 64 and _SHA256.fullmatch(value):  # noqa: PLR2004 - hex digits of SHA-256
            yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _hashes(item)
    elif isinstance(value, list):
        for item in value:
            yield from _hashes(item)


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
        kind: ``rewritten``: it is only appended to, and not as the newest night that read it left it: an alarm;
            ``rewritten_before``: a later night read it in its new form: rewritten once, and it stays visible;
            ``logs_changed``: a daily log, where its agent may write; it is no alarm. One that was compressed has not
            changed while its full text in the archive begins as it was read.
        path: Relative to the home.
        day: Log day of that night, ``2026-02-28``: the newest whose bytes are no longer there.
        size_bytes: How many bytes it had then.
    """

    kind: str
    path: str
    day: str
    size_bytes: int


def read_inputs(home: Home) -> list[dict[str, Any]]:
    """Return path, size and hash of each append-only file that is there, as a heartbeat holds them.

    Raises:
        UnreadableError: One of them is no regular file.
    """
    found = ((path, hash_file(home.path(path))) for path in append_only(home))
    return [{"path": path, "size": prefix[0], "sha256": prefix[1]} for path, prefix in found if prefix]


Prefix = tuple[int, str]
"""Size in bytes of a file's beginning, and hex SHA-256 of it."""


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
    return item["size"], item["sha256"]


def find_rewrites(home: Home, ledger: Ledger) -> Iterator[Rewritten]:
    """Compare the inputs of every night with what lies there now; each file is read once."""
    for kind, files in (("rewritten", _nights(ledger.log)), ("logs_changed", _logs_read(home))):
        for path, nights in sorted(files.items()):
            prefixes = [prefix for _, prefix in nights]
            looked = [_compare(home, place, prefixes) for place in _places(ledger.book, path)]
            lost = [n for n, same in enumerate(zip(*looked, strict=True)) if not any(same)]
            if lost:
                day, (size_bytes, _) = nights[lost[-1]]
                told = kind if lost[-1] == len(nights) - 1 else "rewritten_before"
                yield Rewritten(kind=told, path=path, day=day, size_bytes=size_bytes)


def _logs_read(home: Home) -> dict[str, list[tuple[str, Prefix]]]:
    """Return each daily log with what the newest night that read it did."""
    try:
        raw = read_optional(home.consolidation_log, MAX_CONSOLIDATION_LOG_BYTES, within=home.root) or b""
    except UnreadableError:  # it is among the inputs itself, and named as rewritten
        return {}
    return {
        one.path: [(night.period, (one.size_bytes, one.sha256))]
        for night in decode_lines(Consolidation, raw)
        for one in night.logs
    }


def _places(book: Book, path: str) -> tuple[str, ...]:
    """Return where a file's bytes may stand: of one that was compressed in the archive, too."""
    return (path, book.copies[path]) if path in book.copies else (path,)


def _compare(home: Home, path: str, expected: list[Prefix]) -> list[bool]:
    """Return for each beginning whether the file still has it; nothing is followed out of the home."""
    try:
        found = hash_prefixes(home.resolve(path), [size_bytes for size_bytes, _ in expected])
    except (UnreadableError, OSError):
        return [False] * len(expected)
    return [found.get(size_bytes) == sha256 for size_bytes, sha256 in expected]
