"""One look at a home: what waits, what cools, what can be undone, what ran, what is wrong.

Invariant: nothing in the home is written, no lock is taken, and damage is named rather than raised, so
that the worst state of a home still gives a screen.

Beside the pin a look that found all well is kept: it spares a look at every file that was ever signed. It is believed
for the very files that the look saw, as stat(2) tells them (inode, size and both times), for this program and for a
day; of files that only grow, what stood there then is hashed again. Whoever can write it can write the pin. Lost or
edited, it costs a full look.
"""

import hashlib
import json
import os
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field
from msgspec.structs import replace

from nightledger import __version__
from nightledger.codec.records import to_plain
from nightledger.domain.consent import PROTECTED_FILES
from nightledger.domain.cooling import cools_until
from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Entry, Event, EventName
from nightledger.domain.folding import fold_entries
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.periods import Run, can_be, count_due, next_look_at, reckon
from nightledger.domain.states import Book, ChangeState
from nightledger.domain.words import dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.home import Home
from nightledger.files.line_log import hash_file, hash_prefixes
from nightledger.files.reading import read_optional
from nightledger.files.staged import find_page
from nightledger.files.staging_troubles import read_troubles
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger, open_gate
from nightledger.gate.stored import find_set_aside, shortened, without_secrets
from nightledger.hosts.daylogs import why_empty
from nightledger.night import calendar_of, lately, read_ledger
from nightledger.surfaces import clock
from nightledger.surfaces.context import Context
from nightledger.surfaces.home import actor_of, cap_config, this_machine
from nightledger.surfaces.needs import Alarm, job_schedules, of_look, of_schedule, of_settings
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import NO_PIN, Pin, find_pin
from nightledger.trust.reading import VerifiedLog, check_log
from nightledger.trust.scan import collector_at_rest, event_of_record

if TYPE_CHECKING:
    from nightledger.surfaces.verbs.verify import Seen

NEWS = timedelta(days=7)
"""How long what scanners held back is told of one by one, where no review told of it. Our choice."""


class _Found(Struct, kw_only=True):
    """What the log and the files that it names tell; empty where they cannot be read."""

    alarms: list[Alarm]
    ledger: Ledger | None = None
    held: list[Entry] = field(default_factory=list)
    newest: Event | None = None

    @property
    def book(self) -> Book:
        return self.ledger.book if self.ledger else Book()


def look(context: Context) -> dict[str, Any]:
    """Look at a home; return the document of ``status --json``.

    Raises:
        ConfigurationError: No home there.
    """
    gate = open_gate(context.home_path, context.keys_dir, actor=actor_of(context), config_of=cap_config)
    home, now = gate.home, context.now
    pin, alarms = _pin(gate.ring, home)
    found = _Found(alarms=alarms)
    aside: tuple[str, ...] = ()
    unasked: list[dict[str, Any]] = []
    undoable: list[dict[str, Any]] = []
    try:
        _read_log(context, gate, pin, found)
        if found.ledger:
            aside = find_set_aside(home, found.book)
            unasked = _unasked(gate, found.book)
            undoable = list(_undoable(gate, found.ledger, context.moment))
    except NightledgerError as error:  # no file where one should be
        found.alarms.append(Alarm(kind="integrity", message=str(error), hint=error.hint))
    book = found.book
    context.short = partial(shortened, book)
    schedule, late = _schedule(context, gate)
    answered_at = max((one.recorded.at for one in book.decisions.values()), default=now - NEWS)
    alarms = [*found.alarms, *of_settings(gate, now), *late, *_machine(home)]
    return {
        "home": home.root,
        "id": home.identity.id,
        "simulated": home.identity.simulated,
        "at": dump_moment(now),
        "alarms": [{"kind": a.kind, "message": a.message, "hint": a.hint} for a in alarms],
        "waiting": waiting_in(book, aside),
        "signed": [term for term in _signed(gate, book) if term["proposal"] not in aside],
        "undoable": undoable,
        "held": [_held(entry, max(answered_at, now - NEWS)) for entry in found.held],
        "unasked": unasked,
        "sizes": list(_sizes(gate)),
        **schedule,
        "empty": bool(why_empty(home)),
        "left_at": to_plain(left_at(found.newest)),
        "staged": _staged(home),
    }


def _read_log(context: Context, gate: Gate, pin: Pin | None, found: _Found) -> None:
    """Read the log, and check all that ``verify`` checks unless a look that found all well saw these very files."""
    if kept := find_kept(gate, pin):
        found.ledger, found.newest, found.held = kept, kept.log.newest, held_back(kept.log)
        return
    from nightledger.surfaces.verbs.verify import Seen, look_beyond

    stamp = stamp_of(gate)
    log = check_log(gate.home, pin)
    seen = Seen(report=log.report, simulated=gate.home.identity.simulated)
    found.newest = log.newest
    if log.report.ok:
        seen = look_beyond(gate, log, context.moment)
        found.ledger, found.held = Ledger(log=log, book=seen.book or Book()), held_back(log)
    told = [alarm for alarm in of_look(gate.home, seen, context.moment) if alarm.kind]
    damage = 0 if log.report.ok else 1
    found.alarms += told[:damage]
    if pin is None:
        message = "this machine has not pinned the log's keys: its signatures were not checked"
        found.alarms.append(Alarm(kind="integrity", message=message, hint=NO_PIN))
    found.alarms += told[damage:]
    if pin and log.report.ok:
        keep(gate, seen, stamp, context.moment)


