"""A night that has something to do: what ``verify`` does, the lock, the jobs, what is said, what is told.

Invariant: the mark that spares the next call a look is written only after the ledger,
so that it never hides a period that is due; nor does it hide an alarm.
"""

import os
import traceback
from collections.abc import Sequence
from datetime import datetime

from nightledger.codec.records import to_plain
from nightledger.domain.attention import Item
from nightledger.domain.errors import (
    EXIT_ALARM,
    EXIT_REFUSED,
    ConfigurationError,
    IntegrityError,
    LockedError,
    NightledgerError,
    RecordError,
    RefusedError,
    UnreadableError,
)
from nightledger.domain.periods import Run, RunOutcome, duties, reckon
from nightledger.domain.words import dump_moment
from nightledger.files.atomic import replace_file
from nightledger.files.configuration import load_settings, why_no_operator
from nightledger.files.durable import make_dir
from nightledger.files.home import Home
from nightledger.files.lock import Lock
from nightledger.hosts.daylogs import why_empty
from nightledger.night import Failure, NightReport, calendar_of, read_ledger, run_due
from nightledger.surfaces import clock, screen
from nightledger.surfaces.attention import find_alarms, tell, tell_instead
from nightledger.surfaces.context import Context
from nightledger.surfaces.hints import say
from nightledger.surfaces.night_jobs import night_jobs, tells
from nightledger.surfaces.session import require_machine


def run_night(context: Context, *, retry: bool) -> int:
    """Run what is due, say what came of it, and tell the operator what is new.

    Args:
        context: The command's surroundings.
        retry: Try at once what failed a moment ago.

    Raises:
        ConfigurationError: Settings that cannot be used; nothing is run.
        LockedError: Another night is at work.
        RefusedError: Another machine writes this home, and no alarm is told.
    """
    home = Home(context.home_path)
    try:
        require_machine(home)
    except RefusedError as error:
        if tell_instead(context, error):
            return EXIT_ALARM
        raise
    except (ConfigurationError, IntegrityError, RecordError, UnreadableError):
        pass  # what is wrong with the home's record is an alarm
    alarms = find_alarms(context)
    told = (
        tell(context, alarms, early=True) if alarms else 0
    )  # before anything that may take long, or be killed
    try:
        return _run_due(context, home, alarms, retry=retry)
    except (NightledgerError, OSError) as error:
        at_work = isinstance(error, LockedError) and not alarms
        if at_work or EXIT_ALARM not in (told, tell(context, alarms, repeated=True)):
            raise
        return EXIT_ALARM


def _run_due(context: Context, home: Home, alarms: Sequence[Item], *, retry: bool) -> int:
    home.require_inside()
    settings = load_settings(home)  # no period is run in another zone than its own
    jobs = night_jobs(context, settings)
    calendar = calendar_of(home, settings, {job.name: job.schedule for job in jobs})
    now = (lambda: context.moment) if home.identity.simulated else clock.system_moment
    with Lock(home.lock_path("night")):
        report = run_due(home, jobs, calendar, now, retry=retry)
        leave_mark(home, context.now if alarms else report.next_at, context.now)
        say(context, "" if context.quiet else why_empty(home))
        _say(context, home, report)
        told = tell(context, alarms, report.needs, repeated=bool(alarms))
    asked = _ask_witnesses(context, alarmed=told == EXIT_ALARM)
    return max(asked, told, *(_status(failure.error) for failure in report.failures))


def list_due(context: Context) -> int:
    """List what is due; runs and writes nothing."""
    home = Home(context.home_path).require()
    settings = load_settings(home)
    jobs = night_jobs(context, settings)
    calendar = calendar_of(home, settings, {job.name: job.schedule for job in jobs})
    runs = reckon(read_ledger(home)[0], context.moment, calendar.zone)
    due = duties(calendar, runs, context.now, retry=True)
    context.emit(
        [{"job": d.job, "period": d.period.key, "due_at": dump_moment(d.period.due_at)} for d in due]
    )
    for duty in due:
        context.print(f"{duty.job} {duty.period.key}, due since {duty.period.due_at:%Y-%m-%d %H:%M} UTC")
    if not due:
        context.print("Nothing is due.")
    return 0


def leave_mark(home: Home, next_at: datetime, now: datetime) -> None:
    """Write down when something is due next; the next call reads this and nothing else.

    Args:
        home: Whose.
        next_at: When; aware.
        now: Aware.
    """
    make_dir(home.work_dir)
    mark = f"{int(now.timestamp())} {int(next_at.timestamp())}\n"
    replace_file(home.next_due, mark.encode("ascii"), disposable=True)


def _say(context: Context, home: Home, report: NightReport) -> None:
    context.emit(
        {
            "runs": to_plain(report.runs),
            "still_due": report.still_due,
            "next_at": dump_moment(report.next_at.replace(microsecond=0)),
        }
    )
    busy = {run.period for run in report.runs if tells(run)}
    for run in report.runs:
        # of an empty night a terminal gets one line, why; cron gets none
        told = tells(run) or (not context.quiet and (run.period in busy or run.job == "consolidate"))
        if run.outcome is RunOutcome.DONE and told:
            context.print("\n".join(screen.wrap(_line(run), indent="  ", first="")))
    for failure in report.failures:
        _complain(context, home, failure)
    for number, problem in report.bad_lines:
        context.note(f"memory/system/runs.jsonl:{number} is no run and counts for nothing: {problem}")
    if report.still_due and not report.failures and (busy or not context.quiet):
        periods, them = ("period is", "it") if report.still_due == 1 else ("periods are", "them")
        context.print(f"{report.still_due} {periods} still due; the next call goes on with {them}.")
    if not report.runs and not context.quiet:
        context.print(f"Nothing is due before {report.next_at:%Y-%m-%d %H:%M} UTC.")


def _line(run: Run) -> str:
    counts = ", ".join(
        f"{n} {word.replace('_', ' ')}" for word, n in sorted(run.counts.items()) if n and word != "no_room"
    )
    return f"{run.job} {run.period}: {'; '.join(part for part in (counts, run.reason) if part) or 'done'}"


def _complain(context: Context, home: Home, failure: Failure) -> None:
    run, error = failure.run, failure.error
    context.note(f"error: {run.job} {run.period} failed: {run.reason}")
    if isinstance(error, NightledgerError) and error.hint:
        context.note(f"hint: {error.hint}")
    elif not isinstance(error, (NightledgerError, OSError)):
        path = os.path.join(home.work_dir, "night-bug.log")
        make_dir(home.work_dir)
        replace_file(path, "".join(traceback.format_exception(error)).encode("utf-8", "backslashreplace"))
        context.note(f"hint: the details are in {path}")
    context.note("hint: it stays due and is tried again by itself; 'nightledger night --retry' tries at once")


def _ask_witnesses(context: Context, *, alarmed: bool) -> int:
    """Have the night's head cosigned; a witness that does not answer is no failure of the night."""
    from nightledger.remote.witness_asking import ask_quietly

    try:
        return ask_quietly(context)
    except NightledgerError as error:
        if not (alarmed or why_no_operator(context.keys_dir)):  # both were told
            context.note(f"error: {error}")
            context.note(f"hint: {error.hint}")
        return _status(error)


def _status(error: BaseException) -> int:
    return EXIT_ALARM if isinstance(error, IntegrityError) else EXIT_REFUSED
