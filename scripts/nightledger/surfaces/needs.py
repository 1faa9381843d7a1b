"""What the operator should know: one list, of which ``status`` prints a part and ``ATTENTION.md`` and the notifier tell another (``telling.py``).

Invariant: a thing stands here once, with what each of them says of it; the worst first.
"""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from nightledger.domain import errors
from nightledger.domain.attention import Item, Need
from nightledger.domain.decision import Moment
from nightledger.domain.judge import EDIT_LANE
from nightledger.domain.periods import Calendar, Run, Schedule, failing, find_missed
from nightledger.domain.proposal import Kind
from nightledger.domain.settings import Settings
from nightledger.domain.states import Book, Restored
from nightledger.domain.transcript import AGREED
from nightledger.domain.trusting import TrustStep
from nightledger.domain.words import count_of
from nightledger.files.configuration import OPERATOR, load_operator, why_no_operator
from nightledger.files.home import Home
from nightledger.gate.opening import AS_MADE, MEND, Gate, why_no_consent
from nightledger.gate.stored import find_set_aside
from nightledger.night import lately, read_ledger
from nightledger.surfaces.screen import sentences
from nightledger.surfaces.session import this_machine
from nightledger.text.visible import visible
from nightledger.trust.report import Damage

if TYPE_CHECKING:
    from nightledger.surfaces.verbs.verify import Seen

SUNDAY = 6
"""Counted from Monday 0, as ``domain/periods.py`` does."""
RESTORED_SHOWN = timedelta(days=7)
STRICTEST = "until then the strictest values that are known count, and nothing is proposed"
REWRITTEN_TOLD = timedelta(days=7)
"""How long a page tells of an input that was rewritten and that a later night read: then ``verify`` only notes it."""


class Alarm(Struct, frozen=True, kw_only=True):
    """Something that the operator should see.

    Attributes:
        kind: For ``status``: ``integrity``, ``drift``, ``changed``, ``witness``, ``settings``, ``consent``, ``letters``, ``source``,
            ``notifier``, ``failed``, ``missed``, ``restored`` or ``machine``; empty where it prints nothing of this.
        message: What and where, one sentence.
        hint: The next step.
        items: For the page and the notifier; empty where they tell nothing of this.
    """

    kind: str = ""
    message: str = ""
    hint: str = ""
    items: tuple[Item, ...] = ()


OF_INTEGRITY = ("integrity", "drift", "witness")
"""Kinds of an alarm that bytes are not what was signed or logged, or that no witness has confirmed of late that they are."""


def job_schedules(settings: Settings) -> dict[str, Schedule]:
    """Return when each job is due that runs by itself, in the order in which a night runs them."""
    nightly, sunday = Schedule(at=settings.nightly_at), Schedule(weekday=SUNDAY, at=settings.prune_at)
    first = dict.fromkeys(("link", "consolidate", "curate"), nightly)
    return {**first, "prune": sunday, "close_day": nightly}


def of_look(home: Home, seen: "Seen", at: Moment) -> Iterator[Alarm]:
    """Give what ``verify`` found: damage of the log, else of the files that it speaks of.

    Args:
        home: Whose.
        seen: The look.
        at: The clocks.
    """
    now = at.at
    for n, finding in enumerate(seen.report.alarms):
        damage = finding.damage.value.upper()
        yield Alarm(
            kind="" if n else "integrity",
            message=f"{damage} {finding.path}: {finding.message}",
            hint=_mends()["rollback" if finding.damage is Damage.ROLLBACK else "damaged"],
            items=(Item(need=Need.ALTERED, key=f"{damage} {_named(home, finding.path)}", since=now),),
        )
    if seen.book is not None:
        yield from of_resets(seen.book, at)
        yield from _of_restores(seen.book, now)
    for name, found in seen.damaged:
        path = _named(home, found.path)
        need, key = (Need.TRUST, path) if found.is_kept else (Need.ALTERED, f"{name} {path}")
        since = _changed_at(os.path.join(home.root, found.path), now)
        yield Alarm(
            kind="integrity",
            message=f"{name} {found.path}: {found.message}",
            hint=_hint(name, found.path, home, is_kept=found.is_kept),
            items=(Item(need=need, key=key, since=since),),
        )
    if seen.book is not None:
        yield from _of_drift(home, seen, seen.book, now)
    for item in seen.rewritten("rewritten_before"):
        if item.day >= f"{now - REWRITTEN_TOLD:%Y-%m-%d}":
            key = f"{_named(home, item.path)} after the night of {item.day}"
            yield Alarm(items=(Item(need=Need.REWRITTEN, key=key, since=now),))
    since = min((seen.witnesses and seen.witnesses.at) or now, now)
    for finding in seen.told:
        yield Alarm(
            kind="witness" if finding.damage is Damage.STALE_WITNESS else "integrity",
            message=f"{finding.damage.value.upper()}: {finding.message}",
            hint="nightledger witness ask",
            items=(Item(need=Need.WITNESS, key=finding.damage.value, since=since),),
        )