def held_back(log: VerifiedLog) -> list[Entry]:
    """Give what the log says was held back by scanners."""
    return [entry for entry in log.entries() if entry[0] == EventName.QUARANTINED]


def _unasked(gate: Gate, book: Book) -> list[dict[str, Any]]:
    """Return what is not asked about any more; where nothing was rejected, that is nothing."""
    if not any(one.type is DecisionType.REJECT for one in book.decisions.values()):
        return []
    from nightledger.gate.forgetting.forgotten import find_unasked

    return [{"heading": one.name, "refused": one.refused or None} for one in find_unasked(gate, book)]


def _staged(home: Home) -> dict[str, Any] | None:
    """Return what is staged in a home; None where there is no page, no lines where it is not as it was written."""
    page = find_page(home)
    if page is None and not os.path.lexists(home.staged_context):
        return None
    return {
        "lines": len(page.lines) if page else None,
        "good_until": page.good_until if page else "",
        "troubles": to_plain(read_troubles(home)),
    }


def waiting_in(book: Book, aside: Collection[str] = ()) -> dict[str, Any]:
    """Count what waits for the operator's answer; an own edit that is not signed waits for nobody.

    Args:
        book: What became of every proposal.
        aside: Proposals that were altered; nobody can answer them.
    """
    found = [s for s in book.live() if s.open_changes() and s.lane != EDIT_LANE and s.id not in aside]
    return {
        "proposals": len(found),
        "changes": sum(len(status.open_changes()) for status in found),
        "oldest_at": to_plain(min((status.created.at for status in found), default=None)),
    }


def _undoable(gate: Gate, ledger: Ledger, moment: Moment) -> Iterator[dict[str, Any]]:
    """Give what can still be taken back, in order of proposals."""
    window, book, now = timedelta(days=gate.undo_days), ledger.book, moment.at
    recent = {name for name, at in book.applied_at.items() if now < at + window}
    for status in (book.proposals[name] for name in book.proposals if name in recent):
        by_end: dict[datetime, list[int]] = {}
        for n, change in sorted(status.changes.items()):
            if change.state is ChangeState.APPLIED and change.since and now < change.since + window:
                by_end.setdefault(change.since + window, []).append(n)
        for until, numbers in by_end.items():
            if kept := without_secrets(gate, status, numbers):
                yield {"proposal": status.id, "changes": list(kept), "undo_until": dump_moment(until)}


def left_at(newest: Event | None) -> datetime | None:
    """Give when the home was left, where that is the last thing that happened to it."""
    return newest.at if newest and newest.event == EventName.LEFT else None


def _pin(ring: KeyRing, home: Home) -> tuple[Pin | None, list[Alarm]]:
    try:
        return find_pin(KeyRing(Path(ring.directory)), home.identity.id), []
    except NightledgerError as error:
        return None, [Alarm(kind="integrity", message=str(error), hint=error.hint)]


def _schedule(context: Context, gate: Gate) -> tuple[dict[str, Any], list[Alarm]]:
    """Return the newest run of each job, in the order in which jobs run, when something is due, and what is wrong."""
    home, now = gate.home, context.now
    calendar = calendar_of(home, gate.settings, job_schedules(gate.settings))
    written, alarms = _runs(home, now)
    newest = {run.job: run for run in written if can_be(run, calendar.zone)}
    runs = reckon(written, context.moment, calendar.zone)
    schedule = {
        "runs": [to_plain(newest[name]) for name in calendar.schedules if name in newest],
        "next_due_at": dump_moment(next_look_at(calendar, runs, now)),
        "still_due": count_due(calendar, runs, now),
    }
    return schedule, [*of_schedule(calendar, runs, now), *alarms]


def _runs(home: Home, now: datetime) -> tuple[tuple[Run, ...], list[Alarm]]:
    """Read the run ledger, with an alarm where it or a line of it cannot be read."""
    try:
        runs, bad_lines = read_ledger(home)
    except NightledgerError as error:
        return (), [Alarm(kind="failed", message=str(error), hint=error.hint)]
    return lately(runs, now), [
        Alarm(
            kind="failed",
            message=f"{home.relative(home.runs)}:{number} is no run and counts for nothing: {problem}",
            hint="its period is run again, which does no harm",
        )
        for number, problem in bad_lines[:1]
    ]


def _machine(home: Home) -> list[Alarm]:
    machine = home.identity.machine
    if machine == this_machine():
        return []
    return [
        Alarm(
            kind="machine",
            message=f"{machine!r} writes this home, and this is {this_machine()!r}: it can only be read here",
            hint=f"run it on {machine}; 'nightledger restore --take-over' moves a home",
        )
    ]


def _sizes(gate: Gate) -> Iterator[dict[str, Any]]:
    for path in gate.home.identity.gated:
        try:
            text = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
        except NightledgerError:
            continue  # told as drift
        yield {"path": path, "characters": len(text), "cap": gate.cap_characters}


