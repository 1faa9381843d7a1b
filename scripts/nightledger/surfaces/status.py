"""One look at a home: what waits, what cools, what can be undone, what ran, what is wrong.

Invariant: nothing in the home is written, no lock is taken, and damage is named rather than raised, so
that the worst state of a home still gives a screen. Beside the pin a look that found all well is kept (``kept_look.py``).
"""

import os
from collections.abc import Collection, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from nightledger.domain.cooling import cools_until
from nightledger.domain.decision import DecisionType
from nightledger.domain.errors import NightledgerError
from nightledger.domain.event import Entry, Event, EventName
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.moment import Moment
from nightledger.domain.runs import Run, can_be, count_due, next_look_at, reckon
from nightledger.domain.states import Book, ChangeState
from nightledger.files.home import Home
from nightledger.files.staged import find_page
from nightledger.files.staging_troubles import Trouble, read_troubles
from nightledger.gate.gated import read_gated
from nightledger.gate.opening import Gate, Ledger, open_gate
from nightledger.gate.stored import find_set_aside, shortened, without_secrets
from nightledger.hosts.daylogs import why_empty
from nightledger.night import calendar_of, lately, read_ledger
from nightledger.surfaces.context import Context
from nightledger.surfaces.home import actor_of, cap_config, this_machine
from nightledger.surfaces.kept_look import find_kept, keep, stamp_of
from nightledger.surfaces.needs import Alarm, of_look, of_schedule, of_settings
from nightledger.surfaces.night_jobs import night_jobs
from nightledger.trust.keys import KeyRing
from nightledger.trust.pin import NO_PIN, Pin, find_pin
from nightledger.trust.reading import VerifiedLog, check_log
from nightledger.trust.scan import event_of_record

if TYPE_CHECKING:
    from nightledger.gate.forgetting.citing import Unasked

NEWS = timedelta(days=7)
"""How long what scanners held back is told of one by one, where no review told of it. Our choice."""


class Waiting(Struct, frozen=True, kw_only=True):
    """What waits for an answer: proposals, their open changes, and since when the oldest."""

    proposals: int = 0
    changes: int = 0
    oldest_at: datetime | None = None


class Term(Struct, frozen=True, kw_only=True):
    """Changes of one proposal and the time that they run to.

    Attributes:
        proposal: Id.
        changes: Numbers, ascending.
        until: End of the cooling, or of the undo window; aware, UTC.
    """

    proposal: str
    changes: tuple[int, ...]
    until: datetime


class HeldBack(Struct, frozen=True, kw_only=True):
    """A place whose text the scanners held back; the text itself is not here.

    Attributes:
        at: When; aware, UTC.
        path: The file; empty where it came from none.
        line: In it; 0 where it has none.
        rules: That held it back.
        new: Whether the operator signed nothing since, so that no review told of it, and it is no week old.
    """

    at: datetime
    path: str
    line: int
    rules: tuple[str, ...]
    new: bool = True


class Size(Struct, frozen=True, kw_only=True):
    """A gated file against its host's cap; ``cap`` is None where there is none."""

    path: str
    characters: int
    cap: int | None


class Schedule(Struct, frozen=True, kw_only=True):
    """What ran and what is due.

    Attributes:
        last: The newest run of each job, in the order in which jobs run.
        next_at: When something is due next; in the past where it is due now.
        still_due: Periods that are due and not done.
    """

    last: tuple[Run, ...]
    next_at: datetime
    still_due: int


class Staging(Struct, frozen=True, kw_only=True):
    """The page of staged context on disk.

    Attributes:
        lines: How many it has; None where the page is not as it was written, and is not given out.
        good_until: Its last moment, RFC 3339; empty where it is not as it was written.
        troubles: What staging could not do when it last ran, and since when.
    """

    lines: int | None
    good_until: str
    troubles: tuple[Trouble, ...] = ()


class Status(Struct, frozen=True, kw_only=True):
    """Everything that ``status`` shows.

    Attributes:
        home: Absolute path.
        home_id: 32 hex digits.
        simulated: Whether ``--now`` works there.
        at: When it was looked at; aware, UTC.
        alarms: What is wrong, the worst first.
        schedule: What ran and what is due.
        sizes: Gated files against their caps; those that can be read.
        waiting: What waits for an answer.
        signed: Approvals that are not applied, with the end of their cooling.
        undoable: What can be taken back, and until when.
        held: What scanners held back, the newest last.
        unasked: Headings of notes from which nothing is proposed any more, because it was refused.
        empty: That nothing is in it, and what would fill it; "" where something is.
        left_at: When ``leave`` was called, where nothing happened since; else None.
        staged: The page of staged context; None where nothing was staged yet.
    """

    home: str
    home_id: str
    simulated: bool
    at: datetime
    alarms: tuple[Alarm, ...]
    schedule: Schedule
    sizes: tuple[Size, ...]
    waiting: Waiting = field(default_factory=Waiting)
    signed: tuple[Term, ...] = ()
    undoable: tuple[Term, ...] = ()
    held: tuple[HeldBack, ...] = ()
    unasked: "tuple[Unasked, ...]" = ()
    empty: str = ""
    left_at: datetime | None = None
    staged: Staging | None = None

    @property
    def waits(self) -> bool:
        """Whether something waits for the operator's answer."""
        return self.waiting.changes > 0

    @property
    def alarmed(self) -> bool:
        """Whether bytes are not what was signed or logged."""
        return any(alarm.of_integrity for alarm in self.alarms)