def of_resets(book: Book, at: Moment) -> Iterator[Alarm]:
    """Give each reset of the keys that waits, or took force less than a week ago."""
    for step in book.trust.recent_resets(at):
        when = f"{step.since.at:%Y-%m-%d %H:%M} UTC"
        item = Item(need=Need.TRUST, key=f"a reset of the keys on {when}", since=min(step.since.at, at.at))
        if step.loss is not None:
            message, hint = loss_text(step), "if that was not you, keep the home as it is"
        elif left_s := step.remaining_s(at):
            message = f"the keys were reset, signed by nobody: another key counts in {count_of(-(-left_s // 3600), 'hour')}"
            hint = "if that was not you: nightledger key confirm --sign-with FILE"
        else:
            message = f"the keys were reset on {when}, signed by nobody: another key counts"
            hint = "if that was not you, somebody has the log's key: nightledger key reset"
        yield Alarm(kind="integrity", message=message, hint=hint, items=(item,))


def of_gate(home: Home, book: Book, now: datetime) -> Iterator[Item]:
    """Give the proposals that wait, and the files that are not settled."""
    from nightledger.gate.checking import find_unsettled

    aside = find_set_aside(home, book)
    for status in (status for status in book.live() if status.id not in aside):
        if status.open_changes() and status.lane != EDIT_LANE and status.kind is not Kind.DRIFT:
            yield Item(need=Need.WAITING, key=status.id, since=status.created.at)
    for path in find_unsettled(home, book):
        drift = book.open_drift(path)
        since = drift.at if drift else _changed_at(home.path(path), now)
        yield Item(need=Need.DRIFT, key=path, since=min(since, now))


def of_settings(gate: Gate, now: datetime) -> Iterator[Alarm]:
    """Give the settings and the consent graph that cannot be used, and messages that no machine ever took in."""
    home, operator = gate.home, os.path.join(gate.ring.directory, OPERATOR)
    problem = gate.settings_problem.split("\n", 1)[0]
    line = re.match(re.escape(home.settings) + r"(:\d+)", problem)
    settings = home.relative(home.settings) + (line[1] if line else "")
    graph = home.relative(home.consent_graph)
    unless = "mend or remove that file; until then nothing is applied"
    for need, why, path, key, hint in (
        (Need.SETTINGS, problem, home.settings, settings, f"{MEND}; {STRICTEST}"),
        (Need.SETTINGS, why_no_operator(str(gate.ring.directory)), operator, OPERATOR, _mends()["operator"]),
        (Need.CONSENT, why_no_consent(home), home.consent_graph, graph, unless),
    ):
        if why:
            item = Item(need=need, key=key, since=_changed_at(path, now))
            yield Alarm(kind=need.value, message=why, hint=hint, items=(item,))
    yield from of_notifier(str(gate.ring.directory), home)
    yield from _of_sources(gate, now)
    yield from _of_letters(home, now)


def of_notifier(keys_dir: str, home: Home) -> Iterator[Alarm]:
    """Give the notifier that failed last time; it cannot tell of it itself."""
    from nightledger.jobs.notify import NOTIFIED, TRY_IT, why_failed

    failed = why_failed(os.path.join(keys_dir, home.identity.id, NOTIFIED))
    with suppress(errors.NightledgerError):  # told where operator.yaml is
        if failed and load_operator(keys_dir).notify:
            message = f"the notifier failed on {failed[0]:%Y-%m-%d %H:%M} UTC: {failed[1]}"
            yield Alarm(kind="notifier", message=message, hint=f"{TRY_IT}; the next run tries again, too")


def _of_sources(gate: Gate, now: datetime) -> Iterator[Alarm]:
    """Give the transcripts that are agreed to and give nothing any more."""
    if not os.path.lexists(os.path.join(gate.ring.directory, gate.home.identity.id, AGREED)):
        return
    from nightledger.surfaces.doctor_keys import State
    from nightledger.surfaces.transcripts import check_sources

    with suppress(errors.ConfigurationError):  # told where operator.yaml is
        for host, check in check_sources(str(gate.ring.directory), gate.home, now):
            if check.state is State.BAD:
                item = Item(need=Need.SOURCE, key=host, since=now)
                yield Alarm(kind="source", message=check.message, hint=check.fix, items=(item,))


def _of_letters(home: Home, now: datetime) -> Iterator[Alarm]:
    if not os.path.lexists(home.dead_letters):
        return
    from nightledger.remote.letters import recent_dead_letters

    if letters := recent_dead_letters(home, now):
        keys = ((f"{at:%Y-%m-%dT%H:%M:%SZ} {n}", at) for n, at in enumerate(letters, 1))
        items = tuple(Item(need=Need.LETTER, key=key, since=at) for key, at in keys)
        hint = f"{home.relative(home.dead_letters)} says why"
        never = f"{count_of(len(letters), 'message was', 'messages were')} never taken in by another machine"
        message = f"{never}, the last on {letters[-1]:%Y-%m-%d}"
        yield Alarm(kind="letters", message=message, hint=hint, items=items)