def _signed(gate: Gate, book: Book) -> Iterator[dict[str, Any]]:
    for decision in book.approvals_to_apply():
        status = book.proposals[decision.proposal]
        yield {
            "proposal": decision.proposal,
            "changes": list(status.approved_by(decision.id)),
            "cools_until": dump_moment(cools_until(status.created, decision.recorded, gate.cooling)),
        }


def _held(entry: Entry, seen_until: datetime) -> dict[str, Any]:
    """Return a place whose text the scanners held back; new where no review told of it, and it is no week old."""
    event = event_of_record({**entry[1]})
    place = {name: event.fields[name] for name in ("path", "line", "rules")}
    return {"at": dump_moment(event.at), **place, "new": event.at > seen_until}


NAME = "looked.json"
MAX_BYTES = 4_096
MOST_S = 26 * 3600
"""Each night verifies in full; the longest local day has 25 hours."""
SETTLED_NS = 1_000_000_000
"""A file changed within a second before the look is looked at again: clocks of file systems are coarse."""
_SIGNED = ("audit", "config/nightledger", "memory/state/proposals", "memory/archive")
_PINNED = ("pin.json", "head.json")
"""What lies beside the keys and says which log is ours."""


def find_kept(gate: Gate, pin: Pin | None) -> Ledger | None:
    """Return the log and what it adds up to, where a look that found all well saw these very files; else None.

    The signatures of the log's head are those that it checked; what the log says was accepted is what was signed.

    Args:
        gate: Of the home.
        pin: What this machine pinned; without one nothing is believed.
    """
    if pin is None:
        return None
    try:
        kept = json.loads(read_optional(_path(gate), MAX_BYTES) or b"{}")
        passed_s = clock.system_now().timestamp() - kept["at"]
        known = kept["program"] == __version__ and 0 <= passed_s < MOST_S
        if not known or kept["files"] != _stamp(gate)[0]:
            return None
        for path, (size_bytes, sha256) in kept["grown"].items():
            if hash_prefixes(gate.home.path(path), [size_bytes])[size_bytes].sha256 != sha256:
                return None
    except (NightledgerError, OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    log = check_log(gate.home, replace(pin, vkeys=(), former=()))
    if not log.report.ok:
        return None
    with collector_at_rest():
        return Ledger(log=log, book=fold_entries(log.entries()))


def stamp_of(gate: Gate) -> str:
    """Return how the files of a home look to stat(2), for :func:`keep`; empty where one was changed a moment ago."""
    stamp, newest_ns = _stamp(gate)
    return stamp if clock.system_now().timestamp() * 1e9 - newest_ns > SETTLED_NS else ""


def keep(gate: Gate, seen: "Seen", stamp: str, at: Moment) -> None:
    """Keep that a look found nothing wrong, if it did; what cannot be kept is looked at again.

    Args:
        gate: Of the home.
        seen: What the look found.
        stamp: From :func:`stamp_of`, before it.
        at: The clocks.
    """
    from nightledger.gate.gated import append_only

    book = seen.book
    if not stamp or book is None or not seen.holds or seen.report.closed or list(seen.damaged):
        return
    asks = seen.witnesses is None or seen.witnesses.asks
    odd = seen.protected or book.cut_short or book.restored or book.trust.recent_resets(at)
    if asks or odd or any(book.is_disputed(path) for path in book.claimed):
        return
    try:
        begins = {path: hash_file(gate.home.path(path)) for path in append_only(gate.home)}
        grown = {path: (one.size_bytes, one.sha256) for path, one in begins.items() if one}
        said = {"program": __version__, "at": clock.system_now().timestamp(), "files": stamp, "grown": grown}
        content = json.dumps(said)
        replace_file(_path(gate), content.encode(), disposable=True)
    except (NightledgerError, OSError):
        return


def _path(gate: Gate) -> str:
    return os.fspath(gate.ring.path(gate.home.identity.id, NAME))


def _stamp(gate: Gate) -> tuple[str, int]:
    """Give a hash over what stat(2) says of every file that a full look reads, and the newest change among them."""
    home = gate.home
    own = [os.fspath(gate.ring.path(home.identity.id, name)) for name in _PINNED]
    files = [*map(home.path, (*home.identity.gated, *PROTECTED_FILES)), *own]
    looks = [(path, _look(path)) for path in files]
    for folder in _SIGNED:
        looks += _looks(home.path(folder))
    looks.sort()
    newest = max((look[-1] for _, look in looks if look), default=0)
    return hashlib.sha256(repr(looks).encode()).hexdigest(), newest


def _looks(folder: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    try:
        entries = list(os.scandir(folder))
    except FileNotFoundError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from _looks(entry.path)
        else:
            yield entry.path, _numbers(entry.stat(follow_symlinks=False))


def _look(path: str) -> tuple[int, ...]:
    try:
        return _numbers(os.lstat(path))
    except FileNotFoundError:
        return ()


def _numbers(status: os.stat_result) -> tuple[int, ...]:
    return (status.st_mode, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