class _Found(Struct, kw_only=True):
    """What the log and the files that it names tell; empty where they cannot be read."""

    alarms: list[Alarm]
    ledger: Ledger | None = None
    held: list[Entry] = field(default_factory=list)
    newest: Event | None = None

    @property
    def book(self) -> Book:
        return self.ledger.book if self.ledger else Book()


def look(context: Context) -> Status:
    """Look at a home.

    Raises:
        ConfigurationError: No home there.
    """
    gate = open_gate(context.home_path, context.keys_dir, actor=actor_of(context), config_of=cap_config)
    home, now = gate.home, context.now
    pin, alarms = _pin(gate.ring, home)
    found = _Found(alarms=alarms)
    aside: tuple[str, ...] = ()
    unasked: tuple[Unasked, ...] = ()
    undoable: tuple[Term, ...] = ()
    try:
        _read_log(context, gate, pin, found)
        if found.ledger:
            aside = find_set_aside(home, found.book)
            unasked = _unasked(gate, found.book)
            undoable = tuple(_undoable(gate, found.ledger, context.moment))
    except NightledgerError as error:  # no file where one should be
        found.alarms.append(Alarm(kind="integrity", message=str(error), hint=error.hint))
    book = found.book
    context.short = partial(shortened, book)
    schedule, late = _schedule(context, gate)
    answered_at = max((one.recorded.at for one in book.decisions.values()), default=now - NEWS)
    return Status(
        home=home.root,
        home_id=home.identity.id,
        simulated=home.identity.simulated,
        at=now,
        alarms=(*found.alarms, *of_settings(gate, now), *late, *_machine(home)),
        schedule=schedule,
        sizes=tuple(_sizes(gate)),
        waiting=waiting_in(book, aside),
        signed=tuple(term for term in _signed(gate, book) if term.proposal not in aside),
        undoable=undoable,
        held=tuple(_held(entry, max(answered_at, now - NEWS)) for entry in found.held),
        unasked=unasked,
        empty=why_empty(home),
        left_at=left_at(found.newest),
        staged=staging_of(home),
    )


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


def _unasked(gate: Gate, book: Book) -> "tuple[Unasked, ...]":
    """Give what is not asked about any more; where nothing was rejected, that is nothing."""
    if not any(one.type is DecisionType.REJECT for one in book.decisions.values()):
        return ()
    from nightledger.gate.forgetting.citing import find_unasked

    return find_unasked(gate, book)


def staging_of(home: Home) -> Staging | None:
    """Give what is staged in a home; None where there is no page."""
    page = find_page(home)
    troubles = read_troubles(home)
    if page is None:
        there = os.path.lexists(home.staged_context)
        return Staging(lines=None, good_until="", troubles=troubles) if there else None
    return Staging(lines=len(page.lines), good_until=page.good_until, troubles=troubles)


def waiting_in(book: Book, aside: Collection[str] = ()) -> Waiting:
    """Count what waits for the operator's answer; an own edit that is not signed waits for nobody.

    Args:
        book: What became of every proposal.
        aside: Proposals that were altered; nobody can answer them.
    """
    found = [s for s in book.live() if s.open_changes() and s.lane != EDIT_LANE and s.id not in aside]
    return Waiting(
        proposals=len(found),
        changes=sum(len(status.open_changes()) for status in found),
        oldest_at=min((status.created.at for status in found), default=None),
    )


def _undoable(gate: Gate, ledger: Ledger, moment: Moment) -> Iterator[Term]:
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
                yield Term(proposal=status.id, changes=kept, until=until)


def left_at(newest: Event | None) -> datetime | None:
    """Give when the home was left, where that is the last thing that happened to it."""
    return newest.at if newest and newest.event == EventName.LEFT else None


def _pin(ring: KeyRing, home: Home) -> tuple[Pin | None, list[Alarm]]:
    try:
        return find_pin(KeyRing(Path(ring.directory)), home.identity.id), []
    except NightledgerError as error:
        return None, [Alarm(kind="integrity", message=str(error), hint=error.hint)]


def _schedule(context: Context, gate: Gate) -> tuple[Schedule, list[Alarm]]:
    home, now = gate.home, context.now
    jobs = night_jobs(context, gate.settings)
    calendar = calendar_of(home, gate.settings, {job.name: job.schedule for job in jobs})
    written, alarms = _runs(home, now)
    newest = {run.job: run for run in written if can_be(run, calendar.zone)}
    runs = reckon(written, context.moment, calendar.zone)
    schedule = Schedule(
        last=tuple(newest[job.name] for job in jobs if job.name in newest),
        next_at=next_look_at(calendar, runs, now),
        still_due=count_due(calendar, runs, now),
    )
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


def _sizes(gate: Gate) -> Iterator[Size]:
    for path in gate.home.identity.gated:
        try:
            text = read_gated(gate.home, path).decode("utf-8", "surrogateescape")
        except NightledgerError:
            continue  # told as drift
        yield Size(path=path, characters=len(text), cap=gate.cap_characters)


def _signed(gate: Gate, book: Book) -> tuple[Term, ...]:
    return tuple(
        Term(
            proposal=decision.proposal,
            changes=book.proposals[decision.proposal].approved_by(decision.id),
            until=cools_until(book.proposals[decision.proposal].created, decision.recorded, gate.cooling),
        )
        for decision in book.approvals_to_apply()
    )


def _held(entry: Entry, seen_until: datetime) -> HeldBack:
    event = event_of_record({**entry[1]})
    place = {name: event.fields[name] for name in ("path", "line")}
    return HeldBack(at=event.at, rules=tuple(event.fields["rules"]), new=event.at > seen_until, **place)