def runs_of(home: Home, now: datetime) -> tuple[tuple[Run, ...], list[Alarm]]:
    """Read the run ledger, with an alarm where it or a line of it cannot be read."""
    try:
        runs, bad_lines = read_ledger(home)
    except errors.NightledgerError as error:
        return (), [Alarm(kind="failed", message=str(error), hint=error.hint)]
    return lately(runs, now), [
        Alarm(
            kind="failed",
            message=f"{home.relative(home.runs)}:{number} is no run and counts for nothing: {problem}",
            hint="its period is run again, which does no harm",
        )
        for number, problem in bad_lines[:1]
    ]


def of_machine(home: Home) -> list[Alarm]:
    """Say that another machine writes the home, where it does."""
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


def of_schedule(calendar: Calendar, runs: tuple[Run, ...], now: datetime) -> Iterator[Alarm]:
    """Give the jobs that fail and the periods that were missed.

    Args:
        calendar: By what the home counts its periods.
        runs: From its ledger, reckoned.
        now: Aware, UTC.
    """
    for run in failing(calendar, runs, now):
        yield Alarm(
            kind="failed",
            message=f"{run.job} failed for {run.period}: {run.reason}",
            hint="it is tried again by itself; 'nightledger night --retry' tries at once",
            items=(Item(need=Need.FAILED, key=f"{run.job} {run.period}", since=run.started_at),),
        )
    if missed := find_missed(calendar, runs, now):
        were = "period was" if len(missed) == 1 else "periods were"
        yield Alarm(
            kind="missed",
            message=f"{len(missed)} {were} missed, the oldest {min(missed)}",
            hint="'nightledger night' makes up for them; 'nightledger doctor' looks whether cron calls",
            items=tuple(Item(need=Need.MISSED, key=key, since=since) for key, since in missed.items()),
        )


def _of_restores(book: Book, now: datetime) -> Iterator[Alarm]:
    for one in book.restored:
        if now < one.at + RESTORED_SHOWN:
            yield Alarm(kind="restored", message=restored_text(one), hint="nightledger verify")


def _of_drift(home: Home, seen: "Seen", book: Book, now: datetime) -> Iterator[Alarm]:
    """Give gated files first, then protected ones; of these the page tells otherwise, for they are no alarm."""
    from nightledger.gate.checking import DISPUTED
    from nightledger.gate.gated import watched, why_unreadable

    for path in filter(book.is_disputed, watched(home, book)):
        hint = "'nightledger verify' names the entry, and 'nightledger review' asks about what stands in the file"
        yield Alarm(kind="integrity", message=f"{path}: {DISPUTED}", hint=hint)
    for path in seen.drift:
        since = "was changed outside Nightledger since it was last signed"
        message = why_unreadable(home, path) or f"{path} {since}"
        if at := seen.earlier.get(path):
            message = f"{path} went back to what was accepted on {at:%Y-%m-%d %H:%M} UTC"
        item = Item(need=Need.DRIFT, key=path, since=_changed_at(home.path(path), now))
        hint = "nightledger review asks about each section"
        yield Alarm(kind="drift", message=message, hint=hint, items=(item,))
    for path in seen.protected:
        message = f"{path}, a protected file, has changed since it was first seen or acknowledged"
        hint = "'nightledger review' shows how; it is never changed by us"
        yield Alarm(kind="changed", message=message, hint=hint)


def _hint(name: str, path: str, home: Home, *, is_kept: bool) -> str:
    if path == home.relative(home.identity_file):
        return f"{AS_MADE}; until then nothing is proposed, signed or applied"
    return _mends()["kept" if is_kept else "altered" if name == "ALTERED" else "other"]


@cache
def _mends() -> dict[str, str]:
    mends: dict[str, str] = sentences("needs")
    return mends


def _named(home: Home, path: str) -> str:
    return visible(path.removeprefix(f"{home.root}/"))


def _changed_at(path: str, now: datetime) -> datetime:
    """Give when a file was last changed, as far as the system tells; now where it does not."""
    try:
        return min(datetime.fromtimestamp(os.lstat(path).st_mtime, UTC), now)
    except (OSError, ValueError, OverflowError):
        return now


def restored_text(one: Restored) -> str:
    """Return what an operator signed for."""
    when = f"on {one.at:%Y-%m-%d %H:%M} UTC an operator signed ({one.decision})"
    if not one.lost:
        return f"{when} for the log of {one.size} entries that stood here: this machine had nothing to hold it against"
    return f"{when} that {count_of(one.lost, 'entry is', 'entries are')} lost behind the first {one.size}; the log that had them had the root {one.root}"


def loss_text(step: TrustStep) -> str:
    """Return what the log tells for ever of a loss of all keys."""
    return (
        f"all keys were lost by {step.since.at:%Y-%m-%d %H:%M} UTC: behind entry {step.loss} the log is signed by other keys, "
        "and nobody signed for them"
    )
